/* cuzk-bench/load_report.c - what a load has shown.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "cuzk-bench/load_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "common/plot.h"

static const char *const phase_names[PHASES] = {"queue wait", "parameters", "witness",
                                                "device",     "other",      "daemon"};
static const char *const phase_keys[PHASES] = {"queue_wait", "parameters", "witness",
                                               "device",     "other",      "daemon"};

const char *load_outcome_name(enum remote_outcome outcome)
{
    static const char *const names[REMOTE_OUTCOMES] = {"completed", "failed",  "cancelled",
                                                       "vanished",  "refused", "error"};
    return names[outcome];
}

/* ---- counting ---- */

static bool group_room(struct load_group *g, size_t count)
{
    bool fine = (g->latency = calloc(count + 1, sizeof(double))) != NULL;
    for (unsigned k = 0; k < PHASES; k++)
        fine = (g->phase[k] = calloc(count + 1, sizeof(double))) && fine;
    return fine;
}

static void group_add(struct load_group *g, const struct load_event *event)
{
    const struct remote_result *r = &event->result;
    /* Waiting for a device or a lane, finishing, verifying: the answer does not tell them apart. */
    const double other = r->total - r->queue_wait - r->srs_load - r->synthesis - r->device;
    const double phases[PHASES] = {r->queue_wait, r->srs_load,           r->synthesis,
                                   r->device,     other > 0 ? other : 0, r->total};
    g->latency[g->count] = event->end - event->start;
    for (unsigned k = 0; k < PHASES; k++)
        g->phase[k][g->count] = phases[k];
    g->count++;
}

/* The group of a circuit, which may be new; NULL: out of memory. */
static struct load_group *group_of(struct load_report *r, const char *circuit)
{
    for (size_t i = 1; i < r->groups; i++)
        if (!strcmp(r->group[i].circuit, circuit))
            return &r->group[i];
    struct load_group *g = &r->group[r->groups++];
    g->circuit = circuit;
    return group_room(g, r->run->count) ? g : NULL;
}

static bool count(struct load_report *r)
{
    const struct load_run *run = r->run;
    const double from = run->start + r->warmup, to = r->window > 0 ? run->start + r->window : run->end;
    r->group = calloc(LOAD_FILES_MAX + 1, sizeof *r->group);
    if (!r->group || !group_room(&r->group[0], run->count))
        return false;
    r->groups = 1;
    r->group[0].circuit = "all";
    r->measured = (to < run->end ? to : run->end) - from;
    for (size_t i = 0; i < run->count; i++) {
        const struct load_event *event = &run->event[i];
        r->outcomes[event->result.outcome]++;
        if (event->result.outcome != REMOTE_COMPLETED || event->end < from)
            continue;
        struct load_group *g = group_of(r, event->message->circuit);
        if (!g)
            return false;
        group_add(g, event);
        group_add(&r->group[0], event);
        r->within += event->end <= to;
    }
    for (size_t i = 0; i < r->groups; i++) {
        struct load_group *g = &r->group[i];
        g->of_latency = stats_of(g->latency, g->count);
        for (unsigned k = 0; k < PHASES; k++)
            g->of_phase[k] = stats_of(g->phase[k], g->count);
    }
    return true;
}

static double throughput(const struct load_report *r) /* a minute */
{
    return r->measured > 0 ? (double)r->within / r->measured * 60 : 0;
}

/* The first message of an outcome; "". */
static const char *example(const struct load_report *r, enum remote_outcome outcome)
{
    for (size_t i = 0; i < r->run->count; i++)
        if (r->run->event[i].result.outcome == outcome)
            return r->run->event[i].result.message;
    return "";
}

/* ---- text ---- */

static void print_report(FILE *f, const struct load_report *r)
{
    fprintf(f, "%s: %zu requests, %u at a time, in %.1f s\n", r->command, r->run->count, r->plan->concurrency,
            r->run->end - r->run->start);
    for (unsigned k = 0; k < REMOTE_OUTCOMES; k++) {
        const char *text = k == REMOTE_COMPLETED ? "" : example(r, (enum remote_outcome)k);
        if (r->outcomes[k] > 0)
            fprintf(f, "  %-10s %6zu%s%s\n", load_outcome_name((enum remote_outcome)k), r->outcomes[k],
                    *text ? "  such as: " : "", text);
    }
    if (r->verified)
        fprintf(f, "  proofs that do not verify: %zu\n", r->wrong);
    fprintf(f, "throughput: %.2f requests a minute (%zu in %.1f s)\n", throughput(r), r->within, r->measured);
    fprintf(f, "\n%-20s %7s %9s %9s %9s %9s %9s   seconds\n", "latency", "count", "min", "p50", "p90", "p99",
            "max");
    for (size_t i = r->groups == 2 ? 1 : 0; i < r->groups; i++) {
        const struct stats *s = &r->group[i].of_latency;
        fprintf(f, "%-20s %7zu %9.3f %9.3f %9.3f %9.3f %9.3f\n", r->group[i].circuit, s->count, s->minimum,
                s->median, s->p90, s->p99, s->maximum);
    }
    for (unsigned k = 0; k < PHASES; k++) {
        const struct stats *s = &r->group[0].of_phase[k];
        fprintf(f, "  %-18s %7zu %9.3f %9.3f %9.3f %9.3f %9.3f\n", phase_names[k], s->count, s->minimum,
                s->median, s->p90, s->p99, s->maximum);
    }
    busy_print(f, r->busy);
    watch_print(f, r->watch);
}

/* ---- JSON ---- */

static void emit_group(struct emit *e, const char *key, const struct load_group *g)
{
    emit_open(e, key, '{');
    emit_text(e, "circuit", g->circuit);
    bench_stats(e, "latency", &g->of_latency);
    for (unsigned k = 0; k < PHASES; k++)
        bench_stats(e, phase_keys[k], &g->of_phase[k]);
    emit_close(e, '}');
}

static void emit_report(const struct load_report *r, const struct options *o)
{
    struct emit e = {.f = stdout};
    bench_head(&e, r->command, o);
    emit_count(&e, "concurrency", r->plan->concurrency);
    emit_number(&e, "seconds", r->run->end - r->run->start);
    emit_count(&e, "requests", r->run->count);
    for (unsigned k = 0; k < REMOTE_OUTCOMES; k++)
        emit_count(&e, load_outcome_name((enum remote_outcome)k), r->outcomes[k]);
    if (r->outcomes[REMOTE_FAILED])
        emit_text(&e, "failed_message", example(r, REMOTE_FAILED));
    if (r->outcomes[REMOTE_ERROR] || r->outcomes[REMOTE_REFUSED])
        emit_text(&e, "error_message", example(r, r->outcomes[REMOTE_ERROR] ? REMOTE_ERROR : REMOTE_REFUSED));
    if (r->verified)
        emit_count(&e, "not_valid", r->wrong);
    emit_number(&e, "measured_seconds", r->measured);
    emit_count(&e, "measured_requests", r->within);
    emit_number(&e, "requests_a_minute", throughput(r));
    emit_group(&e, "all", &r->group[0]);
    emit_open(&e, "circuits", '[');
    for (size_t i = 1; i < r->groups; i++)
        emit_group(&e, NULL, &r->group[i]);
    emit_close(&e, ']');
    busy_emit(&e, "lanes", r->busy);
    watch_emit(&e, "daemon_memory", r->watch);
    bench_tail(&e, NULL);
}

/* ---- the plot ---- */

#define BINS 60 /* at most; each should hold some requests */

struct drawing {
    double *rank; /* of the latency curves: 1/n .. 1, in per cent */
    double bin_at[BINS + 1], bin[BINS + 1];
    double *memory_at;
};

static void draw_latency(struct plot_chart *c, const struct load_report *r, struct drawing *d)
{
    double *rank = d->rank;
    *c = (struct plot_chart){
        .title = "latency: share of requests answered", .x_label = "seconds", .y_label = "per cent"};
    for (size_t i = r->groups == 2 ? 1 : 0; i < r->groups && c->count < PLOT_LINES_MAX; i++) {
        const struct load_group *g = &r->group[i];
        for (size_t k = 0; k < g->count; k++)
            rank[k] = 100 * (double)(k + 1) / (double)g->count;
        c->line[c->count++] = (struct plot_line){
            .name = g->circuit, .x = g->latency, .y = rank, .count = g->count, .steps = true};
        rank += g->count;
    }
}

static void draw_throughput(struct plot_chart *c, const struct load_report *r, struct drawing *d)
{
    const size_t wanted = r->outcomes[REMOTE_COMPLETED] / 4;
    const size_t bins = wanted < 4 ? 4 : wanted > BINS ? BINS : wanted;
    const double width = (r->run->end - r->run->start) / (double)bins;
    *c = (struct plot_chart){.title = "completed over time", .x_label = "seconds", .y_label = "a minute"};
    for (size_t i = 0; i <= bins; i++)
        d->bin_at[i] = width * (double)i;
    for (size_t i = 0; i < r->run->count && width > 0; i++) {
        const double at = (r->run->event[i].end - r->run->start) / width;
        if (r->run->event[i].result.outcome == REMOTE_COMPLETED)
            d->bin[at < (double)bins ? (size_t)at : bins - 1] += 60 / width;
    }
    d->bin[bins] = d->bin[bins - 1];
    c->line[c->count++] =
        (struct plot_line){.name = "requests", .x = d->bin_at, .y = d->bin, .count = bins + 1, .steps = true};
}

static void draw_memory(struct plot_chart *c, const struct load_report *r, struct drawing *d)
{
    const double *at = NULL, *resident = NULL, *anonymous = NULL;
    const size_t n = watch_points(r->watch, &at, &resident, &anonymous);
    for (size_t i = 0; i < n; i++)
        d->memory_at[i] = at[i] > r->run->start ? at[i] - r->run->start : 0;
    *c = (struct plot_chart){
        .title = "memory of the daemon", .x_label = "seconds", .y_label = "GiB", .count = 2};
    c->line[0] = (struct plot_line){.name = "resident", .x = d->memory_at, .y = resident, .count = n};
    c->line[1] = (struct plot_line){.name = "anonymous", .x = d->memory_at, .y = anonymous, .count = n};
}

static cuzk_status draw(const struct load_report *r, const char *path, struct cuzk_error *e)
{
    const double *a, *b, *c;
    struct drawing d = {0};
    struct plot_chart charts[3];
    char title[64];
    const size_t points = watch_points(r->watch, &a, &b, &c);
    d.rank = calloc(2 * r->run->count + 1, sizeof *d.rank);
    d.memory_at = calloc(points + 1, sizeof *d.memory_at);
    cuzk_status status = CUZK_ERR_MEMORY;
    if (d.rank && d.memory_at) {
        draw_latency(&charts[0], r, &d);
        draw_throughput(&charts[1], r, &d);
        if (points > 0)
            draw_memory(&charts[2], r, &d);
        snprintf(title, sizeof title, "cuzk-bench %s, %u at a time", r->command, r->plan->concurrency);
        status = plot_write(path, title, charts, points > 0 ? 3 : 2, e);
    } else {
        error_set(e, status, "out of memory for the plot");
    }
    free(d.rank);
    free(d.memory_at);
    return status;
}

cuzk_status load_report_make(struct load_report *r, const struct options *o, struct cuzk_error *e)
{
    if (!count(r))
        return error_set(e, CUZK_ERR_MEMORY, "out of memory for the report");
    if (o->json)
        emit_report(r, o);
    else
        print_report(stdout, r);
    return o->plot ? draw(r, o->plot, e) : CUZK_OK;
}

void load_report_free(struct load_report *r)
{
    for (size_t i = 0; i < r->groups; i++) {
        free(r->group[i].latency);
        for (unsigned k = 0; k < PHASES; k++)
            free(r->group[i].phase[k]);
    }
    free(r->group);
}
