/* tests/unit/test_encoding.c - points as bytes: the reference's encodings, each kind of fault, and the check
 * of many points in every variant.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve/encoding.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pool.h"
#include "curve/check.h"
#include "curve_testing.h"
#include "curve_vectors.h"

#define AFFINE        g1_affine
#define POINT         g1
#define G(op)         g1_##op
#define VECTORS(kind) G1_##kind
#define SIZE          G1_COMPRESSED_BYTES
#define T(name)       g1_##name
#include "test_encoding.inc"
#undef AFFINE
#undef POINT
#undef G
#undef VECTORS
#undef SIZE
#undef T

#define AFFINE        g2_affine
#define POINT         g2
#define G(op)         g2_##op
#define VECTORS(kind) G2_##kind
#define SIZE          G2_COMPRESSED_BYTES
#define T(name)       g2_##name
#include "test_encoding.inc"
#undef AFFINE
#undef POINT
#undef G
#undef VECTORS
#undef SIZE
#undef T

/* The check of a chunk with a generator that always says the same: all points go to one bucket of a pass.
 * When asked to, it also spoils a bucket that no point goes to, as a fault of the memory would. */
static void (*constant_random_spoils)(void);
static bool constant_random(void *out, size_t size)
{
    if (constant_random_spoils)
        constant_random_spoils();
    memset(out, 0, size);
    return true;
}
#undef V
#define V(name)      name##_constant
#define check_random constant_random
check_function g1_check_chunk_constant, g2_check_chunk_constant;
size_t g1_check_bytes_constant(void);
size_t g2_check_bytes_constant(void);
#include "curve/check_variant.c"

/* The sums are right however many additions must wait for one bucket. */
static void test_all_points_in_one_bucket(void **unused)
{
    (void)unused;
    const size_t n = 2000;
    uint8_t *bytes = g1_many(n), outside[G1_UNCOMPRESSED_BYTES];
    void *scratch = NULL;
    test_unhex(outside, G1_OUTSIDE[2].uncompressed, sizeof outside);
    assert_int_equal(posix_memalign(&scratch, 64, g1_check_bytes_constant()), 0);
    struct check_chunk chunk = {.in = bytes, .n = n, .plan = {5, 20}};
    size_t index = SIZE_MAX;
    enum encoding_fault fault = ENCODING_OK;
    assert_int_equal(g1_check_chunk_constant(scratch, &chunk, &index, &fault), CHECK_SOUND);
    memcpy(bytes + 1234 * sizeof outside, outside, sizeof outside);
    assert_int_equal(g1_check_chunk_constant(scratch, &chunk, &index, &fault), CHECK_FAULT);
    assert_int_equal(index, 1234);
    assert_int_equal(fault, ENCODING_NOT_IN_SUBGROUP);
    free(scratch);
    test_free(bytes);
}

static struct g1_check_scratch *spoiled;

static void spoil(void)
{
    uint8_t outside[G1_UNCOMPRESSED_BYTES];
    test_unhex(outside, G1_OUTSIDE[0].uncompressed, sizeof outside);
    assert_int_equal(g1_read_uncompressed(&spoiled->bucket[1], outside, ENCODING_CURVE), ENCODING_OK);
}

/* A sum outside although each point is sound: that is not taken for sound, and a fault of form still counts.
 */
static void test_bad_sums_of_sound_points_are_a_fault(void **unused)
{
    (void)unused;
    const size_t n = 2000, at = 1500;
    uint8_t *bytes = g1_many(n);
    void *scratch = NULL;
    assert_int_equal(posix_memalign(&scratch, 64, g1_check_bytes_constant()), 0);
    struct check_chunk chunk = {.in = bytes, .n = n, .plan = {5, 20}};
    size_t index = SIZE_MAX;
    enum encoding_fault fault = ENCODING_OK;
    spoiled = scratch;
    constant_random_spoils = spoil;
    assert_int_equal(g1_check_chunk_constant(scratch, &chunk, &index, &fault), CHECK_DOUBTFUL);
    bytes[at * G1_UNCOMPRESSED_BYTES] ^= 0x80;
    assert_int_equal(g1_check_chunk_constant(scratch, &chunk, &index, &fault), CHECK_FAULT);
    assert_int_equal(index, at);
    assert_int_equal(fault, ENCODING_FLAGS);
    constant_random_spoils = NULL;
    free(scratch);
    test_free(bytes);
}

static void test_each_fault_has_its_text(void **unused)
{
    (void)unused;
    for (int i = ENCODING_OK; i <= ENCODING_NOT_IN_SUBGROUP; i++) {
        for (int j = ENCODING_OK; j < i; j++)
            assert_string_not_equal(encoding_fault_text((enum encoding_fault)i),
                                    encoding_fault_text((enum encoding_fault)j));
    }
}

/* Every plan of the bucket test keeps the bound on its error and fits its scratch. */
static void test_plans_are_sound(void **unused)
{
    (void)unused;
    static const unsigned tests[] = {1, 60, 160, 1000};
    for (size_t t = 0; t < ARRAY_LEN(tests); t++) {
        for (size_t n = 0; n <= (size_t)1 << 22; n = n * 2 + 1) {
            const struct check_plan plan = check_plan_make(n, tests[t]);
            if (plan.bits == 0)
                continue;
            assert_true(plan.bits * plan.passes >= CHECK_SECURITY);
            assert_true(plan.bits * plan.passes <= 128);
            assert_true(plan.passes << plan.bits <= CHECK_BUCKETS_MAX);
            assert_true(plan.passes < tests[t]);
        }
    }
    assert_int_equal(check_plan_make(100, 160).bits, 0);
    assert_int_equal(check_plan_make((size_t)1 << 20, 160).bits, CHECK_BITS_MAX);
}

int main(void)
{
#define SINGLE_TESTS(prefix)                                                                                 \
    cmocka_unit_test(prefix##_test_multiples_are_the_references),                                            \
        cmocka_unit_test(prefix##_test_hashed_points_are_sound),                                             \
        cmocka_unit_test(prefix##_test_points_outside_of_the_subgroup_are_refused),                          \
        cmocka_unit_test(prefix##_test_an_x_off_the_curve_is_refused),                                       \
        cmocka_unit_test(prefix##_test_infinity_has_one_encoding_a_form),                                    \
        cmocka_unit_test(prefix##_test_each_flag_bit_counts),                                                \
        cmocka_unit_test(prefix##_test_coordinates_must_be_below_p),                                         \
        cmocka_unit_test(prefix##_test_any_flipped_bit_is_seen)
#define MANY_TESTS(prefix, x)                                                                                \
    cmocka_unit_test_prestate(prefix##_test_the_first_bad_point_of_many_is_found, x),                        \
        cmocka_unit_test_prestate(prefix##_test_bad_points_do_not_hide_each_other, x),                       \
        cmocka_unit_test_prestate(prefix##_test_a_check_can_be_stopped_and_can_lack_memory, x)
    const struct CMUnitTest tests[] = {
        SINGLE_TESTS(g1),
        SINGLE_TESTS(g2),
        cmocka_unit_test(test_each_fault_has_its_text),
        cmocka_unit_test(test_plans_are_sound),
        cmocka_unit_test(test_all_points_in_one_bucket),
        cmocka_unit_test(test_bad_sums_of_sound_points_are_a_fault),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int v = 0; v < CPU_VARIANTS; v++) {
        struct exec x = {.variant = (enum cpu_variant)v};
        if (!cpu_supports(x.variant))
            continue;
        for (unsigned threads = x.variant == cpu_best() ? 1 : 2; threads <= 2; threads++) {
            print_message("variant %s, %u threads\n", cpu_variant_name(x.variant), threads);
            if (pool_new(&x.pool, threads, NULL) != CUZK_OK)
                return 1;
            const struct CMUnitTest many[] = {MANY_TESTS(g1, &x), MANY_TESTS(g2, &x)};
            failed += cmocka_run_group_tests(many, NULL, NULL);
            pool_free(x.pool);
        }
    }
#undef SINGLE_TESTS
#undef MANY_TESTS
    return failed;
}
