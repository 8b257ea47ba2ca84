/* engine/lanes.c - the workers of the lanes: each takes the best piece of work for it, again and again.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "engine/internal.h"

struct exec worker_exec(const struct worker *w, struct budget *budget, const struct job *j)
{
    return (struct exec){
        .pool = w->pool, .budget = budget, .variant = w->engine->variant, .cancel = &j->cancel};
}

/* A bar of the timeline. */
static void record(const struct worker *w, const struct job *j, unsigned together, uint64_t start,
                   uint64_t end)
{
    struct engine *g = w->engine;
    struct engine_interval *i = &g->intervals[g->intervals_seen++ % INTERVALS];
    *i = (struct engine_interval){.row = (unsigned)(w - g->workers),
                                  .partition = w->partition,
                                  .together = together,
                                  .kind = j->kind,
                                  .failed =
                                      j->state == ENGINE_STATE_FAILED || j->state == ENGINE_STATE_CANCELLED,
                                  .start_ns = start,
                                  .end_ns = end};
    memcpy(i->job_id, j->id, sizeof i->job_id);
}

uint64_t worker_begins(struct worker *w, const struct job *j, const struct partition *p)
{
    w->busy = true;
    w->since = timing_now();
    w->partition = p ? (int)p->index : -1;
    memcpy(w->job_id, j->id, sizeof w->job_id);
    w->last_circuit = j->circuit;
    return w->since;
}

void worker_ends(struct worker *w, uint64_t start, const struct job *j, unsigned together)
{
    const uint64_t end = timing_now();
    record(w, j, together, start, end);
    w->busy = false;
    w->since = end;
    w->busy_ns += end - start;
}

/* Do a piece of work. The lock is let go in between; the job stays as long as it is waited for. */
static void serve(struct worker *w, struct job *j, struct partition *p, int device)
{
    const uint64_t start = worker_begins(w, j, p);
    j->busy++;
    switch (w->lane) {
    case ENGINE_LANE_PARSE:
        stage_parse(w, j);
        break;
    case ENGINE_LANE_WITNESS:
        p->device = device;
        stage_prepare(w, p);
        break;
    case ENGINE_LANE_FINISH:
        stage_finish(w, p);
        break;
    case ENGINE_LANE_VERIFY:
        stage_verify(w, p);
        break;
    case ENGINE_LANE_DEVICE: /* device_turn's */
        break;
    }
    worker_ends(w, start, j, 0);
    j->busy--;
    job_settle(w->engine, j);
    pthread_cond_broadcast(&w->engine->work);
}

static bool take(struct worker *w)
{
    struct engine *g = w->engine;
    struct partition *p = NULL;
    struct job *j = NULL;
    int device = -1;
    switch (w->lane) {
    case ENGINE_LANE_PARSE:
        j = pick_to_parse(g, w);
        break;
    case ENGINE_LANE_WITNESS:
        p = pick_to_prepare(g, w, &device);
        break;
    case ENGINE_LANE_DEVICE:
        return device_turn(w);
    case ENGINE_LANE_FINISH:
        p = pick_by_phase(g, w, ENGINE_PHASE_FINISH);
        break;
    case ENGINE_LANE_VERIFY:
        p = pick_by_phase(g, w, ENGINE_PHASE_VERIFY_WAIT);
        break;
    }
    if (p)
        j = p->job;
    if (!j)
        return false;
    serve(w, j, p, device);
    return true;
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct engine *g = w->engine;
    engine_lock(g);
    while (!g->quit)
        if (!take(w))
            wait_ms(&g->work, &g->lock, 10 * WAIT_SLICE_MS);
    if (w->device >= 0)
        batches_dismiss(g, &g->slot[w->device]);
    engine_unlock(g);
    return NULL;
}

static cuzk_status add(struct engine *g, enum engine_lane lane, unsigned index, int device, bool urgent,
                       unsigned threads, struct cuzk_error *e)
{
    struct worker *w = &g->workers[g->worker_count];
    *w = (struct worker){.engine = g,
                         .lane = lane,
                         .index = index,
                         .device = device,
                         .urgent = urgent,
                         .partition = -1,
                         .since = timing_now()};
    const cuzk_status status = pool_new(&w->pool, threads, e);
    if (status == CUZK_OK)
        g->worker_count++;
    return status;
}

static cuzk_status add_all(struct engine *g, const struct engine_options *o, struct cuzk_error *e)
{
    const struct {
        enum engine_lane lane;
        unsigned workers, threads;
        bool urgent;
    } lanes[] = {{ENGINE_LANE_PARSE, o->parse_workers, g->host_threads, true},
                 {ENGINE_LANE_WITNESS, o->witness_workers, g->host_threads, true},
                 {ENGINE_LANE_FINISH, g->finish_lane ? 1 : UINT32_MAX, 1, false},
                 {ENGINE_LANE_VERIFY, o->verify_workers, 1, false}};
    cuzk_status status = CUZK_OK;
    for (size_t l = 0; status == CUZK_OK && l < ARRAY_LEN(lanes); l++) {
        unsigned count = lanes[l].workers ? lanes[l].workers : 1;
        if (count == UINT32_MAX)
            continue;
        for (unsigned i = 0; status == CUZK_OK && i < count; i++)
            status = add(g, lanes[l].lane, i, -1, false, lanes[l].threads, e);
        if (status == CUZK_OK && lanes[l].urgent)
            status = add(g, lanes[l].lane, count, -1, true, lanes[l].threads, e);
    }
    for (unsigned d = 0; d < g->slots; d++)
        for (unsigned i = 0; status == CUZK_OK && i < (g->slot[d].device->settle ? 1 : g->device_workers);
             i++)
            status = add(g, ENGINE_LANE_DEVICE, i, (int)d, false,
                         g->slot[d].is_cpu ? g->threads : g->host_threads, e);
    return status;
}

cuzk_status workers_start(struct engine *g, const struct engine_options *o, struct cuzk_error *e)
{
    for (unsigned d = 0; d < g->slots; d++)
        g->finish_lane |= g->slot[d].device->finish != NULL;
    const size_t most = 6 + (size_t)o->parse_workers + o->witness_workers + o->verify_workers +
                        (size_t)g->slots * g->device_workers;
    g->workers = mem_alloc(most, sizeof *g->workers);
    if (!g->workers)
        return error_memory(e, most * sizeof *g->workers, "the workers");
    cuzk_status status = add_all(g, o, e);
    for (size_t i = 0; status == CUZK_OK && i < g->worker_count; i++) {
        const int failed = thread_start(&g->workers[i].thread, worker_main, &g->workers[i]);
        if (failed)
            status = error_errno(e, failed, "a worker cannot be started");
        else
            g->workers[i].started = true;
    }
    if (status != CUZK_OK)
        return status;
    const int failed = thread_start(&g->upkeep, upkeep_main, g);
    if (failed)
        return error_errno(e, failed, "the upkeep thread cannot be started");
    g->upkeep_started = true;
    return CUZK_OK;
}

void workers_join(struct engine *g)
{
    engine_lock(g);
    g->quit = true;
    pthread_cond_broadcast(&g->work);
    pthread_cond_broadcast(&g->idle);
    engine_unlock(g);
    for (size_t i = 0; i < g->worker_count; i++) {
        if (g->workers[i].started)
            pthread_join(g->workers[i].thread, NULL);
        pool_free(g->workers[i].pool);
    }
    if (g->upkeep_started)
        pthread_join(g->upkeep, NULL);
    mem_free(g->workers);
    g->workers = NULL;
    g->worker_count = 0;
}
