/* circuits/post.h - Proof of Spacetime (fallback PoSt, winning and window): statement, public inputs,
 * circuit, vanilla proofs.
 *
 * A partition has a fixed number of places, each for a sector with some challenges: nodes of its replica tree
 * whose paths lead to its comm_r. A window proof has a sector in each place; in its last partition the last
 * sector fills the places that are left. A winning proof is of one sector, which stands in every place with
 * one of its challenges. (The Filecoin specification, "Proof of spacetime".)
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_POST_H
#define CIRCUITS_POST_H

#include "circuits/porep.h"

enum post_kind {
    POST_WINNING = 0,
    POST_WINDOW,
};

#define POST_MAX_CHALLENGES 66

/* Everything that a sector size and a registered proof fix. */
struct post_params {
    enum post_kind kind;
    uint64_t sector_size;                      /* bytes */
    uint64_t nodes;                            /* sector_size / 32 */
    unsigned base_arity, sub_arity, top_arity; /* of the replica tree; 0: no such level */
    unsigned base_height;                      /* levels of base_arity below a base tree's root */
    unsigned places;                           /* a partition */
    unsigned place_challenges;                 /* of each place */
    unsigned challenges;                       /* of a sector, all in one vanilla proof */
    bool index_restarts; /* challenges are counted anew for each sector (library API 1.2), not on over all
                            sectors of the proof (before) */
    uint64_t registered_proof; /* Filecoin's number; made-up ones from 99 on for 4, 16, 32 KiB */
};

/* By a circuit's name: "winning-2k" to "winning-64g", "window-2k" to "window-64g" (also "wpost-2k"...), with
 * the registered proofs of today. */
cuzk_status post_params_for_circuit(struct post_params *out, const char *circuit,
                                    struct cuzk_error *e) MUST_USE;
/* By the registered number. */
cuzk_status post_params_for_number(struct post_params *out, uint64_t registered_proof,
                                   struct cuzk_error *e) MUST_USE;

/* The i-th circuit's name and sector size, winning before window, smallest first; NULL from the end on. */
const char *post_circuit_name(size_t i, uint64_t *sector_size);
/* For valid params only: "2KiB", "32GiB"...; the circuit's name; the kind of request, "winning", "window" or
 * "window-v1" (its challenges do not restart). */
const char *post_size_text(const struct post_params *p);
const char *post_params_circuit(const struct post_params *p);
const char *post_kind_text(const struct post_params *p);

#define POST_NAME_MAX 160
/* The public parameters' identifier, whose SHA-256 in hex is in the parameter files' names, and what stands
 * before it there: "v28-<prefix>-<hash>.params". */
void post_identifier(const struct post_params *p, char out[POST_NAME_MAX]);
void post_cache_prefix(const struct post_params *p, char out[POST_NAME_MAX]);

/* ---- the statement ---- */

struct post_sector {
    uint64_t id;
    uint8_t comm_r[32];
};

/* What a proof is about. The miner is no part of it: nothing in a proof depends on the prover's id.
 * randomness, comm_r: canonical field elements, little-endian. */
struct post_statement {
    struct post_params params;
    uint8_t randomness[32];
    const struct post_sector *sectors; /* borrowed */
    size_t sector_count;
    uint64_t first_index; /* what challenges are counted on from where they do not restart: sectors that stand
                             before these in the whole proof; 0 if these are all of it */
};

/* Winning: exactly one sector. Window: at least one, in ascending order, each once, as the chain's verifiers
 * order them. All values are canonical. CUZK_ERR_INPUT names what is not so. The functions below take
 * statements for which this holds; post_public_inputs and post_check ask it themselves. */
cuzk_status post_statement_check(const struct post_statement *s, struct cuzk_error *e) MUST_USE;

size_t post_partitions(const struct post_statement *s);

/* Who stands in a place of a partition, and with which of its challenges: place_challenges of them from
 * `first` on. */
struct post_place {
    size_t sector; /* index in the statement */
    unsigned first;
};
struct post_place post_place_at(const struct post_statement *s, size_t partition, unsigned place);

/* The n-th challenged node, n < params.challenges, of a sector, given by its index in the statement. */
uint64_t post_challenge(const struct post_statement *s, size_t sector, unsigned n);

/* The partition's public inputs without the constant one, in the circuit's order:
 * post_public_count(params) elements. */
size_t post_public_count(const struct post_params *p);
cuzk_status post_public_inputs(const struct post_statement *s, size_t partition, fr *out,
                               struct cuzk_error *e) MUST_USE;

/* ---- vanilla proofs ---- */

/* One sector's, in Montgomery form but for comm_r. */
struct post_proof {
    uint64_t sector_id;
    uint8_t comm_r[32]; /* canonical */
    fr comm_c, comm_r_last;
    struct merkle_path *paths; /* params.challenges of them, with the shape that params fix */
};

/* The exact size of a vanilla proof in bytes. */
size_t post_proof_size(const struct post_params *p);

/* Read a sector's vanilla proof from size bytes: the bincode form of the published library's
 * FallbackPoStSectorProof. Strict: every count, variant, index and element what params require, nothing
 * behind it. It does not ask whether the proof holds: see post_check. Errors (CUZK_ERR_INPUT) name the
 * field's path and the byte. out is written on success only; what it points to lies in the arena, where a
 * failed call may leave garbage. */
cuzk_status post_proof_read(const struct exec *x, struct post_proof *out, struct arena *arena,
                            const struct post_params *p, const uint8_t *bytes, size_t size,
                            struct cuzk_error *e) MUST_USE;

/* Do the vanilla proofs, proofs[i] that of the statement's sector i, hold? Each is of its sector, comm_r is
 * the hash of comm_c and comm_r_last, every path leads from its leaf to comm_r_last along the challenged
 * node's index. On all threads of x; the paths are hashed afterwards. CUZK_ERR_UNSATISFIED names the first
 * sector and check that fails. */
cuzk_status post_check(const struct exec *x, const struct poseidon_set *poseidon,
                       const struct post_statement *s, const struct post_proof *proofs,
                       struct cuzk_error *e) MUST_USE;
/* The same of the sectors that stand in a partition. CUZK_ERR_ARGUMENT: there is no such partition. */
cuzk_status post_check_partition(const struct exec *x, const struct poseidon_set *poseidon,
                                 const struct post_statement *s, size_t partition,
                                 const struct post_proof *proofs, struct cuzk_error *e) MUST_USE;

/* Hash along the paths of the sectors [first, end) (merkle_hash.h). */
cuzk_status post_hash_paths(const struct exec *x, const struct poseidon_set *poseidon,
                            const struct post_statement *s, const struct post_proof *proofs, size_t first,
                            size_t end, enum merkle_which which, struct cuzk_error *e) MUST_USE;

/* ---- the circuit ---- */

/* The circuit of one partition; proofs (as for post_check) and statement NULL: the blank circuit of params.
 * The circuit borrows all. */
struct post_circuit {
    const struct poseidon_set *poseidon;
    const struct post_params *params;
    const struct post_statement *statement;
    const struct post_proof *proofs;
    size_t partition;
};
void post_synthesize(const void *post_circuit, struct cs *cs);
/* The whole; its parts are each place's sector and challenges. It borrows. */
struct circuit post_circuit_of(const struct post_circuit *circuit);

#endif
