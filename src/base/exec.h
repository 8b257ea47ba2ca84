/* base/exec.h - how a piece of work is run: by which threads, with which
 * instructions, under which memory budget, watched and stopped by whom.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BASE_EXEC_H
#define BASE_EXEC_H

#include "base/common.h"
#include "base/cpu.h"

struct pool;
struct budget;
struct timing;

/* Passed by const pointer through every long-running call. The caller owns
 * everything it points to; it outlives the call. */
struct exec {
    struct pool *pool;        /* never NULL */
    struct budget *budget;    /* may be NULL: no limit */
    enum cpu_variant variant; /* which arithmetic; must be one cpu_supports() */

    /* May be NULL. Called from the thread that made the call, at a phase's start and as it advances:
     * done of total in phase (a short lower-case text with static life, e.g. "h query"). */
    void (*progress)(void *user, const char *phase, uint64_t done, uint64_t total);
    void *progress_user;

    /* May be NULL. Non-zero asks the work to stop: the call returns CUZK_ERR_CANCELLED soon (well
     * under a second) with nothing half-done left behind. May be set from a signal handler. */
    const volatile int *cancel;

    struct timing *timing; /* may be NULL: phases are not recorded */
};

static inline bool exec_cancelled(const struct exec *x)
{
    return x->cancel && __atomic_load_n(x->cancel, __ATOMIC_RELAXED);
}

static inline void exec_progress(const struct exec *x, const char *phase, uint64_t done, uint64_t total)
{
    if (x->progress)
        x->progress(x->progress_user, phase, done, total);
}

#endif
