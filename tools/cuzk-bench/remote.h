/* cuzk-bench/remote.h - a client of the daemon: calls that wait for their answers.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_CUZK_BENCH_REMOTE_H
#define TOOLS_CUZK_BENCH_REMOTE_H

#include <stdio.h>
#include <sys/types.h>

#include "circuits/request_wire.h"
#include "cuzk-bench/bench.h"

/* A connection, made with the first call; used by any number of threads. */
struct remote;
cuzk_status remote_open(struct remote **out, const char *address, struct cuzk_error *e);
void remote_close(struct remote *r); /* NULL is fine */

/* The daemon's process, where the address is a Unix socket of this machine; 0: not told. */
pid_t remote_process(const char *address);

/* A request packed once, to be sent under any number of ids. */
struct remote_payload;
cuzk_status remote_payload_new(struct remote_payload **out, const struct request_wire *w, unsigned priority,
                               struct cuzk_error *e);
void remote_payload_free(struct remote_payload *p); /* NULL is fine */

enum remote_outcome {
    REMOTE_COMPLETED = 0,
    REMOTE_FAILED,    /* the job: message says why */
    REMOTE_CANCELLED, /* by CancelProof */
    REMOTE_VANISHED,  /* the client left before the answer */
    REMOTE_REFUSED,   /* the daemon is full, or shutting down */
    REMOTE_ERROR,     /* the call failed */
};
#define REMOTE_OUTCOMES 6

struct remote_result {
    enum remote_outcome outcome;
    char message[CUZK_ERROR_MESSAGE_MAX];
    uint8_t *proof; /* the caller's, for free() */
    size_t proof_size;
    double queue_wait, srs_load, synthesis, device, total; /* seconds, as the daemon counts them */
};

/* All wait; timeout_ms 0: for ever. *out is filled in whatever happens. */
void remote_prove(struct remote *r, const struct remote_payload *p, const char *id, uint64_t timeout_ms,
                  struct remote_result *out);
/* The same, but leave after a while. */
void remote_prove_and_leave(struct remote *r, const struct remote_payload *p, const char *id,
                            uint64_t after_ms, struct remote_result *out);
/* SubmitProof, then after a while CancelProof, then AwaitProof. */
void remote_submit_and_cancel(struct remote *r, const struct remote_payload *p, const char *id,
                              uint64_t after_ms, uint64_t timeout_ms, struct remote_result *out);

cuzk_status remote_status(struct remote *r, FILE *f, bool json, struct cuzk_error *e);
cuzk_status remote_metrics(struct remote *r, FILE *f, bool json, struct cuzk_error *e);
cuzk_status remote_preload(struct remote *r, const char *circuit, bool *already, uint64_t *ms,
                           struct cuzk_error *e);
cuzk_status remote_evict(struct remote *r, const char *circuit, bool *was_loaded, uint64_t *bytes,
                         struct cuzk_error *e);

#endif
