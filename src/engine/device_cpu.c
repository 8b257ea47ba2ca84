/* engine/device_cpu.c - the CPU as a device: the provers of groth16 on this process's threads.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/error.h"
#include "base/memory.h"
#include "engine/device.h"

#define SCRATCH ((uint64_t)64 << 20) /* of the sums, more or less */

/* Before it is known from a run: a and b, their transforms' tables, the wide variables; or a, b, c and all
 * variables. */
static void need(void *self, const struct engine_task *task, struct engine_need *out)
{
    const struct engine_params *p = task->params;
    const uint64_t points = (uint64_t)1 << p->domain_log, variables = p->wide;
    (void)self;
    *out = (struct engine_need){.host = (p->folded ? 3u : 5u) * 32 * points + 3 * 32 * variables + p->bits +
                                        SCRATCH};
}

cuzk_status engine_task_inputs(const struct engine_task *task, fr **out, uint32_t *count,
                               struct cuzk_error *e)
{
    const size_t n = request_public_count(task->request);
    fr *inputs = mem_alloc(n, sizeof *inputs);
    if (!inputs)
        return error_memory(e, n * sizeof *inputs, "public inputs");
    const cuzk_status status = request_public_inputs(task->request, task->partition, inputs, e);
    if (status != CUZK_OK) {
        mem_free(inputs);
        return status;
    }
    *out = inputs;
    *count = (uint32_t)n;
    return CUZK_OK;
}

static cuzk_status prove(void *self, const struct engine_task *task, void *prepared, void *next,
                         uint8_t proof[GROTH16_PROOF_BYTES], struct cuzk_error *e)
{
    const struct engine_params *p = task->params;
    struct any_circuit real;
    struct groth16_rs rs;
    struct groth16_proof made;
    fr *inputs = NULL;
    uint32_t count = 0;
    (void)self;
    (void)prepared;
    (void)next;
    cuzk_status status = request_circuit(&real, task->poseidon, task->request, task->partition, e);
    if (status == CUZK_OK)
        status = engine_task_inputs(task, &inputs, &count, e);
    if (status == CUZK_OK)
        status = groth16_rs_random(&rs, e);
    if (status == CUZK_OK && p->folded) {
        status = groth16_prove_folded(task->x, &real.circuit, p->templates, p->folded, &rs, inputs, count,
                                      &made, e);
    } else if (status == CUZK_OK) {
        status = groth16_prove(task->x, &real.circuit, p->plain, &rs, inputs, count, &made, e);
    }
    if (status == CUZK_OK)
        groth16_proof_write(proof, &made);
    mem_wipe(&rs, sizeof rs);
    mem_free(inputs);
    return status;
}

static void free_device(void *self)
{
    mem_free(self);
}

cuzk_status engine_device_cpu_new(struct engine_device **out, struct cuzk_error *e)
{
    struct engine_device *d = mem_alloc(1, sizeof *d);
    if (!d)
        return error_memory(e, sizeof *d, "the CPU as a device");
    *d = (struct engine_device){.name = "CPU", .self = d, .need = need, .prove = prove, .free = free_device};
    *out = d;
    return CUZK_OK;
}
