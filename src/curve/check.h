/* curve/check.h - the inside of g1_check_encoded and g2_check_encoded: checking one chunk of points.
 *
 * Testing each point for membership in the subgroup costs as much as 160 additions. Instead all points of a
 * chunk are thrown into 2^bits buckets at random, several times over (passes), and the bucket sums are
 * tested: the bucket test of M. Bellare, J. A. Garay, T. Rabin, "Fast batch verification for modular
 * exponentiation and digital signatures", 1998.
 *
 * Sound points give sound sums. If some point is outside of the subgroup, fix the buckets of all outside
 * points but one: that one moves only its own bucket's class modulo the subgroup, by a class that is not
 * zero. For all sums to be inside, all buckets but one must have been inside before, and that one must be
 * its bucket: one choice in 2^bits at most. The passes are independent, so a chunk with a point outside
 * passes with a probability of at most 2^-(bits passes) <= 2^-100, whoever made the file: the choices come
 * from the system's random generator.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_CHECK_H
#define CURVE_CHECK_H

#include "curve/encoding.h"

#define CHECK_SECURITY    100
#define CHECK_BITS_MIN    5
#define CHECK_BITS_MAX    10
#define CHECK_BUCKETS_MAX 10240 /* passes << bits for any plan */
#define CHECK_GROUP       64    /* points read and thrown together */
#define CHECK_DEFERRED    1024  /* throws that wait for a bucket another one of their batch goes to */

/* bits 0: each point is tested alone */
struct check_plan {
    unsigned bits, passes;
};

struct check_chunk {
    const uint8_t *in; /* encoded; with raw, g?_affine as they are in memory */
    size_t n;
    bool raw;
    bool infinity_allowed;
    struct check_plan plan;
    const volatile int *cancel; /* may be NULL */
};

enum check_outcome {
    CHECK_SOUND,
    CHECK_FAULT,
    CHECK_CANCELLED,
    CHECK_NO_RANDOM, /* the system's generator failed: errno says why */
    CHECK_DOUBTFUL,  /* the sums say that a point is bad, but each alone is sound: a fault of the machine */
};

/* *index, *fault: of the first bad point of the chunk when the outcome is CHECK_FAULT. scratch:
 * g?_check_bytes, aligned to 64. */
typedef enum check_outcome check_function(void *scratch, const struct check_chunk *chunk, size_t *index,
                                          enum encoding_fault *fault);
check_function g1_check_chunk_portable, g2_check_chunk_portable, g1_check_chunk_adx, g2_check_chunk_adx;
size_t g1_check_bytes_portable(void);
size_t g2_check_bytes_portable(void);
size_t g1_check_bytes_adx(void);
size_t g2_check_bytes_adx(void);

/* Fill from the system's random generator; false with errno set when it fails. */
bool check_random(void *out, size_t size) MUST_USE;

/* The cheapest plan for chunks of n points, when a test costs as much as `test` additions. */
struct check_plan check_plan_make(size_t n, unsigned test);

#endif
