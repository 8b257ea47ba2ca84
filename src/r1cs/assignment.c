/* r1cs/assignment.c - witnesses as bits and wide values, and the classes of a circuit's variables.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/assignment.h"

#include <string.h>

#include "base/error.h"

#define FIRST_BLOCKS 128 /* of CLASSES_BLOCK variables */

cuzk_status assignment_new(struct assignment *out, struct budget *budget, uint32_t inputs, uint32_t bits,
                           uint32_t wide, struct cuzk_error *e)
{
    struct assignment a = {.inputs = inputs, .bits = bits, .wide = wide};
    /* A word more than needed, so that 64 bits can be read from any place. */
    cuzk_status status = block_new(&a.input_block, budget, inputs, sizeof(fr), "the public inputs", e);
    if (status == CUZK_OK)
        status =
            block_new(&a.bit_block, budget, (size_t)bits / 64 + 2, sizeof(uint64_t), "the witness's bits", e);
    if (status == CUZK_OK)
        status = block_new_stale(&a.wide_block, budget, wide, sizeof(fr), "the witness's wide values", e);
    if (status != CUZK_OK) {
        assignment_free(&a);
        return status;
    }
    a.input = a.input_block.ptr;
    a.bit = a.bit_block.ptr;
    a.wide_value = a.wide_block.ptr;
    *out = a;
    return CUZK_OK;
}

void assignment_free(struct assignment *a)
{
    block_free(&a->input_block);
    block_free(&a->bit_block);
    block_free(&a->wide_block);
    memset(a, 0, sizeof *a);
}

static cuzk_status grow(struct classes *c, struct cuzk_error *e)
{
    const size_t blocks = c->before.size / sizeof(uint32_t), wanted = blocks ? 2 * blocks : FIRST_BLOCKS;
    struct block is_bit, before;
    cuzk_status status =
        block_new(&is_bit, c->budget, wanted, CLASSES_BLOCK / 8, "the variables' classes", e);
    if (status != CUZK_OK)
        return status;
    status = block_new(&before, c->budget, wanted, sizeof(uint32_t), "the variables' classes", e);
    if (status != CUZK_OK) {
        block_free(&is_bit);
        return status;
    }
    if (blocks > 0) {
        memcpy(is_bit.ptr, c->is_bit.ptr, c->is_bit.size);
        memcpy(before.ptr, c->before.ptr, c->before.size);
    }
    block_free(&c->is_bit);
    block_free(&c->before);
    c->is_bit = is_bit;
    c->before = before;
    return CUZK_OK;
}

cuzk_status classes_add(struct classes *c, bool is_bit, struct cuzk_error *e)
{
    const uint32_t index = c->count;
    if (index % CLASSES_BLOCK == 0) {
        if (index / CLASSES_BLOCK == c->before.size / sizeof(uint32_t)) {
            const cuzk_status status = grow(c, e);
            if (status != CUZK_OK)
                return status;
        }
        ((uint32_t *)c->before.ptr)[index / CLASSES_BLOCK] = c->bits;
    }
    ((uint64_t *)c->is_bit.ptr)[index / 64] |= (uint64_t)is_bit << index % 64;
    c->bits += is_bit;
    c->count++;
    return CUZK_OK;
}

void classes_free(struct classes *c)
{
    block_free(&c->is_bit);
    block_free(&c->before);
    memset(c, 0, sizeof *c);
}

struct gather {
    struct classes *classes;
    struct cuzk_error error;
};

static cuzk_status on_wide(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct gather *g = self;
    (void)cs;
    (void)index;
    (void)value;
    return classes_add(g->classes, false, &g->error);
}

static cuzk_status on_bit(void *self, const struct cs *cs, uint32_t index, bool value)
{
    struct gather *g = self;
    (void)cs;
    (void)index;
    (void)value;
    return classes_add(g->classes, true, &g->error);
}

cuzk_status classes_of(const struct exec *x, struct classes *out, const struct circuit *circuit,
                       struct cs_counts *counts, struct cuzk_error *e)
{
    static const struct cs_sink sink = {.alloc = on_wide, .alloc_bit = on_bit};
    struct classes classes = {.budget = x->budget};
    struct gather g = {.classes = &classes, .error = {.status = CUZK_OK}};
    cuzk_status status = circuit_run(circuit, &sink, &g, x->cancel, counts, e);
    if (g.error.status != CUZK_OK)
        status = error_set(e, g.error.status, "%s", g.error.message);
    if (status == CUZK_OK)
        *out = classes;
    else
        classes_free(&classes);
    return status;
}
