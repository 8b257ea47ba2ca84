/* daemon/daemon.h - the daemon's life: engine, servers, signals.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "daemon/config.h"

struct daemon_options {
    struct config config;       /* the file's, with the command line's on top */
    const char *config_path;    /* read again on SIGHUP; NULL: none */
    const char *const *changes; /* "section.key=value" of the command line, to be put on top again */
    unsigned change_count;
    const char *notify_socket; /* NULL: none */
    uint64_t watchdog_us;      /* systemd wants to hear of us so often; 0: never */
};

/* Serve until SIGTERM or SIGINT, then let the jobs in hand end (drain_timeout); a second one stops at once,
 * and leaves to the journal what has not ended. SIGHUP reads the settings again. */
cuzk_status daemon_run(const struct daemon_options *options, struct cuzk_error *e) MUST_USE;

/* Prove once more what a bundle of a failure holds (engine.h), with these settings but without journal and
 * servers. out: a line of JSON on what came of it. *well: it was proved, and no device failed on the way. */
cuzk_status daemon_replay(const struct daemon_options *options, const char *folder, struct text *out,
                          bool *well, struct cuzk_error *e) MUST_USE;

/* Lines that begin with # on the GPUs that the settings name, which are opened for it. */
cuzk_status daemon_describe_devices(const struct config *c, struct text *out, struct cuzk_error *e) MUST_USE;

#endif
