/* daemon/status.h - what the engine does, as JSON for HTTP.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_STATUS_H
#define DAEMON_STATUS_H

#include "base/text.h"
#include "engine/engine.h"

/* GET /status: the members that monitors of the earlier system know, and ours behind them (docs/daemon.md).
 */
cuzk_status status_json(struct text *out, struct engine *engine, struct cuzk_error *e) MUST_USE;

/* GET /timeline: the workers' rows, and the bars that ended after from_ns of the engine's clock. */
cuzk_status status_timeline(struct text *out, struct engine *engine, uint64_t from_ns,
                            struct cuzk_error *e) MUST_USE;

#endif
