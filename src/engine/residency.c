/* engine/residency.c - parameters in memory: loaded when needed, held while in use, evicted when idle.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "engine/internal.h"

static void tell(struct engine *g, const struct srs *s, const char *what)
{
    events_put(g->events,
               &(struct engine_event){.type = ENGINE_EVENT_SRS, .partition = -1, .text = s->circuit});
    events_log(g->events, ENGINE_INFO, "srs", "%s: %s", s->circuit, what);
}

/* What is loaded takes memory, and is no leak. */
static void forget_baselines(struct engine *g)
{
    g->baseline = 0;
    for (unsigned d = 0; d < g->slots; d++)
        g->slot[d].baseline = 0;
}

static struct srs *entry_of(struct engine *g, const char *circuit)
{
    for (size_t i = 0; i < g->srs_count; i++)
        if (strcmp(g->srs[i].circuit, circuit) == 0)
            return &g->srs[i];
    if (g->srs_count == CIRCUITS_MAX || strlen(circuit) >= sizeof g->srs[0].circuit)
        return NULL;
    struct srs *s = &g->srs[g->srs_count++];
    memcpy(s->circuit, circuit, strlen(circuit) + 1);
    return s;
}

/* Take one out of memory that nobody uses. With the lock held, which is let go. */
static uint64_t unload(struct engine *g, struct srs *s, const char *why)
{
    struct engine_params *params = s->params;
    const uint64_t bytes = s->bytes;
    memset(s->hot, 0, sizeof s->hot);
    s->params = NULL;
    s->loading = true;
    engine_unlock(g);
    for (unsigned d = 0; d < g->slots; d++)
        if (g->slot[d].device->drop)
            g->slot[d].device->drop(g->slot[d].device->self, params);
    g->work_table->close(g->work_table->self, params);
    engine_lock(g);
    s->loading = false;
    forget_baselines(g);
    tell(g, s, why);
    pthread_cond_broadcast(&g->work);
    return bytes;
}

static bool may_go(const struct srs *s)
{
    return s->params && !s->loading && s->refs == 0 && !s->held;
}

/* Make room for one more where their number is limited: the one that was not used for longest goes. */
static void make_room(struct engine *g)
{
    unsigned loaded = 0;
    struct srs *oldest = NULL;
    for (size_t i = 0; i < g->srs_count; i++) {
        struct srs *s = &g->srs[i];
        loaded += s->params != NULL;
        if (may_go(s) && (!oldest || s->last_used < oldest->last_used))
            oldest = s;
    }
    if (g->limits.srs_max && loaded >= g->limits.srs_max && oldest)
        unload(g, oldest, "evicted to make room");
}

/* Read a file's pages into memory, so that the first proof need not wait for the disk: one that is small
 * against the memory that there is. */
static void read_ahead(const char *path, uint64_t memory)
{
    struct file_map map;
    if (file_map(&map, path, 0, NULL) != CUZK_OK)
        return;
    if (map.size > memory / 2) {
        file_unmap(&map);
        return;
    }
#ifdef MADV_POPULATE_READ
    if (madvise((void *)(uintptr_t)map.data, map.size, MADV_POPULATE_READ) != 0)
#endif
        (void)posix_fadvise(map.fd, 0, 0, POSIX_FADV_WILLNEED);
    file_unmap(&map);
}

static struct file_mark mark_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return (struct file_mark){0};
    return (struct file_mark){.device = (uint64_t)st.st_dev,
                              .inode = (uint64_t)st.st_ino,
                              .size = (uint64_t)st.st_size,
                              .changed_ns =
                                  (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec};
}

/* Is another file there now? One that is gone is no reason to let go of what is open. */
static bool replaced(const struct srs *s)
{
    const struct file_mark now = mark_of(s->path);
    return now.inode != 0 && memcmp(&now, &s->mark, sizeof now) != 0;
}

/* Find and open; s->loading is set, the lock is not held. */
static cuzk_status load(struct engine *g, struct srs *s, const struct exec *x, struct cuzk_error *e)
{
    char *path = NULL;
    struct engine_params *params = NULL;
    struct work *const work = g->work_table;
    const uint64_t start = timing_now();
    struct file_mark mark = {0};
    cuzk_status status = work->find(work->self, s->circuit, &path, e);
    if (status == CUZK_OK) {
        mark = mark_of(path);
        status = work->open(work->self, x, s->circuit, path, &params, e);
    }
    engine_lock(g);
    if (path) {
        mem_free(s->path);
        s->path = path;
    }
    if (status == CUZK_OK) {
        s->params = params;
        s->mark = mark;
        s->bytes = params ? params->bytes : 0;
        s->load_ms = (timing_now() - start) / 1000000;
        s->last_used = timing_now();
    }
    engine_unlock(g);
    return status;
}

cuzk_status srs_acquire(struct engine *g, const char *circuit, const struct exec *x, struct srs **out,
                        struct cuzk_error *e)
{
    struct srs *s = entry_of(g, circuit);
    if (!s)
        return error_set(e, CUZK_ERR_INTERNAL, "no room for the parameters of %s", circuit);
    while (s->loading && !exec_cancelled(x))
        wait_ms(&g->work, &g->lock, WAIT_SLICE_MS);
    if (exec_cancelled(x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    if (s->params && s->refs == 0 && s->path && replaced(s))
        unload(g, s, "its file was replaced: opened anew");
    s->refs++;
    if (!s->params) {
        s->loading = true;
        make_room(g);
        engine_unlock(g);
        const cuzk_status status = load(g, s, x, e);
        engine_lock(g);
        s->loading = false;
        pthread_cond_broadcast(&g->work);
        if (status != CUZK_OK) {
            s->refs--;
            return status;
        }
        forget_baselines(g);
        tell(g, s, "loaded");
        if (s->params && s->params->templates && s->params->templates->unkept[0])
            events_log(g->events, ENGINE_WARN, "srs",
                       "%s: the circuit's templates are made anew each time: %s", s->circuit,
                       s->params->templates->unkept);
    }
    s->last_used = timing_now();
    *out = s;
    return CUZK_OK;
}

void srs_release(struct engine *g, struct srs *s)
{
    if (!s)
        return;
    s->refs--;
    s->last_used = timing_now();
    pthread_cond_broadcast(&g->work);
}

/* What a device holds now: others may have gone for what came. True: it has changed. */
static bool look_at_device(struct engine *g, unsigned device)
{
    const struct engine_device *d = g->slot[device].device;
    bool changed = false;
    for (size_t i = 0; d->holds && i < g->srs_count; i++) {
        struct srs *s = &g->srs[i];
        const bool hot = s->params && d->holds(d->self, s->params);
        changed |= hot != s->hot[device];
        s->hot[device] = hot;
    }
    return changed;
}

cuzk_status srs_heat(struct engine *g, struct srs *s, int device, const struct exec *x, struct cuzk_error *e)
{
    const struct engine_device *d = g->slot[device].device;
    if (d->hold) {
        engine_unlock(g);
        const cuzk_status status = d->hold(d->self, x, s->params, e);
        engine_lock(g);
        if (look_at_device(g, (unsigned)device))
            forget_baselines(g);
        return status;
    }
    while (s->loading)
        wait_ms(&g->work, &g->lock, WAIT_SLICE_MS);
    if (s->hot[device])
        return CUZK_OK;
    s->loading = true;
    engine_unlock(g);
    if (s->path)
        read_ahead(s->path, budget_limit(g->budget));
    engine_lock(g);
    s->loading = false;
    s->hot[device] = true;
    forget_baselines(g);
    pthread_cond_broadcast(&g->work);
    return CUZK_OK;
}

void srs_look_around(struct engine *g)
{
    const struct work *work = g->work_table;
    const char *circuit;
    for (size_t i = 0; work->circuit && (circuit = work->circuit(work->self, i)) != NULL; i++) {
        char *path = NULL;
        struct stat st;
        if (work->find(work->self, circuit, &path, NULL) != CUZK_OK)
            continue;
        struct srs *s = entry_of(g, circuit);
        if (s && !s->path) {
            s->path = path;
            s->bytes = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
        } else {
            mem_free(path);
        }
    }
}

void srs_evict_idle(struct engine *g)
{
    const uint64_t now = timing_now(), most = g->limits.srs_idle_ms * 1000000;
    for (size_t i = 0; most && i < g->srs_count; i++)
        if (may_go(&g->srs[i]) && now - g->srs[i].last_used > most)
            unload(g, &g->srs[i], "evicted, not used for a while");
}

void srs_free_all(struct engine *g)
{
    for (size_t i = 0; i < g->srs_count; i++) {
        if (g->srs[i].params)
            g->work_table->close(g->work_table->self, g->srs[i].params);
        mem_free(g->srs[i].path);
    }
    g->srs_count = 0;
}

/* ---- by hand ---- */

/* Before anybody needs them: a device that cannot take them, or not now, does without. */
static cuzk_status heat_early(struct engine *g, struct srs *s, int device, const struct exec *x,
                              struct cuzk_error *e)
{
    const struct engine_device *d = g->slot[device].device;
    if (d->able && !d->able(d->self, s->params, e))
        return CUZK_OK;
    const cuzk_status status = srs_heat(g, s, device, x, e);
    return status == CUZK_ERR_UNAVAILABLE ? CUZK_OK : status;
}

cuzk_status engine_preload(struct engine *engine, const char *circuit, bool *already_loaded,
                           uint64_t *load_ms, struct cuzk_error *e)
{
    struct pool *pool;
    struct srs *s = NULL;
    char *path = NULL;
    cuzk_status status = engine->work_table->find(engine->work_table->self, circuit, &path, e);
    mem_free(path);
    if (status == CUZK_OK)
        status = pool_new(&pool, engine->threads, e);
    if (status != CUZK_OK)
        return status;
    const struct exec x = {
        .pool = pool, .budget = engine->budget, .variant = engine->variant, .cancel = &engine->halt};
    /* One that has several names is kept under its first. */
    char first[32] = "";
    if (strncmp(circuit, "wpost-", 6) == 0 && strlen(circuit) < 24) {
        memcpy(first, "window-", 7);
        memcpy(first + 7, circuit + 6, strlen(circuit + 6) + 1);
    }
    engine_lock(engine);
    const uint64_t start = timing_now();
    struct srs *known = entry_of(engine, first[0] ? first : circuit);
    const bool was = known && known->params;
    status = srs_acquire(engine, first[0] ? first : circuit, &x, &s, e);
    for (unsigned d = 0; status == CUZK_OK && d < engine->slots; d++)
        if (!engine->slot[d].quarantined && !(engine->slot[d].is_cpu && engine->slots > 1))
            status = heat_early(engine, s, (int)d, &x, e);
    if (s) {
        s->held = status == CUZK_OK;
        srs_release(engine, s);
    }
    if (status == CUZK_OK) {
        *already_loaded = was;
        *load_ms = (timing_now() - start) / 1000000;
    }
    engine_unlock(engine);
    pool_free(pool);
    return status;
}

cuzk_status engine_evict(struct engine *engine, const char *circuit, bool *was_loaded, uint64_t *freed_bytes,
                         struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    const bool other = strncmp(circuit, "wpost-", 6) == 0;
    *was_loaded = false;
    *freed_bytes = 0;
    engine_lock(engine);
    for (size_t i = 0; i < engine->srs_count; i++) {
        struct srs *s = &engine->srs[i];
        const bool same =
            other ? strncmp(s->circuit, "window-", 7) == 0 && strcmp(s->circuit + 7, circuit + 6) == 0
                  : strcmp(s->circuit, circuit) == 0;
        if (!same || !s->params)
            continue;
        if (s->refs || s->loading) {
            status = error_set(e, CUZK_ERR_UNAVAILABLE, "the parameters of %s are in use", circuit);
            break;
        }
        s->held = false;
        *freed_bytes = unload(engine, s, "evicted");
        *was_loaded = true;
    }
    engine_unlock(engine);
    return status;
}
