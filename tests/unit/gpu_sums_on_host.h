/* tests/unit/gpu_sums_on_host.h - the sums of backend/cuda/msm.h by the CPU, for the driver whose device is
 * the host (cuda_host_driver.h): their kernels take too long there, test_cuda_msm runs them. What is asked
 * for is done at once, with blocks of device memory as failures are injected into.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TESTS_GPU_SUMS_ON_HOST_H
#define TESTS_GPU_SUMS_ON_HOST_H

#include "backend/cuda/msm.h"
#include "base/error.h"
#include "base/memory.h"
#include "msm/msm.h"

extern struct exec sums_exec;

struct gpu_msm {
    struct device *device;
    struct stream stream;
    unsigned group, sums;
    struct device_block room;
    g1 first[GPU_SUMS_MOST];
    g2 second[GPU_SUMS_MOST];
};

static void sums_zero(struct gpu_msm *m)
{
    for (unsigned i = 0; i < GPU_SUMS_MOST; i++) {
        g1_set_infinity(&m->first[i]);
        g2_set_infinity(&m->second[i]);
    }
}

cuzk_status gpu_msm_new(struct gpu_msm **out, struct device *d, struct stream s, unsigned group,
                        unsigned sums, uint64_t count, uint64_t memory, struct cuzk_error *e)
{
    struct gpu_msm *m = mem_alloc(1, sizeof *m);
    (void)count, (void)memory;
    if (!m)
        return error_memory(e, sizeof *m, "a sum");
    *m = (struct gpu_msm){.device = d, .stream = s, .group = group, .sums = sums};
    const cuzk_status status = device_alloc(&m->room, d, 4096, 1, "a sum", e);
    sums_zero(m);
    if (status != CUZK_OK) {
        mem_free(m);
        return status;
    }
    *out = m;
    return CUZK_OK;
}

cuzk_status gpu_msm_new_masks(struct gpu_msm **out, struct device *d, struct stream s, unsigned group,
                              unsigned sums, uint64_t count, uint64_t memory, struct cuzk_error *e)
{
    return gpu_msm_new(out, d, s, group, sums, count, memory, e);
}

void gpu_msm_free(struct gpu_msm *m)
{
    if (m)
        device_free(&m->room);
    mem_free(m);
}

static cuzk_status sums_add(struct gpu_msm *m, unsigned i, uint64_t points, const fr *scalars,
                            const uint64_t *bits, size_t count, struct cuzk_error *e)
{
    const struct msm_points p = {.affine = (const void *)(uintptr_t)points, .count = count};
    const struct msm_scalars k = {.k = scalars, .count = count};
    cuzk_status status = device_fill(m->device, m->stream, m->room.ptr, 0, m->room.size, e);
    g1 a;
    g2 b;
    if (status == CUZK_OK && m->group == 1)
        status = scalars ? msm_g1(&sums_exec, &a, &p, &k, e) : msm_g1_select(&sums_exec, &a, &p, bits, e);
    else if (status == CUZK_OK)
        status = scalars ? msm_g2(&sums_exec, &b, &p, &k, e) : msm_g2_select(&sums_exec, &b, &p, bits, e);
    if (status == CUZK_OK && m->group == 1)
        g1_add(&m->first[i], &m->first[i], &a);
    else if (status == CUZK_OK)
        g2_add(&m->second[i], &m->second[i], &b);
    return status;
}

cuzk_status gpu_msm_add(struct gpu_msm *m, uint64_t points, const uint64_t *scalars, size_t count,
                        struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    for (unsigned i = 0; i < m->sums && status == CUZK_OK; i++)
        status = sums_add(m, i, points, (const fr *)(uintptr_t)scalars[i], NULL, count, e);
    return status;
}

cuzk_status gpu_msm_add_masks(struct gpu_msm *m, uint64_t points, const uint64_t *bits, size_t count,
                              struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    for (unsigned i = 0; i < m->sums && status == CUZK_OK; i++)
        status = sums_add(m, i, points, NULL, (const uint64_t *)(uintptr_t)bits[i], count, e);
    return status;
}

cuzk_status gpu_msm_finish(struct gpu_msm *m, void *out, struct cuzk_error *e)
{
    const cuzk_status status = device_wait(m->device, m->stream, e);
    if (status != CUZK_OK)
        return status;
    memcpy(out, m->group == 1 ? (void *)m->first : (void *)m->second,
           m->sums * (m->group == 1 ? sizeof(g1) : sizeof(g2)));
    sums_zero(m);
    return CUZK_OK;
}

#endif
