/* bench/bench_pairing.c - pairings (n: pairs), decoding of points, subgroup tests and the check of many
 * encoded points (n: points). SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "curve/encoding.h"
#include "curve/pairing.h"

#define PAIRS     3
#define FEW       16
#define MANY_LOG  16
#define REPS      20
#define MANY_REPS 3

struct job {
    struct exec exec;
    size_t n;
    g1_affine p[PAIRS];
    g2_affine q[PAIRS];
    fp12 value;
    uint8_t g1_compressed[FEW][G1_COMPRESSED_BYTES], g2_compressed[FEW][G2_COMPRESSED_BYTES];
    uint8_t *g1_encoded, *g2_encoded; /* 1, 2, 3... times the generators */
};

static void run_pairing(void *context)
{
    struct job *job = context;
    pairing_product(job->exec.variant, &job->value, job->p, job->q, job->n);
}

static void run_power(void *context)
{
    struct job *job = context;
    pairing_power(job->exec.variant, &job->value, &job->value);
}

static void must(bool ok)
{
    if (!ok) {
        fprintf(stderr, "a sound point was refused\n");
        exit(1);
    }
}

static void run_g1_compressed(void *context)
{
    struct job *job = context;
    g1_affine a;
    for (int i = 0; i < FEW; i++)
        must(g1_read_compressed(&a, job->g1_compressed[i]) == ENCODING_OK);
}

static void run_g2_compressed(void *context)
{
    struct job *job = context;
    g2_affine a;
    for (int i = 0; i < FEW; i++)
        must(g2_read_compressed(&a, job->g2_compressed[i]) == ENCODING_OK);
}

static void run_g1_uncompressed(void *context)
{
    struct job *job = context;
    g1_affine a;
    for (size_t i = 0; i < FEW; i++)
        must(g1_read_uncompressed(&a, job->g1_encoded + i * G1_UNCOMPRESSED_BYTES, ENCODING_FULL) ==
             ENCODING_OK);
}

static void run_g2_uncompressed(void *context)
{
    struct job *job = context;
    g2_affine a;
    for (size_t i = 0; i < FEW; i++)
        must(g2_read_uncompressed(&a, job->g2_encoded + i * G2_UNCOMPRESSED_BYTES, ENCODING_FULL) ==
             ENCODING_OK);
}

static void run_g1_check(void *context)
{
    struct job *job = context;
    bool ok;
    size_t index;
    enum encoding_fault fault;
    must(g1_check_encoded(&job->exec, job->g1_encoded, job->n, false, &ok, &index, &fault, NULL) == CUZK_OK &&
         ok);
}

static void run_g2_check(void *context)
{
    struct job *job = context;
    bool ok;
    size_t index;
    enum encoding_fault fault;
    must(g2_check_encoded(&job->exec, job->g2_encoded, job->n, false, &ok, &index, &fault, NULL) == CUZK_OK &&
         ok);
}

static void fill(struct job *job, size_t many)
{
    g1 p;
    g2 q;
    g1_set_infinity(&p);
    g2_set_infinity(&q);
    for (size_t i = 0; i < many; i++) {
        g1_affine a;
        g2_affine b;
        g1_add_affine(&p, &p, &G1_GENERATOR);
        g2_add_affine(&q, &q, &G2_GENERATOR);
        g1_to_affine(&a, &p);
        g2_to_affine(&b, &q);
        g1_write_uncompressed(job->g1_encoded + i * G1_UNCOMPRESSED_BYTES, &a);
        g2_write_uncompressed(job->g2_encoded + i * G2_UNCOMPRESSED_BYTES, &b);
        if (i < FEW) {
            g1_write_compressed(job->g1_compressed[i], &a);
            g2_write_compressed(job->g2_compressed[i], &b);
        }
        if (i < PAIRS) {
            job->p[i] = a;
            job->q[i] = b;
        }
    }
}

static void bench_variant(struct bench *b, struct job *job, size_t many)
{
    job->exec.variant = b->variant;
    job->n = 1;
    bench_run(b, "pairing", 1, 1, REPS, NULL, run_pairing, job);
    job->n = PAIRS;
    bench_run(b, "pairing_product", PAIRS, 1, REPS, NULL, run_pairing, job);
    bench_run(b, "pairing_power", 1, 1, REPS, NULL, run_power, job);
    const size_t sizes[] = {FEW, many};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        job->n = sizes[i];
        const unsigned threads = pool_threads(job->exec.pool);
        bench_run(b, "g1_check_encoded", job->n, threads, MANY_REPS, NULL, run_g1_check, job);
        bench_run(b, "g2_check_encoded", job->n, threads, MANY_REPS, NULL, run_g2_check, job);
    }
}

static void bench_all(const struct bench *b, struct job *job, size_t many)
{
    for (unsigned v = 0; v < CPU_VARIANTS; v++) {
        if (!cpu_supports((enum cpu_variant)v) || (b->variant_given && b->variant != v))
            continue;
        struct bench as = *b;
        as.variant = (enum cpu_variant)v;
        bench_variant(&as, job, many);
    }
    struct bench as = *b;
    as.variant = CPU_PORTABLE; /* single operations are */
    bench_run(&as, "g1_read_compressed", FEW, 1, REPS, NULL, run_g1_compressed, job);
    bench_run(&as, "g2_read_compressed", FEW, 1, REPS, NULL, run_g2_compressed, job);
    bench_run(&as, "g1_read_uncompressed", FEW, 1, REPS, NULL, run_g1_uncompressed, job);
    bench_run(&as, "g2_read_uncompressed", FEW, 1, REPS, NULL, run_g2_uncompressed, job);
}

int main(int argc, char **argv)
{
    struct bench b;
    const enum bench_start start = bench_start(&b, argc, argv);
    if (start != BENCH_GO)
        return bench_exit(start);
    struct cuzk_error e;
    const size_t many = (size_t)1 << (b.max_log ? b.max_log : MANY_LOG);
    struct job *job = calloc(1, sizeof *job);
    int result = 1;
    if (job) {
        job->g1_encoded = calloc(many + FEW, G1_UNCOMPRESSED_BYTES);
        job->g2_encoded = calloc(many + FEW, G2_UNCOMPRESSED_BYTES);
    }
    if (!job || !job->g1_encoded || !job->g2_encoded) {
        fprintf(stderr, "out of memory\n");
    } else if (pool_new(&job->exec.pool, b.threads, &e) != CUZK_OK) {
        fprintf(stderr, "%s\n", e.message);
    } else {
        fill(job, many + FEW);
        bench_all(&b, job, many);
        result = 0;
    }
    if (job) {
        pool_free(job->exec.pool);
        free(job->g1_encoded);
        free(job->g2_encoded);
    }
    free(job);
    return result;
}
