/* backend/cuda/tree_g1.cu - kernels of affine trees in G1, and the order by rows that both groups read.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/tree.cuh"

KERNELS(g1, fp32, 3)

/* A warp's; a place more in each row, so that neither rows nor columns meet in a bank. */
struct order_tile {
    uint32_t at[32][33];
};

/* Elements in the order of the tasks become rows: a.out[row j, task] = a.order[start of the task + j]. A warp reads
 * one task after another and writes one row after another. */
extern "C" __global__ void __launch_bounds__(TREE_BLOCK)
    tree_order(const __grid_constant__ struct msm_tree_args a)
{
    BLOCK_ARRAY(uint32_t, rows, TREE_ROWS);
    BLOCK_ARRAY(order_tile, tiles, TREE_BLOCK / 32);
    tree_table<0>(rows, a, a.max_length);
    __syncthreads();
    const uint32_t id = blockIdx.x * TREE_BLOCK + threadIdx.x, lane = threadIdx.x % 32;
    uint32_t(*tile)[33] = tiles[threadIdx.x / 32].at;
    uint32_t start = 0, length = 0;
    if (id < at<const struct msm_counters>(a.counters)->tasks) {
        const struct msm_task task = at<const struct msm_task>(a.tasks)[id];
        start = task.start;
        length = task.length;
    }
    const uint32_t longest = __reduce_max_sync(~0u, length);
    for (uint32_t j0 = 0; j0 < longest; j0 += 32) {
#pragma unroll 8
        for (uint32_t t = 0; t < 32; t++) {
            const uint32_t from = __shfl_sync(~0u, start, t) + j0 + lane;
            if (j0 + lane < __shfl_sync(~0u, length, t))
                tile[t][lane] = at<const uint32_t>(a.order)[from];
        }
        __syncwarp();
        for (uint32_t j = 0; j < 32 && j0 + j < length; j++)
            at<uint32_t>(a.out)[rows[j0 + j] + id] = tile[lane][j];
        __syncwarp();
    }
}
