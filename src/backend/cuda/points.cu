/* backend/cuda/points.cu - tables of points: out[i] = left[i % count] + right[i / count].
 *
 * Many different points from few, quickly: whose logarithms are known where those of the few are. Each thread
 * makes neighbours with one inversion (P. L. Montgomery's trick). No operand is infinite, no two added have
 * the same x.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/msm_kernels.cuh"

#define NEIGHBOURS 8

template <class F> FIELD_FN void run_table(const struct points_table_args &a)
{
    const uint64_t first = (blockIdx.x * (uint64_t)SUM_BLOCK + threadIdx.x) * NEIGHBOURS;
    const affine<F> *left = at<const affine<F>>(a.left), *right = at<const affine<F>>(a.right);
    if (first >= a.out_count)
        return;
    F before[NEIGHBOURS], product;
    set_one(product);
    for (int j = 0; j < NEIGHBOURS; j++) {
        const uint64_t i = first + j < a.out_count ? first + j : first;
        before[j] = product;
        product = mul(sub<1>(left[i % a.count].x, right[i / a.count].x), product);
    }
    F inverted = inverse(product);
    for (int j = NEIGHBOURS - 1; j >= 0; j--) {
        const uint64_t i = first + j < a.out_count ? first + j : first;
        const affine<F> p = left[i % a.count], q = right[i / a.count];
        const F slope = mul(mul(before[j], inverted), sub<1>(p.y, q.y));
        inverted = mul(sub<1>(p.x, q.x), inverted);
        const F x = canonical(sub<2>(sqr(settle(reduce<2>(slope))), add(p.x, q.x)));
        const F y = canonical(sub<1>(mul(reduce<2>(slope), sub<1>(q.x, x)), q.y));
        if (first + j < a.out_count)
            at<affine<F>>(a.out)[i] = {x, y};
    }
}

extern "C" __global__ void __launch_bounds__(SUM_BLOCK)
    points_g1_table(const __grid_constant__ struct points_table_args a)
{
    run_table<fp32>(a);
}

extern "C" __global__ void __launch_bounds__(SUM_BLOCK)
    points_g2_table(const __grid_constant__ struct points_table_args a)
{
    run_table<fp2_32>(a);
}
