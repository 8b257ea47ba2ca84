/* gadgets/insertion.c - choosing among numbers by bits, with the rows of the reference's insertion
 * permutation.
 *
 * For 4 and 8 places the reference saves rows by hand: what stands at a place depends on few of the bits
 * there. The tables below are those choices.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/insertion.h"

/* What a choice depends on. */
enum condition { B0, B1, B2, NEITHER, BOTH };

/* What is chosen from: the element, a sibling, or an earlier choice of the table. */
enum operand { A, B, C, D, E, F, G, H, CHOICE };

struct choice {
    char name[7];
    bool is_place; /* the next place of the result, not a step on the way */
    uint8_t condition, if_true, if_false;
};

/* The names tell the bits known so far: p2_x1 is place 2 with bit 0 unknown and bit 1 set. */
static const struct choice INSERT_4[] = {
    {"p0_x0", false, B0, B, A}, {"p0", true, B1, B, CHOICE + 0}, /* place 0 */
    {"p1_x0", false, B0, A, B}, {"p1", true, B1, C, CHOICE + 2}, /* place 1 */
    {"p2_x1", false, B0, D, A}, {"p2", true, B1, CHOICE + 4, C}, /* place 2 */
    {"p3_x1", false, B0, A, D}, {"p3", true, B1, CHOICE + 6, D}, /* place 3 */
};

static const struct choice INSERT_8[] = {
    {"p0_xx0", false, NEITHER, A, B},      {"p0", true, B2, B, CHOICE + 0},
    {"p1_x00", false, B0, A, B},           {"p1_xx0", false, B1, C, CHOICE + 2},
    {"p1", true, B2, C, CHOICE + 3},       {"p2_x10", false, B0, D, A},
    {"p2_xx0", false, B1, CHOICE + 5, C},  {"p2", true, B2, D, CHOICE + 6},
    {"p3_xx0", false, BOTH, A, D},         {"p3", true, B2, E, CHOICE + 8},
    {"p4_xx1", false, NEITHER, A, F},      {"p4", true, B2, CHOICE + 10, E},
    {"p5_x01", false, B0, A, F},           {"p5_xx1", false, B1, G, CHOICE + 12},
    {"p5", true, B2, CHOICE + 13, F},      {"p6_x11", false, B0, H, A},
    {"p6_xx1", false, B1, CHOICE + 15, G}, {"p6", true, B2, CHOICE + 16, G},
    {"p7_xx1", false, BOTH, A, H},         {"p7", true, B2, CHOICE + 18, H},
};

/* Row (b - a) * condition = b - result. */
struct num pick(struct cs *cs, struct boolean condition, const struct num *a, const struct num *b)
{
    cs_push(cs, "pick result");
    const struct num result = num_alloc(cs, condition.value ? &a->value : &b->value);
    cs_pop(cs);
    lc_add_one(cs, &cs->a, b->v);
    lc_sub_one(cs, &cs->a, a->v);
    boolean_add_one(cs, &cs->b, condition);
    lc_add_one(cs, &cs->c, b->v);
    lc_sub_one(cs, &cs->c, result.v);
    cs_name(cs, "pick");
    cs_enforce_built(cs);
    return result;
}

struct num select_gadget(struct cs *cs, const struct num *from, unsigned count, const struct boolean *bits)
{
    struct num state[SELECTION_MAX];
    VERIFY(count >= 2 && count <= SELECTION_MAX && (count & (count - 1)) == 0);
    for (unsigned i = 0; i < count; i++)
        state[i] = from[i];
    unsigned bit = 0;
    while (2u << bit < count)
        bit++;
    for (unsigned round = 0, half = count / 2; half > 0; round++, bit--, half /= 2)
        for (unsigned j = 0; j < half; j++) {
            cs_push(cs, "pick %u, %u", round, j);
            state[j] = pick(cs, bits[bit], &state[half + j], &state[j]);
            cs_pop(cs);
        }
    return state[0];
}

static void insert_by_table(struct cs *cs, struct num *out, unsigned count, const struct num *element,
                            const struct boolean *conditions, const struct num *elements,
                            const struct choice *table, unsigned choices)
{
    struct num operand[CHOICE + ARRAY_LEN(INSERT_8)];
    operand[A] = *element;
    for (unsigned i = 0; i + 1 < count; i++)
        operand[B + i] = elements[i];
    for (unsigned i = 0; i < choices; i++) {
        const struct choice *c = &table[i];
        cs_push(cs, "%s", c->name);
        operand[CHOICE + i] = pick(cs, conditions[c->condition], &operand[c->if_true], &operand[c->if_false]);
        cs_pop(cs);
        if (c->is_place)
            *out++ = operand[CHOICE + i];
    }
}

static void insert_8(struct cs *cs, struct num *out, const struct num *element, const struct boolean *bits,
                     const struct num *elements)
{
    struct boolean conditions[] = {[B0] = bits[0], [B1] = bits[1], [B2] = bits[2], [BOTH] = {0}};
    cs_push(cs, "b0 nor b1");
    conditions[NEITHER] = boolean_nor(cs, bits[0], bits[1]);
    cs_pop(cs);
    cs_push(cs, "b0 and b1");
    conditions[BOTH] = boolean_and(cs, bits[0], bits[1]);
    cs_pop(cs);
    insert_by_table(cs, out, 8, element, conditions, elements, INSERT_8, ARRAY_LEN(INSERT_8));
}

/* Each place by a selection among what stands there for each index. */
static void insert_any(struct cs *cs, struct num *out, unsigned count, const struct num *element,
                       const struct boolean *bits, const struct num *elements)
{
    for (unsigned place = 0; place < count; place++) {
        struct num choices[INSERTION_MAX];
        for (unsigned index = 0; index < count; index++)
            choices[index] = place == index ? *element : elements[place < index ? place : place - 1];
        cs_push(cs, "choice at %u", place);
        out[place] = select_gadget(cs, choices, count, bits);
        cs_pop(cs);
    }
}

void insert_gadget(struct cs *cs, struct num *out, unsigned count, const struct num *element,
                   const struct boolean *bits, const struct num *elements)
{
    if (count == 2) {
        cs_push(cs, "binary insert 0");
        out[0] = pick(cs, bits[0], &elements[0], element);
        cs_pop(cs);
        cs_push(cs, "binary insert 1");
        out[1] = pick(cs, bits[0], element, &elements[0]);
        cs_pop(cs);
    } else if (count == 4) {
        insert_by_table(cs, out, 4, element, bits, elements, INSERT_4, ARRAY_LEN(INSERT_4));
    } else if (count == 8) {
        insert_8(cs, out, element, bits, elements);
    } else {
        insert_any(cs, out, count, element, bits, elements);
    }
}
