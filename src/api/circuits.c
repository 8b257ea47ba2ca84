/* api/circuits.c - circuits by name and by request.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "api/context.h"
#include "base/error.h"

/* Kinds whose names are taken but whose circuits this version does not build. */
static bool is_planned(const char *name)
{
    static const char *const kinds[] = {"winning-", "window-", "wpost-", "snap-"};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (!strncmp(name, kinds[i], strlen(kinds[i])))
            return true;
    return false;
}

cuzk_status api_blank_circuit(struct api_circuit *out, const cuzk_context *context, const char *name,
                              struct cuzk_error *e)
{
    if (is_planned(name))
        return error_set(e, CUZK_ERR_UNSUPPORTED, "%s: this version has the PoRep circuits alone", name);
    const cuzk_status status = porep_params_for_circuit(&out->params, name, e);
    if (status != CUZK_OK)
        return status;
    out->porep = (struct porep_circuit){.poseidon = context->poseidon, .params = &out->params};
    out->circuit = (struct circuit){.self = &out->porep, .synthesize = porep_synthesize};
    return CUZK_OK;
}

cuzk_status api_real_circuit(struct api_circuit *out, const cuzk_context *context,
                             const cuzk_request *request, unsigned partition, struct cuzk_error *e)
{
    const struct request *r = &request->request;
    if (!r->has_witness)
        return error_set(e, CUZK_ERR_ARGUMENT, "the request was opened for its statement alone");
    if (partition >= r->porep.params.partitions)
        return error_set(e, CUZK_ERR_ARGUMENT, "there is no partition %u: %s has %u, counted from 0",
                         partition, cuzk_request_circuit(request), cuzk_request_partitions(request));
    out->params = r->porep.params;
    out->porep = (struct porep_circuit){
        .poseidon = context->poseidon, .params = &out->params, .c1 = &r->c1, .partition = partition};
    out->circuit = (struct circuit){.self = &out->porep, .synthesize = porep_synthesize};
    return CUZK_OK;
}
