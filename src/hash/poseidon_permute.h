/* hash/poseidon_permute.h - poseidon_hash() as compiled for each variant of the arithmetic.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef HASH_POSEIDON_PERMUTE_H
#define HASH_POSEIDON_PERMUTE_H

#include "hash/poseidon.h"

void poseidon_hash_portable(const struct poseidon *p, fr *out, const fr *preimage);
void poseidon_hash_adx(const struct poseidon *p, fr *out, const fr *preimage);

/* poseidon_adx.S */
void poseidon_sum_adx(uint64_t t[FR_LIMBS + 1], const fr *a, const fr *b, size_t n, size_t b_stride);

#endif
