/* backend/cuda/rows.h - the values of a circuit's rows on a GPU, A w, B w and C w, straight from a witness's
 * bits: r1cs/rows.h there.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_ROWS_H
#define BACKEND_CUDA_ROWS_H

#include "backend/backend.h"
#include "base/memory.h"
#include "r1cs/template.h"

/* A witness on the device: addresses of what r1cs/assignment.h holds, with the zeros behind the bits. */
struct gpu_witness {
    uint64_t bit, wide, input;
};

struct gpu_rows;

/* The templates copied, with room for one bound witness (37 MiB for a 32GiB PoRep), for work in stream s.
 * budget: for what is laid out on the host first. */
cuzk_status gpu_rows_new(struct gpu_rows **out, struct budget *budget, struct device *d, struct stream s,
                         const struct templates *t, struct cuzk_error *e) MUST_USE;
void gpu_rows_free(struct gpu_rows *r); /* NULL is fine */

/* Queue: take a witness of the templates' circuit, which stays as it is until its last values are there; then
 * out = side 0, 1 or 2 (A, B, C) of its first count rows, zeros behind the last one. */
cuzk_status gpu_rows_bind(struct gpu_rows *r, const struct gpu_witness *w, struct cuzk_error *e) MUST_USE;
cuzk_status gpu_rows_fill(struct gpu_rows *r, unsigned side, uint64_t out, uint64_t count,
                          struct cuzk_error *e) MUST_USE;

#endif
