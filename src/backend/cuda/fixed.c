/* backend/cuda/fixed.c - see fixed.h. A first table, of windows of 4 bits, is made on the host; with it the
 * device makes the other, whose entries are multiples too.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/fixed.h"

#include "backend/cuda/device.h"
#include "backend/cuda/fixed_args.h"
#include "base/error.h"

#define FIRST_WIDTH 4
#define ENTRIES(w)  ((size_t)256 / (w) << ((w)-1))
#define GROUPS      2
#define MAX_BATCHES 32

struct batch {
    struct pinned_block scalars, points;
    struct device_block on_device; /* scalars, sums, points */
    struct stream stream;
};

struct gpu_fixed {
    struct device *device;
    struct budget *budget;
    uint64_t reserved; /* of budget */
    unsigned width;
    struct device_block table[GROUPS];
    struct batch batch[MAX_BATCHES];
    unsigned batches;
    size_t size; /* points that a batch has room for */
};

static size_t affine_bytes(unsigned group)
{
    return group == 1 ? sizeof(g1_affine) : sizeof(g2_affine);
}

size_t gpu_fixed_scratch(unsigned group)
{
    return 2 * affine_bytes(group);
}

static void *at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static cuzk_status multiply(struct device *d, struct stream s, unsigned group, const struct fixed_args *a,
                            struct cuzk_error *e)
{
    const uint32_t dividers = (a->count + FIXED_SHARE - 1) / FIXED_SHARE;
    const struct launch sum = {.kernel = group == 1 ? "fixed_g1_sum" : "fixed_g2_sum",
                               .grid = {(a->count + FIXED_BLOCK - 1) / FIXED_BLOCK},
                               .block = FIXED_BLOCK};
    const struct launch divide = {.kernel = group == 1 ? "fixed_g1_divide" : "fixed_g2_divide",
                                  .grid = {(dividers + FIXED_BLOCK - 1) / FIXED_BLOCK},
                                  .block = FIXED_BLOCK};
    TRY(device_launch(d, s, &sum, a, e));
    return device_launch(d, s, &divide, a, e);
}

cuzk_status gpu_fixed_mul(struct gpu_fixed *f, struct stream s, unsigned group, uint64_t points,
                          uint64_t scalars, uint64_t scratch, size_t count, struct cuzk_error *e)
{
    if (group < 1 || group > GROUPS || count > INT32_MAX)
        return error_set(e, CUZK_ERR_ARGUMENT, "multiples on a GPU: group %u, %zu scalars", group, count);
    const struct fixed_args a = {.table = at(f->table[group - 1].ptr),
                                 .scalars = at(scalars),
                                 .sums = at(scratch),
                                 .points = at(points),
                                 .count = (uint32_t)count,
                                 .width = f->width};
    return multiply(f->device, s, group, &a, e);
}

/* Nothing may be under way in memory that is given up. Where this fails, the context is gone. */
static void settle(struct device *d, struct stream s)
{
    struct cuzk_error ignored;
    if (s.handle) {
        const cuzk_status status = device_wait(d, s, &ignored);
        (void)status;
    }
}

/* -- the tables -- */

#define FIRST_HALF ((size_t)1 << (FIRST_WIDTH - 1))

/* The multiples 1 .. FIRST_HALF of 2^(w FIRST_WIDTH) times the generator, for each window w; twice the last
 * is the next window's first. */
static void first_table_g1(g1_affine *out)
{
    g1 unit, multiple;
    g1_from_affine(&unit, &G1_GENERATOR);
    for (size_t i = 0; i < ENTRIES(FIRST_WIDTH); i++) {
        if (i % FIRST_HALF == 0)
            multiple = unit;
        else
            g1_add(&multiple, &multiple, &unit);
        g1_to_affine(&out[i], &multiple);
        if (i % FIRST_HALF == FIRST_HALF - 1)
            g1_double(&unit, &multiple);
    }
}

static void first_table_g2(g2_affine *out)
{
    g2 unit, multiple;
    g2_from_affine(&unit, &G2_GENERATOR);
    for (size_t i = 0; i < ENTRIES(FIRST_WIDTH); i++) {
        if (i % FIRST_HALF == 0)
            multiple = unit;
        else
            g2_add(&multiple, &multiple, &unit);
        g2_to_affine(&out[i], &multiple);
        if (i % FIRST_HALF == FIRST_HALF - 1)
            g2_double(&unit, &multiple);
    }
}

/* The factors of a table's entries. */
static void table_scalars(fr *out, unsigned width)
{
    const size_t half = (size_t)1 << (width - 1);
    fr unit = FR_ONE;
    for (size_t i = 0; i < ENTRIES(width); i++) {
        if (i % half == 0)
            out[i] = unit;
        else
            fr_add(&out[i], &out[i - 1], &unit);
        if (i % half == half - 1)
            fr_double(&unit, &out[i]);
    }
}

struct making {
    struct block table, scalars;
    struct device_block on_device[3]; /* the first table, scalars, sums */
    struct stream stream;
};

static cuzk_status make_table(struct gpu_fixed *f, unsigned group, struct making *m, struct cuzk_error *e)
{
    struct device *d = f->device;
    const size_t bytes = affine_bytes(group), entries = ENTRIES(f->width);
    TRY(block_new(&m->table, f->budget, ENTRIES(FIRST_WIDTH), bytes, "a table of multiples", e));
    TRY(block_new(&m->scalars, f->budget, entries, sizeof(fr), "a table's factors", e));
    TRY(device_alloc(&m->on_device[0], d, ENTRIES(FIRST_WIDTH), bytes, "a table of multiples", e));
    TRY(device_alloc(&m->on_device[1], d, entries, sizeof(fr), "a table's factors", e));
    TRY(device_alloc(&m->on_device[2], d, entries, gpu_fixed_scratch(group), "a table's sums", e));
    TRY(device_alloc(&f->table[group - 1], d, entries, bytes, "a table of multiples", e));
    if (group == 1)
        first_table_g1(m->table.ptr);
    else
        first_table_g2(m->table.ptr);
    table_scalars(m->scalars.ptr, f->width);
    TRY(device_upload(d, m->stream, m->on_device[0].ptr, m->table.ptr, m->table.size, e));
    TRY(device_upload(d, m->stream, m->on_device[1].ptr, m->scalars.ptr, m->scalars.size, e));
    const struct fixed_args a = {.table = at(m->on_device[0].ptr),
                                 .scalars = at(m->on_device[1].ptr),
                                 .sums = at(m->on_device[2].ptr),
                                 .points = at(f->table[group - 1].ptr),
                                 .count = (uint32_t)entries,
                                 .width = FIRST_WIDTH};
    TRY(multiply(d, m->stream, group, &a, e));
    return device_wait(d, m->stream, e);
}

static void making_free(struct making *m)
{
    block_free(&m->table);
    block_free(&m->scalars);
    for (int i = 0; i < 3; i++)
        device_free(&m->on_device[i]);
}

cuzk_status gpu_fixed_new(struct gpu_fixed **out, struct device *d, unsigned width, struct budget *budget,
                          struct cuzk_error *e)
{
    if (width != 8 && width != 16)
        return error_set(e, CUZK_ERR_ARGUMENT, "tables on a GPU with windows of %u bits", width);
    struct stream stream;
    TRY(device_stream(&stream, d, e));
    struct gpu_fixed *f = mem_alloc(1, sizeof *f);
    if (!f)
        return error_memory(e, sizeof *f, "a maker of points");
    f->device = d;
    f->width = width;
    f->budget = budget;
    cuzk_status status = CUZK_OK;
    for (unsigned group = 1; group <= GROUPS && status == CUZK_OK; group++) {
        struct making m = {.stream = stream};
        status = make_table(f, group, &m, e);
        if (status != CUZK_OK)
            settle(d, stream);
        making_free(&m);
    }
    if (status != CUZK_OK) {
        gpu_fixed_free(f);
        return status;
    }
    *out = f;
    return CUZK_OK;
}

void gpu_fixed_free(struct gpu_fixed *f)
{
    if (!f)
        return;
    for (unsigned i = 0; i < f->batches; i++)
        settle(f->device, f->batch[i].stream);
    for (unsigned i = 0; i < f->batches; i++) {
        struct batch *b = &f->batch[i];
        pinned_free(&b->scalars);
        pinned_free(&b->points);
        device_free(&b->on_device);
    }
    for (unsigned g = 0; g < GROUPS; g++)
        device_free(&f->table[g]);
    if (f->reserved)
        budget_release(f->budget, f->reserved);
    mem_free(f);
}

/* -- as a maker -- */

static cuzk_status reserve_batch(struct gpu_fixed *f, struct batch *b, size_t size, struct cuzk_error *e)
{
    struct device *d = f->device;
    TRY(device_stream(&b->stream, d, e));
    TRY(pinned_alloc(&b->scalars, d, size, sizeof(fr), "scalars to be multiplied", e));
    TRY(pinned_alloc(&b->points, d, size, sizeof(g2_affine), "points", e));
    return device_alloc(&b->on_device, d, size, sizeof(fr) + gpu_fixed_scratch(2) + sizeof(g2_affine),
                        "points being made", e);
}

static cuzk_status reserve(void *self, struct point_batch *out, unsigned count, size_t size,
                           struct cuzk_error *e)
{
    struct gpu_fixed *f = self;
    if (count > MAX_BATCHES || size > INT32_MAX || f->batches)
        return error_set(e, CUZK_ERR_ARGUMENT, "%u batches of %zu points on a GPU", count, size);
    const uint64_t bytes = (uint64_t)count * size * (sizeof(fr) + sizeof(g2_affine));
    if (f->budget) {
        TRY(budget_reserve(f->budget, bytes, "points on their way from a GPU", e));
        f->reserved = bytes;
    }
    f->size = size;
    for (unsigned i = 0; i < count; i++) {
        f->batches++;
        TRY(reserve_batch(f, &f->batch[i], size, e));
        out[i] = (struct point_batch){
            .scalars = f->batch[i].scalars.ptr, .points = f->batch[i].points.ptr, .own = &f->batch[i]};
    }
    return CUZK_OK;
}

static cuzk_status begin(void *self, const struct point_batch *batch, unsigned group, size_t n,
                         struct cuzk_error *e)
{
    struct gpu_fixed *f = self;
    const struct batch *b = batch->own;
    const uint64_t scratch = b->on_device.ptr, points = scratch + f->size * gpu_fixed_scratch(2);
    const uint64_t scalars = points + f->size * sizeof(g2_affine);
    if (n > f->size)
        return error_set(e, CUZK_ERR_ARGUMENT, "%zu points in a batch of %zu on a GPU", n, f->size);
    TRY(device_upload(f->device, b->stream, scalars, batch->scalars, n * sizeof(fr), e));
    TRY(gpu_fixed_mul(f, b->stream, group, points, scalars, scratch, n, e));
    return device_download(f->device, b->stream, batch->points, points, n * affine_bytes(group), e);
}

static cuzk_status finish(void *self, const struct point_batch *batch, struct cuzk_error *e)
{
    const struct gpu_fixed *f = self;
    const struct batch *b = batch->own;
    return device_wait(f->device, b->stream, e);
}

struct point_maker gpu_fixed_maker(struct gpu_fixed *f)
{
    return (struct point_maker){.self = f, .reserve = reserve, .begin = begin, .finish = finish};
}
