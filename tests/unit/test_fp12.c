/* tests/unit/test_fp12.c - Fp6 and Fp12 against products by the book and against powers.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "field/fp12.h"

#include "curve_testing.h"

static void random_fp6(fp6 *out, uint64_t *state)
{
    test_random_fp2(&out->c0, state);
    test_random_fp2(&out->c1, state);
    test_random_fp2(&out->c2, state);
}

static void random_fp12(fp12 *out, uint64_t *state)
{
    random_fp6(&out->c0, state);
    random_fp6(&out->c1, state);
}

/* The coefficients of w^0 ... w^5: Fp12 is also Fp2[w] / (w^6 - (1 + u)). */
static void to_polynomial(fp2 out[6], const fp12 *a)
{
    const fp2 c[6] = {a->c0.c0, a->c1.c0, a->c0.c1, a->c1.c1, a->c0.c2, a->c1.c2};
    memcpy(out, c, sizeof c);
}

static void from_polynomial(fp12 *out, const fp2 c[6])
{
    *out = (fp12){{c[0], c[2], c[4]}, {c[1], c[3], c[5]}};
}

static void mul_by_the_book(fp12 *out, const fp12 *a, const fp12 *b)
{
    fp2 x[6], y[6], z[11], c[6];
    to_polynomial(x, a);
    to_polynomial(y, b);
    memset(z, 0, sizeof z);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            fp2 t;
            fp2_mul(&t, &x[i], &y[j]);
            fp2_add(&z[i + j], &z[i + j], &t);
        }
    }
    for (int i = 0; i < 6; i++) {
        c[i] = z[i];
        if (i < 5) {
            fp2 t;
            fp2_mul_nonresidue(&t, &z[i + 6]);
            fp2_add(&c[i], &c[i], &t);
        }
    }
    from_polynomial(out, c);
}

static void power_p(fp12 *out, const fp12 *a)
{
    fp12 t;
    fp12_set_one(&t);
    for (int bit = FP_BITS - 1; bit >= 0; bit--) {
        mul_by_the_book(&t, &t, &t);
        if ((FP_MODULUS.l[bit / 64] >> (bit % 64)) & 1)
            mul_by_the_book(&t, &t, a);
    }
    *out = t;
}

static void assert_equal(const fp12 *a, const fp12 *b)
{
    assert_true(fp12_equal(a, b));
}

/* Random elements, and those with zeros and -1 in the places that matter. */
static size_t samples(fp12 *out, size_t n)
{
    uint64_t state = 12;
    size_t used = 0;
    memset(&out[used++], 0, sizeof *out);
    fp12_set_one(&out[used++]);
    fp12_set_one(&out[used]);
    fp_neg(&out[used].c0.c0.c0, &out[used].c0.c0.c0);
    used++;
    for (int i = 0; i < 6; i++) { /* w^i times p - 1 */
        fp2 c[6];
        memset(c, 0, sizeof c);
        fp_neg(&c[i].c1, &FP_ONE);
        from_polynomial(&out[used++], c);
    }
    while (used < n) {
        random_fp12(&out[used], &state);
        if (used % 4 == 0)
            memset(&out[used].c1, 0, sizeof out[used].c1);
        if (used % 4 == 1)
            memset(&out[used].c0, 0, sizeof out[used].c0);
        used++;
    }
    return used;
}

static void test_products_are_those_of_polynomials(void **unused)
{
    (void)unused;
    fp12 a[20], want, got;
    const size_t n = samples(a, ARRAY_LEN(a));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            mul_by_the_book(&want, &a[i], &a[j]);
            fp12_mul(&got, &a[i], &a[j]);
            assert_equal(&got, &want);
            got = a[i];
            fp12_mul(&got, &got, &a[j]);
            assert_equal(&got, &want);
            got = a[j];
            fp12_mul(&got, &a[i], &got);
            assert_equal(&got, &want);
        }
        mul_by_the_book(&want, &a[i], &a[i]);
        fp12_sqr(&got, &a[i]);
        assert_equal(&got, &want);
        got = a[i];
        fp12_sqr(&got, &got);
        assert_equal(&got, &want);
        fp12_mul(&got, &a[i], &a[i]);
        assert_equal(&got, &want);
    }
}

static void test_line_products_are_products(void **unused)
{
    (void)unused;
    fp12 a[20], line, want, got;
    const size_t n = samples(a, ARRAY_LEN(a));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            fp2 c[6];
            to_polynomial(c, &a[j]);
            memset(&c[1], 0, sizeof c[1]);
            memset(&c[4], 0, 2 * sizeof c[4]);
            from_polynomial(&line, c);
            mul_by_the_book(&want, &a[i], &line);
            fp12_mul_line(&got, &a[i], &c[0], &c[2], &c[3]);
            assert_equal(&got, &want);
            got = a[i];
            fp12_mul_line(&got, &got, &c[0], &c[2], &c[3]);
            assert_equal(&got, &want);
        }
    }
}

static void test_inverses(void **unused)
{
    (void)unused;
    fp12 a[20], got, product;
    const size_t n = samples(a, ARRAY_LEN(a));
    fp12_inv(&got, &a[0]);
    assert_equal(&got, &a[0]); /* 0 */
    for (size_t i = 1; i < n; i++) {
        fp12_inv(&got, &a[i]);
        mul_by_the_book(&product, &a[i], &got);
        assert_true(fp12_is_one(&product));
        got = a[i];
        fp12_inv(&got, &got);
        fp12_mul(&product, &a[i], &got);
        assert_true(fp12_is_one(&product));
    }
    uint64_t state = 6;
    for (int i = 0; i < 10; i++) {
        fp6 x, y, one;
        random_fp6(&x, &state);
        fp6_inv(&y, &x);
        fp6_mul(&y, &y, &x);
        memset(&one, 0, sizeof one);
        one.c0.c0 = FP_ONE;
        assert_true(fp6_equal(&y, &one));
        fp6_sqr(&y, &x);
        fp6_mul(&one, &x, &x);
        assert_true(fp6_equal(&y, &one));
        fp6_sub(&y, &y, &one);
        assert_true(fp6_is_zero(&y));
    }
}

static void test_frobenius_maps_are_powers(void **unused)
{
    (void)unused;
    fp12 a[12], want, got;
    const size_t n = samples(a, ARRAY_LEN(a));
    for (size_t i = 0; i < n; i++) {
        power_p(&want, &a[i]);
        fp12_frobenius(&got, &a[i]);
        assert_equal(&got, &want);
        got = a[i];
        fp12_frobenius(&got, &got);
        assert_equal(&got, &want);
        power_p(&want, &want);
        fp12_frobenius2(&got, &a[i]);
        assert_equal(&got, &want);
        got = a[i];
        fp12_frobenius2(&got, &got);
        assert_equal(&got, &want);
        /* the conjugate is the third power of that map */
        fp12_frobenius2(&got, &got);
        fp12_frobenius2(&got, &got);
        fp12_conjugate(&want, &a[i]);
        assert_equal(&got, &want);
    }
}

static void test_cyclotomic_squares_are_squares(void **unused)
{
    (void)unused;
    fp12 a[20], t, want, got;
    const size_t n = samples(a, ARRAY_LEN(a));
    for (size_t i = 1; i < n; i++) {
        /* into the subgroup: raise to (p^6 - 1)(p^2 + 1) */
        fp12_inv(&t, &a[i]);
        fp12_conjugate(&got, &a[i]);
        fp12_mul(&t, &t, &got);
        fp12_frobenius2(&got, &t);
        fp12_mul(&t, &t, &got);
        mul_by_the_book(&want, &t, &t);
        fp12_sqr_cyclotomic(&got, &t);
        assert_equal(&got, &want);
        got = t;
        fp12_sqr_cyclotomic(&got, &got);
        assert_equal(&got, &want);
        /* there the conjugate is the inverse */
        fp12_conjugate(&got, &t);
        fp12_mul(&got, &got, &t);
        assert_true(fp12_is_one(&got));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_are_those_of_polynomials),
        cmocka_unit_test(test_line_products_are_products),
        cmocka_unit_test(test_inverses),
        cmocka_unit_test(test_frobenius_maps_are_powers),
        cmocka_unit_test(test_cyclotomic_squares_are_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
