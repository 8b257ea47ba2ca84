/* groth16/srs_part.h - a folded parameter file that is not whole yet, PATH.part: mapped for writing, with a
 * journal, so that a conversion can be taken up again whatever ended it.
 *
 *   0      "cuzkprt\n", then the header as it will be but for its first 8 bytes and its digests: what the
 *          conversion is of (circuit, classes, source, counts)
 *   2048   two records in turn, 1024 bytes apart: number, phase, units done (u64 each), digest of the
 *          three (16 bytes); the valid one with the higher number counts
 *   4096   the file as it will be
 *   behind its end, from a multiple of 2 MiB on: room for 2^domain_log points
 * Work goes in phases, these in units that may be done again (transform.h). A record is written only after
 * all that it says was done is on the disk.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_SRS_PART_H
#define GROTH16_SRS_PART_H

#include "base/file.h"
#include "groth16/srs.h"

struct srs_part {
    const char *path; /* of the file as it will be */
    char *part_path;
    int fd;        /* locked; -1: none */
    uint8_t *data; /* mapped */
    uint64_t size, final_size;
    uint64_t number, phase, units; /* the last record */
    bool whole;                    /* all was done but the name */
    bool resumed;                  /* some of it was on the disk already */
};

/* Does it begin as such a file does? */
bool srs_part_is(const uint8_t *in, uint64_t size);

/* Open PATH.part or make it. h: as srs_layout left it. CUZK_ERR_MISMATCH if there is one of another
 * conversion, CUZK_ERR_IO if another process has it. The caller closes. */
cuzk_status srs_part_open(struct srs_part *out, const char *path, const struct srs_header *h,
                          struct cuzk_error *e) MUST_USE;
void srs_part_close(struct srs_part *p); /* a zeroed one with fd -1 is fine; the file stays */

/* What was done is on the disk from here on. */
cuzk_status srs_part_record(struct srs_part *p, uint64_t phase, uint64_t units,
                            struct cuzk_error *e) MUST_USE;

/* Digests, header, the final size and name; a stamp is left unless the work was taken up. */
cuzk_status srs_part_finish(struct srs_part *p, const struct exec *x, struct srs_header *h,
                            struct cuzk_error *e) MUST_USE;

static inline g1_affine *srs_part_room(const struct srs_part *p)
{
    return (g1_affine *)(void *)(p->data + (p->final_size + SRS_ALIGN - 1) / SRS_ALIGN * SRS_ALIGN);
}

#endif
