/* backend/cuda/inverse.cuh - one inversion in Fp, quickly: what all threads of a batch wait for.
 *
 * The binary greatest common divisor in steps of 31 bits on approximations (T. Pornin, "Optimized binary GCD for
 * modular inversion", 2020/972): 25 rounds of small steps and two products by words, a third of the time of
 * a power.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_INVERSE_CUH
#define BACKEND_CUDA_INVERSE_CUH

#include "backend/cuda/field.cuh"

#define GCD_ROUNDS 25 /* of 31 steps: at least 2 * 381 - 1 */

#ifdef __CUDACC__
#define ROLLED _Pragma("unroll 1")
#else
#define ROLLED
#endif

/* out = a f + b g, signed, 13 words; |f| + |g| at most 2^31. */
FIELD_FN void gcd_combine(uint32_t out[13], const fp32 &a, int64_t f, const fp32 &b, int64_t g)
{
    int64_t t = 0;
    UNROLL
    for (int i = 0; i < 12; i++) {
        t += (int64_t)a.w[i] * f + (int64_t)b.w[i] * g;
        out[i] = (uint32_t)t;
        t >>= 32;
    }
    out[12] = (uint32_t)t;
}

FIELD_FN void gcd_shift(fp32 &out, const uint32_t t[13])
{
    UNROLL
    for (int i = 0; i < 12; i++)
        out.w[i] = t[i] >> 31 | t[i + 1] << 1;
}

/* |a f + b g| / 2^31, the division exact; returns whether the sum was negative. */
FIELD_FN bool gcd_step(fp32 &out, const fp32 &a, int64_t f, const fp32 &b, int64_t g)
{
    uint32_t t[13];
    carry c;
    gcd_combine(t, a, f, b, g);
    gcd_shift(out, t);
    const bool negative = t[12] >> 31;
    const fp32 zero = fp32_zero();
    fp32 opposite;
    words_sub<12>(c, opposite.w, zero.w, out.w);
    UNROLL
    for (int i = 0; i < 12; i++)
        out.w[i] = negative ? opposite.w[i] : out.w[i];
    return negative;
}

/* (u f + v g) / 2^31 mod p; canonical. */
FIELD_FN fp32 gcd_step_mod(const fp32 &u, int64_t f, const fp32 &v, int64_t g)
{
    uint32_t t[13];
    carry c;
    fp32 out;
    const fp32 p = fp32_multiple<1>();
    gcd_combine(t, u, f, v, g);
    const uint64_t m = t[0] * FP32_INV & 0x7fffffff;
    uint64_t sum = 0;
    UNROLL
    for (int i = 0; i < 12; i++) {
        sum += p.w[i] * m + t[i];
        t[i] = (uint32_t)sum;
        sum >>= 32;
    }
    t[12] += (uint32_t)sum;
    gcd_shift(out, t);
    if (t[12] >> 31)
        words_add<12>(c, out.w, out.w, p.w);
    return fp32_reduce<1>(out);
}

/* An approximation in 64 bits: the 33 highest of three words, less zeros, above the 31 lowest of all; or, where
 * two words hold everything, these. */
FIELD_FN uint64_t gcd_sample(const uint32_t word[3], uint32_t low, uint32_t zeros, bool whole)
{
    const uint64_t high = (uint64_t)word[2] << 32 | word[1];
    if (whole)
        return high;
    const uint64_t aligned = zeros ? high << zeros | word[0] >> (32 - zeros) : high;
    return aligned >> 31 << 31 | (low & 0x7fffffff);
}

/* 1/a in Montgomery form; a below 8, 0 gives 0. Below 2. */
FIELD_FN fp32 fp32_inv(const fp32 &element)
{
    const fp32 cube = {{0xd94ca1e0, 0xed48ac6b, 0x03a7adf8, 0x315f831e, 0x615e29dd, 0x9a53352a, 0x921e1761, 0x34c04e5e, 0x65724728, 0x2512d435, 0x91755d4d, 0x0aa63460}}; /* 2^1152 mod p */
    fp32 a = fp32_canonical(element), b = fp32_multiple<1>(), u = fp32_zero(), v = fp32_zero();
    u.w[0] = 1;
    ROLLED
    for (int round = 0; round < GCD_ROUNDS; round++) {
        /* the highest words in which either has a bit; words 1 and 0 at the least */
        uint32_t from_a[3] = {0, a.w[0], a.w[1]}, from_b[3] = {0, b.w[0], b.w[1]};
        bool whole = true;
        UNROLL
        for (int i = 2; i < 12; i++)
            if (a.w[i] | b.w[i]) {
                from_a[0] = a.w[i - 2], from_a[1] = a.w[i - 1], from_a[2] = a.w[i];
                from_b[0] = b.w[i - 2], from_b[1] = b.w[i - 1], from_b[2] = b.w[i];
                whole = false;
            }
        uint32_t zeros = 0;
        while (!whole && !((from_a[2] | from_b[2]) << zeros >> 31))
            zeros++;
        uint64_t x = gcd_sample(from_a, a.w[0], zeros, whole), y = gcd_sample(from_b, b.w[0], zeros, whole);
        int64_t f0 = 1, g0 = 0, f1 = 0, g1 = 1; /* a f0 + b g0, a f1 + b g1 */
        ROLLED
        for (int step = 0; step < 31; step++) {
            if (x & 1) {
                if (x < y) {
                    const uint64_t z = x;
                    const int64_t f = f0, g = g0;
                    x = y, f0 = f1, g0 = g1;
                    y = z, f1 = f, g1 = g;
                }
                x -= y;
                f0 -= f1;
                g0 -= g1;
            }
            x >>= 1;
            f1 += f1;
            g1 += g1;
        }
        fp32 next_a, next_b;
        if (gcd_step(next_a, a, f0, b, g0)) {
            f0 = -f0;
            g0 = -g0;
        }
        if (gcd_step(next_b, a, f1, b, g1)) {
            f1 = -f1;
            g1 = -g1;
        }
        const fp32 next_u = gcd_step_mod(u, f0, v, g0);
        v = gcd_step_mod(u, f1, v, g1);
        u = next_u;
        a = next_a;
        b = next_b;
    }
    return fp32_mul(v, cube);
}

#undef ROLLED
#endif
