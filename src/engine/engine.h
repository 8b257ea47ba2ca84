/* engine/engine.h - jobs, their queue and what works them off: the resident prover behind the daemon.
 *
 * A job is one request. It has partitions, and each of these goes through lanes: parse, witness, device,
 * finish, verify. Workers take partitions, never jobs: winning PoSt first, then window PoSt and what is
 * critical, then those of the earliest deadline that has not passed, then of the highest priority, then of
 * the parameters used last, then the oldest. So an urgent partition waits for no more than the one on the
 * device. A proof is verified before it is given out; one that does not verify, or whose device fails, is
 * tried on another device and then on the CPU.
 *
 * Accepted jobs are kept in a journal (if there is a state folder): they survive the process, and results are
 * kept for a while. A request is known by its id and the digest of all that was sent with it: the same one
 * again joins the running job or gets the kept result.
 *
 * All calls are thread-safe, but for engine_new and engine_free. All waits are bounded.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "base/common.h"

struct engine;
struct engine_device; /* device.h */

/* As on the wire. */
enum engine_kind {
    ENGINE_KIND_NONE = 0,
    ENGINE_POREP = 1,
    ENGINE_SNAP = 2,
    ENGINE_WINDOW_POST = 3,
    ENGINE_WINNING_POST = 4,
};
#define ENGINE_KINDS 5 /* arrays by kind; 0 is not used */

/* "porep-c2", "snap-update", "window-post", "winning-post"; "unknown" for others. */
const char *engine_kind_name(enum engine_kind kind);
/* As labels of metrics: "porep_c2", "snap_update", "window_post", "winning_post". */
const char *engine_kind_label(enum engine_kind kind);

/* As on the wire; 0 takes the kind's: CRITICAL for winning PoSt, HIGH for window PoSt, else NORMAL. */
enum engine_priority {
    ENGINE_PRIORITY_NONE = 0,
    ENGINE_LOW = 1,
    ENGINE_NORMAL = 2,
    ENGINE_HIGH = 3,
    ENGINE_CRITICAL = 4,
};

#define ENGINE_JOB_ID 40 /* bytes of a job's id with its NUL: "j" and 32 hex digits */

/* ---- events ---- */

enum engine_event_type {
    ENGINE_EVENT_LOG = 0,   /* level, key, text */
    ENGINE_EVENT_TIMING,    /* text: "CUZK_TIMING: NAME=VALUE ..."; log it with the key "timing" */
    ENGINE_EVENT_ACCEPTED,  /* a job */
    ENGINE_EVENT_PARTITION, /* a partition is in another phase */
    ENGINE_EVENT_PROGRESS,  /* done of total in a step within a phase; left out when events are many */
    ENGINE_EVENT_DONE,      /* the job has ended: state, message */
    ENGINE_EVENT_DEVICE,    /* a device went into quarantine or came back */
    ENGINE_EVENT_SRS,       /* parameters were loaded or evicted */
};
enum engine_level { ENGINE_ERROR = 0, ENGINE_WARN, ENGINE_INFO, ENGINE_DEBUG };

/* What a partition or a job does now. */
enum engine_phase {
    ENGINE_PHASE_QUEUED = 0, /* waits to be parsed or for a worker of the witness lane */
    ENGINE_PHASE_PARSE,
    ENGINE_PHASE_MEMORY,  /* waits for memory within the budget */
    ENGINE_PHASE_SRS,     /* parameters are loaded */
    ENGINE_PHASE_WITNESS, /* vanilla proofs checked, witness made or bound */
    ENGINE_PHASE_READY,   /* waits for a device */
    ENGINE_PHASE_DEVICE,
    ENGINE_PHASE_BATCH,  /* waits on the device for those that are settled with it */
    ENGINE_PHASE_SETTLE, /* on the device, with others of its circuit */
    ENGINE_PHASE_FINISH,
    ENGINE_PHASE_VERIFY_WAIT,
    ENGINE_PHASE_VERIFY,
    ENGINE_PHASE_DONE,
    ENGINE_PHASE_FAILED,
    ENGINE_PHASE_CANCELLED,
};
#define ENGINE_PHASES 15
const char *engine_phase_name(enum engine_phase phase); /* "queued", "parse"... */
/* The words that /status knows: "pending", "synthesizing", "synth_done", "gpu", "done", "failed". */
const char *engine_phase_status(enum engine_phase phase);

struct engine_event {
    enum engine_event_type type;
    uint64_t time_ns;   /* timing_now() when it happened */
    const char *job_id; /* the texts live as long as the call; "" where there is none */
    const char *request_id;
    enum engine_kind kind;
    int partition; /* -1: none */
    enum engine_phase phase;
    uint64_t done, total; /* PROGRESS: of the step; PARTITION and DONE: partitions done of all */
    enum engine_level level;
    const char *key;  /* LOG: "job", "srs", "device", "journal", "memory" */
    const char *text; /* a line, a step's name, a device's or circuit's name, the error of a failed job */
};

/* ---- making and ending ---- */

/* When the CPU proves. */
enum engine_cpu_use {
    ENGINE_CPU_AUTO = 0, /* always if there is no other device, else as ENGINE_CPU_FALLBACK */
    ENGINE_CPU_ALWAYS,   /* beside the devices */
    ENGINE_CPU_FALLBACK, /* only what failed on all devices, or when all are in quarantine; each is counted */
    ENGINE_CPU_NEVER,
};

/* Zero-initialise; every zero means the default. Texts and arrays need not outlive engine_new. */
struct engine_options {
    /* where */
    const char *param_cache;  /* folder of parameter files; NULL: "/data/zk/params" */
    const char *state_folder; /* journal, spooled payloads, bundles of failures; made if its parent is there;
                                 NULL: nothing is kept */

    /* the processor and memory */
    const char *cpu;       /* "auto", "portable", "adx", "ifma" */
    unsigned threads;      /* of the CPU device; 0: what the process may use */
    unsigned host_threads; /* of each worker of the parse and witness lanes; 0: 1 where the CPU proves always,
                              else as threads */
    uint64_t memory_limit; /* bytes; 0: the least of RAM, cgroup and memory nodes */
    uint64_t memory_margin; /* bytes of it to leave alone */
    uint64_t urgent_memory; /* bytes of it that only PoSt kinds may use; 0: a sixteenth */

    /* devices: taken over by the engine, also on failure; it frees them. The CPU is added by the engine. */
    struct engine_device *const *devices;
    unsigned device_count;
    const uint32_t *device_kinds; /* for each device the kinds that it takes, bits 1 << kind; NULL: all */
    enum engine_cpu_use cpu_use;
    unsigned device_workers; /* partitions at once on a device, one that settles batches takes one; 0: 1 */
    unsigned quarantine_ms;  /* the first time; doubled each time, up to 64 times; 0: 10 s */

    /* lanes */
    unsigned parse_workers, witness_workers, verify_workers; /* 0: 1; an urgent one for PoSt is added to the
                                                                first two */
    unsigned lookahead; /* partitions prepared ahead of each device's worker, one more where it settles
                           batches; 0: 1 */

    /* queues */
    unsigned max_jobs;                       /* accepted and not ended; 0: 1024 */
    unsigned max_jobs_by_kind[ENGINE_KINDS]; /* 0: max_jobs */
    uint64_t max_payload;                    /* bytes of one; 0: 1 GiB */
    uint64_t max_queued_bytes;               /* payloads of jobs not ended; 0: 16 GiB */
    uint64_t inline_payload;                 /* payloads above are kept in files, if there is a state folder;
                                                0: 256 KiB */
    uint64_t default_deadline_ms[ENGINE_KINDS]; /* after acceptance; 0: winning 20 s, window 30 min, others
                                                   have none */

    /* results */
    uint64_t keep_ms;      /* 0: a day */
    unsigned keep_jobs;    /* ended jobs at most, the journal's size follows; 0: 10,000 */
    unsigned keep_bundles; /* replay bundles at most; 0: 16 */

    /* parameters */
    uint64_t srs_idle_ms; /* evicted when not used for so long; 0: never */
    unsigned srs_max;     /* circuits loaded at most; 0: no limit. Those in use are never evicted. */

    /* Called by one thread of the engine, one event at a time, in the order in which they happened, with no
     * lock held: it may call all but engine_free. It should be quick: up to 4096 events wait, then progress
     * is left out, then (never DONE) others; how many is counted. */
    void (*event)(void *user, const struct engine_event *event);
    void *event_user;
};

/* Opens the journal and takes up what it holds; starts the workers. A journal that cannot be read is moved
 * aside and said in the log. CUZK_ERR_IO: state folder or journal cannot be made, or another engine uses it.
 */
cuzk_status engine_new(struct engine **out, const struct engine_options *options,
                       struct cuzk_error *e) MUST_USE;
/* No new jobs from now on (CUZK_ERR_UNAVAILABLE); wait until those accepted have ended, at most timeout_ms
 * (0: without limit) or until *cancel. True: all have ended. */
bool engine_drain(struct engine *engine, uint64_t timeout_ms, const volatile int *cancel);
/* Stop at once: no new jobs, work in hand is broken off; with a journal those jobs are taken up by the next
 * engine, without one they are cancelled. Waiters return. Idempotent. */
void engine_stop(struct engine *engine);
/* Stops, ends all threads and frees. No other call may be running. NULL is fine. */
void engine_free(struct engine *engine);

/* Is it fit for work (readiness): journal open, not draining, a device in service? why: one line if not. */
/* Not ready from true till false: parameters that are to be kept loaded are on their way. */
void engine_loading(struct engine *engine, bool loading);
bool engine_ready(struct engine *engine, char why[CUZK_ERROR_MESSAGE_MAX]);

/* What may change while it runs: max_jobs, max_jobs_by_kind, max_payload, max_queued_bytes,
 * default_deadline_ms, keep_ms, keep_jobs, srs_idle_ms, srs_max; all else is not looked at. */
void engine_reconfigure(struct engine *engine, const struct engine_options *options);

/* ---- jobs ---- */

/* The folder into which a large payload is best spooled, so that it need not be copied; NULL without a state
 * folder. Lives as long as the engine. */
const char *engine_spool_folder(const struct engine *engine);

struct engine_piece {
    const uint8_t *data;
    uint64_t size;
};

#define ENGINE_ATTACHED                                                                                      \
    1u                    /* the job is to be cancelled when all attached submitters have left and nobody    \
                             submitted it without this flag */
#define ENGINE_EXPIRES 2u /* cancel it when deadline_unix_ms has passed */

/* A request as on the wire. Borrowed for the call, but for the spooled file. */
struct engine_submission {
    const char *request_id; /* any text up to 1024 bytes; may be "" (then nothing joins it) */
    enum engine_kind kind;
    uint64_t sector_size; /* 0: from registered_proof, or the C1 */
    uint64_t registered_proof;
    enum engine_priority priority;
    uint64_t deadline_unix_ms; /* 0: the kind's default */
    unsigned flags;            /* ENGINE_ATTACHED... */

    /* The payload. PoRep: one piece, the C1 (JSON). PoSt: one vanilla proof a sector. Updates: one a
     * partition. The pieces may come as bytes, or stand one after the other in a file. */
    const struct engine_piece *pieces; /* with spooled: data NULL, sizes alone */
    size_t piece_count;
    const char *spooled; /* a file that becomes the engine's (moved if it lies in engine_spool_folder, else
                            copied and removed), also on failure; or NULL */

    uint64_t sector_number, miner_id;
    const uint8_t *randomness; /* PoSt: 32 bytes */
    size_t randomness_size;
    uint32_t partition_index;
    const uint8_t *comm_r_old, *comm_r_new, *comm_d_new; /* updates: 32 bytes each */
    size_t comm_r_old_size, comm_r_new_size, comm_d_new_size;

    uint64_t received_ns; /* timing_now() when its first byte came; 0: now. Counted as the phase "receive". */
};

struct engine_ticket {
    char job_id[ENGINE_JOB_ID];
    uint32_t queue_position; /* jobs before it in the order of work; 0: none, or it has ended */
    bool joined;             /* it was known: no new work */
    bool ended;
    const char
        *device; /* the one that will prove it where there is no choice, else ""; lives as the engine */
};

/* Accept a job: when this returns CUZK_OK it is in the journal, on the disk.
 * CUZK_ERR_ARGUMENT: no such kind, size, or registered proof; a field missing or of a wrong length.
 * CUZK_ERR_INPUT: the number or size of pieces is not what the kind has. CUZK_ERR_EXHAUSTED: a queue is full,
 * try again later (the message names the limit). CUZK_ERR_MEMORY: memory for it is not to be had.
 * CUZK_ERR_UNAVAILABLE: draining or stopped. CUZK_ERR_IO: the journal cannot be written (disk full). */
cuzk_status engine_submit(struct engine *engine, const struct engine_submission *submission,
                          struct engine_ticket *ticket, struct cuzk_error *e) MUST_USE;

/* The request of a bundle that was kept of a failure, again: a new job without an id. Errors as
 * engine_submit, and CUZK_ERR_IO, CUZK_ERR_INPUT of the folder's files. */
cuzk_status engine_submit_bundle(struct engine *engine, const char *folder, struct engine_ticket *ticket,
                                 struct cuzk_error *e) MUST_USE;

enum engine_state {
    ENGINE_STATE_UNKNOWN = 0, /* no such job */
    ENGINE_STATE_QUEUED,
    ENGINE_STATE_RUNNING,
    ENGINE_STATE_COMPLETED,
    ENGINE_STATE_FAILED,
    ENGINE_STATE_CANCELLED,
};
const char *engine_state_name(enum engine_state state);

/* Of a job that has ended or not. Times of a job from before a restart are those of its last run. */
struct engine_result {
    char job_id[ENGINE_JOB_ID];
    enum engine_state state;
    enum engine_kind kind;
    uint8_t *proof; /* COMPLETED: 192 bytes a partition, in order; freed by engine_result_free */
    size_t proof_size;
    cuzk_status status; /* FAILED, CANCELLED: why; message "" else */
    bool retry;         /* FAILED: the same request may succeed later */
    char message[CUZK_ERROR_MESSAGE_MAX];
    /* Milliseconds; of phases the partitions' sum. Of the job: total, and queue_wait, while nothing was done
     * for any of its partitions: they waited for their turn, for memory or for a lane. */
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms;
};

/* Wait until the job has ended, at most timeout_ms (0: without limit) or until *cancel (may be NULL; looked
 * at every 50 ms) is set, or the engine is stopped. out->state tells what it is then: QUEUED or RUNNING if it
 * has not ended, UNKNOWN if there is none of that id. CUZK_ERR_MEMORY alone fails. */
cuzk_status engine_wait(struct engine *engine, const char *job_id, uint64_t timeout_ms,
                        const volatile int *cancel, struct engine_result *out, struct cuzk_error *e) MUST_USE;
/* The same without waiting. */
cuzk_status engine_result(struct engine *engine, const char *job_id, struct engine_result *out,
                          struct cuzk_error *e) MUST_USE;
void engine_result_free(struct engine_result *result); /* a zeroed one is fine */

/* Cancel a job, for all that wait for it. True: it had not ended. Work in hand stops within a second. */
bool engine_cancel(struct engine *engine, const char *job_id, const char *reason);
/* A submitter with ENGINE_ATTACHED has gone. */
void engine_leave(struct engine *engine, const char *job_id);
/* Put a phase of the caller's into the job's account ("reply": from the end of the job till the answer was
 * sent). name: static life. */
void engine_job_span(struct engine *engine, const char *job_id, const char *name, uint64_t start_ns,
                     uint64_t end_ns);

/* ---- parameters ---- */

/* Load a circuit's parameters ("porep-32g", "wpost-32g"...), and hold them against idle eviction until
 * engine_evict. CUZK_ERR_ARGUMENT: no such circuit; CUZK_ERR_NOT_FOUND: no file (the message lists
 * where it was looked for); CUZK_ERR_MISMATCH: the file is of another circuit. */
cuzk_status engine_preload(struct engine *engine, const char *circuit, bool *already_loaded,
                           uint64_t *load_ms, struct cuzk_error *e) MUST_USE;
/* Drop them from memory. CUZK_ERR_UNAVAILABLE: in use. *was_loaded false: they were not there. */
cuzk_status engine_evict(struct engine *engine, const char *circuit, bool *was_loaded, uint64_t *freed_bytes,
                         struct cuzk_error *e) MUST_USE;

/* ---- what it does ---- */

/* HOT: ready on a device (for the CPU: mapped and read into memory). WARM: mapped. COLD: a
 * file was found. */
enum engine_tier { ENGINE_HOT = 0, ENGINE_WARM = 1, ENGINE_COLD = 2 };

struct engine_span { /* part of a job's or partition's account */
    const char *name;
    uint64_t start_ns, end_ns; /* end 0: it lasts */
};
#define ENGINE_PARTITION_SPANS 48

struct engine_partition_view {
    unsigned index;
    enum engine_phase phase;
    uint64_t since_ns;
    uint64_t synth_ms, gpu_ms; /* so far: parse, memory, parameters and witness; device, and its share of
                                  what was settled */
    int device;                /* the last one; -1: none yet */
    unsigned attempts;
    const struct engine_span *spans; /* from acceptance on, one after the other without a gap */
    unsigned span_count;
};
struct engine_job_view {
    char job_id[ENGINE_JOB_ID];
    const char *request_id, *circuit;
    enum engine_kind kind;
    enum engine_priority priority;
    enum engine_state state;
    cuzk_status status;
    const char *message;
    uint64_t deadline_unix_ms; /* 0: none */
    uint64_t accepted_unix_ms;
    uint64_t accepted_ns, started_ns, ended_ns; /* 0: not yet */
    uint64_t payload_bytes;
    unsigned partition_count, partitions_done;
    const struct engine_partition_view *partitions; /* NULL of jobs that ended before a restart */
    const struct engine_span *spans;                /* of the job: receive, accept, journal, reply... */
    unsigned span_count;
};

enum engine_lane {
    ENGINE_LANE_PARSE = 0,
    ENGINE_LANE_WITNESS,
    ENGINE_LANE_DEVICE,
    ENGINE_LANE_FINISH,
    ENGINE_LANE_VERIFY
};
#define ENGINE_LANES 5
const char *engine_lane_name(enum engine_lane lane);

struct engine_worker_view { /* a row of the timeline */
    enum engine_lane lane;
    unsigned worker; /* within the lane */
    int device;      /* ENGINE_LANE_DEVICE: which; else -1 */
    bool urgent;     /* only for PoSt kinds */
    bool busy;
    char job_id[ENGINE_JOB_ID]; /* of what it works on, or last did */
    int partition;
    uint64_t since_ns; /* busy or idle since */
    uint64_t busy_ns;  /* in all */
};
struct engine_interval { /* a bar of the timeline */
    unsigned row;        /* index into workers */
    int partition;
    unsigned together; /* not 0: of the device lane, so many partitions settled; partition and job of one */
    char job_id[ENGINE_JOB_ID];
    enum engine_kind kind;
    bool failed;
    uint64_t start_ns, end_ns;
};
struct engine_queue_view {
    enum engine_kind kind;
    unsigned pending, in_progress; /* jobs */
};
struct engine_srs_view {
    const char *circuit, *path; /* path "" if no file was found */
    enum engine_tier tier;
    uint64_t bytes;
    unsigned refs;
    bool held;             /* by engine_preload */
    uint64_t last_used_ns; /* 0: never */
    uint64_t load_ms;
};
struct engine_device_view {
    const char *name;
    unsigned number; /* of a GPU: as its driver counts; of the CPU the next one */
    bool is_cpu;
    uint64_t memory_total, memory_free, memory_reserved;
    uint32_t kinds; /* bits 1 << kind */
    bool quarantined;
    uint64_t quarantine_until_ns;
    const char *fault; /* the last one, "" if none */
    uint64_t proofs, failures, invalid;
    bool leak;                  /* memory is not free again that was free at the baseline */
    unsigned in_batch;          /* partitions on it that wait to be settled */
    char job_id[ENGINE_JOB_ID]; /* on it now, "" if none */
    enum engine_kind kind;
    int partition;
};
struct engine_memory_view {
    uint64_t limit, reserved, peak; /* of the budget */
    uint64_t in_use;                /* of the reserved: truly allocated */
    uint64_t rss, total, available; /* of the process, of the system */
    uint64_t baseline;              /* rss when last idle, after the first job */
    bool leak;                      /* idle, and more than a tenth and 64 MiB above the baseline */
    uint64_t payload_bytes;         /* of accepted jobs */
    unsigned waiting;               /* partitions that wait for memory */
};

#define ENGINE_BUCKETS 16 /* upper bounds engine_bucket_bounds, then infinity */
extern const double engine_bucket_bounds[ENGINE_BUCKETS - 1];

struct engine_counters {                /* since the start */
    uint64_t accepted, joined, refused; /* submissions */
    uint64_t completed[ENGINE_KINDS], failed[ENGINE_KINDS], cancelled[ENGINE_KINDS];
    uint64_t partitions, retries, cpu_fallbacks, invalid_proofs, device_failures, quarantines;
    uint64_t journal_failures, events_dropped, recovered; /* jobs taken up from the journal */
    /* seconds from acceptance to the end, of completed jobs */
    uint64_t duration_buckets[ENGINE_KINDS][ENGINE_BUCKETS]; /* not cumulative */
    double duration_sum[ENGINE_KINDS];
    uint64_t duration_count[ENGINE_KINDS];
};

struct engine_snapshot {
    uint64_t now_ns, now_unix_ms, uptime_ms;
    bool draining, ready;
    const char *not_ready; /* why, "" if ready */
    const struct engine_job_view
        *jobs; /* those not ended in the order of work, then ended ones, newest first */
    size_t job_count;
    const struct engine_worker_view *workers;
    size_t worker_count;
    const struct engine_interval *intervals; /* oldest first */
    size_t interval_count;
    struct engine_queue_view queues[ENGINE_KINDS - 1]; /* every kind, also with nothing in it */
    const struct engine_srs_view *srs;
    size_t srs_count;
    const struct engine_device_view *devices;
    size_t device_count;
    struct engine_memory_view memory;
    struct engine_counters counters;
    unsigned lane_waiting[ENGINE_LANES]; /* partitions ready for a lane and not taken */
    unsigned queue_depth, running;       /* jobs */
    uint64_t journal_bytes;              /* 0: no journal */
};

struct engine_snapshot_limits {
    size_t jobs, intervals;     /* at most; 0: 100 jobs, 1024 intervals */
    uint64_t intervals_from_ns; /* those that ended later */
    bool no_partitions;         /* leave partitions and spans out */
};
/* A picture of one moment, all in one allocation; limits NULL: the defaults. */
cuzk_status engine_snapshot(struct engine *engine, const struct engine_snapshot_limits *limits,
                            struct engine_snapshot **out, struct cuzk_error *e) MUST_USE;
void engine_snapshot_free(struct engine_snapshot *snapshot); /* NULL is fine */

/* The counters alone, cheaply. */
void engine_counters(struct engine *engine, struct engine_counters *out);

/* Chrome's trace format (JSON, an object with traceEvents) of a job (job_id) or, with job_id NULL, of all
 * that was done from from_ns till to_ns (0: now). write returns false to stop (CUZK_ERR_IO).
 * CUZK_ERR_NOT_FOUND: no such job, or its account is no longer there. */
cuzk_status engine_trace(struct engine *engine, const char *job_id, uint64_t from_ns, uint64_t to_ns,
                         bool (*write)(void *user, const char *text, size_t size), void *user,
                         struct cuzk_error *e) MUST_USE;

#endif
