/* circuits/gen_tree.h - Merkle trees over the nodes of generated sectors, of any size in bounded memory.
 *
 * A dense tree is over leaves that a function gives. They may repeat: the nodes fall into ranges of one size,
 * and within a range they repeat after a period. Then equal subtrees are kept once, which makes a tree over
 * 2^31 nodes as cheap as one over a range's period. A really sealed sector is one range without repetition.
 * A sparse tree has some given leaves, and one other value, the filler, in all other places.
 *
 * Nodes of a SHA-256 tree are plain integers of 254 bits in the struct fr, nodes of a Poseidon tree are in
 * Montgomery form.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_GEN_TREE_H
#define CIRCUITS_GEN_TREE_H

#include "circuits/porep.h"

#define GEN_TREE_LEVELS 34

/* Gives leaf i; called from all threads. */
typedef void gen_leaf_fn(const void *ctx, uint64_t i, fr *out);

struct gen_tree {
    const struct poseidon_set *poseidon; /* NULL: SHA-256 */
    enum cpu_variant variant;
    unsigned levels;                 /* above the leaves */
    uint32_t arity[GEN_TREE_LEVELS]; /* of the nodes on level i + 1 */
    unsigned bits[GEN_TREE_LEVELS];  /* 2^bits leaves below a node on level i */
    fr *row[GEN_TREE_LEVELS];        /* the nodes that are kept; NULL: the level is computed when asked for */
    uint64_t slots[GEN_TREE_LEVELS]; /* nodes in row */
    bool sparse;
    /* dense */
    unsigned range_bits, period_bits;
    gen_leaf_fn *leaf;
    const void *leaf_ctx;
    struct block memory;
    /* sparse: row[i][k] is the node index[i][k], in ascending order; all others are filler[i] */
    uint64_t *index[GEN_TREE_LEVELS];
    fr filler[GEN_TREE_LEVELS];
};

/* Set what fixes a tree's form; the rest is zero. Poseidon: the sector's replica and column trees. SHA-256:
 * the data tree. */
void gen_tree_poseidon(struct gen_tree *t, const struct exec *x, const struct poseidon_set *poseidon,
                       const struct porep_params *p);
void gen_tree_sha256(struct gen_tree *t, const struct exec *x, const struct porep_params *p);

/* Build a dense tree: 2^range_bits leaves a range, each repeated after 2^period_bits. leaf and its context
 * must live as long as the tree. Progress is told as phase. On all threads. On failure there is nothing to
 * free. */
cuzk_status gen_tree_dense(const struct exec *x, struct gen_tree *t, unsigned range_bits,
                           unsigned period_bits, gen_leaf_fn *leaf, const void *ctx, const char *phase,
                           struct cuzk_error *e) MUST_USE;

/* Build a sparse tree in memory from the arena: count leaves (at least one) in ascending order, each once.
 * With threads on all threads of x, else on this one (for calls from within a task). */
cuzk_status gen_tree_sparse(const struct exec *x, struct gen_tree *t, struct arena *arena,
                            const uint64_t *index, const fr *leaves, size_t count, const fr *filler,
                            bool threads, struct cuzk_error *e) MUST_USE;

void gen_tree_free(struct gen_tree *t); /* a zeroed one is fine */

/* A node: i below the level's number of nodes. */
void gen_tree_get(const struct gen_tree *t, unsigned level, uint64_t i, fr *out);

/* In Montgomery form, whatever the hash. */
void gen_tree_element(const struct gen_tree *t, unsigned level, uint64_t i, fr *out);
fr gen_tree_root(const struct gen_tree *t);

/* The leaf's path, in Montgomery form, with steps and siblings from the arena. False: memory is out. */
bool gen_tree_path(const struct gen_tree *t, struct arena *arena, uint64_t leaf,
                   struct merkle_path *out) MUST_USE;

#endif
