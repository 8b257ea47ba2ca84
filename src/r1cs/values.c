/* r1cs/values.c - the values of a circuit's variables.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/values.h"

cuzk_status values_add(struct values *v, const fr *value, struct cuzk_error *e)
{
    if (!v->chunk) {
        v->chunk = mem_alloc(VALUES_CHUNKS, sizeof *v->chunk);
        if (!v->chunk)
            return error_memory(e, VALUES_CHUNKS * sizeof *v->chunk, "the values of variables");
    }
    struct block *chunk = &v->chunk[v->count / VALUES_CHUNK];
    if (!chunk->ptr) {
        const cuzk_status status =
            block_new(chunk, v->budget, VALUES_CHUNK, sizeof(fr), "the values of variables", e);
        if (status != CUZK_OK)
            return status;
    }
    ((fr *)chunk->ptr)[v->count++ % VALUES_CHUNK] = *value;
    return CUZK_OK;
}

void values_free(struct values *v)
{
    if (v->chunk)
        for (uint32_t i = 0; i < VALUES_CHUNKS && v->chunk[i].ptr; i++)
            block_free(&v->chunk[i]);
    mem_free(v->chunk);
    v->chunk = NULL;
    v->count = 0;
}

fr values_of_row(const struct values *inputs, const struct values *aux, const struct row *row)
{
    fr sum = FR_ZERO;
    for (uint32_t i = 0; i < row->count; i++) {
        const struct lc_term *t = &row->term[i];
        const fr *value = values_at(t->v & VAR_AUX ? aux : inputs, VAR_INDEX(t->v));
        if (fr_is_zero(value))
            continue;
        if (fr_equal(value, &FR_ONE)) { /* most variables are bits */
            fr_add(&sum, &sum, &t->coeff);
        } else if (fr_equal(&t->coeff, &FR_ONE)) {
            fr_add(&sum, &sum, value);
        } else {
            fr product;
            fr_mul(&product, &t->coeff, value);
            fr_add(&sum, &sum, &product);
        }
    }
    return sum;
}
