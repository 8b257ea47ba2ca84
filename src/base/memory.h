/* base/memory.h - memory: a budget in bytes, large blocks, arenas.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/common.h"

struct budget;

/* A limit in bytes shared by all that reserve from it; thread-safe. limit 0: the least of RAM, the
 * cgroup's limit and the memory nodes (NUMA) that the process may use. */
cuzk_status budget_new(struct budget **out, uint64_t limit, struct cuzk_error *e) MUST_USE;
/* A budget of limit bytes (not 0) that have been reserved from whole, which outlives it. */
cuzk_status budget_new_part(struct budget **out, struct budget *whole, uint64_t limit,
                            struct cuzk_error *e) MUST_USE;
void budget_free(struct budget *b); /* NULL is fine */
cuzk_status budget_reserve(struct budget *b, uint64_t bytes, const char *what, struct cuzk_error *e) MUST_USE;
void budget_release(struct budget *b, uint64_t bytes);
uint64_t budget_limit(const struct budget *b);
uint64_t budget_used(const struct budget *b);
uint64_t budget_peak(const struct budget *b);

/* A large block from the system: zeroed, aligned to 64 bytes at least (2 MiB and advised for huge
 * pages from 4 MiB on), counted against b (NULL: not counted). ptr is NULL when empty. */
struct block {
    void *ptr;
    size_t size; /* as asked for */
    struct budget *budget;
    bool stale; /* from block_new_stale */
};

/* count * size bytes, checked for overflow; 0 bytes give an empty block. what names it in the error. */
cuzk_status block_new(struct block *out, struct budget *b, size_t count, size_t size, const char *what,
                      struct cuzk_error *e) MUST_USE;
/* The same, holding anything: the system takes long to clear gigabytes, so large blocks of this kind that are
 * freed are kept by the budget (a part's: by the whole) for the next of their size, in what nobody has
 * reserved. Kept memory counts as free, and the system may take it when it is short. b NULL: as block_new. */
cuzk_status block_new_stale(struct block *out, struct budget *b, size_t count, size_t size, const char *what,
                            struct cuzk_error *e) MUST_USE;
/* What a block of so many bytes counts in a budget: the pages that it takes. */
size_t block_counts(size_t size);
/* Have the system provide the pages of a new, still zero block now, on all threads of the pool, for a block
 * that one thread would else fault in page by page. */
struct pool;
void block_prefault(const struct block *block, struct pool *pool);
void block_free(struct block *block); /* empties it; an empty or zeroed one is fine */

/* An arena: many small allocations that are freed together. Zero-initialise with the budget set. */
struct arena {
    struct budget *budget;
    struct arena_chunk *chunks;
};

/* Zeroed, aligned for any type; NULL when memory or budget is out (or count * size overflows). */
void *arena_alloc(struct arena *a, size_t count, size_t size);
void arena_free(struct arena *a); /* frees all; the arena can be used again */

/* malloc for small things, through which tests make allocations fail. */
void *mem_alloc(size_t count, size_t size); /* zeroed; NULL on failure or overflow */
void mem_free(void *p);

/* Overwrite secrets in a way the compiler keeps. */
void mem_wipe(void *p, size_t size);

/* For tests: let the n-th following allocation of this module (1: the next) fail, once; 0: none. */
void mem_fail_after(uint64_t n);

#endif
