/* hash/poseidon.h - the Poseidon hash as Filecoin uses it: x^5, BLS12-381's Fr, width = arity + 1,
 * 8 full rounds, a Merkle-tree domain tag 2^arity - 1, digest = state[1] after the permutation.
 * Constants are derived: the numbers of rounds, the round constants by the Grain LFSR, the Cauchy MDS
 * matrix, and its factors into sparse matrices (L. Grassi et al., "Poseidon", 2019/458, sections 4 and 5,
 * appendices B, E, F; the Filecoin Poseidon specification).
 *
 * The optimised form, which the hash and the circuit share. The state s is a row vector of width elements,
 * (domain tag, preimage...), h = full_rounds / 2:
 *   s += key                                           (the first width keys)
 *   h - 1 times:            s_i = s_i^5 + key, s = s * mds
 *   once:                   s_i = s_i^5 + key, s = s * pre_sparse
 *   partial_rounds times:   s_0 = s_0^5 + key, s = s * sparse[k]
 *   h - 1 times:            s_i = s_i^5 + key, s = s * mds
 *   once:                   s_i = s_i^5,       s = s * mds;   digest = s_1.
 * Keys are used in order, one for each S-box. s * sparse[k] is (sum of s_i * w_i, then s_j + s_0 * v_j).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef HASH_POSEIDON_H
#define HASH_POSEIDON_H

#include "base/exec.h"
#include "base/memory.h"
#include "field/fr52.h"

#define POSEIDON_MAX_ARITY   11
#define POSEIDON_MAX_WIDTH   12
#define POSEIDON_MAX_PARTIAL 60
#define POSEIDON_LANES       8 /* hashes at once where a CPU has lanes */

/* Partial rounds in a block, and the elements of a row of struct poseidon's block. */
#define POSEIDON_BLOCK            5
#define POSEIDON_BLOCK_ROW(width) ((width) + POSEIDON_BLOCK - 2)

/* The instances in use. */
enum poseidon_kind {
    POSEIDON_2,      /* arity 2: trees' tops, comm_r */
    POSEIDON_4,      /* arity 4 */
    POSEIDON_8,      /* arity 8: oct trees */
    POSEIDON_11,     /* arity 11: columns of 11 layers */
    POSEIDON_2_SNAP, /* arity 2 with the domain tag 2^40 of a custom use: Snap's phi, rho, challenges */
    POSEIDON_KINDS,
};

/* The constants for eight hashes at once (fr52_factor), laid out as those of struct poseidon. */
struct poseidon_factors {
    fr52 *compressed_keys, *mds, *pre_sparse, *sparse, *block;
    fr52 first_output; /* the domain tag's S-box in the first round, with its key */
};

/* Constants of one instance, derived once, Montgomery form. */
struct poseidon {
    unsigned arity, width, full_rounds, partial_rounds;
    fr domain_tag;
    fr *compressed_keys; /* width * full_rounds + partial_rounds, in order of use */
    fr *mds;             /* width * width, row by row */
    fr *pre_sparse;      /* width * width, row by row */
    fr *sparse;          /* partial_rounds times: width elements w, then width - 1 elements v */
    fr *first; /* partial_rounds rows of width + partial_rounds elements: s_0 after partial round k as a
                  combination of the S-box outputs before: of the last full round's (width), then of the
                  partial rounds 0..k */
    fr *block; /* partial_rounds rows for the hash, which brings only s_0 up to date within a block: w_1...
                  of round k, then the elements of its row of first for the block's earlier rounds */
    struct poseidon_factors factors;
};

/* All instances, immutable once made; shared by all threads. Takes some tens of milliseconds. */
struct poseidon_set {
    struct poseidon kind[POSEIDON_KINDS];
    struct arena arena;
};
cuzk_status poseidon_set_new(struct poseidon_set **out, struct cuzk_error *e) MUST_USE;
void poseidon_set_free(struct poseidon_set *set); /* NULL is fine */

/* The Merkle-tree instance of an arity; NULL if there is none. */
const struct poseidon *poseidon_of_arity(const struct poseidon_set *set, unsigned arity);

/* out = the digest of arity elements. out may alias an element of the preimage. */
void poseidon_hash(enum cpu_variant variant, const struct poseidon *p, fr *out, const fr *preimage);

/* out[i] = the digest of the arity elements at preimages + i * arity, for i below n, on this thread. From two
 * on a hash costs less than a single one, eight a fraction of it, on CPUs with AVX-512 IFMA. out overlaps no
 * preimage. */
void poseidon_hash_some(enum cpu_variant variant, const struct poseidon *p, fr *out, const fr *preimages,
                        size_t n);

/* out[i] = the digest of the arity elements at preimages + i * arity, for i below n, on all threads of x.
 * out overlaps no preimage. Cancelled: CUZK_ERR_CANCELLED, out partly written. */
cuzk_status poseidon_hash_many(const struct exec *x, const struct poseidon *p, fr *out, const fr *preimages,
                               size_t n, struct cuzk_error *e) MUST_USE;

#endif
