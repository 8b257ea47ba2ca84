/* r1cs/template_file.h - templates in a file (docs/formats.md).
 *
 * The file is a cache: made from the program's own circuits, and made anew when it is missing, damaged or of
 * another revision of them. It is mapped; everything that an index in it reaches is checked first, so that no
 * file, however made, leads outside of it. What it cannot show is that its rows are the circuit's: a proof
 * made through wrong rows does not verify.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_TEMPLATE_FILE_H
#define R1CS_TEMPLATE_FILE_H

#include "r1cs/template.h"

#define TEMPLATE_NAME_MAX 31

/* Which templates a file holds: the circuit's name, and a digest of all that decides its rows. */
struct template_identity {
    char name[TEMPLATE_NAME_MAX + 1];
    uint8_t revision[32];
};

cuzk_status templates_write(const struct templates *t, const char *path, const struct template_identity *id,
                            struct cuzk_error *e) MUST_USE;

/* Does it begin as such a file does? And the circuit's name that it states, TEMPLATE_NAME_MAX + 1 bytes as
 * they are; NULL: it is too short. */
bool templates_are(const uint8_t *in, uint64_t size);
const char *templates_stated_name(const uint8_t *in, uint64_t size);

/* CUZK_ERR_MISMATCH: of another circuit, revision or format; CUZK_ERR_INPUT: damaged. */
cuzk_status templates_map(const struct exec *x, struct templates *out, const char *path,
                          const struct template_identity *id, struct cuzk_error *e) MUST_USE;

/* Does the whole content have the digest that the file states? CUZK_ERR_INPUT if not; fine for templates that
 * are not mapped. */
cuzk_status templates_check_digest(const struct templates *t, const char *path,
                                   struct cuzk_error *e) MUST_USE;

/* Map path and check its digest; if that does not work record the circuit and write the file, which may fail
 * without harm (a read-only folder): then *unkept (may be NULL) says why, else its status is CUZK_OK. path
 * NULL: record. */
cuzk_status templates_open(const struct exec *x, struct templates *out, const char *path,
                           const struct template_identity *id, const struct circuit *circuit,
                           struct cuzk_error *unkept, struct cuzk_error *e) MUST_USE;

/* Everything that rows.c, witness_walk.c and templates_expand follow leads somewhere: CUZK_ERR_INPUT if not.
 */
cuzk_status templates_validate(const struct exec *x, const struct templates *t,
                               struct cuzk_error *e) MUST_USE;

#endif
