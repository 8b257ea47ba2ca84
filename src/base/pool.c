/* base/pool.c - a thread pool for loops over independent tasks.
 *
 * Each worker waits on a word of its own, the count of its calls: it spins a little, then sleeps (futex(2)).
 * A loop calls only as many workers as there are tasks. The caller works too, then waits the same way for the
 * count of called workers to fall to zero. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/pool.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/topology.h"

#define THREADS_MAX 4096u
#define CACHE_LINE  64
#define SPINS       400 /* some 10 to 20 microseconds: the cost of a sleep and a wake */

struct worker {
    _Alignas(CACHE_LINE) _Atomic uint32_t called; /* how many times it was called; wraps around */
    _Atomic uint32_t asleep;
    struct pool *pool;
    unsigned index; /* 1.. */
    pthread_t thread;
};

struct pool {
    unsigned threads, started;
    unsigned spins;
    struct topology_places *places;
    void *memory; /* what this lies in */

    /* The current loop: written by the caller before the workers are called. */
    void (*task)(void *ctx, size_t i, unsigned worker);
    void *ctx;
    size_t count;
    bool stop;

    _Alignas(CACHE_LINE) _Atomic size_t next;
    _Alignas(CACHE_LINE) _Atomic uint32_t busy; /* called workers that have not finished */
    _Atomic uint32_t caller_asleep;

    struct worker workers[]; /* threads entries; the first, the caller, is unused */
};

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void futex_wait(_Atomic uint32_t *word, uint32_t seen)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The waiter announces its sleep before it looks at the word a last time, the other side writes the word
 * before it looks for a sleeper, all sequentially consistent: one of them sees the other. */
static void await_call(struct worker *w, uint32_t seen, unsigned spins)
{
    for (unsigned i = 0; i < spins; i++) {
        if (atomic_load_explicit(&w->called, memory_order_acquire) != seen)
            return;
        relax();
    }
    atomic_store(&w->asleep, 1);
    while (atomic_load(&w->called) == seen)
        futex_wait(&w->called, seen);
    atomic_store(&w->asleep, 0);
}

static void call(struct worker *w)
{
    atomic_fetch_add(&w->called, 1);
    if (atomic_load(&w->asleep))
        futex_wake(&w->called);
}

static void work(struct pool *pool, unsigned index)
{
    for (;;) {
        const size_t i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (i >= pool->count)
            return;
        pool->task(pool->ctx, i, index);
    }
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct pool *pool = w->pool;
    topology_places_take(pool->places, w->index);
    for (uint32_t seen = 0;;) {
        await_call(w, seen, pool->spins);
        seen = atomic_load_explicit(&w->called, memory_order_acquire);
        if (pool->stop)
            return NULL;
        work(pool, w->index);
        if (atomic_fetch_sub(&pool->busy, 1) == 1 && atomic_load(&pool->caller_asleep))
            futex_wake(&pool->busy);
    }
}

/* Wait until all called workers have finished. */
static void await_workers(struct pool *pool)
{
    for (unsigned i = 0; i < pool->spins; i++) {
        if (atomic_load_explicit(&pool->busy, memory_order_acquire) == 0)
            return;
        relax();
    }
    atomic_store(&pool->caller_asleep, 1);
    for (uint32_t busy; (busy = atomic_load(&pool->busy)) != 0;)
        futex_wait(&pool->busy, busy);
    atomic_store(&pool->caller_asleep, 0);
}

/* CPUs in the affinity mask of this process; 0 if unknown. */
static unsigned affinity_cpus(void)
{
    for (size_t cpus = 1024; cpus <= (size_t)1 << 20; cpus *= 4) {
        cpu_set_t *set = CPU_ALLOC(cpus);
        if (!set)
            return 0;
        const size_t size = CPU_ALLOC_SIZE(cpus);
        const int refused = sched_getaffinity(0, size, set);
        const int count = refused ? 0 : CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (!refused)
            return count > 0 ? (unsigned)count : 0;
    }
    return 0;
}

unsigned pool_default_threads(void)
{
    unsigned threads = affinity_cpus();
    if (threads == 0) {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        threads = online > 0 && online < INT_MAX ? (unsigned)online : 1;
    }
    const uint64_t quota = cgroup_cpu_limit("");
    if (quota < (uint64_t)threads * 1000)
        threads = (unsigned)((quota + 999) / 1000);
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    return threads ? threads : 1;
}

/* Start the workers with all signals blocked: those are for the program's own threads. */
static int start_workers(struct pool *pool)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int refused = 0;
    while (pool->started < pool->threads - 1) {
        struct worker *w = &pool->workers[pool->started + 1];
        w->pool = pool;
        w->index = pool->started + 1;
        refused = pthread_create(&w->thread, NULL, worker_main, w);
        if (refused)
            break;
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return refused;
}

cuzk_status pool_new(struct pool **out, unsigned threads, struct cuzk_error *e)
{
    if (threads == 0)
        threads = pool_default_threads();
    if (threads > THREADS_MAX)
        return error_set(e, CUZK_ERR_ARGUMENT, "%u threads are too many: at most %u", threads, THREADS_MAX);
    const size_t size = sizeof(struct pool) + (size_t)threads * sizeof(struct worker);
    uint8_t *memory = mem_alloc(1, size + CACHE_LINE);
    if (!memory)
        return error_memory(e, size, "the thread pool");
    struct pool *pool = (void *)(memory + (CACHE_LINE - (uintptr_t)memory % CACHE_LINE) % CACHE_LINE);
    pool->memory = memory;
    pool->threads = threads;
    /* With more threads than CPUs a waiting thread would spin on a CPU that another one needs. */
    pool->spins = threads <= pool_default_threads() ? SPINS : 0;
    if (threads > 1)
        pool->places = topology_places_new(threads, NULL);
    const int refused = start_workers(pool);
    if (refused) {
        const unsigned failed = pool->started + 1;
        pool_free(pool);
        return error_errno(e, refused, "cannot start thread %u of %u", failed + 1, threads);
    }
    *out = pool;
    return CUZK_OK;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pool->stop = true;
    for (unsigned i = 1; i <= pool->started; i++)
        call(&pool->workers[i]);
    for (unsigned i = 1; i <= pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    topology_places_free(pool->places);
    mem_free(pool->memory);
}

unsigned pool_threads(const struct pool *pool)
{
    return pool->threads;
}

void pool_run(struct pool *pool, void (*task)(void *ctx, size_t i, unsigned worker), void *ctx, size_t count)
{
    const unsigned called = count < pool->threads ? (unsigned)count : pool->threads;
    if (called <= 1) {
        for (size_t i = 0; i < count; i++)
            task(ctx, i, 0);
        return;
    }
    pool->task = task;
    pool->ctx = ctx;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->busy, called - 1, memory_order_relaxed);
    for (unsigned i = 1; i < called; i++)
        call(&pool->workers[i]);
    work(pool, 0);
    await_workers(pool);
}
