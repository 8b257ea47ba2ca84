/* groth16/rows.h - where the folded prover has a circuit's witness and its rows' values from: templates.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_ROWS_H
#define GROTH16_ROWS_H

#include "groth16/groth16.h"
#include "groth16/manifest.h"
#include "r1cs/rows.h"

/* A circuit's templates, ready for any number of proofs. */
struct template_circuit {
    struct templates templates;
    uint8_t classes[DIGEST_BYTES]; /* which auxiliary variables are bits: srs_digest_classes */
    char unkept[256]; /* why the file could not be written; "" if it is there, or was not wanted */
};
/* From the file path, or recorded and kept there (r1cs/template_file.h; NULL: not kept). */
cuzk_status template_circuit_open(const struct exec *x, struct template_circuit *out, const char *path,
                                  const char *name, const struct circuit *blank,
                                  struct cuzk_error *e) MUST_USE;
void template_circuit_free(struct template_circuit *t); /* a zeroed one is fine */

/* Are they those of the circuit that the folded parameters are for? CUZK_ERR_MISMATCH says what differs. */
struct srs_header;
cuzk_status template_circuit_fits(const struct template_circuit *t, const struct srs_header *h,
                                  struct cuzk_error *e) MUST_USE;

/* Why does a proof of the circuit not hold? CUZK_ERR_UNSATISFIED naming the first row that does not; CUZK_OK:
 * every row holds. */
cuzk_status rows_explain(const struct exec *x, const struct circuit *circuit, struct cuzk_error *e) MUST_USE;

#endif
