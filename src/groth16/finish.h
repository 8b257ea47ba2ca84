/* groth16/finish.h - what both provers do with their sums.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_FINISH_H
#define GROTH16_FINISH_H

#include "groth16/groth16.h"

/* The sums of a proof: those over the queries, without key, r and s. */
struct proof_sums {
    g1 a, b_g1, c;
    g2 b_g2;
};

static inline void proof_sums_zero(struct proof_sums *s)
{
    g1_set_infinity(&s->a);
    g1_set_infinity(&s->b_g1);
    g1_set_infinity(&s->c);
    g2_set_infinity(&s->b_g2);
}

/* The proof of these sums. */
void proof_assemble(struct groth16_proof *out, const struct groth16_vk *vk, const struct proof_sums *sums,
                    const struct groth16_rs *rs);

/* Are the circuit's inputs (with the constant one in front) the statement's (NULL: not compared)? */
cuzk_status public_inputs_agree(const fr *inputs, uint32_t inputs_count, const fr *expected, uint32_t count,
                                struct cuzk_error *e) MUST_USE;

#endif
