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
#define TREE_SHARE       8
#define TREE_AHEAD_BYTES 49152 /* of coordinates ahead: TREE_AHEAD of tree.cuh */

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
    OWNER,
    LENGTHS, /* and, after them, the counters */
    BUCKETS,
    LEVEL_A, /* sums of every other level of the folding in xyzz */
    LEVEL_B,
    TREE_A, /* points of every other level of a tree, or of the folding with BUCKETS in between */
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
    unsigned group, sums;
    bool masks;
    bool begun, filled; /* buckets are zero; have been added to */
    struct device_block block[BLOCKS];
    uint32_t bias[8];
    uint8_t *folded; /* what the device leaves, on the host */
};

/* Points that are worked on together; under one mask its bits, else there are digits. */
struct piece {
    uint64_t points, bits;
    uint32_t count;
};

static uint32_t ceil_div(uint64_t a, uint64_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

/* Threads that walk over pairs: whole waves of those that run at once, 2 or 3 blocks a multiprocessor, and
 * several, since multiprocessors are not equally fast. */
static uint32_t tree_threads(const struct gpu_msm *m)
{
    return device_info(m->device)->multiprocessors * TREE_BLOCK * 12;
}

/* Under one mask: no buckets to choose from. */
static bool is_plain(const struct gpu_msm *m)
{
    return m->masks && m->sums == 1;
}

static cuzk_status allocate(struct gpu_msm *m, struct cuzk_error *e)
{
    const struct gpu_msm_plan *p = &m->plan;
    const uint64_t elements = gpu_msm_plan_elements(p), buckets = gpu_msm_plan_buckets(p);
    const uint64_t pieces = gpu_msm_plan_pieces(p), level = p->affine_levels + 1;
    const struct gpu_msm_tree tree = gpu_msm_plan_tree(p);
    const uint64_t affine_bytes = p->xyzz_bytes / 2, coordinate = affine_bytes / 2;
    const uint64_t bucket_bytes = p->trees ? affine_bytes : p->xyzz_bytes;
    const struct {
        uint64_t count, size;
    } WANTED[BLOCKS] = {
        [DIGITS] = {is_plain(m) ? 0 : (uint64_t)p->segments * p->chunk, 4},
        [BINNED] = {elements, 8},
        [ORDER] = {elements, 4},
        [BIN_START] = {MSM_MAX_BINS + 1, 4},
        [BIN_NEXT] = {MSM_MAX_BINS, 4},
        [BUCKET_START] = {buckets + 1, 4},
        [TASKS] = {buckets + pieces, sizeof(struct msm_task)},
        [OVERFLOWS] = {pieces, sizeof(struct msm_overflow)},
        [OVERFLOW] = {pieces, p->xyzz_bytes},
        [OWNER] = {pieces, 4},
        [LENGTHS] = {MSM_MAX_LENGTH + 1 + sizeof(struct msm_counters) / 4, 4},
        [BUCKETS] = {p->first_bucket[p->segments], bucket_bytes},
        [LEVEL_A] = {gpu_msm_plan_sums(p, (uint32_t)level), p->xyzz_bytes},
        [LEVEL_B] = {level < p->levels ? gpu_msm_plan_sums(p, (uint32_t)level + 1) : 0, p->xyzz_bytes},
        [TREE_A] = {tree.first, affine_bytes},
        [TREE_B] = {tree.second, affine_bytes},
        [TREE_BEFORE] = {tree.pairs, coordinate},
        [TREE_TOTALS] = {tree.pairs ? tree_threads(m) : 0, coordinate},
        [LONGER] = {MSM_MAX_LENGTH + 1, 4},
    };
    for (int i = 0; i < BLOCKS; i++)
        TRY(device_alloc(&m->block[i], m->device, WANTED[i].count, WANTED[i].size, "a sum", e));
    const size_t left = gpu_msm_plan_sums(p, p->levels);
    m->folded = mem_alloc(left, p->xyzz_bytes);
    return m->folded ? CUZK_OK : error_memory(e, left * p->xyzz_bytes, "a sum");
}

static cuzk_status create(struct gpu_msm **out, struct device *d, struct gpu_msm *m, uint64_t count,
                          uint64_t memory, struct cuzk_error *e)
{
    const uint64_t left = device_info(d)->limit - device_memory_used(d);
    const uint64_t most = memory && memory < left ? memory : left;
    const uint64_t bytes = m->group == 1 ? XYZZ_G1_BYTES : XYZZ_G2_BYTES;
    const bool fits = m->masks ? gpu_msm_plan_masks(&m->plan, bytes, m->sums, count, most)
                               : gpu_msm_plan_make(&m->plan, bytes, m->sums, count, most);
    if (!fits)
        return error_set(e, CUZK_ERR_MEMORY, "GPU %u: a sum of %llu points does not fit in %llu bytes",
                         device_info(d)->index, (unsigned long long)count, (unsigned long long)most);
    for (uint32_t w = 0; w + 1 < m->plan.windows; w++) {
        const uint32_t bit = m->plan.offset[w + 1] - 1;
        m->bias[bit / 32] |= UINT32_C(1) << bit % 32;
    }
    TRY(allocate(m, e));
    *out = m;
    return CUZK_OK;
}

static cuzk_status new_sums(struct gpu_msm **out, struct device *d, struct stream s, unsigned group,
                            unsigned sums, bool masks, uint64_t count, uint64_t memory, struct cuzk_error *e)
{
    if (group < 1 || group > 2 || sums < 1 || sums > GPU_MSM_MOST)
        return error_set(e, CUZK_ERR_ARGUMENT, "GPU sums: group %u, %u sums", group, sums);
    struct gpu_msm *m = mem_alloc(1, sizeof *m);
    if (!m)
        return error_memory(e, sizeof *m, "a GPU sum");
    m->device = d;
    m->stream = s;
    m->group = group;
    m->sums = sums;
    m->masks = masks;
    const cuzk_status status = create(out, d, m, count, memory, e);
    if (status != CUZK_OK)
        gpu_msm_free(m);
    return status;
}

cuzk_status gpu_msm_new(struct gpu_msm **out, struct device *d, struct stream s, unsigned group,
                        unsigned sums, uint64_t count, uint64_t memory, struct cuzk_error *e)
{
    return new_sums(out, d, s, group, sums, false, count, memory, e);
}

cuzk_status gpu_msm_new_masks(struct gpu_msm **out, struct device *d, struct stream s, unsigned group,
                              unsigned sums, uint64_t count, uint64_t memory, struct cuzk_error *e)
{
    return new_sums(out, d, s, group, sums, true, count, memory, e);
}

void gpu_msm_free(struct gpu_msm *m)
{
    if (!m)
        return;
    for (int i = 0; i < BLOCKS; i++)
        if (m->block[i].device)
            device_free(&m->block[i]);
    mem_free(m->folded);
    mem_free(m);
}

static cuzk_status begin(struct gpu_msm *m, struct cuzk_error *e)
{
    if (m->begun)
        return CUZK_OK;
    TRY(device_fill(m->device, m->stream, m->block[BUCKETS].ptr, 0, m->block[BUCKETS].size, e));
    m->begun = true;
    m->filled = false;
    return CUZK_OK;
}

/* The points whose bit is set into m->block[ORDER]. */
static cuzk_status place_ones(struct gpu_msm *m, struct msm_sort_args *a, struct cuzk_error *e)
{
    a->bins = ceil_div(ceil_div(a->count, 32), MSM_ONES_TILE);
    const struct launch count_them = {.kernel = "msm_ones_count", .grid = {a->bins}, .block = SORT_BLOCK};
    const struct launch bins = {.kernel = "msm_bins", .grid = {1}, .block = SORT_BLOCK};
    const struct launch place = {.kernel = "msm_ones_place", .grid = {a->bins}, .block = SORT_BLOCK};
    const struct launch cut = {
        .kernel = "msm_ones_cut", .grid = {ceil_div(a->buckets, SORT_BLOCK)}, .block = SORT_BLOCK};
    TRY(device_launch(m->device, m->stream, &count_them, a, e));
    TRY(device_launch(m->device, m->stream, &bins, a, e));
    TRY(device_launch(m->device, m->stream, &place, a, e));
    return device_launch(m->device, m->stream, &cut, a, e);
}

/* The group's elements into m->block[ORDER] by bucket. */
static cuzk_status sort(struct gpu_msm *m, const struct gpu_msm_group *g, const struct piece *piece,
                        struct cuzk_error *e)
{
    struct msm_sort_args a = {
        .digits = is_plain(m) ? piece->bits : m->block[DIGITS].ptr + (uint64_t)g->first * piece->count * 4,
        .count = piece->count,
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
    if (is_plain(m))
        return place_ones(m, &a, e);
    for (uint32_t w = 0; w < a.windows; w++)
        a.first_bucket[w] =
            m->plan.first_bucket[g->first + w] - m->plan.first_bucket[g->first] + (m->masks ? 1 : 0);
    const uint32_t tiles = ceil_div(piece->count, MSM_SCATTER_TILE);
    const uint32_t strips = tiles < 512 ? tiles : 512;
    const struct launch count_them = {
        .kernel = "msm_count", .grid = {strips, a.windows}, .block = SORT_BLOCK};
    const struct launch bins = {.kernel = "msm_bins", .grid = {1}, .block = SORT_BLOCK};
    const struct launch scatter = {.kernel = "msm_scatter",
                                   .grid = {tiles, a.windows},
                                   .block = SCATTER_BLOCK,
                                   .shared = MSM_SCATTER_SHARED};
    const uint64_t elements = (uint64_t)a.windows * a.count;
    const struct launch place = {
        .kernel = "msm_place", .grid = {a.bins}, .block = SORT_BLOCK, .shared = MSM_PLACE_SHARED};
    const struct launch place_bins = {
        .kernel = "msm_place_bins",
        .grid = {ceil_div(elements > a.buckets ? elements : a.buckets, SORT_BLOCK)},
        .block = SORT_BLOCK};
    TRY(device_fill(m->device, m->stream, a.bin_next, 0, MSM_MAX_BINS * 4, e));
    TRY(device_launch(m->device, m->stream, &count_them, &a, e));
    TRY(device_launch(m->device, m->stream, &bins, &a, e));
    TRY(device_launch(m->device, m->stream, &scatter, &a, e));
    return device_launch(m->device, m->stream, a.low_bits == 0 ? &place_bins : &place, &a, e);
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
        .owner = m->block[OWNER].ptr,
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

/* Of pairs: of a tree's level 0, which gathers, of its others, of plain pairs. */
enum { GATHERED, BY_ROWS, PLAIN };

/* A group's kernels. */
static const struct kernels {
    const char *forward[3], *backward[3], *invert, *store;
    const char *accumulate, *join, *collect, *halve;
} KERNELS[2] = {
    {{"tree_g1_gather_forward", "tree_g1_forward", "tree_g1_plain_forward"},
     {"tree_g1_gather_backward", "tree_g1_backward", "tree_g1_plain_backward"},
     "tree_g1_invert",
     "tree_g1_store",
     "msm_g1_accumulate",
     "msm_g1_join",
     "msm_g1_collect",
     "msm_g1_halve"},
    {{"tree_g2_gather_forward", "tree_g2_forward", "tree_g2_plain_forward"},
     {"tree_g2_gather_backward", "tree_g2_backward", "tree_g2_plain_backward"},
     "tree_g2_invert",
     "tree_g2_store",
     "msm_g2_accumulate",
     "msm_g2_join",
     "msm_g2_collect",
     "msm_g2_halve"},
};

static const struct kernels *kernels(const struct gpu_msm *m)
{
    return &KERNELS[m->group - 1];
}

/* What additions of pairs need beside the pairs. */
static struct msm_tree_args tree_args(const struct gpu_msm *m)
{
    return (struct msm_tree_args){.before = m->block[TREE_BEFORE].ptr,
                                  .before_stride = gpu_msm_plan_tree(&m->plan).pairs,
                                  .totals = m->block[TREE_TOTALS].ptr,
                                  .threads = tree_threads(m),
                                  .in_unit = 1,
                                  .out_unit = 1};
}

/* How a buffer holds points: one after another (places 0), or by pieces with so many places. */
static uint64_t stride_of(uint64_t places)
{
    return places ? places : 1;
}

static uint32_t unit_of(const struct gpu_msm *m, uint64_t places)
{
    return places ? 1 : (uint32_t)(m->plan.xyzz_bytes / 2 / 16);
}

static cuzk_status add_pairs(struct gpu_msm *m, const struct msm_tree_args *a, int kind, struct cuzk_error *e)
{
    const struct kernels *k = kernels(m);
    const uint32_t blocks = a->threads / TREE_BLOCK;
    const struct launch forward = {
        .kernel = k->forward[kind], .grid = {blocks}, .block = TREE_BLOCK, .shared = TREE_AHEAD_BYTES};
    const struct launch invert = {
        .kernel = k->invert, .grid = {ceil_div(a->threads, 32 * TREE_SHARE)}, .block = 32};
    const struct launch backward = {.kernel = k->backward[kind],
                                    .grid = {blocks},
                                    .block = TREE_BLOCK,
                                    .shared = TREE_BLOCK * 5 * (uint32_t)(m->plan.xyzz_bytes / 4)};
    TRY(device_launch(m->device, m->stream, &forward, a, e));
    TRY(device_launch(m->device, m->stream, &invert, a, e));
    return device_launch(m->device, m->stream, &backward, a, e);
}

/* buckets += the chunk's. */
static cuzk_status merge(struct gpu_msm *m, const struct gpu_msm_group *g, uint64_t buckets, uint64_t chunk,
                         struct cuzk_error *e)
{
    struct msm_tree_args a = tree_args(m);
    a.in = a.out = buckets;
    a.other = chunk;
    a.in_stride = a.out_stride = stride_of(0);
    a.in_unit = a.out_unit = unit_of(m, 0);
    a.pairs = g->buckets;
    a.step = 1;
    a.half = UINT32_MAX;
    return add_pairs(m, &a, PLAIN, e);
}

/* What overflowed, to the buckets there. */
static cuzk_status join(struct gpu_msm *m, uint64_t buckets, struct cuzk_error *e)
{
    const struct kernels *k = kernels(m);
    const uint32_t blocks = 8 * device_info(m->device)->multiprocessors;
    const struct launch join = {.kernel = k->join, .grid = {blocks}, .block = SUM_BLOCK};
    const struct launch collect = {.kernel = k->collect, .grid = {blocks}, .block = SUM_BLOCK};
    struct msm_join_args a = {
        .counters = m->block[LENGTHS].ptr + (MSM_MAX_LENGTH + 1) * 4,
        .overflows = m->block[OVERFLOWS].ptr,
        .owner = m->block[OWNER].ptr,
        .overflow = m->block[OVERFLOW].ptr,
        .buckets = buckets,
        .affine = m->plan.trees,
    };
    for (a.apart = 1; a.apart < gpu_msm_plan_pieces(&m->plan); a.apart *= 8)
        TRY(device_launch(m->device, m->stream, &join, &a, e));
    return device_launch(m->device, m->stream, &collect, &a, e);
}

static cuzk_status add_by_trees(struct gpu_msm *m, const struct gpu_msm_group *g,
                                const struct msm_accumulate_args *all, uint32_t tasks, struct cuzk_error *e)
{
    const struct kernels *k = kernels(m);
    const struct gpu_msm_tree room = gpu_msm_plan_tree(&m->plan);
    const int last = (g->tree_levels - 1) % 2 ? TREE_B : TREE_A;
    const uint64_t other = m->block[last == TREE_A ? TREE_B : TREE_A].ptr;
    struct msm_tree_args a = tree_args(m);
    a.max_length = g->max_length;
    a.points = all->points;
    a.order = all->order;
    a.tasks = all->tasks;
    a.longer = m->block[LONGER].ptr;
    a.counters = all->counters;
    a.overflow = all->overflow;
    a.out = m->block[BINNED].ptr; /* free after the sort */
    a.buckets = m->filled ? other : all->buckets;
    const uint32_t task_blocks = ceil_div(tasks, TREE_BLOCK);
    const struct launch order = {.kernel = "tree_order", .grid = {task_blocks}, .block = TREE_BLOCK};
    const struct launch store = {.kernel = k->store, .grid = {task_blocks}, .block = TREE_BLOCK};
    TRY(device_launch(m->device, m->stream, &order, &a, e));
    a.order = a.out;
    for (; a.level < g->tree_levels; a.level++) {
        a.in = a.out;
        a.in_stride = a.out_stride;
        a.out = m->block[a.level % 2 ? TREE_B : TREE_A].ptr;
        a.out_stride = a.level % 2 ? room.second : room.first;
        TRY(add_pairs(m, &a, a.level > 0 ? BY_ROWS : GATHERED, e));
    }
    a.in = a.out;
    a.in_stride = a.out_stride;
    if (m->filled)
        TRY(device_fill(m->device, m->stream, other, 0, g->buckets * m->plan.xyzz_bytes / 2, e));
    TRY(device_launch(m->device, m->stream, &store, &a, e));
    TRY(join(m, a.buckets, e));
    return m->filled ? merge(m, g, all->buckets, other, e) : CUZK_OK;
}

static cuzk_status add_by_threads(struct gpu_msm *m, const struct msm_accumulate_args *a, uint32_t tasks,
                                  struct cuzk_error *e)
{
    const struct launch accumulate = {.kernel = kernels(m)->accumulate,
                                      .grid = {ceil_div(tasks, ACCUMULATE_BLOCK)},
                                      .block = ACCUMULATE_BLOCK,
                                      .shared = RING_BYTES};
    TRY(device_launch(m->device, m->stream, &accumulate, a, e));
    return join(m, a->buckets, e);
}

static cuzk_status add_group(struct gpu_msm *m, const struct gpu_msm_group *g, const struct piece *piece,
                             struct cuzk_error *e)
{
    TRY(sort(m, g, piece, e));
    TRY(make_tasks(m, g, e));
    const uint64_t bucket_bytes = m->plan.trees ? m->plan.xyzz_bytes / 2 : m->plan.xyzz_bytes;
    const struct msm_accumulate_args a = {
        .points = piece->points,
        .order = m->block[ORDER].ptr,
        .tasks = m->block[TASKS].ptr,
        .counters = m->block[LENGTHS].ptr + (MSM_MAX_LENGTH + 1) * 4,
        .buckets = m->block[BUCKETS].ptr + m->plan.first_bucket[g->first] * bucket_bytes,
        .overflow = m->block[OVERFLOW].ptr,
    };
    const uint64_t elements = (uint64_t)(g->end - g->first) * piece->count;
    const uint32_t tasks =
        (uint32_t)((g->buckets < elements ? g->buckets : elements) + elements / g->max_length);
    return m->plan.trees ? add_by_trees(m, g, &a, tasks, e) : add_by_threads(m, &a, tasks, e);
}

static cuzk_status add_groups(struct gpu_msm *m, const struct piece *piece, struct cuzk_error *e)
{
    for (uint32_t g = 0; g < m->plan.groups; g++)
        TRY(add_group(m, &m->plan.group[g], piece, e));
    m->filled = true;
    return CUZK_OK;
}

static uint64_t point_bytes(const struct gpu_msm *m)
{
    return m->plan.xyzz_bytes / 2;
}

cuzk_status gpu_msm_add(struct gpu_msm *m, uint64_t points, const uint64_t *scalars, size_t count,
                        struct cuzk_error *e)
{
    if (m->masks)
        return error_set(e, CUZK_ERR_ARGUMENT, "a GPU sum under masks was given scalars");
    TRY(begin(m, e));
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < m->plan.chunk ? count - done : m->plan.chunk;
        struct msm_digits_args a = {
            .digits = m->block[DIGITS].ptr, .count = (uint32_t)n, .windows = m->plan.windows};
        memcpy(a.offset, m->plan.offset, sizeof a.offset);
        memcpy(a.width, m->plan.width, sizeof a.width);
        memcpy(a.bias, m->bias, sizeof a.bias);
        const struct launch digits = {.kernel = "msm_digits", .grid = {ceil_div(n, 256)}, .block = 256};
        for (unsigned j = 0; j < m->sums; j++) {
            a.scalars = scalars[j] + done * sizeof(fr);
            TRY(device_launch(m->device, m->stream, &digits, &a, e));
            a.digits += (uint64_t)a.windows * n * 4;
        }
        TRY(add_groups(m, &(struct piece){.points = points + done * point_bytes(m), .count = (uint32_t)n},
                       e));
    }
    return CUZK_OK;
}

cuzk_status gpu_msm_add_masks(struct gpu_msm *m, uint64_t points, const uint64_t *bits, size_t count,
                              struct cuzk_error *e)
{
    if (!m->masks)
        return error_set(e, CUZK_ERR_ARGUMENT, "a GPU sum with scalars was given masks");
    TRY(begin(m, e));
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < m->plan.chunk ? count - done : m->plan.chunk;
        struct msm_patterns_args a = {
            .digits = m->block[DIGITS].ptr, .count = (uint32_t)n, .arrays = m->sums};
        for (unsigned j = 0; j < m->sums; j++)
            a.bits[j] = bits[j] + done / 8;
        const struct launch patterns = {.kernel = "msm_patterns", .grid = {ceil_div(n, 256)}, .block = 256};
        if (!is_plain(m))
            TRY(device_launch(m->device, m->stream, &patterns, &a, e));
        const struct piece piece = {
            .points = points + done * point_bytes(m), .bits = a.bits[0], .count = (uint32_t)n};
        TRY(add_groups(m, &piece, e));
    }
    return CUZK_OK;
}

/* The first levels of the folding, by affine additions; says where and how the sums lie then. */
static cuzk_status fold_affine(struct gpu_msm *m, struct msm_halve_args *at, struct cuzk_error *e)
{
    const struct gpu_msm_plan *p = &m->plan;
    const uint64_t buckets = p->first_bucket[p->segments], tree = gpu_msm_plan_tree(p).first;
    struct msm_tree_args a = tree_args(m);
    uint64_t places = 0;
    a.out = m->block[BUCKETS].ptr;
    a.step = 2;
    for (uint32_t level = 0; level < p->affine_levels; level++) {
        a.in = a.other = a.out;
        a.in_stride = stride_of(places);
        a.in_unit = unit_of(m, places);
        a.out = m->block[level % 2 ? BUCKETS : TREE_A].ptr;
        a.out_stride = places = level % 2 ? buckets : tree;
        a.pairs = (uint32_t)(gpu_msm_plan_sums(p, level) / 2);
        a.half = (uint32_t)(buckets >> (level + 1));
        TRY(add_pairs(m, &a, PLAIN, e));
    }
    at->out = a.out;
    at->in_stride = stride_of(places);
    at->in_unit = unit_of(m, places);
    return CUZK_OK;
}

/* All windows' buckets to m->folded. */
static cuzk_status fold(struct gpu_msm *m, struct xyzz_folded *out, struct cuzk_error *e)
{
    const struct gpu_msm_plan *p = &m->plan;
    const size_t size = gpu_msm_plan_sums(p, p->levels) * p->xyzz_bytes;
    struct msm_halve_args a = {.out = m->block[BUCKETS].ptr};
    if (p->trees)
        TRY(fold_affine(m, &a, e));
    for (uint32_t level = p->affine_levels; level < p->levels; level++) {
        a.in = a.out;
        a.out = m->block[(level - p->affine_levels) % 2 ? LEVEL_B : LEVEL_A].ptr;
        a.pairs = (uint32_t)(gpu_msm_plan_sums(p, level) / 2);
        a.half = p->first_bucket[p->segments] >> (level + 1);
        const struct launch halve = {
            .kernel = kernels(m)->halve, .grid = {ceil_div(a.pairs, SUM_BLOCK)}, .block = SUM_BLOCK};
        TRY(device_launch(m->device, m->stream, &halve, &a, e));
        a.in_unit = 0;
    }
    TRY(device_download(m->device, m->stream, m->folded, a.out, size, e));
    TRY(device_wait(m->device, m->stream, e));
    *out = (struct xyzz_folded){.group = m->group,
                                .levels = p->levels,
                                .segments = p->segments,
                                .first_bucket = p->first_bucket,
                                .sums = m->folded};
    return CUZK_OK;
}

cuzk_status gpu_msm_finish(struct gpu_msm *m, void *out, struct cuzk_error *e)
{
    struct xyzz_folded folded;
    TRY(begin(m, e));
    m->begun = false;
    TRY(fold(m, &folded, e));
    for (unsigned j = 0; j < m->sums; j++) {
        uint8_t *sum = (uint8_t *)out + j * xyzz_out_bytes(m->group);
        if (is_plain(m))
            xyzz_all(sum, &folded, 0);
        else if (m->masks)
            xyzz_bit(sum, &folded, 0, j);
        else
            xyzz_windows(sum, &folded, j * m->plan.windows, m->plan.windows);
    }
    return CUZK_OK;
}
