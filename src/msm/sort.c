/* msm/sort.c - see sort.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "msm/sort.h"

#include <string.h>

#include "base/pool.h"

#define RANGES_A_WINDOW_BITS 4

static size_t slices(size_t scalars)
{
    return (scalars + SORT_SLICE - 1) / SORT_SLICE;
}

/* Where ranges of buckets begin, window by window; how many bits of an index are within a range. */
static unsigned cut_ranges(uint32_t first_range[PLAN_MAX_WINDOWS + 1], const struct msm_plan *plan)
{
    const unsigned widest = plan->width[plan->windows - 1];
    unsigned bits = widest - 1 > RANGES_A_WINDOW_BITS ? widest - 1 - RANGES_A_WINDOW_BITS : 0;
    if (bits > SORT_RANGE_BITS)
        bits = SORT_RANGE_BITS;
    first_range[0] = 0;
    for (unsigned w = 0; w < plan->windows; w++) {
        const uint32_t buckets = UINT32_C(1) << (plan->width[w] - 1);
        const uint32_t ranges = buckets >> bits;
        first_range[w + 1] = first_range[w] + (ranges ? ranges : 1);
    }
    return bits;
}

static size_t entries_of(const struct msm_plan *plan, size_t capacity)
{
    return capacity * plan->images * plan->windows;
}

size_t sort_bytes(const struct msm_plan *plan, size_t capacity)
{
    uint32_t first_range[PLAN_MAX_WINDOWS + 1];
    (void)cut_ranges(first_range, plan);
    const size_t ranges = first_range[plan->windows], buckets = plan->first_bucket[plan->windows];
    const size_t words =
        2 * entries_of(plan, capacity) + buckets + 1 + slices(capacity) * ranges + ranges + 1;
    return capacity * sizeof(struct msm_parts) + words * sizeof(uint32_t);
}

cuzk_status sort_new(struct msm_sort *sort, const struct exec *x, const struct msm_plan *plan,
                     size_t capacity, struct cuzk_error *e)
{
    memset(sort, 0, sizeof *sort);
    sort->plan = plan;
    sort->capacity = capacity;
    sort->range_bits = cut_ranges(sort->first_range, plan);
    const size_t ranges = sort->first_range[plan->windows], buckets = plan->first_bucket[plan->windows],
                 entries = entries_of(plan, capacity);
    VERIFY(capacity * plan->images <= (size_t)1 << SORT_INDEX_BITS);
    const cuzk_status status =
        block_new(&sort->memory, x->budget, 1, sort_bytes(plan, capacity), "sorted digits", e);
    if (status)
        return status;
    sort->parts = sort->memory.ptr;
    sort->entries = (uint32_t *)(void *)(sort->parts + capacity);
    sort->coarse = sort->entries + entries;
    sort->start = sort->coarse + entries;
    sort->counts = sort->start + buckets + 1;
    sort->ranges = sort->counts + slices(capacity) * ranges;
    return CUZK_OK;
}

void sort_free(struct msm_sort *sort)
{
    block_free(&sort->memory);
}

/* Calls for each digit of slice s that is not zero. */
static inline __attribute__((always_inline)) void slice_walk(const struct msm_sort *sort, size_t s,
                                                             uint32_t *at, bool store)
{
    const struct msm_plan *plan = sort->plan;
    const unsigned range_bits = sort->range_bits;
    const size_t end = (s + 1) * SORT_SLICE < sort->count ? (s + 1) * SORT_SLICE : sort->count;
    for (size_t i = s * SORT_SLICE; i < end; i++) {
        for (unsigned j = 0; j < plan->images; j++) {
            const uint32_t index = (uint32_t)(i * plan->images + j);
            struct msm_digits digits = plan_digits(plan, sort->parts + i, j);
            for (unsigned w = 0; w < plan->windows; w++) {
                const int32_t digit = plan_next_digit(&digits, plan->width[w]);
                if (digit == 0)
                    continue;
                const uint32_t negative = (uint32_t)digit >> 31;
                const uint32_t bucket = (((uint32_t)digit ^ (0 - negative)) + negative) - 1;
                uint32_t *place = at + sort->first_range[w] + (bucket >> range_bits);
                if (store) {
                    const uint32_t local = bucket & ((UINT32_C(1) << range_bits) - 1);
                    sort->coarse[*place] = negative << 31 | local << SORT_INDEX_BITS | index;
                }
                ++*place;
            }
        }
    }
}

static void count_task(void *ctx, size_t s, unsigned worker)
{
    const struct msm_sort *sort = ctx;
    const size_t ranges = sort->first_range[sort->plan->windows];
    (void)worker;
    memset(sort->counts + s * ranges, 0, ranges * sizeof *sort->counts);
    slice_walk(sort, s, sort->counts + s * ranges, false);
}

static void scatter_task(void *ctx, size_t s, unsigned worker)
{
    const struct msm_sort *sort = ctx;
    (void)worker;
    slice_walk(sort, s, sort->counts + s * sort->first_range[sort->plan->windows], true);
}

/* One range by bucket. */
static void range_task(void *ctx, size_t range, unsigned worker)
{
    const struct msm_sort *sort = ctx;
    const struct msm_plan *plan = sort->plan;
    unsigned w = 0;
    (void)worker;
    while (range >= sort->first_range[w + 1])
        w++;
    const uint32_t first =
        plan->first_bucket[w] + ((uint32_t)(range - sort->first_range[w]) << sort->range_bits);
    uint32_t buckets = plan->first_bucket[w + 1] - first;
    if (buckets > UINT32_C(1) << sort->range_bits)
        buckets = UINT32_C(1) << sort->range_bits;

    uint32_t place[1 << SORT_RANGE_BITS] = {0};
    const uint32_t begin = sort->ranges[range], end = sort->ranges[range + 1];
    for (uint32_t i = begin; i < end; i++)
        place[(sort->coarse[i] & 0x7fffffff) >> SORT_INDEX_BITS]++;
    uint32_t sum = begin;
    for (uint32_t b = 0; b < buckets; b++) {
        const uint32_t count = place[b];
        sort->start[first + b] = place[b] = sum;
        sum += count;
    }
    for (uint32_t i = begin; i < end; i++)
        sort->entries[place[(sort->coarse[i] & 0x7fffffff) >> SORT_INDEX_BITS]++] = sort->coarse[i];
}

void sort_run(struct msm_sort *sort, const struct exec *x)
{
    const size_t ranges = sort->first_range[sort->plan->windows], n = slices(sort->count);
    pool_run(x->pool, count_task, sort, n);
    uint32_t sum = 0;
    for (size_t range = 0; range < ranges; range++) {
        sort->ranges[range] = sum;
        for (size_t s = 0; s < n; s++) {
            uint32_t *count = sort->counts + s * ranges + range;
            const uint32_t here = *count;
            *count = sum;
            sum += here;
        }
    }
    sort->ranges[ranges] = sum;
    sort->start[sort->plan->first_bucket[sort->plan->windows]] = sum;
    pool_run(x->pool, scatter_task, sort, n);
    pool_run(x->pool, range_task, sort, ranges);
}
