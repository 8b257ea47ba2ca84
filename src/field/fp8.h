/* field/fp8.h - eight elements of Fp side by side in the lanes of AVX-512 registers, for sources that are
 * compiled for the IFMA variant (base/common.h).
 *
 * Integers modulo p in radix 2^52: limb i of all eight lanes in one register, which the 52-bit multipliers
 * (VPMADD52LUQ, VPMADD52HUQ) take as it is. Products are Montgomery's with R = 2^416: a b / 2^416. Values are
 * reduced as little as the 35 bits of room above p allow; what a function takes and gives is said in these
 * words, and checked builds verify it:
 *
 *   near     limbs below 2^52, the value below (1 + 1/512) p. What memory holds.
 *   below k  limbs below 2^52, the value below (k + 1/512) p.
 *   loose    limbs signed, of less than 2^58; the value as said.
 *
 * Arithmetic on points leaves the Montgomery form of one element (field/fp.h, x 2^384) alone: lanes hold the
 * same integers, and the power of two by which a product of theirs is off is put right by a shift
 * (fp8_shift).
 *
 * Outputs may alias inputs. Variable time only where a name says so.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FIELD_FP8_H
#define FIELD_FP8_H

#include <immintrin.h>

#include "field/fp.h"

#define FP8_LANES 8
#define FP8_LIMBS 8
#define FP8_BITS  52

typedef struct fp8 {
    __m512i l[FP8_LIMBS];
} fp8;

/* One element in radix 2^52, as memory holds it; near. */
typedef struct fp_row {
    _Alignas(64) uint64_t l[FP8_LIMBS];
} fp_row;

static const uint64_t FP8_P[FP8_LIMBS] = {0xeffffffffaaab, 0xfeb153ffffb9f, 0x6b0f6241eabff, 0x12bf6730d2a0f,
                                          0x764774b84f385, 0x1ba7b6434bacd, 0x1ea397fe69a4b, 0x000000001a011};
static const uint64_t FP8_2P[FP8_LIMBS] = {0xdffffffff5556, 0xfd62a7ffff73f, 0xd61ec483d57ff,
                                           0x257ece61a541e, 0xec8ee9709e70a, 0x374f6c869759a,
                                           0x3d472ffcd3496, 0x0000000034022};

__extension__ typedef __int128 fp8_wide;

#define FP8_MASK ((UINT64_C(1) << FP8_BITS) - 1)

static inline __m512i fp8_all(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

/* Every lane the same element. */
static inline void fp8_broadcast(fp8 *out, const uint64_t l[FP8_LIMBS])
{
    for (int i = 0; i < FP8_LIMBS; i++)
        out->l[i] = fp8_all(l[i]);
}

/* Checked builds: is a below parts/512 p in every lane, with limbs below 2^52? */
static inline bool fp8_is_below(const fp8 *a, uint64_t parts)
{
    uint64_t l[FP8_LIMBS][FP8_LANES];
    memcpy(l, a, sizeof l);
    for (int lane = 0; lane < FP8_LANES; lane++) {
        fp8_wide d = 0;
        for (int i = 0; i < FP8_LIMBS; i++) {
            if (l[i][lane] > FP8_MASK)
                return false;
            d = (d >> FP8_BITS) + (fp8_wide)l[i][lane] * 512 - (fp8_wide)FP8_P[i] * (fp8_wide)parts;
        }
        if (d >= 0)
            return false;
    }
    return true;
}

#define FP8_BELOW(k) (512 * (uint64_t)(k) + 1)
#define FP8_NEAR     FP8_BELOW(1)

/* Carries, signed: a loose value that is not negative. */
static inline void fp8_carry(fp8 *a)
{
    const __m512i mask = fp8_all(FP8_MASK);
    for (int i = 0; i < FP8_LIMBS - 1; i++) {
        a->l[i + 1] = _mm512_add_epi64(a->l[i + 1], _mm512_srai_epi64(a->l[i], FP8_BITS));
        a->l[i] = _mm512_and_si512(a->l[i], mask);
    }
}

/* Multiples of p for fp8_reduce: limb i of (m - 3) p for m = 0..7, the sign on each limb. */
extern const int64_t FP8_MULTIPLES[FP8_LIMBS][FP8_LANES];

/* A loose value in (-2.1 p, 2.1 p) becomes near. How many p there are is read off the highest limb, before
 * carries: it may miss 2^6 of them and is worth 106513 in p, so what is taken off is at most 1/512 p short.
 */
static inline void fp8_reduce(fp8 *a)
{
    const uint64_t divisor = 106514, reciprocal = UINT64_C(0x9d8307de6); /* 2^52 / divisor */
    const __m512i high = _mm512_add_epi64(a->l[FP8_LIMBS - 1], fp8_all(3 * divisor - 4));
    const __m512i m = _mm512_madd52hi_epu64(_mm512_setzero_si512(), high, fp8_all(reciprocal));
    for (int i = 0; i < FP8_LIMBS; i++)
        a->l[i] = _mm512_sub_epi64(
            a->l[i], _mm512_permutexvar_epi64(m, _mm512_load_si512((const void *)FP8_MULTIPLES[i])));
    fp8_carry(a);
    VERIFY(fp8_is_below(a, FP8_NEAR));
}

/* out = a - b, loose */
static inline void fp8_sub_loose(fp8 *out, const fp8 *a, const fp8 *b)
{
    for (int i = 0; i < FP8_LIMBS; i++)
        out->l[i] = _mm512_sub_epi64(a->l[i], b->l[i]);
}

/* out = a - b + 2 p: a loose and not negative, b at most 2 p. */
static inline void fp8_sub(fp8 *out, const fp8 *a, const fp8 *b)
{
    for (int i = 0; i < FP8_LIMBS; i++)
        out->l[i] = _mm512_add_epi64(_mm512_sub_epi64(a->l[i], b->l[i]), fp8_all(FP8_2P[i]));
    fp8_carry(out);
}

/* out = a + b */
static inline void fp8_add(fp8 *out, const fp8 *a, const fp8 *b)
{
    for (int i = 0; i < FP8_LIMBS; i++)
        out->l[i] = _mm512_add_epi64(a->l[i], b->l[i]);
    fp8_carry(out);
}

/* out = 2 p - a in the lanes of mask, else a: loose, at most 2 p. a: near. */
static inline void fp8_negate_some(fp8 *out, __mmask8 mask, const fp8 *a)
{
    for (int i = 0; i < FP8_LIMBS; i++)
        out->l[i] = _mm512_mask_sub_epi64(a->l[i], mask, fp8_all(FP8_2P[i]), a->l[i]);
}

/* out = 2^bits a, bits below 52: the value below 2^35 p. */
static inline void fp8_shift(fp8 *out, const fp8 *a, unsigned bits)
{
    const __m512i mask = fp8_all(FP8_MASK);
    __m512i below = _mm512_setzero_si512();
    for (int i = 0; i < FP8_LIMBS; i++) {
        const __m512i limb = a->l[i];
        out->l[i] = _mm512_or_si512(_mm512_and_si512(_mm512_slli_epi64(limb, bits), mask), below);
        below = _mm512_srli_epi64(limb, FP8_BITS - bits);
    }
}

/* out = a in the lanes of mask, else as it was. */
static inline void fp8_blend(fp8 *out, __mmask8 mask, const fp8 *a)
{
    for (int i = 0; i < FP8_LIMBS; i++)
        out->l[i] = _mm512_mask_mov_epi64(out->l[i], mask, a->l[i]);
}

/* Lanes that are zero as integers. */
static inline __mmask8 fp8_zero_lanes(const fp8 *a)
{
    __m512i any = a->l[0];
    for (int i = 1; i < FP8_LIMBS; i++)
        any = _mm512_or_si512(any, a->l[i]);
    return _mm512_testn_epi64_mask(any, any);
}

/* fp8_ifma.S: out = a b / 2^416, as long as a b is below 2^24 p^2; limbs below 2^52 in. */
void fp8_mul(fp8 *out, const fp8 *a, const fp8 *b);       /* below 2 */
void fp8_mul_loose(fp8 *out, const fp8 *a, const fp8 *b); /* below 2, loose, limbs not negative */
/* The same of a b + c d. */
void fp8_mul2_loose(fp8 *out, const fp8 *a, const fp8 *b, const fp8 *c, const fp8 *d);
void fp8_sqr_loose(fp8 *out, const fp8 *a); /* a^2 */

/* -- rows -- */

/* Rows to columns or back. */
static inline __attribute__((always_inline)) void fp8_transpose(__m512i r[8])
{
    __m512i low[4], high[4];
    for (int i = 0; i < 4; i++) {
        low[i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
        high[i] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    }
    for (int odd = 0; odd < 2; odd++) {
        const __m512i *const b = odd ? high : low;
        const __m512i a0 = _mm512_shuffle_i64x2(b[0], b[1], 0x44);
        const __m512i a1 = _mm512_shuffle_i64x2(b[0], b[1], 0xee);
        const __m512i c0 = _mm512_shuffle_i64x2(b[2], b[3], 0x44);
        const __m512i c1 = _mm512_shuffle_i64x2(b[2], b[3], 0xee);
        r[odd] = _mm512_shuffle_i64x2(a0, c0, 0x88);
        r[2 + odd] = _mm512_shuffle_i64x2(a0, c0, 0xdd);
        r[4 + odd] = _mm512_shuffle_i64x2(a1, c1, 0x88);
        r[6 + odd] = _mm512_shuffle_i64x2(a1, c1, 0xdd);
    }
}

/* out's lane i = the row at address[i], aligned to 64. */
static inline void fp8_load(fp8 *out, const uintptr_t address[FP8_LANES])
{
    for (int i = 0; i < FP8_LANES; i++)
        out->l[i] = _mm512_load_si512((const void *)address[i]);
    fp8_transpose(out->l);
    VERIFY(fp8_is_below(out, FP8_NEAR));
}

/* The reverse; a: near. */
static inline void fp8_store(const uintptr_t address[FP8_LANES], const fp8 *a)
{
    __m512i r[FP8_LANES];
    memcpy(r, a, sizeof r);
    fp8_transpose(r);
    for (int i = 0; i < FP8_LANES; i++)
        _mm512_store_si512((void *)address[i], r[i]);
}

/* The row of an element in 6 limbs of 64 bits, no alignment. */
static inline __m512i fp8_row(const void *element)
{
    /* Limb i begins in byte 6.5 i. */
    const __m512i bytes =
        _mm512_set_epi64(0x34333231302f2e2d, 0x2e2d2c2b2a292827, 0x2726252423222120, 0x21201f1e1d1c1b1a,
                         0x1a19181716151413, 0x14131211100f0e0d, 0x0d0c0b0a09080706, 0x0706050403020100);
    const __m512i halves = _mm512_set_epi64(4, 0, 4, 0, 4, 0, 4, 0);
    const __m512i limbs = _mm512_maskz_loadu_epi64(0x3f, element);
    return _mm512_and_si512(_mm512_srlv_epi64(_mm512_permutexvar_epi8(bytes, limbs), halves),
                            fp8_all(FP8_MASK));
}

/* The row of a big-endian integer of 48 bytes with the flag bits (curve/encoding.h) taken off. */
static inline __m512i fp8_row_be(const uint8_t in[FP_BYTES])
{
    const __m512i bytes =
        _mm512_set_epi64(0x3f3f3f3f3f000102, 0x0102030405060708, 0x08090a0b0c0d0e0f, 0x0e0f101112131415,
                         0x15161718191a1b1c, 0x1b1c1d1e1f202122, 0x2223242526272829, 0x28292a2b2c2d2e2f);
    const __m512i halves = _mm512_set_epi64(4, 0, 4, 0, 4, 0, 4, 0);
    const __m512i mask =
        _mm512_set_epi64(0x1ffff, FP8_MASK, FP8_MASK, FP8_MASK, FP8_MASK, FP8_MASK, FP8_MASK, FP8_MASK);
    const __m512i limbs = _mm512_maskz_loadu_epi64(0x3f, in);
    return _mm512_and_si512(_mm512_srlv_epi64(_mm512_permutexvar_epi8(bytes, limbs), halves), mask);
}

/* A row's element, canonical. */
static inline void fp_from_row(fp *out, const fp_row *row)
{
    const uint64_t *l = row->l;
    out->l[0] = l[0] | l[1] << 52;
    out->l[1] = l[1] >> 12 | l[2] << 40;
    out->l[2] = l[2] >> 24 | l[3] << 28;
    out->l[3] = l[3] >> 36 | l[4] << 16;
    out->l[4] = l[4] >> 48 | l[5] << 4 | l[6] << 56;
    out->l[5] = l[6] >> 8 | l[7] << 44;
    fp_reduce_once(out);
}

static inline void fp_to_row(fp_row *out, const fp *a)
{
    _mm512_store_si512((void *)out->l, fp8_row(a));
}

/* One lane of a near value, canonical; one lane set. */
static inline void fp8_get_lane(fp *out, const fp8 *a, unsigned lane)
{
    fp_row row;
    for (int i = 0; i < FP8_LIMBS; i++)
        memcpy(&row.l[i], (const uint8_t *)(a->l + i) + 8 * lane, sizeof row.l[i]);
    fp_from_row(out, &row);
}

static inline void fp8_set_lane(fp8 *out, unsigned lane, const fp *a)
{
    fp_row row;
    fp_to_row(&row, a);
    for (int i = 0; i < FP8_LIMBS; i++)
        memcpy((uint8_t *)(out->l + i) + 8 * lane, &row.l[i], sizeof row.l[i]);
}

/* out = -a, near */
static inline void fp_neg_row(fp_row *out, const fp_row *a)
{
    fp t;
    fp_from_row(&t, a);
    fp_neg(&t, &t);
    fp_to_row(out, &t);
}

/* 1 of Montgomery's form with R = 2^416 */
static inline void fp8_set_one(fp8 *out)
{
    static const uint64_t one[FP8_LIMBS] = {0x6480ea8e9b9af, 0x65766c8fe444f, 0x8b540fea96f7d,
                                            0x3b2ee82efd422, 0xa6723e5f0ade5, 0xff6eb6fdd4230,
                                            0xe06ef23c24a25, 0x0000000014c8e};
    fp8_broadcast(out, one);
}

/* -- what arithmetic on points (curve/batch_add8.h) wants of a coordinate field -- */

/* Lanes in which a difference of two near values, plus 2 p, may be a multiple of p: nearly never the wrong
 * ones. And in which a near value may be zero as an integer. */
static inline __mmask8 fp8_perhaps_equal(const fp8 *difference)
{
    return _mm512_cmpeq_epu64_mask(difference->l[0], fp8_all(FP8_P[0])) |
           _mm512_cmpeq_epu64_mask(difference->l[0], fp8_all(FP8_2P[0])) |
           _mm512_cmpeq_epu64_mask(difference->l[0], fp8_all((FP8_P[0] + FP8_2P[0]) & FP8_MASK));
}

static inline __mmask8 fp8_perhaps_zero(const fp8 *a)
{
    return _mm512_testn_epi64_mask(a->l[0], a->l[0]);
}

/* out = 2^32 3 a^2 / 2^416, below 2^20: a near */
static inline void fp8_sqr3_shifted(fp8 *out, const fp8 *a)
{
    fp8 t;
    fp8_shift(&t, a, 8);
    fp8_mul(&t, &t, &t);
    fp8_shift(&t, &t, 16);
    fp8_add(out, &t, &t);
    fp8_add(out, out, &t);
}

/* fp8.c: a = 2^816 / a, near; a: below 2, loose, no lane a multiple of p. */
void fp8_invert(fp8 *a);

#endif
