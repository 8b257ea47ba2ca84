/* backend/cuda/rows_value.cuh - a thread's part of binding and evaluating (rows_args.h), for kernels and,
 * from the same source, for the host. SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_ROWS_VALUE_CUH
#define BACKEND_CUDA_ROWS_VALUE_CUH

#include "backend/cuda/element.cuh"
#include "backend/cuda/rows_args.h"

/* r1cs/template_ops.h, whose header is not for this language; rows_plan.c compares. */
enum rows_op {
    ROWS_OP_TABLE = 0,
    ROWS_OP_WIDE = 1,
};
#define ROWS_TABLES    0x4000u
#define ROWS_BIT       0x80000000u
#define ROWS_MINUS     0x80000000u
#define ROWS_PLUS_ONE  0xffffffffu
#define ROWS_MINUS_ONE 0xfffffffeu

template <class T> FIELD_FN T rows_load(const T *from)
{
#ifdef __CUDA_ARCH__
    return __ldg(from);
#else
    return *from;
#endif
}

FIELD_FN uint32_t rows_bit(const uint32_t *bits, uint32_t position)
{
    return rows_load(bits + position / 32) >> position % 32 & 1;
}

/* 32 bits from a place on. */
FIELD_FN uint32_t rows_word(const uint32_t *bits, uint32_t position)
{
    const uint64_t both =
        (uint64_t)rows_load(bits + position / 32 + 1) << 32 | rows_load(bits + position / 32);
    return (uint32_t)(both >> position % 32);
}

/* -- binding ------------------------------------------------------------------------------------------- */

/* Word k of an instance's bits. */
FIELD_FN uint32_t rows_bound_word(const rows_bind_args &a, const rows_instance &i, uint32_t k)
{
    const uint32_t first = 32 * k, end = first + 32;
    const uint32_t *binding = a.t.binding + i.binding;
    uint32_t word = 0;
    for (uint32_t at = first; at < end && at < i.bound_bits; at++)
        word |= rows_bit(a.w.bit, rows_load(binding + at)) << (at - first);
    if (end <= i.bound_bits)
        return word;
    const uint32_t skip =
        first < i.bound_bits ? i.bound_bits - first : 0; /* bits of the word that are taken */
    const uint32_t own = first + skip - i.bound_bits;
    if (own >= i.bits)
        return word;
    uint32_t x = rows_word(a.w.bit, i.first_bit + own);
    if (i.bits - own < 32)
        x &= (1u << (i.bits - own)) - 1;
    return word | x << skip;
}

FIELD_FN void rows_bind_instance(const rows_bind_args &a, uint32_t number, uint32_t thread, uint32_t threads)
{
    const rows_instance i = a.t.instance[number];
    if (number == 0 && thread < ROWS_ROOM)
        a.bits[thread] = 0; /* what instances without bits look at */
    const uint32_t words = (i.bound_bits + i.bits + 31) / 32 + ROWS_ROOM;
    if (i.bound_bits + i.bits == 0)
        return;
    for (uint32_t k = thread; k < words; k += threads)
        a.bits[i.start + k] = rows_bound_word(a, i, k);
}

/* -- values -------------------------------------------------------------------------------------------- */

FIELD_FN fr32 rows_wide(const rows_args &a, const rows_instance &i, uint32_t position)
{
    const uint32_t *bound = a.t.binding + i.binding + i.bound_bits;
    if (position < i.bound_wide)
        return fr32_load(a.w.wide, rows_load(bound + position));
    if (position < i.bound_wide + i.bound_inputs)
        return fr32_load(a.w.input, rows_load(bound + position));
    return fr32_load(a.w.wide, i.first_wide + position - i.bound_wide - i.bound_inputs);
}

/* length bits as a number, times 2^shift. */
FIELD_FN fr32 rows_run(const rows_args &a, const uint32_t *bits, uint32_t place, uint32_t shift)
{
    const uint32_t position = place & 0xffff, length = place >> 16;
    fr32 x = fr32_zero();
    x.w[0] = rows_word(bits, position);
    if (length > 32)
        x.w[1] = rows_word(bits, position + 32);
    const uint32_t top = length > 32 ? length - 32 : length;
    const uint32_t mask = top == 32 ? 0xffffffffu : (1u << top) - 1;
    if (length > 32)
        x.w[1] &= mask;
    else
        x.w[0] &= mask;
    return fr32_mul(x, fr32_load(a.t.power, shift));
}

FIELD_FN fr32 rows_sum(const rows_args &a, const rows_instance &i, const uint32_t *program)
{
    const uint32_t *bits = a.bits + i.start;
    const uint32_t runs = rows_load(program), terms = rows_load(program + 1),
                   constant = rows_load(program + 2);
    fr32 sum = constant ? fr32_load(a.t.element, constant - 1) : fr32_zero();
    program += 3;
    for (uint32_t k = 0; k < runs + terms; k++, program += 2) {
        const uint32_t place = rows_load(program), what = rows_load(program + 1);
        bool minus;
        fr32 x;
        if (k < runs) {
            minus = (what & ROWS_MINUS) != 0;
            x = rows_run(a, bits, place, what & ~ROWS_MINUS);
        } else {
            minus = what == ROWS_MINUS_ONE;
            if (!(place & ROWS_BIT))
                x = rows_wide(a, i, place);
            else
                x = rows_bit(bits, place & ~ROWS_BIT) ? fr32_one() : fr32_zero();
            if (!minus && what != ROWS_PLUS_ONE)
                x = fr32_mul(x, fr32_load(a.t.element, what));
        }
        sum = fr32_add(sum, minus ? fr32_neg(x) : x);
    }
    return sum;
}

FIELD_FN fr32 rows_value(const rows_args &a, const rows_instance &i, uint32_t row)
{
    const uint64_t op = rows_load(a.t.op + i.op + (uint64_t)a.side * i.rows + row);
    const uint32_t *bits = a.bits + i.start;
    switch ((uint32_t)op & 3) {
    case ROWS_OP_TABLE: {
        const uint32_t k = rows_bit(bits, (uint32_t)(op >> 16) & 0xffff) |
                           rows_bit(bits, (uint32_t)(op >> 32) & 0xffff) << 1 |
                           rows_bit(bits, (uint32_t)(op >> 48)) << 2;
        return fr32_load(a.t.table, ((uint32_t)op >> 2 & (ROWS_TABLES - 1)) * 8 + k);
    }
    case ROWS_OP_WIDE:
        return rows_wide(a, i, (uint32_t)(op >> 32));
    default:
        return rows_sum(a, i, a.t.program + i.program + (op >> 32));
    }
}

FIELD_FN void rows_chunk(const rows_args &a, uint32_t number, uint32_t thread, uint32_t threads)
{
    uint32_t k = 0;
    rows_instance i = {};
    for (uint32_t at = thread; at < ROWS_CHUNK; at += threads) {
        const uint64_t row = (uint64_t)number * ROWS_CHUNK + at;
        if (row >= a.count)
            return;
        if (row >= a.rows) {
            fr32_store(a.out, row, fr32_zero());
            continue;
        }
        if (at == thread)
            i = a.t.instance[k = rows_load(a.t.chunk + number)];
        while (row - i.first_row >= i.rows)
            i = a.t.instance[++k];
        fr32_store(a.out, row, rows_value(a, i, (uint32_t)(row - i.first_row)));
    }
}

#endif
