/* backend/cuda/rows.c - launching the kernels that bind a witness and evaluate rows.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/rows.h"

#include "backend/cuda/device.h"
#include "backend/cuda/rows_plan.h"
#include "base/error.h"

struct gpu_rows {
    struct device *device;
    struct stream stream;
    struct cuda_rows plan; /* without its block */
    struct device_block tables, bits;
    struct rows_witness witness;
};

static void *at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

cuzk_status gpu_rows_new(struct gpu_rows **out, struct budget *budget, struct device *d, struct stream s,
                         const struct templates *t, struct cuzk_error *e)
{
    struct gpu_rows *r = mem_alloc(1, sizeof *r);
    if (!r)
        return error_memory(e, sizeof *r, "templates for a GPU");
    *r = (struct gpu_rows){.device = d, .stream = s};
    cuzk_status status = cuda_rows_new(&r->plan, budget, t, e);
    if (status == CUZK_OK)
        status = device_alloc(&r->tables, d, r->plan.bytes, 1, "templates", e);
    if (status == CUZK_OK)
        status = device_alloc(&r->bits, d, r->plan.bit_words, sizeof(uint32_t), "the rows' bits", e);
    if (status == CUZK_OK)
        status = device_upload(d, s, r->tables.ptr, r->plan.block.ptr, r->plan.bytes, e);
    block_free(&r->plan.block);
    if (status != CUZK_OK) {
        gpu_rows_free(r);
        return status;
    }
    *out = r;
    return CUZK_OK;
}

void gpu_rows_free(struct gpu_rows *r)
{
    if (!r)
        return;
    device_free(&r->tables);
    device_free(&r->bits);
    mem_free(r);
}

cuzk_status gpu_rows_bind(struct gpu_rows *r, const struct gpu_witness *w, struct cuzk_error *e)
{
    r->witness = (struct rows_witness){.bit = at(w->bit), .wide = at(w->wide), .input = at(w->input)};
    const struct launch launch = {
        .kernel = "rows_bind_bits", .grid = {r->plan.instances}, .block = ROWS_THREADS};
    const struct rows_bind_args args =
        cuda_rows_bind_args(&r->plan, at(r->tables.ptr), &r->witness, at(r->bits.ptr));
    return device_launch(r->device, r->stream, &launch, &args, e);
}

cuzk_status gpu_rows_fill(struct gpu_rows *r, unsigned side, uint64_t out, uint64_t count,
                          struct cuzk_error *e)
{
    const struct launch launch = {
        .kernel = "rows_evaluate", .grid = {cuda_rows_blocks(count)}, .block = ROWS_THREADS};
    const struct rows_args args =
        cuda_rows_args(&r->plan, at(r->tables.ptr), &r->witness, at(r->bits.ptr), side, at(out), count);
    return device_launch(r->device, r->stream, &launch, &args, e);
}
