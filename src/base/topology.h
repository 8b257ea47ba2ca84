/* base/topology.h - processors and memory nodes, by hwloc.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BASE_TOPOLOGY_H
#define BASE_TOPOLOGY_H

#include "base/common.h"

/* Bytes of the memory nodes that this process may allocate from (its cpuset, and its binding if it is bound
 * strictly), where some are barred to it. UINT64_MAX, no limit beyond RAM, where none is barred, where that
 * is unknown, or where hwloc's environment describes another machine. */
uint64_t topology_memory(void);

/* The same of nodes that are told, ram bytes in all. Nodes that together have far less than the RAM (some
 * containers show such) tell nothing. */
struct topology_node {
    uint64_t bytes;
    bool usable;
};
uint64_t topology_memory_of(const struct topology_node *nodes, size_t count, uint64_t ram);

/* Where threads run. On a machine with one memory node, or when the process may use only one: nowhere in
 * particular, the kernel's scheduler does well. With several nodes: each thread is held on one node,
 * the threads spread over the nodes in proportion to their usable CPUs, so that memory touched first
 * by a thread stays near to it. Hyperthreads count as CPUs. */
struct topology_places;

/* synthetic: NULL for this machine; else a description in hwloc's words ("node:2 core:4 pu:2"; tests).
 * NULL: no places, or none known; that is no error. */
struct topology_places *topology_places_new(unsigned threads, const char *synthetic);
void topology_places_free(struct topology_places *p); /* NULL is fine */

/* Hold the calling thread at its place; a refusal of the system is ignored. p may be NULL. */
void topology_places_take(const struct topology_places *p, unsigned thread);

/* The node of a thread, below the count of nodes; 0 where there are no places. */
unsigned topology_places_node(const struct topology_places *p, unsigned thread);

#endif
