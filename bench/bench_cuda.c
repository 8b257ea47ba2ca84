/* bench/bench_cuda.c - sums on a GPU: uniform scalars in G1 and G2, plain sums of half the points, ten sums
 * under masks and ten uniform ones at once, and multiples of the generators; sizes 2^16, 2^20, 2^22, 2^24
 * (--min-log, --max-log; every second size). Every first result is checked against the points' logarithms,
 * which are known. --only trace (or g1/trace, g2/trace): the sums of scalars, and the time of each kernel,
 * run one after another.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/cuda/device.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/fixed.h"
#include "backend/cuda/msm.h"
#include "backend/cuda/msm_args.h"
#include "base/pool.h"
#include "bench.h"
#include "curve/fixed_base.h"

#define LEFT     (1u << 14) /* points[i] = left[i % LEFT] + right[i / LEFT] */
#define RIGHT    (1u << 13)
#define MASKS    10
#define MAX_REPS 50

struct job {
    struct bench *b;
    struct exec x;
    struct device *device;
    struct stream stream;
    unsigned group;
    size_t n;
    fr *left, *right, *scalars;
    uint32_t *bits[MASKS];
    struct device_block points, scalars_on, bits_on[MASKS];
    struct gpu_msm *msm;
    struct gpu_fixed *fixed;
    struct device_block multiples, scratch;
};

static struct cuzk_error error;

static void need(cuzk_status status)
{
    if (status == CUZK_OK)
        return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

static void *need_memory(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (p)
        return p;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* -- the time of each kernel: the driver's table with two functions in between -- */

#define MAX_KERNELS 64
static struct trace {
    const struct driver *real;
    bool on;
    unsigned kernels;
    struct {
        cu_function function;
        char name[40];
        double ms;
        unsigned calls;
    } kernel[MAX_KERNELS];
} trace;

static cu_result traced_function(cu_function *out, cu_module module, const char *name)
{
    const cu_result result = trace.real->module_function(out, module, name);
    if (result == CU_SUCCESS && trace.kernels < MAX_KERNELS) {
        trace.kernel[trace.kernels].function = *out;
        snprintf(trace.kernel[trace.kernels++].name, sizeof trace.kernel[0].name, "%s", name);
    }
    return result;
}

static cu_result traced_launch(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                               cu_stream stream, void **arguments, void **extra)
{
    if (trace.on)
        (void)trace.real->stream_synchronize(stream);
    const double start = now_ms();
    const cu_result result = trace.real->launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                                shared, stream, arguments, extra);
    if (!trace.on)
        return result;
    (void)trace.real->stream_synchronize(stream);
    for (unsigned i = 0; i < trace.kernels; i++)
        if (trace.kernel[i].function == function) {
            trace.kernel[i].ms += now_ms() - start;
            trace.kernel[i].calls++;
        }
    return result;
}

static void trace_print(const struct job *j)
{
    for (unsigned i = 0; i < trace.kernels; i++) {
        if (trace.kernel[i].calls)
            printf("{\"name\":\"trace/%s\",\"n\":%zu,\"calls\":%u,\"ms\":%.3f}\n", trace.kernel[i].name, j->n,
                   trace.kernel[i].calls, trace.kernel[i].ms);
        trace.kernel[i].ms = 0;
        trace.kernel[i].calls = 0;
    }
}

/* -- inputs -- */

static void random_scalars(fr *out, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        do {
            for (int l = 0; l < FR_LIMBS; l++)
                out[i].l[l] = bench_random(&seed);
            out[i].l[3] >>= 1;
        } while (!fr_is_canonical(&out[i]));
}

static void alloc(struct device_block *out, struct job *j, size_t count, size_t size)
{
    need(device_alloc(out, j->device, count, size, "a benchmark", &error));
}

static void upload(struct job *j, uint64_t to, const void *from, size_t size)
{
    need(device_upload(j->device, j->stream, to, from, size, &error));
    need(device_wait(j->device, j->stream, &error));
}

static void multiples(struct job *j, void *out, const fr *k, size_t n)
{
    if (j->group == 1) {
        struct g1_fixed *table;
        need(g1_fixed_new(&j->x, &table, &G1_GENERATOR, n, &error));
        need(g1_fixed_mul(&j->x, table, out, k, n, &error));
        g1_fixed_free(table);
    } else {
        struct g2_fixed *table;
        need(g2_fixed_new(&j->x, &table, &G2_GENERATOR, n, &error));
        need(g2_fixed_mul(&j->x, table, out, k, n, &error));
        g2_fixed_free(table);
    }
}

static void make_points(struct job *j, size_t n)
{
    const size_t size = j->group == 1 ? sizeof(g1_affine) : sizeof(g2_affine);
    struct device_block left, right;
    void *few = need_memory(LEFT, size);
    alloc(&left, j, LEFT, size);
    alloc(&right, j, RIGHT, size);
    alloc(&j->points, j, n, size);
    multiples(j, few, j->left, LEFT);
    upload(j, left.ptr, few, LEFT * size);
    multiples(j, few, j->right, RIGHT);
    upload(j, right.ptr, few, RIGHT * size);
    const struct points_table_args a = {
        .left = left.ptr, .right = right.ptr, .out = j->points.ptr, .out_count = n, .count = LEFT};
    const struct launch launch = {.kernel = j->group == 1 ? "points_g1_table" : "points_g2_table",
                                  .grid = {(uint32_t)((n + 511) / 512)},
                                  .block = 64};
    const double start = now_ms();
    need(device_launch(j->device, j->stream, &launch, &a, &error));
    need(device_wait(j->device, j->stream, &error));
    fprintf(stderr, "%zu points of group %u in %.1f ms\n", n, j->group, now_ms() - start);
    device_free(&left);
    device_free(&right);
    free(few);
}

/* -- checks: sum_i k_i (left + right) of the logarithms, times the generator -- */

static fr log_of(const struct job *j, const fr *k, const uint32_t *bits)
{
    fr *by_left = need_memory(LEFT, sizeof(fr)), *by_right = need_memory(RIGHT, sizeof(fr)), sum = FR_ZERO, t;
    for (size_t i = 0; i < j->n; i++) {
        if (bits && !(bits[i / 32] >> (i % 32) & 1))
            continue;
        const fr *term = bits ? &FR_ONE : &k[i];
        fr_add(&by_left[i % LEFT], &by_left[i % LEFT], term);
        fr_add(&by_right[i / LEFT], &by_right[i / LEFT], term);
    }
    for (size_t i = 0; i < LEFT; i++) {
        fr_mul(&t, &by_left[i], &j->left[i]);
        fr_add(&sum, &sum, &t);
    }
    for (size_t i = 0; i < RIGHT; i++) {
        fr_mul(&t, &by_right[i], &j->right[i]);
        fr_add(&sum, &sum, &t);
    }
    free(by_left);
    free(by_right);
    return sum;
}

union sum {
    g1 g1;
    g2 g2;
};

static void check(const struct job *j, const void *got, const fr *log)
{
    union sum want, base;
    bool same;
    if (j->group == 1) {
        g1_from_affine(&base.g1, &G1_GENERATOR);
        g1_mul(&want.g1, &base.g1, log);
        same = g1_equal(got, &want.g1);
    } else {
        g2_from_affine(&base.g2, &G2_GENERATOR);
        g2_mul(&want.g2, &base.g2, log);
        same = g2_equal(got, &want.g2);
    }
    if (same)
        return;
    printf("{\"error\":\"a wrong sum\",\"group\":%u,\"n\":%zu}\n", j->group, j->n);
    fflush(stdout);
}

/* -- measurements -- */

static void run_uniform(struct job *j, void *out)
{
    need(gpu_msm_add(j->msm, j->points.ptr, &j->scalars_on.ptr, j->n, &error));
    need(gpu_msm_finish(j->msm, out, &error));
}

static void run_select(struct job *j, void *out)
{
    need(gpu_msm_add_masks(j->msm, j->points.ptr, &j->bits_on[0].ptr, j->n, &error));
    need(gpu_msm_finish(j->msm, out, &error));
}

/* Over the same points, by different scalars. */
static void run_several(struct job *j, void *out)
{
    uint64_t scalars[MASKS];
    for (uint64_t m = 0; m < MASKS; m++)
        scalars[m] = j->scalars_on.ptr + m * j->n * sizeof(fr);
    need(gpu_msm_add(j->msm, j->points.ptr, scalars, j->n, &error));
    need(gpu_msm_finish(j->msm, out, &error));
}

static void run_masks(struct job *j, void *out)
{
    uint64_t bits[MASKS];
    for (int m = 0; m < MASKS; m++)
        bits[m] = j->bits_on[m].ptr;
    need(gpu_msm_add_masks(j->msm, j->points.ptr, bits, j->n, &error));
    need(gpu_msm_finish(j->msm, out, &error));
}

static void run_multiples(struct job *j, void *out)
{
    (void)out;
    need(gpu_fixed_mul(j->fixed, j->stream, j->group, j->multiples.ptr, j->scalars_on.ptr, j->scratch.ptr,
                       j->n, &error));
    need(device_wait(j->device, j->stream, &error));
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(struct job *j, const char *kind, void (*run)(struct job *, void *), void *out)
{
    double ms[MAX_REPS];
    unsigned reps = j->b->reps ? j->b->reps : j->n > 1u << 25 ? 3 : 7;
    reps = reps < MAX_REPS ? reps : MAX_REPS;
    for (unsigned r = 0; r < reps; r++) {
        const double start = now_ms();
        run(j, out);
        ms[r] = now_ms() - start;
    }
    qsort(ms, reps, sizeof ms[0], compare);
    const struct device_info *info = device_info(j->device);
    printf("{\"name\":\"gpu/g%u/%s\",\"version\":\"%s\",\"commit\":\"%s\",\"gpu\":\"%s\",\"n\":%zu,"
           "\"reps\":%u,\"min_ms\":%.3f,\"median_ms\":%.3f,\"p90_ms\":%.3f,\"device_bytes\":%llu}\n",
           j->group, kind, CUZK_VERSION, j->b->commit, info->name, j->n, reps, ms[0], ms[reps / 2],
           ms[reps * 9 / 10], (unsigned long long)device_memory_used(j->device));
    fflush(stdout);
}

static bool wanted(const struct job *j, const char *kind)
{
    char name[32];
    snprintf(name, sizeof name, "g%u/%s", j->group, kind);
    if (!strstr(j->b->filter, "trace"))
        return strstr(name, j->b->filter) != NULL;
    return strcmp(kind, "uniform") == 0 && (j->b->filter[0] != 'g' || strncmp(name, j->b->filter, 2) == 0);
}

#define COMPARED 1000 /* multiples */

static void measure_multiples(struct job *j)
{
    const size_t size = j->group == 1 ? sizeof(g1_affine) : sizeof(g2_affine);
    const size_t n = j->n < COMPARED ? j->n : COMPARED;
    uint8_t *got = need_memory(n, size), *want = need_memory(n, size);
    alloc(&j->multiples, j, j->n, size);
    alloc(&j->scratch, j, j->n, gpu_fixed_scratch(j->group));
    const double start = now_ms();
    need(gpu_fixed_new(&j->fixed, j->device, 16, NULL, &error));
    fprintf(stderr, "tables of multiples in %.1f ms\n", now_ms() - start);
    run_multiples(j, NULL);
    need(device_download(j->device, j->stream, got, j->multiples.ptr + (j->n - n) * size, n * size, &error));
    need(device_wait(j->device, j->stream, &error));
    multiples(j, want, j->scalars + (j->n - n), n);
    if (memcmp(got, want, n * size) != 0)
        printf("{\"error\":\"a wrong multiple\",\"group\":%u,\"n\":%zu}\n", j->group, j->n);
    measure(j, "multiples", run_multiples, NULL);
    gpu_fixed_free(j->fixed);
    device_free(&j->multiples);
    device_free(&j->scratch);
    free(got);
    free(want);
}

static void measure_size(struct job *j)
{
    union sum out[MASKS];
    g1 several_g1[MASKS];
    g2 several_g2[MASKS];
    void *several = j->group == 1 ? (void *)several_g1 : (void *)several_g2;
    if (wanted(j, "uniform")) {
        need(gpu_msm_new(&j->msm, j->device, j->stream, j->group, 1, j->n, 0, &error));
        run_uniform(j, out);
        const fr log = log_of(j, j->scalars, NULL);
        check(j, out, &log);
        measure(j, "uniform", run_uniform, out);
        if (strstr(j->b->filter, "trace")) {
            trace.on = true;
            run_uniform(j, out);
            trace.on = false;
            trace_print(j);
        }
        gpu_msm_free(j->msm);
    }
    fr logs[MASKS];
    if (wanted(j, "select") || wanted(j, "masks"))
        for (int m = 0; m < MASKS; m++)
            logs[m] = log_of(j, NULL, j->bits[m]);
    if (wanted(j, "select")) {
        need(gpu_msm_new_masks(&j->msm, j->device, j->stream, j->group, 1, j->n, 0, &error));
        run_select(j, out);
        check(j, out, &logs[0]);
        measure(j, "select", run_select, out);
        gpu_msm_free(j->msm);
    }
    if (wanted(j, "masks")) {
        need(gpu_msm_new_masks(&j->msm, j->device, j->stream, j->group, MASKS, j->n, 0, &error));
        run_masks(j, several);
        for (int m = 0; m < MASKS; m++)
            check(j, j->group == 1 ? (void *)&several_g1[m] : (void *)&several_g2[m], &logs[m]);
        measure(j, "masks10", run_masks, several);
        gpu_msm_free(j->msm);
    }
    if (wanted(j, "several") && j->n * MASKS <= j->scalars_on.size / sizeof(fr)) {
        need(gpu_msm_new(&j->msm, j->device, j->stream, j->group, MASKS, j->n, 0, &error));
        run_several(j, several);
        for (size_t m = 0; m < MASKS; m++) {
            const fr log = log_of(j, j->scalars + m * j->n, NULL);
            check(j, j->group == 1 ? (void *)&several_g1[m] : (void *)&several_g2[m], &log);
        }
        measure(j, "several10", run_several, several);
        gpu_msm_free(j->msm);
    }
    if (wanted(j, "multiples"))
        measure_multiples(j);
}

static void measure_group(struct job *j, unsigned min_log, unsigned max_log)
{
    if (!wanted(j, "uniform") && !wanted(j, "select") && !wanted(j, "masks") && !wanted(j, "several") &&
        !wanted(j, "multiples"))
        return;
    make_points(j, (size_t)1 << max_log);
    for (unsigned log = min_log; log <= max_log;
         log = log + 2 > max_log && log < max_log ? max_log : log + 2) {
        j->n = (size_t)1 << log;
        measure_size(j);
    }
    device_free(&j->points);
}

int main(int argc, char **argv)
{
    struct bench b;
    const enum bench_start start = bench_start(&b, argc, argv);
    if (start != BENCH_GO)
        return bench_exit(start);
    const unsigned min_log = b.min_log ? b.min_log : 16, max_log = b.max_log ? b.max_log : 24;
    if (min_log < 5 || max_log > 27 || min_log > max_log) {
        fprintf(stderr, "sizes are 2^5 to 2^27\n");
        return 2;
    }
    struct job j = {.b = &b};
    struct driver *driver;
    if (driver_open(&driver, &error) != CUZK_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    struct driver traced = *driver;
    trace.real = driver;
    traced.module_function = traced_function;
    traced.launch = traced_launch;
    need(device_open(&j.device, &traced, 0, 0, &error));
    need(device_stream(&j.stream, j.device, &error));
    need(pool_new(&j.x.pool, b.threads, &error));
    j.x.variant = cpu_best();
    const size_t n = (size_t)1 << max_log;
    j.left = need_memory(LEFT, sizeof(fr));
    j.right = need_memory(RIGHT, sizeof(fr));
    j.scalars = need_memory(n, sizeof(fr));
    random_scalars(j.left, LEFT, 1);
    random_scalars(j.right, RIGHT, 2);
    random_scalars(j.scalars, n, 3);
    alloc(&j.scalars_on, &j, n, sizeof(fr));
    upload(&j, j.scalars_on.ptr, j.scalars, n * sizeof(fr));
    uint64_t seed = 4;
    for (int m = 0; m < MASKS; m++) {
        j.bits[m] = need_memory(n / 32, 4);
        /* a third is the same in all, as much is in proofs of one circuit */
        for (size_t i = 0; i < n / 32; i++)
            j.bits[m][i] = m > 0 && i % 3 == 0 ? j.bits[0][i] : (uint32_t)bench_random(&seed);
        alloc(&j.bits_on[m], &j, n / 32, 4);
        upload(&j, j.bits_on[m].ptr, j.bits[m], n / 8);
    }
    for (j.group = 1; j.group <= 2; j.group++)
        measure_group(&j, min_log, j.group == 2 && max_log > 26 ? 26 : max_log);
    device_close(j.device);
    driver_close(driver);
    return 0;
}
