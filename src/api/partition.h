/* api/partition.h - one partition of a request, ready to be proved.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef API_PARTITION_H
#define API_PARTITION_H

#include "api/context.h"

struct partition {
    struct any_circuit real;
    fr *inputs;
    uint32_t inputs_count;
    struct groth16_rs rs;
};

/* CUZK_ERR_ARGUMENT unless the request has these. */
cuzk_status partitions_check(const cuzk_request *request, unsigned first, unsigned count,
                             struct cuzk_error *e) MUST_USE;

/* The public inputs of one partition, to be freed with mem_free. */
cuzk_status partition_inputs(const cuzk_request *request, unsigned partition, fr **out,
                             struct cuzk_error *e) MUST_USE;

/* Do its vanilla proofs hold? */
cuzk_status partition_check(cuzk_context *context, const cuzk_request *request, unsigned number,
                            struct cuzk_error *e) MUST_USE;

/* Its circuit, with r and s: random, or of a seed. */
cuzk_status partition_open(cuzk_context *context, const cuzk_request *request, unsigned number,
                           const uint64_t *insecure_rs_seed, struct partition *out,
                           struct cuzk_error *e) MUST_USE;
void partition_close(struct partition *p); /* a zeroed one is fine */

/* Are the folded parameters those of the request's circuit? */
cuzk_status srs_is_for(const cuzk_srs *srs, const cuzk_request *request, struct cuzk_error *e) MUST_USE;

/* cuzk_prove_partitions on the context's GPUs, which are open. */
cuzk_status prove_on_devices(cuzk_context *context, const cuzk_request *request, const cuzk_srs *srs,
                             unsigned first, unsigned count, const uint64_t *insecure_rs_seed,
                             uint8_t *proofs, double *seconds, struct cuzk_error *e) MUST_USE;

#endif
