/* cuzk-bench/client.c - commands that measure a running daemon.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/output.h"
#include "cuzk-bench/load_report.h"

#define DEFAULT_DAEMON "unix:///run/curio/cuzk.sock"

static const char *address_of(const struct options *o)
{
    return o->daemon ? o->daemon : DEFAULT_DAEMON;
}

/* 0: as the daemon does for the kind. */
static cuzk_status priority_of(const struct options *o, unsigned *out, struct cuzk_error *e)
{
    static const char *const names[] = {"", "low", "normal", "high", "critical"};
    *out = 0;
    for (unsigned i = 1; o->priority && i < sizeof names / sizeof *names; i++)
        if (!strcmp(o->priority, names[i]))
            *out = i;
    if (!o->priority || *out > 0)
        return CUZK_OK;
    snprintf(e->message, sizeof e->message, "--priority: '%s' is none of low, normal, high, critical",
             o->priority);
    return CUZK_ERR_ARGUMENT;
}

/* Ids that no other run has. */
static void new_id(char out[64])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(out, 64, "bench-%ld-%lld%03ld", (long)getpid(), (long long)now.tv_sec, now.tv_nsec / 1000000);
}

/* ---- a run from beginning to end ---- */

struct measurement {
    const struct options *o;
    struct load_input in;
    struct load_plan plan;
    struct load_run run;
    struct watch *watch;
    struct busy *busy;
    struct progress progress;
    struct session session; /* for --verify */
    struct load_report report;
    char id[64];
    struct cuzk_error e;
};

static cuzk_status prepare(struct measurement *m, char **paths, size_t count)
{
    unsigned priority;
    const struct options *o = m->o;
    bench_catch_signals();
    new_id(m->id);
    cuzk_status status = priority_of(o, &priority, &m->e);
    if (status == CUZK_OK)
        status =
            load_input_open(&m->in, paths, count, o->has_partition ? &o->partition : NULL, priority, &m->e);
    if (status == CUZK_OK)
        status = remote_open(&m->plan.remote, address_of(o), &m->e);
    if (status != CUZK_OK)
        return status;
    m->plan.in = &m->in;
    progress_init(&m->progress, !o->quiet);
    m->plan.progress = &m->progress;
    m->plan.id = o->request_id ? o->request_id : m->id;
    m->plan.timeout_ms = o->timeout;
    m->plan.seed = o->has_seed ? o->seed : 1;
    m->watch = watch_start(o->has_pid ? (pid_t)o->pid : remote_process(address_of(o)), true);
    return CUZK_OK;
}

static cuzk_status measure(struct measurement *m)
{
    m->busy = busy_start(m->plan.remote, m->report.warmup, m->plan.seconds);
    cuzk_status status = load_run(&m->run, &m->plan, &m->e);
    busy_stop(m->busy);
    watch_stop(m->watch);
    progress_clear(&m->progress);
    if (status == CUZK_OK && m->o->verify) {
        status = session_open(&m->session, m->o);
        if (status == CUZK_OK)
            status =
                load_verify(m->session.context, &m->run, m->o->verify, &m->report.wrong, &m->session.error);
        m->e = m->session.error;
        m->report.verified = status == CUZK_OK;
        progress_clear(&m->session.progress);
        (void)session_close(&m->session, CUZK_OK);
    }
    return status;
}

static void finish(struct measurement *m)
{
    load_run_free(&m->run);
    busy_free(m->busy);
    remote_close(m->plan.remote);
    load_input_close(&m->in);
    watch_free(m->watch);
}

/* Requests that were to be answered with a proof, and were not; or proofs that do not verify. */
static enum exit_code judge(const struct measurement *m)
{
    const size_t *n = m->report.outcomes;
    return m->report.wrong || n[REMOTE_FAILED] || n[REMOTE_ERROR] || n[REMOTE_REFUSED] ? EXIT_NO : EXIT_DONE;
}

static enum exit_code run_load(const char *command, struct measurement *m, char **paths, int count)
{
    cuzk_status status = output_check(m->o->plot, false, &m->e);
    if (status == CUZK_OK)
        status = prepare(m, paths, (size_t)count);
    if (status == CUZK_OK)
        status = measure(m);
    enum exit_code code = EXIT_DONE;
    if (status == CUZK_OK) {
        m->report.command = command;
        m->report.plan = &m->plan;
        m->report.run = &m->run;
        m->report.watch = m->watch;
        m->report.busy = m->busy;
        status = load_report_make(&m->report, m->o, &m->e);
        code = judge(m);
    }
    if (status != CUZK_OK)
        code = bench_fail(m->o, status, &m->e);
    load_report_free(&m->report);
    finish(m);
    return bench_stop && code == EXIT_DONE ? EXIT_STOPPED : code;
}

/* ---- the commands ---- */

enum exit_code run_batch(const struct options *o, int argc, char **argv)
{
    struct measurement m = {.o = o};
    m.plan.total = o->count ? o->count : 10;
    m.plan.concurrency = o->concurrency ? o->concurrency : 1;
    return run_load("batch", &m, argv, argc);
}

enum exit_code run_sustained(const struct options *o, int argc, char **argv)
{
    struct measurement m = {.o = o};
    m.plan.concurrency = o->concurrency ? o->concurrency : 4;
    m.report.warmup = (double)o->warmup / 1000;
    m.plan.seconds = (double)(o->duration ? o->duration : 60000) / 1000 + m.report.warmup;
    m.report.window = m.plan.seconds;
    return run_load("sustained", &m, argv, argc);
}

enum exit_code run_stress(const struct options *o, int argc, char **argv)
{
    struct measurement m = {.o = o};
    m.plan.mixed = true;
    m.plan.concurrency = o->concurrency ? o->concurrency : 16;
    m.plan.total = o->count;
    m.plan.seconds = o->duration || !o->count ? (double)(o->duration ? o->duration : 60000) / 1000 : 0;
    m.plan.cancel = o->has_cancel ? o->cancel : 15;
    m.plan.vanish = o->has_vanish ? o->vanish : 15;
    m.plan.repeat = o->has_repeat ? o->repeat : 25;
    if (m.plan.cancel + m.plan.vanish > 100)
        return cli_misuse(NULL, "--cancel and --vanish are more than 100 together");
    return run_load("stress", &m, argv, argc);
}

static void print_single(const struct measurement *m, const struct load_event *event)
{
    const struct remote_result *r = &event->result;
    const double seen = event->end - event->start;
    printf("%s: %s in %.3f s, %zu bytes of proof%s\n", event->message->circuit, load_outcome_name(r->outcome),
           seen, r->proof_size,
           !m->report.verified ? ""
           : m->report.wrong   ? ", NOT valid"
                               : ", verified");
    if (*r->message)
        printf("%s\n", r->message);
    printf("  queue wait %8.3f s\n  parameters %8.3f s\n  witness    %8.3f s\n  device     %8.3f s\n",
           r->queue_wait, r->srs_load, r->synthesis, r->device);
    printf("  daemon     %8.3f s in all\n  transport  %8.3f s\n", r->total, seen - r->total);
    watch_print(stdout, m->watch);
}

static void emit_single(const struct measurement *m, const struct load_event *event)
{
    struct emit e = {.f = stdout};
    const struct remote_result *r = &event->result;
    bench_head(&e, "single", m->o);
    emit_text(&e, "circuit", event->message->circuit);
    emit_text(&e, "outcome", load_outcome_name(r->outcome));
    emit_text(&e, "message", r->message);
    emit_number(&e, "latency_s", event->end - event->start);
    emit_number(&e, "queue_wait_s", r->queue_wait);
    emit_number(&e, "parameters_s", r->srs_load);
    emit_number(&e, "witness_s", r->synthesis);
    emit_number(&e, "device_s", r->device);
    emit_number(&e, "daemon_s", r->total);
    emit_count(&e, "proof_bytes", r->proof_size);
    if (m->report.verified)
        emit_flag(&e, "valid", m->report.wrong == 0);
    watch_emit(&e, "daemon_memory", m->watch);
    bench_tail(&e, NULL);
}

enum exit_code run_single(const struct options *o, int argc, char **argv)
{
    struct measurement m = {.o = o};
    struct options first = *o;
    first.has_partition =
        true; /* of a window request's partitions one is proved, the first unless one is named */
    m.o = &first;
    m.plan.total = m.plan.concurrency = 1;
    cuzk_status status = output_check(o->out, false, &m.e);
    if (status == CUZK_OK)
        status = prepare(&m, argv, (size_t)argc);
    if (status == CUZK_OK)
        status = measure(&m);
    const struct load_event *event = status == CUZK_OK && m.run.count ? &m.run.event[0] : NULL;
    if (event && o->out && event->result.outcome == REMOTE_COMPLETED)
        status = cuzk_write_file(o->out, event->result.proof, event->result.proof_size, &m.e);
    enum exit_code code = EXIT_STOPPED;
    if (status != CUZK_OK)
        code = bench_fail(o, status, &m.e);
    else if (event) {
        (o->json ? emit_single : print_single)(&m, event);
        m.report.outcomes[event->result.outcome]++;
        code = judge(&m);
    }
    finish(&m);
    return code;
}

/* ---- its state ---- */

static enum exit_code ask(const struct options *o,
                          cuzk_status (*question)(struct remote *, FILE *, bool, struct cuzk_error *))
{
    struct remote *remote = NULL;
    struct cuzk_error e = {0};
    cuzk_status status = remote_open(&remote, address_of(o), &e);
    if (status == CUZK_OK)
        status = question(remote, stdout, o->json, &e);
    remote_close(remote);
    return status == CUZK_OK ? EXIT_DONE : bench_fail(o, status, &e);
}

enum exit_code run_status(const struct options *o, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return ask(o, remote_status);
}

enum exit_code run_metrics(const struct options *o, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return ask(o, remote_metrics);
}

enum exit_code run_preload(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct remote *remote = NULL;
    struct cuzk_error e = {0};
    bool already = false;
    uint64_t ms = 0;
    cuzk_status status = remote_open(&remote, address_of(o), &e);
    if (status == CUZK_OK)
        status = remote_preload(remote, argv[0], &already, &ms, &e);
    remote_close(remote);
    if (status != CUZK_OK)
        return bench_fail(o, status, &e);
    if (o->json)
        printf("{\"already_loaded\": %s, \"load_time_ms\": %" PRIu64 "}\n", already ? "true" : "false", ms);
    else if (already)
        printf("%s: was loaded already\n", argv[0]);
    else
        printf("%s: loaded in %.3f s\n", argv[0], (double)ms / 1000);
    return EXIT_DONE;
}

enum exit_code run_evict(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct remote *remote = NULL;
    struct cuzk_error e = {0};
    bool was_loaded = false;
    uint64_t bytes = 0;
    cuzk_status status = remote_open(&remote, address_of(o), &e);
    if (status == CUZK_OK)
        status = remote_evict(remote, argv[0], &was_loaded, &bytes, &e);
    remote_close(remote);
    if (status != CUZK_OK)
        return bench_fail(o, status, &e);
    if (o->json)
        printf("{\"was_loaded\": %s, \"freed_bytes\": %" PRIu64 "}\n", was_loaded ? "true" : "false", bytes);
    else
        printf("%s: %s, %.1f MiB\n", argv[0], was_loaded ? "evicted" : "was not loaded",
               (double)bytes / 1048576);
    return EXIT_DONE;
}
