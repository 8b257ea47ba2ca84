/* r1cs/hash_index.c - from hashes to numbers.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/hash_index.h"

#include <string.h>

#define FIRST_SLOTS 1024

struct slot {
    uint64_t hash;
    uint32_t number, taken;
};

static size_t slot_count(const struct hash_index *x)
{
    return x->slots.size / sizeof(struct slot);
}

bool hash_index_next(const struct hash_index *x, uint64_t hash, size_t *cursor, uint32_t *number)
{
    const struct slot *slots = x->slots.ptr;
    const size_t mask = slot_count(x) - 1;
    if (slot_count(x) == 0)
        return false;
    for (;;) {
        const struct slot *s = &slots[(hash + (*cursor)++) & mask];
        if (!s->taken)
            return false;
        if (s->hash == hash) {
            *number = s->number;
            return true;
        }
    }
}

static void put(struct block *slots, uint64_t hash, uint32_t number)
{
    struct slot *s = slots->ptr;
    const size_t mask = slots->size / sizeof *s - 1;
    size_t at = hash & mask;
    while (s[at].taken)
        at = (at + 1) & mask;
    s[at] = (struct slot){hash, number, 1};
}

cuzk_status hash_index_add(struct hash_index *x, uint64_t hash, uint32_t number, struct cuzk_error *e)
{
    const size_t count = slot_count(x);
    if (2 * (x->used + 1) > count) {
        struct block bigger;
        const cuzk_status status = block_new(&bigger, x->budget, count ? 2 * count : FIRST_SLOTS,
                                             sizeof(struct slot), "an index", e);
        if (status != CUZK_OK)
            return status;
        const struct slot *old = x->slots.ptr;
        for (size_t i = 0; i < count; i++)
            if (old[i].taken)
                put(&bigger, old[i].hash, old[i].number);
        block_free(&x->slots);
        x->slots = bigger;
    }
    put(&x->slots, hash, number);
    x->used++;
    return CUZK_OK;
}

void hash_index_free(struct hash_index *x)
{
    block_free(&x->slots);
    x->used = 0;
}

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    /* Words folded by 128-bit products, the idea of wyhash (W. Yi, 2019). */
    const uint8_t *in = bytes;
    const uint64_t k = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t h = seed ^ k ^ size;
    for (; size > 0;) {
        uint64_t word = 0;
        const size_t part = size < 8 ? size : 8;
        memcpy(&word, in, part);
        in += part;
        size -= part;
        const u128 product = (u128)(h ^ word) * k;
        h = (uint64_t)product ^ (uint64_t)(product >> 64) ^ (h << 29 | h >> 35);
    }
    return h;
}
