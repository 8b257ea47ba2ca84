/* backend/cuda/fixed.h - many multiples of the generators of G1 and G2 on a GPU.
 *
 * Each generator has a table of signed windows, made on the device: with windows of 16 bits 16 x 2^15 points
 * (144 MiB for both), and a multiple is at most 16 mixed additions and a share of an inversion.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_FIXED_H
#define BACKEND_CUDA_FIXED_H

#include "backend/backend.h"
#include "base/memory.h"
#include "groth16/points.h"

struct gpu_fixed;

/* width: of windows, 16, or 8 for few multiples. d: open, used by no other thread until gpu_fixed_free.
 * Memory of the host counts against budget (NULL: not counted). */
cuzk_status gpu_fixed_new(struct gpu_fixed **out, struct device *d, unsigned width, struct budget *budget,
                          struct cuzk_error *e) MUST_USE;
void gpu_fixed_free(struct gpu_fixed *f); /* NULL is fine */

/* Bytes of the device that a multiple takes until it is made. */
size_t gpu_fixed_scratch(unsigned group);

/* Queue in s: points[i] = scalars[i] times the generator of the group (1, 2), for i < count < 2^31; all on
 * the device. scratch: gpu_fixed_scratch bytes each. */
cuzk_status gpu_fixed_mul(struct gpu_fixed *f, struct stream s, unsigned group, uint64_t points,
                          uint64_t scalars, uint64_t scratch, size_t count, struct cuzk_error *e) MUST_USE;

/* As a maker of a setup's points: each batch in a stream of its own, copied from and to pinned memory. Lives
 * as long as f. */
struct point_maker gpu_fixed_maker(struct gpu_fixed *f);

#endif
