/* r1cs/template_ops.h - how the values of a template's rows are computed.
 *
 * Each side of each row has an op of 64 bits, kind in the lowest two:
 *   table    14 bits: number of a table, 3 x 16 bits: positions of bits, which together choose its element
 *   wide     from bit 32: position of a wide value
 *   program  from bit 32: place of a program
 * Positions of bits: bound bits, then the template's own. Of wide values: bound ones, inputs, own ones.
 *
 * A program: words runs, terms, constant (an element's number + 1; 0: none); for each run two words: position
 * | length << 16 (1..64), shift | TEMPLATE_MINUS: these bits as a number, times 2^shift, added or subtracted;
 * for each term two words: position | TEMPLATE_BIT for a bit's, element number or TEMPLATE_PLUS_ONE,
 * _MINUS_ONE.
 *
 * In a row whose B is the constant one, A w equals C w for every satisfied witness: both are computed the
 * cheaper way. A proof of a witness that is not satisfied does not verify, whichever way is taken.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_TEMPLATE_OPS_H
#define R1CS_TEMPLATE_OPS_H

#include "r1cs/template.h"

#define TEMPLATE_MAX_TABLES (UINT32_C(1) << 14)
#define TEMPLATE_BIT        UINT32_C(0x80000000)
#define TEMPLATE_MINUS      UINT32_C(0x80000000)
#define TEMPLATE_PLUS_ONE   UINT32_C(0xffffffff)
#define TEMPLATE_MINUS_ONE  UINT32_C(0xfffffffe)

static inline uint64_t template_op(enum template_op_kind kind, uint64_t rest)
{
    return (uint64_t)kind | rest << 2;
}
static inline enum template_op_kind template_op_kind_of(uint64_t op)
{
    return (enum template_op_kind)(op & 3);
}
static inline uint64_t template_op_table(uint32_t table, const uint32_t position[3])
{
    return template_op(TEMPLATE_OP_TABLE, table) | (uint64_t)position[0] << 16 | (uint64_t)position[1] << 32 |
           (uint64_t)position[2] << 48;
}
static inline uint64_t template_op_at(enum template_op_kind kind, uint32_t place)
{
    return template_op(kind, 0) | (uint64_t)place << 32;
}

/* What an instance's rows are computed from. */
struct template_view {
    const struct templates *t;
    const struct template *one;
    const uint64_t *bits; /* bound ones, then own ones; two words of room behind them */
    const fr *own_wide;
    const fr *wide, *input; /* all of the circuit's */
    const uint32_t *bound;  /* numbers of the bound wide values, then of the bound inputs */
};

/* The values of side 0, 1 or 2 (A, B, C) of count rows from row first on. Variants: portable, adx. */
typedef void template_evaluate(fr *out, const struct template_view *v, unsigned side, uint32_t first,
                               uint32_t count);
template_evaluate template_evaluate_portable, template_evaluate_adx;

#endif
