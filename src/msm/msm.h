/* msm/msm.h - multi-scalar multiplication: sum_i k_i P_i in G1 and G2.
 *
 * Pippenger's bucket method (N. Pippenger, "On the evaluation of powers and related problems", 1976) with
 * signed windows of scalars that an endomorphism has cut in 2 (G1) or 4 (G2); buckets are affine and filled
 * in batches that share an inversion. Zero scalars cost nothing; ones go to a plain sum of selected points,
 * never to a bucket. Multi-threaded over x->pool for any number of threads. Variable time.
 *
 * Points must be in the subgroup of order r: the endomorphism is a multiplication only there.
 *
 * Points are taken in blocks, encoded ones converted once, so memory does not grow with the number of points:
 * for a sum, at most 128 MiB of buckets (from 2^21 wide scalars on in G1; 34 MiB before, and always in G2),
 * 50 MiB (G1) or 70 MiB (G2) for a block, a byte for every 64 scalars, and 3 (G1) or 4 MiB (G2) a thread; for
 * a plain sum only the last. It comes from x->budget and is gone when the call returns.
 *
 * Errors of all four: CUZK_ERR_ARGUMENT, CUZK_ERR_MEMORY, CUZK_ERR_CANCELLED; out is written on success only.
 * Sums report progress as "sum in G1" or "sum in G2", in points.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef MSM_MSM_H
#define MSM_MSM_H

#include "base/exec.h"
#include "base/memory.h"
#include "curve/group.h"

/* Where the points come from: exactly one of the two is set. affine: in Montgomery form, aligned to 8; may be
 * mapped from a file. encoded: uncompressed, big-endian
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
