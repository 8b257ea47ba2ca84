/* base/timing.h - a monotonic clock and a bounded recorder of what happened when.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BASE_TIMING_H
#define BASE_TIMING_H

#include "base/common.h"

/* Nanoseconds since some fixed moment; never goes back. */
uint64_t timing_now(void);

struct timing_event {
    const char *name; /* static life */
    uint64_t start, end;
    uint32_t thread; /* the kernel's number of the thread that recorded it */
};

/* A recorder holds the first capacity events and counts the rest. Recording is thread-safe, takes no lock
 * and no memory. */
struct timing;
cuzk_status timing_new(struct timing **out, size_t capacity, struct cuzk_error *e) MUST_USE;
void timing_free(struct timing *t); /* NULL is fine */

/* name lasted from start till now. t may be NULL: nothing happens. */
void timing_record(struct timing *t, const char *name, uint64_t start);

/* How many events can be read: complete ones, in the order in which they ended to be recorded. */
size_t timing_count(const struct timing *t);
uint64_t timing_dropped(const struct timing *t);                  /* those beyond the capacity */
struct timing_event timing_get(const struct timing *t, size_t i); /* i below timing_count() */

#endif
