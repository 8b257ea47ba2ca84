/* cuzk/doctor_machine.c - processor, memory, limits.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "cuzk/doctor.h"

#define GIB 1073741824.0

void doctor_processor(struct doctor *d)
{
    const struct cuzk_machine *m = &d->machine;
    const bool slow = strcmp(m->cpu, "portable") == 0;
    doctor_note(
        d, "processor", slow ? FINDING_WARNING : FINDING_OK,
        slow ? "a processor with BMI2 and ADX proves about twice as fast, one with AVX-512 IFMA faster still"
             : NULL,
        "instructions %s (of %s)%s, %u threads", m->cpu, m->variants,
        m->sha ? ", SHA-256 in hardware" : ", no SHA-256 in hardware", m->threads);
    if (m->cgroup_cpu != UINT64_MAX)
        doctor_note(d, "processor", FINDING_NOTE, NULL, "the cgroup allows %.1f CPUs",
                    (double)m->cgroup_cpu / 1000);
}

/* Does some enabled circuit have 2^27 rows? */
static bool proves_large(const struct doctor *d)
{
    for (size_t i = 0; i < d->circuits; i++) {
        const size_t n = strlen(d->circuit[i]);
        if (n > 3 && (!strcmp(d->circuit[i] + n - 3, "32g") || !strcmp(d->circuit[i] + n - 3, "64g")))
            return true;
    }
    return false;
}

void doctor_memory(struct doctor *d)
{
    const struct cuzk_machine *m = &d->machine;
    uint64_t least = m->ram;
    const char *which = "RAM";
    if (m->cgroup_memory < least) {
        least = m->cgroup_memory;
        which = "the cgroup";
    }
    if (m->node_memory < least) {
        least = m->node_memory;
        which = "the memory nodes that it may use";
    }
    const bool small = proves_large(d) && (double)least < 12 * GIB;
    doctor_note(d, "memory", small ? FINDING_WARNING : FINDING_OK,
                small
                    ? "a partition of 32GiB sectors takes about 8 GiB beside the mapped parameters: give the "
                      "process more, or expect jobs to be refused"
                    : NULL,
                "%.1f GiB of RAM; up to %.1f GiB may be used (%s sets the limit)", (double)m->ram / GIB,
                (double)least / GIB, which);
    char line[256];
    if (doctor_read_line("/sys/devices/system/node/online", line, sizeof line))
        doctor_note(
            d, "memory", m->node_memory == UINT64_MAX ? FINDING_OK : FINDING_NOTE, NULL, "%s%s%s",
            strcmp(line, "0") == 0 ? "one memory node" : "memory nodes ", strcmp(line, "0") == 0 ? "" : line,
            m->node_memory == UINT64_MAX ? ", open to this process" : ", not all open to this process");
    if (!doctor_read_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line))
        doctor_note(d, "huge pages", FINDING_NOTE, NULL, "the kernel has no transparent huge pages");
    else if (strstr(line, "[never]"))
        doctor_note(
            d, "huge pages", FINDING_WARNING,
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (as root, at each boot): large "
            "blocks ask for them, and proofs are some per cent faster",
            "transparent huge pages are off");
    else
        doctor_note(d, "huge pages", FINDING_OK, NULL, "transparent huge pages: %s",
                    strstr(line, "[always]") ? "always" : "where asked for, which is enough");
}

void doctor_limits(struct doctor *d)
{
    struct rlimit files, locked, space;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        doctor_note(d, "limits", files.rlim_cur < 1024 ? FINDING_WARNING : FINDING_OK,
                    files.rlim_cur < 1024 ? "LimitNOFILE=65536 in the service's unit: each client needs one"
                                          : NULL,
                    "%llu files may be open", (unsigned long long)files.rlim_cur);
    if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0) {
        const bool unlimited = locked.rlim_cur == RLIM_INFINITY;
        const bool small = !unlimited && locked.rlim_cur < (64u << 20);
        char text[64] = "any amount of";
        if (!unlimited)
            snprintf(text, sizeof text, "%.1f MiB of", (double)locked.rlim_cur / 1048576);
        doctor_note(d, "limits", small && d->gpus_seen ? FINDING_WARNING : FINDING_OK,
                    small && d->gpus_seen
                        ? "LimitMEMLOCK=infinity in the service's unit: transfers to a GPU go "
                          "through locked memory, which some drivers count against the limit"
                        : NULL,
                    "%s memory may be locked", text);
    }
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        doctor_note(
            d, "limits", FINDING_WARNING,
            "LimitAS=infinity (ulimit -v unlimited): parameter files are mapped whole, 47 GiB for 32GiB "
            "sectors",
            "the address space is limited to %.1f GiB", (double)space.rlim_cur / GIB);
}
