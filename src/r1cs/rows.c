/* r1cs/rows.c - a witness's bits laid out by instance, and rows' values from them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/rows.h"

#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "r1cs/bits.h"

#define CHUNK      ((size_t)1 << 13) /* rows that one task evaluates */
#define BIND_CHUNK ((size_t)1 << 6)  /* instances that one task binds */
#define ROOM       2                 /* words behind an instance's bits, for reads of 64 from any place */

struct call {
    const struct rows *r;
    unsigned side;
    fr *out;
    size_t n;
};

static template_evaluate *evaluate_of(enum cpu_variant variant)
{
#ifdef CUZK_HAVE_ADX
    if (cpu_scalar(variant) == CPU_ADX)
        return template_evaluate_adx;
#endif
    (void)variant;
    return template_evaluate_portable;
}

static void bind_task(void *ctx, size_t i, unsigned worker)
{
    const struct rows *r = ((const struct call *)ctx)->r;
    const struct templates *t = r->t;
    const size_t all = t->count[TEMPLATE_INSTANCES],
                 end = (i + 1) * BIND_CHUNK < all ? (i + 1) * BIND_CHUNK : all;
    (void)worker;
    for (size_t k = i * BIND_CHUNK; k < end; k++) {
        const struct template_instance *instance = &t->instance[k];
        const struct template *one = &t->template[instance->template];
        const uint32_t *binding = t->binding + instance->binding;
        uint64_t *to = (uint64_t *)r->bits.ptr + ((const uint32_t *)r->start.ptr)[k];
        for (uint32_t b = 0; b < one->bound_bits; b++)
            to[b / 64] |= (uint64_t)assignment_bit(r->w, binding[b]) << b % 64;
        bits_copy(to, one->bound_bits, r->w->bit, instance->first_bit, one->bits);
    }
}

/* Which instance holds row number `row`? */
static size_t holder_of(const struct rows *r, uint32_t row)
{
    const struct templates *t = r->t;
    size_t k = ((const uint32_t *)r->holder.ptr)[row / ROWS_BLOCK];
    while (k + 1 < t->count[TEMPLATE_INSTANCES] && t->instance[k + 1].first_row <= row)
        k++;
    return k;
}

static cuzk_status find_holders(const struct exec *x, struct rows *r, struct cuzk_error *e)
{
    const struct templates *t = r->t;
    const size_t count = (size_t)t->counts.rows / ROWS_BLOCK + 1;
    const cuzk_status status =
        block_new(&r->holder, x->budget, count, sizeof(uint32_t), "the rows' instances", e);
    uint32_t *holder = r->holder.ptr;
    for (size_t i = 0, k = 0; i < count && status == CUZK_OK; i++) {
        while (k + 1 < t->count[TEMPLATE_INSTANCES] && t->instance[k + 1].first_row <= i * ROWS_BLOCK)
            k++;
        holder[i] = (uint32_t)k;
    }
    return status;
}

static cuzk_status lay_out(const struct exec *x, struct rows *r, struct cuzk_error *e)
{
    const struct templates *t = r->t;
    const size_t instances = t->count[TEMPLATE_INSTANCES];
    cuzk_status status = block_new(&r->start, x->budget, instances, sizeof(uint32_t), "the rows' bits", e);
    if (status != CUZK_OK)
        return status;
    size_t words = ROOM; /* also what instances without bits point at */
    uint32_t *start = r->start.ptr;
    for (size_t k = 0; k < instances; k++) {
        const struct template *one = &t->template[t->instance[k].template];
        const size_t bits = (size_t)one->bound_bits + one->bits;
        if (bits == 0)
            continue;
        if (words > UINT32_MAX)
            return error_set(e, CUZK_ERR_UNSUPPORTED, "a circuit has too many bits");
        start[k] = (uint32_t)words;
        words += (bits + 63) / 64 + ROOM;
    }
    return block_new(&r->bits, x->budget, words, sizeof(uint64_t), "the rows' bits", e);
}

cuzk_status rows_bind(const struct exec *x, struct rows *out, const struct templates *t,
                      const struct assignment *w, struct cuzk_error *e)
{
    struct rows r = {.t = t, .w = w, .evaluate = evaluate_of(x->variant)};
    if (w->inputs != t->counts.inputs || w->bits != t->bits || w->wide != t->wide)
        return error_set(e, CUZK_ERR_MISMATCH, "the witness is of another circuit than the templates");
    cuzk_status status = lay_out(x, &r, e);
    if (status == CUZK_OK)
        status = find_holders(x, &r, e);
    if (status != CUZK_OK) {
        rows_free(&r);
        return status;
    }
    struct call call = {.r = &r};
    pool_run(x->pool, bind_task, &call, (t->count[TEMPLATE_INSTANCES] + BIND_CHUNK - 1) / BIND_CHUNK);
    *out = r;
    return CUZK_OK;
}

void rows_free(struct rows *r)
{
    block_free(&r->bits);
    block_free(&r->start);
    block_free(&r->holder);
    memset(r, 0, sizeof *r);
}

void rows_values(const struct rows *r, unsigned side, uint64_t first, size_t count, fr *out)
{
    const struct templates *t = r->t;
    size_t k = first < t->counts.rows ? holder_of(r, (uint32_t)first) : 0;
    while (count > 0 && first < t->counts.rows) {
        const struct template_instance *i = &t->instance[k];
        const struct template *one = &t->template[i->template];
        const uint32_t row = (uint32_t)first - i->first_row, left = one->rows - row;
        const uint32_t part = count < left ? (uint32_t)count : left;
        const struct template_view view = {.t = t,
                                           .one = one,
                                           .bits = (const uint64_t *)r->bits.ptr +
                                                   ((const uint32_t *)r->start.ptr)[k],
                                           .own_wide = r->w->wide_value + i->first_wide,
                                           .wide = r->w->wide_value,
                                           .input = r->w->input,
                                           .bound = t->binding + i->binding + one->bound_bits};
        r->evaluate(out, &view, side, row, part);
        first += part;
        out += part;
        count -= part;
        k++;
    }
    memset(out, 0, count * sizeof *out);
}

static void fill_task(void *ctx, size_t i, unsigned worker)
{
    const struct call *c = ctx;
    const size_t left = c->n - i * CHUNK;
    (void)worker;
    rows_values(c->r, c->side, i * CHUNK, left < CHUNK ? left : CHUNK, c->out + i * CHUNK);
}

cuzk_status rows_fill(const struct exec *x, const struct rows *r, unsigned side, fr *out, size_t n,
                      struct cuzk_error *e)
{
    struct call call = {.r = r, .side = side, .out = out, .n = n};
    pool_run(x->pool, fill_task, &call, n / CHUNK + (n % CHUNK != 0));
    return exec_cancelled(x) ? error_set(e, CUZK_ERR_CANCELLED, "cancelled") : CUZK_OK;
}
