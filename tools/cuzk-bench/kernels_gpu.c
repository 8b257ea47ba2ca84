/* cuzk-bench/kernels_gpu.c - sums and transforms on a GPU. Data is on the device when the clock starts.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/device.h"
#include "backend/cuda/msm.h"
#include "backend/cuda/msm_args.h"
#include "backend/cuda/ntt.h"
#include "base/error.h"
#include "curve/fixed_base.h"
#include "cuzk-bench/kernels.h"

#define LEFT  ((size_t)1 << 14) /* point i is left[i % LEFT] + right[i / LEFT] */
#define RIGHT ((size_t)1 << 13)

struct gpu {
    struct kernels *k;
    struct driver *driver;
    struct device *device;
    struct stream stream;
};

static cuzk_status gpu_open(struct gpu *g, struct kernels *k)
{
    *g = (struct gpu){.k = k};
    const char *number = strchr(k->o->device, ':');
    const unsigned index = number ? (unsigned)strtoul(number + 1, NULL, 10) : 0;
    cuzk_status status = driver_open(&g->driver, &k->e);
    if (status == CUZK_OK)
        status = device_open(&g->device, g->driver, index, k->o->device_memory, &k->e);
    if (status == CUZK_OK)
        status = device_stream(&g->stream, g->device, &k->e);
    if (status == CUZK_OK)
        snprintf(k->device, sizeof k->device, "%s", device_info(g->device)->name);
    return status;
}

static void gpu_close(struct gpu *g)
{
    if (g->device)
        g->k->device_peak = device_memory_peak(g->device);
    device_close(g->device);
    driver_close(g->driver);
}

static cuzk_status upload(struct gpu *g, const struct device_block *to, const void *from, size_t size)
{
    const cuzk_status status = device_upload(g->device, g->stream, to->ptr, from, size, &g->k->e);
    return status == CUZK_OK ? device_wait(g->device, g->stream, &g->k->e) : status;
}

/* ---- sums ---- */

struct gpu_sum {
    struct gpu *gpu;
    unsigned group;
    size_t n;
    fr *left, *right, *scalars;
    uint32_t *bits;
    struct device_block points, scalars_on, bits_on;
    struct gpu_msm *msm;
    union {
        g1 g1;
        g2 g2;
    } out;
};

/* The multiples of the generator by logs, on the device. */
static cuzk_status make_few(struct gpu_sum *s, struct device_block *out, const fr *logs, size_t n)
{
    struct kernels *k = s->gpu->k;
    const size_t size = s->group == 1 ? sizeof(g1_affine) : sizeof(g2_affine);
    struct block few = {0};
    struct g1_fixed *in_g1 = NULL;
    struct g2_fixed *in_g2 = NULL;
    cuzk_status status = block_new(&few, k->x.budget, n, size, "points", &k->e);
    if (status == CUZK_OK)
        status = device_alloc(out, s->gpu->device, n, size, "points", &k->e);
    if (status == CUZK_OK)
        status = s->group == 1 ? g1_fixed_new(&k->x, &in_g1, &G1_GENERATOR, n, &k->e)
                               : g2_fixed_new(&k->x, &in_g2, &G2_GENERATOR, n, &k->e);
    if (status == CUZK_OK)
        status = s->group == 1 ? g1_fixed_mul(&k->x, in_g1, few.ptr, logs, n, &k->e)
                               : g2_fixed_mul(&k->x, in_g2, few.ptr, logs, n, &k->e);
    if (status == CUZK_OK)
        status = upload(s->gpu, out, few.ptr, n * size);
    g1_fixed_free(in_g1);
    g2_fixed_free(in_g2);
    block_free(&few);
    return status;
}

static cuzk_status make_points(struct gpu_sum *s, size_t n)
{
    struct device_block left = {0}, right = {0};
    struct device *d = s->gpu->device;
    struct cuzk_error *e = &s->gpu->k->e;
    const size_t size = s->group == 1 ? sizeof(g1_affine) : sizeof(g2_affine);
    cuzk_status status = make_few(s, &left, s->left, LEFT);
    if (status == CUZK_OK)
        status = make_few(s, &right, s->right, RIGHT);
    if (status == CUZK_OK)
        status = device_alloc(&s->points, d, n, size, "points", e);
    if (status == CUZK_OK) {
        const struct points_table_args a = {
            .left = left.ptr, .right = right.ptr, .out = s->points.ptr, .out_count = n, .count = LEFT};
        const struct launch launch = {.kernel = s->group == 1 ? "points_g1_table" : "points_g2_table",
                                      .grid = {(uint32_t)((n + 511) / 512)},
                                      .block = 64};
        status = device_launch(d, s->gpu->stream, &launch, &a, e);
    }
    if (status == CUZK_OK)
        status = device_wait(d, s->gpu->stream, e);
    device_free(&left);
    device_free(&right);
    return status;
}

/* The sum's logarithm: each of the few points' weight, times its own. */
static cuzk_status check(struct gpu_sum *s)
{
    struct kernels *k = s->gpu->k;
    fr sum = FR_ZERO, term;
    fr *by_left = calloc(LEFT, sizeof *by_left), *by_right = calloc(RIGHT, sizeof *by_right);
    cuzk_status status = CUZK_ERR_MEMORY;
    if (by_left && by_right) {
        for (size_t i = 0; i < s->n; i++) {
            fr_add(&by_left[i % LEFT], &by_left[i % LEFT], &s->scalars[i]);
            fr_add(&by_right[i / LEFT], &by_right[i / LEFT], &s->scalars[i]);
        }
        for (size_t i = 0; i < LEFT; i++) {
            fr_mul(&term, &by_left[i], &s->left[i]);
            fr_add(&sum, &sum, &term);
        }
        for (size_t i = 0; i < RIGHT; i++) {
            fr_mul(&term, &by_right[i], &s->right[i]);
            fr_add(&sum, &sum, &term);
        }
        status = kernels_check(k, s->group, &s->out, &sum, &k->e);
    } else {
        error_set(&k->e, status, "out of memory");
    }
    free(by_left);
    free(by_right);
    return status;
}

static cuzk_status run_scalars(void *ctx)
{
    struct gpu_sum *s = ctx;
    struct cuzk_error *e = &s->gpu->k->e;
    const cuzk_status status = gpu_msm_add(s->msm, s->points.ptr, &s->scalars_on.ptr, s->n, e);
    return status == CUZK_OK ? gpu_msm_finish(s->msm, &s->out, e) : status;
}

static cuzk_status run_bits(void *ctx)
{
    struct gpu_sum *s = ctx;
    struct cuzk_error *e = &s->gpu->k->e;
    const cuzk_status status = gpu_msm_add_masks(s->msm, s->points.ptr, &s->bits_on.ptr, s->n, e);
    return status == CUZK_OK ? gpu_msm_finish(s->msm, &s->out, e) : status;
}

static cuzk_status measure_sum(struct gpu_sum *s, const char *kind)
{
    struct kernels *k = s->gpu->k;
    char name[32];
    const bool bits = !strcmp(kind, "bits");
    kernels_scalars(s->scalars, s->n, strcmp(kind, "uniform") != 0, 3);
    memset(s->bits, 0, (s->n + 31) / 32 * 4);
    for (size_t i = 0; bits && i < s->n; i++) {
        const bool set = s->scalars[i].l[0] != 0;
        s->bits[i / 32] |= (uint32_t)set << i % 32;
        s->scalars[i] = set ? FR_ONE : FR_ZERO;
    }
    cuzk_status status = bits ? upload(s->gpu, &s->bits_on, s->bits, (s->n + 31) / 32 * 4)
                              : upload(s->gpu, &s->scalars_on, s->scalars, s->n * sizeof(fr));
    if (status == CUZK_OK)
        status = (bits ? gpu_msm_new_masks : gpu_msm_new)(&s->msm, s->gpu->device, s->gpu->stream, s->group,
                                                          1, s->n, 0, &k->e);
    snprintf(name, sizeof name, "g%u %s", s->group, kind);
    if (status == CUZK_OK)
        status = kernels_measure(k, name, s->n, bits ? run_bits : run_scalars, s);
    gpu_msm_free(s->msm);
    s->msm = NULL;
    return status == CUZK_OK ? check(s) : status;
}

static cuzk_status measure_group(struct gpu_sum *s, unsigned max_log)
{
    static const char *const kinds[] = {"uniform", "witness", "bits"};
    struct kernels *k = s->gpu->k;
    cuzk_status status = make_points(s, (size_t)1 << max_log);
    for (unsigned log = k->min_log; status == CUZK_OK && log <= max_log;
         log = log + 2 > max_log && log < max_log ? max_log : log + 2) {
        s->n = (size_t)1 << log;
        for (size_t i = 0; status == CUZK_OK && i < ARRAY_LEN(kinds); i++)
            if (kernels_scalars_wanted(k, kinds[i]))
                status = measure_sum(s, kinds[i]);
    }
    device_free(&s->points);
    return status;
}

static cuzk_status sums(struct gpu_sum *s, size_t n)
{
    struct kernels *k = s->gpu->k;
    s->left = calloc(LEFT, sizeof(fr));
    s->right = calloc(RIGHT, sizeof(fr));
    s->scalars = calloc(n, sizeof(fr));
    s->bits = calloc(n / 32 + 1, 4);
    if (!s->left || !s->right || !s->scalars || !s->bits)
        return error_set(&k->e, CUZK_ERR_MEMORY, "out of memory");
    kernels_scalars(s->left, LEFT, false, 1);
    kernels_scalars(s->right, RIGHT, false, 2);
    cuzk_status status = device_alloc(&s->scalars_on, s->gpu->device, n, sizeof(fr), "scalars", &k->e);
    if (status == CUZK_OK)
        status = device_alloc(&s->bits_on, s->gpu->device, n / 32 + 1, 4, "bits", &k->e);
    for (s->group = 1; status == CUZK_OK && s->group <= 2; s->group++)
        if (kernels_group_wanted(k, s->group))
            status = measure_group(s, s->group == 2 && k->max_log > 26 ? 26 : k->max_log);
    return status;
}

cuzk_status kernels_gpu_msm(struct kernels *k)
{
    struct gpu g;
    struct gpu_sum s = {.gpu = &g};
    cuzk_status status = gpu_open(&g, k);
    if (status == CUZK_OK)
        status = sums(&s, (size_t)1 << k->max_log);
    device_free(&s.scalars_on);
    device_free(&s.bits_on);
    free(s.left);
    free(s.right);
    free(s.scalars);
    free(s.bits);
    gpu_close(&g);
    return status;
}

/* ---- transforms ---- */

struct gpu_transform {
    struct gpu *gpu;
    struct gpu_ntt *ntt;
    struct device_block a, b;
    cuzk_status (*run)(struct gpu_ntt *n, uint64_t to, uint64_t from, struct cuzk_error *e);
};

static cuzk_status run_transform(void *ctx)
{
    struct gpu_transform *t = ctx;
    struct cuzk_error *e = &t->gpu->k->e;
    const cuzk_status status = t->run(t->ntt, t->a.ptr, t->b.ptr, e);
    return status == CUZK_OK ? device_wait(t->gpu->device, t->gpu->stream, e) : status;
}

static cuzk_status measure_transforms(struct gpu_transform *t, unsigned log, const fr *values)
{
    static const struct {
        const char *name;
        cuzk_status (*run)(struct gpu_ntt *n, uint64_t to, uint64_t from, struct cuzk_error *e);
    } transforms[] = {{"forward", gpu_ntt_forward}, {"inverse", gpu_ntt_inverse}, {"extend", gpu_ntt_extend}};
    struct gpu *g = t->gpu;
    struct kernels *k = g->k;
    cuzk_status status = gpu_ntt_new(&t->ntt, k->x.budget, g->device, g->stream, log, true, &k->e);
    for (size_t i = 0; status == CUZK_OK && i < ARRAY_LEN(transforms); i++) {
        t->run = transforms[i].run;
        status = upload(g, &t->a, values, sizeof(fr) << log);
        if (status == CUZK_OK)
            status = upload(g, &t->b, values, sizeof(fr) << log);
        if (status == CUZK_OK)
            status = kernels_measure(k, transforms[i].name, UINT64_C(1) << log, run_transform, t);
    }
    gpu_ntt_free(t->ntt);
    t->ntt = NULL;
    return status;
}

cuzk_status kernels_gpu_ntt(struct kernels *k)
{
    struct gpu g;
    struct gpu_transform t = {.gpu = &g};
    struct block values = {0};
    const size_t n = (size_t)1 << k->max_log;
    cuzk_status status = gpu_open(&g, k);
    if (status == CUZK_OK)
        status = block_new(&values, k->x.budget, n, sizeof(fr), "values", &k->e);
    if (status == CUZK_OK)
        status = device_alloc(&t.a, g.device, n, sizeof(fr), "values", &k->e);
    if (status == CUZK_OK)
        status = device_alloc(&t.b, g.device, n, sizeof(fr), "values", &k->e);
    if (status == CUZK_OK)
        kernels_scalars(values.ptr, n, false, 1);
    for (unsigned log = k->min_log; status == CUZK_OK && log <= k->max_log;
         log = log + 2 > k->max_log && log < k->max_log ? k->max_log : log + 2)
        status = measure_transforms(&t, log, values.ptr);
    device_free(&t.a);
    device_free(&t.b);
    block_free(&values);
    gpu_close(&g);
    return status;
}
