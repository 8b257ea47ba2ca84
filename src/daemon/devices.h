/* daemon/devices.h - the GPUs that the settings name, as devices of the engine.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_DEVICES_H
#define DAEMON_DEVICES_H

#include "backend/gpus.h"
#include "daemon/config.h"
#include "daemon/log.h"
#include "engine/device.h"

struct devices {
    struct gpus gpus;
    struct engine_device *list[GPUS_MAX]; /* the engine's, once it was given them */
    uint32_t kinds[GPUS_MAX];             /* that each takes, bits 1 << kind */
    unsigned count;
};

/* What cannot be used is said in the log, and fails only where the settings ask for it. */
cuzk_status devices_open(struct devices *out, const struct config *c, struct log *log,
                         struct cuzk_error *e) MUST_USE;
void devices_close(struct devices *d); /* after the engine; a zeroed one is fine */

#endif
