/* engine/wait.c - what a submitter does next: wait, fetch, cancel, leave.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "engine/internal.h"

void engine_result_free(struct engine_result *result)
{
    mem_free(result->proof);
    *result = (struct engine_result){0};
}

/* What the job is now. With the lock. */
static cuzk_status result_of(const struct job *j, struct engine_result *out, struct cuzk_error *e)
{
    struct engine_result r = {0};
    account_result(j, &r);
    if (j->stage == JOB_ENDING) /* not told before it is on the disk */
        r.state = ENGINE_STATE_RUNNING;
    if (r.state == ENGINE_STATE_COMPLETED) {
        r.proof = mem_alloc(j->proof_size, 1);
        if (!r.proof)
            return error_memory(e, j->proof_size, "a proof");
        memcpy(r.proof, j->proof, j->proof_size);
        r.proof_size = j->proof_size;
    }
    *out = r;
    return CUZK_OK;
}

static bool over(const struct engine *g, const struct job *j)
{
    return j->stage == JOB_ENDED || g->stopping;
}

cuzk_status engine_wait(struct engine *engine, const char *job_id, uint64_t timeout_ms,
                        const volatile int *cancel, struct engine_result *out, struct cuzk_error *e)
{
    struct engine *g = engine;
    const uint64_t start = timing_now();
    cuzk_status status = CUZK_OK;
    engine_lock(g);
    struct job *j = job_find(g, job_id);
    if (j) {
        j->waiters++;
        while (!over(g, j)) {
            uint64_t slice = WAIT_SLICE_MS;
            const uint64_t waited = (timing_now() - start) / 1000000;
            if (cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED))
                break;
            if (timeout_ms && waited >= timeout_ms)
                break;
            if (timeout_ms && timeout_ms - waited < slice)
                slice = timeout_ms - waited;
            wait_ms(&g->news, &g->lock, slice);
        }
        status = result_of(j, out, e);
        j->waiters--;
        engine_unlock(g);
        return status;
    }
    engine_unlock(g);
    bool found = false;
    if (g->journal)
        status = journal_result(g->journal, job_id, out, &found, e);
    if (!found && status != CUZK_ERR_MEMORY) {
        *out = (struct engine_result){.state = ENGINE_STATE_UNKNOWN};
        strncpy(out->job_id, job_id, sizeof out->job_id - 1);
        status = CUZK_OK;
    }
    return status;
}

cuzk_status engine_result(struct engine *engine, const char *job_id, struct engine_result *out,
                          struct cuzk_error *e)
{
    const volatile int now = 1;
    return engine_wait(engine, job_id, 0, &now, out, e);
}

bool engine_cancel(struct engine *engine, const char *job_id, const char *reason)
{
    engine_lock(engine);
    struct job *j = job_find(engine, job_id);
    const bool was = j && j->stage != JOB_ENDED && j->stage != JOB_ENDING && j->stage != JOB_ACCEPTING;
    if (was)
        job_end(engine, j, ENGINE_STATE_CANCELLED, CUZK_ERR_CANCELLED, false,
                reason && reason[0] ? reason : "cancelled");
    engine_unlock(engine);
    return was;
}

void engine_leave(struct engine *engine, const char *job_id)
{
    engine_lock(engine);
    struct job *j = job_find(engine, job_id);
    if (j && j->attached && --j->attached == 0 && !j->detached && j->stage != JOB_ENDED &&
        j->stage != JOB_ENDING)
        job_end(engine, j, ENGINE_STATE_CANCELLED, CUZK_ERR_CANCELLED, false, "the client went away");
    engine_unlock(engine);
}

void engine_job_span(struct engine *engine, const char *job_id, const char *name, uint64_t start_ns,
                     uint64_t end_ns)
{
    engine_lock(engine);
    struct job *j = job_find(engine, job_id);
    if (j)
        job_span(j, name, start_ns, end_ns);
    engine_unlock(engine);
}
