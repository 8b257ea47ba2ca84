/* backend/cuda/msm_sort.cu - scalars into digits, points sorted by bucket, buckets sorted by size.
 *
 * The order of the points of a bucket is free, so both passes place elements with counters in shared memory
 * and need no stable ranks.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/block.cuh"
#include "backend/cuda/msm_args.h"

#define BLOCK         1024
#define SCATTER_BLOCK (MSM_SCATTER_TILE / TILE)
#define TILE  16 /* elements a thread of the scatter */

extern "C" __global__ void __launch_bounds__(256) msm_digits(const __grid_constant__ struct msm_digits_args a)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a.count)
        return;
    fr32 k;
    const uint4 *in = at<const uint4>(a.scalars) + 2 * (size_t)i;
    const uint4 low = in[0], high = in[1];
    k = {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
    k = fr32_from_mont(k);
    carry c;
    words_add<8>(c, k.w, k.w, a.bias);
    uint32_t *digits = at<uint32_t>(a.digits);
    uint32_t word[9];
    UNROLL
    for (int j = 0; j < 8; j++)
        word[j] = k.w[j];
    word[8] = 0;
    for (uint32_t w = 0; w < a.windows; w++) {
        const uint32_t offset = a.offset[w], width = a.width[w];
        uint32_t pair_low = 0, pair_high = 0;
    UNROLL
        for (int j = 0; j < 8; j++)
            if ((uint32_t)j == offset / 32) {
                pair_low = word[j];
                pair_high = word[j + 1];
            }
        const uint32_t bits = __funnelshift_r(pair_low, pair_high, offset % 32) & ((1u << width) - 1);
        /* the top window is unsigned: see the plan */
        const int32_t digit = w + 1 == a.windows ? (int32_t)bits : (int32_t)(bits - (1u << (width - 1)));
        digits[(size_t)w * a.count + i] = digit < 0 ? MSM_NEGATIVE | (uint32_t)-digit : (uint32_t)digit;
    }
}

extern "C" __global__ void __launch_bounds__(256)
    msm_patterns(const __grid_constant__ struct msm_patterns_args a)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a.count)
        return;
    uint32_t digit = 0;
    for (uint32_t j = 0; j < a.arrays; j++)
        digit |= (at<const uint32_t>(a.bits[j])[i / 32] >> (i % 32) & 1) << j;
    at<uint32_t>(a.digits)[i] = digit;
}

/* How many elements fall in each bin; grid: x over the points, y over the windows. */
extern "C" __global__ void __launch_bounds__(BLOCK) msm_count(const __grid_constant__ struct msm_sort_args a)
{
    BLOCK_ARRAY(uint32_t, count, MSM_MAX_BINS);
    for (uint32_t b = threadIdx.x; b < a.bins; b += BLOCK)
        count[b] = 0;
    __syncthreads();
    const uint32_t *digits = at<const uint32_t>(a.digits) + (size_t)blockIdx.y * a.count;
    const uint32_t first = a.first_bucket[blockIdx.y];
    for (uint64_t i = blockIdx.x * (uint64_t)BLOCK + threadIdx.x; i < a.count; i += (uint64_t)gridDim.x * BLOCK) {
        const uint32_t digit = digits[i] & ~MSM_NEGATIVE;
        if (digit)
            atomicAdd(&count[(first + digit - 1) >> a.low_bits], 1);
    }
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < a.bins; b += BLOCK)
        if (count[b])
            atomicAdd(at<uint32_t>(a.bin_next) + b, count[b]);
}

/* Where bins begin: one block. */
extern "C" __global__ void __launch_bounds__(BLOCK) msm_bins(const __grid_constant__ struct msm_sort_args a)
{
    uint32_t *next = at<uint32_t>(a.bin_next), *start = at<uint32_t>(a.bin_start);
    uint32_t value[MSM_MAX_BINS / BLOCK], sum = 0;
    for (int j = 0; j < MSM_MAX_BINS / BLOCK; j++) {
        const uint32_t b = threadIdx.x * (MSM_MAX_BINS / BLOCK) + j;
        value[j] = b < a.bins ? next[b] : 0;
        sum += value[j];
    }
    const uint32_t total = block_scan(sum);
    for (int j = 0; j < MSM_MAX_BINS / BLOCK; j++) {
        const uint32_t b = threadIdx.x * (MSM_MAX_BINS / BLOCK) + j;
        if (b < a.bins)
            next[b] = start[b] = sum;
        sum += value[j];
    }
    if (threadIdx.x == 0) {
        start[a.bins] = total;
        at<uint32_t>(a.bucket_start)[a.buckets] = total;
    }
}

/* Elements to their bins: a block counts its tile, takes room in every bin, orders the tile in shared memory
 * and writes it out bin by bin. */
extern "C" __global__ void __launch_bounds__(SCATTER_BLOCK)
    msm_scatter(const __grid_constant__ struct msm_sort_args a)
{
    BLOCK_ROOM(uint2, tile);
    uint32_t *count = reinterpret_cast<uint32_t *>(tile + MSM_SCATTER_TILE), *moved = count + MSM_MAX_BINS;
    for (uint32_t b = threadIdx.x; b < MSM_MAX_BINS; b += SCATTER_BLOCK)
        count[b] = 0;
    __syncthreads();
    const uint32_t *digits = at<const uint32_t>(a.digits) + (size_t)blockIdx.y * a.count;
    const uint32_t first = a.first_bucket[blockIdx.y];
    const uint64_t begin = blockIdx.x * (uint64_t)MSM_SCATTER_TILE + threadIdx.x;
    uint32_t digit[TILE], rank[TILE];
    UNROLL
    for (int j = 0; j < TILE; j++) {
        const uint64_t i = begin + (uint64_t)j * SCATTER_BLOCK;
        digit[j] = i < a.count ? digits[i] : 0;
    }
    UNROLL
    for (int j = 0; j < TILE; j++)
        if (digit[j] & ~MSM_NEGATIVE)
            rank[j] = atomicAdd(&count[(first + (digit[j] & ~MSM_NEGATIVE) - 1) >> a.low_bits], 1);
    __syncthreads();
    /* count becomes the bin's place in the tile, moved how much further it goes */
    uint32_t value[MSM_MAX_BINS / SCATTER_BLOCK], sum = 0;
    UNROLL
    for (int j = 0; j < MSM_MAX_BINS / SCATTER_BLOCK; j++) {
        value[j] = count[threadIdx.x * (MSM_MAX_BINS / SCATTER_BLOCK) + j];
        sum += value[j];
    }
    const uint32_t total = block_scan(sum);
    UNROLL
    for (int j = 0; j < MSM_MAX_BINS / SCATTER_BLOCK; j++) {
        const uint32_t b = threadIdx.x * (MSM_MAX_BINS / SCATTER_BLOCK) + j;
        count[b] = sum;
        if (value[j])
            moved[b] = atomicAdd(at<uint32_t>(a.bin_next) + b, value[j]) - sum;
        sum += value[j];
    }
    __syncthreads();
    UNROLL
    for (int j = 0; j < TILE; j++) {
        if (!(digit[j] & ~MSM_NEGATIVE))
            continue;
        const uint32_t bucket = first + (digit[j] & ~MSM_NEGATIVE) - 1;
        tile[count[bucket >> a.low_bits] + rank[j]] =
            make_uint2((uint32_t)(begin + (uint64_t)j * SCATTER_BLOCK) | (digit[j] & MSM_NEGATIVE), bucket);
    }
    __syncthreads();
    uint2 *binned = at<uint2>(a.binned);
    for (uint32_t i = threadIdx.x; i < total; i += SCATTER_BLOCK) {
        const uint2 element = tile[i];
        binned[i + moved[element.y >> a.low_bits]] = element;
    }
}

/* One block a bin: its elements to their buckets, within shared memory if they have room there. */
extern "C" __global__ void __launch_bounds__(BLOCK) msm_place(const __grid_constant__ struct msm_sort_args a)
{
    BLOCK_ROOM(uint2, shared);
    uint32_t *count = reinterpret_cast<uint32_t *>(shared), *placed = count + MSM_MAX_LOW;
    const uint32_t buckets = 1u << a.low_bits, bin = blockIdx.x;
    const uint32_t begin = at<const uint32_t>(a.bin_start)[bin], end = at<const uint32_t>(a.bin_start)[bin + 1];
    const uint2 *binned = at<const uint2>(a.binned);
    const uint32_t base = bin << a.low_bits;
    for (uint32_t b = threadIdx.x; b < MSM_MAX_LOW; b += BLOCK)
        count[b] = 0;
    __syncthreads();
    for (uint32_t i = begin + threadIdx.x; i < end; i += BLOCK)
        atomicAdd(&count[binned[i].y - base], 1);
    __syncthreads();
    uint32_t value[MSM_MAX_LOW / BLOCK], sum = 0;
    for (int j = 0; j < MSM_MAX_LOW / BLOCK; j++) {
        value[j] = count[threadIdx.x * (MSM_MAX_LOW / BLOCK) + j];
        sum += value[j];
    }
    (void)block_scan(sum);
    for (int j = 0; j < MSM_MAX_LOW / BLOCK; j++) {
        const uint32_t b = threadIdx.x * (MSM_MAX_LOW / BLOCK) + j;
        const uint64_t bucket = (uint64_t)base + b;
        count[b] = sum;
        if (b < buckets && bucket < a.buckets)
            at<uint32_t>(a.bucket_start)[bucket] = begin + sum;
        sum += value[j];
    }
    __syncthreads();
    uint32_t *order = at<uint32_t>(a.order) + begin;
    const bool staged = end - begin <= MSM_BIN_ROOM;
    for (uint32_t i = begin + threadIdx.x; i < end; i += BLOCK) {
        const uint2 element = binned[i];
        const uint32_t place = atomicAdd(&count[element.y - base], 1);
        if (staged)
            placed[place] = element.x;
        else
            order[place] = element.x;
    }
    if (!staged)
        return;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < end - begin; i += BLOCK)
        order[i] = placed[i];
}

/* The same where a bin is a bucket, however many elements one has. */
extern "C" __global__ void __launch_bounds__(BLOCK) msm_place_bins(const __grid_constant__ struct msm_sort_args a)
{
    const uint64_t i = blockIdx.x * (uint64_t)BLOCK + threadIdx.x;
    if (i < a.buckets)
        at<uint32_t>(a.bucket_start)[i] = at<const uint32_t>(a.bin_start)[i];
    if (i < at<const uint32_t>(a.bin_start)[a.bins])
        at<uint32_t>(a.order)[i] = at<const uint2>(a.binned)[i].x;
}

/* -- instead of sorting: the set bits -- */

FIELD_FN uint32_t ones_word(const struct msm_sort_args &a)
{
    const uint64_t w = blockIdx.x * (uint64_t)BLOCK + threadIdx.x;
    if (w * 32 >= a.count)
        return 0;
    const uint32_t word = at<const uint32_t>(a.digits)[w], left = a.count - (uint32_t)w * 32;
    return left < 32 ? word & ((1u << left) - 1) : word;
}

/* How many there are in each bin: a block each. */
extern "C" __global__ void __launch_bounds__(BLOCK) msm_ones_count(const __grid_constant__ struct msm_sort_args a)
{
    static_assert(MSM_ONES_TILE == BLOCK, "a thread for each word of a bin");
    uint32_t ones = __popc(ones_word(a));
    const uint32_t total = block_scan(ones);
    if (threadIdx.x == 0)
        at<uint32_t>(a.bin_next)[blockIdx.x] = total;
}

extern "C" __global__ void __launch_bounds__(BLOCK) msm_ones_place(const __grid_constant__ struct msm_sort_args a)
{
    uint32_t word = ones_word(a), place = __popc(word);
    (void)block_scan(place);
    uint32_t *order = at<uint32_t>(a.order) + at<const uint32_t>(a.bin_start)[blockIdx.x];
    for (; word; word &= word - 1)
        order[place++] = 32 * (blockIdx.x * BLOCK + threadIdx.x) + (uint32_t)__ffs((int)word) - 1;
}

extern "C" __global__ void __launch_bounds__(BLOCK) msm_ones_cut(const __grid_constant__ struct msm_sort_args a)
{
    uint32_t *start = at<uint32_t>(a.bucket_start);
    const uint32_t b = blockIdx.x * BLOCK + threadIdx.x;
    if (b < a.buckets)
        start[b] = (uint32_t)((uint64_t)start[a.buckets] * b / a.buckets);
}

/* How many tasks of each length; buckets longer than max_length are cut. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    msm_lengths(const __grid_constant__ struct msm_tasks_args a)
{
    BLOCK_ARRAY(uint32_t, count, MSM_MAX_LENGTH + 1);
    for (uint32_t b = threadIdx.x; b <= MSM_MAX_LENGTH; b += BLOCK)
        count[b] = 0;
    __syncthreads();
    const uint32_t *start = at<const uint32_t>(a.bucket_start);
    for (uint32_t b = blockIdx.x * BLOCK + threadIdx.x; b < a.buckets; b += gridDim.x * BLOCK) {
        const uint32_t length = start[b + 1] - start[b];
        if (length % a.max_length)
            atomicAdd(&count[length % a.max_length], 1);
        if (length / a.max_length)
            atomicAdd(&count[a.max_length], length / a.max_length);
    }
    __syncthreads();
    for (uint32_t b = threadIdx.x; b <= MSM_MAX_LENGTH; b += BLOCK)
        if (count[b])
            atomicAdd(at<uint32_t>(a.length_next) + b, count[b]);
}

/* Where the tasks of each length begin, longest first: one block. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    msm_length_places(const __grid_constant__ struct msm_tasks_args a)
{
    uint32_t *next = at<uint32_t>(a.length_next);
    static_assert(MSM_MAX_LENGTH == BLOCK, "a thread for each length from 1 on");
    const uint32_t length = MSM_MAX_LENGTH - threadIdx.x;
    uint32_t sum = next[length];
    const uint32_t total = block_scan(sum);
    next[length] = sum;
    at<uint32_t>(a.longer)[length] = sum;
    if (threadIdx.x == 0)
        at<struct msm_counters>(a.counters)->tasks = at<uint32_t>(a.longer)[0] = total;
}

extern "C" __global__ void __launch_bounds__(BLOCK) msm_tasks(const __grid_constant__ struct msm_tasks_args a)
{
    BLOCK_ARRAY(uint32_t, count, MSM_MAX_LENGTH + 1);
    for (uint32_t b = threadIdx.x; b <= MSM_MAX_LENGTH; b += BLOCK)
        count[b] = 0;
    __syncthreads();
    const uint32_t b = blockIdx.x * BLOCK + threadIdx.x;
    const uint32_t *start = at<const uint32_t>(a.bucket_start);
    struct msm_task *tasks = at<struct msm_task>(a.tasks);
    const uint32_t begin = b < a.buckets ? start[b] : 0, length = b < a.buckets ? start[b + 1] - begin : 0;
    const uint32_t rest = length % a.max_length, full = length / a.max_length;
    uint32_t rank = 0, full_rank = 0;
    if (rest)
        rank = atomicAdd(&count[rest], 1);
    if (full)
        full_rank = atomicAdd(&count[a.max_length], full);
    __syncthreads();
    for (uint32_t l = threadIdx.x; l <= MSM_MAX_LENGTH; l += BLOCK)
        if (count[l])
            count[l] = atomicAdd(at<uint32_t>(a.length_next) + l, count[l]);
    __syncthreads();
    if (!length)
        return;
    const uint32_t pieces = full + (rest != 0); /* the first goes to the bucket, the others overflow */
    uint32_t first = 0;
    if (pieces > 1) {
        struct msm_counters *counters = at<struct msm_counters>(a.counters);
        first = atomicAdd(&counters->pieces, pieces - 1);
        const uint32_t own = atomicAdd(&counters->overflows, 1);
        at<struct msm_overflow>(a.overflows)[own] = {b, first, pieces - 1};
        for (uint32_t j = 0; j + 1 < pieces; j++)
            at<uint32_t>(a.owner)[first + j] = own;
    }
    for (uint32_t j = 0; j < pieces; j++) {
        const uint32_t target = j == 0 ? b : MSM_NEGATIVE | (first + j - 1);
        const uint32_t place = j < full ? count[a.max_length] + full_rank + j : count[rest] + rank;
        tasks[place] = {begin + j * a.max_length, j < full ? a.max_length : rest, target};
    }
}
