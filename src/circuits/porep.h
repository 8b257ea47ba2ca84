/* circuits/porep.h - Proof of Replication (Stacked DRG): statement, public inputs, circuit, C1 reader.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_POREP_H
#define CIRCUITS_POREP_H

#include "base/exec.h"
#include "base/memory.h"
#include "hash/poseidon.h"
#include "r1cs/cs.h"

/* How the challenges are derived and the graph is drawn. */
enum porep_api {
    POREP_API_1_0 = 0, /* legacy expander seeds */
    POREP_API_1_1,
    POREP_API_1_2,
};
enum porep_mode {
    POREP_INTERACTIVE = 0,
    POREP_SYNTHETIC,
    POREP_NON_INTERACTIVE,
};

#define POREP_DRG_PARENTS    6
#define POREP_EXP_PARENTS    8
#define POREP_LABEL_PARENTS  37 /* parents' labels in a label's preimage, repeated up to this many */
#define POREP_MAX_LAYERS     11
#define POREP_MAX_CHALLENGES 18

/* Everything that a sector size and a registered proof fix. */
struct porep_params {
    uint64_t sector_size; /* bytes */
    uint64_t nodes;       /* sector_size / 32 */
    unsigned layers;
    unsigned base_arity, sub_arity, top_arity; /* of the Poseidon trees; 0: no such level */
    unsigned base_height;                      /* levels of base_arity below a base tree's root */
    unsigned data_height;                      /* levels of the binary tree over the data */
    unsigned challenges;                       /* a partition */
    unsigned partitions;
    enum porep_api api;
    enum porep_mode mode;
    uint64_t registered_proof; /* Filecoin's number; made-up ones from 99 on for 4, 16, 32 KiB */
    uint8_t porep_id[32];
};

/* By sector size alone, interactive, API 1.1: what a blank circuit needs. */
cuzk_status porep_params_for_size(struct porep_params *out, uint64_t sector_size,
                                  struct cuzk_error *e) MUST_USE;
/* By name as in a C1 ("StackedDrg32GiBV1_1", "...V1_1_Feat_SyntheticPoRep",
 * "...V1_2_Feat_NonInteractivePoRep", those of the test sizes, e.g. "StackedDrg4KiBV1_1", included). */
cuzk_status porep_params_for_name(struct porep_params *out, const char *name, size_t len,
                                  struct cuzk_error *e) MUST_USE;
/* By the registered number. */
cuzk_status porep_params_for_number(struct porep_params *out, uint64_t registered_proof,
                                    struct cuzk_error *e) MUST_USE;
/* By a circuit's name: "porep-2k", "porep-4k", "porep-16k", "porep-32k", "porep-8m", "porep-512m",
 * "porep-32g", "porep-64g"; as porep_params_for_size. */
cuzk_status porep_params_for_circuit(struct porep_params *out, const char *circuit,
                                     struct cuzk_error *e) MUST_USE;

/* The i-th known size's circuit name and bytes, smallest first; NULL from the end on. */
const char *porep_circuit_name(size_t i, uint64_t *sector_size);
/* "2KiB", "32GiB"...; the circuit's name. For sizes of a valid params only. */
const char *porep_size_text(const struct porep_params *p);
const char *porep_params_circuit(const struct porep_params *p);

#define POREP_NAME_MAX 384
/* The name of the registered proof as in a C1; the name of the variant that holds the vanilla proofs. */
void porep_registered_name(const struct porep_params *p, char out[POREP_NAME_MAX]);
void porep_variant_name(const struct porep_params *p, char out[POREP_NAME_MAX]);
/* The public parameters' identifier, whose SHA-256 in hex is in the parameter files' names, and what stands
 * before it there: "v28-<prefix>-<hash>.params". Depends on the sector size alone. */
void porep_identifier(const struct porep_params *p, char out[POREP_NAME_MAX]);
void porep_cache_prefix(const struct porep_params *p, char out[POREP_NAME_MAX]);

/* What a proof is about. comm_r, comm_d and replica_id: canonical field elements, little-endian. */
struct porep_statement {
    struct porep_params params;
    uint8_t comm_r[32], comm_d[32], replica_id[32], seed[32], ticket[32];
};

/* The payload of the address of a miner's actor: its number as an unsigned variable-length integer, 7 bits a
 * byte, low first, then zeros. */
void porep_prover_id(uint8_t out[32], uint64_t miner);

/* replica_id of a sector: SHA-256 of prover, sector, ticket, comm_d and PoRep ID, cut to 254 bits. */
void porep_replica_id(uint8_t out[32], const struct porep_params *p, const uint8_t prover_id[32],
                      uint64_t sector, const uint8_t ticket[32], const uint8_t comm_d[32]);

/* The challenged nodes of a partition: params.challenges of them, each in 1..nodes - 1. */
cuzk_status porep_challenges(const struct porep_statement *s, unsigned partition, uint64_t *out,
                             struct cuzk_error *e) MUST_USE;

/* The partition's public inputs without the constant one, in the circuit's order:
 * porep_public_count(params) elements. */
size_t porep_public_count(const struct porep_params *p);
cuzk_status porep_public_inputs(const struct porep_statement *s, unsigned partition, fr *out,
                                struct cuzk_error *e) MUST_USE;

/* A node's Merkle path, all elements in Montgomery form. Always the shape that params fix: every step's
 * arity, index below it, the number of steps. */
struct merkle_step {
    fr *siblings; /* arity - 1 of them, in order without the path's own */
    uint32_t arity;
    uint32_t index; /* of the path's own node among the arity */
    fr digest;      /* of the arity nodes, if the path is hashed */
};
struct merkle_path { /* from the leaf up: base levels, then sub, then top */
    fr leaf, root;
    struct merkle_step *steps;
    uint32_t count;
    bool hashed; /* the steps' digests are there (merkle_hash.h); to be cleared if leaf or steps change */
};

/* Which of several paths. */
enum merkle_which {
    MERKLE_ALL = 1,
    MERKLE_MISSING, /* those that are not hashed */
};

/* A column: the labels of one node on every layer, with the path of its hash in tree C. */
struct porep_column {
    uint32_t index; /* the node */
    fr *rows;       /* layers */
    struct merkle_path path;
};
struct porep_labeling { /* the parents' labels that a layer's label is made of */
    fr *parents;        /* POREP_LABEL_PARENTS */
    uint32_t layer_index;
    uint64_t node;
};
/* One challenge of a vanilla proof. */
struct porep_challenge {
    struct merkle_path comm_d; /* binary, SHA-256 */
    struct merkle_path comm_r_last;
    struct porep_column c_x;
    struct porep_column *drg_parents; /* POREP_DRG_PARENTS */
    struct porep_column *exp_parents; /* POREP_EXP_PARENTS */
    struct porep_labeling *labeling;  /* layers */
    struct porep_labeling encoding;
};

struct porep_c1 {
    struct porep_statement statement;
    uint64_t sector_number; /* wrapped form only, else 0 */
    bool wrapped;
    struct porep_challenge **proof; /* [params.partitions][params.challenges] */
    struct arena arena;             /* owns what proof points to */
};

#define POREP_C1_MAX ((size_t)1 << 30) /* bytes of a C1 file */

/* Read a C1 from size bytes of JSON, wrapped ({"SectorNum","Phase1Out","SectorSize"}) or bare (the phase-1
 * output). Strict about structure: each field once, none unknown, every count, arity, index and element what
 * the registered proof requires; fields in any order. It does not ask whether the proof holds: see
 * porep_c1_check. Errors (CUZK_ERR_INPUT) name the field's path and the byte, counted in the file or in the
 * decoded Phase1Out (said which). out is written on success only. */
cuzk_status porep_c1_read(const struct exec *x, struct porep_c1 *out, const uint8_t *json, size_t size,
                          struct cuzk_error *e) MUST_USE;
void porep_c1_free(struct porep_c1 *c1); /* a zeroed one is fine */

/* Does the proof speak of the statement? The cheap part of the vanilla verification: the challenged nodes and
 * their parents are those that the statement gives, every path leads along its node's index, roots are comm_d
 * and the same comm_c and comm_r_last everywhere with comm_r their hash, labels of parents are the columns'.
 * The hashing of paths, columns and labels is left to porep_c1_check_hashes. CUZK_ERR_UNSATISFIED names the
 * place. */
cuzk_status porep_c1_check(const struct exec *x, const struct poseidon_set *poseidon,
                           const struct porep_c1 *c1, struct cuzk_error *e) MUST_USE;

/* The rest, of one partition of a proof for which the former holds: every path leads from its leaf to its
 * root, columns hash to the leaves, labels are the hashes of the parents' labels, and the replica's leaf is
 * the data's plus the last label. On all threads of x; the paths in trees C and R are hashed afterwards.
 * CUZK_ERR_UNSATISFIED names the first challenge and check that fails. */
cuzk_status porep_c1_check_hashes(const struct exec *x, const struct poseidon_set *poseidon,
                                  const struct porep_c1 *c1, unsigned partition,
                                  struct cuzk_error *e) MUST_USE;

/* Hash along a partition's paths in trees C and R (merkle_hash.h). */
cuzk_status porep_hash_paths(const struct exec *x, const struct poseidon_set *poseidon,
                             const struct porep_c1 *c1, unsigned partition, enum merkle_which which,
                             struct cuzk_error *e) MUST_USE;

/* The circuit of one partition; c1 NULL: the blank circuit of params. The circuit borrows all three. */
struct porep_circuit {
    const struct poseidon_set *poseidon;
    const struct porep_params *params;
    const struct porep_c1 *c1;
    unsigned partition;
};
void porep_synthesize(const void *porep_circuit, struct cs *cs); /* for struct circuit */
/* The whole; its parts are the statement and each challenge. It borrows. */
struct circuit porep_circuit_of(const struct porep_circuit *circuit);

#endif
