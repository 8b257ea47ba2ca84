/* r1cs/template_evaluate.c - the values of rows (template_ops.h); compiled once a variant.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "r1cs/template_ops.h"

#define SUM_LIMBS 5 /* sums of numbers below 2^(64 + 255), a few thousand at most */

static inline unsigned bit_at(const uint64_t *bits, uint32_t position)
{
    return bits[position / 64] >> position % 64 & 1;
}

static inline uint64_t bits_at(const uint64_t *bits, uint32_t position, uint32_t length)
{
    const uint32_t shift = position % 64;
    uint64_t x = bits[position / 64] >> shift;
    if (shift + length > 64)
        x |= bits[position / 64 + 1] << (64 - shift);
    return length == 64 ? x : x & ((UINT64_C(1) << length) - 1);
}

/* sum += x 2^shift */
static inline void sum_add(uint64_t sum[SUM_LIMBS], uint64_t x, uint32_t shift)
{
    const u128 wide = (u128)x << shift % 64;
    const uint32_t at = shift / 64;
    u128 carry = (u128)sum[at] + (uint64_t)wide;
    sum[at] = (uint64_t)carry;
    carry = (carry >> 64) + sum[at + 1] + (uint64_t)(wide >> 64);
    sum[at + 1] = (uint64_t)carry;
    for (uint32_t i = at + 2; i < SUM_LIMBS && (carry >> 64) != 0; i++) {
        carry = (carry >> 64) + sum[i];
        sum[i] = (uint64_t)carry;
    }
}

/* The sum modulo r, in Montgomery form. */
static void sum_reduce(fr *out, const uint64_t sum[SUM_LIMBS])
{
    fr low, high = {{sum[SUM_LIMBS - 1]}};
    memcpy(&low, sum, sizeof low);
    while (!fr_is_canonical(&low)) {
        uint64_t borrow = 0;
        for (int i = 0; i < FR_LIMBS; i++) {
            const u128 d = (u128)low.l[i] - FR_MODULUS.l[i] - borrow;
            low.l[i] = (uint64_t)d;
            borrow = (uint64_t)(d >> 64) & 1;
        }
    }
    fr_to_mont(out, &low);
    if (sum[SUM_LIMBS - 1] != 0) { /* times 2^256, the Montgomery factor once more */
        fr_to_mont(&high, &high);
        fr_to_mont(&high, &high);
        fr_add(out, out, &high);
    }
}

static const fr *wide_at(const struct template_view *v, uint32_t position)
{
    const uint32_t wide = v->one->bound_wide, inputs = v->one->bound_inputs;
    if (position < wide)
        return &v->wide[v->bound[position]];
    if (position < wide + inputs)
        return &v->input[v->bound[position]];
    return &v->own_wide[position - wide - inputs];
}

static void add_term(fr *out, const struct template_view *v, uint32_t place, uint32_t coeff)
{
    fr x = FR_ZERO;
    if (!(place & TEMPLATE_BIT))
        x = *wide_at(v, place);
    else if (bit_at(v->bits, place & ~TEMPLATE_BIT))
        x = FR_ONE;
    if (coeff == TEMPLATE_MINUS_ONE) {
        fr_sub(out, out, &x);
        return;
    }
    if (coeff != TEMPLATE_PLUS_ONE)
        fr_mul(&x, &x, &v->t->element[coeff]);
    fr_add(out, out, &x);
}

static void run_program(fr *out, const struct template_view *v, const uint32_t *word)
{
    const uint32_t runs = word[0], terms = word[1];
    *out = word[2] ? v->t->element[word[2] - 1] : FR_ZERO;
    word += 3;
    if (runs > 0) {
        uint64_t sum[2][SUM_LIMBS + 1] = {{0}};
        bool minus = false;
        for (uint32_t i = 0; i < runs; i++, word += 2) {
            const uint32_t is_minus = word[1] / TEMPLATE_MINUS;
            minus |= is_minus;
            sum_add(sum[is_minus], bits_at(v->bits, word[0] & 0xffff, word[0] >> 16),
                    word[1] & ~TEMPLATE_MINUS);
        }
        fr x;
        sum_reduce(&x, sum[0]);
        fr_add(out, out, &x);
        if (minus) {
            sum_reduce(&x, sum[1]);
            fr_sub(out, out, &x);
        }
    }
    for (uint32_t i = 0; i < terms; i++, word += 2)
        add_term(out, v, word[0], word[1]);
}

void V(template_evaluate)(fr *out, const struct template_view *v, unsigned side, uint32_t first,
                          uint32_t count)
{
    const uint64_t *op = v->t->op + v->one->op + (size_t)side * v->one->rows + first;
    const uint32_t *programs = v->t->program + v->one->program;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t o = op[i];
        switch (template_op_kind_of(o)) {
        case TEMPLATE_OP_TABLE: {
            const unsigned k = bit_at(v->bits, (uint32_t)(o >> 16) & 0xffff) |
                               bit_at(v->bits, (uint32_t)(o >> 32) & 0xffff) << 1 |
                               bit_at(v->bits, (uint32_t)(o >> 48)) << 2;
            out[i] = v->t->table[(uint32_t)(o >> 2) & (TEMPLATE_MAX_TABLES - 1)][k];
            break;
        }
        case TEMPLATE_OP_WIDE:
            out[i] = *wide_at(v, (uint32_t)(o >> 32));
            break;
        default:
            run_program(&out[i], v, programs + (o >> 32));
        }
    }
}
