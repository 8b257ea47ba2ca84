/* gadgets/boolean.h - bits: constants, variables that a row holds to 0 or 1, and negations of these.
 *
 * As bellperson's Boolean and AllocatedBit: the same rows in the same order, the same folding of
 * constants. A bit's value is false on a blank circuit unless it is a constant. The caller opens the
 * namespace that the reference gives to each call.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_BOOLEAN_H
#define GADGETS_BOOLEAN_H

#include "r1cs/cs.h"

enum boolean_kind {
    BOOLEAN_CONSTANT = 0,
    BOOLEAN_IS,  /* the variable */
    BOOLEAN_NOT, /* one minus the variable */
};

struct boolean {
    var v;        /* unless constant */
    uint8_t kind; /* enum boolean_kind */
    bool value;   /* of the bit itself, negation included */
};

static inline struct boolean boolean_constant(bool value)
{
    return (struct boolean){.kind = BOOLEAN_CONSTANT, .value = value};
}

static inline bool boolean_is_constant(struct boolean b)
{
    return b.kind == BOOLEAN_CONSTANT;
}

/* No variable, no row. */
struct boolean boolean_not(const struct cs *cs, struct boolean b);

/* A new variable that is 0 or 1: (1 - v) * v = 0. value is not looked at on a blank circuit. */
struct boolean boolean_alloc(struct cs *cs, bool value);

struct boolean boolean_xor(struct cs *cs, struct boolean a, struct boolean b);
struct boolean boolean_and(struct cs *cs, struct boolean a, struct boolean b);

/* Neither: one row. a, b: variables, not negated. */
struct boolean boolean_nor(struct cs *cs, struct boolean a, struct boolean b);

/* SHA-256's choice, a ? b : c, and majority of a, b, c. */
struct boolean boolean_sha256_ch(struct cs *cs, struct boolean a, struct boolean b, struct boolean c);
struct boolean boolean_sha256_maj(struct cs *cs, struct boolean a, struct boolean b, struct boolean c);

/* lc += coeff * b; minus_coeff: its negative. */
void boolean_add_to(struct cs *cs, struct lc *lc, struct boolean b, const fr *coeff, const fr *minus_coeff);
/* lc += b, lc -= b */
void boolean_add_one(struct cs *cs, struct lc *lc, struct boolean b);
void boolean_sub_one(struct cs *cs, struct lc *lc, struct boolean b);

#endif
