/* Kernels run on the host, block by block, from the same source: see cuda_on_host.cpp.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TESTS_CUDA_ON_HOST_H
#define TESTS_CUDA_ON_HOST_H

#include <stdbool.h>

#include "backend/cuda/pick_args.h"
#include "backend/cuda/rows_args.h"
#ifndef __cplusplus
#include "backend/cuda/rows_plan.h" /* its r1cs/template.h is C */
#endif

#ifdef __cplusplus
extern "C" {
#endif

#include "backend/cuda/ntt_plan.h"

void rows_bind_on_host(const struct rows_bind_args *args, uint32_t blocks);
void rows_evaluate_on_host(const struct rows_args *args, uint32_t blocks);

/* A kernel of transform.cu by its name; false: there is none. */
bool transform_on_host(const char *kernel, uint32_t blocks, const void *args);

void ntt_sweep_on_host(const struct cuda_ntt_sweep *sweep);

/* The kernel of this name, of those that transform, evaluate rows and pick; false: it is none. */
bool prover_on_host(const char *kernel, uint32_t blocks, uint32_t shared, const void *arguments);

/* a f below 2 r; x in Montgomery form and below r gives the factor's two integers. */
void ntt_mul_on_host(uint32_t out[8], const uint32_t a[8], const struct ntt_factor *f);
void ntt_fix_on_host(struct ntt_factor *out, const uint32_t x[8]);

#ifdef __cplusplus
}
#endif

#endif
