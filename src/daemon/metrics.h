/* daemon/metrics.h - the engine's figures in Prometheus' text format.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_METRICS_H
#define DAEMON_METRICS_H

#include "base/text.h"
#include "engine/engine.h"

cuzk_status metrics_text(struct text *out, struct engine *engine, struct cuzk_error *e) MUST_USE;

#endif
