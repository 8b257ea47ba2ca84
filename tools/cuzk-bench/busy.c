/* cuzk-bench/busy.c - see busy.h. The metrics are asked for by a thread, beside the load.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "cuzk-bench/busy.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_NS 20000000L

struct moment {
    double at, seconds[BUSY_WORKERS];
    struct busy_worker who[BUSY_WORKERS];
    size_t count;
};

struct busy {
    struct remote *remote;
    double start, after, seconds;
    pthread_t thread;
    bool joined;
    _Atomic bool stop;
    struct moment first, last;
    struct busy_worker worker[BUSY_WORKERS];
    size_t count;
};

static void read_line(struct moment *m, const char *line)
{
    struct busy_worker w = {.device = -1};
    double seconds;
    if (m->count < BUSY_WORKERS &&
        sscanf(line, "cuzk_worker_busy_seconds_total{lane=\"%15[a-z]\",worker=\"%u\",device=\"%d\"} %lf",
               w.lane, &w.worker, &w.device, &seconds) == 4) {
        m->seconds[m->count] = seconds;
        m->who[m->count++] = w;
    }
}

static bool look(struct busy *b, struct moment *out)
{
    struct cuzk_error e;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return false;
    struct moment m = {.at = now_seconds()};
    const cuzk_status status = remote_metrics(b->remote, f, false, &e);
    const bool fine = fclose(f) == 0 && status == CUZK_OK;
    m.at = (m.at + now_seconds()) / 2;
    for (char *line = text, *end; fine && line && *line; line = end) {
        end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        read_line(&m, line);
    }
    free(text);
    if (fine)
        *out = m;
    return fine;
}

/* False: stopped before. */
static bool sleep_until(const struct busy *b, double when)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    while (!b->stop && (when == 0 || now_seconds() < when))
        nanosleep(&pause, NULL);
    return !b->stop;
}

static void *watch(void *arg)
{
    struct busy *b = arg;
    if (!sleep_until(b, b->start + b->after) || !look(b, &b->first))
        return NULL;
    (void)sleep_until(b, b->seconds > 0 ? b->start + b->seconds : 0);
    if (!look(b, &b->last) || b->last.at <= b->first.at || b->last.count != b->first.count)
        return NULL;
    for (size_t i = 0; i < b->last.count; i++) {
        b->worker[i] = b->last.who[i];
        b->worker[i].share = (b->last.seconds[i] - b->first.seconds[i]) / (b->last.at - b->first.at);
    }
    b->count = b->last.count;
    return NULL;
}

struct busy *busy_start(struct remote *remote, double after, double seconds)
{
    struct busy *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->remote = remote;
    b->start = now_seconds();
    b->after = after;
    b->seconds = seconds;
    if (pthread_create(&b->thread, NULL, watch, b) == 0)
        return b;
    free(b);
    return NULL;
}

void busy_stop(struct busy *b)
{
    if (!b || b->joined)
        return;
    b->stop = true;
    pthread_join(b->thread, NULL);
    b->joined = true;
}

void busy_free(struct busy *b)
{
    busy_stop(b);
    free(b);
}

size_t busy_workers(const struct busy *b, const struct busy_worker **out)
{
    *out = b ? b->worker : NULL;
    return b ? b->count : 0;
}

void busy_emit(struct emit *e, const char *key, const struct busy *b)
{
    const struct busy_worker *w;
    const size_t n = busy_workers(b, &w);
    emit_open(e, key, '[');
    for (size_t i = 0; i < n; i++) {
        emit_open(e, NULL, '{');
        emit_text(e, "lane", w[i].lane);
        emit_count(e, "worker", w[i].worker);
        if (w[i].device >= 0)
            emit_count(e, "device", (uint64_t)w[i].device);
        emit_number(e, "busy", w[i].share);
        emit_close(e, '}');
    }
    emit_close(e, ']');
}

void busy_print(FILE *f, const struct busy *b)
{
    const struct busy_worker *w;
    const size_t n = busy_workers(b, &w);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (w[i].share < 0.0005)
            continue;
        fprintf(f, "%s%s", any ? ", " : "busy: ", w[i].lane);
        if (w[i].device >= 0)
            fprintf(f, " %d", w[i].device);
        fprintf(f, " %.1f %%", 100 * w[i].share);
        any = true;
    }
    if (any)
        fputc('\n', f);
}
