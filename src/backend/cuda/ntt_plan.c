/* backend/cuda/ntt_plan.c - tables and lists of sweeps: see ntt_plan.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/ntt_plan.h"

#include "base/error.h"
#include "field/fr.h"

/* -1/r mod 2^256 */
static const fr MINUS_INVERSE = {
    {0xfffffffeffffffff, 0x53ba5bfffffe5bfd, 0x181b2c170004ec06, 0x3d443ab0d7bf2839}};

static uint32_t reversed(uint32_t x, unsigned bits)
{
    uint32_t out = 0;
    for (unsigned b = 0; b < bits; b++)
        out |= (x >> b & 1) << (bits - 1 - b);
    return out;
}

/* See ntt_fix in ntt_tile.cuh. */
static void make_factor(struct ntt_factor *out, const fr *x)
{
    fr plain, quotient = {{0}};
    fr_from_mont(&plain, x);
    for (int i = 0; i < FR_LIMBS; i++) {
        uint64_t carry = 0;
        for (int j = 0; i + j < FR_LIMBS; j++) {
            const u128 s = (u128)x->l[i] * MINUS_INVERSE.l[j] + quotient.l[i + j] + carry;
            quotient.l[i + j] = (uint64_t)s;
            carry = (uint64_t)(s >> 64);
        }
    }
    memcpy(out->plain, &plain, sizeof plain);
    memcpy(out->quotient, &quotient, sizeof quotient);
}

/* The root of order 2^log, or its inverse. */
static fr root_of(unsigned log, bool inverse)
{
    fr w = FR_ROOT_OF_UNITY;
    for (unsigned k = FR_TWO_ADICITY; k > log; k--)
        fr_sqr(&w, &w);
    if (inverse)
        fr_inv(&w, &w);
    return w;
}

/* out[i] = start base^i; returns base^count. */
static fr fill_powers(fr *out, size_t count, const fr *start, const fr *base)
{
    fr x = *start, end = FR_ONE;
    for (size_t i = 0; i < count; i++) {
        out[i] = x;
        fr_mul(&x, &x, base);
        fr_mul(&end, &end, base);
    }
    return end;
}

/* Roots in bit-reversed order: that of order 2^(t+2) doubles the table (ntt/ntt_kernel.h). */
static void fill_roots(struct ntt_factor *out, fr *scratch, unsigned log, bool inverse)
{
    scratch[0] = FR_ONE;
    for (unsigned t = 0; t < log; t++) {
        const fr w = root_of(t + 2, inverse);
        for (size_t i = 0; i < (size_t)1 << t; i++)
            fr_mul(&scratch[((size_t)1 << t) + i], &w, &scratch[i]);
    }
    for (size_t i = 0; i < (size_t)1 << log; i++)
        make_factor(&out[i], &scratch[i]);
}

static unsigned last_levels(const struct cuda_ntt_tables *t)
{
    return t->levels[t->passes - 1];
}

static unsigned roots_log(const struct cuda_ntt_tables *t)
{
    const unsigned before = t->log - last_levels(t);
    return (before > last_levels(t) ? before : last_levels(t)) - 1;
}

static size_t take(size_t *bytes, size_t count, size_t each)
{
    const size_t at = *bytes;
    *bytes += count * each;
    return at;
}

static void lay_out(struct cuda_ntt_tables *t, unsigned log)
{
    t->log = log;
    t->passes = log <= NTT_LEVELS_MAX ? 1 : log <= 2 * NTT_LEVELS_MAX - 1 ? 2 : 3;
    unsigned rest = log;
    for (unsigned i = 0; i < t->passes; i++) {
        t->levels[i] = rest / (t->passes - i);
        rest -= t->levels[i];
    }
    const unsigned before = log - last_levels(t);
    t->root_low_log = (log + 1) / 2;
    t->shift_low_log = before / 2;
    for (unsigned way = 0; way < 2; way++) {
        t->roots[way] = take(&t->bytes, (size_t)1 << roots_log(t), sizeof(struct ntt_factor));
        t->root_low[way] = take(&t->bytes, (size_t)1 << t->root_low_log, sizeof(fr));
        t->root_high[way] = take(&t->bytes, (size_t)1 << (log - t->root_low_log), sizeof(fr));
    }
    t->size_low = take(&t->bytes, (size_t)1 << t->shift_low_log, sizeof(fr));
    t->size_high = take(&t->bytes, (size_t)1 << (before - t->shift_low_log), sizeof(fr));
    t->shift_low = take(&t->bytes, (size_t)1 << t->shift_low_log, sizeof(fr));
    t->shift_high = take(&t->bytes, (size_t)1 << (before - t->shift_low_log), sizeof(fr));
    t->scale = take(&t->bytes, (size_t)1 << last_levels(t), sizeof(struct ntt_factor));
}

/* The powers of base by the reversal of a block's number, with 1/n, and those by the position in it. */
static void fill_shift(struct cuda_ntt_tables *t, fr *low, fr *high, struct ntt_factor *scale, const fr *base)
{
    const unsigned before = t->log - last_levels(t);
    fr size_inverse, step = *base, x;
    fr_double(&size_inverse, &FR_ONE);
    fr_inv(&size_inverse, &size_inverse);
    x = size_inverse;
    for (unsigned i = 1; i < t->log; i++)
        fr_mul(&size_inverse, &size_inverse, &x);
    const fr high_base = fill_powers(low, (size_t)1 << t->shift_low_log, &size_inverse, base);
    fill_powers(high, (size_t)1 << (before - t->shift_low_log), &FR_ONE, &high_base);
    if (!scale)
        return;
    for (unsigned i = 0; i < before; i++)
        fr_sqr(&step, &step);
    x = FR_ONE;
    for (uint32_t j = 0; j < UINT32_C(1) << last_levels(t); j++) {
        make_factor(&scale[reversed(j, last_levels(t))], &x);
        fr_mul(&x, &x, &step);
    }
}

cuzk_status cuda_ntt_tables_new(struct cuda_ntt_tables *out, struct budget *budget, unsigned log,
                                struct cuzk_error *e)
{
    if (log < CUDA_NTT_MIN_LOG || log > CUDA_NTT_MAX_LOG)
        return error_set(e, CUZK_ERR_ARGUMENT, "a transform of size 2^%u on a GPU, possible are 2^%u to 2^%u",
                         log, CUDA_NTT_MIN_LOG, CUDA_NTT_MAX_LOG);
    struct cuda_ntt_tables t = {.bytes = 0};
    struct block scratch = {0};
    lay_out(&t, log);
    cuzk_status status = block_new(&t.block, budget, t.bytes, 1, "transform tables", e);
    if (status == CUZK_OK)
        status = block_new(&scratch, budget, (size_t)1 << roots_log(&t), sizeof(fr), "transform tables", e);
    if (status != CUZK_OK) {
        block_free(&t.block);
        return status;
    }
    unsigned char *base = t.block.ptr;
    for (unsigned way = 0; way < 2; way++) {
        const fr root = root_of(log, way == 1);
        fill_roots((void *)(base + t.roots[way]), scratch.ptr, roots_log(&t), way == 1);
        const fr high =
            fill_powers((void *)(base + t.root_low[way]), (size_t)1 << t.root_low_log, &FR_ONE, &root);
        fill_powers((void *)(base + t.root_high[way]), (size_t)1 << (log - t.root_low_log), &FR_ONE, &high);
    }
    fill_shift(&t, (void *)(base + t.size_low), (void *)(base + t.size_high), NULL, &FR_ONE);
    fill_shift(&t, (void *)(base + t.shift_low), (void *)(base + t.shift_high), (void *)(base + t.scale),
               &FR_GENERATOR);
    block_free(&scratch);
    *out = t;
    return CUZK_OK;
}

void cuda_ntt_tables_free(struct cuda_ntt_tables *t)
{
    block_free(&t->block);
    memset(t, 0, sizeof *t);
}

const char *cuda_ntt_kernel_name(enum cuda_ntt_kernel kernel)
{
    static const char *const names[CUDA_NTT_KERNELS] = {
        [CUDA_NTT_COLUMNS_DOWN] = "ntt_columns_down",
        [CUDA_NTT_COLUMNS_UP] = "ntt_columns_up",
        [CUDA_NTT_LAST_DOWN] = "ntt_last_down",
        [CUDA_NTT_LAST_DOWN_UP] = "ntt_last_down_up",
        [CUDA_NTT_TWIST] = "ntt_twist",
    };
    return names[kernel];
}

_Static_assert(NTT_TILE_THREADS << 3 == 1 << NTT_TILE_LOG, "eight elements a thread");
_Static_assert(CUDA_NTT_MIN_LOG >= NTT_TILE_LOG, "no transform is smaller than a tile");

/* -- lists ---------------------------------------------------------------------------------------------- */

static const void *part(const void *tables, size_t at)
{
    return (const unsigned char *)tables + at;
}

static struct ntt_powers root_powers(const struct cuda_ntt_tables *t, const void *tables, unsigned way)
{
    return (struct ntt_powers){.low = part(tables, t->root_low[way]),
                               .high = part(tables, t->root_high[way]),
                               .low_log = t->root_low_log};
}

static struct cuda_ntt_sweep sweep_of(const struct cuda_ntt_tables *t, unsigned pass,
                                      enum cuda_ntt_kernel kernel, void *a)
{
    const unsigned levels = t->levels[pass];
    const uint32_t factors = NTT_TILE_THREADS + (UINT32_C(8) << (NTT_TILE_LOG - levels));
    struct cuda_ntt_sweep s = {.kernel = kernel,
                               .blocks = UINT32_C(1) << (t->log - NTT_TILE_LOG),
                               .shared = (UINT32_C(1) << NTT_TILE_LOG) * (uint32_t)sizeof(fr),
                               .pass = {.to = a, .from = a, .log = t->log, .levels = levels}};
    for (unsigned i = 0; i < pass; i++)
        s.pass.level += t->levels[i];
    if (pass == t->passes - 1)
        s.shared += factors * (uint32_t)sizeof(struct ntt_factor);
    return s;
}

/* Down to the last levels, which are left to the caller. */
static unsigned go_down(struct cuda_ntt_sweep *sweep, const struct cuda_ntt_tables *t, const void *tables,
                        void *a, unsigned way)
{
    for (unsigned i = 0; i < t->passes; i++) {
        const bool last = i == t->passes - 1;
        sweep[i] = sweep_of(t, i, last ? CUDA_NTT_LAST_DOWN : CUDA_NTT_COLUMNS_DOWN, a);
        sweep[i].pass.down = part(tables, t->roots[way]);
        if (last)
            sweep[i].pass.down_root = root_powers(t, tables, way);
    }
    return t->passes;
}

unsigned cuda_ntt_forward(struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS], const struct cuda_ntt_tables *t,
                          const void *tables, void *out, void *a)
{
    const unsigned n = go_down(sweep, t, tables, a, 0);
    struct cuda_ntt_pass *last = &sweep[n - 1].pass;
    last->to = out;
    last->natural = last->canonical = 1;
    return n;
}

unsigned cuda_ntt_inverse(struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS], const struct cuda_ntt_tables *t,
                          const void *tables, void *out, void *a)
{
    const unsigned n = go_down(sweep, t, tables, a, 1);
    struct cuda_ntt_pass *last = &sweep[n - 1].pass;
    last->to = out;
    last->natural = last->canonical = 1;
    last->shift = (struct ntt_powers){
        .low = part(tables, t->size_low), .high = part(tables, t->size_high), .low_log = t->shift_low_log};
    return n;
}

static struct ntt_powers shift_powers(const struct cuda_ntt_tables *t, const void *tables)
{
    return (struct ntt_powers){
        .low = part(tables, t->shift_low), .high = part(tables, t->shift_high), .low_log = t->shift_low_log};
}

bool cuda_ntt_twisted(const struct cuda_ntt_tables *t)
{
    return t->passes > 1;
}

void cuda_ntt_twist(struct cuda_ntt_sweep *sweep, const struct cuda_ntt_tables *t, const void *tables,
                    void *to, bool up)
{
    *sweep = sweep_of(t, t->passes - 1, CUDA_NTT_TWIST, to);
    sweep->pass.down_root = root_powers(t, tables, up ? 0 : 1);
    if (!up)
        sweep->pass.shift = shift_powers(t, tables);
}

unsigned cuda_ntt_extend(struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS], const struct cuda_ntt_tables *t,
                         const void *tables, const struct cuda_ntt_twists *twists, void *a,
                         const void *multiply)
{
    unsigned n = go_down(sweep, t, tables, a, 1);
    struct cuda_ntt_sweep *middle = &sweep[n - 1];
    middle->kernel = CUDA_NTT_LAST_DOWN_UP;
    middle->pass.up = part(tables, t->roots[0]);
    if (twists && cuda_ntt_twisted(t)) {
        sweep[n - 2].pass.multiply = twists->down;
        middle->pass.multiply = twists->up;
        middle->pass.down_root = (struct ntt_powers){.low = NULL};
    } else {
        middle->pass.up_root = root_powers(t, tables, 0);
        middle->pass.shift = shift_powers(t, tables);
    }
    middle->pass.scale = part(tables, t->scale);
    for (unsigned i = t->passes - 1; i-- > 0; n++) {
        sweep[n] = sweep_of(t, i, CUDA_NTT_COLUMNS_UP, a);
        sweep[n].pass.up = part(tables, t->roots[0]);
    }
    if (multiply)
        sweep[n - 1].pass.multiply = multiply;
    sweep[n - 1].pass.canonical = 1;
    return n;
}
