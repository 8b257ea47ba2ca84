/* backend/cuda/msm_g2.cu - kernels of sums in G2.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/msm_kernels.cuh"

KERNELS(g2, fp2_32, 2)
