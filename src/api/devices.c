/* api/devices.c - a context's GPUs, opened when first wanted.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "api/context.h"
#include "backend/prover.h"
#include "base/error.h"

cuzk_status context_devices(cuzk_context *context, struct cuzk_error *e)
{
    if (context->devices_open)
        return CUZK_OK;
    const cuzk_status status = gpus_open(&context->gpus, context->device_words, context->device_limit, e);
    context->devices_open = status == CUZK_OK;
    if (status == CUZK_OK && context->gpus.left_out[0])
        memcpy(context->note, context->gpus.left_out, sizeof context->note);
    return status;
}

void context_devices_close(cuzk_context *context)
{
    for (unsigned i = 0; i < GPUS_MAX; i++)
        gpu_prover_free(context->prover[i]);
    gpus_close(&context->gpus);
}

const char *cuzk_context_note(const cuzk_context *context)
{
    return context->note;
}

cuzk_status cuzk_context_devices(cuzk_context *context, unsigned *count, struct cuzk_error *e)
{
    API_REQUIRE(e, context && count);
    const cuzk_status status = context_devices(context, e);
    if (status == CUZK_OK)
        *count = context->gpus.count;
    return status;
}

cuzk_status cuzk_context_device(cuzk_context *context, unsigned i, struct cuzk_device *out,
                                struct cuzk_error *e)
{
    API_REQUIRE(e, context && out);
    const cuzk_status status = context_devices(context, e);
    if (status != CUZK_OK)
        return status;
    if (i >= context->gpus.count)
        return error_set(e, CUZK_ERR_ARGUMENT, "device %u of %u", i, context->gpus.count);
    const struct device *d = context->gpus.device[i];
    const struct device_info *info = device_info(d);
    *out = (struct cuzk_device){.index = info->index,
                                .capability = info->capability,
                                .multiprocessors = info->multiprocessors,
                                .memory = info->memory,
                                .limit = info->limit,
                                .peak = device_memory_peak(d)};
    memcpy(out->name, info->name, sizeof out->name);
    return CUZK_OK;
}
