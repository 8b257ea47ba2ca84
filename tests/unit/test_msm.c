/* Sums of multiples of points, against naive sums and against points whose logarithms are known.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve_testing.h"

#include <stdlib.h>

#include "base/pool.h"
#include "curve/encoding.h"
#include "msm/msm.h"
#include "msm/plan.h"

static struct cuzk_error error;

/* 1, r - 1, halves and powers of the endomorphism's eigenvalue, and their neighbours; powers of two. */
static size_t edge_scalars(fr *k, size_t room)
{
    size_t n = 0;
    fr one = FR_ONE, u, t, half;
    fr_from_u64(&u, UINT64_C(0xd201000000010000));
    fr_from_u64(&half, 2);
    fr_inv(&half, &half);
    const fr starts[] = {FR_ZERO, half, u};
    for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
        t = starts[i];
        for (int power = 0; power < 3; power++) {
            fr_sub(k + n++, &t, &one);
            k[n++] = t;
            fr_add(k + n++, &t, &one);
            fr_neg(k + n++, &t);
            fr_mul(&t, &t, &u);
        }
    }
    fr_mul(&t, &u, &half);
    for (int power = 0; power < 4; power++) {
        k[n++] = t;
        fr_neg(k + n++, &t);
        fr_sub(k + n++, &t, &one);
        fr_add(k + n++, &t, &one);
        fr_mul(&t, &t, &u);
    }
    t = one;
    for (int bit = 0; bit < FR_BITS; bit++) {
        k[n++] = t;
        fr_double(&t, &t);
    }
    assert_true(n <= room);
    return n;
}
#define EDGE_SCALARS 320

static struct exec exec_make(unsigned threads, enum cpu_variant variant)
{
    struct exec x = {.variant = variant};
    assert_int_equal(pool_new(&x.pool, threads, &error), CUZK_OK);
    assert_int_equal(budget_new(&x.budget, UINT64_C(1) << 40, &error), CUZK_OK);
    return x;
}

static void exec_done(struct exec *x)
{
    assert_int_equal(budget_used(x->budget), 0);
    budget_free(x->budget);
    pool_free(x->pool);
}

/* The digits of the parts add up to the scalar, for every plan. */
static void plans_keep_the_scalar(void **state)
{
    (void)state;
    fr k[EDGE_SCALARS];
    const size_t n = edge_scalars(k, EDGE_SCALARS);
    for (unsigned images = 2; images <= 4; images += 2) {
        unsigned last = 0;
        for (uint64_t size = 1; size < UINT64_C(1) << 40; size += size / 3 + 1) {
            struct msm_plan plan;
            plan_make(&plan, images, size, 96, (size_t)1 << 40);
            if (plan.windows == last)
                continue;
            last = plan.windows;
            assert_true(plan.windows <= PLAN_MAX_WINDOWS);
            fr base, two, sum, power, part, digit;
            fr_from_u64(&base, UINT64_C(0xd201000000010000));
            fr_from_u64(&two, 2);
            if (images == 2)
                fr_sqr(&base, &base);
            for (size_t i = 0; i < n; i++) {
                struct msm_parts parts;
                plan_split(&parts, &plan, k + i);
                sum = FR_ZERO;
                for (unsigned j = images; j-- > 0;) {
                    struct msm_digits digits = plan_digits(&plan, &parts, j);
                    part = FR_ZERO;
                    for (unsigned w = 0; w < plan.windows; w++) {
                        const int32_t d = plan_next_digit(&digits, plan.width[w]);
                        const int32_t half = 1 << (plan.width[w] - 1);
                        assert_true(-half <= d && d < half);
                        const uint64_t offset = plan.offset[w];
                        fr_pow(&power, &two, &offset, 1);
                        fr_from_u64(&digit, (uint64_t)(d < 0 ? -d : d));
                        fr_mul(&digit, &digit, &power);
                        if (d < 0)
                            fr_sub(&part, &part, &digit);
                        else
                            fr_add(&part, &part, &digit);
                    }
                    fr_mul(&sum, &sum, &base);
                    fr_add(&sum, &sum, &part);
                }
                assert_true(fr_equal(&sum, k + i));
            }
        }
    }
}

#define AFFINE         g1_affine
#define POINT          g1
#define G(op)          g1_##op
#define M(op)          msm_g1##op
#define T(name)        g1_##name
#define F(op)          fp_##op
#define GENERATOR      G1_GENERATOR
#define ENCODED_BYTES  G1_UNCOMPRESSED_BYTES
#define SEVERAL_BLOCKS 70000
#define RANDOM_POINT   test_random_g1
#include "test_msm.inc"
#undef AFFINE
#undef POINT
#undef G
#undef M
#undef T
#undef F
#undef GENERATOR
#undef ENCODED_BYTES
#undef SEVERAL_BLOCKS
#undef RANDOM_POINT

#define AFFINE         g2_affine
#define POINT          g2
#define G(op)          g2_##op
#define M(op)          msm_g2##op
#define T(name)        g2_##name
#define F(op)          fp2_##op
#define GENERATOR      G2_GENERATOR
#define ENCODED_BYTES  G2_UNCOMPRESSED_BYTES
#define SEVERAL_BLOCKS 35000
#define RANDOM_POINT   test_random_g2
#include "test_msm.inc"
#undef AFFINE
#undef POINT
#undef G
#undef M
#undef T
#undef F
#undef GENERATOR
#undef ENCODED_BYTES
#undef SEVERAL_BLOCKS
#undef RANDOM_POINT

#define TESTS_OF(group)                                                                                      \
    cmocka_unit_test(group##_small_sums_equal_naive_ones), cmocka_unit_test(group##_edge_scalars),           \
        cmocka_unit_test(group##_special_points), cmocka_unit_test(group##_skewed_scalars),                  \
        cmocka_unit_test(group##_any_threads_and_variant), cmocka_unit_test(group##_several_blocks),         \
        cmocka_unit_test(group##_selected_scalars), cmocka_unit_test(group##_encoded_points),                \
        cmocka_unit_test(group##_selected_points), cmocka_unit_test(group##_wrong_counts),                   \
        cmocka_unit_test(group##_cancelled), cmocka_unit_test(group##_failing_allocations),                  \
        cmocka_unit_test(group##_budgets)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_keep_the_scalar),
        TESTS_OF(g1),
        TESTS_OF(g2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
