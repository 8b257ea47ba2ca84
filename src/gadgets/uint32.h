/* gadgets/uint32.h - 32-bit words of bits, and packed equality rows for their additions.
 *
 * As bellperson's UInt32 and MultiEq: several equations between small integers share one row, each
 * shifted above the ones before it. The caller opens the namespace that the reference gives to each call.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_UINT32_H
#define GADGETS_UINT32_H

#include "gadgets/boolean.h"

struct uint32 {
    struct boolean bit[32]; /* lowest first */
    uint32_t value;         /* of a constant, or on a real circuit */
};

struct uint32 uint32_constant(uint32_t value);
struct uint32 uint32_from_bits_be(const struct boolean bits[32]);
void uint32_to_bits_be(struct boolean bits[32], const struct uint32 *a);

/* No variables, no rows. by: below 32. */
struct uint32 uint32_rotr(const struct uint32 *a, unsigned by);
struct uint32 uint32_shr(const struct uint32 *a, unsigned by);

struct uint32 uint32_xor(struct cs *cs, const struct uint32 *a, const struct uint32 *b);
struct uint32 uint32_sha256_ch(struct cs *cs, const struct uint32 *a, const struct uint32 *b,
                               const struct uint32 *c);
struct uint32 uint32_sha256_maj(struct cs *cs, const struct uint32 *a, const struct uint32 *b,
                                const struct uint32 *c);

/* Equations waiting for their row. Zero-initialise; free with multieq_free. */
struct multieq {
    struct lc left, right;
    fr constant; /* on the left */
    bool has_constant;
    unsigned bits_used; /* of the FR_BITS - 1 that a row holds */
    unsigned rows;      /* since the last multieq_finish */
};

/* Enforce what is left, if anything. m is as new afterwards, but keeps its memory. */
void multieq_finish(struct cs *cs, struct multieq *m);
void multieq_free(struct multieq *m);

/* The sum of count operands (2 to 10) modulo 2^32; a constant if all of them are. The carries are
 * variables too. */
struct uint32 uint32_add_many(struct cs *cs, struct multieq *m, const struct uint32 *const *operands,
                              unsigned count);

#endif
