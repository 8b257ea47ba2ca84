/* gadgets/column.h - the labels of one node on all layers, and their hash, a leaf of tree C.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_COLUMN_H
#define GADGETS_COLUMN_H

#include "gadgets/num.h"
#include "hash/poseidon.h"

/* New variables, one a layer, the lowest first; values may be NULL on a blank circuit. */
void column_alloc(struct cs *cs, struct num *rows, unsigned layers, const fr *values);

/* The column's Poseidon hash; there are columns of 2 and of 11 layers. digest: where it is known before
 * (poseidon_gadget_known), or NULL. */
struct num column_hash(struct cs *cs, const struct poseidon_set *poseidon, const struct num *rows,
                       unsigned layers, const fr *digest);

#endif
