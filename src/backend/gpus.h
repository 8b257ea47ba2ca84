/* backend/gpus.h - the devices that a user's words name, opened.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_GPUS_H
#define BACKEND_GPUS_H

#include "backend/backend.h"

#define GPUS_MAX 16

struct gpus {
    struct driver *driver;
    struct device *device[GPUS_MAX];
    unsigned count;
    /* Why there is none, where "auto" found none; else empty. */
    char why[256];
    /* Of those that "auto" left out beside the ones that it uses, the last one's number and why; else empty.
     */
    char left_out[256];
};

/* words: "cpu": none; "gpu": all there are, at least one; "gpu:0,2": these; "auto": all that this build can
 * use, none without complaint. limit: bytes of each one's memory that may be used, 0: what is free. */
cuzk_status gpus_open(struct gpus *out, const char *words, uint64_t limit, struct cuzk_error *e) MUST_USE;
void gpus_close(struct gpus *g); /* a zeroed one is fine */

/* Are the words such as gpus_open takes? */
cuzk_status gpus_words_check(const char *words, struct cuzk_error *e) MUST_USE;

#endif
