/* fuzz/fuzz_encoding.c - points as bytes: whatever is accepted encodes to the same bytes, in its form and
 * through the other. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdlib.h>
#include <string.h>

#include "curve/encoding.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fact)
{
    if (!fact)
        abort();
}

static void g1_uncompressed(const uint8_t in[G1_UNCOMPRESSED_BYTES])
{
    g1_affine a, b;
    uint8_t out[G1_UNCOMPRESSED_BYTES];
    const enum encoding_fault curve = g1_read_uncompressed(&a, in, ENCODING_CURVE);
    const enum encoding_fault full = g1_read_uncompressed(&b, in, ENCODING_FULL);
    require(curve == full || (curve == ENCODING_OK && full == ENCODING_NOT_IN_SUBGROUP));
    if (curve != ENCODING_OK)
        return;
    g1_write_uncompressed(out, &a);
    require(memcmp(out, in, sizeof out) == 0);
    require(g1_read_uncompressed(&b, in, ENCODING_TRUSTED) == ENCODING_OK);
    require(memcmp(&a, &b, sizeof a) == 0);
    g1_write_compressed(out, &a);
    require(g1_read_compressed(&b, out) == full);
}

static void g2_uncompressed(const uint8_t in[G2_UNCOMPRESSED_BYTES])
{
    g2_affine a, b;
    uint8_t out[G2_UNCOMPRESSED_BYTES];
    const enum encoding_fault curve = g2_read_uncompressed(&a, in, ENCODING_CURVE);
    const enum encoding_fault full = g2_read_uncompressed(&b, in, ENCODING_FULL);
    require(curve == full || (curve == ENCODING_OK && full == ENCODING_NOT_IN_SUBGROUP));
    if (curve != ENCODING_OK)
        return;
    g2_write_uncompressed(out, &a);
    require(memcmp(out, in, sizeof out) == 0);
    require(g2_read_uncompressed(&b, in, ENCODING_TRUSTED) == ENCODING_OK);
    require(memcmp(&a, &b, sizeof a) == 0);
    g2_write_compressed(out, &a);
    require(g2_read_compressed(&b, out) == full);
}

static void g1_compressed(const uint8_t in[G1_COMPRESSED_BYTES])
{
    g1_affine a, b;
    uint8_t out[G1_UNCOMPRESSED_BYTES];
    if (g1_read_compressed(&a, in) != ENCODING_OK)
        return;
    g1_write_compressed(out, &a);
    require(memcmp(out, in, G1_COMPRESSED_BYTES) == 0);
    g1_write_uncompressed(out, &a);
    require(g1_read_uncompressed(&b, out, ENCODING_FULL) == ENCODING_OK);
    require(memcmp(&a, &b, sizeof a) == 0);
}

static void g2_compressed(const uint8_t in[G2_COMPRESSED_BYTES])
{
    g2_affine a, b;
    uint8_t out[G2_UNCOMPRESSED_BYTES];
    if (g2_read_compressed(&a, in) != ENCODING_OK)
        return;
    g2_write_compressed(out, &a);
    require(memcmp(out, in, G2_COMPRESSED_BYTES) == 0);
    g2_write_uncompressed(out, &a);
    require(g2_read_uncompressed(&b, out, ENCODING_FULL) == ENCODING_OK);
    require(memcmp(&a, &b, sizeof a) == 0);
}

/* The size says the form; of 96 bytes both are tried. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == G1_COMPRESSED_BYTES)
        g1_compressed(data);
    if (size == G1_UNCOMPRESSED_BYTES)
        g1_uncompressed(data);
    if (size == G2_COMPRESSED_BYTES)
        g2_compressed(data);
    if (size == G2_UNCOMPRESSED_BYTES)
        g2_uncompressed(data);
    return 0;
}
