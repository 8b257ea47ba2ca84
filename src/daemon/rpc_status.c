/* daemon/rpc_status.c - GetStatus, GetMetrics, PreloadSRS, EvictSRS.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "daemon/metrics.h"
#include "daemon/rpc_call.h"
#include <proving.pb-c.h>

#define PRELOADS_MAX 8

static char *borrowed(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* ---- GetStatus ---- */

/* The rows of the lists and the pointers to them, in one allocation. */
struct status_rows {
    Cuzk__V1__GPUStatus *gpus;
    Cuzk__V1__SRSStatus *srs;
    Cuzk__V1__QueueStatus queues[ENGINE_KINDS - 1];
    Cuzk__V1__GPUStatus **gpu_list;
    Cuzk__V1__SRSStatus **srs_list;
    Cuzk__V1__QueueStatus *queue_list[ENGINE_KINDS - 1];
};

static bool rows_new(struct status_rows *rows, const struct engine_snapshot *s)
{
    rows->gpus = mem_alloc(s->device_count + 1, sizeof *rows->gpus);
    rows->gpu_list = mem_alloc(s->device_count + 1, sizeof(void *));
    rows->srs = mem_alloc(s->srs_count + 1, sizeof *rows->srs);
    rows->srs_list = mem_alloc(s->srs_count + 1, sizeof(void *));
    return rows->gpus && rows->gpu_list && rows->srs && rows->srs_list;
}

static void rows_free(struct status_rows *rows)
{
    mem_free(rows->gpus);
    mem_free((void *)rows->gpu_list);
    mem_free(rows->srs);
    mem_free((void *)rows->srs_list);
}

static void fill_gpu(Cuzk__V1__GPUStatus *out, const struct engine_device_view *d)
{
    cuzk__v1__gpustatus__init(out);
    out->ordinal = d->number;
    out->name = borrowed(d->name);
    out->vram_total_bytes = d->memory_total;
    out->vram_free_bytes = d->memory_free;
    out->current_job_id = borrowed(d->job_id);
    out->current_proof_kind = borrowed(d->job_id[0] ? engine_kind_name(d->kind) : "");
    out->quarantined = d->quarantined;
    out->fault = borrowed(d->fault);
}

static void fill_rows(struct status_rows *rows, Cuzk__V1__GetStatusResponse *answer,
                      const struct engine_snapshot *s)
{
    for (size_t i = 0; i < s->device_count; i++) {
        fill_gpu(&rows->gpus[i], &s->devices[i]);
        rows->gpu_list[i] = &rows->gpus[i];
    }
    for (size_t i = 0; i < s->srs_count; i++) {
        Cuzk__V1__SRSStatus *row = rows->srs_list[i] = &rows->srs[i];
        cuzk__v1__srsstatus__init(row);
        row->circuit_id = borrowed(s->srs[i].circuit);
        row->tier = (Cuzk__V1__SRSStatus__Tier)s->srs[i].tier;
        row->size_bytes = s->srs[i].bytes;
        row->ref_count = s->srs[i].refs;
    }
    for (size_t i = 0; i < ENGINE_KINDS - 1; i++) {
        Cuzk__V1__QueueStatus *row = rows->queue_list[i] = &rows->queues[i];
        cuzk__v1__queue_status__init(row);
        row->proof_kind = borrowed(engine_kind_name(s->queues[i].kind));
        row->pending = s->queues[i].pending;
        row->in_progress = s->queues[i].in_progress;
    }
    answer->gpus = rows->gpu_list;
    answer->n_gpus = s->device_count;
    answer->loaded_srs = rows->srs_list;
    answer->n_loaded_srs = s->srs_count;
    answer->queues = rows->queue_list;
    answer->n_queues = ENGINE_KINDS - 1;
}

void rpc_get_status(struct call *call, const uint8_t *data, size_t size)
{
    static const struct engine_snapshot_limits limits = {.jobs = 1, .intervals = 1, .no_partitions = true};
    Cuzk__V1__GetStatusResponse answer = CUZK__V1__GET_STATUS_RESPONSE__INIT;
    struct status_rows rows = {0};
    struct engine_snapshot *s = NULL;
    struct cuzk_error e = {0};
    (void)data;
    (void)size;
    cuzk_status status = engine_snapshot(call->rpc->engine, &limits, &s, &e);
    if (status == CUZK_OK && !rows_new(&rows, s))
        status = error_memory(&e, 0, "the status");
    if (status == CUZK_OK) {
        fill_rows(&rows, &answer, s);
        for (unsigned k = 1; k < ENGINE_KINDS; k++) {
            answer.total_proofs_completed += s->counters.completed[k];
            answer.total_proofs_failed += s->counters.failed[k];
        }
        answer.uptime_seconds = s->uptime_ms / 1000;
        answer.pinned_memory_bytes = s->memory.reserved;
        answer.pinned_memory_limit_bytes = s->memory.limit;
        answer.ready = s->ready;
        answer.not_ready = borrowed(s->not_ready);
        answer.draining = s->draining;
        answer.version = borrowed(CUZK_VERSION);
        call_reply(call, &answer.base);
    } else {
        call_fail_status(call, status, &e);
    }
    rows_free(&rows);
    engine_snapshot_free(s);
}

void rpc_get_metrics(struct call *call, const uint8_t *data, size_t size)
{
    Cuzk__V1__GetMetricsResponse answer = CUZK__V1__GET_METRICS_RESPONSE__INIT;
    struct text text = {0};
    struct cuzk_error e = {0};
    (void)data;
    (void)size;
    const cuzk_status status = metrics_text(&text, call->rpc->engine, &e);
    if (status == CUZK_OK) {
        answer.prometheus_text = text.data;
        call_reply(call, &answer.base);
    } else {
        call_fail_status(call, status, &e);
    }
    text_free(&text);
}

/* ---- PreloadSRS, EvictSRS ---- */

static void preload(struct call *call)
{
    Cuzk__V1__PreloadSrsResponse answer = CUZK__V1__PRELOAD_SRS_RESPONSE__INIT;
    struct cuzk_error e = {0};
    bool already = false;
    uint64_t milliseconds = 0;
    const cuzk_status status = engine_preload(call->rpc->engine, call->state, &already, &milliseconds, &e);
    if (status == CUZK_OK) {
        answer.already_loaded = already;
        answer.load_time_ms = milliseconds;
        call_reply(call, &answer.base);
    } else {
        call_fail_status(call, status, &e);
    }
}

static void end_preload(struct call *call)
{
    struct rpc *rpc = call->rpc;
    mem_free(call->state);
    call->state = NULL;
    call_drop(call);
    pthread_mutex_lock(&rpc->lock);
    rpc->preloads--;
    pthread_mutex_unlock(&rpc->lock);
}

static void *preload_thread(void *arg)
{
    preload(arg);
    end_preload(arg);
    return NULL;
}

/* Loading may take minutes: not on the threads that serve others. */
static void start_preload(struct call *call, const char *circuit)
{
    struct rpc *rpc = call->rpc;
    pthread_t thread;
    pthread_mutex_lock(&rpc->lock);
    const bool room = rpc->preloads < PRELOADS_MAX;
    rpc->preloads += room;
    pthread_mutex_unlock(&rpc->lock);
    if (!room) {
        call_fail(call, GRPC_STATUS_RESOURCE_EXHAUSTED, "many parameters are being loaded already");
        return;
    }
    call_keep(call);
    call->state = mem_alloc(strlen(circuit) + 1, 1);
    if (call->state)
        memcpy(call->state, circuit, strlen(circuit));
    if (!call->state || pthread_create(&thread, NULL, preload_thread, call) != 0) {
        call_fail(call, GRPC_STATUS_RESOURCE_EXHAUSTED, "no memory, or no thread, to load parameters");
        end_preload(call);
        return;
    }
    pthread_detach(thread);
}

void rpc_preload(struct call *call, const uint8_t *data, size_t size)
{
    Cuzk__V1__PreloadSrsRequest *r =
        (void *)call_unpack(call, &cuzk__v1__preload_srs_request__descriptor, data, size);
    if (!r)
        return;
    start_preload(call, r->circuit_id);
    cuzk__v1__preload_srs_request__free_unpacked(r, NULL);
}

void rpc_evict(struct call *call, const uint8_t *data, size_t size)
{
    Cuzk__V1__EvictSrsResponse answer = CUZK__V1__EVICT_SRS_RESPONSE__INIT;
    Cuzk__V1__EvictSrsRequest *r =
        (void *)call_unpack(call, &cuzk__v1__evict_srs_request__descriptor, data, size);
    struct cuzk_error e = {0};
    bool was_loaded = false;
    uint64_t freed = 0;
    if (!r)
        return;
    const cuzk_status status = engine_evict(call->rpc->engine, r->circuit_id, &was_loaded, &freed, &e);
    cuzk__v1__evict_srs_request__free_unpacked(r, NULL);
    if (status != CUZK_OK) {
        call_fail_status(call, status, &e);
        return;
    }
    answer.was_loaded = was_loaded;
    answer.freed_bytes = freed;
    call_reply(call, &answer.base);
}
