/* ntt/ntt.c - the transforms as sequences of passes, and their tables: see ntt/ntt_kernel.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "ntt/ntt.h"

#include "base/error.h"
#include "base/pool.h"
#include "ntt/ntt_kernel.h"

#define CONSTANTS ((size_t)1 << (NTT_LANES_LOG - 1))

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* w_(2^t), a root of unity of order 2^(t+2), doubles the table: w_(2^t + i) = w_(2^t) w_i for i < 2^t. */
static void fill_roots(const struct ntt_roots *out, const fr *root_of_order)
{
    out->low[0] = FR_ONE;
    for (unsigned t = 0; t < NTT_LOW_LOG; t++) {
        for (size_t i = 0; i < (size_t)1 << t; i++)
            fr_mul(&out->low[((size_t)1 << t) + i], &root_of_order[t + 2], &out->low[i]);
    }
    out->high[0] = FR_ONE;
    for (unsigned t = 0; t + NTT_LOW_LOG < NTT_MAX_LOG - 1; t++) {
        for (size_t i = 0; i < (size_t)1 << t; i++)
            fr_mul(&out->high[((size_t)1 << t) + i], &root_of_order[t + NTT_LOW_LOG + 2], &out->high[i]);
    }
    for (size_t i = 0; i < CONSTANTS; i++)
        fr52_constant_of(&out->constants[i], &out->low[i]);
}

static void fill_tables(struct ntt_tables *t)
{
    fr root[NTT_MAX_LOG + 2]; /* root[k]: of order 2^k */
    fr w = FR_ROOT_OF_UNITY;
    for (unsigned k = FR_TWO_ADICITY; k > 0; k--) {
        if (k < ARRAY_LEN(root))
            root[k] = w;
        fr_sqr(&w, &w);
    }
    root[0] = w;
    fill_roots(&t->forward, root);
    for (size_t k = 0; k < ARRAY_LEN(root); k++)
        fr_inv(&root[k], &root[k]);
    fill_roots(&t->inverse, root);

    fr two_inverse;
    fr_double(&two_inverse, &FR_ONE);
    fr_inv(&two_inverse, &two_inverse);
    t->shift[0] = FR_GENERATOR;
    fr_inv(&t->shift_inverse[0], &FR_GENERATOR);
    t->size_inverse[0] = FR_ONE;
    for (unsigned i = 1; i <= NTT_MAX_LOG; i++) {
        fr_sqr(&t->shift[i], &t->shift[i - 1]);
        fr_sqr(&t->shift_inverse[i], &t->shift_inverse[i - 1]);
        fr_mul(&t->size_inverse[i], &t->size_inverse[i - 1], &two_inverse);
    }
}

cuzk_status ntt_tables_new(const struct exec *x, struct ntt_tables **out, unsigned max_log,
                           struct cuzk_error *e)
{
    if (max_log > NTT_MAX_LOG)
        return error_set(e, CUZK_ERR_ARGUMENT, "a transform of size 2^%u, at most 2^%u is possible", max_log,
                         NTT_MAX_LOG);
    const size_t low = (size_t)1 << NTT_LOW_LOG, high = (size_t)1 << (NTT_MAX_LOG - 1 - NTT_LOW_LOG);
    struct ntt_tables *t = mem_alloc(1, sizeof *t);
    if (!t)
        return error_memory(e, sizeof *t, "transform tables");
    const cuzk_status s =
        block_new(&t->block, x->budget, 2 * (low + high) + 5 * CONSTANTS, sizeof(fr), "transform tables", e);
    if (s != CUZK_OK) {
        mem_free(t);
        return s;
    }
    fr52_constant *constants = t->block.ptr; /* of 80 bytes */
    fr *at = (fr *)(void *)(constants + 2 * CONSTANTS);
    t->max_log = max_log;
    t->forward = (struct ntt_roots){at, at + low, constants};
    t->inverse = (struct ntt_roots){at + low + high, at + 2 * low + high, constants + CONSTANTS};
    fill_tables(t);
    *out = t;
    return CUZK_OK;
}

void ntt_tables_free(struct ntt_tables *t)
{
    if (!t)
        return;
    block_free(&t->block);
    mem_free(t);
}

static const struct ntt_kernel *kernel(const struct exec *x, unsigned log)
{
#ifdef CUZK_HAVE_IFMA
    if (x->variant == CPU_IFMA && log >= NTT_LANES_LEAST)
        return &ntt_kernel_ifma;
#endif
#ifdef CUZK_HAVE_ADX
    if (cpu_scalar(x->variant) == CPU_ADX)
        return &ntt_kernel_adx;
#endif
    (void)x;
    (void)log;
    return &ntt_kernel_portable;
}

/* How the levels are cut: the last pass in place, those before over columns, evenly. Returns the number of
 * passes; levels[i] of pass i, in the order of the way down. */
static unsigned plan(unsigned levels[NTT_MAX_PASSES], const struct ntt_kernel *k, unsigned log)
{
    unsigned last = log < k->last_log ? log : k->last_log, passes = 0;
    if (k->lanes) {
        const unsigned all = log > k->last_log ? (log + k->last_log - 1) / k->last_log : 2;
        last = log / all;
    }
    unsigned rest = log - last;
    for (unsigned left = (rest + k->column_log - 1) / k->column_log; left > 0; left--) {
        levels[passes] = (rest + left - 1) / left;
        rest -= levels[passes++];
    }
    levels[passes++] = last;
    VERIFY(passes <= NTT_MAX_PASSES);
    return passes;
}

static void run_columns(const struct exec *x, const struct ntt_kernel *k, struct ntt_pass *p)
{
    const size_t chunks = ((size_t)1 << (p->log - p->level - p->levels)) / k->column_width;
    p->group = min_size(chunks, k->column_group);
    pool_run(x->pool, k->columns, p, (chunks / p->group) << p->level);
}

/* The first pass, whose tasks put the values of their columns there before. */
struct filling {
    const struct ntt_kernel *kernel;
    struct ntt_pass *pass;
    const struct ntt_source *source;
};

static void fill_columns(void *ctx, size_t task, unsigned worker)
{
    const struct filling *f = ctx;
    const struct ntt_pass *p = f->pass;
    const size_t width = p->group * f->kernel->column_width, columns = (size_t)1 << (p->log - p->levels);
    if (exec_cancelled(p->x))
        return;
    for (size_t row = 0; row < (size_t)1 << p->levels; row++) {
        const size_t first = row * columns + task * width;
        f->source->values(f->source->self, first, width, p->a + first);
    }
    f->kernel->columns(f->pass, task, worker);
}

static void run_first(const struct exec *x, const struct ntt_kernel *k, struct ntt_pass *p,
                      const struct ntt_source *source)
{
    struct filling f = {k, p, source};
    const size_t chunks = ((size_t)1 << (p->log - p->levels)) / k->column_width;
    p->group = min_size(chunks, k->column_group);
    pool_run(x->pool, fill_columns, &f, chunks / p->group);
}

static void run_in_place(const struct exec *x, const struct ntt_kernel *k, struct ntt_pass *p)
{
    const size_t blocks = (size_t)1 << p->level;
    p->group = min_size(blocks, k->block_group);
    pool_run(x->pool, k->in_place, p, blocks / p->group);
}

/* The whole: down from natural to bit-reversed order, the scaling, up again if job->up is set. source: of the
 * values, unless they are there. */
static void run(const struct exec *x, const struct ntt_tables *t, struct ntt_pass job,
                const struct ntt_source *source)
{
    VERIFY(job.log <= t->max_log);
    (void)t;
    job.x = x;
    const struct ntt_kernel *k = kernel(x, job.log);
    unsigned levels[NTT_MAX_PASSES];
    const unsigned passes = plan(levels, k, job.log);
    const struct ntt_pass base = job;
    unsigned level = 0;
    for (unsigned i = 0; i + 1 < passes; i++) {
        struct ntt_pass p = base;
        p.level = level;
        p.levels = levels[i];
        p.up = NULL;
        if (i == 0 && source)
            run_first(x, k, &p, source);
        else
            run_columns(x, k, &p);
        level += levels[i];
    }
    if (passes == 1 && source)
        source->values(source->self, 0, (size_t)1 << job.log, job.a);
    fr low_powers[1 << NTT_LAST_LOG];
    fr52 low_factors[1 << NTT_LANES_LOG];
    job.level = level;
    job.levels = levels[passes - 1];
    job.canonical = !job.up || passes == 1;
    if (job.base_powers) {
        low_powers[0] = FR_ONE;
        for (unsigned b = 0; b < job.levels; b++) {
            for (size_t i = 0; i < (size_t)1 << b; i++)
                fr_mul(&low_powers[((size_t)1 << b) + i], &low_powers[i], &job.base_powers[job.log - 1 - b]);
        }
        for (size_t i = 0; k->lanes && i < (size_t)1 << job.levels; i++)
            fr52_factor(&low_factors[i], &low_powers[i]);
        job.low_powers = low_powers;
        job.low_factors = low_factors;
    }
    run_in_place(x, k, &job);
    if (!job.up)
        return;
    for (unsigned i = passes - 1; i-- > 0;) {
        struct ntt_pass p = base;
        level -= levels[i];
        p.level = level;
        p.levels = levels[i];
        p.down = NULL;
        p.canonical = i == 0;
        run_columns(x, k, &p);
    }
}

void ntt_forward(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log)
{
    run(x, t, (struct ntt_pass){.a = a, .log = log, .down = &t->forward}, NULL);
    ntt_bit_reverse(x, a, log);
}

void ntt_inverse(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log)
{
    run(x, t, (struct ntt_pass){.a = a, .log = log, .down = &t->inverse, .scale = &t->size_inverse[log]},
        NULL);
    ntt_bit_reverse(x, a, log);
}

void ntt_coset_forward(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log)
{
    run(x, t, (struct ntt_pass){.a = a, .log = log, .down = &t->forward, .shift = t->shift}, NULL);
    ntt_bit_reverse(x, a, log);
}

void ntt_coset_inverse(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log)
{
    run(x, t,
        (struct ntt_pass){.a = a,
                          .log = log,
                          .down = &t->inverse,
                          .scale = &t->size_inverse[log],
                          .base_powers = t->shift_inverse},
        NULL);
    ntt_bit_reverse(x, a, log);
}

void ntt_extend(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log)
{
    ntt_extend_from(x, t, a, log, NULL);
}

void ntt_extend_from(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log,
                     const struct ntt_source *source)
{
    run(x, t,
        (struct ntt_pass){.a = a,
                          .log = log,
                          .down = &t->inverse,
                          .scale = &t->size_inverse[log],
                          .base_powers = t->shift,
                          .up = &t->forward},
        source);
}
