/* engine/upkeep.c - what is looked after while others work: deadlines, idle parameters, devices in
 * quarantine, old results, the journal, memory that does not come back.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "engine/internal.h"

#define TICK_MS     100
#define WATCH_TICKS 10  /* a second */
#define PRUNE_TICKS 600 /* a minute */
#define LEAK_LEAST  ((uint64_t)64 << 20)

static void expire(struct engine *g)
{
    const uint64_t now = unix_ms();
    struct job *j = g->active;
    while (j) {
        const bool late = (j->flags & ENGINE_EXPIRES) && j->deadline_unix_ms && j->deadline_unix_ms < now &&
                          j->stage >= JOB_WAITS && j->stage < JOB_ENDING;
        if (late && !g->stopping) {
            job_end(g, j, ENGINE_STATE_CANCELLED, CUZK_ERR_CANCELLED, true, "its deadline has passed");
            j = g->active; /* the list may have changed */
        } else {
            j = j->next;
        }
    }
}

static uint64_t status_kib(const char *key)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *f = fopen("/proc/self/status", "re");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), " %llu", &kib) == 1)
            break;
    fclose(f);
    return kib;
}

uint64_t own_memory(void)
{
    return status_kib("RssAnon:") << 10;
}

static void look_at_devices(struct engine *g)
{
    for (unsigned d = 0; d < g->slots; d++) {
        struct device_slot *s = &g->slot[d];
        if (!s->device->memory || s->running || batches_members(s))
            continue;
        s->device->memory(s->device->self, &s->total, &s->free);
        if (!s->baseline && s->proofs)
            s->baseline = s->free;
        const bool leak = s->baseline && s->free + LEAK_LEAST < s->baseline;
        if (leak && !s->leak)
            events_log(g->events, ENGINE_WARN, "memory", "%s: %llu MiB that were free are not free again",
                       s->device->name, (unsigned long long)((s->baseline - s->free) >> 20));
        s->leak = leak;
    }
}

/* When nothing runs, memory should be where it was when nothing ran before. */
static void look_at_memory(struct engine *g)
{
    if (g->active_count || !g->ran)
        return;
    g->ran = false;
    engine_unlock(g);
    malloc_trim(0);
    const uint64_t now = own_memory();
    engine_lock(g);
    look_at_devices(g);
    if (!g->baseline)
        g->baseline = now;
    const bool leak = now > g->baseline + g->baseline / 10 + LEAK_LEAST;
    if (leak && !g->leak)
        events_log(g->events, ENGINE_WARN, "memory", "idle with %llu MiB, %llu MiB when first idle",
                   (unsigned long long)(now >> 20), (unsigned long long)(g->baseline >> 20));
    g->leak = leak;
}

static void prune_journal(struct engine *g)
{
    struct cuzk_error e = {0};
    if (!g->journal)
        return;
    const uint64_t now = unix_ms(), keep = g->limits.keep_ms, jobs = g->limits.keep_jobs;
    engine_unlock(g);
    const cuzk_status status = journal_prune(g->journal, now > keep ? now - keep : 0, jobs, &e);
    engine_lock(g);
    if (status != CUZK_OK)
        events_log(g->events, ENGINE_WARN, "journal", "%s", e.message);
}

void *upkeep_main(void *engine)
{
    struct engine *g = engine;
    engine_lock(g);
    for (unsigned tick = 0; !g->quit; tick++) {
        expire(g);
        srs_evict_idle(g);
        devices_probe(g);
        ended_prune(g);
        journal_write_again(g);
        if (g->journal && tick % WATCH_TICKS == 0) {
            engine_unlock(g);
            journal_watch(g->journal);
            engine_lock(g);
        }
        journal_mend(g);
        look_at_memory(g);
        if (tick % PRUNE_TICKS == 0)
            prune_journal(g);
        if (!g->quit)
            wait_ms(&g->idle, &g->lock, TICK_MS);
    }
    engine_unlock(g);
    return NULL;
}
