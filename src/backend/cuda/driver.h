/* backend/cuda/driver.h - the CUDA driver API as far as we use it, found at run time.
 *
 * Types and numbers are those of the driver's documented interface, declared here so that a build needs
 * none of its headers. Tests may fill a struct driver with functions of their own.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_DRIVER_H
#define BACKEND_CUDA_DRIVER_H

#include "backend/backend.h"

typedef int cu_result; /* 0: success */
typedef int cu_device;
typedef uint64_t cu_ptr;
typedef void *cu_context, *cu_module, *cu_function, *cu_stream, *cu_event;

enum {
    CU_SUCCESS = 0,
    CU_OUT_OF_MEMORY = 2,
    CU_NO_DEVICE = 100,
    CU_NO_BINARY = 209,
    CU_NOT_FOUND = 500,
    CU_NOT_READY = 600,
    CU_STREAM_NON_BLOCKING = 1,
    CU_ATTRIBUTE_MULTIPROCESSORS = 16,
    CU_ATTRIBUTE_CAPABILITY_MAJOR = 75,
    CU_ATTRIBUTE_CAPABILITY_MINOR = 76,
    CU_FUNCTION_MAX_DYNAMIC_SHARED = 8,
};

struct driver {
    void *library;
    cu_result (*init)(unsigned flags);
    cu_result (*error_name)(cu_result result, const char **out);
    cu_result (*error_string)(cu_result result, const char **out);
    cu_result (*device_count)(int *out);
    cu_result (*device_get)(cu_device *out, int ordinal);
    cu_result (*device_name)(char *out, int size, cu_device device);
    cu_result (*device_memory)(size_t *out, cu_device device);
    cu_result (*device_attribute)(int *out, int attribute, cu_device device);
    cu_result (*context_create)(cu_context *out, unsigned flags, cu_device device);
    cu_result (*context_destroy)(cu_context context);
    cu_result (*context_set)(cu_context context);
    cu_result (*memory_info)(size_t *free, size_t *total);
    cu_result (*memory_alloc)(cu_ptr *out, size_t size);
    cu_result (*memory_free)(cu_ptr ptr);
    cu_result (*host_alloc)(void **out, size_t size, unsigned flags);
    cu_result (*host_free)(void *ptr);
    cu_result (*upload)(cu_ptr to, const void *from, size_t size, cu_stream stream);
    cu_result (*download)(void *to, cu_ptr from, size_t size, cu_stream stream);
    cu_result (*copy)(cu_ptr to, cu_ptr from, size_t size, cu_stream stream);
    cu_result (*fill)(cu_ptr to, unsigned char byte, size_t count, cu_stream stream);
    cu_result (*stream_create)(cu_stream *out, unsigned flags);
    cu_result (*stream_synchronize)(cu_stream stream);
    cu_result (*stream_wait_event)(cu_stream stream, cu_event event, unsigned flags);
    cu_result (*event_create)(cu_event *out, unsigned flags);
    cu_result (*event_record)(cu_event event, cu_stream stream);
    cu_result (*event_synchronize)(cu_event event);
    cu_result (*event_elapsed)(float *milliseconds, cu_event from, cu_event to);
    cu_result (*module_load)(cu_module *out, const void *image);
    cu_result (*module_function)(cu_function *out, cu_module module, const char *name);
    cu_result (*function_set)(cu_function function, int attribute, int value);
    cu_result (*launch)(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        cu_stream stream, void **arguments, void **extra);
};

#endif
