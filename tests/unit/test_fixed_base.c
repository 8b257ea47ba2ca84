/* Multiples of a fixed point, against single multiplications.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve_testing.h"

#include <stdlib.h>

#include "base/pool.h"
#include "curve/fixed_base.h"

static struct cuzk_error error;

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

/* 0, 1, -1, powers of two and their neighbours, then random ones. */
static void scalars(fr *k, size_t n)
{
    uint64_t seed = 1;
    fr power = FR_ONE;
    for (size_t i = 0; i < n; i++) {
        if (i == 0) {
            k[i] = FR_ZERO;
        } else if (i < 1 + 3 * FR_BITS) {
            const fr terms[] = {FR_ZERO, FR_ONE};
            k[i] = power;
            if (i % 3)
                fr_sub(k + i, k + i, terms + i % 3 - 1);
            if (i % 3 == 0)
                fr_neg(k + i, k + i);
            if (i % 3 == 0)
                fr_double(&power, &power);
        } else {
            test_random_fr(k + i, &seed);
        }
    }
}

#define AFFINE       g1_affine
#define POINT        g1
#define FIXED        g1_fixed
#define G(op)        g1_##op
#define T(name)      g1_##name
#define GENERATOR    G1_GENERATOR
#define RANDOM_POINT test_random_g1
#include "test_fixed_base.inc"
#undef AFFINE
#undef POINT
#undef FIXED
#undef G
#undef T
#undef GENERATOR
#undef RANDOM_POINT

#define AFFINE       g2_affine
#define POINT        g2
#define FIXED        g2_fixed
#define G(op)        g2_##op
#define T(name)      g2_##name
#define GENERATOR    G2_GENERATOR
#define RANDOM_POINT test_random_g2
#include "test_fixed_base.inc"
#undef AFFINE
#undef POINT
#undef FIXED
#undef G
#undef T
#undef GENERATOR
#undef RANDOM_POINT

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g1_equals_single_products),
        cmocka_unit_test(g1_any_threads_and_variant),
        cmocka_unit_test(g1_infinite_base),
        cmocka_unit_test(g1_more_threads_later),
        cmocka_unit_test(g1_table_is_bounded),
        cmocka_unit_test(g1_cancelled),
        cmocka_unit_test(g1_failing_allocations),
        cmocka_unit_test(g2_equals_single_products),
        cmocka_unit_test(g2_any_threads_and_variant),
        cmocka_unit_test(g2_infinite_base),
        cmocka_unit_test(g2_more_threads_later),
        cmocka_unit_test(g2_table_is_bounded),
        cmocka_unit_test(g2_cancelled),
        cmocka_unit_test(g2_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
