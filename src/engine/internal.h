/* engine/internal.h - the engine's state, shared by the sources of this room.
 *
 * One lock guards all of it, but for what a worker holds: a partition with `held` set, or a job with
 * `parsing` set, belongs to that worker as to its own fields named there. The journal has a lock of its own
 * and is never called with the engine's lock held; devices and work neither.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H

#include <pthread.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/timing.h"
#include "engine/events.h"
#include "engine/journal.h"
#include "engine/work.h"

#define PARTITION_STEPS 48
#define JOB_SPANS       12
#define ACCOUNTS_KEPT   256 /* ended jobs whose partitions are kept for traces */
#define INTERVALS       8192
#define WAIT_SLICE_MS   50 /* how often a waiter looks at flags that nobody signals */
#define DEVICES_MAX     64
#define CIRCUITS_MAX    64
#define REQUEST_ID_MAX  1024

/* Memory promised to a piece of work: taken from the engine's budget, and a budget of its own that it
 * allocates from, so that nobody takes more than was promised. */
struct reservation {
    struct budget *own;
    uint64_t bytes;
};

enum job_stage {
    JOB_ACCEPTING = 0, /* on its way into the journal */
    JOB_WAITS,         /* to be parsed */
    JOB_PARSING,
    JOB_PARSED,
    JOB_ENDING, /* its result is on the way into the journal */
    JOB_ENDED,
};

struct partition {
    struct job *job;
    unsigned index;
    enum engine_phase phase;
    uint64_t since;
    bool held;      /* a worker has it; it alone then uses prepared, proof and memory */
    bool checked;   /* its vanilla proofs hold */
    bool journaled; /* proof is of the journal, from before a restart: it is verified anew */
    struct engine_span spans[ENGINE_PARTITION_SPANS];
    unsigned span_count;
    struct engine_span steps[PARTITION_STEPS];
    unsigned step_count;
    int device; /* bound to; -1 */
    bool bound; /* counts as waiting for or on the device */
    unsigned attempts, memory_retries;
    uint64_t tried; /* bits by device */
    struct reservation memory;
    struct engine_need need;
    uint64_t device_bytes; /* reserved of its device */
    unsigned together;     /* so many were settled with it, itself counted; 0: none yet */
    bool alone;            /* its device cannot hold its parameters beside an open batch */
    bool bundled;          /* what failed it is kept already */
    struct srs *srs;       /* a reference */
    void *prepared;
    uint8_t proof[GROTH16_PROOF_BYTES];
};

struct job {
    struct job *next, *before; /* in engine->active or engine->ended */
    char id[ENGINE_JOB_ID];
    char *request_id;
    uint8_t digest[32];
    struct fields fields;
    enum engine_kind kind;
    enum engine_priority priority;
    uint64_t deadline_unix_ms, accepted_unix_ms, ended_unix_ms;
    unsigned flags, attached;
    bool detached; /* somebody submitted it to be fetched later */
    bool urgent;   /* a PoSt */
    uint64_t seq;  /* age */
    const char *circuit;
    struct work_plan plan;

    enum job_stage stage;
    enum engine_state state;
    cuzk_status status;
    bool retry, recovered;
    bool ahead;     /* parsed, and none of its partitions was begun */
    bool settled;   /* its memory is gone */
    bool unwritten; /* its end is not in the journal yet */
    char *message;
    volatile int cancel; /* written with an atomic store */

    unsigned partition_count, done, busy; /* busy: workers that are at it */
    struct partition *partitions;         /* freed of jobs long ended */
    struct request *request;
    struct reservation request_memory;
    uint64_t parse_bytes;   /* as learned */
    uint8_t *payload;       /* or, if NULL, */
    char *payload_path;     /* a file that is removed when the job ends */
    uint64_t payload_bytes; /* 0 once it is gone */
    uint64_t payload_size;

    uint8_t *proof;
    size_t proof_size;
    uint64_t times_ms[3]; /* parameters, synthesis, device: when the partitions are gone */
    uint64_t received_ns, accepted_ns, started_ns, ended_ns;
    unsigned working;                /* partitions in phases in which something is done for them */
    uint64_t waited_ns, waits_since; /* while none was: in all before, and since when (0: one is) */
    struct engine_span spans[JOB_SPANS];
    unsigned span_count;
    unsigned waiters; /* calls that hold a pointer to it */
};

/* A file as it was when it was opened. */
struct file_mark {
    uint64_t device, inode, size, changed_ns;
};

struct srs {
    char circuit[32];
    char *path;
    struct file_mark mark;
    struct engine_params *params; /* NULL: cold */
    bool loading, held;
    bool hot[DEVICES_MAX];
    unsigned refs;
    uint64_t last_used, load_ms, bytes;
};

/* Partitions of one circuit on a device that wait to be settled. The device's worker holds them, and each is
 * counted in its job's busy. */
struct batch {
    const struct srs *srs; /* with a member */
    struct partition *member[ENGINE_BATCH_MAX];
    unsigned count, most;
};

struct device_slot {
    struct engine_device *device;
    uint32_t kinds;
    bool is_cpu;
    bool quarantined;
    uint64_t until;
    unsigned backoff; /* doublings */
    char fault[CUZK_ERROR_MESSAGE_MAX];
    uint64_t proofs, failures, invalid;
    unsigned waiting[2], running; /* bound partitions: ordinary and urgent */
    uint64_t reserved, total, free, baseline;
    bool leak;
    const char *last_circuit;
    struct batch batch[2]; /* ordinary and urgent */
};

struct worker {
    struct engine *engine;
    pthread_t thread;
    bool started;
    enum engine_lane lane;
    unsigned index;
    int device;
    bool urgent;
    struct pool *pool;
    const char *last_circuit;
    bool busy;
    char job_id[ENGINE_JOB_ID];
    int partition;
    uint64_t since, busy_ns;
};

/* How much memory a circuit's partition took on a device, and its parsing. */
struct learned {
    char circuit[32];
    uint64_t host[DEVICES_MAX];
};

struct limits { /* what engine_reconfigure may change; zeros replaced */
    unsigned max_jobs, max_jobs_by_kind[ENGINE_KINDS];
    uint64_t max_payload, max_queued_bytes, default_deadline_ms[ENGINE_KINDS];
    uint64_t keep_ms, srs_idle_ms;
    unsigned keep_jobs, srs_max;
};

struct engine {
    pthread_mutex_t lock;
    pthread_cond_t work; /* something a worker may wait for has changed */
    pthread_cond_t news; /* a job has ended or was accepted */
    pthread_cond_t idle; /* for the upkeep thread: to quit */
    bool draining, stopping, quit, loading;
    volatile int halt; /* stopping, for work of several jobs; written with an atomic store */

    struct work *work_table;
    struct journal *journal;
    unsigned journal_turn;      /* how often it was begun anew */
    uint64_t journal_failed_ns; /* when it last took no job; 0: never, or it took one since */
    struct events *events;
    struct limits limits;
    struct budget *budget;
    uint64_t urgent_memory, inline_payload;
    unsigned lookahead, device_workers, host_threads, threads, keep_bundles;
    uint64_t quarantine_ns;
    enum cpu_variant variant;
    enum engine_cpu_use cpu_use;

    struct job *active, *active_last; /* not ended, by age */
    struct job *ended, *ended_last;   /* newest first */
    unsigned active_count, ended_count, by_kind[ENGINE_KINDS], accounts;
    uint64_t queued_bytes, next_seq;
    unsigned in_flight; /* reservations of partitions */
    unsigned memory_waiting;

    struct srs srs[CIRCUITS_MAX];
    size_t srs_count;
    struct learned learned[CIRCUITS_MAX];
    size_t learned_count;

    struct device_slot slot[DEVICES_MAX];
    unsigned slots;
    struct worker *workers;
    size_t worker_count;
    pthread_t upkeep;
    bool upkeep_started, finish_lane;

    struct engine_interval intervals[INTERVALS];
    uint64_t intervals_seen;
    struct engine_counters counters;
    uint64_t started_ns, started_unix_ms;
    uint64_t baseline, rss_idle_at, bundle_seq;
    bool leak, ran; /* ran: a job has ended since the baseline was looked at */
};

static inline void engine_lock(struct engine *g)
{
    pthread_mutex_lock(&g->lock);
}
static inline void engine_unlock(struct engine *g)
{
    pthread_mutex_unlock(&g->lock);
}
uint64_t unix_ms(void);
/* Wait for a condition at most ms milliseconds. */
void wait_ms(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t ms);

/* ---- job.c ---- */

struct job *job_new(const char *request_id, const struct work_plan *plan, struct cuzk_error *e);
cuzk_status job_set_partitions(struct job *j, unsigned count, struct cuzk_error *e) MUST_USE;
void job_free(struct engine *g, struct job *j);
void job_drop_account(struct engine *g, struct job *j); /* partitions and their spans */
struct job *job_find(struct engine *g, const char *id);
struct job *job_known(struct engine *g, const char *request_id, const uint8_t digest[32]);
void job_append(struct engine *g, struct job *j);     /* to the active ones */
void job_move_ended(struct engine *g, struct job *j); /* from the active to the ended ones */
void job_forget(struct engine *g, struct job *j);     /* from either list, and free it */
void job_span(struct job *j, const char *name, uint64_t start, uint64_t end);
/* The partition is in another phase from now on. */
void partition_phase(struct engine *g, struct partition *p, enum engine_phase phase);
uint64_t partition_ms(const struct partition *p, enum engine_phase phase); /* spent in a phase so far */
bool phase_is_final(enum engine_phase phase);
/* Nothing is done for it from now on until one of its partitions is worked on; it waits no longer. */
void job_waits(struct job *j, uint64_t now);
void job_waits_no_more(struct job *j, uint64_t now);

/* ---- order.c ---- */

/* Is a partition of a to be worked before one of b? circuit: what the asker used last, or NULL. */
bool job_before(const struct job *a, const struct job *b, const char *circuit);
uint32_t job_position(const struct engine *g, const struct job *j);
struct job *pick_to_parse(struct engine *g, const struct worker *w);
/* The partition and the device to bind it to. */
struct partition *pick_to_prepare(struct engine *g, const struct worker *w, int *device);
struct partition *pick_by_phase(struct engine *g, const struct worker *w, enum engine_phase phase);
/* Has every device that may take it been tried? */
bool devices_exhausted(const struct engine *g, const struct partition *p);

/* ---- reserve.c ---- */

/* Promise bytes to a piece of work, waiting for others to give back; what p or j holds is counted as its own.
 * CUZK_ERR_MEMORY: it can never fit. CUZK_ERR_CANCELLED. Called with the lock held, which is let go. */
cuzk_status reserve(struct engine *g, struct reservation *out, uint64_t bytes, const struct job *j,
                    const char *what, struct cuzk_error *e) MUST_USE;
void reserve_shrink(struct engine *g, struct reservation *r);              /* to what is in use */
void reserve_release(struct engine *g, struct reservation *r);             /* an empty one is fine */
uint64_t *learned_host(struct engine *g, const char *circuit, int device); /* NULL: no room */

bool reserve_fits_device(const struct device_slot *s, const struct partition *p);
/* What it has reserved of its device is to be so much. */
void reserve_device(struct engine *g, struct partition *p, uint64_t bytes);

/* ---- residency.c ---- */

/* A reference to a circuit's parameters, loaded if need be. With the lock held, which is let go. */
cuzk_status srs_acquire(struct engine *g, const char *circuit, const struct exec *x, struct srs **out,
                        struct cuzk_error *e) MUST_USE;
void srs_release(struct engine *g, struct srs *s);
/* Have a device hold them, which have a reference; CUZK_ERR_UNAVAILABLE as hold of device.h. With the lock
 * held, which is let go. */
cuzk_status srs_heat(struct engine *g, struct srs *s, int device, const struct exec *x,
                     struct cuzk_error *e) MUST_USE;
void srs_look_around(struct engine *g); /* at the start: which files are there */
void srs_evict_idle(struct engine *g);  /* with the lock held, which is let go */
void srs_free_all(struct engine *g);    /* at the end */

/* ---- lanes.c ---- */

/* Options with zeros replaced. */
struct limits limits_of(const struct engine_options *o);

/* A thread that gets none of the process's signals; an errno value. */
int thread_start(pthread_t *out, void *(*start)(void *), void *arg);
cuzk_status workers_start(struct engine *g, const struct engine_options *o, struct cuzk_error *e) MUST_USE;
void workers_join(struct engine *g);
struct exec worker_exec(const struct worker *w, struct budget *budget, const struct job *j);
/* A worker begins a piece of work, of the partition or (NULL) of the job; it ends one that it began at start.
 * together: 0, or as in engine_interval. */
uint64_t worker_begins(struct worker *w, const struct job *j, const struct partition *p);
void worker_ends(struct worker *w, uint64_t start, const struct job *j, unsigned together);

/* ---- stages.c: what a worker does with what it took; called with the lock held, which is let go ---- */

void stage_parse(struct worker *w, struct job *j);
void stage_prepare(struct worker *w, struct partition *p);
void stage_finish(struct worker *w, struct partition *p);
void stage_verify(struct worker *w, struct partition *p);

/* A worker is done with a partition: does it go on to the next lane? If not it has given back what it held;
 * so it must also where its job ended while the worker was at it. */
bool goes_on(struct engine *g, struct partition *p, cuzk_status status, bool on_device, struct cuzk_error *e);
/* It is not worked on and waits before its device: the worker lets go of it. */
void partition_ready(struct engine *g, struct partition *p);
/* The device is done with it. */
void partition_proved(struct engine *g, struct partition *p);

/* What devices say while they work: steps of the partitions' accounts, and events of the first. */
struct progress {
    struct engine *g;
    struct partition *const *partition;
    unsigned count;
    const char *step;
    uint64_t told;
};
void progress(void *user, const char *phase, uint64_t done, uint64_t total);
void end_step(struct partition *p, uint64_t now); /* with the lock held */

/* ---- batch.c: the device lane; with the lock held, which is let go ---- */

/* Prove the partition that is next, or settle the batch that is due. False: nothing is to be done now. */
bool device_turn(struct worker *w);
/* A worker ends: what waits in its device's batches goes back to the queue. */
void batches_dismiss(struct engine *g, struct device_slot *s);
unsigned batches_members(const struct device_slot *s);

/* ---- outcome.c; with the lock held, which may be let go ---- */

/* It neither waits for its device nor is on it. */
void partition_unbind(struct engine *g, struct partition *p);
/* Give back memory and what the device keeps for it; all that it holds. Of a held partition. */
void partition_unload(struct engine *g, struct partition *p);
void partition_release(struct engine *g, struct partition *p);
struct engine_task partition_task(const struct engine *g, const struct partition *p, const struct exec *x);
/* It failed in its present phase; on_device: its device is to blame or may be. */
void partition_failed(struct engine *g, struct partition *p, bool on_device, const struct cuzk_error *e);
void partition_verified(struct engine *g, struct partition *p);
/* The job ends; its partitions in hand stop. No effect on one that has ended. */
void job_end(struct engine *g, struct job *j, enum engine_state state, cuzk_status status, bool retry,
             const char *message);
/* If nobody works on it any more, let its memory go. */
void job_settle(struct engine *g, struct job *j);
void ended_prune(struct engine *g);

/* ---- devices.c ---- */

void device_failed(struct engine *g, int device, bool invalid, const char *message);
void device_well(struct engine *g, int device);
void devices_probe(struct engine *g); /* with the lock held, which is let go */
bool devices_in_service(const struct engine *g);

/* ---- upkeep.c ---- */

void *upkeep_main(void *engine);
uint64_t own_memory(void); /* anonymous pages of this process, bytes */

/* ---- recover.c ---- */

cuzk_status recover(struct engine *g, struct cuzk_error *e) MUST_USE;
/* What the journal keeps of a job. Borrows from it; fields are to be freed. */
struct job_row {
    struct journal_job row;
    uint8_t *fields;
};
/* A job that is on its way or waits into the journal, perhaps again. With the lock, let go in between. */
cuzk_status accept_again(struct engine *g, struct job *j, struct cuzk_error *e) MUST_USE;
cuzk_status job_row_new(struct job_row *out, const struct job *j, struct cuzk_error *e) MUST_USE;
/* The result of a job that has ended; borrows the proof. */
void job_result(const struct job *j, struct engine_result *out);
/* With the lock, which is let go: results that could not be written, for the disk may have room again; a new
 * journal in place of one that went bad, with all that has not ended. */
void journal_write_again(struct engine *g);
void journal_mend(struct engine *g);

/* ---- bundle.c ---- */

/* Keep what failed, to be replayed; without the lock, of a job that stays. */
void bundle_keep(struct engine *g, const struct job *j, unsigned partition, const char *device,
                 const struct cuzk_error *e);

/* ---- account.c ---- */

/* The lines of timing when a partition leaves the device, and when a job has ended. */
void account_partition(struct engine *g, const struct partition *p);
void account_job(struct engine *g, const struct job *j);
void account_freed(struct engine *g, const struct job *j, uint64_t start);
/* What engine_result tells, without the proof. */
void account_result(const struct job *j, struct engine_result *out);
/* Milliseconds of a device's work on it: its share, where several were settled. */
uint64_t account_device_ms(const struct partition *p);
/* Milliseconds in which its vanilla proofs were checked and its witness made, wherever. */
uint64_t account_witness_ms(const struct partition *p);
/* Milliseconds of a phase, of all partitions. */
uint64_t account_ms(const struct job *j, enum engine_phase phase);

#endif
