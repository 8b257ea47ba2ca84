/* tests/cli/nvml.c - NVIDIA's management library as far as the programs use it, played for their tests: two
 * devices, of whose first each process younger than the asking one holds 100 MiB.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>
#include <unistd.h>

struct memory {
    unsigned long long total, free, used;
};

struct process {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
};

static long device[2];

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlSystemGetDriverVersion(char *out, unsigned size)
{
    strncpy(out, "580.0", size);
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *out)
{
    *out = 2;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **out)
{
    *out = &device[i];
    return 0;
}

int nvmlDeviceGetName(void *d, char *out, unsigned size)
{
    strncpy(out, d == device ? "the first card" : "the second card", size);
    return 0;
}

int nvmlDeviceGetMemoryInfo(void *d, struct memory *m)
{
    m->total = 1ull << 34;
    m->used = (d == device ? 300ull : 50ull) << 20;
    m->free = m->total - m->used;
    return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *count, struct process *out)
{
    *count = 0;
    for (unsigned pid = (unsigned)getpid() + 1; d == device && pid < (unsigned)getpid() + 64; pid++)
        out[(*count)++] = (struct process){pid, 100ull << 20, 0, 0};
    return 0;
}
