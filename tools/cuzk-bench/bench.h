/* cuzk-bench/bench.h - options, and what the commands share.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_CUZK_BENCH_BENCH_H
#define TOOLS_CUZK_BENCH_BENCH_H

#include <cuzk/cuzk.h>

#include "common/cli.h"
#include "common/emit.h"
#include "common/process.h"
#include "common/progress.h"
#include "common/stats.h"

/* The values of the options; has_x says that it was given. */
struct options {
    bool help, json, quiet, worker;
    bool has_partition, has_seed, has_pid, has_cancel, has_vanish, has_repeat;
    unsigned threads, partition, count, concurrency, cancel, vanish, repeat, pid, rounds, group, min_log,
        max_log;
    uint64_t memory, device_memory, seed, sectors;
    uint64_t duration, warmup, timeout; /* ms */
    const char *daemon, *cpu, *device, *out, *srs, *plot, *priority, *request_id, *verify, *against, *scalars,
        *commit;
};

#define PHASES_MAX 48

/* How long each phase that the library tells of took. */
struct phases {
    const char *name[PHASES_MAX];
    double seconds[PHASES_MAX];
    size_t count, now; /* now == count: none */
    double since;
};

struct watch;

/* A run of a local command: its context, its progress line and phases, its last error. */
struct session {
    const struct options *o;
    cuzk_context *context;
    struct progress progress;
    struct phases phases;
    struct watch *watch; /* of this process */
    struct cuzk_error error;
    double start;
};

/* Set by SIGINT and SIGTERM. */
extern volatile int bench_stop;
void bench_catch_signals(void);

cuzk_status session_open(struct session *s, const struct options *o);
/* The last phase has ended; forget all with again. */
void session_phases_end(struct session *s, bool again);
/* Of `rounds` runs: the mean time of each phase; and the context: threads, instructions, devices, memory. */
void session_phases_emit(struct emit *e, const struct session *s, unsigned rounds);
void session_phases_print(const struct session *s, unsigned rounds);
void session_emit(struct emit *e, const struct session *s);
void session_print(const struct session *s);
enum exit_code session_close(struct session *s, cuzk_status status); /* reports a failure, too */

/* "cuzk-bench: ..." and, with --json, an object; the exit code of the status. */
enum exit_code bench_fail(const struct options *o, cuzk_status status, const struct cuzk_error *e);

/* What a result begins with: the command, version, commit, processor and GPUs with their clocks. Opens the
 * object. */
void bench_head(struct emit *e, const char *command, const struct options *o);
/* And ends with: the most memory that this process had, w (NULL is fine) having looked. Closes it. */
void bench_tail(struct emit *e, struct watch *w);

/* The object of a row of times in seconds, which are sorted. */
void bench_stats(struct emit *e, const char *key, const struct stats *s);

/* ---- memory of a process while a benchmark runs ---- */

/* Begin to look every 50 ms; devices: at the memory of GPUs, too. pid 0: there is nothing to watch, and NULL
 * is the answer. */
struct watch *watch_start(pid_t pid, bool devices);
/* Stop; what was seen stays until watch_free. All take NULL. */
void watch_stop(struct watch *w);
void watch_free(struct watch *w);
void watch_emit(struct emit *e, const char *key, const struct watch *w);
void watch_print(FILE *f, const struct watch *w);
uint64_t watch_anonymous(const struct watch *w); /* the most, in bytes */
/* The moments, in seconds of now_seconds(), and what there was, in GiB: resident and anonymous. */
size_t watch_points(const struct watch *w, const double **at, const double **resident,
                    const double **anonymous);

/* ---- commands ---- */

enum exit_code run_single(const struct options *o, int argc, char **argv);
enum exit_code run_batch(const struct options *o, int argc, char **argv);
enum exit_code run_sustained(const struct options *o, int argc, char **argv);
enum exit_code run_stress(const struct options *o, int argc, char **argv);
enum exit_code run_status(const struct options *o, int argc, char **argv);
enum exit_code run_metrics(const struct options *o, int argc, char **argv);
enum exit_code run_preload(const struct options *o, int argc, char **argv);
enum exit_code run_evict(const struct options *o, int argc, char **argv);
enum exit_code run_gen(const struct options *o, int argc, char **argv);
enum exit_code run_synth(const struct options *o, int argc, char **argv);
enum exit_code run_msm(const struct options *o, int argc, char **argv);
enum exit_code run_ntt(const struct options *o, int argc, char **argv);
enum exit_code run_partition(const struct options *o, int argc, char **argv);
enum exit_code run_sector(const struct options *o, int argc, char **argv);
enum exit_code run_setup(const struct options *o, int argc, char **argv);

#endif
