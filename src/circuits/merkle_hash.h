/* circuits/merkle_hash.h - the nodes on Merkle paths in Poseidon trees. A path's hashes depend on each other,
 * so eight paths are hashed side by side (hash/poseidon.h).
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_MERKLE_HASH_H
#define CIRCUITS_MERKLE_HASH_H

#include "circuits/porep.h"

#define MERKLE_MAX_ARITY 8

/* A step's node among its siblings, in order: arity elements. */
void merkle_children(fr *out, const struct merkle_step *step, const fr *node);

/* Hash along the paths, on all threads of x, or with MERKLE_MISSING along those alone that are not yet
 * hashed. All are of one shape, and no two share steps. Only one call at a time may be made for a path.
 * CUZK_ERR_CANCELLED: some are hashed. */
cuzk_status merkle_paths_hash(const struct exec *x, const struct poseidon_set *poseidon,
                              struct merkle_path *const *paths, size_t count, enum merkle_which which,
                              struct cuzk_error *e) MUST_USE;

/* The root that a hashed path leads to. */
static inline const fr *merkle_path_end(const struct merkle_path *path)
{
    return path->count ? &path->steps[path->count - 1].digest : &path->leaf;
}

#endif
