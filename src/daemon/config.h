/* daemon/config.h - the daemon's settings: one table gives parser, help, manual and example file.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_CONFIG_H
#define DAEMON_CONFIG_H

#include "base/text.h"
#include "daemon/log.h"
#include "engine/engine.h"

#define CONFIG_TEXT     512 /* bytes of a text with its NUL */
#define CONFIG_PATH     "/data/zk/cuzk.toml"
#define CONFIG_FILE_MAX ((size_t)1 << 20)

struct config {
    /* daemon */
    char listen[CONFIG_TEXT], status_listen[CONFIG_TEXT], state_folder[CONFIG_TEXT];
    uint64_t message_limit, arriving_limit, threads, drain_timeout;
    /* srs */
    char param_cache[CONFIG_TEXT], keep_loaded[CONFIG_TEXT];
    uint64_t max_loaded;
    /* memory */
    uint64_t total_budget, safety_margin, urgent_budget, eviction_min_idle;
    /* cpu, gpus, synthesis, pipeline */
    uint64_t cpu_variant, cpu_use, cpu_threads;
    char gpus[CONFIG_TEXT], post_gpus[CONFIG_TEXT];
    uint64_t gpu_memory, gpu_threads, gpu_workers, quarantine;
    uint64_t synthesis_threads, synthesis_workers, lookahead;
    /* queue */
    uint64_t max_jobs, max_porep, max_snap, max_window, max_winning, max_payload, max_bytes;
    /* deadlines */
    uint64_t deadline_porep, deadline_snap, deadline_window, deadline_winning;
    /* results */
    uint64_t keep, keep_jobs, keep_bundles;
    /* logging */
    uint64_t log_level, log_format;
};

void config_defaults(struct config *c);

/* What a file or a setting said that is accepted and has no effect. */
struct config_warnings {
    char text[16][256];
    unsigned count;
};

/* Set what the TOML text says; name stands before errors: "NAME:LINE: ...". An unknown key or section is an
 * error that names the nearest known one. */
cuzk_status config_read(struct config *c, struct config_warnings *warnings, const char *text, size_t size,
                        const char *name, struct cuzk_error *e) MUST_USE;
cuzk_status config_read_file(struct config *c, struct config_warnings *warnings, const char *path,
                             struct cuzk_error *e) MUST_USE;

/* "section.key=value", the value as in the file without quotes. */
cuzk_status config_set(struct config *c, struct config_warnings *warnings, const char *assignment,
                       struct cuzk_error *e) MUST_USE;

/* What no single key tells: combinations, folders that must be there. */
cuzk_status config_check(const struct config *c, struct cuzk_error *e) MUST_USE;

/* Take over from next what can change while the daemon runs; the names of the others that differ go, with ",
 * " between, into fixed. */
void config_reload(struct config *c, const struct config *next, struct text *fixed);

/* The engine's options, but for devices and event; it borrows c. */
void config_engine(const struct config *c, struct engine_options *out);

/* The table as an example file (TOML, everything commented out with its default), as a section of a manual
 * page (roff), and as a list for --help. */
void config_example(struct text *out);
void config_manual(struct text *out);
void config_help(struct text *out);
/* The settings in force, as TOML. */
void config_print(struct text *out, const struct config *c);

/* Parts of listen: the i-th address ("unix:///path", "host:port"), without blanks; false from the end on. */
bool config_address(const struct config *c, unsigned i, char out[CONFIG_TEXT]);
/* The same of the circuits in srs.keep_loaded. */
bool config_kept_circuit(const struct config *c, unsigned i, char out[CONFIG_TEXT]);
/* The i-th number of gpus.post_only; false from the end on. */
bool config_post_gpu(const struct config *c, unsigned i, unsigned *out);
/* gpus.devices as gpus_open takes it (backend/gpus.h). */
void config_gpus(const struct config *c, char out[CONFIG_TEXT]);

#endif
