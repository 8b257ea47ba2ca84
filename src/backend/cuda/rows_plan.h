/* backend/cuda/rows_plan.h - templates as a GPU's kernels read them (rows_args.h), in one piece of memory.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_ROWS_PLAN_H
#define BACKEND_CUDA_ROWS_PLAN_H

#include "backend/cuda/rows_args.h"
#include "r1cs/template.h"

struct cuda_rows {
    struct block block; /* what is to be copied to the device, as it is */
    size_t bytes;
    uint32_t instances;
    uint64_t rows;
    size_t bit_words; /* that a bound witness takes, 32 bits each */
    /* Where parts begin, in bytes. */
    size_t instance, chunk, binding, program, op, table, element, power;
};

/* CUZK_ERR_UNSUPPORTED for a circuit of more bits than 2^37. */
cuzk_status cuda_rows_new(struct cuda_rows *out, struct budget *budget, const struct templates *t,
                          struct cuzk_error *e) MUST_USE;
void cuda_rows_free(struct cuda_rows *r); /* a zeroed one is fine */

/* What kernel rows_bind_bits is given, with r->instances blocks of ROWS_THREADS threads, and rows_evaluate,
 * with cuda_rows_blocks(count) of them. tables: the copied piece; bits: r->bit_words of memory; out: the
 * first count values of side 0, 1 or 2 (A, B, C), zeros behind the rows. */
struct rows_bind_args cuda_rows_bind_args(const struct cuda_rows *r, const void *tables,
                                          const struct rows_witness *w, uint32_t *bits);
struct rows_args cuda_rows_args(const struct cuda_rows *r, const void *tables, const struct rows_witness *w,
                                const uint32_t *bits, unsigned side, void *out, uint64_t count);
uint32_t cuda_rows_blocks(uint64_t count);

#endif
