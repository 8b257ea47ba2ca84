/* backend/cuda/msm_sum.h - what a sum's kernels leave, on the host.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_MSM_SUM_H
#define BACKEND_CUDA_MSM_SUM_H

#include "curve/group.h"

#define XYZZ_G1_BYTES 192
#define XYZZ_G2_BYTES 384
#define RING_BYTES    49152 /* of shared memory for points on their way: ring<F>::bytes of msm_kernels.cuh */

/* out (g1 or g2) = the point that a kernel left as X, Y, ZZ, ZZZ in words below 9.84 p. */
void xyzz_read(unsigned group, void *out, const void *in);
size_t xyzz_out_bytes(unsigned group);

/* out = sum_w 2^offset[w] (weighted_w + sum_w): window w's buckets count from one. */
void xyzz_windows(unsigned group, void *out, const uint8_t *sums, const uint8_t *weighted,
                  const uint32_t *offset, uint32_t windows);

#endif
