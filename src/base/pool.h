/* base/pool.h - a thread pool for loops over independent tasks.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "base/common.h"

struct pool;

/* How many threads work on this machine can use: the least of the affinity mask's CPUs and the
 * cgroup's CPU quota (rounded up), at least 1. */
unsigned pool_default_threads(void);

/* threads: the caller's own included, so threads - 1 are started; 0 means pool_default_threads().
 * Threads are bound to no CPU beyond the process's affinity. The caller frees the pool. */
cuzk_status pool_new(struct pool **out, unsigned threads, struct cuzk_error *e) MUST_USE;
void pool_free(struct pool *pool); /* NULL is fine */

unsigned pool_threads(const struct pool *pool); /* >= 1 */

/* Run task(ctx, i, worker) for every i below count, on all threads including the caller's, and return
 * when all are done. Tasks are handed out one by one in order, so uneven ones balance. worker is below
 * pool_threads(pool) and no two tasks run at once with the same worker: index per-thread scratch with
 * it. Tasks must not call pool_run on the same pool. Not to be called from two threads at once. */
void pool_run(struct pool *pool, void (*task)(void *ctx, size_t i, unsigned worker), void *ctx, size_t count);

#endif
