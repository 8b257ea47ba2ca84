/* field/fp6.h - Fp6 = Fp2[v] / (v^3 - (1 + u)). Inline; products through six Fp2 products (Karatsuba),
 * squares by J. Chung, M. A. Hasan, "Asymmetric squaring formulae", 2007 (SQR2). Outputs may alias inputs;
 * all values canonical.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FIELD_FP6_H
#define FIELD_FP6_H

#include "field/fp2.h"

typedef struct fp6 {
    fp2 c0, c1, c2; /* c0 + c1 v + c2 v^2 */
} fp6;

static inline bool fp6_is_zero(const fp6 *a)
{
    return fp2_is_zero(&a->c0) && fp2_is_zero(&a->c1) && fp2_is_zero(&a->c2);
}

static inline bool fp6_equal(const fp6 *a, const fp6 *b)
{
    return fp2_equal(&a->c0, &b->c0) && fp2_equal(&a->c1, &b->c1) && fp2_equal(&a->c2, &b->c2);
}

static inline void fp6_add(fp6 *out, const fp6 *a, const fp6 *b)
{
    fp2_add(&out->c0, &a->c0, &b->c0);
    fp2_add(&out->c1, &a->c1, &b->c1);
    fp2_add(&out->c2, &a->c2, &b->c2);
}

static inline void fp6_double(fp6 *out, const fp6 *a)
{
    fp6_add(out, a, a);
}

static inline void fp6_sub(fp6 *out, const fp6 *a, const fp6 *b)
{
    fp2_sub(&out->c0, &a->c0, &b->c0);
    fp2_sub(&out->c1, &a->c1, &b->c1);
    fp2_sub(&out->c2, &a->c2, &b->c2);
}

static inline void fp6_neg(fp6 *out, const fp6 *a)
{
    fp2_neg(&out->c0, &a->c0);
    fp2_neg(&out->c1, &a->c1);
    fp2_neg(&out->c2, &a->c2);
}

/* out = a * v */
static inline void fp6_mul_v(fp6 *out, const fp6 *a)
{
    const fp2 top = a->c2;
    out->c2 = a->c1;
    out->c1 = a->c0;
    fp2_mul_nonresidue(&out->c0, &top);
}

/* out = (a + b)(c + d) - e - f: the cross terms of a Karatsuba product */
static inline void fp6_cross(fp2 *out, const fp2 *a, const fp2 *b, const fp2 *c, const fp2 *d, const fp2 *e,
                             const fp2 *f)
{
    fp2 s, t;
    fp2_add(&s, a, b);
    fp2_add(&t, c, d);
    fp2_mul(&s, &s, &t);
    fp2_sub(&s, &s, e);
    fp2_sub(out, &s, f);
}

static inline void fp6_mul(fp6 *out, const fp6 *a, const fp6 *b)
{
    fp2 v0, v1, v2, t0, t1, t2;
    fp2_mul(&v0, &a->c0, &b->c0);
    fp2_mul(&v1, &a->c1, &b->c1);
    fp2_mul(&v2, &a->c2, &b->c2);
    fp6_cross(&t0, &a->c1, &a->c2, &b->c1, &b->c2, &v1, &v2);
    fp6_cross(&t1, &a->c0, &a->c1, &b->c0, &b->c1, &v0, &v1);
    fp6_cross(&t2, &a->c0, &a->c2, &b->c0, &b->c2, &v0, &v2);
    fp2_mul_nonresidue(&t0, &t0);
    fp2_add(&out->c0, &v0, &t0);
    fp2_add(&out->c2, &t2, &v1);
    fp2_mul_nonresidue(&v2, &v2);
    fp2_add(&out->c1, &t1, &v2);
}

/* out = a (b0 + b1 v) */
static inline void fp6_mul_01(fp6 *out, const fp6 *a, const fp2 *b0, const fp2 *b1)
{
    fp2 v0, v1, t0, t1, t2;
    fp2_mul(&v0, &a->c0, b0);
    fp2_mul(&v1, &a->c1, b1);
    fp6_cross(&t1, &a->c0, &a->c1, b0, b1, &v0, &v1);
    fp2_mul(&t0, &a->c2, b1);
    fp2_mul(&t2, &a->c2, b0);
    fp2_mul_nonresidue(&t0, &t0);
    fp2_add(&out->c0, &v0, &t0);
    out->c1 = t1;
    fp2_add(&out->c2, &t2, &v1);
}

/* out = a b1 v */
static inline void fp6_mul_1(fp6 *out, const fp6 *a, const fp2 *b1)
{
    fp2 top;
    fp2_mul(&top, &a->c2, b1);
    fp2_mul(&out->c2, &a->c1, b1);
    fp2_mul(&out->c1, &a->c0, b1);
    fp2_mul_nonresidue(&out->c0, &top);
}

static inline void fp6_sqr(fp6 *out, const fp6 *a)
{
    fp2 s0, s1, s2, s3, s4;
    fp2_sqr(&s0, &a->c0);
    fp2_mul(&s1, &a->c0, &a->c1);
    fp2_double(&s1, &s1);
    fp2_sub(&s2, &a->c0, &a->c1);
    fp2_add(&s2, &s2, &a->c2);
    fp2_sqr(&s2, &s2);
    fp2_mul(&s3, &a->c1, &a->c2);
    fp2_double(&s3, &s3);
    fp2_sqr(&s4, &a->c2);
    fp2_add(&s2, &s2, &s1);
    fp2_add(&s2, &s2, &s3);
    fp2_sub(&s2, &s2, &s0);
    fp2_sub(&out->c2, &s2, &s4);
    fp2_mul_nonresidue(&s3, &s3);
    fp2_add(&out->c0, &s0, &s3);
    fp2_mul_nonresidue(&s4, &s4);
    fp2_add(&out->c1, &s1, &s4);
}

/* 1/a; 0 gives 0 */
static inline void fp6_inv(fp6 *out, const fp6 *a)
{
    fp2 c0, c1, c2, t, s;
    fp2_mul(&t, &a->c1, &a->c2);
    fp2_mul_nonresidue(&t, &t);
    fp2_sqr(&c0, &a->c0);
    fp2_sub(&c0, &c0, &t);
    fp2_sqr(&c1, &a->c2);
    fp2_mul_nonresidue(&c1, &c1);
    fp2_mul(&t, &a->c0, &a->c1);
    fp2_sub(&c1, &c1, &t);
    fp2_sqr(&c2, &a->c1);
    fp2_mul(&t, &a->c0, &a->c2);
    fp2_sub(&c2, &c2, &t);
    /* the norm: a (c0 + c1 v + c2 v^2) */
    fp2_mul(&s, &a->c2, &c1);
    fp2_mul(&t, &a->c1, &c2);
    fp2_add(&s, &s, &t);
    fp2_mul_nonresidue(&s, &s);
    fp2_mul(&t, &a->c0, &c0);
    fp2_add(&s, &s, &t);
    fp2_inv(&s, &s);
    fp2_mul(&out->c0, &c0, &s);
    fp2_mul(&out->c1, &c1, &s);
    fp2_mul(&out->c2, &c2, &s);
}

#endif
