/* groth16/qap.c - a circuit's quadratic arithmetic program at the point tau.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/qap.h"

#include <string.h>

#include "base/pool.h"
#include "groth16/groth16.h"
#include "groth16/kernels.h"
#include "ntt/ntt.h"

#define LAGRANGE_BLOCK ((size_t)1 << 16) /* evaluated at once when the first of its rows comes */
#define LAGRANGE_CHUNK ((size_t)1 << 11) /* by one thread, with one inversion */
#define COMBINE_CHUNK  ((size_t)1 << 10)
#define COUNT_REPORT   UINT64_C(0xffff) /* rows between two reports of the counting run, less one */

struct builder {
    const struct exec *x;
    const struct groth16_kernels *kernels;
    struct qap *q;
    fr tau, w, scale;
    struct block values, scratch; /* LAGRANGE_BLOCK elements each */
    uint64_t first;               /* the row of values[0] */
    bool ready;
};

static cuzk_status accept_variable(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    (void)self, (void)cs, (void)index, (void)value;
    return CUZK_OK;
}

static cuzk_status count_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                             const struct row *b, const struct row *c)
{
    (void)cs, (void)a, (void)b, (void)c;
    if ((index & COUNT_REPORT) == 0)
        exec_progress(self, "counting rows", index, 0);
    return CUZK_OK;
}

static const struct cs_sink count_sink = {
    .alloc_input = accept_variable, .alloc = accept_variable, .enforce = count_row};

static void lagrange_task(void *ctx, size_t i, unsigned worker)
{
    struct builder *u = ctx;
    (void)worker;
    const size_t at = i * LAGRANGE_CHUNK;
    const uint64_t exponent = u->first + at, left = (UINT64_C(1) << u->q->log) - exponent;
    const size_t n = left < LAGRANGE_CHUNK ? (size_t)left : LAGRANGE_CHUNK;
    fr start;
    fr_pow(&start, &u->w, &exponent, 1);
    u->kernels->lagrange((fr *)u->values.ptr + at, (fr *)u->scratch.ptr + at, n, &start, &u->w, &u->tau,
                         &u->scale);
}

static cuzk_status add_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                           const struct row *b, const struct row *c)
{
    struct builder *u = self;
    struct qap *q = u->q;
    /* a circuit that differs from its first run must not be believed */
    if (index >= q->rows || cs->inputs > q->inputs || cs->aux > q->aux)
        return CUZK_ERR_INTERNAL;
    if (!u->ready || index >= u->first + LAGRANGE_BLOCK) {
        exec_progress(u->x, "circuit at tau", index, q->rows);
        u->first = index;
        u->ready = true;
        const uint64_t left = (UINT64_C(1) << q->log) - index;
        const size_t n = left < LAGRANGE_BLOCK ? (size_t)left : LAGRANGE_BLOCK;
        pool_run(u->x->pool, lagrange_task, u, (n + LAGRANGE_CHUNK - 1) / LAGRANGE_CHUNK);
    }
    const fr *l = (const fr *)u->values.ptr + (index - u->first);
    u->kernels->accumulate(q->a.ptr, q->inputs, a, l);
    u->kernels->accumulate(q->b.ptr, q->inputs, b, l);
    u->kernels->accumulate(q->c.ptr, q->inputs, c, l);
    return CUZK_OK;
}

static const struct cs_sink add_sink = {
    .alloc_input = accept_variable, .alloc = accept_variable, .enforce = add_row};

static cuzk_status count(const struct exec *x, struct qap *q, const struct circuit *circuit,
                         struct cuzk_error *e)
{
    struct cs_counts counts;
    const cuzk_status status = circuit_run(circuit, &count_sink, (void *)(uintptr_t)x, x->cancel, &counts, e);
    if (status != CUZK_OK)
        return status;
    q->inputs = counts.inputs;
    q->aux = counts.aux;
    q->rows = counts.rows;
    return CUZK_OK;
}

cuzk_status qap_domain(struct qap *q, const fr *tau, fr *w, fr *scale, struct cuzk_error *e)
{
    q->log = groth16_domain_log(q->rows);
    if (q->log > NTT_MAX_LOG)
        return error_set(e, CUZK_ERR_UNSUPPORTED, "the circuit has %llu rows, more than 2^%d",
                         (unsigned long long)q->rows, NTT_MAX_LOG);
    const uint64_t size = UINT64_C(1) << q->log;
    *w = FR_ROOT_OF_UNITY;
    for (unsigned i = q->log; i < FR_TWO_ADICITY; i++)
        fr_sqr(w, w);
    fr_pow(&q->z, tau, &size, 1);
    fr_sub(&q->z, &q->z, &FR_ONE);
    if (fr_is_zero(&q->z))
        return error_set(e, CUZK_ERR_ARGUMENT, "tau is a point of the domain: such a key is worthless");
    fr n;
    fr_from_u64(&n, size);
    fr_inv(&n, &n);
    fr_mul(scale, &q->z, &n);
    return CUZK_OK;
}

cuzk_status qap_reserve(struct qap *q, struct budget *b, struct cuzk_error *e)
{
    const size_t variables = (size_t)q->inputs + q->aux;
    cuzk_status status = block_new(&q->a, b, variables, sizeof(fr), "the A polynomials", e);
    if (status == CUZK_OK)
        status = block_new(&q->b, b, variables, sizeof(fr), "the B polynomials", e);
    if (status == CUZK_OK)
        status = block_new(&q->c, b, variables, sizeof(fr), "the C polynomials", e);
    return status;
}

static cuzk_status reserve(struct builder *u, struct cuzk_error *e)
{
    struct budget *b = u->x->budget;
    cuzk_status status = qap_reserve(u->q, b, e);
    if (status == CUZK_OK)
        status = block_new(&u->values, b, LAGRANGE_BLOCK, sizeof(fr), "Lagrange values", e);
    if (status == CUZK_OK)
        status = block_new(&u->scratch, b, LAGRANGE_BLOCK, sizeof(fr), "Lagrange values", e);
    return status;
}

static cuzk_status add_up(struct builder *u, const struct circuit *circuit, struct cuzk_error *e)
{
    struct cs_counts counts;
    cuzk_status status = circuit_run(circuit, &add_sink, u, u->x->cancel, &counts, e);
    if (status != CUZK_OK)
        return status;
    if (counts.rows != u->q->rows || counts.inputs != u->q->inputs || counts.aux != u->q->aux)
        return error_set(e, CUZK_ERR_INTERNAL, "the circuit differs from run to run");
    exec_progress(u->x, "circuit at tau", u->q->rows, u->q->rows);
    return CUZK_OK;
}

cuzk_status qap_at(const struct exec *x, struct qap *out, const struct circuit *circuit, const fr *tau,
                   struct cuzk_error *e)
{
    struct qap q = {0};
    struct builder u = {.x = x, .kernels = groth16_kernels(x->variant), .q = &q, .tau = *tau};
    cuzk_status status = count(x, &q, circuit, e);
    if (status == CUZK_OK)
        status = qap_domain(&q, tau, &u.w, &u.scale, e);
    if (status == CUZK_OK)
        status = reserve(&u, e);
    if (status == CUZK_OK)
        status = add_up(&u, circuit, e);
    block_free(&u.values);
    block_free(&u.scratch);
    mem_wipe(&u, sizeof u);
    if (status == CUZK_OK)
        *out = q;
    else
        qap_free(&q);
    return status;
}

void qap_free(struct qap *q)
{
    block_free(&q->a);
    block_free(&q->b);
    block_free(&q->c);
    block_free(&q->fold);
    mem_wipe(q, sizeof *q);
}

struct combine_ctx {
    const struct groth16_kernels *kernels;
    struct qap *q;
    fr fa, fb, fc;
    size_t first, count;
};

static void combine_task(void *ctx, size_t i, unsigned worker)
{
    const struct combine_ctx *u = ctx;
    const struct qap *q = u->q;
    (void)worker;
    const size_t at = u->first + i * COMBINE_CHUNK, left = u->first + u->count - at;
    u->kernels->combine((fr *)q->c.ptr + at, (const fr *)q->a.ptr + at, (const fr *)q->b.ptr + at,
                        left < COMBINE_CHUNK ? left : COMBINE_CHUNK, &u->fa, &u->fb, &u->fc);
}

void qap_combine(const struct exec *x, struct qap *q, size_t first, size_t count, const fr *alpha,
                 const fr *beta, const fr *divisor)
{
    struct combine_ctx u = {.kernels = groth16_kernels(x->variant), .q = q, .first = first, .count = count};
    fr_inv(&u.fc, divisor);
    fr_mul(&u.fa, beta, &u.fc);
    fr_mul(&u.fb, alpha, &u.fc);
    pool_run(x->pool, combine_task, &u, (count + COMBINE_CHUNK - 1) / COMBINE_CHUNK);
    mem_wipe(&u, sizeof u);
}
