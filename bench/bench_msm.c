/* bench/bench_msm.c - sums of 2^16, 2^18 and 2^20 points (--min-log, --max-log; every second size) in G1 and
 * G2, for three kinds of scalars: uniform ones; like a witness (of a hundred, one is uniform, the others 0 or
 * 1); bits (the plain sum of half the points, from memory and from encodings). And multiples of a fixed
 * point. Without
 * --threads, on one thread and on all. --only g2, --only uniform... choose.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "bench.h"
#include "curve/encoding.h"
#include "curve/fixed_base.h"
#include "msm/msm.h"

#define GROUPS 2 /* G1, G2 */

struct data {
    size_t n;
    fr *uniform, *witness;
    uint64_t *bits;
    void *affine;
    uint8_t *encoded;
};

struct job {
    struct exec x;
    unsigned group;
    const struct data *data;
    const fr *scalars;
    struct msm_points points;
    struct g1_fixed *g1_table;
    struct g2_fixed *g2_table;
    void *out; /* multiples of the fixed point */
};

static void need(cuzk_status status, const struct cuzk_error *e)
{
    if (status == CUZK_OK)
        return;
    fprintf(stderr, "%s\n", e->message);
    exit(1);
}

static void *need_memory(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (p)
        return p;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

static void run_sum(void *ctx)
{
    struct job *j = ctx;
    const struct msm_scalars scalars = {.k = j->scalars, .count = j->data->n};
    struct cuzk_error e;
    g1 in_g1;
    g2 in_g2;
    need(j->group == 1 ? msm_g1(&j->x, &in_g1, &j->points, &scalars, &e)
                       : msm_g2(&j->x, &in_g2, &j->points, &scalars, &e),
         &e);
}

static void run_select(void *ctx)
{
    struct job *j = ctx;
    struct cuzk_error e;
    g1 in_g1;
    g2 in_g2;
    need(j->group == 1 ? msm_g1_select(&j->x, &in_g1, &j->points, j->data->bits, &e)
                       : msm_g2_select(&j->x, &in_g2, &j->points, j->data->bits, &e),
         &e);
}

static void run_fixed(void *ctx)
{
    struct job *j = ctx;
    struct cuzk_error e;
    need(j->group == 1 ? g1_fixed_mul(&j->x, j->g1_table, j->out, j->data->uniform, j->data->n, &e)
                       : g2_fixed_mul(&j->x, j->g2_table, j->out, j->data->uniform, j->data->n, &e),
         &e);
}

static void tables_new(struct job *j, uint64_t expected)
{
    struct cuzk_error e;
    need(j->group == 1 ? g1_fixed_new(&j->x, &j->g1_table, &G1_GENERATOR, expected, &e)
                       : g2_fixed_new(&j->x, &j->g2_table, &G2_GENERATOR, expected, &e),
         &e);
}

static void tables_free(struct job *j)
{
    g1_fixed_free(j->g1_table);
    g2_fixed_free(j->g2_table);
    j->g1_table = NULL;
    j->g2_table = NULL;
}

/* n scalars of each kind, and n points, which are the uniform multiples of the generator. */
static void data_new(struct data *d, struct job *j, size_t n)
{
    uint64_t seed = 1;
    d->n = n;
    d->uniform = need_memory(n, sizeof *d->uniform);
    d->witness = need_memory(n, sizeof *d->witness);
    d->bits = need_memory(n / 64 + 1, sizeof *d->bits);
    d->affine = need_memory(n, j->group == 1 ? sizeof(g1_affine) : sizeof(g2_affine));
    d->encoded = need_memory(n, j->group == 1 ? G1_UNCOMPRESSED_BYTES : G2_UNCOMPRESSED_BYTES);
    for (size_t i = 0; i < n; i++) {
        fr *k = d->uniform + i;
        do {
            for (int l = 0; l < FR_LIMBS; l++)
                k->l[l] = bench_random(&seed);
            k->l[FR_LIMBS - 1] &= UINT64_MAX >> (256 - FR_BITS);
        } while (!fr_is_canonical(k));
        d->witness[i] = bench_random(&seed) % 100 == 0 ? *k : bench_random(&seed) % 2 ? FR_ONE : FR_ZERO;
        d->bits[i / 64] |= (bench_random(&seed) & 1) << i % 64;
    }
    j->data = d;
    j->out = d->affine;
    tables_new(j, n);
    run_fixed(j);
    tables_free(j);
    for (size_t i = 0; i < n; i++) {
        if (j->group == 1)
            g1_write_uncompressed(d->encoded + i * G1_UNCOMPRESSED_BYTES, (const g1_affine *)d->affine + i);
        else
            g2_write_uncompressed(d->encoded + i * G2_UNCOMPRESSED_BYTES, (const g2_affine *)d->affine + i);
    }
}

static void data_free(struct data *d)
{
    free(d->uniform);
    free(d->witness);
    free(d->bits);
    free(d->affine);
    free(d->encoded);
}

static void measure(const struct bench *b, struct job *j)
{
    const struct data *d = j->data;
    const unsigned threads = pool_threads(j->x.pool), reps = d->n < 1 << 20 ? 7 : 3;
    char name[64];
    j->points = (struct msm_points){.affine = d->affine, .count = d->n};
    j->scalars = d->uniform;
    snprintf(name, sizeof name, "msm_g%u_uniform", j->group);
    bench_run(b, name, d->n, threads, reps, NULL, run_sum, j);
    j->scalars = d->witness;
    snprintf(name, sizeof name, "msm_g%u_witness", j->group);
    bench_run(b, name, d->n, threads, reps, NULL, run_sum, j);
    snprintf(name, sizeof name, "msm_g%u_bits", j->group);
    bench_run(b, name, d->n, threads, reps, NULL, run_select, j);
    j->points = (struct msm_points){.encoded = d->encoded, .count = d->n};
    snprintf(name, sizeof name, "msm_g%u_bits_encoded", j->group);
    bench_run(b, name, d->n, threads, reps, NULL, run_select, j);
    snprintf(name, sizeof name, "fixed_g%u", j->group);
    if (strstr(name, b->filter)) {
        tables_new(j, 50 * d->n);
        bench_run(b, name, d->n, threads, reps, NULL, run_fixed, j);
        tables_free(j);
    }
}

int main(int argc, char **argv)
{
    struct bench b;
    struct cuzk_error e;
    const enum bench_start start = bench_start(&b, argc, argv);
    if (start != BENCH_GO)
        return bench_exit(start);
    const unsigned min_log = b.min_log ? b.min_log : 16, max_log = b.max_log ? b.max_log : 20;
    const unsigned all = b.threads ? b.threads : pool_default_threads(), fewest = b.threads ? b.threads : 1;
    for (unsigned group = 1; group <= GROUPS; group++) {
        if (strstr(b.filter, group == 1 ? "g2" : "g1"))
            continue; /* spares its points too */
        for (unsigned log = min_log; log <= max_log; log += 2) {
            struct job j = {.x = {.variant = b.variant}, .group = group};
            struct data d;
            need(pool_new(&j.x.pool, all, &e), &e);
            data_new(&d, &j, (size_t)1 << log);
            for (unsigned threads = fewest; threads <= all; threads = threads < all ? all : all + 1) {
                pool_free(j.x.pool);
                need(pool_new(&j.x.pool, threads, &e), &e);
                measure(&b, &j);
            }
            pool_free(j.x.pool);
            data_free(&d);
        }
    }
    return 0;
}
