/* daemon/rpc_health.c - the standard health service: is the engine fit for work?
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/timing.h"
#include "daemon/rpc_call.h"
#include <health.pb-c.h>

typedef Grpc__Health__V1__HealthCheckResponse__ServingStatus health;

static health health_now(struct rpc *rpc)
{
    char why[CUZK_ERROR_MESSAGE_MAX];
    return engine_ready(rpc->engine, why)
               ? GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING
               : GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING;
}

static bool known(const char *service)
{
    return service[0] == 0 || strcmp(service, "cuzk.v1.ProvingEngine") == 0;
}

void rpc_health_check(struct call *call, const uint8_t *data, size_t size)
{
    Grpc__Health__V1__HealthCheckResponse answer = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    Grpc__Health__V1__HealthCheckRequest *r =
        (void *)call_unpack(call, &grpc__health__v1__health_check_request__descriptor, data, size);
    if (!r)
        return;
    const bool found = known(r->service);
    grpc__health__v1__health_check_request__free_unpacked(r, NULL);
    if (!found) {
        call_fail(call, GRPC_STATUS_NOT_FOUND, "no such service");
        return;
    }
    answer.status = health_now(call->rpc);
    call_reply(call, &answer.base);
}

/* ---- Watch ----
 *
 * A watcher's expires_ns holds what it was told last, plus one. */

static void tell(struct call *call, health status)
{
    Grpc__Health__V1__HealthCheckResponse answer = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    answer.status = status;
    if (call_write(call, &answer.base))
        call->expires_ns = (uint64_t)status + 1;
}

void rpc_health_watch(struct call *call, const uint8_t *data, size_t size)
{
    Grpc__Health__V1__HealthCheckRequest *r =
        (void *)call_unpack(call, &grpc__health__v1__health_check_request__descriptor, data, size);
    if (!r)
        return;
    const bool found = known(r->service);
    grpc__health__v1__health_check_request__free_unpacked(r, NULL);
    call->dirty = found; /* the state of an unknown service does not change */
    tell(call, found ? health_now(call->rpc)
                     : GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN);
    call_keep(call);
    call_enlist(&call->rpc->health, call);
    pthread_mutex_lock(&call->lock);
    const bool over = call->over;
    pthread_mutex_unlock(&call->lock);
    if (over)
        rpc_list_gone(call);
    call_drop(call);
}

void rpc_health_tick(struct rpc *rpc)
{
    pthread_mutex_lock(&rpc->lock);
    const bool any = rpc->health.first != NULL;
    pthread_mutex_unlock(&rpc->lock);
    if (!any)
        return;
    const health now = health_now(rpc);
    pthread_mutex_lock(&rpc->lock);
    for (struct call *c = rpc->health.first; c; c = c->next)
        if (c->dirty && c->expires_ns != (uint64_t)now + 1)
            tell(c, now);
    pthread_mutex_unlock(&rpc->lock);
}
