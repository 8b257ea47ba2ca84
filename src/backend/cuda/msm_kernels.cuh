/* backend/cuda/msm_kernels.cuh - adding points: into buckets, under a mask of bits, and buckets into one sum.
 * Templates over the coordinate field; msm_g1.cu and msm_g2.cu name the kernels.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_MSM_KERNELS_CUH
#define BACKEND_CUDA_MSM_KERNELS_CUH

#include "backend/cuda/block.cuh"
#include "backend/cuda/curve.cuh"
#include "backend/cuda/msm_args.h"

#define MSM_BLOCK 128 /* threads that accumulate */
#define SUM_BLOCK 64  /* threads that add sums */

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
    extern __shared__ uint4 shared[];
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
        for (int j = 0; j < ring<F>::words; j++) {
            const uint32_t to =
                (uint32_t)__cvta_generic_to_shared(r.base + (place * ring<F>::words + j) * MSM_BLOCK);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + j) : "memory");
        }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <class F> FIELD_FN affine<F> ring_take(const ring<F> &r, uint32_t place)
{
    union {
        uint4 words[ring<F>::words];
        affine<F> point;
    } out;
    asm volatile("cp.async.wait_group %0;" ::"n"(ring<F>::depth - 1) : "memory");
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

/* The set bits of every stride-th word. */
struct bits_source {
    const uint32_t *bits;
    uint32_t words, stride, at, word, ahead;

    __device__ __forceinline__ bool next(uint32_t &element)
    {
        while (word == 0) {
            if (at + stride >= words || at + stride < at)
                return false;
            at += stride;
            word = ahead;
            ahead = at + stride < words ? bits[at + stride] : 0;
        }
        element = 32 * at + (uint32_t)__ffs((int)word) - 1;
        word &= word - 1;
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

/* The sum over the block, in thread 0; sums: a place a thread. */
template <class F> FIELD_FN void block_total(xyzz<F> &sum, xyzz<F> *sums)
{
    for (uint32_t step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < 2 * step)
            sums[threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.x < step)
            xyzz_add(sum, sums[threadIdx.x + step]);
        __syncthreads();
    }
}

template <class F> FIELD_FN void run_overflow(const struct msm_accumulate_args &a)
{
    __shared__ xyzz<F> sums[SUM_BLOCK];
    const uint32_t count = at<const struct msm_counters>(a.counters)->overflows;
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        const struct msm_overflow o = at<const struct msm_overflow>(a.overflows)[i];
        const xyzz<F> *pieces = at<const xyzz<F>>(a.overflow) + o.first;
        xyzz<F> *bucket = at<xyzz<F>>(a.buckets) + o.bucket, sum;
        xyzz_set_infinity(sum);
        for (uint32_t j = threadIdx.x; j <= o.pieces; j += SUM_BLOCK)
            xyzz_add(sum, j < o.pieces ? pieces[j] : *bucket);
        block_total(sum, sums);
        if (threadIdx.x == 0)
            *bucket = sum;
    }
}

/* One step of (sum, weighted) over a thread's neighbours: see struct msm_reduce_args. Sum_j j S_j is the sum of
 * all partial sums from the end. */
template <class F> FIELD_FN void run_reduce(const struct msm_reduce_args &a)
{
    const uint32_t id = blockIdx.x * SUM_BLOCK + threadIdx.x;
    uint32_t segment = 0;
    while (segment < a.segments && id >= a.out_first[segment + 1])
        segment++;
    if (segment == a.segments)
        return;
    const uint32_t begin = a.in_first[segment] + (id - a.out_first[segment]) * a.fold;
    const uint32_t end = min(begin + a.fold, a.in_first[segment + 1]);
    const xyzz<F> *sums = at<const xyzz<F>>(a.sums);
    xyzz<F> run, weighted;
    xyzz_set_infinity(run);
    xyzz_set_infinity(weighted);
#pragma unroll 1
    for (uint32_t j = end; j-- > begin;) {
        xyzz_add(run, sums[j]);
        if (j > begin)
            xyzz_add(weighted, run);
    }
    at<xyzz<F>>(a.out_sums)[id] = run;
    for (uint32_t j = 0; j < a.unit_log; j++)
        xyzz_double(weighted);
    if (a.weighted) {
#pragma unroll 1
        for (uint32_t j = begin; j < end; j++)
            xyzz_add(weighted, at<const xyzz<F>>(a.weighted)[j]);
    }
    at<xyzz<F>>(a.out_weighted)[id] = weighted;
}

template <class F> FIELD_FN void run_select(const struct msm_select_args &a)
{
    bits_source source;
    source.bits = at<const uint32_t>(a.bits);
    source.words = (a.count + 31) / 32;
    source.stride = gridDim.x * MSM_BLOCK;
    source.at = blockIdx.x * MSM_BLOCK + threadIdx.x;
    source.word = source.at < source.words ? source.bits[source.at] : 0;
    source.ahead = source.at + source.stride < source.words ? source.bits[source.at + source.stride] : 0;
    xyzz<F> sum;
    xyzz_set_infinity(sum);
    accumulate(sum, source, at<const affine<F>>(a.points));
    at<xyzz<F>>(a.out)[blockIdx.x * MSM_BLOCK + threadIdx.x] = sum;
}

template <class F> FIELD_FN void run_total(const struct msm_total_args &a)
{
    __shared__ xyzz<F> sums[SUM_BLOCK];
    const uint32_t begin = blockIdx.x * a.per_block, end = min(begin + a.per_block, a.count);
    xyzz<F> sum;
    xyzz_set_infinity(sum);
    for (uint32_t i = begin + threadIdx.x; i < end; i += SUM_BLOCK)
        xyzz_add(sum, at<const xyzz<F>>(a.in)[i]);
    block_total(sum, sums);
    if (threadIdx.x == 0)
        at<xyzz<F>>(a.out)[blockIdx.x] = sum;
}

template <class F> FIELD_FN void run_by_bit(const struct msm_by_bit_args &a)
{
    __shared__ xyzz<F> sums[SUM_BLOCK];
    xyzz<F> sum;
    xyzz_set_infinity(sum);
    for (uint32_t b = threadIdx.x; b < a.buckets_count; b += SUM_BLOCK)
        if ((b + 1) >> blockIdx.x & 1)
            xyzz_add(sum, at<const xyzz<F>>(a.buckets)[b]);
    block_total(sum, sums);
    if (threadIdx.x == 0)
        at<xyzz<F>>(a.out)[blockIdx.x] = sum;
}

/* KERNELS(g1, fp32, 3): the kernels of a group, by name; blocks: how many accumulate on a multiprocessor. */
#define KERNELS(group, F, blocks)                                                                            \
    extern "C" __global__ void __launch_bounds__(MSM_BLOCK, blocks)                                          \
        msm_##group##_accumulate(const __grid_constant__ struct msm_accumulate_args a)                       \
    {                                                                                                        \
        run_accumulate<F>(a);                                                                                \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(MSM_BLOCK, blocks)                                          \
        msm_##group##_select(const __grid_constant__ struct msm_select_args a)                               \
    {                                                                                                        \
        run_select<F>(a);                                                                                    \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(SUM_BLOCK)                                                  \
        msm_##group##_overflow(const __grid_constant__ struct msm_accumulate_args a)                         \
    {                                                                                                        \
        run_overflow<F>(a);                                                                                  \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(SUM_BLOCK)                                                  \
        msm_##group##_reduce(const __grid_constant__ struct msm_reduce_args a)                               \
    {                                                                                                        \
        run_reduce<F>(a);                                                                                    \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(SUM_BLOCK)                                                  \
        msm_##group##_total(const __grid_constant__ struct msm_total_args a)                                 \
    {                                                                                                        \
        run_total<F>(a);                                                                                     \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(SUM_BLOCK)                                                  \
        msm_##group##_by_bit(const __grid_constant__ struct msm_by_bit_args a)                               \
    {                                                                                                        \
        run_by_bit<F>(a);                                                                                    \
    }

#endif
