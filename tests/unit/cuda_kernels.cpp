/* tests/unit/cuda_kernels.cpp - all kernels, compiled for the host from their sources.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "cuda_threads.h"

#include "cuda_kernels.h"

#ifdef __clang__
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmissing-variable-declarations"
#endif
#pragma GCC diagnostic ignored "-Wconversion" /* as nvcc has it */
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"

#include "backend/cuda/msm_sort.cu"
#undef BLOCK
#undef TILE
#include "backend/cuda/msm_g1.cu"
#include "backend/cuda/msm_g2.cu"
#undef KERNELS
#include "backend/cuda/points.cu"
#include "backend/cuda/tree_g1.cu"
#include "backend/cuda/tree_g2.cu"
#undef KERNELS
#undef KERNEL
#include "backend/cuda/fixed_g1.cu"
#include "backend/cuda/fixed_g2.cu"
#undef KERNELS
#include "backend/cuda/transform.cu"
#undef KERNEL
#include "backend/cuda/ntt.cu"
#include "backend/cuda/pick.cu"
#include "backend/cuda/rows.cu"

void cuda_copy_now(void *to, const void *from)
{
    *static_cast<uint4 *>(to) = *static_cast<const uint4 *>(from);
}

namespace
{

template <class A> void call(void (*kernel)(A), const void *arguments)
{
    kernel(*static_cast<const A *>(arguments));
}

struct kernel {
    const char *name;
    void (*run)(const void *arguments);
    bool used;
};

#define K(name)                                                                                              \
    {                                                                                                        \
#name, [](const void *arguments) { call(name, arguments); }, false                                   \
    }
#define K_GROUP(group)                                                                                       \
    K(fixed_##group##_sum), K(fixed_##group##_divide), K(msm_##group##_accumulate), K(msm_##group##_join),   \
        K(msm_##group##_collect), K(msm_##group##_halve), K(points_##group##_table),                         \
        K(tree_##group##_gather_forward), K(tree_##group##_forward), K(tree_##group##_gather_backward),      \
        K(tree_##group##_backward), K(tree_##group##_plain_forward), K(tree_##group##_plain_backward),       \
        K(tree_##group##_invert), K(tree_##group##_store)

kernel kernels[] = {
    K_GROUP(g1),
    K_GROUP(g2),
    K(msm_digits),
    K(msm_patterns),
    K(msm_count),
    K(msm_bins),
    K(msm_scatter),
    K(msm_place),
    K(msm_place_bins),
    K(msm_ones_count),
    K(msm_ones_place),
    K(msm_ones_cut),
    K(msm_lengths),
    K(msm_length_places),
    K(msm_tasks),
    K(tree_order),
    K(ntt_columns_down),
    K(ntt_columns_up),
    K(ntt_last_down),
    K(ntt_last_down_up),
    K(ntt_twist),
    K(pick_bits),
    K(pick_elements),
    K(rows_bind_bits),
    K(rows_evaluate),
    K(transform_points_load),
    K(transform_points_store),
    K(transform_points_stage),
    K(transform_points_twiddle),
};

} // namespace

bool cuda_kernel_run(const char *name, const uint32_t grid[3], uint32_t block_size, size_t shared,
                     const void *arguments)
{
    for (kernel &k : kernels)
        if (strcmp(k.name, name) == 0) {
            k.used = true;
            cuda_run(k.run, arguments, grid, block_size, shared);
            return true;
        }
    return false;
}

const char *cuda_kernel_unused(const char *prefix)
{
    for (const kernel &k : kernels)
        if (!k.used && strncmp(k.name, prefix, strlen(prefix)) == 0)
            return k.name;
    return nullptr;
}

void ntt_mul_on_host(uint32_t out[8], const uint32_t a[8], const struct ntt_factor *f)
{
    fr32 x;
    ntt_fixed fixed;
    memcpy(&x, a, sizeof x);
    memcpy(&fixed.plain, f->plain, sizeof fixed.plain);
    memcpy(&fixed.quotient, f->quotient, sizeof fixed.quotient);
    x = ntt_mul(x, fixed);
    memcpy(out, &x, sizeof x);
}

void ntt_fix_on_host(struct ntt_factor *out, const uint32_t x[8])
{
    fr32 v;
    memcpy(&v, x, sizeof v);
    const ntt_fixed fixed = ntt_fix(v);
    memcpy(out->plain, &fixed.plain, sizeof fixed.plain);
    memcpy(out->quotient, &fixed.quotient, sizeof fixed.quotient);
}
