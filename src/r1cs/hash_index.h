/* r1cs/hash_index.h - from hashes to numbers: open addressing with linear probing (D. E. Knuth, The Art of
 * Computer Programming 3, 6.4). What is behind a number is the caller's to compare.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_HASH_INDEX_H
#define R1CS_HASH_INDEX_H

#include "r1cs/vec.h"

/* Zero-initialise with the budget set. */
struct hash_index {
    struct budget *budget;
    struct block slots;
    size_t used;
};

/* The next number under this hash; *cursor is 0 before the first. False: there are no more. */
bool hash_index_next(const struct hash_index *x, uint64_t hash, size_t *cursor, uint32_t *number);
cuzk_status hash_index_add(struct hash_index *x, uint64_t hash, uint32_t number,
                           struct cuzk_error *e) MUST_USE;
void hash_index_free(struct hash_index *x);

/* Not against an adversary. */
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size);

#endif
