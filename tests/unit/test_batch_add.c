/* Batched affine additions against the complete ones, for every kind of pair in every place of a batch.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve_testing.h"

#include <stdlib.h>

#include "curve/batch_add.h"

/* Points that make every kind of pair with each other: infinity, P, -P, 2P, Q, -Q, and one with x = 0. */
#define KINDS 7

static void g1_kinds(g1_affine p[KINDS])
{
    uint64_t seed = 1;
    g1 t;
    memset(p, 0, KINDS * sizeof *p);
    test_random_g1(&t, &seed);
    g1_to_affine(p + 1, &t);
    p[2] = p[1];
    fp_neg(&p[2].y, &p[1].y);
    g1_double(&t, &t);
    g1_to_affine(p + 3, &t);
    test_random_g1(&t, &seed);
    g1_to_affine(p + 4, &t);
    p[5] = p[4];
    fp_neg(&p[5].y, &p[4].y);
    fp_from_u64(&p[6].y, 2);
    assert_true(g1_affine_on_curve(p + 6));
}

static void g2_kinds(g2_affine p[KINDS])
{
    uint64_t seed = 2;
    g2 t;
    memset(p, 0, KINDS * sizeof *p);
    test_random_g2(&t, &seed);
    g2_to_affine(p + 1, &t);
    p[2] = p[1];
    fp2_neg(&p[2].y, &p[1].y);
    g2_double(&t, &t);
    g2_to_affine(p + 3, &t);
    test_random_g2(&t, &seed);
    g2_to_affine(p + 4, &t);
    p[5] = p[4];
    fp2_neg(&p[5].y, &p[4].y);
    /* 4 (1 + u) is no square, so no point has x = 0 */
    test_random_g2_curve(p + 6, &seed);
}

#define F(op)   fp_##op
#define AFFINE  g1_affine
#define POINT   g1
#define BATCH   g1_batch
#define G(op)   g1_##op
#define GI(op)  g1i_##op
#define T(name) g1_##name
#include "test_batch_add.inc"
#undef F
#undef AFFINE
#undef POINT
#undef BATCH
#undef G
#undef GI
#undef T

#define F(op)   fp2_##op
#define AFFINE  g2_affine
#define POINT   g2
#define BATCH   g2_batch
#define G(op)   g2_##op
#define GI(op)  g2i_##op
#define T(name) g2_##name
#include "test_batch_add.inc"
#undef F
#undef AFFINE
#undef POINT
#undef BATCH
#undef G
#undef GI
#undef T

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g1_pairs_of_every_kind),
        cmocka_unit_test(g1_full_batch_runs_by_itself),
        cmocka_unit_test(g2_pairs_of_every_kind),
        cmocka_unit_test(g2_full_batch_runs_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
