/* groth16/srs_write.h - folded parameter files being written, section by section.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_SRS_WRITE_H
#define GROTH16_SRS_WRITE_H

#include "groth16/srs.h"

/* A section being written. Zero-initialise with the header set (srs_layout) and a file open for writing. */
struct srs_writer {
    struct srs_header *h;
    struct file_out *file;
    enum srs_kind kind;
    uint64_t done; /* bytes that the digest has taken in */
    struct digest_stream digest;
};

cuzk_status srs_section_begin(struct srs_writer *w, enum srs_kind kind, struct cuzk_error *e) MUST_USE;
/* The next bytes into the digest; at which byte of the section they stand in the file. Both are needed for
 * all bytes, and may run at once. */
cuzk_status srs_section_digest(struct srs_writer *w, const void *data, size_t size,
                               struct cuzk_error *e) MUST_USE;
cuzk_status srs_section_store(const struct srs_writer *w, enum srs_kind kind, uint64_t at, const void *data,
                              size_t size, struct cuzk_error *e) MUST_USE;
/* Its digest goes into the header. CUZK_ERR_INTERNAL if it has not as many bytes as the header says. */
cuzk_status srs_section_end(struct srs_writer *w, struct cuzk_error *e) MUST_USE;
/* All in one. */
cuzk_status srs_section_whole(struct srs_writer *w, enum srs_kind kind, const void *data,
                              struct cuzk_error *e) MUST_USE;
/* The key, and the densities of a circuit. */
cuzk_status srs_write_key(struct srs_writer *w, const struct groth16_vk *vk, struct cuzk_error *e) MUST_USE;

/* What was made here needs no check: leave a stamp, if it is still the file that was written. Failing is no
 * failure. */
void srs_stamp_own(const char *path, const struct file_id *written, const uint8_t digest[DIGEST_BYTES]);

#endif
