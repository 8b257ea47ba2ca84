/* groth16/params.h - the format of parameter files, as bellperson writes them.
 *
 *   verifying key   alpha G1, beta G1, beta G2, gamma G2, delta G1, delta G2, count, ic: G1 points
 *   h               count, G1 points: tau^i t(tau) / delta, domain - 1 of them
 *   l               count, G1 points, one an auxiliary variable
 *   a               count, G1 points \
 *   b_g1            count, G1 points  > without those at infinity
 *   b_g2            count, G2 points /
 *
 * Counts are big-endian u32, points uncompressed (curve/encoding.h); none is the point at infinity.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_PARAMS_H
#define GROTH16_PARAMS_H

#include "curve/encoding.h"
#include "groth16/groth16.h"

#define VK_FIXED_BYTES (3 * G1_UNCOMPRESSED_BYTES + 3 * G2_UNCOMPRESSED_BYTES + 4)

struct params_section {
    size_t offset; /* of its first point */
    uint32_t count;
};

struct params_layout {
    uint32_t ic_count;
    struct params_section section[GROTH16_SECTIONS];
};

/* Where everything lies in a file of size bytes: the counts fill it exactly and agree with each other.
 * No point is looked at. */
cuzk_status params_layout_read(struct params_layout *out, const uint8_t *in, size_t size,
                               struct cuzk_error *e) MUST_USE;
/* Set the offsets by the counts; the file's size. */
uint64_t params_layout_fill(struct params_layout *layout);

/* Check every point behind the key; the error names the section and the point. */
cuzk_status params_check_points(const struct exec *x, const struct params_layout *layout, const uint8_t *in,
                                struct cuzk_error *e) MUST_USE;

static inline size_t params_point_bytes(enum groth16_section section)
{
    return section == GROTH16_B_G2 ? G2_UNCOMPRESSED_BYTES : G1_UNCOMPRESSED_BYTES;
}

uint32_t groth16_get_be32(const uint8_t *in);
void groth16_put_be32(uint8_t *out, uint32_t x);

#endif
