/* base/topology.c - processors and memory nodes, by hwloc 2.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/topology.h"

#include <hwloc.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

/* Without /sys (a bare chroot) hwloc would say so on standard error; it could tell nothing anyway. */
static bool machine_is_described(void)
{
    return access("/sys/devices/system/cpu/cpu0/topology", X_OK) == 0;
}

static bool memory_is_plausible(hwloc_topology_t t)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const hwloc_obj_t machine = hwloc_get_root_obj(t);
    return pages > 0 && page > 0 && machine->total_memory <= (uint64_t)pages * (uint64_t)page;
}

/* Only what this process may use is kept, unless flags say otherwise. The x86 component would bind the caller
 * to each CPU in turn to ask it, others would wake accelerators: what the kernel tells is enough. The
 * environment can make hwloc describe another machine; such words are not believed. */
static bool load(hwloc_topology_t *out, const char *synthetic, unsigned long flags)
{
    static const char *const unwanted[] = {"x86",  "xml",  "pci",       "opencl", "cuda",
                                           "nvml", "rsmi", "levelzero", "gl"};
    hwloc_topology_t t;
    if ((!synthetic && !machine_is_described()) || hwloc_topology_init(&t) != 0)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(unwanted); i++) /* a name that hwloc lacks is an error to ignore */
        (void)hwloc_topology_set_components(t, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, unwanted[i]);
    if ((synthetic && hwloc_topology_set_synthetic(t, synthetic) != 0) ||
        hwloc_topology_set_flags(t, flags) != 0 || hwloc_topology_load(t) != 0 ||
        (!synthetic && (!hwloc_topology_is_thissystem(t) || !memory_is_plausible(t)))) {
        hwloc_topology_destroy(t);
        return false;
    }
    *out = t;
    return true;
}

uint64_t topology_memory_of(const struct topology_node *nodes, size_t count, uint64_t ram)
{
    uint64_t all = 0, usable = 0;
    bool some_barred = false;
    for (size_t i = 0; i < count; i++) {
        all += nodes[i].bytes;
        usable += nodes[i].usable ? nodes[i].bytes : 0;
        some_barred |= !nodes[i].usable;
    }
    /* The kernel keeps some per cent to itself; what is missing beyond that, the nodes do not tell. */
    return some_barred && usable > 0 && all >= ram / 4 * 3 ? usable : UINT64_MAX;
}

/* The nodes from which the calling thread may allocate. NULL: out of memory. */
static hwloc_bitmap_t usable_nodes(hwloc_topology_t t)
{
    hwloc_bitmap_t usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_nodeset(t));
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    hwloc_membind_policy_t policy = HWLOC_MEMBIND_DEFAULT;
    if (usable && bound &&
        hwloc_get_membind(t, bound, &policy, HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET) == 0 &&
        policy == HWLOC_MEMBIND_BIND)
        (void)hwloc_bitmap_and(usable, usable, bound);
    hwloc_bitmap_free(bound);
    return usable;
}

uint64_t topology_memory(void)
{
    hwloc_topology_t t;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0 || !load(&t, NULL, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED))
        return UINT64_MAX;
    const int found = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE);
    const size_t count = found > 0 ? (size_t)found : 0;
    struct topology_node *nodes = mem_alloc(count, sizeof *nodes);
    hwloc_bitmap_t usable = usable_nodes(t);
    uint64_t bytes = UINT64_MAX;
    if (nodes && usable) {
        for (size_t i = 0; i < count; i++) {
            const hwloc_obj_t node = hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, (unsigned)i);
            nodes[i] = (struct topology_node){.bytes = node->attr->numanode.local_memory,
                                              .usable = hwloc_bitmap_isset(usable, node->os_index) == 1};
        }
        bytes = topology_memory_of(nodes, count, (uint64_t)pages * (uint64_t)page);
    }
    hwloc_bitmap_free(usable);
    mem_free(nodes);
    hwloc_topology_destroy(t);
    return bytes;
}

struct topology_places {
    hwloc_topology_t topology;
    unsigned threads;
    unsigned node[]; /* logical index, one a thread */
};

/* Cut each node's CPUs to those this process is bound to, and count them; false with fewer than two nodes
 * that have any. */
static bool usable_cpus(hwloc_topology_t t, unsigned *cpus, unsigned nodes)
{
    hwloc_bitmap_t mine = hwloc_bitmap_alloc();
    if (!mine)
        return false;
    if (hwloc_get_cpubind(t, mine, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_copy(mine, hwloc_topology_get_topology_cpuset(t));
    unsigned used = 0;
    for (unsigned i = 0; i < nodes; i++) {
        hwloc_obj_t node = hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, i);
        hwloc_bitmap_t both = hwloc_bitmap_dup(mine);
        int weight = 0;
        if (both && hwloc_bitmap_and(both, both, node->cpuset) == 0)
            weight = hwloc_bitmap_weight(both);
        cpus[i] = weight > 0 ? (unsigned)weight : 0;
        used += cpus[i] != 0;
        hwloc_bitmap_free(both);
    }
    hwloc_bitmap_free(mine);
    return used >= 2;
}

struct topology_places *topology_places_new(unsigned threads, const char *synthetic)
{
    struct topology_places *p = mem_alloc(1, sizeof(*p) + (size_t)threads * sizeof(p->node[0]));
    if (!p)
        return NULL;
    if (!load(&p->topology, synthetic, 0)) {
        mem_free(p);
        return NULL;
    }
    p->threads = threads;
    const int found = hwloc_get_nbobjs_by_type(p->topology, HWLOC_OBJ_NUMANODE);
    const unsigned nodes = found > 0 ? (unsigned)found : 0;
    unsigned *cpus = mem_alloc(nodes, 2 * sizeof(*cpus));
    unsigned *given = cpus ? cpus + nodes : NULL;
    if (!cpus || nodes < 2 || !usable_cpus(p->topology, cpus, nodes)) {
        mem_free(cpus);
        topology_places_free(p);
        return NULL;
    }
    for (unsigned i = 0; i < threads; i++) {
        /* The next thread goes where the share of CPUs given out would be the least. */
        unsigned best = nodes;
        for (unsigned n = 0; n < nodes; n++)
            if (cpus[n] && (best == nodes ||
                            (uint64_t)(given[n] + 1) * cpus[best] < (uint64_t)(given[best] + 1) * cpus[n]))
                best = n;
        given[best]++;
        p->node[i] = best;
    }
    mem_free(cpus);
    return p;
}

void topology_places_free(struct topology_places *p)
{
    if (!p)
        return;
    hwloc_topology_destroy(p->topology);
    mem_free(p);
}

void topology_places_take(const struct topology_places *p, unsigned thread)
{
    if (!p)
        return;
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    hwloc_obj_t node = hwloc_get_obj_by_type(p->topology, HWLOC_OBJ_NUMANODE, p->node[thread]);
    if (cpus && node && hwloc_get_cpubind(p->topology, cpus, HWLOC_CPUBIND_THREAD) == 0 &&
        hwloc_bitmap_and(cpus, cpus, node->cpuset) == 0 && !hwloc_bitmap_iszero(cpus))
        (void)hwloc_set_cpubind(p->topology, cpus, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(cpus);
}

unsigned topology_places_node(const struct topology_places *p, unsigned thread)
{
    return p ? p->node[thread] : 0;
}
