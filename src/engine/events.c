/* engine/events.c - events on their way to the hook.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine/events.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/timing.h"
#include "engine/internal.h"

#define WAITING_MAX  4096
#define WAITING_SOFT 2048 /* from here on progress is left out */
#define TEXT_MAX     1024

struct node {
    struct node *next;
    struct engine_event event;
    char texts[]; /* job id, request id, key, text */
};

struct events {
    pthread_mutex_t lock;
    pthread_cond_t some;
    pthread_t thread;
    void (*hook)(void *user, const struct engine_event *event);
    void *user;
    struct node *first, *last;
    size_t waiting;
    bool quit;
    _Atomic uint64_t dropped;
};

static void *tell(void *arg)
{
    struct events *q = arg;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        while (!q->first && !q->quit)
            pthread_cond_wait(&q->some, &q->lock);
        struct node *n = q->first;
        if (!n)
            break;
        q->first = n->next;
        if (!q->first)
            q->last = NULL;
        q->waiting--;
        pthread_mutex_unlock(&q->lock);
        q->hook(q->user, &n->event);
        mem_free(n);
        pthread_mutex_lock(&q->lock);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

cuzk_status events_new(struct events **out, void (*hook)(void *user, const struct engine_event *event),
                       void *user, struct cuzk_error *e)
{
    struct events *q = mem_alloc(1, sizeof *q);
    if (!q)
        return error_memory(e, sizeof *q, "the event queue");
    q->hook = hook;
    q->user = user;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->some, NULL);
    if (hook) {
        const int failed = thread_start(&q->thread, tell, q);
        if (failed) {
            mem_free(q);
            return error_errno(e, failed, "the event thread cannot be started");
        }
    }
    *out = q;
    return CUZK_OK;
}

void events_free(struct events *q)
{
    if (!q)
        return;
    if (q->hook) {
        pthread_mutex_lock(&q->lock);
        q->quit = true;
        pthread_cond_signal(&q->some);
        pthread_mutex_unlock(&q->lock);
        pthread_join(q->thread, NULL);
    }
    pthread_cond_destroy(&q->some);
    pthread_mutex_destroy(&q->lock);
    mem_free(q);
}

static const char *copy_text(char **at, const char *text)
{
    if (!text)
        text = "";
    const size_t n = strlen(text) + 1;
    char *to = memcpy(*at, text, n);
    *at += n;
    return to;
}

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 1;
}

void events_put(struct events *q, const struct engine_event *event)
{
    if (!q->hook)
        return;
    const size_t texts = text_size(event->job_id) + text_size(event->request_id) + text_size(event->key) +
                         text_size(event->text);
    struct node *n = mem_alloc(1, sizeof *n + texts);
    if (!n) {
        atomic_fetch_add(&q->dropped, 1);
        return;
    }
    char *at = n->texts;
    n->event = *event;
    n->event.job_id = copy_text(&at, event->job_id);
    n->event.request_id = copy_text(&at, event->request_id);
    n->event.key = copy_text(&at, event->key);
    n->event.text = copy_text(&at, event->text);
    if (!n->event.time_ns)
        n->event.time_ns = timing_now();
    const size_t most = event->type == ENGINE_EVENT_DONE       ? SIZE_MAX
                        : event->type == ENGINE_EVENT_PROGRESS ? WAITING_SOFT
                                                               : WAITING_MAX;
    pthread_mutex_lock(&q->lock);
    const bool full = q->waiting >= most;
    if (!full) {
        if (q->last)
            q->last->next = n;
        else
            q->first = n;
        q->last = n;
        q->waiting++;
        pthread_cond_signal(&q->some);
    }
    pthread_mutex_unlock(&q->lock);
    if (full) {
        mem_free(n);
        atomic_fetch_add(&q->dropped, 1);
    }
}

void events_log(struct events *q, enum engine_level level, const char *key, const char *format, ...)
{
    char line[TEXT_MAX];
    va_list args;
    va_start(args, format);
    if (vsnprintf(line, sizeof line, format, args) < 0)
        line[0] = '\0';
    va_end(args);
    events_put(q, &(struct engine_event){
                      .type = ENGINE_EVENT_LOG, .partition = -1, .level = level, .key = key, .text = line});
}

uint64_t events_dropped(const struct events *q)
{
    return atomic_load(&q->dropped);
}
