/* backend/cuda/stage.h - copying host memory that is not pinned to a device at the speed of the bus: several
 * threads fill pinned buffers in turn while the other is on its way.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_STAGE_H
#define BACKEND_CUDA_STAGE_H

#include "backend/backend.h"

#define STAGE_BUFFERS 3
#define STAGE_PIECES  2

struct stage {
    struct device *device;
    struct pool *pool;
    struct stream stream; /* of the copies */
    struct pinned_block buffer[STAGE_BUFFERS];
    struct event sent[STAGE_BUFFERS]; /* what was in it has left */
    unsigned next;
    /* Of pieces of parameters (srs.h) in their buffers: one has come, its last user is done. */
    struct event brought[STAGE_PIECES], used[STAGE_PIECES];
};

/* threads: that fill (the caller's included); bytes: of all buffers together. */
cuzk_status stage_new(struct stage *out, struct device *d, unsigned threads, size_t bytes,
                      struct cuzk_error *e) MUST_USE;
void stage_free(struct stage *s); /* a zeroed one is fine */

/* Queue a copy in s->stream. `from` may be changed when the call returns. */
cuzk_status stage_upload(struct stage *s, uint64_t to, const void *from, size_t size,
                         struct cuzk_error *e) MUST_USE;

#endif
