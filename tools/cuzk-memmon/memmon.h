/* cuzk-memmon/memmon.h - what a watched tree of processes used over time.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_CUZK_MEMMON_MEMMON_H
#define TOOLS_CUZK_MEMMON_MEMMON_H

#include <stdio.h>

#include "common/cli.h"
#include "common/nvml.h"
#include "common/process.h"

struct options {
    bool help, json, quiet, wait, has_pid;
    unsigned pid;
    uint64_t interval, pages; /* ms */
    const char *name, *csv, *plot, *report;
};

/* One moment. device: bytes of GPU memory. */
struct sample {
    double seconds; /* since the first */
    struct process_memory memory;
    uint64_t device;
    unsigned processes;
};

struct member {
    pid_t pid;
    char name[16];
    uint64_t resident, anonymous; /* the most of each */
};

#define SAMPLES_MAX 4096 /* kept for the plot: when they are as many, neighbours become one, the larger */
#define MEMBERS_MAX 512

struct record {
    pid_t root;
    pid_t above; /* we ourselves, where the root is our child: what descends from it then stays below us, even
                    when those between have ended; else 0 */
    char name[16];
    struct sample kept[SAMPLES_MAX];
    size_t kept_count;
    unsigned stride, pending;     /* moments that one kept sample stands for; in the last one so far */
    struct sample peak, last;     /* the most of each value; peak.seconds: of the resident memory */
    uint64_t samples, high_water; /* of the root alone, as the kernel counts it */
    struct member member[MEMBERS_MAX];
    size_t members;
    uint64_t start_unix_ms;
    const struct nvml *nvml;
    bool
        device_whole; /* processes are not told apart: what the devices have in use beyond the first moment */
    uint64_t device_first;
    struct process_memory pages; /* as last read */
};

/* record.c */
void record_begin(struct record *r, pid_t root, pid_t above, const struct nvml *nvml);
/* Take a moment; pages: read what costs a walk over all pages too. False: there is nothing left to see. */
bool record_take(struct record *r, double seconds, bool pages);

/* report.c. code: the command's exit code; -1: none was run, or it has not ended. */
void report_csv_head(FILE *f);
void report_csv_line(FILE *f, const struct record *r);
void report_line(FILE *f, const struct record *r);
void report_summary(FILE *f, const struct record *r);
void report_json(FILE *f, const struct record *r, uint64_t interval_ms, int code);
cuzk_status report_plot(const char *path, const struct record *r, struct cuzk_error *e);

#endif
