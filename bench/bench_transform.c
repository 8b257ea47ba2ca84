/* bench/bench_transform.c - transforms of points of G1, as a conversion of parameters does two of them, on a
 * GPU: both passes at 2^20, 2^22, 2^24 and 2^27 (--min-log, --max-log; above 2^24 only a part of each pass,
 * from which the whole is told). Up to 2^20 the result is compared with the CPU's, which is measured too.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend/cuda/transform.h"
#include "base/pool.h"
#include "bench.h"
#include "curve/encoding.h"
#include "curve/fixed_base.h"

#define DIFFERENT (1u << 16)          /* points, taken at random */
#define WHOLE_LOG 24                  /* above it a part is measured: */
#define PART      ((uint64_t)1 << 23) /* points of a pass */
#define CHECK_LOG 20

struct job {
    struct bench *b;
    struct exec x;
    const struct transform_runner *runner; /* NULL: the CPU */
    g1_affine *points;                     /* DIFFERENT of them */
    uint8_t *encoded;                      /* n, as points are in a parameter file */
    g1_affine *middle, *out;               /* n */
    unsigned log;
    struct transform t;
    uint64_t units;
};

static struct cuzk_error error;

static void need(cuzk_status status)
{
    if (status == CUZK_OK)
        return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

/* Pages come when they are written: most never are. */
static void *need_memory(size_t count, size_t size)
{
    void *p =
        mmap(NULL, count * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED)
        return p;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

static void make_points(struct job *j)
{
    struct g1_fixed *table;
    fr *k = need_memory(DIFFERENT, sizeof *k);
    uint64_t seed = 1;
    for (size_t i = 0; i < DIFFERENT; i++)
        fr_from_u64(&k[i], bench_random(&seed));
    j->points = need_memory(DIFFERENT, sizeof *j->points);
    need(g1_fixed_new(&j->x, &table, &G1_GENERATOR, DIFFERENT, &error));
    need(g1_fixed_mul(&j->x, table, j->points, k, DIFFERENT, &error));
    g1_fixed_free(table);
    munmap(k, DIFFERENT * sizeof *k);
}

static const g1_affine *point(const struct job *j, uint64_t i)
{
    uint64_t seed = i;
    return &j->points[bench_random(&seed) % DIFFERENT];
}

/* The units that are measured, and the points that they read. */
static void choose_units(struct job *j)
{
    const uint64_t all = transform_units(&j->t), n = UINT64_C(1) << j->log;
    j->units = j->log <= WHOLE_LOG ? all : (all * PART + n - 1) / n;
}

static void fill_line(void *ctx, size_t i, unsigned worker)
{
    const struct job *j = ctx;
    const unsigned outer = transform_outer_log(&j->t), inner = transform_inner_log(&j->t);
    const uint64_t lanes = j->units * TRANSFORM_LANES;
    (void)worker;
    for (uint64_t lane = 0; lane < lanes && lane >> outer == 0; lane++) {
        const uint64_t at = j->t.rows ? (lane << inner) + i : ((uint64_t)i << outer) + lane;
        if (j->t.rows)
            j->middle[at] = *point(j, at);
        else
            g1_write_uncompressed(j->encoded + at * G1_UNCOMPRESSED_BYTES, point(j, at));
    }
}

static void run_units(void *ctx)
{
    struct job *j = ctx;
    need(transform_run(&j->t, 0, j->units, &error));
}

/* Nanoseconds for the whole pass. */
static double measure_pass(struct job *j, const char *name, bool fill)
{
    char label[64];
    choose_units(j);
    if (fill)
        pool_run(j->x.pool, fill_line, j, (size_t)1 << transform_inner_log(&j->t));
    const double share = (double)j->units / (double)transform_units(&j->t);
    const uint64_t points = (uint64_t)(share * (double)(UINT64_C(1) << j->log));
    snprintf(label, sizeof label, "transform/%s/%s/2^%u", j->runner ? "gpu" : "cpu", name, j->log);
    const double ns = bench_run(j->b, label, points, pool_threads(j->x.pool), 1, NULL, run_units, j);
    transform_free(&j->t);
    return ns / share;
}

/* false: filtered out. */
static bool measure_size(struct job *j)
{
    const uint64_t n = UINT64_C(1) << j->log;
    const bool whole = j->log <= WHOLE_LOG;
    fr shift;
    fr_inv(&shift, &FR_GENERATOR);
    need(transform_columns(&j->t, &j->x, j->runner, j->log, &shift, &shift, &error));
    j->t.encoded = j->encoded;
    j->t.encoded_count = n - 1;
    j->t.out = j->middle;
    const double columns = measure_pass(j, "columns", true);
    need(transform_rows(&j->t, &j->x, j->runner, j->log, &error));
    j->t.in = j->middle;
    j->t.out = j->out;
    const double rows = measure_pass(j, "rows", !whole);
    if (columns == 0 || rows == 0)
        return false;
    printf("{\"name\":\"transform/%s/whole/2^%u\",\"n\":%llu,\"measured\":%s,\"seconds\":%.3f,"
           "\"commit\":\"%s\"}\n",
           j->runner ? "gpu" : "cpu", j->log, (unsigned long long)n, whole ? "true" : "false",
           1e-9 * (columns + rows), j->b->commit);
    fflush(stdout);
    return true;
}

static void check(struct job *j)
{
    const struct transform_runner *runner = j->runner;
    const size_t bytes = sizeof(g1_affine) << j->log;
    g1_affine *got = j->out;
    j->out = need_memory(1, bytes);
    j->runner = NULL;
    const bool measured = measure_size(j);
    j->runner = runner;
    if (measured && memcmp(got, j->out, bytes) != 0) {
        fprintf(stderr, "the results of GPU and CPU differ at 2^%u\n", j->log);
        exit(1);
    }
    munmap(j->out, bytes);
    j->out = got;
}

static void measure_sizes(struct job *j, unsigned min_log, unsigned max_log)
{
    const size_t most = (size_t)1 << max_log;
    make_points(j);
    j->encoded = need_memory(most, G1_UNCOMPRESSED_BYTES);
    j->middle = need_memory(most, sizeof *j->middle);
    j->out = need_memory(most, sizeof *j->out);
    for (unsigned log = min_log; log <= max_log;) {
        j->log = log;
        if (measure_size(j) && log <= CHECK_LOG)
            check(j);
        log = log < WHOLE_LOG || log == max_log ? log + 2 : max_log;
    }
}

int main(int argc, char **argv)
{
    struct bench b;
    const enum bench_start start = bench_start(&b, argc, argv);
    if (start != BENCH_GO)
        return bench_exit(start);
    const unsigned min_log = b.min_log ? b.min_log : CHECK_LOG, max_log = b.max_log ? b.max_log : 27;
    if (max_log > 28 || min_log > max_log) {
        fprintf(stderr, "sizes are up to 2^28\n");
        return 2;
    }
    struct job j = {.b = &b};
    struct driver *driver;
    struct device *device;
    struct gpu_transform *g;
    need(driver_open(&driver, &error));
    need(device_open(&device, driver, 0, 0, &error));
    need(pool_new(&j.x.pool, b.threads, &error));
    j.x.variant = b.variant;
    need(gpu_transform_new(&g, device, 0, &error));
    j.runner = gpu_transform_runner(g);
    measure_sizes(&j, min_log, max_log);
    gpu_transform_free(g);
    device_close(device);
    driver_close(driver);
    pool_free(j.x.pool);
    return 0;
}
