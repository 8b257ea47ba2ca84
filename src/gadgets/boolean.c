/* gadgets/boolean.c - bits and their logic, one row an operation.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/boolean.h"

static struct boolean allocate(struct cs *cs, bool value)
{
    value = value && cs->values;
    return (struct boolean){.v = cs_alloc_bit(cs, value), .kind = BOOLEAN_IS, .value = value};
}

struct boolean boolean_not(const struct cs *cs, struct boolean b)
{
    if (b.kind == BOOLEAN_CONSTANT)
        return boolean_constant(!b.value);
    b.kind = b.kind == BOOLEAN_IS ? BOOLEAN_NOT : BOOLEAN_IS;
    b.value = !b.value && cs->values;
    return b;
}

struct boolean boolean_alloc(struct cs *cs, bool value)
{
    cs_name(cs, "boolean");
    const struct boolean b = allocate(cs, value);
    if (cs->rows_wanted) {
        lc_add_one(cs, &cs->a, VAR_ONE);
        lc_sub_one(cs, &cs->a, b.v);
        lc_add_one(cs, &cs->b, b.v);
    }
    cs_name(cs, "boolean constraint");
    cs_enforce_built(cs);
    return b;
}

/* 2 a * b = a + b - c for two variables, or for both negated: the two negations cancel. */
static struct boolean xor_variables(struct cs *cs, struct boolean a, struct boolean b)
{
    cs_name(cs, "xor result");
    const struct boolean c = allocate(cs, a.value != b.value);
    lc_add(cs, &cs->a, a.v, &cs->pow2[1]);
    lc_add_one(cs, &cs->b, b.v);
    lc_add_one(cs, &cs->c, a.v);
    lc_add_one(cs, &cs->c, b.v);
    lc_sub_one(cs, &cs->c, c.v);
    cs_name(cs, "xor constraint");
    cs_enforce_built(cs);
    return c;
}

struct boolean boolean_xor(struct cs *cs, struct boolean a, struct boolean b)
{
    if (a.kind == BOOLEAN_CONSTANT)
        return a.value ? boolean_not(cs, b) : b;
    if (b.kind == BOOLEAN_CONSTANT)
        return b.value ? boolean_not(cs, a) : a;
    if (a.kind == b.kind)
        return xor_variables(cs, a, b);
    /* One is negated: so is the result. The reference puts the plain one first. */
    const struct boolean plain = a.kind == BOOLEAN_IS ? a : b;
    const struct boolean negated = boolean_not(cs, a.kind == BOOLEAN_IS ? b : a);
    return boolean_not(cs, xor_variables(cs, plain, negated));
}

/* A factor of a product: the variable, or one minus it. */
static void add_factor(struct cs *cs, struct lc *lc, struct boolean b)
{
    if (b.kind == BOOLEAN_NOT) {
        lc_add_one(cs, lc, VAR_ONE);
        lc_sub_one(cs, lc, b.v);
    } else {
        lc_add_one(cs, lc, b.v);
    }
}

struct boolean boolean_and(struct cs *cs, struct boolean a, struct boolean b)
{
    if ((a.kind == BOOLEAN_CONSTANT && !a.value) || (b.kind == BOOLEAN_CONSTANT && !b.value))
        return boolean_constant(false);
    if (a.kind == BOOLEAN_CONSTANT)
        return b;
    if (b.kind == BOOLEAN_CONSTANT)
        return a;
    if (a.kind == BOOLEAN_NOT && b.kind == BOOLEAN_IS) {
        const struct boolean swap = a;
        a = b;
        b = swap;
    }
    static const char *const word[] = {"and", "and not", "nor"};
    const unsigned which = (a.kind == BOOLEAN_NOT) + (unsigned)(b.kind == BOOLEAN_NOT);
    cs_name(cs, "%s result", word[which]);
    const struct boolean c = allocate(cs, a.value && b.value);
    add_factor(cs, &cs->a, a);
    add_factor(cs, &cs->b, b);
    lc_add_one(cs, &cs->c, c.v);
    cs_name(cs, "%s constraint", word[which]);
    cs_enforce_built(cs);
    return c;
}

struct boolean boolean_nor(struct cs *cs, struct boolean a, struct boolean b)
{
    VERIFY(a.kind == BOOLEAN_IS && b.kind == BOOLEAN_IS);
    return boolean_and(cs, boolean_not(cs, a), boolean_not(cs, b));
}

struct boolean boolean_sha256_ch(struct cs *cs, struct boolean a, struct boolean b, struct boolean c)
{
    const bool value = a.value ? b.value : c.value;
    const bool constant_a = boolean_is_constant(a), constant_b = boolean_is_constant(b);
    const bool constant_c = boolean_is_constant(c);
    if (constant_a && constant_b && constant_c)
        return boolean_constant(value);
    if (constant_a && !a.value)
        return c;
    if (constant_b && !b.value)
        return boolean_and(cs, boolean_not(cs, a), c);
    if (constant_c && !c.value)
        return boolean_and(cs, a, b);
    if (constant_c)
        return boolean_not(cs, boolean_and(cs, a, boolean_not(cs, b)));
    if (constant_b)
        return boolean_not(cs, boolean_and(cs, boolean_not(cs, a), boolean_not(cs, c)));

    /* (b - c) * a = ch - c */
    cs_name(cs, "ch");
    const struct boolean ch = allocate(cs, value);
    boolean_add_one(cs, &cs->a, b);
    boolean_sub_one(cs, &cs->a, c);
    boolean_add_one(cs, &cs->b, a);
    lc_add_one(cs, &cs->c, ch.v);
    boolean_sub_one(cs, &cs->c, c);
    cs_name(cs, "ch computation");
    cs_enforce_built(cs);
    return ch;
}

struct boolean boolean_sha256_maj(struct cs *cs, struct boolean a, struct boolean b, struct boolean c)
{
    const bool value = (a.value && b.value) || (a.value && c.value) || (b.value && c.value);
    const bool constant_a = boolean_is_constant(a), constant_b = boolean_is_constant(b);
    const bool constant_c = boolean_is_constant(c);
    if (constant_a && constant_b && constant_c)
        return boolean_constant(value);
    if (constant_a && !a.value)
        return boolean_and(cs, b, c);
    if (constant_b && !b.value)
        return boolean_and(cs, a, c);
    if (constant_c && !c.value)
        return boolean_and(cs, a, b);
    if (constant_c)
        return boolean_not(cs, boolean_and(cs, boolean_not(cs, a), boolean_not(cs, b)));
    if (constant_b)
        return boolean_not(cs, boolean_and(cs, boolean_not(cs, a), boolean_not(cs, c)));
    if (constant_a)
        return boolean_not(cs, boolean_and(cs, boolean_not(cs, b), boolean_not(cs, c)));

    /* (2 bc - b - c) * a = bc - maj */
    cs_name(cs, "maj");
    const struct boolean maj = allocate(cs, value);
    cs_push(cs, "b and c");
    const struct boolean bc = boolean_and(cs, b, c);
    cs_pop(cs);
    boolean_sub_one(cs, &cs->a, b);
    boolean_sub_one(cs, &cs->a, c);
    lc_add(cs, &cs->a, bc.v, &cs->pow2[1]);
    boolean_add_one(cs, &cs->b, a);
    lc_sub_one(cs, &cs->c, maj.v);
    lc_add_one(cs, &cs->c, bc.v);
    cs_name(cs, "maj computation");
    cs_enforce_built(cs);
    return maj;
}

void boolean_add_to(struct cs *cs, struct lc *lc, struct boolean b, const fr *coeff, const fr *minus_coeff)
{
    switch (b.kind) {
    case BOOLEAN_IS:
        lc_add(cs, lc, b.v, coeff);
        break;
    case BOOLEAN_NOT:
        lc_add(cs, lc, VAR_ONE, coeff);
        lc_add(cs, lc, b.v, minus_coeff);
        break;
    default:
        if (b.value)
            lc_add(cs, lc, VAR_ONE, coeff);
    }
}

void boolean_add_one(struct cs *cs, struct lc *lc, struct boolean b)
{
    boolean_add_to(cs, lc, b, &FR_ONE, &cs->minus_one);
}

void boolean_sub_one(struct cs *cs, struct lc *lc, struct boolean b)
{
    boolean_add_to(cs, lc, b, &cs->minus_one, &FR_ONE);
}
