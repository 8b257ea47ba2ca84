/* backend/cuda/rows_plan.c - the piece of memory and what kernels are given: see rows_plan.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/rows_plan.h"

#include <string.h>

#include "base/error.h"
#include "field/fr.h"
#include "r1cs/template_ops.h"

/* rows_value.cuh says the same in its own words. */
_Static_assert(TEMPLATE_OP_TABLE == 0 && TEMPLATE_OP_WIDE == 1 && TEMPLATE_OP_PROGRAM == 2, "ops");
_Static_assert(TEMPLATE_MAX_TABLES == 0x4000, "tables");
_Static_assert(TEMPLATE_BIT == 0x80000000 && TEMPLATE_MINUS == 0x80000000, "marks");
_Static_assert(TEMPLATE_PLUS_ONE == 0xffffffff && TEMPLATE_MINUS_ONE == 0xfffffffe, "coefficients");
_Static_assert(FR_BITS <= ROWS_POWERS, "shifts");

#define ALIGN ((size_t)16) /* elements are read by halves */

static size_t take(size_t *bytes, size_t count, size_t each)
{
    const size_t at = *bytes;
    *bytes += (count * each + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

static void lay_out(struct cuda_rows *r, const struct templates *t)
{
    r->instances = (uint32_t)t->count[TEMPLATE_INSTANCES];
    r->rows = t->counts.rows;
    r->instance = take(&r->bytes, r->instances, sizeof(struct rows_instance));
    r->chunk = take(&r->bytes, cuda_rows_blocks(r->rows), sizeof(uint32_t));
    r->binding = take(&r->bytes, t->count[TEMPLATE_BINDINGS], sizeof(uint32_t));
    r->program = take(&r->bytes, t->count[TEMPLATE_PROGRAMS], sizeof(uint32_t));
    r->op = take(&r->bytes, t->count[TEMPLATE_OPS], sizeof(uint64_t));
    r->table = take(&r->bytes, t->count[TEMPLATE_TABLES], sizeof(fr[8]));
    r->element = take(&r->bytes, t->count[TEMPLATE_ELEMENTS], sizeof(fr));
    r->power = take(&r->bytes, ROWS_POWERS, sizeof(fr));
}

static bool fill_instances(struct cuda_rows *r, const struct templates *t, struct rows_instance *out)
{
    r->bit_words = ROWS_ROOM; /* also what instances without bits point at */
    for (uint32_t k = 0; k < r->instances; k++) {
        const struct template_instance *i = &t->instance[k];
        const struct template *one = &t->template[i->template];
        const size_t bits = (size_t)one->bound_bits + one->bits;
        out[k] = (struct rows_instance){.op = one->op,
                                        .program = one->program,
                                        .first_row = i->first_row,
                                        .rows = one->rows,
                                        .bound_bits = one->bound_bits,
                                        .bits = one->bits,
                                        .first_bit = i->first_bit,
                                        .binding = i->binding,
                                        .bound_wide = one->bound_wide,
                                        .bound_inputs = one->bound_inputs,
                                        .first_wide = i->first_wide};
        if (bits == 0)
            continue;
        if (r->bit_words > UINT32_MAX)
            return false;
        out[k].start = (uint32_t)r->bit_words;
        r->bit_words += (bits + 31) / 32 + ROWS_ROOM;
    }
    return true;
}

static void fill_chunks(const struct cuda_rows *r, const struct rows_instance *instance, uint32_t *out)
{
    uint32_t k = 0;
    for (uint32_t chunk = 0; chunk < cuda_rows_blocks(r->rows); chunk++) {
        while ((uint64_t)chunk * ROWS_CHUNK - instance[k].first_row >= instance[k].rows)
            k++;
        out[chunk] = k;
    }
}

static void fill_powers(fr *out)
{
    fr x = FR_R2;
    for (unsigned i = 0; i < ROWS_POWERS; i++) {
        out[i] = x;
        fr_double(&x, &x);
    }
}

static void copy(void *to, const struct templates *t, enum template_section section, const void *from,
                 size_t each)
{
    if (t->count[section] > 0)
        memcpy(to, from, t->count[section] * each);
}

cuzk_status cuda_rows_new(struct cuda_rows *out, struct budget *budget, const struct templates *t,
                          struct cuzk_error *e)
{
    struct cuda_rows r = {.bytes = 0};
    lay_out(&r, t);
    const cuzk_status status = block_new(&r.block, budget, r.bytes, 1, "templates for a GPU", e);
    if (status != CUZK_OK)
        return status;
    unsigned char *base = r.block.ptr;
    struct rows_instance *instance = (void *)(base + r.instance);
    if (!fill_instances(&r, t, instance)) {
        block_free(&r.block);
        return error_set(e, CUZK_ERR_UNSUPPORTED, "a circuit has too many bits");
    }
    fill_chunks(&r, instance, (void *)(base + r.chunk));
    fill_powers((void *)(base + r.power));
    copy(base + r.binding, t, TEMPLATE_BINDINGS, t->binding, sizeof *t->binding);
    copy(base + r.program, t, TEMPLATE_PROGRAMS, t->program, sizeof *t->program);
    copy(base + r.op, t, TEMPLATE_OPS, t->op, sizeof *t->op);
    copy(base + r.table, t, TEMPLATE_TABLES, t->table, sizeof *t->table);
    copy(base + r.element, t, TEMPLATE_ELEMENTS, t->element, sizeof *t->element);
    *out = r;
    return CUZK_OK;
}

void cuda_rows_free(struct cuda_rows *r)
{
    block_free(&r->block);
    memset(r, 0, sizeof *r);
}

static struct rows_tables tables_at(const struct cuda_rows *r, const void *tables)
{
    const unsigned char *base = tables;
    return (struct rows_tables){.instance = (const void *)(base + r->instance),
                                .chunk = (const void *)(base + r->chunk),
                                .binding = (const void *)(base + r->binding),
                                .program = (const void *)(base + r->program),
                                .op = (const void *)(base + r->op),
                                .table = base + r->table,
                                .element = base + r->element,
                                .power = base + r->power};
}

struct rows_bind_args cuda_rows_bind_args(const struct cuda_rows *r, const void *tables,
                                          const struct rows_witness *w, uint32_t *bits)
{
    return (struct rows_bind_args){.t = tables_at(r, tables), .w = *w, .bits = bits};
}

struct rows_args cuda_rows_args(const struct cuda_rows *r, const void *tables, const struct rows_witness *w,
                                const uint32_t *bits, unsigned side, void *out, uint64_t count)
{
    return (struct rows_args){.t = tables_at(r, tables),
                              .w = *w,
                              .bits = bits,
                              .out = out,
                              .side = side,
                              .rows = r->rows,
                              .count = count};
}

uint32_t cuda_rows_blocks(uint64_t count)
{
    return (uint32_t)((count + ROWS_CHUNK - 1) / ROWS_CHUNK);
}
