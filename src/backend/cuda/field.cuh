/* backend/cuda/field.cuh - Fr and Fp in 32-bit words, for kernels and, from the same source, for the host.
 *
 * The memory form is that of src/field (Montgomery, R = 2^256 and 2^384, little-endian), so elements move
 * without conversion. A product runs row by row (CIOS; Koc, Acar, Kaliski, 1996) in two accumulators, one
 * for the even and one for the odd words, so that each row is two chains of wide multiply-adds without
 * a merge; only the last row is followed by one.
 *
 * Values are reduced lazily: "below k" means an integer below k times the modulus, and every function says
 * what it takes and gives. 2^256 = 2.2 r; 2^384 = 9.84 p.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_FIELD_CUH
#define BACKEND_CUDA_FIELD_CUH

#include <stdint.h>

#ifdef __CUDACC__
#define UNROLL      _Pragma("unroll")
#define FIELD_FN    static __device__ __forceinline__
#define FIELD_CONST static constexpr
#else
#define UNROLL
#define FIELD_FN    static inline
#define FIELD_CONST static constexpr
#endif

/* -- words with a carry ------------------------------------------------------------------------------- */

/* The carry of a chain: the hardware's flag in kernels, a variable on the host. add_cc and mad_cc begin a
 * chain; the others take the carry; names that end in cc leave one. */
struct carry {
    uint32_t bit;
};

#ifdef __CUDA_ARCH__

FIELD_FN uint32_t add_cc(carry &, uint32_t a, uint32_t b)
{
    uint32_t out;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    return out;
}

FIELD_FN uint32_t addc_cc(carry &, uint32_t a, uint32_t b)
{
    uint32_t out;
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    return out;
}

FIELD_FN uint32_t addc(carry &, uint32_t a, uint32_t b)
{
    uint32_t out;
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    return out;
}

FIELD_FN uint32_t sub_cc(carry &, uint32_t a, uint32_t b)
{
    uint32_t out;
    asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    return out;
}

FIELD_FN uint32_t subc_cc(carry &, uint32_t a, uint32_t b)
{
    uint32_t out;
    asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    return out;
}

FIELD_FN uint32_t subc(carry &, uint32_t a, uint32_t b)
{
    uint32_t out;
    asm volatile("subc.u32 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    return out;
}

/* hi:lo = a * b */
FIELD_FN void mul_wide(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b)
{
    asm volatile("mul.lo.u32 %0, %2, %3; mul.hi.u32 %1, %2, %3;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b));
}

/* hi:lo += a * b */
FIELD_FN void mad_cc(carry &, uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b)
{
    asm volatile("mad.lo.cc.u32 %0, %2, %3, %0; madc.hi.cc.u32 %1, %2, %3, %1;"
                 : "+r"(lo), "+r"(hi)
                 : "r"(a), "r"(b));
}

FIELD_FN void madc_cc(carry &, uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b)
{
    asm volatile("madc.lo.cc.u32 %0, %2, %3, %0; madc.hi.cc.u32 %1, %2, %3, %1;"
                 : "+r"(lo), "+r"(hi)
                 : "r"(a), "r"(b));
}

#else

FIELD_FN uint32_t addc_cc(carry &c, uint32_t a, uint32_t b)
{
    const uint64_t sum = (uint64_t)a + b + c.bit;
    c.bit = (uint32_t)(sum >> 32);
    return (uint32_t)sum;
}

FIELD_FN uint32_t add_cc(carry &c, uint32_t a, uint32_t b)
{
    c.bit = 0;
    return addc_cc(c, a, b);
}

FIELD_FN uint32_t addc(carry &c, uint32_t a, uint32_t b)
{
    return a + b + c.bit;
}

FIELD_FN uint32_t subc_cc(carry &c, uint32_t a, uint32_t b)
{
    const uint64_t difference = (uint64_t)a - b - c.bit;
    c.bit = (uint32_t)(difference >> 32) & 1;
    return (uint32_t)difference;
}

FIELD_FN uint32_t sub_cc(carry &c, uint32_t a, uint32_t b)
{
    c.bit = 0;
    return subc_cc(c, a, b);
}

FIELD_FN uint32_t subc(carry &c, uint32_t a, uint32_t b)
{
    return a - b - c.bit;
}

FIELD_FN void mul_wide(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b)
{
    const uint64_t product = (uint64_t)a * b;
    lo = (uint32_t)product;
    hi = (uint32_t)(product >> 32);
}

FIELD_FN void madc_cc(carry &c, uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b)
{
    const uint64_t product = (uint64_t)a * b + c.bit; /* at most (2^32 - 1)^2 + 1 */
    const uint64_t before = (uint64_t)hi << 32 | lo, after = before + product;
    c.bit = after < before;
    lo = (uint32_t)after;
    hi = (uint32_t)(after >> 32);
}

FIELD_FN void mad_cc(carry &c, uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b)
{
    c.bit = 0;
    madc_cc(c, lo, hi, a, b);
}

#endif

/* -a, hidden from the assembler: folded into the factors of wide products it would tear them in halves. */
FIELD_FN uint32_t word_neg(uint32_t a)
{
#ifdef __CUDA_ARCH__
    uint32_t out;
    asm volatile("{.reg .u32 t; not.b32 t, %1; vadd.u32.u32.u32 %0, t, 1;}" : "=r"(out) : "r"(a));
    return out;
#else
    return 0 - a;
#endif
}

/* The flag as 0 or 1, and as a mask: right after a chain of additions (carry) or subtractions (borrow). */
FIELD_FN uint32_t carry_bit(carry &c)
{
    return addc(c, 0, 0);
}

FIELD_FN uint32_t borrow_mask(carry &c)
{
    return subc(c, 0, 0);
}

/* out = a * b[0], b[2], ... of n words, pairs apart; first row of a product. */
template <int n> FIELD_FN void row_mul(uint32_t *out, const uint32_t *a, uint32_t b)
{
    UNROLL
    for (int j = 0; j < n; j += 2)
        mul_wide(out[j], out[j + 1], a[j], b);
}

/* acc += a[0], a[2], ... times b, one chain; leaves its carry. */
template <int n> FIELD_FN void row_mad(carry &c, uint32_t *acc, const uint32_t *a, uint32_t b)
{
    mad_cc(c, acc[0], acc[1], a[0], b);
    UNROLL
    for (int j = 2; j < n; j += 2)
        madc_cc(c, acc[j], acc[j + 1], a[j], b);
}

/* The same, taking a carry too. */
template <int n> FIELD_FN void row_madc(carry &c, uint32_t *acc, const uint32_t *a, uint32_t b)
{
    UNROLL
    for (int j = 0; j < n; j += 2)
        madc_cc(c, acc[j], acc[j + 1], a[j], b);
}

/* out = a + b or a - b over n words, the carry or borrow left in c. */
template <int n> FIELD_FN void words_add(carry &c, uint32_t *out, const uint32_t *a, const uint32_t *b)
{
    out[0] = add_cc(c, a[0], b[0]);
    UNROLL
    for (int i = 1; i < n; i++)
        out[i] = addc_cc(c, a[i], b[i]);
}

template <int n> FIELD_FN void words_sub(carry &c, uint32_t *out, const uint32_t *a, const uint32_t *b)
{
    out[0] = sub_cc(c, a[0], b[0]);
    UNROLL
    for (int i = 1; i < n; i++)
        out[i] = subc_cc(c, a[i], b[i]);
}

/* a -= b if a >= b. */
template <int n> FIELD_FN void words_reduce(uint32_t *a, const uint32_t *b)
{
    carry c;
    uint32_t t[n];
    words_sub<n>(c, t, a, b);
    const uint32_t below = borrow_mask(c);
    UNROLL
    for (int i = 0; i < n; i++)
        a[i] = below ? a[i] : t[i];
}

/* The accumulators of a product: even[j] weighs 2^(32 j), odd[j] 2^(32 (j + 1)); low is a word of weight 1
 * that the last shift by a word left over. */
template <int n> struct columns {
    uint32_t even[n], odd[n], low;
};

/* t += a * b for one word b. */
template <int n> FIELD_FN void columns_row(columns<n> &t, const uint32_t *a, uint32_t b)
{
    carry c;
    t.even[0] = add_cc(c, t.even[0], t.low);
    row_madc<n>(c, t.odd, a + 1, b);
    row_mad<n>(c, t.even, a, b);
    t.odd[n - 1] = addc(c, t.odd[n - 1], 0);
    t.low = 0;
}

/* The same for a second product in the row, when low is already taken in. */
template <int n> FIELD_FN void columns_more(columns<n> &t, const uint32_t *a, uint32_t b)
{
    carry c;
    row_mad<n>(c, t.odd, a + 1, b);
    row_mad<n>(c, t.even, a, b);
    t.odd[n - 1] = addc(c, t.odd[n - 1], 0);
}

/* The lowest word (even[0], taken in before) leaves: renames registers, moves nothing. */
template <int n> FIELD_FN void columns_shift(columns<n> &t)
{
    uint32_t was_odd[n];
    UNROLL
    for (int j = 0; j < n; j++)
        was_odd[j] = t.odd[j];
    t.low = t.even[1];
    UNROLL
    for (int j = 0; j < n; j++)
        t.odd[j] = j + 2 < n ? t.even[j + 2] : 0;
    UNROLL
    for (int j = 0; j < n; j++)
        t.even[j] = was_odd[j];
}

/* Both accumulators and low as one number of n words. */
template <int n> FIELD_FN void columns_merge(uint32_t *out, const columns<n> &t)
{
    carry c;
    out[0] = add_cc(c, t.even[0], t.low);
    UNROLL
    for (int j = 1; j < n; j++)
        out[j] = addc_cc(c, t.even[j], t.odd[j - 1]);
}

/* -- Fr ------------------------------------------------------------------------------------------------ */

struct fr32 {
    uint32_t w[8];
};

FIELD_FN fr32 fr32_modulus()
{
    return {{0x00000001, 0xffffffff, 0xfffe5bfe, 0x53bda402, 0x09a1d805, 0x3339d808, 0x299d7d48, 0x73eda753}};
}

FIELD_FN fr32 fr32_zero()
{
    return {{0, 0, 0, 0, 0, 0, 0, 0}};
}

/* 2^256 mod r */
FIELD_FN fr32 fr32_one()
{
    return {{0xfffffffe, 0x00000001, 0x00034802, 0x5884b7fa, 0xecbc4ff5, 0x998c4fef, 0xacc5056f, 0x1824b159}};
}

/* 2^512 mod r */
FIELD_FN fr32 fr32_r2()
{
    return {{0xf3f29c6d, 0xc999e990, 0x87925c23, 0x2b6cedcb, 0x7254398f, 0x05d31496, 0x9f59ff11, 0x0748d9d9}};
}

FIELD_FN bool fr32_is_zero(const fr32 &a)
{
    return (a.w[0] | a.w[1] | a.w[2] | a.w[3] | a.w[4] | a.w[5] | a.w[6] | a.w[7]) == 0;
}

/* below 2 gives below 1 */
FIELD_FN fr32 fr32_reduce(fr32 a)
{
    const fr32 r = fr32_modulus();
    words_reduce<8>(a.w, r.w);
    return a;
}

/* below 1, below 1 give below 1 */
FIELD_FN fr32 fr32_add(const fr32 &a, const fr32 &b)
{
    carry c;
    fr32 out;
    words_add<8>(c, out.w, a.w, b.w);
    return fr32_reduce(out);
}

FIELD_FN fr32 fr32_sub(const fr32 &a, const fr32 &b)
{
    carry c;
    fr32 out;
    const fr32 r = fr32_modulus();
    words_sub<8>(c, out.w, a.w, b.w);
    const uint32_t below = borrow_mask(c);
    out.w[0] = add_cc(c, out.w[0], r.w[0] & below);
    UNROLL
    for (int i = 1; i < 8; i++)
        out.w[i] = addc_cc(c, out.w[i], r.w[i] & below);
    return out;
}

FIELD_FN fr32 fr32_neg(const fr32 &a)
{
    return fr32_sub(fr32_zero(), a);
}

/* The row's reduction. r is 1 mod 2^32, so the multiple of r that clears the lowest word is minus that word
 * times r: no product for it, and r's lowest word only gives a carry. */
FIELD_FN void fr32_row_reduce(columns<8> &t)
{
    carry c;
    const fr32 r = fr32_modulus();
    const uint32_t low = t.even[0], m = word_neg(low);
    columns_shift<8>(t);
    (void)add_cc(c, low, m); /* carries unless low is 0 */
    row_madc<8>(c, t.even, r.w + 1, m);
    t.odd[7] = addc(c, t.odd[7], 0);
    row_mad<6>(c, t.odd, r.w + 2, m);
    t.odd[6] = addc(c, t.odd[6], 0); /* was 0 */
}

/* a * b / 2^256, a any 256 bits, b below 1: below 2. */
FIELD_FN fr32 fr32_mul_lazy(const fr32 &a, const fr32 &b)
{
    columns<8> t;
    fr32 out;
    row_mul<8>(t.even, b.w, a.w[0]);
    row_mul<8>(t.odd, b.w + 1, a.w[0]);
    fr32_row_reduce(t);
    UNROLL
    for (int i = 1; i < 8; i++) {
        columns_row<8>(t, b.w, a.w[i]);
        fr32_row_reduce(t);
    }
    columns_merge<8>(out.w, t);
    return out;
}

/* a any 256 bits, b below 1: below 1. */
FIELD_FN fr32 fr32_mul(const fr32 &a, const fr32 &b)
{
    return fr32_reduce(fr32_mul_lazy(a, b));
}

FIELD_FN fr32 fr32_sqr(const fr32 &a)
{
    return fr32_mul(a, a);
}

/* The plain integer of an element (any 256 bits), canonical; and back. */
FIELD_FN fr32 fr32_from_mont(const fr32 &a)
{
    fr32 one = fr32_zero();
    one.w[0] = 1;
    return fr32_mul(a, one);
}

FIELD_FN fr32 fr32_to_mont(const fr32 &plain)
{
    return fr32_mul(plain, fr32_r2());
}

/* -- Fp ------------------------------------------------------------------------------------------------ */

struct fp32 {
    uint32_t w[12];
};

/* k * p for k up to 9 */
template <uint32_t k> FIELD_FN fp32 fp32_multiple()
{
    const uint64_t p[12] = {0xffffaaab, 0xb9feffff, 0xb153ffff, 0x1eabfffe, 0xf6b0f624, 0x6730d2a0,
                            0xf38512bf, 0x64774b84, 0x434bacd7, 0x4b1ba7b6, 0x397fe69a, 0x1a0111ea};
    fp32 out = {{0}};
    uint64_t t = 0;
    UNROLL
    for (int i = 0; i < 12; i++) {
        t += p[i] * k;
        out.w[i] = (uint32_t)t;
        t >>= 32;
    }
    return out;
}

#define FP32_INV     0xfffcfffdu /* -1/p mod 2^32 */
#define FP32_INVERSE 0x00030003u /* 1/p mod 2^32 */

/* (FP32_INV * p + 1) / 2^32 */
FIELD_FN fp32 fp32_quotient()
{
    return {{0xd202aaac, 0xa603d203, 0x5553ec07, 0x582cc18e, 0x493b9a2e, 0x546364d0, 0xe39055a1, 0x940e1798,
             0x6ad5ebd1, 0xeacd1294, 0xb5be045b, 0x1a00c3e6}};
}

FIELD_FN fp32 fp32_zero()
{
    return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
}

/* 2^384 mod p */
FIELD_FN fp32 fp32_one()
{
    return {{0x0002fffd, 0x76090000, 0xc40c0002, 0xebf4000b, 0x53c758ba, 0x5f489857, 0x70525745, 0x77ce5853,
             0xa256ec6d, 0x5c071a97, 0xfa80e493, 0x15f65ec3}};
}

/* All words 0 */
FIELD_FN bool fp32_is_zero(const fp32 &a)
{
    uint32_t any = 0;
    UNROLL
    for (int i = 0; i < 12; i++)
        any |= a.w[i];
    return any == 0;
}

FIELD_FN bool fp32_same(const fp32 &a, const fp32 &b)
{
    uint32_t any = 0;
    UNROLL
    for (int i = 0; i < 12; i++)
        any |= a.w[i] ^ b.w[i];
    return any == 0;
}

/* The sum of bounds, which must be below 9.84. */
FIELD_FN fp32 fp32_add(const fp32 &a, const fp32 &b)
{
    carry c;
    fp32 out;
    words_add<12>(c, out.w, a.w, b.w);
    return out;
}

/* a - b + k p: b below k; below a's bound plus k. */
template <uint32_t k> FIELD_FN fp32 fp32_sub(const fp32 &a, const fp32 &b)
{
    carry c;
    fp32 out;
    const fp32 kp = fp32_multiple<k>();
    words_sub<12>(c, out.w, a.w, b.w);
    words_add<12>(c, out.w, out.w, kp.w);
    return out;
}

/* k p - a, a below k; at most k. */
template <uint32_t k> FIELD_FN fp32 fp32_neg(const fp32 &a)
{
    carry c;
    fp32 out;
    const fp32 kp = fp32_multiple<k>();
    words_sub<12>(c, out.w, kp.w, a.w);
    return out;
}

/* a - k p where that is not negative, else a: below 2 k gives below k. */
template <uint32_t k> FIELD_FN fp32 fp32_reduce(fp32 a)
{
    const fp32 kp = fp32_multiple<k>();
    words_reduce<12>(a.w, kp.w);
    return a;
}

/* Below 8 gives canonical. */
FIELD_FN fp32 fp32_canonical(const fp32 &a)
{
    return fp32_reduce<1>(fp32_reduce<2>(fp32_reduce<4>(a)));
}

/* Is a, below 9.84, a multiple of p? One product tells nearly always. */
FIELD_FN bool fp32_vanishes(const fp32 &a)
{
    if (a.w[0] * FP32_INVERSE > 9)
        return false;
    return fp32_is_zero(fp32_canonical(fp32_reduce<4>(a)));
}

/* A row's reduction by the multiple of p that is -1 mod 2^32: the factor is the lowest word itself. Leaves up
 * to 2^32 p, which later rows divide away. */
FIELD_FN void fp32_row_reduce(columns<12> &t)
{
    carry c;
    const fp32 q = fp32_quotient();
    const uint32_t m = t.even[0];
    columns_shift<12>(t);
    row_mad<12>(c, t.odd, q.w + 1, m);
    row_mad<12>(c, t.even, q.w, m);
    t.odd[11] = addc(c, t.odd[11], 0);
}

/* A row's reduction by p itself, for the last two rows: leaves up to p. Before the first of them a row has left
 * up to 2^32 p, so that the whole may pass 2^416 (carries): that bit's place is free after the shift. */
template <bool carries> FIELD_FN void fp32_row_reduce_last(columns<12> &t)
{
    carry c;
    const fp32 p = fp32_multiple<1>();
    const uint32_t m = t.even[0] * FP32_INV;
    row_mad<12>(c, t.odd, p.w + 1, m);
    uint32_t top = carries ? carry_bit(c) : 0;
    row_mad<12>(c, t.even, p.w, m);
    if (carries) {
        t.odd[11] = addc_cc(c, t.odd[11], 0);
        top = addc(c, top, 0);
    } else {
        t.odd[11] = addc(c, t.odd[11], 0);
    }
    columns_shift<12>(t);
    if (carries)
        t.odd[11] = top;
}

/* The sum of n products a[k] * b[k], divided by 2^384: the a together below 8.8, without `wide` below 7.8; b any;
 * the sum of the products of the bounds / 9.84, plus 1. */
template <int n, bool wide> FIELD_FN fp32 fp32_dot(const fp32 *a, const fp32 *b)
{
    columns<12> t;
    fp32 out;
    row_mul<12>(t.even, a[0].w, b[0].w[0]);
    row_mul<12>(t.odd, a[0].w + 1, b[0].w[0]);
    UNROLL
    for (int i = 0; i < 12; i++) {
        if (i > 0)
            columns_row<12>(t, a[0].w, b[0].w[i]);
    UNROLL
        for (int k = 1; k < n; k++)
            columns_more<12>(t, a[k].w, b[k].w[i]);
        if (i < 10)
            fp32_row_reduce(t);
        else if (i == 10)
            fp32_row_reduce_last<wide>(t);
        else
            fp32_row_reduce_last<false>(t);
    }
    columns_merge<12>(out.w, t);
    return out;
}

/* a * b / 2^384: a below 7.8 */
FIELD_FN fp32 fp32_mul(const fp32 &a, const fp32 &b)
{
    return fp32_dot<1, false>(&a, &b);
}

/* (a * b + c * d) / 2^384: a and c together below 7.8, or, wide, 8.8 */
template <bool wide = false>
FIELD_FN fp32 fp32_mul_add(const fp32 &a, const fp32 &b, const fp32 &c, const fp32 &d)
{
    const fp32 left[2] = {a, c}, right[2] = {b, d};
    return fp32_dot<2, wide>(left, right);
}

/* out = a^2, 24 words: products of different words once, doubled, then the squares. */
FIELD_FN void fp32_square_wide(uint32_t *out, const fp32 &a)
{
    carry c;
    uint32_t even[24], odd[24]; /* as in struct columns */
    UNROLL
    for (int j = 0; j < 24; j++)
        even[j] = odd[j] = 0;
    UNROLL
    for (int i = 0; i < 11; i++) {
        /* a[i] a[j], j > i, weighs i + j: a chain for j - i odd, one for j - i even */
    UNROLL
        for (int step = 1; step <= 2; step++) {
            uint32_t *acc = step == 1 ? odd : even;
            int at = 2 * i + 2 * (step - 1);
            if (i + step >= 12)
                continue;
            mad_cc(c, acc[at], acc[at + 1], a.w[i + step], a.w[i]);
    UNROLL
            for (int j = i + step + 2; j < 12; j += 2) {
                at += 2;
                madc_cc(c, acc[at], acc[at + 1], a.w[j], a.w[i]);
            }
            if (i > 0 && at + 2 < 24)
                acc[at + 2] = addc(c, acc[at + 2], 0);
        }
    }
    out[0] = 0;
    out[1] = odd[0];
    out[2] = add_cc(c, even[2], odd[1]);
    UNROLL
    for (int j = 3; j < 24; j++)
        out[j] = addc_cc(c, even[j], odd[j - 1]);
    UNROLL
    for (int j = 23; j > 0; j--)
        out[j] = out[j] << 1 | out[j - 1] >> 31;
    mad_cc(c, out[0], out[1], a.w[0], a.w[0]);
    UNROLL
    for (int i = 1; i < 12; i++)
        madc_cc(c, out[2 * i], out[2 * i + 1], a.w[i], a.w[i]);
}

/* wide / 2^384 for 24 words: below wide / (2^384 p), plus 1. */
FIELD_FN fp32 fp32_reduce_wide(const uint32_t *wide)
{
    carry c;
    columns<12> t;
    fp32 out;
    const fp32 q = fp32_quotient(), p = fp32_multiple<1>();
    UNROLL
    for (int j = 0; j < 12; j++) {
        t.even[j] = wide[j];
        t.odd[j] = 0;
    }
    fp32_row_reduce(t);
    UNROLL
    for (int i = 1; i < 10; i++) { /* fp32_row_reduce, taking low in on the way */
        const uint32_t m = add_cc(c, t.even[0], t.low);
        columns_shift<12>(t);
        row_madc<12>(c, t.even, q.w, m);
        t.odd[11] = addc(c, t.odd[11], 0);
        row_mad<12>(c, t.odd, q.w + 1, m);
    }
    UNROLL
    for (int i = 10; i < 12; i++) { /* likewise fp32_row_reduce_last */
        t.even[0] = add_cc(c, t.even[0], t.low);
        const uint32_t m = t.even[0] * FP32_INV;
        row_madc<12>(c, t.odd, p.w + 1, m);
        row_mad<12>(c, t.even, p.w, m);
        t.odd[11] = addc(c, t.odd[11], 0);
        columns_shift<12>(t);
    }
    columns_merge<12>(out.w, t);
    words_add<12>(c, out.w, out.w, wide + 12);
    return out;
}

/* a^2 / 2^384: a below 9; its square / 9.84, plus 1. */
FIELD_FN fp32 fp32_sqr(const fp32 &a)
{
    uint32_t wide[24];
    fp32_square_wide(wide, a);
    return fp32_reduce_wide(wide);
}

#endif
