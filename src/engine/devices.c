/* engine/devices.c - devices out of service and back.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>

#include "engine/internal.h"

#define BACKOFF_MAX 6 /* doublings of the time in quarantine */

static void tell(struct engine *g, const struct device_slot *s, const char *what)
{
    events_put(g->events,
               &(struct engine_event){.type = ENGINE_EVENT_DEVICE, .partition = -1, .text = s->device->name});
    events_log(g->events, ENGINE_WARN, "device", "%s: %s", s->device->name, what);
}

bool devices_in_service(const struct engine *g)
{
    for (unsigned d = 0; d < g->slots; d++)
        if (!g->slot[d].quarantined && !(g->slot[d].is_cpu && g->cpu_use == ENGINE_CPU_NEVER))
            return true;
    return false;
}

/* What waits for this device and is not on it goes back to the queue. */
static void send_back(struct engine *g, int device)
{
    struct partition *found;
    do {
        found = NULL;
        for (struct job *j = g->active; j && !found; j = j->next)
            for (unsigned i = 0; i < j->partition_count && !found; i++)
                if (j->partitions[i].phase == ENGINE_PHASE_READY && j->partitions[i].device == device &&
                    !j->partitions[i].held)
                    found = &j->partitions[i];
        if (found) {
            struct job *j = found->job;
            j->busy++;
            found->held = true;
            partition_release(g, found);
            found->held = false;
            partition_phase(g, found, j->stage == JOB_PARSED ? ENGINE_PHASE_QUEUED : ENGINE_PHASE_CANCELLED);
            j->busy--;
            job_settle(g, j);
        }
    } while (found);
}

static void quarantine(struct device_slot *s, uint64_t first_ns)
{
    s->until = timing_now() + (first_ns << s->backoff);
    if (s->backoff < BACKOFF_MAX)
        s->backoff++;
}

void device_failed(struct engine *g, int device, bool invalid, const char *message)
{
    struct device_slot *s = &g->slot[device];
    snprintf(s->fault, sizeof s->fault, "%s", message);
    if (invalid)
        s->invalid++;
    s->failures++;
    if (s->is_cpu || s->quarantined)
        return; /* nothing is behind the CPU */
    s->quarantined = true;
    quarantine(s, g->quarantine_ns);
    g->counters.quarantines++;
    tell(g, s, "in quarantine");
    send_back(g, device);
    pthread_cond_broadcast(&g->work);
}

void device_well(struct engine *g, int device)
{
    g->slot[device].backoff = 0;
}

void devices_probe(struct engine *g)
{
    for (unsigned d = 0; d < g->slots && !g->stopping; d++) {
        struct device_slot *s = &g->slot[d];
        struct cuzk_error e = {0};
        if (!s->quarantined || s->running || batches_members(s) || timing_now() < s->until)
            continue;
        cuzk_status status = CUZK_OK;
        if (s->device->probe) {
            engine_unlock(g);
            status = s->device->probe(s->device->self, &e);
            engine_lock(g);
        }
        if (status == CUZK_OK) {
            s->quarantined = false;
            for (size_t i = 0; i < g->srs_count; i++)
                g->srs[i].hot[d] = false; /* what it held may be gone */
            tell(g, s, "back in service");
            pthread_cond_broadcast(&g->work);
        } else {
            snprintf(s->fault, sizeof s->fault, "%s", e.message);
            quarantine(s, g->quarantine_ns);
        }
    }
}
