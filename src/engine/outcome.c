/* engine/outcome.c - how partitions and jobs end, or begin again.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>
#include <unistd.h>

#include "engine/internal.h"
#include "engine/probes.h"

#define MEMORY_RETRIES 3

void partition_unbind(struct engine *g, struct partition *p)
{
    if (p->bound)
        g->slot[p->device].waiting[p->job->urgent]--;
    p->bound = false;
}

void partition_unload(struct engine *g, struct partition *p)
{
    void *prepared = p->prepared;
    p->prepared = NULL;
    if (prepared && g->slot[p->device].device->discard) {
        engine_unlock(g);
        g->slot[p->device].device->discard(g->slot[p->device].device->self, prepared);
        engine_lock(g);
    }
    reserve_device(g, p, 0);
    if (!p->memory.own)
        return;
    g->in_flight--;
    reserve_release(g, &p->memory);
}

void partition_release(struct engine *g, struct partition *p)
{
    partition_unbind(g, p);
    partition_unload(g, p);
    srs_release(g, p->srs);
    p->srs = NULL;
}

static bool worth_a_retry(cuzk_status status)
{
    switch (status) {
    case CUZK_ERR_IO:
    case CUZK_ERR_NOT_FOUND:
    case CUZK_ERR_MEMORY:
    case CUZK_ERR_UNAVAILABLE:
    case CUZK_ERR_DEVICE:
    case CUZK_ERR_INVALID:
    case CUZK_ERR_INTERNAL:
        return true;
    default:
        return false;
    }
}

/* Would another device say the same? The witness is at fault, not who found it out. */
static bool is_of_request(cuzk_status status)
{
    return status == CUZK_ERR_UNSATISFIED || status == CUZK_ERR_INPUT || status == CUZK_ERR_ARGUMENT ||
           status == CUZK_ERR_MISMATCH;
}

/* The memory that the device named, or that was learned, was too little: more, if that can be. */
static bool try_with_more(struct engine *g, struct partition *p, uint64_t had)
{
    uint64_t *host = learned_host(g, p->job->circuit, p->device);
    if (!host || p->memory_retries >= MEMORY_RETRIES || !had)
        return false;
    p->memory_retries++;
    if (*host < 2 * had)
        *host = 2 * had;
    return true;
}

/* Its device failed it. True: it is tried again. */
static bool try_elsewhere(struct engine *g, struct partition *p, const struct cuzk_error *e)
{
    struct job *j = p->job;
    const int device = p->device;
    const bool invalid = e->status == CUZK_ERR_INVALID;
    p->tried |= UINT64_C(1) << device;
    if (e->status == CUZK_ERR_UNSUPPORTED) /* not its fault */
        return !devices_exhausted(g, p);
    if (invalid)
        g->counters.invalid_proofs++;
    else
        g->counters.device_failures++;
    events_log(g->events, ENGINE_WARN, "device", "%s partition %u on %s: %s", j->id, p->index,
               g->slot[device].device->name, e->message);
    if (!p->bundled) {
        engine_unlock(g);
        bundle_keep(g, j, p->index, g->slot[device].device->name, e);
        engine_lock(g);
    }
    device_failed(g, device, invalid, e->message);
    if (devices_exhausted(g, p))
        return false;
    g->counters.retries++;
    return true;
}

void partition_failed(struct engine *g, struct partition *p, bool on_device, const struct cuzk_error *e)
{
    struct job *j = p->job;
    const uint64_t had = p->memory.bytes;
    const bool in_time = e->status != CUZK_ERR_CANCELLED || !j->cancel;
    partition_release(g, p);
    bool again = false;
    if (j->stage == JOB_PARSED && in_time && !g->stopping) {
        if (e->status == CUZK_ERR_MEMORY && had)
            again = try_with_more(g, p, had);
        else if (on_device && !is_of_request(e->status))
            again = try_elsewhere(g, p, e);
    }
    p->held = false;
    if (j->stage != JOB_PARSED) {
        partition_phase(g, p, ENGINE_PHASE_CANCELLED);
        return;
    }
    if (again || g->stopping || !in_time) {
        partition_phase(g, p, ENGINE_PHASE_QUEUED);
        return;
    }
    partition_phase(g, p, ENGINE_PHASE_FAILED);
    job_end(g, j, ENGINE_STATE_FAILED, e->status, worth_a_retry(e->status), e->message);
}

void partition_verified(struct engine *g, struct partition *p)
{
    struct job *j = p->job;
    struct device_slot *s = p->device >= 0 ? &g->slot[p->device] : NULL; /* NULL: of the journal */
    memcpy(j->proof + (size_t)p->index * GROTH16_PROOF_BYTES, p->proof, sizeof p->proof);
    if (s) {
        s->proofs++;
        device_well(g, p->device);
    }
    partition_release(g, p);
    p->held = false;
    if (j->stage != JOB_PARSED) {
        partition_phase(g, p, ENGINE_PHASE_CANCELLED);
        return;
    }
    j->done++;
    g->counters.partitions++;
    if (s && s->is_cpu && g->cpu_use == ENGINE_CPU_FALLBACK)
        g->counters.cpu_fallbacks++;
    partition_phase(g, p, ENGINE_PHASE_DONE);
    if (j->done == j->partition_count)
        job_end(g, j, ENGINE_STATE_COMPLETED, CUZK_OK, false, "");
}

/* ---- jobs ---- */

static void count_end(struct engine *g, const struct job *j)
{
    struct engine_counters *c = &g->counters;
    if (j->state == ENGINE_STATE_FAILED)
        c->failed[j->kind]++;
    if (j->state == ENGINE_STATE_CANCELLED)
        c->cancelled[j->kind]++;
    if (j->state != ENGINE_STATE_COMPLETED)
        return;
    c->completed[j->kind]++;
    const double seconds = (double)(j->ended_ns - j->accepted_ns) / 1e9;
    unsigned b = 0;
    while (b < ENGINE_BUCKETS - 1 && seconds > engine_bucket_bounds[b])
        b++;
    c->duration_buckets[j->kind][b]++;
    c->duration_sum[j->kind] += seconds;
    c->duration_count[j->kind]++;
}

/* Partitions that no worker has let go of all; the others' workers will. */
static void end_partitions(struct engine *g, struct job *j)
{
    for (unsigned i = 0; i < j->partition_count; i++) {
        struct partition *p = &j->partitions[i];
        if (phase_is_final(p->phase) || p->held)
            continue;
        p->held = true;
        partition_release(g, p);
        p->held = false;
        partition_phase(g, p, j->state == ENGINE_STATE_FAILED ? ENGINE_PHASE_FAILED : ENGINE_PHASE_CANCELLED);
    }
}

static void set_message(struct job *j, const char *message)
{
    const size_t n = strlen(message) + 1;
    j->message = n > 1 ? mem_alloc(n, 1) : NULL; /* without memory the status alone must do */
    if (j->message)
        memcpy(j->message, message, n);
}

void job_end(struct engine *g, struct job *j, enum engine_state state, cuzk_status status, bool retry,
             const char *message)
{
    struct cuzk_error e = {0};
    struct engine_result result;
    cuzk_status written = CUZK_OK;
    const uint64_t start = timing_now();
    if (j->stage >= JOB_ENDING)
        return;
    set_message(j, message);
    job_waits_no_more(j, start);
    j->ahead = false;
    j->stage = JOB_ENDING;
    j->state = state;
    j->status = status;
    j->retry = retry;
    j->waiters++;
    if (state != ENGINE_STATE_COMPLETED)
        __atomic_store_n(&j->cancel, 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&g->work);
    end_partitions(g, j);
    j->ended_unix_ms = unix_ms();
    j->ended_ns = timing_now();
    job_result(j, &result);
    if (g->journal) {
        engine_unlock(g);
        written = journal_end(g->journal, &result, j->request_id, j->digest, j->ended_unix_ms, &e);
        engine_lock(g);
    }
    if (written != CUZK_OK) {
        j->unwritten = true;
        g->counters.journal_failures++;
        events_log(g->events, ENGINE_ERROR, "journal", "the result of %s is not in the journal yet: %s",
                   j->id, e.message);
    }
    j->ended_ns = timing_now();
    if (g->journal)
        job_span(j, "journal", start, j->ended_ns);
    j->stage = JOB_ENDED;
    j->waiters--;
    job_move_ended(g, j);
    PROBE3(job_ended, j->id, (int)state, (j->ended_ns - j->accepted_ns) / 1000000);
    count_end(g, j);
    account_job(g, j);
    g->ran = true;
    events_put(g->events,
               &(struct engine_event){.type = ENGINE_EVENT_DONE,
                                      .time_ns = j->ended_ns,
                                      .job_id = j->id,
                                      .request_id = j->request_id,
                                      .kind = j->kind,
                                      .partition = -1,
                                      .phase = state == ENGINE_STATE_COMPLETED ? ENGINE_PHASE_DONE
                                               : state == ENGINE_STATE_FAILED  ? ENGINE_PHASE_FAILED
                                                                               : ENGINE_PHASE_CANCELLED,
                                      .done = j->done,
                                      .total = j->partition_count,
                                      .text = message});
    pthread_cond_broadcast(&g->news);
    job_settle(g, j);
}

void job_settle(struct engine *g, struct job *j)
{
    if (j->stage != JOB_ENDED || j->busy || j->settled)
        return;
    const uint64_t start = timing_now();
    j->settled = true;
    if (j->request)
        g->work_table->request_free(g->work_table->self, j->request);
    j->request = NULL;
    reserve_release(g, &j->request_memory);
    if (j->payload_path)
        unlink(j->payload_path);
    mem_free(j->payload_path);
    mem_free(j->payload);
    j->payload_path = NULL;
    j->payload = NULL;
    g->queued_bytes -= j->payload_bytes;
    j->payload_bytes = 0;
    if (j->state != ENGINE_STATE_COMPLETED) {
        mem_free(j->proof);
        j->proof = NULL;
        j->proof_size = 0;
    }
    job_span(j, "free", start, timing_now());
    account_freed(g, j, start);
}

/* The oldest go first; those still in use stay for the next time. */
void ended_prune(struct engine *g)
{
    const uint64_t now = unix_ms();
    for (struct job *j = g->ended_last, *before; j; j = before) {
        before = j->before;
        if (j->busy || j->waiters || j->unwritten)
            continue;
        if (g->accounts > ACCOUNTS_KEPT)
            job_drop_account(g, j);
        if (g->ended_count > g->limits.keep_jobs || j->ended_unix_ms + g->limits.keep_ms < now)
            job_forget(g, j);
    }
}
