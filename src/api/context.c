/* api/context.c - contexts, and the small public calls.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "api/context.h"

#include <stdio.h>

#include "base/error.h"
#include "base/file.h"

const char *cuzk_version(void)
{
    return CUZK_VERSION;
}

const char *cuzk_status_name(cuzk_status status)
{
    return status_name(status);
}

cuzk_status cuzk_context_new(cuzk_context **out, const struct cuzk_options *options, struct cuzk_error *e)
{
    API_REQUIRE(e, out != NULL);
    const struct cuzk_options defaults = {0};
    const struct cuzk_options *o = options ? options : &defaults;
    cuzk_context *c = mem_alloc(1, sizeof *c);
    if (!c)
        return error_memory(e, sizeof *c, "the context");
    const char *words = o->device ? o->device : "auto";
    cuzk_status status = gpus_words_check(words, e);
    if (status == CUZK_OK)
        status = cpu_variant_parse(&c->exec.variant, o->cpu ? o->cpu : "auto", e);
    if (status == CUZK_OK)
        status = budget_new(&c->exec.budget, o->memory_limit, e);
    if (status == CUZK_OK)
        status = pool_new(&c->exec.pool, o->threads, e);
    if (status == CUZK_OK)
        status = poseidon_set_new(&c->poseidon, e);
    if (status != CUZK_OK) {
        cuzk_context_free(c);
        return status;
    }
    snprintf(c->device_words, sizeof c->device_words, "%s", words);
    c->device_limit = o->device_memory_limit;
    c->exec.progress = o->progress;
    c->exec.progress_user = o->progress_user;
    c->exec.cancel = o->cancel;
    *out = c;
    return CUZK_OK;
}

void cuzk_context_free(cuzk_context *context)
{
    if (!context)
        return;
    context_devices_close(context);
    poseidon_set_free(context->poseidon);
    pool_free(context->exec.pool);
    budget_free(context->exec.budget);
    mem_free(context);
}

unsigned cuzk_context_threads(const cuzk_context *context)
{
    return pool_threads(context->exec.pool);
}

const char *cuzk_context_cpu(const cuzk_context *context)
{
    return cpu_variant_name(context->exec.variant);
}

uint64_t cuzk_context_memory_peak(const cuzk_context *context)
{
    return budget_peak(context->exec.budget);
}
