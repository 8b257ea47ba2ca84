/* msm/sort.h - the digits of a block of scalars, sorted by bucket.
 *
 * Two steps of a counting sort, all threads: from slices of the scalars into ranges of neighbouring buckets,
 * then each range by itself in the cache. Zero digits fall out.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef MSM_SORT_H
#define MSM_SORT_H

#include "base/exec.h"
#include "base/memory.h"
#include "msm/plan.h"

/* An entry: the image's index, the bucket's within its range (used up by the second step), and whether the
 * image counts negative. */
#define SORT_INDEX_BITS  20
#define SORT_RANGE_BITS  11
#define SORT_INDEX(e)    ((e) & ((UINT32_C(1) << SORT_INDEX_BITS) - 1))
#define SORT_NEGATIVE(e) ((e) >> 31 != 0)

#define SORT_SLICE 1024 /* scalars a task takes */

struct msm_sort {
    const struct msm_plan *plan;
    size_t capacity; /* scalars */
    size_t count;    /* scalars now */
    struct msm_parts *parts;
    uint32_t *entries; /* sorted, bucket by bucket */
    uint32_t *start;   /* where each of the plan's buckets starts, and the end */
    uint32_t *coarse;  /* entries after the first step */
    uint32_t *counts;  /* of each slice and range */
    uint32_t *ranges;  /* where each range starts, and the end */
    unsigned range_bits;
    uint32_t first_range[PLAN_MAX_WINDOWS + 1];
    struct block memory;
};

/* Memory that sort_new takes. */
size_t sort_bytes(const struct msm_plan *plan, size_t capacity);
/* For at most capacity scalars a block; images * capacity is at most 2^SORT_INDEX_BITS. The plan is borrowed
 * until sort_free. */
cuzk_status sort_new(struct msm_sort *sort, const struct exec *x, const struct msm_plan *plan,
                     size_t capacity, struct cuzk_error *e) MUST_USE;
void sort_free(struct msm_sort *sort); /* a zeroed one is fine */

/* Sort the digits of parts[0..count). An image's index is that of its scalar times plan->images, plus its
 * own. */
void sort_run(struct msm_sort *sort, const struct exec *x);

#endif
