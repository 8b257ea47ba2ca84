/* tests/unit/cuda_kernels.h - the kernels' sources on the host, thread by thread (cuda_threads.h).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TESTS_CUDA_KERNELS_H
#define TESTS_CUDA_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "backend/cuda/ntt_pass.h"

/* Run the kernel of this name; false: there is none. */
bool cuda_kernel_run(const char *name, const uint32_t grid[3], uint32_t block_size, size_t shared,
                     const void *arguments);

/* A kernel whose name begins so and that has not run; NULL: all have. */
const char *cuda_kernel_unused(const char *prefix);

/* a f below 2 r; x in Montgomery form and below r gives the factor's two integers. */
void ntt_mul_on_host(uint32_t out[8], const uint32_t a[8], const struct ntt_factor *f);
void ntt_fix_on_host(struct ntt_factor *out, const uint32_t x[8]);

#ifdef __cplusplus
}
#endif

#endif
