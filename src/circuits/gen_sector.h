/* circuits/gen_sector.h - made-up sectors: their data, labels, trees and commitments.
 *
 * A sector is sealed for real (labels of all nodes on all layers, in memory of so many sector sizes), or made
 * sparse: its data repeat, so that comm_d is known at once, and labels exist only where an interactive proof
 * looks, at challenged nodes and their parents. Labels of challenged nodes are true, of those that are only
 * parents they are random. All other columns, and the nodes of the replica that are not challenged, are one
 * random value.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_GEN_SECTOR_H
#define CIRCUITS_GEN_SECTOR_H

#include "circuits/gen_tree.h"
#include "circuits/porep_graph.h"

/* An endless row of random 254-bit numbers, from a key; it repeats after 2^period_bits of them. */
struct gen_source {
    uint8_t key[32];
    unsigned period_bits;
};
void gen_source_at(const struct gen_source *s, uint64_t i, uint8_t out[32]);
void gen_source_element(const struct gen_source *s, uint64_t i, fr *out); /* in Montgomery form */

/* A key for what `label` names, from another key. */
void gen_key(uint8_t out[32], const uint8_t key[32], const char *label, uint64_t number);
/* A number for it, below limit; 32 bytes that are a field element. */
uint64_t gen_number(const uint8_t key[32], const char *label, uint64_t limit);
void gen_element(const uint8_t key[32], const char *label, uint8_t out[32]);

/* Who seals, and with which randomness. */
struct gen_identity {
    uint8_t prover_id[32], ticket[32], seed[32];
    uint64_t sector;
};

struct gen_sector {
    const struct exec *x;
    const struct poseidon_set *poseidon;
    struct porep_statement statement;
    struct porep_graph graph;
    struct gen_source data;
    struct gen_tree d, c, r; /* of the data, the columns, the replica */
    fr comm_c;
    /* Labels: [layer][slot]; slot k is of node nodes[k], or of node k if nodes is NULL. */
    uint8_t (*labels)[32];
    uint64_t slots;
    const uint64_t *nodes;
    struct block memory;
    struct arena arena;
};

/* Both use all threads of x and tell their progress; s does not move as long as it lives, and borrows x and
 * poseidon. key: what is random in it follows from this. On failure there is nothing to free. */
cuzk_status gen_sector_seal(const struct exec *x, struct gen_sector *s, const struct poseidon_set *poseidon,
                            const struct porep_params *params, const struct gen_identity *who,
                            const uint8_t key[32], struct cuzk_error *e) MUST_USE;
/* params: of an interactive proof. */
cuzk_status gen_sector_sparse(const struct exec *x, struct gen_sector *s, const struct poseidon_set *poseidon,
                              const struct porep_params *params, const struct gen_identity *who,
                              const uint8_t key[32], struct cuzk_error *e) MUST_USE;
void gen_sector_free(struct gen_sector *s); /* a zeroed one is fine */

/* The replica's node i: last label and data. Of a sparse sector only where it is challenged. */
void gen_sector_replica(const struct gen_sector *s, uint64_t i, fr *out);

/* The vanilla proof of a challenged node, in memory from the arena. False: memory is out. node's parents are
 * found again, which may fail in a library: status says so. */
cuzk_status gen_sector_challenge(const struct gen_sector *s, struct arena *arena, uint64_t node,
                                 struct porep_challenge *out, struct cuzk_error *e) MUST_USE;

#endif
