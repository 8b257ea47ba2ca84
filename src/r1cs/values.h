/* r1cs/values.h - the values of a circuit's variables, growing as they are allocated, and rows over them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_VALUES_H
#define R1CS_VALUES_H

#include "base/memory.h"
#include "r1cs/cs.h"

#define VALUES_CHUNK  ((uint32_t)1 << 20) /* values that are obtained at once */
#define VALUES_CHUNKS (VAR_AUX / VALUES_CHUNK)

/* One kind of variable, inputs or auxiliary. Zero-initialise with the budget set. */
struct values {
    struct budget *budget;
    struct block *chunk; /* VALUES_CHUNKS; NULL while there are no values */
    uint32_t count;
};
cuzk_status values_add(struct values *v, const fr *value, struct cuzk_error *e) MUST_USE;
void values_free(struct values *v);

static inline const fr *values_at(const struct values *v, uint32_t index)
{
    return (const fr *)v->chunk[index / VALUES_CHUNK].ptr + index % VALUES_CHUNK;
}

/* The value of a row's side. */
fr values_of_row(const struct values *inputs, const struct values *aux, const struct row *row);

#endif
