/* backend/cuda/ntt.h - transforms of one size on a GPU; conventions of ntt/ntt.h, sizes 2^10 to 2^28.
 *
 * Arrays are addresses of 2^log elements (Montgomery form, below r) on the device, aligned to 16 bytes. Calls
 * queue their work; an object is used in one stream.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_NTT_H
#define BACKEND_CUDA_NTT_H

#include "backend/backend.h"
#include "base/memory.h"

struct gpu_ntt;

/* budget: for the tables on the host (up to 20 MiB), until they are copied. twists: keep those of extensions
 * on the device too, GPU_NTT_TWISTS bytes an element, which saves a twelfth of their time. */
#define GPU_NTT_TWISTS UINT64_C(64)
cuzk_status gpu_ntt_new(struct gpu_ntt **out, struct budget *budget, struct device *d, struct stream s,
                        unsigned log, bool twists, struct cuzk_error *e) MUST_USE;
void gpu_ntt_free(struct gpu_ntt *n); /* NULL is fine */

/* out = the transform of a, in natural order; a, another array, is left with garbage. */
cuzk_status gpu_ntt_forward(struct gpu_ntt *n, uint64_t out, uint64_t a, struct cuzk_error *e) MUST_USE;
cuzk_status gpu_ntt_inverse(struct gpu_ntt *n, uint64_t out, uint64_t a, struct cuzk_error *e) MUST_USE;

/* In place, values on the domain to values on the coset; factor, another array, not 0: each times the one in
 * its place there. */
cuzk_status gpu_ntt_extend(struct gpu_ntt *n, uint64_t a, uint64_t factor, struct cuzk_error *e) MUST_USE;

#endif
