/* circuits/request.h - what a proof is asked for, read from a file as the command line takes it.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_REQUEST_H
#define CIRCUITS_REQUEST_H

#include "circuits/catalogue.h"

enum request_kind {
    REQUEST_POREP = 1,
    REQUEST_POST,
    REQUEST_SNAP,
};

struct request {
    enum request_kind kind;
    union { /* the statement; its sectors lie in the arena */
        struct porep_statement porep;
        struct post_statement post;
        struct snap_statement snap;
    };
    bool is_c1;             /* the file was a C1, not a request file */
    uint64_t miner, sector; /* as a request file says; sector: but for PoSt */

    bool has_witness; /* the vanilla proofs are there: */
    struct porep_c1 c1;
    struct post_proof *post_proofs; /* one for each sector of the statement */
    struct snap_proof *snap_proofs; /* one for each partition */
    struct arena arena;             /* owns what the two point to */
};

/* Read path: a C1 file (porep_c1_read), or a request file, a JSON object with exactly the fields of its kind:
 *   all: kind, size ("32GiB"), registered_proof, miner (numbers)
 *   "porep" API 1.1, "porep-v1" API 1.0, "porep-syn" synthetic, "porep-ni" non-interactive: sector (a
 * number), prover_id, porep_id, ticket, seed, comm_r, comm_d (64 hex digits); the replica id follows from
 * these "winning", "window", "window-v1" (before challenges restarted): prover_id, randomness, sectors (an
 * array of numbers), comm_r and vanilla (arrays as long) "snap", "snap-poseidon": sector, comm_r_old,
 * comm_d_new, comm_r_new, vanilla (one for each partition) vanilla: names of files in the request file's own
 * folder; PoRep's is the C1 beside X.meta.json, X.c1.json. They are read if need_witness says so, and a C1
 * must be of the same statement. Whether a vanilla proof holds is not asked: see request_check. Errors:
 * CUZK_ERR_IO (not to be read, a directory), CUZK_ERR_INPUT (empty, too large, malformed), CUZK_ERR_MISMATCH
 * (the C1 is of another statement). */
cuzk_status request_read(const struct exec *x, struct request *out, const char *path, bool need_witness,
                         struct cuzk_error *e) MUST_USE;
void request_free(struct request *request); /* a zeroed one is fine */

/* "porep-32g"; "porep", "window-v1"... as in a request file; "32GiB" and in bytes; the registered number. */
const char *request_circuit_name(const struct request *q);
const char *request_kind_text(const struct request *q);
uint64_t request_sector_size(const struct request *q);
uint64_t request_registered_proof(const struct request *q);

unsigned request_partitions(const struct request *q);

/* The partition's public inputs without the constant one, in the circuit's order: request_public_count
 * elements. They follow from the statement alone. */
size_t request_public_count(const struct request *q);
cuzk_status request_public_inputs(const struct request *q, unsigned partition, fr *out,
                                  struct cuzk_error *e) MUST_USE;

/* Do the vanilla proofs hold (porep_c1_check and _hashes, post_check, snap_check): all of them, or those that
 * a partition stands on? CUZK_ERR_UNSATISFIED names the first check that fails; CUZK_ERR_ARGUMENT:
 * they were not read, or there is no such partition. */
cuzk_status request_check(const struct exec *x, const struct poseidon_set *poseidon, const struct request *q,
                          struct cuzk_error *e) MUST_USE;
cuzk_status request_check_partition(const struct exec *x, const struct poseidon_set *poseidon,
                                    const struct request *q, unsigned partition,
                                    struct cuzk_error *e) MUST_USE;

/* The real circuit of a partition, which borrows hash and request. CUZK_ERR_ARGUMENT: as above. */
cuzk_status request_circuit(struct any_circuit *out, const struct poseidon_set *poseidon,
                            const struct request *q, unsigned partition, struct cuzk_error *e) MUST_USE;

#endif
