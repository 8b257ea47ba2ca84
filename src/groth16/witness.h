/* groth16/witness.h - a circuit's witness and its rows' values, made in one run.
 *
 * Variables are numbered by slot: inputs first, then auxiliary ones.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_WITNESS_H
#define GROTH16_WITNESS_H

#include "base/exec.h"
#include "base/memory.h"
#include "groth16/groth16.h"

struct witness {
    uint32_t inputs, aux;
    unsigned log;                /* the domain */
    struct block w;              /* inputs + aux values */
    struct block a, b, c;        /* 2^log values each, zero behind the last row */
    struct block mask_a, mask_b; /* a bit a slot, lowest first: does it stand in A, in B? */
};

/* Run the circuit for parameters of these counts. CUZK_ERR_MISMATCH if it is another circuit by any
 * count or density; CUZK_ERR_UNSATISFIED, naming the row, if a row does not hold. The caller frees. */
cuzk_status witness_make(const struct exec *x, struct witness *out, const struct circuit *circuit,
                         const struct groth16_params_info *info, struct cuzk_error *e) MUST_USE;
void witness_free(struct witness *w); /* a zeroed one is fine */

#endif
