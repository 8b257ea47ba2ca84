/* engine/trace.c - accounts in Chrome's trace event format (the JSON object form; times in microseconds).
 *
 * A job: process 1 is the job, thread 0 its own spans, thread k + 1 partition k with its phases and, within
 * them, the prover's steps. A window: process 1 is the engine, a thread a worker.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engine/internal.h"

struct trace {
    struct text t;
    bool more; /* an event stands before */
};

/* A name as a JSON string. */
static void quoted(struct text *t, const char *s)
{
    text_add(t, "\"", 1);
    for (; *s; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            text_printf(t, "\\%c", c);
        else if (c < 0x20)
            text_printf(t, "\\u%04x", c);
        else
            text_add(t, s, 1);
    }
    text_add(t, "\"", 1);
}

static void begin_event(struct trace *r, const char *phase, unsigned thread, const char *name)
{
    text_printf(&r->t, "%s\n{\"ph\":\"%s\",\"pid\":1,\"tid\":%u,\"name\":", r->more ? "," : "", phase,
                thread);
    quoted(&r->t, name);
    r->more = true;
}

static void name_thread(struct trace *r, unsigned thread, const char *name)
{
    begin_event(r, "M", thread, "thread_name");
    text_printf(&r->t, ",\"args\":{\"name\":");
    quoted(&r->t, name);
    text_printf(&r->t, "}}");
}

static void name_process(struct trace *r, const char *name)
{
    begin_event(r, "M", 0, "process_name");
    text_printf(&r->t, ",\"args\":{\"name\":");
    quoted(&r->t, name);
    text_printf(&r->t, "}}");
}

static void complete(struct trace *r, unsigned thread, const char *category, const char *name, uint64_t start,
                     uint64_t end)
{
    begin_event(r, "X", thread, name);
    text_printf(&r->t, ",\"cat\":\"%s\",\"ts\":%.3f,\"dur\":%.3f", category, (double)start / 1e3,
                end > start ? (double)(end - start) / 1e3 : 0.0);
}

static void trace_partition(struct trace *r, const struct partition *p, uint64_t now)
{
    char name[32];
    const unsigned thread = p->index + 1;
    snprintf(name, sizeof name, "partition %u", p->index);
    name_thread(r, thread, name);
    for (unsigned i = 0; i < p->span_count; i++) {
        const struct engine_span *s = &p->spans[i];
        complete(r, thread, "phase", s->name, s->start_ns, s->end_ns ? s->end_ns : now);
        text_printf(&r->t, ",\"args\":{\"device\":%d}}", p->device);
    }
    for (unsigned i = 0; i < p->step_count; i++) {
        const struct engine_span *s = &p->steps[i];
        complete(r, thread, "step", s->name, s->start_ns, s->end_ns ? s->end_ns : now);
        text_add(&r->t, "}", 1);
    }
}

static void trace_job(struct trace *r, const struct job *j)
{
    const uint64_t now = timing_now();
    name_process(r, j->request_id[0] ? j->request_id : j->id);
    name_thread(r, 0, "job");
    for (unsigned i = 0; i < j->span_count; i++) {
        complete(r, 0, "job", j->spans[i].name, j->spans[i].start_ns, j->spans[i].end_ns);
        text_add(&r->t, "}", 1);
    }
    for (unsigned i = 0; j->partitions && i < j->partition_count; i++)
        trace_partition(r, &j->partitions[i], now);
}

static void trace_window(struct trace *r, const struct engine *g, uint64_t from, uint64_t to)
{
    const uint64_t first = g->intervals_seen > INTERVALS ? g->intervals_seen - INTERVALS : 0;
    name_process(r, "engine");
    for (size_t i = 0; i < g->worker_count; i++) {
        const struct worker *w = &g->workers[i];
        char name[96];
        if (w->device >= 0)
            snprintf(name, sizeof name, "%s %u", g->slot[w->device].device->name, w->index);
        else
            snprintf(name, sizeof name, "%s %u%s", engine_lane_name(w->lane), w->index,
                     w->urgent ? " urgent" : "");
        name_thread(r, (unsigned)i, name);
    }
    for (uint64_t i = first; i < g->intervals_seen; i++) {
        const struct engine_interval *v = &g->intervals[i % INTERVALS];
        char name[96];
        if (v->end_ns <= from || v->start_ns >= to)
            continue;
        if (v->together)
            snprintf(name, sizeof name, "%s, %u settled", engine_kind_name(v->kind), v->together);
        else
            snprintf(name, sizeof name, "%s %d", engine_kind_name(v->kind), v->partition);
        complete(r, v->row, engine_lane_name(g->workers[v->row].lane), name, v->start_ns, v->end_ns);
        text_printf(&r->t, ",\"args\":{\"job\":\"%s\",\"failed\":%s}}", v->job_id,
                    v->failed ? "true" : "false");
    }
}

cuzk_status engine_trace(struct engine *engine, const char *job_id, uint64_t from_ns, uint64_t to_ns,
                         bool (*write)(void *user, const char *text, size_t size), void *user,
                         struct cuzk_error *e)
{
    struct trace r = {.more = false};
    cuzk_status status = CUZK_OK;
    text_printf(&r.t, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"version\":\"" CUZK_VERSION "\"},"
                      "\"traceEvents\":[");
    engine_lock(engine);
    const struct job *j = job_id ? job_find(engine, job_id) : NULL;
    if (job_id && (!j || !j->partitions))
        status = error_set(e, CUZK_ERR_NOT_FOUND, "there is no account of the job %.40s", job_id);
    else if (j)
        trace_job(&r, j);
    else
        trace_window(&r, engine, from_ns, to_ns ? to_ns : timing_now());
    engine_unlock(engine);
    text_printf(&r.t, "\n]}\n");
    if (status == CUZK_OK && r.t.failed)
        status = error_memory(e, r.t.capacity, "a trace");
    if (status == CUZK_OK && !write(user, r.t.data, r.t.size))
        status = error_set(e, CUZK_ERR_IO, "the trace could not be written");
    text_free(&r.t);
    return status;
}
