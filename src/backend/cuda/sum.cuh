/* backend/cuda/sum.cuh - how sums' kernels keep points.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_SUM_CUH
#define BACKEND_CUDA_SUM_CUH

#include "backend/cuda/block.cuh"
#include "backend/cuda/curve.cuh"

#define SUM_BLOCK 64 /* threads that add sums */

/* Coordinates by pieces of 16 bytes, `stride` apart. */
template <class F> FIELD_FN F plane_read(uint64_t from, uint64_t stride, uint64_t place)
{
    union {
        uint4 piece[sizeof(F) / 16];
        F value;
    } out;
    UNROLL
    for (int q = 0; q < (int)(sizeof(F) / 16); q++)
        out.piece[q] = __ldcs(at<const uint4>(from) + q * stride + place);
    return out.value;
}

template <class F> FIELD_FN void plane_write(uint64_t to, uint64_t stride, uint64_t place, const F &value)
{
    union {
        F value;
        uint4 piece[sizeof(F) / 16];
    } in;
    in.value = value;
    UNROLL
    for (int q = 0; q < (int)(sizeof(F) / 16); q++)
        __stcs(at<uint4>(to) + q * stride + place, in.piece[q]);
}

template <class F> FIELD_FN uint64_t plane_y(uint64_t buffer, uint64_t stride)
{
    return buffer + sizeof(F) * stride;
}

#endif
