/* backend/cuda/ntt_tile.cuh - one tile of a sweep (ntt_pass.h), for kernels and, from the same source, for
 * the host.
 *
 * A tile is a matrix of 2^levels rows and as many columns as there is room for: neighbouring columns of one
 * block, or, in the sweep with the last levels, one column of each of several blocks, those whose results
 * are neighbours in natural order. It is copied to shared memory, where three levels at a time are done by
 * threads that hold eight elements each, and back. Team::each runs a step for all threads, after which those
 * of a warp have waited for each other; Team::barrier makes all of them wait. Only the first three levels
 * need that: after them, 32 threads go through the same 256 elements, step by step.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_NTT_TILE_CUH
#define BACKEND_CUDA_NTT_TILE_CUH

#include "backend/cuda/element.cuh"
#include "backend/cuda/ntt_pass.h"
#include "backend/cuda/shared.cuh"

#ifdef __CUDACC__
#define ROLLED   _Pragma("unroll 1")
#define UNROLL_4 _Pragma("unroll 4")
#else
#define ROLLED
#define UNROLL_4
#endif

/* -- products by a fixed factor ------------------------------------------------------------------------ */

/* The factor at hand, in two elements. */
struct ntt_fixed {
    fr32 plain, quotient;
};

FIELD_FN ntt_fixed ntt_load_factor(const ntt_factor *from, uint64_t index)
{
    return {fr32_load(from, 2 * index), fr32_load(from, 2 * index + 1)};
}

FIELD_FN void word_mad_low(carry &c, uint32_t &acc, uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
    asm volatile("madc.lo.u32 %0, %1, %2, %0;" : "+r"(acc) : "r"(a), "r"(b));
#else
    acc += a * b + c.bit;
#endif
}

/* a b / 2^256 from the products of weight 2^192 and above: at most one too small. */
FIELD_FN fr32 words_high(const fr32 &a, const fr32 &b)
{
    carry c = {0};
    fr32 out;
    /* even[k] weighs 2^(32 (k + 6)), odd[k] 2^(32 (k + 7)) */
    uint32_t even[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, odd[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    UNROLL
    for (int i = 0; i < 8; i++) {
        UNROLL
        for (int parity = 0; parity < 2; parity++) {
            uint32_t *acc = parity ? odd : even;
            const int first = i == 7 && parity == 0 ? 8 : 6 + parity; /* word of the lowest product */
            UNROLL
            for (int at = first; at <= i + 7; at += 2) {
                uint32_t &low = acc[at - 6 - parity], &high = acc[at - 5 - parity];
                if (i == 0)
                    mul_wide(low, high, a.w[at - i], b.w[i]);
                else if (at == first)
                    mad_cc(c, low, high, a.w[at - i], b.w[i]);
                else
                    madc_cc(c, low, high, a.w[at - i], b.w[i]);
            }
            if (i > 0 && ((i + 7 - parity) & 1)) /* the chain ended at word i + 6: what it carries is new */
                acc[i + 2 - parity] = carry_bit(c);
        }
    }
    (void)add_cc(c, even[1], odd[0]);
    UNROLL
    for (int k = 0; k < 8; k++)
        out.w[k] = addc_cc(c, even[k + 2], odd[k + 1]);
    return out;
}

/* even, odd += the low 8 words of a b, from the word `first` of b on; odd[k] weighs 2^(32 (k + 1)). */
template <int first> FIELD_FN void words_low(uint32_t *even, uint32_t *odd, const fr32 &a, const fr32 &b)
{
    carry c = {0};
    UNROLL
    for (int i = first; i < 8; i++) {
        const int even_at = (i + 1) / 2 * 2, odd_at = i / 2 * 2 + 1;
        UNROLL
        for (int at = even_at; at < 8; at += 2) {
            if (at == even_at)
                mad_cc(c, even[at], even[at + 1], a.w[at - i], b.w[i]);
            else
                madc_cc(c, even[at], even[at + 1], a.w[at - i], b.w[i]);
        }
        UNROLL
        for (int at = odd_at; at < 7; at += 2) {
            if (at == odd_at)
                mad_cc(c, odd[at - 1], odd[at], a.w[at - i], b.w[i]);
            else
                madc_cc(c, odd[at - 1], odd[at], a.w[at - i], b.w[i]);
        }
        if (odd_at == 7)
            odd[6] += a.w[7 - i] * b.w[i];
        else
            word_mad_low(c, odd[6], a.w[7 - i], b.w[i]);
    }
}

/* The sum of both and of more. */
template <uint32_t more> FIELD_FN fr32 words_low_merge(const uint32_t *even, const uint32_t *odd)
{
    carry c = {0};
    fr32 out;
    out.w[0] = add_cc(c, even[0], more);
    out.w[1] = addc_cc(c, even[1], odd[0]);
    UNROLL
    for (int k = 2; k < 7; k++)
        out.w[k] = addc_cc(c, even[k], odd[k - 1]);
    out.w[7] = addc(c, even[7], odd[6]);
    return out;
}

/* a f, a below 2: below 2. The quotient found is too small by less than 1 + a / 2^256 for the two floors and
 * 2^-29 for what words_high leaves out, so that a f - quotient r is below 1.91 r, and its low words tell it.
 * (a any 256 bits: a multiple of r more or less than a f, below 2^256.) */
FIELD_FN fr32 ntt_mul(const fr32 &a, const ntt_fixed &f)
{
    /* -r = -1 + 2^32 + this, modulo 2^256 */
    const fr32 minus_r = {{0, 0, 0x0001a401, 0xac425bfd, 0xf65e27fa, 0xccc627f7, 0xd66282b7, 0x8c1258ac}};
    uint32_t even[8], odd[7];
    const fr32 q = words_high(a, f.quotient);
    UNROLL
    for (int k = 0; k < 8; k++)
        even[k] = ~q.w[k]; /* -q - 1 */
    UNROLL
    for (int k = 0; k < 7; k++)
        odd[k] = q.w[k];
    words_low<0>(even, odd, a, f.plain);
    words_low<2>(even, odd, q, minus_r);
    return words_low_merge<1>(even, odd);
}

/* fr32_from_mont without the products by one: the rows' reductions alone. v below 1 gives below 1. */
FIELD_FN fr32 ntt_plain(const fr32 &v)
{
    columns<8> t;
    fr32 out;
    carry c = {0};
    UNROLL
    for (int i = 0; i < 8; i++) {
        t.even[i] = v.w[i];
        t.odd[i] = 0;
    }
    t.low = 0;
    UNROLL
    for (int i = 0; i < 8; i++) {
        if (i > 0) { /* take the word in that the last shift left over */
            t.even[0] = add_cc(c, t.even[0], t.low);
            UNROLL
            for (int j = 0; j < 7; j++)
                t.odd[j] = addc_cc(c, t.odd[j], 0);
            t.odd[7] = addc(c, t.odd[7], 0);
            t.low = 0;
        }
        fr32_row_reduce(t);
    }
    columns_merge<8>(out.w, t);
    return fr32_reduce(out);
}

/* The factor of an element below r in Montgomery form: with v that and x the plain integer, x 2^256 - v is
 * the multiple of r whose quotient is wanted. */
FIELD_FN ntt_fixed ntt_fix(const fr32 &v)
{
    /* -1/r mod 2^256 */
    const fr32 minus_inverse = {
        {0xffffffff, 0xfffffffe, 0xfffe5bfd, 0x53ba5bff, 0x0004ec06, 0x181b2c17, 0xd7bf2839, 0x3d443ab0}};
    uint32_t even[8] = {0, 0, 0, 0, 0, 0, 0, 0}, odd[7] = {0, 0, 0, 0, 0, 0, 0};
    words_low<0>(even, odd, v, minus_inverse);
    return {ntt_plain(v), words_low_merge<0>(even, odd)};
}

/* -- sums below 2 r ------------------------------------------------------------------------------------ */

FIELD_FN fr32 fr32_twice_modulus()
{
    return {{0x00000002, 0xfffffffe, 0xfffcb7fd, 0xa77b4805, 0x1343b00a, 0x6673b010, 0x533afa90, 0xe7db4ea6}};
}

/* a + 2 r where below is not 0, else a. */
FIELD_FN fr32 ntt_add_twice_modulus(fr32 a, uint32_t below)
{
#ifdef __CUDA_ARCH__
    asm volatile("{.reg .pred p; setp.ne.u32 p, %8, 0;"
                 "@p add.cc.u32 %0, %0, 0x00000002; @p addc.cc.u32 %1, %1, 0xfffffffe;"
                 "@p addc.cc.u32 %2, %2, 0xfffcb7fd; @p addc.cc.u32 %3, %3, 0xa77b4805;"
                 "@p addc.cc.u32 %4, %4, 0x1343b00a; @p addc.cc.u32 %5, %5, 0x6673b010;"
                 "@p addc.cc.u32 %6, %6, 0x533afa90; @p addc.u32 %7, %7, 0xe7db4ea6;}"
                 : "+r"(a.w[0]), "+r"(a.w[1]), "+r"(a.w[2]), "+r"(a.w[3]), "+r"(a.w[4]), "+r"(a.w[5]),
                   "+r"(a.w[6]), "+r"(a.w[7])
                 : "r"(below));
#else
    carry c;
    const fr32 r2 = fr32_twice_modulus();
    if (below)
        words_add<8>(c, a.w, a.w, r2.w);
#endif
    return a;
}

/* below 2, below 2 give below 2 */
FIELD_FN fr32 ntt_sub(const fr32 &a, const fr32 &b)
{
    carry c;
    fr32 out;
    words_sub<8>(c, out.w, a.w, b.w);
    return ntt_add_twice_modulus(out, borrow_mask(c));
}

FIELD_FN fr32 ntt_add(const fr32 &a, const fr32 &b)
{
    /* 2^256 - 2 r */
    const fr32 minus_r2 = {
        {0xfffffffe, 0x00000001, 0x00034802, 0x5884b7fa, 0xecbc4ff5, 0x998c4fef, 0xacc5056f, 0x1824b159}};
    carry c;
    fr32 sum, out;
    words_add<8>(c, sum.w, a.w, b.w);
    uint32_t reduced = carry_bit(c);
    words_add<8>(c, out.w, sum.w, minus_r2.w);
    reduced = addc(c, reduced, 0); /* a + b >= 2 r if either carried */
    UNROLL
    for (int i = 0; i < 8; i++)
        out.w[i] = reduced ? out.w[i] : sum.w[i];
    return out;
}

/* -- the tile ------------------------------------------------------------------------------------------ */

FIELD_FN uint32_t reverse_bits(uint32_t x, uint32_t bits)
{
    if (bits == 0)
        return 0;
#ifdef __CUDA_ARCH__
    return __brev(x) >> (32 - bits);
#else
    uint32_t out = 0;
    for (uint32_t i = 0; i < bits; i++)
        out |= (x >> i & 1) << (bits - 1 - i);
    return out;
#endif
}

/* Shared memory: the elements' low halves, their high halves, the factors of the twist. */
struct ntt_tile {
    fr32_half *half;        /* 2 << NTT_TILE_LOG */
    fr32_half *twist;       /* four a factor: by (column, low part of the row), then by (column, high part) */
    uint32_t column_log;    /* of its columns */
    uint32_t column, block; /* its first ones */
    bool last;              /* columns are blocks */
};

/* The k-th thing of a thread, where its warp has 32 * each of them in a row. */
FIELD_FN uint32_t ntt_item(uint32_t thread, uint32_t each, uint32_t k)
{
    return (thread & ~31u) * each + (thread & 31) + 32 * k;
}

/* Where an element's halves lie, so that neighbours in rows and in columns are in different banks. */
FIELD_FN uint32_t ntt_slot(const ntt_tile &t, uint32_t row, uint32_t column)
{
    const uint32_t at = row << t.column_log | column;
    return at ^ (at >> 3 & 7);
}

FIELD_FN fr32 ntt_get(const ntt_tile &t, uint32_t slot)
{
    return fr32_join(t.half[slot], t.half[(slot ^ 4) + (1u << NTT_TILE_LOG)]);
}

FIELD_FN void ntt_put(const ntt_tile &t, uint32_t slot, const fr32 &x)
{
    t.half[slot] = fr32_low(x);
    t.half[(slot ^ 4) + (1u << NTT_TILE_LOG)] = fr32_high(x);
}

FIELD_FN ntt_tile ntt_tile_of(const cuda_ntt_pass &p, void *shared, uint32_t number)
{
    ntt_tile t;
    t.column_log = NTT_TILE_LOG - p.levels;
    t.half = (fr32_half *)shared;
    t.twist = t.half + (2u << NTT_TILE_LOG);
    t.last = p.level + p.levels == p.log;
    if (t.last) {
        t.block = number;
        t.column = 0;
    } else {
        const uint32_t tiles_log = p.log - p.level - p.levels - t.column_log; /* in a block */
        t.block = number >> tiles_log;
        t.column = (number & ((1u << tiles_log) - 1)) << t.column_log;
    }
    return t;
}

/* The block of one of the tile's columns. */
FIELD_FN uint32_t ntt_block_of(const cuda_ntt_pass &p, const ntt_tile &t, uint32_t column)
{
    return t.last ? column << (p.level - t.column_log) | t.block : t.block;
}

FIELD_FN uint64_t ntt_place(const cuda_ntt_pass &p, const ntt_tile &t, uint32_t row, uint32_t column)
{
    if (t.last)
        return (uint64_t)ntt_block_of(p, t, column) << p.levels | row;
    return (uint64_t)t.block << (p.log - p.level) | (uint64_t)row << (p.log - p.level - p.levels) |
           (t.column + column);
}

/* Calls step with a place in memory and a slot for each of the thread's halves; threads that are neighbours
 * get halves that are neighbours in memory. */
template <class Step>
FIELD_FN void ntt_walk(const cuda_ntt_pass &p, const ntt_tile &t, uint32_t thread, Step step)
{
    const uint32_t at = thread >> 1, high = thread & 1, apart = NTT_TILE_THREADS / 2; /* elements at a time */
    const uint32_t columns = t.last ? 1u << t.column_log : 1;
    const uint32_t slot_step = t.last ? apart << t.column_log : apart;
    const uint64_t place_step =
        t.last ? 2 * apart : (uint64_t)(2 * apart >> t.column_log) << (p.log - p.level - p.levels);
    ROLLED
    for (uint32_t column = 0; column < columns; column++) {
        const uint32_t r = t.last ? at : at >> t.column_log;
        const uint32_t c = t.last ? column : at & ((1u << t.column_log) - 1);
        uint64_t place = ntt_place(p, t, r, c) * 2 + high;
        uint32_t slot = ntt_slot(t, r, c);
        if (high)
            slot = (slot ^ 4) + (1u << NTT_TILE_LOG);
        UNROLL_4
        for (uint32_t k = 0; k < (2u << NTT_TILE_LOG) / NTT_TILE_THREADS / columns; k++) {
            step(place, slot);
            place += place_step;
            slot += slot_step;
        }
    }
}

FIELD_FN void ntt_copy_in(const cuda_ntt_pass &p, const ntt_tile &t, uint32_t thread)
{
    ntt_walk(p, t, thread, [&](uint64_t place, uint32_t slot) {
        copy_send<false>(t.half + slot, (const fr32_half *)p.from + place);
    });
}

FIELD_FN void ntt_copy_out(const cuda_ntt_pass &p, const ntt_tile &t, uint32_t thread)
{
    ntt_walk(p, t, thread, [&](uint64_t place, uint32_t slot) { ((fr32_half *)p.to)[place] = t.half[slot]; });
}

/* The last levels' results in natural order: those of one row are neighbours. */
FIELD_FN void ntt_copy_out_natural(const cuda_ntt_pass &p, const ntt_tile &t, uint32_t thread)
{
    for (uint32_t i = thread; i < 2u << NTT_TILE_LOG; i += NTT_TILE_THREADS) {
        const uint32_t row = i >> 1 >> t.column_log, at = i >> 1 & ((1u << t.column_log) - 1), high = i & 1;
        const uint64_t place = (uint64_t)reverse_bits(row, p.levels) << p.level |
                               reverse_bits(t.block, p.level - t.column_log) << t.column_log | at;
        const uint32_t slot = ntt_slot(t, row, reverse_bits(at, t.column_log));
        ((fr32_half *)p.to)[place * 2 + high] = t.half[high ? (slot ^ 4) + (1u << NTT_TILE_LOG) : slot];
    }
}

/* Out of a sweep, each value times its partner. */
FIELD_FN void ntt_multiply_out(const cuda_ntt_pass &p, const ntt_tile &t, uint32_t thread)
{
    for (uint32_t i = thread; i < 1u << NTT_TILE_LOG; i += NTT_TILE_THREADS) {
        const uint32_t row = i >> t.column_log, column = i & ((1u << t.column_log) - 1);
        const uint64_t place = ntt_place(p, t, row, column);
        fr32_store(p.to, place, fr32_mul(ntt_get(t, ntt_slot(t, row, column)), fr32_load(p.multiply, place)));
    }
}

/* -- twists -------------------------------------------------------------------------------------------- */

FIELD_FN fr32 ntt_power(const ntt_powers &powers, uint32_t exponent)
{
    return fr32_mul(fr32_load(powers.low, exponent & ((1u << powers.low_log) - 1)),
                    fr32_load(powers.high, exponent >> powers.low_log));
}

FIELD_FN void ntt_put_factor(fr32_half *to, uint32_t index, const ntt_fixed &f)
{
    to[4 * index] = fr32_low(f.plain);
    to[4 * index + 1] = fr32_high(f.plain);
    to[4 * index + 2] = fr32_low(f.quotient);
    to[4 * index + 3] = fr32_high(f.quotient);
}

FIELD_FN ntt_fixed ntt_get_factor(const fr32_half *from, uint32_t index)
{
    return {fr32_join(from[4 * index], from[4 * index + 1]),
            fr32_join(from[4 * index + 2], from[4 * index + 3])};
}

/* The factors of the twist: position low + high 2^(levels - 3) of a column's block with root z is multiplied
 * by z^low, then by (z^(2^(levels - 3)))^high shift^(reversal of the block). */
FIELD_FN void ntt_make_twist(const cuda_ntt_pass &p, const ntt_tile &t, bool down, uint32_t thread)
{
    const uint32_t low_log = p.levels - 3, lows = 1u << (t.column_log + low_log), highs = 8u << t.column_log;
    for (uint32_t i = thread; i < lows + highs; i += NTT_TILE_THREADS) {
        const bool high = i >= lows;
        const uint32_t column = high ? (i - lows) >> 3 : i >> low_log;
        const uint32_t reversed = reverse_bits(ntt_block_of(p, t, column), p.level);
        const uint32_t factor = high ? ((i - lows) & 7) << low_log : i & ((1u << low_log) - 1);
        fr32 x = ntt_power(down ? p.down_root : p.up_root, reversed * factor);
        if (high && down && p.shift.low)
            x = fr32_mul(x, ntt_power(p.shift, reversed));
        ntt_put_factor(t.twist, i, ntt_fix(x));
    }
}

/* The whole twist of one place. */
FIELD_FN void ntt_twist_place(const cuda_ntt_pass &p, uint64_t place)
{
    const uint32_t reversed = reverse_bits((uint32_t)(place >> p.levels), p.level);
    fr32 x = ntt_power(p.down_root, reversed * ((uint32_t)place & ((1u << p.levels) - 1)));
    if (p.shift.low)
        x = fr32_mul(x, ntt_power(p.shift, reversed));
    fr32_store(p.to, place, x);
}

/* For the eight elements that this thread holds in the first step down, the last one up. */
FIELD_FN void ntt_twist(const cuda_ntt_pass &p, const ntt_tile &t, bool down, uint32_t thread)
{
    const uint32_t low_log = p.levels - 3, column = thread & ((1u << t.column_log) - 1),
                   row = thread >> t.column_log;
    const fr32_half *highs = t.twist + (4u << (t.column_log + low_log));
    const ntt_fixed low = ntt_get_factor(t.twist, column << low_log | row);
    const bool first_is_one = !down || !p.shift.low;
    ROLLED
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t slot = ntt_slot(t, row | k << low_log, column);
        fr32 x = ntt_mul(ntt_get(t, slot), low);
        if (k > 0 || !first_is_one)
            x = ntt_mul(x, ntt_get_factor(highs, column << 3 | k));
        ntt_put(t, slot, x);
    }
}

FIELD_FN void ntt_scale(const cuda_ntt_pass &p, const ntt_tile &t, uint32_t thread)
{
    ROLLED
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t i = ntt_item(thread, 8, k), row = i >> t.column_log;
        const uint32_t slot = ntt_slot(t, row, i & ((1u << t.column_log) - 1));
        ntt_put(t, slot, ntt_mul(ntt_get(t, slot), ntt_load_factor(p.scale, row)));
    }
}

FIELD_FN void ntt_reduce(const ntt_tile &t, uint32_t thread)
{
    for (uint32_t i = thread; i < 1u << NTT_TILE_LOG; i += NTT_TILE_THREADS)
        ntt_put(t, i, fr32_reduce(ntt_get(t, i)));
}

/* Ask for a block's roots, so that they are near when they are needed. */
FIELD_FN void ntt_warm(const ntt_factor *roots, uint32_t levels, uint32_t block, uint32_t thread)
{
#ifdef __CUDA_ARCH__
    for (uint32_t i = thread; i < 2u << levels; i += NTT_TILE_THREADS) { /* half a factor each */
        const uint32_t root = i >> 1, level = root ? 31 - __clz((int)root) : 0;
        const char *at =
            (const char *)(roots + (((uint64_t)block << level) + (root ^ 1u << level))) + (i & 1) * 32;
        uint32_t unused = 0;
        asm volatile("ld.global.nc.u32 %0, [%1];" : "+r"(unused) : "l"(at));
        (void)unused;
    }
#else
    (void)roots, (void)levels, (void)block, (void)thread;
#endif
}

/* -- levels -------------------------------------------------------------------------------------------- */

/* x[i] goes to the place whose number has i's n bits rotated by one, to the left or to the right. */
template <int n, bool left> FIELD_FN void ntt_rotate(fr32 *x)
{
    fr32 old[1 << n];
    UNROLL
    for (int i = 0; i < 1 << n; i++)
        old[i] = x[i];
    UNROLL
    for (int i = 0; i < 1 << n; i++) {
        const int rotated = (i << 1 & ((1 << n) - 1)) | i >> (n - 1);
        if (left)
            x[rotated] = old[i];
        else
            x[i] = old[rotated];
    }
}

/* The roots of a group's level; number 0 is 1 on every level of block 0 that begins with the pass. */
struct ntt_roots {
    const ntt_factor *first;
    bool one;
};

FIELD_FN ntt_roots ntt_roots_of(const ntt_factor *roots, uint32_t block, uint32_t high, uint32_t first,
                                uint32_t level)
{
    return {roots + (((uint64_t)block << (first + level)) + (high << level)), first == 0 && block == 0};
}

FIELD_FN void ntt_cross(fr32 &a, fr32 &b)
{
    const fr32 sum = ntt_add(a, b);
    b = ntt_sub(a, b);
    a = sum;
}

/* A group's levels from `step` on, in registers whose numbers are known. */
template <int n, bool up, int step>
FIELD_FN void ntt_unrolled(const ntt_factor *all, fr32 *x, uint32_t block, uint32_t high, uint32_t first)
{
    constexpr int level = up ? n - 1 - step : step, half = 1 << (n - 1 - level);
    const ntt_roots roots = ntt_roots_of(all, block, high, first, level);
    UNROLL
    for (int j = 0; j < 1 << level; j++) {
        const bool multiply = j > 0 || !roots.one;
        ntt_fixed root = {};
        if (multiply)
            root = ntt_load_factor(roots.first, (uint32_t)j);
        UNROLL
        for (int k = 2 * half * j; k < 2 * half * j + half; k++) {
            if (!up && multiply)
                x[k + half] = ntt_mul(x[k + half], root);
            ntt_cross(x[k], x[k + half]);
            if (up && multiply)
                x[k + half] = ntt_mul(x[k + half], root);
        }
    }
    if constexpr (step + 1 < n)
        ntt_unrolled<n, up, step + 1>(all, x, block, high, first);
}

/* The same with one copy of a level: the elements change places so that x[k] and x[k + half] are partners on
 * all of them. */
template <int n, bool up>
FIELD_FN void ntt_rolled(const ntt_factor *all, fr32 *x, uint32_t block, uint32_t high, uint32_t first)
{
    constexpr int half = 1 << (n - 1);
    ROLLED
    for (uint32_t step = 0; step < n; step++) {
        const uint32_t level = up ? n - 1 - step : step, mask = (1u << level) - 1;
        const ntt_roots roots = ntt_roots_of(all, block, high, first, level);
        if (up)
            ntt_rotate<n, false>(x);
        UNROLL
        for (uint32_t k = 0; k < half; k++) {
            const bool multiply = !roots.one || (k & mask) != 0;
            if (!up && multiply)
                x[k + half] = ntt_mul(x[k + half], ntt_load_factor(roots.first, k & mask));
            ntt_cross(x[k], x[k + half]);
            if (up && multiply)
                x[k + half] = ntt_mul(x[k + half], ntt_load_factor(roots.first, k & mask));
        }
        if (!up)
            ntt_rotate<n, true>(x);
    }
}

/* n levels from level `first` of the pass on, for all groups of 2^n elements of this thread. The kernel's
 * instructions must stay in their cache: unrolled there is room for one way only. */
template <int n, bool rolled>
FIELD_FN void ntt_levels(const cuda_ntt_pass &p, const ntt_tile &t, bool up, uint32_t first, uint32_t thread)
{
    const uint32_t low_log = p.levels - first - n; /* groups that differ in the row's low bits alone */
    const uint32_t block = t.last ? 0 : t.block;
    const ntt_factor *roots = up ? p.up : p.down;
    ROLLED
    for (uint32_t item = 0; item < 1u << (3 - n); item++) {
        const uint32_t i = ntt_item(thread, 1u << (3 - n), item);
        const uint32_t column = i & ((1u << t.column_log) - 1), group = i >> t.column_log;
        const uint32_t high = group >> low_log, low = group & ((1u << low_log) - 1);
        const uint32_t row = high << (low_log + n) | low;
        fr32 x[1 << n];
        UNROLL
        for (uint32_t k = 0; k < 1u << n; k++)
            x[k] = ntt_get(t, ntt_slot(t, row | k << low_log, column));
        if (rolled && up)
            ntt_rolled<n, true>(roots, x, block, high, first);
        else if (rolled)
            ntt_rolled<n, false>(roots, x, block, high, first);
        else if (up)
            ntt_unrolled<n, true, 0>(roots, x, block, high, first);
        else
            ntt_unrolled<n, false, 0>(roots, x, block, high, first);
        UNROLL
        for (uint32_t k = 0; k < 1u << n; k++)
            ntt_put(t, ntt_slot(t, row | k << low_log, column), x[k]);
    }
}

/* A pass's levels are done three at a time, the last two or four by twos: in so many steps. */
FIELD_FN uint32_t ntt_threes(uint32_t levels)
{
    return (levels - (levels % 3 == 0 ? 0 : levels % 3 == 2 ? 2 : 4)) / 3;
}

FIELD_FN uint32_t ntt_steps(uint32_t levels)
{
    return ntt_threes(levels) + (levels - 3 * ntt_threes(levels)) / 2;
}

/* Step number `step` from the top. */
template <bool rolled>
FIELD_FN void ntt_step(const cuda_ntt_pass &p, const ntt_tile &t, bool up, uint32_t step, uint32_t thread)
{
    const uint32_t threes = ntt_threes(p.levels);
    if (step < threes)
        ntt_levels<3, rolled>(p, t, up, 3 * step, thread);
    else
        ntt_levels<2, rolled>(p, t, up, threes + 2 * step, thread);
}

/* multiplies: may this kernel be asked to. */
template <bool up, bool multiplies, class Team>
FIELD_FN void ntt_finish(const cuda_ntt_pass &p, const ntt_tile &t, const Team &team)
{
    team.barrier();
    if (multiplies && p.multiply) {
        team.each([&](uint32_t i) { ntt_multiply_out(p, t, i); });
        return;
    }
    if (p.canonical) {
        team.each([&](uint32_t i) { ntt_reduce(t, i); });
        team.barrier();
    }
    team.each([&](uint32_t i) {
        if (!up && p.natural)
            ntt_copy_out_natural(p, t, i);
        else
            ntt_copy_out(p, t, i);
    });
}

/* -- the kernels, for one tile -------------------------------------------------------------------------- */

template <bool up, class Team>
FIELD_FN void ntt_columns_tile(const cuda_ntt_pass &p, void *shared, uint32_t number, const Team &team)
{
    const ntt_tile t = ntt_tile_of(p, shared, number);
    const uint32_t steps = ntt_steps(p.levels);
    team.each([&](uint32_t i) {
        ntt_copy_in(p, t, i);
        ntt_warm(up ? p.up : p.down, p.levels, t.block, i);
        copy_wait_all();
    });
    team.barrier();
    ROLLED
    for (uint32_t k = 0; k < steps; k++) {
        if (k == (up ? steps - 1 : 1))
            team.barrier();
        team.each([&](uint32_t i) { ntt_step<false>(p, t, up, up ? steps - 1 - k : k, i); });
    }
    ntt_finish<up, true>(p, t, team);
}

/* Down, with up set up again; each thing that is done is here once, for the sake of the instructions' cache.
 */
template <bool up, class Team>
FIELD_FN void ntt_last_tile(const cuda_ntt_pass &p, void *shared, uint32_t number, const Team &team)
{
    const ntt_tile t = ntt_tile_of(p, shared, number);
    const uint32_t steps = ntt_steps(p.levels), all = up ? 2 * steps : steps;
    team.each([&](uint32_t i) { ntt_copy_in(p, t, i); });
    ROLLED
    for (uint32_t k = 0;; k++) {
        const bool begins = k == 0, turns = k == steps, ends = up && k == all;
        if (turns && p.scale)
            team.each([&](uint32_t i) { ntt_scale(p, t, i); });
        const bool twists = begins ? p.down_root.low != nullptr : up && (turns || ends) && p.up_root.low;
        if (twists && !ends)
            team.each([&](uint32_t i) { ntt_make_twist(p, t, begins, i); });
        if (begins)
            team.each([&](uint32_t) { copy_wait_all(); });
        if (begins || k == 1 || (up && k == all - 1))
            team.barrier();
        if (twists && !turns)
            team.each([&](uint32_t i) { ntt_twist(p, t, begins, i); });
        if (k == all)
            break;
        team.each(
            [&](uint32_t i) { ntt_step<up>(p, t, up && k >= steps, up && k >= steps ? all - 1 - k : k, i); });
    }
    ntt_finish<up, up>(p, t, team);
}

#undef ROLLED
#undef UNROLL_4

#endif
