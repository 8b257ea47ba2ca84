/* backend/cuda/rows_args.h - rows' values on a GPU (r1cs/rows.h): what its kernels are given.
 *
 * A witness is bound first: each instance's bits, those that it is bound to in front of its own, side by
 * side. Then every thread looks up, or adds up, the value of a row, block by block in the order of rows, so
 * that a block's rows share an instance or two. Ops and programs are as in r1cs/template_ops.h.
 *
 * Pointers are addresses of the memory that the kernel runs in.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_ROWS_ARGS_H
#define BACKEND_CUDA_ROWS_ARGS_H

#include <stdint.h>

#define ROWS_THREADS 128
#define ROWS_CHUNK   1024 /* rows of a block */
#define ROWS_ROOM    3    /* words behind an instance's bits, for reads of 64 bits from any place */
#define ROWS_POWERS  256

/* An instance with what is needed of its template. */
struct rows_instance {
    uint64_t op, program; /* where its ops, side A's first, and its programs begin */
    uint32_t first_row, rows;
    uint32_t start; /* its first word of bits */
    uint32_t bound_bits, bits, first_bit;
    uint32_t binding; /* its first one */
    uint32_t bound_wide, bound_inputs, first_wide;
};

struct rows_tables {
    const struct rows_instance *instance;
    const uint32_t *chunk; /* by chunk of rows: the instance of its first one */
    const uint32_t *binding, *program;
    const uint64_t *op;
    const void *table, *element; /* elements; a table is eight */
    const void *power;           /* 2^(512 + i) mod r */
};

struct rows_witness {
    const uint32_t *bit; /* as in r1cs/assignment.h */
    const void *wide, *input;
};

struct rows_bind_args {
    struct rows_tables t;
    struct rows_witness w;
    uint32_t *bits; /* every word of every instance's is written */
};

struct rows_args {
    struct rows_tables t;
    struct rows_witness w;
    const uint32_t *bits;
    void *out; /* elements */
    uint32_t side;
    uint64_t rows, count; /* count values are written, zeros behind the rows */
};

#endif
