/* engine/device_gpu.c - see device_gpu.h.
 *
 * prepare makes the witness on the host, prove the transforms and the large sum, settle all other sums of up
 * to a batch of partitions, finish puts the proof together and verifies it on the host.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine/device_gpu.h"

#include <pthread.h>
#include <stdio.h>

#include "backend/cuda/msm.h"
#include "backend/prover.h"
#include "base/error.h"
#include "base/memory.h"
#include "groth16/srs.h"

#define SEEN_MAX   64
#define TABLES     ((uint64_t)96 << 20) /* host memory while a circuit is brought to the device */
#define TRY_POINTS 512                  /* of the sum that tries a device */

/* What is known of a circuit's parameters on the device. */
struct seen {
    const struct groth16_srs *srs;
    unsigned batch; /* 0: they are not there */
};

struct gpu {
    struct engine_device table;
    char name[128];
    struct device *device;
    struct gpu_prover *prover;
    pthread_mutex_t busy; /* calls that use the device */
    pthread_mutex_t lock; /* of what follows, never held for long */
    struct seen seen[SEEN_MAX];
    unsigned seen_count;
    uint64_t used, limit;
};

struct prepared {
    struct any_circuit circuit;
    fr *inputs;
    struct gpu_proof *proof;
};

/* ---- what others may look at while the device works ---- */

static struct seen *seen_of(struct gpu *g, const struct groth16_srs *srs)
{
    for (unsigned i = 0; i < g->seen_count; i++)
        if (g->seen[i].srs == srs)
            return &g->seen[i];
    return NULL;
}

/* After a call that may have changed what is on the device. */
static void look(struct gpu *g)
{
    struct gpu_prover_info info;
    for (unsigned i = 0; i < g->seen_count; i++) {
        gpu_prover_info(g->prover, g->seen[i].srs, &info);
        pthread_mutex_lock(&g->lock);
        g->seen[i].batch = info.batch;
        pthread_mutex_unlock(&g->lock);
    }
    gpu_prover_info(g->prover, NULL, &info);
    pthread_mutex_lock(&g->lock);
    g->used = info.used;
    g->limit = info.limit;
    pthread_mutex_unlock(&g->lock);
}

static void begin(struct gpu *g)
{
    pthread_mutex_lock(&g->busy);
}

static void end(struct gpu *g)
{
    look(g);
    pthread_mutex_unlock(&g->busy);
}

static unsigned batch(void *self, const struct engine_params *params)
{
    struct gpu *g = self;
    pthread_mutex_lock(&g->lock);
    const struct seen *s = seen_of(g, params->folded);
    const unsigned most = s ? s->batch : 0;
    pthread_mutex_unlock(&g->lock);
    return most;
}

static bool holds(void *self, const struct engine_params *params)
{
    return params->folded && batch(self, params) > 0;
}

static void memory(void *self, uint64_t *total, uint64_t *left)
{
    struct gpu *g = self;
    pthread_mutex_lock(&g->lock);
    *total = g->limit;
    *left = g->limit > g->used ? g->limit - g->used : 0;
    pthread_mutex_unlock(&g->lock);
}

/* ---- parameters ---- */

static bool able(void *self, const struct engine_params *params, struct cuzk_error *e)
{
    const struct gpu *g = self;
    if (params->folded)
        return true;
    (void)error_set(e, CUZK_ERR_UNSUPPORTED, "%s proves from folded parameters (cuzk srs convert) alone",
                    g->name);
    return false;
}

static void need(void *self, const struct engine_task *task, struct engine_need *out)
{
    const struct srs_header *h = groth16_srs_header(task->params->folded);
    const uint64_t witness = ((uint64_t)h->wide + h->inputs) * sizeof(fr) + h->bits / 8;
    (void)self;
    *out = (struct engine_need){.host = witness + witness / 2 + TABLES,
                                .device = gpu_prover_least(task->params->folded),
                                .kept = witness};
}

/* The device's memory is not what the engine gives more of: it is a failure of the device. */
static cuzk_status on_device(cuzk_status status, struct cuzk_error *e)
{
    if (status != CUZK_ERR_MEMORY)
        return status;
    const struct cuzk_error why = *e;
    return error_set(e, CUZK_ERR_DEVICE, "%s", why.message);
}

static cuzk_status hold(void *self, const struct exec *x, const struct engine_params *params,
                        struct cuzk_error *e)
{
    struct gpu *g = self;
    begin(g);
    pthread_mutex_lock(&g->lock);
    if (!seen_of(g, params->folded) && g->seen_count < SEEN_MAX)
        g->seen[g->seen_count++].srs = params->folded;
    pthread_mutex_unlock(&g->lock);
    const cuzk_status status =
        on_device(gpu_prover_hold(g->prover, x, params->folded, params->templates, e), e);
    end(g);
    return status;
}

static void drop(void *self, const struct engine_params *params)
{
    struct gpu *g = self;
    begin(g);
    gpu_prover_drop(g->prover, params->folded);
    pthread_mutex_lock(&g->lock);
    struct seen *s = seen_of(g, params->folded);
    if (s)
        *s = g->seen[--g->seen_count];
    pthread_mutex_unlock(&g->lock);
    end(g);
}

/* ---- proofs ---- */

static void discard(void *self, void *prepared)
{
    struct prepared *p = prepared;
    (void)self;
    gpu_proof_free(p->proof);
    mem_free(p->inputs);
    mem_free(p);
}

static cuzk_status prepare(void *self, const struct engine_task *task, void **prepared, struct cuzk_error *e)
{
    const struct engine_params *params = task->params;
    uint32_t count = 0;
    struct prepared *p = mem_alloc(1, sizeof *p);
    if (!p)
        return error_memory(e, sizeof *p, "a partition");
    cuzk_status status = request_circuit(&p->circuit, task->poseidon, task->request, task->partition, e);
    if (status == CUZK_OK)
        status = engine_task_inputs(task, &p->inputs, &count, e);
    if (status == CUZK_OK)
        status = gpu_proof_new(&p->proof, task->x, &p->circuit.circuit, params->templates, params->folded,
                               p->inputs, count, e);
    if (status == CUZK_OK)
        *prepared = p;
    else
        discard(self, p);
    return status;
}

static cuzk_status prove(void *self, const struct engine_task *task, void *prepared, void *next,
                         uint8_t proof[GROTH16_PROOF_BYTES], struct cuzk_error *e)
{
    struct gpu *g = self;
    struct prepared *p = prepared, *n = next;
    (void)proof;
    begin(g);
    const cuzk_status status =
        on_device(gpu_proof_quotient(g->prover, task->x, p->proof, n ? n->proof : NULL, e), e);
    end(g);
    return status;
}

static cuzk_status settle(void *self, const struct exec *x, void *const *prepared, unsigned count,
                          struct cuzk_error *e)
{
    struct gpu *g = self;
    struct gpu_proof *proofs[ENGINE_BATCH_MAX];
    for (unsigned i = 0; i < count; i++) {
        const struct prepared *p = prepared[i];
        proofs[i] = p->proof;
    }
    begin(g);
    const cuzk_status status = on_device(gpu_proof_settle(g->prover, x, proofs, count, e), e);
    end(g);
    return status;
}

static cuzk_status finish(void *self, const struct engine_task *task, void *prepared,
                          uint8_t proof[GROTH16_PROOF_BYTES], struct cuzk_error *e)
{
    const struct prepared *p = prepared;
    struct groth16_proof made;
    struct groth16_rs rs;
    (void)self;
    cuzk_status status = groth16_rs_random(&rs, e);
    if (status == CUZK_OK)
        status = gpu_proof_finish(task->x, p->proof, &rs, &made, e);
    if (status == CUZK_OK)
        groth16_proof_write(proof, &made);
    mem_wipe(&rs, sizeof rs);
    return status;
}

/* ---- faults ---- */

/* The points' sum, uploaded and added up on the device. */
static cuzk_status sum_on(struct device *d, const g1_affine *points, const fr *scalars, g1 *sum,
                          struct cuzk_error *e)
{
    struct device_block point = {0}, scalar = {0};
    struct gpu_msm *m = NULL;
    struct stream s;
    cuzk_status status = device_stream(&s, d, e);
    if (status == CUZK_OK)
        status = device_alloc(&point, d, TRY_POINTS, sizeof *points, "points to try", e);
    if (status == CUZK_OK)
        status = device_alloc(&scalar, d, TRY_POINTS, sizeof *scalars, "factors to try", e);
    if (status == CUZK_OK)
        status = device_upload(d, s, point.ptr, points, TRY_POINTS * sizeof *points, e);
    if (status == CUZK_OK)
        status = device_upload(d, s, scalar.ptr, scalars, TRY_POINTS * sizeof *scalars, e);
    if (status == CUZK_OK)
        status = gpu_msm_new(&m, d, s, 1, 1, TRY_POINTS, 0, e);
    if (status == CUZK_OK)
        status = gpu_msm_add(m, point.ptr, &scalar.ptr, TRY_POINTS, e);
    if (status == CUZK_OK)
        status = gpu_msm_finish(m, sum, e);
    gpu_msm_free(m);
    device_free(&point);
    device_free(&scalar);
    return status;
}

/* sum i (i G), i from 1 on, is n (n + 1) (2 n + 1) / 6 G. */
static cuzk_status try_sum(struct device *d, struct cuzk_error *e)
{
    const uint64_t n = TRY_POINTS;
    g1_affine *points = mem_alloc(n, sizeof *points);
    fr *scalars = mem_alloc(n, sizeof *scalars), total;
    cuzk_status status = CUZK_OK;
    g1 generator, at, sum, expected;
    if (!points || !scalars)
        status = error_memory(e, n * (sizeof *points + sizeof *scalars), "points to try");
    g1_from_affine(&generator, &G1_GENERATOR);
    g1_set_infinity(&at);
    for (uint64_t i = 0; status == CUZK_OK && i < n; i++) {
        g1_add(&at, &at, &generator);
        g1_to_affine(&points[i], &at);
        fr_from_u64(&scalars[i], i + 1);
    }
    if (status == CUZK_OK)
        status = sum_on(d, points, scalars, &sum, e);
    fr_from_u64(&total, n * (n + 1) * (2 * n + 1) / 6);
    g1_mul(&expected, &generator, &total);
    if (status == CUZK_OK && !g1_equal(&sum, &expected))
        status = error_set(e, CUZK_ERR_DEVICE, "the device adds up wrongly");
    mem_free(points);
    mem_free(scalars);
    return status;
}

static cuzk_status probe(void *self, struct cuzk_error *e)
{
    struct gpu *g = self;
    begin(g);
    cuzk_status status = gpu_prover_reset(g->prover, e);
    if (status == CUZK_OK)
        status = try_sum(g->device, e);
    end(g);
    return status;
}

/* ---- life ---- */

static void free_gpu(void *self)
{
    struct gpu *g = self;
    gpu_prover_free(g->prover);
    pthread_mutex_destroy(&g->busy);
    pthread_mutex_destroy(&g->lock);
    mem_free(g);
}

cuzk_status engine_device_gpu_new(struct engine_device **out, struct device *device, unsigned threads,
                                  struct cuzk_error *e)
{
    const struct device_info *info = device_info(device);
    struct gpu *g = mem_alloc(1, sizeof *g);
    if (!g)
        return error_memory(e, sizeof *g, "a GPU of the engine");
    pthread_mutex_init(&g->busy, NULL);
    pthread_mutex_init(&g->lock, NULL);
    g->device = device;
    const cuzk_status status = gpu_prover_new(&g->prover, device, threads, e);
    if (status != CUZK_OK) {
        free_gpu(g);
        return status;
    }
    snprintf(g->name, sizeof g->name, "GPU %u: %s", info->index, info->name);
    g->table = (struct engine_device){.name = g->name,
                                      .number = info->index,
                                      .self = g,
                                      .able = able,
                                      .need = need,
                                      .prepare = prepare,
                                      .prove = prove,
                                      .settle = settle,
                                      .batch = batch,
                                      .finish = finish,
                                      .discard = discard,
                                      .memory = memory,
                                      .hold = hold,
                                      .holds = holds,
                                      .drop = drop,
                                      .probe = probe,
                                      .free = free_gpu};
    look(g);
    *out = &g->table;
    return CUZK_OK;
}
