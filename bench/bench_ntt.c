/* bench/bench_ntt.c - transforms of 2^16 to 2^22 elements (--min-log, --max-log).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "bench.h"
#include "ntt/ntt.h"

typedef void transform(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log);

static const struct {
    const char *name;
    transform *run;
} transforms[] = {
    {"ntt_forward", ntt_forward},
    {"ntt_inverse", ntt_inverse},
    {"ntt_coset_forward", ntt_coset_forward},
    {"ntt_coset_inverse", ntt_coset_inverse},
    {"ntt_extend", ntt_extend},
};

struct job {
    struct exec x;
    const struct ntt_tables *tables;
    fr *a;
    unsigned log;
    transform *run;
};

static void run(void *ctx)
{
    const struct job *j = ctx;
    j->run(&j->x, j->tables, j->a, j->log);
}

static void measure(struct bench *b, struct job *j, unsigned threads)
{
    for (unsigned log = b->min_log ? b->min_log : 16; log <= b->max_log; log += 2) {
        j->log = log;
        for (size_t i = 0; i < ARRAY_LEN(transforms); i++) {
            j->run = transforms[i].run;
            bench_run(b, transforms[i].name, UINT64_C(1) << log, threads, log < 20 ? 20 : 5, NULL, run, j);
        }
    }
}

static int start(struct bench *b)
{
    struct cuzk_error e;
    struct job j = {.x = {.variant = b->variant}};
    struct ntt_tables *tables = NULL;
    struct block data = {0};
    uint64_t seed = 1;
    if (pool_new(&j.x.pool, b->threads, &e) != CUZK_OK ||
        ntt_tables_new(&j.x, &tables, b->max_log, &e) != CUZK_OK ||
        block_new(&data, NULL, (size_t)1 << b->max_log, sizeof(fr), "data", &e) != CUZK_OK) {
        fprintf(stderr, "%s\n", e.message);
        return 1;
    }
    j.tables = tables;
    j.a = data.ptr;
    for (size_t i = 0; i < (size_t)1 << b->max_log; i++)
        fr_from_u64(&j.a[i], bench_random(&seed));
    for (int v = 0; v < CPU_VARIANTS; v++) {
        const enum cpu_variant variant = (enum cpu_variant)v;
        if (b->variant_given ? variant != j.x.variant : !cpu_supports(variant))
            continue;
        struct bench here = *b;
        struct job job = j;
        here.variant = job.x.variant = variant;
        measure(&here, &job, pool_threads(j.x.pool));
    }
    block_free(&data);
    ntt_tables_free(tables);
    pool_free(j.x.pool);
    return 0;
}

int main(int argc, char **argv)
{
    struct bench b;
    const enum bench_start s = bench_start(&b, argc, argv);
    if (s != BENCH_GO)
        return bench_exit(s);
    if (b.max_log == 0)
        b.max_log = 22;
    if (b.max_log > NTT_MAX_LOG)
        b.max_log = NTT_MAX_LOG;
    return start(&b);
}
