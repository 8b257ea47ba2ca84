/* field/fp2_8.h - eight elements of Fp2 side by side, see fp8.h for the words; a word holds for both
 * components. Products take two products of Fp for each component and reduce once.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FIELD_FP2_8_H
#define FIELD_FP2_8_H

#include "field/fp2.h"
#include "field/fp8.h"

typedef struct fp2_8 {
    fp8 c0, c1;
} fp2_8;

typedef struct fp2_row {
    fp_row c0, c1;
} fp2_row;

static const uint64_t FP8_8P[FP8_LIMBS] = {0x7fffffffd5558, 0xf58a9ffffdcff, 0x587b120f55fff,
                                           0x95fb39869507b, 0xb23ba5c279c28, 0xdd3db21a5d66b,
                                           0xf51cbff34d258, 0x00000000d0088};
static const uint64_t FP8_512P[FP8_LIMBS] = {0xfffffff555600, 0x62a7ffff73fdf, 0x1ec483d57fffd,
                                             0x7ece61a541ed6, 0x8ee9709e70a25, 0x4f6c869759aec,
                                             0x472ffcd349637, 0x000000340223d};

static inline void fp2_8_carry(fp2_8 *a)
{
    fp8_carry(&a->c0);
    fp8_carry(&a->c1);
}

static inline void fp2_8_reduce(fp2_8 *a)
{
    fp8_reduce(&a->c0);
    fp8_reduce(&a->c1);
}

static inline void fp2_8_sub_loose(fp2_8 *out, const fp2_8 *a, const fp2_8 *b)
{
    fp8_sub_loose(&out->c0, &a->c0, &b->c0);
    fp8_sub_loose(&out->c1, &a->c1, &b->c1);
}

static inline void fp2_8_sub(fp2_8 *out, const fp2_8 *a, const fp2_8 *b)
{
    fp8_sub(&out->c0, &a->c0, &b->c0);
    fp8_sub(&out->c1, &a->c1, &b->c1);
}

static inline void fp2_8_negate_some(fp2_8 *out, __mmask8 mask, const fp2_8 *a)
{
    fp8_negate_some(&out->c0, mask, &a->c0);
    fp8_negate_some(&out->c1, mask, &a->c1);
}

static inline void fp2_8_shift(fp2_8 *out, const fp2_8 *a, unsigned bits)
{
    fp8_shift(&out->c0, &a->c0, bits);
    fp8_shift(&out->c1, &a->c1, bits);
}

static inline void fp2_8_blend(fp2_8 *out, __mmask8 mask, const fp2_8 *a)
{
    fp8_blend(&out->c0, mask, &a->c0);
    fp8_blend(&out->c1, mask, &a->c1);
}

static inline __mmask8 fp2_8_zero_lanes(const fp2_8 *a)
{
    return fp8_zero_lanes(&a->c0) & fp8_zero_lanes(&a->c1);
}

static inline void fp2_8_load(fp2_8 *out, const uintptr_t address[FP8_LANES])
{
    uintptr_t c1[FP8_LANES];
    for (int i = 0; i < FP8_LANES; i++)
        c1[i] = address[i] + sizeof(fp_row);
    fp8_load(&out->c0, address);
    fp8_load(&out->c1, c1);
}

static inline void fp2_8_store(const uintptr_t address[FP8_LANES], const fp2_8 *a)
{
    uintptr_t c1[FP8_LANES];
    for (int i = 0; i < FP8_LANES; i++)
        c1[i] = address[i] + sizeof(fp_row);
    fp8_store(address, &a->c0);
    fp8_store(c1, &a->c1);
}

/* out = a b / 2^416: b below 8, a b below 2^22 p^2. */
static inline void fp2_8_mul_loose(fp2_8 *out, const fp2_8 *a, const fp2_8 *b)
{
    fp8 minus, c0;
    for (int i = 0; i < FP8_LIMBS; i++)
        minus.l[i] = _mm512_sub_epi64(fp8_all(FP8_8P[i]), b->c1.l[i]);
    fp8_carry(&minus);
    fp8_mul2_loose(&c0, &a->c0, &b->c0, &a->c1, &minus);
    fp8_mul2_loose(&out->c1, &a->c0, &b->c1, &a->c1, &b->c0);
    out->c0 = c0;
}

static inline void fp2_8_mul(fp2_8 *out, const fp2_8 *a, const fp2_8 *b)
{
    fp2_8_mul_loose(out, a, b);
    fp2_8_carry(out);
}

/* out = a^2 / 2^416: a below 2^9. */
static inline void fp2_8_sqr_loose(fp2_8 *out, const fp2_8 *a)
{
    fp8 sum, difference, twice;
    for (int i = 0; i < FP8_LIMBS; i++)
        difference.l[i] = _mm512_add_epi64(_mm512_sub_epi64(a->c0.l[i], a->c1.l[i]), fp8_all(FP8_512P[i]));
    fp8_carry(&difference);
    fp8_add(&sum, &a->c0, &a->c1);
    fp8_add(&twice, &a->c0, &a->c0);
    fp8_mul_loose(&out->c1, &twice, &a->c1);
    fp8_mul_loose(&out->c0, &sum, &difference);
}

/* -- as in fp8.h -- */

static inline void fp2_8_get_lane(fp2 *out, const fp2_8 *a, unsigned lane)
{
    fp8_get_lane(&out->c0, &a->c0, lane);
    fp8_get_lane(&out->c1, &a->c1, lane);
}

static inline void fp2_8_set_lane(fp2_8 *out, unsigned lane, const fp2 *a)
{
    fp8_set_lane(&out->c0, lane, &a->c0);
    fp8_set_lane(&out->c1, lane, &a->c1);
}

static inline void fp2_from_row(fp2 *out, const fp2_row *row)
{
    fp_from_row(&out->c0, &row->c0);
    fp_from_row(&out->c1, &row->c1);
}

static inline void fp2_neg_row(fp2_row *out, const fp2_row *a)
{
    fp_neg_row(&out->c0, &a->c0);
    fp_neg_row(&out->c1, &a->c1);
}

static inline void fp2_8_set_one(fp2_8 *out)
{
    fp8_set_one(&out->c0);
    memset(&out->c1, 0, sizeof out->c1);
}

static inline __mmask8 fp2_8_perhaps_equal(const fp2_8 *difference)
{
    return fp8_perhaps_equal(&difference->c0) & fp8_perhaps_equal(&difference->c1);
}

static inline __mmask8 fp2_8_perhaps_zero(const fp2_8 *a)
{
    return fp8_perhaps_zero(&a->c0) & fp8_perhaps_zero(&a->c1);
}

static inline void fp2_8_sqr3_shifted(fp2_8 *out, const fp2_8 *a)
{
    fp2_8 t;
    fp2_8_shift(&t, a, 8);
    fp2_8_sqr_loose(&t, &t);
    fp2_8_carry(&t);
    fp2_8_shift(&t, &t, 16);
    fp8_add(&out->c0, &t.c0, &t.c0);
    fp8_add(&out->c0, &out->c0, &t.c0);
    fp8_add(&out->c1, &t.c1, &t.c1);
    fp8_add(&out->c1, &out->c1, &t.c1);
}

void fp2_8_invert(fp2_8 *a);

#endif
