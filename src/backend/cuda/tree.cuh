/* backend/cuda/tree.cuh - buckets added up as trees of affine additions, all rows of a level together.
 *
 * An affine addition takes a division; a thread walks over its pairs multiplying the differences of x, all
 * threads' products are inverted together, and it walks back with the inverses (P. L. Montgomery's trick):
 * 5 products and a square an addition. Rows: see struct msm_tree_args. Points with x = 0 are infinite: the others
 * with that x are not in the subgroup. Doublings, opposite points and infinity are told apart before the
 * difference enters the product, which a zero would spoil for all.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_TREE_CUH
#define BACKEND_CUDA_TREE_CUH

#include "backend/cuda/block.cuh"
#include "backend/cuda/curve.cuh"
#include "backend/cuda/msm_args.h"

#define TREE_BLOCK 128
#define TREE_ROWS  (MSM_MAX_LENGTH + 1)
#define TREE_SHARE 16 /* totals that a thread inverts together */

/* Where rows begin: of the level read, of pairs, of the level written, of the points that pass. */
struct tree_rows {
    uint32_t in[TREE_ROWS], pair[TREE_ROWS / 2 + 1], out[TREE_ROWS / 2 + 1], pass[TREE_ROWS / 2 + 1];
};

FIELD_FN uint32_t row_length(const struct msm_tree_args &a, uint32_t index)
{
    return index <= MSM_MAX_LENGTH ? at<const uint32_t>(a.longer)[index] : 0;
}

/* Which table: 0 in, 1 pair, 2 out, 3 pass. */
template <int which>
FIELD_FN void tree_table(uint32_t *table, const struct msm_tree_args &a, uint32_t rows)
{
    uint32_t before = 0;
    for (uint32_t base = 0; base < rows; base += TREE_BLOCK) {
        const uint32_t j = base + threadIdx.x;
        uint32_t length = 0;
        if (j < rows) {
            const uint32_t whole = row_length(a, (which == 0 ? j : 2 * j) << a.level);
            const uint32_t paired = which & 1 ? row_length(a, (2 * j + 1) << a.level) : 0;
            length = which == 1 ? paired : whole - paired;
        }
        const uint32_t total = block_scan(length);
        if (j < rows)
            table[j] = before + length;
        before += total;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        table[rows] = before;
}

FIELD_FN void tree_begin(tree_rows &r, const struct msm_tree_args &a)
{
    const uint32_t rows = MSM_MAX_LENGTH >> a.level, half = rows / 2 ? rows / 2 : 1;
    tree_table<0>(r.in, a, rows);
    tree_table<1>(r.pair, a, half);
    tree_table<2>(r.out, a, half);
    tree_table<3>(r.pass, a, half);
    __syncthreads();
}

FIELD_FN uint32_t tree_half(const struct msm_tree_args &a)
{
    const uint32_t half = MSM_MAX_LENGTH >> a.level >> 1;
    return half ? half : 1;
}

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

/* The points of a level: in memory by rows, or at level 0 gathered. A place tells which. */
template <class F, bool gather> struct tree_source;

template <class F> struct tree_source<F, false> {
    const struct msm_tree_args &a;
    const tree_rows &rows;

    __device__ __forceinline__ uint32_t place(uint32_t row, uint32_t task) const
    {
        return rows.in[row] + task;
    }
    __device__ __forceinline__ F x(uint32_t place) const
    {
        return plane_read<F>(a.in, a.in_stride, place);
    }
    __device__ __forceinline__ F y(uint32_t place) const
    {
        return plane_read<F>(plane_y<F>(a.in, a.in_stride), a.in_stride, place);
    }
};

template <class F> struct tree_source<F, true> {
    const struct msm_tree_args &a;
    const tree_rows &rows;

    __device__ __forceinline__ uint32_t place(uint32_t row, uint32_t task) const
    {
        return __ldcs(at<const uint32_t>(a.order) + rows.in[row] + task);
    }
    __device__ __forceinline__ F coordinate(uint32_t place, uint32_t which) const
    {
        return plane_read<F>(a.points + (place & ~MSM_NEGATIVE) * (uint64_t)(2 * sizeof(F)) + which * sizeof(F),
                             1, 0);
    }
    __device__ __forceinline__ F x(uint32_t place) const
    {
        return coordinate(place, 0);
    }
    __device__ __forceinline__ F y(uint32_t place) const
    {
        const F value = coordinate(place, 1);
        return place & MSM_NEGATIVE ? neg<1>(value) : value;
    }
};

FIELD_FN fp32 tidy(const fp32 &a) /* below 4 */
{
    return reduce<1>(reduce<2>(a));
}

FIELD_FN fp2_32 tidy(const fp2_32 &a) /* below 8 */
{
    return canonical(a);
}

template <class F> FIELD_FN bool is_plain(const F &x1, const F &x2)
{
    const uint32_t low1 = low_word(x1), low2 = low_word(x2);
    return low1 != 0 && low2 != 0 && low1 != low2; /* nearly always; if not, the rest decides */
}

enum tree_case { TREE_ADD, TREE_DOUBLE, TREE_CANCEL, TREE_FIRST_INFINITE, TREE_SECOND_INFINITE };

template <class F> FIELD_FN tree_case tree_decide(const F &x1, const F &y1, const F &x2, const F &y2)
{
    if (is_zero(x1))
        return TREE_FIRST_INFINITE;
    if (is_zero(x2))
        return TREE_SECOND_INFINITE;
    if (!same(x1, x2))
        return TREE_ADD;
    return same(y1, y2) ? TREE_DOUBLE : TREE_CANCEL;
}

/* What is divided by: below 2. */
template <class F> FIELD_FN F tree_divisor(tree_case what, const F &x1, const F &y1, const F &x2)
{
    F one;
    set_one(one);
    return what == TREE_ADD ? sub<1>(x2, x1) : what == TREE_DOUBLE ? add(y1, y1) : one;
}

/* The pairs of a thread, every threads-th, from one on; the places of the points of one of them. */
struct tree_pair {
    uint32_t row, first, second;
};

template <class F, bool gather>
FIELD_FN void tree_seek(tree_pair &pair, const tree_source<F, gather> &source, uint32_t p)
{
    while (p >= source.rows.pair[pair.row + 1])
        pair.row++;
    while (p < source.rows.pair[pair.row])
        pair.row--;
    pair.first = source.place(2 * pair.row, p - source.rows.pair[pair.row]);
    pair.second = source.place(2 * pair.row + 1, p - source.rows.pair[pair.row]);
}

template <class F, bool gather> FIELD_FN void run_forward(const struct msm_tree_args &a)
{
    __shared__ tree_rows rows;
    tree_begin(rows, a);
    const uint32_t id = blockIdx.x * TREE_BLOCK + threadIdx.x, half = tree_half(a);
    const uint32_t pairs = rows.pair[half], passes = rows.pass[half];
    const tree_source<F, gather> source = {a, rows};
    F product, x1, x2;
    set_one(product);
    /* While a pair is worked on, the next one's coordinates and the places of the one after are on their way. */
    tree_pair ahead = {0, 0, 0}, next;
    if (id < pairs) {
        tree_seek(ahead, source, id);
        x1 = source.x(ahead.first);
        x2 = source.x(ahead.second);
    }
    next = ahead;
    if (id + a.threads < pairs)
        tree_seek(ahead, source, id + a.threads);
    for (uint32_t p = id; p < pairs; p += a.threads) {
        const F x1_now = x1, x2_now = x2;
        const tree_pair now = next;
        next = ahead;
        if (p + a.threads < pairs) {
            x1 = source.x(next.first);
            x2 = source.x(next.second);
        }
        if (p + 2 * a.threads < pairs)
            tree_seek(ahead, source, p + 2 * a.threads);
        plane_write(a.before, a.before_stride, p, product);
        F divisor = sub<1>(x2_now, x1_now);
        if (!is_plain(x1_now, x2_now)) {
            const F y1 = source.y(now.first), y2 = source.y(now.second);
            divisor = tree_divisor(tree_decide(x1_now, y1, x2_now, y2), x1_now, y1, x2_now);
        }
        product = mul(divisor, product);
    }
    at<F>(a.totals)[id] = product;
    uint32_t j = 0;
    for (uint32_t p = id; p < passes; p += a.threads) {
        while (p >= rows.pass[j + 1])
            j++;
        const uint32_t task = p - rows.pass[j] + (rows.pair[j + 1] - rows.pair[j]);
        const uint32_t place = source.place(2 * j, task);
        const F x = source.x(place);
        F y = source.y(place);
        if (is_zero(x))
            set_zero(y);
        plane_write(a.out, a.out_stride, rows.out[j] + task, x);
        plane_write(plane_y<F>(a.out, a.out_stride), a.out_stride, rows.out[j] + task, y);
    }
}

/* Invert the totals, TREE_SHARE neighbours with one inversion. */
template <class F> FIELD_FN void run_invert(const struct msm_tree_args &a)
{
    const uint32_t first = (blockIdx.x * 32 + threadIdx.x) * TREE_SHARE;
    if (first >= a.threads)
        return;
    F *totals = at<F>(a.totals) + first, before[TREE_SHARE], product;
    const int count = min((uint32_t)TREE_SHARE, a.threads - first);
    set_one(product);
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        before[i] = product;
        product = mul(totals[i], product);
    }
    product = inverse(product);
#pragma unroll 1
    for (int i = count - 1; i >= 0; i--) {
        const F total = totals[i];
        totals[i] = mul(before[i], product);
        product = mul(total, product);
    }
}

/* A special pair's sum; canonical. */
template <class F>
FIELD_FN affine<F> tree_special(tree_case what, const affine<F> &first, const affine<F> &second)
{
    affine<F> out = what == TREE_FIRST_INFINITE ? second : first;
    if (what == TREE_CANCEL)
        set_zero(out.x);
    if (is_zero(out.x))
        set_zero(out.y);
    return out;
}

/* first + second with the divisor's inverse; what: an addition or a doubling. Canonical. */
template <class F>
FIELD_FN affine<F> tree_sum(tree_case what, const affine<F> &first, const affine<F> &second, const F &inverted)
{
    F rise = sub<1>(second.y, first.y);
    if (what == TREE_DOUBLE) {
        const F square = tidy(sqr(first.x));
        rise = tidy(add(add(square, square), square));
    }
    const F slope = settle(mul(rise, inverted));
    affine<F> out;
    out.x = tidy(sub<2>(sqr(slope), add(first.x, second.x)));
    out.y = tidy(sub<1>(mul(slope, sub<1>(first.x, out.x)), first.y));
    return out;
}

/* A pair and the product before it on their way into a thread's places of shared memory. */
template <class F> struct tree_flight {
    static constexpr int pieces = sizeof(F) / 16;
    uint4 *base; /* [5 coordinates][pieces][thread] */
};

/* near: pieces lie side by side, so the first of a sector brings the second into the near cache. */
template <class F, bool near>
FIELD_FN void tree_send(const tree_flight<F> &flight, int coordinate, uint64_t from, uint64_t stride,
                        uint64_t place)
{
    UNROLL
    for (int q = 0; q < flight.pieces; q++) {
        const uint32_t to = (uint32_t)__cvta_generic_to_shared(
            flight.base + (coordinate * flight.pieces + q) * TREE_BLOCK);
        const uint4 *piece = at<const uint4>(from) + q * stride + place;
        if (near)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(piece) : "memory");
        else
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(piece) : "memory");
    }
}

template <class F> FIELD_FN F tree_land(const tree_flight<F> &flight, int coordinate)
{
    union {
        uint4 piece[sizeof(F) / 16];
        F value;
    } out;
    UNROLL
    for (int q = 0; q < flight.pieces; q++)
        out.piece[q] = flight.base[(coordinate * flight.pieces + q) * TREE_BLOCK];
    return out.value;
}

template <class F, bool gather>
FIELD_FN void tree_send_pair(const tree_flight<F> &flight, const struct msm_tree_args &a, const tree_pair &pair,
                             uint32_t p)
{
    UNROLL
    for (int which = 0; which < 2; which++) {
        const uint32_t place = which ? pair.second : pair.first;
        if (gather) {
            const uint64_t from = a.points + (place & ~MSM_NEGATIVE) * (uint64_t)(2 * sizeof(F));
            tree_send<F, true>(flight, 2 * which, from, 1, 0);
            tree_send<F, true>(flight, 2 * which + 1, from + sizeof(F), 1, 0);
        } else {
            tree_send<F, false>(flight, 2 * which, a.in, a.in_stride, place);
            tree_send<F, false>(flight, 2 * which + 1, plane_y<F>(a.in, a.in_stride), a.in_stride, place);
        }
    }
    tree_send<F, false>(flight, 4, a.before, a.before_stride, p);
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <class F, bool gather>
FIELD_FN affine<F> tree_land_point(const tree_flight<F> &flight, int which, uint32_t place)
{
    affine<F> out = {tree_land(flight, 2 * which), tree_land(flight, 2 * which + 1)};
    if (gather && place & MSM_NEGATIVE)
        out.y = neg<1>(out.y);
    return out;
}

template <class F, bool gather> FIELD_FN void run_backward(const struct msm_tree_args &a)
{
    __shared__ tree_rows rows;
    extern __shared__ uint4 shared[];
    tree_begin(rows, a);
    const uint32_t id = blockIdx.x * TREE_BLOCK + threadIdx.x, half = tree_half(a);
    const uint32_t pairs = rows.pair[half];
    if (id >= pairs)
        return;
    const tree_source<F, gather> source = {a, rows};
    const tree_flight<F> flight = {shared + threadIdx.x};
    F inverted = at<const F>(a.totals)[id];
    uint32_t p = id + (pairs - 1 - id) / a.threads * a.threads;
    tree_pair next = {half - 1, 0, 0}, ahead;
    tree_seek(next, source, p);
    tree_send_pair<F, gather>(flight, a, next, p);
    ahead = next;
    if (p >= a.threads)
        tree_seek(ahead, source, p - a.threads);
    for (;; p -= a.threads) {
        const tree_pair now = next;
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        const affine<F> first = tree_land_point<F, gather>(flight, 0, now.first);
        const affine<F> second = tree_land_point<F, gather>(flight, 1, now.second);
        const F before = tree_land(flight, 4);
        next = ahead;
        if (p >= a.threads)
            tree_send_pair<F, gather>(flight, a, next, p - a.threads);
        if (p >= 2 * a.threads)
            tree_seek(ahead, source, p - 2 * a.threads);
        tree_case what = TREE_ADD;
        if (!is_plain(first.x, second.x))
            what = tree_decide(first.x, first.y, second.x, second.y);
        const F divisor = tree_divisor(what, first.x, first.y, second.x);
        affine<F> sum = tree_sum(what, first, second, mul(before, inverted));
        if (what >= TREE_CANCEL)
            sum = tree_special(what, first, second);
        inverted = mul(divisor, inverted);
        const uint32_t place = rows.out[now.row] + p - rows.pair[now.row];
        plane_write(a.out, a.out_stride, place, sum.x);
        plane_write(plane_y<F>(a.out, a.out_stride), a.out_stride, place, sum.y);
        if (p < a.threads)
            break;
    }
}

/* The few rows that are left, added up, to the tasks' buckets and places in the overflow. */
template <class F> FIELD_FN void run_store(const struct msm_tree_args &a)
{
    const uint32_t task = blockIdx.x * TREE_BLOCK + threadIdx.x;
    if (task >= at<const struct msm_counters>(a.counters)->tasks)
        return;
    const uint32_t target = at<const struct msm_task>(a.tasks)[task].target;
    xyzz<F> sum, *out = at<xyzz<F>>(a.buckets) + target;
    if (target & MSM_NEGATIVE) {
        out = at<xyzz<F>>(a.overflow) + (target & ~MSM_NEGATIVE);
        xyzz_set_infinity(sum);
    } else {
        sum = *out;
    }
    uint32_t place = task;
#pragma unroll 1
    for (uint32_t row = 0;; row++) {
        const uint32_t length = row_length(a, row << a.level);
        if (task >= length)
            break;
        const affine<F> point = {plane_read<F>(a.in, a.in_stride, place),
                                 plane_read<F>(plane_y<F>(a.in, a.in_stride), a.in_stride, place)};
        xyzz_add_affine(sum, point);
        place += length;
    }
    *out = sum;
}

/* The kernels of a group by name; blocks: how many of the heaviest run on a multiprocessor. */
#define KERNEL(name, threads, blocks, ...)                                                                   \
    extern "C" __global__ void __launch_bounds__(threads, blocks)                                            \
        name(const __grid_constant__ struct msm_tree_args a)                                                 \
    {                                                                                                        \
        __VA_ARGS__(a);                                                                                      \
    }
#define KERNELS(group, F, blocks)                                                                            \
    KERNEL(tree_##group##_gather_forward, TREE_BLOCK, blocks + 1, run_forward<F, true>)                      \
    KERNEL(tree_##group##_forward, TREE_BLOCK, blocks + 1, run_forward<F, false>)                            \
    KERNEL(tree_##group##_gather_backward, TREE_BLOCK, blocks, run_backward<F, true>)                        \
    KERNEL(tree_##group##_backward, TREE_BLOCK, blocks, run_backward<F, false>)                              \
    KERNEL(tree_##group##_invert, 32, 1, run_invert<F>)                                                      \
    KERNEL(tree_##group##_store, TREE_BLOCK, blocks, run_store<F>)

#endif
