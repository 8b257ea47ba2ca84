/* backend/cuda/curve.cuh - G1 and G2 for kernels, over one set of formulas.
 *
 * affine: x, y canonical, infinity is x = y = 0 (the memory form of src/curve).
 * xyzz:   (X/ZZ, Y/ZZZ) with ZZ^3 = ZZZ^2; infinity is ZZ = 0, all words 0. EFD, short Weierstrass, a = 0:
 *         madd-2008-s, add-2008-s, dbl-2008-s-1.
 *
 * A coordinate field F is fp32 or fp2_32. Between calls X is below 2, Y below field_traits<F>::y, ZZ and ZZZ
 * below field_traits<F>::z; the bounds inside stand beside the steps, for G1 and, in brackets, for G2.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_CURVE_CUH
#define BACKEND_CUDA_CURVE_CUH

#include "backend/cuda/inverse.cuh"

#ifdef __CUDACC__
#define FIELD_COLD static __device__ __noinline__
#else
#define FIELD_COLD static inline
#endif

/* -- Fp2 = Fp[u] / (u^2 + 1); the bounds are those of each component ------------------------------------ */

struct fp2_32 {
    fp32 c0, c1;
};

template <class F> struct field_traits;

template <> struct field_traits<fp32> {
    static constexpr uint32_t y = 3, z = 2; /* z bounds products of coordinates too */
};

template <> struct field_traits<fp2_32> {
    static constexpr uint32_t y = 2, z = 3;
};

/* One name for both fields. */
FIELD_FN void set_zero(fp32 &a)
{
    a = fp32_zero();
}

FIELD_FN void set_one(fp32 &a)
{
    a = fp32_one();
}

FIELD_FN bool is_zero(const fp32 &a)
{
    return fp32_is_zero(a);
}

FIELD_FN bool vanishes(const fp32 &a)
{
    return fp32_vanishes(a);
}

FIELD_FN fp32 canonical(const fp32 &a)
{
    return fp32_canonical(a);
}

FIELD_FN fp32 add(const fp32 &a, const fp32 &b)
{
    return fp32_add(a, b);
}

template <uint32_t k> FIELD_FN fp32 sub(const fp32 &a, const fp32 &b)
{
    return fp32_sub<k>(a, b);
}

template <uint32_t k> FIELD_FN fp32 neg(const fp32 &a)
{
    return fp32_neg<k>(a);
}

template <uint32_t k> FIELD_FN fp32 reduce(const fp32 &a)
{
    return fp32_reduce<k>(a);
}

FIELD_FN fp32 mul(const fp32 &a, const fp32 &b)
{
    return fp32_mul(a, b);
}

FIELD_FN fp32 sqr(const fp32 &a)
{
    return fp32_sqr(a);
}

/* a b - c d: d below 3, c below y; the bound of b is for G2 */
template <uint32_t k> FIELD_FN fp32 mul_sub(const fp32 &a, const fp32 &b, const fp32 &c, const fp32 &d)
{
    return fp32_mul_add(a, b, fp32_neg<3>(c), d);
}

FIELD_FN void set_zero(fp2_32 &a)
{
    a.c0 = a.c1 = fp32_zero();
}

FIELD_FN void set_one(fp2_32 &a)
{
    a.c0 = fp32_one();
    a.c1 = fp32_zero();
}

FIELD_FN bool is_zero(const fp2_32 &a)
{
    return fp32_is_zero(a.c0) && fp32_is_zero(a.c1);
}

FIELD_FN bool vanishes(const fp2_32 &a)
{
    return fp32_vanishes(a.c0) && fp32_vanishes(a.c1);
}

FIELD_FN fp2_32 canonical(const fp2_32 &a)
{
    return {fp32_canonical(a.c0), fp32_canonical(a.c1)};
}

FIELD_FN fp2_32 add(const fp2_32 &a, const fp2_32 &b)
{
    return {fp32_add(a.c0, b.c0), fp32_add(a.c1, b.c1)};
}

template <uint32_t k> FIELD_FN fp2_32 sub(const fp2_32 &a, const fp2_32 &b)
{
    return {fp32_sub<k>(a.c0, b.c0), fp32_sub<k>(a.c1, b.c1)};
}

template <uint32_t k> FIELD_FN fp2_32 neg(const fp2_32 &a)
{
    return {fp32_neg<k>(a.c0), fp32_neg<k>(a.c1)};
}

template <uint32_t k> FIELD_FN fp2_32 reduce(const fp2_32 &a)
{
    return {fp32_reduce<k>(a.c0), fp32_reduce<k>(a.c1)};
}

/* a below 4.4, b below 3: below (a b + 3 a) / 9.84 + 1 */
FIELD_FN fp2_32 mul(const fp2_32 &a, const fp2_32 &b)
{
    fp2_32 out;
    out.c0 = fp32_mul_add<true>(a.c0, b.c0, a.c1, fp32_neg<3>(b.c1));
    out.c1 = fp32_mul_add<true>(a.c0, b.c1, a.c1, b.c0);
    return out;
}

/* a below 2: below 2.63 */
FIELD_FN fp2_32 sqr(const fp2_32 &a)
{
    fp2_32 out;
    out.c0 = fp32_mul(fp32_add(a.c0, a.c1), fp32_sub<2>(a.c0, a.c1));
    out.c1 = fp32_mul(fp32_add(a.c0, a.c0), a.c1);
    return out;
}

/* a b - c d with one reduction a component: b below k, d below 3; a and c, with both components, below 8.8 */
template <uint32_t k>
FIELD_FN fp2_32 mul_sub(const fp2_32 &a, const fp2_32 &b, const fp2_32 &c, const fp2_32 &d)
{
    fp2_32 out;
    const fp32 left[4] = {a.c0, a.c1, c.c0, c.c1};
    const fp32 d0 = fp32_neg<3>(d.c0);
    const fp32 real[4] = {b.c0, fp32_neg<k>(b.c1), d0, d.c1};
    const fp32 imaginary[4] = {b.c1, b.c0, fp32_neg<3>(d.c1), d0};
    out.c0 = fp32_dot<4, true>(left, real);
    out.c1 = fp32_dot<4, true>(left, imaginary);
    return out;
}

/* Differences of coordinates, before they are squared: G1's formulas bear them as they are. */
FIELD_FN fp32 settle(const fp32 &a)
{
    return a;
}

FIELD_FN fp2_32 settle(const fp2_32 &a) /* below 8: below 2 */
{
    return reduce<2>(reduce<4>(a));
}

/* X of a sum, R^2 - (PPP + 2 Q): below 2 */
FIELD_FN fp32 settle_x(const fp32 &square, const fp32 &rest) /* square below 2.8, rest below 5 */
{
    return reduce<2>(reduce<4>(sub<5>(square, rest)));
}

FIELD_FN fp2_32 settle_x(const fp2_32 &square, const fp2_32 &rest) /* square below 2.8, rest below 7 */
{
    return reduce<2>(reduce<4>(reduce<4>(sub<7>(square, rest))));
}

FIELD_FN fp32 inverse(const fp32 &a) /* below 8: below 2 */
{
    return fp32_inv(a);
}

FIELD_FN fp2_32 inverse(const fp2_32 &a) /* below 4: below 2 */
{
    const fp32 norm = fp32_inv(fp32_mul_add(a.c0, a.c0, a.c1, a.c1));
    return {fp32_mul(a.c0, norm), fp32_mul(fp32_neg<4>(a.c1), norm)};
}

FIELD_FN uint32_t low_word(const fp32 &a)
{
    return a.w[0];
}

FIELD_FN uint32_t low_word(const fp2_32 &a)
{
    return a.c0.w[0];
}

FIELD_FN bool same(const fp32 &a, const fp32 &b)
{
    return fp32_same(a, b);
}

FIELD_FN bool same(const fp2_32 &a, const fp2_32 &b)
{
    return fp32_same(a.c0, b.c0) && fp32_same(a.c1, b.c1);
}

/* -- points ----------------------------------------------------------------------------------------------- */

template <class F> struct affine {
    F x, y;
};

template <class F> struct xyzz {
    F x, y, zz, zzz;
};

template <class F> FIELD_FN bool affine_is_infinity(const affine<F> &a)
{
    return is_zero(a.x) && is_zero(a.y);
}

template <class F> FIELD_FN bool xyzz_is_infinity(const xyzz<F> &a)
{
    return is_zero(a.zz);
}

template <class F> FIELD_FN void xyzz_set_infinity(xyzz<F> &a)
{
    set_zero(a.x);
    set_zero(a.y);
    set_zero(a.zz);
    set_zero(a.zzz);
}

template <class F> FIELD_FN void xyzz_set_affine(xyzz<F> &out, const affine<F> &a)
{
    if (affine_is_infinity(a)) {
        xyzz_set_infinity(out);
        return;
    }
    out.x = a.x;
    out.y = a.y;
    set_one(out.zz);
    set_one(out.zzz);
}

/* a = 2 a. No point of order 2 exists, so Y does not vanish. */
template <class F> FIELD_COLD void xyzz_double(xyzz<F> &a)
{
    if (xyzz_is_infinity(a))
        return;
    const F x = canonical(a.x), y = canonical(a.y);
    const F u = add(y, y);          /* 2 */
    const F v = sqr(u);             /* 1.41 [2.63] */
    const F w = mul(u, v);          /* 1.29 [2.15] */
    const F s = mul(x, v);          /* 1.15 [1.58] */
    F m = sqr(x);                   /* 1.11 [1.41] */
    m = settle(add(add(m, m), m));  /* 3.31 [2] */
    a.zz = mul(a.zz, v);
    a.zzz = mul(a.zzz, w);
    a.x = reduce<2>(reduce<4>(sub<4>(sqr(m), add(s, s))));     /* 6.63 before */
    a.y = settle(mul_sub<5>(m, sub<2>(s, a.x), y, w));
}

/* The rest of an addition: p and r the differences, u the first point's X over the common ZZ, s its Y; ZZ and
 * ZZZ already those of the second point times the first's where it has any. */
template <class F> FIELD_FN void xyzz_finish(xyzz<F> &a, const F &p, const F &r, const F &u, const F &s)
{
    const F pp = sqr(p);       /* 2.2 [2.63] */
    const F ppp = mul(p, pp);  /* 1.77 [2.15] */
    const F q = mul(u, pp);    /* 1.45 [2.3] */
    a.zz = mul(a.zz, pp);
    a.zzz = mul(a.zzz, ppp);
    a.x = settle_x(sqr(r), add(ppp, add(q, q)));
    a.y = settle(mul_sub<5>(r, sub<2>(q, a.x), s, ppp)); /* 2.97 */
}

/* a += b for b in affine form, not infinity, a not infinity. Returns false, a untouched, when the X are equal. */
template <class F> FIELD_FN bool xyzz_add_affine_distinct(xyzz<F> &a, const affine<F> &b)
{
    const F p = settle(sub<2>(mul(b.x, a.zz), a.x));                     /* 3.21 [2] */
    const F r = settle(sub<field_traits<F>::y>(mul(b.y, a.zzz), a.y));   /* 4.21 [2] */
    if (vanishes(p))
        return false;
    const F u = a.x, s = a.y;
    xyzz_finish(a, p, r, u, s);
    return true;
}

/* The same for equal X: a doubling, or infinity. */
template <class F> FIELD_COLD void xyzz_add_affine_equal(xyzz<F> &a, const affine<F> &b)
{
    if (!vanishes(sub<field_traits<F>::y>(mul(b.y, a.zzz), a.y))) {
        xyzz_set_infinity(a);
        return;
    }
    xyzz_set_affine(a, b);
    xyzz_double(a);
}

/* a += b, complete. */
template <class F> FIELD_FN void xyzz_add_affine(xyzz<F> &a, const affine<F> &b)
{
    if (affine_is_infinity(b))
        return;
    if (xyzz_is_infinity(a))
        xyzz_set_affine(a, b);
    else if (!xyzz_add_affine_distinct(a, b))
        xyzz_add_affine_equal(a, b);
}

/* Canonical; infinity is 0, 0. 1/ZZ = (ZZ/ZZZ)^2. */
template <class F> FIELD_COLD affine<F> xyzz_to_affine(const xyzz<F> &a)
{
    affine<F> out;
    if (xyzz_is_infinity(a)) {
        set_zero(out.x);
        set_zero(out.y);
        return out;
    }
    const F inverted = inverse(a.zzz);                   /* 2 */
    const F root = canonical(mul(a.zz, inverted));
    out.x = canonical(mul(a.x, canonical(sqr(root))));
    out.y = canonical(mul(a.y, inverted));
    return out;
}

/* a += b, complete. A call: its operands' way through memory costs little beside 12 products, and inline it
 * would be most of the kernels' code. */
template <class F> FIELD_COLD void xyzz_add(xyzz<F> &a, const xyzz<F> &b)
{
    if (xyzz_is_infinity(b))
        return;
    if (xyzz_is_infinity(a)) {
        a = b;
        return;
    }
    const F u = mul(a.x, b.zz), s = mul(a.y, b.zzz);     /* 1.41, 1.61 [2.22] */
    const F p = settle(sub<field_traits<F>::z>(mul(b.x, a.zz), u));  /* 3.41 [2] */
    const F r = settle(sub<field_traits<F>::z>(mul(b.y, a.zzz), s)); /* 3.61 [2] */
    if (vanishes(p)) {
        if (vanishes(r))
            xyzz_double(a);
        else
            xyzz_set_infinity(a);
        return;
    }
    a.zz = mul(a.zz, b.zz);     /* 1.41 [2.83] */
    a.zzz = mul(a.zzz, b.zzz);
    xyzz_finish(a, p, r, u, s);
}

#endif
