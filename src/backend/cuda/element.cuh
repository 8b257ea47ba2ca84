/* backend/cuda/element.cuh - elements of Fr in device memory, read and written by halves of 16 bytes.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_ELEMENT_CUH
#define BACKEND_CUDA_ELEMENT_CUH

#include "backend/cuda/field.cuh"

struct alignas(16) fr32_half {
    uint32_t w[4];
};

/* Of memory that no thread of the kernel writes. */
FIELD_FN fr32_half fr32_load_half(const void *from, uint64_t index)
{
#ifdef __CUDA_ARCH__
    const uint4 x = __ldg((const uint4 *)from + index);
    return {{x.x, x.y, x.z, x.w}};
#else
    return ((const fr32_half *)from)[index];
#endif
}

FIELD_FN fr32 fr32_join(const fr32_half &low, const fr32_half &high)
{
    return {{low.w[0], low.w[1], low.w[2], low.w[3], high.w[0], high.w[1], high.w[2], high.w[3]}};
}

FIELD_FN fr32_half fr32_low(const fr32 &x)
{
    return {{x.w[0], x.w[1], x.w[2], x.w[3]}};
}

FIELD_FN fr32_half fr32_high(const fr32 &x)
{
    return {{x.w[4], x.w[5], x.w[6], x.w[7]}};
}

FIELD_FN fr32 fr32_load(const void *from, uint64_t index)
{
    return fr32_join(fr32_load_half(from, 2 * index), fr32_load_half(from, 2 * index + 1));
}

FIELD_FN void fr32_store(void *to, uint64_t index, const fr32 &x)
{
    ((fr32_half *)to)[2 * index] = fr32_low(x);
    ((fr32_half *)to)[2 * index + 1] = fr32_high(x);
}

#endif
