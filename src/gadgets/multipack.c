/* gadgets/multipack.c - bits packed into field elements.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/multipack.h"

/* cs->a += the packed bits; returns their value. */
static fr add_packed(struct cs *cs, const struct boolean *bits, size_t count)
{
    fr plain = FR_ZERO, value;
    for (size_t i = 0; i < count; i++)
        plain.l[i / 64] |= (uint64_t)bits[i].value << i % 64;
    for (size_t i = 0; cs->rows_wanted && i < count; i++) {
        fr minus = FR_ZERO;
        if (bits[i].kind == BOOLEAN_NOT)
            fr_neg(&minus, &cs->pow2[i]);
        boolean_add_to(cs, &cs->a, bits[i], &cs->pow2[i], &minus);
    }
    fr_to_mont(&value, &plain);
    return value;
}

void pack_into_inputs(struct cs *cs, const struct boolean *bits, size_t count)
{
    for (size_t i = 0; i * PACK_BITS < count; i++) {
        const size_t left = count - i * PACK_BITS;
        const fr value = add_packed(cs, bits + i * PACK_BITS, left < PACK_BITS ? left : PACK_BITS);
        cs_name(cs, "input %zu", i);
        const var input = cs_alloc_input(cs, &value);
        lc_add_one(cs, &cs->b, VAR_ONE);
        lc_add_one(cs, &cs->c, input);
        cs_name(cs, "packing constraint %zu", i);
        cs_enforce_built(cs);
    }
}

struct num pack_bits(struct cs *cs, const struct boolean *bits, size_t count)
{
    const fr value = add_packed(cs, bits, count < PACK_BITS ? count : PACK_BITS);
    cs_push(cs, "input");
    const struct num packed = num_alloc(cs, &value);
    cs_pop(cs);
    lc_add_one(cs, &cs->b, VAR_ONE);
    lc_add_one(cs, &cs->c, packed.v);
    cs_name(cs, "packing constraint");
    cs_enforce_built(cs);
    return packed;
}

size_t reverse_bit_numbering(struct boolean *out, const struct boolean *bits, size_t count)
{
    const size_t padded = (count + 7) / 8 * 8;
    for (size_t i = 0; i < padded; i++)
        out[i ^ 7] = i < count ? bits[i] : boolean_constant(false);
    return padded;
}

void uint64_alloc(struct cs *cs, struct boolean bits[64], uint64_t value)
{
    for (unsigned i = 0; i < 64; i++) {
        cs_push(cs, "allocated bit %u", i);
        bits[i] = boolean_alloc(cs, value >> i & 1);
        cs_pop(cs);
    }
}
