/* tests/unit/test_group_transform.c - transforms of points and what they stand on, against the simplest way.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16_testing.h"

#include "curve/encoding.h"
#include "curve/fixed_base.h"
#include "groth16/transform.h"

static struct cuzk_error error;

static void seeded(fr *out, uint64_t seed)
{
    chain_element(out, "transform", seed);
}

/* Points of known logarithms; some are infinite. */
static void make_points(const struct fixture *f, g1_affine *p, fr *k, size_t n)
{
    struct g1_fixed *table;
    assert_ok(g1_fixed_new(&f->x, &table, &G1_GENERATOR, n, &error));
    for (size_t i = 0; i < n; i++) {
        seeded(&k[i], i);
        if (i % 29 == 11)
            k[i] = FR_ZERO;
    }
    assert_ok(g1_fixed_mul(&f->x, table, p, k, n, &error));
    g1_fixed_free(table);
}

static void make_factors(fr *k, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        seeded(&k[i], 1000 + i);
        if (i == 1)
            k[i] = FR_ONE;
        else if (i == 2)
            k[i] = FR_ZERO;
        else if (i == 3)
            fr_neg(&k[i], &FR_ONE);
        else if (i < 40)
            fr_from_u64(&k[i], UINT64_C(1) << (i % 64));
    }
}

/* each: how many points in a row share a scalar */
static void check_multiply(const struct fixture *f, enum cpu_variant variant, size_t n, size_t each)
{
    const struct transform_kernels *kernels = transform_kernels(variant);
    g1_affine *p = calloc(n, sizeof *p), *want = calloc(n, sizeof *want);
    fr *k = calloc(n, sizeof *k), *by = calloc(n, sizeof *by);
    struct scalar_digits *digits = calloc(n, sizeof *digits);
    const struct scalar_digits **d = calloc(n, sizeof *d);
    void *scratch = aligned_alloc(64, (kernels->scratch_bytes() + 63) / 64 * 64);
    assert_true(p && want && k && by && digits && d && scratch);
    make_points(f, p, k, n);
    make_factors(by, n);
    for (size_t i = 0; i < n; i++) {
        g1 t;
        g1_from_affine(&t, &p[i]);
        g1_mul(&t, &t, &by[i / each]);
        g1_to_affine(&want[i], &t);
        scalar_digits_of(&digits[i], &by[i]);
        d[i] = &digits[i / each];
    }
    kernels->multiply(scratch, p, d, n);
    for (size_t i = 0; i < n; i++)
        if (memcmp(&p[i], &want[i], sizeof *p) != 0)
            fail_msg("point %zu of %zu, %zu to a scalar, %s", i, n, each, cpu_variant_name(variant));
    free(p);
    free(want);
    free(k);
    free(by);
    free(digits);
    free(d);
    free(scratch);
}

static void products_by_scalars(void **state)
{
    const struct fixture *f = *state;
    const size_t sizes[] = {1, 7, 8, 16, 24, 40, 64, 264, 496, 504, 511, 512};
    for (int variant = 0; variant < CPU_VARIANTS; variant++)
        for (size_t i = 0; i < ARRAY_LEN(sizes) && cpu_supports((enum cpu_variant)variant); i++) {
            check_multiply(f, (enum cpu_variant)variant, sizes[i], 1);
            check_multiply(f, (enum cpu_variant)variant, sizes[i], 8);
            check_multiply(f, (enum cpu_variant)variant, sizes[i], sizes[i]);
        }
}

/* X_k = scale sum_i shift^i w^-ik x_i of the logarithms. */
static void slow_transform(fr *out, const fr *in, unsigned log, const fr *shift, const fr *scale)
{
    const size_t n = (size_t)1 << log;
    fr root = FR_ROOT_OF_UNITY, step = *shift;
    for (unsigned i = log; i < FR_TWO_ADICITY; i++)
        fr_sqr(&root, &root);
    fr_inv(&root, &root);
    for (size_t k = 0; k < n; k++) {
        fr power = *scale, t;
        out[k] = FR_ZERO;
        for (size_t i = 0; i < n; i++) {
            fr_mul(&t, &power, &in[i]);
            fr_add(&out[k], &out[k], &t);
            fr_mul(&power, &power, &step);
        }
        fr_mul(&step, &step, &root);
    }
}

static void check_transform(const struct fixture *f, enum cpu_variant variant, unsigned log, const fr *shift,
                            const fr *scale)
{
    const size_t n = (size_t)1 << log;
    g1_affine *in = calloc(n, sizeof *in), *middle = calloc(n, sizeof *middle), *out = calloc(n, sizeof *out),
              *want = calloc(n, sizeof *want);
    fr *k = calloc(n, sizeof *k), *transformed = calloc(n, sizeof *transformed);
    uint8_t *encoded = calloc(n, G1_UNCOMPRESSED_BYTES);
    struct g1_fixed *table;
    assert_true(in && middle && out && want && k && transformed && encoded);
    make_points(f, in, k, n);
    k[n - 1] = FR_ZERO; /* the encoded points end before */
    for (size_t i = 0; i < n; i++)
        g1_write_uncompressed(encoded + i * G1_UNCOMPRESSED_BYTES, &in[i]);
    slow_transform(transformed, k, log, shift, scale);
    assert_ok(g1_fixed_new(&f->x, &table, &G1_GENERATOR, n, &error));
    assert_ok(g1_fixed_mul(&f->x, table, want, transformed, n, &error));
    g1_fixed_free(table);
    struct exec x = f->x;
    struct transform t;
    x.variant = variant;
    assert_ok(transform_columns(&t, &x, NULL, log, shift, scale, &error));
    t.encoded = encoded;
    t.encoded_count = n - 1;
    t.out = middle;
    assert_ok(transform_run(&t, 0, transform_units(&t), &error));
    transform_free(&t);
    assert_ok(transform_rows(&t, &x, NULL, log, &error));
    t.in = middle;
    t.out = out;
    for (uint64_t i = transform_units(&t); i-- > 0;) /* one by one, backwards, each twice */
        for (int again = 0; again < 2; again++)
            assert_ok(transform_run(&t, i, 1, &error));
    transform_free(&t);
    for (size_t i = 0; i < n; i++)
        if (memcmp(&out[i], &want[i], sizeof *out) != 0)
            fail_msg("point %zu of 2^%u, %s", i, log, cpu_variant_name(variant));
    free(in);
    free(middle);
    free(out);
    free(want);
    free(k);
    free(transformed);
    free(encoded);
}

static void transforms_of_all_sizes(void **state)
{
    const struct fixture *f = *state;
    fr shift, scale;
    fr_inv(&shift, &FR_GENERATOR);
    seeded(&scale, 7);
    for (int variant = 0; variant < CPU_VARIANTS; variant++)
        for (unsigned log = 0; log <= 8 && cpu_supports((enum cpu_variant)variant); log++) {
            check_transform(f, (enum cpu_variant)variant, log, &FR_ONE, &FR_ONE);
            check_transform(f, (enum cpu_variant)variant, log, &shift, &scale);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(products_by_scalars, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(transforms_of_all_sizes, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
