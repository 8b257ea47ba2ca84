/* daemon/status.c - what the engine does, as JSON for HTTP.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "daemon/status.h"

#include <string.h>

#include "base/error.h"

#define JOBS_SHOWN      100
#define INTERVALS_SHOWN 4096

static double seconds_since(const struct engine_snapshot *s, uint64_t then_ns)
{
    return then_ns != 0 && s->now_ns > then_ns ? (double)(s->now_ns - then_ns) / 1e9 : 0.0;
}

/* ---- the members of the earlier system ---- */

static void put_memory(struct text *t, const struct engine_memory_view *m)
{
    json_open(t, "memory", '{');
    json_u64(t, "total_bytes", m->limit);
    json_u64(t, "used_bytes", m->reserved);
    json_u64(t, "available_bytes", m->limit > m->reserved ? m->limit - m->reserved : 0);
    json_u64(t, "in_use_bytes", m->in_use);
    json_u64(t, "peak_bytes", m->peak);
    json_u64(t, "resident_bytes", m->rss);
    json_u64(t, "baseline_bytes", m->baseline);
    json_bool(t, "leak", m->leak);
    json_u64(t, "system_total_bytes", m->total);
    json_u64(t, "system_available_bytes", m->available);
    json_u64(t, "payload_bytes", m->payload_bytes);
    json_u64(t, "waiting", m->waiting);
    json_close(t, '}');
}

static void put_synthesis(struct text *t, const struct engine_snapshot *s)
{
    uint64_t workers = 0, active = 0;
    for (size_t i = 0; i < s->worker_count; i++)
        if (s->workers[i].lane == ENGINE_LANE_WITNESS) {
            workers++;
            active += s->workers[i].busy;
        }
    json_open(t, "synthesis", '{');
    json_u64(t, "max_concurrent", workers);
    json_u64(t, "active", active);
    json_close(t, '}');
}

static void put_partition(struct text *t, const struct engine_partition_view *p)
{
    const bool began = p->phase > ENGINE_PHASE_QUEUED;
    json_open(t, NULL, '{');
    json_u64(t, "index", p->index);
    json_string(t, "state", engine_phase_status(p->phase));
    if (began)
        json_u64(t, "synth_ms", p->synth_ms);
    else
        json_null(t, "synth_ms");
    if (p->device >= 0)
        json_u64(t, "gpu_ms", p->gpu_ms);
    else
        json_null(t, "gpu_ms");
    json_string(t, "phase", engine_phase_name(p->phase));
    if (p->device >= 0)
        json_u64(t, "device", (uint64_t)p->device);
    json_u64(t, "attempts", p->attempts);
    json_close(t, '}');
}

static bool is_over(const struct engine_job_view *job)
{
    return job->state != ENGINE_STATE_QUEUED && job->state != ENGINE_STATE_RUNNING;
}

static void put_pipelines(struct text *t, const struct engine_snapshot *s)
{
    json_open(t, "pipelines", '[');
    for (size_t i = 0; i < s->job_count; i++) {
        const struct engine_job_view *job = &s->jobs[i];
        if (is_over(job))
            continue;
        json_open(t, NULL, '{');
        json_string(t, "job_id", job->job_id);
        json_string(t, "proof_kind", engine_kind_name(job->kind));
        json_real(t, "started_secs_ago",
                  seconds_since(s, job->started_ns ? job->started_ns : job->accepted_ns));
        json_u64(t, "total_partitions", job->partition_count);
        json_u64(t, "partitions_done", job->partitions_done);
        json_open(t, "partitions", '[');
        for (unsigned k = 0; job->partitions && k < job->partition_count; k++)
            put_partition(t, &job->partitions[k]);
        json_close(t, ']');
        json_close(t, '}');
    }
    json_close(t, ']');
}

static void put_workers(struct text *t, const struct engine_snapshot *s)
{
    uint64_t number = 0;
    json_open(t, "gpu_workers", '[');
    for (size_t i = 0; i < s->worker_count; i++) {
        const struct engine_worker_view *w = &s->workers[i];
        if (w->lane != ENGINE_LANE_DEVICE)
            continue;
        json_open(t, NULL, '{');
        json_u64(t, "worker_id", number++);
        json_u64(t, "gpu_ordinal", s->devices[w->device].number);
        json_string(t, "state", w->busy ? "proving" : "idle");
        if (w->busy) {
            json_string(t, "current_job", w->job_id);
            json_u64(t, "current_partition", w->partition < 0 ? 0 : (uint64_t)w->partition);
            json_real(t, "busy_secs", seconds_since(s, w->since_ns));
        } else {
            json_null(t, "current_job");
            json_null(t, "current_partition");
            json_null(t, "busy_secs");
        }
        json_close(t, '}');
    }
    json_close(t, ']');
}

static void put_allocations(struct text *t, const struct engine_snapshot *s)
{
    json_open(t, "allocations", '{');
    json_open(t, "srs", '[');
    for (size_t i = 0; i < s->srs_count; i++) {
        const struct engine_srs_view *p = &s->srs[i];
        if (p->tier == ENGINE_COLD)
            continue;
        json_open(t, NULL, '{');
        json_string(t, "circuit_id", p->circuit);
        json_u64(t, "bytes", p->bytes);
        json_real(t, "last_used_secs_ago", seconds_since(s, p->last_used_ns));
        json_bool(t, "evictable", p->refs == 0 && !p->held);
        json_close(t, '}');
    }
    json_close(t, ']');
    json_open(t, "pce", '['); /* circuits are templates inside the parameters: nothing to evict */
    json_close(t, ']');
    json_close(t, '}');
}

static void put_by_kind(struct text *t, const char *key, const uint64_t value[ENGINE_KINDS])
{
    json_open(t, key, '{');
    for (unsigned k = 1; k < ENGINE_KINDS; k++)
        json_u64(t, engine_kind_name((enum engine_kind)k), value[k]);
    json_close(t, '}');
}

static void put_counters(struct text *t, const struct engine_snapshot *s)
{
    const struct engine_counters *c = &s->counters;
    uint64_t completed = 0, failed = 0;
    for (unsigned k = 1; k < ENGINE_KINDS; k++) {
        completed += c->completed[k];
        failed += c->failed[k];
    }
    json_open(t, "counters", '{');
    json_u64(t, "total_completed", completed);
    json_u64(t, "total_failed", failed);
    put_by_kind(t, "completed_by_kind", c->completed);
    put_by_kind(t, "failed_by_kind", c->failed);
    json_u64(t, "queue_depth", s->queue_depth);
    put_by_kind(t, "cancelled_by_kind", c->cancelled);
    json_u64(t, "accepted", c->accepted);
    json_u64(t, "joined", c->joined);
    json_u64(t, "refused", c->refused);
    json_u64(t, "recovered", c->recovered);
    json_u64(t, "partitions", c->partitions);
    json_u64(t, "retries", c->retries);
    json_u64(t, "cpu_fallbacks", c->cpu_fallbacks);
    json_u64(t, "invalid_proofs", c->invalid_proofs);
    json_u64(t, "device_failures", c->device_failures);
    json_u64(t, "quarantines", c->quarantines);
    json_u64(t, "journal_failures", c->journal_failures);
    json_close(t, '}');
}

/* How many partitions hold what: prepared ones their witness, those behind the device what is left to do. */
static void put_buffers(struct text *t, const struct engine_snapshot *s)
{
    uint64_t in_phase[ENGINE_PHASES] = {0};
    for (size_t i = 0; i < s->job_count; i++)
        for (unsigned k = 0; s->jobs[i].partitions && k < s->jobs[i].partition_count; k++)
            in_phase[s->jobs[i].partitions[k].phase]++;
    const uint64_t device = in_phase[ENGINE_PHASE_DEVICE] + in_phase[ENGINE_PHASE_BATCH] +
                            in_phase[ENGINE_PHASE_SETTLE],
                   ready = in_phase[ENGINE_PHASE_READY];
    const uint64_t behind =
        in_phase[ENGINE_PHASE_FINISH] + in_phase[ENGINE_PHASE_VERIFY_WAIT] + in_phase[ENGINE_PHASE_VERIFY];
    json_open(t, "buffers", '{');
    json_u64(t, "synth_in_flight", in_phase[ENGINE_PHASE_WITNESS]);
    json_u64(t, "provers_in_flight", ready + device);
    json_u64(t, "aux_in_flight", in_phase[ENGINE_PHASE_WITNESS] + ready + device);
    json_u64(t, "shells_in_flight", behind);
    json_u64(t, "pending_handles", behind);
    json_close(t, '}');
}

/* ---- ours ---- */

static void put_spans(struct text *t, const struct engine_span *spans, unsigned count, uint64_t base)
{
    json_open(t, "spans", '[');
    for (unsigned i = 0; i < count; i++) {
        json_open(t, NULL, '{');
        json_string(t, "name", spans[i].name);
        json_real(t, "at_ms", spans[i].start_ns > base ? (double)(spans[i].start_ns - base) / 1e6 : 0.0);
        if (spans[i].end_ns)
            json_real(t, "ms", (double)(spans[i].end_ns - spans[i].start_ns) / 1e6);
        json_close(t, '}');
    }
    json_close(t, ']');
}

static void put_job(struct text *t, const struct engine_snapshot *s, const struct engine_job_view *job)
{
    const uint64_t end = job->ended_ns ? job->ended_ns : s->now_ns;
    json_open(t, NULL, '{');
    json_string(t, "job_id", job->job_id);
    json_string(t, "request_id", job->request_id);
    json_string(t, "circuit", job->circuit);
    json_string(t, "proof_kind", engine_kind_name(job->kind));
    json_u64(t, "priority", job->priority);
    json_string(t, "state", engine_state_name(job->state));
    json_string(t, "error", job->message);
    if (job->status != CUZK_OK)
        json_string(t, "error_kind", status_name(job->status));
    json_u64(t, "accepted_unix_ms", job->accepted_unix_ms);
    if (job->deadline_unix_ms)
        json_u64(t, "deadline_unix_ms", job->deadline_unix_ms);
    if (job->accepted_ns)
        json_real(t, "total_ms", end > job->accepted_ns ? (double)(end - job->accepted_ns) / 1e6 : 0.0);
    json_u64(t, "payload_bytes", job->payload_bytes);
    json_u64(t, "total_partitions", job->partition_count);
    json_u64(t, "partitions_done", job->partitions_done);
    put_spans(t, job->spans, job->span_count, job->accepted_ns);
    json_open(t, "partitions", '[');
    for (unsigned k = 0; job->partitions && k < job->partition_count; k++) {
        const struct engine_partition_view *p = &job->partitions[k];
        json_open(t, NULL, '{');
        json_u64(t, "index", p->index);
        json_string(t, "phase", engine_phase_name(p->phase));
        put_spans(t, p->spans, p->span_count, job->accepted_ns);
        json_close(t, '}');
    }
    json_close(t, ']');
    json_close(t, '}');
}

static void put_devices(struct text *t, const struct engine_snapshot *s)
{
    json_open(t, "devices", '[');
    for (size_t i = 0; i < s->device_count; i++) {
        const struct engine_device_view *d = &s->devices[i];
        json_open(t, NULL, '{');
        json_string(t, "name", d->name);
        json_u64(t, "ordinal", d->number);
        json_bool(t, "is_cpu", d->is_cpu);
        json_u64(t, "memory_total_bytes", d->memory_total);
        json_u64(t, "memory_free_bytes", d->memory_free);
        json_u64(t, "memory_reserved_bytes", d->memory_reserved);
        json_u64(t, "in_batch", d->in_batch);
        json_bool(t, "quarantined", d->quarantined);
        json_string(t, "fault", d->fault);
        json_bool(t, "leak", d->leak);
        json_u64(t, "proofs", d->proofs);
        json_u64(t, "failures", d->failures);
        json_u64(t, "invalid", d->invalid);
        json_string(t, "job_id", d->job_id);
        json_close(t, '}');
    }
    json_close(t, ']');
}

static void put_parameters(struct text *t, const struct engine_snapshot *s)
{
    static const char *const tiers[] = {"hot", "warm", "cold"};
    json_open(t, "parameters", '[');
    for (size_t i = 0; i < s->srs_count; i++) {
        const struct engine_srs_view *p = &s->srs[i];
        json_open(t, NULL, '{');
        json_string(t, "circuit", p->circuit);
        json_string(t, "path", p->path);
        json_string(t, "tier", tiers[p->tier]);
        json_u64(t, "bytes", p->bytes);
        json_u64(t, "refs", p->refs);
        json_bool(t, "held", p->held);
        json_u64(t, "load_ms", p->load_ms);
        json_close(t, '}');
    }
    json_close(t, ']');
}

static void put_queues(struct text *t, const struct engine_snapshot *s)
{
    json_open(t, "queues", '[');
    for (unsigned i = 0; i < ENGINE_KINDS - 1; i++) {
        json_open(t, NULL, '{');
        json_string(t, "proof_kind", engine_kind_name(s->queues[i].kind));
        json_u64(t, "pending", s->queues[i].pending);
        json_u64(t, "in_progress", s->queues[i].in_progress);
        json_close(t, '}');
    }
    json_close(t, ']');
    json_open(t, "lanes", '[');
    for (unsigned i = 0; i < ENGINE_LANES; i++) {
        json_open(t, NULL, '{');
        json_string(t, "lane", engine_lane_name((enum engine_lane)i));
        json_u64(t, "waiting", s->lane_waiting[i]);
        json_close(t, '}');
    }
    json_close(t, ']');
}

cuzk_status status_json(struct text *out, struct engine *engine, struct cuzk_error *e)
{
    static const struct engine_snapshot_limits limits = {.jobs = JOBS_SHOWN, .intervals = 1};
    struct engine_snapshot *s;
    const cuzk_status status = engine_snapshot(engine, &limits, &s, e);
    if (status != CUZK_OK)
        return status;
    json_open(out, NULL, '{');
    json_real(out, "uptime_secs", (double)s->uptime_ms / 1e3);
    put_memory(out, &s->memory);
    put_synthesis(out, s);
    put_pipelines(out, s);
    put_workers(out, s);
    put_allocations(out, s);
    put_counters(out, s);
    put_buffers(out, s);
    json_string(out, "version", CUZK_VERSION);
    json_u64(out, "now_unix_ms", s->now_unix_ms);
    json_bool(out, "ready", s->ready);
    json_string(out, "not_ready", s->not_ready);
    json_bool(out, "draining", s->draining);
    json_u64(out, "running", s->running);
    json_u64(out, "journal_bytes", s->journal_bytes);
    put_queues(out, s);
    put_devices(out, s);
    put_parameters(out, s);
    json_open(out, "jobs", '[');
    for (size_t i = 0; i < s->job_count; i++)
        put_job(out, s, &s->jobs[i]);
    json_close(out, ']');
    json_close(out, '}');
    engine_snapshot_free(s);
    return out->failed ? error_memory(e, out->size, "the status") : CUZK_OK;
}

/* ---- timeline ---- */

static void put_rows(struct text *t, const struct engine_snapshot *s)
{
    json_open(t, "rows", '[');
    for (size_t i = 0; i < s->worker_count; i++) {
        const struct engine_worker_view *w = &s->workers[i];
        json_open(t, NULL, '{');
        json_string(t, "lane", engine_lane_name(w->lane));
        json_u64(t, "worker", w->worker);
        if (w->device >= 0 && (size_t)w->device < s->device_count)
            json_string(t, "device", s->devices[w->device].name);
        json_bool(t, "urgent", w->urgent);
        json_bool(t, "busy", w->busy);
        if (w->busy) {
            json_string(t, "job_id", w->job_id);
            json_u64(t, "partition", w->partition < 0 ? 0 : (uint64_t)w->partition);
            json_u64(t, "since_ns", w->since_ns);
        }
        json_close(t, '}');
    }
    json_close(t, ']');
}

cuzk_status status_timeline(struct text *out, struct engine *engine, uint64_t from_ns, struct cuzk_error *e)
{
    const struct engine_snapshot_limits limits = {
        .jobs = 1, .intervals = INTERVALS_SHOWN, .intervals_from_ns = from_ns, .no_partitions = true};
    struct engine_snapshot *s;
    const cuzk_status status = engine_snapshot(engine, &limits, &s, e);
    if (status != CUZK_OK)
        return status;
    json_open(out, NULL, '{');
    json_u64(out, "now_ns", s->now_ns);
    put_rows(out, s);
    json_open(out, "bars", '[');
    for (size_t i = 0; i < s->interval_count; i++) {
        const struct engine_interval *b = &s->intervals[i];
        json_open(out, NULL, '{');
        json_u64(out, "row", b->row);
        json_string(out, "job_id", b->job_id);
        json_string(out, "proof_kind", engine_kind_name(b->kind));
        if (b->partition >= 0)
            json_u64(out, "partition", (uint64_t)b->partition);
        if (b->together)
            json_u64(out, "together", b->together);
        json_bool(out, "failed", b->failed);
        json_u64(out, "start_ns", b->start_ns);
        json_u64(out, "end_ns", b->end_ns);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
    engine_snapshot_free(s);
    return out->failed ? error_memory(e, out->size, "the timeline") : CUZK_OK;
}
