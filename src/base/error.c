/* base/error.c - writing the detail of a failure.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Format behind the first `at` bytes of the message; whatever does not fit is cut. */
static void append(struct cuzk_error *e, size_t at, const char *format, va_list args)
{
    if (at < sizeof(e->message) - 1 && vsnprintf(e->message + at, sizeof(e->message) - at, format, args) < 0)
        e->message[at] = '\0';
    for (char *p = e->message + at; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' '; /* a message is one line, whatever file names hold */
}

cuzk_status error_set(struct cuzk_error *e, cuzk_status status, const char *format, ...)
{
    if (!e)
        return status;
    e->status = status;
    e->message[0] = '\0';
    va_list args;
    va_start(args, format);
    append(e, 0, format, args);
    va_end(args);
    return status;
}

cuzk_status error_errno(struct cuzk_error *e, int errnum, const char *format, ...)
{
    if (!e)
        return CUZK_ERR_IO;
    e->status = CUZK_ERR_IO;
    e->message[0] = '\0';
    va_list args;
    va_start(args, format);
    append(e, 0, format, args);
    va_end(args);
    char buffer[128];
    size_t used = strlen(e->message);
    snprintf(e->message + used, sizeof(e->message) - used, ": %s",
             strerror_r(errnum, buffer, sizeof(buffer)));
    return CUZK_ERR_IO;
}

cuzk_status error_prefix(struct cuzk_error *e, cuzk_status status, const char *format, ...)
{
    if (!e)
        return status;
    char old[CUZK_ERROR_MESSAGE_MAX];
    memcpy(old, e->message, sizeof(old));
    old[sizeof(old) - 1] = '\0';
    e->message[0] = '\0';
    va_list args;
    va_start(args, format);
    append(e, 0, format, args);
    va_end(args);
    size_t used = strlen(e->message);
    size_t room = sizeof(e->message) - used;
    if (snprintf(e->message + used, room, ": %s", old) < 0)
        e->message[used] = '\0';
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
    };
    if ((size_t)status >= ARRAY_LEN(names))
        return "unknown";
    return names[status];
}
