/* bench/bench.h - what the benchmarks share: options, timing, one JSON line a measurement.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/cpu.h"

/* How this run is to be done; from the command line. */
struct bench {
    const char *commit; /* --commit NAME; "" if not given */
    const char *filter; /* --only TEXT: measure only names that contain it; "" for all */
    enum cpu_variant
        variant; /* --cpu NAME; the best by default. Programs may change it between measurements */
    bool variant_given;
    unsigned threads; /* --threads N; 0: the program's choice */
    unsigned reps;    /* --reps N; 0: the program's choice */
    unsigned min_log; /* --min-log N, --max-log N: sizes; 0: the program's choice */
    unsigned max_log;
    char cpu_model[128];
};

/* Parse the command line; --help and misuse are answered here, and main then returns bench_exit(). */
enum bench_start { BENCH_GO, BENCH_HELP, BENCH_MISUSE };
enum bench_start bench_start(struct bench *b, int argc, char **argv);

/* main's return value for a start that is not BENCH_GO */
int bench_exit(enum bench_start start);

/* Time fn(ctx) reps times (b->reps if that was given) after one run that is not counted, and print the
 * line. n: how many elements one run works on, threads: on how many threads. prepare(ctx) runs before each
 * repetition outside the clock; may be NULL. In the line, cpu_min_ns is the least CPU time of all threads
 * together, which other load on the machine disturbs less. Returns the minimum in nanoseconds, 0 if filtered
 * out. */
double bench_run(const struct bench *b, const char *name, uint64_t n, unsigned threads, unsigned reps,
                 void (*prepare)(void *ctx), void (*fn)(void *ctx), void *ctx);

/* A fixed sequence of 64-bit numbers for inputs (S. Vigna's splitmix64): the next one of *state. */
uint64_t bench_random(uint64_t *state);

#endif
