/* tests/unit/test_pairing.c - the pairing: its laws, and the reference's values, in every variant.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve/pairing.h"

#include "curve/encoding.h"
#include "curve_testing.h"
#include "curve_vectors.h"

#define PAIRS 40 /* more than go through one Miller loop */

static void fp12_write(uint8_t out[12 * FP_BYTES], const fp12 *a)
{
    const fp2 *c[6] = {&a->c0.c0, &a->c0.c1, &a->c0.c2, &a->c1.c0, &a->c1.c1, &a->c1.c2};
    for (int i = 0; i < 6; i++) {
        fp_write_be(out + 2 * FP_BYTES * i, &c[i]->c0);
        fp_write_be(out + 2 * FP_BYTES * i + FP_BYTES, &c[i]->c1);
    }
}

/* out = a^k, k in Montgomery form */
static void power(fp12 *out, const fp12 *a, const fr *k)
{
    fr plain;
    fp12 t;
    fr_from_mont(&plain, k);
    fp12_set_one(&t);
    for (int bit = FR_BITS - 1; bit >= 0; bit--) {
        fp12_sqr(&t, &t);
        if ((plain.l[bit / 64] >> (bit % 64)) & 1)
            fp12_mul(&t, &t, a);
    }
    *out = t;
}

static void multiples(g1_affine *p, g2_affine *q, const fr *a, const fr *b)
{
    g1 s;
    g2 t;
    g1_from_affine(&s, &G1_GENERATOR);
    g1_mul(&s, &s, a);
    g1_to_affine(p, &s);
    g2_from_affine(&t, &G2_GENERATOR);
    g2_mul(&t, &t, b);
    g2_to_affine(q, &t);
}

static void test_values_are_the_references(void **state)
{
    const enum cpu_variant variant = *(enum cpu_variant *)*state;
    for (size_t i = 0; i < ARRAY_LEN(PAIRINGS); i++) {
        uint8_t p_bytes[G1_COMPRESSED_BYTES], q_bytes[G2_COMPRESSED_BYTES];
        uint8_t want[12 * FP_BYTES], got[12 * FP_BYTES];
        g1_affine p;
        g2_affine q;
        fp12 e;
        test_unhex(p_bytes, PAIRINGS[i].p, sizeof p_bytes);
        test_unhex(q_bytes, PAIRINGS[i].q, sizeof q_bytes);
        test_unhex(want, PAIRINGS[i].value, sizeof want);
        assert_int_equal(g1_read_compressed(&p, p_bytes), ENCODING_OK);
        assert_int_equal(g2_read_compressed(&q, q_bytes), ENCODING_OK);
        pairing_product(variant, &e, &p, &q, 1);
        fp12_write(got, &e);
        assert_memory_equal(got, want, sizeof got);
    }
}

static void test_the_pairing_is_bilinear_and_not_trivial(void **state)
{
    const enum cpu_variant variant = *(enum cpu_variant *)*state;
    uint64_t seed = 8;
    fp12 e, want, got;
    pairing_product(variant, &e, &G1_GENERATOR, &G2_GENERATOR, 1);
    assert_false(fp12_is_one(&e));
    fr minus_one;
    fr_neg(&minus_one, &FR_ONE);
    power(&got, &e, &minus_one);
    fp12_mul(&got, &got, &e);
    assert_true(fp12_is_one(&got)); /* of order r */
    for (int i = 0; i < 4; i++) {
        fr a, b, ab;
        g1_affine p;
        g2_affine q;
        test_random_fr(&a, &seed);
        test_random_fr(&b, &seed);
        if (i == 0)
            a = minus_one;
        if (i == 1)
            b = minus_one;
        fr_mul(&ab, &a, &b);
        multiples(&p, &q, &a, &b);
        pairing_product(variant, &got, &p, &q, 1);
        power(&want, &e, &ab);
        assert_true(fp12_equal(&got, &want));
    }
}

/* e(a_i G, b_i H) for many pairs, infinite ones among them: the power of the sum of the products. */
static void test_products_of_any_length(void **state)
{
    const enum cpu_variant variant = *(enum cpu_variant *)*state;
    static g1_affine p[PAIRS + 1];
    static g2_affine q[PAIRS + 1];
    uint64_t seed = 9;
    fp12 e, want, got;
    fr sum[PAIRS + 1];
    sum[0] = FR_ZERO;
    for (size_t i = 0; i < PAIRS; i++) {
        fr a, b, ab;
        test_random_fr(&a, &seed);
        test_random_fr(&b, &seed);
        if (i % 5 == 1)
            a = FR_ZERO;
        if (i % 7 == 2)
            b = FR_ZERO;
        multiples(&p[i], &q[i], &a, &b);
        fr_mul(&ab, &a, &b);
        fr_add(&sum[i + 1], &sum[i], &ab);
    }
    pairing_product(variant, &e, &G1_GENERATOR, &G2_GENERATOR, 1);
    static const size_t lengths[] = {0, 1, 2, 3, 15, 16, 17, 33, PAIRS};
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
        const size_t n = lengths[i];
        pairing_product(variant, &got, p, q, n);
        power(&want, &e, &sum[n]);
        assert_true(fp12_equal(&got, &want));
        assert_int_equal(pairing_product_is_one(variant, p, q, n), n == 0);
        /* one pair more that makes the product 1 */
        const g1_affine kept_p = p[n];
        const g2_affine kept_q = q[n];
        fr negative;
        fr_neg(&negative, &sum[n]);
        multiples(&p[n], &q[n], &negative, &FR_ONE);
        assert_true(pairing_product_is_one(variant, p, q, n + 1));
        multiples(&p[n], &q[n], &FR_ONE, &negative);
        assert_true(pairing_product_is_one(variant, p, q, n + 1));
        fr_add(&negative, &negative, &FR_ONE);
        multiples(&p[n], &q[n], &FR_ONE, &negative);
        assert_false(pairing_product_is_one(variant, p, q, n + 1));
        p[n] = kept_p;
        q[n] = kept_q;
    }
}

static void test_a_pair_with_infinity_counts_as_one(void **state)
{
    const enum cpu_variant variant = *(enum cpu_variant *)*state;
    const g1_affine p[3] = {G1_GENERATOR, {FP_ZERO, FP_ZERO}, {FP_ZERO, FP_ZERO}};
    const g2_affine none = {{FP_ZERO, FP_ZERO}, {FP_ZERO, FP_ZERO}};
    const g2_affine q[3] = {none, G2_GENERATOR, none};
    assert_true(pairing_product_is_one(variant, p, q, 3));
}

/* The Miller values of parts multiply to the whole's, up to what the final power takes away. */
static void test_halves_make_the_whole(void **state)
{
    const enum cpu_variant variant = *(enum cpu_variant *)*state;
    g1_affine p[5];
    g2_affine q[5];
    uint64_t seed = 10;
    for (int i = 0; i < 5; i++) {
        fr a, b;
        test_random_fr(&a, &seed);
        test_random_fr(&b, &seed);
        multiples(&p[i], &q[i], &a, &b);
    }
    fp12 want, first, second;
    pairing_product(variant, &want, p, q, 5);
    pairing_miller(variant, &first, p, q, 2);
    pairing_miller(variant, &second, p + 2, q + 2, 3);
    fp12_mul(&first, &first, &second);
    pairing_power(variant, &first, &first);
    assert_true(fp12_equal(&first, &want));
}

int main(void)
{
    int failed = 0;
    for (int v = 0; v < CPU_VARIANTS; v++) {
        enum cpu_variant variant = (enum cpu_variant)v;
        if (!cpu_supports(variant))
            continue;
        print_message("variant %s\n", cpu_variant_name(variant));
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(test_values_are_the_references, &variant),
            cmocka_unit_test_prestate(test_the_pairing_is_bilinear_and_not_trivial, &variant),
            cmocka_unit_test_prestate(test_products_of_any_length, &variant),
            cmocka_unit_test_prestate(test_a_pair_with_infinity_counts_as_one, &variant),
            cmocka_unit_test_prestate(test_halves_make_the_whole, &variant),
        };
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
