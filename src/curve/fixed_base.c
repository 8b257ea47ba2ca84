/* curve/fixed_base.c - see fixed_base.h. The group operations come from a table (fixed_base_kernels.h), so
 * this text serves both groups. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve/fixed_base.h"

#include "base/error.h"
#include "base/pool.h"
#include "curve/fixed_base_kernels.h"

#define TABLE_BYTES_MAX ((size_t)256 << 20)
#define SCALAR_BITS     256
#define WIDTH_MAX       24

struct fixed {
    struct fixed_windows windows;
    struct block table, work;
    unsigned workers; /* that work has room for */
};
struct g1_fixed {
    struct fixed fixed;
};
struct g2_fixed {
    struct fixed fixed;
};

static void cut(struct fixed_windows *windows, unsigned count)
{
    *windows = (struct fixed_windows){.count = count};
    for (unsigned w = 0; w < count; w++) {
        const unsigned end = SCALAR_BITS * (w + 1) / count;
        windows->offset[w + 1] = end;
        windows->first[w + 1] = windows->first[w] + (UINT32_C(1) << (end - windows->offset[w] - 1));
        windows->bias[(end - 1) / 64] |= UINT64_C(1) << (end - 1) % 64;
    }
}

/* The windows that take the fewest additions for the table and `expected` multiples. */
static void choose(struct fixed_windows *windows, uint64_t expected, size_t affine_bytes)
{
    unsigned best = FIXED_MAX_WINDOWS;
    double best_cost = 0;
    for (unsigned count = FIXED_MAX_WINDOWS; (SCALAR_BITS + count - 1) / count <= WIDTH_MAX; count--) {
        cut(windows, count);
        if (windows->first[count] * affine_bytes > TABLE_BYTES_MAX)
            break;
        const double cost = (double)expected * (count - 1) + windows->first[count];
        if (count == FIXED_MAX_WINDOWS || cost < best_cost) {
            best_cost = cost;
            best = count;
        }
    }
    cut(windows, best);
}

static cuzk_status work_new(struct fixed *fixed, const struct exec *x, const struct fixed_kernels *k,
                            struct cuzk_error *e)
{
    struct block work;
    const cuzk_status status =
        block_new(&work, x->budget, pool_threads(x->pool), k->work_bytes(), "fixed-base scratch", e);
    if (status)
        return status;
    block_free(&fixed->work);
    fixed->work = work;
    fixed->workers = pool_threads(x->pool);
    return CUZK_OK;
}

/* What the tasks of one call share. */
struct call {
    const struct exec *x;
    const struct fixed_kernels *k;
    struct fixed *fixed;
    uint8_t *out;
    const fr *scalars;
    size_t n;
};

static void *work_of(const struct call *call, unsigned worker)
{
    return (uint8_t *)call->fixed->work.ptr + worker * call->k->work_bytes();
}

static void fill_task(void *ctx, size_t w, unsigned worker)
{
    const struct call *call = ctx;
    const struct fixed_windows *windows = &call->fixed->windows;
    if (!exec_cancelled(call->x))
        call->k->fill(work_of(call, worker),
                      (uint8_t *)call->fixed->table.ptr + windows->first[w] * call->k->affine_bytes,
                      windows->first[w + 1] - windows->first[w]);
}

static void mul_task(void *ctx, size_t i, unsigned worker)
{
    const struct call *call = ctx;
    const size_t from = i * FIXED_SLICE, left = call->n - from;
    if (!exec_cancelled(call->x))
        call->k->mul(work_of(call, worker), call->out + from * call->k->affine_bytes, &call->fixed->windows,
                     call->fixed->table.ptr, call->scalars + from, left < FIXED_SLICE ? left : FIXED_SLICE);
}

static cuzk_status cancelled(struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_CANCELLED, "stopped while multiplying a fixed point");
}

static void fixed_done(struct fixed *fixed)
{
    block_free(&fixed->table);
    block_free(&fixed->work);
}

/* The windows, and memory. */
static cuzk_status fixed_start(struct fixed *fixed, const struct exec *x, const struct fixed_kernels *k,
                               uint64_t expected, struct cuzk_error *e)
{
    choose(&fixed->windows, expected, k->affine_bytes);
    const cuzk_status status = block_new(&fixed->table, x->budget, fixed->windows.first[fixed->windows.count],
                                         k->affine_bytes, "fixed-base table", e);
    if (status)
        return status;
    return work_new(fixed, x, k, e);
}

/* The rows' first entries are there; the others. */
static cuzk_status fixed_fill(struct fixed *fixed, const struct exec *x, const struct fixed_kernels *k,
                              struct cuzk_error *e)
{
    struct call call = {.x = x, .k = k, .fixed = fixed};
    pool_run(x->pool, fill_task, &call, fixed->windows.count);
    return exec_cancelled(x) ? cancelled(e) : CUZK_OK;
}

static cuzk_status fixed_mul(const struct exec *x, struct fixed *fixed, const struct fixed_kernels *k,
                             void *out, const fr *scalars, size_t n, struct cuzk_error *e)
{
    if (pool_threads(x->pool) > fixed->workers) {
        const cuzk_status status = work_new(fixed, x, k, e);
        if (status)
            return status;
    }
    struct call call = {.x = x, .k = k, .fixed = fixed, .out = out, .scalars = scalars, .n = n};
    pool_run(x->pool, mul_task, &call, n / FIXED_SLICE + (n % FIXED_SLICE != 0));
    return exec_cancelled(x) ? cancelled(e) : CUZK_OK;
}

static const struct fixed_kernels *g1_kernels(const struct exec *x)
{
#ifdef CUZK_HAVE_ADX
    if (cpu_scalar(x->variant) == CPU_ADX)
        return &fixed_g1_adx;
#else
    (void)x;
#endif
    return &fixed_g1_portable;
}

static const struct fixed_kernels *g2_kernels(const struct exec *x)
{
#ifdef CUZK_HAVE_ADX
    if (cpu_scalar(x->variant) == CPU_ADX)
        return &fixed_g2_adx;
#else
    (void)x;
#endif
    return &fixed_g2_portable;
}

cuzk_status g1_fixed_new(const struct exec *x, struct g1_fixed **out, const g1_affine *base,
                         uint64_t expected, struct cuzk_error *e)
{
    const struct fixed_kernels *k = g1_kernels(x);
    struct g1_fixed *t = mem_alloc(1, sizeof *t);
    if (!t)
        return error_memory(e, sizeof *t, "fixed-base table");
    cuzk_status status = fixed_start(&t->fixed, x, k, expected, e);
    if (status == CUZK_OK) {
        const struct fixed_windows *windows = &t->fixed.windows;
        g1 power;
        g1_from_affine(&power, base);
        for (unsigned w = 0; w < windows->count; w++) {
            g1_to_affine((g1_affine *)t->fixed.table.ptr + windows->first[w], &power);
            for (unsigned i = windows->offset[w]; i < windows->offset[w + 1]; i++)
                g1_double(&power, &power);
        }
        status = fixed_fill(&t->fixed, x, k, e);
    }
    if (status)
        g1_fixed_free(t);
    else
        *out = t;
    return status;
}

cuzk_status g2_fixed_new(const struct exec *x, struct g2_fixed **out, const g2_affine *base,
                         uint64_t expected, struct cuzk_error *e)
{
    const struct fixed_kernels *k = g2_kernels(x);
    struct g2_fixed *t = mem_alloc(1, sizeof *t);
    if (!t)
        return error_memory(e, sizeof *t, "fixed-base table");
    cuzk_status status = fixed_start(&t->fixed, x, k, expected, e);
    if (status == CUZK_OK) {
        const struct fixed_windows *windows = &t->fixed.windows;
        g2 power;
        g2_from_affine(&power, base);
        for (unsigned w = 0; w < windows->count; w++) {
            g2_to_affine((g2_affine *)t->fixed.table.ptr + windows->first[w], &power);
            for (unsigned i = windows->offset[w]; i < windows->offset[w + 1]; i++)
                g2_double(&power, &power);
        }
        status = fixed_fill(&t->fixed, x, k, e);
    }
    if (status)
        g2_fixed_free(t);
    else
        *out = t;
    return status;
}

void g1_fixed_free(struct g1_fixed *t)
{
    if (t)
        fixed_done(&t->fixed);
    mem_free(t);
}

void g2_fixed_free(struct g2_fixed *t)
{
    if (t)
        fixed_done(&t->fixed);
    mem_free(t);
}

cuzk_status g1_fixed_mul(const struct exec *x, struct g1_fixed *t, g1_affine *out, const fr *k, size_t n,
                         struct cuzk_error *e)
{
    return fixed_mul(x, &t->fixed, g1_kernels(x), out, k, n, e);
}

cuzk_status g2_fixed_mul(const struct exec *x, struct g2_fixed *t, g2_affine *out, const fr *k, size_t n,
                         struct cuzk_error *e)
{
    return fixed_mul(x, &t->fixed, g2_kernels(x), out, k, n, e);
}
