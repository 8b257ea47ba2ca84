/* groth16/points.h - who makes the points of a setup: many multiples of the two generators, batch by batch.
 *
 * The CPU is one maker (curve/fixed_base.h); a room above may have others. Points are those of
 * curve/group.h; a zero scalar gives infinity.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_POINTS_H
#define GROTH16_POINTS_H

#include "base/exec.h"
#include "curve/group.h"

/* A batch's memory, the maker's. */
struct point_batch {
    fr *scalars;  /* Montgomery */
    void *points; /* g1_affine or g2_affine */
    void *own;    /* what the maker keeps of it */
};

/* A table of functions; used by one thread at a time. */
struct point_maker {
    void *self;
    /* Room for count batches of up to size points of either group, as long as the maker lives. Once. */
    cuzk_status (*reserve)(void *self, struct point_batch *out, unsigned count, size_t size,
                           struct cuzk_error *e);
    /* Begin points[i] = scalars[i] times the generator of G1 or G2 (group 1, 2) for i < n. It may return
     * before they are made: scalars and points are the maker's until finish. Several batches may be under
     * way. */
    cuzk_status (*begin)(void *self, const struct point_batch *batch, unsigned group, size_t n,
                         struct cuzk_error *e);
    cuzk_status (*finish)(void *self, const struct point_batch *batch, struct cuzk_error *e);
};

/* The CPU's. expected: about how many multiples will be asked for in each group. */
struct cpu_points;
cuzk_status cpu_points_new(const struct exec *x, struct cpu_points **out, uint64_t expected_g1,
                           uint64_t expected_g2, struct cuzk_error *e) MUST_USE;
void cpu_points_free(struct cpu_points *p); /* NULL is fine */
struct point_maker cpu_points_maker(struct cpu_points *p);

#endif
