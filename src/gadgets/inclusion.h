/* gadgets/inclusion.h - a leaf is in the Merkle tree of a root: the reference's proof of retrievability.
 *
 * Trees are binary with SHA-256 cut to 254 bits, or Poseidon trees whose lowest levels have a base arity,
 * with up to one level of a sub arity above and one of a top arity above that.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_INCLUSION_H
#define GADGETS_INCLUSION_H

#include "gadgets/num.h"
#include "hash/poseidon.h"

#define INCLUSION_MAX_LEVELS 64
#define INCLUSION_MAX_ARITY  8

struct inclusion_tree {
    const struct poseidon_set *poseidon;       /* NULL: SHA-256, binary */
    unsigned base_levels;                      /* below sub and top */
    unsigned base_arity, sub_arity, top_arity; /* 2, 4 or 8; sub and top 0: no such level */
};

/* One level of a path. */
struct inclusion_step {
    uint32_t index;     /* of the path's own node among the arity */
    const fr *siblings; /* the others in order */
    const fr *digest;   /* the next level's node where it is known before (poseidon_gadget_known); or NULL */
};

/* The tree over so many leaves: base_levels from the count. SHA-256 if poseidon is NULL. */
struct inclusion_tree inclusion_tree_of(const struct poseidon_set *poseidon, uint64_t leaves,
                                        unsigned base_arity, unsigned sub_arity, unsigned top_arity);

/* All levels; the arity of one, the lowest is 0. */
unsigned inclusion_levels(const struct inclusion_tree *tree);
unsigned inclusion_arity(const struct inclusion_tree *tree, unsigned level);

/* The root that leaf and path lead to, a new variable; the path's indices become public inputs, packed, the
 * lowest level's lowest bit first. steps: from the leaf up, inclusion_levels of them; NULL on a blank
 * circuit. */
struct num inclusion_root(struct cs *cs, const struct inclusion_tree *tree, const struct num *leaf,
                          const struct inclusion_step *steps);

/* As inclusion_root, and the root is this one. */
void inclusion_gadget(struct cs *cs, const struct inclusion_tree *tree, const struct num *leaf,
                      const struct inclusion_step *steps, const struct num *root);

/* leaf is in the tree of this root at the place that the bits form, lowest first; the bits are variables, not
 * negated, as many as the levels' arities hold. siblings: those of all levels, the lowest level's first. No
 * new bits, no public input: the reference's por_no_challenge_input. A tree without levels is its root.
 * digests: of the levels where they are known before, each may be NULL as in a step; NULL: none. */
void inclusion_at(struct cs *cs, const struct inclusion_tree *tree, const struct num *leaf,
                  const struct boolean *bits, const struct num *siblings, const fr *const *digests,
                  const struct num *root);

/* A tree's node from its children: SHA-256 of two numbers' 254-bit strings, little-endian bytes; Poseidon of
 * `arity` of them. */
struct num sha256_node_gadget(struct cs *cs, const struct num children[2]);

/* The same node under the names of the reference's hash of a pair. */
struct num sha256_pair_gadget(struct cs *cs, const struct num children[2]);

#endif
