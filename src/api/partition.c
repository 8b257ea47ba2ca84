/* api/partition.c - see partition.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "api/partition.h"

#include <string.h>

#include "base/error.h"

cuzk_status partitions_check(const cuzk_request *request, unsigned first, unsigned count,
                             struct cuzk_error *e)
{
    const unsigned all = cuzk_request_partitions(request);
    if (count == 0 || first >= all || count > all - first)
        return error_set(e, CUZK_ERR_ARGUMENT, "partitions %u to %u of %s, which has %u, counted from 0",
                         first, first + count, cuzk_request_circuit(request), all);
    return CUZK_OK;
}

cuzk_status partition_inputs(const cuzk_request *request, unsigned partition, fr **out, struct cuzk_error *e)
{
    const size_t n = request_public_count(&request->request);
    fr *inputs = mem_alloc(n, sizeof *inputs);
    if (!inputs)
        return error_memory(e, n * sizeof *inputs, "public inputs");
    const cuzk_status status = request_public_inputs(&request->request, partition, inputs, e);
    if (status == CUZK_OK)
        *out = inputs;
    else
        mem_free(inputs);
    return status;
}

cuzk_status partition_check(cuzk_context *context, const cuzk_request *request, unsigned number,
                            struct cuzk_error *e)
{
    return request_check_partition(&context->exec, context->poseidon, &request->request, number, e);
}

cuzk_status partition_open(cuzk_context *context, const cuzk_request *request, unsigned number,
                           const uint64_t *insecure_rs_seed, struct partition *out, struct cuzk_error *e)
{
    const struct request *r = &request->request;
    *out = (struct partition){.inputs_count = (uint32_t)request_public_count(r)};
    cuzk_status status = partitions_check(request, number, 1, e);
    if (status == CUZK_OK)
        status = request_circuit(&out->real, context->poseidon, r, number, e);
    if (status == CUZK_OK && insecure_rs_seed)
        groth16_rs_from_seed(&out->rs, *insecure_rs_seed);
    else if (status == CUZK_OK)
        status = groth16_rs_random(&out->rs, e);
    return status == CUZK_OK ? partition_inputs(request, number, &out->inputs, e) : status;
}

void partition_close(struct partition *p)
{
    mem_free(p->inputs);
    mem_wipe(&p->rs, sizeof p->rs);
    p->inputs = NULL;
}

cuzk_status srs_is_for(const cuzk_srs *srs, const cuzk_request *request, struct cuzk_error *e)
{
    struct groth16_srs_info info;
    groth16_srs_info(srs->srs, &info);
    if (strcmp(info.circuit, cuzk_request_circuit(request)) == 0)
        return CUZK_OK;
    return error_set(e, CUZK_ERR_MISMATCH,
                     "the folded parameters are of the circuit %s, the request is of %s", info.circuit,
                     cuzk_request_circuit(request));
}
