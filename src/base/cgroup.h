/* base/cgroup.h - the limits that control groups, version 1 and 2, set for this process
 * (the kernel's Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BASE_CGROUP_H
#define BASE_CGROUP_H

#include "base/common.h"

/* root is put before /proc and before the mount points found there: "" for the real ones, a folder with
 * made-up files in tests. A file that is missing or says nothing sets no limit. */

/* The least memory limit on the way from this process's group up to the top, in bytes (version 2: the
 * lesser of memory.max and memory.high, since work above the latter is throttled); UINT64_MAX: none. */
uint64_t cgroup_memory_limit(const char *root);

/* The least CPU quota on the same way, in thousandths of a CPU; UINT64_MAX: none. */
uint64_t cgroup_cpu_limit(const char *root);

#endif
