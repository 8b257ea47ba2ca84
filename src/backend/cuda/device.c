/* backend/cuda/device.c - a GPU: its context, memory ledger, streams, kernels, and the end of its context.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/device.h"

#include <stdio.h>
#include <string.h>

#include "backend/cuda/driver.h"
#include "base/error.h"
#include "base/memory.h"

#define MAX_MODULES 16
#define MAX_KERNELS 128
#define MAX_KEPT    512
#define MARGIN      (UINT64_C(512) << 20) /* left to the driver and others when no limit is given */

struct kernel {
    const char *name;
    cu_function function;
    unsigned shared; /* dynamic shared memory that it is set up for */
};

struct device {
    const struct driver *driver;
    cu_device handle;
    cu_context context;
    struct device_info info;
    uint64_t limit_asked, used, peak;
    unsigned generation;
    struct kept {
        cu_ptr ptr;
        size_t size;
    } kept[MAX_KEPT]; /* freed blocks, for the next of about their size; oldest first */
    unsigned kept_count;
    uint64_t kept_bytes;
    cu_module modules[MAX_MODULES];
    struct kernel kernels[MAX_KERNELS];
    unsigned module_count, kernel_count;
    bool retired;
    char why[256]; /* why it retired */
    unsigned fail_after;
    int fail_result;
};

void device_fail_after(struct device *d, unsigned n, int result)
{
    d->fail_after = n;
    d->fail_result = result;
}

static bool fails_now(struct device *d)
{
    return d->fail_after && --d->fail_after == 0;
}

/* Every call of the driver: the injected failure in its place when it is due. */
#define CALL(d, call) (fails_now(d) ? (d)->fail_result : (d)->driver->call)

/* Errors of one call that leave the context as it was; all others end it. */
static bool passes(cu_result result)
{
    static const cu_result HARMLESS[] = {1, 2, 200, 201, 209, 218, 300, 301, 400, 500, 600, 701, 801};
    for (size_t i = 0; i < ARRAY_LEN(HARMLESS); i++)
        if (result == HARMLESS[i])
            return true;
    return false;
}

static cuzk_status fail(struct device *d, cu_result result, const char *what, struct cuzk_error *e)
{
    const char *name = NULL, *text = NULL;
    if (d->driver->error_name(result, &name) != CU_SUCCESS || !name)
        name = "unknown error";
    if (d->driver->error_string(result, &text) != CU_SUCCESS || !text)
        text = "no text";
    char message[256];
    snprintf(message, sizeof message, "GPU %u: %s: %s (%d): %s", d->info.index, what, name, result, text);
    if (!passes(result)) {
        d->retired = true;
        memcpy(d->why, message, sizeof d->why);
    }
    return error_set(e, result == CU_OUT_OF_MEMORY ? CUZK_ERR_MEMORY : CUZK_ERR_DEVICE, "%s", message);
}

/* What every call begins with: the device is usable and its context this thread's. */
static cuzk_status enter(struct device *d, struct cuzk_error *e)
{
    if (d->retired)
        return error_set(e, CUZK_ERR_DEVICE, "%s; the device is retired", d->why);
    const cu_result result = CALL(d, context_set(d->context));
    return result == CU_SUCCESS ? CUZK_OK : fail(d, result, "the context", e);
}

/* enter, one call, its error. */
#define SIMPLE(d, what, call, e)                                                                             \
    do {                                                                                                     \
        TRY(enter(d, e));                                                                                    \
        const cu_result simple_result = CALL(d, call);                                                       \
        return simple_result == CU_SUCCESS ? CUZK_OK : fail(d, simple_result, what, e);                      \
    } while (0)

static cuzk_status load_modules(struct device *d, struct cuzk_error *e)
{
    d->module_count = d->kernel_count = 0;
    for (const struct cuda_module *m = CUDA_MODULES; m->name; m++) {
        if (d->module_count == MAX_MODULES)
            return error_set(e, CUZK_ERR_INTERNAL, "more than %d modules of kernels", MAX_MODULES);
        const cu_result result = CALL(d, module_load(&d->modules[d->module_count], m->image));
        if (result == CU_NO_BINARY)
            return error_set(e, CUZK_ERR_UNSUPPORTED, "GPU %u (%s): this build holds no kernels for it",
                             d->info.index, d->info.name);
        if (result != CU_SUCCESS)
            return fail(d, result, m->name, e);
        d->module_count++;
    }
    return CUZK_OK;
}

/* The context, the limit, the modules. */
static cuzk_status start(struct device *d, struct cuzk_error *e)
{
    cu_result result = CALL(d, context_create(&d->context, 0, d->handle));
    if (result != CU_SUCCESS) {
        d->context = NULL;
        return fail(d, result, "opening", e);
    }
    size_t available = 0, total = 0;
    result = CALL(d, memory_info(&available, &total));
    if (result != CU_SUCCESS)
        return fail(d, result, "memory", e);
    const uint64_t most = available > MARGIN ? available - MARGIN : 0;
    d->info.limit = d->limit_asked && d->limit_asked < most ? d->limit_asked : most;
    return load_modules(d, e);
}

static cuzk_status describe(struct device *d, unsigned index, struct cuzk_error *e)
{
    int major = 0, minor = 0, multiprocessors = 0;
    size_t memory = 0;
    d->info.index = index;
    cu_result result = CALL(d, device_get(&d->handle, (int)index));
    if (result == CU_SUCCESS)
        result = CALL(d, device_name(d->info.name, (int)sizeof d->info.name, d->handle));
    if (result == CU_SUCCESS)
        result = CALL(d, device_memory(&memory, d->handle));
    if (result == CU_SUCCESS)
        result = CALL(d, device_attribute(&multiprocessors, CU_ATTRIBUTE_MULTIPROCESSORS, d->handle));
    if (result == CU_SUCCESS)
        result = CALL(d, device_attribute(&major, CU_ATTRIBUTE_CAPABILITY_MAJOR, d->handle));
    if (result == CU_SUCCESS)
        result = CALL(d, device_attribute(&minor, CU_ATTRIBUTE_CAPABILITY_MINOR, d->handle));
    if (result != CU_SUCCESS)
        return fail(d, result, "reading what it is", e);
    d->info.memory = memory;
    d->info.capability = (unsigned)(10 * major + minor);
    d->info.multiprocessors = (unsigned)multiprocessors;
    return CUZK_OK;
}

cuzk_status device_open(struct device **out, const struct driver *driver, unsigned index, uint64_t limit,
                        struct cuzk_error *e)
{
    struct device *d = mem_alloc(1, sizeof *d);
    if (!d)
        return error_memory(e, sizeof *d, "a device");
    d->driver = driver;
    d->limit_asked = limit;
    cuzk_status status = describe(d, index, e);
    if (status == CUZK_OK)
        status = start(d, e);
    if (status != CUZK_OK) {
        device_close(d);
        return status;
    }
    *out = d;
    return CUZK_OK;
}

/* The context takes all that was made in it along. A lost one may refuse to be destroyed: nothing is to be
 * done about that. */
static void stop(struct device *d)
{
    (void)d->driver->context_set(NULL);
    if (d->context)
        (void)d->driver->context_destroy(d->context);
    d->context = NULL;
    d->used = d->kept_bytes = 0;
    d->kept_count = 0;
    d->generation++;
}

void device_close(struct device *d)
{
    if (!d)
        return;
    stop(d);
    mem_free(d);
}

bool device_retired(const struct device *d)
{
    return d->retired;
}

cuzk_status device_reopen(struct device *d, struct cuzk_error *e)
{
    stop(d);
    d->retired = false;
    const cuzk_status status = start(d, e);
    if (status != CUZK_OK && !d->retired) {
        d->retired = true;
        snprintf(d->why, sizeof d->why, "GPU %u: it could not be opened anew", d->info.index);
    }
    return status;
}

const struct device_info *device_info(const struct device *d)
{
    return &d->info;
}

uint64_t device_memory_used(const struct device *d)
{
    return d->used;
}

uint64_t device_memory_peak(const struct device *d)
{
    return d->peak;
}

/* -- memory -- */

static void give_back(struct device *d, cu_ptr ptr)
{
    struct cuzk_error ignored;
    const cu_result result = d->driver->memory_free(ptr);
    if (result != CU_SUCCESS)
        (void)fail(d, result, "freeing memory", &ignored);
}

static struct kept take_kept(struct device *d, unsigned i)
{
    const struct kept taken = d->kept[i];
    d->kept_bytes -= taken.size;
    d->kept_count--;
    memmove(d->kept + i, d->kept + i + 1, (d->kept_count - i) * sizeof *d->kept);
    return taken;
}

/* What was kept goes back to the driver, the oldest first, until this much is left. */
static void shrink_kept(struct device *d, uint64_t most)
{
    while (d->kept_bytes > most)
        give_back(d, take_kept(d, 0).ptr);
}

/* The smallest kept block that will do, and is not much too large: sums of about as many points take turns.
 */
static bool take_fitting(struct device *d, size_t bytes, struct kept *out)
{
    const size_t room = d->info.limit - d->used, most = bytes + bytes / 4 < room ? bytes + bytes / 4 : room;
    unsigned best = d->kept_count;
    for (unsigned i = 0; i < d->kept_count; i++)
        if (d->kept[i].size >= bytes && d->kept[i].size <= most &&
            (best == d->kept_count || d->kept[i].size < d->kept[best].size))
            best = i;
    if (best == d->kept_count)
        return false;
    *out = take_kept(d, best);
    return true;
}

static cuzk_status obtain(struct kept *out, struct device *d, size_t bytes, const char *what,
                          struct cuzk_error *e)
{
    if (take_fitting(d, bytes, out))
        return CUZK_OK;
    shrink_kept(d, d->info.limit - d->used - bytes);
    out->size = bytes;
    cu_result result = CALL(d, memory_alloc(&out->ptr, bytes));
    if (result == CU_OUT_OF_MEMORY && d->kept_count > 0) {
        shrink_kept(d, 0);
        result = CALL(d, memory_alloc(&out->ptr, bytes));
    }
    return result == CU_SUCCESS ? CUZK_OK : fail(d, result, what, e);
}

cuzk_status device_alloc(struct device_block *out, struct device *d, size_t count, size_t size,
                         const char *what, struct cuzk_error *e)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return error_set(e, CUZK_ERR_MEMORY, "GPU %u: %s: the size overflows", d->info.index, what);
    const struct device_block empty = {.device = d, .generation = d->generation};
    TRY(enter(d, e));
    if (bytes == 0) {
        *out = empty;
        return CUZK_OK;
    }
    if (bytes > d->info.limit || d->used > d->info.limit - bytes)
        return error_set(e, CUZK_ERR_MEMORY, "GPU %u: %zu bytes for %s: %llu of %llu are in use",
                         d->info.index, bytes, what, (unsigned long long)d->used,
                         (unsigned long long)d->info.limit);
    struct kept block = {0, 0};
    TRY(obtain(&block, d, bytes, what, e));
    d->used += block.size;
    if (d->used > d->peak)
        d->peak = d->used;
    *out = empty;
    out->ptr = block.ptr;
    out->size = bytes;
    out->held = block.size;
    return CUZK_OK;
}

void device_free(struct device_block *block)
{
    struct device *d = block->device;
    if (block->ptr && block->generation == d->generation) {
        d->used -= block->held;
        if (!d->retired && d->driver->context_set(d->context) == CU_SUCCESS) {
            if (d->kept_count == MAX_KEPT)
                give_back(d, take_kept(d, 0).ptr);
            d->kept[d->kept_count++] = (struct kept){block->ptr, block->held};
            d->kept_bytes += block->held;
        }
    }
    *block = (struct device_block){0};
}

cuzk_status pinned_alloc(struct pinned_block *out, struct device *d, size_t count, size_t size,
                         const char *what, struct cuzk_error *e)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return error_set(e, CUZK_ERR_MEMORY, "%s: the size overflows", what);
    TRY(enter(d, e));
    void *ptr = NULL;
    const cu_result result = bytes ? CALL(d, host_alloc(&ptr, bytes, 0)) : CU_SUCCESS;
    if (result != CU_SUCCESS)
        return fail(d, result, what, e);
    *out = (struct pinned_block){ptr, bytes, d, d->generation};
    return CUZK_OK;
}

void pinned_free(struct pinned_block *block)
{
    const struct device *d = block->device;
    if (block->ptr && block->generation == d->generation && d->driver->context_set(d->context) == CU_SUCCESS)
        (void)d->driver->host_free(block->ptr);
    *block = (struct pinned_block){0};
}

cuzk_status device_stream(struct stream *out, struct device *d, struct cuzk_error *e)
{
    SIMPLE(d, "a stream", stream_create(&out->handle, CU_STREAM_NON_BLOCKING), e);
}

cuzk_status device_upload(struct device *d, struct stream s, uint64_t to, const void *from, size_t size,
                          struct cuzk_error *e)
{
    SIMPLE(d, "copying to it", upload(to, from, size, s.handle), e);
}

cuzk_status device_download(struct device *d, struct stream s, void *to, uint64_t from, size_t size,
                            struct cuzk_error *e)
{
    SIMPLE(d, "copying from it", download(to, from, size, s.handle), e);
}

cuzk_status device_copy(struct device *d, struct stream s, uint64_t to, uint64_t from, size_t size,
                        struct cuzk_error *e)
{
    SIMPLE(d, "copying on it", copy(to, from, size, s.handle), e);
}

cuzk_status device_fill(struct device *d, struct stream s, uint64_t to, uint8_t byte, size_t size,
                        struct cuzk_error *e)
{
    SIMPLE(d, "filling memory", fill(to, byte, size, s.handle), e);
}

cuzk_status device_wait(struct device *d, struct stream s, struct cuzk_error *e)
{
    SIMPLE(d, "its work", stream_synchronize(s.handle), e);
}

cuzk_status device_event(struct event *out, struct device *d, struct cuzk_error *e)
{
    SIMPLE(d, "an event", event_create(&out->handle, 0), e);
}

cuzk_status event_record(struct device *d, struct event event, struct stream s, struct cuzk_error *e)
{
    SIMPLE(d, "an event", event_record(event.handle, s.handle), e);
}

cuzk_status stream_wait_event(struct device *d, struct stream s, struct event event, struct cuzk_error *e)
{
    SIMPLE(d, "waiting for an event", stream_wait_event(s.handle, event.handle, 0), e);
}

cuzk_status event_wait(struct device *d, struct event event, struct cuzk_error *e)
{
    SIMPLE(d, "its work", event_synchronize(event.handle), e);
}

cuzk_status event_elapsed(struct device *d, float *out, struct event from, struct event to,
                          struct cuzk_error *e)
{
    SIMPLE(d, "a time", event_elapsed(out, from.handle, to.handle), e);
}

static cuzk_status kernel_find(struct kernel **out, struct device *d, const char *name, struct cuzk_error *e)
{
    for (unsigned i = 0; i < d->kernel_count; i++)
        if (d->kernels[i].name == name || strcmp(d->kernels[i].name, name) == 0) {
            *out = &d->kernels[i];
            return CUZK_OK;
        }
    if (d->kernel_count == MAX_KERNELS)
        return error_set(e, CUZK_ERR_INTERNAL, "more than %d kernels", MAX_KERNELS);
    struct kernel *k = &d->kernels[d->kernel_count];
    for (unsigned i = 0; i < d->module_count; i++) {
        const cu_result result = CALL(d, module_function(&k->function, d->modules[i], name));
        if (result == CU_NOT_FOUND)
            continue;
        if (result != CU_SUCCESS)
            return fail(d, result, name, e);
        k->name = name;
        k->shared = 0;
        d->kernel_count++;
        *out = k;
        return CUZK_OK;
    }
    return error_set(e, CUZK_ERR_INTERNAL, "no kernel %s", name);
}

#define SHARED_WITHOUT_ASKING 16384 /* dynamic; 48 KiB with a kernel's static memory */

cuzk_status device_launch(struct device *d, struct stream s, const struct launch *launch,
                          const void *arguments, struct cuzk_error *e)
{
    struct kernel *k = NULL;
    TRY(enter(d, e));
    if (launch->grid[0] == 0)
        return CUZK_OK;
    TRY(kernel_find(&k, d, launch->kernel, e));
    cu_result result;
    if (launch->shared > SHARED_WITHOUT_ASKING && launch->shared > k->shared) {
        result = CALL(d, function_set(k->function, CU_FUNCTION_MAX_DYNAMIC_SHARED, (int)launch->shared));
        if (result != CU_SUCCESS)
            return fail(d, result, launch->kernel, e);
        k->shared = launch->shared;
    }
    union {
        const void *in;
        void *out;
    } argument = {.in = arguments}; /* the driver only reads it */
    result = CALL(d, launch(k->function, launch->grid[0], launch->grid[1] ? launch->grid[1] : 1,
                            launch->grid[2] ? launch->grid[2] : 1, launch->block, 1, 1, launch->shared,
                            s.handle, &argument.out, NULL));
    return result == CU_SUCCESS ? CUZK_OK : fail(d, result, launch->kernel, e);
}
