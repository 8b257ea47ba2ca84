/* groth16/srs.h - the format of folded parameter files, which proofs are made from fastest.
 *
 * Let H be the h query of a parameter file (the missing last point the identity), n the domain's size, w its
 * root, g the coset's shift, C the circuit's third matrix. With
 *     Q_j = 1/(g^n - 1) 1/n sum_i H_i g^-i w^-ij        K_k = 1/(g^n - 1) 1/n sum_i H_i w^-ik
 * the h term of a proof is sum_j (ab)(g w^j) Q_j - sum_k c_k K_k, and since c is C times the witness, its
 * second part goes into the l query once for all: L'_i = L_i - (C^T K)_i, and -(C^T K)_i for each input.
 *
 *   0       the header, SRS_HEADER_BYTES, numbers little-endian:
 *           magic (8 bytes), version, byte order mark, limb bits, form (u32 each), circuit's name (32 bytes,
 *           NUL-padded), inputs, auxiliary variables, bits, wide ones, domain log, source (1: a parameter
 *           file; 0: a trapdoor) (u32 each), source's digest, classes' digest (16 bytes each), count of
 *           sections (u32), zero (u32), the sections: kind, bytes an element (u32 each), offset, count (u64
 *           each), digest (16 bytes); zeros; the digest of all this (the last 16 bytes)
 *   4096    the verifying key, as in its own file
 *   then each section from a multiple of 2 MiB on, in the order of enum srs_kind; between them nothing.
 *
 * Points are affine, each coordinate as little-endian 64-bit limbs in Montgomery form (x 2^384 mod p), Fp2 as
 * c0, c1: exactly g1_affine and g2_affine. All zeros is the point at infinity, which can only stand in q,
 * fold and l. A and B hold the points of those variables alone that their density bitmaps name. Variables are
 * divided into classes: inputs, bits, wide (r1cs/assignment.h). A density section is three bitmaps, one a
 * class, each lowest bit first and filled up to whole u64 words. Digests are the first 16 bytes of
 * BLAKE2b-512; the classes' is of their bitmap (classes.is_bit) in whole u64 words.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_SRS_H
#define GROTH16_SRS_H

#include "groth16/groth16.h"
#include "groth16/manifest.h"
#include "r1cs/assignment.h"

#define SRS_HEADER_BYTES 4096
#define SRS_ALIGN        ((uint64_t)2 << 20)
#define SRS_NAME_BYTES   32

enum srs_kind {
    SRS_KEY = 0,
    SRS_Q,
    SRS_FOLD, /* -(C^T K) of the inputs */
    SRS_L_BITS,
    SRS_L_WIDE,
    SRS_A_INPUTS,
    SRS_A_BITS,
    SRS_A_WIDE,
    SRS_B_G1_INPUTS,
    SRS_B_G1_BITS,
    SRS_B_G1_WIDE,
    SRS_B_G2_INPUTS,
    SRS_B_G2_BITS,
    SRS_B_G2_WIDE,
    SRS_DENSITY_A,
    SRS_DENSITY_B,
};
#define SRS_KINDS 16

/* The classes in the order in which they stand. */
enum srs_class { SRS_INPUTS = 0, SRS_BITS, SRS_WIDE };
#define SRS_CLASSES 3

struct srs_section {
    uint64_t offset, count;
    uint8_t digest[DIGEST_BYTES];
};

struct srs_header {
    char circuit[SRS_NAME_BYTES];
    uint32_t inputs, aux, bits, wide;
    unsigned domain_log;
    bool from_params; /* source: the digest of the parameter file */
    uint8_t source[DIGEST_BYTES], classes[DIGEST_BYTES];
    struct srs_section section[SRS_KINDS];
    uint8_t digest[DIGEST_BYTES]; /* of the header; set by reading and writing */
};

const char *srs_kind_name(enum srs_kind kind); /* "q", "l bits"... */
size_t srs_element_bytes(enum srs_kind kind);
static inline bool srs_kind_is_g1(enum srs_kind kind)
{
    return kind >= SRS_Q && kind <= SRS_B_G1_WIDE;
}
static inline bool srs_kind_is_g2(enum srs_kind kind)
{
    return kind >= SRS_B_G2_INPUTS && kind <= SRS_B_G2_WIDE;
}
static inline bool srs_kind_takes_infinity(enum srs_kind kind)
{
    return kind >= SRS_Q && kind <= SRS_L_WIDE;
}

/* How many variables a class has. */
static inline uint32_t srs_class_size(const struct srs_header *h, enum srs_class c)
{
    return c == SRS_INPUTS ? h->inputs : c == SRS_BITS ? h->bits : h->wide;
}
/* The words of a density section before a class's (SRS_CLASSES: all of them). */
uint64_t srs_density_words(const struct srs_header *h, unsigned c);

/* Set the counts that follow from the numbers of variables and the domain (all but those of A and B), and
 * all offsets; the file's size. */
uint64_t srs_layout(struct srs_header *h);

/* The header's bytes and its digest. */
cuzk_status srs_header_write(uint8_t out[SRS_HEADER_BYTES], struct srs_header *h,
                             struct cuzk_error *e) MUST_USE;
/* Does it begin as such a file does? */
bool srs_is(const uint8_t *in, uint64_t size);
/* The circuit's name that it, or a file of srs_part.h, states: SRS_NAME_BYTES as they are; NULL: it is too
 * short. */
const char *srs_stated_name(const uint8_t *in, uint64_t size);
/* Read from the start of a file of size bytes: everything in it must be as we would write it, so that
 * sections neither overlap nor reach beyond the end. Nothing behind the header is looked at. */
cuzk_status srs_header_read(struct srs_header *out, const uint8_t *in, uint64_t size,
                            struct cuzk_error *e) MUST_USE;

/* What else can be told without looking at points: the key, and that the densities name as many variables
 * as A and B have points. in: the whole file. The caller frees the key. */
cuzk_status srs_parts_read(struct groth16_vk *vk, const struct srs_header *h, const uint8_t *in,
                           struct cuzk_error *e) MUST_USE;

/* Check every point and each section's digest; the error names the section and the point. */
cuzk_status srs_check(const struct exec *x, const struct srs_header *h, const uint8_t *in,
                      struct cuzk_error *e) MUST_USE;

/* The first 16 bytes of BLAKE2b-512, and hexadecimal text of as many. */
cuzk_status srs_digest(uint8_t out[DIGEST_BYTES], const void *data, size_t size,
                       struct cuzk_error *e) MUST_USE;
cuzk_status srs_digest_classes(uint8_t out[DIGEST_BYTES], const struct classes *c,
                               struct cuzk_error *e) MUST_USE;
void srs_digest_text(char out[DIGEST_TEXT], const uint8_t digest[DIGEST_BYTES]);
void srs_digest_bytes(uint8_t out[DIGEST_BYTES], const char text[DIGEST_TEXT]); /* of text made by us */

/* An opened file, for the prover. */
uint64_t
groth16_srs_number(const struct groth16_srs *s); /* of this opening, never 0, in this process unique */
const struct srs_header *groth16_srs_header(const struct groth16_srs *s);
const void *groth16_srs_section(const struct groth16_srs *s, enum srs_kind kind);
/* The densities of a class in A (kind SRS_DENSITY_A) or B. */
const uint64_t *groth16_srs_density(const struct groth16_srs *s, enum srs_kind kind, enum srs_class c);

#endif
