/* tests/unit/cuda_field_host.h - the kernels' arithmetic (backend/cuda/field.cuh, curve.cuh) compiled for the
 * host. Elements are those of src/field; sums are X, Y, ZZ, ZZZ in words, as kernels leave them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CUDA_FIELD_HOST_H
#define CUDA_FIELD_HOST_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum host_fr_op { HOST_FR_ADD, HOST_FR_SUB, HOST_FR_MUL, HOST_FR_SQR, HOST_FR_NEG, HOST_FR_FROM, HOST_FR_TO };
void host_fr(void *out, enum host_fr_op op, const void *a, const void *b);

/* lift: a multiple of p, up to 4, that is added to each operand first; MUL_LEFT: up to 7, to a alone. Results
 * canonical. */
enum host_fp_op {
    HOST_FP_ADD,
    HOST_FP_SUB,
    HOST_FP_NEG,
    HOST_FP_MUL,
    HOST_FP_SQR,
    HOST_FP_INV,
    HOST_FP_MUL_LEFT
};
void host_fp(void *out, enum host_fp_op op, const void *a, const void *b, unsigned lift);
/* a b + c d */
void host_fp_mul_add(void *out, const void *a, const void *b, const void *c, const void *d, unsigned lift);
bool host_fp_vanishes(const void *a, unsigned lift);
void host_fp2_mul(void *out, const void *a, const void *b);
void host_fp2_sqr(void *out, const void *a);

/* The kernels of multiples of a fixed point (backend/cuda/fixed_args.h), all of their threads. */
struct fixed_args;
void host_fixed(unsigned group, const struct fixed_args *args);

/* sum (192 bytes for group 1, 384 for 2) += an affine point, another sum; doubled. */
void host_add_affine(unsigned group, void *sum, const void *point);
void host_add(unsigned group, void *sum, const void *other);
void host_double(unsigned group, void *sum);
/* out: 96 or 192 bytes, canonical */
void host_to_affine(unsigned group, void *out, const void *sum);

#ifdef __cplusplus
}
#endif
#endif
