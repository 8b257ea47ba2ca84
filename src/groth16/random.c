/* groth16/random.c - the random values of setup and prover, and those of a seed for tests.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "groth16/groth16.h"
#include "hash/sha256.h"

/* A key with a zero in it proves nothing, so zero (never seen in practice) is drawn again. */
static cuzk_status nonzero(fr *out, struct cuzk_error *e)
{
    do {
        const cuzk_status status = fr_random(out, e);
        if (status != CUZK_OK)
            return status;
    } while (fr_is_zero(out));
    return CUZK_OK;
}

cuzk_status groth16_trapdoor_random(struct groth16_trapdoor *out, struct cuzk_error *e)
{
    struct groth16_trapdoor t;
    cuzk_status status = nonzero(&t.alpha, e);
    if (status == CUZK_OK)
        status = nonzero(&t.beta, e);
    if (status == CUZK_OK)
        status = nonzero(&t.gamma, e);
    if (status == CUZK_OK)
        status = nonzero(&t.delta, e);
    if (status == CUZK_OK)
        status = nonzero(&t.tau, e);
    if (status == CUZK_OK)
        *out = t;
    mem_wipe(&t, sizeof t);
    return status;
}

cuzk_status groth16_rs_random(struct groth16_rs *out, struct cuzk_error *e)
{
    struct groth16_rs rs;
    cuzk_status status = fr_random(&rs.r, e);
    if (status == CUZK_OK)
        status = fr_random(&rs.s, e);
    if (status == CUZK_OK)
        *out = rs;
    mem_wipe(&rs, sizeof rs);
    return status;
}

/* SHA-256 of "cuzk:LABEL:SEED:i", top bit cleared, the first i from 0 that gives a value below r. */
static void from_seed(fr *out, const char *label, uint64_t seed)
{
    for (uint32_t i = 0;; i++) {
        char text[64];
        uint8_t digest[32];
        const int n = snprintf(text, sizeof text, "cuzk:%s:%" PRIu64 ":%" PRIu32, label, seed, i);
        sha256(digest, text, (size_t)n);
        digest[31] &= 0x7f;
        if (fr_read_le(out, digest))
            return;
    }
}

void groth16_trapdoor_from_seed(struct groth16_trapdoor *out, uint64_t seed)
{
    from_seed(&out->alpha, "alpha", seed);
    from_seed(&out->beta, "beta", seed);
    from_seed(&out->gamma, "gamma", seed);
    from_seed(&out->delta, "delta", seed);
    from_seed(&out->tau, "tau", seed);
}

void groth16_rs_from_seed(struct groth16_rs *out, uint64_t seed)
{
    from_seed(&out->r, "r", seed);
    from_seed(&out->s, "s", seed);
}
