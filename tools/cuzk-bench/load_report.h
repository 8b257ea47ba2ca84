/* cuzk-bench/load_report.h - what a load has shown: a table or JSON, and a plot.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_CUZK_BENCH_LOAD_REPORT_H
#define TOOLS_CUZK_BENCH_LOAD_REPORT_H

#include "cuzk-bench/busy.h"
#include "cuzk-bench/load.h"

#define PHASES 6 /* queue wait, parameters, witness, device, what else there was, all in the daemon */

/* Of a circuit's completed requests, or of all of them; seconds, sorted. */
struct load_group {
    const char *circuit;
    double *latency, *phase[PHASES];
    size_t count;
    struct stats of_latency, of_phase[PHASES];
};

struct load_report {
    const char *command;
    const struct load_plan *plan;
    const struct load_run *run;
    const struct watch *watch;
    const struct busy *busy; /* or NULL */
    double warmup, window;   /* seconds from the start between which throughput is counted; 0: all */
    bool verified;
    size_t wrong; /* proofs that do not verify */
    /* made: */
    size_t outcomes[REMOTE_OUTCOMES];
    double measured; /* seconds of the window */
    size_t within;   /* completed in it */
    struct load_group *group;
    size_t groups; /* the first is of all */
};

const char *load_outcome_name(enum remote_outcome outcome);

/* Count, print (as the options say), and draw. */
cuzk_status load_report_make(struct load_report *r, const struct options *o, struct cuzk_error *e);
void load_report_free(struct load_report *r);

#endif
