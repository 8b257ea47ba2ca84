/* curve/encoding.h - points as bytes: the ZCash BLS12-381 encoding.
 *
 * Big-endian; the three top bits of the first byte are flags: 0x80 compressed, 0x40 infinity (all else
 * zero), 0x20 (compressed only) y is the larger root. Fp2 is written c1, then c0.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_ENCODING_H
#define CURVE_ENCODING_H

#include "curve/group.h"

#define G1_COMPRESSED_BYTES   48
#define G1_UNCOMPRESSED_BYTES 96
#define G2_COMPRESSED_BYTES   96
#define G2_UNCOMPRESSED_BYTES 192

/* What is wrong with an encoding; ENCODING_OK if nothing. */
enum encoding_fault {
    ENCODING_OK = 0,
    ENCODING_FLAGS,         /* a flag is wrong for this form, or infinity with other bits set */
    ENCODING_NOT_CANONICAL, /* a coordinate is not below p */
    ENCODING_NOT_ON_CURVE,
    ENCODING_NOT_IN_SUBGROUP,
};
const char *encoding_fault_text(enum encoding_fault fault); /* "is not on the curve"... */

enum encoding_check {
    ENCODING_TRUSTED, /* bytes validated before: flags are read, nothing else is checked */
    ENCODING_CURVE,   /* flags, canonical, on the curve */
    ENCODING_FULL,    /* and in the subgroup of order r */
};

/* out is written only when the result is ENCODING_OK. */
enum encoding_fault g1_read_uncompressed(g1_affine *out, const uint8_t in[G1_UNCOMPRESSED_BYTES],
                                         enum encoding_check check) MUST_USE;
enum encoding_fault g2_read_uncompressed(g2_affine *out, const uint8_t in[G2_UNCOMPRESSED_BYTES],
                                         enum encoding_check check) MUST_USE;
/* Compressed points are always checked in full. */
enum encoding_fault g1_read_compressed(g1_affine *out, const uint8_t in[G1_COMPRESSED_BYTES]) MUST_USE;
enum encoding_fault g2_read_compressed(g2_affine *out, const uint8_t in[G2_COMPRESSED_BYTES]) MUST_USE;

void g1_write_uncompressed(uint8_t out[G1_UNCOMPRESSED_BYTES], const g1_affine *a);
void g2_write_uncompressed(uint8_t out[G2_UNCOMPRESSED_BYTES], const g2_affine *a);
void g1_write_compressed(uint8_t out[G1_COMPRESSED_BYTES], const g1_affine *a);
void g2_write_compressed(uint8_t out[G2_COMPRESSED_BYTES], const g2_affine *a);

/* Check n uncompressed points on all threads, in full. On a fault *ok is false, *index the first bad point's
 * and *fault what is wrong with it. infinity_allowed: whether the point at infinity counts as sound
 * (if not, its fault is ENCODING_FLAGS). Flags, canonical form and curve are checked for certain; points
 * outside of the subgroup go unseen with a probability of at most 2^-100 (curve/check.h). Takes 3 MiB a
 * thread of x->budget. CUZK_ERR_CANCELLED when asked to stop, CUZK_ERR_IO if the system gives no random
 * numbers. */
cuzk_status g1_check_encoded(const struct exec *x, const uint8_t *in, size_t n, bool infinity_allowed,
                             bool *ok, size_t *index, enum encoding_fault *fault,
                             struct cuzk_error *e) MUST_USE;
cuzk_status g2_check_encoded(const struct exec *x, const uint8_t *in, size_t n, bool infinity_allowed,
                             bool *ok, size_t *index, enum encoding_fault *fault,
                             struct cuzk_error *e) MUST_USE;
/* The same of points as they are in memory, which may come from a file: each coordinate must be below p. */
cuzk_status g1_check_affine(const struct exec *x, const g1_affine *in, size_t n, bool infinity_allowed,
                            bool *ok, size_t *index, enum encoding_fault *fault,
                            struct cuzk_error *e) MUST_USE;
cuzk_status g2_check_affine(const struct exec *x, const g2_affine *in, size_t n, bool infinity_allowed,
                            bool *ok, size_t *index, enum encoding_fault *fault,
                            struct cuzk_error *e) MUST_USE;

#endif
