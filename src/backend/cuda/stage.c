/* backend/cuda/stage.c - see stage.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/stage.h"

#include <string.h>

#include "base/pool.h"

#define PART ((size_t)1 << 20) /* bytes that a thread copies at a time */

struct fill {
    uint8_t *to;
    const uint8_t *from;
    size_t size;
};

static void fill_task(void *ctx, size_t i, unsigned worker)
{
    const struct fill *f = ctx;
    const size_t at = i * PART, left = f->size - at;
    (void)worker;
    memcpy(f->to + at, f->from + at, left < PART ? left : PART);
}

cuzk_status stage_new(struct stage *out, struct device *d, unsigned threads, size_t bytes,
                      struct cuzk_error *e)
{
    struct stage s = {.device = d};
    cuzk_status status = pool_new(&s.pool, threads, e);
    if (status == CUZK_OK)
        status = device_stream(&s.stream, d, e);
    for (unsigned i = 0; i < STAGE_BUFFERS && status == CUZK_OK; i++) {
        status = pinned_alloc(&s.buffer[i], d, bytes / STAGE_BUFFERS / PART * PART, 1, "a copy's buffer", e);
        if (status == CUZK_OK)
            status = device_event(&s.sent[i], d, e);
    }
    for (unsigned i = 0; i < STAGE_PIECES && status == CUZK_OK; i++) {
        status = device_event(&s.brought[i], d, e);
        if (status == CUZK_OK)
            status = device_event(&s.used[i], d, e);
    }
    if (status == CUZK_OK)
        *out = s;
    else
        stage_free(&s);
    return status;
}

void stage_free(struct stage *s)
{
    for (unsigned i = 0; i < STAGE_BUFFERS; i++)
        if (s->buffer[i].device)
            pinned_free(&s->buffer[i]);
    pool_free(s->pool);
    *s = (struct stage){0};
}

cuzk_status stage_upload(struct stage *s, uint64_t to, const void *from, size_t size, struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    for (size_t done = 0, n; done < size && status == CUZK_OK; done += n) {
        const struct pinned_block *buffer = &s->buffer[s->next];
        const struct event sent = s->sent[s->next];
        n = size - done < buffer->size ? size - done : buffer->size;
        status = event_wait(s->device, sent, e);
        if (status != CUZK_OK)
            break;
        struct fill fill = {.to = buffer->ptr, .from = (const uint8_t *)from + done, .size = n};
        pool_run(s->pool, fill_task, &fill, (n + PART - 1) / PART);
        status = device_upload(s->device, s->stream, to + done, buffer->ptr, n, e);
        if (status == CUZK_OK)
            status = event_record(s->device, sent, s->stream, e);
        s->next = (s->next + 1) % STAGE_BUFFERS;
    }
    return status;
}
