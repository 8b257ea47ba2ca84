/* tests/unit/cuda_host_driver.h - a driver whose device is the host: memory is malloc's, streams are done at
 * once, kernels run thread by thread (cuda_kernels.h). Checks that what was made is freed, and that copies
 * lie within a block. Defines the table of modules: the program has no other.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TESTS_CUDA_HOST_DRIVER_H
#define TESTS_CUDA_HOST_DRIVER_H

#include <stdlib.h>
#include <string.h>

#include "backend/cuda/device.h"
#include "backend/cuda/driver.h"
#include "cuda_kernels.h"

const struct cuda_module CUDA_MODULES[] = {{"host", "", ""}, {NULL, NULL, NULL}};

#ifndef HOST_MEMORY
#define HOST_MEMORY ((size_t)1 << 30)
#endif
#define HOST_MULTIPROCESSORS 1
#define HOST_BLOCKS          256
enum { HOST_BAD = 719 };

static struct {
    uint8_t *ptr;
    size_t size;
} host_blocks[HOST_BLOCKS];

static cu_result host_text(cu_result result, const char **out)
{
    (void)result;
    *out = "host";
    return CU_SUCCESS;
}

static cu_result host_get(cu_device *out, int ordinal)
{
    *out = ordinal;
    return CU_SUCCESS;
}

static cu_result host_name(char *out, int size, cu_device device)
{
    (void)device;
    strncpy(out, "host", (size_t)size);
    return CU_SUCCESS;
}

static cu_result host_total(size_t *out, cu_device device)
{
    (void)device;
    *out = HOST_MEMORY;
    return CU_SUCCESS;
}

static cu_result host_attribute(int *out, int attribute, cu_device device)
{
    (void)device;
    *out = attribute == CU_ATTRIBUTE_MULTIPROCESSORS ? HOST_MULTIPROCESSORS : 9;
    return CU_SUCCESS;
}

static cu_result host_context(cu_context *out, unsigned flags, cu_device device)
{
    (void)flags, (void)device;
    *out = host_blocks;
    return CU_SUCCESS;
}

static cu_result host_context_end(cu_context context)
{
    (void)context;
    return CU_SUCCESS;
}

/* All of its memory goes with it. */
static cu_result host_context_gone(cu_context context)
{
    (void)context;
    for (unsigned i = 0; i < HOST_BLOCKS; i++) {
        free(host_blocks[i].ptr);
        host_blocks[i].ptr = NULL;
    }
    return CU_SUCCESS;
}

static cu_result host_memory(size_t *available, size_t *total)
{
    *available = *total = HOST_MEMORY;
    return CU_SUCCESS;
}

static cu_result host_alloc(cu_ptr *out, size_t size)
{
    for (unsigned i = 0; i < HOST_BLOCKS; i++)
        if (!host_blocks[i].ptr) {
            host_blocks[i].ptr = aligned_alloc(256, (size + 255) / 256 * 256);
            host_blocks[i].size = size;
            *out = (cu_ptr)(uintptr_t)host_blocks[i].ptr;
            if (host_blocks[i].ptr)
                memset(host_blocks[i].ptr, 0xa5, size); /* what is not written shows */
            return host_blocks[i].ptr ? CU_SUCCESS : CU_OUT_OF_MEMORY;
        }
    return CU_OUT_OF_MEMORY;
}

static cu_result host_release(cu_ptr ptr)
{
    for (unsigned i = 0; i < HOST_BLOCKS; i++)
        if (ptr && (cu_ptr)(uintptr_t)host_blocks[i].ptr == ptr) {
            free(host_blocks[i].ptr);
            host_blocks[i].ptr = NULL;
            return CU_SUCCESS;
        }
    return HOST_BAD;
}

static cu_result host_pinned(void **out, size_t size, unsigned flags)
{
    cu_ptr ptr = 0;
    (void)flags;
    const cu_result result = host_alloc(&ptr, size);
    *out = (void *)(uintptr_t)ptr;
    return result;
}

static cu_result host_pinned_release(void *ptr)
{
    return host_release((cu_ptr)(uintptr_t)ptr);
}

static bool host_within(cu_ptr at, size_t size)
{
    for (unsigned i = 0; i < HOST_BLOCKS; i++) {
        const cu_ptr from = (cu_ptr)(uintptr_t)host_blocks[i].ptr;
        if (from && at >= from && at + size <= from + host_blocks[i].size)
            return true;
    }
    return false;
}

static cu_result host_upload(cu_ptr to, const void *from, size_t size, cu_stream stream)
{
    (void)stream;
    if (!host_within(to, size))
        return HOST_BAD;
    memcpy((void *)(uintptr_t)to, from, size);
    return CU_SUCCESS;
}

static cu_result host_download(void *to, cu_ptr from, size_t size, cu_stream stream)
{
    (void)stream;
    if (!host_within(from, size))
        return HOST_BAD;
    memcpy(to, (const void *)(uintptr_t)from, size);
    return CU_SUCCESS;
}

static cu_result host_fill(cu_ptr to, unsigned char byte, size_t count, cu_stream stream)
{
    (void)stream;
    if (!host_within(to, count))
        return HOST_BAD;
    memset((void *)(uintptr_t)to, byte, count);
    return CU_SUCCESS;
}

static cu_result host_stream(cu_stream *out, unsigned flags)
{
    (void)flags;
    *out = host_blocks;
    return CU_SUCCESS;
}

static cu_result host_done(cu_stream stream)
{
    (void)stream;
    return CU_SUCCESS;
}

static cu_result host_order(cu_stream stream, cu_event event, unsigned flags)
{
    (void)stream, (void)event, (void)flags;
    return CU_SUCCESS;
}

static cu_result host_reached(cu_event event)
{
    (void)event;
    return CU_SUCCESS;
}

static cu_result host_record(cu_event event, cu_stream stream)
{
    (void)event, (void)stream;
    return CU_SUCCESS;
}

static cu_result host_load(cu_module *out, const void *image)
{
    (void)image;
    *out = host_blocks;
    return CU_SUCCESS;
}

static cu_result host_function(cu_function *out, cu_module module, const char *name)
{
    union {
        const char *name;
        cu_function function;
    } f = {.name = name};
    (void)module;
    *out = f.function;
    return CU_SUCCESS;
}

static cu_result host_prepare(cu_function function, int attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return CU_SUCCESS;
}

static cu_result host_launch(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                             cu_stream stream, void **arguments, void **extra)
{
    const uint32_t grid[3] = {grid_x, grid_y, grid_z};
    (void)block_y, (void)block_z, (void)stream, (void)extra;
    return cuda_kernel_run(function, grid, block_x, shared, arguments[0]) ? CU_SUCCESS : CU_NOT_FOUND;
}

static const struct driver HOST_DRIVER = {
    .error_name = host_text,
    .error_string = host_text,
    .device_get = host_get,
    .device_name = host_name,
    .device_memory = host_total,
    .device_attribute = host_attribute,
    .context_create = host_context,
    .context_destroy = host_context_gone,
    .context_set = host_context_end,
    .memory_info = host_memory,
    .memory_alloc = host_alloc,
    .memory_free = host_release,
    .host_alloc = host_pinned,
    .host_free = host_pinned_release,
    .upload = host_upload,
    .download = host_download,
    .stream_create = host_stream,
    .stream_synchronize = host_done,
    .stream_wait_event = host_order,
    .event_create = host_stream,
    .event_record = host_record,
    .event_synchronize = host_reached,
    .fill = host_fill,
    .module_load = host_load,
    .module_function = host_function,
    .function_set = host_prepare,
    .launch = host_launch,
};

#endif
