/* daemon/rpc.h - the gRPC server: ProvingEngine, health and reflection (proto/), on gRPC's C core.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_RPC_H
#define DAEMON_RPC_H

#include "daemon/config.h"
#include "daemon/log.h"
#include "engine/engine.h"

struct rpc;

/* Listen at all addresses of the settings and serve. The engine and the log outlive the server.
 * A socket's file that nobody listens at is replaced. CUZK_ERR_IO: an address is in use or cannot be bound.
 */
cuzk_status rpc_new(struct rpc **out, struct engine *engine, const struct config *config,
                    const struct log *log, struct cuzk_error *e) MUST_USE;

/* What the engine tells: calls that wait are answered, watchers are told. From one thread at a time. */
void rpc_event(struct rpc *rpc, const struct engine_event *event);

/* What can change while it runs. */
void rpc_reconfigure(struct rpc *rpc, const struct config *config);

/* To be called every 50 ms or so: timeouts, progress. */
void rpc_tick(struct rpc *rpc);

/* Serve no more, after the engine was stopped: calls that wait for jobs are answered, new ones refused,
 * others may end within timeout_ms, then they are broken off. */
void rpc_stop(struct rpc *rpc, unsigned timeout_ms);
void rpc_free(struct rpc *rpc); /* after rpc_stop; NULL is fine */

#endif
