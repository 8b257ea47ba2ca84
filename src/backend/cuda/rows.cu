/* backend/cuda/rows.cu - binding, a block an instance, and evaluating, a block a chunk of rows.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/rows_value.cuh"

extern "C" __global__ void __launch_bounds__(ROWS_THREADS) rows_bind_bits(const rows_bind_args a)
{
    rows_bind_instance(a, blockIdx.x, threadIdx.x, blockDim.x);
}

extern "C" __global__ void __launch_bounds__(ROWS_THREADS) rows_evaluate(const rows_args a)
{
    rows_chunk(a, blockIdx.x, threadIdx.x, blockDim.x);
}
