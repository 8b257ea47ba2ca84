/* groth16/points.c - the CPU as a maker of a setup's points.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/points.h"

#include "base/error.h"
#include "base/memory.h"
#include "curve/fixed_base.h"

struct cpu_points {
    const struct exec *x;
    struct g1_fixed *g1;
    struct g2_fixed *g2;
    struct block scalars, points; /* all batches' */
};

cuzk_status cpu_points_new(const struct exec *x, struct cpu_points **out, uint64_t expected_g1,
                           uint64_t expected_g2, struct cuzk_error *e)
{
    struct cpu_points *p = mem_alloc(1, sizeof *p);
    if (!p)
        return error_memory(e, sizeof *p, "a maker of points");
    p->x = x;
    cuzk_status status = g1_fixed_new(x, &p->g1, &G1_GENERATOR, expected_g1, e);
    if (status == CUZK_OK)
        status = g2_fixed_new(x, &p->g2, &G2_GENERATOR, expected_g2, e);
    if (status != CUZK_OK) {
        cpu_points_free(p);
        return status;
    }
    *out = p;
    return CUZK_OK;
}

void cpu_points_free(struct cpu_points *p)
{
    if (!p)
        return;
    g1_fixed_free(p->g1);
    g2_fixed_free(p->g2);
    block_free(&p->scalars);
    block_free(&p->points);
    mem_free(p);
}

static cuzk_status reserve(void *self, struct point_batch *out, unsigned count, size_t size,
                           struct cuzk_error *e)
{
    struct cpu_points *p = self;
    cuzk_status status =
        block_new(&p->scalars, p->x->budget, count, size * sizeof(fr), "scalars to be multiplied", e);
    if (status == CUZK_OK)
        status = block_new(&p->points, p->x->budget, count, size * sizeof(g2_affine), "points", e);
    for (unsigned i = 0; i < count && status == CUZK_OK; i++)
        out[i] = (struct point_batch){.scalars = (fr *)p->scalars.ptr + i * size,
                                      .points = (g2_affine *)p->points.ptr + i * size};
    return status;
}

static cuzk_status begin(void *self, const struct point_batch *batch, unsigned group, size_t n,
                         struct cuzk_error *e)
{
    struct cpu_points *p = self;
    return group == 1 ? g1_fixed_mul(p->x, p->g1, batch->points, batch->scalars, n, e)
                      : g2_fixed_mul(p->x, p->g2, batch->points, batch->scalars, n, e);
}

static cuzk_status finish(void *self, const struct point_batch *batch, struct cuzk_error *e)
{
    (void)self, (void)batch, (void)e;
    return CUZK_OK;
}

struct point_maker cpu_points_maker(struct cpu_points *p)
{
    return (struct point_maker){.self = p, .reserve = reserve, .begin = begin, .finish = finish};
}
