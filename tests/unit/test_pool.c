/* The thread pool: every task once, one worker at a time, any number of threads.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pool.h"

#define TASKS   1000
#define WORKERS 16

struct work {
    unsigned threads;
    _Atomic unsigned in_use[WORKERS];
    _Atomic unsigned wrong;
    unsigned done[TASKS]; /* not atomic: a task's writes must be seen when pool_run returns */
    unsigned scratch[WORKERS];
};

static void count_task(void *ctx, size_t i, unsigned worker)
{
    struct work *w = ctx;
    if (worker >= w->threads || atomic_exchange(&w->in_use[worker], 1) != 0)
        atomic_fetch_add(&w->wrong, 1);
    w->done[i]++;
    w->scratch[worker]++;
    atomic_store(&w->in_use[worker], 0);
}

static void every_task_runs_once(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 8, 9, 10, TASKS};
    for (unsigned threads = 1; threads <= 9; threads++) {
        struct cuzk_error e;
        struct pool *pool;
        assert_int_equal(pool_new(&pool, threads, &e), CUZK_OK);
        assert_int_equal(pool_threads(pool), threads);
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            struct work w = {.threads = threads};
            pool_run(pool, count_task, &w, counts[c]);
            assert_int_equal(w.wrong, 0);
            size_t sum = 0;
            for (unsigned k = 0; k < WORKERS; k++)
                sum += w.scratch[k];
            assert_int_equal(sum, counts[c]);
            for (size_t i = 0; i < TASKS; i++)
                assert_int_equal(w.done[i], i < counts[c] ? 1 : 0);
        }
        pool_free(pool);
    }
}

static void many_small_loops(void **state)
{
    (void)state;
    for (unsigned threads = 2; threads <= 5; threads++) {
        struct pool *pool;
        assert_int_equal(pool_new(&pool, threads, NULL), CUZK_OK);
        static struct work w;
        memset(&w, 0, sizeof(w));
        w.threads = threads;
        for (unsigned loop = 0; loop < 2000; loop++)
            pool_run(pool, count_task, &w, 2 + loop % 7);
        assert_int_equal(w.wrong, 0);
        assert_int_equal(w.done[0], 2000);
        assert_int_equal(w.done[1], 2000);
        pool_free(pool);
    }
}

static void pauses_put_workers_to_sleep_and_wake_them(void **state)
{
    (void)state;
    struct pool *pool;
    assert_int_equal(pool_new(&pool, 4, NULL), CUZK_OK);
    struct work w = {.threads = 4};
    for (unsigned loop = 0; loop < 20; loop++) {
        usleep(2000);
        pool_run(pool, count_task, &w, 100);
    }
    assert_int_equal(w.done[99], 20);
    usleep(2000);
    pool_free(pool);
}

static void slow_task(void *ctx, size_t i, unsigned worker)
{
    (void)worker;
    if (i == 1)
        usleep(20000);
    atomic_fetch_add((_Atomic unsigned *)ctx, 1);
}

static void caller_waits_for_the_slowest(void **state)
{
    (void)state;
    struct pool *pool;
    assert_int_equal(pool_new(&pool, 3, NULL), CUZK_OK);
    _Atomic unsigned done = 0;
    pool_run(pool, slow_task, &done, 3);
    assert_int_equal(done, 3);
    pool_free(pool);
}

static void default_respects_affinity(void **state)
{
    (void)state;
    cpu_set_t before, one;
    if (sched_getaffinity(0, sizeof(before), &before) != 0)
        skip();
    assert_true(pool_default_threads() >= 1);
    assert_true(pool_default_threads() <= (unsigned)CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    const unsigned threads = pool_default_threads();
    struct pool *pool;
    const cuzk_status status = pool_new(&pool, 0, NULL);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
    assert_int_equal(threads, 1);
    assert_int_equal(status, CUZK_OK);
    assert_int_equal(pool_threads(pool), 1);
    pool_free(pool);
}

static void too_many_threads_are_refused(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct pool *pool = NULL;
    assert_int_equal(pool_new(&pool, 1000000, &e), CUZK_ERR_ARGUMENT);
    mem_fail_after(1);
    assert_int_equal(pool_new(&pool, 2, &e), CUZK_ERR_MEMORY);
    assert_null(pool);
    pool_free(NULL);
}

/* In a child with little address space left, so that stacks cannot be mapped. */
static int start_without_room(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld", &pages) != 1)
        return 77;
    fclose(f);
    const rlim_t used = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
    const struct rlimit limit = {used + (24 << 20), used + (24 << 20)};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 77;
    struct cuzk_error e;
    struct pool *pool;
    const cuzk_status status = pool_new(&pool, 64, &e);
    return status == CUZK_ERR_IO && strstr(e.message, "cannot start thread") ? 0 : 1;
}

static void threads_that_do_not_start_are_an_error(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* the sanitizer needs the address space */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    skip();
#endif
#endif
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(start_without_room());
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    if (WEXITSTATUS(result) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(result), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(many_small_loops),
        cmocka_unit_test(pauses_put_workers_to_sleep_and_wake_them),
        cmocka_unit_test(caller_waits_for_the_slowest),
        cmocka_unit_test(default_respects_affinity),
        cmocka_unit_test(too_many_threads_are_refused),
        cmocka_unit_test(threads_that_do_not_start_are_an_error),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
