/* base/memory.c - memory: a budget in bytes, large blocks, arenas.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/error.h"
#include "base/pool.h"
#include "base/topology.h"

#define HUGE_PAGE      ((size_t)2 << 20)
#define HUGE_FROM      ((size_t)4 << 20) /* below this a huge page would waste more than it saves */
#define PAGE           ((size_t)4096)
#define SPARES         16 /* blocks that a budget keeps */
#define ARENA_FIRST    ((size_t)4096)
#define ARENA_MAX      ((size_t)1 << 20)
#define ARENA_ALIGN    ((size_t)16)
#define ROUND_UP(n, m) (((n) + ((m)-1)) / (m) * (m))

/* ---- failing allocations, for tests ---- */

static _Atomic uint64_t fail_countdown;

void mem_fail_after(uint64_t n)
{
    atomic_store(&fail_countdown, n);
}

/* Is this the allocation that the test wants to fail? */
static bool injected_failure(void)
{
    uint64_t left = atomic_load_explicit(&fail_countdown, memory_order_relaxed);
    while (left != 0)
        if (atomic_compare_exchange_weak(&fail_countdown, &left, left - 1))
            return left == 1;
    return false;
}

/* ---- budget ---- */

struct budget {
    uint64_t limit;
    _Atomic uint64_t used, peak;
    struct budget *whole; /* that it is a part of, or itself: it keeps the blocks */
    pthread_mutex_t lock; /* of what is kept */
    struct spare {
        void *ptr;
        size_t size; /* mapped; 0: a free place */
    } spare[SPARES];
    _Atomic uint64_t spare_bytes; /* used and these together stay within the limit */
};

static uint64_t system_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t limit = UINT64_MAX;
    if (pages > 0 && page > 0)
        limit = (uint64_t)pages * (uint64_t)page;
    const uint64_t group = cgroup_memory_limit("");
    if (group < limit)
        limit = group;
    const uint64_t nodes = topology_memory();
    if (nodes < limit)
        limit = nodes;
    return limit;
}

cuzk_status budget_new(struct budget **out, uint64_t limit, struct cuzk_error *e)
{
    struct budget *b = mem_alloc(1, sizeof(*b));
    if (!b)
        return error_memory(e, sizeof(*b), "the memory budget");
    b->limit = limit ? limit : system_memory();
    b->whole = b;
    pthread_mutex_init(&b->lock, NULL);
    *out = b;
    return CUZK_OK;
}

cuzk_status budget_new_part(struct budget **out, struct budget *whole, uint64_t limit, struct cuzk_error *e)
{
    struct budget *b = NULL;
    VERIFY(limit > 0);
    const cuzk_status status = budget_new(&b, limit, e);
    if (status != CUZK_OK)
        return status;
    b->whole = whole->whole;
    *out = b;
    return CUZK_OK;
}

/* With the lock: give what is kept back to the system. */
static void drop_spares(struct budget *b)
{
    for (struct spare *s = b->spare; s < b->spare + SPARES; s++) {
        if (s->size)
            munmap(s->ptr, s->size);
        *s = (struct spare){0};
    }
    atomic_store(&b->spare_bytes, 0);
}

/* A kept block of this size; NULL: there is none. */
static void *take_spare(struct budget *b, size_t size)
{
    void *found = NULL;
    pthread_mutex_lock(&b->lock);
    for (struct spare *s = b->spare; !found && s < b->spare + SPARES; s++) {
        if (s->size != size)
            continue;
        found = s->ptr;
        atomic_fetch_sub(&b->spare_bytes, size);
        *s = (struct spare){0};
    }
    pthread_mutex_unlock(&b->lock);
    return found;
}

/* Keep a block; false: there is no room. */
static bool put_spare(struct budget *b, void *ptr, size_t size)
{
    struct spare *room = NULL;
    pthread_mutex_lock(&b->lock);
    for (struct spare *s = b->spare; !room && s < b->spare + SPARES; s++)
        room = s->size ? NULL : s;
    /* who reserves looks afterwards at what is kept, so one of the two sees the other */
    if (room && atomic_fetch_add(&b->spare_bytes, size) + size + atomic_load(&b->used) > b->limit) {
        atomic_fetch_sub(&b->spare_bytes, size);
        room = NULL;
    }
    if (room)
        *room = (struct spare){ptr, size};
    pthread_mutex_unlock(&b->lock);
    return room;
}

void budget_free(struct budget *b)
{
    VERIFY(!b || atomic_load(&b->used) == 0);
    if (b) {
        drop_spares(b);
        pthread_mutex_destroy(&b->lock);
    }
    mem_free(b);
}

cuzk_status budget_reserve(struct budget *b, uint64_t bytes, const char *what, struct cuzk_error *e)
{
    if (!b)
        return CUZK_OK;
    uint64_t used = atomic_load(&b->used);
    do {
        if (bytes > b->limit - used)
            return error_set(e, CUZK_ERR_MEMORY,
                             "the memory budget is spent: %llu bytes for %s, but %llu of %llu are in use",
                             (unsigned long long)bytes, what, (unsigned long long)used,
                             (unsigned long long)b->limit);
    } while (!atomic_compare_exchange_weak(&b->used, &used, used + bytes));
    const uint64_t now = used + bytes;
    uint64_t peak = atomic_load(&b->peak);
    while (peak < now && !atomic_compare_exchange_weak(&b->peak, &peak, now))
        ;
    const uint64_t kept = atomic_load(&b->spare_bytes);
    if (kept && kept > b->limit - now) {
        pthread_mutex_lock(&b->lock);
        drop_spares(b);
        pthread_mutex_unlock(&b->lock);
    }
    return CUZK_OK;
}

void budget_release(struct budget *b, uint64_t bytes)
{
    if (!b)
        return;
    const uint64_t before = atomic_fetch_sub(&b->used, bytes);
    (void)before;
    VERIFY(before >= bytes);
}

uint64_t budget_limit(const struct budget *b)
{
    return b->limit;
}

uint64_t budget_used(const struct budget *b)
{
    return atomic_load(&b->used);
}

uint64_t budget_peak(const struct budget *b)
{
    return atomic_load(&b->peak);
}

/* ---- blocks ---- */

/* How many bytes the system gives for a block of size bytes; 0 if that overflows. */
static size_t mapped_size(size_t size)
{
    const size_t grain = size >= HUGE_FROM ? HUGE_PAGE : PAGE;
    if (size > SIZE_MAX - 2 * HUGE_PAGE)
        return 0;
    return ROUND_UP(size, grain);
}

/* Map size bytes (a multiple of align, both of the page size) aligned to align; NULL on failure. */
static void *map_aligned(size_t size, size_t align)
{
    const size_t extra = align > PAGE ? align : 0;
    uint8_t *p = mmap(NULL, size + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (!extra)
        return p;
    const size_t head = (align - (uintptr_t)p % align) % align;
    if (head)
        munmap(p, head);
    if (extra - head)
        munmap(p + head + size, extra - head);
    return p + head;
}

static void *map_block(size_t mapped, bool huge)
{
    void *p = map_aligned(mapped, huge ? HUGE_PAGE : PAGE);
    if (p && huge)
        (void)madvise(p, mapped, MADV_HUGEPAGE); /* advice: a kernel without huge pages serves as well */
    return p;
}

static cuzk_status make_block(struct block *out, struct budget *b, size_t count, size_t size, bool stale,
                              const char *what, struct cuzk_error *e)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return error_set(e, CUZK_ERR_MEMORY, "out of memory: %zu times %zu bytes for %s", count, size, what);
    if (total == 0) {
        *out = (struct block){.budget = b};
        return CUZK_OK;
    }
    const size_t mapped = mapped_size(total);
    if (!mapped)
        return error_memory(e, total, what);
    const bool huge = total >= HUGE_FROM;
    const bool fails = injected_failure();
    stale = stale && huge && b;
    /* before it is reserved: what is kept would give way to it */
    void *p = stale && !fails ? take_spare(b->whole, mapped) : NULL;
    const cuzk_status status = budget_reserve(b, mapped, what, e);
    if (status != CUZK_OK) {
        if (p)
            munmap(p, mapped);
        return status;
    }
    if (!p && !fails)
        p = map_block(mapped, huge);
    if (!p) {
        budget_release(b, mapped);
        return error_memory(e, total, what);
    }
    *out = (struct block){.ptr = p, .size = total, .budget = b, .stale = stale};
    return CUZK_OK;
}

cuzk_status block_new(struct block *out, struct budget *b, size_t count, size_t size, const char *what,
                      struct cuzk_error *e)
{
    return make_block(out, b, count, size, false, what, e);
}

cuzk_status block_new_stale(struct block *out, struct budget *b, size_t count, size_t size, const char *what,
                            struct cuzk_error *e)
{
    return make_block(out, b, count, size, true, what, e);
}

#define PREFAULT_TASK ((size_t)2 << 20) /* a huge page */
#define PREFAULT_STEP ((size_t)4 << 10) /* the least page */

static void prefault_task(void *ctx, size_t i, unsigned worker)
{
    const struct block *block = ctx;
    const size_t from = i * PREFAULT_TASK, left = block->size - from,
                 end = from + (left < PREFAULT_TASK ? left : PREFAULT_TASK);
    (void)worker;
    for (size_t at = from; at < end; at += PREFAULT_STEP)
        ((volatile uint8_t *)block->ptr)[at] = 0;
}

void block_prefault(const struct block *block, struct pool *pool)
{
    struct block b = *block;
    pool_run(pool, prefault_task, &b, (block->size + PREFAULT_TASK - 1) / PREFAULT_TASK);
}

size_t block_counts(size_t size)
{
    return size ? mapped_size(size) : 0;
}

void block_free(struct block *block)
{
    if (block->ptr) {
        const size_t mapped = mapped_size(block->size);
        budget_release(block->budget, mapped);
        if (block->stale)
            (void)madvise(block->ptr, mapped, MADV_FREE);
        if (!block->stale || !put_spare(block->budget->whole, block->ptr, mapped))
            munmap(block->ptr, mapped);
    }
    block->ptr = NULL;
    block->size = 0;
}

/* ---- arenas ---- */

struct arena_chunk {
    struct arena_chunk *next;
    size_t size, used; /* of the whole chunk, this head included */
};

#define CHUNK_HEAD ROUND_UP(sizeof(struct arena_chunk), ARENA_ALIGN)

/* Put a chunk with room for need bytes in front; false when memory or budget is out. */
static bool arena_grow(struct arena *a, size_t need)
{
    size_t size = a->chunks ? 2 * a->chunks->size : ARENA_FIRST;
    if (size > ARENA_MAX)
        size = ARENA_MAX;
    if (size < CHUNK_HEAD + need)
        size = CHUNK_HEAD + need;
    if (budget_reserve(a->budget, size, "an arena", NULL) != CUZK_OK)
        return false;
    struct arena_chunk *chunk = mem_alloc(1, size);
    if (!chunk) {
        budget_release(a->budget, size);
        return false;
    }
    *chunk = (struct arena_chunk){.next = a->chunks, .size = size, .used = CHUNK_HEAD};
    a->chunks = chunk;
    return true;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total) || total > SIZE_MAX - 2 * CHUNK_HEAD - ARENA_ALIGN)
        return NULL;
    total = total ? ROUND_UP(total, ARENA_ALIGN) : ARENA_ALIGN;
    if (!a->chunks || total > a->chunks->size - a->chunks->used)
        if (!arena_grow(a, total))
            return NULL;
    void *p = (uint8_t *)a->chunks + a->chunks->used;
    a->chunks->used += total;
    return p;
}

void arena_free(struct arena *a)
{
    while (a->chunks) {
        struct arena_chunk *next = a->chunks->next;
        budget_release(a->budget, a->chunks->size);
        mem_free(a->chunks);
        a->chunks = next;
    }
}

/* ---- small things ---- */

void *mem_alloc(size_t count, size_t size)
{
    if (injected_failure())
        return NULL;
    size_t total;
    if (__builtin_mul_overflow(count, size, &total) || total > PTRDIFF_MAX)
        return NULL;
    return calloc(1, total ? total : 1); /* NULL means failure only */
}

void mem_free(void *p)
{
    free(p);
}

void mem_wipe(void *p, size_t size)
{
    if (size)
        explicit_bzero(p, size);
}
