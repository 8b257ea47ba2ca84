/* daemon/log.h - structured lines on stderr, as text or JSON.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

#include "base/common.h"

enum log_level { LOG_ERROR = 0, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_TRACE };
enum log_format { LOG_TEXT = 0, LOG_JSON };

/* A line's further members; the last has key NULL. Empty texts are left out. */
struct log_field {
    const char *key;
    const char *text; /* NULL: number */
    int64_t number;
};

struct log {
    int fd;
    _Atomic int level, format; /* may change while others log */
};

/* One line, written whole by one call. Nobody waits for who reads it: while none can be written (a pipe that
 * is not read, a terminal that was stopped) lines are dropped, and counted before the next one. It has time,
 * level, key ("daemon", "rpc", "job", "timing"...), message. */
void log_line(const struct log *log, enum log_level level, const char *key, const struct log_field *fields,
              const char *format, ...) PRINTF_LIKE(5, 6);

/* An event of the engine (progress is none for the log). */
struct engine_event;
void log_event(const struct log *log, const struct engine_event *event);

static inline bool log_wants(const struct log *log, enum log_level level)
{
    return (int)level <= log->level;
}

#endif
