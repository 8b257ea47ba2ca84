/* circuits/snap.h - SnapDeals (EmptySectorUpdate): statement, public inputs, circuit, vanilla proofs.
 *
 * A sealed sector of zeros takes new data: each node of the new replica is the old one's plus the data's
 * times rho, where rho is drawn for the node's highest bits from comm_d_new and comm_r_old. A partition is of
 * the nodes whose number begins with the partition's; its challenges, drawn from comm_r_new, are nodes whose
 * paths lead to the old replica's root, the data's root and the new replica's root. In the Poseidon variant
 * the data tree has the replica trees' shape and hash, and there is one partition. (FIP-0019.)
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_SNAP_H
#define CIRCUITS_SNAP_H

#include "circuits/porep.h"

enum snap_variant {
    SNAP_SHA256 = 0, /* the one in use */
    SNAP_POSEIDON,
};

#define SNAP_HIGH_CHOICES   6
#define SNAP_MAX_CHALLENGES 1376

/* Everything that a sector size and a variant fix. */
struct snap_params {
    enum snap_variant variant;
    uint64_t sector_size;                      /* bytes */
    uint64_t nodes;                            /* sector_size / 32 */
    unsigned node_bits;                        /* of a node's number */
    unsigned base_arity, sub_arity, top_arity; /* of the replica trees; 0: no such level */
    unsigned base_height;                      /* levels of base_arity below a base tree's root */
    unsigned partitions, partition_bits;       /* 2^partition_bits */
    unsigned challenges;                       /* a partition */
    unsigned drawn_bits;                       /* of a challenge: node_bits - partition_bits */
    unsigned apex_leaves, apex_bits; /* nodes of the data tree that a SHA-256 partition holds, on one level;
                                        2^apex_bits, none in the Poseidon variant */
    unsigned high_bits[SNAP_HIGH_CHOICES]; /* how many of a node's highest bits rho may depend on */
    unsigned high_choice;                  /* which of these the chain takes */
    uint64_t registered_proof;             /* update 0-4; made-up numbers from 99 on for 4, 16, 32 KiB */
};

/* By a circuit's name: "snap-2k" to "snap-64g", "snap-poseidon-2k" to "snap-poseidon-64g". */
cuzk_status snap_params_for_circuit(struct snap_params *out, const char *circuit,
                                    struct cuzk_error *e) MUST_USE;
/* By the registered update proof's number. */
cuzk_status snap_params_for_number(struct snap_params *out, uint64_t registered_proof,
                                   enum snap_variant variant, struct cuzk_error *e) MUST_USE;

/* The i-th circuit's name and sector size, SHA-256 before Poseidon, smallest first; NULL from the end on. */
const char *snap_circuit_name(size_t i, uint64_t *sector_size);
/* For valid params only: "2KiB", "32GiB"...; the circuit's name; the kind of request, "snap" or
 * "snap-poseidon". */
const char *snap_size_text(const struct snap_params *p);
const char *snap_params_circuit(const struct snap_params *p);
const char *snap_kind_text(const struct snap_params *p);

#define SNAP_NAME_MAX 160
/* The public parameters' identifier, whose SHA-256 in hex is in the parameter files' names, and what stands
 * before it there: "v28-<prefix>-<hash>.params". */
void snap_identifier(const struct snap_params *p, char out[SNAP_NAME_MAX]);
void snap_cache_prefix(const struct snap_params *p, char out[SNAP_NAME_MAX]);

/* ---- the statement ---- */

/* What a proof is about: neither the miner nor the sector's number is part of it. comm_r_old, comm_d_new,
 * comm_r_new: canonical field elements, little-endian. */
struct snap_statement {
    struct snap_params params;
    uint8_t comm_r_old[32], comm_d_new[32], comm_r_new[32];
};

/* The partition's public inputs without the constant one, in the circuit's order: snap_public_count(params)
 * elements. CUZK_ERR_ARGUMENT: there is no such partition; CUZK_ERR_INPUT: a value is not canonical. */
size_t snap_public_count(const struct snap_params *p);
cuzk_status snap_public_inputs(const struct snap_statement *s, unsigned partition, fr *out,
                               struct cuzk_error *e) MUST_USE;

/* The challenged nodes of a partition: params.challenges of them, each of the partition's. Errors as
 * snap_public_inputs. */
cuzk_status snap_challenges(const struct exec *x, const struct poseidon_set *poseidon,
                            const struct snap_statement *s, unsigned partition, uint32_t *out,
                            struct cuzk_error *e) MUST_USE;

/* What all rhos are drawn with: the hash of comm_d_new and comm_r_old; and rho of a node. */
cuzk_status snap_phi(const struct exec *x, const struct poseidon_set *poseidon,
                     const struct snap_statement *s, fr *out, struct cuzk_error *e) MUST_USE;
fr snap_rho(const struct exec *x, const struct poseidon_set *poseidon, const struct snap_params *p,
            const fr *phi, uint32_t node);

/* ---- vanilla proofs ---- */

/* A challenged node's paths in the trees of the old replica, the new data and the new replica. */
struct snap_challenge {
    struct merkle_path r_old, d_new, r_new;
};

/* One partition's, in Montgomery form. */
struct snap_proof {
    fr comm_c;
    fr *apex_leaves;                   /* params.apex_leaves of them */
    struct snap_challenge *challenges; /* params.challenges of them, with the shape that params fix */
};

/* The exact size of a partition's vanilla proof in bytes. */
size_t snap_proof_size(const struct snap_params *p);

/* Read a partition's vanilla proof from size bytes: the bincode form of the published library's
 * PartitionProof of the variant. Strict: every count, tree variant, index and element what params require,
 * nothing behind it. It does not ask whether the proof holds: see snap_check. Errors (CUZK_ERR_INPUT) name
 * the field's path and the byte. out is written on success only; what it points to lies in the arena, where a
 * failed call may leave garbage. */
cuzk_status snap_proof_read(const struct exec *x, struct snap_proof *out, struct arena *arena,
                            const struct snap_params *p, const uint8_t *bytes, size_t size,
                            struct cuzk_error *e) MUST_USE;

/* Does a partition's vanilla proof hold? comm_r_old and comm_r_new are hashes of comm_c and the roots; the
 * apex leaves and what stands above them lead to comm_d_new; every path is that of its challenged node and
 * leads from its leaf to its root, the data's through its apex leaf; every new leaf is the encoding of the
 * old one. On all threads of x; the paths are hashed afterwards. CUZK_ERR_UNSATISFIED names the first
 * challenge and check that fails. */
cuzk_status snap_check(const struct exec *x, const struct poseidon_set *poseidon,
                       const struct snap_statement *s, unsigned partition, const struct snap_proof *proof,
                       struct cuzk_error *e) MUST_USE;

/* Hash along a proof's paths in Poseidon trees (merkle_hash.h). */
cuzk_status snap_hash_paths(const struct exec *x, const struct poseidon_set *poseidon,
                            const struct snap_params *p, const struct snap_proof *proof,
                            enum merkle_which which, struct cuzk_error *e) MUST_USE;

/* ---- the circuit ---- */

/* The circuit of one partition; proof (the partition's) and statement NULL: the blank circuit of params. The
 * circuit borrows all. */
struct snap_circuit {
    const struct poseidon_set *poseidon;
    const struct snap_params *params;
    const struct snap_statement *statement;
    const struct snap_proof *proof;
    unsigned partition;
};
void snap_synthesize(const void *snap_circuit, struct cs *cs);      /* for struct circuit */
struct circuit snap_circuit_of(const struct snap_circuit *circuit); /* the whole; it borrows */

#endif
