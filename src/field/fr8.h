/* field/fr8.h - eight elements of Fr at once, with AVX-512 IFMA; only for sources of the IFMA variant.
 *
 * A value is five limbs to the base 2^52, limb i of all eight lanes in one register (S. Gueron, V. Krasnov,
 * "Accelerating big integer arithmetic using Intel IFMA extensions", 2016). It is in [0, 2^260), a little
 * more than 35 r.
 *
 * Lazy: the limbs are signed 64-bit words, whose weighted sum is the value modulo 2^260.
 *
 * Rippled: the low 52 bits of each limb are the value's digits, what is above them is of no account; products
 * look at the low 52 bits only.
 *
 * Carried: rippled with nothing above, so also lazy.
 *
 * fr8_mul divides by 2^260 while elements in memory carry the factor 2^256: so one factor of each product is
 * held with 2^260 (fr8_factor, fr52_factor), and the other one and the result are as in memory.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FIELD_FR8_H
#define FIELD_FR8_H

#include <immintrin.h>

#include "field/fr52.h"

#define FR8_LANES 8
#define FR8_LIMBS FR52_LIMBS

typedef struct fr8 {
    __m512i l[FR8_LIMBS];
} fr8;

static const fr52 FR52_MODULUS = {
    {0xfffff00000001, 0x02fffe5bfefff, 0x9a1d80553bda4, 0x7d483339d8080, 0x073eda753299d}};
/* 2^260 - r */
static const fr52 FR52_MINUS_MODULUS = {
    {0x00000ffffffff, 0xfd0001a401000, 0x65e27faac425b, 0x82b7ccc627f7f, 0xf8c1258acd662}};

static inline __m512i fr8_mask(void)
{
    return _mm512_set1_epi64((long long)FR52_MASK);
}

static inline __m512i fr8_all(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

static inline fr8 fr8_broadcast(const fr52 *a)
{
    fr8 out;
    for (int i = 0; i < FR8_LIMBS; i++)
        out.l[i] = fr8_all(a->l[i]);
    return out;
}

static inline fr8 fr8_zero(void)
{
    fr8 out;
    for (int i = 0; i < FR8_LIMBS; i++)
        out.l[i] = _mm512_setzero_si512();
    return out;
}

/* Lazy to rippled. */
static inline fr8 fr8_ripple(fr8 a)
{
    for (int i = 0; i + 1 < FR8_LIMBS; i++)
        a.l[i + 1] = _mm512_add_epi64(a.l[i + 1], _mm512_srai_epi64(a.l[i], 52));
    return a;
}

/* Lazy to carried. */
static inline fr8 fr8_carry(fr8 a)
{
    a = fr8_ripple(a);
    for (int i = 0; i < FR8_LIMBS; i++)
        a.l[i] = _mm512_and_si512(a.l[i], fr8_mask());
    return a;
}

/* For checks: is the carried value below multiple * r in each lane? multiple: at most 35. */
static inline bool fr8_below(fr8 a, uint64_t multiple)
{
    for (int i = 0; i < FR8_LIMBS; i++)
        a.l[i] = _mm512_sub_epi64(a.l[i], fr8_all(multiple * FR52_MODULUS.l[i]));
    return _mm512_movepi64_mask(fr8_ripple(a).l[FR8_LIMBS - 1]) == 0xff;
}

/* Sums and differences of limbs; lazy. */
static inline fr8 fr8_add(fr8 a, fr8 b)
{
    for (int i = 0; i < FR8_LIMBS; i++)
        a.l[i] = _mm512_add_epi64(a.l[i], b.l[i]);
    return a;
}

static inline fr8 fr8_sub(fr8 a, fr8 b)
{
    for (int i = 0; i < FR8_LIMBS; i++)
        a.l[i] = _mm512_sub_epi64(a.l[i], b.l[i]);
    return a;
}

/* a + multiple * r; lazy. multiple: at most 35. */
static inline fr8 fr8_add_modulus(fr8 a, uint64_t multiple)
{
    for (int i = 0; i < FR8_LIMBS; i++)
        a.l[i] = _mm512_add_epi64(a.l[i], fr8_all(multiple * FR52_MODULUS.l[i]));
    return a;
}

/* ---- products ---- */

static inline __m512i fr8_low(__m512i sum, __m512i a, __m512i b)
{
    return _mm512_madd52lo_epu64(sum, a, b);
}

static inline __m512i fr8_high(__m512i sum, __m512i a, __m512i b)
{
    return _mm512_madd52hi_epu64(sum, a, b);
}

/* (sum of c[k] 2^(52 k)) / 2^260 mod r, between that without the mod and r more; lazy, no limb negative. Each
 * c[k] below 2^62. c is used up.
 *
 * With m that makes c + m r_0 a multiple of 2^52, the low part of m r_0 is 0 for c = 0 mod 2^52, else 2^52
 * less that of c: c plus 2^52 - 1, shifted, tells it without a product. */
static inline fr8 fr8_reduce(__m512i c[2 * FR8_LIMBS])
{
    fr8 out;
    for (int k = 0; k < FR8_LIMBS; k++) {
        const __m512i m = fr8_low(_mm512_setzero_si512(), c[k], fr8_all(FR52_MINUS_INVERSE.l[0]));
        __m512i carry = _mm512_srli_epi64(_mm512_add_epi64(c[k], fr8_mask()), 52);
        carry = fr8_high(carry, m, fr8_all(FR52_MODULUS.l[0]));
        for (int j = 1; j < FR8_LIMBS; j++)
            c[k + j] = fr8_low(c[k + j], m, fr8_all(FR52_MODULUS.l[j]));
        for (int j = 1; j < FR8_LIMBS; j++)
            c[k + j + 1] = fr8_high(c[k + j + 1], m, fr8_all(FR52_MODULUS.l[j]));
        c[k + 1] = _mm512_add_epi64(c[k + 1], carry);
    }
    for (int i = 0; i < FR8_LIMBS; i++)
        out.l[i] = c[FR8_LIMBS + i];
    return out;
}

/* a b / 2^260 mod r, below a b / 2^260 + r: below 2 r if one factor is below r, below 34 r if both are; a and
 * b rippled, the result lazy, no limb negative. */
static inline fr8 fr8_mul(const fr8 *a, const fr8 *b)
{
    __m512i c[2 * FR8_LIMBS];
    for (int k = 0; k < 2 * FR8_LIMBS; k++)
        c[k] = _mm512_setzero_si512();
    for (int i = 0; i < FR8_LIMBS; i++) {
        for (int j = 0; j < FR8_LIMBS; j++)
            c[i + j] = fr8_low(c[i + j], a->l[j], b->l[i]);
        for (int j = 0; j < FR8_LIMBS; j++)
            c[i + j + 1] = fr8_high(c[i + j + 1], a->l[j], b->l[i]);
    }
    return fr8_reduce(c);
}

/* a^2 / 2^260 mod r, as fr8_mul. */
static inline fr8 fr8_sqr(const fr8 *a)
{
    __m512i c[2 * FR8_LIMBS];
    for (int k = 0; k < 2 * FR8_LIMBS; k++)
        c[k] = _mm512_setzero_si512();
    for (int i = 0; i < FR8_LIMBS; i++) {
        for (int j = i + 1; j < FR8_LIMBS; j++) {
            c[i + j] = fr8_low(c[i + j], a->l[j], a->l[i]);
            c[i + j + 1] = fr8_high(c[i + j + 1], a->l[j], a->l[i]);
        }
    }
    for (int k = 1; k < 2 * FR8_LIMBS - 1; k++)
        c[k] = _mm512_add_epi64(c[k], c[k]);
    for (int i = 0; i < FR8_LIMBS; i++) {
        c[2 * i] = fr8_low(c[2 * i], a->l[i], a->l[i]);
        c[2 * i + 1] = fr8_high(c[2 * i + 1], a->l[i], a->l[i]);
    }
    return fr8_reduce(c);
}

/* A sum of products that is reduced once: value = sum of (low[k] + 2^52 high[k]) 2^(52 k). Low and high
 * halves are summed apart, so that no chain of additions takes longer than the products do anyway. */
typedef struct fr8_sum {
    __m512i low[2 * FR8_LIMBS - 1], high[2 * FR8_LIMBS - 1];
} fr8_sum;

static inline fr8_sum fr8_sum_zero(void)
{
    fr8_sum t;
    for (int k = 0; k < 2 * FR8_LIMBS - 1; k++)
        t.low[k] = t.high[k] = _mm512_setzero_si512();
    return t;
}

/* t += a * b; a and b rippled. Up to 2^6 products fit. */
static inline void fr8_accumulate(fr8_sum *t, const fr8 *a, const fr8 *b)
{
    for (int i = 0; i < FR8_LIMBS; i++) {
        for (int j = 0; j < FR8_LIMBS; j++) {
            t->low[i + j] = fr8_low(t->low[i + j], a->l[j], b->l[i]);
            t->high[i + j] = fr8_high(t->high[i + j], a->l[j], b->l[i]);
        }
    }
}

/* t / 2^260 mod r, as fr8_reduce. */
static inline fr8 fr8_sum_reduce(const fr8_sum *t)
{
    __m512i c[2 * FR8_LIMBS];
    c[0] = t->low[0];
    for (int k = 1; k < 2 * FR8_LIMBS - 1; k++)
        c[k] = _mm512_add_epi64(t->low[k], t->high[k - 1]);
    c[2 * FR8_LIMBS - 1] = t->high[2 * FR8_LIMBS - 2];
    return fr8_reduce(c);
}

/* Eight constants (fr52_constant), rippled. */
typedef struct fr8_constant {
    fr8 value, ratio;
} fr8_constant;

static inline fr8_constant fr8_constant_broadcast(const fr52_constant *a)
{
    return (fr8_constant){fr8_broadcast(&a->value), fr8_broadcast(&a->ratio)};
}

/* a w mod r, below a r / 2^260 + (1 + 2^-48) r, so below 2 r for a below 35 r; a rippled, the result lazy, no
 * limb negative.
 *
 * The quotient q of a w by r is a ratio / 2^260, taken less by under a / 2^260 as the ratio is rounded down
 * and by under 1 + 2^-48 as columns 0 to 3 are left out and q is rounded down. Of a w - q r only the low 260
 * bits are needed. */
static inline fr8 fr8_mul_constant(const fr8 *a, const fr8_constant *w)
{
    __m512i q[FR8_LIMBS + 1]; /* columns 4 to 9 of a ratio; those from 5 on are the quotient */
    fr8 t = fr8_zero();
    for (int k = 0; k <= FR8_LIMBS; k++)
        q[k] = _mm512_setzero_si512();
    for (int i = 0; i < FR8_LIMBS; i++) {
        for (int j = 0; j < FR8_LIMBS; j++) {
            if (i + j >= FR8_LIMBS - 1)
                q[i + j - FR8_LIMBS + 1] = fr8_low(q[i + j - FR8_LIMBS + 1], a->l[j], w->ratio.l[i]);
            if (i + j >= FR8_LIMBS - 2)
                q[i + j - FR8_LIMBS + 2] = fr8_high(q[i + j - FR8_LIMBS + 2], a->l[j], w->ratio.l[i]);
        }
    }
    for (int k = 0; k < FR8_LIMBS; k++)
        q[k + 1] = _mm512_add_epi64(q[k + 1], _mm512_srli_epi64(q[k], 52));
    for (int i = 0; i < FR8_LIMBS; i++) {
        for (int j = 0; i + j < FR8_LIMBS; j++) {
            t.l[i + j] = fr8_low(t.l[i + j], a->l[j], w->value.l[i]);
            if (i + j + 1 < FR8_LIMBS)
                t.l[i + j + 1] = fr8_high(t.l[i + j + 1], a->l[j], w->value.l[i]);
        }
    }
    for (int i = 0; i < FR8_LIMBS; i++) {
        for (int j = 0; i + j < FR8_LIMBS; j++) {
            const __m512i minus = fr8_all(FR52_MINUS_MODULUS.l[j]);
            t.l[i + j] = fr8_low(t.l[i + j], q[i + 1], minus);
            if (i + j + 1 < FR8_LIMBS)
                t.l[i + j + 1] = fr8_high(t.l[i + j + 1], q[i + 1], minus);
        }
    }
    return t;
}

/* ---- smaller values of the same class ---- */

/* Lazy to carried, below 4/3 r and so below 2^256.
 *
 * The quotient is taken from the top limb by 35/2^52, a little below 2^208 / r: it is the true one, up to
 * one percent of it (at most 35) and one too small. */
static inline fr8 fr8_shrink(fr8 a)
{
    a = fr8_carry(a);
    const __m512i q = fr8_high(_mm512_setzero_si512(), a.l[FR8_LIMBS - 1], fr8_all(35));
    for (int i = 0; i < FR8_LIMBS; i++)
        a.l[i] = fr8_low(a.l[i], q, fr8_all(FR52_MINUS_MODULUS.l[i]));
    for (int i = 0; i + 1 < FR8_LIMBS; i++)
        a.l[i + 1] = fr8_high(a.l[i + 1], q, fr8_all(FR52_MINUS_MODULUS.l[i]));
    a = fr8_carry(a);
    VERIFY(fr8_below(a, 2));
    return a;
}

/* a, carried, less multiple * r where it is not below that; carried. multiple: at most 35. */
static inline fr8 fr8_take_off(fr8 a, uint64_t multiple)
{
    fr8 less;
    for (int i = 0; i < FR8_LIMBS; i++)
        less.l[i] = _mm512_sub_epi64(a.l[i], fr8_all(multiple * FR52_MODULUS.l[i]));
    for (int i = 0; i + 1 < FR8_LIMBS; i++) {
        less.l[i + 1] = _mm512_add_epi64(less.l[i + 1], _mm512_srai_epi64(less.l[i], 52));
        less.l[i] = _mm512_and_si512(less.l[i], fr8_mask());
    }
    const __mmask8 negative = _mm512_movepi64_mask(less.l[FR8_LIMBS - 1]);
    for (int i = 0; i < FR8_LIMBS; i++)
        a.l[i] = _mm512_mask_mov_epi64(less.l[i], negative, a.l[i]);
    return a;
}

/* Lazy to carried and below r. */
static inline fr8 fr8_canonical(fr8 a)
{
    return fr8_take_off(fr8_shrink(a), 1);
}

/* ---- memory ---- */

/* low >> right | high << left */
static inline __m512i fr8_join(__m512i low, unsigned right, __m512i high, unsigned left)
{
    return _mm512_or_si512(_mm512_srli_epi64(low, right), _mm512_slli_epi64(high, left));
}

/* Eight values of 256 bits, two in a register, each from the lowest limb; pairs in the order of lanes. */
static inline fr8 fr8_unpack(const __m512i pair[4])
{
    const __m512i low = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i high = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i a = _mm512_permutex2var_epi64(pair[0], low, pair[1]);
    const __m512i b = _mm512_permutex2var_epi64(pair[2], low, pair[3]);
    const __m512i c = _mm512_permutex2var_epi64(pair[0], high, pair[1]);
    const __m512i d = _mm512_permutex2var_epi64(pair[2], high, pair[3]);
    const __m512i w0 = _mm512_shuffle_i64x2(a, b, 0x44), w1 = _mm512_shuffle_i64x2(a, b, 0xee);
    const __m512i w2 = _mm512_shuffle_i64x2(c, d, 0x44), w3 = _mm512_shuffle_i64x2(c, d, 0xee);
    const __m512i mask = fr8_mask();
    fr8 out;
    out.l[0] = _mm512_and_si512(w0, mask);
    out.l[1] = _mm512_and_si512(fr8_join(w0, 52, w1, 12), mask);
    out.l[2] = _mm512_and_si512(fr8_join(w1, 40, w2, 24), mask);
    out.l[3] = _mm512_and_si512(fr8_join(w2, 28, w3, 36), mask);
    out.l[4] = _mm512_srli_epi64(w3, 16);
    return out;
}

/* The reverse, from words of 64 bits. */
static inline void fr8_pack(__m512i pair[4], const __m512i w[FR_LIMBS])
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    /* lanes 0, 2, 4, 6 and 1, 3, 5, 7 */
    const __m512i x = _mm512_unpacklo_epi64(w[0], w[1]), y = _mm512_unpackhi_epi64(w[0], w[1]);
    const __m512i z = _mm512_unpacklo_epi64(w[2], w[3]), v = _mm512_unpackhi_epi64(w[2], w[3]);
    const __m512i e0 = _mm512_permutex2var_epi64(x, first, z), e1 = _mm512_permutex2var_epi64(x, second, z);
    const __m512i o0 = _mm512_permutex2var_epi64(y, first, v), o1 = _mm512_permutex2var_epi64(y, second, v);
    pair[0] = _mm512_shuffle_i64x2(e0, o0, 0x44);
    pair[1] = _mm512_shuffle_i64x2(e0, o0, 0xee);
    pair[2] = _mm512_shuffle_i64x2(e1, o1, 0x44);
    pair[3] = _mm512_shuffle_i64x2(e1, o1, 0xee);
}

/* The elements a[0], a[stride], ..., as they are in memory; carried. */
static inline fr8 fr8_load(const fr *a, size_t stride)
{
    __m512i pair[4];
    for (size_t i = 0; i < 4; i++) {
        const __m256i even = _mm256_loadu_si256((const __m256i *)(const void *)(a + 2 * i * stride));
        const __m256i odd = _mm256_loadu_si256((const __m256i *)(const void *)(a + (2 * i + 1) * stride));
        pair[i] = _mm512_inserti64x4(_mm512_castsi256_si512(even), odd, 1);
    }
    return fr8_unpack(pair);
}

static inline void fr8_store_words(fr *a, size_t stride, const __m512i w[FR_LIMBS])
{
    __m512i pair[4];
    fr8_pack(pair, w);
    for (size_t i = 0; i < 4; i++) {
        _mm256_storeu_si256((__m256i *)(void *)(a + 2 * i * stride), _mm512_castsi512_si256(pair[i]));
        _mm256_storeu_si256((__m256i *)(void *)(a + (2 * i + 1) * stride),
                            _mm512_extracti64x4_epi64(pair[i], 1));
    }
}

/* The reverse; v carried and below 2^256. */
static inline void fr8_store(fr *a, size_t stride, const fr8 *v)
{
    const __m512i *l = v->l;
    const __m512i w[FR_LIMBS] = {fr8_join(l[0], 0, l[1], 52), fr8_join(l[1], 12, l[2], 40),
                                 fr8_join(l[2], 24, l[3], 28), fr8_join(l[3], 36, l[4], 16)};
    VERIFY(_mm512_cmpgt_epu64_mask(l[4], fr8_all(UINT64_MAX >> 16)) == 0);
    fr8_store_words(a, stride, w);
}

/* From the form in memory, lazy and below 2^256, to that of a factor: 16 times as much, lazy. */
static inline fr8 fr8_factor(fr8 a)
{
    for (int i = 0; i < FR8_LIMBS; i++)
        a.l[i] = _mm512_slli_epi64(a.l[i], 4);
    return a;
}

/* A factor as a constant (fr52_constant_of). */
static inline fr8_constant fr8_constant_of(const fr8 *factor)
{
    const fr8 one = fr8_broadcast(&(fr52){{1}}), inverse = fr8_broadcast(&FR52_MINUS_INVERSE);
    const fr8 u = fr8_canonical(*factor);
    fr8 ratio = fr8_zero();
    for (int i = 0; i < FR8_LIMBS; i++) {
        for (int j = 0; i + j < FR8_LIMBS; j++) {
            ratio.l[i + j] = fr8_low(ratio.l[i + j], u.l[j], inverse.l[i]);
            if (i + j + 1 < FR8_LIMBS)
                ratio.l[i + j + 1] = fr8_high(ratio.l[i + j + 1], u.l[j], inverse.l[i]);
        }
    }
    return (fr8_constant){fr8_canonical(fr8_mul(&u, &one)), fr8_carry(ratio)};
}

/* A lazy value in the form of a factor, in [0, 16 r), as it is in memory, canonical: divided by 16 modulo r,
 * which is 1 modulo 16. */
static inline void fr8_factor_words(__m512i w[FR_LIMBS], fr8 v)
{
    const __m512i m = _mm512_and_si512(_mm512_sub_epi64(_mm512_setzero_si512(), v.l[0]), fr8_all(15));
    for (int i = 0; i < FR8_LIMBS; i++)
        v.l[i] = fr8_low(v.l[i], m, fr8_all(FR52_MODULUS.l[i]));
    for (int i = 0; i + 1 < FR8_LIMBS; i++)
        v.l[i + 1] = fr8_high(v.l[i + 1], m, fr8_all(FR52_MODULUS.l[i]));
    v = fr8_take_off(fr8_carry(v), 16);
    const __m512i *l = v.l;
    w[0] = fr8_join(l[0], 4, l[1], 48);
    w[1] = fr8_join(l[1], 16, l[2], 36);
    w[2] = fr8_join(l[2], 28, l[3], 24);
    w[3] = fr8_join(l[3], 40, l[4], 12);
    VERIFY(_mm512_test_epi64_mask(l[0], fr8_all(15)) == 0 && fr8_below(v, 16));
}

/* Such a value to a[0], a[stride], ... */
static inline void fr8_store_factor(fr *a, size_t stride, fr8 v)
{
    __m512i w[FR_LIMBS];
    fr8_factor_words(w, v);
    fr8_store_words(a, stride, w);
}

/* To a[0][at], a[1][at], ..., which may be the same places for several lanes. */
static inline void fr8_scatter_factor(fr *const *a, size_t at, fr8 v)
{
    __m512i w[FR_LIMBS], pair[4];
    fr8_factor_words(w, v);
    fr8_pack(pair, w);
    for (size_t i = 0; i < 4; i++) {
        _mm256_storeu_si256((__m256i *)(void *)(a[2 * i] + at), _mm512_castsi512_si256(pair[i]));
        _mm256_storeu_si256((__m256i *)(void *)(a[2 * i + 1] + at), _mm512_extracti64x4_epi64(pair[i], 1));
    }
}

#endif
