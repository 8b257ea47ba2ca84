/* ntt/ntt_pass.c - the levels of one pass, compiled for each CPU variant: see ntt/ntt_kernel.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "ntt/ntt_kernel.h"

#define MAX_LEVELS NTT_LAST_LOG

/* The roots of a block's sub-blocks: at level L + t of the pass, sub-block i < 2^t has w[t][i]. */
struct block_roots {
    const fr *w[MAX_LEVELS];
    bool first_is_one; /* all w[t][0] are 1 */
    fr local[1 << MAX_LEVELS];
};

#ifdef CUZK_VARIANT_ADX

#define multiply_then_cross ntt_multiply_then_cross_adx
#define cross_then_multiply ntt_cross_then_multiply_adx
#define cross               ntt_cross_adx

#else

static void multiply_then_cross(fr *a, fr *b, size_t count, size_t step, const fr *w, size_t w_step)
{
    for (; count > 0; count--, a += step, b += step, w += w_step) {
        fr t;
        fr_mul(&t, b, w);
        fr_sub(b, a, &t);
        fr_add(a, a, &t);
    }
}

static void cross_then_multiply(fr *a, fr *b, size_t count, size_t step, const fr *w, size_t w_step)
{
    for (; count > 0; count--, a += step, b += step, w += w_step) {
        fr t;
        fr_sub(&t, a, b);
        fr_add(a, a, b);
        fr_mul(b, &t, w);
    }
}

static void cross(fr *a, fr *b, size_t count, size_t step, const fr *w, size_t w_step)
{
    (void)w;
    (void)w_step;
    for (; count > 0; count--, a += step, b += step) {
        fr t;
        fr_sub(&t, a, b);
        fr_add(a, a, b);
        *b = t;
    }
}

#endif

static void check_bounds(const fr *a, size_t count)
{
#ifdef CUZK_CHECKED
    for (size_t i = 0; i < count; i++) {
        fr half = a[i]; /* below 2r: with r taken off once, below r */
        if (!fr_is_canonical(&half))
            fr_reduce_once(&half);
        VERIFY(fr_is_canonical(&half));
    }
#else
    (void)a;
    (void)count;
#endif
}

static void find_roots(struct block_roots *out, const struct ntt_pass *p, const struct ntt_roots *roots,
                       const fr *shift, size_t block)
{
    out->first_is_one = block == 0 && !shift;
    for (unsigned t = 0; t < p->levels; t++) {
        const size_t first = block << t, count = (size_t)1 << t;
        if (!shift && first + count <= (size_t)1 << NTT_LOW_LOG) {
            out->w[t] = &roots->low[first];
            continue;
        }
        /* w_(first + i) = w_first w_i, as the indices share no bit */
        fr base;
        fr_mul(&base, &roots->low[first & (((size_t)1 << NTT_LOW_LOG) - 1)],
               &roots->high[first >> NTT_LOW_LOG]);
        if (shift)
            fr_mul(&base, &base, &shift[p->log - 1 - p->level - t]);
        fr *w = &out->local[count];
        w[0] = base;
        for (size_t i = 1; i < count; i++)
            fr_mul(&w[i], &base, &roots->low[i]);
        out->w[t] = w;
    }
}

/* All levels on a matrix of 2^levels rows of `width` elements, row by row. Short rows of a level go block
 * by block with one root each, long ones the other way round. */
static void levels_down(fr *a, unsigned levels, size_t width, const struct block_roots *roots)
{
    for (unsigned t = 0; t < levels; t++) {
        const size_t h = width << (levels - 1 - t), blocks = (size_t)1 << t;
        if (h < 8) {
            for (size_t j = 0; j < h; j++)
                multiply_then_cross(a + j, a + j + h, blocks, 2 * h, roots->w[t], 1);
            continue;
        }
        for (size_t i = 0; i < blocks; i++) {
            fr *block = a + 2 * h * i;
            if (i == 0 && roots->first_is_one)
                cross(block, block + h, h, 1, roots->w[t], 0);
            else
                multiply_then_cross(block, block + h, h, 1, &roots->w[t][i], 0);
        }
    }
    check_bounds(a, width << levels);
}

static void levels_up(fr *a, unsigned levels, size_t width, const struct block_roots *roots)
{
    for (unsigned t = levels; t-- > 0;) {
        const size_t h = width << (levels - 1 - t), blocks = (size_t)1 << t;
        if (h < 8) {
            for (size_t j = 0; j < h; j++)
                cross_then_multiply(a + j, a + j + h, blocks, 2 * h, roots->w[t], 1);
            continue;
        }
        for (size_t i = 0; i < blocks; i++) {
            fr *block = a + 2 * h * i;
            if (i == 0 && roots->first_is_one)
                cross(block, block + h, h, 1, roots->w[t], 0);
            else
                cross_then_multiply(block, block + h, h, 1, &roots->w[t][i], 0);
        }
    }
    check_bounds(a, width << levels);
}

static void make_canonical(fr *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fr_reduce_once(&a[i]);
}

static void scale_block(const struct ntt_pass *p, fr *a, size_t block)
{
    const size_t count = (size_t)1 << p->levels;
    fr scale = *p->scale, t;
    if (!p->base_powers) {
        for (size_t i = 0; i < count; i++)
            fr_mul(&a[i], &scale, &a[i]);
        return;
    }
    /* bit b of the block's number is bit level - 1 - b of the reversed position */
    for (unsigned b = 0; b < p->level; b++) {
        if ((block >> b) & 1)
            fr_mul(&scale, &scale, &p->base_powers[p->level - 1 - b]);
    }
    for (size_t i = 0; i < count; i++) {
        fr_mul(&t, &scale, &p->low_powers[i]);
        fr_mul(&a[i], &t, &a[i]);
    }
}

static void in_place_task(void *ctx, size_t task, unsigned worker)
{
    const struct ntt_pass *p = ctx;
    (void)worker;
    if (exec_cancelled(p->x))
        return;
    struct block_roots roots;
    for (size_t k = 0; k < p->group; k++) {
        const size_t block = task * p->group + k;
        fr *a = p->a + (block << p->levels);
        if (p->down) {
            find_roots(&roots, p, p->down, p->shift, block);
            levels_down(a, p->levels, 1, &roots);
        }
        if (p->scale)
            scale_block(p, a, block);
        if (p->up) {
            find_roots(&roots, p, p->up, NULL, block);
            levels_up(a, p->levels, 1, &roots);
        }
        if (p->canonical)
            make_canonical(a, (size_t)1 << p->levels);
    }
}

static void columns_task(void *ctx, size_t task, unsigned worker)
{
    const struct ntt_pass *p = ctx;
    (void)worker;
    if (exec_cancelled(p->x))
        return;
    const size_t rows = (size_t)1 << p->levels, columns = (size_t)1 << (p->log - p->level - p->levels);
    const size_t tasks_per_block = columns / NTT_COLUMNS / p->group;
    const size_t block = task / tasks_per_block;
    fr *matrix = p->a + block * rows * columns + task % tasks_per_block * p->group * NTT_COLUMNS;
    struct block_roots roots;
    fr buffer[NTT_COLUMNS << NTT_COLUMN_LOG];
    if (p->down)
        find_roots(&roots, p, p->down, p->shift, block);
    else
        find_roots(&roots, p, p->up, NULL, block);
    for (size_t k = 0; k < p->group; k++) {
        fr *a = matrix + k * NTT_COLUMNS;
        for (size_t i = 0; i < rows; i++)
            memcpy(&buffer[i * NTT_COLUMNS], &a[i * columns], NTT_COLUMNS * sizeof(fr));
        if (p->down)
            levels_down(buffer, p->levels, NTT_COLUMNS, &roots);
        else
            levels_up(buffer, p->levels, NTT_COLUMNS, &roots);
        if (p->canonical)
            make_canonical(buffer, rows * NTT_COLUMNS);
        for (size_t i = 0; i < rows; i++)
            memcpy(&a[i * columns], &buffer[i * NTT_COLUMNS], NTT_COLUMNS * sizeof(fr));
    }
}

const struct ntt_kernel V(ntt_kernel) = {
    .columns = columns_task,
    .in_place = in_place_task,
    .column_width = NTT_COLUMNS,
    .column_group = 8,
    .column_log = NTT_COLUMN_LOG,
    .block_group = 4,
    .last_log = NTT_LAST_LOG,
};
