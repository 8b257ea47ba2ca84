/* common/process.c - what processes use.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "common/process.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_of(pid_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    return fopen(path, "re");
}

/* Lines "Key:   123 kB": their bytes added where a row of the table names the key. How many were found. */
struct row {
    const char *key;
    uint64_t *to;
};
static unsigned add_lines(FILE *f, const struct row *rows, size_t count)
{
    char line[256];
    unsigned found = 0;
    while (fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (!colon)
            continue;
        *colon = 0;
        for (size_t i = 0; i < count; i++)
            if (!strcmp(line, rows[i].key)) {
                *rows[i].to += strtoull(colon + 1, NULL, 10) * 1024;
                found++;
            }
    }
    return found;
}

bool process_memory_add(struct process_memory *out, pid_t pid)
{
    FILE *f = open_of(pid, "status");
    if (!f)
        return false;
    const struct row rows[] = {{"RssAnon", &out->anonymous},
                               {"RssFile", &out->file},
                               {"RssShmem", &out->shared},
                               {"VmRSS", &out->resident},
                               {"VmSwap", &out->swap}};
    const unsigned found = add_lines(f, rows, sizeof rows / sizeof *rows);
    fclose(f);
    return found > 0;
}

uint64_t process_high_water(pid_t pid)
{
    uint64_t most = 0;
    FILE *f = open_of(pid, "status");
    if (!f)
        return 0;
    const struct row row = {"VmHWM", &most};
    (void)add_lines(f, &row, 1);
    fclose(f);
    return most;
}

bool process_pages_add(struct process_memory *out, pid_t pid)
{
    FILE *f = open_of(pid, "smaps_rollup");
    if (!f)
        return false;
    const struct row rows[] = {{"AnonHugePages", &out->huge},  {"ShmemPmdMapped", &out->huge},
                               {"FilePmdMapped", &out->huge},  {"Private_Hugetlb", &out->huge},
                               {"Shared_Hugetlb", &out->huge}, {"Pss", &out->proportional}};
    const unsigned found = add_lines(f, rows, sizeof rows / sizeof *rows);
    fclose(f);
    return found > 0;
}

/* The fields behind the name, which stands in brackets and may hold anything. */
struct stat_line {
    char state;
    pid_t parent;
    uint64_t birth;
};
static bool read_stat(struct stat_line *out, pid_t pid)
{
    char line[1024];
    FILE *f = open_of(pid, "stat");
    if (!f)
        return false;
    const size_t n = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[n] = 0;
    const char *end = strrchr(line, ')');
    long parent = 0;
    return end &&
           sscanf(end + 1,
                  " %c %ld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                  "%" SCNu64,
                  &out->state, &parent, &out->birth) == 3 &&
           (out->parent = (pid_t)parent, true);
}

uint64_t process_birth(pid_t pid)
{
    struct stat_line s;
    return read_stat(&s, pid) && s.state != 'Z' && s.state != 'X' ? s.birth : 0;
}

void process_name(char out[16], pid_t pid)
{
    out[0] = 0;
    FILE *f = open_of(pid, "comm");
    if (!f)
        return;
    if (!fgets(out, 16, f))
        out[0] = 0;
    out[strcspn(out, "\n")] = 0;
    fclose(f);
}

/* The next process of a walk through /proc; 0: the end. */
static pid_t next_process(DIR *folder)
{
    struct dirent *entry;
    while ((entry = readdir(folder)))
        if (isdigit((unsigned char)entry->d_name[0]))
            return (pid_t)strtol(entry->d_name, NULL, 10);
    return 0;
}

struct link {
    pid_t pid, parent;
};

/* All processes with their parents; the caller's. */
static size_t read_links(struct link **out)
{
    struct link *links = NULL;
    size_t count = 0, room = 0;
    DIR *folder = opendir("/proc");
    pid_t pid;
    while (folder && (pid = next_process(folder)) != 0) {
        struct stat_line s;
        if (!read_stat(&s, pid))
            continue;
        if (count == room) {
            struct link *more = realloc(links, (room = 2 * room + 64) * sizeof *links);
            if (!more)
                break;
            links = more;
        }
        links[count++] = (struct link){pid, s.parent};
    }
    if (folder)
        closedir(folder);
    *out = links;
    return count;
}

size_t process_tree(pid_t *out, size_t max, pid_t pid)
{
    struct link *links;
    const size_t count = read_links(&links);
    size_t found = 0;
    if (max > 0)
        out[found++] = pid;
    /* What was found is at the same time the queue of those whose children are still to be found. */
    for (size_t at = 0; at < found; at++)
        for (size_t i = 0; i < count && found < max; i++)
            if (links[i].parent == out[at] && links[i].pid != out[at])
                out[found++] = links[i].pid;
    free(links);
    return found;
}

size_t process_find(pid_t *out, size_t max, const char *name)
{
    size_t found = 0;
    char own[16], cut[16];
    DIR *folder = opendir("/proc");
    pid_t pid;
    snprintf(cut, sizeof cut, "%.15s", name);
    while (folder && (pid = next_process(folder)) != 0) {
        const uint64_t birth = process_birth(pid);
        process_name(own, pid);
        if (birth == 0 || strcmp(own, cut) != 0)
            continue;
        size_t at = found < max ? found : max;
        for (; at > 0 && process_birth(out[at - 1]) > birth; at--)
            if (at < max)
                out[at] = out[at - 1];
        if (at < max)
            out[at] = pid;
        found++;
    }
    if (folder)
        closedir(folder);
    return found;
}
