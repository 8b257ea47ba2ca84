/* gadgets/multipack.h - bits packed into field elements, and the order of bits within bytes.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_MULTIPACK_H
#define GADGETS_MULTIPACK_H

#include "gadgets/num.h"

#define PACK_BITS (FR_BITS - 1) /* a field element surely holds so many */

/* One public input for every PACK_BITS bits, lowest first. */
void pack_into_inputs(struct cs *cs, const struct boolean *bits, size_t count);

/* A new variable that holds the first PACK_BITS bits, or all if there are fewer, lowest first. */
struct num pack_bits(struct cs *cs, const struct boolean *bits, size_t count);

/* Reverse the bits of each byte; a last partial byte is first filled up with zeros. out: count rounded up to
 * a multiple of 8; it may not overlap bits. Returns that number. */
size_t reverse_bit_numbering(struct boolean *out, const struct boolean *bits, size_t count);

/* The 64 bits of a number, lowest first, as new variables. */
void uint64_alloc(struct cs *cs, struct boolean bits[64], uint64_t value);

#endif
