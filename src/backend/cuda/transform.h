/* backend/cuda/transform.h - transforms of points of G1 on a GPU, as a runner of groth16/transform.h.
 *
 * A span of columns or rows is worked on at once: host threads bring its points (and each column's factors)
 * into pinned memory and take the last span's results out of it, while the device works on the one between.
 * All that it holds is one span in Jacobian form, two in affine form and a table of multiples for each
 * thread, 1.1 GiB on an H200; less where the ledger has less left.
 *
 * What it costs and why is counted in transform.cuh. Spans are the size that fills a card, about a second of
 * one: so long does it take to be cancelled.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_TRANSFORM_H
#define BACKEND_CUDA_TRANSFORM_H

#include "backend/backend.h"
#include "groth16/transform.h"

struct gpu_transform;

/* memory: bytes of the device that it may take, 0: what the ledger has left. */
cuzk_status gpu_transform_new(struct gpu_transform **out, struct device *d, uint64_t memory,
                              struct cuzk_error *e) MUST_USE;
void gpu_transform_free(struct gpu_transform *g); /* after the passes it ran; NULL is fine */
const struct transform_runner *gpu_transform_runner(const struct gpu_transform *g);

#endif
