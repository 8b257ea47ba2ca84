/* groth16/srs_fold.c - the sparse product C^T K (srs_fold.h).
 *
 * Of each template the terms of C are laid out once, in pieces: by rows, as they are made, and by variables,
 * as they are added up. Coefficients are nearly all +-2^e: for all rows of a slice at once 2^e K_i is made by
 * doubling and copied to the terms' places on the way up; rarer ones are multiplied. An instance's terms are
 * made and added up by one thread. Sums of its own variables go where they belong, since no other instance
 * has them; those of the variables that it is bound to wait until a batch of instances is done, are sorted
 * and then added up too.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/srs_fold.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "groth16/transform.h"

#define PIECE_TERMS ((size_t)1 << 16)
#define SLICE_ROWS  ((size_t)TRANSFORM_BATCH)
#define CALL_RUNS   ((size_t)1 << 11) /* variables that a call, and a task, adds up */
#define INSTANCES   ((size_t)1 << 10) /* of a batch, at most */
#define BATCH_SUMS  ((size_t)1 << 18) /* that wait, unless one instance has more */
#define GENERAL     UINT16_MAX        /* the coefficient is no power of two */

/* A row's terms are in the order of their exponents, so that the general ones come last. */
struct term {
    uint32_t place;   /* among the piece's points, which are in the order of the variables */
    uint32_t element; /* of a general one: its coefficient */
    uint16_t exponent;
    bool negative; /* the coefficient; what is added has the other sign */
};

struct folded_row {
    uint32_t index;      /* within the template */
    uint32_t first, end; /* of its terms, within the piece */
};

enum owner { BOUND, OWN_BIT, OWN_WIDE };

/* A variable's terms in a piece. */
struct variable_run {
    uint32_t first, count;
    uint32_t number; /* bound: local number; own: within its class */
    enum owner owner;
};

/* At most PIECE_TERMS terms of a template, with the rows and variables that have some. */
struct piece {
    size_t term, row, run; /* where they begin; they end where the next piece's begin */
};

struct layout {
    size_t piece, pieces;
    size_t bound; /* runs */
};

struct folder {
    const struct exec *x;
    const struct transform_kernels *kernels;
    const struct templates *t;
    const struct fold_target *target;
    struct block layouts, pieces, terms, rows, runs; /* of the templates, each in one array */
    size_t piece_count, term_count, row_count, run_count;
    struct block digits; /* struct scalar_digits, of each element */
    struct block work;   /* the threads' */
    size_t work_bytes;
    struct block sums;           /* points: room for those that wait, and for the same in order */
    struct block slots;          /* u32: whose they are */
    struct block keys[2];        /* u64 */
    struct block merged;         /* struct point_run */
    size_t room, begin, end;     /* the batch's instances, */
    uint32_t at[INSTANCES];      /* where their sums begin, */
    size_t waiting, merge_count; /* how many these are, of how many variables */
};

/* -- layouts -- */

/* +-2^k, or an element of the list. */
static struct term term_of(const struct templates *t, const struct template *one, uint32_t code)
{
    if (code < TEMPLATE_POWERS)
        return (struct term){.exponent = (uint16_t)(code / 2), .negative = code % 2 != 0};
    return (struct term){.exponent = GENERAL, .element = t->coeff[one->coeff + code - TEMPLATE_POWERS]};
}

/* Put the last of a row's terms in its place among them; they come nearly in order. */
static void settle(struct term *terms, size_t first, size_t at)
{
    const struct term t = terms[at];
    for (; at > first && terms[at - 1].exponent > t.exponent; at--)
        terms[at] = terms[at - 1];
    terms[at] = t;
}

/* The piece's runs, from how many terms each local number has; count: then the first one's place. */
static void lay_runs(struct folder *f, const struct template *one, uint32_t *count, struct layout *l)
{
    const uint32_t bound = 1 + template_bound(one), locals = bound + one->aux;
    uint32_t at = 0, bits = 0;
    for (uint32_t local = 0; local < locals; local++) {
        struct variable_run run = {.first = at, .count = count[local], .number = local, .owner = BOUND};
        if (local >= bound) {
            const uint32_t own = local - bound;
            const bool bit = template_own_is_bit(f->t, one, own);
            run.owner = bit ? OWN_BIT : OWN_WIDE;
            run.number = bit ? bits : own - bits;
            bits += bit;
        }
        count[local] = at;
        at += run.count;
        if (run.count == 0)
            continue;
        l->bound += run.owner == BOUND;
        ((struct variable_run *)f->runs.ptr)[f->run_count++] = run;
    }
}

/* C's side of a row from term `from` on, as far as the piece has room; where it ends. */
static uint32_t lay_row(struct folder *f, const struct template *one, uint32_t row, uint32_t from,
                        uint32_t *count, const struct piece *p)
{
    const uint32_t *end = f->t->side + one->side, *term = f->t->term + one->term;
    const uint32_t to = end[3 * (size_t)row + 3];
    struct term *terms = (struct term *)f->terms.ptr;
    const size_t first = f->term_count;
    for (; from < to && f->term_count - p->term < PIECE_TERMS; from++) {
        terms[f->term_count] = term_of(f->t, one, template_term_code(term[from]));
        terms[f->term_count].place = template_term_local(term[from]);
        count[terms[f->term_count].place]++;
        settle(terms, first, f->term_count++);
    }
    ((struct folded_row *)f->rows.ptr)[f->row_count++] = (struct folded_row){
        .index = row, .first = (uint32_t)(first - p->term), .end = (uint32_t)(f->term_count - p->term)};
    return from;
}

static bool is_doubled(const struct term *terms, const struct folded_row *row)
{
    for (uint32_t i = row->first; i < row->end; i++)
        if (terms[i].exponent != 0 && terms[i].exponent != GENERAL)
            return true;
    return false;
}

/* Rows that are doubled first, so that few slices have any: each doubling of a slice costs an inversion. */
static void order_rows(struct folder *f, const struct piece *p)
{
    const struct term *terms = (const struct term *)f->terms.ptr + p->term;
    struct folded_row *rows = f->rows.ptr;
    for (size_t i = p->row, to = i; i < f->row_count; i++)
        if (is_doubled(terms, &rows[i])) {
            const struct folded_row row = rows[i];
            rows[i] = rows[to];
            rows[to++] = row;
        }
}

static void piece_end(struct folder *f, const struct template *one, uint32_t *count, const struct piece *p,
                      struct layout *l)
{
    order_rows(f, p);
    lay_runs(f, one, count, l);
    for (size_t i = p->term; i < f->term_count; i++) {
        struct term *t = (struct term *)f->terms.ptr + i;
        t->place = count[t->place]++;
    }
    memset(count, 0, (1 + (size_t)template_bound(one) + one->aux) * sizeof *count);
}

static struct piece *piece_begin(struct folder *f)
{
    struct piece *p = (struct piece *)f->pieces.ptr + f->piece_count++;
    *p = (struct piece){.term = f->term_count, .row = f->row_count, .run = f->run_count};
    return p;
}

static void lay_template(struct folder *f, size_t number, uint32_t *count)
{
    const struct template *one = &f->t->template[number];
    const uint32_t *end = f->t->side + one->side;
    struct layout *l = (struct layout *)f->layouts.ptr + number;
    *l = (struct layout){.piece = f->piece_count};
    const struct piece *p = piece_begin(f);
    for (uint32_t row = 0; row < one->rows; row++)
        for (uint32_t from = end[3 * (size_t)row + 2]; from < end[3 * (size_t)row + 3];) {
            if (f->term_count - p->term == PIECE_TERMS) {
                piece_end(f, one, count, p, l);
                p = piece_begin(f);
            }
            from = lay_row(f, one, row, from, count, p);
        }
    piece_end(f, one, count, p, l);
    l->pieces = f->piece_count - l->piece;
}

static cuzk_status lay_out(struct folder *f, struct cuzk_error *e)
{
    const struct templates *t = f->t;
    struct budget *b = f->x->budget;
    struct block count = {0};
    size_t terms = 0, rows = 0, locals = 0;
    for (size_t i = 0; i < t->count[TEMPLATE_TEMPLATES]; i++) {
        const struct template *one = &t->template[i];
        const uint32_t *end = t->side + one->side;
        const size_t its = 1 + (size_t)template_bound(one) + one->aux;
        locals = its > locals ? its : locals;
        for (uint32_t row = 0; row < one->rows; row++) {
            terms += end[3 * (size_t)row + 3] - end[3 * (size_t)row + 2];
            rows += end[3 * (size_t)row + 3] > end[3 * (size_t)row + 2];
        }
    }
    const size_t pieces = t->count[TEMPLATE_TEMPLATES] + terms / PIECE_TERMS + 1; /* and the last one's end */
    const struct {
        struct block *block;
        size_t count, size;
    } parts[] = {
        {&f->layouts, t->count[TEMPLATE_TEMPLATES], sizeof(struct layout)},
        {&f->pieces, pieces, sizeof(struct piece)},
        {&f->terms, terms, sizeof(struct term)},
        {&f->rows, rows + pieces, sizeof(struct folded_row)},
        {&f->runs, terms, sizeof(struct variable_run)},
        {&f->digits, t->count[TEMPLATE_ELEMENTS], sizeof(struct scalar_digits)},
        {&count, locals, sizeof(uint32_t)},
    };
    cuzk_status status = CUZK_OK;
    for (size_t i = 0; i < ARRAY_LEN(parts) && status == CUZK_OK; i++)
        status = block_new(parts[i].block, b, parts[i].count, parts[i].size, "the terms of C", e);
    for (size_t i = 0; i < t->count[TEMPLATE_TEMPLATES] && status == CUZK_OK; i++)
        lay_template(f, i, count.ptr);
    if (status == CUZK_OK)
        piece_begin(f);
    for (size_t i = 0; i < t->count[TEMPLATE_ELEMENTS] && status == CUZK_OK; i++)
        scalar_digits_of((struct scalar_digits *)f->digits.ptr + i, &t->element[i]);
    block_free(&count);
    return status;
}

/* -- the terms' points -- */

/* What a thread works in, behind the kernels' scratch. */
struct fold_work {
    g1_affine points[PIECE_TERMS];
    struct point_run runs[CALL_RUNS];
    g1_affine power[SLICE_ROWS];
    const struct term *at[SLICE_ROWS], *end[SLICE_ROWS]; /* of each row's terms, those still to be made */
    g1_affine general[TRANSFORM_BATCH];
    const struct term *general_term[TRANSFORM_BATCH];
    const struct scalar_digits *digit[TRANSFORM_BATCH];
    size_t general_count;
};

static struct fold_work *work_of(const struct folder *f, unsigned worker, void **scratch)
{
    uint8_t *at = (uint8_t *)f->work.ptr + worker * f->work_bytes;
    *scratch = at;
    return (struct fold_work *)(void *)(at + (f->kernels->scratch_bytes() + 63) / 64 * 64);
}

static void set_point(struct fold_work *w, const struct term *t, const g1_affine *p)
{
    g1_affine *out = &w->points[t->place];
    *out = *p;
    if (!t->negative)
        fp_neg(&out->y, &out->y);
}

static void flush_general(const struct folder *f, struct fold_work *w, void *scratch)
{
    if (w->general_count == 0)
        return;
    f->kernels->multiply(scratch, w->general, w->digit, w->general_count);
    for (size_t i = 0; i < w->general_count; i++)
        set_point(w, w->general_term[i], &w->general[i]);
    w->general_count = 0;
}

static void general_term(const struct folder *f, struct fold_work *w, void *scratch, const struct term *t,
                         const g1_affine *k)
{
    const size_t i = w->general_count++;
    w->general[i] = *k;
    w->general_term[i] = t;
    w->digit[i] = (const struct scalar_digits *)f->digits.ptr + t->element;
    if (w->general_count == TRANSFORM_BATCH)
        flush_general(f, w, scratch);
}

/* The points of all terms of these rows. k: of the template's first row. */
static void make_slice(const struct folder *f, struct fold_work *w, void *scratch, const struct term *terms,
                       const struct folded_row *rows, size_t n, const g1_affine *k)
{
    size_t active = n;
    for (size_t a = 0; a < n; a++) {
        w->power[a] = k[rows[a].index];
        w->at[a] = terms + rows[a].first;
        w->end[a] = terms + rows[a].end;
        for (; w->end[a] > w->at[a] && w->end[a][-1].exponent == GENERAL; w->end[a]--)
            general_term(f, w, scratch, &w->end[a][-1], &w->power[a]);
    }
    flush_general(f, w, scratch);
    for (unsigned e = 0; active > 0; e++) {
        size_t kept = 0;
        for (size_t a = 0; a < active; a++) {
            for (; w->at[a] < w->end[a] && w->at[a]->exponent == e; w->at[a]++)
                set_point(w, w->at[a], &w->power[a]);
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

static void make_points(const struct folder *f, struct fold_work *w, void *scratch, const struct piece *p,
                        const g1_affine *k)
{
    const struct folded_row *rows = (const struct folded_row *)f->rows.ptr + p->row;
    const size_t count = p[1].row - p->row;
    for (size_t r = 0; r < count && !exec_cancelled(f->x); r += SLICE_ROWS) {
        const size_t n = count - r < SLICE_ROWS ? count - r : SLICE_ROWS;
        make_slice(f, w, scratch, (const struct term *)f->terms.ptr + p->term, rows + r, n, k);
    }
}

/* -- the sums -- */

/* All variables by one number: inputs, bits, wide ones. */
static uint32_t slot_of(const struct folder *f, const struct template_instance *i, uint32_t local)
{
    const struct template *one = &f->t->template[i->template];
    if (local == 0)
        return 0;
    const uint32_t first[] = {[TEMPLATE_TO_BIT] = f->t->counts.inputs,
                              [TEMPLATE_TO_WIDE] = f->t->counts.inputs + f->t->bits,
                              [TEMPLATE_TO_INPUT] = 0};
    return first[template_bound_to(one, local - 1)] + f->t->binding[i->binding + local - 1];
}

static g1_affine *point_of(const struct folder *f, uint32_t slot)
{
    if (slot < f->t->counts.inputs)
        return f->target->fold + slot;
    slot -= f->t->counts.inputs;
    return slot < f->t->bits ? f->target->bits + slot : f->target->wide + (slot - f->t->bits);
}

/* Add a piece's points up; *wait: where the next sum is that waits. */
static void add_piece(const struct folder *f, struct fold_work *w, void *scratch, const struct piece *p,
                      const struct template_instance *i, size_t *wait)
{
    const struct variable_run *run = (const struct variable_run *)f->runs.ptr + p->run;
    const size_t count = p[1].run - p->run;
    for (size_t from = 0, n; from < count && !exec_cancelled(f->x); from += n) {
        n = count - from < CALL_RUNS ? count - from : CALL_RUNS;
        for (size_t r = 0; r < n; r++, run++) {
            g1_affine *sum = run->owner == OWN_BIT    ? f->target->bits + i->first_bit + run->number
                             : run->owner == OWN_WIDE ? f->target->wide + i->first_wide + run->number
                                                      : (g1_affine *)f->sums.ptr + *wait;
            if (run->owner == BOUND) {
                memset(sum, 0, sizeof *sum);
                ((uint32_t *)f->slots.ptr)[(*wait)++] = slot_of(f, i, run->number);
            }
            w->runs[r] = (struct point_run){.first = run->first, .count = run->count, .sum = sum};
        }
        f->kernels->add_runs(scratch, w->points, w->runs, n);
    }
}

static const struct layout *layout_of(const struct folder *f, size_t instance)
{
    return (const struct layout *)f->layouts.ptr + f->t->instance[instance].template;
}

static void instance_task(void *ctx, size_t k, unsigned worker)
{
    const struct folder *f = ctx;
    const struct template_instance *i = &f->t->instance[f->begin + k];
    const struct layout *l = layout_of(f, f->begin + k);
    const struct piece *p = (const struct piece *)f->pieces.ptr + l->piece;
    void *scratch;
    struct fold_work *w = work_of(f, worker, &scratch);
    size_t wait = f->at[k];
    w->general_count = 0;
    for (size_t n = 0; n < l->pieces && !exec_cancelled(f->x); n++) {
        make_points(f, w, scratch, p + n, f->target->k + i->first_row);
        add_piece(f, w, scratch, p + n, i, &wait);
    }
}

/* -- a batch -- */

/* Keys slot << 32 | sum by slot: least significant digit first. Four passes: they end where they began. */
static void sort(struct folder *f)
{
    uint64_t *from = f->keys[0].ptr, *to = f->keys[1].ptr;
    for (size_t i = 0; i < f->waiting; i++)
        from[i] = (uint64_t)((const uint32_t *)f->slots.ptr)[i] << 32 | i;
    for (unsigned shift = 32; shift < 64; shift += 8) {
        size_t start[257] = {0};
        for (size_t i = 0; i < f->waiting; i++)
            start[(from[i] >> shift & 255) + 1]++;
        for (unsigned d = 0; d < 256; d++)
            start[d + 1] += start[d];
        for (size_t i = 0; i < f->waiting; i++)
            to[start[from[i] >> shift & 255]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
}

static void runs_task(void *ctx, size_t i, unsigned worker)
{
    const struct folder *f = ctx;
    void *scratch;
    work_of(f, worker, &scratch);
    const size_t from = i * CALL_RUNS,
                 n = f->merge_count - from < CALL_RUNS ? f->merge_count - from : CALL_RUNS;
    f->kernels->add_runs(scratch, (g1_affine *)f->sums.ptr + f->room,
                         (const struct point_run *)f->merged.ptr + from, n);
}

static void copy_task(void *ctx, size_t task, unsigned worker)
{
    const struct folder *f = ctx;
    const uint64_t *keys = f->keys[0].ptr;
    g1_affine *sums = f->sums.ptr;
    (void)worker;
    for (size_t i = task * CALL_RUNS; i < (task + 1) * CALL_RUNS && i < f->waiting; i++)
        sums[f->room + i] = sums[(uint32_t)keys[i]];
}

static void merge(struct folder *f)
{
    sort(f);
    const uint64_t *keys = f->keys[0].ptr;
    struct point_run *runs = f->merged.ptr;
    f->merge_count = 0;
    for (size_t i = 0; i < f->waiting; i++) {
        if (i == 0 || keys[i] >> 32 != keys[i - 1] >> 32)
            runs[f->merge_count++] =
                (struct point_run){.first = (uint32_t)i, .sum = point_of(f, (uint32_t)(keys[i] >> 32))};
        runs[f->merge_count - 1].count++;
    }
    pool_run(f->x->pool, copy_task, f, (f->waiting + CALL_RUNS - 1) / CALL_RUNS);
    pool_run(f->x->pool, runs_task, f, (f->merge_count + CALL_RUNS - 1) / CALL_RUNS);
}

static void take_batch(struct folder *f)
{
    f->begin = f->end;
    f->waiting = 0;
    while (f->end < f->t->count[TEMPLATE_INSTANCES] && f->end - f->begin < INSTANCES &&
           f->waiting + layout_of(f, f->end)->bound <= f->room) {
        f->at[f->end - f->begin] = (uint32_t)f->waiting;
        f->waiting += layout_of(f, f->end++)->bound;
    }
}

static cuzk_status add_up(struct folder *f, struct cuzk_error *e)
{
    for (take_batch(f); f->begin < f->end; take_batch(f)) {
        exec_progress(f->x, "fold", f->t->instance[f->begin].first_row, f->t->counts.rows);
        pool_run(f->x->pool, instance_task, f, f->end - f->begin);
        if (exec_cancelled(f->x))
            return error_set(e, CUZK_ERR_CANCELLED,
                             "the conversion was stopped; the same call goes on with it");
        merge(f);
    }
    exec_progress(f->x, "fold", f->t->counts.rows, f->t->counts.rows);
    return CUZK_OK;
}

/* Memory for a batch. */
static cuzk_status reserve(struct folder *f, struct cuzk_error *e)
{
    size_t all = 0, most = 0;
    for (size_t i = 0; i < f->t->count[TEMPLATE_INSTANCES]; i++) {
        all += layout_of(f, i)->bound;
        most = layout_of(f, i)->bound > most ? layout_of(f, i)->bound : most;
    }
    f->room = all < BATCH_SUMS ? all : most > BATCH_SUMS ? most : BATCH_SUMS;
    f->work_bytes = (f->kernels->scratch_bytes() + sizeof(struct fold_work) + 127) / 64 * 64;
    const struct {
        struct block *block;
        size_t count, size;
    } parts[] = {
        {&f->sums, 2 * f->room, sizeof(g1_affine)},      {&f->slots, f->room, sizeof(uint32_t)},
        {&f->keys[0], f->room, sizeof(uint64_t)},        {&f->keys[1], f->room, sizeof(uint64_t)},
        {&f->merged, f->room, sizeof(struct point_run)}, {&f->work, pool_threads(f->x->pool), f->work_bytes},
    };
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const cuzk_status status =
            block_new(parts[i].block, f->x->budget, parts[i].count, parts[i].size, "the sums of C", e);
        if (status != CUZK_OK)
            return status;
    }
    return CUZK_OK;
}

cuzk_status srs_fold(const struct exec *x, const struct templates *t, const struct fold_target *target,
                     struct cuzk_error *e)
{
    struct folder *f = mem_alloc(1, sizeof *f);
    if (!f)
        return error_memory(e, sizeof *f, "the sparse product");
    f->x = x;
    f->kernels = transform_kernels(x->variant);
    f->t = t;
    f->target = target;
    cuzk_status status = lay_out(f, e);
    if (status == CUZK_OK)
        status = reserve(f, e);
    if (status == CUZK_OK)
        status = add_up(f, e);
    struct block *const blocks[] = {&f->layouts, &f->pieces, &f->terms, &f->rows,    &f->runs,    &f->digits,
                                    &f->work,    &f->sums,   &f->slots, &f->keys[0], &f->keys[1], &f->merged};
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++)
        block_free(blocks[i]);
    mem_free(f);
    return status;
}
