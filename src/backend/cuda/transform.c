/* backend/cuda/transform.c - see transform.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/transform.h"

#include <string.h>

#include "backend/cuda/device.h"
#include "backend/cuda/transform_args.h"
#include "base/error.h"
#include "base/pool.h"
#include "msm/plan.h"

#define SLOTS           2
#define SPAN_POINTS     ((uint64_t)1 << 21)
#define SPANS           8  /* of a round */
#define BLOCKS          3  /* that run at once on a multiprocessor */
#define WARP            32 /* lanes that go together */
#define TASK_LINES      ((uint64_t)64)
#define JACOBIAN_BYTES  144
#define MULTIPLE_BYTES  144 /* a table's entry */
#define DIGITS_OF_POINT ((size_t)2 * TRANSFORM_WINDOWS)

/* A span on its way: its points, on the host and on the device, and what they are multiplied by in the end.
 */
struct slot {
    struct stream stream;
    struct event computed;
    struct pinned_block points, digits;
    struct device_block points_on, digits_on;
    uint64_t first, lanes;
    bool busy;
};

struct gpu_transform {
    struct transform_runner runner;
    struct device *device;
    uint64_t memory;
    uint64_t lanes; /* of a span */
    uint32_t threads;
    struct slot slot[SLOTS];
    struct device_block roots, work, tables;
    struct budget *budget;
    uint64_t reserved; /* of the budget */
};

static uint64_t lines_of(const struct transform *t)
{
    return UINT64_C(1) << transform_inner_log(t);
}

static size_t digits_of(const struct transform *t)
{
    return t->rows ? 0 : DIGITS_OF_POINT;
}

static uint32_t blocks_of(uint64_t threads)
{
    return (uint32_t)((threads + TRANSFORM_BLOCK - 1) / TRANSFORM_BLOCK);
}

/* -- a pass -- */

static size_t table_bytes(const struct transform *t)
{
    return (size_t)(t->rows ? TRANSFORM_ODD : TRANSFORM_ALL) * MULTIPLE_BYTES;
}

/* How many lanes go at once, and the threads for them. */
static cuzk_status choose(struct gpu_transform *g, const struct transform *t, struct cuzk_error *e)
{
    const struct device_info *info = device_info(g->device);
    const uint64_t left = info->limit - device_memory_used(g->device), lines = lines_of(t);
    const uint64_t most = g->memory && g->memory < left ? g->memory : left;
    const uint64_t lane = lines * (JACOBIAN_BYTES + SLOTS * (sizeof(g1_affine) + digits_of(t)));
    uint64_t lanes = SPAN_POINTS / lines, outer = UINT64_C(1) << transform_outer_log(t);
    lanes = outer < lanes ? outer : lanes < WARP ? WARP : lanes;
    for (;; lanes = lanes > TRANSFORM_LANES ? lanes / 2 : 0) {
        const uint64_t wanted = (uint64_t)blocks_of(lines * lanes) * TRANSFORM_BLOCK;
        const uint64_t card = (uint64_t)info->multiprocessors * BLOCKS * TRANSFORM_BLOCK;
        g->lanes = lanes;
        g->threads = (uint32_t)(wanted < card ? wanted : card);
        if (lanes == 0 ||
            lanes * lane + g->threads * table_bytes(t) + lines * sizeof(struct transform_root) <= most)
            break;
    }
    if (lanes == 0)
        return error_set(e, CUZK_ERR_MEMORY,
                         "GPU %u: a transform of points by %llu lines does not fit in %llu bytes",
                         info->index, (unsigned long long)lines, (unsigned long long)most);
    return CUZK_OK;
}

static cuzk_status allocate(struct gpu_transform *g, const struct transform *t, struct cuzk_error *e)
{
    static const char what[] = "a transform of points";
    const size_t lines = (size_t)lines_of(t), count = lines * (size_t)g->lanes;
    const uint64_t pinned = SLOTS * count * (sizeof(g1_affine) + digits_of(t));
    TRY(budget_reserve(t->x->budget, pinned, what, e));
    g->budget = t->x->budget;
    g->reserved = pinned;
    for (unsigned i = 0; i < SLOTS; i++) {
        struct slot *s = &g->slot[i];
        TRY(pinned_alloc(&s->points, g->device, count, sizeof(g1_affine), what, e));
        TRY(pinned_alloc(&s->digits, g->device, count, digits_of(t), what, e));
        TRY(device_alloc(&s->points_on, g->device, count, sizeof(g1_affine), what, e));
        TRY(device_alloc(&s->digits_on, g->device, count, digits_of(t), what, e));
    }
    TRY(device_alloc(&g->roots, g->device, lines, sizeof(struct transform_root), what, e));
    TRY(device_alloc(&g->work, g->device, count, JACOBIAN_BYTES, what, e));
    return device_alloc(&g->tables, g->device, g->threads, table_bytes(t), what, e);
}

static void root_of(struct transform_root *out, const struct scalar_digits *d)
{
    _Static_assert(TRANSFORM_PLACES == SCALAR_DIGITS, "digits");
    for (unsigned place = 0; place < TRANSFORM_PLACES; place++)
        for (unsigned half = 0; half < 2; half++)
            out->digit[place][half] = d->digit[half][place];
    out->count = d->count;
}

/* The roots of all stages, those of stage s from 2^s - 1 on. */
static cuzk_status send_roots(struct gpu_transform *g, const struct transform *t, struct cuzk_error *e)
{
    struct block roots = {0};
    const size_t lines = (size_t)lines_of(t);
    TRY(block_new(&roots, t->x->budget, lines, sizeof(struct transform_root), "the roots' digits", e));
    for (size_t i = 0; i + 1 < lines; i++)
        root_of((struct transform_root *)roots.ptr + i, transform_roots(t, 0) + i);
    cuzk_status status =
        device_upload(g->device, g->slot[0].stream, g->roots.ptr, roots.ptr, g->roots.size, e);
    const cuzk_status waited = device_wait(g->device, g->slot[0].stream, e);
    block_free(&roots);
    return status == CUZK_OK ? waited : status;
}

static cuzk_status begin(void *self, const struct transform *t, uint64_t *round, struct cuzk_error *e)
{
    struct gpu_transform *g = self;
    TRY(choose(g, t, e));
    TRY(allocate(g, t, e));
    TRY(send_roots(g, t, e));
    *round = g->lanes < TRANSFORM_LANES ? 1 : g->lanes / TRANSFORM_LANES * SPANS;
    return CUZK_OK;
}

static void end(void *self)
{
    struct gpu_transform *g = self;
    struct cuzk_error ignored;
    for (unsigned i = 0; i < SLOTS; i++) {
        struct slot *s = &g->slot[i];
        /* after a failure work may be queued still; when waiting fails too, none is */
        const cuzk_status waited = s->busy ? device_wait(g->device, s->stream, &ignored) : CUZK_OK;
        (void)waited;
        s->busy = false;
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        struct slot *s = &g->slot[i];
        pinned_free(&s->points);
        pinned_free(&s->digits);
        device_free(&s->points_on);
        device_free(&s->digits_on);
    }
    device_free(&g->roots);
    device_free(&g->work);
    device_free(&g->tables);
    budget_release(g->budget, g->reserved);
    g->budget = NULL;
    g->reserved = 0;
}

/* -- the host's part of a span -- */

struct part {
    const struct transform *t;
    const struct slot *slot;
};

/* As signed numbers the parts are below 2^127. */
static void cut(int8_t *out, size_t stride, uint64_t low, uint64_t high)
{
    __extension__ __int128 k = (__int128)((u128)high << 64 | low);
    for (unsigned w = 0; w < TRANSFORM_WINDOWS; w++) {
        int digit = (int)(k & ((1 << TRANSFORM_WINDOW) - 1));
        if (digit > 1 << (TRANSFORM_WINDOW - 1))
            digit -= 1 << TRANSFORM_WINDOW;
        k = (k - digit) >> TRANSFORM_WINDOW;
        out[w * stride] = (int8_t)digit;
    }
    VERIFY(k == 0);
}

static void line_digits(const struct part *p, uint64_t k)
{
    static const struct msm_plan plain = {.images = 2}; /* without a bias: the parts are signed numbers */
    const size_t lanes = (size_t)p->slot->lanes, stride = (size_t)lines_of(p->t) * lanes;
    fr factor[TRANSFORM_LANES];
    for (size_t from = 0; from < lanes; from += TRANSFORM_LANES) {
        const size_t n = lanes - from < TRANSFORM_LANES ? lanes - from : TRANSFORM_LANES;
        transform_twiddles(p->t, factor, k, p->slot->first + from, n);
        for (size_t lane = 0; lane < n; lane++) {
            int8_t *out = (int8_t *)p->slot->digits.ptr + (size_t)k * lanes + from + lane;
            struct msm_parts parts;
            plan_split(&parts, &plain, &factor[lane]);
            cut(out, stride, parts.l[0], parts.l[1]);
            cut(out + TRANSFORM_WINDOWS * stride, stride, parts.l[2], parts.l[3]);
        }
    }
}

static uint64_t task_end(const struct part *p, uint64_t from)
{
    const uint64_t lines = lines_of(p->t);
    return from + TASK_LINES < lines ? from + TASK_LINES : lines;
}

static void gather_task(void *ctx, size_t i, unsigned worker)
{
    const struct part *p = ctx;
    const uint64_t from = i * TASK_LINES, to = task_end(p, from);
    (void)worker;
    transform_gather(p->t, p->slot->points.ptr, p->slot->first, (size_t)p->slot->lanes, from, to);
    for (uint64_t k = from; k < to && !p->t->rows; k++)
        line_digits(p, k);
}

static void scatter_task(void *ctx, size_t i, unsigned worker)
{
    const struct part *p = ctx;
    const uint64_t from = i * TASK_LINES;
    (void)worker;
    transform_scatter(p->t, p->slot->points.ptr, p->slot->first, (size_t)p->slot->lanes, from,
                      task_end(p, from));
}

static void on_host(const struct transform *t, const struct slot *s,
                    void (*task)(void *ctx, size_t i, unsigned worker))
{
    struct part part = {t, s};
    pool_run(t->x->pool, task, &part, (size_t)((lines_of(t) + TASK_LINES - 1) / TASK_LINES));
}

/* -- the device's -- */

static cuzk_status launch(struct gpu_transform *g, const struct slot *s, const char *kernel, uint32_t blocks,
                          const void *arguments, struct cuzk_error *e)
{
    const struct launch launch = {.kernel = kernel, .grid = {blocks}, .block = TRANSFORM_BLOCK};
    return device_launch(g->device, s->stream, &launch, arguments, e);
}

static cuzk_status butterflies(struct gpu_transform *g, const struct slot *s,
                               struct transform_stage_args *args, uint32_t first, uint32_t last,
                               struct cuzk_error *e)
{
    const uint32_t most = g->threads / TRANSFORM_BLOCK, blocks = blocks_of(last - first);
    const uint32_t launched = blocks < most ? blocks : most;
    args->first = first;
    args->end = last;
    args->threads = launched * TRANSFORM_BLOCK;
    return launch(g, s, "transform_points_stage", launched, args, e);
}

/* Those whose root is 1 by themselves. */
static cuzk_status stage(struct gpu_transform *g, const struct transform *t, const struct slot *s,
                         unsigned number, struct cuzk_error *e)
{
    const uint32_t half = UINT32_C(1) << number, lines = (uint32_t)lines_of(t);
    const uint32_t lanes = (uint32_t)s->lanes, all = lines / 2 * lanes;
    struct transform_stage_args args = {.work = g->work.ptr,
                                        .roots = g->roots.ptr + (half - 1) * sizeof(struct transform_root),
                                        .tables = g->tables.ptr,
                                        .stride = lines * lanes,
                                        .half = half,
                                        .blocks = lines / 2 / half,
                                        .lanes = lanes};
    const uint32_t ones = transform_roots(t, number)->one ? args.blocks * lanes : 0;
    args.ones = 1;
    TRY(butterflies(g, s, &args, 0, ones, e));
    args.ones = 0;
    return butterflies(g, s, &args, ones, all, e);
}

static cuzk_status twiddle(struct gpu_transform *g, const struct slot *s, uint32_t count,
                           struct cuzk_error *e)
{
    const uint32_t most = g->threads / TRANSFORM_BLOCK, blocks = blocks_of(count);
    const uint32_t launched = blocks < most ? blocks : most;
    const struct transform_twiddle_args args = {.work = g->work.ptr,
                                                .digits = s->digits_on.ptr,
                                                .tables = g->tables.ptr,
                                                .threads = launched * TRANSFORM_BLOCK,
                                                .stride = count,
                                                .count = count};
    return launch(g, s, "transform_points_twiddle", launched, &args, e);
}

/* The work is one span's at a time: before is the other slot. */
static cuzk_status queue(struct gpu_transform *g, const struct transform *t, struct slot *s,
                         const struct slot *before, struct cuzk_error *e)
{
    const uint32_t count = (uint32_t)(lines_of(t) * s->lanes);
    const size_t bytes = (size_t)count * sizeof(g1_affine);
    const struct transform_points_args points = {
        .affine = s->points_on.ptr, .work = g->work.ptr, .count = count, .stride = count};
    s->busy = true; /* also when only a part of it was queued */
    TRY(device_upload(g->device, s->stream, s->points_on.ptr, s->points.ptr, bytes, e));
    if (!t->rows)
        TRY(device_upload(g->device, s->stream, s->digits_on.ptr, s->digits.ptr, count * DIGITS_OF_POINT, e));
    if (before->busy)
        TRY(stream_wait_event(g->device, s->stream, before->computed, e));
    TRY(launch(g, s, "transform_points_load", blocks_of(count), &points, e));
    for (unsigned i = 0; i < transform_inner_log(t); i++)
        TRY(stage(g, t, s, i, e));
    if (!t->rows)
        TRY(twiddle(g, s, count, e));
    TRY(launch(g, s, "transform_points_store", blocks_of((count + TRANSFORM_SHARE - 1) / TRANSFORM_SHARE),
               &points, e));
    TRY(event_record(g->device, s->computed, s->stream, e));
    return device_download(g->device, s->stream, s->points.ptr, s->points_on.ptr, bytes, e);
}

static cuzk_status finish(struct gpu_transform *g, const struct transform *t, struct slot *s,
                          struct cuzk_error *e)
{
    if (!s->busy)
        return CUZK_OK;
    TRY(device_wait(g->device, s->stream, e));
    s->busy = false;
    on_host(t, s, scatter_task);
    return CUZK_OK;
}

static cuzk_status run(void *self, const struct transform *t, uint64_t first, uint64_t count,
                       struct cuzk_error *e)
{
    struct gpu_transform *g = self;
    const uint64_t outer = UINT64_C(1) << transform_outer_log(t);
    uint64_t lane = first * TRANSFORM_LANES, last = (first + count) * TRANSFORM_LANES;
    unsigned slot = 0;
    last = last < outer ? last : outer;
    for (; lane < last && !exec_cancelled(t->x); slot = (slot + 1) % SLOTS) {
        struct slot *s = &g->slot[slot];
        TRY(finish(g, t, s, e));
        s->first = lane;
        s->lanes = last - lane < g->lanes ? last - lane : g->lanes;
        on_host(t, s, gather_task);
        TRY(queue(g, t, s, &g->slot[(slot + 1) % SLOTS], e));
        lane += s->lanes;
    }
    for (unsigned i = 0; i < SLOTS && !exec_cancelled(t->x); i++)
        TRY(finish(g, t, &g->slot[(slot + i) % SLOTS], e));
    return CUZK_OK;
}

/* -- */

cuzk_status gpu_transform_new(struct gpu_transform **out, struct device *d, uint64_t memory,
                              struct cuzk_error *e)
{
    struct gpu_transform *g = mem_alloc(1, sizeof *g);
    if (!g)
        return error_memory(e, sizeof *g, "a transform of points");
    *g = (struct gpu_transform){.device = d, .memory = memory};
    g->runner = (struct transform_runner){.self = g, .begin = begin, .run = run, .end = end};
    cuzk_status status = CUZK_OK;
    for (unsigned i = 0; i < SLOTS && status == CUZK_OK; i++) {
        status = device_stream(&g->slot[i].stream, d, e);
        if (status == CUZK_OK)
            status = device_event(&g->slot[i].computed, d, e);
    }
    if (status != CUZK_OK) {
        gpu_transform_free(g);
        return status;
    }
    *out = g;
    return CUZK_OK;
}

void gpu_transform_free(struct gpu_transform *g)
{
    mem_free(g);
}

const struct transform_runner *gpu_transform_runner(const struct gpu_transform *g)
{
    return &g->runner;
}
