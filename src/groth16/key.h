/* groth16/key.h - a verifying key from a trapdoor.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_KEY_H
#define GROTH16_KEY_H

#include "curve/fixed_base.h"
#include "groth16/groth16.h"

/* table: of G1_GENERATOR. ic: the scalars of its points. The caller frees the key. */
cuzk_status key_make(const struct exec *x, struct groth16_vk *out, struct g1_fixed *table,
                     const struct groth16_trapdoor *t, const fr *ic, uint32_t ic_count,
                     struct cuzk_error *e) MUST_USE;

#endif
