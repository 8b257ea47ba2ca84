/* backend/cuda/tree_g2.cu - kernels of affine trees in G2.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/tree.cuh"

KERNELS(g2, fp2_32, 2)
