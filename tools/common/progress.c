/* common/progress.c - a progress line on a terminal.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "common/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double now_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double now_cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void progress_init(struct progress *p, bool wanted)
{
    *p = (struct progress){.enabled = wanted && isatty(STDERR_FILENO), .prefix = "", .phase = ""};
}

void progress_update(void *progress, const char *phase, uint64_t done, uint64_t total)
{
    struct progress *p = progress;
    if (!p->enabled)
        return;
    const double now = now_seconds();
    if (strcmp(p->phase, phase) != 0) {
        p->phase = phase;
        p->phase_start = now;
        p->phase_done = done;
    } else if (now - p->last_draw < 0.1 && done < total) {
        return;
    }
    p->last_draw = now;
    p->drawn = true;
    const double spent = now - p->phase_start;
    fprintf(stderr, "\r\033[K%s%s", p->prefix, phase);
    if (total)
        fprintf(stderr, " %3.0f %%", 100.0 * (double)done / (double)total);
    if (total && done > p->phase_done && done < total && spent > 0.5) {
        const double left = spent * (double)(total - done) / (double)(done - p->phase_done);
        if (left < 120)
            fprintf(stderr, ", %.0f s left", left);
        else
            fprintf(stderr, ", %.0f min left", left / 60);
    }
    fflush(stderr);
}

void progress_clear(struct progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
