/* backend/cuda/block.cuh - what kernels of several kinds need.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_BLOCK_CUH
#define BACKEND_CUDA_BLOCK_CUH

#include "backend/cuda/shared.cuh"

/* Arguments hold addresses as numbers. */
template <class T> FIELD_FN T *at(uint64_t address)
{
    return reinterpret_cast<T *>(address);
}

#if defined(__CUDACC__) || defined(CUDA_THREADS)

/* Exclusive sums of n values over a block: value becomes the sum of those of the threads before; returns all. */
FIELD_FN uint32_t block_scan(uint32_t &value)
{
    BLOCK_ARRAY(uint32_t, of_warp, 32);
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, own = value;
    uint32_t sum = value;
    for (uint32_t step = 1; step < 32; step *= 2) {
        const uint32_t before = __shfl_up_sync(~0u, sum, step);
        if (lane >= step)
            sum += before;
    }
    __syncthreads();
    if (lane == 31)
        of_warp[warp] = sum;
    __syncthreads();
    uint32_t base = 0, total = 0;
    for (uint32_t w = 0; w < blockDim.x / 32; w++) {
        base += w < warp ? of_warp[w] : 0;
        total += of_warp[w];
    }
    value = base + sum - own;
    return total;
}

#endif

#endif
