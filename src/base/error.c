/* base/error.c - writing the detail of a failure.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for the longest path that the kernel takes, and words around it. */
#define FORMATTED_MAX (4096 + CUZK_ERROR_MESSAGE_MAX)
/* What is left of a prefix before a reason that leaves no room for it. */
#define PREFIX_LEAST 128

/* A message is one line without commands to the terminal, whatever file names hold. */
static void format_clean(char out[FORMATTED_MAX], const char *format, va_list args)
{
    if (vsnprintf(out, FORMATTED_MAX, format, args) < 0)
        out[0] = '\0';
    for (char *p = out; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c == '\n' || c == '\r' || c == '\t')
            *p = ' ';
        else if (c < 0x20 || c == 0x7f)
            *p = '?';
    }
}

/* Copy text, with "..." in its middle where it is longer than room bytes; returns the bytes written before
 * the NUL. */
static size_t shorten(char *out, size_t room, const char *text)
{
    static const char gap[] = "...";
    const size_t n = strlen(text);
    if (n <= room) {
        memcpy(out, text, n + 1);
        return n;
    }
    const size_t tail = (room - strlen(gap)) / 2, head = room - strlen(gap) - tail;
    memcpy(out, text, head);
    memcpy(out + head, gap, strlen(gap));
    memcpy(out + room - tail, text + n - tail, tail + 1);
    return room;
}

/* The message "prefix: reason". A long prefix, as a path may be, gives way to the reason. */
static void join(struct cuzk_error *e, const char *prefix, const char *reason)
{
    const size_t room = sizeof(e->message) - 1 - strlen(": "), n = strlen(reason);
    const size_t used =
        shorten(e->message, n + PREFIX_LEAST < room ? room - n : (size_t)PREFIX_LEAST, prefix);
    memcpy(e->message + used, ": ", 2);
    (void)shorten(e->message + used + 2, room - used, reason);
}

cuzk_status error_set(struct cuzk_error *e, cuzk_status status, const char *format, ...)
{
    char text[FORMATTED_MAX];
    if (!e)
        return status;
    va_list args;
    va_start(args, format);
    format_clean(text, format, args);
    va_end(args);
    e->status = status;
    (void)shorten(e->message, sizeof(e->message) - 1, text);
    return status;
}

cuzk_status error_errno(struct cuzk_error *e, int errnum, const char *format, ...)
{
    char prefix[FORMATTED_MAX], buffer[128];
    if (!e)
        return CUZK_ERR_IO;
    va_list args;
    va_start(args, format);
    format_clean(prefix, format, args);
    va_end(args);
    e->status = CUZK_ERR_IO;
    join(e, prefix, strerror_r(errnum, buffer, sizeof(buffer)));
    return CUZK_ERR_IO;
}

cuzk_status error_prefix(struct cuzk_error *e, cuzk_status status, const char *format, ...)
{
    char prefix[FORMATTED_MAX], old[CUZK_ERROR_MESSAGE_MAX];
    if (!e)
        return status;
    va_list args;
    va_start(args, format);
    format_clean(prefix, format, args);
    va_end(args);
    memcpy(old, e->message, sizeof(old));
    old[sizeof(old) - 1] = '\0';
    join(e, prefix, old);
    return e->status;
}

cuzk_status error_memory(struct cuzk_error *e, size_t size, const char *what)
{
    return error_set(e, CUZK_ERR_MEMORY, "out of memory: %zu bytes for %s", size, what);
}

const char *status_name(cuzk_status status)
{
    static const char *const names[] = {
        [CUZK_OK] = "ok",
        [CUZK_ERR_ARGUMENT] = "argument",
        [CUZK_ERR_INPUT] = "input",
        [CUZK_ERR_IO] = "io",
        [CUZK_ERR_MEMORY] = "memory",
        [CUZK_ERR_CANCELLED] = "cancelled",
        [CUZK_ERR_MISMATCH] = "mismatch",
        [CUZK_ERR_UNSATISFIED] = "unsatisfied",
        [CUZK_ERR_INVALID] = "invalid",
        [CUZK_ERR_UNSUPPORTED] = "unsupported",
        [CUZK_ERR_INTERNAL] = "internal",
        [CUZK_ERR_EXHAUSTED] = "exhausted",
        [CUZK_ERR_NOT_FOUND] = "not-found",
        [CUZK_ERR_UNAVAILABLE] = "unavailable",
        [CUZK_ERR_DEVICE] = "device",
    };
    if ((size_t)status >= ARRAY_LEN(names))
        return "unknown";
    return names[status];
}
