/* engine/order.c - which partition is worked next, and on which device.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "engine/internal.h"

/* What comes before all deadlines: a block is lost in seconds, a window's in minutes. */
static unsigned rank(const struct job *j)
{
    return j->kind == ENGINE_WINNING_POST                                    ? 2
           : j->kind == ENGINE_WINDOW_POST || j->priority == ENGINE_CRITICAL ? 1
                                                                             : 0;
}

/* One that has passed hurries nobody any more. */
static uint64_t deadline(const struct job *j, uint64_t now)
{
    return j->deadline_unix_ms > now ? j->deadline_unix_ms : UINT64_MAX;
}

bool job_before(const struct job *a, const struct job *b, const char *circuit)
{
    const unsigned ra = rank(a), rb = rank(b);
    if (ra != rb)
        return ra > rb;
    const uint64_t now = a->deadline_unix_ms || b->deadline_unix_ms ? unix_ms() : 0, da = deadline(a, now),
                   db = deadline(b, now);
    if (da != db)
        return da < db;
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (circuit) {
        const bool sa = strcmp(a->circuit, circuit) == 0, sb = strcmp(b->circuit, circuit) == 0;
        if (sa != sb)
            return sa;
    }
    return a->seq < b->seq;
}

uint32_t job_position(const struct engine *g, const struct job *j)
{
    uint32_t position = 0;
    if (j->stage == JOB_ENDED)
        return 0;
    for (const struct job *other = g->active; other; other = other->next)
        if (other != j && !other->cancel && job_before(other, j, NULL))
            position++;
    return position;
}

/* May this worker take it at all? */
static bool takes(const struct worker *w, const struct job *j)
{
    return !j->cancel && (!w->urgent || j->urgent);
}

/* Parsed requests hold memory: no more of them than the pipeline is about to take before this one. */
static bool enough_parsed(const struct engine *g, const struct job *j)
{
    const unsigned most = (g->lookahead + 1) * g->device_workers * g->slots;
    unsigned ahead = 0;
    for (const struct job *other = g->active; other; other = other->next)
        ahead += other->ahead && !other->cancel && job_before(other, j, NULL);
    return ahead > most;
}

struct job *pick_to_parse(struct engine *g, const struct worker *w)
{
    struct job *best = NULL;
    if (g->stopping)
        return NULL;
    for (struct job *j = g->active; j; j = j->next)
        if (j->stage == JOB_WAITS && takes(w, j) && (!best || job_before(j, best, w->last_circuit)))
            best = j;
    return best && (best->urgent || !enough_parsed(g, best)) ? best : NULL;
}

static uint64_t bit(unsigned device)
{
    return UINT64_C(1) << device;
}

static bool allowed(const struct engine *g, unsigned d, const struct job *j)
{
    return (g->slot[d].kinds >> j->kind & 1) && !(g->slot[d].is_cpu && g->cpu_use == ENGINE_CPU_NEVER);
}

/* Is the CPU to step in: has every other device that may take it been tried, or is none in service? */
static bool falls_back(const struct engine *g, const struct partition *p)
{
    for (unsigned d = 0; d < g->slots; d++)
        if (!g->slot[d].is_cpu && allowed(g, d, p->job) && !(p->tried & bit(d)) && !g->slot[d].quarantined)
            return false;
    return true;
}

bool devices_exhausted(const struct engine *g, const struct partition *p)
{
    for (unsigned d = 0; d < g->slots; d++)
        if (allowed(g, d, p->job) && !(p->tried & bit(d)))
            return false;
    return true;
}

/* Room before the device for one more prepared partition: urgent ones have places of their own. One that
 * takes the next one's witness early has it in addition. */
static bool gate_open(const struct engine *g, const struct device_slot *s, bool urgent)
{
    const unsigned most = s->device->settle ? g->lookahead + 1 : g->lookahead * g->device_workers;
    return s->waiting[urgent] < most;
}

/* The best device for a partition; -1: none now. */
static int choose_device(const struct engine *g, const struct partition *p)
{
    int best = -1;
    unsigned least = 0;
    for (unsigned d = 0; d < g->slots; d++) {
        const struct device_slot *s = &g->slot[d];
        if (!allowed(g, d, p->job) || s->quarantined || (p->tried & bit(d)) ||
            !gate_open(g, s, p->job->urgent))
            continue;
        if (s->is_cpu && g->cpu_use == ENGINE_CPU_FALLBACK && !falls_back(g, p))
            continue;
        unsigned load = 2 * (s->running + s->waiting[1] + (p->job->urgent ? 0 : s->waiting[0]));
        if (s->last_circuit && strcmp(s->last_circuit, p->job->circuit) != 0)
            load++;
        if (best < 0 || load < least) {
            best = (int)d;
            least = load;
        }
    }
    return best;
}

struct partition *pick_to_prepare(struct engine *g, const struct worker *w, int *device)
{
    struct partition *best = NULL;
    if (g->stopping)
        return NULL;
    for (struct job *j = g->active; j; j = j->next) {
        if (j->stage != JOB_PARSED || !takes(w, j) || (best && !job_before(j, best->job, w->last_circuit)))
            continue;
        for (unsigned i = 0; i < j->partition_count; i++) {
            struct partition *p = &j->partitions[i];
            if (p->phase != ENGINE_PHASE_QUEUED || p->held)
                continue;
            const int d = choose_device(g, p);
            if (d < 0)
                continue;
            best = p;
            *device = d;
            break;
        }
    }
    return best;
}

struct partition *pick_by_phase(struct engine *g, const struct worker *w, enum engine_phase phase)
{
    struct partition *best = NULL;
    if (g->stopping || (w->device >= 0 && g->slot[w->device].quarantined))
        return NULL;
    for (struct job *j = g->active; j; j = j->next) {
        if (j->stage != JOB_PARSED || !takes(w, j) || (best && !job_before(j, best->job, w->last_circuit)))
            continue;
        for (unsigned i = 0; i < j->partition_count; i++) {
            struct partition *p = &j->partitions[i];
            if (p->phase != phase || p->held || (w->device >= 0 && p->device != w->device))
                continue;
            best = p;
            break;
        }
    }
    return best;
}
