/* cuzk-bench/load.c - many requests to a daemon, several at a time.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "cuzk-bench/load.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "circuits/param_names.h"

/* ---- inputs ---- */

static cuzk_status add_messages(struct load_input *in, const char *path, const struct request_send *file,
                                const unsigned *partition, unsigned priority, struct cuzk_error *e)
{
    const unsigned count = request_send_count(file);
    if (partition && *partition >= count)
        return error_set(e, CUZK_ERR_ARGUMENT, "%s: there is no request %u: it has %u, counted from 0", path,
                         *partition, count);
    struct load_message *more = realloc(in->message, (in->messages + count) * sizeof *more);
    if (!more)
        return error_set(e, CUZK_ERR_MEMORY, "out of memory");
    in->message = more;
    for (unsigned i = 0; i < count; i++) {
        struct request_wire wire;
        if (partition && *partition != i)
            continue;
        struct load_message *m = &in->message[in->messages];
        *m = (struct load_message){.path = path,
                                   .circuit = request_circuit_name(&file->request),
                                   .first = i,
                                   .partitions = count > 1 ? 1 : request_partitions(&file->request)};
        request_send_get(file, i, &wire);
        const cuzk_status status = remote_payload_new(&m->payload, &wire, priority, e);
        if (status != CUZK_OK)
            return status;
        in->messages++;
    }
    return CUZK_OK;
}

cuzk_status load_input_open(struct load_input *in, char **paths, size_t count, const unsigned *partition,
                            unsigned priority, struct cuzk_error *e)
{
    *in = (struct load_input){.exec = {.variant = cpu_best()}};
    if (count > LOAD_FILES_MAX)
        return error_set(e, CUZK_ERR_ARGUMENT, "more than %d requests", LOAD_FILES_MAX);
    cuzk_status status = pool_new(&in->exec.pool, 1, e);
    for (size_t i = 0; status == CUZK_OK && i < count; i++) {
        status = request_send_open(&in->exec, &in->file[i], paths[i], e);
        if (status != CUZK_OK)
            break;
        in->files++;
        status = add_messages(in, paths[i], &in->file[i], partition, priority, e);
    }
    return status;
}

void load_input_close(struct load_input *in)
{
    for (size_t i = 0; i < in->messages; i++)
        remote_payload_free(in->message[i].payload);
    free(in->message);
    for (size_t i = 0; i < in->files; i++)
        request_send_close(&in->file[i]);
    pool_free(in->exec.pool);
}

/* ---- the run ---- */

struct load {
    const struct load_plan *plan;
    struct load_run *run;
    pthread_mutex_t lock; /* of next, room and the events */
    uint64_t next;
    size_t room;
    bool failed; /* out of memory */
};

/* S. Vigna's splitmix64 of a seed and a number: chances that do not depend on who comes first. */
static uint64_t chance(uint64_t seed, uint64_t number)
{
    uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static bool begin(struct load *l, uint64_t *number)
{
    const struct load_plan *p = l->plan;
    pthread_mutex_lock(&l->lock);
    const bool more = !bench_stop && !l->failed && (p->total == 0 || l->next < p->total) &&
                      (p->seconds <= 0 || now_seconds() - l->run->start < p->seconds);
    if (more)
        *number = l->next++;
    pthread_mutex_unlock(&l->lock);
    return more;
}

static void note(struct load *l, const struct load_event *event)
{
    pthread_mutex_lock(&l->lock);
    if (l->run->count == l->room) {
        const size_t room = 2 * l->room + 256;
        struct load_event *more = realloc(l->run->event, room * sizeof *more);
        l->failed = !more;
        if (more) {
            l->run->event = more;
            l->room = room;
        }
    }
    progress_update(l->plan->progress, "requests", l->run->count + 1, l->plan->total);
    if (l->run->count < l->room)
        l->run->event[l->run->count++] = *event;
    else
        free(event->result.proof);
    pthread_mutex_unlock(&l->lock);
}

static void one_request(struct load *l, uint64_t number)
{
    const struct load_plan *p = l->plan;
    char id[128];
    uint64_t of = number;
    const uint64_t dice = chance(p->seed, number) % 100, pause = chance(p->seed + 1, number) % 2000;
    if (chance(p->seed + 2, number) % 100 < p->repeat && number > 0)
        of = chance(p->seed + 3, number) % number;
    const size_t pick = p->mixed ? chance(p->seed + 4, of) % p->in->messages : of % p->in->messages;
    struct load_event event = {.message = &p->in->message[pick], .start = now_seconds()};
    snprintf(id, sizeof id, "%s-%" PRIu64, p->id, of);
    if (dice < p->vanish)
        remote_prove_and_leave(p->remote, event.message->payload, id, pause, &event.result);
    else if (dice < p->vanish + p->cancel)
        remote_submit_and_cancel(p->remote, event.message->payload, id, pause, p->timeout_ms, &event.result);
    else
        remote_prove(p->remote, event.message->payload, id, p->timeout_ms, &event.result);
    event.end = now_seconds();
    note(l, &event);
    /* Who is refused comes again, but not at once. */
    if (event.result.outcome == REMOTE_REFUSED || event.result.outcome == REMOTE_ERROR) {
        const struct timespec wait = {.tv_nsec = 100000000};
        nanosleep(&wait, NULL);
    }
}

static void *client(void *context)
{
    struct load *l = context;
    uint64_t number;
    while (begin(l, &number))
        one_request(l, number);
    return NULL;
}

cuzk_status load_run(struct load_run *out, const struct load_plan *plan, struct cuzk_error *e)
{
    struct load l = {.plan = plan, .run = out, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t *threads = calloc(plan->concurrency, sizeof *threads);
    unsigned begun = 0;
    *out = (struct load_run){.start = now_seconds()};
    if (!threads)
        return error_set(e, CUZK_ERR_MEMORY, "out of memory");
    while (begun < plan->concurrency && pthread_create(&threads[begun], NULL, client, &l) == 0)
        begun++;
    for (unsigned i = 0; i < begun; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    out->end = now_seconds();
    if (begun < plan->concurrency)
        return error_set(e, CUZK_ERR_IO, "only %u threads could be started", begun);
    return l.failed ? error_set(e, CUZK_ERR_MEMORY, "out of memory") : CUZK_OK;
}

void load_run_free(struct load_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        free(run->event[i].result.proof);
    free(run->event);
}

/* ---- verification ---- */

/* A file's statement and key, kept from one proof to the next of it. */
struct checker {
    const char *path;
    cuzk_request *request;
    cuzk_vk *vk;
};

static void checker_close(struct checker *c)
{
    cuzk_request_free(c->request);
    cuzk_vk_free(c->vk);
    *c = (struct checker){0};
}

static cuzk_status checker_open(cuzk_context *context, struct checker *c, const struct load_message *m,
                                const char *folder, struct cuzk_error *e)
{
    char *path = NULL;
    if (c->path == m->path)
        return CUZK_OK;
    checker_close(c);
    cuzk_status status = param_file_find(folder, m->circuit, &path, e);
    if (status == CUZK_OK)
        status = cuzk_vk_open(context, &c->vk, path, e);
    mem_free(path);
    if (status == CUZK_OK)
        status = cuzk_request_open(context, &c->request, m->path, CUZK_REQUEST_STATEMENT, e);
    if (status == CUZK_OK)
        c->path = m->path;
    return status;
}

cuzk_status load_verify(cuzk_context *context, const struct load_run *run, const char *folder, size_t *bad,
                        struct cuzk_error *e)
{
    struct checker c = {0};
    cuzk_status status = CUZK_OK;
    *bad = 0;
    for (size_t i = 0; status == CUZK_OK && i < run->count; i++) {
        const struct load_message *m = run->event[i].message;
        const struct remote_result *r = &run->event[i].result;
        bool valid = false;
        if (r->outcome != REMOTE_COMPLETED)
            continue;
        status = checker_open(context, &c, m, folder, e);
        if (status == CUZK_OK && r->proof_size == (size_t)m->partitions * CUZK_PROOF_BYTES)
            status = cuzk_verify(context, c.request, c.vk, m->partitions == 1 ? m->first : 0, m->partitions,
                                 r->proof, &valid, e);
        *bad += status == CUZK_OK && !valid;
    }
    checker_close(&c);
    return status;
}
