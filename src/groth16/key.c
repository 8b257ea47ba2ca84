/* groth16/key.c - a verifying key from a trapdoor.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/key.h"

#include "base/error.h"
#include "base/memory.h"

#define BLOCK ((size_t)1 << 16) /* points made at once */

static void multiple_g1(g1_affine *out, const fr *k)
{
    g1 p;
    g1_from_affine(&p, &G1_GENERATOR);
    g1_mul(&p, &p, k);
    g1_to_affine(out, &p);
}

static void multiple_g2(g2_affine *out, const fr *k)
{
    g2 p;
    g2_from_affine(&p, &G2_GENERATOR);
    g2_mul(&p, &p, k);
    g2_to_affine(out, &p);
}

cuzk_status key_make(const struct exec *x, struct groth16_vk *out, struct g1_fixed *table,
                     const struct groth16_trapdoor *t, const fr *ic, uint32_t ic_count, struct cuzk_error *e)
{
    struct groth16_vk vk = {.ic = mem_alloc(ic_count, sizeof *vk.ic), .ic_count = ic_count};
    if (!vk.ic)
        return error_memory(e, ic_count * sizeof *vk.ic, "a verifying key");
    multiple_g1(&vk.alpha_g1, &t->alpha);
    multiple_g1(&vk.beta_g1, &t->beta);
    multiple_g2(&vk.beta_g2, &t->beta);
    multiple_g2(&vk.gamma_g2, &t->gamma);
    multiple_g1(&vk.delta_g1, &t->delta);
    multiple_g2(&vk.delta_g2, &t->delta);
    for (size_t at = 0; at < ic_count; at += BLOCK) {
        const size_t n = ic_count - at < BLOCK ? ic_count - at : BLOCK;
        const cuzk_status status = g1_fixed_mul(x, table, vk.ic + at, ic + at, n, e);
        if (status != CUZK_OK) {
            groth16_vk_free(&vk);
            return status;
        }
    }
    *out = vk;
    return CUZK_OK;
}
