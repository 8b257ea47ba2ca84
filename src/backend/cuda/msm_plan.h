/* backend/cuda/msm_plan.h - how a sum is cut on a GPU: windows, groups of windows, pieces of points.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_MSM_PLAN_H
#define BACKEND_CUDA_MSM_PLAN_H

#include "backend/cuda/msm_args.h"
#include "base/common.h"

/* Segments from first to end are sorted and added together. */
struct gpu_msm_group {
    uint32_t first, end;
    uint32_t buckets, low_bits, bins, max_length;
    uint32_t pieces;      /* of buckets, at most */
    uint32_t tree_levels; /* until a task's points are one */
};

/* Windows of a scalar, those of every sum made at once one after another. Scalars have 256 bits, the highest
 * 0, cut evenly. Digits are signed but for the top window's, which that zero keeps to the same number of
 * buckets. */
struct gpu_msm_plan {
    uint32_t sums, windows, segments, groups; /* segments: sums times windows */
    uint32_t offset[MSM_MAX_WINDOWS], width[MSM_MAX_WINDOWS];
    uint32_t first_bucket[MSM_MAX_SEGMENTS + 1];
    struct gpu_msm_group group[MSM_MAX_SEGMENTS];
    uint32_t chunk; /* points at a time */
    bool trees;     /* of affine additions, and affine buckets; else each thread adds up a bucket */
    /* of the folding (struct msm_halve_args); the first ones by affine additions */
    uint32_t levels, affine_levels;
    uint64_t xyzz_bytes, bytes; /* of a point in xyzz; of all */
};

/* The cheapest plan of `sums` sums over count points that takes at most `memory` bytes; false: there is none.
 */
bool gpu_msm_plan_make(struct gpu_msm_plan *plan, uint64_t xyzz_bytes, unsigned sums, uint64_t count,
                       uint64_t memory) MUST_USE;

/* The same for masks: one window of unsigned digits below 2^arrays; with one array, buckets are even parts of
 * the points whose bit is set. */
bool gpu_msm_plan_masks(struct gpu_msm_plan *plan, uint64_t xyzz_bytes, unsigned arrays, uint64_t count,
                        uint64_t memory) MUST_USE;

/* Elements (point, window) of the largest group. */
uint64_t gpu_msm_plan_elements(const struct gpu_msm_plan *plan);
/* The largest of a number over the groups. */
uint32_t gpu_msm_plan_buckets(const struct gpu_msm_plan *plan);
uint32_t gpu_msm_plan_pieces(const struct gpu_msm_plan *plan);
/* Points of the first two levels of trees, and pairs of the first, at most, with room for merging and folding
 * buckets; nothing without trees. */
struct gpu_msm_tree {
    uint64_t first, second, pairs;
};
struct gpu_msm_tree gpu_msm_plan_tree(const struct gpu_msm_plan *plan);
/* How many sums there are before a level of the folding. */
uint64_t gpu_msm_plan_sums(const struct gpu_msm_plan *plan, uint32_t level);

#endif
