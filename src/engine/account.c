/* engine/account.c - where the time went: results' times, and the lines of timing.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/internal.h"

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Was it on its device then? */
static bool on_device_at(const struct partition *p, uint64_t time)
{
    const char *device = engine_phase_name(ENGINE_PHASE_DEVICE);
    for (unsigned i = 0; i < p->span_count; i++) {
        const struct engine_span *s = &p->spans[i];
        if (time >= s->start_ns && (!s->end_ns || time < s->end_ns))
            return strcmp(s->name, device) == 0;
    }
    return false;
}

/* Milliseconds in which the witness was made by the device's own worker: the CPU's does it all. */
static uint64_t witness_on_device_ms(const struct partition *p)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < p->step_count; i++) {
        const struct engine_span *s = &p->steps[i];
        if (begins(s->name, "witness") && s->end_ns > s->start_ns && on_device_at(p, s->start_ns))
            total += s->end_ns - s->start_ns;
    }
    return total / 1000000;
}

uint64_t account_device_ms(const struct partition *p)
{
    const uint64_t settled = partition_ms(p, ENGINE_PHASE_SETTLE), witness = witness_on_device_ms(p),
                   all =
                       partition_ms(p, ENGINE_PHASE_DEVICE) + (p->together ? settled / p->together : settled);
    return all > witness ? all - witness : 0;
}

uint64_t account_witness_ms(const struct partition *p)
{
    return partition_ms(p, ENGINE_PHASE_WITNESS) + witness_on_device_ms(p);
}

uint64_t account_ms(const struct job *j, enum engine_phase phase)
{
    uint64_t total = 0;
    for (unsigned i = 0; j->partitions && i < j->partition_count; i++)
        total += partition_ms(&j->partitions[i], phase);
    return total;
}

static uint64_t between_ms(uint64_t start, uint64_t end)
{
    return start && end > start ? (end - start) / 1000000 : 0;
}

void account_result(const struct job *j, struct engine_result *out)
{
    const bool ended = j->stage >= JOB_ENDING;
    const uint64_t now = timing_now(), end = j->ended_ns ? j->ended_ns : now;
    *out = (struct engine_result){.state = j->state, .kind = j->kind, .status = j->status, .retry = j->retry};
    memcpy(out->job_id, j->id, sizeof out->job_id);
    if (ended)
        snprintf(out->message, sizeof out->message, "%s", j->message ? j->message : "");
    out->queue_wait_ms = (j->waited_ns + (j->waits_since ? end - j->waits_since : 0)) / 1000000;
    out->total_ms = between_ms(j->accepted_ns, end);
    if (!j->partitions) {
        out->srs_load_ms = j->times_ms[0];
        out->synthesis_ms = j->times_ms[1];
        out->gpu_compute_ms = j->times_ms[2];
        return;
    }
    out->srs_load_ms = account_ms(j, ENGINE_PHASE_SRS);
    out->synthesis_ms = partition_ms(&j->partitions[0], ENGINE_PHASE_PARSE);
    for (unsigned i = 0; i < j->partition_count; i++) {
        out->synthesis_ms += account_witness_ms(&j->partitions[i]);
        out->gpu_compute_ms += account_device_ms(&j->partitions[i]);
    }
}

/* ---- lines ---- */

struct line {
    char text[1024];
    size_t used;
};

static void add(struct line *l, const char *format, ...) PRINTF_LIKE(2, 3);
static void add(struct line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(l->text + l->used, sizeof l->text - l->used, format, args);
    va_end(args);
    if (n > 0)
        l->used += (size_t)n < sizeof l->text - l->used ? (size_t)n : sizeof l->text - l->used - 1;
}

static void put(struct engine *g, const struct job *j, int partition, const struct line *l)
{
    events_put(g->events, &(struct engine_event){.type = ENGINE_EVENT_TIMING,
                                                 .job_id = j->id,
                                                 .request_id = j->request_id,
                                                 .kind = j->kind,
                                                 .partition = partition,
                                                 .level = ENGINE_INFO,
                                                 .key = "timing",
                                                 .text = l->text});
}

static double ms(uint64_t start, uint64_t end)
{
    return end > start ? (double)(end - start) / 1e6 : 0;
}

static double phase_ms(const struct partition *p, enum engine_phase phase)
{
    const char *name = engine_phase_name(phase);
    double total = 0;
    for (unsigned i = 0; i < p->span_count; i++)
        if (strcmp(p->spans[i].name, name) == 0)
            total += ms(p->spans[i].start_ns, p->spans[i].end_ns ? p->spans[i].end_ns : timing_now());
    return total;
}

/* Steps of provers under the names that operators' scripts know: sums by the query that they are of. */
static const char *known_name(const char *step)
{
    const size_t n = strlen(step);
    if (begins(step, "witness"))
        return "split_vectors_ms";
    if (begins(step, "rows"))
        return "setup_to_split_ms";
    if (begins(step, "transforms"))
        return "ntt_ms";
    if (begins(step, "verifying"))
        return "self_check_ms";
    if (strcmp(step, "q") == 0 || begins(step, "h "))
        return "ntt_msm_h_ms";
    if (begins(step, "b_g2") || (begins(step, "b ") && strstr(step, "g2")))
        return "b_g2_msm_ms";
    if (n > 4 && strcmp(step + n - 4, "bits") == 0)
        return "batch_add_ms";
    if (begins(step, "l ") || begins(step, "a ") || begins(step, "b ") || begins(step, "b_g1") ||
        begins(step, "fold"))
        return "tail_msm_ms";
    return "other_ms";
}

/* Each name once, with the sum of its steps: those that scripts know always, in their order, then ours. */
static void add_steps(struct line *l, const struct partition *p)
{
    static const struct {
        const char *name;
        bool always;
    } names[] = {{"split_vectors_ms", true}, {"setup_to_split_ms", true}, {"ntt_msm_h_ms", true},
                 {"batch_add_ms", true},     {"b_g2_msm_ms", true},       {"tail_msm_ms", true},
                 {"ntt_ms", false},          {"self_check_ms", false},    {"other_ms", false}};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        bool seen = names[i].always;
        double total = 0;
        for (unsigned k = 0; k < p->step_count; k++)
            if (strcmp(known_name(p->steps[k].name), names[i].name) == 0) {
                seen = true;
                total += ms(p->steps[k].start_ns, p->steps[k].end_ns);
            }
        if (seen)
            add(l, " %s=%.3f", names[i].name, total);
    }
}

void account_partition(struct engine *g, const struct partition *p)
{
    const struct job *j = p->job;
    struct line l = {.used = 0};
    add(&l, "CUZK_TIMING: job=%s partition=%u circuit=%s gpu_tid=%d num_circuits=%u prep_msm_ms=%.3f", j->id,
        p->index, j->circuit, p->device, p->together ? p->together : 1, phase_ms(p, ENGINE_PHASE_WITNESS));
    add_steps(&l, p);
    if (p->together)
        add(&l, " batch_wait_ms=%.3f", phase_ms(p, ENGINE_PHASE_BATCH));
    add(&l, " gpu_total_ms=%.3f", phase_ms(p, ENGINE_PHASE_DEVICE) + phase_ms(p, ENGINE_PHASE_SETTLE));
    put(g, j, (int)p->index, &l);
}

void account_job(struct engine *g, const struct job *j)
{
    static const struct {
        enum engine_phase phase;
        const char *name;
    } phases[] = {{ENGINE_PHASE_QUEUED, "queued_ms"},
                  {ENGINE_PHASE_PARSE, "parse_ms"},
                  {ENGINE_PHASE_SRS, "srs_ms"},
                  {ENGINE_PHASE_MEMORY, "memory_wait_ms"},
                  {ENGINE_PHASE_WITNESS, "witness_ms"},
                  {ENGINE_PHASE_READY, "device_wait_ms"},
                  {ENGINE_PHASE_DEVICE, "device_ms"},
                  {ENGINE_PHASE_BATCH, "batch_wait_ms"},
                  {ENGINE_PHASE_SETTLE, "settle_ms"},
                  {ENGINE_PHASE_FINISH, "epilogue_ms"},
                  {ENGINE_PHASE_VERIFY_WAIT, "verify_wait_ms"},
                  {ENGINE_PHASE_VERIFY, "verify_ms"}};
    struct line l = {.used = 0};
    add(&l, "CUZK_TIMING: job=%s kind=%s circuit=%s state=%s partitions=%u", j->id,
        engine_kind_label(j->kind), j->circuit, engine_state_name(j->state), j->partition_count);
    for (unsigned i = 0; i < j->span_count; i++)
        add(&l, " %s_ms=%.3f", j->spans[i].name, ms(j->spans[i].start_ns, j->spans[i].end_ns));
    for (size_t k = 0; k < ARRAY_LEN(phases); k++) {
        double total = 0;
        for (unsigned i = 0; j->partitions && i < j->partition_count; i++)
            total += phase_ms(&j->partitions[i], phases[k].phase);
        add(&l, " %s=%.3f", phases[k].name, total);
    }
    add(&l, " pre_destructor_ms=%.3f", ms(j->accepted_ns, j->ended_ns));
    put(g, j, -1, &l);
}

void account_freed(struct engine *g, const struct job *j, uint64_t start)
{
    const uint64_t now = timing_now();
    struct line l = {.used = 0};
    add(&l, "CUZK_TIMING: job=%s destructor_ms=%.3f total_ms=%.3f", j->id, ms(start, now),
        ms(j->accepted_ns, now));
    put(g, j, -1, &l);
}
