/* common/process.h - what processes use, as the kernel tells it (proc(5)).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_COMMON_PROCESS_H
#define TOOLS_COMMON_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes. Of several processes the sums, in which shared pages count once for each. */
struct process_memory {
    uint64_t resident, anonymous, file, shared; /* shared: shmem and tmpfs pages; the three make resident */
    uint64_t swap;
    uint64_t huge;         /* resident in huge pages, transparent ones or of hugetlbfs */
    uint64_t proportional; /* PSS: shared pages in parts */
};

/* Add to *out what pid has resident (/proc/PID/status). False: there is no such process, or it has no memory
 * any more. */
bool process_memory_add(struct process_memory *out, pid_t pid);

/* Add huge and proportional (/proc/PID/smaps_rollup), which the kernel walks all pages for. False: not told.
 */
bool process_pages_add(struct process_memory *out, pid_t pid);

/* The most that pid itself had resident at one time (VmHWM); 0: not told. */
uint64_t process_high_water(pid_t pid);

/* What tells a process from a later one of the same number: the time it was started at, in ticks; 0: it has
 * ended, or waits for its parent to see its end. */
uint64_t process_birth(pid_t pid);

/* The command's name, at most 15 bytes and NUL; "" when it has ended. */
void process_name(char out[16], pid_t pid);

/* pid and all that descend from it, pid first, into out; how many there are (at most max are written). */
size_t process_tree(pid_t *out, size_t max, pid_t pid);

/* The processes of this name, oldest first; as process_tree. */
size_t process_find(pid_t *out, size_t max, const char *name);

#endif
