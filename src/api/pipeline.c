/* api/pipeline.c - partitions proved on a context's GPUs: the calling thread makes witnesses and finishes
 * proofs, a thread a device takes what is ready. A device that fails leaves its partitions to the others;
 * when the last one fails the CPU takes over, if the user's words allow it.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "api/partition.h"
#include "backend/prover.h"
#include "base/error.h"
#include "base/timing.h"

#define AHEAD   2  /* witnesses ready before a device */
#define REPORTS 64 /* of progress that wait for the calling thread */

struct job {
    struct partition partition;
    struct gpu_proof *proof;
    uint64_t start;
    struct job *next; /* in a queue */
};

struct queue {
    struct job *first, **last;
    unsigned count;
};

/* A device's progress, on its way to the calling thread. */
struct report {
    const char *phase;
    uint64_t done, total;
};

struct pipeline;

struct worker {
    struct pipeline *line;
    struct gpu_prover *prover;
    pthread_t thread;
};

struct pipeline {
    cuzk_context *context;
    const cuzk_srs *srs;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct queue ready, settled;
    struct report report[REPORTS]; /* a ring; what does not fit is dropped */
    unsigned reports, first_report;
    bool no_more;     /* every witness is made */
    unsigned on_way;  /* jobs that devices hold */
    unsigned working; /* devices */
    bool stop;
    cuzk_status status; /* the last device's failure */
    struct cuzk_error error;
    struct worker worker[GPUS_MAX];
    unsigned workers; /* threads */
};

static void queue_put(struct queue *q, struct job *job)
{
    job->next = NULL;
    *q->last = job;
    q->last = &job->next;
    q->count++;
}

static struct job *queue_take(struct queue *q)
{
    struct job *job = q->first;
    if (!job)
        return NULL;
    q->first = job->next;
    if (!q->first)
        q->last = &q->first;
    q->count--;
    return job;
}

/* -- a device's thread -- */

enum patience {
    NO_WAIT,
    WAIT_FOR_WITNESSES, /* until all are made */
    WAIT_FOR_ALL        /* until none is on its way: a failing device's jobs come back */
};

static bool may_come(const struct pipeline *line, enum patience patience)
{
    return patience == WAIT_FOR_WITNESSES ? !line->no_more
                                          : patience == WAIT_FOR_ALL && !(line->no_more && line->on_way == 0);
}

/* The next job; NULL: there is none, or will be none. */
static struct job *take(struct pipeline *line, enum patience patience)
{
    pthread_mutex_lock(&line->lock);
    struct job *job = NULL;
    while (!line->stop && !(job = queue_take(&line->ready)) && may_come(line, patience))
        pthread_cond_wait(&line->changed, &line->lock);
    if (job)
        line->on_way++;
    pthread_cond_broadcast(&line->changed);
    pthread_mutex_unlock(&line->lock);
    return job;
}

/* Jobs leave a device: settled, or for another one. */
static void put(struct pipeline *line, struct queue *q, struct job *const *jobs, unsigned count)
{
    pthread_mutex_lock(&line->lock);
    for (unsigned i = 0; i < count; i++)
        queue_put(q, jobs[i]);
    line->on_way -= count;
    pthread_cond_broadcast(&line->changed);
    pthread_mutex_unlock(&line->lock);
}

static cuzk_status settle(struct worker *w, const struct exec *x, struct job *const *jobs, unsigned count,
                          struct cuzk_error *e)
{
    struct gpu_proof *proofs[GPU_PROOF_BATCH];
    for (unsigned i = 0; i < count; i++)
        proofs[i] = jobs[i]->proof;
    return gpu_proof_settle(w->prover, x, proofs, count, e);
}

struct batch {
    struct job *job[GPU_PROOF_BATCH + 1]; /* those with a quotient, and the one under work */
    unsigned count;
};

/* Prove until there is nothing more. What is left in the batch is not settled. */
static cuzk_status work(struct worker *w, const struct exec *x, struct batch *b, struct cuzk_error *e)
{
    struct pipeline *line = w->line;
    struct gpu_prover_info info;
    struct job *job = NULL;
    cuzk_status status = gpu_prover_hold(w->prover, x, line->srs->srs, &line->srs->circuit, e);
    if (status == CUZK_OK)
        gpu_prover_info(w->prover, line->srs->srs, &info);
    while (status == CUZK_OK) {
        if (!job)
            job = take(line, b->count == 0 ? WAIT_FOR_ALL : WAIT_FOR_WITNESSES);
        if (!job && b->count == 0)
            break;
        if (info.batch == 0)
            return error_set(e, CUZK_ERR_INTERNAL, "a GPU let go of parameters that are in use");
        struct job *next = NULL;
        if (job) {
            b->job[b->count++] = job;
            next = b->count < info.batch ? take(line, NO_WAIT) : NULL;
            status = gpu_proof_quotient(w->prover, x, job->proof, next ? next->proof : NULL, e);
            if (next && status != CUZK_OK)
                b->job[b->count++] = next;
        }
        if (status == CUZK_OK && (!job || b->count == info.batch)) {
            status = settle(w, x, b->job, b->count, e);
            if (status == CUZK_OK) {
                put(line, &line->settled, b->job, b->count);
                b->count = 0;
            }
        }
        job = next;
    }
    return status;
}

static void note_report(void *user, const char *phase, uint64_t done, uint64_t total)
{
    struct pipeline *line = user;
    pthread_mutex_lock(&line->lock);
    if (line->reports < REPORTS)
        line->report[(line->first_report + line->reports++) % REPORTS] = (struct report){phase, done, total};
    pthread_cond_broadcast(&line->changed);
    pthread_mutex_unlock(&line->lock);
}

static void *device_thread(void *arg)
{
    struct worker *w = arg;
    struct pipeline *line = w->line;
    struct exec x = line->context->exec;
    struct cuzk_error e = {.status = CUZK_OK};
    struct batch b = {.count = 0};
    if (x.progress) { /* the calling thread's */
        x.progress = note_report;
        x.progress_user = line;
    }
    const cuzk_status status = work(w, &x, &b, &e);
    for (unsigned i = 0; i < b.count; i++)
        gpu_proof_recall(w->prover, b.job[i]->proof);
    put(line, &line->ready, b.job, b.count);
    pthread_mutex_lock(&line->lock);
    line->working--;
    if (status != CUZK_OK) {
        line->status = status;
        line->error = e;
    }
    pthread_cond_broadcast(&line->changed);
    pthread_mutex_unlock(&line->lock);
    return NULL;
}

/* -- the calling thread -- */

struct request_part {
    const cuzk_request *request;
    unsigned first, count;
    const uint64_t *seed;
    uint8_t *proofs;
    double *seconds;
    struct job *jobs;
};

static cuzk_status make_witness(struct pipeline *line, const struct request_part *part, unsigned i,
                                struct cuzk_error *e)
{
    struct job *job = &part->jobs[i];
    job->start = timing_now();
    cuzk_status status =
        partition_open(line->context, part->request, part->first + i, part->seed, &job->partition, e);
    if (status == CUZK_OK)
        status = gpu_proof_new(&job->proof, &line->context->exec, &job->partition.real.circuit,
                               &line->srs->circuit, line->srs->srs, job->partition.inputs,
                               job->partition.inputs_count, e);
    if (status != CUZK_OK)
        return status;
    pthread_mutex_lock(&line->lock);
    queue_put(&line->ready, job);
    line->no_more = i + 1 == part->count;
    pthread_cond_broadcast(&line->changed);
    pthread_mutex_unlock(&line->lock);
    /* while a device is at work; the proof is not given out unless they hold */
    return partition_check(line->context, part->request, part->first + i, e);
}

static bool is_auto(const struct pipeline *line)
{
    return strcmp(line->context->device_words, "auto") == 0;
}

/* May the CPU do what all GPUs failed to? */
static bool cpu_may(const struct pipeline *line)
{
    return is_auto(line) && (line->status == CUZK_ERR_DEVICE || line->status == CUZK_ERR_MEMORY);
}

static void note_fallback(struct pipeline *line, const struct cuzk_error *why)
{
    snprintf(line->context->note, sizeof line->context->note, "the CPU proved instead of a GPU: %.200s",
             why->message);
}

static cuzk_status finish(struct pipeline *line, const struct request_part *part, struct job *job,
                          bool on_cpu, struct cuzk_error *e)
{
    const unsigned i = (unsigned)(job - part->jobs);
    const struct partition *p = &job->partition;
    struct groth16_proof made;
    cuzk_status status = CUZK_OK;
    if (!on_cpu) {
        status = gpu_proof_finish(&line->context->exec, job->proof, &p->rs, &made, e);
        on_cpu = status == CUZK_ERR_MISMATCH && is_auto(line); /* every row holds: a GPU may be to blame */
        if (on_cpu)
            note_fallback(line, e);
    }
    if (on_cpu) {
        gpu_proof_free(job->proof); /* the CPU makes its own witness */
        job->proof = NULL;
        status = groth16_prove_folded(&line->context->exec, &p->real.circuit, &line->srs->circuit,
                                      line->srs->srs, &p->rs, p->inputs, p->inputs_count, &made, e);
    }
    if (status != CUZK_OK)
        return status;
    groth16_proof_write(part->proofs + (size_t)i * CUZK_PROOF_BYTES, &made);
    if (part->seconds)
        part->seconds[i] = (double)(timing_now() - job->start) / 1e9;
    gpu_proof_free(job->proof);
    job->proof = NULL;
    partition_close(&job->partition);
    return CUZK_OK;
}

/* With the lock held, which is let go meanwhile: false if there was nothing. */
static bool pass_report(struct pipeline *line)
{
    if (line->reports == 0)
        return false;
    const struct report r = line->report[line->first_report];
    line->first_report = (line->first_report + 1) % REPORTS;
    line->reports--;
    pthread_mutex_unlock(&line->lock);
    exec_progress(&line->context->exec, r.phase, r.done, r.total);
    pthread_mutex_lock(&line->lock);
    return true;
}

/* What the calling thread does next. */
static cuzk_status next_step(struct pipeline *line, const struct request_part *part, unsigned *made,
                             unsigned *done, struct cuzk_error *e)
{
    struct job *job = NULL;
    bool on_cpu = false;
    pthread_mutex_lock(&line->lock);
    for (;;) {
        if (pass_report(line))
            continue;
        job = queue_take(&line->settled);
        const bool room = *made < part->count && line->ready.count < AHEAD * line->workers;
        if (job || (line->working > 0 && room) || exec_cancelled(&line->context->exec))
            break;
        if (line->working == 0) { /* the last device failed, or all ended while one gave its jobs back */
            on_cpu = cpu_may(line);
            job = on_cpu ? queue_take(&line->ready) : NULL;
            if (job)
                note_fallback(line, &line->error);
            break;
        }
        pthread_cond_wait(&line->changed, &line->lock);
    }
    const bool lost = line->working == 0 && !job && !(on_cpu && *made < part->count);
    const cuzk_status failure = line->status;
    pthread_mutex_unlock(&line->lock);
    if (exec_cancelled(&line->context->exec))
        return error_set(e, CUZK_ERR_CANCELLED, "the proof was cancelled");
    if (job) {
        const cuzk_status status = finish(line, part, job, on_cpu, e);
        exec_progress(&line->context->exec, "partitions", ++*done, part->count);
        return status;
    }
    if (lost)
        return failure != CUZK_OK ? error_set(e, failure, "%s", line->error.message)
                                  : error_set(e, CUZK_ERR_INTERNAL, "devices ended before their work");
    return make_witness(line, part, (*made)++, e);
}

static cuzk_status run(struct pipeline *line, const struct request_part *part, struct cuzk_error *e)
{
    unsigned made = 0, done = 0;
    cuzk_status status = CUZK_OK;
    exec_progress(&line->context->exec, "partitions", 0, part->count);
    while (done < part->count && status == CUZK_OK)
        status = next_step(line, part, &made, &done, e);
    pthread_mutex_lock(&line->lock);
    line->stop = status != CUZK_OK;
    line->no_more = true;
    pthread_cond_broadcast(&line->changed);
    pthread_mutex_unlock(&line->lock);
    return status;
}

static cuzk_status start_workers(struct pipeline *line, struct cuzk_error *e)
{
    cuzk_context *c = line->context;
    for (unsigned i = 0; i < c->gpus.count; i++) {
        cuzk_status status = CUZK_OK;
        if (!c->prover[i])
            status = gpu_prover_new(&c->prover[i], c->gpus.device[i], 0, e);
        else if (device_retired(c->gpus.device[i]))
            status = gpu_prover_reset(c->prover[i], e);
        if (status != CUZK_OK) { /* the others go on */
            pthread_mutex_lock(&line->lock);
            line->status = status;
            line->error = *e;
            pthread_mutex_unlock(&line->lock);
            continue;
        }
        struct worker *w = &line->worker[line->workers];
        *w = (struct worker){.line = line, .prover = c->prover[i]};
        pthread_mutex_lock(&line->lock);
        line->working++;
        pthread_mutex_unlock(&line->lock);
        const int refused = pthread_create(&w->thread, NULL, device_thread, w);
        if (refused) {
            pthread_mutex_lock(&line->lock);
            line->working--;
            pthread_mutex_unlock(&line->lock);
            return error_errno(e, refused, "cannot start a thread for GPU %u", i);
        }
        line->workers++;
    }
    return line->workers > 0 || cpu_may(line) ? CUZK_OK : line->status;
}

cuzk_status prove_on_devices(cuzk_context *context, const cuzk_request *request, const cuzk_srs *srs,
                             unsigned first, unsigned count, const uint64_t *insecure_rs_seed,
                             uint8_t *proofs, double *seconds, struct cuzk_error *e)
{
    struct pipeline line = {.context = context, .srs = srs};
    struct request_part part = {.request = request,
                                .first = first,
                                .count = count,
                                .seed = insecure_rs_seed,
                                .proofs = proofs,
                                .seconds = seconds,
                                .jobs = mem_alloc(count, sizeof(struct job))};
    if (!part.jobs)
        return error_memory(e, count * sizeof(struct job), "partitions");
    line.ready.last = &line.ready.first;
    line.settled.last = &line.settled.first;
    pthread_mutex_init(&line.lock, NULL);
    pthread_cond_init(&line.changed, NULL);
    cuzk_status status = start_workers(&line, e);
    if (status == CUZK_OK) {
        status = run(&line, &part, e);
    } else {
        pthread_mutex_lock(&line.lock);
        line.stop = true;
        pthread_cond_broadcast(&line.changed);
        pthread_mutex_unlock(&line.lock);
    }
    for (unsigned i = 0; i < line.workers; i++)
        pthread_join(line.worker[i].thread, NULL);
    for (unsigned i = 0; i < count; i++) {
        gpu_proof_free(part.jobs[i].proof);
        partition_close(&part.jobs[i].partition);
    }
    pthread_cond_destroy(&line.changed);
    pthread_mutex_destroy(&line.lock);
    mem_free(part.jobs);
    return status;
}
