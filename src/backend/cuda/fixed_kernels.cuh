/* backend/cuda/fixed_kernels.cuh - multiples of a fixed point, for kernels and, from the same source, for the
 * host: a thread adds up the table's entries that a scalar's digits name; then another divides some sums,
 * with one inversion for all of them (P. L. Montgomery's trick). SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_FIXED_KERNELS_CUH
#define BACKEND_CUDA_FIXED_KERNELS_CUH

#include "backend/cuda/curve.cuh"
#include "backend/cuda/element.cuh"
#include "backend/cuda/fixed_args.h"

template <class F> FIELD_FN affine<F> fixed_entry(const void *table, uint32_t index)
{
    union {
        fr32_half piece[sizeof(affine<F>) / 16];
        affine<F> point;
    } out;
    UNROLL
    for (uint32_t i = 0; i < sizeof(affine<F>) / 16; i++)
        out.piece[i] = fr32_load_half(table, index * (uint64_t)(sizeof(affine<F>) / 16) + i);
    return out.point;
}

/* The scalar plus its bias: below 2^256, since r is below 0.91 2^255. */
FIELD_FN fr32 fixed_biased(const fixed_args &a, uint32_t i)
{
    carry c;
    fr32 k = fr32_from_mont(fr32_load(a.scalars, i)), bias;
    const uint32_t word = a.width == 16 ? 0x80008000 : a.width == 8 ? 0x80808080 : 0x88888888;
    UNROLL
    for (int j = 0; j < 8; j++)
        bias.w[j] = word;
    words_add<8>(c, k.w, k.w, bias.w);
    return k;
}

/* Sum i: the scalar's multiple. Equal and opposite operands are rare, and so stand aside with copies: the sum
 * stays in registers. */
template <class F> FIELD_FN void fixed_sum(const fixed_args &a, uint32_t i)
{
    const uint32_t half = 1u << (a.width - 1);
    fr32 k = fixed_biased(a, i);
    xyzz<F> sum;
    xyzz_set_infinity(sum);
    bool empty = true;
#ifdef __CUDACC__
#pragma unroll 1
#endif
    for (uint32_t first = 0; first < 256 / a.width * half; first += half) {
        const uint32_t digit = k.w[0] & (2 * half - 1);
        UNROLL
        for (int j = 0; j < 7; j++)
            k.w[j] = k.w[j] >> a.width | k.w[j + 1] << (32 - a.width);
        k.w[7] >>= a.width;
        if (digit == half)
            continue;
        const bool negative = digit < half;
        affine<F> b = fixed_entry<F>(a.table, first + (negative ? half - digit : digit - half) - 1);
        if (negative)
            b.y = neg<1>(b.y);
        if (empty) {
            xyzz_set_affine(sum, b);
            empty = false;
        } else if (!xyzz_add_affine_distinct(sum, b)) {
            xyzz<F> copy = sum;
            const affine<F> operand = b;
            xyzz_add_affine_equal(copy, operand);
            sum = copy;
            empty = xyzz_is_infinity(sum);
        }
    }
    ((xyzz<F> *)a.sums)[i] = sum;
}

/* How many threads fixed_divide takes. */
FIELD_FN uint32_t fixed_dividers(const fixed_args &a)
{
    return (a.count + FIXED_SHARE - 1) / FIXED_SHARE;
}

/* Every fixed_dividers-th point from `thread` on. With t = 1/ZZZ: y = Y t, and, since ZZ^3 = ZZZ^2,
 * x = X (ZZ t)^2. The bounds are for G1 and, in brackets, for G2. */
template <class F> FIELD_FN void fixed_divide(const fixed_args &a, uint32_t thread)
{
    const xyzz<F> *sums = (const xyzz<F> *)a.sums;
    affine<F> *out = (affine<F> *)a.points;
    const uint32_t step = fixed_dividers(a);
    F before[FIXED_SHARE], product; /* 2 [3] */
    set_one(product);
    int n = 0;
#ifdef __CUDACC__
#pragma unroll 1
#endif
    for (uint32_t i = thread; i < a.count; i += step) {
        before[n++] = product;
        const F zzz = sums[i].zzz;
        if (!is_zero(zzz))
            product = mul(zzz, product); /* 1.41 [2.83] */
    }
    F inverted = inverse(product); /* 2 */
#ifdef __CUDACC__
#pragma unroll 1
#endif
    for (uint32_t i = thread + (uint32_t)(n - 1) * step; n-- > 0; i -= step) {
        const xyzz<F> sum = sums[i];
        affine<F> point;
        set_zero(point.x);
        set_zero(point.y);
        if (!xyzz_is_infinity(sum)) {
            const F t = mul(before[n], inverted);      /* 1.41 [2.83] */
            const F s = sqr(settle(mul(sum.zz, t)));   /* 1.21 [2.63] */
            inverted = mul(sum.zzz, inverted);         /* 1.41 [2.83] */
            point.x = canonical(mul(sum.x, s));        /* 1.25 [2.15] */
            point.y = canonical(mul(sum.y, t));        /* 1.43 [2.44] */
        }
        out[i] = point;
    }
}

/* The kernels of a group, by name; blocks: how many add on a multiprocessor. */
#define KERNELS(group, F, blocks)                                                                            \
    extern "C" __global__ void __launch_bounds__(FIXED_BLOCK, blocks)                                        \
        fixed_##group##_sum(const __grid_constant__ struct fixed_args a)                                     \
    {                                                                                                        \
        const uint32_t i = blockIdx.x * FIXED_BLOCK + threadIdx.x;                                           \
        if (i < a.count)                                                                                     \
            fixed_sum<F>(a, i);                                                                              \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(FIXED_BLOCK)                                                \
        fixed_##group##_divide(const __grid_constant__ struct fixed_args a)                                  \
    {                                                                                                        \
        const uint32_t thread = blockIdx.x * FIXED_BLOCK + threadIdx.x;                                      \
        if (thread < fixed_dividers(a))                                                                      \
            fixed_divide<F>(a, thread);                                                                      \
    }

#endif
