/* backend/cuda/ntt.c - launching a transform's sweeps.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/ntt.h"

#include "backend/cuda/device.h"
#include "backend/cuda/ntt_plan.h"
#include "base/error.h"

struct gpu_ntt {
    struct device *device;
    struct stream stream;
    struct cuda_ntt_tables tables; /* without its block */
    struct device_block block;     /* that one's copy */
    struct device_block twists[2]; /* down, up; none: made each time */
};

static void *at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static cuzk_status run(struct gpu_ntt *n, const struct cuda_ntt_sweep *sweep, unsigned count,
                       struct cuzk_error *e)
{
    for (unsigned i = 0; i < count; i++) {
        const struct launch launch = {.kernel = cuda_ntt_kernel_name(sweep[i].kernel),
                                      .grid = {sweep[i].blocks},
                                      .block = NTT_TILE_THREADS,
                                      .shared = sweep[i].shared};
        const cuzk_status status = device_launch(n->device, n->stream, &launch, &sweep[i].pass, e);
        if (status != CUZK_OK)
            return status;
    }
    return CUZK_OK;
}

static cuzk_status make_twists(struct gpu_ntt *n, struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    for (int up = 0; up < 2 && status == CUZK_OK; up++) {
        struct cuda_ntt_sweep sweep;
        status = device_alloc(&n->twists[up], n->device, UINT64_C(1) << n->tables.log, GPU_NTT_TWISTS / 2,
                              "a transform's twists", e);
        cuda_ntt_twist(&sweep, &n->tables, at(n->block.ptr), at(n->twists[up].ptr), up);
        if (status == CUZK_OK)
            status = run(n, &sweep, 1, e);
    }
    return status;
}

cuzk_status gpu_ntt_new(struct gpu_ntt **out, struct budget *budget, struct device *d, struct stream s,
                        unsigned log, bool twists, struct cuzk_error *e)
{
    struct gpu_ntt *n = mem_alloc(1, sizeof *n);
    if (!n)
        return error_memory(e, sizeof *n, "transform tables");
    *n = (struct gpu_ntt){.device = d, .stream = s};
    cuzk_status status = cuda_ntt_tables_new(&n->tables, budget, log, e);
    if (status == CUZK_OK)
        status = device_alloc(&n->block, d, n->tables.bytes, 1, "transform tables", e);
    if (status == CUZK_OK)
        status = device_upload(d, s, n->block.ptr, n->tables.block.ptr, n->tables.bytes, e);
    block_free(&n->tables.block);
    if (status == CUZK_OK && twists && cuda_ntt_twisted(&n->tables))
        status = make_twists(n, e);
    if (status != CUZK_OK) {
        gpu_ntt_free(n);
        return status;
    }
    *out = n;
    return CUZK_OK;
}

void gpu_ntt_free(struct gpu_ntt *n)
{
    if (!n)
        return;
    device_free(&n->block);
    for (int up = 0; up < 2; up++)
        device_free(&n->twists[up]);
    mem_free(n);
}

cuzk_status gpu_ntt_forward(struct gpu_ntt *n, uint64_t out, uint64_t a, struct cuzk_error *e)
{
    struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS];
    return run(n, sweep, cuda_ntt_forward(sweep, &n->tables, at(n->block.ptr), at(out), at(a)), e);
}

cuzk_status gpu_ntt_inverse(struct gpu_ntt *n, uint64_t out, uint64_t a, struct cuzk_error *e)
{
    struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS];
    return run(n, sweep, cuda_ntt_inverse(sweep, &n->tables, at(n->block.ptr), at(out), at(a)), e);
}

cuzk_status gpu_ntt_extend(struct gpu_ntt *n, uint64_t a, uint64_t factor, struct cuzk_error *e)
{
    struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS];
    const struct cuda_ntt_twists twists = {at(n->twists[0].ptr), at(n->twists[1].ptr)};
    const unsigned count =
        cuda_ntt_extend(sweep, &n->tables, at(n->block.ptr), twists.down ? &twists : NULL, at(a), at(factor));
    return run(n, sweep, count, e);
}
