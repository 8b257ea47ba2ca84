/* engine/recover.c - between jobs and the journal: what is written, and taken up again at the start.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "engine/internal.h"

cuzk_status job_row_new(struct job_row *out, const struct job *j, struct cuzk_error *e)
{
    const cuzk_status status = fields_encode(&j->fields, &out->fields, &out->row.fields_size, e);
    if (status != CUZK_OK)
        return status;
    out->row = (struct journal_job){.job_id = j->id,
                                    .request_id = j->request_id,
                                    .digest = j->digest,
                                    .kind = j->kind,
                                    .priority = j->priority,
                                    .deadline_unix_ms = j->deadline_unix_ms,
                                    .accepted_unix_ms = j->accepted_unix_ms,
                                    .flags = j->flags,
                                    .fields = out->fields,
                                    .fields_size = out->row.fields_size,
                                    .payload = j->payload,
                                    .payload_size = (size_t)j->payload_size};
    return CUZK_OK;
}

/* ---- the journal while it is in use ---- */

/* The result of a job that has ended, as it goes into the journal. */
void job_result(const struct job *j, struct engine_result *out)
{
    account_result(j, out);
    if (j->state == ENGINE_STATE_COMPLETED) {
        out->proof = j->proof;
        out->proof_size = j->proof_size;
    }
}

void journal_write_again(struct engine *g)
{
    for (struct job *j = g->ended; g->journal && j; j = j->next) {
        struct engine_result r;
        if (!j->unwritten)
            continue;
        job_result(j, &r);
        j->waiters++;
        engine_unlock(g);
        const cuzk_status status =
            journal_end(g->journal, &r, j->request_id, j->digest, j->ended_unix_ms, NULL);
        engine_lock(g);
        j->waiters--;
        if (status != CUZK_OK)
            return;
        j->unwritten = false;
    }
}

cuzk_status accept_again(struct engine *g, struct job *j, struct cuzk_error *e)
{
    struct job_row row;
    cuzk_status status = job_row_new(&row, j, e);
    if (status != CUZK_OK)
        return status;
    j->busy++; /* its payload stays */
    engine_unlock(g);
    status = journal_accept(g->journal, &row.row, e);
    engine_lock(g);
    j->busy--;
    j->unwritten |= j->stage >= JOB_ENDING; /* its end may have come before this: it is written again */
    mem_free(row.fields);
    job_settle(g, j);
    return status;
}

void journal_mend(struct engine *g)
{
    char moved[CUZK_ERROR_MESSAGE_MAX];
    struct cuzk_error e = {0};
    if (!g->journal || !journal_is_broken(g->journal))
        return;
    engine_unlock(g);
    cuzk_status status = journal_renew(g->journal, moved, &e);
    engine_lock(g);
    g->journal_turn++;
    events_log(g->events, ENGINE_ERROR, "journal",
               "the journal went bad while in use; it is now %s, and a new one was begun%s%s", moved,
               status == CUZK_OK ? "" : ": ", e.message);
    /* By age, each once: the list may change while one is written. */
    for (uint64_t seq = 0; status == CUZK_OK; seq++) {
        struct job *j = g->active;
        while (j && (j->seq < seq || j->stage == JOB_ACCEPTING || j->stage == JOB_ENDING))
            j = j->next;
        if (!j)
            break;
        seq = j->seq;
        status = accept_again(g, j, &e);
    }
}

/* ---- at the start ---- */

static void take_proof(void *user, unsigned partition, const uint8_t *proof, size_t size)
{
    struct job *j = user;
    if (partition >= j->partition_count || size != GROTH16_PROOF_BYTES || !proof)
        return;
    memcpy(j->partitions[partition].proof, proof, size);
    j->partitions[partition].journaled = true;
}

static cuzk_status take_payload(struct engine *g, struct job *j, const struct journal_job *row,
                                struct cuzk_error *e)
{
    char path[4200];
    struct stat st;
    if (row->payload) {
        j->payload = mem_alloc(row->payload_size, 1);
        if (!j->payload)
            return error_memory(e, row->payload_size, "a payload");
        memcpy(j->payload, row->payload, row->payload_size);
        return CUZK_OK;
    }
    journal_payload_path(g->journal, row->job_id, path, sizeof path);
    if (stat(path, &st) != 0 || (uint64_t)st.st_size != j->payload_size)
        return error_set(e, CUZK_ERR_IO, "the payload of %s is not in the spool folder", row->job_id);
    j->payload_path = mem_alloc(strlen(path) + 1, 1);
    if (!j->payload_path)
        return error_memory(e, strlen(path) + 1, "a payload's name");
    memcpy(j->payload_path, path, strlen(path) + 1);
    return CUZK_OK;
}

/* A row that cannot be a job again: its end is written when all rows have been read. */
struct lost {
    struct lost *next;
    char job_id[ENGINE_JOB_ID], *request_id;
    struct cuzk_error why;
    uint8_t digest[32];
    enum engine_kind kind;
};

struct recovery {
    struct engine *g;
    struct lost *lost;
};

static void give_up(struct recovery *r, const struct journal_job *row, enum engine_kind kind,
                    const struct cuzk_error *why)
{
    const size_t n = strlen(row->request_id) + 1;
    struct lost *l = mem_alloc(1, sizeof *l);
    events_log(r->g->events, ENGINE_ERROR, "journal", "%s cannot be taken up: %s", row->job_id, why->message);
    if (!l || !(l->request_id = mem_alloc(n, 1))) {
        mem_free(l);
        return; /* the row stays */
    }
    snprintf(l->job_id, sizeof l->job_id, "%s", row->job_id);
    (void)error_set(&l->why, CUZK_ERR_IO, "it could not be taken up after a restart, send it again: %s",
                    why->message);
    memcpy(l->request_id, row->request_id, n);
    memcpy(l->digest, row->digest, sizeof l->digest);
    l->kind = kind;
    l->next = r->lost;
    r->lost = l;
}

/* Who asks for them is told. */
static void end_lost(struct recovery *r)
{
    struct cuzk_error e = {0};
    for (struct lost *l = r->lost, *next; l; l = next) {
        struct engine_result result = {
            .kind = l->kind, .state = ENGINE_STATE_FAILED, .status = CUZK_ERR_IO, .retry = true};
        memcpy(result.job_id, l->job_id, sizeof result.job_id);
        memcpy(result.message, l->why.message, sizeof result.message);
        if (journal_end(r->g->journal, &result, l->request_id, l->digest, unix_ms(), &e) != CUZK_OK)
            events_log(r->g->events, ENGINE_WARN, "journal", "%s: %s", l->job_id, e.message);
        next = l->next;
        mem_free(l->request_id);
        mem_free(l);
    }
}

/* SQLite finds damaged pages, not damaged values. */
static cuzk_status check_row(const struct journal_job *row, const struct fields *f, struct cuzk_error *e)
{
    if (row->kind != f->kind || row->priority < ENGINE_PRIORITY_NONE || row->priority > ENGINE_CRITICAL)
        return error_set(e, CUZK_ERR_INPUT, "its row in the journal is damaged");
    return CUZK_OK;
}

static cuzk_status take_up(void *user, const struct journal_job *row, struct cuzk_error *e)
{
    struct recovery *r = user;
    struct engine *g = r->g;
    struct fields f = {0};
    struct work_plan plan;
    struct cuzk_error why = {0};
    struct file_map map = {0};
    char path[4200] = "";
    const uint8_t *payload = row->payload;
    size_t size = row->payload_size;
    if (strlen(row->job_id) >= ENGINE_JOB_ID) {
        events_log(g->events, ENGINE_ERROR, "journal", "a row with an id of %zu bytes is left alone",
                   strlen(row->job_id));
        return CUZK_OK;
    }
    cuzk_status status = fields_decode(&f, row->fields, row->fields_size, &why);
    if (status == CUZK_OK)
        status = check_row(row, &f, &why);
    if (status == CUZK_OK && !payload) {
        journal_payload_path(g->journal, row->job_id, path, sizeof path);
        status = file_map(&map, path, 0, &why);
        payload = map.data;
        size = map.size;
    }
    if (status == CUZK_OK && size != fields_payload_size(&f))
        status = error_set(&why, CUZK_ERR_INPUT, "its payload has %zu bytes, not %llu", size,
                           (unsigned long long)fields_payload_size(&f));
    if (status == CUZK_OK)
        status = g->work_table->plan(g->work_table->self, &f, payload, size, &plan, &why);
    file_unmap(&map);
    struct job *j = status == CUZK_OK ? job_new(row->request_id, &plan, e) : NULL;
    if (!j) {
        const enum engine_kind kind =
            f.kind != ENGINE_KIND_NONE ? f.kind : ENGINE_POREP; /* which one it was cannot be told */
        fields_free(&f);
        if (status == CUZK_OK)
            return CUZK_ERR_MEMORY;
        if (status == CUZK_ERR_MEMORY || (status == CUZK_ERR_IO && access(path, F_OK) == 0))
            events_log(g->events, ENGINE_ERROR, "journal", "%s waits for the next start: %s", row->job_id,
                       why.message);
        else
            give_up(r, row, kind, &why);
        return CUZK_OK;
    }
    memcpy(j->id, row->job_id, strlen(row->job_id) + 1);
    memcpy(j->digest, row->digest, sizeof j->digest);
    j->fields = f;
    j->kind = row->kind;
    j->urgent = j->kind == ENGINE_WINNING_POST || j->kind == ENGINE_WINDOW_POST;
    j->priority = row->priority;
    j->deadline_unix_ms = row->deadline_unix_ms;
    j->accepted_unix_ms = row->accepted_unix_ms;
    j->flags = row->flags & ENGINE_EXPIRES;
    j->detached = true; /* who waited for it is gone, and may come back for it */
    j->recovered = true;
    j->payload_bytes = j->payload_size = fields_payload_size(&j->fields);
    j->received_ns = j->accepted_ns = timing_now();
    job_waits(j, j->accepted_ns);
    if (take_payload(g, j, row, &why) != CUZK_OK)
        events_log(g->events, ENGINE_ERROR, "journal", "%s cannot be taken up: %s", row->job_id, why.message);
    job_append(g, j);
    return CUZK_OK;
}

static void begin_again(struct engine *g, struct job *j)
{
    struct cuzk_error e = {0};
    if (journal_partitions(g->journal, j->id, take_proof, j, &e) != CUZK_OK)
        events_log(g->events, ENGINE_WARN, "journal", "%s: %s", j->id, e.message);
    engine_lock(g);
    for (unsigned i = 0; i < j->partition_count; i++)
        partition_phase(g, &j->partitions[i], ENGINE_PHASE_QUEUED);
    j->stage = JOB_WAITS;
    g->counters.recovered++;
    if (!j->payload && !j->payload_path)
        job_end(g, j, ENGINE_STATE_FAILED, CUZK_ERR_IO, true, "its payload was lost; send it again");
    engine_unlock(g);
}

cuzk_status recover(struct engine *g, struct cuzk_error *e)
{
    struct recovery r = {.g = g};
    const cuzk_status status = journal_pending(g->journal, take_up, &r, e);
    end_lost(&r);
    if (status != CUZK_OK)
        return status;
    for (struct job *j = g->active, *next; j; j = next) {
        next = j->next;
        begin_again(g, j);
    }
    if (g->counters.recovered)
        events_log(g->events, ENGINE_INFO, "journal", "%llu jobs were taken up from the journal",
                   (unsigned long long)g->counters.recovered);
    return CUZK_OK;
}
