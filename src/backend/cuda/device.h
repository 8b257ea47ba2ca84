/* backend/cuda/device.h - launching kernels on an open device; the rest of a device is backend/backend.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_DEVICE_H
#define BACKEND_CUDA_DEVICE_H

#include "backend/backend.h"

/* A module of kernels inside the program: a fat binary. The table ends with a zero name. */
struct cuda_module {
    const char *name;
    const void *image, *end;
};
extern const struct cuda_module CUDA_MODULES[];

/* Return what is not CUZK_OK. */
#define TRY(status)                                                                                          \
    do {                                                                                                     \
        const cuzk_status try_status = (status);                                                             \
        if (try_status != CUZK_OK)                                                                           \
            return try_status;                                                                               \
    } while (0)

struct launch {
    const char *kernel; /* extern "C" name, of static life */
    unsigned grid[3];   /* blocks; zeros in [1] and [2] mean 1. A grid of no blocks is not launched */
    unsigned block;     /* threads */
    unsigned shared;    /* bytes of dynamic shared memory */
};

/* Queue a kernel in s; arguments: its one parameter, a struct. */
cuzk_status device_launch(struct device *d, struct stream s, const struct launch *launch,
                          const void *arguments, struct cuzk_error *e) MUST_USE;

/* Tests: let the n-th following call of the driver on d (1: the next) fail with result, once. */
void device_fail_after(struct device *d, unsigned n, int result);

#endif
