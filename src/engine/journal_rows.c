/* engine/journal_rows.c - the journal's rows: jobs, proofs of partitions, results.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "engine/journal_db.h"

/* One statement, prepared with the lock held and finished without it. */
struct query {
    struct journal *j;
    sqlite3_stmt *s;
    int code;
};

static struct query begin(struct journal *j, const char *sql)
{
    struct query q = {.j = j, .code = SQLITE_CANTOPEN};
    pthread_mutex_lock(&j->lock);
    if (j->db)
        q.code = sqlite3_prepare_v2(j->db, sql, -1, &q.s, NULL);
    return q;
}

static cuzk_status end(struct query *q, const char *what, struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    if (q->code != SQLITE_OK && q->code != SQLITE_DONE && q->code != SQLITE_ROW)
        status = journal_fault(q->j, q->code, what, e);
    sqlite3_finalize(q->s);
    pthread_mutex_unlock(&q->j->lock);
    return status;
}

static void bind_text(struct query *q, int at, const char *text)
{
    if (q->code == SQLITE_OK)
        q->code = sqlite3_bind_text(q->s, at, text, -1, SQLITE_STATIC);
}

static void bind_blob(struct query *q, int at, const void *bytes, size_t size)
{
    if (q->code == SQLITE_OK)
        q->code =
            bytes ? sqlite3_bind_blob64(q->s, at, bytes, size, SQLITE_STATIC) : sqlite3_bind_null(q->s, at);
}

static void bind_number(struct query *q, int at, uint64_t number)
{
    if (q->code == SQLITE_OK)
        q->code = sqlite3_bind_int64(q->s, at, (sqlite3_int64)number);
}

static bool step(struct query *q)
{
    if (q->code == SQLITE_OK || q->code == SQLITE_ROW)
        q->code = sqlite3_step(q->s);
    return q->code == SQLITE_ROW;
}

static uint64_t number_of(const struct query *q, int column)
{
    return (uint64_t)sqlite3_column_int64(q->s, column);
}

/* ---- writing ---- */

cuzk_status journal_accept(struct journal *j, const struct journal_job *job, struct cuzk_error *e)
{
    struct query q = begin(j, "INSERT OR REPLACE INTO job VALUES (?,?,?,?,?,?,?,?,?,?)");
    bind_text(&q, 1, job->job_id);
    bind_text(&q, 2, job->request_id);
    bind_blob(&q, 3, job->digest, 32);
    bind_number(&q, 4, (uint64_t)job->kind);
    bind_number(&q, 5, (uint64_t)job->priority);
    bind_number(&q, 6, job->deadline_unix_ms);
    bind_number(&q, 7, job->accepted_unix_ms);
    bind_number(&q, 8, job->flags);
    bind_blob(&q, 9, job->fields, job->fields_size);
    bind_blob(&q, 10, job->payload, job->payload_size);
    (void)step(&q);
    return end(&q, "take the job", e);
}

cuzk_status journal_partition(struct journal *j, const char *job_id, unsigned partition, const uint8_t *proof,
                              size_t size, struct cuzk_error *e)
{
    struct query q = begin(j, "INSERT OR REPLACE INTO part VALUES (?,?,?)");
    bind_text(&q, 1, job_id);
    bind_number(&q, 2, partition);
    bind_blob(&q, 3, proof, size);
    (void)step(&q);
    return end(&q, "take a partition's proof", e);
}

static int insert_result(struct journal *j, const struct engine_result *r, const char *request_id,
                         const uint8_t digest[32], uint64_t ended)
{
    struct query q = {.j = j};
    q.code = sqlite3_prepare_v2(j->db, "INSERT OR REPLACE INTO result VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                                -1, &q.s, NULL);
    bind_text(&q, 1, r->job_id);
    bind_text(&q, 2, request_id);
    bind_blob(&q, 3, digest, 32);
    bind_number(&q, 4, (uint64_t)r->kind);
    bind_number(&q, 5, (uint64_t)r->state);
    bind_number(&q, 6, (uint64_t)r->status);
    bind_number(&q, 7, r->retry);
    bind_text(&q, 8, r->message);
    bind_blob(&q, 9, r->proof, r->proof_size);
    bind_number(&q, 10, r->queue_wait_ms);
    bind_number(&q, 11, r->srs_load_ms);
    bind_number(&q, 12, r->synthesis_ms);
    bind_number(&q, 13, r->gpu_compute_ms);
    bind_number(&q, 14, r->total_ms);
    bind_number(&q, 15, ended);
    (void)step(&q);
    sqlite3_finalize(q.s);
    return q.code == SQLITE_DONE ? SQLITE_OK : q.code;
}

static int delete_job(struct journal *j, const char *sql, const char *id)
{
    struct query q = {.j = j};
    q.code = sqlite3_prepare_v2(j->db, sql, -1, &q.s, NULL);
    bind_text(&q, 1, id);
    (void)step(&q);
    sqlite3_finalize(q.s);
    return q.code == SQLITE_DONE ? SQLITE_OK : q.code;
}

cuzk_status journal_end(struct journal *j, const struct engine_result *result, const char *request_id,
                        const uint8_t digest[32], uint64_t ended_unix_ms, struct cuzk_error *e)
{
    struct query q = begin(j, "BEGIN IMMEDIATE");
    if (step(&q) || q.code != SQLITE_DONE)
        return end(&q, "begin a result", e);
    int code = insert_result(j, result, request_id, digest, ended_unix_ms);
    if (code == SQLITE_OK)
        code = delete_job(j, "DELETE FROM job WHERE id=?", result->job_id);
    if (code == SQLITE_OK)
        code = delete_job(j, "DELETE FROM part WHERE id=?", result->job_id);
    if (code == SQLITE_OK)
        code = sqlite3_exec(j->db, "COMMIT", NULL, NULL, NULL);
    if (code != SQLITE_OK) {
        struct cuzk_error why = {0};
        const cuzk_status status = journal_fault(j, code, "take a result", &why);
        if (!sqlite3_get_autocommit(j->db)) /* before anybody else writes into it */
            (void)sqlite3_exec(j->db, "ROLLBACK", NULL, NULL, NULL);
        q.code = SQLITE_DONE;
        (void)end(&q, "take a result", NULL);
        return error_set(e, status, "%s", why.message);
    }
    return end(&q, "take a result", e);
}

cuzk_status journal_prune(struct journal *j, uint64_t before_unix_ms, uint64_t keep, struct cuzk_error *e)
{
    struct query q =
        begin(j, "DELETE FROM result WHERE ended<?1 OR id NOT IN (SELECT id FROM result ORDER BY "
                 "ended DESC LIMIT ?2)");
    bind_number(&q, 1, before_unix_ms);
    bind_number(&q, 2, keep);
    (void)step(&q);
    if (q.code == SQLITE_DONE && sqlite3_changes(j->db) > 0)
        (void)sqlite3_exec(j->db, "PRAGMA incremental_vacuum", NULL, NULL, NULL);
    return end(&q, "be pruned", e);
}

/* ---- reading ---- */

cuzk_status journal_pending(struct journal *j,
                            cuzk_status (*visit)(void *user, const struct journal_job *job,
                                                 struct cuzk_error *e),
                            void *user, struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    struct query q = begin(j, "SELECT id,request,digest,kind,priority,deadline,accepted,flags,fields,payload "
                              "FROM job ORDER BY accepted,id");
    while (status == CUZK_OK && step(&q)) {
        const struct journal_job job = {
            .job_id = (const char *)sqlite3_column_text(q.s, 0),
            .request_id = (const char *)sqlite3_column_text(q.s, 1),
            .digest = sqlite3_column_bytes(q.s, 2) == 32 ? sqlite3_column_blob(q.s, 2) : NULL,
            .kind = (enum engine_kind)number_of(&q, 3),
            .priority = (enum engine_priority)number_of(&q, 4),
            .deadline_unix_ms = number_of(&q, 5),
            .accepted_unix_ms = number_of(&q, 6),
            .flags = (unsigned)number_of(&q, 7),
            .fields = sqlite3_column_blob(q.s, 8),
            .fields_size = (size_t)sqlite3_column_bytes(q.s, 8),
            .payload = sqlite3_column_blob(q.s, 9),
            .payload_size = (size_t)sqlite3_column_bytes(q.s, 9)};
        if (job.job_id && job.request_id && job.digest)
            status = visit(user, &job, e);
    }
    const cuzk_status read = end(&q, "be read", status == CUZK_OK ? e : NULL);
    return status == CUZK_OK ? read : status;
}

cuzk_status journal_partitions(struct journal *j, const char *job_id,
                               void (*visit)(void *user, unsigned partition, const uint8_t *proof,
                                             size_t size),
                               void *user, struct cuzk_error *e)
{
    struct query q = begin(j, "SELECT number,proof FROM part WHERE id=?");
    bind_text(&q, 1, job_id);
    while (step(&q))
        visit(user, (unsigned)number_of(&q, 0), sqlite3_column_blob(q.s, 1),
              (size_t)sqlite3_column_bytes(q.s, 1));
    return end(&q, "be read", e);
}

static cuzk_status take_result(const struct query *q, struct engine_result *out, struct cuzk_error *e)
{
    struct engine_result r = {.kind = (enum engine_kind)number_of(q, 0),
                              .state = (enum engine_state)number_of(q, 1),
                              .status = (cuzk_status)number_of(q, 2),
                              .retry = number_of(q, 3) != 0,
                              .queue_wait_ms = number_of(q, 6),
                              .srs_load_ms = number_of(q, 7),
                              .synthesis_ms = number_of(q, 8),
                              .gpu_compute_ms = number_of(q, 9),
                              .total_ms = number_of(q, 10)};
    const char *message = (const char *)sqlite3_column_text(q->s, 4);
    if (message)
        strncpy(r.message, message, sizeof r.message - 1);
    const void *proof = sqlite3_column_blob(q->s, 5);
    const size_t size = (size_t)sqlite3_column_bytes(q->s, 5);
    if (proof && size) {
        r.proof = mem_alloc(size, 1);
        if (!r.proof)
            return error_memory(e, size, "a proof");
        memcpy(r.proof, proof, size);
        r.proof_size = size;
    }
    *out = r;
    return CUZK_OK;
}

cuzk_status journal_result(struct journal *j, const char *job_id, struct engine_result *out, bool *found,
                           struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    struct query q = begin(j, "SELECT kind,state,status,retry,message,proof,queue_ms,srs_ms,synthesis_ms,"
                              "device_ms,total_ms FROM result WHERE id=?");
    bind_text(&q, 1, job_id);
    *found = step(&q);
    if (*found) {
        status = take_result(&q, out, e);
        if (status == CUZK_OK)
            strncpy(out->job_id, job_id, sizeof out->job_id - 1);
    }
    const cuzk_status read = end(&q, "be read", status == CUZK_OK ? e : NULL);
    return status == CUZK_OK ? read : status;
}

cuzk_status journal_known(struct journal *j, const char *request_id, const uint8_t digest[32],
                          char job_id[ENGINE_JOB_ID], bool *found, struct cuzk_error *e)
{
    struct query q = begin(j, "SELECT id FROM result WHERE request=? AND digest=? AND state=? "
                              "ORDER BY ended DESC LIMIT 1");
    bind_text(&q, 1, request_id);
    bind_blob(&q, 2, digest, 32);
    bind_number(&q, 3, ENGINE_STATE_COMPLETED);
    *found = step(&q);
    const char *id = *found ? (const char *)sqlite3_column_text(q.s, 0) : NULL;
    if (id && strlen(id) < ENGINE_JOB_ID)
        memcpy(job_id, id, strlen(id) + 1);
    else
        *found = false;
    return end(&q, "be read", e);
}
