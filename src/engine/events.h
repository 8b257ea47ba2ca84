/* engine/events.h - events on their way to the hook: kept in order, told by a thread of its own.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_EVENTS_H
#define ENGINE_EVENTS_H

#include "engine/engine.h"

struct events;

/* hook NULL: events are dropped at once. */
cuzk_status events_new(struct events **out, void (*hook)(void *user, const struct engine_event *event),
                       void *user, struct cuzk_error *e) MUST_USE;
/* Tell what is waiting, then end the thread. NULL is fine. */
void events_free(struct events *q);

/* Thread-safe; takes copies of the texts, and the time if it is 0. */
void events_put(struct events *q, const struct engine_event *event);
void events_log(struct events *q, enum engine_level level, const char *key, const char *format, ...)
    PRINTF_LIKE(4, 5);
uint64_t events_dropped(const struct events *q);

#endif
