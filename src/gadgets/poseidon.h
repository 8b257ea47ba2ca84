/* gadgets/poseidon.h - the Poseidon hash, row by row as neptune's circuit for the proofs' trusted setups
 * ("legacy"): an S-box takes a variable, so every S-box input but the preimage is a new variable with a row
 * of its own.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_POSEIDON_H
#define GADGETS_POSEIDON_H

#include "gadgets/num.h"
#include "hash/poseidon.h"

/* The digest of p->arity numbers, a new variable. */
struct num poseidon_gadget(struct cs *cs, const struct poseidon *p, const struct num *preimage);

/* The same; digest: its value, where that is known before, so that the variables' may be made later. NULL:
 * not known. */
struct num poseidon_gadget_known(struct cs *cs, const struct poseidon *p, const struct num *preimage,
                                 const fr *digest);

#endif
