/* backend/cuda/pick_args.h - taking out of a witness what a density names: what the kernels are given.
 * Pointers are addresses of the memory that the kernel runs in.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_PICK_ARGS_H
#define BACKEND_CUDA_PICK_ARGS_H

#include <stdint.h>

#define PICK_THREADS 128

struct pick_args {
    const uint64_t *mask; /* the density, lowest bit of a word first */
    const uint32_t *rank; /* of each word: how many are named before it */
    const void *from;     /* bits in words as the mask's, or elements */
    void *to;             /* bits: zeroed */
    uint32_t count;       /* of bits or elements in from */
};

#endif
