/* curve/batch_add8.h - batched affine additions (curve/batch_add.h) in eight lanes, inline, for sources that
 * are compiled for the IFMA variant (g1r_batch_*, g2r_batch_*).
 *
 * Points are rows of radix 2^52 (field/fp8.h), aligned to 64: near coordinates, infinity all zero (no finite
 * point of the subgroups has y = 0). An octet of additions takes the lanes; octets form chains of
 * products, which end in one inversion for all.
 *
 * Powers of two: coordinates are x 2^384, products divide by 2^416, the inversion gives 2^816 over the
 * integer; so a slope is l 2^400, its square l^2 2^384, and shifted by 16 bits it gives y its 2^384.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_BATCH_ADD8_H
#define CURVE_BATCH_ADD8_H

#include "curve/group_inline.h"
#include "field/fp2_8.h"

/* Octets that are worked on side by side, each with a chain of products of its own. */
#define OCTETS_ABREAST 4

/* How many octets ahead their points are called into the first cache. */
#define CALL_AHEAD 4

/* Octets a batch holds before it runs by itself. */
#define G1R_BATCH_OCTETS 256
#define G2R_BATCH_OCTETS 128

/* Where a summand is: its x, with the sign in the lowest bits. y comes right after x, or right before. */
typedef uintptr_t row_ref;
#define ROW_NEGATE  ((row_ref)1)
#define ROW_Y_FIRST ((row_ref)2)
#define ROW_ADDRESS (~(row_ref)63)

typedef struct g1_rows {
    fp_row x, y;
} g1_rows;

typedef struct g2_rows {
    fp2_row x, y;
} g2_rows;

/* Lanes of an octet that are not plain additions. */
struct octet_special {
    __mmask8 doubled, copy_a, copy_b, zero; /* b is infinite; a is; both or the sum are */
};

static inline __mmask8 octet_any(const struct octet_special *s)
{
    return s->doubled | s->copy_a | s->copy_b | s->zero;
}

#define FIELD     fp
#define F(op)     fp_##op
#define FIELD_ONE FP_ONE
#define ROW       fp_row
#define FIELD8    fp8
#define F8(op)    fp8_##op
#define AFFINE    g1_affine
#define ROWS      g1_rows
#define G(op)     g1r_##op
#define OPERANDS  g1_operands8
#define BATCH     g1_batch8
#define OCTETS    G1R_BATCH_OCTETS
#include "curve/batch_add8.inc"
#undef FIELD
#undef F
#undef FIELD_ONE
#undef ROW
#undef FIELD8
#undef F8
#undef AFFINE
#undef ROWS
#undef G
#undef OPERANDS
#undef BATCH
#undef OCTETS

#define FIELD     fp2
#define F(op)     fp2_##op
#define FIELD_ONE GROUP_FP2_ONE
#define ROW       fp2_row
#define FIELD8    fp2_8
#define F8(op)    fp2_8_##op
#define AFFINE    g2_affine
#define ROWS      g2_rows
#define G(op)     g2r_##op
#define OPERANDS  g2_operands8
#define BATCH     g2_batch8
#define OCTETS    G2R_BATCH_OCTETS
#include "curve/batch_add8.inc"
#undef FIELD
#undef F
#undef FIELD_ONE
#undef ROW
#undef FIELD8
#undef F8
#undef AFFINE
#undef ROWS
#undef G
#undef OPERANDS
#undef BATCH
#undef OCTETS

#endif
