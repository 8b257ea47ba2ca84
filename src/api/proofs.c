/* api/proofs.c - requests and their generation, parameters, keys, proofs.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>

#include "api/partition.h"
#include "base/error.h"
#include "base/file.h"
#include "base/timing.h"
#include "circuits/gen.h"

/* ---- requests ---- */

cuzk_status cuzk_request_open(cuzk_context *context, cuzk_request **out, const char *path, unsigned flags,
                              struct cuzk_error *e)
{
    API_REQUIRE(e, context && out && path);
    API_REQUIRE(e, (flags & ~CUZK_REQUEST_STATEMENT) == 0);
    cuzk_request *r = mem_alloc(1, sizeof *r);
    if (!r)
        return error_memory(e, sizeof *r, "the request");
    const cuzk_status status =
        request_read(&context->exec, &r->request, path, !(flags & CUZK_REQUEST_STATEMENT), e);
    if (status != CUZK_OK) {
        mem_free(r);
        return status;
    }
    *out = r;
    return CUZK_OK;
}

void cuzk_request_free(cuzk_request *request)
{
    if (!request)
        return;
    request_free(&request->request);
    mem_free(request);
}

const char *cuzk_request_circuit(const cuzk_request *request)
{
    return request_circuit_name(&request->request);
}

unsigned cuzk_request_partitions(const cuzk_request *request)
{
    return request_partitions(&request->request);
}

cuzk_status cuzk_generate(cuzk_context *context, const char *kind, const char *size, uint64_t seed,
                          uint64_t sectors, const char *folder, struct cuzk_error *e)
{
    API_REQUIRE(e, context && kind && size && folder);
    const struct gen_options options = {.kind = kind, .size = size, .seed = seed, .sectors = sectors};
    return gen_run(&context->exec, context->poseidon, &options, folder, e);
}

/* ---- parameters and keys ---- */

cuzk_status cuzk_params_open(cuzk_context *context, cuzk_params **out, const char *path, struct cuzk_error *e)
{
    API_REQUIRE(e, context && out && path);
    cuzk_params *p = mem_alloc(1, sizeof *p);
    if (!p)
        return error_memory(e, sizeof *p, "the parameters' handle");
    const cuzk_status status = groth16_params_open(&context->exec, &p->params, path, 0, e);
    if (status != CUZK_OK) {
        mem_free(p);
        return status;
    }
    *out = p;
    return CUZK_OK;
}

void cuzk_params_free(cuzk_params *params)
{
    if (!params)
        return;
    groth16_params_free(params->params);
    mem_free(params);
}

cuzk_status cuzk_vk_open(cuzk_context *context, cuzk_vk **out, const char *path, struct cuzk_error *e)
{
    API_REQUIRE(e, context && out && path);
    cuzk_vk *vk = mem_alloc(1, sizeof *vk);
    if (!vk)
        return error_memory(e, sizeof *vk, "the key's handle");
    const cuzk_status status = groth16_vk_open(&context->exec, &vk->vk, path, e);
    if (status != CUZK_OK) {
        mem_free(vk);
        return status;
    }
    *out = vk;
    return CUZK_OK;
}

void cuzk_vk_free(cuzk_vk *vk)
{
    if (!vk)
        return;
    groth16_vk_free(&vk->vk);
    mem_free(vk);
}

/* ---- proofs ---- */

/* Prove from whichever parameters are there, on the CPU. */
static cuzk_status prove_partition(cuzk_context *context, const cuzk_request *request,
                                   const cuzk_params *params, const cuzk_srs *srs, unsigned number,
                                   const uint64_t *insecure_rs_seed, uint8_t proof[CUZK_PROOF_BYTES],
                                   struct cuzk_error *e)
{
    struct partition p;
    struct groth16_proof result;
    cuzk_status status = partition_open(context, request, number, insecure_rs_seed, &p, e);
    if (status == CUZK_OK) /* nonsense is told at once, not after the proof */
        status = partition_check(context, request, number, e);
    if (status == CUZK_OK && params)
        status = groth16_prove(&context->exec, &p.real.circuit, params->params, &p.rs, p.inputs,
                               p.inputs_count, &result, e);
    else if (status == CUZK_OK)
        status = groth16_prove_folded(&context->exec, &p.real.circuit, &srs->circuit, srs->srs, &p.rs,
                                      p.inputs, p.inputs_count, &result, e);
    if (status == CUZK_OK)
        groth16_proof_write(proof, &result);
    partition_close(&p);
    return status;
}

cuzk_status cuzk_prove(cuzk_context *context, const cuzk_request *request, const cuzk_params *params,
                       unsigned partition, const uint64_t *insecure_rs_seed, uint8_t proof[CUZK_PROOF_BYTES],
                       struct cuzk_error *e)
{
    API_REQUIRE(e, context && request && params && proof);
    return prove_partition(context, request, params, NULL, partition, insecure_rs_seed, proof, e);
}

cuzk_status cuzk_prove_folded(cuzk_context *context, const cuzk_request *request, const cuzk_srs *srs,
                              unsigned partition, const uint64_t *insecure_rs_seed,
                              uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *e)
{
    return cuzk_prove_partitions(context, request, srs, partition, 1, insecure_rs_seed, proof, NULL, e);
}

cuzk_status cuzk_prove_partitions(cuzk_context *context, const cuzk_request *request, const cuzk_srs *srs,
                                  unsigned first, unsigned count, const uint64_t *insecure_rs_seed,
                                  uint8_t *proofs, double *seconds, struct cuzk_error *e)
{
    API_REQUIRE(e, context && request && srs && proofs);
    cuzk_status status = partitions_check(request, first, count, e);
    if (status == CUZK_OK)
        status = srs_is_for(srs, request, e);
    if (status == CUZK_OK)
        status = context_devices(context, e);
    if (status == CUZK_OK && context->gpus.count > 0)
        return prove_on_devices(context, request, srs, first, count, insecure_rs_seed, proofs, seconds, e);
    for (unsigned i = 0; i < count && status == CUZK_OK; i++) {
        const uint64_t start = timing_now();
        status = prove_partition(context, request, NULL, srs, first + i, insecure_rs_seed,
                                 proofs + (size_t)i * CUZK_PROOF_BYTES, e);
        if (seconds)
            seconds[i] = (double)(timing_now() - start) / 1e9;
    }
    return status;
}

/* The verdict on proofs and inputs that were obtained. */
static cuzk_status verify_all(cuzk_context *context, const cuzk_vk *vk, const struct groth16_proof *proofs,
                              fr *const *inputs, uint32_t inputs_each, unsigned count, bool *valid,
                              struct cuzk_error *e)
{
    if (count == 1)
        return groth16_verify(&context->exec, &vk->vk, proofs, inputs[0], inputs_each, valid, e);
    return groth16_verify_many(&context->exec, &vk->vk, proofs, (const fr *const *)inputs, inputs_each, count,
                               valid, e);
}

cuzk_status cuzk_verify(cuzk_context *context, const cuzk_request *request, const cuzk_vk *vk, unsigned first,
                        unsigned count, const uint8_t *proofs, bool *valid, struct cuzk_error *e)
{
    API_REQUIRE(e, context && request && vk && proofs && valid);
    cuzk_status status = partitions_check(request, first, count, e);
    if (status != CUZK_OK)
        return status;
    const size_t inputs_each = request_public_count(&request->request);
    if (vk->vk.ic_count != inputs_each + 1)
        return error_set(e, CUZK_ERR_MISMATCH,
                         "the key is of another circuit: it takes %u public inputs, %s has %zu",
                         vk->vk.ic_count - 1, cuzk_request_circuit(request), inputs_each);
    struct groth16_proof *points = mem_alloc(count, sizeof *points);
    fr **inputs = mem_alloc(count, sizeof *inputs);
    if (!points || !inputs)
        status = error_memory(e, count * sizeof *points, "proofs");
    bool readable = true;
    for (unsigned i = 0; i < count && status == CUZK_OK && readable; i++) {
        status = partition_inputs(request, first + i, &inputs[i], e);
        /* A proof that is no proof is not valid: that is an answer. */
        if (status == CUZK_OK &&
            groth16_proof_read(&points[i], proofs + (size_t)i * CUZK_PROOF_BYTES, NULL) != CUZK_OK)
            readable = false;
    }
    if (status == CUZK_OK && readable)
        status = verify_all(context, vk, points, inputs, (uint32_t)inputs_each, count, valid, e);
    else if (status == CUZK_OK)
        *valid = false;
    for (unsigned i = 0; inputs && i < count; i++)
        mem_free(inputs[i]);
    mem_free(inputs);
    mem_free(points);
    return status;
}

cuzk_status cuzk_write_file(const char *path, const void *data, size_t size, struct cuzk_error *e)
{
    API_REQUIRE(e, path && (data || !size));
    return file_write_whole(path, data, size, e);
}
