/* groth16/srs_fold.c - the sparse product C^T K (srs_fold.h).
 *
 * The rows' terms are gathered in batches. Coefficients are nearly all +-2^e: for each row that has any, 2^e
 * K_i is made by doubling, for all rows of a slice at once, and copied into the terms on the way up; rarer
 * ones are multiplied. Then the batch's terms are sorted by variable and added up (Pippenger's idea of sums
 * first). SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/srs_fold.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "groth16/transform.h"

#define BATCH_TERMS ((size_t)1 << 17) /* gathered before they are added */
#define BATCH_ROWS  ((size_t)1 << 16)
#define SLICE_ROWS  ((size_t)TRANSFORM_BATCH) /* made by one task */
#define TASK_RUNS   ((size_t)1 << 11)         /* variables that a task adds up */
#define GENERAL     UINT16_MAX                /* the coefficient is no power of two */

struct term {
    var v;
    uint32_t coeff; /* of a general one: where its coefficient is */
    uint16_t exponent;
    bool negative; /* the coefficient; what is added has the other sign */
};

/* A row's terms [first, next row's first) by their exponents, so that the general ones come last. */
struct folded_row {
    uint64_t index;
    uint32_t first;
};

struct folder {
    const struct exec *x;
    const struct transform_kernels *kernels;
    const struct srs_shape *shape;
    const struct fold_target *target;
    struct block pow2_index; /* exponents sorted by the limbs of 2^e */
    struct block term_block, row_block, coeff_block, points, keys[2], runs, work;
    size_t work_bytes;
    struct term *terms;
    struct folded_row *rows;
    fr *coeff; /* of general terms */
    size_t term_count, row_count, run_count, coeff_count;
    struct cuzk_error error;
};

/* -- gathering -- */

/* +-2^e as a term; false: it is none. The exponents are found by comparing: of the 255 powers in Montgomery
 * form the low limbs are all different, so they make a perfect table after sorting. */
struct power {
    uint64_t low;
    uint16_t exponent;
};

static void powers_make(struct power *out, const fr *pow2)
{
    for (unsigned e = 0; e < FR_BITS; e++) {
        unsigned at = e;
        for (; at > 0 && out[at - 1].low > pow2[e].l[0]; at--)
            out[at] = out[at - 1];
        out[at] = (struct power){pow2[e].l[0], (uint16_t)e};
    }
}

static bool exponent_of(const struct power *powers, const fr *pow2, const fr *k, uint16_t *out)
{
    size_t low = 0, high = FR_BITS;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (powers[middle].low < k->l[0])
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < FR_BITS && powers[low].low == k->l[0]; low++) {
        if (fr_equal(&pow2[powers[low].exponent], k)) {
            *out = powers[low].exponent;
            return true;
        }
    }
    return false;
}

static void classify(struct folder *f, const struct cs *cs, struct term *out, const fr *coeff)
{
    fr negative;
    if (fr_equal(coeff, &cs->pow2[0]))
        return;
    fr_neg(&negative, coeff);
    out->negative = fr_equal(&negative, &cs->pow2[0]);
    if (out->negative || exponent_of(f->pow2_index.ptr, cs->pow2, coeff, &out->exponent))
        return;
    out->negative = exponent_of(f->pow2_index.ptr, cs->pow2, &negative, &out->exponent);
    if (out->negative)
        return;
    out->exponent = GENERAL;
    out->coeff = (uint32_t)f->coeff_count;
    f->coeff[f->coeff_count++] = *coeff;
}

/* Put a new term in its place among those of its row; they come nearly in order. */
static void settle(struct term *terms, size_t first, size_t at)
{
    const struct term t = terms[at];
    for (; at > first && terms[at - 1].exponent > t.exponent; at--)
        terms[at] = terms[at - 1];
    terms[at] = t;
}

static void add_batch(struct folder *f);

static cuzk_status on_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                          const struct row *b, const struct row *c)
{
    struct folder *f = self;
    (void)a;
    (void)b;
    if (index >= f->shape->rows || cs->inputs > f->shape->inputs || cs->aux > f->shape->aux)
        return error_set(&f->error, CUZK_ERR_INTERNAL, "the circuit differs from run to run");
    if (index == 0)
        powers_make(f->pow2_index.ptr, cs->pow2);
    /* a row of any length goes in pieces */
    for (uint32_t from = 0; from < c->count;) {
        if (f->term_count == BATCH_TERMS || f->row_count == BATCH_ROWS) {
            exec_progress(f->x, "fold", index, f->shape->rows);
            add_batch(f);
            if (exec_cancelled(f->x))
                return error_set(&f->error, CUZK_ERR_CANCELLED, "the conversion was stopped");
        }
        struct folded_row *row = &f->rows[f->row_count++];
        *row = (struct folded_row){.index = index, .first = (uint32_t)f->term_count};
        for (; from < c->count && f->term_count < BATCH_TERMS; from++, f->term_count++) {
            struct term *t = &f->terms[f->term_count];
            *t = (struct term){.v = c->term[from].v};
            classify(f, cs, t, &c->term[from].coeff);
            settle(f->terms, row->first, f->term_count);
        }
    }
    return CUZK_OK;
}

static cuzk_status on_variable(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    (void)self, (void)cs, (void)index, (void)value;
    return CUZK_OK;
}

static const struct cs_sink sink = {.alloc_input = on_variable, .alloc = on_variable, .enforce = on_row};

/* -- the terms' points -- */

static uint32_t row_end(const struct folder *f, size_t r)
{
    return r + 1 < f->row_count ? f->rows[r + 1].first : (uint32_t)f->term_count;
}

static g1_affine *term_point(const struct folder *f, size_t t)
{
    return (g1_affine *)f->points.ptr + t;
}

static void set_point(const struct folder *f, size_t t, const g1_affine *p)
{
    g1_affine *out = term_point(f, t);
    *out = *p;
    if (!f->terms[t].negative)
        fp_neg(&out->y, &out->y);
}

struct slice_work {
    g1_affine power[SLICE_ROWS];
    uint32_t at[SLICE_ROWS], end[SLICE_ROWS]; /* of each row's terms, those that are still to be made */
    g1_affine general[TRANSFORM_BATCH];
    uint32_t general_term[TRANSFORM_BATCH];
    struct scalar_digits digits[TRANSFORM_BATCH];
    const struct scalar_digits *digit[TRANSFORM_BATCH];
    size_t general_count;
};

static struct slice_work *work_of(const struct folder *f, unsigned worker, void **scratch)
{
    uint8_t *at = (uint8_t *)f->work.ptr + worker * f->work_bytes;
    *scratch = at;
    return (struct slice_work *)(void *)(at + (f->kernels->scratch_bytes() + 63) / 64 * 64);
}

static void flush_general(const struct folder *f, struct slice_work *w, void *scratch)
{
    if (w->general_count == 0)
        return;
    f->kernels->multiply(scratch, w->general, w->digit, w->general_count);
    for (size_t i = 0; i < w->general_count; i++)
        set_point(f, w->general_term[i], &w->general[i]);
    w->general_count = 0;
}

static void general_term(const struct folder *f, struct slice_work *w, void *scratch, uint32_t t,
                         const g1_affine *k)
{
    const size_t i = w->general_count++;
    w->general[i] = *k;
    w->general_term[i] = t;
    scalar_digits_of(&w->digits[i], &f->coeff[f->terms[t].coeff]);
    w->digit[i] = &w->digits[i];
    if (w->general_count == TRANSFORM_BATCH)
        flush_general(f, w, scratch);
}

static void slice_task(void *ctx, size_t i, unsigned worker)
{
    const struct folder *f = ctx;
    void *scratch;
    struct slice_work *w = work_of(f, worker, &scratch);
    const size_t from = i * SLICE_ROWS,
                 to = from + SLICE_ROWS < f->row_count ? from + SLICE_ROWS : f->row_count;
    size_t active = to - from;
    if (exec_cancelled(f->x))
        return;
    w->general_count = 0;
    for (size_t r = from; r < to; r++) {
        const size_t a = r - from;
        w->power[a] = f->target->k[f->rows[r].index];
        w->at[a] = f->rows[r].first;
        w->end[a] = row_end(f, r);
        for (; w->end[a] > w->at[a] && f->terms[w->end[a] - 1].exponent == GENERAL; w->end[a]--)
            general_term(f, w, scratch, w->end[a] - 1, &w->power[a]);
    }
    flush_general(f, w, scratch);
    for (unsigned e = 0; active > 0; e++) {
        size_t kept = 0;
        for (size_t a = 0; a < active; a++) {
            for (; w->at[a] < w->end[a] && f->terms[w->at[a]].exponent == e; w->at[a]++)
                set_point(f, w->at[a], &w->power[a]);
            if (w->at[a] == w->end[a])
                continue;
            w->power[kept] = w->power[a];
            w->at[kept] = w->at[a];
            w->end[kept++] = w->end[a];
        }
        active = kept;
        if (active > 0)
            f->kernels->twice(scratch, w->power, active);
    }
}

/* -- the sums -- */

/* Keys v << 32 | term by v: least significant digit first. */
static uint64_t *sort(struct folder *f)
{
    uint64_t *from = f->keys[0].ptr, *to = f->keys[1].ptr;
    for (size_t t = 0; t < f->term_count; t++)
        from[t] = (uint64_t)f->terms[t].v << 32 | t;
    for (unsigned shift = 32; shift < 64; shift += 8) {
        size_t start[257] = {0};
        for (size_t t = 0; t < f->term_count; t++)
            start[(from[t] >> shift & 255) + 1]++;
        for (unsigned d = 0; d < 256; d++)
            start[d + 1] += start[d];
        for (size_t t = 0; t < f->term_count; t++)
            to[start[from[t] >> shift & 255]++] = from[t];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    return from;
}

static g1_affine *point_of(const struct folder *f, var v)
{
    const uint32_t index = VAR_INDEX(v);
    if (!(v & VAR_AUX))
        return f->target->fold + index;
    const uint32_t rank = classes_rank(&f->shape->classes, index);
    return classes_is_bit(&f->shape->classes, index) ? f->target->bits + rank
                                                     : f->target->wide + (index - rank);
}

static void runs_task(void *ctx, size_t i, unsigned worker)
{
    const struct folder *f = ctx;
    void *scratch;
    work_of(f, worker, &scratch);
    const size_t from = i * TASK_RUNS, n = f->run_count - from < TASK_RUNS ? f->run_count - from : TASK_RUNS;
    f->kernels->add_runs(scratch, (g1_affine *)f->points.ptr + BATCH_TERMS,
                         (const struct point_run *)f->runs.ptr + from, n);
}

static void copy_task(void *ctx, size_t i, unsigned worker)
{
    const struct folder *f = ctx;
    const uint64_t *keys = f->keys[0].ptr; /* four passes: they end where they began */
    (void)worker;
    for (size_t t = i * TASK_RUNS; t < (i + 1) * TASK_RUNS && t < f->term_count; t++)
        *term_point(f, BATCH_TERMS + t) = *term_point(f, (uint32_t)keys[t]);
}

static void add_batch(struct folder *f)
{
    pool_run(f->x->pool, slice_task, f, (f->row_count + SLICE_ROWS - 1) / SLICE_ROWS);
    if (exec_cancelled(f->x))
        return;
    const uint64_t *keys = sort(f);
    struct point_run *runs = f->runs.ptr;
    f->run_count = 0;
    for (size_t t = 0; t < f->term_count; t++) {
        if (t == 0 || keys[t] >> 32 != keys[t - 1] >> 32)
            runs[f->run_count++] =
                (struct point_run){.first = (uint32_t)t, .sum = point_of(f, (var)(keys[t] >> 32))};
        runs[f->run_count - 1].count++;
    }
    pool_run(f->x->pool, copy_task, f, (f->term_count + TASK_RUNS - 1) / TASK_RUNS);
    pool_run(f->x->pool, runs_task, f, (f->run_count + TASK_RUNS - 1) / TASK_RUNS);
    f->term_count = 0;
    f->row_count = 0;
    f->coeff_count = 0;
}

static cuzk_status reserve(struct folder *f, struct cuzk_error *e)
{
    const struct {
        struct block *block;
        size_t count, size;
    } parts[] = {
        {&f->pow2_index, FR_BITS, sizeof(struct power)},
        {&f->term_block, BATCH_TERMS, sizeof(struct term)},
        {&f->row_block, BATCH_ROWS, sizeof(struct folded_row)},
        {&f->coeff_block, BATCH_TERMS, sizeof(fr)},
        {&f->points, 2 * BATCH_TERMS, sizeof(g1_affine)},
        {&f->keys[0], BATCH_TERMS, sizeof(uint64_t)},
        {&f->keys[1], BATCH_TERMS, sizeof(uint64_t)},
        {&f->runs, BATCH_TERMS, sizeof(struct point_run)},
        {&f->work, pool_threads(f->x->pool), f->work_bytes},
    };
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const cuzk_status status =
            block_new(parts[i].block, f->x->budget, parts[i].count, parts[i].size, "the terms of C", e);
        if (status != CUZK_OK)
            return status;
    }
    f->terms = f->term_block.ptr;
    f->rows = f->row_block.ptr;
    f->coeff = f->coeff_block.ptr;
    return CUZK_OK;
}

cuzk_status srs_fold(const struct exec *x, const struct circuit *circuit, const struct srs_shape *shape,
                     const struct fold_target *target, struct cuzk_error *e)
{
    struct folder f = {.x = x, .kernels = transform_kernels(x->variant), .shape = shape, .target = target};
    f.work_bytes = (f.kernels->scratch_bytes() + sizeof(struct slice_work) + 127) / 64 * 64;
    cuzk_status status = reserve(&f, e);
    if (status == CUZK_OK)
        status = circuit_run(circuit, &sink, &f, x->cancel, NULL, e);
    if (f.error.status != CUZK_OK)
        status = error_set(e, f.error.status, "%s", f.error.message);
    if (status == CUZK_OK && f.term_count > 0)
        add_batch(&f);
    if (status == CUZK_OK && exec_cancelled(x))
        status = error_set(e, CUZK_ERR_CANCELLED, "the conversion was stopped");
    if (status == CUZK_OK)
        exec_progress(x, "fold", shape->rows, shape->rows);
    struct block *const blocks[] = {&f.pow2_index, &f.term_block, &f.row_block, &f.coeff_block, &f.points,
                                    &f.keys[0],    &f.keys[1],    &f.runs,      &f.work};
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++)
        block_free(blocks[i]);
    return status;
}
