/* Multiples of the generators with the kernels' source compiled for the host and a driver whose device is the
 * host: against the CPU's. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "fixed_testing.h"

#include "backend/cuda/fixed_args.h"
#include "cuda_field_host.h"
#include "cuda_host_driver.h"

static struct exec x;
static struct driver driver;
static struct device *device;

/* -- the kernels -- */

/* The multiples 1 .. 2^(width-1) of each 2^(w width). */
static void host_table(unsigned group, unsigned width, void *out)
{
    const size_t half = (size_t)1 << (width - 1), entries = 256 / width * half;
    fr *k = allocate(entries, sizeof *k), unit = FR_ONE, sum = FR_ZERO;
    for (size_t i = 0; i < entries; i++) {
        if (i % half == 0)
            sum = FR_ZERO;
        fr_add(&sum, &sum, &unit);
        k[i] = sum;
        if (i % half == half - 1)
            fr_double(&unit, &sum);
    }
    cpu_multiples(&x, group, out, k, entries);
    free(k);
}

static void check_on_host(unsigned group, unsigned width, size_t n)
{
    void *table = allocate((size_t)256 / width << (width - 1), point_size(group));
    void *sums = allocate(n, 2 * point_size(group)), *want = allocate(n, point_size(group));
    void *got = allocate(n, point_size(group));
    fr *k = allocate(n, sizeof *k);
    host_table(group, width, table);
    random_scalars(k, n, width);
    const struct fixed_args args = {
        .table = table, .scalars = k, .sums = sums, .points = got, .count = (uint32_t)n, .width = width};
    host_fixed(group, &args);
    cpu_multiples(&x, group, want, k, n);
    assert_same(group, got, want, n);
    free(table);
    free(sums);
    free(want);
    free(got);
    free(k);
}

static void kernels_agree(void **state)
{
    (void)state;
    for (unsigned group = 1; group <= 2; group++) {
        check_on_host(group, 4, EDGES);
        check_on_host(group, 8, EDGES);
        check_on_host(group, 4, 1);
        check_on_host(group, 8, FIXED_SHARE + 1);
    }
    check_on_host(1, 16, EDGES);
}

/* -- all of it -- */

static cu_result launch(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        cu_stream stream, void **arguments, void **extra)
{
    const union {
        cu_function function;
        const char *name;
    } kernel = {.function = function};
    const struct fixed_args *args = arguments[0];
    const unsigned group = kernel.name[7] == '1' ? 1 : 2;
    const bool sum = strcmp(kernel.name + 8, "_sum") == 0;
    (void)grid_y, (void)grid_z, (void)block_y, (void)block_z, (void)shared, (void)stream, (void)extra;
    if (grid_x * block_x < (sum ? args->count : (args->count + FIXED_SHARE - 1) / FIXED_SHARE))
        return HOST_BAD;
    if (!sum)
        host_fixed(group, args);
    return CU_SUCCESS;
}

static void multiples_are_the_cpus(void **state)
{
    (void)state;
    for (unsigned group = 1; group <= 2; group++)
        check_multiples(&x, device, 8, group, EDGES + 30);
}

static void folded_parameters_are_the_same_file(void **state)
{
    const struct chain c = chain_from_seed(30, 1);
    const struct circuit circuit = chain_circuit(&c);
    check_setup(device, 8, *state, &circuit);
    assert_int_equal(device_memory_used(device), 0);
}

static void failures_leave_nothing(void **state)
{
    check_failures(device, 8, *state);
}

static void other_widths_are_refused(void **state)
{
    struct gpu_fixed *f;
    (void)state;
    for (unsigned width = 0; width < 33; width++)
        if (width != 8 && width != 16)
            assert_int_equal(gpu_fixed_new(&f, device, width, NULL, &error), CUZK_ERR_ARGUMENT);
}

static void host_memory_counts(void **state)
{
    struct gpu_fixed *f;
    struct budget *budget;
    struct point_batch batch[2];
    (void)state;
    assert_ok(budget_new(&budget, 1 << 20, &error));
    assert_ok(gpu_fixed_new(&f, device, 8, budget, &error));
    struct point_maker maker = gpu_fixed_maker(f);
    assert_int_equal(maker.reserve(maker.self, batch, 2, 10000, &error), CUZK_ERR_MEMORY);
    gpu_fixed_free(f);
    assert_ok(gpu_fixed_new(&f, device, 8, budget, &error));
    maker = gpu_fixed_maker(f);
    assert_ok(maker.reserve(maker.self, batch, 2, 1000, &error));
    assert_int_equal(budget_used(budget), 2 * 1000 * (sizeof(fr) + sizeof(g2_affine)));
    gpu_fixed_free(f);
    assert_int_equal(budget_used(budget), 0);
    budget_free(budget);
}

static int start(void **state)
{
    (void)state;
    x.variant = cpu_best();
    driver = HOST_DRIVER;
    driver.launch = launch;
    assert_ok(pool_new(&x.pool, 2, &error));
    assert_ok(device_open(&device, &driver, 0, 0, &error));
    return 0;
}

static int stop(void **state)
{
    (void)state;
    device_close(device);
    pool_free(x.pool);
    for (unsigned i = 0; i < HOST_BLOCKS; i++) /* the context's end frees what the device kept */
        free(host_blocks[i].ptr);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_agree),
        cmocka_unit_test(multiples_are_the_cpus),
        cmocka_unit_test_setup_teardown(folded_parameters_are_the_same_file, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(failures_leave_nothing, fixture_setup, fixture_teardown),
        cmocka_unit_test(other_widths_are_refused),
        cmocka_unit_test(host_memory_counts),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
