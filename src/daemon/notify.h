/* daemon/notify.h - telling systemd how we are (sd_notify(3), the protocol alone).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* state: "READY=1", "STOPPING=1", "RELOADING=1", "WATCHDOG=1", "STATUS=..." and others, one a line. Nothing
 * happens if nobody asked to be told (socket NULL or empty; NOTIFY_SOCKET as the process found it). */
void notify(const char *socket, const char *state);

#endif
