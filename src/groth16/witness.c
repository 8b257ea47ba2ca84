/* groth16/witness.c - a circuit's witness and its rows' values, made in one run.
 *
 * Rows are evaluated as they come, so the matrices are never held.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/witness.h"

#include <string.h>

#include "groth16/kernels.h"
#include "groth16/names.h"

#define REPORT_EVERY UINT32_C(0xffff) /* auxiliary variables between two reports, less one */

struct builder {
    const struct exec *x;
    const struct groth16_kernels *kernels;
    struct witness *w;
    struct cuzk_error error; /* the sink's own failure; CUZK_OK: none */
    uint64_t bad_row;
    bool bad;
};

static cuzk_status mismatch(struct builder *u, const char *what, uint64_t ours)
{
    return error_set(&u->error, CUZK_ERR_MISMATCH,
                     "the parameters are of another circuit: they have %llu %s, the circuit has more",
                     (unsigned long long)ours, what);
}

static cuzk_status take_input(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct builder *u = self;
    (void)cs;
    if (index >= u->w->inputs)
        return mismatch(u, "inputs", u->w->inputs);
    ((fr *)u->w->w.ptr)[index] = *value;
    return CUZK_OK;
}

static cuzk_status take_aux(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct builder *u = self;
    (void)cs;
    if (index >= u->w->aux)
        return mismatch(u, "auxiliary variables", u->w->aux);
    if ((index & REPORT_EVERY) == 0)
        exec_progress(u->x, "witness", index, u->w->aux);
    ((fr *)u->w->w.ptr)[(size_t)u->w->inputs + index] = *value;
    return CUZK_OK;
}

static cuzk_status take_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                            const struct row *b, const struct row *c)
{
    struct builder *u = self;
    struct witness *w = u->w;
    (void)cs;
    if (index >> w->log != 0)
        return mismatch(u, "rows at most", UINT64_C(1) << w->log);
    fr *va = (fr *)w->a.ptr + index, *vb = (fr *)w->b.ptr + index, *vc = (fr *)w->c.ptr + index;
    u->kernels->evaluate(va, a, w->w.ptr, w->inputs, w->mask_a.ptr);
    u->kernels->evaluate(vb, b, w->w.ptr, w->inputs, w->mask_b.ptr);
    u->kernels->evaluate(vc, c, w->w.ptr, w->inputs, NULL);
    if (u->kernels->product_is(va, vb, vc))
        return CUZK_OK;
    u->bad = true;
    u->bad_row = index;
    return error_set(&u->error, CUZK_ERR_UNSATISFIED, "row %llu", (unsigned long long)index);
}

static const struct cs_sink sink = {
    .alloc_input = take_input, .alloc = take_aux, .enforce = take_row, .wants_values = true};

static uint64_t count_bits(const struct block *mask)
{
    uint64_t count = 0;
    for (size_t i = 0; i < mask->size / sizeof(uint64_t); i++)
        count += (uint64_t)__builtin_popcountll(((const uint64_t *)mask->ptr)[i]);
    return count;
}

static cuzk_status same(const char *what, uint64_t circuit, uint64_t params, struct cuzk_error *e)
{
    if (circuit == params)
        return CUZK_OK;
    return error_set(
        e, CUZK_ERR_MISMATCH,
        "the parameters are of another circuit: %s: the circuit has %llu, the parameters have %llu", what,
        (unsigned long long)circuit, (unsigned long long)params);
}

static cuzk_status compare(const struct witness *w, const struct cs_counts *counts,
                           const struct groth16_params_info *info, struct cuzk_error *e)
{
    const unsigned log = groth16_domain_log(counts->rows);
    cuzk_status status = same("inputs", counts->inputs, info->ic_count, e);
    if (status == CUZK_OK)
        status = same("auxiliary variables", counts->aux, info->count[GROTH16_L], e);
    if (status == CUZK_OK)
        status = same("rows of the domain", UINT64_C(1) << log, UINT64_C(1) << info->domain_log, e);
    if (status == CUZK_OK)
        status = same("variables in A", count_bits(&w->mask_a), info->count[GROTH16_A], e);
    if (status == CUZK_OK)
        status = same("variables in B", count_bits(&w->mask_b), info->count[GROTH16_B_G1], e);
    return status;
}

static cuzk_status reserve(const struct exec *x, struct witness *w, struct cuzk_error *e)
{
    struct budget *b = x->budget;
    const size_t variables = (size_t)w->inputs + w->aux, words = (variables + 63) / 64,
                 n = (size_t)1 << w->log;
    cuzk_status status = block_new(&w->w, b, variables, sizeof(fr), "the witness", e);
    if (status == CUZK_OK)
        status = block_new(&w->a, b, n, sizeof(fr), "the values of A", e);
    if (status == CUZK_OK)
        status = block_new(&w->b, b, n, sizeof(fr), "the values of B", e);
    if (status == CUZK_OK)
        status = block_new(&w->c, b, n, sizeof(fr), "the values of C", e);
    if (status == CUZK_OK)
        status = block_new(&w->mask_a, b, words, sizeof(uint64_t), "the density of A", e);
    if (status == CUZK_OK)
        status = block_new(&w->mask_b, b, words, sizeof(uint64_t), "the density of B", e);
    if (status != CUZK_OK)
        return status;
    /* The circuit is run by one thread, which is slow enough without the page faults. */
    const struct block *const large[] = {&w->w, &w->a, &w->b, &w->c};
    for (size_t i = 0; i < ARRAY_LEN(large); i++)
        block_prefault(large[i], x->pool);
    return CUZK_OK;
}

static cuzk_status run(struct builder *u, const struct circuit *circuit,
                       const struct groth16_params_info *info, struct cuzk_error *e)
{
    cuzk_status status = reserve(u->x, u->w, e);
    if (status != CUZK_OK)
        return status;
    struct cs_counts counts;
    status = circuit_run(circuit, &sink, u, u->x->cancel, &counts, e);
    if (u->bad)
        return names_unsatisfied(circuit, u->bad_row, e);
    if (u->error.status != CUZK_OK)
        return error_set(e, u->error.status, "%s", u->error.message);
    if (status != CUZK_OK)
        return status;
    exec_progress(u->x, "witness", counts.aux, counts.aux);
    return compare(u->w, &counts, info, e);
}

cuzk_status witness_make(const struct exec *x, struct witness *out, const struct circuit *circuit,
                         const struct groth16_params_info *info, struct cuzk_error *e)
{
    struct witness w = {.inputs = info->ic_count, .aux = info->count[GROTH16_L], .log = info->domain_log};
    struct builder u = {.x = x, .kernels = groth16_kernels(x->variant), .w = &w};
    const cuzk_status status = run(&u, circuit, info, e);
    if (status == CUZK_OK)
        *out = w;
    else
        witness_free(&w);
    return status;
}

void witness_free(struct witness *w)
{
    block_free(&w->w);
    block_free(&w->a);
    block_free(&w->b);
    block_free(&w->c);
    block_free(&w->mask_a);
    block_free(&w->mask_b);
    memset(w, 0, sizeof *w);
}
