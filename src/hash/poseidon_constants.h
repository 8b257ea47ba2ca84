/* hash/poseidon_constants.h - deriving one Poseidon instance, for poseidon_set_new() and the tests.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef HASH_POSEIDON_CONSTANTS_H
#define HASH_POSEIDON_CONSTANTS_H

#include "hash/poseidon.h"

/* The numbers of rounds for 128-bit security at this width with the margin of the paper: two more full rounds
 * and 7.5 % more partial ones than the least number of S-boxes that withstands the known attacks. */
void poseidon_round_numbers(unsigned width, unsigned *full_rounds, unsigned *partial_rounds);

/* out: count elements, Montgomery form, from the Grain LFSR set up for the instance. */
void poseidon_grain(fr *out, size_t count, unsigned width, unsigned full_rounds, unsigned partial_rounds);

/* Derive the instance of this arity (1..POSEIDON_MAX_ARITY); its tables live in the arena. */
cuzk_status poseidon_derive(struct poseidon *out, unsigned arity, const fr *domain_tag, struct arena *arena,
                            struct cuzk_error *e) MUST_USE;

#endif
