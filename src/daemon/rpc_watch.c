/* daemon/rpc_watch.c - WatchProof: a job's progress as a stream.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/timing.h"
#include "daemon/rpc_call.h"
#include <proving.pb-c.h>

#define BEAT_NS  ((uint64_t)1000000000) /* a message a second at least */
#define JOBS_MAX 4096

void rpc_watch(struct call *call, const uint8_t *data, size_t size)
{
    Cuzk__V1__WatchProofRequest *r =
        (void *)call_unpack(call, &cuzk__v1__watch_proof_request__descriptor, data, size);
    if (!r)
        return;
    snprintf(call->job_id, sizeof call->job_id, "%s", r->job_id);
    cuzk__v1__watch_proof_request__free_unpacked(r, NULL);
    call->dirty = true;
    call_keep(call);
    call_enlist(&call->rpc->watchers, call);
    pthread_mutex_lock(&call->lock);
    const bool over = call->over;
    pthread_mutex_unlock(&call->lock);
    if (over)
        rpc_list_gone(call);
    call_drop(call);
}

void rpc_list_gone(struct call *call)
{
    if (call_delist(call))
        call_fail(call, GRPC_STATUS_CANCELLED, "the client has left");
}

void rpc_watch_event(struct rpc *rpc, const char *job_id)
{
    pthread_mutex_lock(&rpc->lock);
    for (struct call *c = rpc->watchers.first; c; c = c->next)
        if (strcmp(c->job_id, job_id) == 0)
            c->dirty = true;
    pthread_mutex_unlock(&rpc->lock);
}

static bool is_end(enum engine_state state)
{
    return state == ENGINE_STATE_COMPLETED || state == ENGINE_STATE_FAILED || state == ENGINE_STATE_CANCELLED;
}

/* The partitions done so far took this long: the others will, too. */
static uint64_t remaining_ms(const struct engine_job_view *job, uint64_t elapsed_ms)
{
    if (job->partitions_done == 0 || is_end(job->state))
        return 0;
    return elapsed_ms / job->partitions_done * (job->partition_count - job->partitions_done);
}

static Cuzk__V1__PartitionProgress *partitions_of(const struct engine_job_view *job,
                                                  const struct engine_snapshot *s,
                                                  Cuzk__V1__PartitionProgress ***list)
{
    const unsigned n = job->partition_count;
    Cuzk__V1__PartitionProgress *rows = mem_alloc(n, sizeof *rows);
    *list = mem_alloc(n, sizeof **list);
    if (!rows || !*list || !job->partitions) {
        mem_free(rows);
        mem_free(*list);
        *list = NULL;
        return NULL;
    }
    for (unsigned i = 0; i < n; i++) {
        const struct engine_partition_view *p = &job->partitions[i];
        cuzk__v1__partition_progress__init(&rows[i]);
        rows[i].index = p->index;
        rows[i].phase = (char *)(uintptr_t)engine_phase_name(p->phase);
        if (p->device >= 0 && (size_t)p->device < s->device_count)
            rows[i].device = (char *)(uintptr_t)s->devices[p->device].name;
        rows[i].attempts = p->attempts;
        (*list)[i] = &rows[i];
    }
    return rows;
}

/* Tell a watcher; at the job's end the call ends with the next look, when the message is out. */
static void tell(struct call *call, const struct engine_job_view *job, const struct engine_snapshot *s)
{
    Cuzk__V1__WatchProofResponse answer = CUZK__V1__WATCH_PROOF_RESPONSE__INIT;
    char message[CUZK_ERROR_MESSAGE_MAX];
    snprintf(message, sizeof message, "%s", job->message ? job->message : "");
    Cuzk__V1__PartitionProgress *rows = partitions_of(job, s, &answer.partitions);
    const uint64_t until = job->ended_ns ? job->ended_ns : s->now_ns;
    answer.n_partitions = rows ? job->partition_count : 0;
    answer.job_id = call->job_id;
    answer.state = (char *)(uintptr_t)engine_state_name(job->state);
    answer.partitions_total = job->partition_count;
    answer.partitions_done = job->partitions_done;
    answer.elapsed_ms = until > job->accepted_ns ? (until - job->accepted_ns) / 1000000 : 0;
    answer.remaining_ms = remaining_ms(job, answer.elapsed_ms);
    answer.error_message = message;
    if (call_write(call, &answer.base)) {
        call->written_ns = s->now_ns;
        call->expires_ns = is_end(job->state); /* nothing follows */
    } else {
        call->dirty = true;
    }
    mem_free(rows);
    mem_free(answer.partitions);
}

static void look(struct call *call, const struct engine_snapshot *s)
{
    for (size_t i = 0; i < s->job_count; i++)
        if (strcmp(s->jobs[i].job_id, call->job_id) == 0) {
            tell(call, &s->jobs[i], s);
            return;
        }
    if (call_delist(call))
        call_fail(call, GRPC_STATUS_NOT_FOUND, "no job has this id, or its account is no longer kept");
}

/* A watcher that is due, with a reference; *end: its last message is out. */
static struct call *take_due(struct rpc *rpc, uint64_t now, bool *end)
{
    struct call *found = NULL;
    pthread_mutex_lock(&rpc->lock);
    for (struct call *c = rpc->watchers.first; c && !found; c = c->next) {
        pthread_mutex_lock(&c->lock);
        const bool busy = c->writing;
        pthread_mutex_unlock(&c->lock);
        if (busy)
            continue;
        *end = c->expires_ns != 0;
        if (*end || c->dirty || c->written_ns + BEAT_NS <= now) {
            found = c;
            c->dirty = false;
            c->written_ns = now; /* not again in this round */
        }
    }
    if (found)
        call_keep(found);
    pthread_mutex_unlock(&rpc->lock);
    return found;
}

void rpc_watch_tick(struct rpc *rpc, uint64_t now)
{
    static const struct engine_snapshot_limits limits = {.jobs = JOBS_MAX, .intervals = 1};
    struct engine_snapshot *snapshot = NULL;
    struct call *call;
    bool end = false;
    while ((call = take_due(rpc, now, &end))) {
        if (end) {
            if (call_delist(call))
                call_finish(call);
        } else if (snapshot || engine_snapshot(rpc->engine, &limits, &snapshot, NULL) == CUZK_OK) {
            look(call, snapshot);
        }
        call_drop(call);
    }
    engine_snapshot_free(snapshot);
}
