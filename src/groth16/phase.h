/* groth16/phase.h - one phase's name for what a lower room reports under names of its own.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_PHASE_H
#define GROTH16_PHASE_H

#include "base/exec.h"

struct phase {
    struct exec x; /* to be passed down */
    const struct exec *outer;
    const char *name;
};

static inline void phase_report(void *user, const char *phase, uint64_t done, uint64_t total)
{
    const struct phase *p = (const struct phase *)user;
    (void)phase;
    exec_progress(p->outer, p->name, done, total);
}

/* p stays where it is as long as p->x is in use. */
static inline void phase_begin(struct phase *p, const struct exec *x, const char *name)
{
    p->x = *x;
    p->outer = x;
    p->name = name;
    if (x->progress) {
        p->x.progress = phase_report;
        p->x.progress_user = p;
    }
}

#endif
