/* groth16/finish.c - what both provers do with their sums.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/finish.h"

#include "base/error.h"
#include "base/memory.h"

/* out += k point */
static void add_multiple(g1 *out, const g1_affine *point, const fr *k)
{
    g1 t;
    g1_from_affine(&t, point);
    g1_mul(&t, &t, k);
    g1_add(out, out, &t);
}

void proof_assemble(struct groth16_proof *out, const struct groth16_vk *vk, const struct proof_sums *sums,
                    const struct groth16_rs *rs)
{
    g1 a = sums->a, b = sums->b_g1, c = sums->c, t;
    g2 b2 = sums->b_g2, t2;
    g1_add_affine(&a, &a, &vk->alpha_g1);
    add_multiple(&a, &vk->delta_g1, &rs->r);
    g1_add_affine(&b, &b, &vk->beta_g1); /* B in G1 without its s delta: that cancels - r s delta */
    g2_add_affine(&b2, &b2, &vk->beta_g2);
    g2_from_affine(&t2, &vk->delta_g2);
    g2_mul(&t2, &t2, &rs->s);
    g2_add(&b2, &b2, &t2);
    g1_mul(&t, &a, &rs->s);
    g1_add(&c, &c, &t);
    g1_mul(&t, &b, &rs->r);
    g1_add(&c, &c, &t);
    g1_to_affine(&out->a, &a);
    g2_to_affine(&out->b, &b2);
    g1_to_affine(&out->c, &c);
    mem_wipe(&t, sizeof t);
    mem_wipe(&t2, sizeof t2);
}

cuzk_status public_inputs_agree(const fr *inputs, uint32_t inputs_count, const fr *expected, uint32_t count,
                                struct cuzk_error *e)
{
    if (!expected)
        return CUZK_OK;
    if (count != inputs_count - 1)
        return error_set(e, CUZK_ERR_ARGUMENT, "%u public inputs given, the circuit has %u", count,
                         inputs_count - 1);
    for (uint32_t i = 0; i < count; i++)
        if (!fr_equal(&expected[i], &inputs[1 + i]))
            return error_set(e, CUZK_ERR_UNSATISFIED,
                             "public input %u of %u differs between the statement and the circuit", i, count);
    return CUZK_OK;
}
