/* Rows' values as a GPU finds them: the kernels' source run on the host, and the kernels where there is a
 * GPU, against r1cs/rows.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "porep_vectors.h"

#include "backend/cuda/rows.h"
#include "backend/cuda/rows_plan.h"
#include "base/pool.h"
#include "circuits/catalogue.h"
#include "circuits/request.h"
#include "cuda_kernels.h"
#include "r1cs/rows.h"
#include "r1cs/witness_walk.h"

static struct exec x;
static struct poseidon_set *poseidon;
static struct driver *driver;
static struct device *device; /* NULL: there is none */
static struct stream stream;

static int set_up(void **state)
{
    (void)state;
    struct cuzk_error e;
    x.variant = cpu_best();
    if (driver_open(&driver, &e) != CUZK_OK || device_open(&device, driver, 0, 0, &e) != CUZK_OK)
        print_message("on the host alone: %s\n", e.message);
    else if (device_stream(&stream, device, &e) != CUZK_OK)
        return -1;
    return pool_new(&x.pool, 2, NULL) != CUZK_OK || poseidon_set_new(&poseidon, NULL) != CUZK_OK;
}

static int tear_down(void **state)
{
    (void)state;
    poseidon_set_free(poseidon);
    pool_free(x.pool);
    device_close(device);
    driver_close(driver);
    return 0;
}

static void ok(cuzk_status status, const struct cuzk_error *e)
{
    if (status != CUZK_OK)
        fail_msg("%s", e->message);
}

static struct device_block copy(const void *from, size_t size)
{
    struct cuzk_error e = {.status = CUZK_OK};
    struct device_block block;
    ok(device_alloc(&block, device, size, 1, "test", &e), &e);
    ok(device_upload(device, stream, block.ptr, from, size, &e), &e);
    return block;
}

static void compare_on_device(const struct templates *t, const struct assignment *w, const struct rows *rows)
{
    struct cuzk_error e = {.status = CUZK_OK};
    const size_t count = (size_t)t->counts.rows + 777;
    fr *expected = malloc(count * sizeof *expected), *got = malloc(count * sizeof *got);
    struct device_block out, bit = copy(w->bit, w->bit_block.size),
                             wide = copy(w->wide_value, w->wide * sizeof(fr)),
                             input = copy(w->input, w->inputs * sizeof(fr));
    const struct gpu_witness witness = {.bit = bit.ptr, .wide = wide.ptr, .input = input.ptr};
    struct gpu_rows *r;
    ok(gpu_rows_new(&r, NULL, device, stream, t, &e), &e);
    ok(device_alloc(&out, device, count, sizeof(fr), "test", &e), &e);
    ok(gpu_rows_bind(r, &witness, &e), &e);
    for (unsigned side = 0; side < 3; side++) {
        ok(device_fill(device, stream, out.ptr, 0xa5, count * sizeof(fr), &e), &e);
        ok(gpu_rows_fill(r, side, out.ptr, count, &e), &e);
        ok(device_download(device, stream, got, out.ptr, count * sizeof(fr), &e), &e);
        ok(device_wait(device, stream, &e), &e);
        rows_values(rows, side, 0, count, expected);
        for (size_t i = 0; i < count; i++)
            if (!fr_equal(&got[i], &expected[i]))
                fail_msg("on the device: row %zu, side %u differs", i, side);
    }
    gpu_rows_free(r);
    device_free(&out);
    device_free(&bit);
    device_free(&wide);
    device_free(&input);
    assert_int_equal(device_memory_used(device), 0);
    free(got);
    free(expected);
}

static void run(const char *kernel, uint32_t blocks, const void *arguments)
{
    const uint32_t grid[3] = {blocks, 1, 1};
    assert_true(cuda_kernel_run(kernel, grid, ROWS_THREADS, 0, arguments));
}

/* All sides, and beyond the rows. */
static void compare(const struct templates *t, const struct assignment *w)
{
    struct cuzk_error e = {.status = CUZK_OK};
    struct cuda_rows r;
    struct rows rows;
    const size_t count = (size_t)t->counts.rows + 777;
    fr *expected = malloc(count * sizeof *expected), *out = malloc(count * sizeof *out);
    ok(rows_bind(&x, &rows, t, w, &e), &e);
    ok(cuda_rows_new(&r, NULL, t, &e), &e);
    uint32_t *bits = malloc(r.bit_words * sizeof *bits);
    memset(bits, 0xa5, r.bit_words * sizeof *bits);
    const struct rows_witness witness = {
        .bit = (const void *)w->bit, .wide = w->wide_value, .input = w->input};
    const struct rows_bind_args bind = cuda_rows_bind_args(&r, r.block.ptr, &witness, bits);
    run("rows_bind_bits", r.instances, &bind);
    for (unsigned side = 0; side < 3; side++) {
        const struct rows_args a = cuda_rows_args(&r, r.block.ptr, &witness, bits, side, out, count);
        memset(out, 0xa5, count * sizeof *out);
        run("rows_evaluate", cuda_rows_blocks(count), &a);
        rows_values(&rows, side, 0, count, expected);
        for (size_t i = 0; i < count; i++)
            if (!fr_equal(&out[i], &expected[i]))
                fail_msg("row %zu, side %u differs", i, side);
    }
    if (device)
        compare_on_device(t, w, &rows);
    free(bits);
    free(out);
    free(expected);
    cuda_rows_free(&r);
    rows_free(&rows);
}

static void values_are_the_hosts(void **state)
{
    (void)state;
    static const char *const inputs[] = {"porep-2KiB-1", "winning-2KiB-1", "window-32KiB-1", "snap-2KiB-1"};
    struct cuzk_error e = {.status = CUZK_OK};
    for (size_t k = 0; k < ARRAY_LEN(inputs); k++) {
        struct any_circuit blank, c;
        struct assignment w;
        struct request q;
        struct templates t;
        char path[512];
        snprintf(path, sizeof path, "%s/input/%s.meta.json", vector_folder(), inputs[k]);
        ok(request_read(&x, &q, path, true, &e), &e);
        ok(catalogue_blank(&blank, poseidon, request_circuit_name(&q), &e), &e);
        ok(templates_record(&x, &t, &blank.circuit, &e), &e);
        ok(request_circuit(&c, poseidon, &q, request_partitions(&q) - 1, &e), &e);
        ok(witness_walk(&x, &w, &t, &c.circuit, &e), &e);
        compare(&t, &w);
        assignment_free(&w);
        templates_free(&t);
        request_free(&q);
    }
}

static void failing_allocations_are_told(void **state)
{
    (void)state;
    struct cuzk_error e = {.status = CUZK_OK};
    struct any_circuit c;
    struct templates t;
    struct cuda_rows r;
    struct budget *budget;
    ok(catalogue_blank(&c, poseidon, "winning-2k", &e), &e);
    ok(templates_record(&x, &t, &c.circuit, &e), &e);
    ok(budget_new(&budget, 1000, &e), &e);
    assert_int_equal(cuda_rows_new(&r, budget, &t, &e), CUZK_ERR_MEMORY);
    budget_free(budget);
    templates_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_the_hosts),
        cmocka_unit_test(failing_allocations_are_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
