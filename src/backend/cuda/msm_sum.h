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

/* What the folding of buckets leaves (struct msm_halve_args): after so many levels, of each segment as many
 * sums S as its buckets divided by 2^levels, and of each bit below as many partial sums; all segments after
 * one another. */
struct xyzz_folded {
    unsigned group;
    uint32_t levels, segments;
    const uint32_t *first_bucket; /* [segments + 1]: a segment has a power of two of buckets */
    const uint8_t *sums;          /* xyzz */
};

/* out = the sum of all buckets of a segment; of those whose index has a bit. */
void xyzz_all(void *out, const struct xyzz_folded *f, uint32_t segment);
void xyzz_bit(void *out, const struct xyzz_folded *f, uint32_t segment, uint32_t bit);

/* out = sum_w 2^offset[w] sum_i (i + 1) S_i over the buckets of each of the windows, segments from `first`
 * on; a window is a bit wider than its buckets' index. */
void xyzz_windows(void *out, const struct xyzz_folded *f, uint32_t first, uint32_t windows);

#endif
