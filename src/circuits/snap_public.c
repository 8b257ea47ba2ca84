/* circuits/snap_public.c - challenges, rho and public inputs of update proofs.
 * FIP-0019.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/error.h"
#include "circuits/snap.h"

#define DIGEST_BITS (FR_BITS - 1) /* of a digest, from which challenges are cut */

size_t snap_public_count(const struct snap_params *p)
{
    (void)p;
    return 4;
}

static cuzk_status element(fr *out, const uint8_t bytes[32], const char *name, struct cuzk_error *e)
{
    if (!fr_read_le(out, bytes))
        return error_set(e, CUZK_ERR_INPUT, "%s is not below the field's modulus", name);
    return CUZK_OK;
}

static cuzk_status check_partition(const struct snap_params *p, unsigned partition, struct cuzk_error *e)
{
    if (partition >= p->partitions)
        return error_set(e, CUZK_ERR_ARGUMENT, "partition %u: there are %u", partition, p->partitions);
    return CUZK_OK;
}

cuzk_status snap_public_inputs(const struct snap_statement *s, unsigned partition, fr *out,
                               struct cuzk_error *e)
{
    fr inputs[4];
    cuzk_status status = check_partition(&s->params, partition, e);
    if (status == CUZK_OK)
        status = element(&inputs[1], s->comm_r_old, "comm_r_old", e);
    if (status == CUZK_OK)
        status = element(&inputs[2], s->comm_d_new, "comm_d_new", e);
    if (status == CUZK_OK)
        status = element(&inputs[3], s->comm_r_new, "comm_r_new", e);
    if (status != CUZK_OK)
        return status;
    fr_from_u64(&inputs[0], partition | UINT64_C(1) << (s->params.partition_bits + s->params.high_choice));
    memcpy(out, inputs, sizeof inputs);
    return CUZK_OK;
}

static void hash_pair(const struct exec *x, const struct poseidon_set *poseidon, fr *out, const fr *a,
                      const fr *b)
{
    const fr preimage[2] = {*a, *b};
    poseidon_hash(x->variant, &poseidon->kind[POSEIDON_2_SNAP], out, preimage);
}

/* count (at most 32) bits of the plain integer from bit `at` on. */
static uint32_t bits_at(const fr *plain, unsigned at, unsigned count)
{
    uint64_t bits = plain->l[at / 64] >> at % 64;
    if (at % 64 + count > 64)
        bits |= plain->l[at / 64 + 1] << (64 - at % 64);
    return (uint32_t)(bits & ((UINT64_C(1) << count) - 1));
}

cuzk_status snap_challenges(const struct exec *x, const struct poseidon_set *poseidon,
                            const struct snap_statement *s, unsigned partition, uint32_t *out,
                            struct cuzk_error *e)
{
    const struct snap_params *p = &s->params;
    const unsigned per_digest = DIGEST_BITS / p->drawn_bits;
    const unsigned digests = (p->challenges + per_digest - 1) / per_digest;
    fr seed, number, digest;
    cuzk_status status = check_partition(p, partition, e);
    if (status == CUZK_OK)
        status = element(&seed, s->comm_r_new, "comm_r_new", e);
    if (status != CUZK_OK)
        return status;
    for (unsigned i = 0; i < p->challenges; i++) {
        const unsigned place = i % per_digest;
        if (place == 0) {
            fr_from_u64(&number, (uint64_t)partition * digests + i / per_digest);
            hash_pair(x, poseidon, &digest, &seed, &number);
            fr_from_mont(&digest, &digest);
        }
        out[i] = bits_at(&digest, place * p->drawn_bits, p->drawn_bits) | partition << p->drawn_bits;
    }
    return CUZK_OK;
}

cuzk_status snap_phi(const struct exec *x, const struct poseidon_set *poseidon,
                     const struct snap_statement *s, fr *out, struct cuzk_error *e)
{
    fr comm_d_new, comm_r_old;
    cuzk_status status = element(&comm_d_new, s->comm_d_new, "comm_d_new", e);
    if (status == CUZK_OK)
        status = element(&comm_r_old, s->comm_r_old, "comm_r_old", e);
    if (status == CUZK_OK)
        hash_pair(x, poseidon, out, &comm_d_new, &comm_r_old);
    return status;
}

fr snap_rho(const struct exec *x, const struct poseidon_set *poseidon, const struct snap_params *p,
            const fr *phi, uint32_t node)
{
    fr high, rho;
    fr_from_u64(&high, node >> (p->node_bits - p->high_bits[p->high_choice]));
    hash_pair(x, poseidon, &rho, phi, &high);
    return rho;
}
