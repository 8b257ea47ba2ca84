/* r1cs/instance.h - what a circuit with values is: its shape, public inputs, digests of the witness and of
 * a = A w, b = B w, c = C w, and whether a_i * b_i = c_i for all rows.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_INSTANCE_H
#define R1CS_INSTANCE_H

#include "r1cs/shape.h"

#define INSTANCE_UNSATISFIED 10 /* so many rows are named */

struct instance {
    struct shape shape;
    fr *inputs;                 /* shape.counts.inputs of them, the constant one first */
    uint8_t witness[32];        /* SHA-256 of the canonical auxiliary values in order */
    struct marks witness_marks; /* each shape.every values */
    uint8_t abc[3][32];         /* SHA-256 of the canonical values row by row */
    bool satisfied;
    struct unsatisfied {
        uint64_t row;
        char *name; /* "space/space/name" */
    } unsatisfied[INSTANCE_UNSATISFIED];
    unsigned unsatisfied_count;
};

/* A circuit that gives values. Memory: 32 bytes a variable. A circuit that is not satisfied is run a second
 * time, for the names. */
cuzk_status instance_of(const struct exec *x, struct instance *out, const struct circuit *c, uint64_t every,
                        struct cuzk_error *e) MUST_USE;
void instance_free(struct instance *i); /* a zeroed one is fine */

#endif
