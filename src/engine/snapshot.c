/* engine/snapshot.c - a picture of the engine at one moment, in one allocation.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>

#include "engine/internal.h"

#define JOBS_DEFAULT      100
#define INTERVALS_DEFAULT 1024

/* Pieces are laid out twice by the same code: first to know how much room they take, then to fill it. */
struct layout {
    uint8_t *base; /* NULL: only measure */
    size_t used;
};

static void *room(struct layout *l, size_t count, size_t size)
{
    l->used = (l->used + 15) / 16 * 16;
    void *p = l->base ? l->base + l->used : NULL;
    l->used += count * size;
    return p;
}

static const char *text(struct layout *l, const char *t)
{
    if (!t)
        return "";
    const size_t n = strlen(t) + 1;
    char *p = room(l, n, 1);
    return p ? memcpy(p, t, n) : "";
}

static const struct engine_span *copy_spans(struct layout *l, const struct engine_span *spans, unsigned count)
{
    struct engine_span *p = room(l, count, sizeof *p);
    if (p)
        memcpy(p, spans, count * sizeof *p);
    return p;
}

static void take_partition(struct layout *l, const struct partition *p, struct engine_partition_view *out)
{
    const struct engine_span *spans = copy_spans(l, p->spans, p->span_count);
    if (!out)
        return;
    *out = (struct engine_partition_view){
        .index = p->index,
        .phase = p->phase,
        .since_ns = p->since,
        .synth_ms = partition_ms(p, ENGINE_PHASE_PARSE) + partition_ms(p, ENGINE_PHASE_MEMORY) +
                    partition_ms(p, ENGINE_PHASE_SRS) + account_witness_ms(p),
        .gpu_ms = account_device_ms(p),
        .device = p->device,
        .attempts = p->attempts,
        .spans = spans,
        .span_count = p->span_count};
}

static void take_job(struct layout *l, const struct job *j, bool partitions, struct engine_job_view *out)
{
    const char *request_id = text(l, j->request_id), *circuit = text(l, j->circuit),
               *message = text(l, j->message);
    const bool with = partitions && j->partitions;
    const struct engine_span *spans = copy_spans(l, j->spans, partitions ? j->span_count : 0);
    struct engine_partition_view *views = room(l, with ? j->partition_count : 0, sizeof *views);
    for (unsigned i = 0; with && i < j->partition_count; i++)
        take_partition(l, &j->partitions[i], views ? &views[i] : NULL);
    if (!out)
        return;
    *out = (struct engine_job_view){.request_id = request_id,
                                    .circuit = circuit,
                                    .kind = j->kind,
                                    .priority = j->priority,
                                    .state = j->stage == JOB_ENDING ? ENGINE_STATE_RUNNING : j->state,
                                    .status = j->status,
                                    .message = message,
                                    .deadline_unix_ms = j->deadline_unix_ms,
                                    .accepted_unix_ms = j->accepted_unix_ms,
                                    .accepted_ns = j->accepted_ns,
                                    .started_ns = j->started_ns,
                                    .ended_ns = j->stage == JOB_ENDED ? j->ended_ns : 0,
                                    .payload_bytes = j->payload_size,
                                    .partition_count = j->partition_count,
                                    .partitions_done = j->done,
                                    .partitions = with ? views : NULL,
                                    .spans = spans,
                                    .span_count = partitions ? j->span_count : 0};
    memcpy(out->job_id, j->id, sizeof out->job_id);
}

/* The active jobs in the order of work, at most count of them; the rest is not sorted. */
static size_t sort_active(const struct engine *g, const struct job **out, size_t count)
{
    size_t n = 0;
    for (const struct job *j = g->active; j; j = j->next) {
        size_t at = n;
        while (at > 0 && job_before(j, out[at - 1], NULL))
            at--;
        if (at >= count)
            continue;
        const size_t last = n < count ? n : count - 1;
        memmove(out + at + 1, out + at, (last - at) * sizeof *out);
        out[at] = j;
        n = last + 1;
    }
    return n;
}

static void take_jobs(struct layout *l, const struct engine *g, const struct engine_snapshot_limits *limits,
                      const struct job **sorted, size_t active, struct engine_snapshot *out)
{
    size_t count = active;
    for (const struct job *j = g->ended; j && count < limits->jobs; j = j->next)
        count++;
    struct engine_job_view *views = room(l, count, sizeof *views);
    for (size_t i = 0; i < active; i++)
        take_job(l, sorted[i], !limits->no_partitions, views ? &views[i] : NULL);
    size_t i = active;
    for (const struct job *j = g->ended; j && i < count; j = j->next, i++)
        take_job(l, j, !limits->no_partitions, views ? &views[i] : NULL);
    if (out) {
        out->jobs = views;
        out->job_count = count;
    }
}

static void take_workers(struct layout *l, const struct engine *g, struct engine_snapshot *out)
{
    struct engine_worker_view *views = room(l, g->worker_count, sizeof *views);
    if (!out)
        return;
    for (size_t i = 0; i < g->worker_count; i++) {
        const struct worker *w = &g->workers[i];
        views[i] =
            (struct engine_worker_view){.lane = w->lane,
                                        .worker = w->index,
                                        .device = w->device,
                                        .urgent = w->urgent,
                                        .busy = w->busy,
                                        .partition = w->partition,
                                        .since_ns = w->since,
                                        .busy_ns = w->busy_ns + (w->busy ? timing_now() - w->since : 0)};
        memcpy(views[i].job_id, w->job_id, sizeof w->job_id);
    }
    out->workers = views;
    out->worker_count = g->worker_count;
}

static void take_intervals(struct layout *l, const struct engine *g,
                           const struct engine_snapshot_limits *limits, struct engine_snapshot *out)
{
    uint64_t first = g->intervals_seen > INTERVALS ? g->intervals_seen - INTERVALS : 0;
    if (g->intervals_seen - first > limits->intervals)
        first = g->intervals_seen - limits->intervals;
    while (first < g->intervals_seen && g->intervals[first % INTERVALS].end_ns <= limits->intervals_from_ns)
        first++;
    const size_t count = (size_t)(g->intervals_seen - first);
    struct engine_interval *views = room(l, count, sizeof *views);
    if (!out)
        return;
    for (size_t i = 0; i < count; i++)
        views[i] = g->intervals[(first + i) % INTERVALS];
    out->intervals = views;
    out->interval_count = count;
}

static void take_srs(struct layout *l, const struct engine *g, struct engine_snapshot *out)
{
    struct engine_srs_view *views = room(l, g->srs_count, sizeof *views);
    for (size_t i = 0; i < g->srs_count; i++) {
        const struct srs *s = &g->srs[i];
        const char *circuit = text(l, s->circuit), *path = text(l, s->path);
        bool hot = false;
        for (unsigned d = 0; d < g->slots; d++)
            hot |= s->hot[d];
        if (views)
            views[i] = (struct engine_srs_view){.circuit = circuit,
                                                .path = path,
                                                .tier = !s->params ? ENGINE_COLD
                                                        : hot      ? ENGINE_HOT
                                                                   : ENGINE_WARM,
                                                .bytes = s->bytes,
                                                .refs = s->refs,
                                                .held = s->held,
                                                .last_used_ns = s->last_used,
                                                .load_ms = s->load_ms};
    }
    if (out) {
        out->srs = views;
        out->srs_count = g->srs_count;
    }
}

/* The partition on a device now: the one that is proved or settled, else one that waits there. */
static const struct partition *on_device(const struct engine *g, int device)
{
    const struct partition *waits = NULL;
    for (const struct job *j = g->active; j; j = j->next)
        for (unsigned i = 0; i < j->partition_count; i++) {
            const struct partition *p = &j->partitions[i];
            if (p->device != device)
                continue;
            if (p->phase == ENGINE_PHASE_DEVICE || p->phase == ENGINE_PHASE_SETTLE)
                return p;
            if (p->phase == ENGINE_PHASE_BATCH)
                waits = p;
        }
    return waits;
}

static void take_devices(struct layout *l, const struct engine *g, struct engine_snapshot *out)
{
    struct engine_device_view *views = room(l, g->slots, sizeof *views);
    unsigned next = 0;
    for (unsigned d = 0; d < g->slots; d++) { /* the CPU is the last */
        const struct device_slot *s = &g->slot[d];
        const char *name = text(l, s->device->name), *fault = text(l, s->fault);
        if (!views)
            continue;
        const struct partition *p = on_device(g, (int)d);
        uint64_t total = s->total, left = s->free;
        if (s->device->memory)
            s->device->memory(s->device->self, &total, &left);
        next = !s->is_cpu && s->device->number >= next ? s->device->number + 1 : next;
        views[d] = (struct engine_device_view){.name = name,
                                               .number = s->is_cpu ? next : s->device->number,
                                               .is_cpu = s->is_cpu,
                                               .memory_total = total,
                                               .memory_free = left,
                                               .memory_reserved = s->reserved,
                                               .kinds = s->kinds,
                                               .quarantined = s->quarantined,
                                               .quarantine_until_ns = s->quarantined ? s->until : 0,
                                               .fault = fault,
                                               .proofs = s->proofs,
                                               .failures = s->failures,
                                               .invalid = s->invalid,
                                               .leak = s->leak,
                                               .in_batch = batches_members(s),
                                               .kind = p ? p->job->kind : ENGINE_KIND_NONE,
                                               .partition = p ? (int)p->index : -1};
        if (p)
            memcpy(views[d].job_id, p->job->id, sizeof views[d].job_id);
    }
    if (out) {
        out->devices = views;
        out->device_count = g->slots;
    }
}

static void take_system_memory(struct engine_memory_view *m)
{
    char line[256];
    unsigned long long kib, pages;
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "MemTotal: %llu", &kib) == 1)
            m->total = kib << 10;
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
            m->available = kib << 10;
    }
    if (f)
        fclose(f);
    f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%*u %llu", &pages) == 1)
        m->rss = pages * 4096;
    if (f)
        fclose(f);
}

static void take_memory(const struct engine *g, struct engine_memory_view *m)
{
    m->limit = budget_limit(g->budget);
    m->reserved = budget_used(g->budget);
    m->peak = budget_peak(g->budget);
    m->in_use = m->reserved;
    for (const struct job *j = g->active; j; j = j->next) {
        m->in_use -= j->request_memory.bytes;
        m->in_use += j->request_memory.own ? budget_used(j->request_memory.own) : 0;
        for (unsigned i = 0; i < j->partition_count; i++) {
            const struct reservation *r = &j->partitions[i].memory;
            m->in_use -= r->bytes;
            m->in_use += r->own ? budget_used(r->own) : 0;
        }
    }
    m->baseline = g->baseline;
    m->leak = g->leak;
    m->payload_bytes = g->queued_bytes;
    m->waiting = g->memory_waiting;
}

static enum engine_lane lane_of(enum engine_phase phase, bool *waits)
{
    *waits = true;
    switch (phase) {
    case ENGINE_PHASE_QUEUED:
        return ENGINE_LANE_WITNESS;
    case ENGINE_PHASE_READY:
        return ENGINE_LANE_DEVICE;
    case ENGINE_PHASE_VERIFY_WAIT:
        return ENGINE_LANE_VERIFY;
    default:
        *waits = false;
        return ENGINE_LANE_PARSE;
    }
}

static void take_queues(const struct engine *g, struct engine_snapshot *out)
{
    for (unsigned k = 1; k < ENGINE_KINDS; k++)
        out->queues[k - 1].kind = (enum engine_kind)k;
    for (const struct job *j = g->active; j; j = j->next) {
        struct engine_queue_view *q = &out->queues[j->kind - 1];
        const bool running = j->started_ns != 0;
        q->pending += !running;
        q->in_progress += running;
        out->queue_depth += !running;
        out->running += running;
        if (j->stage == JOB_WAITS)
            out->lane_waiting[ENGINE_LANE_PARSE]++;
        for (unsigned i = 0; j->stage == JOB_PARSED && i < j->partition_count; i++) {
            bool waits;
            const enum engine_lane lane = lane_of(j->partitions[i].phase, &waits);
            out->lane_waiting[lane] += waits;
        }
    }
}

static void lay_out(struct layout *l, struct engine *g, const struct engine_snapshot_limits *limits,
                    const struct job **sorted, size_t active, struct engine_snapshot **out)
{
    struct engine_snapshot *s = room(l, 1, sizeof *s);
    take_jobs(l, g, limits, sorted, active, s);
    take_workers(l, g, s);
    take_intervals(l, g, limits, s);
    take_srs(l, g, s);
    take_devices(l, g, s);
    *out = s;
}

void engine_counters(struct engine *engine, struct engine_counters *out)
{
    engine_lock(engine);
    *out = engine->counters;
    engine_unlock(engine);
    out->events_dropped = events_dropped(engine->events);
}

cuzk_status engine_snapshot(struct engine *engine, const struct engine_snapshot_limits *limits,
                            struct engine_snapshot **out, struct cuzk_error *e)
{
    struct engine *g = engine;
    struct engine_snapshot_limits most = limits ? *limits : (struct engine_snapshot_limits){0};
    struct engine_snapshot *s = NULL;
    struct layout l = {0};
    char why[CUZK_ERROR_MESSAGE_MAX];
    struct engine_memory_view memory = {0};
    if (!most.jobs)
        most.jobs = JOBS_DEFAULT;
    if (!most.intervals)
        most.intervals = INTERVALS_DEFAULT;
    const struct job **sorted = mem_alloc(most.jobs, sizeof *sorted);
    if (!sorted)
        return error_memory(e, most.jobs * sizeof *sorted, "a snapshot");
    const bool ready = engine_ready(g, why);
    const uint64_t bytes = g->journal ? journal_bytes(g->journal) : 0;
    take_system_memory(&memory);
    engine_lock(g);
    const size_t active = sort_active(g, sorted, most.jobs);
    lay_out(&l, g, &most, sorted, active, &s);
    (void)text(&l, why);
    l.base = mem_alloc(l.used, 1);
    const size_t size = l.used;
    if (l.base) {
        l.used = 0;
        lay_out(&l, g, &most, sorted, active, &s);
        s->not_ready = text(&l, why);
        s->ready = ready;
        s->draining = g->draining;
        s->now_ns = timing_now();
        s->now_unix_ms = unix_ms();
        s->uptime_ms = (s->now_ns - g->started_ns) / 1000000;
        s->memory = memory;
        take_memory(g, &s->memory);
        s->counters = g->counters;
        s->counters.events_dropped = events_dropped(g->events);
        s->journal_bytes = bytes;
        take_queues(g, s);
    }
    engine_unlock(g);
    mem_free(sorted);
    if (!s)
        return error_memory(e, size, "a snapshot");
    *out = s;
    return CUZK_OK;
}

void engine_snapshot_free(struct engine_snapshot *snapshot)
{
    mem_free(snapshot);
}
