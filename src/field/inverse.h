/* field/inverse.h - the inverse modulo an odd number, for fields of a fixed limb count.
 *
 * T. Pornin, "Optimized Binary GCD for Modular Inversion", 2020/972: the binary extended Euclid in
 * batches of 31 halvings that look at 64-bit approximations only, here with runs of zero bits
 * skipped at once. Variable time.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FIELD_INVERSE_H
#define FIELD_INVERSE_H

#include <string.h>

#include "base/common.h"

__extension__ typedef __int128 inverse_wide;

#define INVERSE_MAX_LIMBS 6
#define INVERSE_BATCH     31

/* What a batch does to (a, b): 2^31 a' = a f0 + b g0, 2^31 b' = a f1 + b g1; |f| + |g| <= 2^31. */
struct inverse_step {
    int64_t f0, g0, f1, g1;
};

/* The low 31 bits of x below its 33 bits that end at bit `length`, the longer of both numbers'. */
static inline uint64_t inverse_approximate(const uint64_t *x, int length)
{
    const int from = length - 33, limb = from >> 6, bit = from & 63;
    uint64_t top = x[limb] >> bit;
    if (bit > 31)
        top |= x[limb + 1] << (64 - bit);
    return (top << INVERSE_BATCH) | (x[0] & ((UINT64_C(1) << INVERSE_BATCH) - 1));
}

static inline void inverse_batch(struct inverse_step *out, uint64_t a, uint64_t b)
{
    int64_t f0 = 1, g0 = 0, f1 = 0, g1 = 1;
    int left = INVERSE_BATCH;
    for (;;) {
        const int zeros = __builtin_ctzll(a | UINT64_C(1) << left);
        a >>= zeros;
        f1 = (int64_t)((uint64_t)f1 << zeros);
        g1 = (int64_t)((uint64_t)g1 << zeros);
        left -= zeros;
        if (left == 0)
            break;
        const bool swap = a < b;
        const uint64_t small = swap ? a : b, large = swap ? b : a;
        const int64_t fs = swap ? f0 : f1, fl = swap ? f1 : f0;
        const int64_t gs = swap ? g0 : g1, gl = swap ? g1 : g0;
        a = large - small;
        b = small;
        f0 = fl - fs;
        g0 = gl - gs;
        f1 = fs;
        g1 = gs;
    }
    *out = (struct inverse_step){f0, g0, f1, g1};
}

/* out = |x f + y g| / 2^31, the division exact; was it negative? */
static inline bool inverse_combine(uint64_t *out, const uint64_t *x, const uint64_t *y, int64_t f, int64_t g,
                                   int n)
{
    uint64_t w[INVERSE_MAX_LIMBS + 1];
    inverse_wide sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (inverse_wide)x[i] * f + (inverse_wide)y[i] * g;
        w[i] = (uint64_t)sum;
        sum >>= 64;
    }
    w[n] = (uint64_t)sum;
    const uint64_t sign = (uint64_t)(sum >> 64); /* all ones when negative */
    VERIFY((w[0] & ((UINT64_C(1) << INVERSE_BATCH) - 1)) == 0);
    uint64_t carry = sign & 1;
    for (int i = 0; i < n; i++) {
        const uint64_t limb = (w[i] >> INVERSE_BATCH) | (w[i + 1] << (64 - INVERSE_BATCH));
        const u128 s = (u128)(limb ^ sign) + carry;
        out[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
    return sign != 0;
}

/* out = (x f + y g) / 2^31 mod m, x and y below m; m_inv: -1/m mod 2^31. */
static inline void inverse_combine_mod(uint64_t *out, const uint64_t *x, const uint64_t *y, int64_t f,
                                       int64_t g, const uint64_t *m, uint64_t m_inv, int n)
{
    const uint64_t low = x[0] * (uint64_t)f + y[0] * (uint64_t)g;
    const int64_t k = (int64_t)((low * m_inv) & ((UINT64_C(1) << INVERSE_BATCH) - 1));
    uint64_t w[INVERSE_MAX_LIMBS + 1];
    inverse_wide sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (inverse_wide)x[i] * f + (inverse_wide)y[i] * g + (inverse_wide)m[i] * k;
        w[i] = (uint64_t)sum;
        sum >>= 64;
    }
    w[n] = (uint64_t)sum;
    /* Now in (-m, 2m): add m to a negative one, then take m off if that fits. */
    const uint64_t negative = (uint64_t)(sum >> 64);
    uint64_t t[INVERSE_MAX_LIMBS], carry = 0, borrow = 0;
    for (int i = 0; i < n; i++) {
        const uint64_t limb = (w[i] >> INVERSE_BATCH) | (w[i + 1] << (64 - INVERSE_BATCH));
        const u128 s = (u128)limb + (m[i] & negative) + carry;
        w[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
    for (int i = 0; i < n; i++) {
        const u128 d = (u128)w[i] - m[i] - borrow;
        t[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    memcpy(out, borrow ? w : t, (size_t)n * sizeof *out);
}

/* out = scale / x mod m; x = 0 gives 0.  x, scale: below m.  m: odd, n limbs with the top bit clear,
 * coprime to x unless x is 0.  m_inv: -1/m mod 2^64. */
static inline void inverse_mod(uint64_t *out, const uint64_t *x, const uint64_t *scale, const uint64_t *m,
                               uint64_t m_inv, int n)
{
    uint64_t a[INVERSE_MAX_LIMBS], b[INVERSE_MAX_LIMBS];
    uint64_t u[INVERSE_MAX_LIMBS], v[INVERSE_MAX_LIMBS] = {0};
    const size_t size = (size_t)n * sizeof *out;
    memcpy(a, x, size);
    memcpy(b, m, size);
    memcpy(u, scale, size);
    uint64_t any = 0;
    for (int i = 0; i < n; i++)
        any |= x[i];
    if (any == 0) {
        memset(out, 0, size);
        return;
    }
    /* Throughout, a = x u / scale and b = x v / scale mod m; b is odd. */
    int top = n - 1;
    for (;;) {
        while (top > 0 && (a[top] | b[top]) == 0)
            top--;
        struct inverse_step s;
        if (top == 0) {
            if (a[0] == 0)
                break;
            inverse_batch(&s, a[0], b[0]);
        } else {
            const int length = top * 64 + 64 - __builtin_clzll(a[top] | b[top]);
            inverse_batch(&s, inverse_approximate(a, length), inverse_approximate(b, length));
        }
        uint64_t t[INVERSE_MAX_LIMBS], z[INVERSE_MAX_LIMBS];
        if (inverse_combine(t, a, b, s.f0, s.g0, n)) {
            s.f0 = -s.f0;
            s.g0 = -s.g0;
        }
        if (inverse_combine(b, a, b, s.f1, s.g1, n)) {
            s.f1 = -s.f1;
            s.g1 = -s.g1;
        }
        memcpy(a, t, size);
        inverse_combine_mod(z, u, v, s.f0, s.g0, m, m_inv, n);
        inverse_combine_mod(v, u, v, s.f1, s.g1, m, m_inv, n);
        memcpy(u, z, size);
    }
    memcpy(out, v, size);
}

#undef INVERSE_BATCH

#endif
