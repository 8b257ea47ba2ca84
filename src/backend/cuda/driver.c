/* backend/cuda/driver.c - finding the driver's functions.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/driver.h"

#include <dlfcn.h>
#include <string.h>

#include "backend/cuda/device.h"
#include "base/error.h"
#include "base/memory.h"

/* The versions of the interface that the declarations in struct driver are of: a newer one gives some
 * names other arguments. Context creation changed its arguments before the others. */
#define VERSION         12000
#define VERSION_CONTEXT 11000

static const struct entry {
    const char *name;
    int version;
    size_t offset; /* in struct driver */
} ENTRIES[] = {
#define ENTRY(member, name)                                                                                  \
    {                                                                                                        \
        name, VERSION, offsetof(struct driver, member)                                                       \
    }
    ENTRY(init, "cuInit"),
    ENTRY(error_name, "cuGetErrorName"),
    ENTRY(error_string, "cuGetErrorString"),
    ENTRY(device_count, "cuDeviceGetCount"),
    ENTRY(device_get, "cuDeviceGet"),
    ENTRY(device_name, "cuDeviceGetName"),
    ENTRY(device_memory, "cuDeviceTotalMem"),
    ENTRY(device_attribute, "cuDeviceGetAttribute"),
    {"cuCtxCreate", VERSION_CONTEXT, offsetof(struct driver, context_create)},
    ENTRY(context_destroy, "cuCtxDestroy"),
    ENTRY(context_set, "cuCtxSetCurrent"),
    ENTRY(memory_info, "cuMemGetInfo"),
    ENTRY(memory_alloc, "cuMemAlloc"),
    ENTRY(memory_free, "cuMemFree"),
    ENTRY(host_alloc, "cuMemHostAlloc"),
    ENTRY(host_free, "cuMemFreeHost"),
    ENTRY(upload, "cuMemcpyHtoDAsync"),
    ENTRY(download, "cuMemcpyDtoHAsync"),
    ENTRY(copy, "cuMemcpyDtoDAsync"),
    ENTRY(fill, "cuMemsetD8Async"),
    ENTRY(stream_create, "cuStreamCreate"),
    ENTRY(stream_synchronize, "cuStreamSynchronize"),
    ENTRY(stream_wait_event, "cuStreamWaitEvent"),
    ENTRY(event_create, "cuEventCreate"),
    ENTRY(event_record, "cuEventRecord"),
    ENTRY(event_synchronize, "cuEventSynchronize"),
    ENTRY(event_elapsed, "cuEventElapsedTime"),
    ENTRY(module_load, "cuModuleLoadData"),
    ENTRY(module_function, "cuModuleGetFunction"),
    ENTRY(function_set, "cuFuncSetAttribute"),
    ENTRY(launch, "cuLaunchKernel"),
#undef ENTRY
};

typedef cu_result (*get_function)(const char *name, void **out, int version, uint64_t flags, int *found);

static cuzk_status find_all(struct driver *driver, struct cuzk_error *e)
{
    get_function get;
    *(void **)&get = dlsym(driver->library, "cuGetProcAddress_v2");
    if (!get)
        return error_set(e, CUZK_ERR_UNSUPPORTED, "the GPU driver is older than CUDA 12");
    for (size_t i = 0; i < ARRAY_LEN(ENTRIES); i++) {
        void *function = NULL;
        int found = 0;
        if (get(ENTRIES[i].name, &function, ENTRIES[i].version, 0, &found) != CU_SUCCESS || !function)
            return error_set(e, CUZK_ERR_UNSUPPORTED, "the GPU driver has no %s", ENTRIES[i].name);
        memcpy((char *)driver + ENTRIES[i].offset, &function, sizeof function);
    }
    const cu_result result = driver->init(0);
    if (result != CU_SUCCESS)
        return error_set(e, CUZK_ERR_UNSUPPORTED, "no usable GPU: the driver reports %d", result);
    return CUZK_OK;
}

cuzk_status driver_open(struct driver **out, struct cuzk_error *e)
{
    if (!CUDA_MODULES[0].name)
        return error_set(e, CUZK_ERR_UNSUPPORTED, "this build has no GPU kernels ('make gpu' builds them)");
    struct driver *driver = mem_alloc(1, sizeof *driver);
    if (!driver)
        return error_memory(e, sizeof *driver, "the GPU driver's table");
    driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver->library) {
        mem_free(driver);
        return error_set(e, CUZK_ERR_UNSUPPORTED, "no GPU driver: libcuda.so.1 is not there");
    }
    const cuzk_status status = find_all(driver, e);
    if (status != CUZK_OK) {
        driver_close(driver);
        return status;
    }
    *out = driver;
    return CUZK_OK;
}

void driver_close(struct driver *driver)
{
    if (!driver)
        return;
    if (driver->library)
        dlclose(driver->library);
    mem_free(driver);
}

cuzk_status driver_device_count(unsigned *out, const struct driver *driver, struct cuzk_error *e)
{
    int count = 0;
    const cu_result result = driver->device_count(&count);
    if (result != CU_SUCCESS && result != CU_NO_DEVICE)
        return error_set(e, CUZK_ERR_IO, "the GPU driver cannot count devices: error %d", result);
    *out = count > 0 ? (unsigned)count : 0;
    return CUZK_OK;
}
