/* field/fp8.c - what of fp8.h is no product and not inline.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "field/fp2_8.h"

const int64_t FP8_MULTIPLES[FP8_LIMBS][FP8_LANES] __attribute__((aligned(64))) = {
    {-0xcffffffff0001, -0xdffffffff5556, -0xeffffffffaaab, 0x0, 0xeffffffffaaab, 0xdffffffff5556,
     0xcffffffff0001, 0xbfffffffeaaac},
    {-0xfc13fbffff2df, -0xfd62a7ffff73f, -0xfeb153ffffb9f, 0x0, 0xfeb153ffffb9f, 0xfd62a7ffff73f,
     0xfc13fbffff2df, 0xfac54ffffee7f},
    {-0x412e26c5c03ff, -0xd61ec483d57ff, -0x6b0f6241eabff, 0x0, 0x6b0f6241eabff, 0xd61ec483d57ff,
     0x412e26c5c03ff, 0xac3d8907aafff},
    {-0x383e359277e2e, -0x257ece61a541e, -0x12bf6730d2a0f, 0x0, 0x12bf6730d2a0f, 0x257ece61a541e,
     0x383e359277e2e, 0x4afd9cc34a83d},
    {-0x62d65e28eda8f, -0xec8ee9709e70a, -0x764774b84f385, 0x0, 0x764774b84f385, 0xec8ee9709e70a,
     0x62d65e28eda8f, 0xd91dd2e13ce14},
    {-0x52f722c9e3068, -0x374f6c869759a, -0x1ba7b6434bacd, 0x0, 0x1ba7b6434bacd, 0x374f6c869759a,
     0x52f722c9e3068, 0x6e9ed90d2eb35},
    {-0x5beac7fb3cee1, -0x3d472ffcd3496, -0x1ea397fe69a4b, 0x0, 0x1ea397fe69a4b, 0x3d472ffcd3496,
     0x5beac7fb3cee1, 0x7a8e5ff9a692c},
    {-0x4e033, -0x34022, -0x1a011, 0x0, 0x1a011, 0x34022, 0x4e033, 0x68044},
};

/* 2^48 2^384, which takes 2^768 / a to 2^816 / a */
static const fp TWO_TO_48 = {{0x48aca8e9fde36676, 0x7f3e81ec2e0c7cea, 0x6547e4c7fba1f6b3, 0xd4221fc8e41ccfd2,
                              0x0a003db64c9a1624, 0x07173ac25996deeb}};

/* out = a with lanes l and l ^ distance exchanged (distance: 1, 2 or 4). */
static inline void swap_lanes(fp8 *out, const fp8 *a, long long distance)
{
    const __m512i order =
        _mm512_xor_si512(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), fp8_all((uint64_t)distance));
    for (int i = 0; i < FP8_LIMBS; i++)
        out->l[i] = _mm512_permutexvar_epi64(order, a->l[i]);
}

/* Products of lanes, halves against halves, until every lane holds that of all; the way back multiplies each
 * by what the other half contributed. */
void fp8_invert(fp8 *a)
{
    fp8 product[4], swapped;
    fp lane;
    fp_row row;
    fp8_carry(a);
    product[0] = *a;
    for (int i = 0; i < 3; i++) {
        swap_lanes(&swapped, product + i, 4 >> i);
        fp8_mul(product + i + 1, product + i, &swapped);
    }
    fp8_reduce(product + 3);
    fp8_get_lane(&lane, product + 3, 0);
    fp_inv(&lane, &lane);
    fp_mul(&lane, &lane, &TWO_TO_48);
    fp_to_row(&row, &lane);
    fp8_broadcast(a, row.l);
    for (int i = 3; i-- > 0;) {
        swap_lanes(&swapped, product + i, 4 >> i);
        fp8_mul_loose(a, a, &swapped);
        if (i == 0)
            fp8_reduce(a);
        else
            fp8_carry(a);
    }
}

/* By the norm: 1 / a is a's conjugate over c0^2 + c1^2. */
void fp2_8_invert(fp2_8 *a)
{
    fp8 norm;
    fp2_8_carry(a);
    fp8_mul2_loose(&norm, &a->c0, &a->c0, &a->c1, &a->c1);
    fp8_invert(&norm);
    for (int i = 0; i < FP8_LIMBS; i++)
        a->c1.l[i] = _mm512_sub_epi64(fp8_all(FP8_8P[i]), a->c1.l[i]);
    fp8_carry(&a->c1);
    fp8_mul_loose(&a->c0, &a->c0, &norm);
    fp8_mul_loose(&a->c1, &a->c1, &norm);
    fp2_8_reduce(a);
}
