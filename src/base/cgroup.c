/* base/cgroup.c - the limits that control groups set for this process.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/cgroup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_ROOM 4096

/* One hierarchy as this process sees it. */
struct hierarchy {
    bool v2;
    char group[PATH_ROOM]; /* this process's group, a path from the hierarchy's top */
    char mount[PATH_ROOM]; /* where the hierarchy is mounted */
    char top[PATH_ROOM];   /* which group is seen at the mount point */
};

/* Is word one of the comma-separated words of list? */
static bool list_has(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *p = list; p; p = strchr(p, ',')) {
        if (*p == ',')
            p++;
        if (strncmp(p, word, length) == 0 && (p[length] == '\0' || p[length] == ','))
            return true;
    }
    return false;
}

static void copy_path(char out[PATH_ROOM], const char *path)
{
    snprintf(out, PATH_ROOM, "%s", path);
}

/* /proc/self/cgroup: lines "ID:CONTROLLERS:PATH"; version 2 has ID 0 and no controllers. Finds the group
 * of the version 1 hierarchy with the controller, or of version 2. */
static bool find_group(const char *root, const char *controller, bool v2, char group[PATH_ROOM])
{
    char line[PATH_ROOM + 256];
    snprintf(line, sizeof(line), "%s/proc/self/cgroup", root);
    FILE *f = fopen(line, "re");
    if (!f)
        return false;
    bool found = false;
    while (!found && fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *controllers++ = '\0';
        *path++ = '\0';
        found = v2 ? strcmp(line, "0") == 0 && *controllers == '\0' : list_has(controllers, controller);
        if (found)
            copy_path(group, path);
    }
    fclose(f);
    return found;
}

/* Undo the octal escapes (\040 for a blank) of a mountinfo field, in place. */
static void unescape(char *s)
{
    char *out = s;
    while (*s) {
        if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' && s[3] >= '0' &&
            s[3] <= '7') {
            *out++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
            s += 4;
        } else {
            *out++ = *s++;
        }
    }
    *out = '\0';
}

/* Take a line of /proc/self/mountinfo (proc(5)) apart: the fourth field is what is seen at the mount
 * point, the fifth the mount point; after " - " come the type, the source and the options. */
static bool match_mount(char *line, const char *controller, bool v2, struct hierarchy *h)
{
    char *rest = strstr(line, " - ");
    if (!rest)
        return false;
    *rest = '\0';
    rest += 3;
    char *state, *fields[5] = {NULL};
    char *field = strtok_r(line, " ", &state);
    for (unsigned i = 0; i < 5 && field; i++, field = strtok_r(NULL, " ", &state))
        fields[i] = field;
    char *type = strtok_r(rest, " ", &state);
    char *source = type ? strtok_r(NULL, " ", &state) : NULL;
    char *options = source ? strtok_r(NULL, " \n", &state) : NULL;
    if (!fields[4] || !options)
        return false;
    if (v2 ? strcmp(type, "cgroup2") != 0 : strcmp(type, "cgroup") != 0 || !list_has(options, controller))
        return false;
    unescape(fields[3]);
    unescape(fields[4]);
    copy_path(h->top, fields[3]);
    copy_path(h->mount, fields[4]);
    return true;
}

static bool find_hierarchy(const char *root, const char *controller, bool v2, struct hierarchy *h)
{
    h->v2 = v2;
    if (!find_group(root, controller, v2, h->group))
        return false;
    char line[2 * PATH_ROOM];
    snprintf(line, sizeof(line), "%s/proc/self/mountinfo", root);
    FILE *f = fopen(line, "re");
    if (!f)
        return false;
    bool found = false;
    while (!found && fgets(line, sizeof(line), f))
        found = match_mount(line, controller, v2, h);
    fclose(f);
    return found;
}

/* Read up to two words of a group's file into numbers; "max" is UINT64_MAX, a negative number too
 * (version 1's word for no limit). Returns how many were read. */
static int read_numbers(const char *folder, const char *name, uint64_t numbers[2])
{
    char path[3 * PATH_ROOM], words[2][32];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    const int count = fscanf(f, "%31s %31s", words[0], words[1]);
    fclose(f);
    for (int i = 0; i < count; i++) {
        char *end;
        numbers[i] = strtoull(words[i], &end, 10);
        if (words[i][0] == '-' || strcmp(words[i], "max") == 0)
            numbers[i] = UINT64_MAX;
        else if (*end != '\0')
            return i;
    }
    return count < 0 ? 0 : count;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What one group's folder says of memory; UINT64_MAX: nothing. */
static uint64_t memory_of(const char *folder, bool v2)
{
    uint64_t n[2], limit = UINT64_MAX;
    if (!v2)
        return read_numbers(folder, "memory.limit_in_bytes", n) >= 1 ? n[0] : limit;
    if (read_numbers(folder, "memory.max", n) >= 1)
        limit = n[0];
    if (read_numbers(folder, "memory.high", n) >= 1)
        limit = least(limit, n[0]);
    return limit;
}

/* Thousandths of a CPU that one group's folder grants; UINT64_MAX: no quota. */
static uint64_t cpu_of(const char *folder, bool v2)
{
    uint64_t n[2], period[2];
    if (v2) {
        if (read_numbers(folder, "cpu.max", n) < 2)
            return UINT64_MAX;
        period[0] = n[1];
    } else if (read_numbers(folder, "cpu.cfs_quota_us", n) < 1 ||
               read_numbers(folder, "cpu.cfs_period_us", period) < 1) {
        return UINT64_MAX;
    }
    if (n[0] > UINT64_MAX / 1000 || period[0] == 0)
        return UINT64_MAX;
    return n[0] * 1000 / period[0];
}

/* The least of of() over the groups from this process's up to the one seen at the mount point. */
static uint64_t walk(const char *root, const struct hierarchy *h, uint64_t (*of)(const char *folder, bool v2))
{
    /* Inside a container the mount shows a subtree; a group that is not below it is seen at its top. */
    const size_t top = strcmp(h->top, "/") == 0 ? 0 : strlen(h->top);
    const char *below = "";
    if (strncmp(h->group, h->top, top) == 0 && (h->group[top] == '/' || h->group[top] == '\0'))
        below = h->group + top;
    if (strstr(below, "/..")) /* a group outside this process's cgroup namespace */
        below = "";
    char folder[2 * PATH_ROOM];
    const int base = snprintf(folder, sizeof(folder), "%s%s", root, h->mount);
    snprintf(folder + base, sizeof(folder) - (size_t)base, "%s", below);
    uint64_t limit = of(folder, h->v2);
    for (char *slash; (slash = strrchr(folder + base, '/')) != NULL;) {
        *slash = '\0';
        limit = least(limit, of(folder, h->v2));
    }
    return limit;
}

/* A controller lives in version 1 or in version 2; where both are mounted, the one without it is silent. */
static uint64_t limit_of(const char *root, const char *controller,
                         uint64_t (*of)(const char *folder, bool v2))
{
    uint64_t limit = UINT64_MAX;
    struct hierarchy h;
    for (int v2 = 0; v2 <= 1; v2++)
        if (find_hierarchy(root, controller, v2 == 1, &h))
            limit = least(limit, walk(root, &h, of));
    return limit;
}

uint64_t cgroup_memory_limit(const char *root)
{
    return limit_of(root, "memory", memory_of);
}

uint64_t cgroup_cpu_limit(const char *root)
{
    return limit_of(root, "cpu", cpu_of);
}
