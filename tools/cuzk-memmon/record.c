/* cuzk-memmon/record.c - taking moments of a tree of processes.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>
#include <time.h>

#include "cuzk-memmon/memmon.h"

void record_begin(struct record *r, pid_t root, pid_t above, const struct nvml *nvml)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *r = (struct record){.root = root, .above = above, .stride = 1, .nvml = nvml};
    r->start_unix_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    process_name(r->name, root);
}

static void most_of(uint64_t *most, uint64_t value)
{
    if (value > *most)
        *most = value;
}

static void most_of_all(struct sample *most, const struct sample *s)
{
    most_of(&most->memory.resident, s->memory.resident);
    most_of(&most->memory.anonymous, s->memory.anonymous);
    most_of(&most->memory.file, s->memory.file);
    most_of(&most->memory.shared, s->memory.shared);
    most_of(&most->memory.swap, s->memory.swap);
    most_of(&most->memory.huge, s->memory.huge);
    most_of(&most->memory.proportional, s->memory.proportional);
    most_of(&most->device, s->device);
    if (s->processes > most->processes)
        most->processes = s->processes;
}

static void keep(struct record *r, const struct sample *s)
{
    if (r->pending > 0) {
        most_of_all(&r->kept[r->kept_count - 1], s);
        r->pending = (r->pending + 1) % r->stride;
        return;
    }
    if (r->kept_count == SAMPLES_MAX) {
        for (size_t i = 0; i < SAMPLES_MAX / 2; i++) {
            r->kept[i] = r->kept[2 * i];
            most_of_all(&r->kept[i], &r->kept[2 * i + 1]);
        }
        r->kept_count = SAMPLES_MAX / 2;
        r->stride *= 2;
    }
    r->kept[r->kept_count++] = *s;
    r->pending = 1 % r->stride;
}

static struct member *member_of(struct record *r, pid_t pid)
{
    for (size_t i = 0; i < r->members; i++)
        if (r->member[i].pid == pid)
            return &r->member[i];
    if (r->members == MEMBERS_MAX)
        return NULL;
    r->member[r->members] = (struct member){.pid = pid};
    return &r->member[r->members++];
}

static uint64_t device_memory(struct record *r, const pid_t *pids, size_t count)
{
    uint64_t of_processes = 0, of_devices = 0;
    bool told = false;
    for (unsigned d = 0; d < nvml_device_count(r->nvml); d++) {
        uint64_t total, used = 0;
        if (nvml_process_memory(r->nvml, d, pids, count, &used)) {
            of_processes += used;
            told = true;
        }
        if (nvml_device_memory(r->nvml, d, &total, &used))
            of_devices += used;
    }
    if (r->samples == 0)
        r->device_first = of_devices;
    if (told)
        r->device_whole = false;
    else if (of_devices > r->device_first && r->peak.device == 0)
        r->device_whole = true;
    return !r->device_whole ? of_processes : of_devices > r->device_first ? of_devices - r->device_first : 0;
}

bool record_take(struct record *r, double seconds, bool pages)
{
    pid_t pids[MEMBERS_MAX];
    struct sample s = {.seconds = seconds};
    struct process_memory walked = {0};
    const size_t count = process_tree(pids, MEMBERS_MAX, r->above ? r->above : r->root);
    for (size_t i = r->above ? 1 : 0; i < count; i++) {
        struct process_memory one = {0};
        if (!process_memory_add(&one, pids[i]))
            continue;
        (void)process_memory_add(&s.memory, pids[i]);
        struct member *m = member_of(r, pids[i]);
        if (m) {
            process_name(m->name, pids[i]);
            most_of(&m->resident, one.resident);
            most_of(&m->anonymous, one.anonymous);
        }
        if (pages)
            (void)process_pages_add(&walked, pids[i]);
        s.processes++;
    }
    if (s.processes == 0)
        return false;
    if (pages)
        r->pages = walked;
    s.memory.huge = r->pages.huge;
    s.memory.proportional = r->pages.proportional;
    s.device = device_memory(r, pids, count);
    most_of(&r->high_water, process_high_water(r->root));
    process_name(r->name, r->root);
    if (s.memory.resident > r->peak.memory.resident)
        r->peak.seconds = seconds;
    most_of_all(&r->peak, &s);
    keep(r, &s);
    r->last = s;
    r->samples++;
    return true;
}
