/* field/fp2.h - Fp2 = Fp[u] / (u^2 + 1). Inline; products through three Fp products (Karatsuba).
 * Outputs may alias inputs; all values canonical.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FIELD_FP2_H
#define FIELD_FP2_H

#include "field/fp.h"

typedef struct fp2 {
    fp c0, c1; /* c0 + c1 u */
} fp2;

static inline bool fp2_is_zero(const fp2 *a)
{
    return fp_is_zero(&a->c0) && fp_is_zero(&a->c1);
}

static inline bool fp2_equal(const fp2 *a, const fp2 *b)
{
    return fp_equal(&a->c0, &b->c0) && fp_equal(&a->c1, &b->c1);
}

static inline void fp2_add(fp2 *out, const fp2 *a, const fp2 *b)
{
    fp_add(&out->c0, &a->c0, &b->c0);
    fp_add(&out->c1, &a->c1, &b->c1);
}

static inline void fp2_double(fp2 *out, const fp2 *a)
{
    fp2_add(out, a, a);
}

static inline void fp2_sub(fp2 *out, const fp2 *a, const fp2 *b)
{
    fp_sub(&out->c0, &a->c0, &b->c0);
    fp_sub(&out->c1, &a->c1, &b->c1);
}

static inline void fp2_neg(fp2 *out, const fp2 *a)
{
    fp_neg(&out->c0, &a->c0);
    fp_neg(&out->c1, &a->c1);
}

static inline void fp2_conjugate(fp2 *out, const fp2 *a)
{
    out->c0 = a->c0;
    fp_neg(&out->c1, &a->c1);
}

/* fp_adx.S: out = a * b. */
void fp2_mul_adx(fp2 *out, const fp2 *a, const fp2 *b);

static inline void fp2_mul(fp2 *out, const fp2 *a, const fp2 *b)
{
#ifdef CUZK_VARIANT_ADX
    fp2_mul_adx(out, a, b);
#else
    fp s, t, v0, v1;
    fp_add(&s, &a->c0, &a->c1);
    fp_add(&t, &b->c0, &b->c1);
    fp_mul(&v0, &a->c0, &b->c0);
    fp_mul(&v1, &a->c1, &b->c1);
    fp_mul(&s, &s, &t);
    fp_sub(&s, &s, &v0);
    fp_sub(&out->c1, &s, &v1);
    fp_sub(&out->c0, &v0, &v1);
#endif
}

static inline void fp2_sqr(fp2 *out, const fp2 *a)
{
    fp s, d, m;
    fp_add(&s, &a->c0, &a->c1);
    fp_sub(&d, &a->c0, &a->c1);
    fp_mul(&m, &a->c0, &a->c1);
    fp_mul(&out->c0, &s, &d);
    fp_double(&out->c1, &m);
}

/* out = a * b with b in Fp */
static inline void fp2_mul_fp(fp2 *out, const fp2 *a, const fp *b)
{
    fp_mul(&out->c0, &a->c0, b);
    fp_mul(&out->c1, &a->c1, b);
}

/* out = a * (1 + u), the non-residue of the tower */
static inline void fp2_mul_nonresidue(fp2 *out, const fp2 *a)
{
    fp t;
    fp_sub(&t, &a->c0, &a->c1);
    fp_add(&out->c1, &a->c0, &a->c1);
    out->c0 = t;
}

/* 1/a; 0 gives 0 */
void fp2_inv(fp2 *out, const fp2 *a);

/* Invert n elements in place, zeros stay zero; scratch: n elements. */
void fp2_inv_batch(fp2 *a, fp2 *scratch, size_t n);

/* A square root of a if there is one: the return value says so (out untouched if not). The complex method
 * (G. Adj, F. Rodriguez-Henriquez, "Square root computation over even extension fields", 2012,
 * algorithm 8), in two powers. */
bool fp2_sqrt(fp2 *out, const fp2 *a) MUST_USE;

/* Compressed encodings' sign bit: c1 above (p-1)/2, or c1 zero and c0 above. */
bool fp2_is_large(const fp2 *a);

#endif
