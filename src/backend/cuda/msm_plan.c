/* backend/cuda/msm_plan.c - see msm_plan.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/msm_plan.h"

#include <string.h>

#define SCALAR_BITS 256
#define MAX_WIDTH   24  /* so that a window's buckets fit in MSM_MAX_BINS times MSM_MAX_LOW */
#define ONES_LENGTH 512 /* points of a bucket of a plain sum, if all bits are set */

#ifndef CHUNK_MOST /* a test cuts small sums as large ones are cut here */
#define CHUNK_MOST     (UINT64_C(1) << 27)
#define CHUNK_LEAST    (UINT64_C(1) << 16) /* points at a time, where there are as many */
#define GROUP_ELEMENTS (UINT64_C(1) << 27) /* sorted and added together: few long steps; */
#define GROUP_OF_MANY  (UINT64_C(1) << 26) /* of several sums, whose memory others take turns with */
#define GROUP_BUCKETS  (UINT32_C(1) << 22)
#define TREE_ELEMENTS  (UINT64_C(1) << 21) /* fewer are added before the inversions' latency is over */
#define TREE_AVERAGE   8
#define TREE_WAIT      (1 << 22) /* additions in the time of a group's inversions */
#define LEAST_TASKS    (1 << 16)
#define AFFINE_PAIRS   (1 << 18) /* fewer are added before an inversion's latency is over */
#endif

static uint32_t min_u32(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static unsigned log2_up(uint64_t x)
{
    unsigned log = 0;
    while (UINT64_C(1) << log < x)
        log++;
    return log;
}

uint64_t gpu_msm_plan_sums(const struct gpu_msm_plan *plan, uint32_t level)
{
    return (uint64_t)(level + 1) * (plan->first_bucket[plan->segments] >> level);
}

uint64_t gpu_msm_plan_elements(const struct gpu_msm_plan *plan)
{
    uint64_t most = 0;
    for (uint32_t g = 0; g < plan->groups; g++) {
        const uint64_t elements = (uint64_t)(plan->group[g].end - plan->group[g].first) * plan->chunk;
        most = elements > most ? elements : most;
    }
    return most;
}

uint32_t gpu_msm_plan_buckets(const struct gpu_msm_plan *plan)
{
    uint32_t most = 0;
    for (uint32_t g = 0; g < plan->groups; g++)
        most = plan->group[g].buckets > most ? plan->group[g].buckets : most;
    return most;
}

uint32_t gpu_msm_plan_pieces(const struct gpu_msm_plan *plan)
{
    uint32_t most = 0;
    for (uint32_t g = 0; g < plan->groups; g++)
        most = plan->group[g].pieces > most ? plan->group[g].pieces : most;
    return most;
}

struct gpu_msm_tree gpu_msm_plan_tree(const struct gpu_msm_plan *plan)
{
    struct gpu_msm_tree most = {0, 0, 0};
    if (!plan->trees)
        return most;
    for (uint32_t g = 0; g < plan->groups; g++) {
        const struct gpu_msm_group *group = &plan->group[g];
        const uint64_t elements = (uint64_t)(group->end - group->first) * plan->chunk;
        const uint64_t tasks = (uint64_t)group->buckets + group->pieces;
        /* a level halves a task's points, rounding up */
        most.pairs = max_u64(most.pairs, elements / 2 + 1);
        most.first = max_u64(most.first, (elements + tasks) / 2 + 1);
        most.second = max_u64(most.second, (elements + 3 * tasks) / 4 + 1);
        /* whichever is free holds a chunk's buckets while they are merged with those before */
        most.second = max_u64(most.second, group->buckets);
        most.first = max_u64(most.first, group->buckets);
        most.pairs = max_u64(most.pairs, group->buckets);
    }
    if (plan->affine_levels > 0) {
        most.first = max_u64(most.first, gpu_msm_plan_sums(plan, 1));
        most.pairs = max_u64(most.pairs, gpu_msm_plan_sums(plan, 0) / 2);
    }
    return most;
}

/* Groups of windows and what each needs, for chunks of plan->chunk points. */
static void plan_groups(struct gpu_msm_plan *plan)
{
    plan->groups = 0;
    for (uint32_t first = 0, end; first < plan->segments; first = end) {
        struct gpu_msm_group *g = &plan->group[plan->groups++];
        for (end = first + 1; end < plan->segments; end++) {
            const uint64_t windows = end + 1 - first;
            if (windows * plan->chunk > (plan->sums > 1 ? GROUP_OF_MANY : GROUP_ELEMENTS) ||
                plan->first_bucket[end + 1] - plan->first_bucket[first] > GROUP_BUCKETS)
                break;
        }
        const uint64_t elements = (uint64_t)(end - first) * plan->chunk;
        g->first = first;
        g->end = end;
        g->buckets = plan->first_bucket[end] - plan->first_bucket[first];
        /* a bin a bucket, or bins that fit in shared memory, as far as there are as many */
        const unsigned bits = log2_up(g->buckets), bins = log2_up(elements / (MSM_BIN_ROOM * 4 / 5) + 1);
        g->low_bits = bits > 12 && bits > bins ? min_u32(bits - bins, 11) : 0;
        if (bits - g->low_bits > 12)
            g->low_bits = bits - 12;
        g->bins = (uint32_t)(((uint64_t)g->buckets + (UINT64_C(1) << g->low_bits) - 1) >> g->low_bits);
        const uint64_t average = elements / g->buckets;
        /* Uneven buckets are cut; where there are few, all are, so that there is work for all threads. */
        const uint64_t length = g->buckets < LEAST_TASKS / 8 ? elements / LEAST_TASKS
                                : average < 32               ? average * 4
                                                             : average * 2;
        g->max_length = length < 32 ? 32 : min_u32(UINT64_C(1) << log2_up(length), MSM_MAX_LENGTH);
        g->tree_levels = log2_up(g->max_length);
        g->pieces = (uint32_t)(elements / g->max_length) + 1;
        if (first == 0)
            plan->trees = elements >= TREE_ELEMENTS && average >= TREE_AVERAGE;
    }
}

/* As long as every window has pairs. */
static void plan_levels(struct gpu_msm_plan *plan)
{
    plan->levels = plan->width[0] - 1;
    for (uint32_t w = 1; w < plan->windows; w++)
        plan->levels = min_u32(plan->levels, plan->width[w] - 1);
    plan->affine_levels = 0;
    while (plan->trees && plan->affine_levels + 1 < plan->levels &&
           gpu_msm_plan_sums(plan, plan->affine_levels) / 2 >= AFFINE_PAIRS)
        plan->affine_levels++;
}

static uint64_t plan_bytes(const struct gpu_msm_plan *plan)
{
    const uint64_t elements = gpu_msm_plan_elements(plan), pieces = gpu_msm_plan_pieces(plan);
    const struct gpu_msm_tree tree = gpu_msm_plan_tree(plan);
    const uint64_t affine_bytes = plan->xyzz_bytes / 2, xyzz_level = plan->affine_levels + 1;
    const uint64_t bucket_bytes = plan->trees ? affine_bytes : plan->xyzz_bytes;
    const uint64_t levels =
        gpu_msm_plan_sums(plan, (uint32_t)xyzz_level) +
        (xyzz_level < plan->levels ? gpu_msm_plan_sums(plan, (uint32_t)xyzz_level + 1) : 0);
    return plan->first_bucket[plan->segments] * bucket_bytes + (levels + pieces) * plan->xyzz_bytes +
           (tree.first + tree.second) * affine_bytes + tree.pairs * affine_bytes / 2 +
           4 * (uint64_t)plan->segments * plan->chunk + 12 * elements +
           20 * (uint64_t)gpu_msm_plan_buckets(plan) +
           pieces * (sizeof(struct msm_overflow) + sizeof(uint32_t) + sizeof(struct msm_task)) + (16 << 20);
}

/* The largest chunk that fits; false: not even the least. */
static bool plan_chunk(struct gpu_msm_plan *plan, uint64_t count, uint64_t memory)
{
    const uint64_t least = count < CHUNK_LEAST ? count : CHUNK_LEAST;
    uint64_t chunk = count < CHUNK_MOST ? count : CHUNK_MOST;
    for (;; chunk = ((chunk + 1) / 2 + 31) / 32 * 32) {
        if (chunk == 0)
            chunk = 1;
        plan->chunk = (uint32_t)chunk;
        plan_groups(plan);
        plan_levels(plan);
        plan->bytes = plan_bytes(plan);
        if (plan->bytes <= memory)
            return true;
        if (chunk <= least || chunk <= 64)
            return false;
    }
}

static void plan_cut(struct gpu_msm_plan *plan, uint32_t windows)
{
    plan->windows = windows;
    plan->segments = plan->sums * windows;
    plan->first_bucket[0] = 0;
    uint32_t offset = 0;
    for (uint32_t w = 0; w < windows; w++) {
        plan->width[w] = SCALAR_BITS * (w + 1) / windows - offset;
        plan->offset[w] = offset;
        offset += plan->width[w];
    }
    for (uint32_t s = 0; s < plan->segments; s++)
        plan->first_bucket[s + 1] = plan->first_bucket[s] + (UINT32_C(1) << (plan->width[s % windows] - 1));
}

bool gpu_msm_plan_make(struct gpu_msm_plan *plan, uint64_t xyzz_bytes, unsigned sums, uint64_t count,
                       uint64_t memory)
{
    bool found = false;
    double best_cost = 0;
    struct gpu_msm_plan try = {.xyzz_bytes = xyzz_bytes, .sums = sums};
    /* Windows of 5 bits at least: the top one's digit then has room for the carry into it. */
    for (uint32_t windows = (SCALAR_BITS + MAX_WIDTH - 1) / MAX_WIDTH;
         windows <= SCALAR_BITS / 5 && sums * windows <= MSM_MAX_SEGMENTS; windows++) {
        plan_cut(&try, windows);
        if (!plan_chunk(&try, count, memory))
            continue;
        /* In affine additions, as measured: a bucket costs two in the end, and with a chunk's sum its place
         * and its merging; complete additions, where there are no trees, cost more, but need not wait for
         * inversions. */
        const uint64_t chunks = try.chunk ? (count + try.chunk - 1) / try.chunk : 1;
        const double elements = (double)count * try.segments, buckets = try.first_bucket[try.segments];
        const double trees =
            elements + (double)(chunks + 2) * buckets + (double)(chunks * try.groups) * TREE_WAIT;
        const double cost = try.trees ? trees : 1.75 * elements + 5 * buckets;
        if (!found || cost < best_cost) {
            best_cost = cost;
            *plan = try;
            found = true;
        }
    }
    return found;
}

bool gpu_msm_plan_masks(struct gpu_msm_plan *plan, uint64_t xyzz_bytes, unsigned arrays, uint64_t count,
                        uint64_t memory)
{
    *plan = (struct gpu_msm_plan){.xyzz_bytes = xyzz_bytes, .sums = 1, .windows = 1, .segments = 1};
    const uint64_t parts = (count < CHUNK_MOST ? count : CHUNK_MOST) / ONES_LENGTH;
    const unsigned bits = arrays > 1 ? arrays : parts < 2 ? 1 : log2_up(parts);
    plan->width[0] = bits + 1;
    plan->first_bucket[1] = UINT32_C(1) << bits;
    return plan_chunk(plan, count, memory);
}
