/* field/fp2.c - Fp2 beyond the ring operations: inverses and roots.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "field/fp2.h"

static const fp ONE_HALF = {{0x1804000000015554, 0x855000053ab00001, 0x633cb57c253c276f, 0x6e22d1ec31ebb502,
                             0xd3916126f2d14ca2, 0x17fbb8571a006596}};

void fp2_inv(fp2 *out, const fp2 *a)
{
    fp norm, t;
    fp_sqr(&norm, &a->c0);
    fp_sqr(&t, &a->c1);
    fp_add(&norm, &norm, &t);
    fp_inv(&norm, &norm);
    fp_mul(&out->c0, &a->c0, &norm);
    fp_neg(&norm, &norm);
    fp_mul(&out->c1, &a->c1, &norm);
}

void fp2_inv_batch(fp2 *a, fp2 *scratch, size_t n)
{
    fp2 product = {FP_ONE, FP_ZERO};
    for (size_t i = 0; i < n; i++) {
        scratch[i] = product;
        if (!fp2_is_zero(&a[i]))
            fp2_mul(&product, &product, &a[i]);
    }
    fp2_inv(&product, &product);
    for (size_t i = n; i-- > 0;) {
        if (fp2_is_zero(&a[i]))
            continue;
        fp2 t;
        fp2_mul(&t, &product, &scratch[i]);
        fp2_mul(&product, &product, &a[i]);
        a[i] = t;
    }
}

/* The root of an element of Fp: in Fp, or u times the root of its negative, since -1 is no square. */
static void sqrt_of_real(fp2 *out, const fp *a)
{
    fp root, negative;
    if (fp_sqrt(&root, a)) {
        *out = (fp2){root, FP_ZERO};
        return;
    }
    fp_neg(&negative, a);
    const bool square = fp_sqrt(&root, &negative);
    VERIFY(square);
    (void)square;
    *out = (fp2){FP_ZERO, root};
}

/* With s^2 = c0^2 + c1^2, one of d = (c0 + s)/2 and d' = (c0 - s)/2 = -c1^2/(4d) is a square x^2, and the
 * root is x + c1/(2x) u.  t = d^((p-3)/4) gives both cases: y = dt has y^2 = d or -d, and in the latter
 * case x = c1/(2y) is the root of d', c1/(2x) = y. */
bool fp2_sqrt(fp2 *out, const fp2 *a)
{
    if (fp_is_zero(&a->c1)) {
        sqrt_of_real(out, &a->c0);
        return true;
    }
    fp norm, d, t, y, half;
    fp_sqr(&norm, &a->c0);
    fp_sqr(&t, &a->c1);
    fp_add(&norm, &norm, &t);
    if (!fp_sqrt(&norm, &norm))
        return false;
    fp_add(&d, &a->c0, &norm);
    fp_mul(&d, &d, &ONE_HALF); /* not zero: c0 = -s only when c1 = 0 */
    const bool square = fp_inv_sqrt_either(&t, &d);
    fp_mul(&y, &d, &t);
    if (!square)
        fp_neg(&t, &t); /* y t = -1 there: make t = 1/y */
    fp_mul(&half, &a->c1, &ONE_HALF);
    fp_mul(&half, &half, &t);
    *out = square ? (fp2){y, half} : (fp2){half, y};
    return true;
}

bool fp2_is_large(const fp2 *a)
{
    return fp_is_zero(&a->c1) ? fp_is_large(&a->c0) : fp_is_large(&a->c1);
}
