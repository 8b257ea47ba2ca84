/* backend/cuda/pick.cu - picking, a thread a word of bits or an element.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/pick.cuh"

extern "C" __global__ void __launch_bounds__(PICK_THREADS) pick_bits(const __grid_constant__ pick_args a)
{
    const uint32_t i = blockIdx.x * PICK_THREADS + threadIdx.x;
    if (i < a.count / 64 + (a.count % 64 != 0))
        pick_bits_word(a, i);
}

extern "C" __global__ void __launch_bounds__(PICK_THREADS) pick_elements(const __grid_constant__ pick_args a)
{
    const uint32_t i = blockIdx.x * PICK_THREADS + threadIdx.x;
    if (i < a.count)
        pick_element(a, i);
}
