/* cuzk/doctor.h - what `cuzk doctor` finds. Private to doctor*.c.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_CUZK_DOCTOR_H
#define TOOLS_CUZK_DOCTOR_H

#include <cuzk/cuzk.h>

#include "common/progress.h"
#include "cuzk/cli.h"

enum finding_level { FINDING_OK = 0, FINDING_NOTE, FINDING_WARNING, FINDING_ERROR };

struct finding {
    enum finding_level level;
    char check[32];
    char text[640], advice[640]; /* advice: what to do; "" if nothing */
};

#define FINDINGS_MAX 256
#define CIRCUITS_MAX 64
#define NAME_SIZE    32
#define DEVICES_MAX  16

struct doctor {
    const struct options *o;
    struct finding finding[FINDINGS_MAX];
    size_t findings;
    struct progress progress;
    cuzk_context *context; /* without GPUs */
    struct cuzk_machine machine;
    char param_cache[CUZK_PATH_MAX];
    char circuit[CIRCUITS_MAX][NAME_SIZE]; /* enabled ones */
    size_t circuits;
    bool circuits_named;       /* by the command line or the daemon's settings: each must be there */
    unsigned gpu[DEVICES_MAX]; /* numbers of those that this build can use */
    unsigned gpus;
    bool gpus_seen; /* there are some, usable or not */
};

/* Note a finding; advice may be NULL. */
void doctor_note(struct doctor *d, const char *check, enum finding_level level, const char *advice,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* doctor_machine.c */
void doctor_processor(struct doctor *d);
void doctor_memory(struct doctor *d);
void doctor_limits(struct doctor *d);

/* doctor_params.c */
void doctor_settings(struct doctor *d); /* --config, --circuits */
void doctor_folder(struct doctor *d);
void doctor_params(struct doctor *d);

/* doctor_devices.c */
void doctor_driver(struct doctor *d);
void doctor_proofs(struct doctor *d);

/* "47.1 GiB" */
const char *doctor_size(char out[16], uint64_t bytes);

/* Read the first line of a small file; false: it cannot be read. */
bool doctor_read_line(const char *path, char *out, size_t size);

#endif
