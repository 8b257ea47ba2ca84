/* backend/cuda/fixed_args.h - multiples of a fixed point: what the kernels are given.
 *
 * A scalar has 256 / width windows of signed digits, each in [-2^(width-1), 2^(width-1)): those of the sum of
 * scalar and bias, less 2^(width-1) each. The table has for each window w the multiples 1 .. 2^(width-1) of
 * 2^(w width) times the point. Pointers are addresses of the memory that the kernel runs in.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_FIXED_ARGS_H
#define BACKEND_CUDA_FIXED_ARGS_H

#include <stdint.h>

#define FIXED_BLOCK 128 /* threads that add */
#define FIXED_SHARE 16  /* points that a thread divides with one inversion */

struct fixed_args {
    const void *table;   /* affine */
    const void *scalars; /* Montgomery */
    void *sums;          /* xyzz, count of them: of the first kernel for the second */
    void *points;        /* affine, out */
    uint32_t count;
    uint32_t width; /* 4, 8 or 16 */
};

#endif
