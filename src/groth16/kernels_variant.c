/* groth16/kernels_variant.c - the arithmetic loops of setup and prover (kernels.h).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/kernels.h"

#ifdef CUZK_VARIANT_IFMA
#include "groth16/kernels_lanes.h"
#else /* none of them with eight lanes */
static inline size_t lanes_multiply(fr *a, const fr *b, size_t n)
{
    (void)a;
    (void)b;
    (void)n;
    return 0;
}

static inline size_t lanes_subtract_scale(fr *a, const fr *c, size_t n, const fr *f)
{
    (void)f;
    return lanes_multiply(a, c, n);
}

static inline size_t lanes_add_scaled(fr *out, const fr *a, size_t n, const fr *f)
{
    (void)f;
    return lanes_multiply(out, a, n);
}
#endif

static const fr MINUS_ONE = {
    {0xfffffffd00000003, 0xfb38ec08fffb13fc, 0x99ad88181ce5880f, 0x5bc8f5f97cd877d8}}; /* r - FR_ONE */

static void lagrange(fr *out, fr *scratch, size_t n, const fr *start, const fr *w, const fr *tau,
                     const fr *scale)
{
    /* one inversion for all (P. L. Montgomery): out holds w^j, scratch the products of the tau - w^i, i < j
     */
    fr power = *start, product = FR_ONE, inverse;
    for (size_t j = 0; j < n; j++) {
        fr d;
        out[j] = power;
        scratch[j] = product;
        fr_sub(&d, tau, &power);
        fr_mul(&product, &product, &d);
        fr_mul(&power, &power, w);
    }
    fr_inv(&inverse, &product);
    fr_mul(&inverse, &inverse, scale);
    for (size_t j = n; j-- > 0;) {
        fr d, t;
        fr_sub(&d, tau, &out[j]);
        fr_mul(&t, &inverse, &scratch[j]); /* scale / (tau - w^j) */
        fr_mul(&inverse, &inverse, &d);
        fr_mul(&out[j], &out[j], &t);
    }
}

static size_t slot_of(var v, uint32_t inputs)
{
    return (v & VAR_AUX) ? (size_t)inputs + VAR_INDEX(v) : v;
}

static void accumulate(fr *sum, uint32_t inputs, const struct row *row, const fr *l)
{
    for (uint32_t i = 0; i < row->count; i++) {
        const struct lc_term *term = &row->term[i];
        fr *to = &sum[slot_of(term->v, inputs)];
        if (fr_equal(&term->coeff, &FR_ONE)) {
            fr_add(to, to, l);
        } else if (fr_equal(&term->coeff, &MINUS_ONE)) {
            fr_sub(to, to, l);
        } else {
            fr t;
            fr_mul(&t, &term->coeff, l);
            fr_add(to, to, &t);
        }
    }
}

static void accumulate_side(fr *sum, const struct templates *t, const struct template *one, unsigned side,
                            uint32_t first, uint32_t count, const fr *l, const fr *power)
{
    const uint32_t *end = t->side + one->side + side, *term = t->term + one->term;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *at = end + 3 * ((size_t)first + k);
        for (uint32_t i = at[0]; i < at[1]; i++) {
            fr *to = &sum[template_term_local(term[i])];
            const uint32_t code = template_term_code(term[i]);
            if (code == 0) {
                fr_add(to, to, &l[k]);
            } else if (code == 1) {
                fr_sub(to, to, &l[k]);
            } else {
                fr product;
                fr_mul(&product,
                       code < TEMPLATE_POWERS
                           ? &power[code]
                           : &t->element[t->coeff[(size_t)one->coeff + code - TEMPLATE_POWERS]],
                       &l[k]);
                fr_add(to, to, &product);
            }
        }
    }
}

static void powers(fr *out, size_t n, const fr *start, const fr *ratio)
{
    fr power = *start;
    for (size_t j = 0; j < n; j++) {
        out[j] = power;
        fr_mul(&power, &power, ratio);
    }
}

static void add_scaled(fr *out, const fr *a, size_t n, const fr *f)
{
    for (size_t j = lanes_add_scaled(out, a, n, f); j < n; j++) {
        fr t;
        fr_mul(&t, &a[j], f);
        fr_add(&out[j], &out[j], &t);
    }
}

static void combine(fr *c, const fr *a, const fr *b, size_t n, const fr *fa, const fr *fb, const fr *fc)
{
    for (size_t j = 0; j < n; j++) {
        fr t;
        fr_mul(&c[j], &c[j], fc);
        if (!fr_is_zero(&a[j])) {
            fr_mul(&t, &a[j], fa);
            fr_add(&c[j], &c[j], &t);
        }
        if (!fr_is_zero(&b[j])) {
            fr_mul(&t, &b[j], fb);
            fr_add(&c[j], &c[j], &t);
        }
    }
}

/* sum += coeff x; witnesses are mostly bits: a product is rarely needed */
static inline void add_term(fr *sum, const fr *coeff, const fr *x)
{
    if (fr_is_zero(x))
        return;
    if (fr_equal(coeff, &FR_ONE)) {
        fr_add(sum, sum, x);
    } else if (fr_equal(coeff, &MINUS_ONE)) {
        fr_sub(sum, sum, x);
    } else if (fr_equal(x, &FR_ONE)) {
        fr_add(sum, sum, coeff);
    } else {
        fr t;
        fr_mul(&t, coeff, x);
        fr_add(sum, sum, &t);
    }
}

static void evaluate(fr *out, const struct row *row, const fr *w, uint32_t inputs, uint64_t *mask)
{
    fr sum = FR_ZERO;
    for (uint32_t i = 0; i < row->count; i++) {
        const struct lc_term *term = &row->term[i];
        const size_t slot = slot_of(term->v, inputs);
        if (mask)
            mask[slot / 64] |= UINT64_C(1) << (slot % 64);
        add_term(&sum, &term->coeff, &w[slot]);
    }
    *out = sum;
}

static void evaluate_apart(fr *out, const struct row *row, const fr *input, const fr *aux)
{
    fr sum = FR_ZERO;
    for (uint32_t i = 0; i < row->count; i++) {
        const struct lc_term *term = &row->term[i];
        const fr *from = (term->v & VAR_AUX) ? aux : input;
        add_term(&sum, &term->coeff, &from[VAR_INDEX(term->v)]);
    }
    *out = sum;
}

static bool product_is(const fr *a, const fr *b, const fr *c)
{
    fr t;
    fr_mul(&t, a, b);
    return fr_equal(&t, c);
}

static void multiply(fr *a, const fr *b, size_t n)
{
    for (size_t j = lanes_multiply(a, b, n); j < n; j++)
        fr_mul(&a[j], &a[j], &b[j]);
}

static void subtract_scale(fr *a, const fr *c, size_t n, const fr *f)
{
    for (size_t j = lanes_subtract_scale(a, c, n, f); j < n; j++) {
        fr_sub(&a[j], &a[j], &c[j]);
        fr_mul(&a[j], &a[j], f);
    }
}

extern const struct groth16_kernels V(groth16_kernels);
const struct groth16_kernels V(groth16_kernels) = {
    .lagrange = lagrange,
    .accumulate = accumulate,
    .accumulate_side = accumulate_side,
    .powers = powers,
    .add_scaled = add_scaled,
    .combine = combine,
    .evaluate = evaluate,
    .evaluate_apart = evaluate_apart,
    .product_is = product_is,
    .multiply = multiply,
    .subtract_scale = subtract_scale,
};
