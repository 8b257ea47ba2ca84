/* gadgets/num.h - field elements held in a variable, and rows between them.
 *
 * As bellperson's AllocatedNum and the reference's constraint helpers. value is not looked at and not
 * given on a blank circuit. The caller opens the namespace that the reference gives to each call.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_NUM_H
#define GADGETS_NUM_H

#include "gadgets/boolean.h"
#include "r1cs/cs.h"

struct num {
    var v;
    fr value; /* zero on a blank circuit */
};

/* A new auxiliary variable; value may be NULL on a blank circuit. */
struct num num_alloc(struct cs *cs, const fr *value);

/* A new public input that equals a. */
void num_inputize(struct cs *cs, const struct num *a);

/* The FR_BITS bits of a's value, lowest first, as new variables "bit 0", "bit 1"...; nothing ties them to a
 * yet. */
void num_alloc_bits(struct cs *cs, struct boolean bits[FR_BITS], const struct num *a);

/* The FR_BITS bits of a, lowest first, as new variables. The integer that they form equals a modulo r:
 * it is not held below r. */
void num_to_bits_le(struct cs *cs, struct boolean bits[FR_BITS], const struct num *a);

/* a * 1 = b; the caller sets the row's name with cs_name. */
void num_enforce_equal(struct cs *cs, const struct num *a, const struct num *b);

/* A new variable a + b; a * b. */
struct num num_add(struct cs *cs, const struct num *a, const struct num *b);
struct num num_mul(struct cs *cs, const struct num *a, const struct num *b);

#endif
