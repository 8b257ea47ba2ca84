/* common/nvml.c - memory of GPUs. Types and numbers are those of the library's documented interface, declared
 * here so that a build needs none of its headers.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "common/nvml.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES_MAX 256

enum { CLOCK_SM = 1 };

typedef int nvml_result; /* 0: success */
typedef void *nvml_device;

struct nvml_memory {
    unsigned long long total, free, used;
};

struct nvml_process {
    unsigned pid;
    unsigned long long used; /* all ones: not told */
    unsigned gpu_instance, compute_instance;
};

struct nvml {
    void *library;
    nvml_result (*init)(void);
    nvml_result (*shutdown)(void);
    nvml_result (*driver_version)(char *out, unsigned size);
    nvml_result (*count)(unsigned *out);
    nvml_result (*handle)(unsigned index, nvml_device *out);
    nvml_result (*name)(nvml_device device, char *out, unsigned size);
    nvml_result (*memory)(nvml_device device, struct nvml_memory *out);
    nvml_result (*processes)(nvml_device device, unsigned *count, struct nvml_process *out);
    nvml_result (*clock)(nvml_device device, int type, unsigned *out);
    char version[96];
};

/* A function of the library; false: it has none of the name. */
static bool find(struct nvml *n, const char *name, void *to)
{
    void *function = dlsym(n->library, name);
    if (!function)
        return false;
    memcpy(to, &function, sizeof function);
    return true;
}

struct nvml *nvml_open(void)
{
    struct nvml *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    n->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    const bool found =
        n->library && find(n, "nvmlInit_v2", &n->init) && find(n, "nvmlShutdown", &n->shutdown) &&
        find(n, "nvmlSystemGetDriverVersion", &n->driver_version) &&
        find(n, "nvmlDeviceGetCount_v2", &n->count) && find(n, "nvmlDeviceGetHandleByIndex_v2", &n->handle) &&
        find(n, "nvmlDeviceGetName", &n->name) && find(n, "nvmlDeviceGetMemoryInfo", &n->memory);
    if (!found || n->init() != 0) {
        if (n->library)
            dlclose(n->library);
        free(n);
        return NULL;
    }
    if (!find(n, "nvmlDeviceGetComputeRunningProcesses_v3", &n->processes))
        (void)find(n, "nvmlDeviceGetComputeRunningProcesses_v2", &n->processes);
    (void)find(n, "nvmlDeviceGetClockInfo", &n->clock);
    if (n->driver_version(n->version, sizeof n->version) != 0)
        n->version[0] = 0;
    return n;
}

void nvml_close(struct nvml *n)
{
    if (!n)
        return;
    (void)n->shutdown();
    dlclose(n->library);
    free(n);
}

const char *nvml_driver_version(const struct nvml *n)
{
    return n->version;
}

unsigned nvml_device_count(const struct nvml *n)
{
    unsigned count = 0;
    return n && n->count(&count) == 0 ? count : 0;
}

bool nvml_device_name(const struct nvml *n, unsigned device, char *out, size_t size)
{
    nvml_device handle;
    return n->handle(device, &handle) == 0 && n->name(handle, out, (unsigned)size) == 0;
}

unsigned nvml_device_clock(const struct nvml *n, unsigned device)
{
    nvml_device handle;
    unsigned mhz = 0;
    return n->clock && n->handle(device, &handle) == 0 && n->clock(handle, CLOCK_SM, &mhz) == 0 ? mhz : 0;
}

bool nvml_device_memory(const struct nvml *n, unsigned device, uint64_t *total, uint64_t *used)
{
    nvml_device handle;
    struct nvml_memory m;
    if (n->handle(device, &handle) != 0 || n->memory(handle, &m) != 0)
        return false;
    *total = m.total;
    *used = m.used;
    return true;
}

bool nvml_process_memory(const struct nvml *n, unsigned device, const pid_t *pids, size_t count,
                         uint64_t *used)
{
    struct nvml_process list[PROCESSES_MAX];
    unsigned found = PROCESSES_MAX;
    nvml_device handle;
    uint64_t sum = 0;
    bool told = false;
    if (!n->processes || n->handle(device, &handle) != 0 || n->processes(handle, &found, list) != 0)
        return false;
    for (unsigned i = 0; i < found && i < PROCESSES_MAX; i++)
        for (size_t k = 0; k < count; k++)
            if (list[i].pid == (unsigned)pids[k] && list[i].used != ~0ull) {
                sum += list[i].used;
                told = true;
            }
    *used = sum;
    return told;
}
