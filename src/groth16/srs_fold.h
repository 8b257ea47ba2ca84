/* groth16/srs_fold.h - the sparse product C^T K, taken from the l query.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_SRS_FOLD_H
#define GROTH16_SRS_FOLD_H

#include "curve/group.h"
#include "r1cs/template.h"

/* For each variable v subtract sum over rows i of c_iv K_i from its point: inputs from fold, auxiliary ones
 * from bits or wide by their class. */
struct fold_target {
    const g1_affine *k;
    g1_affine *fold, *bits, *wide;
};
cuzk_status srs_fold(const struct exec *x, const struct templates *t, const struct fold_target *target,
                     struct cuzk_error *e) MUST_USE;

#endif
