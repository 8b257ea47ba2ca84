/* backend/cuda/fixed_g2.cu - kernels of multiples of a fixed point in G2.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/fixed_kernels.cuh"

KERNELS(g2, fp2_32, 2)
