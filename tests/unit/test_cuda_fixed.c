/* Multiples of the generators on a GPU against the CPU's, and folded parameters, equal byte for byte. Skipped
 * without a GPU or without kernels for it. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "fixed_testing.h"

#include "circuits/catalogue.h"

static struct driver *driver;
static struct device *device; /* NULL: skip */
static struct exec x;

static void multiples_in_g1(void **state)
{
    (void)state;
    if (!device)
        skip();
    check_multiples(&x, device, 16, 1, 1 << 17);
    check_multiples(&x, device, 8, 1, 1000);
}

static void multiples_in_g2(void **state)
{
    (void)state;
    if (!device)
        skip();
    check_multiples(&x, device, 16, 2, 1 << 17);
    check_multiples(&x, device, 8, 2, 1000);
}

static void folded_parameters_are_the_same_file(void **state)
{
    struct fixture *f = *state;
    struct poseidon_set *poseidon;
    struct any_circuit blank;
    if (!device)
        skip();
    const uint64_t used = device_memory_used(device);
    const struct chain c = chain_from_seed(30, 1);
    const struct circuit circuit = chain_circuit(&c);
    check_setup(device, 16, f, &circuit);
    assert_ok(poseidon_set_new(&poseidon, &error));
    assert_ok(catalogue_blank(&blank, poseidon, "window-2k", &error));
    check_setup(device, 16, f, &blank.circuit);
    poseidon_set_free(poseidon);
    assert_int_equal(device_memory_used(device), used);
}

static void failures_leave_nothing(void **state)
{
    if (!device)
        skip();
    check_failures(device, 16, *state);
}

static int start(void **state)
{
    (void)state;
    x.variant = cpu_best();
    if (pool_new(&x.pool, 0, &error) != CUZK_OK)
        return -1;
    if (driver_open(&driver, &error) != CUZK_OK || device_open(&device, driver, 0, 0, &error) != CUZK_OK)
        print_message("skipped: %s\n", error.message);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    device_close(device);
    driver_close(driver);
    pool_free(x.pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiples_in_g1),
        cmocka_unit_test(multiples_in_g2),
        cmocka_unit_test_setup_teardown(folded_parameters_are_the_same_file, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(failures_leave_nothing, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
