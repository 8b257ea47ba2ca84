/* r1cs/vec.h - arrays that grow, in blocks that count against a budget.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_VEC_H
#define R1CS_VEC_H

#include "base/memory.h"

/* Zero-initialise with each, what and budget set. */
struct vec {
    size_t each, count; /* bytes of an element; elements */
    const char *what;   /* for errors */
    struct budget *budget;
    struct block block;
};

/* Room for `more` further elements behind the last, zero; pointers into the array change. */
cuzk_status vec_reserve(struct vec *v, size_t more, struct cuzk_error *e) MUST_USE;
/* Append `more` elements from `from`, or zero ones (NULL). */
cuzk_status vec_append(struct vec *v, const void *from, size_t more, struct cuzk_error *e) MUST_USE;
void vec_clear(struct vec *v); /* keeps the memory */
void vec_free(struct vec *v);  /* a zeroed one is fine */

static inline void *vec_at(const struct vec *v, size_t i)
{
    return i ? (char *)v->block.ptr + i * v->each : v->block.ptr; /* no offset to NULL */
}

#endif
