/* engine/job.c - jobs and partitions as data: made, listed, their accounts, freed.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "engine/internal.h"
#include "engine/probes.h"

uint64_t unix_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int thread_start(pthread_t *out, void *(*start)(void *), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(out, NULL, start, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

void wait_ms(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    pthread_cond_timedwait(cond, lock, &t);
}

static bool make_id(char out[ENGINE_JOB_ID])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return false;
    *out++ = 'j';
    for (size_t i = 0; i < sizeof bytes; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = '\0';
    return true;
}

struct job *job_new(const char *request_id, const struct work_plan *plan, struct cuzk_error *e)
{
    struct job *j = mem_alloc(1, sizeof *j);
    if (!j) {
        (void)error_memory(e, sizeof *j, "a job");
        return NULL;
    }
    const size_t n = strlen(request_id) + 1;
    j->request_id = mem_alloc(n, 1);
    if (!j->request_id) {
        mem_free(j);
        (void)error_memory(e, n, "a request's id");
        return NULL;
    }
    memcpy(j->request_id, request_id, n);
    j->plan = *plan;
    j->circuit = plan->circuit;
    j->state = ENGINE_STATE_QUEUED;
    if (!make_id(j->id) || job_set_partitions(j, plan->partitions, e) != CUZK_OK) {
        mem_free(j->request_id);
        mem_free(j);
        return NULL;
    }
    return j;
}

cuzk_status job_set_partitions(struct job *j, unsigned count, struct cuzk_error *e)
{
    const size_t bytes = (size_t)count * GROTH16_PROOF_BYTES;
    struct partition *p = mem_alloc(count, sizeof *p);
    uint8_t *proof = mem_alloc(bytes, 1);
    if (!p || !proof || count == 0) {
        mem_free(p);
        mem_free(proof);
        return error_memory(e, count * sizeof *p, "a job's partitions");
    }
    for (unsigned i = 0; i < count; i++) {
        p[i] = (struct partition){.job = j, .index = i, .device = -1};
        if (j->partitions) { /* the account begun before goes on */
            memcpy(p[i].spans, j->partitions[0].spans, sizeof p[i].spans);
            p[i].span_count = j->partitions[0].span_count;
            p[i].phase = j->partitions[0].phase;
            p[i].since = j->partitions[0].since;
        }
    }
    mem_free(j->partitions);
    mem_free(j->proof);
    j->partitions = p;
    j->proof = proof;
    j->proof_size = bytes;
    if (j->working)
        j->working = count; /* all of them are in the phase of the first */
    j->partition_count = count;
    j->done = 0;
    return CUZK_OK;
}

/* Nothing is held by partitions that are about to be forgotten. */
__attribute__((unused)) static bool holds_nothing(const struct job *j)
{
    for (unsigned i = 0; j->partitions && i < j->partition_count; i++)
        if (j->partitions[i].prepared || j->partitions[i].memory.own || j->partitions[i].srs ||
            j->partitions[i].held)
            return false;
    return true;
}

void job_drop_account(struct engine *g, struct job *j)
{
    if (!j->partitions)
        return;
    VERIFY(holds_nothing(j));
    struct engine_result r;
    account_result(j, &r);
    j->times_ms[0] = r.srs_load_ms;
    j->times_ms[1] = r.synthesis_ms;
    j->times_ms[2] = r.gpu_compute_ms;
    mem_free(j->partitions);
    j->partitions = NULL;
    if (g->accounts)
        g->accounts--;
}

void job_free(struct engine *g, struct job *j)
{
    if (!j)
        return;
    VERIFY(holds_nothing(j));
    if (j->request)
        g->work_table->request_free(g->work_table->self, j->request);
    reserve_release(g, &j->request_memory);
    if (j->payload_path)
        unlink(j->payload_path);
    fields_free(&j->fields);
    mem_free(j->payload_path);
    mem_free(j->payload);
    mem_free(j->partitions);
    mem_free(j->proof);
    mem_free(j->message);
    mem_free(j->request_id);
    mem_free(j);
}

struct job *job_find(struct engine *g, const char *id)
{
    for (struct job *j = g->active; j; j = j->next)
        if (strcmp(j->id, id) == 0)
            return j;
    for (struct job *j = g->ended; j; j = j->next)
        if (strcmp(j->id, id) == 0)
            return j;
    return NULL;
}

static bool same_identity(const struct job *j, const char *request_id, const uint8_t digest[32])
{
    return memcmp(j->digest, digest, 32) == 0 && strcmp(j->request_id, request_id) == 0;
}

struct job *job_known(struct engine *g, const char *request_id, const uint8_t digest[32])
{
    if (!request_id[0])
        return NULL;
    for (struct job *j = g->active; j; j = j->next)
        if (!j->cancel && same_identity(j, request_id, digest))
            return j;
    for (struct job *j = g->ended; j; j = j->next)
        if (j->state == ENGINE_STATE_COMPLETED && same_identity(j, request_id, digest))
            return j;
    return NULL;
}

void job_append(struct engine *g, struct job *j)
{
    j->seq = g->next_seq++;
    j->next = NULL;
    j->before = g->active_last;
    if (g->active_last)
        g->active_last->next = j;
    else
        g->active = j;
    g->active_last = j;
    g->active_count++;
    g->by_kind[j->kind]++;
    g->queued_bytes += j->payload_bytes;
}

static void take_out(struct engine *g, struct job *j, bool ended)
{
    struct job **first = ended ? &g->ended : &g->active, **last = ended ? &g->ended_last : &g->active_last;
    if (j->before)
        j->before->next = j->next;
    else
        *first = j->next;
    if (j->next)
        j->next->before = j->before;
    else
        *last = j->before;
    if (ended) {
        g->ended_count--;
    } else {
        g->active_count--;
        g->by_kind[j->kind]--;
    }
}

void job_move_ended(struct engine *g, struct job *j)
{
    take_out(g, j, false);
    j->before = NULL;
    j->next = g->ended;
    if (g->ended)
        g->ended->before = j;
    else
        g->ended_last = j;
    g->ended = j;
    g->ended_count++;
    g->accounts++;
}

void job_forget(struct engine *g, struct job *j)
{
    const bool ended = j->stage == JOB_ENDED;
    take_out(g, j, ended);
    if (ended && j->partitions)
        g->accounts--;
    g->queued_bytes -= j->payload_bytes;
    job_free(g, j);
}

void job_span(struct job *j, const char *name, uint64_t start, uint64_t end)
{
    if (j->span_count < JOB_SPANS)
        j->spans[j->span_count++] = (struct engine_span){name, start, end};
}

bool phase_is_final(enum engine_phase phase)
{
    return phase >= ENGINE_PHASE_DONE;
}

static bool phase_waits(enum engine_phase phase)
{
    return phase == ENGINE_PHASE_QUEUED || phase == ENGINE_PHASE_MEMORY || phase == ENGINE_PHASE_READY ||
           phase == ENGINE_PHASE_BATCH || phase == ENGINE_PHASE_VERIFY_WAIT;
}

static bool phase_works(enum engine_phase phase)
{
    return !phase_waits(phase) && !phase_is_final(phase);
}

void job_waits(struct job *j, uint64_t now)
{
    j->waits_since = now;
}

void job_waits_no_more(struct job *j, uint64_t now)
{
    if (j->waits_since && now > j->waits_since)
        j->waited_ns += now - j->waits_since;
    j->waits_since = 0;
}

static void count_working(struct job *j, enum engine_phase before, enum engine_phase phase, uint64_t now)
{
    const unsigned had = j->working;
    j->working += phase_works(phase);
    j->working -= phase_works(before);
    if (j->stage >= JOB_ENDING)
        return;
    if (!had && j->working)
        job_waits_no_more(j, now);
    if (had && !j->working)
        job_waits(j, now);
}

void partition_phase(struct engine *g, struct partition *p, enum engine_phase phase)
{
    struct job *j = p->job;
    const uint64_t now = timing_now();
    count_working(j, p->phase, phase, now);
    if (p->span_count)
        p->spans[p->span_count - 1].end_ns = now;
    if (!phase_is_final(phase)) {
        /* An account that is full goes on in its last line: no time is lost, only its name. */
        if (p->span_count < ENGINE_PARTITION_SPANS)
            p->spans[p->span_count++].start_ns = now;
        p->spans[p->span_count - 1].name = engine_phase_name(phase);
        p->spans[p->span_count - 1].end_ns = 0;
    }
    p->phase = phase;
    p->since = now;
    PROBE3(partition_phase, j->id, p->index, (int)phase);
    events_put(g->events, &(struct engine_event){.type = ENGINE_EVENT_PARTITION,
                                                 .time_ns = now,
                                                 .job_id = j->id,
                                                 .request_id = j->request_id,
                                                 .kind = j->kind,
                                                 .partition = (int)p->index,
                                                 .phase = phase,
                                                 .done = j->done,
                                                 .total = j->partition_count});
}

uint64_t partition_ms(const struct partition *p, enum engine_phase phase)
{
    const char *name = engine_phase_name(phase);
    uint64_t total = 0;
    for (unsigned i = 0; i < p->span_count; i++)
        if (strcmp(p->spans[i].name, name) == 0)
            total += (p->spans[i].end_ns ? p->spans[i].end_ns : timing_now()) - p->spans[i].start_ns;
    return total / 1000000;
}
