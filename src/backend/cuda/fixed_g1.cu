/* backend/cuda/fixed_g1.cu - kernels of multiples of a fixed point in G1.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/fixed_kernels.cuh"

KERNELS(g1, fp32, 3)
