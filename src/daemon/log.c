/* daemon/log.c - structured lines on stderr, as text or JSON.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "daemon/log.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/engine.h"

#define LINE 4096 /* bytes, no more than a pipe takes whole (PIPE_BUF) */

static const char *const LEVELS[] = {"error", "warn", "info", "debug", "trace"};

/* A line being put together; what does not fit is left out, but for its end. */
struct line {
    char text[LINE];
    size_t size, limit;
};

static void put(struct line *l, const char *text, size_t size)
{
    if (size > l->limit - l->size)
        size = l->limit - l->size;
    memcpy(l->text + l->size, text, size);
    l->size += size;
}

static void put_text(struct line *l, const char *text)
{
    put(l, text, strlen(text));
}

static void put_number(struct line *l, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    put_text(l, text);
}

/* A string in quotes; bytes that are no printable ASCII or UTF-8 lead become escapes. */
static void put_quoted(struct line *l, const char *text)
{
    put_text(l, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        char escape[8];
        if (*p == '"' || *p == '\\')
            snprintf(escape, sizeof escape, "\\%c", *p);
        else if (*p < 0x20 || *p == 0x7f)
            snprintf(escape, sizeof escape, "\\u%04x", *p);
        else
            snprintf(escape, sizeof escape, "%c", *p);
        if (l->limit - l->size > sizeof escape) /* no half escapes, and room for the quote */
            put_text(l, escape);
    }
    put_text(l, "\"");
}

static bool is_plain(const char *text)
{
    return text[0] &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:")] == 0;
}

static void put_fields(struct line *l, const struct log_field *fields, bool json)
{
    for (const struct log_field *f = fields; f && f->key; f++) {
        if (f->text && !f->text[0])
            continue;
        if (l->limit - l->size < strlen(f->key) + 64)
            break;
        put_text(l, json ? ",\"" : " ");
        put_text(l, f->key);
        put_text(l, json ? "\":" : "=");
        if (!f->text)
            put_number(l, f->number);
        else if (json || !is_plain(f->text))
            put_quoted(l, f->text);
        else
            put_text(l, f->text);
    }
}

static void put_time(struct line *l)
{
    struct timespec now;
    struct tm tm;
    char text[48], millis[16];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(millis, sizeof millis, ".%03dZ", (int)(now.tv_nsec / 1000000));
    put_text(l, text);
    put_text(l, millis);
}

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static uint64_t dropped; /* lines, since the last one that was written; with the lock */

/* What can be written to has room for a line at least: a pipe for PIPE_BUF bytes. */
static bool can_be_written(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, 0) != 0;
}

/* A log that cannot be written is no reason to stop, nor to wait. */
static void write_line(int fd, const char *text, size_t size)
{
    pthread_mutex_lock(&writing);
    if (dropped > 0 && can_be_written(fd)) {
        char missing[64];
        const int n = text[0] == '{'
                          ? snprintf(missing, sizeof missing, "{\"dropped\":%" PRIu64 "}\n", dropped)
                          : snprintf(missing, sizeof missing, "(%" PRIu64 " lines dropped)\n", dropped);
        if (write(fd, missing, (size_t)n) == n)
            dropped = 0;
    }
    if (!can_be_written(fd) || write(fd, text, size) < 0)
        dropped++;
    pthread_mutex_unlock(&writing);
}

void log_line(const struct log *log, enum log_level level, const char *key, const struct log_field *fields,
              const char *format, ...)
{
    char message[1024];
    struct line l = {.limit = LINE - 4};
    va_list args;
    if (!log_wants(log, level))
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const bool json = log->format == LOG_JSON;
    put_text(&l, json ? "{\"time\":\"" : "");
    put_time(&l);
    if (json) {
        put_text(&l, "\",\"level\":\"");
        put_text(&l, LEVELS[level]);
        put_text(&l, "\",\"key\":");
        put_quoted(&l, key);
        put_text(&l, ",\"message\":");
        put_quoted(&l, message);
    } else {
        put_text(&l, " ");
        put_text(&l, LEVELS[level]);
        put_text(&l, " ");
        put_text(&l, key);
        put_text(&l, ": ");
        for (char *p = message; *p; p++)
            if ((unsigned char)*p < 0x20)
                *p = ' ';
        put_text(&l, message);
    }
    put_fields(&l, fields, json);
    l.limit = LINE;
    put_text(&l, json ? "}\n" : "\n");
    write_line(log->fd, l.text, l.size);
}

/* ---- events ---- */

void log_event(const struct log *log, const struct engine_event *event)
{
    static const enum log_level levels[] = {LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG};
    const bool has_partition = event->partition >= 0;
    struct log_field fields[] = {{"job", event->job_id, 0},
                                 {"request", event->request_id, 0},
                                 {"kind", event->kind ? engine_kind_name(event->kind) : "", 0},
                                 {has_partition ? "partition" : NULL, NULL, event->partition},
                                 {NULL, NULL, 0}};
    const char *text = event->text ? event->text : "";
    switch (event->type) {
    case ENGINE_EVENT_LOG:
        log_line(log, levels[event->level], event->key, fields, "%s", text);
        break;
    case ENGINE_EVENT_TIMING:
        log_line(log, LOG_INFO, "timing", NULL, "%s", text); /* it names its job */
        break;
    case ENGINE_EVENT_ACCEPTED:
        log_line(log, LOG_INFO, "job", fields, "accepted");
        break;
    case ENGINE_EVENT_PARTITION:
        log_line(log, LOG_DEBUG, "job", fields, "%s", engine_phase_name(event->phase));
        break;
    case ENGINE_EVENT_DONE:
        log_line(log, event->phase == ENGINE_PHASE_FAILED ? LOG_WARN : LOG_INFO, "job", fields, "%s%s%s",
                 engine_phase_name(event->phase), *text ? ": " : "", text);
        break;
    case ENGINE_EVENT_DEVICE:
        log_line(log, LOG_WARN, "device", fields, "%s", text);
        break;
    default: /* progress is for watchers; of parameters the engine says more */
        break;
    }
}
