/* engine/engine.c - the engine's life: made, drained, stopped, freed.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine/engine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/internal.h"

#define MiB ((uint64_t)1 << 20)
#define GiB ((uint64_t)1 << 30)

static uint64_t or_else(uint64_t value, uint64_t otherwise)
{
    return value ? value : otherwise;
}

struct limits limits_of(const struct engine_options *o)
{
    struct limits l = {.max_jobs = o->max_jobs ? o->max_jobs : 1024,
                       .max_payload = or_else(o->max_payload, GiB),
                       .max_queued_bytes = or_else(o->max_queued_bytes, 16 * GiB),
                       .keep_ms = or_else(o->keep_ms, 24ull * 3600 * 1000),
                       .keep_jobs = o->keep_jobs ? o->keep_jobs : 10000,
                       .srs_idle_ms = o->srs_idle_ms,
                       .srs_max = o->srs_max};
    static const uint64_t deadlines[ENGINE_KINDS] = {
        [ENGINE_WINDOW_POST] = 30 * 60 * 1000, [ENGINE_WINNING_POST] = 20 * 1000};
    for (unsigned k = 0; k < ENGINE_KINDS; k++) {
        l.max_jobs_by_kind[k] = o->max_jobs_by_kind[k] ? o->max_jobs_by_kind[k] : l.max_jobs;
        l.default_deadline_ms[k] = or_else(o->default_deadline_ms[k], deadlines[k]);
    }
    return l;
}

static void init_sync(struct engine *g)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->work, &monotonic);
    pthread_cond_init(&g->news, &monotonic);
    pthread_cond_init(&g->idle, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* Those that were passed belong to the engine, also when there will be none. */
static void free_devices(const struct engine_options *o)
{
    for (unsigned d = 0; d < o->device_count; d++)
        o->devices[d]->free(o->devices[d]->self);
}

static cuzk_status take_devices(struct engine *g, const struct engine_options *o, struct cuzk_error *e)
{
    const uint32_t all = (1u << ENGINE_KINDS) - 2;
    g->cpu_use = o->cpu_use;
    if (g->cpu_use == ENGINE_CPU_AUTO)
        g->cpu_use = o->device_count ? ENGINE_CPU_FALLBACK : ENGINE_CPU_ALWAYS;
    if (o->device_count >= DEVICES_MAX) {
        free_devices(o);
        return error_set(e, CUZK_ERR_ARGUMENT, "%u devices, at most %d can be used", o->device_count,
                         DEVICES_MAX - 1);
    }
    for (unsigned d = 0; d < o->device_count; d++)
        g->slot[g->slots++] = (struct device_slot){.device = o->devices[d],
                                                   .kinds = o->device_kinds ? o->device_kinds[d] & all : all};
    for (unsigned d = 0; d < g->slots; d++)
        if (g->slot[d].device->memory)
            g->slot[d].device->memory(g->slot[d].device->self, &g->slot[d].total, &g->slot[d].free);
    if (g->cpu_use == ENGINE_CPU_NEVER) {
        if (!o->device_count)
            return error_set(e, CUZK_ERR_ARGUMENT, "there is no device, and the CPU is not to be used");
        return CUZK_OK;
    }
    struct engine_device *cpu;
    const cuzk_status status = engine_device_cpu_new(&cpu, e);
    if (status == CUZK_OK)
        g->slot[g->slots++] = (struct device_slot){.device = cpu, .kinds = all, .is_cpu = true};
    return status;
}

static cuzk_status configure(struct engine *g, const struct engine_options *o, struct cuzk_error *e)
{
    cuzk_status status = cpu_variant_parse(&g->variant, o->cpu ? o->cpu : "auto", e);
    if (status == CUZK_OK)
        status = budget_new(&g->budget, o->memory_limit, e);
    if (status != CUZK_OK)
        return status;
    const uint64_t limit = budget_limit(g->budget);
    if (o->memory_margin >= limit)
        return error_set(e, CUZK_ERR_ARGUMENT, "the memory's margin (%llu MiB) leaves nothing of %llu MiB",
                         (unsigned long long)(o->memory_margin / MiB), (unsigned long long)(limit / MiB));
    if (o->memory_margin) {
        budget_free(g->budget);
        g->budget = NULL;
        status = budget_new(&g->budget, limit - o->memory_margin, e);
    }
    if (status != CUZK_OK)
        return status;
    g->limits = limits_of(o);
    g->urgent_memory = or_else(o->urgent_memory, budget_limit(g->budget) / 16);
    if (g->urgent_memory > budget_limit(g->budget))
        return error_set(e, CUZK_ERR_ARGUMENT, "more memory is kept for PoSt kinds than there is");
    g->inline_payload = or_else(o->inline_payload, 256 << 10);
    g->lookahead = o->lookahead ? o->lookahead : 1;
    g->device_workers = o->device_workers ? o->device_workers : 1;
    g->threads = o->threads ? o->threads : pool_default_threads();
    g->host_threads = o->host_threads;
    if (!g->host_threads && g->cpu_use == ENGINE_CPU_ALWAYS)
        g->host_threads = 1; /* the rest is the CPU prover's */
    else if (!g->host_threads)
        g->host_threads = g->threads;
    g->keep_bundles = o->keep_bundles ? o->keep_bundles : 16;
    g->quarantine_ns = or_else(o->quarantine_ms, 10000) * 1000000;
    return CUZK_OK;
}

static cuzk_status open_state(struct engine *g, const struct engine_options *o, struct cuzk_error *e)
{
    char moved[CUZK_ERROR_MESSAGE_MAX];
    if (!o->state_folder)
        return CUZK_OK;
    const cuzk_status status = journal_open(&g->journal, o->state_folder, moved, e);
    if (status != CUZK_OK)
        return status;
    if (moved[0])
        events_log(g->events, ENGINE_ERROR, "journal",
                   "the journal in %s could not be read; it is now %s, and a new one was begun: jobs that it "
                   "held are lost and must be sent again",
                   o->state_folder, moved);
    return recover(g, e);
}

cuzk_status engine_new_with(struct engine **out, const struct engine_options *options, struct work *work,
                            struct cuzk_error *e)
{
    struct engine *g = mem_alloc(1, sizeof *g);
    if (!g) {
        free_devices(options);
        work->free(work->self);
        return error_memory(e, sizeof *g, "the engine");
    }
    init_sync(g);
    g->work_table = work;
    g->started_ns = timing_now();
    g->started_unix_ms = unix_ms();
    cuzk_status status = take_devices(g, options, e);
    if (status == CUZK_OK)
        status = configure(g, options, e);
    if (status == CUZK_OK)
        status = events_new(&g->events, options->event, options->event_user, e);
    if (status == CUZK_OK)
        srs_look_around(g);
    if (status == CUZK_OK)
        status = open_state(g, options, e);
    if (status == CUZK_OK)
        status = workers_start(g, options, e);
    if (status != CUZK_OK) {
        engine_free(g);
        return status;
    }
    *out = g;
    return CUZK_OK;
}

cuzk_status engine_new(struct engine **out, const struct engine_options *options, struct cuzk_error *e)
{
    struct work *work;
    const cuzk_status status =
        work_filecoin_new(&work, options->param_cache ? options->param_cache : "/data/zk/params", e);
    if (status != CUZK_OK) {
        free_devices(options);
        return status;
    }
    return engine_new_with(out, options, work, e);
}

bool engine_drain(struct engine *engine, uint64_t timeout_ms, const volatile int *cancel)
{
    const uint64_t start = timing_now();
    engine_lock(engine);
    engine->draining = true;
    while (engine->active_count && !engine->stopping) {
        if ((cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED)) ||
            (timeout_ms && timing_now() - start >= timeout_ms * 1000000))
            break;
        wait_ms(&engine->news, &engine->lock, WAIT_SLICE_MS);
    }
    const bool empty = engine->active_count == 0;
    engine_unlock(engine);
    return empty;
}

void engine_stop(struct engine *engine)
{
    engine_lock(engine);
    engine->draining = engine->stopping = true;
    __atomic_store_n(&engine->halt, 1, __ATOMIC_RELAXED);
    for (struct job *j = engine->active, *next; j; j = next) {
        next = j->next;
        __atomic_store_n(&j->cancel, 1, __ATOMIC_RELAXED);
    }
    pthread_cond_broadcast(&engine->work);
    pthread_cond_broadcast(&engine->news);
    engine_unlock(engine);
}

/* Without a journal nobody will take them up: say so. */
static void cancel_rest(struct engine *g)
{
    engine_lock(g);
    while (!g->journal && g->active)
        job_end(g, g->active, ENGINE_STATE_CANCELLED, CUZK_ERR_UNAVAILABLE, true, "the engine was stopped");
    engine_unlock(g);
}

static void free_jobs(struct engine *g)
{
    engine_lock(g);
    while (g->ended) {
        struct job *j = g->ended;
        j->waiters = 0;
        job_forget(g, j);
    }
    while (g->active) {
        struct job *j = g->active;
        for (unsigned i = 0; i < j->partition_count; i++)
            partition_release(g, &j->partitions[i]);
        if (g->journal) { /* the next engine needs its payload */
            mem_free(j->payload_path);
            j->payload_path = NULL;
        }
        job_forget(g, j);
    }
    engine_unlock(g);
}

void engine_free(struct engine *engine)
{
    struct engine *g = engine;
    if (!g)
        return;
    engine_stop(g);
    workers_join(g);
    cancel_rest(g);
    free_jobs(g);
    srs_free_all(g);
    for (unsigned d = 0; d < g->slots; d++)
        g->slot[d].device->free(g->slot[d].device->self);
    journal_close(g->journal);
    events_free(g->events);
    g->work_table->free(g->work_table->self);
    budget_free(g->budget);
    pthread_cond_destroy(&g->work);
    pthread_cond_destroy(&g->news);
    pthread_cond_destroy(&g->idle);
    pthread_mutex_destroy(&g->lock);
    mem_free(g);
}

void engine_loading(struct engine *engine, bool loading)
{
    engine_lock(engine);
    engine->loading = loading;
    engine_unlock(engine);
}

#define UNREADY_NS ((uint64_t)30 * 1000000000) /* after a job that could not be accepted */

bool engine_ready(struct engine *engine, char why[CUZK_ERROR_MESSAGE_MAX])
{
    const char *reason = NULL;
    engine_lock(engine);
    if (engine->stopping)
        reason = "stopped";
    else if (engine->draining)
        reason = "draining";
    else if (engine->loading)
        reason = "parameters are being loaded";
    else if (!devices_in_service(engine))
        reason = "every device is in quarantine";
    else if (engine->journal && journal_is_broken(engine->journal))
        reason = "the journal cannot be used";
    else if (engine->journal_failed_ns && timing_now() - engine->journal_failed_ns < UNREADY_NS)
        reason = "the journal takes no jobs (is the disk full?)";
    engine_unlock(engine);
    snprintf(why, CUZK_ERROR_MESSAGE_MAX, "%s", reason ? reason : "");
    return !reason;
}

void engine_reconfigure(struct engine *engine, const struct engine_options *options)
{
    engine_lock(engine);
    engine->limits = limits_of(options);
    engine_unlock(engine);
}

const char *engine_spool_folder(const struct engine *engine)
{
    return engine->journal ? journal_spool(engine->journal) : NULL;
}
