/* r1cs/record.c - a circuit's rows kept in memory.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/record.h"

#include <string.h>

/* An array that grows by doubling. */
struct growing {
    struct block block;
    uint64_t count; /* elements in use */
};

struct recorder {
    struct budget *budget;
    struct growing begin[3], term[3], coeff;
    struct growing slot; /* open addressing: index into coeff plus one, 0 when free; at most half full */
    struct cuzk_error error;
};

/* Room for one more element. */
static cuzk_status reserve(struct recorder *r, struct growing *g, size_t size)
{
    if (g->count < g->block.size / size)
        return CUZK_OK;
    struct block bigger;
    const size_t count = g->block.size ? 2 * (g->block.size / size) : 1024;
    const cuzk_status status = block_new(&bigger, r->budget, count, size, "recorded rows", &r->error);
    if (status != CUZK_OK)
        return status;
    if (g->block.ptr)
        memcpy(bigger.ptr, g->block.ptr, g->block.size);
    block_free(&g->block);
    g->block = bigger;
    return CUZK_OK;
}

static uint64_t slot_of(const struct recorder *r, uint64_t slots, const fr *value)
{
    const fr *table = r->coeff.block.ptr;
    const uint32_t *slot = r->slot.block.ptr;
    uint64_t i = (value->l[0] ^ value->l[3]) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    while (slot[i % slots] != 0 && !fr_equal(&table[slot[i % slots] - 1], value))
        i++;
    return i % slots;
}

/* Twice the slots, filled anew. */
static cuzk_status rehash(struct recorder *r)
{
    struct block bigger;
    const size_t slots = r->slot.block.size ? 2 * (r->slot.block.size / sizeof(uint32_t)) : 4096;
    const cuzk_status status =
        block_new(&bigger, r->budget, slots, sizeof(uint32_t), "distinct coefficients", &r->error);
    if (status != CUZK_OK)
        return status;
    block_free(&r->slot.block);
    r->slot.block = bigger;
    const fr *table = r->coeff.block.ptr;
    for (uint32_t i = 0; i < r->coeff.count; i++)
        ((uint32_t *)bigger.ptr)[slot_of(r, slots, &table[i])] = i + 1;
    return CUZK_OK;
}

static cuzk_status coeff_index(struct recorder *r, uint32_t *index, const fr *value)
{
    cuzk_status status = CUZK_OK;
    if (2 * r->coeff.count >= r->slot.block.size / sizeof(uint32_t))
        status = rehash(r);
    if (status != CUZK_OK)
        return status;
    uint32_t *slot = r->slot.block.ptr;
    slot += slot_of(r, r->slot.block.size / sizeof(uint32_t), value);
    if (*slot == 0) {
        status = reserve(r, &r->coeff, sizeof(fr));
        if (status != CUZK_OK)
            return status;
        ((fr *)r->coeff.block.ptr)[r->coeff.count++] = *value;
        *slot = (uint32_t)r->coeff.count;
    }
    *index = *slot - 1;
    return CUZK_OK;
}

/* Where the next row's terms begin. */
static cuzk_status mark_begin(struct recorder *r, unsigned side)
{
    const cuzk_status status = reserve(r, &r->begin[side], sizeof(uint64_t));
    if (status == CUZK_OK)
        ((uint64_t *)r->begin[side].block.ptr)[r->begin[side].count++] = r->term[side].count;
    return status;
}

static cuzk_status on_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                          const struct row *b, const struct row *c)
{
    (void)cs;
    (void)index;
    struct recorder *r = self;
    const struct row *const side[3] = {a, b, c};
    cuzk_status status = CUZK_OK;
    for (unsigned k = 0; k < 3 && status == CUZK_OK; k++) {
        status = mark_begin(r, k);
        for (uint32_t i = 0; i < side[k]->count && status == CUZK_OK; i++) {
            struct record_term t = {.v = side[k]->term[i].v};
            status = coeff_index(r, &t.coeff, &side[k]->term[i].coeff);
            if (status == CUZK_OK)
                status = reserve(r, &r->term[k], sizeof t);
            if (status == CUZK_OK)
                ((struct record_term *)r->term[k].block.ptr)[r->term[k].count++] = t;
        }
    }
    return status;
}

static void hand_over(struct recorder *r, struct record *out, const struct cs_counts *counts)
{
    *out = (struct record){.counts = *counts,
                           .coeff = r->coeff.block.ptr,
                           .coeff_count = (uint32_t)r->coeff.count,
                           .coeff_block = r->coeff.block};
    for (unsigned k = 0; k < 3; k++)
        out->side[k] = (struct record_side){.begin = r->begin[k].block.ptr,
                                            .term = r->term[k].block.ptr,
                                            .begin_block = r->begin[k].block,
                                            .term_block = r->term[k].block};
    block_free(&r->slot.block);
}

cuzk_status record_of(const struct exec *x, struct record *out, const struct circuit *c, struct cuzk_error *e)
{
    static const struct cs_sink sink = {.enforce = on_row};
    struct recorder r = {.budget = x->budget};
    struct cs_counts counts;
    cuzk_status status = circuit_run(c, &sink, &r, x->cancel, &counts, e);
    for (unsigned k = 0; k < 3 && status == CUZK_OK; k++)
        status = mark_begin(&r, k);
    if (status == CUZK_OK) {
        hand_over(&r, out, &counts);
        return CUZK_OK;
    }
    if (r.error.status == status)
        error_set(e, status, "%s", r.error.message);
    for (unsigned k = 0; k < 3; k++) {
        block_free(&r.begin[k].block);
        block_free(&r.term[k].block);
    }
    block_free(&r.coeff.block);
    block_free(&r.slot.block);
    return status;
}

void record_free(struct record *r)
{
    for (unsigned k = 0; k < 3; k++) {
        block_free(&r->side[k].begin_block);
        block_free(&r->side[k].term_block);
    }
    block_free(&r->coeff_block);
    *r = (struct record){0};
}

fr record_value(const struct record *r, unsigned side, uint64_t row, const fr *inputs, const fr *aux)
{
    const struct record_side *s = &r->side[side];
    fr sum = FR_ZERO;
    for (uint64_t i = s->begin[row]; i < s->begin[row + 1]; i++) {
        const var v = s->term[i].v;
        fr product;
        fr_mul(&product, &r->coeff[s->term[i].coeff], v & VAR_AUX ? &aux[VAR_INDEX(v)] : &inputs[v]);
        fr_add(&sum, &sum, &product);
    }
    return sum;
}

uint64_t record_first_unsatisfied(const struct record *r, const fr *inputs, const fr *aux)
{
    uint64_t row = 0;
    for (; row < r->counts.rows; row++) {
        const fr a = record_value(r, 0, row, inputs, aux), b = record_value(r, 1, row, inputs, aux);
        const fr c = record_value(r, 2, row, inputs, aux);
        fr product;
        fr_mul(&product, &a, &b);
        if (!fr_equal(&product, &c))
            break;
    }
    return row;
}
