/* common/nvml.h - memory of GPUs, as NVIDIA's management library tells it, where there is one.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_COMMON_NVML_H
#define TOOLS_COMMON_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct nvml;

/* NULL: there is no such library, or it finds no driver. */
struct nvml *nvml_open(void);
void nvml_close(struct nvml *n); /* NULL is fine */

/* "580.65.06"; "" if it is not told. */
const char *nvml_driver_version(const struct nvml *n);

unsigned nvml_device_count(const struct nvml *n); /* NULL: none */
bool nvml_device_name(const struct nvml *n, unsigned device, char *out, size_t size);
/* Of its multiprocessors, now, in MHz; 0: not told. */
unsigned nvml_device_clock(const struct nvml *n, unsigned device);
bool nvml_device_memory(const struct nvml *n, unsigned device, uint64_t *total, uint64_t *used);

/* Bytes of a device's memory that these processes hold. False: the library does not tell, as inside a
 * container that has process numbers of its own. */
bool nvml_process_memory(const struct nvml *n, unsigned device, const pid_t *pids, size_t count,
                         uint64_t *used);

#endif
