/* circuits/post_params.c - what a sector size and a registered PoSt proof fix, and their names.
 * The numbers: the Filecoin specification, "Proof of spacetime".
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "circuits/post.h"

static const struct size_row {
    uint64_t sector_size;
    const char *text, *winning, *window; /* the size; the circuits */
    uint16_t window_sectors;             /* that fill a domain of 2^27 rows */
    uint8_t first_number;                /* of the winning proof */
} SIZES[] = {
    {UINT64_C(2) << 10, "2KiB", "winning-2k", "window-2k", 2, 0},
    {UINT64_C(4) << 10, "4KiB", "winning-4k", "window-4k", 2, 99},
    {UINT64_C(16) << 10, "16KiB", "winning-16k", "window-16k", 2, 111},
    {UINT64_C(32) << 10, "32KiB", "winning-32k", "window-32k", 2, 127},
    {UINT64_C(8) << 20, "8MiB", "winning-8m", "window-8m", 2, 1},
    {UINT64_C(512) << 20, "512MiB", "winning-512m", "window-512m", 2, 2},
    {UINT64_C(32) << 30, "32GiB", "winning-32g", "window-32g", 2349, 3},
    {UINT64_C(64) << 30, "64GiB", "winning-64g", "window-64g", 2300, 4},
};

/* The proofs of one size, by the distance of their numbers from the winning proof's. The chain calls the last
 * one V1_1. */
enum post_proof_kind { PROOF_WINNING = 0, PROOF_WINDOW_V1, PROOF_WINDOW, PROOF_KINDS };
static const char *const KIND_TEXT[PROOF_KINDS] = {"winning", "window-v1", "window"};
#define NUMBERS_A_PROOF 5 /* the registered sizes */

#define WINNING_CHALLENGES 66
#define WINDOW_CHALLENGES  10

static cuzk_status fill(struct post_params *out, const struct size_row *size, enum post_proof_kind kind,
                        struct cuzk_error *e)
{
    struct porep_params tree; /* the replica tree is the one that was sealed */
    const bool winning = kind == PROOF_WINNING;
    const cuzk_status status = porep_params_for_size(&tree, size->sector_size, e);
    if (status != CUZK_OK)
        return status;
    *out = (struct post_params){
        .kind = winning ? POST_WINNING : POST_WINDOW,
        .sector_size = size->sector_size,
        .nodes = tree.nodes,
        .base_arity = tree.base_arity,
        .sub_arity = tree.sub_arity,
        .top_arity = tree.top_arity,
        .base_height = tree.base_height,
        .places = winning ? WINNING_CHALLENGES : size->window_sectors,
        .place_challenges = winning ? 1 : WINDOW_CHALLENGES,
        .challenges = winning ? WINNING_CHALLENGES : WINDOW_CHALLENGES,
        .index_restarts = kind == PROOF_WINDOW,
        .registered_proof = size->first_number + NUMBERS_A_PROOF * (uint64_t)kind,
    };
    VERIFY(out->challenges <= POST_MAX_CHALLENGES);
    return CUZK_OK;
}

static const struct size_row *row_of(const struct post_params *p)
{
    const struct size_row *row = SIZES;
    while (row->sector_size != p->sector_size) {
        row++;
        VERIFY(row < SIZES + ARRAY_LEN(SIZES));
    }
    return row;
}

cuzk_status post_params_for_circuit(struct post_params *out, const char *circuit, struct cuzk_error *e)
{
    static const char window[] = "window-", other[] = "wpost-";
    const bool is_other = strncmp(circuit, other, sizeof other - 1) == 0;
    for (size_t i = 0; i < ARRAY_LEN(SIZES); i++) {
        if (strcmp(SIZES[i].winning, circuit) == 0)
            return fill(out, &SIZES[i], PROOF_WINNING, e);
        if (is_other ? strcmp(SIZES[i].window + sizeof window - 1, circuit + sizeof other - 1) == 0
                     : strcmp(SIZES[i].window, circuit) == 0)
            return fill(out, &SIZES[i], PROOF_WINDOW, e);
    }
    return error_set(e, CUZK_ERR_ARGUMENT, "no PoSt circuit is named \"%.40s\"", circuit);
}

cuzk_status post_params_for_number(struct post_params *out, uint64_t registered_proof, struct cuzk_error *e)
{
    for (size_t i = 0; i < ARRAY_LEN(SIZES); i++)
        for (unsigned k = 0; k < PROOF_KINDS; k++)
            if (SIZES[i].first_number + NUMBERS_A_PROOF * (uint64_t)k == registered_proof)
                return fill(out, &SIZES[i], (enum post_proof_kind)k, e);
    return error_set(e, CUZK_ERR_INPUT, "no registered PoSt proof has the number %" PRIu64, registered_proof);
}

const char *post_circuit_name(size_t i, uint64_t *sector_size)
{
    if (i >= 2 * ARRAY_LEN(SIZES))
        return NULL;
    const struct size_row *row = &SIZES[i % ARRAY_LEN(SIZES)];
    *sector_size = row->sector_size;
    return i < ARRAY_LEN(SIZES) ? row->winning : row->window;
}

const char *post_size_text(const struct post_params *p)
{
    return row_of(p)->text;
}

const char *post_params_circuit(const struct post_params *p)
{
    return p->kind == POST_WINNING ? row_of(p)->winning : row_of(p)->window;
}

const char *post_kind_text(const struct post_params *p)
{
    return KIND_TEXT[(p->registered_proof - row_of(p)->first_number) / NUMBERS_A_PROOF];
}

void post_identifier(const struct post_params *p, char out[POST_NAME_MAX])
{
    snprintf(out, POST_NAME_MAX,
             "FallbackPoSt::PublicParams{sector_size: %" PRIu64 ", challenge_count: %u, sector_count: %u}",
             p->sector_size, p->place_challenges, p->places);
}

void post_cache_prefix(const struct post_params *p, char out[POST_NAME_MAX])
{
    snprintf(out, POST_NAME_MAX, "proof-of-spacetime-fallback-merkletree-poseidon_hasher-%u-%u-%u",
             p->base_arity, p->sub_arity, p->top_arity);
}
