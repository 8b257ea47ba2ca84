/* Transforms as a GPU does them: the kernels' source run on the host, and the kernels where there is a GPU,
 * against ntt/ntt.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/ntt.h"
#include "backend/cuda/ntt_plan.h"
#include "base/pool.h"
#include "cuda_kernels.h"
#include "ntt/ntt.h"

static struct exec x;

static int set_up(void **state)
{
    (void)state;
    x.variant = cpu_best();
    return pool_new(&x.pool, 2, NULL) != CUZK_OK;
}

static int tear_down(void **state)
{
    (void)state;
    pool_free(x.pool);
    return 0;
}

static uint64_t random_word(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *seed ^ *seed >> 29;
}

/* Below r, every few an edge value. */
static fr random_element(uint64_t *seed)
{
    fr a;
    do {
        for (int i = 0; i < FR_LIMBS; i++)
            a.l[i] = random_word(seed);
        a.l[FR_LIMBS - 1] >>= 1;
    } while (!fr_is_canonical(&a));
    switch (random_word(seed) % 16) {
    case 0:
        return FR_ZERO;
    case 1:
        return FR_ONE;
    case 2: /* the largest integer */
        a = FR_MODULUS;
        a.l[0]--;
        return a;
    default:
        return a;
    }
}

static fr *random_array(size_t n, uint64_t seed)
{
    fr *a = malloc(n * sizeof *a);
    assert_non_null(a);
    for (size_t i = 0; i < n; i++)
        a[i] = random_element(&seed);
    return a;
}

static struct cuda_ntt_tables tables_of(unsigned log)
{
    struct cuda_ntt_tables t;
    struct cuzk_error e = {.status = CUZK_OK};
    if (cuda_ntt_tables_new(&t, NULL, log, &e) != CUZK_OK)
        fail_msg("%s", e.message);
    return t;
}

static void run(const struct cuda_ntt_sweep *sweep, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const uint32_t grid[3] = {sweep[i].blocks, 1, 1};
        assert_true(cuda_kernel_run(cuda_ntt_kernel_name(sweep[i].kernel), grid, NTT_TILE_THREADS,
                                    sweep[i].shared, &sweep[i].pass));
    }
}

static void expect_equal(const fr *a, const fr *b, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (!fr_equal(&a[i], &b[i]))
            fail_msg("%s of size %zu: element %zu differs", what, n, i);
}

/* Both twists in one array. */
static struct cuda_ntt_twists twists_of(const struct cuda_ntt_tables *t)
{
    const size_t n = (size_t)1 << t->log;
    fr *both = malloc(2 * n * sizeof *both);
    assert_non_null(both);
    for (int up = 0; up < 2; up++) {
        struct cuda_ntt_sweep sweep;
        cuda_ntt_twist(&sweep, t, t->block.ptr, both + (up ? n : 0), up);
        run(&sweep, 1);
    }
    return (struct cuda_ntt_twists){both, both + n};
}

static const unsigned LOGS[] = {10, 11, 12, 13, 14, 15};

static void transforms_are_the_hosts(void **state)
{
    (void)state;
    for (size_t k = 0; k < ARRAY_LEN(LOGS); k++) {
        const unsigned log = LOGS[k];
        const size_t n = (size_t)1 << log;
        struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS];
        struct cuda_ntt_tables t = tables_of(log);
        struct ntt_tables *host;
        assert_int_equal(ntt_tables_new(&x, &host, log, NULL), CUZK_OK);
        fr *expected = random_array(n, log), *a = random_array(n, log), *out = malloc(n * sizeof *out);
        run(sweep, cuda_ntt_forward(sweep, &t, t.block.ptr, out, a));
        ntt_forward(&x, host, expected, log);
        expect_equal(out, expected, n, "forward transform");
        run(sweep, cuda_ntt_inverse(sweep, &t, t.block.ptr, a, out));
        ntt_inverse(&x, host, expected, log);
        expect_equal(a, expected, n, "inverse transform");
        free(out);
        free(a);
        free(expected);
        ntt_tables_free(host);
        cuda_ntt_tables_free(&t);
    }
}

static void extensions_and_products_are_the_hosts(void **state)
{
    (void)state;
    for (size_t k = 0; k < ARRAY_LEN(LOGS); k++) {
        const unsigned log = LOGS[k];
        const size_t n = (size_t)1 << log;
        struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS];
        struct cuda_ntt_tables t = tables_of(log);
        struct ntt_tables *host;
        assert_int_equal(ntt_tables_new(&x, &host, log, NULL), CUZK_OK);
        fr *expected = random_array(n, log), *a = random_array(n, log), *b = random_array(n, log + 100);
        run(sweep, cuda_ntt_extend(sweep, &t, t.block.ptr, NULL, a, NULL));
        ntt_extend(&x, host, expected, log);
        expect_equal(a, expected, n, "extension");
        fr *other = random_array(n, log + 100);
        const struct cuda_ntt_twists twists = twists_of(&t);
        run(sweep, cuda_ntt_extend(sweep, &t, t.block.ptr, &twists, b, a));
        free((void *)(uintptr_t)twists.down);
        ntt_extend(&x, host, other, log);
        for (size_t i = 0; i < n; i++)
            fr_mul(&expected[i], &expected[i], &other[i]);
        expect_equal(b, expected, n, "extension with product");
        free(other);
        free(b);
        free(a);
        free(expected);
        ntt_tables_free(host);
        cuda_ntt_tables_free(&t);
    }
}

/* The least size of three sweeps. */
static void three_sweeps_are_the_hosts(void **state)
{
    (void)state;
    enum { LOG = 20 };
    const size_t n = (size_t)1 << LOG;
    struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS];
    struct cuda_ntt_tables t = tables_of(LOG);
    struct ntt_tables *host;
    assert_int_equal(ntt_tables_new(&x, &host, LOG, NULL), CUZK_OK);
    fr *expected = random_array(n, 1), *a = random_array(n, 1), *b = random_array(n, 1);
    const struct cuda_ntt_twists twists = twists_of(&t);
    run(sweep, cuda_ntt_extend(sweep, &t, t.block.ptr, NULL, a, NULL));
    run(sweep, cuda_ntt_extend(sweep, &t, t.block.ptr, &twists, b, NULL));
    ntt_extend(&x, host, expected, LOG);
    expect_equal(a, expected, n, "extension");
    expect_equal(b, expected, n, "extension with its twists at hand");
    free((void *)(uintptr_t)twists.down);
    free(b);
    free(a);
    free(expected);
    ntt_tables_free(host);
    cuda_ntt_tables_free(&t);
}

/* Any 256 bits times a factor, below 2 r, also at the ends. */
static void products_by_factors_are_products(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (unsigned i = 0; i < 20000; i++) {
        const fr w = random_element(&seed);
        fr a, got, plain = w, expected;
        struct ntt_factor f;
        for (int k = 0; k < FR_LIMBS; k++)
            a.l[k] = i % 5 == 0 ? UINT64_MAX : i % 7 == 0 ? 0 : random_word(&seed);
        ntt_fix_on_host(&f, (const uint32_t *)(const void *)&w);
        ntt_mul_on_host((uint32_t *)(void *)&got, (const uint32_t *)(const void *)&a, &f);
        fr_from_mont(&plain, &w);
        assert_memory_equal(f.plain, &plain, sizeof plain);
        if (!fr_is_canonical(&got))
            fr_reduce_once(&got); /* below 2 r, or this stops in a checked build and differs in others */
        assert_true(fr_is_canonical(&got));
        while (!fr_is_canonical(&a)) {
            uint64_t borrow = 0;
            for (int k = 0; k < FR_LIMBS; k++) {
                const u128 d = (u128)a.l[k] - FR_MODULUS.l[k] - borrow;
                a.l[k] = (uint64_t)d;
                borrow = (uint64_t)(d >> 64) & 1;
            }
        }
        fr_mul(&expected, &a, &w);
        assert_memory_equal(&got, &expected, sizeof got);
    }
}

static void all_levels_are_done(void **state)
{
    (void)state;
    for (unsigned log = CUDA_NTT_MIN_LOG; log <= CUDA_NTT_MAX_LOG; log++) {
        struct cuda_ntt_tables t = tables_of(log);
        struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS];
        unsigned levels = 0;
        const unsigned n = cuda_ntt_extend(sweep, &t, t.block.ptr, NULL, NULL, NULL);
        assert_true(n <= CUDA_NTT_MAX_SWEEPS);
        for (unsigned i = 0; i < n; i++) {
            const struct cuda_ntt_pass *p = &sweep[i].pass;
            assert_in_range(p->levels, NTT_LEVELS_MIN, NTT_LEVELS_MAX);
            assert_true(p->level + p->levels <= log);
            levels += p->down && p->up ? 2 * p->levels : p->levels;
        }
        assert_int_equal(levels, 2 * log);
        cuda_ntt_tables_free(&t);
    }
}

static struct cuzk_error error;

static void ok(cuzk_status status)
{
    if (status != CUZK_OK)
        fail_msg("%s", error.message);
}

static void compare_on_device(struct device *d, struct stream s, unsigned log, bool twists)
{
    const size_t n = (size_t)1 << log, size = n * sizeof(fr);
    struct device_block a, b;
    struct gpu_ntt *gpu;
    struct ntt_tables *host;
    fr *expected = random_array(n, log), *other = random_array(n, log + 100), *got = malloc(size);
    ok(ntt_tables_new(&x, &host, log, &error));
    ok(gpu_ntt_new(&gpu, NULL, d, s, log, twists, &error));
    ok(device_alloc(&a, d, n, sizeof(fr), "a", &error));
    ok(device_alloc(&b, d, n, sizeof(fr), "b", &error));
    ok(device_upload(d, s, a.ptr, expected, size, &error));
    ok(gpu_ntt_forward(gpu, b.ptr, a.ptr, &error));
    ok(device_download(d, s, got, b.ptr, size, &error));
    ok(device_wait(d, s, &error));
    ntt_forward(&x, host, expected, log);
    expect_equal(got, expected, n, "forward transform");
    ok(gpu_ntt_inverse(gpu, a.ptr, b.ptr, &error));
    ok(device_download(d, s, got, a.ptr, size, &error));
    ok(device_wait(d, s, &error));
    ntt_inverse(&x, host, expected, log);
    expect_equal(got, expected, n, "inverse transform");
    ok(device_upload(d, s, b.ptr, other, size, &error));
    ok(gpu_ntt_extend(gpu, a.ptr, 0, &error));
    ok(gpu_ntt_extend(gpu, b.ptr, a.ptr, &error));
    ok(device_download(d, s, got, b.ptr, size, &error));
    ok(device_wait(d, s, &error));
    ntt_extend(&x, host, expected, log);
    ntt_extend(&x, host, other, log);
    for (size_t i = 0; i < n; i++)
        fr_mul(&expected[i], &expected[i], &other[i]);
    expect_equal(got, expected, n, "extensions with product");
    device_free(&a);
    device_free(&b);
    gpu_ntt_free(gpu);
    ntt_tables_free(host);
    free(got);
    free(other);
    free(expected);
}

static void the_device_agrees(void **state)
{
    (void)state;
    struct driver *driver = NULL;
    struct device *d = NULL;
    struct stream s;
    if (driver_open(&driver, &error) != CUZK_OK || device_open(&d, driver, 0, 0, &error) != CUZK_OK) {
        print_message("%s\n", error.message);
        driver_close(driver);
        skip();
    }
    ok(device_stream(&s, d, &error));
    for (unsigned log = CUDA_NTT_MIN_LOG; log <= 22; log++)
        for (int twists = 0; twists < 2; twists++)
            compare_on_device(d, s, log, twists);
    assert_int_equal(device_memory_used(d), 0);
    device_close(d);
    driver_close(driver);
}

static void sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    struct cuda_ntt_tables t;
    assert_int_equal(cuda_ntt_tables_new(&t, NULL, 9, NULL), CUZK_ERR_ARGUMENT);
    assert_int_equal(cuda_ntt_tables_new(&t, NULL, 29, NULL), CUZK_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_by_factors_are_products),
        cmocka_unit_test(transforms_are_the_hosts),
        cmocka_unit_test(extensions_and_products_are_the_hosts),
        cmocka_unit_test(three_sweeps_are_the_hosts),
        cmocka_unit_test(all_levels_are_done),
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(the_device_agrees),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
