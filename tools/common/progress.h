/* common/progress.h - a progress line on a terminal.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_COMMON_PROGRESS_H
#define TOOLS_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* One line on standard error, redrawn at most ten times a second; nothing where that is no terminal. */
struct progress {
    bool enabled, drawn;
    const char *prefix; /* "" or such as "partition 2 of 10: "; owned by the caller */
    const char *phase;
    double phase_start, last_draw;
    uint64_t phase_done; /* at its start: a phase may be taken up in the middle */
};

void progress_init(struct progress *p, bool wanted);
void progress_update(void *progress, const char *phase, uint64_t done, uint64_t total);
void progress_clear(struct progress *p); /* before other output, and at the end */

double now_seconds(void);     /* monotonic */
double now_cpu_seconds(void); /* of all threads of this process so far */

#endif
