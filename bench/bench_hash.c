/* bench/bench_hash.c - SHA-256 (n: bytes) and Poseidon (n: hashes) of each arity.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "hash/poseidon_trace.h"
#include "hash/sha256.h"
#include "hash/sha256_kernels.h"

#define SHA_BYTES ((size_t)1 << 20)
#define HASHES    256 /* on all threads */
#define FEW       32  /* on one */
#define REPS      50
#define TRACE     1024 /* at least the values of a trace */

struct sha_job {
    uint8_t *data;
    uint32_t state[8];
    void (*compress)(uint32_t h[8], const uint8_t *blocks, size_t n);
};

static void run_sha(void *context)
{
    struct sha_job *job = context;
    job->compress(job->state, job->data, SHA_BYTES / 64);
}

struct poseidon_job {
    struct exec exec;
    const struct poseidon *p;
    fr *preimages, *out, *traces;
};

static void run_one_by_one(void *context)
{
    struct poseidon_job *job = context;
    for (size_t i = 0; i < FEW; i++)
        poseidon_hash(job->exec.variant, job->p, &job->out[i], job->preimages + i * job->p->arity);
}

static void run_many(void *context)
{
    struct poseidon_job *job = context;
    if (poseidon_hash_many(&job->exec, job->p, job->out, job->preimages, HASHES, NULL) != CUZK_OK)
        abort();
}

static void run_trace(void *context)
{
    struct poseidon_job *job = context;
    poseidon_trace(job->exec.variant, job->p, job->traces, poseidon_trace_count(job->p), job->preimages, FEW);
}

static void bench_sha(const struct bench *b, uint8_t *data)
{
    struct sha_job job = {.data = data, .compress = sha256_compress};
    bench_run(b, "sha256", SHA_BYTES, 1, REPS, NULL, run_sha, &job);
    job.compress = sha256_compress_portable;
    bench_run(b, "sha256_portable", SHA_BYTES, 1, REPS, NULL, run_sha, &job);
}

static void bench_poseidon(struct bench *b, const struct poseidon_set *set, struct poseidon_job *job)
{
    char name[32];
    for (unsigned k = POSEIDON_2; k <= POSEIDON_11; k++) {
        job->p = &set->kind[k];
        for (unsigned v = 0; v < CPU_VARIANTS; v++) {
            if (!cpu_supports((enum cpu_variant)v) || (b->variant_given && b->variant != v))
                continue;
            struct bench as = *b;
            as.variant = job->exec.variant = (enum cpu_variant)v;
            snprintf(name, sizeof name, "poseidon_%u", job->p->arity);
            bench_run(&as, name, FEW, 1, REPS, NULL, run_one_by_one, job);
            snprintf(name, sizeof name, "poseidon_many_%u", job->p->arity);
            bench_run(&as, name, HASHES, pool_threads(job->exec.pool), REPS, NULL, run_many, job);
            snprintf(name, sizeof name, "poseidon_trace_%u", job->p->arity);
            bench_run(&as, name, FEW, 1, REPS, NULL, run_trace, job);
        }
    }
}

int main(int argc, char **argv)
{
    struct bench b;
    const enum bench_start start = bench_start(&b, argc, argv);
    if (start != BENCH_GO)
        return bench_exit(start);
    struct cuzk_error e;
    struct poseidon_set *set = NULL;
    struct poseidon_job job = {.exec = {.variant = b.variant}};
    uint8_t *data = calloc(1, SHA_BYTES);
    job.preimages = calloc(HASHES * POSEIDON_MAX_ARITY, sizeof *job.preimages);
    job.out = calloc(HASHES, sizeof *job.out);
    job.traces = calloc(FEW * TRACE, sizeof *job.traces);
    int result = 1;
    if (!data || !job.preimages || !job.out || !job.traces) {
        fprintf(stderr, "out of memory\n");
    } else if (poseidon_set_new(&set, &e) != CUZK_OK || pool_new(&job.exec.pool, b.threads, &e) != CUZK_OK) {
        fprintf(stderr, "%s\n", e.message);
    } else {
        uint64_t seed = 1;
        for (size_t i = 0; i < HASHES * POSEIDON_MAX_ARITY; i++)
            fr_from_u64(&job.preimages[i], bench_random(&seed));
        bench_sha(&b, data);
        bench_poseidon(&b, set, &job);
        result = 0;
    }
    pool_free(job.exec.pool);
    poseidon_set_free(set);
    free(job.traces);
    free(job.out);
    free(job.preimages);
    free(data);
    return result;
}
