/* backend/cuda/msm_g1.cu - kernels of sums in G1.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/msm_kernels.cuh"

KERNELS(g1, fp32, 3)
