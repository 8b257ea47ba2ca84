/* daemon/rpc_arrive.c - messages on their way: how many may arrive at once.
 *
 * gRPC holds a message in memory till it is whole, and what was sent for one that nobody asked for stays with
 * the client, but for a window of the transport. So a call's message is asked for when there is a place for
 * it; places are few enough that messages of the largest size fit in daemon.arriving_limit. Proofs, streams
 * and all small calls have places of their own. A client that takes long while others wait loses its place.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/timing.h"
#include "daemon/rpc_call.h"

#define QUEUED_MAX 1024
#define SLOW_NS    ((uint64_t)30 * 1000000000)

static bool take_place(struct rpc *rpc, enum arrivals c)
{
    pthread_mutex_lock(&rpc->lock);
    const uint64_t most = rpc->config.arriving_limit / rpc->config.message_limit;
    const bool room = rpc->arriving_count[c] < (most > 2 ? most : 2);
    rpc->arriving_count[c] += room;
    pthread_mutex_unlock(&rpc->lock);
    return room;
}

static void leave_place(struct rpc *rpc, enum arrivals c)
{
    pthread_mutex_lock(&rpc->lock);
    rpc->arriving_count[c]--;
    pthread_mutex_unlock(&rpc->lock);
}

/* With a place. False: the call has ended, and has none any more. */
static bool begin_reading(struct call *call)
{
    struct rpc *rpc = call->rpc;
    const enum arrivals c = call->method->arrivals;
    call->arrives_ns = timing_now();
    call_enlist(&rpc->arriving[c], call);
    if (call_read(call))
        return true;
    (void)call_delist(call);
    leave_place(rpc, c);
    return false;
}

/* Give free places to those that wait. */
static void let_in(struct rpc *rpc, enum arrivals c)
{
    while (take_place(rpc, c)) {
        struct call *call = call_take_oldest(rpc, &rpc->queued[c]);
        if (!call) {
            leave_place(rpc, c);
            return;
        }
        (void)begin_reading(call);
        call_drop(call);
    }
}

void rpc_arrive(struct call *call)
{
    struct rpc *rpc = call->rpc;
    const enum arrivals c = call->method->arrivals;
    if (take_place(rpc, c)) {
        (void)begin_reading(call);
        return;
    }
    if (!call_enlist_below(&rpc->queued[c], call, QUEUED_MAX)) {
        call_fail(call, GRPC_STATUS_RESOURCE_EXHAUSTED,
                  "too many messages are on their way; try again later");
        return;
    }
    let_in(rpc, c); /* a place may have been left meanwhile */
}

void rpc_arrived(struct call *call)
{
    (void)call_delist(call);
}

void rpc_handled(struct call *call)
{
    leave_place(call->rpc, call->method->arrivals);
    let_in(call->rpc, call->method->arrivals);
}

/* One that has had its place for too long while others wait, with a reference. */
static struct call *take_slow(struct rpc *rpc, enum arrivals c, uint64_t now)
{
    struct call *slow = NULL;
    pthread_mutex_lock(&rpc->lock);
    for (struct call *call = rpc->arriving[c].first; rpc->queued[c].first && call && !slow; call = call->next)
        if (call->arrives_ns + SLOW_NS < now) {
            slow = call;
            slow->arrives_ns = now; /* once is enough */
            call_keep(slow);
        }
    pthread_mutex_unlock(&rpc->lock);
    return slow;
}

void rpc_arrive_tick(struct rpc *rpc, uint64_t now)
{
    for (unsigned c = 0; c < ARRIVALS; c++) {
        struct call *slow;
        while ((slow = take_slow(rpc, (enum arrivals)c, now))) {
            (void)grpc_call_cancel_with_status(slow->core, GRPC_STATUS_RESOURCE_EXHAUSTED,
                                               "the message takes too long while others wait", NULL);
            call_drop(slow);
        }
    }
}
