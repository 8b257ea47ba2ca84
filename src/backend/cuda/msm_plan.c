/* backend/cuda/msm_plan.c - see msm_plan.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/msm_plan.h"

#include <string.h>

#define SCALAR_BITS    256
#define MAX_WIDTH      23 /* so that a window's buckets fit in MSM_MAX_BINS times MSM_MAX_LOW */
#define CHUNK_MOST     (UINT64_C(1) << 27)
#define CHUNK_LEAST    (UINT64_C(1) << 16) /* points at a time, where there are as many */
#define GROUP_ELEMENTS (UINT64_C(1) << 27) /* sorted and added together: few long steps */
#define GROUP_BUCKETS  (UINT32_C(1) << 22)
#define TREE_ELEMENTS  (UINT64_C(1) << 23) /* fewer are added before the inversions' latency is over */
#define TREE_AVERAGE   8
#define LEAST_TASKS    (1 << 16)
#define FOLD_THREADS   (1 << 15) /* a level of the folding wants as many threads */

static uint32_t min_u32(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

static unsigned log2_up(uint64_t x)
{
    unsigned log = 0;
    while (UINT64_C(1) << log < x)
        log++;
    return log;
}

uint32_t gpu_msm_plan_level_first(const struct gpu_msm_plan *plan, uint32_t level, uint32_t window)
{
    unsigned log = 0;
    for (uint32_t l = 0; l < level; l++)
        log += plan->fold_log[l];
    uint32_t first = 0;
    for (uint32_t w = 0; w < window; w++) {
        const uint64_t buckets = plan->first_bucket[w + 1] - plan->first_bucket[w];
        first += (uint32_t)((buckets + (UINT64_C(1) << log) - 1) >> log);
    }
    return first;
}

uint32_t gpu_msm_plan_level(const struct gpu_msm_plan *plan, uint32_t level)
{
    return gpu_msm_plan_level_first(plan, level, plan->windows);
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
    for (uint32_t g = 0; g < plan->groups; g++) {
        const struct gpu_msm_group *group = &plan->group[g];
        const uint64_t elements = (uint64_t)(group->end - group->first) * plan->chunk;
        const uint64_t tasks = (uint64_t)group->buckets + group->pieces;
        if (group->tree_levels == 0 || elements / 2 < most.pairs)
            continue;
        most.pairs = elements / 2 + 1; /* a level halves a task's points, rounding up */
        most.first = (elements + tasks) / 2 + 1;
        most.second = (elements + 3 * tasks) / 4 + 1;
    }
    return most;
}

/* Levels of the folding: as many neighbours a thread as leave enough threads, until one sum a window. */
static void plan_levels(struct gpu_msm_plan *plan)
{
    plan->levels = 0;
    for (;;) {
        const uint32_t count = gpu_msm_plan_level(plan, plan->levels);
        if (count == plan->windows && plan->levels > 0)
            return;
        unsigned log = 2;
        while (log < 5 && count >> (log + 1) >= FOLD_THREADS)
            log++;
        plan->fold_log[plan->levels++] = log;
    }
}

/* Groups of windows and what each needs, for chunks of plan->chunk points. */
static void plan_groups(struct gpu_msm_plan *plan)
{
    plan->groups = 0;
    for (uint32_t first = 0, end; first < plan->windows; first = end) {
        struct gpu_msm_group *g = &plan->group[plan->groups++];
        for (end = first + 1; end < plan->windows; end++) {
            const uint64_t windows = end + 1 - first;
            if (windows * plan->chunk > GROUP_ELEMENTS ||
                plan->first_bucket[end + 1] - plan->first_bucket[first] > GROUP_BUCKETS)
                break;
        }
        const uint64_t elements = (uint64_t)(end - first) * plan->chunk;
        g->first = first;
        g->end = end;
        g->buckets = plan->first_bucket[end] - plan->first_bucket[first];
        /* bins that fit in shared memory, as far as there are as many */
        const unsigned bits = log2_up(g->buckets), bins = log2_up(elements / (MSM_BIN_ROOM * 4 / 5) + 1);
        g->low_bits = bits > bins ? min_u32(bits - bins, 11) : 0;
        if (bits - g->low_bits > 12)
            g->low_bits = bits - 12;
        g->bins = (uint32_t)(((uint64_t)g->buckets + (UINT64_C(1) << g->low_bits) - 1) >> g->low_bits);
        const uint64_t average = elements / g->buckets;
        /* Uneven buckets are cut; where there are few, all are, so that there is work for all threads. */
        const uint64_t length = g->buckets < LEAST_TASKS / 8 ? elements / LEAST_TASKS
                                : average < 32               ? average * 4
                                                             : average * 2;
        g->max_length = length < 32 ? 32 : min_u32(UINT64_C(1) << log2_up(length), MSM_MAX_LENGTH);
        const bool tree = elements >= TREE_ELEMENTS && elements / g->buckets >= TREE_AVERAGE;
        g->tree_levels = tree ? log2_up(g->max_length) - 2 : 0; /* the last four rows are few */
        g->pieces = (uint32_t)(elements / g->max_length) + 1;
    }
}

/* Bytes beside those that grow with the chunk: buckets, and the first two levels over them, which the later
 * ones use in turn. */
static uint64_t fixed_bytes(const struct gpu_msm_plan *plan)
{
    uint64_t sums = plan->first_bucket[plan->windows];
    for (uint32_t level = 1; level <= 2; level++)
        sums += 2 * (uint64_t)gpu_msm_plan_level(plan, level < plan->levels ? level : plan->levels);
    return sums * plan->xyzz_bytes;
}

static uint64_t chunk_bytes(struct gpu_msm_plan *plan, uint64_t chunk)
{
    plan->chunk = (uint32_t)chunk;
    plan_groups(plan);
    const uint64_t elements = gpu_msm_plan_elements(plan), pieces = gpu_msm_plan_pieces(plan);
    const struct gpu_msm_tree tree = gpu_msm_plan_tree(plan);
    const uint64_t affine_bytes = plan->xyzz_bytes / 2;
    return (tree.first + tree.second) * affine_bytes + tree.pairs * affine_bytes / 2 +
           4 * plan->windows * chunk + 12 * elements + 20 * (uint64_t)gpu_msm_plan_buckets(plan) +
           pieces * (plan->xyzz_bytes + sizeof(struct msm_overflow) + sizeof(struct msm_task)) + (16 << 20);
}

/* The largest chunk that fits; false: not even the least. */
static bool plan_chunk(struct gpu_msm_plan *plan, uint64_t count, uint64_t memory)
{
    plan_levels(plan);
    const uint64_t fixed = fixed_bytes(plan), least = count < CHUNK_LEAST ? count : CHUNK_LEAST;
    uint64_t chunk = count < CHUNK_MOST ? count : CHUNK_MOST;
    for (;; chunk = ((chunk + 1) / 2 + 31) / 32 * 32) {
        if (chunk == 0)
            chunk = 1;
        plan->bytes = fixed + chunk_bytes(plan, chunk);
        if (plan->bytes <= memory)
            return true;
        if (chunk <= least || chunk <= 64)
            return false;
    }
}

static void plan_cut(struct gpu_msm_plan *plan, uint32_t windows)
{
    plan->windows = windows;
    plan->first_bucket[0] = 0;
    uint32_t offset = 0;
    for (uint32_t w = 0; w < windows; w++) {
        plan->width[w] = SCALAR_BITS * (w + 1) / windows - offset;
        plan->offset[w] = offset;
        plan->first_bucket[w + 1] = plan->first_bucket[w] + (UINT32_C(1) << (plan->width[w] - 1));
        offset += plan->width[w];
    }
}

bool gpu_msm_plan_make(struct gpu_msm_plan *plan, uint64_t xyzz_bytes, uint64_t count, uint64_t memory)
{
    bool found = false;
    double best_cost = 0;
    struct gpu_msm_plan try = {.xyzz_bytes = xyzz_bytes};
    /* Windows of 5 bits at least: the top one's digit then has room for the carry into it. */
    for (uint32_t windows = (SCALAR_BITS + MAX_WIDTH - 1) / MAX_WIDTH; windows <= SCALAR_BITS / 5;
         windows++) {
        plan_cut(&try, windows);
        if (!plan_chunk(&try, count, memory))
            continue;
        /* A bucket costs two complete additions in the end and, as the root of a tree, a few more: in
         * additions to a bucket, as measured, so many. */
        const double per_bucket = try.group[0].tree_levels ? 7 : 4.5;
        const double cost = (double)count * windows + per_bucket * try.first_bucket[windows];
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
    *plan = (struct gpu_msm_plan){.xyzz_bytes = xyzz_bytes, .windows = 1};
    plan->width[0] = arrays + 1;
    plan->first_bucket[1] = UINT32_C(1) << arrays;
    return plan_chunk(plan, count, memory);
}
