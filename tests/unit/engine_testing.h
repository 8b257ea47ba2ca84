/* tests/unit/engine_testing.h - an engine over made-up work and devices: phases take the times that a test
 * says, and fail where it says. A proof is the job's first payload byte, the partition's number and a mark.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_TESTING_H
#define ENGINE_TESTING_H

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/timing.h"
#include "engine/work.h"

static struct cuzk_error error;

/* Sanitizers take their time. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SLOW 8
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SLOW 8
#endif
#endif
#ifndef SLOW
#define SLOW 1
#endif

/* Till something is given up that is waited for: only what never comes takes so long, on a busy machine too.
 */
#define PATIENCE_MS 120000

#define assert_ok(call)                                                                                      \
    do {                                                                                                     \
        if ((call) != CUZK_OK)                                                                               \
            fail_msg("%s", error.message);                                                                   \
    } while (0)

/* ---- work ---- */

struct mock_work {
    struct work work;
    unsigned parse_us, check_us, verify_us;
    uint64_t parse_bytes;
    _Atomic unsigned parsed, opened, closed, verified;
    _Atomic int fail_open, fail_check;
};

static inline void pause_us(const struct exec *x, unsigned us)
{
    const uint64_t end = timing_now() + (uint64_t)us * 1000;
    for (uint64_t now = timing_now(); now < end; now = timing_now()) {
        if (x && exec_cancelled(x))
            return;
        usleep((useconds_t)(end - now > 2000000 ? 2000 : (end - now) / 1000 + 1));
    }
}

static inline cuzk_status mock_plan(void *self, const struct fields *f, const uint8_t *payload, size_t size,
                                    struct work_plan *out, struct cuzk_error *e)
{
    static const char *const circuits[] = {"mock-a", "mock-b", "mock-c"};
    const struct mock_work *w = self;
    (void)payload, (void)size;
    if (f->sector_size > 2)
        return error_set(e, CUZK_ERR_ARGUMENT, "no such size");
    *out = (struct work_plan){circuits[f->sector_size], (unsigned)f->pieces, w->parse_bytes};
    return CUZK_OK;
}

/* The request stands for itself: its first byte. */
static inline cuzk_status mock_parse(void *self, const struct exec *x, const struct fields *f,
                                     const struct work_plan *plan, const uint8_t *payload, size_t size,
                                     struct request **out, unsigned *partitions, struct cuzk_error *e)
{
    struct mock_work *w = self;
    (void)plan, (void)size;
    pause_us(x, w->parse_us);
    if (exec_cancelled(x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    if (payload[0] == '!')
        return error_set(e, CUZK_ERR_INPUT, "payload: byte 0: malformed");
    uint8_t *copy = mem_alloc(16, 1);
    if (!copy)
        return error_memory(e, 16, "a request");
    copy[0] = payload[0];
    *out = (struct request *)(void *)copy;
    *partitions = (unsigned)f->pieces;
    w->parsed++;
    return CUZK_OK;
}

static inline void mock_request_free(void *self, struct request *request)
{
    (void)self;
    mem_free(request);
}

static inline cuzk_status mock_find(void *self, const char *circuit, char **path, struct cuzk_error *e)
{
    (void)self;
    *path = mem_alloc(64, 1);
    if (!*path)
        return error_memory(e, 64, "a path");
    snprintf(*path, 64, "/nowhere/%s.params", circuit);
    return CUZK_OK;
}

static inline cuzk_status mock_open(void *self, const struct exec *x, const char *circuit, const char *path,
                                    struct engine_params **out, struct cuzk_error *e)
{
    struct mock_work *w = self;
    (void)x, (void)circuit;
    if (w->fail_open)
        return error_set(e, CUZK_ERR_MISMATCH, "%s is of another circuit", path);
    *out = mem_alloc(1, sizeof **out);
    if (!*out)
        return error_memory(e, sizeof **out, "parameters");
    (*out)->bytes = 1000;
    w->opened++;
    return CUZK_OK;
}

static inline void mock_close(void *self, struct engine_params *params)
{
    struct mock_work *w = self;
    w->closed++;
    mem_free(params);
}

static inline cuzk_status mock_check(void *self, const struct engine_task *task, struct cuzk_error *e)
{
    struct mock_work *w = self;
    pause_us(task->x, w->check_us);
    if (w->fail_check)
        return error_set(e, CUZK_ERR_UNSATISFIED, "the vanilla proof does not hold");
    return exec_cancelled(task->x) ? error_set(e, CUZK_ERR_CANCELLED, "cancelled") : CUZK_OK;
}

static inline cuzk_status mock_verify(void *self, const struct engine_task *task,
                                      const uint8_t proof[GROTH16_PROOF_BYTES], bool *valid,
                                      struct cuzk_error *e)
{
    struct mock_work *w = self;
    (void)e;
    pause_us(NULL, w->verify_us);
    const uint8_t *request = (const uint8_t *)(const void *)task->request;
    *valid = proof[0] == request[0] && proof[1] == task->partition && proof[2] == 0x5a;
    w->verified++;
    return CUZK_OK;
}

static inline void mock_work_free(void *self)
{
    free(self);
}

static inline struct mock_work *mock_work_new(void)
{
    struct mock_work *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->parse_bytes = 4096;
    w->work = (struct work){.self = w,
                            .plan = mock_plan,
                            .parse = mock_parse,
                            .request_free = mock_request_free,
                            .find = mock_find,
                            .open = mock_open,
                            .close = mock_close,
                            .check = mock_check,
                            .verify = mock_verify,
                            .free = mock_work_free};
    return w;
}

/* ---- devices ---- */

enum mock_fault { MOCK_WELL = 0, MOCK_FAILS, MOCK_LIES, MOCK_NO_MEMORY };

#define MOCK_ORDER 256

struct mock_device {
    struct engine_device device;
    unsigned prepare_us, prove_us, finish_us;
    uint64_t host_bytes;
    struct engine_need need; /* of the device */
    uint64_t total;          /* of its memory; 0: none of its own */
    _Atomic uint64_t lost;   /* of it, never free again */
    _Atomic int fault;       /* enum mock_fault */
    _Atomic int sick;        /* the probe fails */
    _Atomic int shut;        /* prove waits until it is opened */
    _Atomic unsigned let;    /* so many are proved all the same */
    _Atomic int deaf;        /* and does not hear of a cancel */
    _Atomic unsigned proved, probes, prepared, discarded, on_it;
    uint8_t order[MOCK_ORDER][2]; /* what was proved, in order */
    pthread_mutex_t lock;

    /* One that settles batches (mock_batches). */
    unsigned most, settle_us;
    bool beside;             /* it holds the parameters of several circuits */
    _Atomic int settle_shut; /* settle waits */
    /* prove waits until so many partitions are prepared beyond those that it proved, expected in all at most
     */
    _Atomic unsigned ahead, expected;
    bool unable; /* it declines all parameters */
    _Atomic unsigned settle_fails, holds, open, settles, prefetched, dropped;
    const struct engine_params *held[4];
    char log[1024]; /* "a0 a1 [a0a1]": proved, proved, settled */
};

/* What is prepared of a partition. */
struct mock_prepared {
    uint8_t name, partition;
    bool proved, settled;
};

static inline void mock_log(struct mock_device *d, const char *text)
{
    pthread_mutex_lock(&d->lock);
    const size_t n = strlen(d->log);
    snprintf(d->log + n, sizeof d->log - n, "%s%s", n ? " " : "", text);
    pthread_mutex_unlock(&d->lock);
}

static inline void mock_need(void *self, const struct engine_task *task, struct engine_need *out)
{
    const struct mock_device *d = self;
    (void)task;
    *out = d->need;
    out->host = d->host_bytes;
}

static inline cuzk_status mock_prepare(void *self, const struct engine_task *task, void **prepared,
                                       struct cuzk_error *e)
{
    struct mock_device *d = self;
    pause_us(task->x, d->prepare_us);
    if (exec_cancelled(task->x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    struct mock_prepared *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->name = *(const uint8_t *)(const void *)task->request;
    p->partition = (uint8_t)task->partition;
    *prepared = p;
    d->prepared++;
    return CUZK_OK;
}

static inline cuzk_status mock_prove(void *self, const struct engine_task *task, void *prepared, void *next,
                                     uint8_t proof[GROTH16_PROOF_BYTES], struct cuzk_error *e)
{
    struct mock_device *d = self;
    (void)next;
    const uint8_t *request = (const uint8_t *)(const void *)task->request;
    struct block block = {0};
    assert_non_null(prepared);
    d->on_it++;
    exec_progress(task->x, "work", 0, 1);
    while (((d->shut && d->proved >= d->let) ||
            (d->prepared < d->expected && d->prepared < d->proved + 1 + d->ahead)) &&
           (d->deaf || !exec_cancelled(task->x)))
        usleep(200);
    pause_us(task->x, d->prove_us);
    if (d->host_bytes && block_new(&block, task->x->budget, 1, d->host_bytes, "mock", e) != CUZK_OK) {
        d->on_it--;
        return CUZK_ERR_MEMORY;
    }
    block_free(&block);
    d->on_it--;
    if (!d->deaf && exec_cancelled(task->x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    if (d->fault == MOCK_FAILS)
        return error_set(e, CUZK_ERR_DEVICE, "the device fell off the bus");
    if (d->fault == MOCK_NO_MEMORY)
        return error_set(e, CUZK_ERR_MEMORY, "out of memory");
    memset(proof, 0, GROTH16_PROOF_BYTES);
    proof[0] = request[0];
    proof[1] = (uint8_t)task->partition;
    proof[2] = d->fault == MOCK_LIES ? 0 : 0x5a;
    exec_progress(task->x, "work", 1, 1);
    pthread_mutex_lock(&d->lock);
    if (d->proved < MOCK_ORDER) {
        d->order[d->proved][0] = proof[0];
        d->order[d->proved][1] = proof[1];
    }
    d->proved++;
    pthread_mutex_unlock(&d->lock);
    return CUZK_OK;
}

static inline cuzk_status mock_finish(void *self, const struct engine_task *task, void *prepared,
                                      uint8_t proof[GROTH16_PROOF_BYTES], struct cuzk_error *e)
{
    const struct mock_device *d = self;
    (void)prepared, (void)proof, (void)e;
    pause_us(task->x, d->finish_us);
    return CUZK_OK;
}

static inline void mock_discard(void *self, void *prepared)
{
    struct mock_device *d = self;
    const struct mock_prepared *p = prepared;
    d->discarded++;
    if (p->proved && !p->settled)
        d->open--;
    free(prepared);
}

static inline cuzk_status mock_probe(void *self, struct cuzk_error *e)
{
    struct mock_device *d = self;
    d->probes++;
    return d->sick ? error_set(e, CUZK_ERR_DEVICE, "still away") : CUZK_OK;
}

static inline void mock_device_free(void *self)
{
    struct mock_device *d = self;
    assert_int_equal(d->prepared, d->discarded);
    assert_int_equal(d->open, 0);
    free(d);
}

/* ---- devices that settle batches ---- */

static inline bool mock_holds(void *self, const struct engine_params *params)
{
    const struct mock_device *d = self;
    for (unsigned i = 0; i < ARRAY_LEN(d->held); i++)
        if (d->held[i] == params)
            return true;
    return false;
}

static inline cuzk_status mock_hold(void *self, const struct exec *x, const struct engine_params *params,
                                    struct cuzk_error *e)
{
    struct mock_device *d = self;
    (void)x;
    if (mock_holds(self, params))
        return CUZK_OK;
    if (!d->beside && d->open)
        return error_set(e, CUZK_ERR_UNAVAILABLE, "another circuit's proofs are open");
    unsigned at = 0;
    while (d->beside && d->held[at])
        at++;
    d->held[at] = params;
    d->holds++;
    return CUZK_OK;
}

static inline void mock_drop(void *self, const struct engine_params *params)
{
    struct mock_device *d = self;
    for (unsigned i = 0; i < ARRAY_LEN(d->held); i++)
        if (d->held[i] == params)
            d->held[i] = NULL;
    d->dropped++;
}

static inline void mock_memory(void *self, uint64_t *total, uint64_t *left)
{
    const struct mock_device *d = self;
    *total = d->total;
    *left = d->total - d->lost;
}

static inline bool mock_able(void *self, const struct engine_params *params, struct cuzk_error *e)
{
    const struct mock_device *d = self;
    (void)params;
    if (d->unable)
        (void)error_set(e, CUZK_ERR_UNSUPPORTED, "not from these parameters");
    return !d->unable;
}

static inline unsigned mock_batch(void *self, const struct engine_params *params)
{
    const struct mock_device *d = self;
    (void)params;
    return d->most;
}

static inline cuzk_status mock_quotient(void *self, const struct engine_task *task, void *prepared,
                                        void *next, uint8_t proof[GROTH16_PROOF_BYTES], struct cuzk_error *e)
{
    struct mock_device *d = self;
    struct mock_prepared *p = prepared;
    const struct mock_prepared *n = next;
    char text[8];
    assert_true(mock_holds(self, task->params));
    const cuzk_status status = mock_prove(self, task, prepared, next, proof, e);
    if (status != CUZK_OK)
        return status;
    memset(proof, 0, GROTH16_PROOF_BYTES);
    d->prefetched += n != NULL;
    assert_true(!n || !n->proved);
    p->proved = true;
    d->open++;
    snprintf(text, sizeof text, "%c%u", p->name, p->partition);
    mock_log(d, text);
    return CUZK_OK;
}

static inline cuzk_status mock_settle(void *self, const struct exec *x, void *const *prepared, unsigned count,
                                      struct cuzk_error *e)
{
    struct mock_device *d = self;
    char text[128] = "[";
    assert_true(count >= 1 && count <= d->most);
    while (d->settle_shut && !exec_cancelled(x))
        usleep(200);
    exec_progress(x, "settle", 0, 1);
    pause_us(x, d->settle_us);
    for (unsigned i = 0; i < count; i++) {
        struct mock_prepared *p = prepared[i];
        assert_true(p->proved && !p->settled);
        p->settled = true;
        d->open--;
        const size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%c%u", p->name, p->partition);
    }
    d->settles++;
    const bool fails = d->settle_fails > 0;
    d->settle_fails -= fails;
    strcat(text, fails ? "!]" : "]");
    mock_log(d, text);
    if (exec_cancelled(x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    return fails ? error_set(e, CUZK_ERR_DEVICE, "the sums failed") : CUZK_OK;
}

static inline cuzk_status mock_assemble(void *self, const struct engine_task *task, void *prepared,
                                        uint8_t proof[GROTH16_PROOF_BYTES], struct cuzk_error *e)
{
    const struct mock_prepared *p = prepared;
    assert_true(p->settled);
    proof[0] = p->name;
    proof[1] = p->partition;
    proof[2] = 0x5a;
    return mock_finish(self, task, prepared, proof, e);
}

/* It settles up to `most` together. */
static inline void mock_batches(struct mock_device *d, unsigned most)
{
    d->most = most;
    d->device.prove = mock_quotient;
    d->device.settle = mock_settle;
    d->device.batch = mock_batch;
    d->device.finish = mock_assemble;
    d->device.hold = mock_hold;
    d->device.holds = mock_holds;
    d->device.drop = mock_drop;
    d->device.memory = mock_memory;
    d->device.able = mock_able;
    d->ahead = 1;
}

static inline struct mock_device *mock_device_new(const char *name)
{
    struct mock_device *d = calloc(1, sizeof *d);
    assert_non_null(d);
    pthread_mutex_init(&d->lock, NULL);
    d->device = (struct engine_device){.name = name,
                                       .self = d,
                                       .need = mock_need,
                                       .prepare = mock_prepare,
                                       .prove = mock_prove,
                                       .finish = mock_finish,
                                       .discard = mock_discard,
                                       .probe = mock_probe,
                                       .free = mock_device_free};
    return d;
}

/* ---- an engine ---- */

#define RIG_DEVICES 2

struct rig {
    struct engine *engine;
    struct mock_work *work;
    struct mock_device *device[RIG_DEVICES];
    struct engine_options options;
    char folder[64], state[96];
    pthread_mutex_t lock;
    unsigned done, logs, timings; /* events seen */
    char said[1 << 16];           /* what was logged, a line each; what is too much is left out */
};

static inline void rig_event(void *user, const struct engine_event *event)
{
    struct rig *r = user;
    pthread_mutex_lock(&r->lock);
    r->done += event->type == ENGINE_EVENT_DONE;
    r->timings += event->type == ENGINE_EVENT_TIMING;
    if (event->type == ENGINE_EVENT_LOG) {
        r->logs++;
        const size_t n = strlen(r->said);
        snprintf(r->said + n, sizeof r->said - n, "%s\n", event->text);
        if (getenv("ENGINE_TEST_LOG"))
            fprintf(stderr, "# %s: %s\n", event->key, event->text);
    }
    pthread_mutex_unlock(&r->lock);
}

/* Options that a test may change before rig_start. */
static inline void rig_init(struct rig *r, unsigned devices)
{
    memset(r, 0, sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
    strcpy(r->folder, "/tmp/test-engine-XXXXXX");
    assert_non_null(mkdtemp(r->folder));
    snprintf(r->state, sizeof r->state, "%s/state", r->folder);
    r->work = mock_work_new();
    static const char *const names[RIG_DEVICES] = {"mock 0", "mock 1"};
    for (unsigned d = 0; d < devices; d++)
        r->device[d] = mock_device_new(names[d]);
    r->options = (struct engine_options){.device_count = devices,
                                         .cpu_use = ENGINE_CPU_NEVER,
                                         .host_threads = 1,
                                         .memory_limit = 64 << 20,
                                         .quarantine_ms = 50,
                                         .event = rig_event,
                                         .event_user = r};
}

static inline void rig_start(struct rig *r)
{
    struct engine_device *devices[RIG_DEVICES];
    for (unsigned d = 0; d < r->options.device_count; d++)
        devices[d] = &r->device[d]->device;
    r->options.devices = devices;
    assert_ok(engine_new_with(&r->engine, &r->options, &r->work->work, &error));
}

static inline void remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *d; dir && (d = readdir(dir)) != NULL;) {
        char name[4096];
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
            continue;
        if (snprintf(name, sizeof name, "%s/%s", path, d->d_name) >= (int)sizeof name)
            continue;
        if (unlink(name) != 0)
            remove_tree(name);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

static inline void rig_end(struct rig *r)
{
    engine_free(r->engine);
    remove_tree(r->folder);
}

/* Submit a job named by one letter, with so many partitions. */
static inline cuzk_status rig_try(struct rig *r, char name, unsigned partitions, enum engine_kind kind,
                                  const struct engine_submission *more, struct engine_ticket *ticket)
{
    static const uint8_t zeros[32];
    char id[16];
    uint8_t bytes[64];
    struct engine_piece pieces[64];
    memset(bytes, name, sizeof bytes);
    for (unsigned i = 0; i < partitions; i++)
        pieces[i] = (struct engine_piece){bytes + i, 1};
    snprintf(id, sizeof id, "job-%c", name);
    struct engine_submission s = more ? *more : (struct engine_submission){0};
    s.request_id = id;
    s.kind = kind;
    s.pieces = pieces;
    s.piece_count = partitions;
    s.randomness = s.comm_r_old = s.comm_r_new = s.comm_d_new = zeros;
    s.randomness_size = s.comm_r_old_size = s.comm_r_new_size = s.comm_d_new_size = 32;
    return engine_submit(r->engine, &s, ticket, &error);
}

static inline struct engine_ticket rig_submit(struct rig *r, char name, unsigned partitions,
                                              enum engine_kind kind, const struct engine_submission *more)
{
    struct engine_ticket ticket;
    assert_ok(rig_try(r, name, partitions, kind, more, &ticket));
    return ticket;
}

static inline void rig_expect(struct rig *r, const struct engine_ticket *ticket, enum engine_state state)
{
    struct engine_result result;
    assert_ok(engine_wait(r->engine, ticket->job_id, PATIENCE_MS, NULL, &result, &error));
    if (result.state != state)
        fail_msg("%s: %s", engine_state_name(result.state), result.message);
    engine_result_free(&result);
}

/* Wait until something holds. */
#define rig_until(cond)                                                                                      \
    do {                                                                                                     \
        const uint64_t until_ = timing_now() + PATIENCE_MS * 1000000ull;                                     \
        while (!(cond)) {                                                                                    \
            if (timing_now() > until_)                                                                       \
                fail_msg("it never came to: %s", #cond);                                                     \
            usleep(100);                                                                                     \
        }                                                                                                    \
    } while (0)

static inline struct engine_snapshot *rig_snapshot(struct rig *r)
{
    struct engine_snapshot *s;
    assert_ok(engine_snapshot(r->engine, NULL, &s, &error));
    return s;
}

static inline bool rig_said(struct rig *r, const char *text)
{
    pthread_mutex_lock(&r->lock);
    const bool said = strstr(r->said, text) != NULL;
    pthread_mutex_unlock(&r->lock);
    return said;
}

/* Has the job with this letter been parsed? Till then its partitions are not there to be chosen. */
static inline bool rig_parsed(struct rig *r, char name)
{
    struct engine_snapshot *s = rig_snapshot(r);
    bool parsed = false;
    for (size_t i = 0; i < s->job_count; i++) {
        const struct engine_partition_view *p = s->jobs[i].partitions;
        for (unsigned k = 0; s->jobs[i].request_id[4] == name && k < p->span_count; k++)
            parsed |= strcmp(p->spans[k].name, "parse") == 0 && p->spans[k].end_ns != 0;
    }
    engine_snapshot_free(s);
    return parsed;
}

/* Is the job's partition in this phase? */
static inline bool rig_in(struct rig *r, const struct engine_ticket *t, unsigned partition,
                          enum engine_phase phase)
{
    struct engine_snapshot *s = rig_snapshot(r);
    bool there = false;
    for (size_t i = 0; i < s->job_count; i++)
        there |= strcmp(s->jobs[i].job_id, t->job_id) == 0 && s->jobs[i].partitions[partition].phase == phase;
    engine_snapshot_free(s);
    return there;
}

#endif
