/* api/context.h - what the public handles hold.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef API_CONTEXT_H
#define API_CONTEXT_H

#include <cuzk/cuzk.h>

#include "backend/gpus.h"
#include "base/exec.h"
#include "base/memory.h"
#include "base/pool.h"
#include "circuits/request.h"
#include "groth16/groth16.h"
#include "groth16/rows.h"
#include "hash/poseidon.h"

struct cuzk_context {
    struct exec exec;
    struct poseidon_set *poseidon;
    char device_words[64];
    uint64_t device_limit;
    char note[256]; /* cuzk_context_note */
    bool devices_open;
    struct gpus gpus;                    /* once they are open */
    struct gpu_prover *prover[GPUS_MAX]; /* of each, once it has proved */
};

/* Open the devices that the context's options name, once. */
cuzk_status context_devices(cuzk_context *context, struct cuzk_error *e) MUST_USE;
void context_devices_close(cuzk_context *context);

struct cuzk_request {
    struct request request;
};

struct cuzk_params {
    struct groth16_params *params;
};

struct cuzk_srs {
    struct groth16_srs *srs;
    struct template_circuit circuit;
};

struct cuzk_vk {
    struct groth16_vk vk;
};

/* Refuse a NULL where none may be. */
#define API_REQUIRE(e, cond)                                                                                 \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            return error_set((e), CUZK_ERR_ARGUMENT, "%s: %s does not hold", __func__, #cond);               \
    } while (0)

#endif
