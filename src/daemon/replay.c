/* daemon/replay.c - a bundle of a failure, proved once more.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <unistd.h>

#include "base/error.h"
#include "daemon/daemon.h"
#include "daemon/devices.h"

static void on_event(void *user, const struct engine_event *event)
{
    log_event(user, event);
}

static cuzk_status prove(struct engine *engine, const char *folder, struct engine_result *result,
                         struct cuzk_error *e)
{
    struct engine_ticket ticket;
    const cuzk_status status = engine_submit_bundle(engine, folder, &ticket, e);
    return status == CUZK_OK ? engine_wait(engine, ticket.job_id, 0, NULL, result, e) : status;
}

static void describe(struct text *out, const struct engine_result *r, const struct engine_counters *c)
{
    json_open(out, NULL, '{');
    json_string(out, "proof_kind", engine_kind_name(r->kind));
    json_string(out, "state", engine_state_name(r->state));
    json_string(out, "error", r->message);
    json_u64(out, "device_failures", c->device_failures);
    json_u64(out, "invalid_proofs", c->invalid_proofs);
    json_u64(out, "retries", c->retries);
    json_u64(out, "synthesis_ms", r->synthesis_ms);
    json_u64(out, "gpu_compute_ms", r->gpu_compute_ms);
    json_u64(out, "total_ms", r->total_ms);
    json_close(out, '}');
    text_add(out, "\n", 1);
}

cuzk_status daemon_replay(const struct daemon_options *options, const char *folder, struct text *out,
                          bool *well, struct cuzk_error *e)
{
    const struct config *c = &options->config;
    struct log log = {.fd = STDERR_FILENO, .level = (int)c->log_level, .format = (int)c->log_format};
    struct engine_options o;
    struct devices devices = {.count = 0};
    struct engine *engine = NULL;
    struct engine_result result = {0};
    struct engine_counters counters;
    config_engine(c, &o);
    o.state_folder = NULL;
    o.event = on_event;
    o.event_user = &log;
    cuzk_status status = devices_open(&devices, c, &log, e);
    if (status != CUZK_OK)
        return status;
    o.devices = devices.list;
    o.device_count = devices.count;
    o.device_kinds = devices.kinds;
    status = engine_new(&engine, &o, e);
    if (status == CUZK_OK)
        status = prove(engine, folder, &result, e);
    if (status == CUZK_OK) {
        engine_counters(engine, &counters);
        describe(out, &result, &counters);
        *well =
            result.state == ENGINE_STATE_COMPLETED && !counters.device_failures && !counters.invalid_proofs;
    }
    engine_result_free(&result);
    engine_free(engine);
    devices_close(&devices);
    return status;
}
