/* circuits/request_meta.h - request files: JSON statements of all kinds. Private to request_*.c.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_REQUEST_META_H
#define CIRCUITS_REQUEST_META_H

#include "base/file.h"
#include "circuits/request.h"

/* Request files are not larger (a hundred thousand sectors); what is larger is a C1. */
#define REQUEST_META_MAX ((size_t)32 << 20)

/* The files of vanilla proofs that a request file names, in order; not PoRep's. */
struct request_names {
    char **name; /* in the request's arena; file names without a folder */
    size_t count;
};

/* Read a request file of at most REQUEST_META_MAX bytes into q (all but the vanilla proofs), which is zeroed
 * but for its arena's budget. *found tells whether the text is a request file at all, an object with a field
 * "kind"; if it is not, CUZK_OK says only that it is JSON. On failure the caller frees q. */
cuzk_status request_meta_read(const struct exec *x, struct request *q, struct request_names *names,
                              bool *found, const struct file_map *file, struct cuzk_error *e) MUST_USE;

/* "porep", "porep-v1"...: the kind of request that registered seal proofs of these params have. */
const char *request_porep_kind(const struct porep_params *p);

#endif
