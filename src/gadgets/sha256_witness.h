/* gadgets/sha256_witness.h - the boolean variables of a SHA-256 compression (FIPS 180-4, section 6.2) as a
 * string of bits, in the order in which the gadget allocates them, computed word by word.
 *
 * Which variables there are depends on the operands' constant bits alone, and so is worked out once, as a
 * plan. The variables are those of words: results of the xors of the sigma functions, choices, majorities
 * (each bit followed by its "b and c"), and sums with their carries. A bit of a word that a constant operand
 * decides has no variable; where an operand is a constant one, the variable may hold the negated bit.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_SHA256_WITNESS_H
#define GADGETS_SHA256_WITNESS_H

#include "base/cpu.h"
#include "gadgets/uint32.h"

/* The variables that one operation on words makes. */
struct sha256_step {
    uint64_t made;    /* which of its bits are variables */
    uint64_t negated; /* which of these hold the bit's opposite */
    uint32_t bits;    /* how many are made */
};

enum { SHA256_SCHEDULED = 48, SHA256_ROUNDS = 64 };

struct sha256_plan {
    uint32_t bits; /* variables in all */
    /* From this scheduled word, this round on, all steps are as with variable operands. */
    uint32_t plain_word, plain_round;
    struct sha256_step word[SHA256_SCHEDULED][5]; /* s0's two xors, s1's, the sum */
    struct sha256_step round[SHA256_ROUNDS][8];   /* e, s1's xors, ch, a, s0's xors, maj and "b and c" */
};

/* At most so many variables. */
#define SHA256_WITNESS_BITS 26166

/* One mem_alloc block; NULL: out of memory. The state and the block as words, highest bit of the message
 * first; their bits are constants or variables, not negated, and not all constants. Of their values only
 * constants' are looked at. */
struct sha256_plan *sha256_plan_new(const struct uint32 state[8], const struct uint32 block[16]);

/* Write the plan->bits variables from bit_at on, lowest bit of a word first, leaving the bits around them as
 * they are, and give the next state. */
void sha256_witness(const struct sha256_plan *plan, uint64_t *bits, size_t bit_at, uint32_t state[8],
                    const uint32_t block[16]);

/* Several compressions of one plan, side by side where the variant has lanes. No two write the same bits. */
struct sha256_job {
    uint64_t *bits;
    size_t bit_at;
    uint32_t state[8], block[16];
};
void sha256_witness_many(enum cpu_variant variant, const struct sha256_plan *plan, struct sha256_job *jobs,
                         size_t count);

#endif
