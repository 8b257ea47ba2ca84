/* daemon/devices.c - see devices.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "daemon/devices.h"

#include <string.h>

#include "base/error.h"
#include "daemon/daemon.h"
#include "engine/device_gpu.h"

static cuzk_status open_gpus(struct gpus *out, const struct config *c, struct cuzk_error *e)
{
    char words[CONFIG_TEXT];
    config_gpus(c, words);
    return gpus_open(out, words, c->gpu_memory, e);
}

static bool is_auto(const struct config *c)
{
    char words[CONFIG_TEXT];
    config_gpus(c, words);
    return strcmp(words, "auto") == 0;
}

#define POST_KINDS (1u << ENGINE_WINDOW_POST | 1u << ENGINE_WINNING_POST)

/* What the GPU of a number is for. */
static uint32_t kinds_of(const struct config *c, unsigned number)
{
    unsigned only;
    for (unsigned i = 0; config_post_gpu(c, i, &only); i++)
        if (only == number)
            return POST_KINDS;
    return UINT32_MAX;
}

/* Numbers in gpus.post_only of GPUs that are not used. */
static void warn_of_others(const struct config *c, const struct gpus *g, const struct log *log)
{
    unsigned only;
    for (unsigned i = 0; config_post_gpu(c, i, &only); i++) {
        bool found = false;
        for (unsigned k = 0; k < g->count; k++)
            found |= device_info(g->device[k])->index == only;
        if (!found)
            log_line(log, LOG_WARN, "device", NULL, "gpus.post_only: GPU %u is not used", only);
    }
}

cuzk_status devices_open(struct devices *out, const struct config *c, struct log *log, struct cuzk_error *e)
{
    struct devices d = {.count = 0};
    cuzk_status status = open_gpus(&d.gpus, c, e);
    if (status != CUZK_OK)
        return status;
    if (d.gpus.count == 0 && d.gpus.why[0])
        log_line(log, LOG_INFO, "device", NULL, "no GPU is used: %s", d.gpus.why);
    if (d.gpus.left_out[0])
        log_line(log, LOG_WARN, "device", NULL, "%s", d.gpus.left_out);
    for (unsigned i = 0; i < d.gpus.count && status == CUZK_OK; i++) {
        status = engine_device_gpu_new(&d.list[d.count], d.gpus.device[i], (unsigned)c->gpu_threads, e);
        if (status == CUZK_OK) {
            const struct device_info *info = device_info(d.gpus.device[i]);
            d.kinds[d.count] = kinds_of(c, info->index);
            log_line(log, LOG_INFO, "device", NULL, "%s, %llu MiB may be used%s", d.list[d.count]->name,
                     (unsigned long long)(info->limit >> 20),
                     d.kinds[d.count] == POST_KINDS ? ", for PoSt alone" : "");
            d.count++;
        } else if (is_auto(c)) {
            log_line(log, LOG_WARN, "device", NULL, "a GPU is not used: %s", e->message);
            status = CUZK_OK;
        }
    }
    if (status != CUZK_OK) {
        for (unsigned i = 0; i < d.count; i++)
            d.list[i]->free(d.list[i]->self);
        gpus_close(&d.gpus);
        return status;
    }
    warn_of_others(c, &d.gpus, log);
    *out = d;
    return CUZK_OK;
}

void devices_close(struct devices *d)
{
    gpus_close(&d->gpus);
}

cuzk_status daemon_describe_devices(const struct config *c, struct text *out, struct cuzk_error *e)
{
    struct gpus g = {.count = 0};
    const cuzk_status status = open_gpus(&g, c, e);
    if (status != CUZK_OK)
        return status;
    for (unsigned i = 0; i < g.count; i++) {
        const struct device_info *d = device_info(g.device[i]);
        text_printf(out, "# GPU %u: %s, capability %u.%u, %llu MiB, of which %llu may be used\n", d->index,
                    d->name, d->capability / 10, d->capability % 10, (unsigned long long)(d->memory >> 20),
                    (unsigned long long)(d->limit >> 20));
    }
    if (g.left_out[0])
        text_printf(out, "# %s\n", g.left_out);
    if (g.count == 0)
        text_printf(out, "# no GPU%s%s: the CPU proves\n", g.why[0] ? ", " : "", g.why);
    gpus_close(&g);
    return CUZK_OK;
}
