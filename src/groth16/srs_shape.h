/* groth16/srs_shape.h - what a folded parameter file says of its circuit: counts, classes, densities.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_SRS_SHAPE_H
#define GROTH16_SRS_SHAPE_H

#include "groth16/srs.h"
#include "r1cs/template.h"

struct srs_shape {
    uint32_t inputs, aux;
    uint64_t rows;
    unsigned log; /* the domain has 2^log points, at least rows */
    struct classes classes;
    struct block density[2]; /* of A, of B: as their sections are; and a word more */
};

/* From the circuit's templates. The caller frees. */
cuzk_status srs_shape_of_templates(const struct exec *x, struct srs_shape *out, const struct templates *t,
                                   struct cuzk_error *e) MUST_USE;
void srs_shape_free(struct srs_shape *s); /* a zeroed one is fine */

/* The header that this circuit's file has, without the sections' digests and the source. */
cuzk_status srs_shape_header(struct srs_header *out, const struct srs_shape *s, const char *name,
                             struct cuzk_error *e) MUST_USE;

/* The next auxiliary variable of a class from *at on: its index, and *at behind it; false: none. */
static inline bool srs_next_aux(const struct classes *c, bool bits, uint32_t *at, uint32_t *aux)
{
    while (*at < c->count) {
        const uint32_t i = (*at)++;
        if (classes_is_bit(c, i) == bits) {
            *aux = i;
            return true;
        }
    }
    return false;
}

#endif
