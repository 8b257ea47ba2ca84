/* msm/msm.h - multi-scalar multiplication: sum_i k_i P_i in G1 and G2.
 *
 * Pippenger's bucket method with signed windows; buckets are affine and filled in batches that share an
 * inversion. Zero scalars cost nothing; ones go to a plain sum of selected points, never to a bucket.
 * Multi-threaded over x->pool for any number of threads. Points are taken in blocks, so memory does not
 * grow with the number of points (beyond what is stated).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef MSM_MSM_H
#define MSM_MSM_H

#include "base/exec.h"
#include "base/memory.h"
#include "curve/group.h"

/* Where the points come from: exactly one of the two is set. encoded: uncompressed, big-endian
 * (curve/encoding.h), validated before: 96 bytes a point in G1, 192 in G2, no alignment. */
struct msm_points {
    const void *affine; /* g1_affine or g2_affine */
    const uint8_t *encoded;
    size_t count;
};

/* Scalars in Montgomery form. With select (a bit a scalar, first in the lowest bit of word 0) only the
 * selected scalars count, and the i-th selected one goes with point i; NULL: all of them. */
struct msm_scalars {
    const fr *k;
    size_t count;
    const uint64_t *select;
};

/* The number of selected scalars must equal points->count (an argument error if not). Points may repeat,
 * be opposite or infinite. */
cuzk_status msm_g1(const struct exec *x, g1 *out, const struct msm_points *points,
                   const struct msm_scalars *scalars, struct cuzk_error *e) MUST_USE;
cuzk_status msm_g2(const struct exec *x, g2 *out, const struct msm_points *points,
                   const struct msm_scalars *scalars, struct cuzk_error *e) MUST_USE;

/* Sum of the points whose bit is set (bits: points->count of them, lowest first). */
cuzk_status msm_g1_select(const struct exec *x, g1 *out, const struct msm_points *points,
                          const uint64_t *bits, struct cuzk_error *e) MUST_USE;
cuzk_status msm_g2_select(const struct exec *x, g2 *out, const struct msm_points *points,
                          const uint64_t *bits, struct cuzk_error *e) MUST_USE;

#endif
