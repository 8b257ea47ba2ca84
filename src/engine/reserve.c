/* engine/reserve.c - memory is promised before it is used.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "engine/internal.h"

/* Let the requests go that were parsed and not begun, other than j's: they are parsed again in their turn.
 * True: there was one. */
static bool drop_parsed(struct engine *g, const struct job *j)
{
    for (struct job *other = g->active; other; other = other->next) {
        if (other == j || other->stage != JOB_PARSED || other->busy || !other->request_memory.bytes)
            continue;
        bool begun = false;
        for (unsigned i = 0; i < other->partition_count; i++)
            begun |= other->partitions[i].phase != ENGINE_PHASE_QUEUED &&
                     !phase_is_final(other->partitions[i].phase);
        if (begun)
            continue;
        if (other->request)
            g->work_table->request_free(g->work_table->self, other->request);
        other->request = NULL;
        reserve_release(g, &other->request_memory);
        other->stage = JOB_WAITS;
        other->ahead = false;
        return true;
    }
    return false;
}

/* Does anybody hold memory that will come back by itself? */
static bool others_hold(const struct engine *g)
{
    unsigned busy = 0;
    if (g->in_flight)
        return true;
    for (size_t i = 0; i < g->worker_count; i++)
        busy += g->workers[i].busy;
    return busy > g->memory_waiting;
}

static bool fits(const struct engine *g, uint64_t bytes, bool urgent)
{
    const uint64_t limit = budget_limit(g->budget), used = budget_used(g->budget),
                   kept = urgent ? 0 : g->urgent_memory;
    return used <= limit && bytes <= limit - used && kept <= limit - used - bytes;
}

cuzk_status reserve(struct engine *g, struct reservation *out, uint64_t bytes, const struct job *j,
                    const char *what, struct cuzk_error *e)
{
    const uint64_t most = budget_limit(g->budget) - (j->urgent ? 0 : g->urgent_memory);
    if (bytes > most)
        return error_set(e, CUZK_ERR_MEMORY, "%s of %s needs %llu MiB, the budget allows %llu", what,
                         j->circuit, (unsigned long long)(bytes >> 20), (unsigned long long)(most >> 20));
    cuzk_status status = CUZK_OK;
    g->memory_waiting++;
    while (!fits(g, bytes, j->urgent)) {
        if (j->cancel || g->stopping) {
            status = error_set(e, CUZK_ERR_CANCELLED, "cancelled");
            break;
        }
        if (!others_hold(g) && !drop_parsed(g, j)) {
            status =
                error_set(e, CUZK_ERR_MEMORY, "%s of %s needs %llu MiB, of the budget %llu are left", what,
                          j->circuit, (unsigned long long)(bytes >> 20),
                          (unsigned long long)((budget_limit(g->budget) - budget_used(g->budget)) >> 20));
            break;
        }
        if (!fits(g, bytes, j->urgent))
            wait_ms(&g->work, &g->lock, WAIT_SLICE_MS);
    }
    g->memory_waiting--;
    if (status == CUZK_OK)
        status = budget_reserve(g->budget, bytes, what, e);
    if (status != CUZK_OK)
        return status;
    struct budget *own;
    status = budget_new_part(&own, g->budget, bytes ? bytes : 1, e);
    if (status != CUZK_OK) {
        budget_release(g->budget, bytes);
        return status;
    }
    *out = (struct reservation){.own = own, .bytes = bytes};
    return CUZK_OK;
}

void reserve_shrink(struct engine *g, struct reservation *r)
{
    const uint64_t used = budget_used(r->own);
    if (used < r->bytes) {
        budget_release(g->budget, r->bytes - used);
        r->bytes = used;
        pthread_cond_broadcast(&g->work);
    }
}

void reserve_release(struct engine *g, struct reservation *r)
{
    if (!r->own)
        return;
    budget_free(r->own);
    budget_release(g->budget, r->bytes);
    *r = (struct reservation){0};
    pthread_cond_broadcast(&g->work);
}

uint64_t *learned_host(struct engine *g, const char *circuit, int device)
{
    for (size_t i = 0; i < g->learned_count; i++)
        if (strcmp(g->learned[i].circuit, circuit) == 0)
            return &g->learned[i].host[device];
    if (g->learned_count == CIRCUITS_MAX || strlen(circuit) >= sizeof g->learned[0].circuit)
        return NULL;
    struct learned *l = &g->learned[g->learned_count++];
    memcpy(l->circuit, circuit, strlen(circuit) + 1);
    return &l->host[device];
}

/* ---- of a device ---- */

bool reserve_fits_device(const struct device_slot *s, const struct partition *p)
{
    return !s->total || !s->reserved || (s->reserved <= s->total && p->need.device <= s->total - s->reserved);
}

void reserve_device(struct engine *g, struct partition *p, uint64_t bytes)
{
    if (bytes == p->device_bytes)
        return;
    struct device_slot *s = &g->slot[p->device];
    s->reserved = s->reserved - p->device_bytes + bytes;
    p->device_bytes = bytes;
    pthread_cond_broadcast(&g->work);
}
