/* Sums on a GPU against the CPU's: sizes from none up, in pieces, with infinite, equal and opposite points
 * and with scalars that fill one bucket; plain sums under masks; the memory ledger, failures, and a device
 * opened anew. Built twice: for the GPU, where there is one and there are kernels for it, and for a driver
 * whose device is the host (GPU_ON_HOST), with small sums that are cut as large ones are on a GPU.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve_testing.h"

#include <stdlib.h>

#include "backend/cuda/device.h"
#include "backend/cuda/msm.h"
#include "backend/cuda/msm_plan.h"
#include "base/pool.h"
#include "curve/fixed_base.h"
#include "msm/msm.h"

#ifdef GPU_ON_HOST
#include "cuda_host_driver.h"
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define BRIEF 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define BRIEF 1 /* each kernel's ways once */
#endif
#endif
#ifndef BRIEF
#define BRIEF 0
#endif
#define MOST           (1 << (BRIEF ? 8 : 10))
#define CHUNK_MOST     (MOST / 2)
#define CHUNK_LEAST    (MOST / 8)
#define GROUP_ELEMENTS (8 * MOST)
#define GROUP_OF_MANY  (64 * MOST)
#define GROUP_BUCKETS  (UINT32_C(1) << 14)
#define TREE_ELEMENTS  (4 * MOST)
#define TREE_AVERAGE   4
#define TREE_WAIT      16
#define LEAST_TASKS    (MOST / 8)
#define AFFINE_PAIRS   (MOST / 32)
#include "backend/cuda/msm_plan.c"
#define CHUNKS_MEMORY ((UINT64_C(16) << 20) + 2048 * MOST) /* so little that points come in chunks */
#define FEW           40
#define MANY          7
#else
#define BRIEF         0
#define MOST          (1 << 20)
#define CHUNKS_MEMORY (UINT64_C(256) << 20)
#define FEW           1000
#define MANY          GPU_MSM_MOST
#endif

static struct cuzk_error error;
static const struct driver *driver;
static struct driver *real_driver;
static struct device *device; /* NULL: skip */
static struct stream stream;
static struct exec x;

static union {
    g1_affine g1[MOST];
    g2_affine g2[MOST];
} * points;
static fr *scalars;
static struct device_block on_device[3]; /* points of G1, of G2, scalars */

#define OK(call)                                                                                             \
    do {                                                                                                     \
        if ((call) != CUZK_OK)                                                                               \
            fail_msg("%s", error.message);                                                                   \
    } while (0)

static void make_points(unsigned group)
{
    if (group == 1) {
        struct g1_fixed *table;
        OK(g1_fixed_new(&x, &table, &G1_GENERATOR, MOST, &error));
        OK(g1_fixed_mul(&x, table, points->g1, scalars, MOST, &error));
        g1_fixed_free(table);
        memset(&points->g1[5], 0, sizeof(g1_affine));
        points->g1[7] = points->g1[6];
        points->g1[9] = points->g1[8];
        fp_neg(&points->g1[9].y, &points->g1[9].y);
    } else {
        struct g2_fixed *table;
        OK(g2_fixed_new(&x, &table, &G2_GENERATOR, MOST, &error));
        OK(g2_fixed_mul(&x, table, points->g2, scalars, MOST, &error));
        g2_fixed_free(table);
        memset(&points->g2[5], 0, sizeof(g2_affine));
        points->g2[7] = points->g2[6];
        points->g2[9] = points->g2[8];
        fp2_neg(&points->g2[9].y, &points->g2[9].y);
    }
}

static size_t point_size(unsigned group)
{
    return group == 1 ? sizeof(g1_affine) : sizeof(g2_affine);
}

static void upload(uint64_t to, const void *from, size_t size)
{
    OK(device_upload(device, stream, to, from, size, &error));
    OK(device_wait(device, stream, &error));
}

static int start(void **unused)
{
    (void)unused;
#ifdef GPU_ON_HOST
    driver = &HOST_DRIVER;
#else
    if (driver_open(&real_driver, &error) == CUZK_OK)
        driver = real_driver;
#endif
    if (!driver || device_open(&device, driver, 0, 0, &error) != CUZK_OK) {
        print_message("skipped: %s\n", error.message);
        return 0;
    }
    x.variant = cpu_best();
    OK(pool_new(&x.pool, 0, &error));
    OK(device_stream(&stream, device, &error));
    points = malloc(sizeof *points);
    scalars = malloc(MOST * sizeof *scalars);
    assert_true(points && scalars);
    uint64_t state = 11;
    for (int i = 0; i < MOST; i++)
        test_random_fr(&scalars[i], &state);
    OK(device_alloc(&on_device[0], device, MOST, sizeof(g1_affine), "points", &error));
    OK(device_alloc(&on_device[1], device, MOST, sizeof(g2_affine), "points", &error));
    OK(device_alloc(&on_device[2], device, MOST, sizeof(fr), "scalars", &error));
    return 0;
}

static int stop(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3 && device; i++)
        device_free(&on_device[i]);
    device_close(device);
    driver_close(real_driver);
    pool_free(x.pool);
    free(points);
    free(scalars);
    return 0;
}

static void assert_same(unsigned group, const void *got, const void *want)
{
    assert_true(group == 1 ? g1_equal(got, want) : g2_equal(got, want));
}

union sum {
    g1 g1;
    g2 g2;
};

static void cpu_sum(union sum *out, unsigned group, const fr *k, size_t n)
{
    const struct msm_points p = {.affine = points, .count = n};
    const struct msm_scalars s = {.k = k, .count = n};
    if (group == 1)
        OK(msm_g1(&x, &out->g1, &p, &s, &error));
    else
        OK(msm_g2(&x, &out->g2, &p, &s, &error));
}

/* Several sums over the same points: the scalars of each begin one further on. */
static void check_sums(unsigned group, unsigned count_sums, const fr *k, size_t n, size_t pieces,
                       uint64_t memory)
{
    struct gpu_msm *m;
    g1 first[GPU_MSM_MOST];
    g2 second[GPU_MSM_MOST];
    union sum want;
    upload(on_device[2].ptr, k, (n + count_sums - 1) * sizeof *k);
    OK(gpu_msm_new(&m, device, stream, group, count_sums, n, memory, &error));
    for (int round = 0; round < 2 - BRIEF; round++) {
        for (size_t i = 0; i < pieces; i++) {
            const size_t from = n * i / pieces, count = n * (i + 1) / pieces - from;
            uint64_t at[GPU_MSM_MOST];
            for (unsigned j = 0; j < count_sums; j++)
                at[j] = on_device[2].ptr + (from + j) * sizeof(fr);
            OK(gpu_msm_add(m, on_device[group - 1].ptr + from * point_size(group), at, count, &error));
        }
        OK(gpu_msm_finish(m, group == 1 ? (void *)first : (void *)second, &error));
        for (unsigned j = 0; j < count_sums; j++) {
            cpu_sum(&want, group, k + j, n);
            assert_same(group, group == 1 ? (void *)&first[j] : (void *)&second[j], &want);
        }
    }
    gpu_msm_free(m);
}

static void check_sum(unsigned group, const fr *k, size_t n, size_t pieces, uint64_t memory)
{
    check_sums(group, 1, k, n, pieces, memory);
}

static void sums(unsigned group)
{
    static const size_t SIZES[] = {0, 1, 2, 3, 10, 33, MOST / 256, MOST / 16 + 1, MOST - 7};
    if (!device)
        skip();
    make_points(group);
    upload(on_device[group - 1].ptr, points, MOST * point_size(group));
    check_sums(group, 5, scalars, MOST - 7, 2, 0); /* trees, merged */
    check_sums(group, MANY, scalars, MOST / 4, 1, 0);
    check_sum(group, scalars, 33, 1, 0);
    if (BRIEF)
        return;
    for (size_t i = 0; i < ARRAY_LEN(SIZES); i++)
        check_sum(group, scalars, SIZES[i], 1, 0);
    check_sum(group, scalars, MOST / 15, 3, 0);
    check_sum(group, scalars, MOST / 4, 1, CHUNKS_MEMORY);
    check_sums(group, 3, scalars, MOST / 209, 2, 0);
}

static void sums_in_g1(void **unused)
{
    (void)unused;
    sums(1);
}

static void sums_in_g2(void **unused)
{
    (void)unused;
    sums(2);
}

/* Scalars that are all 1, all r - 1, all the same, 0 or small: buckets with nearly all points. */
static void uneven_scalars(void **unused)
{
    (void)unused;
    if (!device || BRIEF)
        skip();
    fr *k = malloc(MOST * sizeof *k);
    assert_non_null(k);
    make_points(1);
    upload(on_device[0].ptr, points, MOST * sizeof(g1_affine));
    const size_t n = MOST; /* trees of affine additions begin below it */
    for (int kind = 0; kind < 5; kind++) {
        for (size_t i = 0; i < n; i++) {
            k[i] = kind == 4 ? FR_ZERO : kind == 2 ? scalars[0] : FR_ONE;
            if (kind == 1)
                fr_neg(&k[i], &k[i]);
            if (kind == 3)
                fr_from_u64(&k[i], i % 3);
        }
        check_sum(1, k, n, 1, 0);
    }
    /* all points the same: every addition in a bucket is a doubling or meets the same x */
    for (size_t i = 1; i < n; i++)
        points->g1[i] = points->g1[0];
    upload(on_device[0].ptr, points, n * sizeof(g1_affine));
    check_sum(1, scalars, n, 1, 0);
    free(k);
}

/* Fewer points than a word has bits, and than there are buckets; what stands beyond does not count. */
static void one_of_few(unsigned group, const uint64_t *bits, uint64_t address)
{
    static const size_t COUNTS[] = {0, 1, 31, 77, MOST / 2 + 1};
    for (size_t i = 0; i < ARRAY_LEN(COUNTS); i++) {
        struct gpu_msm *m;
        union sum got, want;
        fr *k = calloc(COUNTS[i] + 1, sizeof *k);
        assert_non_null(k);
        for (size_t j = 0; j < COUNTS[i]; j++)
            k[j] = bits[j / 64] >> (j % 64) & 1 ? FR_ONE : FR_ZERO;
        cpu_sum(&want, group, k, COUNTS[i]);
        free(k);
        OK(gpu_msm_new_masks(&m, device, stream, group, 1, COUNTS[i], 0, &error));
        OK(gpu_msm_add_masks(m, on_device[group - 1].ptr, &address, COUNTS[i], &error));
        OK(gpu_msm_finish(m, &got, &error));
        assert_same(group, &got, &want);
        gpu_msm_free(m);
    }
}

static void masks(unsigned group)
{
    enum { ARRAYS = 5, WORDS = MOST / 64 };
    if (!device)
        skip();
    make_points(group);
    upload(on_device[group - 1].ptr, points, MOST * point_size(group));
    static uint64_t bits[ARRAYS][WORDS];
    uint64_t state = 17;
    for (int j = 0; j < ARRAYS; j++)
        for (int i = 0; i < WORDS; i++)
            bits[j][i] = j == 0 ? UINT64_MAX : j == 1 ? 0 : test_random(&state);
    struct device_block block;
    OK(device_alloc(&block, device, ARRAYS, sizeof bits[0], "bits", &error));
    upload(block.ptr, bits, sizeof bits);
    union sum want[ARRAYS], got;
    g1 several_g1[ARRAYS];
    g2 several_g2[ARRAYS];
    uint64_t addresses[ARRAYS];
    for (int j = 0; j < ARRAYS; j++) {
        const struct msm_points p = {.affine = points, .count = MOST};
        if (group == 1)
            OK(msm_g1_select(&x, &want[j].g1, &p, bits[j], &error));
        else
            OK(msm_g2_select(&x, &want[j].g2, &p, bits[j], &error));
        addresses[j] = block.ptr + (uint64_t)j * sizeof bits[0];
        /* alone: whole and in pieces */
        for (size_t pieces = 1; pieces <= 3; pieces += 2) {
            struct gpu_msm *m;
            OK(gpu_msm_new_masks(&m, device, stream, group, 1, MOST, 0, &error));
            for (size_t i = 0; i < pieces; i++) {
                const size_t from = MOST * i / pieces / 64 * 64, to = MOST * (i + 1) / pieces / 64 * 64;
                const uint64_t at = addresses[j] + from / 8;
                OK(gpu_msm_add_masks(m, on_device[group - 1].ptr + from * point_size(group), &at, to - from,
                                     &error));
            }
            OK(gpu_msm_finish(m, &got, &error));
            assert_same(group, &got, &want[j]);
            gpu_msm_free(m);
        }
    }
    one_of_few(group, bits[2], addresses[2]);
    for (unsigned memory = 0; memory < 2; memory++) {
        struct gpu_msm *m;
        OK(gpu_msm_new_masks(&m, device, stream, group, ARRAYS, MOST, (uint64_t)memory << 26, &error));
        OK(gpu_msm_add_masks(m, on_device[group - 1].ptr, addresses, MOST, &error));
        OK(gpu_msm_finish(m, group == 1 ? (void *)several_g1 : (void *)several_g2, &error));
        for (int j = 0; j < ARRAYS; j++)
            assert_same(group, group == 1 ? (void *)&several_g1[j] : (void *)&several_g2[j], &want[j]);
        gpu_msm_free(m);
    }
    device_free(&block);
}

static void masks_in_g1(void **unused)
{
    (void)unused;
    masks(1);
}

static void masks_in_g2(void **unused)
{
    (void)unused;
    masks(2);
}

/* Each call of the driver that a sum makes, failing: an error, nothing lost, the next sum right. */
static void failures_are_survived(void **unused)
{
    (void)unused;
    if (!device)
        skip();
    make_points(1);
    upload(on_device[0].ptr, points, FEW * sizeof(g1_affine));
    upload(on_device[2].ptr, scalars, FEW * sizeof(fr));
    const uint64_t used = device_memory_used(device);
    union sum got, want;
    cpu_sum(&want, 1, scalars, FEW);
    for (unsigned n = 1;; n++) {
        struct gpu_msm *m = NULL;
        device_fail_after(device, n, 2); /* out of memory: harmless */
        cuzk_status status = gpu_msm_new(&m, device, stream, 1, 1, FEW, 0, &error);
        if (status == CUZK_OK)
            status = gpu_msm_add(m, on_device[0].ptr, &on_device[2].ptr, FEW, &error);
        if (status == CUZK_OK)
            status = gpu_msm_finish(m, &got, &error);
        device_fail_after(device, 0, 0);
        gpu_msm_free(m);
        assert_int_equal(device_memory_used(device), used);
        assert_false(device_retired(device));
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_ERR_MEMORY);
    }
    assert_same(1, &got, &want);
}

#ifndef GPU_ON_HOST
/* A kernel that reads where nothing is kills the context, not the process. Where the driver lets the device
 * be opened anew, it works again; where it refuses for the rest of the process, the device stays retired. */
static void a_killed_kernel_is_survived(void **unused)
{
    (void)unused;
    if (!device)
        skip();
    struct gpu_msm *m;
    union sum got;
    OK(gpu_msm_new(&m, device, stream, 1, 1, 1000, 0, &error));
    cuzk_status status = gpu_msm_add(m, UINT64_C(1) << 60, &on_device[2].ptr, 1000, &error);
    if (status == CUZK_OK)
        status = gpu_msm_finish(m, &got, &error);
    assert_int_equal(status, CUZK_ERR_DEVICE);
    assert_true(device_retired(device));
    assert_int_equal(device_wait(device, stream, &error), CUZK_ERR_DEVICE);
    gpu_msm_free(m);
    for (int i = 0; i < 3; i++)
        device_free(&on_device[i]);
    status = device_reopen(device, &error);
    assert_int_equal(device_memory_used(device), 0);
    if (status != CUZK_OK) {
        print_message("not opened anew: %s\n", error.message);
        assert_int_equal(status, CUZK_ERR_DEVICE);
        assert_true(device_retired(device));
        return;
    }
    OK(device_stream(&stream, device, &error));
    OK(device_alloc(&on_device[0], device, 1000, sizeof(g1_affine), "points", &error));
    OK(device_alloc(&on_device[2], device, 1000, sizeof(fr), "scalars", &error));
    make_points(1);
    upload(on_device[0].ptr, points, 1000 * sizeof(g1_affine));
    check_sum(1, scalars, 1000, 1, 0);
}
#endif

#ifdef GPU_ON_HOST
static void all_kernels_ran(void **unused)
{
    (void)unused;
    const char *left = cuda_kernel_unused("msm_");
    left = left ? left : cuda_kernel_unused("tree_");
    if (left)
        fail_msg("%s did not run", left);
}
#endif

/* Plans, which need no GPU: within memory, with all bits in windows, few enough buckets for the sort. */
static void plans_hold(void **unused)
{
    (void)unused;
    for (unsigned log = 0; log <= 28; log++)
        for (unsigned memory = 20; memory <= 36; memory += 2) {
            const unsigned sums = 1 + (log + memory) % GPU_MSM_MOST;
            struct gpu_msm_plan p = {.sums = 0};
            if (!gpu_msm_plan_make(&p, 192, sums, UINT64_C(1) << log, UINT64_C(1) << memory)) {
                assert_true(memory <= (sums == 1 ? 24 : 30));
                continue;
            }
            assert_true(p.bytes <= UINT64_C(1) << memory);
            assert_int_equal(p.offset[p.windows - 1] + p.width[p.windows - 1], 256);
            assert_true(p.chunk > 0 && p.windows <= MSM_MAX_WINDOWS && p.segments == sums * p.windows &&
                        p.segments <= MSM_MAX_SEGMENTS && p.affine_levels < p.levels);
            uint32_t next = 0;
            for (uint32_t w = 0; w < p.segments; w++) { /* pairs of buckets until the last level */
                assert_int_equal(p.first_bucket[w] % (UINT32_C(1) << p.levels), 0);
                assert_true(p.first_bucket[w] < p.first_bucket[w + 1]);
            }
            for (uint32_t g = 0; g < p.groups; g++) {
                assert_int_equal(p.group[g].first, next);
                assert_true(p.group[g].bins <= MSM_MAX_BINS && 1u << p.group[g].low_bits <= MSM_MAX_LOW);
                assert_true((uint64_t)p.group[g].bins << p.group[g].low_bits >= p.group[g].buckets);
                next = p.group[g].end;
            }
            assert_int_equal(next, p.segments);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_hold),
        cmocka_unit_test(sums_in_g1),
        cmocka_unit_test(sums_in_g2),
        cmocka_unit_test(uneven_scalars),
        cmocka_unit_test(masks_in_g1),
        cmocka_unit_test(masks_in_g2),
        cmocka_unit_test(failures_are_survived),
#ifdef GPU_ON_HOST
        cmocka_unit_test(all_kernels_ran),
#else
        cmocka_unit_test(a_killed_kernel_is_survived),
#endif
    };
    return cmocka_run_group_tests(tests, start, stop);
}
