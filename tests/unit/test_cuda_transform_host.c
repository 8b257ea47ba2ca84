/* Transforms of points as a GPU does them, with the kernels' source compiled for the host and a driver whose
 * device is the host: against the CPU's, with a memory that cuts spans, failures at each call, a stop.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "transform_testing.h"

#include "backend/cuda/transform.h"
#include "cuda_host_driver.h"

static struct device *device;
static struct gpu_transform *transform;

static void open_all(uint64_t memory)
{
    assert_ok(device_open(&device, &HOST_DRIVER, 0, 0, &error));
    assert_ok(gpu_transform_new(&transform, device, memory, &error));
}

static void close_all(void)
{
    gpu_transform_free(transform);
    assert_int_equal(device_memory_used(device), 0);
    device_close(device);
    for (unsigned i = 0; i < HOST_BLOCKS; i++) /* the context's end frees what the device kept */
        if (host_blocks[i].ptr) {
            free(host_blocks[i].ptr);
            host_blocks[i].ptr = NULL;
        }
}

static void sizes_and_patterns(void **state)
{
    open_all(0);
    for (unsigned log = 0; log <= 6; log++)
        for (int pattern = 0; pattern < PATTERNS; pattern++)
            for (int shifted = 0; shifted < 2; shifted++)
                check_runner(*state, gpu_transform_runner(transform), log, (enum pattern)pattern, shifted, 0);
    close_all();
}

static void units_in_pieces_and_spans(void **state)
{
    open_all(600 << 10); /* of 1 MiB that all would take */
    check_runner(*state, gpu_transform_runner(transform), 9, MIXED, false, 0);
    check_runner(*state, gpu_transform_runner(transform), 8, MIXED, true, 1);
    close_all();
}

static void a_memory_too_small_is_an_error(void **state)
{
    struct transformed d;
    open_all(1000);
    transformed_new(&d, *state, 6, RANDOM);
    assert_int_equal(run_both(*state, &d, gpu_transform_runner(transform), 0), CUZK_ERR_MEMORY);
    transformed_free(&d);
    close_all();
}

static void each_failure_is_told_and_leaves_nothing(void **state)
{
    struct transformed d;
    transformed_new(&d, *state, 4, RANDOM);
    unsigned failures = 0;
    for (unsigned at = 1;; at++) {
        open_all(0);
        device_fail_after(device, at, CU_OUT_OF_MEMORY);
        const cuzk_status status = run_both(*state, &d, gpu_transform_runner(transform), 0);
        device_fail_after(device, 0, 0);
        if (status == CUZK_OK) {
            close_all();
            break;
        }
        failures++;
        assert_int_equal(status, CUZK_ERR_MEMORY);
        assert_ok(run_both(*state, &d, gpu_transform_runner(transform), 0)); /* it goes on */
        close_all();
    }
    assert_true(failures > 50);
    transformed_free(&d);
}

static void a_lost_device_is_an_error(void **state)
{
    struct transformed d;
    transformed_new(&d, *state, 4, RANDOM);
    open_all(0);
    device_fail_after(device, 60, HOST_BAD);
    assert_int_not_equal(run_both(*state, &d, gpu_transform_runner(transform), 0), CUZK_OK);
    assert_true(device_retired(device));
    transformed_free(&d);
    close_all();
}

static void a_stop_leaves_what_can_be_done_again(void **state)
{
    const struct fixture *f = *state;
    struct fixture stopped = *f;
    struct transformed d;
    volatile int cancel = 1;
    stopped.x.cancel = &cancel;
    open_all(600 << 10);
    transformed_new(&d, f, 9, RANDOM);
    memset(d.middle, 1, sizeof *d.middle << d.log);
    assert_ok(run_both(&stopped, &d, gpu_transform_runner(transform), 0));
    for (size_t i = 0; i < sizeof *d.middle << d.log; i++)
        assert_int_equal(((const uint8_t *)d.middle)[i], 1);
    transformed_free(&d);
    check_runner(f, gpu_transform_runner(transform), 5, RANDOM, false, 0);
    close_all();
}

static void conversion(void **state)
{
    open_all(0);
    check_conversion(*state, gpu_transform_runner(transform));
    close_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sizes_and_patterns, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(units_in_pieces_and_spans, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_memory_too_small_is_an_error, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(each_failure_is_told_and_leaves_nothing, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_lost_device_is_an_error, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_stop_leaves_what_can_be_done_again, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(conversion, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
