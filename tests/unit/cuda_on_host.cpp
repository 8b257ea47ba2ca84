/* Kernels run on the host: each step of a block for all of its threads, one after the other.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <cstring>
#include <vector>

#include "backend/cuda/ntt_tile.cuh"
#include "backend/cuda/pick.cuh"
#include "backend/cuda/rows_value.cuh"
#include "backend/cuda/transform.cuh"
#include "cuda_on_host.h"

namespace
{

struct team {
    template <class Step> void each(Step step) const
    {
        for (uint32_t i = 0; i < NTT_TILE_THREADS; i++)
            step(i);
    }
    void barrier() const
    {
    }
};

} // namespace

void ntt_sweep_on_host(const struct cuda_ntt_sweep *sweep)
{
    std::vector<fr32_half> shared(sweep->shared / sizeof(fr32_half));
    const team all;
    for (uint32_t block = 0; block < sweep->blocks; block++)
        switch (sweep->kernel) {
        case CUDA_NTT_COLUMNS_DOWN:
            ntt_columns_tile<false>(sweep->pass, shared.data(), block, all);
            break;
        case CUDA_NTT_COLUMNS_UP:
            ntt_columns_tile<true>(sweep->pass, shared.data(), block, all);
            break;
        case CUDA_NTT_LAST_DOWN:
            ntt_last_tile<false>(sweep->pass, shared.data(), block, all);
            break;
        case CUDA_NTT_LAST_DOWN_UP:
            ntt_last_tile<true>(sweep->pass, shared.data(), block, all);
            break;
        default:
            for (uint32_t i = 0; i < 1u << NTT_TILE_LOG; i++)
                ntt_twist_place(sweep->pass, ((uint64_t)block << NTT_TILE_LOG) + i);
        }
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

void rows_bind_on_host(const struct rows_bind_args *args, uint32_t blocks)
{
    for (uint32_t block = 0; block < blocks; block++)
        for (uint32_t thread = 0; thread < ROWS_THREADS; thread++)
            rows_bind_instance(*args, block, thread, ROWS_THREADS);
}

void rows_evaluate_on_host(const struct rows_args *args, uint32_t blocks)
{
    for (uint32_t block = 0; block < blocks; block++)
        for (uint32_t thread = 0; thread < ROWS_THREADS; thread++)
            rows_chunk(*args, block, thread, ROWS_THREADS);
}

bool transform_on_host(const char *kernel, uint32_t blocks, const void *args)
{
    const char prefix[] = "transform_points_";
    if (strncmp(kernel, prefix, sizeof prefix - 1) != 0)
        return false;
    const char *name = kernel + sizeof prefix - 1;
    for (uint32_t thread = 0; thread < blocks * TRANSFORM_BLOCK; thread++)
        if (strcmp(name, "load") == 0)
            transform_load(*(const struct transform_points_args *)args, thread);
        else if (strcmp(name, "store") == 0)
            transform_store(*(const struct transform_points_args *)args, thread);
        else if (strcmp(name, "stage") == 0)
            transform_stage(*(const struct transform_stage_args *)args, thread);
        else if (strcmp(name, "twiddle") == 0)
            transform_twiddle(*(const struct transform_twiddle_args *)args, thread);
        else
            return false;
    return true;
}

static void pick_on_host(const struct pick_args *args, uint32_t blocks, bool elements)
{
    const uint32_t threads = elements ? args->count : args->count / 64 + (args->count % 64 != 0);
    for (uint32_t i = 0; i < threads && i < blocks * PICK_THREADS; i++)
        if (elements)
            pick_element(*args, i);
        else
            pick_bits_word(*args, i);
}

bool prover_on_host(const char *kernel, uint32_t blocks, uint32_t shared, const void *arguments)
{
    if (!strcmp(kernel, "rows_bind_bits")) {
        rows_bind_on_host((const struct rows_bind_args *)arguments, blocks);
        return true;
    }
    if (!strcmp(kernel, "rows_evaluate")) {
        rows_evaluate_on_host((const struct rows_args *)arguments, blocks);
        return true;
    }
    if (!strcmp(kernel, "pick_bits") || !strcmp(kernel, "pick_elements")) {
        pick_on_host((const struct pick_args *)arguments, blocks, !strcmp(kernel, "pick_elements"));
        return true;
    }
    for (int k = 0; k < CUDA_NTT_KERNELS; k++)
        if (!strcmp(kernel, cuda_ntt_kernel_name((enum cuda_ntt_kernel)k))) {
            const struct cuda_ntt_sweep sweep = {(enum cuda_ntt_kernel)k, blocks, shared,
                                                 *(const struct cuda_ntt_pass *)arguments};
            ntt_sweep_on_host(&sweep);
            return true;
        }
    return false;
}
