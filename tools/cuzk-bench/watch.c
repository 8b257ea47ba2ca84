/* cuzk-bench/watch.c - memory of a process while a benchmark runs, sampled by a thread.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "common/nvml.h"
#include "cuzk-bench/bench.h"

#define POINTS_MAX 16384 /* then every second one goes, and half as many follow */
#define GIB        1073741824.0

struct watch {
    pid_t pid;
    pthread_t thread;
    bool running;
    _Atomic bool stop;
    struct nvml *nvml;
    struct process_memory peak, first, last;
    uint64_t device_peak;
    bool device_whole;
    unsigned stride, skipped;
    size_t count;
    double at[POINTS_MAX], resident[POINTS_MAX], anonymous[POINTS_MAX];
};

static void most_of(uint64_t *most, uint64_t value)
{
    *most = value > *most ? value : *most;
}

static void take_device(struct watch *w)
{
    uint64_t told = 0, whole = 0;
    bool any = false;
    for (unsigned d = 0; d < nvml_device_count(w->nvml); d++) {
        uint64_t used, total;
        if (nvml_process_memory(w->nvml, d, &w->pid, 1, &used)) {
            told += used;
            any = true;
        }
        if (nvml_device_memory(w->nvml, d, &total, &used))
            whole += used;
    }
    w->device_whole = !any && nvml_device_count(w->nvml) > 0;
    most_of(&w->device_peak, any ? told : whole);
}

static void keep(struct watch *w, const struct process_memory *m)
{
    if (w->skipped++ % w->stride)
        return;
    if (w->count == POINTS_MAX) {
        for (size_t i = 0; i < POINTS_MAX / 2; i++) {
            w->at[i] = w->at[2 * i];
            w->resident[i] = w->resident[2 * i];
            w->anonymous[i] = w->anonymous[2 * i];
        }
        w->count /= 2;
        w->stride *= 2;
    }
    w->at[w->count] = now_seconds();
    w->resident[w->count] = (double)m->resident / GIB;
    w->anonymous[w->count++] = (double)m->anonymous / GIB;
}

static void take(struct watch *w, bool first)
{
    struct process_memory m = {0};
    if (!process_memory_add(&m, w->pid))
        return;
    if (first)
        w->first = m;
    w->last = m;
    most_of(&w->peak.resident, m.resident);
    most_of(&w->peak.anonymous, m.anonymous);
    most_of(&w->peak.file, m.file);
    most_of(&w->peak.shared, m.shared);
    keep(w, &m);
    take_device(w);
}

static void *run(void *context)
{
    struct watch *w = context;
    const struct timespec pause = {.tv_nsec = 50000000};
    while (!atomic_load(&w->stop)) {
        nanosleep(&pause, NULL);
        take(w, false);
    }
    return NULL;
}

struct watch *watch_start(pid_t pid, bool devices)
{
    struct watch *w = pid > 0 ? calloc(1, sizeof *w) : NULL;
    if (!w)
        return NULL;
    w->pid = pid;
    w->stride = 1;
    w->nvml = devices ? nvml_open() : NULL;
    take(w, true);
    w->running = pthread_create(&w->thread, NULL, run, w) == 0;
    return w;
}

void watch_stop(struct watch *w)
{
    if (!w || !w->running)
        return;
    atomic_store(&w->stop, true);
    pthread_join(w->thread, NULL);
    w->running = false;
    struct process_memory pages = {0};
    if (process_pages_add(&pages, w->pid)) {
        w->last.huge = pages.huge;
        w->last.proportional = pages.proportional;
    }
}

void watch_free(struct watch *w)
{
    watch_stop(w);
    if (w)
        nvml_close(w->nvml);
    free(w);
}

void watch_emit(struct emit *e, const char *key, const struct watch *w)
{
    if (!w) {
        emit_null(e, key);
        return;
    }
    emit_open(e, key, '{');
    emit_count(e, "pid", (uint64_t)w->pid);
    emit_count(e, "peak_rss_bytes", w->peak.resident);
    emit_count(e, "peak_anonymous_bytes", w->peak.anonymous);
    emit_count(e, "peak_file_bytes", w->peak.file);
    emit_count(e, "peak_shmem_bytes", w->peak.shared);
    emit_count(e, "first_rss_bytes", w->first.resident);
    emit_count(e, "last_rss_bytes", w->last.resident);
    emit_count(e, "last_huge_bytes", w->last.huge);
    emit_count(e, "peak_device_bytes", w->device_peak);
    emit_text(e, "device_memory_of", w->device_whole ? "devices" : "process");
    emit_close(e, '}');
}

void watch_print(FILE *f, const struct watch *w)
{
    if (!w)
        return;
    fprintf(f,
            "memory of process %ld, GiB: resident %.3f at most (%.3f at first, %.3f at last), anonymous %.3f",
            (long)w->pid, (double)w->peak.resident / GIB, (double)w->first.resident / GIB,
            (double)w->last.resident / GIB, (double)w->peak.anonymous / GIB);
    if (w->device_peak > 0)
        fprintf(f, ", device %.3f", (double)w->device_peak / GIB);
    fputc('\n', f);
}

uint64_t watch_anonymous(const struct watch *w)
{
    return w ? w->peak.anonymous : 0;
}

size_t watch_points(const struct watch *w, const double **at, const double **resident,
                    const double **anonymous)
{
    if (!w)
        return 0;
    *at = w->at;
    *resident = w->resident;
    *anonymous = w->anonymous;
    return w->count;
}
