/* backend/cuda/msm.c - see msm.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/msm.h"

#include <string.h>

#include "backend/cuda/device.h"
#include "backend/cuda/msm_plan.h"
#include "backend/cuda/msm_sum.h"
#include "base/error.h"
#include "base/memory.h"

#define SORT_BLOCK       1024 /* as in msm_sort.cu */
#define SCATTER_BLOCK    1024
#define ACCUMULATE_BLOCK 128 /* as in msm_kernels.cuh */
#define SUM_BLOCK        64
#define TREE_BLOCK       128 /* as in tree.cuh */
#define TREE_SHARE       16
#define MAX_ARRAYS       12

/* The places of struct gpu_msm's blocks. */
enum {
    DIGITS,
    BINNED,
    ORDER,
    BIN_START,
    BIN_NEXT,
    BUCKET_START,
    TASKS,
    OVERFLOWS,
    OVERFLOW,
    LENGTHS, /* and, after them, the counters */
    BUCKETS,
    LEVEL_A, /* sums, then weighted sums, of every other level */
    LEVEL_B,
    TREE_A, /* points of every other level of a tree */
    TREE_B,
    TREE_BEFORE,
    TREE_TOTALS,
    LONGER,
    BLOCKS
};

struct gpu_msm {
    struct device *device;
    struct stream stream;
    struct gpu_msm_plan plan;
    unsigned group, arrays; /* arrays: of masks, 0 for scalars */
    bool begun;
    struct device_block block[BLOCKS];
    uint32_t bias[8];
};

static uint32_t ceil_div(uint64_t a, uint64_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

/* Threads that walk over a tree's pairs: whole waves of those that run at once, which are 2 to 4 blocks a
 * multiprocessor. */
static uint32_t tree_threads(const struct gpu_msm *m)
{
    return device_info(m->device)->multiprocessors * TREE_BLOCK * 12;
}

static cuzk_status allocate(struct gpu_msm *m, struct cuzk_error *e)
{
    const struct gpu_msm_plan *p = &m->plan;
    const uint64_t elements = gpu_msm_plan_elements(p), buckets = gpu_msm_plan_buckets(p);
    const uint64_t pieces = gpu_msm_plan_pieces(p), second = p->levels < 2 ? p->levels : 2;
    const struct gpu_msm_tree tree = gpu_msm_plan_tree(p);
    const uint64_t affine_bytes = p->xyzz_bytes / 2, coordinate = affine_bytes / 2;
    const struct {
        uint64_t count, size;
    } WANTED[BLOCKS] = {
        [DIGITS] = {(uint64_t)p->windows * p->chunk, 4},
        [BINNED] = {elements, 8},
        [ORDER] = {elements, 4},
        [BIN_START] = {MSM_MAX_BINS + 1, 4},
        [BIN_NEXT] = {MSM_MAX_BINS, 4},
        [BUCKET_START] = {buckets + 1, 4},
        [TASKS] = {buckets + pieces, sizeof(struct msm_task)},
        [OVERFLOWS] = {pieces, sizeof(struct msm_overflow)},
        [OVERFLOW] = {pieces, p->xyzz_bytes},
        [LENGTHS] = {MSM_MAX_LENGTH + 1 + sizeof(struct msm_counters) / 4, 4},
        [BUCKETS] = {p->first_bucket[p->windows], p->xyzz_bytes},
        [LEVEL_A] = {2 * (uint64_t)gpu_msm_plan_level(p, 1), p->xyzz_bytes},
        [LEVEL_B] = {2 * (uint64_t)gpu_msm_plan_level(p, (uint32_t)second), p->xyzz_bytes},
        [TREE_A] = {tree.first, affine_bytes},
        [TREE_B] = {tree.second, affine_bytes},
        [TREE_BEFORE] = {tree.pairs, coordinate},
        [TREE_TOTALS] = {tree.pairs ? tree_threads(m) : 0, coordinate},
        [LONGER] = {MSM_MAX_LENGTH + 1, 4},
    };
    for (int i = 0; i < BLOCKS; i++)
        TRY(device_alloc(&m->block[i], m->device, WANTED[i].count, WANTED[i].size, "a sum", e));
    return CUZK_OK;
}

static cuzk_status create(struct gpu_msm **out, struct device *d, struct stream s, unsigned group,
                          unsigned arrays, uint64_t count, uint64_t memory, struct cuzk_error *e)
{
    if (group < 1 || group > 2 || arrays > MAX_ARRAYS)
        return error_set(e, CUZK_ERR_ARGUMENT, "a GPU sum: group %u, %u masks", group, arrays);
    struct gpu_msm *m = mem_alloc(1, sizeof *m);
    if (!m)
        return error_memory(e, sizeof *m, "a GPU sum");
    const uint64_t left = device_info(d)->limit - device_memory_used(d);
    const uint64_t most = memory && memory < left ? memory : left;
    const uint64_t bytes = group == 1 ? XYZZ_G1_BYTES : XYZZ_G2_BYTES;
    m->device = d;
    m->stream = s;
    m->group = group;
    m->arrays = arrays;
    const bool fits = arrays ? gpu_msm_plan_masks(&m->plan, bytes, arrays, count, most)
                             : gpu_msm_plan_make(&m->plan, bytes, count, most);
    cuzk_status status = CUZK_OK;
    if (!fits)
        status = error_set(e, CUZK_ERR_MEMORY, "GPU %u: a sum of %llu points does not fit in %llu bytes",
                           device_info(d)->index, (unsigned long long)count, (unsigned long long)most);
    for (uint32_t w = 0; w + 1 < m->plan.windows; w++) {
        const uint32_t bit = m->plan.offset[w + 1] - 1;
        m->bias[bit / 32] |= UINT32_C(1) << bit % 32;
    }
    if (status == CUZK_OK)
        status = allocate(m, e);
    if (status != CUZK_OK) {
        gpu_msm_free(m);
        return status;
    }
    *out = m;
    return CUZK_OK;
}

cuzk_status gpu_msm_new(struct gpu_msm **out, struct device *d, struct stream s, unsigned group,
                        uint64_t count, uint64_t memory, struct cuzk_error *e)
{
    return create(out, d, s, group, 0, count, memory, e);
}

cuzk_status gpu_msm_new_masks(struct gpu_msm **out, struct device *d, struct stream s, unsigned group,
                              unsigned arrays, uint64_t count, uint64_t memory, struct cuzk_error *e)
{
    if (arrays == 0)
        return error_set(e, CUZK_ERR_ARGUMENT, "a GPU sum under no masks");
    return create(out, d, s, group, arrays, count, memory, e);
}

void gpu_msm_free(struct gpu_msm *m)
{
    if (!m)
        return;
    for (int i = 0; i < BLOCKS; i++)
        if (m->block[i].device)
            device_free(&m->block[i]);
    mem_free(m);
}

static cuzk_status begin(struct gpu_msm *m, struct cuzk_error *e)
{
    if (m->begun)
        return CUZK_OK;
    TRY(device_fill(m->device, m->stream, m->block[BUCKETS].ptr, 0, m->block[BUCKETS].size, e));
    m->begun = true;
    return CUZK_OK;
}

/* The group's elements into m->block[ORDER] by bucket. */
static cuzk_status sort(struct gpu_msm *m, const struct gpu_msm_group *g, uint32_t count,
                        struct cuzk_error *e)
{
    struct msm_sort_args a = {
        .digits = m->block[DIGITS].ptr + (uint64_t)g->first * count * 4,
        .count = count,
        .windows = g->end - g->first,
        .low_bits = g->low_bits,
        .bins = g->bins,
        .buckets = g->buckets,
        .bin_start = m->block[BIN_START].ptr,
        .bin_next = m->block[BIN_NEXT].ptr,
        .binned = m->block[BINNED].ptr,
        .bucket_start = m->block[BUCKET_START].ptr,
        .order = m->block[ORDER].ptr,
    };
    for (uint32_t w = 0; w < a.windows; w++)
        a.first_bucket[w] = m->plan.first_bucket[g->first + w] - m->plan.first_bucket[g->first];
    const uint32_t tiles = ceil_div(count, MSM_SCATTER_TILE);
    const uint32_t strips = tiles < 512 ? tiles : 512;
    const struct launch count_them = {
        .kernel = "msm_count", .grid = {strips, a.windows}, .block = SORT_BLOCK};
    const struct launch bins = {.kernel = "msm_bins", .grid = {1}, .block = SORT_BLOCK};
    const struct launch scatter = {.kernel = "msm_scatter",
                                   .grid = {tiles, a.windows},
                                   .block = SCATTER_BLOCK,
                                   .shared = MSM_SCATTER_SHARED};
    const struct launch place = {
        .kernel = "msm_place", .grid = {a.bins}, .block = SORT_BLOCK, .shared = MSM_PLACE_SHARED};
    TRY(device_fill(m->device, m->stream, a.bin_next, 0, MSM_MAX_BINS * 4, e));
    TRY(device_launch(m->device, m->stream, &count_them, &a, e));
    TRY(device_launch(m->device, m->stream, &bins, &a, e));
    TRY(device_launch(m->device, m->stream, &scatter, &a, e));
    return device_launch(m->device, m->stream, &place, &a, e);
}

/* The group's buckets as tasks, longest first. */
static cuzk_status make_tasks(struct gpu_msm *m, const struct gpu_msm_group *g, struct cuzk_error *e)
{
    const struct msm_tasks_args a = {
        .bucket_start = m->block[BUCKET_START].ptr,
        .buckets = g->buckets,
        .max_length = g->max_length,
        .length_next = m->block[LENGTHS].ptr,
        .longer = m->block[LONGER].ptr,
        .tasks = m->block[TASKS].ptr,
        .overflows = m->block[OVERFLOWS].ptr,
        .counters = m->block[LENGTHS].ptr + (MSM_MAX_LENGTH + 1) * 4,
    };
    const uint32_t blocks = ceil_div(g->buckets, SORT_BLOCK);
    const struct launch lengths = {
        .kernel = "msm_lengths", .grid = {blocks < 264 ? blocks : 264}, .block = SORT_BLOCK};
    const struct launch places = {.kernel = "msm_length_places", .grid = {1}, .block = SORT_BLOCK};
    const struct launch tasks = {.kernel = "msm_tasks", .grid = {blocks}, .block = SORT_BLOCK};
    TRY(device_fill(m->device, m->stream, m->block[LENGTHS].ptr, 0, m->block[LENGTHS].size, e));
    TRY(device_launch(m->device, m->stream, &lengths, &a, e));
    TRY(device_launch(m->device, m->stream, &places, &a, e));
    return device_launch(m->device, m->stream, &tasks, &a, e);
}

/* A tree's kernels: of level 0, which gathers, and of the others. */
static const struct tree_kernels {
    const char *forward[2], *backward[2], *invert, *store;
} TREE_KERNELS[2] = {
    {{"tree_g1_gather_forward", "tree_g1_forward"},
     {"tree_g1_gather_backward", "tree_g1_backward"},
     "tree_g1_invert",
     "tree_g1_store"},
    {{"tree_g2_gather_forward", "tree_g2_forward"},
     {"tree_g2_gather_backward", "tree_g2_backward"},
     "tree_g2_invert",
     "tree_g2_store"},
};

static cuzk_status add_by_tree(struct gpu_msm *m, const struct gpu_msm_group *g, uint32_t tasks,
                               const struct msm_accumulate_args *all, struct cuzk_error *e)
{
    const struct tree_kernels *k = &TREE_KERNELS[m->group - 1];
    const struct gpu_msm_tree room = gpu_msm_plan_tree(&m->plan);
    struct msm_tree_args a = {
        .points = all->points,
        .order = all->order,
        .tasks = all->tasks,
        .longer = m->block[LONGER].ptr,
        .counters = all->counters,
        .out = m->block[BINNED].ptr, /* free after the sort */
        .before = m->block[TREE_BEFORE].ptr,
        .before_stride = room.pairs,
        .totals = m->block[TREE_TOTALS].ptr,
        .threads = tree_threads(m),
        .buckets = all->buckets,
        .overflow = all->overflow,
    };
    const uint32_t task_blocks = ceil_div(tasks, TREE_BLOCK), blocks = a.threads / TREE_BLOCK;
    const struct launch order = {.kernel = "tree_order", .grid = {task_blocks}, .block = TREE_BLOCK};
    const struct launch store = {.kernel = k->store, .grid = {task_blocks}, .block = TREE_BLOCK};
    const struct launch invert = {
        .kernel = k->invert, .grid = {ceil_div(a.threads, 32 * TREE_SHARE)}, .block = 32};
    TRY(device_launch(m->device, m->stream, &order, &a, e));
    a.order = a.out;
    for (; a.level < g->tree_levels; a.level++) {
        const struct launch forward = {
            .kernel = k->forward[a.level > 0], .grid = {blocks}, .block = TREE_BLOCK};
        const struct launch backward = {.kernel = k->backward[a.level > 0],
                                        .grid = {blocks},
                                        .block = TREE_BLOCK,
                                        .shared = TREE_BLOCK * 5 * (uint32_t)(m->plan.xyzz_bytes / 4)};
        a.in = a.out;
        a.in_stride = a.out_stride;
        a.out = m->block[a.level % 2 ? TREE_B : TREE_A].ptr;
        a.out_stride = a.level % 2 ? room.second : room.first;
        TRY(device_launch(m->device, m->stream, &forward, &a, e));
        TRY(device_launch(m->device, m->stream, &invert, &a, e));
        TRY(device_launch(m->device, m->stream, &backward, &a, e));
    }
    a.in = a.out;
    a.in_stride = a.out_stride;
    return device_launch(m->device, m->stream, &store, &a, e);
}

static cuzk_status add_group(struct gpu_msm *m, const struct gpu_msm_group *g, uint64_t points,
                             uint32_t count, struct cuzk_error *e)
{
    TRY(sort(m, g, count, e));
    TRY(make_tasks(m, g, e));
    const struct msm_accumulate_args a = {
        .points = points,
        .order = m->block[ORDER].ptr,
        .tasks = m->block[TASKS].ptr,
        .counters = m->block[LENGTHS].ptr + (MSM_MAX_LENGTH + 1) * 4,
        .buckets = m->block[BUCKETS].ptr + m->plan.first_bucket[g->first] * m->plan.xyzz_bytes,
        .overflow = m->block[OVERFLOW].ptr,
        .overflows = m->block[OVERFLOWS].ptr,
    };
    const uint64_t elements = (uint64_t)(g->end - g->first) * count;
    const uint32_t tasks =
        (uint32_t)((g->buckets < elements ? g->buckets : elements) + elements / g->max_length);
    const bool first = m->group == 1;
    const struct launch accumulate = {.kernel = first ? "msm_g1_accumulate" : "msm_g2_accumulate",
                                      .grid = {ceil_div(tasks, ACCUMULATE_BLOCK)},
                                      .block = ACCUMULATE_BLOCK,
                                      .shared = RING_BYTES};
    const struct launch overflow = {.kernel = first ? "msm_g1_overflow" : "msm_g2_overflow",
                                    .grid = {2 * device_info(m->device)->multiprocessors},
                                    .block = SUM_BLOCK};
    if (g->tree_levels)
        TRY(add_by_tree(m, g, tasks, &a, e));
    else
        TRY(device_launch(m->device, m->stream, &accumulate, &a, e));
    return device_launch(m->device, m->stream, &overflow, &a, e);
}

static cuzk_status add_groups(struct gpu_msm *m, uint64_t points, uint32_t count, struct cuzk_error *e)
{
    for (uint32_t g = 0; g < m->plan.groups; g++)
        TRY(add_group(m, &m->plan.group[g], points, count, e));
    return CUZK_OK;
}

cuzk_status gpu_msm_add(struct gpu_msm *m, uint64_t points, uint64_t scalars, size_t count,
                        struct cuzk_error *e)
{
    if (m->arrays)
        return error_set(e, CUZK_ERR_ARGUMENT, "a GPU sum under masks was given scalars");
    const uint64_t point_bytes = m->group == 1 ? sizeof(g1_affine) : sizeof(g2_affine);
    TRY(begin(m, e));
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < m->plan.chunk ? count - done : m->plan.chunk;
        struct msm_digits_args a = {.scalars = scalars + done * sizeof(fr),
                                    .digits = m->block[DIGITS].ptr,
                                    .count = (uint32_t)n,
                                    .windows = m->plan.windows};
        memcpy(a.offset, m->plan.offset, sizeof a.offset);
        memcpy(a.width, m->plan.width, sizeof a.width);
        memcpy(a.bias, m->bias, sizeof a.bias);
        const struct launch digits = {.kernel = "msm_digits", .grid = {ceil_div(n, 256)}, .block = 256};
        TRY(device_launch(m->device, m->stream, &digits, &a, e));
        TRY(add_groups(m, points + done * point_bytes, (uint32_t)n, e));
    }
    return CUZK_OK;
}

cuzk_status gpu_msm_add_masks(struct gpu_msm *m, uint64_t points, const uint64_t *bits, size_t count,
                              struct cuzk_error *e)
{
    if (!m->arrays)
        return error_set(e, CUZK_ERR_ARGUMENT, "a GPU sum with scalars was given masks");
    const uint64_t point_bytes = m->group == 1 ? sizeof(g1_affine) : sizeof(g2_affine);
    TRY(begin(m, e));
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < m->plan.chunk ? count - done : m->plan.chunk;
        struct msm_patterns_args a = {
            .digits = m->block[DIGITS].ptr, .count = (uint32_t)n, .arrays = m->arrays};
        for (unsigned j = 0; j < m->arrays; j++)
            a.bits[j] = bits[j] + done / 8;
        const struct launch patterns = {.kernel = "msm_patterns", .grid = {ceil_div(n, 256)}, .block = 256};
        TRY(device_launch(m->device, m->stream, &patterns, &a, e));
        TRY(add_groups(m, points + done * point_bytes, (uint32_t)n, e));
    }
    return CUZK_OK;
}

/* All windows' buckets to (sum, weighted sum) each; where they are then. */
static cuzk_status fold(struct gpu_msm *m, uint64_t *sums, uint64_t *weighted, struct cuzk_error *e)
{
    const struct gpu_msm_plan *p = &m->plan;
    struct msm_reduce_args a = {.out_sums = m->block[BUCKETS].ptr, .segments = p->windows};
    for (uint32_t level = 0; level < p->levels; level++) {
        const uint32_t threads = gpu_msm_plan_level(p, level + 1);
        a.sums = a.out_sums;
        a.weighted = a.out_weighted;
        a.out_sums = m->block[level % 2 ? LEVEL_B : LEVEL_A].ptr;
        a.out_weighted = a.out_sums + threads * p->xyzz_bytes;
        a.fold = UINT32_C(1) << p->fold_log[level];
        for (uint32_t w = 0; w <= p->windows; w++) {
            a.in_first[w] = gpu_msm_plan_level_first(p, level, w);
            a.out_first[w] = gpu_msm_plan_level_first(p, level + 1, w);
        }
        const struct launch reduce = {.kernel = m->group == 1 ? "msm_g1_reduce" : "msm_g2_reduce",
                                      .grid = {ceil_div(threads, SUM_BLOCK)},
                                      .block = SUM_BLOCK};
        TRY(device_launch(m->device, m->stream, &reduce, &a, e));
        a.unit_log += p->fold_log[level];
    }
    *sums = a.out_sums;
    *weighted = a.out_weighted;
    return CUZK_OK;
}

static cuzk_status finish_masks(struct gpu_msm *m, void *out, struct cuzk_error *e)
{
    uint8_t sums[MAX_ARRAYS * XYZZ_G2_BYTES];
    const struct msm_by_bit_args a = {.buckets = m->block[BUCKETS].ptr,
                                      .out = m->block[LEVEL_A].ptr,
                                      .buckets_count = m->plan.first_bucket[1] - 1};
    const struct launch by_bit = {
        .kernel = m->group == 1 ? "msm_g1_by_bit" : "msm_g2_by_bit", .grid = {m->arrays}, .block = SUM_BLOCK};
    TRY(device_launch(m->device, m->stream, &by_bit, &a, e));
    TRY(device_download(m->device, m->stream, sums, a.out, m->arrays * m->plan.xyzz_bytes, e));
    TRY(device_wait(m->device, m->stream, e));
    for (unsigned j = 0; j < m->arrays; j++)
        xyzz_read(m->group, (uint8_t *)out + j * xyzz_out_bytes(m->group), sums + j * m->plan.xyzz_bytes);
    return CUZK_OK;
}

cuzk_status gpu_msm_finish(struct gpu_msm *m, void *out, struct cuzk_error *e)
{
    TRY(begin(m, e));
    m->begun = false;
    if (m->arrays)
        return finish_masks(m, out, e);
    uint8_t sums[MSM_MAX_WINDOWS * XYZZ_G2_BYTES], weighted[MSM_MAX_WINDOWS * XYZZ_G2_BYTES];
    uint64_t sums_at, weighted_at;
    const size_t size = m->plan.windows * m->plan.xyzz_bytes;
    TRY(fold(m, &sums_at, &weighted_at, e));
    TRY(device_download(m->device, m->stream, sums, sums_at, size, e));
    TRY(device_download(m->device, m->stream, weighted, weighted_at, size, e));
    TRY(device_wait(m->device, m->stream, e));
    xyzz_windows(m->group, out, sums, weighted, m->plan.offset, m->plan.windows);
    return CUZK_OK;
}

cuzk_status gpu_select(void *out, struct device *d, struct stream s, unsigned group, uint64_t points,
                       uint64_t bits, size_t count, struct cuzk_error *e)
{
    const bool first = group == 1;
    const uint64_t xyzz = first ? XYZZ_G1_BYTES : XYZZ_G2_BYTES;
    const uint32_t blocks = device_info(d)->multiprocessors * (first ? 3 : 2);
    const uint32_t threads = blocks * ACCUMULATE_BLOCK, totals = ceil_div(threads, 512);
    if (count > UINT32_C(1) << 31)
        return error_set(e, CUZK_ERR_ARGUMENT, "a plain sum of more than 2^31 points");
    struct device_block block;
    TRY(device_alloc(&block, d, threads + totals + 1, xyzz, "a plain sum", e));
    const struct msm_select_args a = {
        .points = points, .bits = bits, .count = (uint32_t)count, .out = block.ptr};
    const struct launch select = {.kernel = first ? "msm_g1_select" : "msm_g2_select",
                                  .grid = {blocks},
                                  .block = ACCUMULATE_BLOCK,
                                  .shared = RING_BYTES};
    cuzk_status status = device_launch(d, s, &select, &a, e);
    struct msm_total_args t = {.out = block.ptr, .count = threads};
    for (uint64_t skip = threads; status == CUZK_OK && t.count > 1; skip = totals) {
        t.in = t.out;
        t.out += skip * xyzz;
        t.per_block = t.count == threads ? 512 : t.count;
        const uint32_t sums = ceil_div(t.count, t.per_block);
        const struct launch total = {
            .kernel = first ? "msm_g1_total" : "msm_g2_total", .grid = {sums}, .block = SUM_BLOCK};
        status = device_launch(d, s, &total, &t, e);
        t.count = sums;
    }
    uint8_t sum[XYZZ_G2_BYTES];
    if (status == CUZK_OK)
        status = device_download(d, s, sum, t.out, xyzz, e);
    if (status == CUZK_OK)
        status = device_wait(d, s, e);
    if (status == CUZK_OK)
        xyzz_read(group, out, sum);
    device_free(&block);
    return status;
}
