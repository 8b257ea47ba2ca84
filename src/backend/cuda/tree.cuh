/* backend/cuda/tree.cuh - additions of many pairs of affine points: buckets added up as trees, all rows of a level
 * together; sums merged into buckets; buckets folded.
 *
 * An affine addition takes a division; a thread walks over its pairs multiplying the differences of x, all
 * threads' products are inverted together, and it walks back with the inverses (P. L. Montgomery's trick):
 * 5 products and a square an addition. Rows and plain pairs: see struct msm_tree_args. Points with x = 0 are
 * infinite: the others with that x are not in the subgroup. Doublings, opposite points and infinity are told
 * apart before the difference enters the product, which a zero would spoil for all.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_TREE_CUH
#define BACKEND_CUDA_TREE_CUH

#include "backend/cuda/msm_args.h"
#include "backend/cuda/sum.cuh"

#define TREE_BLOCK 128
#define TREE_ROWS  (MSM_MAX_LENGTH + 1)
#define TREE_SHARE 8 /* totals that a thread inverts together */

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

FIELD_FN uint32_t tree_half(const struct msm_tree_args &a)
{
    const uint32_t half = a.max_length >> a.level >> 1;
    return half ? half : 1;
}

FIELD_FN void tree_begin(tree_rows &r, const struct msm_tree_args &a)
{
    const uint32_t rows = a.max_length >> a.level, half = tree_half(a);
    tree_table<0>(r.in, a, rows);
    tree_table<1>(r.pair, a, half);
    tree_table<2>(r.out, a, half);
    tree_table<3>(r.pass, a, half);
    __syncthreads();
}

/* Where pairs come from: level 0 of a tree, gathered; its other levels, in memory by rows; plain ones. */
enum tree_kind { TREE_GATHERED, TREE_BY_ROWS, TREE_PLAIN };

/* The pairs of a thread, every threads-th, from one on; the places of the points of one of them. */
struct tree_pair {
    uint32_t row, first, second;
};

template <class F, tree_kind kind> struct tree_source {
    const struct msm_tree_args &a;
    const tree_rows &rows;

    __device__ __forceinline__ uint32_t pairs() const
    {
        return kind == TREE_PLAIN ? a.pairs : rows.pair[tree_half(a)];
    }
    __device__ __forceinline__ uint32_t place(uint32_t row, uint32_t task) const
    {
        const uint32_t at_row = rows.in[row] + task;
        return kind == TREE_GATHERED ? __ldcs(at<const uint32_t>(a.order) + at_row) : at_row;
    }
    __device__ __forceinline__ void seek(tree_pair &pair, uint32_t p) const
    {
        if constexpr (kind == TREE_PLAIN) {
            pair.first = p * a.step * a.in_unit;
            pair.second = (p * a.step + a.step - 1) * a.in_unit;
        } else {
            while (p >= rows.pair[pair.row + 1])
                pair.row++;
            while (p < rows.pair[pair.row])
                pair.row--;
            pair.first = place(2 * pair.row, p - rows.pair[pair.row]);
            pair.second = place(2 * pair.row + 1, p - rows.pair[pair.row]);
        }
    }
    __device__ __forceinline__ uint32_t out(const tree_pair &pair, uint32_t p) const
    {
        return kind == TREE_PLAIN ? (p < a.half ? p : p + a.half) * a.out_unit
                                  : rows.out[pair.row] + p - rows.pair[pair.row];
    }
    /* Where a coordinate of a point begins, to be read at place `index` with `stride`. */
    __device__ __forceinline__ uint64_t base(uint32_t place, int which, int coordinate) const
    {
        if (kind == TREE_GATHERED)
            return a.points + (place & ~MSM_NEGATIVE) * (uint64_t)(2 * sizeof(F)) + coordinate * sizeof(F);
        return (kind == TREE_PLAIN && which ? a.other : a.in) + coordinate * sizeof(F) * a.in_stride;
    }
    __device__ __forceinline__ uint64_t stride() const
    {
        return kind == TREE_GATHERED ? 1 : a.in_stride;
    }
    __device__ __forceinline__ uint32_t index(uint32_t place) const
    {
        return kind == TREE_GATHERED ? 0 : place;
    }
    /* which: the pair's first or second point */
    __device__ __forceinline__ F x(uint32_t place, int which) const
    {
        return plane_read<F>(base(place, which, 0), stride(), index(place));
    }
    __device__ __forceinline__ F y(uint32_t place, int which) const
    {
        return signed_y(place, plane_read<F>(base(place, which, 1), stride(), index(place)));
    }
    __device__ __forceinline__ F signed_y(uint32_t place, const F &y) const
    {
        return kind == TREE_GATHERED && place & MSM_NEGATIVE ? neg<1>(y) : y;
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

/* Coordinates on their way into a thread's places of shared memory: a block's take as many coordinates times
 * sizeof(F) times TREE_BLOCK bytes. */
template <class F> struct tree_flight {
    static constexpr int pieces = sizeof(F) / 16;
    uint4 *base; /* [coordinate][piece][thread], from the thread on */
};

/* near: pieces lie side by side, so the first of a sector brings the second into the near cache. */
template <class F, bool near>
FIELD_FN void tree_send(const tree_flight<F> &flight, int coordinate, uint64_t from, uint64_t stride,
                        uint64_t place)
{
    UNROLL
    for (int q = 0; q < flight.pieces; q++) {
        copy_send<near>(flight.base + (coordinate * flight.pieces + q) * TREE_BLOCK,
                        at<const uint4>(from) + q * stride + place);
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

/* Pairs ahead, so that their coordinates arrive while others are worked on. */
template <class F> constexpr uint32_t TREE_AHEAD = sizeof(F) == sizeof(fp32) ? 4 : 2;

template <class F, tree_kind kind>
FIELD_FN void tree_send_ahead(const tree_flight<F> &flight, const tree_source<F, kind> &source,
                              const tree_pair &pair, uint32_t turn)
{
    const uint32_t to = turn % TREE_AHEAD<F> * 2;
    tree_send<F, kind == TREE_GATHERED>(flight, to, source.base(pair.first, 0, 0), source.stride(),
                                        source.index(pair.first));
    tree_send<F, kind == TREE_GATHERED>(flight, to + 1, source.base(pair.second, 1, 0), source.stride(),
                                        source.index(pair.second));
}

/* The divisor of a pair for which its x do not decide. */
template <class F, tree_kind kind>
FIELD_FN F tree_special_divisor(const tree_source<F, kind> &source, uint32_t p)
{
    tree_pair pair = {0, 0, 0};
    source.seek(pair, p);
    const F x1 = source.x(pair.first, 0), x2 = source.x(pair.second, 1);
    const F y1 = source.y(pair.first, 0), y2 = source.y(pair.second, 1);
    return tree_divisor(tree_decide(x1, y1, x2, y2), x1, y1, x2);
}

template <class F, tree_kind kind> FIELD_FN void run_forward(const struct msm_tree_args &a)
{
    BLOCK_ARRAY(tree_rows, table, 1);
    BLOCK_ROOM(uint4, shared);
    tree_rows &rows = table[0];
    if (kind != TREE_PLAIN)
        tree_begin(rows, a);
    const tree_source<F, kind> source = {a, rows};
    const uint32_t id = blockIdx.x * TREE_BLOCK + threadIdx.x, pairs = source.pairs();
    const tree_flight<F> flight = {shared + threadIdx.x};
    F product;
    set_one(product);
    /* `next` is sent for in turn `sent`; its places were looked up a turn before. */
    tree_pair next = {0, 0, 0};
    uint32_t sent = 0, sending = id;
    if (id < pairs)
        source.seek(next, id);
    const auto send = [&] {
        if (sending < pairs)
            tree_send_ahead(flight, source, next, sent);
        copy_group();
        sent++;
        sending += a.threads;
        if (sending < pairs)
            source.seek(next, sending);
    };
    for (uint32_t i = 1; i < TREE_AHEAD<F>; i++)
        send();
    for (uint32_t p = id; p < pairs; p += a.threads) {
        const uint32_t from = (sent + 1) % TREE_AHEAD<F> * 2;
        send();
        copy_wait<TREE_AHEAD<F> - 1>();
        const F x1 = tree_land(flight, from), x2 = tree_land(flight, from + 1);
        plane_write(a.before, a.before_stride, p, product);
        F divisor = sub<1>(x2, x1);
        if (!is_plain(x1, x2))
            divisor = tree_special_divisor(source, p);
        product = mul(divisor, product);
    }
    at<F>(a.totals)[id] = product;
    if (kind == TREE_PLAIN)
        return;
    const uint32_t passes = rows.pass[tree_half(a)];
    uint32_t j = 0;
    for (uint32_t p = id; p < passes; p += a.threads) {
        while (p >= rows.pass[j + 1])
            j++;
        const uint32_t task = p - rows.pass[j] + (rows.pair[j + 1] - rows.pair[j]);
        const uint32_t place = source.place(2 * j, task);
        const F x = source.x(place, 0);
        F y = source.y(place, 0);
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

template <class F, tree_kind kind>
FIELD_FN void tree_send_pair(const tree_flight<F> &flight, const tree_source<F, kind> &source, const tree_pair &pair,
                             uint32_t p)
{
    UNROLL
    for (int i = 0; i < 4; i++) {
        const uint32_t place = i / 2 ? pair.second : pair.first;
        tree_send<F, kind == TREE_GATHERED>(flight, i, source.base(place, i / 2, i % 2), source.stride(),
                                            source.index(place));
    }
    tree_send<F, false>(flight, 4, source.a.before, source.a.before_stride, p);
    copy_group();
}

template <class F, tree_kind kind>
FIELD_FN affine<F> tree_land_point(const tree_flight<F> &flight, const tree_source<F, kind> &source, int which,
                                   uint32_t place)
{
    return {tree_land(flight, 2 * which), source.signed_y(place, tree_land(flight, 2 * which + 1))};
}

template <class F> FIELD_FN void tree_write(const struct msm_tree_args &a, uint32_t place, const affine<F> &point)
{
    plane_write(a.out, a.out_stride, place, point.x);
    plane_write(plane_y<F>(a.out, a.out_stride), a.out_stride, place, point.y);
}

template <class F, tree_kind kind> FIELD_FN void run_backward(const struct msm_tree_args &a)
{
    BLOCK_ARRAY(tree_rows, table, 1);
    BLOCK_ROOM(uint4, shared);
    tree_rows &rows = table[0];
    if (kind != TREE_PLAIN)
        tree_begin(rows, a);
    const tree_source<F, kind> source = {a, rows};
    const uint32_t id = blockIdx.x * TREE_BLOCK + threadIdx.x, pairs = source.pairs();
    if (id >= pairs)
        return;
    const tree_flight<F> flight = {shared + threadIdx.x};
    F inverted = at<const F>(a.totals)[id];
    uint32_t p = id + (pairs - 1 - id) / a.threads * a.threads;
    tree_pair next = {kind == TREE_PLAIN ? 0 : tree_half(a) - 1, 0, 0}, ahead;
    source.seek(next, p);
    tree_send_pair(flight, source, next, p);
    ahead = next;
    if (p >= a.threads)
        source.seek(ahead, p - a.threads);
    for (;; p -= a.threads) {
        const tree_pair now = next;
        copy_wait<0>();
        const affine<F> first = tree_land_point(flight, source, 0, now.first);
        const affine<F> second = tree_land_point(flight, source, 1, now.second);
        const F before = tree_land(flight, 4);
        next = ahead;
        if (p >= a.threads)
            tree_send_pair(flight, source, next, p - a.threads);
        if (p >= 2 * a.threads)
            source.seek(ahead, p - 2 * a.threads);
        tree_case what = TREE_ADD;
        if (!is_plain(first.x, second.x))
            what = tree_decide(first.x, first.y, second.x, second.y);
        const F divisor = tree_divisor(what, first.x, first.y, second.x);
        affine<F> sum = tree_sum(what, first, second, mul(before, inverted));
        if (what >= TREE_CANCEL)
            sum = tree_special(what, first, second);
        inverted = mul(divisor, inverted);
        if (kind == TREE_PLAIN && a.step == 2 && p < a.half)
            tree_write(a, (p + a.half) * a.out_unit, second);
        tree_write(a, source.out(now, p), sum);
        if (p < a.threads)
            break;
    }
}

/* The roots to the tasks' buckets and places in the overflow: through shared memory, so that the pieces of a
 * point are written together. */
template <class F> FIELD_FN void run_store(const struct msm_tree_args &a)
{
    constexpr uint32_t pieces = sizeof(affine<F>) / 16;
    BLOCK_ARRAY(uint4, roots, TREE_BLOCK * pieces);
    BLOCK_ARRAY(uint4 *, to, TREE_BLOCK);
    const uint32_t first = blockIdx.x * TREE_BLOCK, task = first + threadIdx.x;
    const uint32_t tasks = at<const struct msm_counters>(a.counters)->tasks;
    if (task < tasks) {
        const uint32_t target = at<const struct msm_task>(a.tasks)[task].target;
        xyzz<F> *piece = at<xyzz<F>>(a.overflow) + (target & ~MSM_NEGATIVE);
        const bool over = target & MSM_NEGATIVE;
        to[threadIdx.x] = over ? reinterpret_cast<uint4 *>(piece)
                               : reinterpret_cast<uint4 *>(at<affine<F>>(a.buckets) + target);
        UNROLL
        for (uint32_t q = 0; q < pieces; q++)
            roots[threadIdx.x * pieces + q] = __ldcs(at<const uint4>(a.in) + q * a.in_stride + task);
        if (over) {
            F z;
            set_one(z);
            if (is_zero(reinterpret_cast<const affine<F> *>(roots)[threadIdx.x].x))
                set_zero(z);
            piece->zz = piece->zzz = z;
        }
    }
    __syncthreads();
    UNROLL
    for (uint32_t i = threadIdx.x; i < TREE_BLOCK * pieces; i += TREE_BLOCK)
        if (first + i / pieces < tasks)
            to[i / pieces][i % pieces] = roots[i];
}

/* The kernels of a group by name; blocks: how many of the heaviest run on a multiprocessor. */
#define KERNEL(name, threads, blocks, ...)                                                                   \
    extern "C" __global__ void __launch_bounds__(threads, blocks)                                            \
        name(const __grid_constant__ struct msm_tree_args a)                                                 \
    {                                                                                                        \
        __VA_ARGS__(a);                                                                                      \
    }
#define KERNELS(group, F, blocks)                                                                            \
    KERNEL(tree_##group##_gather_forward, TREE_BLOCK, blocks + 1, run_forward<F, TREE_GATHERED>)                      \
    KERNEL(tree_##group##_forward, TREE_BLOCK, blocks + 1, run_forward<F, TREE_BY_ROWS>)                            \
    KERNEL(tree_##group##_gather_backward, TREE_BLOCK, blocks, run_backward<F, TREE_GATHERED>)                        \
    KERNEL(tree_##group##_backward, TREE_BLOCK, blocks, run_backward<F, TREE_BY_ROWS>)                              \
    KERNEL(tree_##group##_plain_forward, TREE_BLOCK, blocks + 1, run_forward<F, TREE_PLAIN>)                 \
    KERNEL(tree_##group##_plain_backward, TREE_BLOCK, blocks, run_backward<F, TREE_PLAIN>)                   \
    KERNEL(tree_##group##_invert, 32, 1, run_invert<F>)                                                      \
    KERNEL(tree_##group##_store, TREE_BLOCK, blocks, run_store<F>)

#endif
