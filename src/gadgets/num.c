/* gadgets/num.c - field elements held in a variable.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/num.h"

struct num num_alloc(struct cs *cs, const fr *value)
{
    cs_name(cs, "num");
    return (struct num){.v = cs_alloc(cs, value), .value = cs->values && value ? *value : FR_ZERO};
}

void num_inputize(struct cs *cs, const struct num *a)
{
    cs_name(cs, "input variable");
    lc_add_one(cs, &cs->a, cs_alloc_input(cs, &a->value));
    lc_add_one(cs, &cs->b, VAR_ONE);
    lc_add_one(cs, &cs->c, a->v);
    cs_name(cs, "enforce input is correct");
    cs_enforce_built(cs);
}

void num_alloc_bits(struct cs *cs, struct boolean bits[FR_BITS], const struct num *a)
{
    fr plain;
    fr_from_mont(&plain, &a->value);
    for (unsigned i = 0; i < FR_BITS; i++) {
        cs_push(cs, "bit %u", i);
        bits[i] = boolean_alloc(cs, plain.l[i / 64] >> i % 64 & 1);
        cs_pop(cs);
    }
}

void num_to_bits_le(struct cs *cs, struct boolean bits[FR_BITS], const struct num *a)
{
    num_alloc_bits(cs, bits, a);
    lc_sub_one(cs, &cs->c, a->v);
    for (unsigned i = 0; cs->rows_wanted && i < FR_BITS; i++)
        lc_add(cs, &cs->c, bits[i].v, &cs->pow2[i]);
    cs_name(cs, "unpacking constraint");
    cs_enforce_built(cs);
}

void num_enforce_equal(struct cs *cs, const struct num *a, const struct num *b)
{
    lc_add_one(cs, &cs->a, a->v);
    lc_add_one(cs, &cs->b, VAR_ONE);
    lc_add_one(cs, &cs->c, b->v);
    cs_enforce_built(cs);
}

struct num num_add(struct cs *cs, const struct num *a, const struct num *b)
{
    fr value;
    fr_add(&value, &a->value, &b->value);
    cs_push(cs, "add_num");
    const struct num sum = num_alloc(cs, &value);
    cs_pop(cs);
    lc_add_one(cs, &cs->a, a->v);
    lc_add_one(cs, &cs->a, b->v);
    lc_add_one(cs, &cs->b, VAR_ONE);
    lc_add_one(cs, &cs->c, sum.v);
    cs_name(cs, "sum constraint");
    cs_enforce_built(cs);
    return sum;
}

struct num num_mul(struct cs *cs, const struct num *a, const struct num *b)
{
    fr value;
    fr_mul(&value, &a->value, &b->value);
    cs_name(cs, "product num");
    const struct num product = {.v = cs_alloc(cs, &value), .value = value};
    lc_add_one(cs, &cs->a, a->v);
    lc_add_one(cs, &cs->b, b->v);
    lc_add_one(cs, &cs->c, product.v);
    cs_name(cs, "multiplication constraint");
    cs_enforce_built(cs);
    return product;
}
