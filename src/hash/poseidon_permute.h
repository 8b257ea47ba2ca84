/* hash/poseidon_permute.h - poseidon_hash() and poseidon_trace() as compiled for each variant of the
 * arithmetic.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef HASH_POSEIDON_PERMUTE_H
#define HASH_POSEIDON_PERMUTE_H

#include "hash/poseidon_trace.h"

void poseidon_hash_portable(const struct poseidon *p, fr *out, const fr *preimage);
void poseidon_hash_adx(const struct poseidon *p, fr *out, const fr *preimage);

/* The trace of one instance. */
void poseidon_trace_one_portable(const struct poseidon *p, fr *out, const fr *preimage);
void poseidon_trace_one_adx(const struct poseidon *p, fr *out, const fr *preimage);

/* Eight at once, the k-th from preimages + k * p->arity; the digest is out[k], the trace begins at out[k].
 * Equal preimages may have the same out[k]. */
void poseidon_hash_eight_ifma(const struct poseidon *p, fr *out, const fr *preimages);
void poseidon_trace_eight_ifma(const struct poseidon *p, fr *const out[8], const fr *preimages);

/* poseidon_adx.S */
void poseidon_sum_adx(uint64_t t[FR_LIMBS + 1], const fr *a, const fr *b, size_t n, size_t b_stride);

#endif
