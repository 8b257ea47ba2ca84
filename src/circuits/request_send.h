/* circuits/request_send.h - what a client sends to have a request file proved: request_wire.h the other way
 * round.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_REQUEST_SEND_H
#define CIRCUITS_REQUEST_SEND_H

#include "base/file.h"
#include "circuits/request_wire.h"

/* A request file and the files of its vanilla proofs. */
struct request_send {
    struct request request; /* the statement alone */
    struct file_map *files;
    struct request_wire_bytes *pieces;
    size_t count;
    struct arena arena;
};

/* Map what path (as request_read takes it) names. Whether the vanilla proofs are well-formed is not asked.
 * Errors as request_read. */
cuzk_status request_send_open(const struct exec *x, struct request_send *out, const char *path,
                              struct cuzk_error *e) MUST_USE;
void request_send_close(struct request_send *s); /* a zeroed one is fine */

/* How many requests it takes: one a partition of a window proof, else one. */
unsigned request_send_count(const struct request_send *s);

/* The i-th of them; it borrows from s. */
void request_send_get(const struct request_send *s, unsigned i, struct request_wire *out);

#endif
