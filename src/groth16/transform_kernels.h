/* groth16/transform_kernels.h - arithmetic on many points of G1 at once, compiled once a variant: products by
 * scalars, butterflies, doublings, sums by variable. Everything is affine and shares inversions.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_TRANSFORM_KERNELS_H
#define GROTH16_TRANSFORM_KERNELS_H

#include "base/cpu.h"
#include "curve/group.h"

#define TRANSFORM_BATCH 512 /* points that one call takes at most */

/* A scalar as k_0 + k_1 u^2 (msm/plan.h), both in width-5 non-adjacent form: odd digits of absolute value
 * below 16, lowest first, between them zeros (J. Solinas, "Efficient arithmetic on Koblitz curves", 2000). */
#define SCALAR_DIGITS 129
struct scalar_digits {
    int8_t digit[2][SCALAR_DIGITS];
    uint64_t part[2][2]; /* k_0, k_1: signed, of 128 bits, in two words */
    uint8_t count;       /* no digit from here on; 0: the scalar is 0 */
    bool one;            /* it is 1: nothing to do */
};

/* Terms [first, first + count) of an array of points belong to *sum. */
struct point_run {
    uint32_t first, count;
    g1_affine *sum;
};

struct transform_kernels {
    size_t (*scratch_bytes)(void); /* of all that follows; aligned to 64 */
    /* p[i] = d[i] p[i] for i < n <= TRANSFORM_BATCH. */
    void (*multiply)(void *scratch, g1_affine *p, const struct scalar_digits *const *d, size_t n);
    /* *a[i], *b[i] = *a[i] + t[i], *a[i] - t[i] for i < n <= TRANSFORM_BATCH. */
    void (*butterflies)(void *scratch, g1_affine *const *a, g1_affine *const *b, const g1_affine *t,
                        size_t n);
    /* p[i] = 2 p[i] for i < n <= TRANSFORM_BATCH. */
    void (*twice)(void *scratch, g1_affine *p, size_t n);
    /* *run.sum += its points, for n runs with different sums; points are overwritten. */
    void (*add_runs)(void *scratch, g1_affine *points, const struct point_run *runs, size_t n);
};

const struct transform_kernels *transform_kernels(enum cpu_variant variant);

#endif
