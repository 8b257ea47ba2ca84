/* cuzk-memmon/report.c - lines, tables, JSON and the plot.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdlib.h>

#include "common/emit.h"
#include "common/plot.h"
#include "cuzk-memmon/memmon.h"

#define GIB 1073741824.0

/* The values of a moment, a column each. */
static const struct column {
    const char *name, *title;
    size_t at; /* of the uint64_t in struct sample */
} columns[] = {
    {"rss", "resident", offsetof(struct sample, memory.resident)},
    {"anonymous", "anonymous", offsetof(struct sample, memory.anonymous)},
    {"file", "file", offsetof(struct sample, memory.file)},
    {"shmem", "shared", offsetof(struct sample, memory.shared)},
    {"huge", "huge pages", offsetof(struct sample, memory.huge)},
    {"swap", "swap", offsetof(struct sample, memory.swap)},
    {"pss", "proportional", offsetof(struct sample, memory.proportional)},
    {"device", "device", offsetof(struct sample, device)},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static uint64_t value_of(const struct sample *s, size_t column)
{
    return *(const uint64_t *)(const void *)((const char *)s + columns[column].at);
}

void report_csv_head(FILE *f)
{
    fputs("timestamp_ms,rss_kb,rss_gib,anonymous_kb,file_kb,shmem_kb,huge_kb,swap_kb,pss_kb,device_kb,"
          "processes\n",
          f);
}

void report_csv_line(FILE *f, const struct record *r)
{
    const struct sample *s = &r->last;
    fprintf(f, "%" PRIu64 ",%" PRIu64 ",%.4f", r->start_unix_ms + (uint64_t)(s->seconds * 1000),
            value_of(s, 0) / 1024, (double)value_of(s, 0) / GIB);
    for (size_t i = 1; i < COLUMNS; i++)
        fprintf(f, ",%" PRIu64, value_of(s, i) / 1024);
    fprintf(f, ",%u\n", s->processes);
    fflush(f);
}

void report_line(FILE *f, const struct record *r)
{
    const struct sample *s = &r->last;
    fprintf(f, "%8.1f s", s->seconds);
    for (size_t i = 0; i < COLUMNS; i++)
        if (i < 4 || value_of(&r->peak, i) > 0)
            fprintf(f, "  %s %.3f", columns[i].title, (double)value_of(s, i) / GIB);
    fprintf(f, " GiB");
    if (s->processes > 1)
        fprintf(f, "  %u processes", s->processes);
    fputc('\n', f);
    fflush(f);
}

void report_summary(FILE *f, const struct record *r)
{
    if (r->samples == 0) {
        fprintf(f, "%s (%ld) ended before it could be looked at; by the kernel it had %.3f GiB at most\n",
                r->name, (long)r->root, (double)r->high_water / GIB);
        return;
    }
    fprintf(f, "%s (%ld): %.1f s, %" PRIu64 " samples\n", r->name, (long)r->root, r->last.seconds,
            r->samples);
    fprintf(f, "%-14s %12s %12s\n", "", "peak GiB", "last GiB");
    for (size_t i = 0; i < COLUMNS; i++)
        if (i < 4 || value_of(&r->peak, i) > 0)
            fprintf(f, "%-14s %12.3f %12.3f\n", columns[i].title, (double)value_of(&r->peak, i) / GIB,
                    (double)value_of(&r->last, i) / GIB);
    fprintf(f, "resident memory was highest at %.1f s; the first process's own peak was %.3f GiB\n",
            r->peak.seconds, (double)r->high_water / GIB);
    if (r->device_whole)
        fputs("device: processes are not told apart; what the devices have in use beyond the beginning\n", f);
    for (size_t i = 0; r->members > 1 && i < r->members; i++)
        fprintf(f, "  %-15s %8ld  resident %.3f, anonymous %.3f GiB at most\n", r->member[i].name,
                (long)r->member[i].pid, (double)r->member[i].resident / GIB,
                (double)r->member[i].anonymous / GIB);
    fflush(f);
}

static void emit_values(struct emit *e, const char *key, const struct sample *s)
{
    char name[32];
    emit_open(e, key, '{');
    for (size_t i = 0; i < COLUMNS; i++) {
        snprintf(name, sizeof name, "%s_bytes", columns[i].name);
        emit_count(e, name, value_of(s, i));
    }
    emit_count(e, "processes", s->processes);
    emit_number(e, "at_seconds", s->seconds);
    emit_close(e, '}');
}

void report_json(FILE *f, const struct record *r, uint64_t interval_ms, int code)
{
    struct emit e = {.f = f};
    emit_open(&e, NULL, '{');
    emit_text(&e, "name", r->name);
    emit_count(&e, "pid", (uint64_t)r->root);
    emit_count(&e, "start_unix_ms", r->start_unix_ms);
    emit_number(&e, "seconds", r->last.seconds);
    emit_count(&e, "interval_ms", interval_ms);
    emit_count(&e, "samples", r->samples);
    if (code >= 0)
        emit_count(&e, "exit_code", (uint64_t)code);
    emit_values(&e, "peak", &r->peak);
    emit_values(&e, "last", &r->last);
    emit_count(&e, "high_water_bytes", r->high_water);
    emit_count(&e, "devices", nvml_device_count(r->nvml));
    emit_text(&e, "device_memory_of", r->device_whole ? "devices" : "processes");
    emit_open(&e, "processes", '[');
    for (size_t i = 0; i < r->members; i++) {
        emit_open(&e, NULL, '{');
        emit_count(&e, "pid", (uint64_t)r->member[i].pid);
        emit_text(&e, "name", r->member[i].name);
        emit_count(&e, "peak_rss_bytes", r->member[i].resident);
        emit_count(&e, "peak_anonymous_bytes", r->member[i].anonymous);
        emit_close(&e, '}');
    }
    emit_close(&e, ']');
    emit_close(&e, '}');
    fputc('\n', f);
    fflush(f);
}

cuzk_status report_plot(const char *path, const struct record *r, struct cuzk_error *e)
{
    static const size_t shown[] = {0, 1, 2, 3, 4, 5};
    const size_t lines = sizeof shown / sizeof *shown;
    struct plot_chart charts[2] = {{.title = "memory", .x_label = "seconds"},
                                   {.title = "device memory", .x_label = "seconds"}};
    double *values = calloc((COLUMNS + 1) * r->kept_count + 1, sizeof *values);
    const bool small = r->peak.memory.resident < (uint64_t)1 << 30 && r->peak.device < (uint64_t)1 << 30;
    const double unit = small ? 1048576 : GIB;
    char title[64];
    charts[0].y_label = charts[1].y_label = small ? "MiB" : "GiB";
    if (!values) {
        snprintf(e->message, sizeof e->message, "out of memory for the plot");
        return CUZK_ERR_MEMORY;
    }
    for (size_t k = 0; k < r->kept_count; k++) {
        values[k] = r->kept[k].seconds;
        for (size_t i = 0; i < COLUMNS; i++)
            values[(i + 1) * r->kept_count + k] = (double)value_of(&r->kept[k], i) / unit;
    }
    for (size_t i = 0; i < lines; i++)
        if (value_of(&r->peak, shown[i]) > 0)
            charts[0].line[charts[0].count++] =
                (struct plot_line){.name = columns[shown[i]].title,
                                   .x = values,
                                   .y = values + (shown[i] + 1) * r->kept_count,
                                   .count = r->kept_count};
    charts[1].line[charts[1].count++] = (struct plot_line){
        .name = "in use", .x = values, .y = values + COLUMNS * r->kept_count, .count = r->kept_count};
    snprintf(title, sizeof title, "%s (%ld)", r->name, (long)r->root);
    const cuzk_status status = plot_write(path, title, charts, r->peak.device > 0 ? 2 : 1, e);
    free(values);
    return status;
}
