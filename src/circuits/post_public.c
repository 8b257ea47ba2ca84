/* circuits/post_public.c - partitions, challenges and public inputs of PoSt.
 * The Filecoin specification, "Proof of spacetime".
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>

#include "base/error.h"
#include "circuits/post.h"
#include "hash/sha256.h"

static bool is_element(const uint8_t bytes[32])
{
    fr element;
    return fr_read_le(&element, bytes);
}

cuzk_status post_statement_check(const struct post_statement *s, struct cuzk_error *e)
{
    if (s->sector_count == 0)
        return error_set(e, CUZK_ERR_INPUT, "a proof of no sectors");
    if (s->params.kind == POST_WINNING && s->sector_count != 1)
        return error_set(e, CUZK_ERR_INPUT, "a winning proof is of one sector, not of %zu", s->sector_count);
    if (!is_element(s->randomness))
        return error_set(e, CUZK_ERR_INPUT, "randomness is not below the field's modulus");
    for (size_t i = 0; i < s->sector_count; i++) {
        const struct post_sector *sector = &s->sectors[i];
        if (!is_element(sector->comm_r))
            return error_set(e, CUZK_ERR_INPUT,
                             "comm_r of sector %" PRIu64 " is not below the field's modulus", sector->id);
        if (i > 0 && sector->id <= sector[-1].id)
            return error_set(e, CUZK_ERR_INPUT,
                             "sector %" PRIu64 " behind sector %" PRIu64
                             ": they must stand in ascending order, each once",
                             sector->id, sector[-1].id);
    }
    return CUZK_OK;
}

size_t post_partitions(const struct post_statement *s)
{
    if (s->params.kind == POST_WINNING)
        return 1;
    return (s->sector_count - 1) / s->params.places + 1;
}

struct post_place post_place_at(const struct post_statement *s, size_t partition, unsigned place)
{
    VERIFY(partition < post_partitions(s) && place < s->params.places);
    if (s->params.kind == POST_WINNING)
        return (struct post_place){.sector = 0, .first = place};
    const size_t sector = partition * s->params.places + place;
    return (struct post_place){.sector = sector < s->sector_count ? sector : s->sector_count - 1, .first = 0};
}

static void store_le64(uint8_t out[8], uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        out[i] = (uint8_t)(v >> (8 * i));
}

uint64_t post_challenge(const struct post_statement *s, size_t sector, unsigned n)
{
    struct sha256 h;
    uint8_t number[8], digest[32];
    uint64_t drawn = 0;
    VERIFY(sector < s->sector_count && n < s->params.challenges);
    sha256_init(&h);
    sha256_update(&h, s->randomness, sizeof s->randomness);
    store_le64(number, s->sectors[sector].id);
    sha256_update(&h, number, sizeof number);
    store_le64(number, s->params.index_restarts ? n : (s->first_index + sector) * s->params.challenges + n);
    sha256_update(&h, number, sizeof number);
    sha256_final(&h, digest);
    for (unsigned i = 8; i-- > 0;)
        drawn = drawn << 8 | digest[i];
    return drawn % s->params.nodes;
}

size_t post_public_count(const struct post_params *p)
{
    return (size_t)p->places * (1 + p->place_challenges);
}

cuzk_status post_public_inputs(const struct post_statement *s, size_t partition, fr *out,
                               struct cuzk_error *e)
{
    const struct post_params *p = &s->params;
    const cuzk_status status = post_statement_check(s, e);
    if (status != CUZK_OK)
        return status;
    if (partition >= post_partitions(s))
        return error_set(e, CUZK_ERR_ARGUMENT, "partition %zu: there are %zu", partition, post_partitions(s));
    for (unsigned place = 0; place < p->places; place++) {
        const struct post_place at = post_place_at(s, partition, place);
        const bool canonical = fr_read_le(out++, s->sectors[at.sector].comm_r);
        VERIFY(canonical); /* the statement's check says so */
        (void)canonical;
        for (unsigned n = 0; n < p->place_challenges; n++)
            fr_from_u64(out++, post_challenge(s, at.sector, at.first + n));
    }
    return CUZK_OK;
}
