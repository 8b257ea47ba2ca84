/* daemon/metrics.c - the engine's figures in Prometheus' text format
 * (https://prometheus.io/docs/instrumenting/exposition_formats/).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "daemon/metrics.h"

#include <inttypes.h>

#include "base/error.h"

static void head(struct text *out, const char *name, const char *type, const char *help)
{
    text_printf(out, "# HELP cuzk_%s %s\n# TYPE cuzk_%s %s\n", name, help, name, type);
}

static void single(struct text *out, const char *name, const char *type, uint64_t value, const char *help)
{
    head(out, name, type, help);
    text_printf(out, "cuzk_%s %" PRIu64 "\n", name, value);
}

static void by_kind(struct text *out, const char *name, const uint64_t value[ENGINE_KINDS], const char *help)
{
    head(out, name, "counter", help);
    for (unsigned k = 1; k < ENGINE_KINDS; k++)
        text_printf(out, "cuzk_%s{proof_kind=\"%s\"} %" PRIu64 "\n", name,
                    engine_kind_label((enum engine_kind)k), value[k]);
}

static uint64_t sum(const uint64_t value[ENGINE_KINDS])
{
    uint64_t total = 0;
    for (unsigned k = 1; k < ENGINE_KINDS; k++)
        total += value[k];
    return total;
}

static void durations(struct text *out, const struct engine_counters *c)
{
    static const char name[] = "proof_duration_seconds";
    head(out, name, "histogram", "From acceptance to the end, of completed proofs");
    for (unsigned k = 1; k < ENGINE_KINDS; k++) {
        const char *kind = engine_kind_label((enum engine_kind)k);
        uint64_t below = 0;
        for (unsigned b = 0; b < ENGINE_BUCKETS - 1; b++) {
            below += c->duration_buckets[k][b];
            text_printf(out, "cuzk_%s_bucket{proof_kind=\"%s\",le=\"%g\"} %" PRIu64 "\n", name, kind,
                        engine_bucket_bounds[b], below);
        }
        text_printf(out, "cuzk_%s_bucket{proof_kind=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name, kind,
                    c->duration_count[k]);
        text_printf(out, "cuzk_%s_sum{proof_kind=\"%s\"} %.6f\n", name, kind, c->duration_sum[k]);
        text_printf(out, "cuzk_%s_count{proof_kind=\"%s\"} %" PRIu64 "\n", name, kind, c->duration_count[k]);
    }
}

/* A label's value, with the escapes of the format. */
static void label(struct text *out, const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            text_printf(out, "\\%c", *text);
        else
            text_add(out, text, 1);
}

static void devices(struct text *out, const struct engine_snapshot *s)
{
    static const struct {
        const char *name, *type, *help;
    } rows[] = {{"device_memory_bytes", "gauge", "Memory of a device"},
                {"device_memory_free_bytes", "gauge", "Of it, not in use"},
                {"device_memory_reserved_bytes", "gauge", "Of it, promised to partitions on the device"},
                {"device_in_batch", "gauge", "Partitions on a device that wait to be settled"},
                {"device_quarantined", "gauge", "1: the device is left alone after a fault"},
                {"device_proofs_total", "counter", "Partitions proved on a device"},
                {"device_failures_total", "counter", "Partitions that failed on a device"},
                {"device_invalid_proofs_total", "counter", "Proofs of a device that did not verify"}};
    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        head(out, rows[r].name, rows[r].type, rows[r].help);
        for (size_t i = 0; i < s->device_count; i++) {
            const struct engine_device_view *d = &s->devices[i];
            const uint64_t values[] = {d->memory_total, d->memory_free, d->memory_reserved, d->in_batch,
                                       d->quarantined,  d->proofs,      d->failures,        d->invalid};
            _Static_assert(ARRAY_LEN(values) == ARRAY_LEN(rows), "a value a row");
            text_printf(out, "cuzk_%s{device=\"%zu\",name=\"", rows[r].name, i);
            label(out, d->name);
            text_printf(out, "\"} %" PRIu64 "\n", values[r]);
        }
    }
}

static void queues(struct text *out, const struct engine_snapshot *s)
{
    head(out, "queue_pending", "gauge", "Jobs that nothing was done for yet");
    for (unsigned i = 0; i < ENGINE_KINDS - 1; i++)
        text_printf(out, "cuzk_queue_pending{proof_kind=\"%s\"} %u\n", engine_kind_label(s->queues[i].kind),
                    s->queues[i].pending);
    head(out, "queue_in_progress", "gauge", "Jobs in work");
    for (unsigned i = 0; i < ENGINE_KINDS - 1; i++)
        text_printf(out, "cuzk_queue_in_progress{proof_kind=\"%s\"} %u\n",
                    engine_kind_label(s->queues[i].kind), s->queues[i].in_progress);
    head(out, "lane_waiting", "gauge", "Partitions that wait for a lane");
    for (unsigned i = 0; i < ENGINE_LANES; i++)
        text_printf(out, "cuzk_lane_waiting{lane=\"%s\"} %u\n", engine_lane_name((enum engine_lane)i),
                    s->lane_waiting[i]);
}

/* Seconds that workers were busy, by lane: what rate() makes of it is the load. */
static void lanes(struct text *out, const struct engine_snapshot *s)
{
    head(out, "worker_busy_seconds_total", "counter", "Time that a worker of a lane was busy");
    for (size_t i = 0; i < s->worker_count; i++) {
        const struct engine_worker_view *w = &s->workers[i];
        text_printf(out, "cuzk_worker_busy_seconds_total{lane=\"%s\",worker=\"%u\",device=\"%d\"} %.6f\n",
                    engine_lane_name(w->lane), w->worker, w->device, (double)w->busy_ns / 1e9);
    }
}

static void memory(struct text *out, const struct engine_memory_view *m)
{
    single(out, "memory_budget_bytes", "gauge", m->limit, "The budget");
    single(out, "memory_reserved_bytes", "gauge", m->reserved, "Of the budget, reserved");
    single(out, "memory_in_use_bytes", "gauge", m->in_use, "Of what is reserved, allocated");
    single(out, "memory_peak_bytes", "gauge", m->peak, "The most that was reserved at once");
    single(out, "memory_resident_bytes", "gauge", m->rss, "Resident memory of the process");
    single(out, "memory_leak", "gauge", m->leak, "1: idle, with more memory than when idle before");
    single(out, "memory_waiting", "gauge", m->waiting, "Partitions that wait for memory");
    single(out, "payload_bytes", "gauge", m->payload_bytes, "Vanilla proofs of accepted jobs");
}

static void parameters(struct text *out, const struct engine_snapshot *s)
{
    static const char *const tiers[] = {"hot", "warm", "cold"};
    head(out, "parameters_bytes", "gauge",
         "Size of parameters: on a device, mapped, or a file that was found");
    for (size_t i = 0; i < s->srs_count; i++)
        text_printf(out, "cuzk_parameters_bytes{circuit=\"%s\",tier=\"%s\"} %" PRIu64 "\n", s->srs[i].circuit,
                    tiers[s->srs[i].tier], s->srs[i].bytes);
}

static unsigned device_workers(const struct engine_snapshot *s)
{
    unsigned count = 0;
    for (size_t i = 0; i < s->worker_count; i++)
        count += s->workers[i].lane == ENGINE_LANE_DEVICE;
    return count;
}

cuzk_status metrics_text(struct text *out, struct engine *engine, struct cuzk_error *e)
{
    static const struct engine_snapshot_limits limits = {.jobs = 1, .intervals = 1, .no_partitions = true};
    struct engine_snapshot *s;
    const cuzk_status status = engine_snapshot(engine, &limits, &s, e);
    if (status != CUZK_OK)
        return status;
    const struct engine_counters *c = &s->counters;
    single(out, "proofs_completed_total", "counter", sum(c->completed), "Proofs completed");
    single(out, "proofs_failed_total", "counter", sum(c->failed), "Proofs failed");
    single(out, "proofs_cancelled_total", "counter", sum(c->cancelled), "Proofs cancelled");
    single(out, "uptime_seconds", "gauge", s->uptime_ms / 1000, "Since the start");
    single(out, "queue_depth", "gauge", s->queue_depth, "Jobs that wait");
    single(out, "running_jobs", "gauge", s->running, "Jobs in work");
    single(out, "gpu_workers", "gauge", device_workers(s), "Workers of all devices");
    single(out, "ready", "gauge", s->ready, "1: fit for work");
    by_kind(out, "proofs_completed", c->completed, "Proofs completed");
    by_kind(out, "proofs_failed", c->failed, "Proofs failed");
    by_kind(out, "proofs_cancelled", c->cancelled, "Proofs cancelled");
    durations(out, c);
    queues(out, s);
    lanes(out, s);
    single(out, "jobs_accepted_total", "counter", c->accepted, "Jobs accepted");
    single(out, "jobs_joined_total", "counter", c->joined, "Submissions of a known job");
    single(out, "jobs_refused_total", "counter", c->refused, "Submissions refused");
    single(out, "jobs_recovered_total", "counter", c->recovered, "Jobs taken up from the journal");
    single(out, "partitions_total", "counter", c->partitions, "Partitions proved");
    single(out, "retries_total", "counter", c->retries, "Partitions tried again");
    single(out, "cpu_fallbacks_total", "counter", c->cpu_fallbacks, "Partitions that fell back to the CPU");
    single(out, "invalid_proofs_total", "counter", c->invalid_proofs, "Proofs that did not verify");
    single(out, "device_faults_total", "counter", c->device_failures, "Faults of devices");
    single(out, "quarantines_total", "counter", c->quarantines, "Devices put into quarantine");
    single(out, "journal_failures_total", "counter", c->journal_failures, "Failed writes of the journal");
    single(out, "events_dropped_total", "counter", c->events_dropped, "Events left out");
    single(out, "journal_bytes", "gauge", s->journal_bytes, "Size of the journal");
    memory(out, &s->memory);
    parameters(out, s);
    devices(out, s);
    engine_snapshot_free(s);
    return out->failed ? error_memory(e, out->size, "the metrics") : CUZK_OK;
}
