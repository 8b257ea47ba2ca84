/* gadgets/update.h - the pieces of the empty sector update: challenges drawn by hashing, their high bits, and
 * the encoding of a new node. As the reference's gen_challenge_bits, get_challenge_high_bits and label_r_new.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_UPDATE_H
#define GADGETS_UPDATE_H

#include "gadgets/num.h"
#include "hash/poseidon.h"

#define UPDATE_MAX_CHOICES 8

/* A row: (the bits' sum, lowest first) * 1 = a; the caller sets its name with cs_name. count: at most
 * FR_BITS. */
void num_enforce_bits(struct cs *cs, const struct boolean *bits, unsigned count, const struct num *a);

/* Draw the bits of count challenges, challenge_bits (1 to 64) of each, into bits, one challenge behind the
 * other, lowest first: the digests of seed and a running number cut into pieces; a partition's numbers follow
 * on those of the partition before. */
void challenge_bits_gadget(struct cs *cs, const struct poseidon *hash, struct boolean *bits,
                           const struct num *seed, const struct num *partition, unsigned count,
                           unsigned challenge_bits);

/* The number that the highest bits of a challenge form, a new variable. How many bits is chosen among
 * choices: the one whose bit in select is set, of which there is one. choices: at most UPDATE_MAX_CHOICES. */
struct num high_bits_gadget(struct cs *cs, const struct boolean *bits, unsigned count,
                            const struct boolean *select, const unsigned *high, unsigned choices);

/* old + data * rho */
struct num update_encode(struct cs *cs, const struct num *old, const struct num *data, const struct num *rho);

#endif
