/* groth16/manifest.h - parameters.json, which lists parameter files with their digests.
 *
 * {"NAME": {"cid": text, "digest": hex of the first 16 bytes of BLAKE2b-512, "sector_size": bytes}, ...}
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_MANIFEST_H
#define GROTH16_MANIFEST_H

#include "base/exec.h"
#include "base/file.h"

#define DIGEST_BYTES 16
#define DIGEST_TEXT  (2 * DIGEST_BYTES + 1)

struct manifest_entry {
    bool listed;
    uint64_t sector_size;     /* 0 unless listed */
    char digest[DIGEST_TEXT]; /* as listed; else empty */
};

/* What the parameters.json in the folder of path says of it; not listed if there is none. A malformed one
 * is an error. */
cuzk_status manifest_lookup(struct manifest_entry *out, const char *path, struct cuzk_error *e) MUST_USE;

/* The same of the text of a parameters.json; in has JSON_PADDING readable bytes behind it. */
cuzk_status manifest_parse(struct manifest_entry *out, const uint8_t *in, size_t size, const char *name,
                           struct cuzk_error *e) MUST_USE;

/* Is a file's digest the listed one? CUZK_ERR_INPUT naming both if not. */
cuzk_status manifest_compare(const struct manifest_entry *entry, const char *path, const char *digest,
                             struct cuzk_error *e) MUST_USE;

/* The digest of bytes, in one go (x: for progress and cancel) or piece by piece. */
cuzk_status digest_of(const struct exec *x, const uint8_t *data, size_t size, char out[DIGEST_TEXT],
                      struct cuzk_error *e) MUST_USE;
struct digest_stream {
    void *state;
};
cuzk_status digest_begin(struct digest_stream *d, struct cuzk_error *e) MUST_USE;
cuzk_status digest_update(struct digest_stream *d, const void *data, size_t size,
                          struct cuzk_error *e) MUST_USE;
cuzk_status digest_end(struct digest_stream *d, char out[DIGEST_TEXT], struct cuzk_error *e) MUST_USE;
void digest_free(struct digest_stream *d); /* a zeroed or ended one is fine */

#endif
