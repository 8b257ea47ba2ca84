/* backend/cuda/transform.cuh - transforms of points of G1: products by roots of unity, butterflies; for kernels
 * and, from the same source, for the host.
 *
 * What costs is multiplying points by roots: 13 to 14 times each point in a transform of 2^27. A thread takes
 * one product. The scalar is cut in two halves by the endomorphism; a table of odd multiples (or of all, below)
 * is made over one common Z by co-Z additions, so that all its points count as affine; the sum is Jacobian.
 * In products of Fp, a square being 0.77 and a sum of two products 1.5:
 *     127 doublings of 3 S + 2 M + 1.5          739
 *     42 additions of 3 S + 6 M + 1.5, half of them with a product for the endomorphism   431
 *     the table of 8                             90
 *     both sums of the butterfly                 18
 * 1280 in all, or 54 ms for 2^20 of them at 25 G products a second. No inversion is shared between threads, and
 * the threads of a warp have the same root, since lanes lie side by side: none waits for another. Affine
 * additions with shared inversions would save 180 of these products, but each wants its operands from memory.
 * In the twiddles between the passes each point has its own scalar, so windows of fixed places are used.
 *
 * Of points of order r a partial sum is never plus or minus the multiple that is added to it: the two parts of
 * its scalar stay below (u^2 - 1), which is the least any two representations differ by, and their parities
 * (with windows: multiples of 32, and not above 16) differ. So additions need no test; an infinite point has Z =
 * 0, which stays so through all products.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_TRANSFORM_CUH
#define BACKEND_CUDA_TRANSFORM_CUH

#include "backend/cuda/block.cuh"
#include "backend/cuda/jacobian.cuh"
#include "backend/cuda/transform_args.h"

#ifdef __CUDACC__
#define TRANSFORM_FN __device__ __forceinline__ /* of a struct */
#define ROLLED       _Pragma("unroll 1")
#else
#define TRANSFORM_FN
#define ROLLED
#endif

/* -- points by pieces -- */

struct alignas(16) transform_piece {
    uint32_t w[4];
};

FIELD_FN fp32 piece_read(uint64_t base, uint64_t stride, uint32_t coordinate, uint64_t i)
{
    const transform_piece *from = at<const transform_piece>(base) + 3 * coordinate * stride + i;
    fp32 out;
    UNROLL
    for (uint32_t q = 0; q < 3; q++) {
        const transform_piece piece = from[q * stride];
    UNROLL
        for (uint32_t w = 0; w < 4; w++)
            out.w[4 * q + w] = piece.w[w];
    }
    return out;
}

FIELD_FN void piece_write(uint64_t base, uint64_t stride, uint32_t coordinate, uint64_t i, const fp32 &x)
{
    transform_piece *to = at<transform_piece>(base) + 3 * coordinate * stride + i;
    UNROLL
    for (uint32_t q = 0; q < 3; q++)
        to[q * stride] = {{x.w[4 * q], x.w[4 * q + 1], x.w[4 * q + 2], x.w[4 * q + 3]}};
}

FIELD_FN jacobian work_read(uint64_t work, uint64_t stride, uint64_t i)
{
    return {piece_read(work, stride, 0, i), piece_read(work, stride, 1, i), piece_read(work, stride, 2, i)};
}

FIELD_FN void work_write(uint64_t work, uint64_t stride, uint64_t i, const jacobian &p)
{
    piece_write(work, stride, 0, i, p.x);
    piece_write(work, stride, 1, i, p.y);
    piece_write(work, stride, 2, i, p.z);
}

/* -- digits -- */

/* The root's digits, for a table of odd multiples. */
struct shared_digits {
    static constexpr int entries = TRANSFORM_ODD, step = 2, doublings = 1;
    const struct transform_root *root;

    TRANSFORM_FN int places() const
    {
        return root->count;
    }
    TRANSFORM_FN int digit(int place, int half) const
    {
        return root->digit[place][half];
    }
};

/* The digits of windows, for a table of all multiples. */
struct own_digits {
    static constexpr int entries = TRANSFORM_ALL, step = 1, doublings = TRANSFORM_WINDOW;
    const int8_t *digits;
    uint64_t stride;

    TRANSFORM_FN int places() const
    {
        return TRANSFORM_WINDOWS;
    }
    TRANSFORM_FN int digit(int place, int half) const
    {
        return digits[(uint32_t)(half * TRANSFORM_WINDOWS + place) * stride];
    }
};

/* -- products -- */

/* A thread's table: entry k has x, y, and, while it is made, the ratio of Z between it and the next one. */
struct multiples {
    uint64_t base, threads;
    uint32_t thread;

    TRANSFORM_FN leveled read(uint32_t k) const
    {
        return {piece_read(base, threads, 3 * k, thread), piece_read(base, threads, 3 * k + 1, thread)};
    }
    TRANSFORM_FN void write(uint32_t k, const leveled &p) const
    {
        piece_write(base, threads, 3 * k, thread, p.x);
        piece_write(base, threads, 3 * k + 1, thread, p.y);
    }
};

/* Multiples (1 + step k) (x, y), all over the Z that is returned, that of (x, y) being 1. */
template <class Digits> FIELD_FN fp32 table_make(const multiples &table, const fp32 &x, const fp32 &y)
{
    leveled first = {x, y}, sum;
    const fp32 z = leveled_double(sum, first);
    leveled added = Digits::step == 1 ? first : sum, last = Digits::step == 1 ? sum : first;
    table.write(0, first);
    if (Digits::step == 1) {
        table.write(1, sum);
        piece_write(table.base, table.threads, 2, table.thread, fp32_one());
    }
    ROLLED
    for (uint32_t k = Digits::step == 1 ? 1 : 0; k + 1 < Digits::entries; k++) {
        const fp32 ratio = leveled_add(sum, added, last);
        piece_write(table.base, table.threads, 3 * k + 2, table.thread, ratio);
        table.write(k + 1, sum);
        last = sum;
    }
    fp32 factor = fp32_one();
    ROLLED
    for (uint32_t k = Digits::entries - 1; k-- > 0;) {
        leveled p = table.read(k);
        factor = fp32_mul(piece_read(table.base, table.threads, 3 * k + 2, table.thread), factor); /* 1.82 */
        leveled_raise(p, factor);
        table.write(k, p);
    }
    return fp32_mul(z, factor); /* 1.82 */
}

/* A cube root of 1: (beta x, -y) is [u^2] (x, y) (curve/group_inline.h). */
FIELD_FN fp32 transform_beta()
{
    return {{0x798a64e8, 0x30f1361b, 0x7ece5a2a, 0xf3b8ddab, 0xc61577f7, 0x16a8ca3a, 0x74fd029b, 0xc26a2ff8,
             0x60701c6e, 0x3636b766, 0x241b6160, 0x051ba4ab}};
}

/* p = the digits' scalar times p. */
template <class Digits>
FIELD_FN void transform_multiply(jacobian &p, const Digits &digits, const multiples &table)
{
    const fp32 z = fp32_mul(table_make<Digits>(table, p.x, p.y), p.z);
    bool empty = true;
    jacobian_set_infinity(p);
    ROLLED
    for (int place = digits.places() - 1; place >= 0; place--) {
        ROLLED
        for (int i = 0; i < Digits::doublings && !empty; i++)
            jacobian_double(p);
        ROLLED
        for (int half = 0; half < 2; half++) {
            const int digit = digits.digit(place, half);
            if (digit == 0)
                continue;
            leveled b = table.read((uint32_t)((digit < 0 ? -digit : digit) - 1) / Digits::step);
            if (half == 1)
                b.x = fp32_mul(b.x, transform_beta());
            if ((digit < 0) != (half == 1))
                b.y = fp32_neg<2>(b.y);
            if (empty)
                p = {b.x, b.y, fp32_one()};
            else
                jacobian_add_affine(p, b.x, b.y);
            empty = false;
        }
    }
    p.z = fp32_mul(p.z, z);
}

/* -- what a thread does -- */

FIELD_FN void transform_load(const struct transform_points_args &a, uint32_t i)
{
    if (i >= a.count)
        return;
    const affine<fp32> *in = at<const affine<fp32>>(a.affine);
    jacobian p = {in[i].x, in[i].y, fp32_one()};
    if (affine_is_infinity(in[i]))
        p.z = fp32_zero();
    work_write(a.work, a.stride, i, p);
}

/* Every groups-th point, TRANSFORM_SHARE in all. */
FIELD_FN void transform_store(const struct transform_points_args &a, uint32_t group)
{
    const uint32_t groups = (a.count + TRANSFORM_SHARE - 1) / TRANSFORM_SHARE;
    fp32 before[TRANSFORM_SHARE], product = fp32_one();
    affine<fp32> *out = at<affine<fp32>>(a.affine);
    uint32_t n = 0;
    if (group >= groups)
        return;
    ROLLED
    for (uint64_t i = group; i < a.count; i += groups) {
        const fp32 z = piece_read(a.work, a.stride, 2, i);
        before[n++] = product;
        if (!fp32_is_zero(z))
            product = fp32_mul(z, product);
    }
    fp32 inverse = fp32_inv(product);
    ROLLED
    while (n-- > 0) {
        const uint64_t i = group + (uint64_t)n * groups;
        const jacobian p = work_read(a.work, a.stride, i);
        if (fp32_is_zero(p.z)) {
            out[i] = {fp32_zero(), fp32_zero()};
            continue;
        }
        const fp32 own = fp32_mul(before[n], inverse), square = fp32_sqr(own);
        inverse = fp32_mul(p.z, inverse);
        out[i] = {fp32_canonical(fp32_mul(p.x, square)),
                  fp32_canonical(fp32_mul(p.y, fp32_mul(own, square)))};
    }
}

FIELD_FN void transform_stage(const struct transform_stage_args &a, uint32_t thread)
{
    ROLLED
    for (uint32_t i = a.first + thread; i < a.end; i += a.threads) {
        const uint32_t lane = i % a.lanes, number = i / a.lanes, j = number / a.blocks;
        const uint64_t first = (uint64_t)(2 * a.half * (number % a.blocks) + j) * a.lanes + lane;
        const uint64_t second = first + (uint64_t)a.half * a.lanes;
        jacobian t = work_read(a.work, a.stride, second);
        if (!a.ones) {
            const shared_digits digits = {at<const struct transform_root>(a.roots) + j};
            transform_multiply(t, digits, {a.tables, a.threads, thread});
        }
        jacobian left = work_read(a.work, a.stride, first), right;
        jacobian_butterfly(left, right, t);
        work_write(a.work, a.stride, first, left);
        work_write(a.work, a.stride, second, right);
    }
}

FIELD_FN void transform_twiddle(const struct transform_twiddle_args &a, uint32_t thread)
{
    ROLLED
    for (uint32_t i = thread; i < a.count; i += a.threads) {
        jacobian p = work_read(a.work, a.stride, i);
        const own_digits digits = {at<const int8_t>(a.digits) + i, a.stride};
        transform_multiply(p, digits, {a.tables, a.threads, thread});
        work_write(a.work, a.stride, i, p);
    }
}

#undef ROLLED
#undef TRANSFORM_FN

#endif
