/* groth16/folded.h - what every prover from folded parameters (srs.h) does on the host: the witness before,
 * the proof of its sums after. SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_FOLDED_H
#define GROTH16_FOLDED_H

#include "groth16/finish.h"
#include "groth16/rows.h"
#include "groth16/srs.h"

/* The witness of a partition: CUZK_ERR_MISMATCH if templates or parameters are of another circuit;
 * public_inputs: the statement's, to be the circuit's (NULL: not compared). The caller frees. */
cuzk_status folded_witness(const struct exec *x, struct assignment *out, const struct circuit *circuit,
                           const struct template_circuit *templates, const struct groth16_srs *s,
                           const fr *public_inputs, uint32_t public_count, struct cuzk_error *e) MUST_USE;

/* The proof of these sums, once it has verified; if it does not, the error names a row that does not hold. */
cuzk_status folded_finish(const struct exec *x, struct groth16_proof *out, const struct circuit *circuit,
                          const struct groth16_srs *s, const struct assignment *w,
                          const struct proof_sums *sums, const struct groth16_rs *rs,
                          struct cuzk_error *e) MUST_USE;

#endif
