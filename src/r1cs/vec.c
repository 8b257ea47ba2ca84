/* r1cs/vec.c - arrays that grow.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/vec.h"

#include <string.h>

#include "base/error.h"

#define FIRST_BYTES 4096

cuzk_status vec_reserve(struct vec *v, size_t more, struct cuzk_error *e)
{
    size_t capacity = v->block.size / v->each;
    if (more <= capacity - v->count)
        return CUZK_OK;
    if (more > SIZE_MAX / 4 / v->each - v->count)
        return error_memory(e, SIZE_MAX, v->what);
    if (capacity == 0)
        capacity = FIRST_BYTES / v->each + 1;
    while (capacity < v->count + more)
        capacity *= 2;
    struct block bigger;
    const cuzk_status status = block_new(&bigger, v->budget, capacity, v->each, v->what, e);
    if (status != CUZK_OK)
        return status;
    if (v->count > 0)
        memcpy(bigger.ptr, v->block.ptr, v->count * v->each);
    block_free(&v->block);
    v->block = bigger;
    return CUZK_OK;
}

cuzk_status vec_append(struct vec *v, const void *from, size_t more, struct cuzk_error *e)
{
    const cuzk_status status = vec_reserve(v, more, e);
    if (status != CUZK_OK || more == 0)
        return status;
    if (from)
        memcpy(vec_at(v, v->count), from, more * v->each);
    v->count += more;
    return CUZK_OK;
}

void vec_clear(struct vec *v)
{
    if (v->count > 0)
        memset(v->block.ptr, 0, v->count * v->each);
    v->count = 0;
}

void vec_free(struct vec *v)
{
    block_free(&v->block);
    v->count = 0;
}
