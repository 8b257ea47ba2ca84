/* backend/cuda/transform_args.h - arguments of the kernels of transforms of points, for both sides. Addresses
 * are the device's.
 *
 * A span of lanes (columns or rows) is worked on at once: `lines` points of each, point line * lanes + lane
 * in Jacobian form, its 9 pieces of 16 bytes `stride` pieces apart from each other.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_TRANSFORM_ARGS_H
#define BACKEND_CUDA_TRANSFORM_ARGS_H

#include <stdint.h>

#define TRANSFORM_BLOCK   128
#define TRANSFORM_PLACES  129 /* of a digit in non-adjacent form */
#define TRANSFORM_ODD     8   /* multiples in a table: 1, 3, .. 15, */
#define TRANSFORM_ALL     16  /* or 1, 2, .. 16 */
#define TRANSFORM_WINDOW  5
#define TRANSFORM_WINDOWS 26 /* of 5 bits: 127 and a sign, and carries */
#define TRANSFORM_SHARE   16 /* points that share an inversion */

/* A root k_0 + k_1 u^2 in width-5 non-adjacent form: both parts' digits of a place, lowest place first. */
struct transform_root {
    int8_t digit[TRANSFORM_PLACES][2];
    uint16_t count; /* no digit from here on */
};

/* Two kernels: affine points to Jacobian ones; back, in place of those read before. */
struct transform_points_args {
    uint64_t affine, work;
    uint32_t count, stride;
};

/* Butterflies [first, end) of a stage: number (j * blocks + block) * lanes + lane is of the lines 2 half
 * block + j and half further, the latter multiplied by root j unless `ones`. */
struct transform_stage_args {
    uint64_t work, roots; /* struct transform_root[half] */
    uint64_t tables;      /* of each thread: points by pieces of 16 bytes, `threads` pieces apart */
    uint32_t threads, stride;
    uint32_t half, blocks, lanes;
    uint32_t first, end;
    uint32_t ones;
};

/* Each point by a scalar of its own: digits in [-15, 16], int8_t[2][TRANSFORM_WINDOWS][stride]. */
struct transform_twiddle_args {
    uint64_t work, digits, tables;
    uint32_t threads, stride, count;
};

#endif
