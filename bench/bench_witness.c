/* bench/bench_witness.c - the variables' values of a SHA-256 compression (n: compressions) and of Poseidon
 * hashes (n: hashes), straight from the operands.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gadgets/sha256_witness.h"
#include "hash/poseidon_trace.h"
#include "hash/sha256.h"

#define COMPRESSIONS 64
#define HASHES       64
#define REPS         200

struct sha_job {
    enum cpu_variant variant;
    struct sha256_plan *plan;
    uint64_t *bits;
    uint32_t state[8], block[16];
    struct sha256_job many[COMPRESSIONS];
};

/* One after the other in memory, so that they begin at all places of a word. */
static void run_compressions(void *context)
{
    struct sha_job *job = context;
    size_t at = 0;
    for (unsigned i = 0; i < COMPRESSIONS; i++) {
        sha256_witness(job->plan, job->bits, at, job->state, job->block);
        at += job->plan->bits;
    }
}

static void run_many(void *context)
{
    struct sha_job *job = context;
    sha256_witness_many(job->variant, job->plan, job->many, COMPRESSIONS);
}

static void clear_bits(void *context)
{
    struct sha_job *job = context;
    memset(job->bits, 0, COMPRESSIONS * SHA256_WITNESS_BITS / 8 + 16);
}

struct poseidon_job {
    enum cpu_variant variant;
    const struct poseidon *p;
    fr *preimages, *out;
};

static void run_one_by_one(void *context)
{
    struct poseidon_job *job = context;
    const size_t count = poseidon_trace_count(job->p);
    for (size_t i = 0; i < HASHES; i++)
        poseidon_trace(job->variant, job->p, job->out + i * count, count, job->preimages + i * job->p->arity,
                       1);
}

static void run_together(void *context)
{
    struct poseidon_job *job = context;
    poseidon_trace(job->variant, job->p, job->out, poseidon_trace_count(job->p), job->preimages, HASHES);
}

static struct uint32 word(bool constant, uint32_t value, var first)
{
    struct uint32 out = uint32_constant(value);
    for (unsigned i = 0; i < 32 && !constant; i++)
        out.bit[i] = (struct boolean){.v = first + i, .kind = BOOLEAN_IS};
    return out;
}

/* state, block: are they constants? */
static bool bench_sha(struct bench as, const char *name, bool state, bool block)
{
    struct uint32 h[8], w[16];
    struct sha_job job = {.variant = as.variant};
    for (unsigned k = 0; k < 8; k++)
        h[k] = word(state, SHA256_IV[k], VAR_AUX + 32 * k);
    for (unsigned i = 0; i < 16; i++)
        w[i] = word(block, i, VAR_AUX + 32 * (8 + i));
    job.plan = sha256_plan_new(h, w);
    job.bits = calloc(COMPRESSIONS * SHA256_WITNESS_BITS / 8 + 16, 1);
    const bool made = job.plan && job.bits;
    for (size_t i = 0; made && i < COMPRESSIONS; i++)
        job.many[i] = (struct sha256_job){.bits = job.bits, .bit_at = i * job.plan->bits};
    if (made) {
        char many[64];
        snprintf(many, sizeof many, "%s_many", name);
        if (as.variant == CPU_PORTABLE || as.variant_given) /* which has no variants */
            bench_run(&as, name, COMPRESSIONS, 1, REPS, clear_bits, run_compressions, &job);
        bench_run(&as, many, COMPRESSIONS, 1, REPS, clear_bits, run_many, &job);
    }
    mem_free(job.plan);
    free(job.bits);
    return made;
}

static void bench_poseidon(const struct bench *as, const struct poseidon_set *set, struct poseidon_job *job)
{
    char name[32];
    job->variant = as->variant;
    for (unsigned k = POSEIDON_2; k <= POSEIDON_11; k++) {
        job->p = &set->kind[k];
        snprintf(name, sizeof name, "poseidon_trace_%u", job->p->arity);
        bench_run(as, name, HASHES, 1, REPS / 4, NULL, run_one_by_one, job);
        snprintf(name, sizeof name, "poseidon_traces_%u", job->p->arity);
        bench_run(as, name, HASHES, 1, REPS / 4, NULL, run_together, job);
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
    if (poseidon_set_new(&set, &e) != CUZK_OK) {
        fprintf(stderr, "%s\n", e.message);
        return 1;
    }
    const size_t longest = poseidon_trace_count(&set->kind[POSEIDON_11]);
    struct poseidon_job job = {.preimages = calloc(HASHES * POSEIDON_MAX_ARITY, sizeof(fr)),
                               .out = calloc(HASHES * longest, sizeof(fr))};
    bool made = job.preimages && job.out;
    uint64_t seed = 1;
    for (size_t i = 0; made && i < HASHES * POSEIDON_MAX_ARITY; i++)
        fr_from_u64(&job.preimages[i], bench_random(&seed));
    for (unsigned v = 0; made && v < CPU_VARIANTS; v++) {
        struct bench as = b;
        as.variant = (enum cpu_variant)v;
        if (!cpu_supports(as.variant) || (b.variant_given && b.variant != as.variant))
            continue;
        made = bench_sha(as, "sha256_witness", false, false) &&
               bench_sha(as, "sha256_witness_first_block", true, false) &&
               bench_sha(as, "sha256_witness_padding", false, true);
        bench_poseidon(&as, set, &job);
    }
    if (!made)
        fprintf(stderr, "out of memory\n");
    free(job.preimages);
    free(job.out);
    poseidon_set_free(set);
    return made ? 0 : 1;
}
