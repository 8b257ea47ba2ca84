/* backend/cuda/msm_kernels.cuh - adding points into buckets, a thread each, and folding buckets.
 * Templates over the coordinate field; msm_g1.cu and msm_g2.cu name the kernels.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_MSM_KERNELS_CUH
#define BACKEND_CUDA_MSM_KERNELS_CUH

#include "backend/cuda/msm_args.h"
#include "backend/cuda/sum.cuh"

#define MSM_BLOCK 128 /* threads that accumulate */

/* Points on their way from memory: each thread has `depth` places of its own in shared memory, filled by
 * asynchronous copies while earlier points are added. */
template <class F> struct ring {
    static constexpr int words = sizeof(affine<F>) / 16;
    static constexpr int depth = sizeof(F) == sizeof(fp32) ? 4 : 2;
    static constexpr uint32_t bytes = MSM_BLOCK * depth * sizeof(affine<F>);

    uint4 *base;
    uint32_t valid, negative; /* a bit a place */
};

template <class F> FIELD_FN void ring_begin(ring<F> &r)
{
    BLOCK_ROOM(uint4, shared);
    r.base = shared + threadIdx.x;
    r.valid = r.negative = 0;
}

/* Send for the source's next point; without one the place becomes invalid. */
template <class F, class Source>
FIELD_FN void ring_fetch(ring<F> &r, uint32_t place, Source &source, const affine<F> *points)
{
    uint32_t element;
    r.valid &= ~(1u << place);
    if (source.next(element)) {
        const uint4 *from = reinterpret_cast<const uint4 *>(points + (element & ~MSM_NEGATIVE));
        r.valid |= 1u << place;
        r.negative = (r.negative & ~(1u << place)) | (element >> 31) << place;
    UNROLL
        for (int j = 0; j < ring<F>::words; j++)
            copy_send<false>(r.base + (place * ring<F>::words + j) * MSM_BLOCK, from + j);
    }
    copy_group();
}

template <class F> FIELD_FN affine<F> ring_take(const ring<F> &r, uint32_t place)
{
    union {
        uint4 words[ring<F>::words];
        affine<F> point;
    } out;
    copy_wait<ring<F>::depth - 1>();
    UNROLL
    for (int j = 0; j < ring<F>::words; j++)
        out.words[j] = r.base[(place * ring<F>::words + j) * MSM_BLOCK];
    return out.point;
}

/* sum += all points of the source. What happens once in 2^32 additions stands aside, with copies, so that the
 * sum stays in registers. */
template <class F, class Source>
FIELD_FN void accumulate(xyzz<F> &sum, Source &source, const affine<F> *points)
{
    ring<F> r;
    ring_begin(r);
    UNROLL
    for (int place = 0; place < ring<F>::depth; place++)
        ring_fetch(r, place, source, points);
    bool empty = xyzz_is_infinity(sum);
    uint32_t place = 0;
    while (r.valid >> place & 1) {
        affine<F> b = ring_take(r, place);
        const bool negative = r.negative >> place & 1;
        ring_fetch(r, place, source, points);
        place = (place + 1) % ring<F>::depth;
        if ((low_word(b.x) | low_word(b.y)) == 0 && affine_is_infinity(b))
            continue;
        if (negative)
            b.y = neg<1>(b.y);
        if (empty) {
            xyzz_set_affine(sum, b);
            empty = false;
        } else if (!xyzz_add_affine_distinct(sum, b)) {
            xyzz<F> copy = sum;
            const affine<F> operand = b;
            xyzz_add_affine_equal(copy, operand);
            sum = copy;
            empty = xyzz_is_infinity(sum);
        }
    }
}

/* The elements of a task. */
struct order_source {
    const uint32_t *next_element, *end;
    uint32_t ahead;

    __device__ __forceinline__ bool next(uint32_t &element)
    {
        if (next_element == end)
            return false;
        element = ahead;
        if (++next_element != end)
            ahead = *next_element;
        return true;
    }
};

template <class F> FIELD_FN void run_accumulate(const struct msm_accumulate_args &a)
{
    const uint32_t id = blockIdx.x * MSM_BLOCK + threadIdx.x;
    if (id >= at<const struct msm_counters>(a.counters)->tasks)
        return;
    const struct msm_task task = at<const struct msm_task>(a.tasks)[id];
    order_source source;
    source.next_element = at<const uint32_t>(a.order) + task.start;
    source.end = source.next_element + task.length;
    source.ahead = *source.next_element;
    xyzz<F> sum;
    xyzz<F> *out = at<xyzz<F>>(a.buckets) + task.target;
    if (task.target & MSM_NEGATIVE) {
        out = at<xyzz<F>>(a.overflow) + (task.target & ~MSM_NEGATIVE);
        xyzz_set_infinity(sum);
    } else {
        sum = *out;
    }
    accumulate(sum, source, at<const affine<F>>(a.points));
    *out = sum;
}

template <class F> FIELD_FN void run_join(const struct msm_join_args &a)
{
    const uint32_t pieces = at<const struct msm_counters>(a.counters)->pieces, stride = gridDim.x * SUM_BLOCK;
    xyzz<F> *overflow = at<xyzz<F>>(a.overflow);
    for (uint32_t i = blockIdx.x * SUM_BLOCK + threadIdx.x; i < pieces; i += stride) {
        const struct msm_overflow o = at<const struct msm_overflow>(a.overflows)[at<const uint32_t>(a.owner)[i]];
        const uint32_t place = i - o.first;
        if (place % (8 * a.apart) != 0 || place + a.apart >= o.pieces)
            continue;
        xyzz<F> sum = overflow[i];
#pragma unroll 1
        for (uint32_t j = a.apart; j < 8 * a.apart && place + j < o.pieces; j += a.apart)
            xyzz_add(sum, overflow[i + j]);
        overflow[i] = sum;
    }
}

template <class F> FIELD_FN void run_collect(const struct msm_join_args &a)
{
    const uint32_t count = at<const struct msm_counters>(a.counters)->overflows;
    for (uint32_t i = blockIdx.x * SUM_BLOCK + threadIdx.x; i < count; i += gridDim.x * SUM_BLOCK) {
        const struct msm_overflow o = at<const struct msm_overflow>(a.overflows)[i];
        xyzz<F> sum = at<const xyzz<F>>(a.overflow)[o.first], bucket;
        if (a.affine)
            xyzz_set_affine(bucket, at<const affine<F>>(a.buckets)[o.bucket]);
        else
            bucket = at<const xyzz<F>>(a.buckets)[o.bucket];
        xyzz_add(sum, bucket);
        if (a.affine)
            at<affine<F>>(a.buckets)[o.bucket] = xyzz_to_affine(sum);
        else
            at<xyzz<F>>(a.buckets)[o.bucket] = sum;
    }
}

template <class F> FIELD_FN xyzz<F> halve_read(const struct msm_halve_args &a, uint32_t place)
{
    if (a.in_unit == 0)
        return at<const xyzz<F>>(a.in)[place];
    const uint32_t index = place * a.in_unit;
    xyzz<F> out;
    xyzz_set_affine<F>(out, {plane_read<F>(a.in, a.in_stride, index),
                             plane_read<F>(plane_y<F>(a.in, a.in_stride), a.in_stride, index)});
    return out;
}

template <class F> FIELD_FN void run_halve(const struct msm_halve_args &a)
{
    const uint32_t pair = blockIdx.x * SUM_BLOCK + threadIdx.x;
    if (pair >= a.pairs)
        return;
    xyzz<F> sum = halve_read<F>(a, 2 * pair);
    const xyzz<F> second = halve_read<F>(a, 2 * pair + 1);
    xyzz<F> *out = at<xyzz<F>>(a.out) + pair;
    if (pair < a.half)
        out[a.half] = second;
    xyzz_add(sum, second);
    out[pair < a.half ? 0 : a.half] = sum;
}

/* KERNELS(g1, fp32, 3): the kernels of a group, by name; blocks: how many accumulate on a multiprocessor. */
#define KERNELS(group, F, blocks)                                                                            \
    extern "C" __global__ void __launch_bounds__(MSM_BLOCK, blocks)                                          \
        msm_##group##_accumulate(const __grid_constant__ struct msm_accumulate_args a)                       \
    {                                                                                                        \
        run_accumulate<F>(a);                                                                                \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(SUM_BLOCK)                                                  \
        msm_##group##_join(const __grid_constant__ struct msm_join_args a)                                   \
    {                                                                                                        \
        run_join<F>(a);                                                                                      \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(SUM_BLOCK)                                                  \
        msm_##group##_collect(const __grid_constant__ struct msm_join_args a)                                \
    {                                                                                                        \
        run_collect<F>(a);                                                                                   \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(SUM_BLOCK)                                                  \
        msm_##group##_halve(const __grid_constant__ struct msm_halve_args a)                                 \
    {                                                                                                        \
        run_halve<F>(a);                                                                                     \
    }

#endif
