/* r1cs/record.h - a circuit's rows kept in memory: three sparse matrices, compressed by row, coefficients as
 * numbers of a table (circuits have few distinct ones).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_RECORD_H
#define R1CS_RECORD_H

#include "base/exec.h"
#include "base/memory.h"
#include "r1cs/cs.h"

struct record_term {
    var v;
    uint32_t coeff; /* index into the table */
};

struct record_side {
    const uint64_t *begin; /* of row i: terms begin[i] to begin[i + 1] - 1 */
    const struct record_term *term;
    struct block begin_block, term_block;
};

struct record {
    struct cs_counts counts;
    struct record_side side[3]; /* A, B, C */
    const fr *coeff;
    uint32_t coeff_count;
    struct block coeff_block;
};

cuzk_status record_of(const struct exec *x, struct record *out, const struct circuit *c,
                      struct cuzk_error *e) MUST_USE;
void record_free(struct record *r); /* a zeroed one is fine */

/* The value of side 0, 1 or 2 of a row. inputs, aux: as many as the counts say. */
fr record_value(const struct record *r, unsigned side, uint64_t row, const fr *inputs, const fr *aux);

/* The first row that does not hold; counts.rows if all do. */
uint64_t record_first_unsatisfied(const struct record *r, const fr *inputs, const fr *aux);

#endif
