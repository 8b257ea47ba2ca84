/* tests/unit/test_stats.c - what rows of measurements say (tools/common/stats.h).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "common/stats.h"

static void quantiles_are_values_that_were_measured(void **state)
{
    (void)state;
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = (double)((i * 37) % 100 + 1); /* 1 to 100, mixed */
    const struct stats s = stats_of(values, 100);
    assert_true(s.count == 100 && s.minimum == 1 && s.maximum == 100);
    assert_true(s.median == 50 && s.p90 == 90 && s.p99 == 99);
    assert_true(fabs(s.mean - 50.5) < 1e-9);
    assert_true(fabs(s.spread - 0.5) < 1e-9); /* (75 - 25) / 2 / 50 */
    double one[] = {3};
    const struct stats t = stats_of(one, 1);
    assert_true(t.median == 3 && t.p99 == 3 && t.minimum == 3 && t.spread == 0);
    const struct stats none = stats_of(NULL, 0);
    assert_true(none.count == 0 && none.median == 0);
}

/* a is 1 with noise, b that many times as much. */
static struct comparison compare(size_t count, double factor, double noise)
{
    double a[64] = {0}, b[64] = {0}, ratios[64];
    for (size_t i = 0; i < count; i++) {
        a[i] = 1 + noise * ((double)(i * 29 % 17) / 16 - 0.5);
        b[i] = factor * (1 + noise * ((double)(i * 31 % 13) / 12 - 0.5));
    }
    return stats_compare(a, b, count, ratios);
}

static void a_difference_beyond_the_noise_is_told(void **state)
{
    (void)state;
    assert_int_equal(compare(15, 0.9, 0.02).verdict, VERDICT_FASTER);
    assert_int_equal(compare(15, 1.1, 0.02).verdict, VERDICT_SLOWER);
    assert_int_equal(compare(15, 1.0, 0.02).verdict, VERDICT_SAME);
    assert_int_equal(compare(15, 0.99, 0.5).verdict, VERDICT_SAME);
    const struct comparison c = compare(15, 0.9, 0.02);
    assert_true(c.low <= c.ratio && c.ratio <= c.high && fabs(c.ratio - 0.9) < 0.02);
}

static void few_pairs_tell_nothing(void **state)
{
    (void)state;
    assert_int_equal(compare(5, 0.5, 0.0).verdict, VERDICT_SAME);
    assert_int_equal(compare(6, 0.5, 0.0).verdict, VERDICT_FASTER);
    assert_int_equal(compare(0, 1, 0).verdict, VERDICT_SAME);
}

/* The ranks of the binomial distribution: of 15 pairs the 4th and the 12th bound the median (96.5 %), of 30
 * the 10th and the 21st (95.7 %). */
static void bounds_are_order_statistics(void **state)
{
    (void)state;
    double ones[30], rising[30], ratios[30];
    for (int i = 0; i < 30; i++) {
        ones[i] = 1;
        rising[i] = i + 1;
    }
    struct comparison c = stats_compare(ones, rising, 15, ratios);
    assert_true(c.ratio == 8 && c.low == 4 && c.high == 12);
    c = stats_compare(ones, rising, 30, ratios);
    assert_true(c.low == 10 && c.high == 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_values_that_were_measured),
        cmocka_unit_test(a_difference_beyond_the_noise_is_told),
        cmocka_unit_test(few_pairs_tell_nothing),
        cmocka_unit_test(bounds_are_order_statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
