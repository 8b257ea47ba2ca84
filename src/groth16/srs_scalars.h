/* groth16/srs_scalars.h - by what the generators are multiplied to give the points of a folded file.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_SRS_SCALARS_H
#define GROTH16_SRS_SCALARS_H

#include "groth16/kernels.h"
#include "groth16/qap.h"
#include "groth16/srs_shape.h"

struct srs_scalars {
    const struct groth16_kernels *kernels;
    const struct srs_shape *shape;
    const struct srs_header *header;
    struct qap qap;
    fr tau, q_scale, q_tail, w; /* Q_j = q_scale d_j/(tau - d_j) + q_tail d_j */
};

/* shape and header are borrowed; the caller frees. CUZK_ERR_ARGUMENT: the trapdoor is of no use. */
cuzk_status srs_scalars_make(const struct exec *x, struct srs_scalars *out, const struct templates *t,
                             const struct srs_shape *shape, const struct srs_header *header,
                             const struct groth16_trapdoor *trapdoor, struct cuzk_error *e) MUST_USE;
void srs_scalars_free(struct srs_scalars *s); /* a zeroed one is fine */

/* n of Q's from the first-th on. scratch: n elements. */
void srs_scalars_q(const struct srs_scalars *s, fr *out, fr *scratch, uint64_t first, size_t n);

/* How far a section has been read. Zero-initialise with its kind. */
struct srs_cursor {
    enum srs_kind kind; /* any but SRS_Q */
    uint64_t first;     /* scalars so far */
    uint32_t at, rank;  /* variables so far, and those of its class */
};
/* Up to room scalars more; 0: there are no more. */
size_t srs_scalars_next(const struct srs_scalars *s, struct srs_cursor *cursor, fr *out, size_t room);

#endif
