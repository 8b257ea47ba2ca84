/* r1cs/witness_walk.h - a witness, by running a circuit whose templates are known: its units are not run,
 * their values are written by straight-line code; no rows are made.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_WITNESS_WALK_H
#define R1CS_WITNESS_WALK_H

#include "r1cs/template.h"

/* circuit: a real instance of the circuit that t was recorded from; CUZK_ERR_MISMATCH if it is another one.
 * The caller frees the assignment. */
cuzk_status witness_walk(const struct exec *x, struct assignment *out, const struct templates *t,
                         const struct circuit *circuit, struct cuzk_error *e) MUST_USE;

#endif
