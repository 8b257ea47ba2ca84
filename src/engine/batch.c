/* engine/batch.c - the device lane: which partition a device's worker proves next, and when those that were
 * proved are settled together (device.h).
 *
 * A partition joins the open batch of its circuit. A batch is settled when it is full; when nothing of its
 * circuit is ready or on its way to the device; when what is next is of another circuit. An urgent partition
 * (a PoSt) goes between those of an open batch or before it is settled, and is settled at once after, if its
 * parameters can be held beside: else the batch is settled before it.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine/internal.h"

unsigned batches_members(const struct device_slot *s)
{
    return s->batch[0].count + s->batch[1].count;
}

static void let_job_go(struct engine *g, struct job *j)
{
    j->busy--;
    job_settle(g, j);
}

static void join(struct batch *b, struct partition *p)
{
    b->srs = p->srs;
    b->member[b->count++] = p;
    p->job->busy++;
}

static struct partition *take_out(struct batch *b, unsigned i)
{
    struct partition *p = b->member[i];
    b->count--;
    for (; i < b->count; i++)
        b->member[i] = b->member[i + 1];
    return p;
}

/* Nothing more is done for those whose jobs have ended. */
static void drop_ended(struct engine *g, struct batch *b)
{
    struct cuzk_error e = {0};
    for (unsigned i = 0; i < b->count;) {
        struct job *j = b->member[i]->job;
        if (j->stage == JOB_PARSED && !j->cancel) {
            i++;
            continue;
        }
        (void)goes_on(g, take_out(b, i), CUZK_OK, false, &e);
        let_job_go(g, j);
        i = 0; /* the lock was let go */
    }
}

void batches_dismiss(struct engine *g, struct device_slot *s)
{
    for (struct batch *b = s->batch; b < s->batch + ARRAY_LEN(s->batch); b++)
        while (b->count > 0) {
            struct partition *p = take_out(b, 0);
            struct job *j = p->job;
            partition_release(g, p);
            p->held = false;
            partition_phase(g, p, j->stage == JOB_PARSED ? ENGINE_PHASE_QUEUED : ENGINE_PHASE_CANCELLED);
            let_job_go(g, j);
            pthread_cond_broadcast(&g->work);
        }
}

/* ---- what is next ---- */

/* Is something of this circuit on its way to the device? What waits for memory is not: perhaps for that of
 * the batch. */
static bool coming(const struct engine *g, int device, const struct srs *srs)
{
    for (const struct job *j = g->active; j; j = j->next) {
        if (j->stage != JOB_PARSED || j->cancel)
            continue;
        for (unsigned i = 0; i < j->partition_count; i++) {
            const struct partition *p = &j->partitions[i];
            if (p->device == device && p->srs == srs &&
                (p->phase == ENGINE_PHASE_SRS || p->phase == ENGINE_PHASE_WITNESS ||
                 p->phase == ENGINE_PHASE_READY))
                return true;
        }
    }
    return false;
}

/* The batch to settle before next (NULL: nothing is ready) is proved; NULL: none. So there are never two
 * urgent or two ordinary ones. */
static struct batch *due(struct engine *g, const struct worker *w, const struct partition *next)
{
    struct device_slot *s = &g->slot[w->device];
    for (unsigned urgent = 2; urgent-- > 0;) { /* those first */
        struct batch *b = &s->batch[urgent];
        const bool between =
            next && next->job->urgent && !urgent && !next->alone && reserve_fits_device(s, next);
        if (b->count == 0 || between)
            continue;
        if (b->count >= b->most)
            return b;
        if (!next ? !coming(g, w->device, b->srs) : !reserve_fits_device(s, next))
            return b;
        if (next && next->srs != b->srs)
            return b;
    }
    return NULL;
}

/* ---- proving ---- */

/* The partition that will be proved after this one, unless an urgent one comes: held, for its witness is
 * brought to the device meanwhile. NULL: not known. */
static struct partition *take_next(const struct worker *w, const struct partition *p)
{
    struct engine *g = w->engine;
    struct partition *next =
        g->slot[w->device].device->settle ? pick_by_phase(g, w, ENGINE_PHASE_READY) : NULL;
    if (!next || next->srs != p->srs)
        return NULL;
    next->held = true;
    next->job->busy++;
    return next;
}

static void put_back(struct engine *g, struct partition *next)
{
    struct cuzk_error e = {0};
    struct job *j = next->job;
    if (goes_on(g, next, CUZK_OK, false, &e))
        partition_ready(g, next);
    let_job_go(g, j);
}

/* Its parameters on the device. CUZK_ERR_UNAVAILABLE: not beside what is there. */
static cuzk_status hold(struct worker *w, struct partition *p, const struct exec *x, struct cuzk_error *e)
{
    struct engine *g = w->engine;
    if (!g->slot[w->device].device->hold)
        return CUZK_OK;
    if (!p->srs->hot[w->device])
        partition_phase(g, p, ENGINE_PHASE_SRS);
    return srs_heat(g, p->srs, w->device, x, e);
}

static cuzk_status prove(struct worker *w, struct partition *p, const struct exec *x, struct cuzk_error *e)
{
    struct engine *g = w->engine;
    const struct engine_device *d = g->slot[w->device].device;
    const struct engine_task task = partition_task(g, p, x);
    struct partition *next = take_next(w, p);
    partition_phase(g, p, ENGINE_PHASE_DEVICE);
    pthread_cond_broadcast(&g->work); /* there is room before the device */
    engine_unlock(g);
    const cuzk_status status =
        d->prove(d->self, &task, p->prepared, next ? next->prepared : NULL, p->proof, e);
    engine_lock(g);
    end_step(p, timing_now());
    if (next)
        put_back(g, next);
    return status;
}

/* What was proved goes on: into a batch, or to the next lane. */
static void proved(struct engine *g, struct partition *p)
{
    struct device_slot *s = &g->slot[p->device];
    const struct engine_device *d = s->device;
    if (!d->settle) {
        reserve_device(g, p, 0);
        partition_proved(g, p);
        return;
    }
    struct batch *b = &s->batch[p->job->urgent];
    const unsigned most = d->batch(d->self, p->srs->params);
    b->most = most < 1 ? 1 : most < ENGINE_BATCH_MAX ? most : ENGINE_BATCH_MAX;
    reserve_device(g, p, p->need.kept);
    join(b, p);
    partition_phase(g, p, ENGINE_PHASE_BATCH);
}

/* It cannot be held beside an open batch: it waits, and the batch is settled before it is taken again. */
static bool steps_back(struct engine *g, struct partition *p)
{
    struct device_slot *s = &g->slot[p->device];
    struct cuzk_error e = {0};
    if (p->alone || !batches_members(s))
        return false;
    p->alone = true;
    reserve_device(g, p, 0);
    if (goes_on(g, p, CUZK_OK, false, &e)) {
        s->waiting[p->job->urgent]++;
        p->bound = true;
        partition_ready(g, p);
    }
    return true;
}

static void stage_prove(struct worker *w, struct partition *p)
{
    struct engine *g = w->engine;
    struct device_slot *s = &g->slot[w->device];
    struct progress told = {.g = g, .partition = &p, .count = 1};
    struct exec x = worker_exec(w, p->memory.own, p->job);
    struct cuzk_error e = {0};
    x.progress = progress;
    x.progress_user = &told;
    p->held = true;
    p->bound = false;
    s->waiting[p->job->urgent]--;
    s->running++;
    s->last_circuit = p->job->circuit;
    reserve_device(g, p, p->need.device);
    cuzk_status status = hold(w, p, &x, &e);
    end_step(p, timing_now());
    if (status == CUZK_OK)
        status = prove(w, p, &x, &e);
    s->running--;
    if (status == CUZK_ERR_UNAVAILABLE && steps_back(g, p))
        return;
    p->alone = false;
    if (goes_on(g, p, status, true, &e))
        proved(g, p);
}

static void serve(struct worker *w, struct partition *p)
{
    struct engine *g = w->engine;
    struct job *j = p->job;
    const uint64_t start = worker_begins(w, j, p);
    j->busy++;
    stage_prove(w, p);
    worker_ends(w, start, j, 0);
    let_job_go(g, j);
    pthread_cond_broadcast(&g->work);
}

/* ---- settling ---- */

/* All of them failed, or go on, each by itself. */
static void settled(struct engine *g, struct partition *const *member, unsigned count, cuzk_status status,
                    const struct cuzk_error *why)
{
    for (unsigned i = 0; i < count; i++) {
        struct partition *p = member[i];
        struct job *j = p->job;
        struct cuzk_error e = *why;
        end_step(p, timing_now());
        reserve_device(g, p, 0);
        for (unsigned k = 0; k < i; k++) /* one bundle a job is enough */
            p->bundled |= status != CUZK_OK && member[k]->job == j;
        if (goes_on(g, p, status, true, &e))
            partition_proved(g, p);
    }
    for (unsigned i = 0; i < count; i++)
        let_job_go(g, member[i]->job);
}

static void settle(struct worker *w, struct batch *b)
{
    struct engine *g = w->engine;
    struct device_slot *s = &g->slot[w->device];
    const struct engine_device *d = s->device;
    struct partition *member[ENGINE_BATCH_MAX];
    void *prepared[ENGINE_BATCH_MAX];
    struct cuzk_error e = {0};
    const unsigned count = b->count;
    for (unsigned i = 0; i < count; i++) {
        struct partition *p = member[i] = b->member[i];
        prepared[i] = p->prepared;
        p->together = count;
        partition_phase(g, p, ENGINE_PHASE_SETTLE);
    }
    struct job *first = member[0]->job;
    struct progress told = {.g = g, .partition = member, .count = count};
    struct exec x = worker_exec(w, g->budget, first);
    x.cancel = &g->halt;
    x.progress = progress;
    x.progress_user = &told;
    const uint64_t start = worker_begins(w, first, member[0]);
    s->running++;
    engine_unlock(g);
    const cuzk_status status = d->settle(d->self, &x, prepared, count, &e);
    engine_lock(g);
    s->running--;
    worker_ends(w, start, first, count);
    b->count = 0;
    settled(g, member, count, status, &e);
    pthread_cond_broadcast(&g->work);
}

bool device_turn(struct worker *w)
{
    struct engine *g = w->engine;
    struct device_slot *s = &g->slot[w->device];
    if (g->stopping || s->quarantined) {
        batches_dismiss(g, s);
        return false;
    }
    drop_ended(g, &s->batch[0]);
    drop_ended(g, &s->batch[1]);
    struct partition *next = pick_by_phase(g, w, ENGINE_PHASE_READY);
    struct batch *b = due(g, w, next);
    if (b)
        settle(w, b);
    else if (next && reserve_fits_device(s, next))
        serve(w, next);
    else
        return false;
    return true;
}
