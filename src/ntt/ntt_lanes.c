/* ntt/ntt_lanes.c - the levels of one pass, eight columns or eight blocks at once: see ntt/ntt_kernel.h.
 *
 * A pass over columns takes eight neighbouring ones as the lanes. The pass in place takes eight neighbouring
 * blocks: with X = s Y each block's modulus X^(2^levels) - z becomes one of Y^(2^levels) - 1, so that after
 * its coefficients were scaled by the powers of its own s all blocks have the roots of block 0.
 *
 * The rows of a pass, 2^levels of eight lanes, fill a good part of the second-level cache. The first half of
 * the levels goes over rows that are `width` apart, for one of `width` offsets after the other, the second
 * half over `width` neighbouring rows, one group after the other; either fits the first-level cache.
 * Elements go to limbs to the base 2^52 and back only at a pass's ends.
 *
 * Bounds in multiples of r, where 2^260 is 35: a pass begins below 2.3. On the way down a product is below 2
 * and adds that much a level; a crossing without product doubles, only in the first two levels: below 12,
 * then below 12 + 9 * 2. On the way up sums double; each third level shrinks them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "field/fr8.h"
#include "ntt/ntt_kernel.h"

#define MAX_LEVELS NTT_LANES_LOG
#define MAX_ROWS   (1 << MAX_LEVELS)

/* The rows in the cache. One more register after each group of `width` rows keeps rows that are `width` apart
 * out of the same cache sets. */
struct rows {
    unsigned levels, low; /* of them in the second half */
    size_t stride;        /* between groups, in registers */
    __m512i *at;
};

#define ROOM (FR8_LIMBS * MAX_ROWS + (1 << (MAX_LEVELS - MAX_LEVELS / 2)))

/* The roots of a pass's sub-blocks: at its level t sub-block i < 2^t has w[t][i]. */
struct lane_roots {
    const fr52_constant *w[MAX_LEVELS];
    bool first_is_one; /* all w[t][0] are 1 */
    fr52_constant local[MAX_ROWS];
};

static fr8 *row_at(const struct rows *rows, size_t group, size_t offset)
{
    return (fr8 *)(void *)(rows->at + group * rows->stride + offset * FR8_LIMBS);
}

static fr8 *row_after(fr8 *row, size_t registers)
{
    return (fr8 *)(void *)((__m512i *)(void *)row + registers);
}

static struct rows rows_of(__m512i *at, unsigned levels)
{
    const unsigned low = levels / 2;
    return (struct rows){levels, low, ((size_t)FR8_LIMBS << low) + 1, at};
}

/* ---- levels ---- */

/* (a, b) = (a + w b, a - w b) */
static inline void multiply_then_cross(fr8 *a, fr8 *b, const fr8_constant *w)
{
    const fr8 right = fr8_ripple(*b), t = fr8_mul_constant(&right, w), left = *a;
    *b = fr8_sub(fr8_add_modulus(left, 2), t);
    *a = fr8_add(left, t);
}

/* The sub-blocks from .. to - 1 of a level, one after the other. */
static void multiply_then_cross_blocks(fr8 *a, size_t half, size_t step, size_t from, size_t to,
                                       const fr52_constant *w)
{
    for (size_t i = from; i < to; i++) {
        const fr8_constant root = fr8_constant_broadcast(&w[i]);
        fr8 *left = row_after(a, 2 * i * half * step), *right = row_after(left, half * step);
        for (size_t j = 0; j < half; j++, left = row_after(left, step), right = row_after(right, step))
            multiply_then_cross(left, right, &root);
    }
}

/* (a, b) = (a + b, a - b) for b below bound r. */
static void cross(fr8 *a, fr8 *b, size_t count, size_t step, uint64_t bound, bool shrink)
{
    for (; count > 0; count--, a = row_after(a, step), b = row_after(b, step)) {
        const fr8 left = *a, right = *b;
        fr8 sum = fr8_add(left, right), difference = fr8_sub(fr8_add_modulus(left, bound), right);
        if (shrink) {
            sum = fr8_shrink(sum);
            difference = fr8_shrink(difference);
        }
        *a = sum;
        *b = difference;
    }
}

/* (a, b) = (a + b, w (a - b)) for b below bound r. */
static void cross_then_multiply(fr8 *a, fr8 *b, size_t count, size_t step, const fr52_constant *root,
                                uint64_t bound, bool shrink)
{
    const fr8_constant w = fr8_constant_broadcast(root);
    for (; count > 0; count--, a = row_after(a, step), b = row_after(b, step)) {
        const fr8 left = *a, right = *b;
        const fr8 difference = fr8_ripple(fr8_sub(fr8_add_modulus(left, bound), right));
        fr8 sum = fr8_add(left, right);
        if (shrink)
            sum = fr8_shrink(sum);
        *a = sum;
        *b = fr8_mul_constant(&difference, &w);
    }
}

/* Levels from .. from + levels - 1 of the pass on 2^levels rows, step registers apart, which are sub-block
 * `block` of level `from`. */
static void levels_down(fr8 *a, size_t step, unsigned from, unsigned levels, size_t block,
                        const struct lane_roots *roots)
{
    for (unsigned t = 0; t < levels; t++) {
        const size_t half = (size_t)1 << (levels - 1 - t), blocks = (size_t)1 << t;
        const fr52_constant *w = roots->w[from + t] + (block << t);
        size_t first = 0;
        if (block == 0 && from + t < 2 && roots->first_is_one) {
            cross(a, row_after(a, half * step), half, step, from + t == 0 ? 3 : 6, false);
            first = 1;
        }
        multiply_then_cross_blocks(a, half, step, first, blocks, w);
    }
}

/* The same backwards; done: how many levels of the pass were done before. */
static void levels_up(fr8 *a, size_t step, unsigned from, unsigned levels, size_t block,
                      const struct lane_roots *roots, unsigned done)
{
    static const uint64_t bounds[3] = {3, 6, 12};
    for (unsigned t = levels; t-- > 0; done++) {
        const size_t half = ((size_t)1 << (levels - 1 - t)), distance = half * step;
        const fr52_constant *w = roots->w[from + t] + (block << t);
        const uint64_t bound = bounds[done % 3];
        const bool shrink = done % 3 == 2;
        for (size_t i = 0; i < (size_t)1 << t; i++) {
            fr8 *left = row_after(a, 2 * i * distance), *right = row_after(left, distance);
            if (i + block == 0 && from + t < 2 && roots->first_is_one)
                cross(left, right, half, step, bound, shrink);
            else
                cross_then_multiply(left, right, half, step, &w[i], bound, shrink);
        }
    }
}

/* The four halves: over the rows of one offset of all groups, and over one group. */
static void first_levels_down(const struct rows *rows, size_t offset, const struct lane_roots *roots)
{
    levels_down(row_at(rows, 0, offset), rows->stride, 0, rows->levels - rows->low, 0, roots);
}

static void last_levels_down(const struct rows *rows, size_t group, const struct lane_roots *roots)
{
    levels_down(row_at(rows, group, 0), FR8_LIMBS, rows->levels - rows->low, rows->low, group, roots);
}

static void last_levels_up(const struct rows *rows, size_t group, const struct lane_roots *roots)
{
    levels_up(row_at(rows, group, 0), FR8_LIMBS, rows->levels - rows->low, rows->low, group, roots, 0);
}

static void first_levels_up(const struct rows *rows, size_t offset, const struct lane_roots *roots)
{
    levels_up(row_at(rows, 0, offset), rows->stride, 0, rows->levels - rows->low, 0, roots, rows->low);
}

/* ---- roots ---- */

/* w_i */
static void root_of(fr *out, const struct ntt_roots *roots, size_t i)
{
    fr_mul(out, &roots->low[i & (((size_t)1 << NTT_LOW_LOG) - 1)], &roots->high[i >> NTT_LOW_LOG]);
}

static void store_constants(fr52_constant *out, const fr8_constant *a, size_t count)
{
    uint64_t value[FR8_LIMBS][FR8_LANES], ratio[FR8_LIMBS][FR8_LANES];
    for (int k = 0; k < FR8_LIMBS; k++) {
        _mm512_storeu_si512(value[k], a->value.l[k]);
        _mm512_storeu_si512(ratio[k], a->ratio.l[k]);
    }
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < FR8_LIMBS; k++) {
            out[i].value.l[k] = value[k][i];
            out[i].ratio.l[k] = ratio[k][i];
        }
    }
}

/* out[i] = factor w_i for i < count, a power of two. */
static void multiply_roots(fr52_constant *out, const fr *factor, const struct ntt_roots *roots, size_t count)
{
    fr52_constant by;
    fr52_constant_of(&by, factor);
    const fr8_constant by8 = fr8_constant_broadcast(&by);
    for (size_t i = 0; i < count; i += FR8_LANES) {
        const fr8 w = fr8_load(&roots->low[i], 1);
        const fr8 root = fr8_factor(fr8_mul_constant(&w, &by8));
        const fr8_constant constants = fr8_constant_of(&root);
        store_constants(&out[i], &constants, count - i < FR8_LANES ? count - i : FR8_LANES);
    }
}

/* The roots of block 0. */
static void plain_roots(struct lane_roots *out, unsigned levels, const struct ntt_roots *roots)
{
    out->first_is_one = true;
    for (unsigned t = 0; t < levels; t++)
        out->w[t] = roots->constants;
}

/* local: MAX_ROWS, for what is in no table. */
static void find_roots(struct lane_roots *out, fr52_constant *local, const struct ntt_pass *p,
                       const struct ntt_roots *roots, const fr *shift, size_t block)
{
    if (block == 0 && !shift) {
        plain_roots(out, p->levels, roots);
        return;
    }
    out->first_is_one = false;
    for (unsigned t = 0; t < p->levels; t++) {
        /* w_(first + i) = w_first w_i, as the indices share no bit */
        fr base;
        root_of(&base, roots, block << t);
        if (shift)
            fr_mul(&base, &base, &shift[p->log - 1 - p->level - t]);
        fr52_constant *w = &local[(size_t)1 << t];
        multiply_roots(w, &base, roots, (size_t)1 << t);
        out->w[t] = w;
    }
}

/* ---- powers that scale eight blocks ---- */

struct scaling {
    fr8 start;          /* each lane's factor for row 0 */
    fr8_constant ratio; /* s: row j gets start s^j */
    fr8_constant leap;  /* s^width */
};

/* a w, rippled; for a below 2 r the result is below 1.1 r. */
static fr8 times(const fr8 *a, const fr8_constant *w)
{
    return fr8_ripple(fr8_mul_constant(a, w));
}

static fr8 factors_of(const fr a[FR8_LANES])
{
    return fr8_canonical(fr8_factor(fr8_load(a, 1)));
}

static void find_scaling(struct scaling *out, const struct ntt_pass *p, const struct rows *rows,
                         const struct ntt_roots *roots, const fr *shift, const fr *start, size_t block)
{
    fr ratio[FR8_LANES];
    for (size_t i = 0; i < FR8_LANES; i++) {
        root_of(&ratio[i], roots, (block + i) << (p->levels - 1));
        if (shift)
            fr_mul(&ratio[i], &ratio[i], &shift[0]);
    }
    out->start = factors_of(start);
    fr8 power = factors_of(ratio);
    out->ratio = fr8_constant_of(&power);
    for (unsigned i = 0; i < rows->low; i++)
        power = fr8_carry(fr8_sqr(&power));
    out->leap = fr8_constant_of(&power);
}

/* What the positions of each block have in common of p->scale p->base_powers^(reversed position). */
static void find_constants(fr out[FR8_LANES], const struct ntt_pass *p, size_t block)
{
    for (size_t i = 0; i < FR8_LANES; i++) {
        out[i] = p->scale ? *p->scale : FR_ONE;
        for (unsigned b = 0; p->base_powers && b < p->level; b++) {
            if (((block + i) >> b) & 1) /* is bit level - 1 - b of the reversed position */
                fr_mul(&out[i], &out[i], &p->base_powers[p->level - 1 - b]);
        }
    }
}

/* ---- tasks ---- */

/* Eight blocks, a the first one's start: down from memory, on the rows. */
static void blocks_down(const struct ntt_pass *p, const struct rows *rows, const fr *a, size_t block)
{
    const size_t width = (size_t)1 << rows->low, groups = (size_t)1 << (rows->levels - rows->low);
    struct lane_roots roots;
    struct scaling s;
    fr constants[FR8_LANES];
    plain_roots(&roots, p->levels, p->down);
    find_constants(constants, p, block);
    find_scaling(&s, p, rows, p->down, p->shift, constants, block);
    for (size_t i = 0; i < width; i++) {
        fr8 factor = s.start;
        for (size_t g = 0; g < groups; g++) {
            const fr8 v = fr8_load(a + (g << rows->low) + i, (size_t)1 << p->levels);
            *row_at(rows, g, i) = fr8_mul(&v, &factor);
            factor = times(&factor, &s.leap);
        }
        s.start = times(&s.start, &s.ratio);
        first_levels_down(rows, i, &roots);
    }
    for (size_t g = 0; g < groups; g++) {
        last_levels_down(rows, g, &roots);
        for (size_t i = 0; p->base_powers && i < width; i++) {
            fr8 *row = row_at(rows, g, i);
            const fr8 power = fr8_broadcast(&p->low_factors[(g << rows->low) + i]), v = fr8_ripple(*row);
            *row = fr8_mul(&v, &power);
        }
    }
}

/* And up again, to memory. */
static void blocks_up(const struct ntt_pass *p, const struct rows *rows, fr *a, size_t block)
{
    const size_t width = (size_t)1 << rows->low, groups = (size_t)1 << (rows->levels - rows->low);
    struct lane_roots roots;
    struct scaling s;
    fr ones[FR8_LANES];
    for (size_t i = 0; i < FR8_LANES; i++)
        ones[i] = FR_ONE;
    plain_roots(&roots, p->levels, p->up);
    find_scaling(&s, p, rows, p->up, NULL, ones, block);
    for (size_t g = 0; g < groups; g++)
        last_levels_up(rows, g, &roots);
    for (size_t i = 0; i < width; i++) {
        fr8 factor = s.start;
        first_levels_up(rows, i, &roots);
        for (size_t g = 0; g < groups; g++) {
            fr8 v = fr8_ripple(*row_at(rows, g, i));
            v = fr8_carry(fr8_mul(&v, &factor)); /* below 23 * 1.1 / 35 r + r < 2^256 */
            fr8_store(a + (g << rows->low) + i, (size_t)1 << p->levels, &v);
            factor = times(&factor, &s.leap);
        }
        s.start = times(&s.start, &s.ratio);
    }
}

static void in_place_task(void *ctx, size_t task, unsigned worker)
{
    const struct ntt_pass *p = ctx;
    (void)worker;
    if (exec_cancelled(p->x))
        return;
    VERIFY(p->down && p->group == FR8_LANES && (p->up ? p->base_powers && !p->canonical : p->canonical));
    __m512i room[ROOM];
    const struct rows rows = rows_of(room, p->levels);
    const size_t block = task * FR8_LANES, size = (size_t)1 << p->levels;
    fr *a = p->a + (block << p->levels);
    blocks_down(p, &rows, a, block);
    if (p->up) {
        blocks_up(p, &rows, a, block);
        return;
    }
    for (size_t j = 0; j < size; j++) {
        const fr8 v = fr8_canonical(*row_at(&rows, j >> rows.low, j & (((size_t)1 << rows.low) - 1)));
        fr8_store(a + j, size, &v);
    }
}

static void load_row(const struct rows *rows, size_t group, size_t offset, const fr *a, size_t columns)
{
    *row_at(rows, group, offset) = fr8_load(a + ((group << rows->low) + offset) * columns, 1);
}

/* Rows lie too far apart for the processor to foresee the next ones. */
static void prefetch_row(const struct rows *rows, size_t group, size_t offset, const fr *a, size_t columns)
{
    const fr *row = a + ((group << rows->low) + offset) * columns;
    for (size_t i = 0; i < FR8_LANES; i += 2)
        __builtin_prefetch(row + i, 0, 2);
}

static void store_row(const struct rows *rows, size_t group, size_t offset, fr *a, size_t columns,
                      bool canonical)
{
    fr8 v = *row_at(rows, group, offset);
    v = canonical ? fr8_canonical(v) : fr8_shrink(v);
    fr8_store(a + ((group << rows->low) + offset) * columns, 1, &v);
}

/* Eight columns, from a on. */
static void columns_down(const struct ntt_pass *p, const struct rows *rows, const struct lane_roots *roots,
                         fr *a, size_t columns)
{
    const size_t width = (size_t)1 << rows->low, groups = (size_t)1 << (rows->levels - rows->low);
    for (size_t i = 0; i < width; i++) {
        for (size_t g = 0; g < groups; g++) {
            load_row(rows, g, i, a, columns);
            if (i + 1 < width)
                prefetch_row(rows, g, i + 1, a, columns);
        }
        first_levels_down(rows, i, roots);
    }
    for (size_t g = 0; g < groups; g++) {
        last_levels_down(rows, g, roots);
        for (size_t i = 0; i < width; i++)
            store_row(rows, g, i, a, columns, p->canonical);
    }
}

static void columns_up(const struct ntt_pass *p, const struct rows *rows, const struct lane_roots *roots,
                       fr *a, size_t columns)
{
    const size_t width = (size_t)1 << rows->low, groups = (size_t)1 << (rows->levels - rows->low);
    for (size_t g = 0; g < groups; g++) {
        for (size_t i = 0; i < width; i++)
            load_row(rows, g, i, a, columns);
        last_levels_up(rows, g, roots);
    }
    for (size_t i = 0; i < width; i++) {
        first_levels_up(rows, i, roots);
        for (size_t g = 0; g < groups; g++)
            store_row(rows, g, i, a, columns, p->canonical);
    }
}

static void columns_task(void *ctx, size_t task, unsigned worker)
{
    const struct ntt_pass *p = ctx;
    (void)worker;
    if (exec_cancelled(p->x))
        return;
    const size_t columns = (size_t)1 << (p->log - p->level - p->levels);
    const size_t tasks_per_block = columns / FR8_LANES / p->group;
    const size_t block = task / tasks_per_block;
    fr *a = p->a + (block * columns << p->levels) + task % tasks_per_block * p->group * FR8_LANES;
    __m512i room[ROOM];
    const struct rows rows = rows_of(room, p->levels);
    struct lane_roots roots;
    fr52_constant local[MAX_ROWS];
    find_roots(&roots, local, p, p->down ? p->down : p->up, p->down ? p->shift : NULL, block);
    for (size_t k = 0; k < p->group; k++) {
        if (p->down)
            columns_down(p, &rows, &roots, a + k * FR8_LANES, columns);
        else
            columns_up(p, &rows, &roots, a + k * FR8_LANES, columns);
    }
}

const struct ntt_kernel V(ntt_kernel) = {
    .columns = columns_task,
    .in_place = in_place_task,
    .column_width = FR8_LANES,
    .column_group = 4,
    .column_log = NTT_LANES_LOG,
    .block_group = FR8_LANES,
    .last_log = NTT_LANES_LOG,
    .lanes = true,
};
