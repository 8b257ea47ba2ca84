/* cuzk-bench/busy.h - what share of a load's time the daemon's workers were busy, by its own metrics.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_CUZK_BENCH_BUSY_H
#define TOOLS_CUZK_BENCH_BUSY_H

#include "cuzk-bench/remote.h"

#define BUSY_WORKERS 64

struct busy_worker {
    char lane[16];
    unsigned worker;
    int device; /* -1: the lane has none */
    double share;
};

struct busy;
/* Look after so many seconds, and again `seconds` after the beginning or when it is stopped (0: then alone).
 * NULL: there is no memory, or no thread; all take NULL. */
struct busy *busy_start(struct remote *remote, double after, double seconds);
/* Waits for what is under way. */
void busy_stop(struct busy *b);
void busy_free(struct busy *b);
/* Those that there are, at most BUSY_WORKERS; 0: it could not be told. */
size_t busy_workers(const struct busy *b, const struct busy_worker **out);
void busy_emit(struct emit *e, const char *key, const struct busy *b);
void busy_print(FILE *f, const struct busy *b);

#endif
