/* Transforms of points on a GPU against the CPU's, bit for bit: sizes, patterns of equal, opposite and
 * infinite points, spans cut by a small memory, a conversion that CPU and GPU share. Skipped without a GPU or
 * without kernels for it. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "transform_testing.h"

#include "backend/cuda/transform.h"

static struct driver *driver;
static struct device *device; /* NULL: skip */

static int start(void **unused)
{
    (void)unused;
    if (driver_open(&driver, &error) != CUZK_OK || device_open(&device, driver, 0, 0, &error) != CUZK_OK)
        print_message("skipped: %s\n", error.message);
    return 0;
}

static int stop(void **unused)
{
    (void)unused;
    device_close(device);
    driver_close(driver);
    return 0;
}

static void sizes_and_patterns(void **state)
{
    const struct fixture *f = *state;
    struct gpu_transform *g;
    if (!device)
        skip();
    assert_ok(gpu_transform_new(&g, device, 0, &error));
    for (unsigned log = 0; log <= 14; log++)
        for (int pattern = 0; pattern < PATTERNS; pattern++)
            for (int shifted = 0; shifted < 2; shifted++)
                if (log < 11 || pattern == MIXED)
                    check_runner(f, gpu_transform_runner(g), log, (enum pattern)pattern, shifted,
                                 log % 3 == 2 ? 3 : 0);
    gpu_transform_free(g);
    assert_int_equal(device_memory_used(device), 0);
}

static void spans_fit_in_a_small_memory(void **state)
{
    const struct fixture *f = *state;
    struct gpu_transform *g;
    if (!device)
        skip();
    assert_ok(gpu_transform_new(&g, device, (uint64_t)4 << 20, &error));
    check_runner(f, gpu_transform_runner(g), 13, MIXED, true, 0);
    gpu_transform_free(g);
}

static void conversion(void **state)
{
    struct gpu_transform *g;
    if (!device)
        skip();
    assert_ok(gpu_transform_new(&g, device, 0, &error));
    check_conversion(*state, gpu_transform_runner(g));
    gpu_transform_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sizes_and_patterns, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(spans_fit_in_a_small_memory, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(conversion, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
