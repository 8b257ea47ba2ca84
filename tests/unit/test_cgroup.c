/* Control group limits, read from made-up /proc and /sys trees.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cgroup.h"

static char root[64];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/cuzk-cgroup-XXXXXX");
    return mkdtemp(root) ? 0 : 1;
}

static int drop_root(void **state)
{
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Write a file below root, with the folders on its way. */
static void put(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof(full), "%s%s", root, path);
    for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        mkdir(full, 0777);
        *p = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

#define MOUNT_V2 "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

static void nothing_there_is_no_limit(void **state)
{
    (void)state;
    assert_int_equal(cgroup_memory_limit(root), UINT64_MAX);
    assert_int_equal(cgroup_cpu_limit(root), UINT64_MAX);
    put("/proc/self/cgroup", "0::/a/b\n");
    assert_int_equal(cgroup_memory_limit(root), UINT64_MAX);
    put("/proc/self/mountinfo", MOUNT_V2);
    assert_int_equal(cgroup_memory_limit(root), UINT64_MAX);
    assert_int_equal(cgroup_cpu_limit(root), UINT64_MAX);
}

static void v2_takes_the_least_on_the_way_up(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/a/b\n");
    put("/proc/self/mountinfo", "22 28 0:21 / /proc rw - proc proc rw\n" MOUNT_V2);
    put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    assert_int_equal(cgroup_memory_limit(root), UINT64_MAX);
    assert_int_equal(cgroup_cpu_limit(root), UINT64_MAX);
    put("/sys/fs/cgroup/a/memory.max", "5000\n");
    put("/sys/fs/cgroup/a/cpu.max", "250000 100000\n");
    assert_int_equal(cgroup_memory_limit(root), 5000);
    assert_int_equal(cgroup_cpu_limit(root), 2500);
    put("/sys/fs/cgroup/a/b/memory.max", "6000\n");
    put("/sys/fs/cgroup/a/b/memory.high", "4000\n");
    put("/sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
    assert_int_equal(cgroup_memory_limit(root), 4000);
    assert_int_equal(cgroup_cpu_limit(root), 500);
}

static void v1_has_a_hierarchy_a_controller(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "9:cpu,cpuacct:/c\n4:memory:/m/n\n1:name=systemd:/\n");
    put("/proc/self/mountinfo",
        "33 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "34 30 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
    put("/sys/fs/cgroup/memory/m/n/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "7000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cgroup_memory_limit(root), 7000);
    assert_int_equal(cgroup_cpu_limit(root), UINT64_MAX);
    put("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "150000\n");
    assert_int_equal(cgroup_cpu_limit(root), 1500);
}

static void mixed_takes_the_controller_where_it_is(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "4:memory:/m\n0::/u\n");
    put("/proc/self/mountinfo", "33 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                "35 30 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "8000\n");
    put("/sys/fs/cgroup/unified/u/cpu.max", "100000 100000\n");
    assert_int_equal(cgroup_memory_limit(root), 8000);
    assert_int_equal(cgroup_cpu_limit(root), 1000);
}

static void container_sees_its_group_at_the_mount(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/docker/x/inner\n");
    put("/proc/self/mountinfo", "30 23 0:26 /docker/x /sys/fs/c\\040g rw - cgroup2 cgroup2 rw\n");
    put("/sys/fs/c g/memory.max", "3000\n");
    put("/sys/fs/c g/inner/memory.max", "9000\n");
    assert_int_equal(cgroup_memory_limit(root), 3000);
    put("/proc/self/cgroup", "0::/docker/xy\n");
    assert_int_equal(cgroup_memory_limit(root), 3000);
    put("/proc/self/cgroup", "0::/../other\n");
    put("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/c\\040g rw - cgroup2 cgroup2 rw\n");
    assert_int_equal(cgroup_memory_limit(root), 3000);
}

static void nonsense_is_no_limit(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "::\n\nabc\n0::/\n");
    put("/proc/self/mountinfo", "\n - \nx - y\n1 2 3 4 - cgroup2 a b\n" MOUNT_V2);
    put("/sys/fs/cgroup/memory.max", "many\n");
    put("/sys/fs/cgroup/cpu.max", "100000 0\n");
    assert_int_equal(cgroup_memory_limit(root), UINT64_MAX);
    assert_int_equal(cgroup_cpu_limit(root), UINT64_MAX);
    put("/sys/fs/cgroup/memory.max", "12k\n");
    put("/sys/fs/cgroup/cpu.max", "100000\n");
    assert_int_equal(cgroup_memory_limit(root), UINT64_MAX);
    assert_int_equal(cgroup_cpu_limit(root), UINT64_MAX);
}

#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, drop_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ROOT(nothing_there_is_no_limit),
        WITH_ROOT(v2_takes_the_least_on_the_way_up),
        WITH_ROOT(v1_has_a_hierarchy_a_controller),
        WITH_ROOT(mixed_takes_the_controller_where_it_is),
        WITH_ROOT(container_sees_its_group_at_the_mount),
        WITH_ROOT(nonsense_is_no_limit),
    };
    return cmocka_run_group_tests_name("cgroup", tests, NULL, NULL);
}
