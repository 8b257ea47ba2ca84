/* Batched affine additions in lanes against the complete ones, for every kind of pair in every lane.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve_testing.h"

#include <stdlib.h>

#include "curve/batch_add8.h"

/* Points that make every kind of pair with each other: infinity, P, -P, 2P, Q, -Q. */
#define KINDS 6

#define F(op)        fp_##op
#define AFFINE       g1_affine
#define POINT        g1
#define ROW          fp_row
#define ROWS         g1_rows
#define BATCH        g1_batch8
#define OCTETS       G1R_BATCH_OCTETS
#define G(op)        g1_##op
#define R(op)        g1r_##op
#define T(name)      g1_##name
#define RANDOM_POINT test_random_g1
#include "test_batch_add8.inc"
#undef F
#undef AFFINE
#undef POINT
#undef ROW
#undef ROWS
#undef BATCH
#undef OCTETS
#undef G
#undef R
#undef T
#undef RANDOM_POINT

static void fp2_to_row(fp2_row *out, const fp2 *a)
{
    fp_to_row(&out->c0, &a->c0);
    fp_to_row(&out->c1, &a->c1);
}

#define F(op)        fp2_##op
#define AFFINE       g2_affine
#define POINT        g2
#define ROW          fp2_row
#define ROWS         g2_rows
#define BATCH        g2_batch8
#define OCTETS       G2R_BATCH_OCTETS
#define G(op)        g2_##op
#define R(op)        g2r_##op
#define T(name)      g2_##name
#define RANDOM_POINT test_random_g2
#include "test_batch_add8.inc"
#undef F
#undef AFFINE
#undef POINT
#undef ROW
#undef ROWS
#undef BATCH
#undef OCTETS
#undef G
#undef R
#undef T
#undef RANDOM_POINT

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g1_pairs_of_every_kind),
        cmocka_unit_test(g1_full_batch_runs_by_itself),
        cmocka_unit_test(g2_pairs_of_every_kind),
        cmocka_unit_test(g2_full_batch_runs_by_itself),
    };
    if (!cpu_supports(CPU_IFMA))
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
