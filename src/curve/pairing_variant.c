/* curve/pairing_variant.c - Miller loop and final power of the optimal ate pairing.
 *
 * Points of the twist in homogeneous coordinates: D. F. Aranha, K. Karabina, P. Longa, C. H. Gebotys,
 * J. Lopez, "Faster explicit formulas for computing pairings over ordinary curves", 2010/526, section 4,
 * for the M-type twist and scaled so that nothing is halved. The final power: D. Hayashida, K. Hayasaka,
 * T. Teruya, "Efficient final exponentiation via cyclotomic structure for pairings over families of
 * elliptic curves", 2020/875.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve/pairing_variant.h"

#include "curve/group_inline.h"

/* Pairs that share a Miller loop's squarings; more go through several loops, so that the state is on the
 * stack. */
#define PAIRS_AT_ONCE 16

/* A pair on its way through the loop: t is (x/z, y/z). */
struct pair {
    const g1_affine *p;
    const g2_affine *q;
    fp2 x, y, z;
};

/* f times the line l0 + l2 x_P w^2 + l3 y_P w^3. With (x/w^2, y/w^3) for (x, y) of the twist, the line
 * through T with slope m has the value y_P w^3 - m x_P w^2 + (m x_T - y_T) at P, up to factors of subfields
 * that the final power takes to 1. */
static void multiply_line(fp12 *f, const g1_affine *p, const fp2 *l0, const fp2 *l2, const fp2 *l3)
{
    fp2 at_x, at_y;
    fp2_mul_fp(&at_x, l2, &p->x);
    fp2_mul_fp(&at_y, l3, &p->y);
    fp12_mul_line(f, f, l0, &at_x, &at_y);
}

/* f *= tangent at t, in p; t = 2 t. Slope 3 x^2 / (2 y z), the line scaled by 2 y z. */
static void double_step(fp12 *f, struct pair *s)
{
    fp2 xy, yy, zz, e, e3, h, l0, l2, t;
    fp2_mul(&xy, &s->x, &s->y);
    fp2_sqr(&yy, &s->y);
    fp2_sqr(&zz, &s->z);
    fp2_add(&h, &s->y, &s->z);
    fp2_sqr(&h, &h);
    fp2_sub(&h, &h, &yy);
    fp2_sub(&h, &h, &zz); /* 2 y z */
    fp2_double(&e, &zz);
    fp2_add(&e, &e, &zz);
    fp2_double(&e, &e);
    fp2_double(&e, &e);
    fp2_mul_nonresidue(&e, &e); /* 3 b z^2, b = 4 (1 + u) */
    fp2_sqr(&l2, &s->x);
    fp2_double(&t, &l2);
    fp2_add(&l2, &l2, &t);
    fp2_neg(&l2, &l2);     /* -3 x^2 */
    fp2_sub(&l0, &yy, &e); /* 3 x^3 / z - 2 y^2 */
    multiply_line(f, s->p, &l0, &l2, &h);

    /* 4 (xy/2 (yy - 3e), ((yy + 3e)/2)^2 - 3 e^2, yy h) */
    fp2_double(&e3, &e);
    fp2_add(&e3, &e3, &e);
    fp2_sub(&t, &yy, &e3);
    fp2_mul(&t, &t, &xy);
    fp2_double(&s->x, &t);
    fp2_mul(&t, &yy, &h);
    fp2_double(&t, &t);
    fp2_double(&s->z, &t);
    fp2_add(&t, &yy, &e3);
    fp2_sqr(&t, &t);
    fp2_double(&e, &e);
    fp2_sqr(&e, &e);
    fp2_double(&e3, &e);
    fp2_add(&e3, &e3, &e);
    fp2_sub(&s->y, &t, &e3);
}

/* f *= line through t and q, in p; t += q. Slope theta / lambda, the line scaled by lambda. */
static void add_step(fp12 *f, struct pair *s)
{
    fp2 theta, lambda, l0, l2, t, d, e, g;
    fp2_mul(&t, &s->q->y, &s->z);
    fp2_sub(&theta, &s->y, &t);
    fp2_mul(&t, &s->q->x, &s->z);
    fp2_sub(&lambda, &s->x, &t);
    fp2_mul(&l0, &theta, &s->q->x);
    fp2_mul(&t, &lambda, &s->q->y);
    fp2_sub(&l0, &l0, &t);
    fp2_neg(&l2, &theta);
    multiply_line(f, s->p, &l0, &l2, &lambda);

    fp2_sqr(&d, &lambda);
    fp2_mul(&e, &d, &lambda);
    fp2_mul(&g, &d, &s->x);
    fp2_sqr(&t, &theta);
    fp2_mul(&t, &t, &s->z);
    fp2_add(&t, &t, &e);
    fp2_sub(&t, &t, &g);
    fp2_sub(&t, &t, &g);
    fp2_mul(&s->x, &lambda, &t);
    fp2_sub(&g, &g, &t);
    fp2_mul(&g, &g, &theta);
    fp2_mul(&t, &e, &s->y);
    fp2_sub(&s->y, &g, &t);
    fp2_mul(&s->z, &s->z, &e);
}

/* out = product of f_{|u|,q}(p). In the loop t is a multiple of q by less than r, so no step meets
 * infinity or, adding, equal or opposite points. */
static void miller_loop(fp12 *out, struct pair *pairs, size_t n)
{
    fp12 f;
    fp12_set_one(&f);
    for (int bit = 62; bit >= 0; bit--) {
        fp12_sqr(&f, &f);
        for (size_t i = 0; i < n; i++)
            double_step(&f, &pairs[i]);
        if ((BLS_ABS_U >> bit) & 1) {
            for (size_t i = 0; i < n; i++)
                add_step(&f, &pairs[i]);
        }
    }
    *out = f;
}

void V(pairing_miller)(fp12 *out, const g1_affine *p, const g2_affine *q, size_t n)
{
    fp12 product;
    fp12_set_one(&product);
    for (size_t i = 0; i < n;) {
        struct pair pairs[PAIRS_AT_ONCE];
        size_t used = 0;
        for (; i < n && used < PAIRS_AT_ONCE; i++) {
            if (g1i_affine_is_infinity(&p[i]) || g2i_affine_is_infinity(&q[i]))
                continue;
            pairs[used++] = (struct pair){&p[i], &q[i], q[i].x, q[i].y, GROUP_FP2_ONE};
        }
        fp12 f;
        miller_loop(&f, pairs, used);
        fp12_mul(&product, &product, &f);
    }
    fp12_conjugate(out, &product); /* u is negative: in place of the inverse, up to the final power */
}

/* out = a^u for a of the cyclotomic subgroup */
static void power_u(fp12 *out, const fp12 *a)
{
    fp12 t = *a;
    for (int bit = 62; bit >= 0; bit--) {
        fp12_sqr_cyclotomic(&t, &t);
        if ((BLS_ABS_U >> bit) & 1)
            fp12_mul(&t, &t, a);
    }
    fp12_conjugate(out, &t);
}

/* out = a^(u - 1) */
static void power_u_minus_1(fp12 *out, const fp12 *a)
{
    fp12 t, inverse;
    power_u(&t, a);
    fp12_conjugate(&inverse, a);
    fp12_mul(out, &t, &inverse);
}

/* (p^12-1)/r = (p^6-1) (p^2+1) (p^4-p^2+1)/r, and 3 (p^4-p^2+1)/r = (u-1)^2 (u+p) (u^2+p^2-1) + 3. */
void V(pairing_power)(fp12 *out, const fp12 *miller)
{
    fp12 a, t, b;
    fp12_inv(&t, miller);
    fp12_conjugate(&a, miller);
    fp12_mul(&t, &a, &t);
    fp12_frobenius2(&a, &t);
    fp12_mul(&a, &a, &t);

    power_u_minus_1(&t, &a);
    power_u_minus_1(&t, &t);
    power_u(&b, &t);
    fp12_frobenius(&t, &t);
    fp12_mul(&b, &b, &t); /* a^((u-1)^2 (u+p)) */

    fp12 c;
    power_u(&t, &b);
    power_u(&t, &t);
    fp12_frobenius2(&c, &b);
    fp12_mul(&t, &t, &c);
    fp12_conjugate(&b, &b);
    fp12_mul(&t, &t, &b); /* raised to u^2+p^2-1 */

    fp12_sqr_cyclotomic(&c, &a);
    fp12_mul(&a, &a, &c);
    fp12_mul(out, &t, &a);
}
