/* groth16/transform.c - discrete Fourier transforms of points of G1 (transform.h).
 *
 * Within a column or row: decimation in time, input in bit-reversed order; the butterfly of blocks of 2h at
 * place j multiplies by (shift^(n/2h)) w_2h^-j first. Products by scalars are nearly all of the cost.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/transform.h"

#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "curve/encoding.h"
#include "msm/plan.h"

#define WIDTH 5 /* of the digits */

extern const struct transform_kernels transform_kernels_portable;
#ifdef CUZK_HAVE_ADX
extern const struct transform_kernels transform_kernels_adx;
#endif
#ifdef CUZK_HAVE_IFMA
extern const struct transform_kernels transform_kernels_ifma;
#endif

const struct transform_kernels *transform_kernels(enum cpu_variant variant)
{
#ifdef CUZK_HAVE_IFMA
    if (variant == CPU_IFMA)
        return &transform_kernels_ifma;
#endif
#ifdef CUZK_HAVE_ADX
    if (variant == CPU_ADX)
        return &transform_kernels_adx;
#endif
    (void)variant;
    return &transform_kernels_portable;
}

/* -- scalars -- */

static unsigned non_adjacent(int8_t out[SCALAR_DIGITS], uint64_t low, uint64_t high)
{
    __extension__ __int128 k = (__int128)((u128)high << 64 | low);
    unsigned count = 0;
    memset(out, 0, SCALAR_DIGITS);
    for (unsigned i = 0; k != 0; i++, k >>= 1) {
        if ((k & 1) == 0)
            continue;
        int digit = (int)(k & ((1 << WIDTH) - 1));
        if (digit >= 1 << (WIDTH - 1))
            digit -= 1 << WIDTH;
        k -= digit;
        out[i] = (int8_t)digit;
        count = i + 1;
    }
    return count;
}

void scalar_digits_of(struct scalar_digits *out, const fr *k)
{
    static const struct msm_plan plain = {.images = 2}; /* without a bias: the parts are signed numbers */
    struct msm_parts parts;
    plan_split(&parts, &plain, k);
    memcpy(out->part, parts.l, sizeof out->part);
    const unsigned first = non_adjacent(out->digit[0], parts.l[0], parts.l[1]),
                   second = non_adjacent(out->digit[1], parts.l[2], parts.l[3]);
    out->count = (uint8_t)(first > second ? first : second);
    out->one = fr_equal(k, &FR_ONE);
}

static void power_of(fr *out, const fr *base, uint64_t exponent)
{
    fr_pow(out, base, &exponent, 1);
}

/* -- a pass -- */

/* What a thread works in. */
struct work {
    g1_affine *points; /* 2^inner lines of TRANSFORM_LANES */
    g1_affine *terms;  /* TRANSFORM_BATCH */
    g1_affine **a, **b;
    const struct scalar_digits **digits;
    struct scalar_digits *twiddles; /* TRANSFORM_BATCH */
    void *scratch;
};

unsigned transform_inner_log(const struct transform *t)
{
    return t->rows ? t->log - t->log1 : t->log1;
}

unsigned transform_outer_log(const struct transform *t)
{
    return t->log - transform_inner_log(t);
}

static size_t align(size_t n)
{
    return (n + 63) / 64 * 64;
}

static struct work work_of(const struct transform *t, unsigned worker)
{
    uint8_t *at = (uint8_t *)t->work.ptr + worker * t->work_bytes;
    struct work w;
    w.scratch = at;
    at += align(t->kernels->scratch_bytes());
    w.points = (g1_affine *)(void *)at;
    at += align((sizeof *w.points * TRANSFORM_LANES) << transform_inner_log(t));
    w.terms = (g1_affine *)(void *)at;
    at += align(sizeof *w.terms * TRANSFORM_BATCH);
    w.a = (g1_affine **)(void *)at;
    w.b = w.a + TRANSFORM_BATCH;
    w.digits = (const struct scalar_digits **)(void *)(w.b + TRANSFORM_BATCH);
    w.twiddles = (struct scalar_digits *)(void *)(w.digits + TRANSFORM_BATCH);
    return w;
}

/* The digits of all stages' roots: stage s has 2^s, from here on. */
static size_t first_root(unsigned s)
{
    return ((size_t)1 << s) - 1;
}

const struct scalar_digits *transform_roots(const struct transform *t, unsigned s)
{
    return (const struct scalar_digits *)t->roots.ptr + first_root(s);
}

static cuzk_status make_roots(struct transform *t, struct cuzk_error *e)
{
    const unsigned inner = transform_inner_log(t);
    const size_t count = (size_t)1 << inner;
    const cuzk_status status =
        block_new(&t->roots, t->x->budget, count, sizeof(struct scalar_digits), "the roots' digits", e);
    if (status != CUZK_OK)
        return status;
    fr shift;
    power_of(&shift, &t->shift, UINT64_C(1) << transform_outer_log(t));
    for (unsigned s = 0; s < inner; s++) {
        struct scalar_digits *out = (struct scalar_digits *)t->roots.ptr + first_root(s);
        fr step, power;
        power_of(&step, &t->root, UINT64_C(1) << (t->log - s - 1));
        power_of(&power, &shift, UINT64_C(1) << (inner - s - 1));
        for (size_t j = 0; j < (size_t)1 << s; j++) {
            scalar_digits_of(&out[j], &power);
            fr_mul(&power, &power, &step);
        }
    }
    return CUZK_OK;
}

/* What the CPU's threads work in. */
static cuzk_status make_work(struct transform *t, struct cuzk_error *e)
{
    t->round = pool_threads(t->x->pool);
    t->work_bytes = align(t->kernels->scratch_bytes()) +
                    align((sizeof(g1_affine) * TRANSFORM_LANES) << transform_inner_log(t)) +
                    align(sizeof(g1_affine) * TRANSFORM_BATCH) +
                    align(TRANSFORM_BATCH * (3 * sizeof(void *) + sizeof(struct scalar_digits)));
    return block_new(&t->work, t->x->budget, t->round, t->work_bytes, "the transform of points", e);
}

static cuzk_status pass_new(struct transform *t, const struct exec *x, const struct transform_runner *runner,
                            unsigned log, bool rows, const fr *shift, const fr *scale, struct cuzk_error *e)
{
    *t = (struct transform){.x = x,
                            .runner = runner,
                            .kernels = transform_kernels(x->variant),
                            .rows = rows,
                            .log = log,
                            .log1 = log / 2,
                            .root = FR_ROOT_OF_UNITY,
                            .shift = *shift,
                            .scale = *scale};
    for (unsigned i = log; i < FR_TWO_ADICITY; i++)
        fr_sqr(&t->root, &t->root);
    fr_inv(&t->root, &t->root);
    const cuzk_status status = make_roots(t, e);
    if (status != CUZK_OK)
        return status;
    return runner ? runner->begin(runner->self, t, &t->round, e) : make_work(t, e);
}

cuzk_status transform_columns(struct transform *t, const struct exec *x,
                              const struct transform_runner *runner, unsigned log, const fr *shift,
                              const fr *scale, struct cuzk_error *e)
{
    return pass_new(t, x, runner, log, false, shift, scale, e);
}

cuzk_status transform_rows(struct transform *t, const struct exec *x, const struct transform_runner *runner,
                           unsigned log, struct cuzk_error *e)
{
    return pass_new(t, x, runner, log, true, &FR_ONE, &FR_ONE, e);
}

void transform_free(struct transform *t)
{
    if (t->runner)
        t->runner->end(t->runner->self);
    block_free(&t->roots);
    block_free(&t->work);
    memset(t, 0, sizeof *t);
}

uint64_t transform_units(const struct transform *t)
{
    return ((UINT64_C(1) << transform_outer_log(t)) + TRANSFORM_LANES - 1) / TRANSFORM_LANES;
}

/* -- a unit -- */

static uint64_t bit_reverse(uint64_t i, unsigned bits)
{
    uint64_t out = 0;
    for (unsigned k = 0; k < bits; k++)
        out |= (i >> k & 1) << (bits - 1 - k);
    return out;
}

/* Point i of the input; infinity behind the encoded ones. */
static void read_encoded(const struct transform *t, g1_affine *out, uint64_t i)
{
    memset(out, 0, sizeof *out);
    if (i >= t->encoded_count)
        return;
    /* checked when the file was opened; trusted bytes always can be read */
    const enum encoding_fault fault =
        g1_read_uncompressed(out, t->encoded + i * G1_UNCOMPRESSED_BYTES, ENCODING_TRUSTED);
    VERIFY(fault == ENCODING_OK);
    (void)fault;
}

void transform_gather(const struct transform *t, g1_affine *out, uint64_t first, size_t lanes, uint64_t from,
                      uint64_t to)
{
    const unsigned inner = transform_inner_log(t), log2 = t->log - t->log1;
    for (size_t lane = 0; t->rows && lane < lanes; lane++)
        for (uint64_t i = from; i < to; i++)
            out[bit_reverse(i, inner) * lanes + lane] = t->in[((first + lane) << log2) + i];
    for (uint64_t i = from; !t->rows && i < to; i++)
        for (size_t lane = 0; lane < lanes; lane++)
            read_encoded(t, &out[bit_reverse(i, inner) * lanes + lane], (i << log2) + first + lane);
}

void transform_scatter(const struct transform *t, const g1_affine *in, uint64_t first, size_t lanes,
                       uint64_t from, uint64_t to)
{
    const unsigned outer = transform_outer_log(t);
    for (uint64_t k = from; k < to; k++)
        memcpy(t->out + (k << outer) + first, in + k * lanes, lanes * sizeof *in);
}

/* The butterflies that wait: n of them, whose second points are multiplied unless all roots are 1. */
static void flush(const struct transform *t, const struct work *w, size_t n, bool ones)
{
    for (size_t i = 0; i < n; i++)
        w->terms[i] = *w->b[i];
    if (!ones)
        t->kernels->multiply(w->scratch, w->terms, w->digits, n);
    t->kernels->butterflies(w->scratch, w->a, w->b, w->terms, n);
}

/* One stage: blocks of 2 half lines. Roots that are 1 come first, in batches of their own. */
static void stage(const struct transform *t, const struct work *w, unsigned s, size_t lanes)
{
    const size_t half = (size_t)1 << s, blocks = (size_t)1 << (transform_inner_log(t) - s - 1);
    const struct scalar_digits *roots = transform_roots(t, s);
    size_t n = 0;
    for (size_t j = 0; j < half; j++) {
        if (j == 1 && roots[0].one && n > 0) {
            flush(t, w, n, true);
            n = 0;
        }
        for (size_t block = 0; block < blocks; block++)
            for (size_t lane = 0; lane < lanes; lane++) {
                w->a[n] = w->points + (2 * half * block + j) * lanes + lane;
                w->b[n] = w->a[n] + half * lanes;
                w->digits[n++] = &roots[j];
                if (n < TRANSFORM_BATCH)
                    continue;
                if (exec_cancelled(t->x))
                    return;
                flush(t, w, n, j == 0 && roots[0].one);
                n = 0;
            }
    }
    if (n > 0)
        flush(t, w, n, half == 1 && roots[0].one);
}

/* Line k1 of column i2 by scale (shift w^-k1)^i2. */
void transform_twiddles(const struct transform *t, fr *out, uint64_t k, uint64_t first, size_t lanes)
{
    fr base, factor;
    power_of(&base, &t->root, k);
    fr_mul(&base, &base, &t->shift);
    power_of(&factor, &base, first);
    fr_mul(&factor, &factor, &t->scale);
    for (size_t lane = 0; lane < lanes; lane++) {
        out[lane] = factor;
        fr_mul(&factor, &factor, &base);
    }
}

static void twiddle(const struct transform *t, const struct work *w, uint64_t first, size_t lanes)
{
    const size_t lines = (size_t)1 << transform_inner_log(t), each = TRANSFORM_BATCH / lanes;
    for (size_t k = 0; k < lines && !exec_cancelled(t->x);) {
        const size_t from = k, n = lines - k < each ? lines - k : each;
        for (; k < from + n; k++) {
            fr factor[TRANSFORM_LANES];
            transform_twiddles(t, factor, k, first, lanes);
            for (size_t lane = 0; lane < lanes; lane++) {
                const size_t i = (k - from) * lanes + lane;
                scalar_digits_of(&w->twiddles[i], &factor[lane]);
                w->digits[i] = &w->twiddles[i];
            }
        }
        t->kernels->multiply(w->scratch, w->points + from * lanes, w->digits, n * lanes);
    }
}

struct span {
    struct transform *t;
    uint64_t first;
};

static void unit_task(void *ctx, size_t i, unsigned worker)
{
    const struct span *span = ctx;
    const struct transform *t = span->t;
    const struct work w = work_of(t, worker);
    const uint64_t outer = UINT64_C(1) << transform_outer_log(t), first = (span->first + i) * TRANSFORM_LANES;
    const size_t lanes = outer - first < TRANSFORM_LANES ? (size_t)(outer - first) : TRANSFORM_LANES;
    if (exec_cancelled(t->x))
        return;
    const uint64_t lines = UINT64_C(1) << transform_inner_log(t);
    transform_gather(t, w.points, first, lanes, 0, lines);
    for (unsigned s = 0; s < transform_inner_log(t) && !exec_cancelled(t->x); s++)
        stage(t, &w, s, lanes);
    if (!t->rows)
        twiddle(t, &w, first, lanes);
    if (!exec_cancelled(t->x))
        transform_scatter(t, w.points, first, lanes, 0, lines);
}

cuzk_status transform_run(struct transform *t, uint64_t first, uint64_t count, struct cuzk_error *e)
{
    struct span span = {t, first};
    if (t->runner)
        return t->runner->run(t->runner->self, t, first, count, e);
    pool_run(t->x->pool, unit_task, &span, (size_t)count);
    return CUZK_OK;
}
