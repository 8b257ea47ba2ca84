/* circuits/request_wire.h - what a proof is asked for, from the fields of a SubmitProofRequest
 * (proto/cuzk/v1/proving.proto).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_REQUEST_WIRE_H
#define CIRCUITS_REQUEST_WIRE_H

#include "circuits/request.h"

/* As on the wire. */
enum request_wire_kind {
    REQUEST_WIRE_POREP = 1,
    REQUEST_WIRE_SNAP = 2,
    REQUEST_WIRE_WINDOW = 3,
    REQUEST_WIRE_WINNING = 4,
};

struct request_wire_bytes {
    const uint8_t *data;
    size_t size;
};

/* The fields as sent; all borrowed. What a kind does not use must be empty or zero, but for miner_id,
 * sector_number and partition_index, which senders fill in as it pleases them.
 *
 * PoRep: one piece, the C1 (JSON, wrapped or bare). A miner_id other than 0 and sector_number must be those
 * that its replica id was made of.
 *
 * Updates: one bincode record a partition, in order; comm_r_old, comm_r_new, comm_d_new.
 *
 * Window: the bincode records of one partition's sectors, in any order, each once: they are proved in
 * ascending order, as the chain's verifiers order them. partition_index is the partition's place among those
 * of the deadline; only challenges of the first window proof (V1) depend on it.
 *
 * Winning: the bincode record of the one sector.
 *
 * registered_proof: of PoSt and updates their own numbers. sector_size 0: that of registered_proof. A
 * registered_proof of 0 is that number, or, beside a sector_size that it is not for, a missing one: then the
 * proofs of today are meant, for a PoRep what the C1 says. */
struct request_wire {
    uint32_t kind; /* enum request_wire_kind; others are refused */
    uint64_t sector_size, registered_proof;
    uint64_t sector_number, miner_id;
    uint32_t partition_index;
    const struct request_wire_bytes *pieces; /* of the shape alone: data may be NULL */
    size_t piece_count;
    struct request_wire_bytes randomness, comm_r_old, comm_r_new, comm_d_new;
};

/* What can be told without reading the pieces. */
struct request_wire_shape {
    enum request_kind kind;
    const char *circuit; /* "porep-32g"; static life */
    uint64_t sector_size;
    unsigned partitions; /* to prove: proofs of 192 bytes */
    size_t record_size;  /* the exact size of each piece; 0 for a C1 */
};

/* Check all but the pieces' contents. CUZK_ERR_ARGUMENT: kind, numbers, or fixed-size fields are wrong;
 * CUZK_ERR_INPUT: the number or the size of the pieces is. The message names the field. */
cuzk_status request_wire_check(struct request_wire_shape *out, const struct request_wire *w,
                               struct cuzk_error *e) MUST_USE;

/* The statement and the vanilla proofs; nothing is borrowed afterwards, request_free frees it. Whether the
 * vanilla proofs hold is not asked: see request_check. Errors as request_wire_check; CUZK_ERR_INPUT also for
 * a malformed piece, CUZK_ERR_MISMATCH for a C1 of another registered proof, size, sector or miner. */
cuzk_status request_wire_read(const struct exec *x, struct request *out, const struct request_wire *w,
                              struct cuzk_error *e) MUST_USE;

#endif
