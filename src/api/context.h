/* api/context.h - what the public handles hold.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef API_CONTEXT_H
#define API_CONTEXT_H

#include <cuzk/cuzk.h>

#include "base/exec.h"
#include "base/memory.h"
#include "base/pool.h"
#include "circuits/porep.h"
#include "circuits/request.h"
#include "groth16/groth16.h"
#include "hash/poseidon.h"

struct cuzk_context {
    struct exec exec;
    struct poseidon_set *poseidon;
};

struct cuzk_request {
    struct request request;
};

struct cuzk_params {
    struct groth16_params *params;
};

struct cuzk_vk {
    struct groth16_vk vk;
};

/* A circuit and what it stands on. Not to be moved: circuit points into it. */
struct api_circuit {
    struct porep_params params;
    struct porep_circuit porep;
    struct circuit circuit;
};

/* The blank circuit of that name ("porep-2k"). */
cuzk_status api_blank_circuit(struct api_circuit *out, const cuzk_context *context, const char *name,
                              struct cuzk_error *e) MUST_USE;
/* The real circuit of a request's partition, which must have its vanilla proofs. Borrows both. */
cuzk_status api_real_circuit(struct api_circuit *out, const cuzk_context *context,
                             const cuzk_request *request, unsigned partition, struct cuzk_error *e) MUST_USE;

/* Refuse a NULL where none may be. */
#define API_REQUIRE(e, cond)                                                                                 \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            return error_set((e), CUZK_ERR_ARGUMENT, "%s: %s does not hold", __func__, #cond);               \
    } while (0)

#endif
