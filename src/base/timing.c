/* base/timing.c - a monotonic clock and a bounded recorder of what happened when.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/timing.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

struct slot {
    struct timing_event event;
    atomic_bool complete;
};

struct timing {
    size_t capacity;
    _Atomic uint64_t taken; /* events seen; those below capacity have a slot */
    struct slot slots[];
};

uint64_t timing_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

cuzk_status timing_new(struct timing **out, size_t capacity, struct cuzk_error *e)
{
    size_t size;
    if (__builtin_mul_overflow(capacity, sizeof(struct slot), &size) ||
        __builtin_add_overflow(size, sizeof(struct timing), &size))
        return error_set(e, CUZK_ERR_MEMORY, "out of memory: %zu timing events", capacity);
    struct timing *t = mem_alloc(1, size);
    if (!t)
        return error_memory(e, size, "timing events");
    t->capacity = capacity;
    *out = t;
    return CUZK_OK;
}

void timing_free(struct timing *t)
{
    mem_free(t);
}

void timing_record(struct timing *t, const char *name, uint64_t start)
{
    if (!t)
        return;
    const uint64_t i = atomic_fetch_add_explicit(&t->taken, 1, memory_order_relaxed);
    if (i >= t->capacity)
        return;
    struct slot *slot = &t->slots[i];
    slot->event = (struct timing_event){name, start, timing_now(), (uint32_t)gettid()};
    atomic_store_explicit(&slot->complete, true, memory_order_release);
}

size_t timing_count(const struct timing *t)
{
    const uint64_t taken = atomic_load_explicit(&t->taken, memory_order_relaxed);
    const size_t most = taken < t->capacity ? (size_t)taken : t->capacity;
    size_t count = 0;
    while (count < most && atomic_load_explicit(&t->slots[count].complete, memory_order_acquire))
        count++;
    return count;
}

uint64_t timing_dropped(const struct timing *t)
{
    const uint64_t taken = atomic_load_explicit(&t->taken, memory_order_relaxed);
    return taken > t->capacity ? taken - t->capacity : 0;
}

struct timing_event timing_get(const struct timing *t, size_t i)
{
    VERIFY(i < timing_count(t));
    return t->slots[i].event;
}
