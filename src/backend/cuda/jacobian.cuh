/* backend/cuda/jacobian.cuh - points of G1 in Jacobian form, where many doublings follow each other.
 *
 * (X/Z^2, Y/Z^3); infinity is Z = 0. Between calls X, Y and Z are below 2; the bounds inside stand beside the
 * steps. EFD, short Weierstrass, a = 0: dbl-2009-l with D and Y3 by products, madd and add as in
 * add-1998-cmo-2; points of one common Z: N. Meloni, "New point addition formulae for ECC applications",
 * 2007. Since b does not occur, (X, Y) may stand for an affine point of an isomorphic curve, and its Z be
 * multiplied in at the end (as libsecp256k1 does, on that idea of G. Maxwell and P. Wuille).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_JACOBIAN_CUH
#define BACKEND_CUDA_JACOBIAN_CUH

#include "backend/cuda/curve.cuh"

struct jacobian {
    fp32 x, y, z;
};

/* Below 8 gives below 2. */
FIELD_FN fp32 fp32_below_2(const fp32 &a)
{
    return fp32_reduce<2>(fp32_reduce<4>(a));
}

FIELD_FN void jacobian_set_infinity(jacobian &a)
{
    a.x = a.y = a.z = fp32_zero();
}

/* a = 2 a: 3 squares, 2 products, 1 sum of two products. No point has order 2; infinity stays. */
FIELD_FN void jacobian_double(jacobian &a)
{
    const fp32 x2 = fp32_add(a.x, a.x), y2 = fp32_add(a.y, a.y);
    const fp32 square = fp32_sqr(a.x);                                      /* 1.41 */
    const fp32 b = fp32_sqr(a.y);                                           /* 1.41 */
    const fp32 d = fp32_mul(b, fp32_add(x2, x2));                           /* 2.15: 4 x y^2 */
    const fp32 e = fp32_add(fp32_add(square, square), square);              /* 4.22 */
    a.z = fp32_mul(y2, a.z);                                                /* 1.82 */
    a.x = fp32_below_2(fp32_sub<5>(fp32_sqr(e), fp32_add(d, d)));           /* 7.82 */
    const fp32 b2 = fp32_add(b, b), b4 = fp32_add(b2, b2);                  /* 2.82, 5.63 */
    a.y = fp32_below_2(fp32_mul_add(e, fp32_sub<2>(d, a.x), b2, fp32_neg<6>(b4))); /* 4.51 */
}

/* a += (x, y), both below 2, another point than a and -a; neither is infinite. 3 squares, 6 products, 1 sum
 * of two products. */
FIELD_FN void jacobian_add_affine(jacobian &a, const fp32 &x, const fp32 &y)
{
    const fp32 zz = fp32_sqr(a.z);                                          /* 1.41 */
    const fp32 h = fp32_sub<2>(fp32_mul(x, zz), a.x);                       /* 3.29 */
    const fp32 r = fp32_sub<2>(fp32_mul(y, fp32_mul(a.z, zz)), a.y);        /* 3.27 */
    const fp32 hh = fp32_sqr(h);                                            /* 2.1 */
    const fp32 hhh = fp32_mul(h, hh);                                       /* 1.71 */
    const fp32 v = fp32_mul(a.x, hh);                                       /* 1.43 */
    a.z = fp32_mul(h, a.z);                                                 /* 1.67 */
    a.x = fp32_below_2(fp32_sub<5>(fp32_sqr(r), fp32_add(hhh, fp32_add(v, v)))); /* 7.09 */
    a.y = fp32_reduce<2>(fp32_mul_add(r, fp32_sub<2>(v, a.x), fp32_neg<2>(a.y), hhh)); /* 2.5 */
}

/* Of a sum and a difference: with ratio R = +-S2 - S1, from U1 H^2, S1, H^3. */
FIELD_FN void jacobian_finish(jacobian &out, const fp32 &r, const fp32 &v, const fp32 &s1, const fp32 &hhh)
{
    out.x = fp32_below_2(fp32_sub<5>(fp32_sqr(r), fp32_add(hhh, fp32_add(v, v))));     /* 7.05 */
    out.y = fp32_reduce<2>(fp32_mul_add(r, fp32_sub<2>(v, out.x), fp32_neg<2>(s1), hhh)); /* 2.42 */
}

/* When the X are equal: one of sum and difference is infinite, the other twice a. */
FIELD_COLD void jacobian_butterfly_equal(jacobian &a, jacobian &b, bool opposite)
{
    jacobian &twice = opposite ? b : a, &none = opposite ? a : b;
    jacobian t = a;
    jacobian_double(t);
    twice = t;
    jacobian_set_infinity(none);
}

/* a, b = a + t, a - t, complete. */
FIELD_FN void jacobian_butterfly(jacobian &a, jacobian &b, const jacobian &t)
{
    const bool none = fp32_vanishes(a.z), nothing = fp32_vanishes(t.z);
    if (none || nothing) {
        b = none ? t : a;
        if (none) {
            a = t;
            b.y = fp32_neg<2>(t.y);
        }
        b.y = fp32_reduce<1>(b.y); /* 2 - 0 is not below 2 */
        return;
    }
    const fp32 zz1 = fp32_sqr(a.z), zz2 = fp32_sqr(t.z);                    /* 1.41 */
    const fp32 u1 = fp32_mul(a.x, zz2);                                     /* 1.29 */
    const fp32 s1 = fp32_mul(fp32_mul(a.y, t.z), zz2);                      /* 1.21 */
    const fp32 s2 = fp32_mul(fp32_mul(t.y, a.z), zz1);                      /* 1.21 */
    const fp32 h = fp32_sub<2>(fp32_mul(t.x, zz1), u1);                     /* 3.29 */
    if (fp32_vanishes(h)) {
        const bool opposite = !fp32_vanishes(fp32_sub<2>(s2, s1));
        jacobian left = a, right;
        jacobian_butterfly_equal(left, right, opposite);
        a = left;
        b = right;
        return;
    }
    const fp32 hh = fp32_sqr(h);                                            /* 2.1 */
    const fp32 hhh = fp32_mul(h, hh);                                       /* 1.71 */
    const fp32 v = fp32_mul(u1, hh);                                        /* 1.28 */
    const fp32 z = fp32_mul(h, fp32_mul(a.z, t.z));                         /* 1.47 */
    jacobian_finish(a, fp32_sub<2>(s2, s1), v, s1, hhh);                    /* R: 3.21 */
    jacobian_finish(b, fp32_neg<3>(fp32_add(s1, s2)), v, s1, hhh);          /* 3 */
    a.z = b.z = z;
}

/* An affine point of the curve that a common Z leads to. */
struct leveled {
    fp32 x, y; /* below 2 */
};

/* twice = 2 p and p again, both over the Z that is returned (p's Z is 1): below 4. */
FIELD_FN fp32 leveled_double(leveled &twice, leveled &p)
{
    const fp32 x2 = fp32_add(p.x, p.x), z = fp32_add(p.y, p.y);
    const fp32 square = fp32_sqr(p.x), b = fp32_sqr(p.y);                   /* 1.41 */
    const fp32 e = fp32_add(fp32_add(square, square), square);              /* 4.22 */
    p.x = fp32_reduce<2>(fp32_mul(b, fp32_add(x2, x2)));                    /* 2.15: x Z^2 */
    const fp32 b2 = fp32_add(b, b);
    p.y = fp32_reduce<2>(fp32_mul(b2, fp32_add(b2, b2)));                   /* 2.62: y Z^3 = 8 b^2 */
    twice.x = fp32_below_2(fp32_sub<4>(fp32_sqr(e), fp32_add(p.x, p.x)));   /* 6.82 */
    twice.y = fp32_below_2(fp32_sub<2>(fp32_mul(e, fp32_sub<2>(p.x, twice.x)), p.y)); /* 4.72 */
    return z;
}

/* sum = a + b and a again, both over a Z that is the ratio returned (below 4) times that of before. */
FIELD_FN fp32 leveled_add(leveled &sum, leveled &a, const leveled &b)
{
    const fp32 ratio = fp32_sub<2>(a.x, b.x);                               /* 4 */
    const fp32 square = fp32_sqr(ratio);                                    /* 2.63 */
    const fp32 wb = fp32_mul(b.x, square);                                  /* 1.54 */
    const fp32 d = fp32_sub<2>(a.y, b.y);                                   /* 4 */
    a.x = fp32_mul(a.x, square);                                            /* 1.54 */
    sum.x = fp32_below_2(fp32_sub<4>(fp32_sqr(d), fp32_add(a.x, wb)));      /* 6.63 */
    a.y = fp32_mul(a.y, fp32_sub<2>(a.x, wb));                              /* 1.72 */
    sum.y = fp32_below_2(fp32_sub<2>(fp32_mul(d, fp32_sub<2>(a.x, sum.x)), a.y)); /* 4.44 */
    return ratio;
}

/* Over a Z that is the factor (below 2) times that of before. */
FIELD_FN void leveled_raise(leveled &a, const fp32 &factor)
{
    const fp32 square = fp32_sqr(factor);                                   /* 1.41 */
    a.x = fp32_mul(a.x, square);                                            /* 1.29 */
    a.y = fp32_mul(a.y, fp32_mul(factor, square));                          /* 1.27 */
}

#endif
