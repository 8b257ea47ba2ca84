/* backend/cuda/msm.h - sums of multiples of points on a GPU, in G1 and G2.
 *
 * Pippenger's bucket method (N. Pippenger, 1976) with signed windows: points are sorted by bucket, buckets by
 * size. Large sums add each bucket up as a tree of affine additions with shared inversions, others a thread a
 * bucket (XYZZ coordinates); the weighted sum of all buckets is folded over the whole card. Points are taken
 * in pieces of the size that the memory allows; the buckets stay.
 *
 * points: affine as in curve/group.h (96 or 192 bytes each), on the device, aligned to 32 bytes; they may
 * repeat, be opposite or infinite. Scalars: Montgomery, on the device. Variable time.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_MSM_H
#define BACKEND_CUDA_MSM_H

#include "backend/backend.h"

struct gpu_msm;

#define GPU_MSM_MOST 12 /* sums at once */

/* Room for 1 to GPU_MSM_MOST sums at once, over the same up to count points (more are right, but slower) in
 * group 1 or 2, for work in stream s. memory: bytes of the device that it may take, 0: what the ledger has
 * left. CUZK_ERR_MEMORY when it does not fit. */
cuzk_status gpu_msm_new(struct gpu_msm **out, struct device *d, struct stream s, unsigned group,
                        unsigned sums, uint64_t count, uint64_t memory, struct cuzk_error *e) MUST_USE;

/* The same for sums under masks of bits: a point's bits choose one of 2^sums buckets, so it is added once. */
cuzk_status gpu_msm_new_masks(struct gpu_msm **out, struct device *d, struct stream s, unsigned group,
                              unsigned sums, uint64_t count, uint64_t memory, struct cuzk_error *e) MUST_USE;

/* Queue more points of the sums; all must stay in place until gpu_msm_finish. scalars: the address of count
 * of them for each sum. */
cuzk_status gpu_msm_add(struct gpu_msm *m, uint64_t points, const uint64_t *scalars, size_t count,
                        struct cuzk_error *e) MUST_USE;

/* bits: the address of count bits for each sum (u32 words, first in the lowest bit). Every call but the last
 * must have a multiple of 32 points. */
cuzk_status gpu_msm_add_masks(struct gpu_msm *m, uint64_t points, const uint64_t *bits, size_t count,
                              struct cuzk_error *e) MUST_USE;

/* Wait, give the sums (g1 or g2) and begin new ones. */
cuzk_status gpu_msm_finish(struct gpu_msm *m, void *out, struct cuzk_error *e) MUST_USE;

void gpu_msm_free(struct gpu_msm *m); /* NULL is fine */

#endif
