/* engine/stages.c - what a worker does with what it took, lane by lane. Each is called with the lock, lets it
 * go while it works, and has it again when it returns. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/file.h"
#include "engine/internal.h"

#define PARSE_ATTEMPTS 4
#define PROGRESS_NS    ((uint64_t)200 * 1000000) /* between two events of one step */
#define LEARNED_MARGIN 8                         /* an eighth above what was seen */

/* ---- parse ---- */

static void set_phases(struct engine *g, struct job *j, enum engine_phase phase)
{
    for (unsigned i = 0; i < j->partition_count; i++)
        if (!phase_is_final(j->partitions[i].phase))
            partition_phase(g, &j->partitions[i], phase);
}

/* Without the lock. */
static cuzk_status parse_payload(const struct worker *w, const struct job *j, struct budget *budget,
                                 struct request **request, unsigned *partitions, struct cuzk_error *e)
{
    const struct work *work = w->engine->work_table;
    const struct exec x = worker_exec(w, budget, j);
    struct file_map map = {0};
    const uint8_t *payload = j->payload;
    cuzk_status status = CUZK_OK;
    if (!payload) {
        status = file_map(&map, j->payload_path, 0, e);
        if (status != CUZK_OK)
            return status;
        if (map.size != j->payload_size)
            status = error_set(e, CUZK_ERR_IO, "%s has changed its size", j->payload_path);
        file_map_advise(&map, FILE_SEQUENTIAL);
        payload = map.data;
    }
    if (status == CUZK_OK)
        status = work->parse(work->self, &x, &j->fields, &j->plan, payload, (size_t)j->payload_size, request,
                             partitions, e);
    file_unmap(&map);
    return status;
}

/* Parse within memory that was promised; where that was too little, with twice as much. */
static cuzk_status parse(struct worker *w, struct job *j, struct reservation *memory,
                         struct request **request, unsigned *partitions, struct cuzk_error *e)
{
    struct engine *g = w->engine;
    cuzk_status status = CUZK_OK;
    for (unsigned attempt = 0; attempt < PARSE_ATTEMPTS; attempt++) {
        const uint64_t bytes = j->parse_bytes ? j->parse_bytes : j->plan.parse_bytes;
        status = reserve(g, memory, bytes, j, "the request", e);
        if (status != CUZK_OK)
            return status;
        engine_unlock(g);
        status = parse_payload(w, j, memory->own, request, partitions, e);
        engine_lock(g);
        if (status == CUZK_OK)
            return status;
        reserve_release(g, memory);
        if (status != CUZK_ERR_MEMORY)
            return status;
        j->parse_bytes = 2 * bytes;
    }
    return status;
}

static bool worth_a_retry(cuzk_status status)
{
    return status == CUZK_ERR_IO || status == CUZK_ERR_MEMORY || status == CUZK_ERR_UNAVAILABLE;
}

void stage_parse(struct worker *w, struct job *j)
{
    struct engine *g = w->engine;
    struct reservation memory = {0};
    struct request *request = NULL;
    unsigned partitions = j->partition_count;
    struct cuzk_error e = {0};
    j->stage = JOB_PARSING;
    if (!j->started_ns)
        j->started_ns = timing_now();
    set_phases(g, j, ENGINE_PHASE_PARSE);
    cuzk_status status = parse(w, j, &memory, &request, &partitions, &e);
    if (status == CUZK_OK)
        reserve_shrink(g, &memory);
    if (status == CUZK_OK && j->stage == JOB_PARSING && partitions != j->partition_count)
        status = job_set_partitions(j, partitions, &e);
    if (status == CUZK_OK && j->stage == JOB_PARSING && !j->cancel) {
        j->request = request;
        j->request_memory = memory;
        j->stage = JOB_PARSED;
        j->state = ENGINE_STATE_RUNNING;
        j->ahead = true;
        set_phases(g, j, ENGINE_PHASE_QUEUED);
        for (unsigned i = 0; i < j->partition_count; i++)
            if (j->partitions[i].journaled)
                partition_phase(g, &j->partitions[i], ENGINE_PHASE_VERIFY_WAIT);
        return;
    }
    if (request)
        g->work_table->request_free(g->work_table->self, request);
    reserve_release(g, &memory);
    if (j->stage != JOB_PARSING)
        return; /* it has ended meanwhile */
    j->stage = JOB_WAITS;
    set_phases(g, j, ENGINE_PHASE_QUEUED);
    if (!g->stopping)
        job_end(g, j, ENGINE_STATE_FAILED, status, worth_a_retry(status), e.message);
}

/* ---- witness ---- */

struct engine_task partition_task(const struct engine *g, const struct partition *p, const struct exec *x)
{
    const struct job *j = p->job;
    return (struct engine_task){.x = x,
                                .job_id = j->id,
                                .circuit = j->circuit,
                                .kind = j->kind,
                                .partition = p->index,
                                .poseidon = g->work_table->poseidon,
                                .request = j->request,
                                .params = p->srs ? p->srs->params : NULL};
}

void progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    struct progress *s = user;
    const struct partition *first = s->partition[0];
    const uint64_t now = timing_now();
    if (phase != s->step) {
        engine_lock(s->g);
        for (unsigned i = 0; i < s->count; i++) {
            struct partition *p = s->partition[i];
            end_step(p, now);
            if (p->step_count < PARTITION_STEPS)
                p->steps[p->step_count++] = (struct engine_span){.name = phase, .start_ns = now};
        }
        engine_unlock(s->g);
        s->step = phase;
    } else if (now - s->told < PROGRESS_NS) {
        return;
    }
    s->told = now;
    events_put(s->g->events, &(struct engine_event){.type = ENGINE_EVENT_PROGRESS,
                                                    .time_ns = now,
                                                    .job_id = first->job->id,
                                                    .request_id = first->job->request_id,
                                                    .kind = first->job->kind,
                                                    .partition = (int)first->index,
                                                    .done = done,
                                                    .total = total,
                                                    .text = phase});
}

void end_step(struct partition *p, uint64_t now)
{
    if (p->step_count && !p->steps[p->step_count - 1].end_ns)
        p->steps[p->step_count - 1].end_ns = now;
}

/* What the device says that it needs, if it can do it at all. Without the lock. */
static cuzk_status ask_device(const struct device_slot *s, const struct engine_task *task,
                              struct engine_need *need, struct cuzk_error *e)
{
    const struct engine_device *d = s->device;
    uint64_t total = 0, left = 0;
    if (d->able && !d->able(d->self, task->params, e))
        return CUZK_ERR_UNSUPPORTED;
    d->need(d->self, task, need);
    if (d->memory)
        d->memory(d->self, &total, &left);
    if (total && need->device > total)
        return error_set(e, CUZK_ERR_UNSUPPORTED,
                         "a partition of %s needs %llu MiB of %s's memory, it may use %llu", task->circuit,
                         (unsigned long long)(need->device >> 20), d->name,
                         (unsigned long long)(total >> 20));
    return CUZK_OK;
}

/* The partition's memory, on the device's word or as learned. */
static cuzk_status reserve_partition(struct worker *w, struct partition *p, struct cuzk_error *e)
{
    struct engine *g = w->engine;
    struct device_slot *s = &g->slot[p->device];
    const struct exec x = worker_exec(w, NULL, p->job);
    const struct engine_task task = partition_task(g, p, &x);
    engine_unlock(g);
    cuzk_status status = ask_device(s, &task, &p->need, e);
    engine_lock(g);
    if (status != CUZK_OK)
        return status;
    uint64_t host = p->need.host;
    const uint64_t *learned = learned_host(g, p->job->circuit, p->device);
    if (learned && *learned)
        host = *learned;
    partition_phase(g, p, ENGINE_PHASE_MEMORY);
    status = reserve(g, &p->memory, host, p->job, "a partition", e);
    g->in_flight += status == CUZK_OK;
    return status;
}

/* Without the lock. *on_device: the device is to blame for a failure. */
static cuzk_status prepare(const struct worker *w, struct partition *p, bool *on_device, struct cuzk_error *e)
{
    const struct engine *g = w->engine;
    const struct engine_device *d = g->slot[p->device].device;
    struct progress told = {.g = w->engine, .partition = &p, .count = 1};
    struct exec x = worker_exec(w, p->memory.own, p->job);
    x.progress = progress;
    x.progress_user = &told;
    const struct engine_task task = partition_task(g, p, &x);
    cuzk_status status = CUZK_OK;
    if (!p->checked)
        status = g->work_table->check(g->work_table->self, &task, e);
    if (status != CUZK_OK)
        return status;
    p->checked = true;
    if (!d->prepare)
        return CUZK_OK;
    *on_device = true;
    return d->prepare(d->self, &task, &p->prepared, e);
}

bool goes_on(struct engine *g, struct partition *p, cuzk_status status, bool on_device, struct cuzk_error *e)
{
    if (status == CUZK_OK && (p->job->stage != JOB_PARSED || p->job->cancel))
        status = error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    if (status != CUZK_OK)
        partition_failed(g, p, on_device, e);
    return status == CUZK_OK;
}

void stage_prepare(struct worker *w, struct partition *p)
{
    struct engine *g = w->engine;
    struct job *j = p->job;
    struct cuzk_error e = {0};
    bool on_device = false;
    p->held = p->bound = true;
    p->attempts++;
    g->slot[p->device].waiting[j->urgent]++;
    j->ahead = false;
    partition_phase(g, p, ENGINE_PHASE_SRS);
    const struct exec x = worker_exec(w, g->budget, j);
    cuzk_status status = srs_acquire(g, j->circuit, &x, &p->srs, &e);
    if (status == CUZK_OK &&
        !g->slot[p->device].device->hold) /* else it is the device lane's turn to say when */
        status = srs_heat(g, p->srs, p->device, &x, &e);
    if (status == CUZK_OK)
        status = reserve_partition(w, p, &e);
    if (status == CUZK_OK) {
        partition_phase(g, p, ENGINE_PHASE_WITNESS);
        engine_unlock(g);
        status = prepare(w, p, &on_device, &e);
        engine_lock(g);
        end_step(p, timing_now());
    }
    on_device |= status == CUZK_ERR_UNSUPPORTED;
    if (goes_on(g, p, status, on_device, &e))
        partition_ready(g, p);
}

void partition_ready(struct engine *g, struct partition *p)
{
    if (g->slot[p->device].quarantined) { /* it went meanwhile */
        partition_release(g, p);
        p->held = false;
        partition_phase(g, p, p->job->stage == JOB_PARSED ? ENGINE_PHASE_QUEUED : ENGINE_PHASE_CANCELLED);
        return;
    }
    p->held = false;
    if (p->phase != ENGINE_PHASE_READY)
        partition_phase(g, p, ENGINE_PHASE_READY);
    pthread_cond_broadcast(&g->work);
}

/* ---- behind the device ---- */

static void learn(struct engine *g, const struct partition *p)
{
    uint64_t *host = learned_host(g, p->job->circuit, p->device);
    if (!host || !p->memory.own)
        return;
    const uint64_t peak = budget_peak(p->memory.own), wanted = peak + peak / LEARNED_MARGIN + (1 << 20);
    if (wanted > *host)
        *host = wanted;
}

/* Memory was given back, and the lock with it: the job may have ended. */
static void to_verify(struct engine *g, struct partition *p)
{
    struct cuzk_error e = {0};
    if (!goes_on(g, p, CUZK_OK, false, &e))
        return;
    p->held = false;
    partition_phase(g, p, ENGINE_PHASE_VERIFY_WAIT);
}

void partition_proved(struct engine *g, struct partition *p)
{
    account_partition(g, p);
    if (g->slot[p->device].device->finish) {
        p->held = false;
        partition_phase(g, p, ENGINE_PHASE_FINISH);
        pthread_cond_broadcast(&g->work);
        return;
    }
    learn(g, p);
    partition_unload(g, p);
    to_verify(g, p);
}

void stage_finish(struct worker *w, struct partition *p)
{
    struct engine *g = w->engine;
    const struct engine_device *d = g->slot[p->device].device;
    const struct exec x = worker_exec(w, p->memory.own, p->job);
    const struct engine_task task = partition_task(g, p, &x);
    struct cuzk_error e = {0};
    p->held = true;
    engine_unlock(g);
    const cuzk_status status = d->finish(d->self, &task, p->prepared, p->proof, &e);
    engine_lock(g);
    if (!goes_on(g, p, status, true, &e))
        return;
    learn(g, p);
    partition_unload(g, p);
    to_verify(g, p);
}

/* ---- verify ---- */

/* Is its proof valid? Without the lock. */
static cuzk_status verify(struct worker *w, struct partition *p, struct cuzk_error *e)
{
    struct engine *g = w->engine;
    const struct exec x = worker_exec(w, NULL, p->job);
    const struct engine_task task = partition_task(g, p, &x);
    bool valid = false;
    cuzk_status status = g->work_table->verify(g->work_table->self, &task, p->proof, &valid, e);
    if (status == CUZK_OK && !valid)
        status = error_set(e, CUZK_ERR_INVALID, "the proof that %s made of partition %u does not verify",
                           p->device >= 0 ? g->slot[p->device].device->name : "the journal kept", p->index);
    return status;
}

/* The proof that a journal kept is not good: it is made anew. */
static void prove_anew(struct engine *g, struct partition *p, const struct cuzk_error *e)
{
    events_log(g->events, ENGINE_WARN, "journal", "%s: %s; it is made anew", p->job->id, e->message);
    partition_release(g, p);
    p->held = false;
    partition_phase(g, p, ENGINE_PHASE_QUEUED);
}

void stage_verify(struct worker *w, struct partition *p)
{
    struct engine *g = w->engine;
    struct job *j = p->job;
    const struct exec x = worker_exec(w, g->budget, j);
    const bool journaled = p->journaled;
    struct cuzk_error e = {0};
    cuzk_status status = CUZK_OK;
    p->held = true;
    p->journaled = false;
    if (journaled) {
        partition_phase(g, p, ENGINE_PHASE_SRS);
        status = srs_acquire(g, j->circuit, &x, &p->srs, &e);
    }
    partition_phase(g, p, ENGINE_PHASE_VERIFY);
    engine_unlock(g);
    if (status == CUZK_OK)
        status = verify(w, p, &e);
    if (status == CUZK_OK && g->journal && j->partition_count > 1 && !journaled &&
        journal_partition(g->journal, j->id, p->index, p->proof, sizeof p->proof, &e) != CUZK_OK)
        events_log(g->events, ENGINE_WARN, "journal", "%s: %s", j->id, e.message);
    engine_lock(g);
    if (status == CUZK_OK)
        partition_verified(g, p);
    else if (journaled && status == CUZK_ERR_INVALID && j->stage == JOB_PARSED)
        prove_anew(g, p, &e);
    else
        partition_failed(g, p, status == CUZK_ERR_INVALID && !journaled, &e);
}
