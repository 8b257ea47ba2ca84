/* circuits/request.h - what a proof is asked for, read from a file as the command line takes it.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_REQUEST_H
#define CIRCUITS_REQUEST_H

#include "circuits/porep.h"

enum request_kind {
    REQUEST_POREP = 1,
};

struct request {
    enum request_kind kind;
    struct porep_statement porep; /* of REQUEST_POREP */
    bool is_c1;                   /* the file was a C1, not a request file */
    bool has_witness;             /* c1 is there */
    struct porep_c1 c1;
};

/* Read path: a C1 file (porep_c1_read), or a request file, a JSON object with the fields
 *   kind ("porep" API 1.1, "porep-v1" API 1.0, "porep-syn" synthetic, "porep-ni" non-interactive), size
 * ("32GiB"), registered_proof, miner, sector (numbers), prover_id, porep_id, ticket, seed, comm_r, comm_d (64
 * hex digits). The replica id follows from these. With need_witness a request file X.meta.json has its C1
 * beside it, X.c1.json, which must be of the same statement. The proof in the C1 is not checked: see
 * porep_c1_check. Errors: CUZK_ERR_IO (not to be read, a directory), CUZK_ERR_INPUT (empty, too large,
 * malformed), CUZK_ERR_MISMATCH (the C1 is of another statement), CUZK_ERR_UNSUPPORTED (a kind of request
 * that is known but not served). */
cuzk_status request_read(const struct exec *x, struct request *out, const char *path, bool need_witness,
                         struct cuzk_error *e) MUST_USE;
void request_free(struct request *request); /* a zeroed one is fine */

#endif
