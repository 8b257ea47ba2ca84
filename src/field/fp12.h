/* field/fp12.h - Fp12 = Fp6[w] / (w^2 - v), where the pairing's values live. Inline; outputs may alias
 * inputs; all values canonical.
 *
 * The unitary elements are those with a^(p^6 + 1) = 1: their inverse is their conjugate. In the cyclotomic
 * subgroup, a^(p^4 - p^2 + 1) = 1, squares are cheaper: R. Granger, M. Scott, "Faster squaring in the
 * cyclotomic subgroup of sixth degree extensions", 2009/565.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FIELD_FP12_H
#define FIELD_FP12_H

#include "field/fp6.h"

typedef struct fp12 {
    fp6 c0, c1; /* c0 + c1 w */
} fp12;

static inline void fp12_set_one(fp12 *out)
{
    memset(out, 0, sizeof *out);
    out->c0.c0.c0 = FP_ONE;
}

static inline bool fp12_equal(const fp12 *a, const fp12 *b)
{
    return fp6_equal(&a->c0, &b->c0) && fp6_equal(&a->c1, &b->c1);
}

static inline bool fp12_is_one(const fp12 *a)
{
    fp12 one;
    fp12_set_one(&one);
    return fp12_equal(a, &one);
}

static inline void fp12_mul(fp12 *out, const fp12 *a, const fp12 *b)
{
    fp6 t0, t1, s, t;
    fp6_mul(&t0, &a->c0, &b->c0);
    fp6_mul(&t1, &a->c1, &b->c1);
    fp6_add(&s, &a->c0, &a->c1);
    fp6_add(&t, &b->c0, &b->c1);
    fp6_mul(&s, &s, &t);
    fp6_sub(&s, &s, &t0);
    fp6_sub(&out->c1, &s, &t1);
    fp6_mul_v(&t1, &t1);
    fp6_add(&out->c0, &t0, &t1);
}

/* out = a (l0 + l2 w^2 + l3 w^3): a line of the pairing */
static inline void fp12_mul_line(fp12 *out, const fp12 *a, const fp2 *l0, const fp2 *l2, const fp2 *l3)
{
    fp6 t0, t1, s;
    fp2 l23;
    fp6_mul_01(&t0, &a->c0, l0, l2);
    fp6_mul_1(&t1, &a->c1, l3);
    fp6_add(&s, &a->c0, &a->c1);
    fp2_add(&l23, l2, l3);
    fp6_mul_01(&s, &s, l0, &l23);
    fp6_sub(&s, &s, &t0);
    fp6_sub(&out->c1, &s, &t1);
    fp6_mul_v(&t1, &t1);
    fp6_add(&out->c0, &t0, &t1);
}

static inline void fp12_sqr(fp12 *out, const fp12 *a)
{
    fp6 t, s, d;
    fp6_mul(&t, &a->c0, &a->c1);
    fp6_add(&s, &a->c0, &a->c1);
    fp6_mul_v(&d, &a->c1);
    fp6_add(&d, &d, &a->c0);
    fp6_mul(&s, &s, &d);
    fp6_sub(&s, &s, &t);
    fp6_double(&out->c1, &t);
    fp6_mul_v(&t, &t);
    fp6_sub(&out->c0, &s, &t);
}

/* a^(p^6), the inverse of a unitary a */
static inline void fp12_conjugate(fp12 *out, const fp12 *a)
{
    out->c0 = a->c0;
    fp6_neg(&out->c1, &a->c1);
}

/* 1/a; 0 gives 0 */
static inline void fp12_inv(fp12 *out, const fp12 *a)
{
    fp6 t, s;
    fp6_sqr(&t, &a->c0);
    fp6_sqr(&s, &a->c1);
    fp6_mul_v(&s, &s);
    fp6_sub(&t, &t, &s);
    fp6_inv(&t, &t);
    fp6_mul(&out->c0, &a->c0, &t);
    fp6_neg(&t, &t);
    fp6_mul(&out->c1, &a->c1, &t);
}

/* (a + b s)^2 in Fp4 = Fp2[s] / (s^2 - (1 + u)) */
static inline void fp12_fp4_sqr(fp2 *c0, fp2 *c1, const fp2 *a, const fp2 *b)
{
    fp2 aa, bb, s;
    fp2_sqr(&aa, a);
    fp2_sqr(&bb, b);
    fp2_add(&s, a, b);
    fp2_sqr(&s, &s);
    fp2_sub(&s, &s, &aa);
    fp2_sub(c1, &s, &bb);
    fp2_mul_nonresidue(&bb, &bb);
    fp2_add(c0, &aa, &bb);
}

/* out = 3 t - 2 a */
static inline void fp12_3t_minus_2a(fp2 *out, const fp2 *t, const fp2 *a)
{
    fp2 d;
    fp2_sub(&d, t, a);
    fp2_double(&d, &d);
    fp2_add(out, &d, t);
}

/* out = 3 t + 2 a */
static inline void fp12_3t_plus_2a(fp2 *out, const fp2 *t, const fp2 *a)
{
    fp2 s;
    fp2_add(&s, t, a);
    fp2_double(&s, &s);
    fp2_add(out, &s, t);
}

/* a^2 for a of the cyclotomic subgroup: three squares in Fp4, of (w^0, w^3), (w^1, w^4), (w^2, w^5) */
static inline void fp12_sqr_cyclotomic(fp12 *out, const fp12 *a)
{
    fp2 t0, t1, t2, t3, t4, t5;
    fp12_fp4_sqr(&t0, &t1, &a->c0.c0, &a->c1.c1);
    fp12_fp4_sqr(&t2, &t3, &a->c1.c0, &a->c0.c2);
    fp12_fp4_sqr(&t4, &t5, &a->c0.c1, &a->c1.c2);
    fp2_mul_nonresidue(&t5, &t5);
    fp12_3t_minus_2a(&out->c0.c0, &t0, &a->c0.c0);
    fp12_3t_minus_2a(&out->c0.c1, &t2, &a->c0.c1);
    fp12_3t_minus_2a(&out->c0.c2, &t4, &a->c0.c2);
    fp12_3t_plus_2a(&out->c1.c0, &t5, &a->c1.c0);
    fp12_3t_plus_2a(&out->c1.c1, &t1, &a->c1.c1);
    fp12_3t_plus_2a(&out->c1.c2, &t3, &a->c1.c2);
}

/* a^p: conjugate the coefficients in Fp2 and multiply that of w^i by (1 + u)^(i (p-1)/6). */
void fp12_frobenius(fp12 *out, const fp12 *a);

/* a^(p^2): multiply the coefficient of w^i by (1 + u)^(i (p^2-1)/6), a sixth root of 1 in Fp. */
void fp12_frobenius2(fp12 *out, const fp12 *a);

#endif
