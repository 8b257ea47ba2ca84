/* r1cs/shape.h - what a circuit is, in a page: counts, densities, a digest of all its rows.
 *
 * The R1CS digest is the SHA-256 over all rows, for A, B, C of each: u32 count, then per term u32 index
 * (bit 31 set for an auxiliary variable) and the canonical coefficient in 32 bytes, all little-endian. A
 * mark is the digest so far, kept each time `every` rows have been added. Two circuits with equal digests
 * are the same; the first differing mark tells where they part.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_SHAPE_H
#define R1CS_SHAPE_H

#include "base/exec.h"
#include "r1cs/digest.h"

#define SHAPE_EVERY 65536 /* the usual distance of marks */

/* The variables that stand in some row's side with a coefficient that is not zero. */
struct density {
    uint64_t count;
    uint8_t digest[32]; /* SHA-256 of a bit for each variable, first in the lowest bit, zeros at the end */
};

struct shape {
    struct cs_counts counts;
    uint64_t nonzeros[3]; /* of A, B, C */
    uint64_t zero_terms;  /* variables that the gadgets named in a row's side only to cancel out there */
    struct density a_aux, b_input, b_aux;
    uint64_t every;
    uint8_t r1cs[32];
    struct marks marks;
};

/* every: 0 keeps no marks. x gives budget and cancel. Memory: two bits a variable. */
cuzk_status shape_of(const struct exec *x, struct shape *out, const struct circuit *c, uint64_t every,
                     struct cuzk_error *e) MUST_USE;
void shape_free(struct shape *shape); /* a zeroed one is fine */

/* What takes rows, for sinks that do this and more. Zero-initialise; shape_state_init; then
 * shape_state_finish or shape_state_free. */
struct bitmap {
    struct block bits;
    uint64_t count;
};
struct shape_state {
    struct budget *budget;
    struct digest *digest;
    struct canon *canon;
    struct bitmap a_aux, b_input, b_aux;
    uint64_t nonzeros[3], zero_terms;
    struct cuzk_error error; /* of the row that failed */
};
cuzk_status shape_state_init(struct shape_state *s, struct budget *budget, uint64_t every,
                             struct cuzk_error *e) MUST_USE;
cuzk_status shape_state_row(struct shape_state *s, const struct row *a, const struct row *b,
                            const struct row *c) MUST_USE;
void shape_state_finish(struct shape_state *s, struct shape *out, const struct cs_counts *counts);
void shape_state_free(struct shape_state *s);

#endif
