/* r1cs/template_build.h - what recording and compiling templates share.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_TEMPLATE_BUILD_H
#define R1CS_TEMPLATE_BUILD_H

#include "r1cs/hash_index.h"
#include "r1cs/template.h"

/* The arrays while they grow. */
struct template_build {
    struct budget *budget;
    struct vec part[TEMPLATE_SECTIONS];
    struct hash_index coeffs; /* elements to codes below TEMPLATE_POWERS or TEMPLATE_POWERS + element */
    struct hash_index tables;
    fr pow2[FR_BITS];
};
void template_build_init(struct template_build *b, struct budget *budget);
void template_build_free(struct template_build *b);

/* How large an element of a section's array is. */
size_t template_section_size(enum template_section section);

/* The code of a coefficient: below TEMPLATE_POWERS, or TEMPLATE_POWERS and the element's place. */
cuzk_status template_build_coeff(struct template_build *b, uint32_t *code, const fr *coeff,
                                 struct cuzk_error *e) MUST_USE;

const void *templates_get(const struct templates *t, enum template_section section);
void templates_set(struct templates *t, enum template_section section, const void *array);
/* Set the pointers into out->block[]. */
void templates_point(struct templates *out);

/* Make the ops and programs of the template that was added last. */
cuzk_status template_compile(struct template_build *b, struct template *t, struct cuzk_error *e) MUST_USE;

/* The coefficient behind a code of the template's. */
static inline void template_coeff(fr *out, const struct templates *t, const struct template *one,
                                  const fr pow2[FR_BITS], uint32_t code)
{
    if (code >= TEMPLATE_POWERS) {
        *out = t->element[t->coeff[one->coeff + code - TEMPLATE_POWERS]];
        return;
    }
    *out = pow2[code / 2];
    if (code % 2 != 0)
        fr_neg(out, out);
}

#endif
