/* gadgets/insertion.h - choosing among numbers by bits: one of many, or one put at a place among others.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_INSERTION_H
#define GADGETS_INSERTION_H

#include "gadgets/num.h"

#define INSERTION_MAX 16
#define SELECTION_MAX 128

/* A new variable: a if the condition holds, else b. */
struct num pick(struct cs *cs, struct boolean condition, const struct num *a, const struct num *b);

/* from[index], a new variable; index has the bits given, lowest first. count: a power of two, at most
 * SELECTION_MAX, 2^(number of bits). */
struct num select_gadget(struct cs *cs, const struct num *from, unsigned count, const struct boolean *bits);

/* out: count numbers, new variables: the count - 1 elements in order with this one put in at the index that
 * the bits form, lowest first. count: a power of two, at most INSERTION_MAX; for 8 the bits are variables,
 * not negated. */
void insert_gadget(struct cs *cs, struct num *out, unsigned count, const struct num *element,
                   const struct boolean *bits, const struct num *elements);

#endif
