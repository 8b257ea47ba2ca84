/* circuits/merkle_bincode.h - Merkle paths in bincode vanilla proofs: the published library's MerkleProof.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_MERKLE_BINCODE_H
#define CIRCUITS_MERKLE_BINCODE_H

#include "circuits/bincode.h"
#include "circuits/porep.h"

/* A tree: base_height levels of base_arity, then one of sub_arity and one of top_arity (0: no such level). */
struct merkle_shape {
    unsigned base_height, base_arity, sub_arity, top_arity;
};

/* A path of this shape, in memory from the arena; its siblings stand one behind the other, from the lowest
 * level up, so that steps[0].siblings begins them all. */
bool merkle_bincode_path(struct bincode *b, struct merkle_path *out, const struct merkle_shape *shape,
                         struct arena *arena);

/* The bytes that it takes. */
size_t merkle_bincode_size(const struct merkle_shape *shape);

#endif
