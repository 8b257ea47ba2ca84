/* r1cs/assignment.h - a witness as it is held for proving: booleans as bits, all else as field elements.
 *
 * The auxiliary variables of a circuit are of two classes: bits, which only ever are 0 or 1 (cs_alloc_bit),
 * and wide ones. Each is numbered within its class in the order of allocation; which variable is of which
 * class is the circuit's, the same for each of its witnesses (struct classes). Of a 32GiB PoRep partition's
 * 130 M variables 1.7 M are wide: 16 MiB of bits and 50 MiB of elements.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_ASSIGNMENT_H
#define R1CS_ASSIGNMENT_H

#include "base/exec.h"
#include "base/memory.h"
#include "field/fr.h"
#include "r1cs/cs.h"

struct assignment {
    uint32_t inputs, bits, wide; /* counts; inputs with the constant one */
    struct block input_block, bit_block, wide_block;
    fr *input;
    uint64_t *bit; /* lowest bit of a word first; zeros behind the last, at least one word of them */
    fr *wide_value;
};
cuzk_status assignment_new(struct assignment *out, struct budget *budget, uint32_t inputs, uint32_t bits,
                           uint32_t wide,
                           struct cuzk_error *e) MUST_USE; /* bits and inputs zero, wide values anything */
void assignment_free(struct assignment *a);                /* a zeroed one is fine */

static inline bool assignment_bit(const struct assignment *a, uint32_t number)
{
    return a->bit[number / 64] >> number % 64 & 1;
}

/* Which auxiliary variables are bits, with ranks (G. Jacobson, "Space-efficient static trees and graphs",
 * 1989): growing while a circuit is run. Zero-initialise with the budget set. */
#define CLASSES_BLOCK 512
struct classes {
    struct budget *budget;
    struct block is_bit; /* a bit a variable; whole blocks */
    struct block before; /* u32 a block: bits before it */
    uint32_t count;      /* variables */
    uint32_t bits;       /* of them */
};
cuzk_status classes_add(struct classes *c, bool is_bit, struct cuzk_error *e) MUST_USE;
void classes_free(struct classes *c);

static inline bool classes_is_bit(const struct classes *c, uint32_t aux)
{
    return ((const uint64_t *)c->is_bit.ptr)[aux / 64] >> aux % 64 & 1;
}

/* How many of the variables before this one are bits: a bit's own number; aux less this: a wide one's. */
static inline uint32_t classes_rank(const struct classes *c, uint32_t aux)
{
    const uint64_t *word = (const uint64_t *)c->is_bit.ptr + aux / CLASSES_BLOCK * (CLASSES_BLOCK / 64);
    uint32_t rank = ((const uint32_t *)c->before.ptr)[aux / CLASSES_BLOCK];
    for (; word < (const uint64_t *)c->is_bit.ptr + aux / 64; word++)
        rank += (uint32_t)__builtin_popcountll(*word);
    if (aux % 64 != 0)
        rank += (uint32_t)__builtin_popcountll(*word << (64 - aux % 64));
    return rank;
}

/* The classes of a circuit, by running it blank. */
cuzk_status classes_of(const struct exec *x, struct classes *out, const struct circuit *circuit,
                       struct cs_counts *counts, struct cuzk_error *e) MUST_USE;

#endif
