/* circuits/gen_bincode.c - writing vanilla proofs' parts: the reverse of merkle_bincode.c.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/gen_job.h"

static uint8_t *put_number(uint8_t *at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *at++ = (uint8_t)(v >> (8 * i));
    return at;
}

uint8_t *gen_put_u64(uint8_t *at, uint64_t v)
{
    return put_number(at, v, sizeof v);
}

uint8_t *gen_put_bytes32(uint8_t *at, const uint8_t bytes[32])
{
    memcpy(at, bytes, 32);
    return at + 32;
}

uint8_t *gen_put_element(uint8_t *at, const fr *element)
{
    fr_write_le(at, element);
    return at + FR_BYTES;
}

static uint8_t *put_steps(uint8_t *at, const struct merkle_step *steps, size_t count)
{
    at = gen_put_u64(at, count);
    for (size_t i = 0; i < count; i++) {
        at = gen_put_u64(at, steps[i].arity - 1);
        for (uint32_t k = 0; k < steps[i].arity - 1; k++)
            at = gen_put_element(at, &steps[i].siblings[k]);
        at = gen_put_u64(at, steps[i].index);
    }
    return at;
}

uint8_t *gen_put_path(uint8_t *at, const struct merkle_path *path, size_t base)
{
    const size_t above = path->count - base; /* also the variant's number: Single, Sub, Top */
    at = put_number(at, above, sizeof(uint32_t));
    if (above > 0)
        at = put_steps(at, path->steps, base);
    for (size_t i = 0; i < above; i++)
        at = put_steps(at, path->steps + base + i, 1);
    at = gen_put_element(at, &path->root);
    at = gen_put_element(at, &path->leaf);
    return above > 0 ? at : put_steps(at, path->steps, base);
}
