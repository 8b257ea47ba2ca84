/* curve/batch_add.h - many independent affine additions that share one inversion, inline, for sources that
 * are compiled once a variant (g1i_batch_*, g2i_batch_*).
 *
 * A sum of two affine points costs one inversion, two products and a square; P. L. Montgomery's trick
 * ("Speeding the Pollard and elliptic curve methods of factorization", 1987) replaces all inversions of a
 * batch but one by three products each: 5M + 1S an addition.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_BATCH_ADD_H
#define CURVE_BATCH_ADD_H

#include "curve/group_inline.h"

/* Additions a batch holds before it runs by itself: few enough that all they touch stays in the second-level
 * cache from the first pass to the second, enough that the inversion is a small part. */
#define BATCH_ADD_CAPACITY 1024

/* Products of denominators are taken in this many independent chains, so that the processor can overlap
 * them. */
#define BATCH_ADD_LANES 4

/* How many additions ahead points are called into the cache: a hundred nanoseconds' worth and more. */
#define BATCH_ADD_PREFETCH 8

#define BATCH_NEGATE_A 1u
#define BATCH_NEGATE_B 2u

/* What an addition turned out to be. */
enum batch_kind {
    BATCH_ADD = 0, /* different x: the common case */
    BATCH_DOUBLE,
    BATCH_COPY_A, /* b is infinite */
    BATCH_COPY_B, /* a is infinite */
    BATCH_ZERO,   /* opposite */
};

#define FIELD     fp
#define F(op)     fp_##op
#define AFFINE    g1_affine
#define G(op)     g1i_##op
#define PAIR      g1_pair
#define BATCH     g1_batch
#define FIELD_ONE FP_ONE
#include "curve/batch_add.inc"
#undef FIELD
#undef F
#undef AFFINE
#undef G
#undef PAIR
#undef BATCH
#undef FIELD_ONE

#define FIELD     fp2
#define F(op)     fp2_##op
#define AFFINE    g2_affine
#define G(op)     g2i_##op
#define PAIR      g2_pair
#define BATCH     g2_batch
#define FIELD_ONE GROUP_FP2_ONE
#include "curve/batch_add.inc"
#undef FIELD
#undef F
#undef AFFINE
#undef G
#undef PAIR
#undef BATCH
#undef FIELD_ONE

#endif
