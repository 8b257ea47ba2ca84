/* gadgets/label.h - what a node of the stacked graph holds: its label on a layer, the encoding with it.
 * As the reference's create_label_circuit and encode.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_LABEL_H
#define GADGETS_LABEL_H

#include "gadgets/num.h"
#include "gadgets/sha256.h"

#define LABEL_PARENTS 37 /* in a label's preimage */

/* 32 bytes as bits, each byte's highest bit first. */
struct bits256 {
    struct boolean bit[256];
};

/* a's 32 bytes as SHA-256 takes them: little-endian, each byte's highest bit first. */
void bits256_of(struct cs *cs, struct bits256 *out, const struct num *a);

/* SHA-256(replica id, layer as 4 bytes, node as 8 bytes, both big-endian, zeros up to 64 bytes, the parents'
 * labels), cut to PACK_BITS bits. parents: LABEL_PARENTS of them. node: lowest bit first. */
struct num label_create(struct cs *cs, const struct bits256 *replica_id, const struct bits256 *const *parents,
                        uint32_t layer, const struct boolean node[64]);

/* key + value */
struct num label_encode(struct cs *cs, const struct num *key, const struct num *value);

#endif
