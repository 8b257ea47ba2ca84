/* tests/unit/test_group.c - G1 and G2: the functions of group.h, and the inline ones as the ADX variant
 * compiles them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/cpu.h"

#ifdef CUZK_HAVE_ADX
#define CUZK_VARIANT_ADX
#endif
#include "curve/group_inline.h"

#include "curve_testing.h"

#define FIELD              fp
#define F(op)              fp_##op
#define AFFINE             g1_affine
#define POINT              g1
#define PUBLIC(op)         g1_##op
#define RANDOM(op)         RANDOM_G1_##op
#define GENERATOR          G1_GENERATOR
#define FIRST_LIMB         l[0]
#define RANDOM_G1_curve    test_random_g1_curve
#define RANDOM_G1_subgroup test_random_g1
#define RANDOM_G1_field    test_random_fp
#define MUL_LIMBS          g1i_mul_limbs
#define TINY_ORDER         33
#define TINY_MULTIPLE                                                                                        \
    {                                                                                                        \
        0xffae315dcbd00bc1, 0x175b72f401e62342, 0xa05f5752f4b0cbc9, 0x4dda3ef9505cc094, 0x2ca2fc3b095a7a7b,  \
            0x001256cb0c25bad1                                                                               \
    }
#define G(op)   g1_##op
#define T(name) g1_##name
#include "test_group.inc"
#undef G
#undef T
#define G(op)   g1i_##op
#define T(name) g1i_##name
#include "test_group.inc"
#undef FIELD
#undef F
#undef AFFINE
#undef POINT
#undef PUBLIC
#undef RANDOM
#undef GENERATOR
#undef FIRST_LIMB
#undef MUL_LIMBS
#undef TINY_ORDER
#undef TINY_MULTIPLE
#undef G
#undef T

#define FIELD              fp2
#define F(op)              fp2_##op
#define AFFINE             g2_affine
#define POINT              g2
#define PUBLIC(op)         g2_##op
#define RANDOM(op)         RANDOM_G2_##op
#define GENERATOR          G2_GENERATOR
#define FIRST_LIMB         c0.l[0]
#define RANDOM_G2_curve    test_random_g2_curve
#define RANDOM_G2_subgroup test_random_g2
#define RANDOM_G2_field    test_random_fp2
#define MUL_LIMBS          g2i_mul_limbs
#define TINY_ORDER         299
#define TINY_MULTIPLE                                                                                        \
    {                                                                                                        \
        0x3aa294834061650d, 0x1ecdaec72771f80c, 0x2a71238056fe8b29, 0x0dd593deb1a65d8d, 0xf06f6fd897364e52,  \
            0x4235297fc9c5ebd8, 0x3e0bd7549b09ea30, 0x033e0d14bb526f23, 0x84471d6314b42684,                  \
            0xabdf71c6f4b36652, 0x69543da9fd1d8b14, 0x000001efb4a568d8                                       \
    }
#define G(op)   g2_##op
#define T(name) g2_##name
#include "test_group.inc"
#undef G
#undef T
#define G(op)   g2i_##op
#define T(name) g2i_##name
#include "test_group.inc"

/* (0, 2) is on the curve of G1, has order 3 and so is outside of the subgroup. */
static void test_a_point_of_order_3_is_refused(void **unused)
{
    (void)unused;
    g1_affine a = {FP_ZERO, FP_ZERO};
    fp_from_u64(&a.y, 2);
    g1 p, q;
    g1_from_affine(&p, &a);
    g1_double(&q, &p);
    assert_false(g1_is_infinity(&q));
    g1_add(&q, &q, &p);
    assert_true(g1_is_infinity(&q));
    assert_true(g1_affine_on_curve(&a));
    assert_false(g1_affine_in_subgroup(&a));
}

static bool can_run_inline_ones(void)
{
#ifdef CUZK_HAVE_ADX
    return cpu_supports(CPU_ADX);
#else
    return true;
#endif
}

int main(void)
{
#define GROUP_TESTS(prefix)                                                                                  \
    cmocka_unit_test(prefix##_test_additions_are_the_textbooks),                                             \
        cmocka_unit_test(prefix##_test_multiples_are_repeated_sums),                                         \
        cmocka_unit_test(prefix##_test_batches_to_affine_are_single_ones),                                   \
        cmocka_unit_test(prefix##_test_subgroup_check_is_multiplication_by_r),                               \
        cmocka_unit_test(prefix##_test_the_law_on_a_tiny_subgroup)
    const struct CMUnitTest tests[] = {
        GROUP_TESTS(g1),
        GROUP_TESTS(g2),
        cmocka_unit_test(test_a_point_of_order_3_is_refused),
    };
    const struct CMUnitTest inline_tests[] = {
        GROUP_TESTS(g1i),
        GROUP_TESTS(g2i),
    };
#undef GROUP_TESTS
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (can_run_inline_ones())
        failed += cmocka_run_group_tests(inline_tests, NULL, NULL);
    return failed;
}
