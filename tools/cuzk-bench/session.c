/* cuzk-bench/session.c - contexts of local commands; what results have in common.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/nvml.h"
#include "cuzk-bench/bench.h"

volatile int bench_stop;

static void on_signal(int signal)
{
    (void)signal;
    bench_stop = 1;
}

void bench_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void on_progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    struct session *s = user;
    struct phases *p = &s->phases;
    progress_update(&s->progress, phase, done, total);
    if (p->now < p->count && !strcmp(p->name[p->now], phase))
        return;
    session_phases_end(s, false);
    size_t i = 0;
    while (i < p->count && strcmp(p->name[i], phase) != 0)
        i++;
    if (i == PHASES_MAX)
        return;
    if (i == p->count)
        p->name[p->count++] = phase;
    p->now = i;
    p->since = now_seconds();
}

void session_phases_end(struct session *s, bool again)
{
    struct phases *p = &s->phases;
    if (p->now < p->count)
        p->seconds[p->now] += now_seconds() - p->since;
    p->now = p->count;
    if (again)
        *p = (struct phases){0};
}

cuzk_status session_open(struct session *s, const struct options *o)
{
    *s = (struct session){.o = o, .start = now_seconds()};
    progress_init(&s->progress, !o->quiet);
    bench_catch_signals();
    s->watch = watch_start(getpid(), false);
    const struct cuzk_options options = {.threads = o->threads,
                                         .cpu = o->cpu,
                                         .memory_limit = o->memory,
                                         .device = o->device,
                                         .device_memory_limit = o->device_memory,
                                         .progress = on_progress,
                                         .progress_user = s,
                                         .cancel = &bench_stop};
    return cuzk_context_new(&s->context, &options, &s->error);
}

enum exit_code bench_fail(const struct options *o, cuzk_status status, const struct cuzk_error *e)
{
    const char *message = e->message[0] ? e->message : cuzk_status_name(status);
    fprintf(stderr, "%s: %s\n", program.name, message);
    if (o->json) {
        struct emit out = {.f = stdout};
        emit_open(&out, NULL, '{');
        emit_text(&out, "error", cuzk_status_name(status));
        emit_text(&out, "message", message);
        emit_close(&out, '}');
        putchar('\n');
    }
    return exit_code_of(status);
}

enum exit_code session_close(struct session *s, cuzk_status status)
{
    progress_clear(&s->progress);
    const enum exit_code code = status == CUZK_OK ? EXIT_DONE : bench_fail(s->o, status, &s->error);
    cuzk_context_free(s->context);
    s->context = NULL;
    watch_free(s->watch);
    return code;
}

void session_phases_emit(struct emit *e, const struct session *s, unsigned rounds)
{
    emit_open(e, "phases_s", '{');
    for (size_t i = 0; i < s->phases.count; i++)
        emit_number(e, s->phases.name[i], s->phases.seconds[i] / rounds);
    emit_close(e, '}');
}

void session_phases_print(const struct session *s, unsigned rounds)
{
    for (size_t i = 0; i < s->phases.count; i++)
        printf("  %-28s %9.3f s\n", s->phases.name[i], s->phases.seconds[i] / rounds);
}

void session_emit(struct emit *e, const struct session *s)
{
    unsigned devices = 0;
    struct cuzk_error error;
    emit_count(e, "threads", cuzk_context_threads(s->context));
    emit_text(e, "cpu", cuzk_context_cpu(s->context));
    emit_count(e, "reserved_peak_bytes", cuzk_context_memory_peak(s->context));
    emit_open(e, "devices", '[');
    if (cuzk_context_devices(s->context, &devices, &error) != CUZK_OK)
        devices = 0;
    for (unsigned i = 0; i < devices; i++) {
        struct cuzk_device d;
        if (cuzk_context_device(s->context, i, &d, &error) != CUZK_OK)
            continue;
        emit_open(e, NULL, '{');
        emit_text(e, "name", d.name);
        emit_count(e, "index", d.index);
        emit_count(e, "memory_bytes", d.memory);
        emit_count(e, "limit_bytes", d.limit);
        emit_count(e, "peak_bytes", d.peak);
        emit_close(e, '}');
    }
    emit_close(e, ']');
}

void session_print(const struct session *s)
{
    watch_stop(s->watch);
    unsigned devices = 0;
    struct cuzk_error error;
    printf("  %u threads (%s), %.3f GiB reserved and %.3f GiB anonymous at most\n",
           cuzk_context_threads(s->context), cuzk_context_cpu(s->context),
           (double)cuzk_context_memory_peak(s->context) / 1073741824,
           (double)watch_anonymous(s->watch) / 1073741824);
    if (cuzk_context_devices(s->context, &devices, &error) != CUZK_OK)
        devices = 0;
    for (unsigned i = 0; i < devices; i++) {
        struct cuzk_device d;
        if (cuzk_context_device(s->context, i, &d, &error) == CUZK_OK)
            printf("  GPU %u, %s: %.3f of %.3f GiB at most\n", d.index, d.name, (double)d.peak / 1073741824,
                   (double)d.limit / 1073741824);
    }
}

/* The processor's name and its clock now. */
static void read_cpu_model(char *out, size_t size, double *mhz)
{
    char line[256];
    bool named = false;
    snprintf(out, size, "unknown");
    *mhz = 0;
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        if (colon && !named && strncmp(line, "model name", 10) == 0) {
            line[strcspn(line, "\n")] = 0;
            snprintf(out, size, "%s", colon + 1 + strspn(colon + 1, " "));
            named = true;
        }
        if (colon && *mhz == 0 && strncmp(line, "cpu MHz", 7) == 0)
            *mhz = strtod(colon + 1, NULL);
    }
    if (f)
        fclose(f);
}

void bench_head(struct emit *e, const char *command, const struct options *o)
{
    char text[128];
    double mhz;
    emit_open(e, NULL, '{');
    emit_text(e, "bench", command);
    emit_text(e, "version", cuzk_version());
    if (o->commit)
        emit_text(e, "commit", o->commit);
    read_cpu_model(text, sizeof text, &mhz);
    emit_text(e, "processor", text);
    emit_number(e, "mhz", mhz);
    emit_count(e, "processors", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    struct nvml *nvml = nvml_open();
    emit_open(e, "gpus", '[');
    for (unsigned d = 0; d < nvml_device_count(nvml); d++)
        if (nvml_device_name(nvml, d, text, sizeof text)) {
            emit_open(e, NULL, '{');
            emit_text(e, "name", text);
            emit_count(e, "mhz", nvml_device_clock(nvml, d));
            emit_close(e, '}');
        }
    emit_close(e, ']');
    nvml_close(nvml);
}

void bench_tail(struct emit *e, struct watch *w)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    watch_stop(w);
    emit_open(e, "own_memory", '{');
    emit_count(e, "peak_rss_bytes", (uint64_t)usage.ru_maxrss * 1024);
    if (w)
        emit_count(e, "peak_anonymous_bytes", watch_anonymous(w));
    emit_close(e, '}');
    emit_close(e, '}');
    fputc('\n', e->f);
}

void bench_stats(struct emit *e, const char *key, const struct stats *s)
{
    emit_open(e, key, '{');
    emit_count(e, "count", s->count);
    if (s->count > 0) {
        emit_number(e, "min_s", s->minimum);
        emit_number(e, "median_s", s->median);
        emit_number(e, "p90_s", s->p90);
        emit_number(e, "p99_s", s->p99);
        emit_number(e, "max_s", s->maximum);
        emit_number(e, "mean_s", s->mean);
        emit_number(e, "spread", s->spread);
    }
    emit_close(e, '}');
}
