/* backend/backend.h - devices that compute for us: which there are, how one is opened, what it holds.
 *
 * A device is used by one thread at a time. Its work runs in streams; a call that queues work returns before
 * the work is done, and device_wait tells how it ended. Memory is counted in a ledger against a limit before
 * it is asked for, so a device can be used as if it were smaller.
 *
 * An error that leaves the device's context unusable retires the device: every later call but device_close,
 * device_reopen and the freeing of blocks then fails with the same text, nothing else of the process is
 * touched, and device_reopen starts it anew, empty. A driver may refuse that for the rest of the process
 * (CUDA does after an illegal address): the device then stays retired, the others work on.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include "base/common.h"

struct driver;
struct device;

struct device_info {
    char name[96];
    unsigned index;
    unsigned capability; /* 90 for 9.0 */
    unsigned multiprocessors;
    uint64_t memory; /* of the card, bytes */
    uint64_t limit;  /* of the ledger, bytes */
};

/* The driver, loaded when a GPU is first asked for. CUZK_ERR_UNSUPPORTED where there is none, or where this
 * build holds no kernels. */
cuzk_status driver_open(struct driver **out, struct cuzk_error *e) MUST_USE;
void driver_close(struct driver *driver); /* after its devices; NULL is fine */
cuzk_status driver_device_count(unsigned *out, const struct driver *driver, struct cuzk_error *e) MUST_USE;

/* Open device index of driver, which must outlive it. limit: bytes of its memory that may be used, 0: what is
 * free now less a margin. CUZK_ERR_UNSUPPORTED where this build holds no kernels for it. */
cuzk_status device_open(struct device **out, const struct driver *driver, unsigned index, uint64_t limit,
                        struct cuzk_error *e) MUST_USE;
void device_close(struct device *d); /* NULL is fine; its blocks and streams are gone */
bool device_retired(const struct device *d);
/* Everything on the device is lost; blocks and streams of before may only be freed. */
cuzk_status device_reopen(struct device *d, struct cuzk_error *e) MUST_USE;
const struct device_info *device_info(const struct device *d);
uint64_t device_memory_used(const struct device *d); /* without what is kept for reuse */
uint64_t device_memory_peak(const struct device *d);

/* Memory of the device; not zeroed, aligned to 256 bytes. ptr is 0 when empty. */
struct device_block {
    uint64_t ptr;
    size_t size; /* as asked for */
    size_t held; /* as the ledger counts it: a kept block may be up to a quarter larger */
    struct device *device;
    unsigned generation;
};

/* count * size bytes; 0 bytes give an empty block. CUZK_ERR_MEMORY beyond the limit or the card; what names
 * the block in the text. */
cuzk_status device_alloc(struct device_block *out, struct device *d, size_t count, size_t size,
                         const char *what, struct cuzk_error *e) MUST_USE;
/* Empties it; an empty or zeroed one is fine. The memory is kept for the next block of about this size, so
 * work queued on it must be done, or be in the stream of whoever comes next. */
void device_free(struct device_block *block);

/* Host memory from which a device copies at full speed. */
struct pinned_block {
    void *ptr;
    size_t size;
    struct device *device;
    unsigned generation;
};
cuzk_status pinned_alloc(struct pinned_block *out, struct device *d, size_t count, size_t size,
                         const char *what, struct cuzk_error *e) MUST_USE;
void pinned_free(struct pinned_block *block);

/* A stream: work queued in it runs in order. All of a device's are freed when it closes or reopens. */
struct stream {
    void *handle;
};
cuzk_status device_stream(struct stream *out, struct device *d, struct cuzk_error *e) MUST_USE;
/* Queue copies and fills; ptr: inside a block. A copy from or to memory that is not pinned is done, on the
 * host's side, when the call returns. */
cuzk_status device_upload(struct device *d, struct stream s, uint64_t to, const void *from, size_t size,
                          struct cuzk_error *e) MUST_USE;
cuzk_status device_download(struct device *d, struct stream s, void *to, uint64_t from, size_t size,
                            struct cuzk_error *e) MUST_USE;
cuzk_status device_copy(struct device *d, struct stream s, uint64_t to, uint64_t from, size_t size,
                        struct cuzk_error *e) MUST_USE;
cuzk_status device_fill(struct device *d, struct stream s, uint64_t to, uint8_t byte, size_t size,
                        struct cuzk_error *e) MUST_USE;

/* Wait until all that was queued in s is done; what failed in it is told here. */
cuzk_status device_wait(struct device *d, struct stream s, struct cuzk_error *e) MUST_USE;

/* A point in a stream's work: for times, and for streams that wait for each other. */
struct event {
    void *handle;
};
cuzk_status device_event(struct event *out, struct device *d, struct cuzk_error *e) MUST_USE;
cuzk_status event_record(struct device *d, struct event event, struct stream s,
                         struct cuzk_error *e) MUST_USE;
cuzk_status stream_wait_event(struct device *d, struct stream s, struct event event,
                              struct cuzk_error *e) MUST_USE;
/* Wait until the work before it is done; at once if it was never recorded. */
cuzk_status event_wait(struct device *d, struct event event, struct cuzk_error *e) MUST_USE;
/* Milliseconds between two recorded events whose work is done. */
cuzk_status event_elapsed(struct device *d, float *out, struct event from, struct event to,
                          struct cuzk_error *e) MUST_USE;

#endif
