/* backend/cuda/tree_g1.cu - kernels of affine trees in G1, and the order by rows that both groups read.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/tree.cuh"

KERNELS(g1, fp32, 3)

/* Elements in the order of the tasks become rows: a.out[row j, task] = a.order[start of the task + j]. */
extern "C" __global__ void __launch_bounds__(TREE_BLOCK)
    tree_order(const __grid_constant__ struct msm_tree_args a)
{
    __shared__ uint32_t rows[TREE_ROWS];
    tree_table<0>(rows, a, MSM_MAX_LENGTH);
    __syncthreads();
    const uint32_t id = blockIdx.x * TREE_BLOCK + threadIdx.x;
    if (id >= at<const struct msm_counters>(a.counters)->tasks)
        return;
    const struct msm_task task = at<const struct msm_task>(a.tasks)[id];
    for (uint32_t j = 0; j < task.length; j++)
        at<uint32_t>(a.out)[rows[j] + id] = at<const uint32_t>(a.order)[task.start + j];
}
