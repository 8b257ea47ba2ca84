/* backend/cuda/transform.cu - kernels of transforms of points.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/transform.cuh"

/* blocks: how many run on a multiprocessor; args: what the arguments are named after. */
#define KERNEL(name, blocks, args)                                                                           \
    extern "C" __global__ void __launch_bounds__(TRANSFORM_BLOCK, blocks)                                    \
        transform_points_##name(const __grid_constant__ struct transform_##args##_args a)                    \
    {                                                                                                        \
        transform_##name(a, blockIdx.x * TRANSFORM_BLOCK + threadIdx.x);                                     \
    }

KERNEL(load, 1, points)
KERNEL(store, 3, points)
KERNEL(stage, 3, stage)
KERNEL(twiddle, 3, twiddle)
