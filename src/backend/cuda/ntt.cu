/* backend/cuda/ntt.cu - the sweeps of transforms: a block of NTT_TILE_THREADS threads for each tile.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/ntt_tile.cuh"

namespace
{

struct team {
    template <class Step> __device__ __forceinline__ void each(Step step) const
    {
        step(threadIdx.x);
        __syncwarp();
    }
    __device__ __forceinline__ void barrier() const
    {
        __syncthreads();
    }
};

} // namespace

extern "C" __global__ void __launch_bounds__(NTT_TILE_THREADS, 4) ntt_columns_down(const cuda_ntt_pass p)
{
    BLOCK_ROOM(uint4, ntt_shared);
    ntt_columns_tile<false>(p, ntt_shared, blockIdx.x, team());
}

extern "C" __global__ void __launch_bounds__(NTT_TILE_THREADS, 4) ntt_columns_up(const cuda_ntt_pass p)
{
    BLOCK_ROOM(uint4, ntt_shared);
    ntt_columns_tile<true>(p, ntt_shared, blockIdx.x, team());
}

extern "C" __global__ void __launch_bounds__(NTT_TILE_THREADS, 4) ntt_last_down(const cuda_ntt_pass p)
{
    BLOCK_ROOM(uint4, ntt_shared);
    ntt_last_tile<false>(p, ntt_shared, blockIdx.x, team());
}

extern "C" __global__ void __launch_bounds__(NTT_TILE_THREADS, 4) ntt_last_down_up(const cuda_ntt_pass p)
{
    BLOCK_ROOM(uint4, ntt_shared);
    ntt_last_tile<true>(p, ntt_shared, blockIdx.x, team());
}

extern "C" __global__ void __launch_bounds__(NTT_TILE_THREADS) ntt_twist(const cuda_ntt_pass p)
{
    for (uint32_t i = threadIdx.x; i < 1u << NTT_TILE_LOG; i += NTT_TILE_THREADS)
        ntt_twist_place(p, ((uint64_t)blockIdx.x << NTT_TILE_LOG) + i);
}
