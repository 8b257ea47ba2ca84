/* engine/submit.c - jobs come in: checked, known again, put into the journal.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "engine/internal.h"
#include "engine/probes.h"
#include "hash/sha256.h"

/* One submission on its way. */
struct entry {
    const struct engine_submission *s;
    struct fields fields;
    uint8_t *encoded;
    size_t encoded_size;
    struct file_map map;  /* of the spooled file */
    const uint8_t *first; /* of the payload: its first piece at least */
    size_t first_size;
    uint64_t payload_size, start;
    struct work_plan plan;
    uint8_t digest[32];
};

static cuzk_status check_limits(struct engine *g, const struct entry *t, struct cuzk_error *e)
{
    engine_lock(g);
    const uint64_t most = g->limits.max_payload;
    engine_unlock(g);
    if (t->payload_size > most)
        return error_set(e, CUZK_ERR_EXHAUSTED, "a payload of %llu bytes, the limit is %llu",
                         (unsigned long long)t->payload_size, (unsigned long long)most);
    if (strlen(t->s->request_id) > REQUEST_ID_MAX)
        return error_set(e, CUZK_ERR_ARGUMENT, "a request id of %zu bytes, at most %d are taken",
                         strlen(t->s->request_id), REQUEST_ID_MAX);
    return CUZK_OK;
}

static cuzk_status map_spooled(struct entry *t, struct cuzk_error *e)
{
    const cuzk_status status = file_map(&t->map, t->s->spooled, 0, e);
    if (status != CUZK_OK)
        return status;
    if (t->map.size != t->payload_size)
        return error_set(e, CUZK_ERR_ARGUMENT, "%s has %zu bytes where the pieces have %llu", t->s->spooled,
                         t->map.size, (unsigned long long)t->payload_size);
    t->first = t->map.data;
    t->first_size = t->map.size;
    return CUZK_OK;
}

static void take_digest(struct entry *t)
{
    struct sha256 h;
    sha256_init(&h);
    sha256_update(&h, t->encoded, t->encoded_size);
    if (t->s->spooled)
        sha256_update(&h, t->map.data, t->map.size);
    else
        for (size_t i = 0; i < t->s->piece_count; i++)
            sha256_update(&h, t->s->pieces[i].data, (size_t)t->s->pieces[i].size);
    sha256_final(&h, t->digest);
}

static cuzk_status look_at(struct engine *g, struct entry *t, struct cuzk_error *e)
{
    cuzk_status status = fields_take(&t->fields, t->s, e);
    if (status != CUZK_OK)
        return status;
    t->payload_size = fields_payload_size(&t->fields);
    status = check_limits(g, t, e);
    if (status == CUZK_OK && t->s->spooled) {
        status = map_spooled(t, e);
    } else {
        t->first = t->s->pieces[0].data;
        t->first_size = (size_t)t->s->pieces[0].size;
    }
    if (status == CUZK_OK)
        status = g->work_table->plan(g->work_table->self, &t->fields, t->first, t->first_size, &t->plan, e);
    if (status == CUZK_OK)
        status = fields_encode(&t->fields, &t->encoded, &t->encoded_size, e);
    if (status == CUZK_OK)
        take_digest(t);
    return status;
}

static enum engine_priority priority_of(const struct engine_submission *s)
{
    if (s->priority >= ENGINE_LOW && s->priority <= ENGINE_CRITICAL)
        return s->priority;
    return s->kind == ENGINE_WINNING_POST  ? ENGINE_CRITICAL
           : s->kind == ENGINE_WINDOW_POST ? ENGINE_HIGH
                                           : ENGINE_NORMAL;
}

static uint64_t deadline_of(const struct engine *g, const struct engine_submission *s)
{
    const uint64_t after = g->limits.default_deadline_ms[s->kind];
    return s->deadline_unix_ms ? s->deadline_unix_ms : after ? unix_ms() + after : 0;
}

/* The device that will prove it, if there is no choice; the CPU as a fallback is none. */
static const char *sole_device(const struct engine *g, enum engine_kind kind)
{
    const char *name = "";
    for (unsigned d = 0; d < g->slots; d++) {
        const struct device_slot *s = &g->slot[d];
        if (!(s->kinds >> kind & 1) || (s->is_cpu && g->cpu_use == ENGINE_CPU_FALLBACK))
            continue;
        if (*name)
            return "";
        name = s->device->name;
    }
    return name;
}

/* One more wants this job: sooner, perhaps, than those before. With the lock. */
static void join(struct engine *g, struct job *j, const struct engine_submission *s,
                 struct engine_ticket *ticket)
{
    const uint64_t deadline = deadline_of(g, s);
    if (j->stage != JOB_ENDED) {
        if (priority_of(s) > j->priority)
            j->priority = priority_of(s);
        if (deadline && (!j->deadline_unix_ms || deadline < j->deadline_unix_ms))
            j->deadline_unix_ms = deadline;
        if (!(s->flags & ENGINE_EXPIRES))
            j->flags &= ~ENGINE_EXPIRES;
        if (s->flags & ENGINE_ATTACHED)
            j->attached++;
        else
            j->detached = true;
    }
    g->counters.joined++;
    *ticket = (struct engine_ticket){.queue_position = job_position(g, j),
                                     .joined = true,
                                     .ended = j->stage == JOB_ENDED,
                                     .device = sole_device(g, j->kind)};
    memcpy(ticket->job_id, j->id, sizeof ticket->job_id);
}

static cuzk_status check_room(struct engine *g, const struct entry *t, struct cuzk_error *e)
{
    const enum engine_kind kind = t->s->kind;
    const struct limits *l = &g->limits;
    if (g->draining)
        return error_set(e, CUZK_ERR_UNAVAILABLE, "the engine takes no new jobs: it is being shut down");
    if (g->active_count >= l->max_jobs)
        return error_set(e, CUZK_ERR_EXHAUSTED, "the queue is full: %u jobs wait or run (max_jobs)",
                         g->active_count);
    if (g->by_kind[kind] >= l->max_jobs_by_kind[kind])
        return error_set(e, CUZK_ERR_EXHAUSTED, "the queue of %s is full: %u jobs wait or run",
                         engine_kind_name(kind), g->by_kind[kind]);
    if (t->payload_size >
        l->max_queued_bytes - (g->queued_bytes < l->max_queued_bytes ? g->queued_bytes : l->max_queued_bytes))
        return error_set(
            e, CUZK_ERR_EXHAUSTED, "the queue is full: its payloads have %llu MiB, the limit is %llu",
            (unsigned long long)(g->queued_bytes >> 20), (unsigned long long)(l->max_queued_bytes >> 20));
    return CUZK_OK;
}

static struct job *job_of(struct engine *g, struct entry *t, struct cuzk_error *e)
{
    struct job *j = job_new(t->s->request_id, &t->plan, e);
    if (!j)
        return NULL;
    const uint64_t now = timing_now();
    j->kind = t->s->kind;
    j->urgent = j->kind == ENGINE_WINNING_POST || j->kind == ENGINE_WINDOW_POST;
    j->priority = priority_of(t->s);
    j->deadline_unix_ms = deadline_of(g, t->s);
    j->accepted_unix_ms = unix_ms();
    j->flags = t->s->flags & (ENGINE_ATTACHED | ENGINE_EXPIRES);
    j->attached = t->s->flags & ENGINE_ATTACHED ? 1 : 0;
    j->detached = !j->attached;
    j->fields = t->fields;
    t->fields = (struct fields){0};
    memcpy(j->digest, t->digest, sizeof j->digest);
    j->payload_bytes = j->payload_size = t->payload_size;
    j->received_ns = t->s->received_ns && t->s->received_ns <= t->start ? t->s->received_ns : t->start;
    if (j->received_ns < t->start)
        job_span(j, "receive", j->received_ns, t->start);
    j->accepted_ns = now;
    return j;
}

/* The payload to where it stays: memory, or a file. Without the lock. */
static cuzk_status keep_payload(struct engine *g, struct job *j, const struct entry *t, struct cuzk_error *e)
{
    const struct engine_submission *s = t->s;
    const bool to_file = g->journal && j->payload_size > g->inline_payload;
    char path[4096];
    if (to_file || (s->spooled && !g->journal)) {
        cuzk_status status = CUZK_OK;
        if (to_file) {
            journal_payload_path(g->journal, j->id, path, sizeof path);
            status = s->spooled ? journal_payload_take(g->journal, j->id, s->spooled, e)
                                : journal_payload_write(g->journal, j->id, s->pieces, s->piece_count, e);
        } else if (strlen(s->spooled) < sizeof path) {
            memcpy(path, s->spooled, strlen(s->spooled) + 1);
        } else {
            status = error_set(e, CUZK_ERR_ARGUMENT, "the spooled file's name is too long");
        }
        if (status != CUZK_OK)
            return status;
        j->payload_path = mem_alloc(strlen(path) + 1, 1);
        if (!j->payload_path)
            return error_memory(e, strlen(path) + 1, "a payload's name");
        memcpy(j->payload_path, path, strlen(path) + 1);
        return CUZK_OK;
    }
    j->payload = mem_alloc((size_t)j->payload_size, 1);
    if (!j->payload)
        return error_memory(e, (size_t)j->payload_size, "a payload");
    if (s->spooled) {
        memcpy(j->payload, t->map.data, t->map.size);
        return CUZK_OK;
    }
    uint8_t *at = j->payload;
    for (size_t i = 0; i < s->piece_count; i++) {
        memcpy(at, s->pieces[i].data, (size_t)s->pieces[i].size);
        at += s->pieces[i].size;
    }
    return CUZK_OK;
}

/* With the lock. */
static void accepted(struct engine *g, struct job *j, uint64_t start, struct engine_ticket *ticket)
{
    j->stage = JOB_WAITS;
    j->accepted_ns = timing_now();
    job_span(j, "accept", start, j->accepted_ns);
    job_waits(j, j->accepted_ns);
    for (unsigned i = 0; i < j->partition_count; i++) {
        partition_phase(g, &j->partitions[i], ENGINE_PHASE_QUEUED);
        j->partitions[i].spans[0].start_ns = j->accepted_ns;
    }
    g->counters.accepted++;
    PROBE3(job_accepted, j->id, j->request_id, (int)j->kind);
    *ticket = (struct engine_ticket){.queue_position = job_position(g, j), .device = sole_device(g, j->kind)};
    memcpy(ticket->job_id, j->id, sizeof ticket->job_id);
    events_put(g->events, &(struct engine_event){.type = ENGINE_EVENT_ACCEPTED,
                                                 .time_ns = j->accepted_ns,
                                                 .job_id = j->id,
                                                 .request_id = j->request_id,
                                                 .kind = j->kind,
                                                 .partition = -1,
                                                 .total = j->partition_count,
                                                 .text = j->circuit});
    pthread_cond_broadcast(&g->work);
}

/* A job that ended in an earlier life of the engine, or was forgotten here. */
static bool known_in_journal(struct engine *g, const struct entry *t, struct engine_ticket *ticket)
{
    bool found = false;
    struct engine_ticket known = {.joined = true, .ended = true, .device = ""};
    if (!g->journal || !t->s->request_id[0])
        return false;
    if (journal_known(g->journal, t->s->request_id, t->digest, known.job_id, &found, NULL) != CUZK_OK ||
        !found)
        return false;
    *ticket = known;
    return true;
}

/* The job that this is a repetition of; one that is just being accepted is waited for. With the lock. */
static struct job *known_job(struct engine *g, const struct entry *t)
{
    struct job *j;
    while ((j = job_known(g, t->s->request_id, t->digest)) != NULL && j->stage == JOB_ACCEPTING)
        wait_ms(&g->news, &g->lock, WAIT_SLICE_MS);
    return j;
}

/* Without the lock; nobody else looks at a job that is being accepted. */
static cuzk_status keep(struct engine *g, struct job *j, const struct entry *t, struct cuzk_error *e)
{
    struct job_row row;
    cuzk_status status = keep_payload(g, j, t, e);
    if (status != CUZK_OK || !g->journal)
        return status;
    status = job_row_new(&row, j, e);
    if (status != CUZK_OK)
        return status;
    status = journal_accept(g->journal, &row.row, e);
    mem_free(row.fields);
    return status;
}

/* Put it into the list and the journal. With the lock, which is let go in between. */
static cuzk_status accept(struct engine *g, struct entry *t, struct engine_ticket *ticket,
                          struct cuzk_error *e)
{
    cuzk_status status = check_room(g, t, e);
    if (status != CUZK_OK)
        return status;
    struct job *j = job_of(g, t, e);
    if (!j)
        return CUZK_ERR_MEMORY;
    job_append(g, j);
    const unsigned turn = g->journal_turn;
    engine_unlock(g);
    status = keep(g, j, t, e);
    engine_lock(g);
    if (status == CUZK_OK && turn != g->journal_turn) /* it went into the one that was moved aside */
        status = accept_again(g, j, e);
    if (status == CUZK_OK) {
        g->journal_failed_ns = 0;
        accepted(g, j, t->start, ticket);
    } else {
        if (!g->journal_failed_ns)
            events_log(g->events, ENGINE_ERROR, "journal", "no job can be accepted: %s", e ? e->message : "");
        g->journal_failed_ns = timing_now();
        g->counters.journal_failures++;
        job_forget(g, j);
        if (status == CUZK_ERR_IO)
            status = CUZK_ERR_UNAVAILABLE; /* later, or elsewhere */
    }
    pthread_cond_broadcast(&g->news);
    return status;
}

static cuzk_status enter(struct engine *g, struct entry *t, struct engine_ticket *ticket,
                         struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    const bool written = known_in_journal(g, t, ticket);
    engine_lock(g);
    struct job *j = known_job(g, t);
    if (j)
        join(g, j, t->s, ticket);
    else if (written)
        g->counters.joined++;
    else
        status = accept(g, t, ticket, e);
    engine_unlock(g);
    return status;
}

cuzk_status engine_submit(struct engine *engine, const struct engine_submission *submission,
                          struct engine_ticket *ticket, struct cuzk_error *e)
{
    struct entry t = {.s = submission, .start = timing_now()};
    cuzk_status status = look_at(engine, &t, e);
    if (status == CUZK_OK)
        status = enter(engine, &t, ticket, e);
    if (status != CUZK_OK) {
        engine_lock(engine);
        engine->counters.refused++;
        engine_unlock(engine);
    }
    if (submission->spooled) {
        file_unmap(&t.map);
        /* Taken over, it has another name now; without a journal an accepted job reads it where it is. */
        if (engine->journal || status != CUZK_OK || ticket->joined)
            unlink(submission->spooled);
    }
    mem_free(t.encoded);
    fields_free(&t.fields);
    return status;
}
