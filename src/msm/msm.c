/* msm/msm.c - see msm.h. The group operations come from a table (kernels.h), so this text serves both groups.
 *
 * A sum goes block by block: the block's scalars are split and its points turned into their images (load);
 * the digits of all windows are sorted by bucket (sort.h); the sorted entries are cut into pieces of equal
 * size, whatever their buckets, which are added up side by side (fill), so that no distribution of scalars
 * leaves a thread idle; a bucket that a piece's border cuts is mended after. In the end the buckets of a
 * window, as a matrix, are summed by rows and by columns, which leaves two weighted sums of square-root size.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "msm/msm.h"

#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "msm/kernels.h"
#include "msm/sort.h"

#define CHUNK            1024 /* scalars a task classifies or loads */
#define BLOCK_IMAGES     ((size_t)1 << 18)
#define BLOCK_CHUNKS     1024 /* at most, whatever few of their scalars go to buckets */
#define BUCKET_BYTES_MAX ((size_t)128 << 20)
#define SMALLEST_PIECE   1024
#define BUCKETS_A_TASK   4096
#define ROWS_A_TASK      64   /* a matrix is at most twice as high as wide */
#define SELECT_CHUNK     4096 /* points a task of a plain sum takes */
#define SELECT_ROUND     256  /* such tasks between two looks at progress */

/* A chunk of scalars: where its first point is, and how many wide scalars (neither 0 nor 1) came before. */
struct chunk {
    uint64_t point, wide;
};

/* Memory in one block, cut up as it is asked for. */
struct cut {
    uint8_t *at;
};

struct job {
    const struct exec *x;
    const struct msm_kernels *k;
    const struct msm_points *points;
    const struct msm_scalars *scalars;
    const uint64_t *bits; /* plain sums */

    struct block work_memory;
    size_t work_bytes;

    struct block chunk_memory;
    struct chunk *chunks; /* one more than there are, for the totals */
    size_t chunk_count;

    struct msm_plan plan;
    struct msm_sort sort;
    struct block memory;
    uint8_t *images, *buckets, *spills, *row_sums;
    uint32_t *spill_buckets;
    struct msm_run *spill_runs;
    uint32_t piece; /* entries */
    uint32_t first_row[PLAN_MAX_WINDOWS + 1];
    size_t parts;       /* tasks a window when its buckets are summed */
    size_t first_chunk; /* of this block; of this round */
    uint8_t *weighed;   /* two points a window */
};

/* One group's table for each variant. */
struct tables {
    const struct msm_kernels *of[CPU_VARIANTS];
};

static const struct msm_kernels *kernels(const struct exec *x, const struct tables *tables)
{
    const struct msm_kernels *table = tables->of[x->variant];
    return table ? table : tables->of[CPU_PORTABLE];
}

static void *work_of(const struct job *job, size_t i)
{
    return (uint8_t *)job->work_memory.ptr + i * job->work_bytes;
}

static cuzk_status work_new(struct job *job, struct cuzk_error *e)
{
    const size_t threads = pool_threads(job->x->pool);
    job->work_bytes = job->k->work_bytes();
    const cuzk_status status =
        block_new(&job->work_memory, job->x->budget, threads, job->work_bytes, "sums under way", e);
    if (status)
        return status;
    for (size_t i = 0; i < threads; i++)
        job->k->work_init(work_of(job, i));
    return CUZK_OK;
}

static void job_free(struct job *job)
{
    sort_free(&job->sort);
    block_free(&job->memory);
    block_free(&job->chunk_memory);
    block_free(&job->work_memory);
}

static cuzk_status cancelled(struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_CANCELLED, "stopped while summing points");
}

/* -- scalars -- */

static bool selected(const struct msm_scalars *s, size_t i)
{
    return !s->select || (s->select[i / 64] >> i % 64 & 1) != 0;
}

static size_t chunk_end(const struct job *job, size_t c)
{
    return (c + 1) * CHUNK < job->scalars->count ? (c + 1) * CHUNK : job->scalars->count;
}

static void classify_task(void *ctx, size_t c, unsigned worker)
{
    struct job *job = ctx;
    const struct msm_scalars *s = job->scalars;
    struct chunk counts = {0, 0};
    (void)worker;
    if (exec_cancelled(job->x))
        return;
    for (size_t i = c * CHUNK; i < chunk_end(job, c); i++) {
        if (!selected(s, i))
            continue;
        counts.point++;
        counts.wide += !fr_is_zero(s->k + i) && !fr_equal(s->k + i, &FR_ONE);
    }
    job->chunks[c] = counts;
}

/* Count the chunks and turn the counts into sums of those before. */
static cuzk_status classify(struct job *job, struct cuzk_error *e)
{
    job->chunk_count = job->scalars->count / CHUNK + (job->scalars->count % CHUNK != 0);
    const cuzk_status status = block_new(&job->chunk_memory, job->x->budget, job->chunk_count + 1,
                                         sizeof *job->chunks, "counts of scalars", e);
    if (status)
        return status;
    job->chunks = job->chunk_memory.ptr;
    pool_run(job->x->pool, classify_task, job, job->chunk_count);
    if (exec_cancelled(job->x))
        return cancelled(e);
    struct chunk sum = {0, 0};
    for (size_t c = 0; c <= job->chunk_count; c++) {
        const struct chunk here = job->chunks[c];
        job->chunks[c] = sum;
        sum.point += here.point;
        sum.wide += here.wide;
    }
    if (sum.point != job->points->count)
        return error_set(e, CUZK_ERR_ARGUMENT, "%llu scalars are selected for %zu points",
                         (unsigned long long)sum.point, job->points->count);
    return CUZK_OK;
}

/* Split the wide scalars of a chunk and load their points; add up the points of the ones. */
static void load_task(void *ctx, size_t i, unsigned worker)
{
    struct job *job = ctx;
    const struct msm_scalars *s = job->scalars;
    const size_t c = job->first_chunk + i;
    uint32_t wide[CHUNK], ones[CHUNK], point = 0;
    size_t wide_count = 0, one_count = 0;
    if (exec_cancelled(job->x))
        return;
    const size_t slot = job->chunks[c].wide - job->chunks[job->first_chunk].wide;
    for (size_t n = c * CHUNK; n < chunk_end(job, c); n++) {
        if (!selected(s, n))
            continue;
        if (fr_equal(s->k + n, &FR_ONE)) {
            ones[one_count++] = point;
        } else if (!fr_is_zero(s->k + n)) {
            plan_split(job->sort.parts + slot + wide_count, &job->plan, s->k + n);
            wide[wide_count++] = point;
        }
        point++;
    }
    const size_t base = job->chunks[c].point;
    if (one_count)
        job->k->select(work_of(job, worker), job->points, base, ones, one_count);
    if (wide_count)
        job->k->load(job->images + slot * job->k->image_bytes, job->points, base, wide, wide_count);
}

/* -- blocks -- */

/* How a window's buckets are a matrix: columns (a power of two), the lower half of an index's bits. */
static unsigned column_bits(const struct job *job, size_t w)
{
    return (job->plan.width[w] - 1) / 2;
}

static size_t rows(const struct job *job, size_t w)
{
    return (size_t)1 << (job->plan.width[w] - 1 - column_bits(job, w));
}

static size_t most_pieces(const struct job *job)
{
    return job->sort.capacity * job->plan.images * job->plan.windows / SMALLEST_PIECE + 1;
}

static void *take(struct cut *cut, size_t bytes)
{
    uint8_t *at = cut->at;
    cut->at += (bytes + 63) / 64 * 64;
    return at;
}

/* What the block of images, buckets and what belongs to them is cut into. */
#define BLOCK_PARTS 7
static size_t block_parts(size_t out[BLOCK_PARTS], const struct job *job)
{
    const struct msm_plan *plan = &job->plan;
    const size_t sum = job->k->sum_bytes, pieces = most_pieces(job);
    size_t total = 0, all_rows = 0;
    for (unsigned w = 0; w < plan->windows; w++)
        all_rows += rows(job, w);
    out[0] = job->sort.capacity * job->k->image_bytes;
    out[1] = plan->first_bucket[plan->windows] * sum;
    out[2] = pieces * sum;
    out[3] = pieces * sizeof *job->spill_buckets;
    out[4] = pieces * sizeof *job->spill_runs;
    out[5] = all_rows * sum;
    out[6] = 2 * plan->windows * job->k->point_bytes;
    for (size_t i = 0; i < BLOCK_PARTS; i++)
        total += (out[i] + 63) / 64 * 64;
    return total;
}

/* The plan with the fewest additions among those for which the budget has memory: not less than one, so that
 * a sum takes no other way where it has been promised what an earlier one like it took. */
static void plan_within(struct job *job, uint64_t wide, size_t capacity)
{
    const struct exec *x = job->x;
    const uint64_t limit = x->budget ? budget_limit(x->budget) : UINT64_MAX,
                   used = x->budget ? budget_used(x->budget) : 0, left = used < limit ? limit - used : 0;
    size_t parts[BLOCK_PARTS], most = BUCKET_BYTES_MAX;
    job->sort.capacity = capacity;
    for (unsigned windows = 0;;) {
        plan_make(&job->plan, job->k->images, wide, job->k->sum_bytes, most);
        const uint64_t total =
            block_counts(block_parts(parts, job)) + (uint64_t)block_counts(sort_bytes(&job->plan, capacity));
        if (total <= left || job->plan.windows == windows)
            return;
        windows = job->plan.windows;
        most = parts[1] - 1;
    }
}

/* The plan for so many wide scalars, and memory for the blocks. */
static cuzk_status blocks_new(struct job *job, uint64_t wide, struct cuzk_error *e)
{
    size_t capacity = BLOCK_IMAGES / job->k->images;
    if (capacity > wide)
        capacity = (size_t)wide;
    plan_within(job, wide, capacity);
    cuzk_status status = sort_new(&job->sort, job->x, &job->plan, capacity, e);
    if (status)
        return status;
    const struct msm_plan *plan = &job->plan;
    for (unsigned w = 0; w < plan->windows; w++)
        job->first_row[w + 1] = job->first_row[w] + (uint32_t)rows(job, w);
    size_t sizes[BLOCK_PARTS];
    status = block_new(&job->memory, job->x->budget, 1, block_parts(sizes, job), "buckets", e);
    if (status)
        return status;
    struct cut cut = {job->memory.ptr};
    job->images = take(&cut, sizes[0]);
    job->buckets = take(&cut, sizes[1]);
    job->spills = take(&cut, sizes[2]);
    job->spill_buckets = take(&cut, sizes[3]);
    job->spill_runs = take(&cut, sizes[4]);
    job->row_sums = take(&cut, sizes[5]);
    job->weighed = take(&cut, sizes[6]);
    const size_t widest = (size_t)1 << (plan->width[plan->windows - 1] - 1);
    job->parts = widest > BUCKETS_A_TASK ? widest / BUCKETS_A_TASK : 1;
    return CUZK_OK;
}

static uint32_t entries(const struct job *job)
{
    return job->sort.start[job->plan.first_bucket[job->plan.windows]];
}

static void fill_task(void *ctx, size_t i, unsigned worker)
{
    struct job *job = ctx;
    const uint32_t begin = (uint32_t)i * job->piece, total = entries(job);
    const struct msm_piece piece = {
        .images = job->images,
        .entries = job->sort.entries,
        .start = job->sort.start,
        .buckets = job->plan.first_bucket[job->plan.windows],
        .begin = begin,
        .end = total - begin > job->piece ? begin + job->piece : total,
    };
    uint8_t *spill = job->spills + i * job->k->sum_bytes;
    memset(spill, 0, job->k->sum_bytes);
    if (!exec_cancelled(job->x))
        job->k->fill(work_of(job, worker), job->buckets, &piece, spill, job->spill_buckets + i);
}

/* Add what the pieces left over to its buckets. */
static void mend(struct job *job, size_t pieces)
{
    size_t runs = 0;
    for (size_t i = 0; i < pieces; i++) {
        void *sum = job->buckets + job->spill_buckets[i] * job->k->sum_bytes;
        if (runs > 0 && job->spill_runs[runs - 1].sum == sum)
            job->spill_runs[runs - 1].count++;
        else
            job->spill_runs[runs++] = (struct msm_run){.count = 1, .sum = sum};
    }
    job->k->reduce(work_of(job, 0), job->spills, job->spill_runs, runs);
}

static cuzk_status block_run(struct job *job, size_t end_chunk, struct cuzk_error *e)
{
    pool_run(job->x->pool, load_task, job, end_chunk - job->first_chunk);
    if (exec_cancelled(job->x))
        return cancelled(e);
    job->sort.count = job->chunks[end_chunk].wide - job->chunks[job->first_chunk].wide;
    if (job->sort.count == 0)
        return CUZK_OK;
    sort_run(&job->sort, job->x);
    const size_t total = entries(job), share = total / (4 * pool_threads(job->x->pool)) + 1;
    job->piece = share < SMALLEST_PIECE ? SMALLEST_PIECE
                 : share > KERNEL_PIECE ? KERNEL_PIECE
                                        : (uint32_t)share;
    const size_t pieces = (total + job->piece - 1) / job->piece;
    pool_run(job->x->pool, fill_task, job, pieces);
    if (exec_cancelled(job->x))
        return cancelled(e);
    mend(job, pieces);
    return CUZK_OK;
}

static cuzk_status blocks_run(struct job *job, struct cuzk_error *e)
{
    for (size_t c = 0; c < job->chunk_count;) {
        job->first_chunk = c;
        const size_t capacity = job->chunks[c].wide + job->sort.capacity;
        do
            c++;
        while (c < job->chunk_count && c - job->first_chunk < BLOCK_CHUNKS &&
               job->chunks[c + 1].wide <= capacity);
        const cuzk_status status = block_run(job, c, e);
        if (status)
            return status;
        exec_progress(job->x, job->k->phase, job->chunks[c].point, job->points->count);
    }
    return CUZK_OK;
}

/* -- the buckets' sum -- */

static uint8_t *matrix(const struct job *job, size_t w)
{
    return job->buckets + job->plan.first_bucket[w] * job->k->sum_bytes;
}

static void rows_task(void *ctx, size_t i, unsigned worker)
{
    struct job *job = ctx;
    struct msm_run runs[ROWS_A_TASK];
    const size_t w = i / job->parts, part = i % job->parts, sum = job->k->sum_bytes;
    const size_t from = rows(job, w) * part / job->parts, to = rows(job, w) * (part + 1) / job->parts;
    VERIFY(to - from <= ROWS_A_TASK);
    for (size_t r = from; r < to; r++)
        runs[r - from] = (struct msm_run){.count = UINT32_C(1) << column_bits(job, w),
                                          .sum = job->row_sums + (job->first_row[w] + r) * sum};
    job->k->reduce(work_of(job, worker), matrix(job, w) + (from << column_bits(job, w)) * sum, runs,
                   to - from);
}

static void columns_task(void *ctx, size_t i, unsigned worker)
{
    struct job *job = ctx;
    const size_t w = i / job->parts, part = i % job->parts, columns = (size_t)1 << column_bits(job, w);
    job->k->fold(work_of(job, worker), matrix(job, w), rows(job, w), columns, columns * part / job->parts,
                 columns * (part + 1) / job->parts);
}

/* Bucket (r, c) of a window counts r columns + c + 1 times. */
static void weigh_task(void *ctx, size_t i, unsigned worker)
{
    struct job *job = ctx;
    const size_t w = i / 2;
    void *out = job->weighed + i * job->k->point_bytes;
    (void)worker;
    if (i % 2 == 0)
        job->k->weigh(out, job->row_sums + (job->first_row[w] + 1) * job->k->sum_bytes, rows(job, w) - 1);
    else
        job->k->weigh(out, matrix(job, w), (size_t)1 << column_bits(job, w));
}

static void buckets_sum(struct job *job, void *out)
{
    const size_t windows = job->plan.windows;
    pool_run(job->x->pool, rows_task, job, windows * job->parts);
    pool_run(job->x->pool, columns_task, job, windows * job->parts);
    pool_run(job->x->pool, weigh_task, job, 2 * windows);
    for (size_t w = windows; w-- > 0;) {
        const uint8_t *weighed = job->weighed + 2 * w * job->k->point_bytes;
        const unsigned doublings = w + 1 < windows ? job->plan.width[w] : 0;
        job->k->horner(out, doublings, weighed, column_bits(job, w), weighed + job->k->point_bytes);
    }
}

/* -- plain sums -- */

static void finish_task(void *ctx, size_t i, unsigned worker)
{
    struct job *job = ctx;
    (void)worker;
    job->k->select_finish(work_of(job, i));
}

/* out (a point) += the plain sums of all threads. */
static void select_sum(struct job *job, void *out)
{
    const size_t threads = pool_threads(job->x->pool);
    pool_run(job->x->pool, finish_task, job, threads);
    for (size_t i = 0; i < threads; i++)
        job->k->select_add(out, work_of(job, i));
}

static void select_task(void *ctx, size_t i, unsigned worker)
{
    struct job *job = ctx;
    uint32_t index[SELECT_CHUNK];
    const size_t base = (job->first_chunk + i) * SELECT_CHUNK;
    const size_t left = job->points->count - base, here = left < SELECT_CHUNK ? left : SELECT_CHUNK;
    size_t n = 0;
    if (exec_cancelled(job->x))
        return;
    for (size_t w = 0; w < here; w += 64) {
        uint64_t word = job->bits[(base + w) / 64];
        if (here - w < 64)
            word &= (UINT64_C(1) << (here - w)) - 1;
        for (; word; word &= word - 1)
            index[n++] = (uint32_t)(w + (size_t)__builtin_ctzll(word));
    }
    job->k->select(work_of(job, worker), job->points, base, index, n);
}

static cuzk_status points_check(const struct msm_points *points, struct cuzk_error *e)
{
    if (points->count > 0 && (points->affine == NULL) == (points->encoded == NULL))
        return error_set(e, CUZK_ERR_ARGUMENT, "points come either as affine or as encoded");
    return CUZK_OK;
}

/* out: a point at infinity, which becomes the sum. */
static cuzk_status select_run(const struct exec *x, const struct msm_kernels *k, void *out,
                              const struct msm_points *points, const uint64_t *bits, struct cuzk_error *e)
{
    struct job job = {.x = x, .k = k, .points = points, .bits = bits};
    cuzk_status status = points_check(points, e);
    if (status == CUZK_OK)
        status = work_new(&job, e);
    const size_t chunks = points->count / SELECT_CHUNK + (points->count % SELECT_CHUNK != 0);
    for (; status == CUZK_OK && job.first_chunk < chunks; job.first_chunk += SELECT_ROUND) {
        const size_t left = chunks - job.first_chunk;
        pool_run(x->pool, select_task, &job, left < SELECT_ROUND ? left : SELECT_ROUND);
        if (exec_cancelled(x))
            status = cancelled(e);
        const size_t done = (job.first_chunk + SELECT_ROUND) * SELECT_CHUNK;
        exec_progress(x, k->phase, left > SELECT_ROUND ? done : points->count, points->count);
    }
    if (status == CUZK_OK)
        select_sum(&job, out);
    job_free(&job);
    return status;
}

static cuzk_status sum_run(const struct exec *x, const struct msm_kernels *k, void *out,
                           const struct msm_points *points, const struct msm_scalars *scalars,
                           struct cuzk_error *e)
{
    struct job job = {.x = x, .k = k, .points = points, .scalars = scalars};
    cuzk_status status = points_check(points, e);
    if (status == CUZK_OK)
        status = work_new(&job, e);
    if (status == CUZK_OK)
        status = classify(&job, e);
    if (status == CUZK_OK) {
        const uint64_t wide = job.chunks[job.chunk_count].wide;
        if (wide)
            status = blocks_new(&job, wide, e);
        if (status == CUZK_OK)
            status = blocks_run(&job, e);
        if (status == CUZK_OK) {
            if (wide)
                buckets_sum(&job, out);
            select_sum(&job, out);
        }
    }
    job_free(&job);
    return status;
}

static const struct tables tables_g1 = {{
    [CPU_PORTABLE] = &msm_g1_portable,
#ifdef CUZK_HAVE_ADX
    [CPU_ADX] = &msm_g1_adx,
#endif
#ifdef CUZK_HAVE_IFMA
    [CPU_IFMA] = &msm_g1_ifma,
#endif
}};
static const struct tables tables_g2 = {{
    [CPU_PORTABLE] = &msm_g2_portable,
#ifdef CUZK_HAVE_ADX
    [CPU_ADX] = &msm_g2_adx,
#endif
#ifdef CUZK_HAVE_IFMA
    [CPU_IFMA] = &msm_g2_ifma,
#endif
}};

cuzk_status msm_g1(const struct exec *x, g1 *out, const struct msm_points *points,
                   const struct msm_scalars *scalars, struct cuzk_error *e)
{
    g1 sum;
    g1_set_infinity(&sum);
    const cuzk_status status = sum_run(x, kernels(x, &tables_g1), &sum, points, scalars, e);
    if (status == CUZK_OK)
        *out = sum;
    return status;
}

cuzk_status msm_g2(const struct exec *x, g2 *out, const struct msm_points *points,
                   const struct msm_scalars *scalars, struct cuzk_error *e)
{
    g2 sum;
    g2_set_infinity(&sum);
    const cuzk_status status = sum_run(x, kernels(x, &tables_g2), &sum, points, scalars, e);
    if (status == CUZK_OK)
        *out = sum;
    return status;
}

cuzk_status msm_g1_select(const struct exec *x, g1 *out, const struct msm_points *points,
                          const uint64_t *bits, struct cuzk_error *e)
{
    g1 sum;
    g1_set_infinity(&sum);
    const cuzk_status status = select_run(x, kernels(x, &tables_g1), &sum, points, bits, e);
    if (status == CUZK_OK)
        *out = sum;
    return status;
}

cuzk_status msm_g2_select(const struct exec *x, g2 *out, const struct msm_points *points,
                          const uint64_t *bits, struct cuzk_error *e)
{
    g2 sum;
    g2_set_infinity(&sum);
    const cuzk_status status = select_run(x, kernels(x, &tables_g2), &sum, points, bits, e);
    if (status == CUZK_OK)
        *out = sum;
    return status;
}
