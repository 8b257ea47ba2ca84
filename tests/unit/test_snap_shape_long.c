/* The blank update circuits of the largest sectors are the reference's, made row by row in little memory.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "snap_vectors.h"

#include <sys/resource.h>

#define MEMORY_KIB (96L << 10) /* two bits for each of 85 million variables, and the growing of these */

static void memory_is_bounded(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < MEMORY_KIB);
}

static void the_largest_circuits_are_the_references(void **state)
{
    (void)state;
    snap_check_shape("snap-32g");
    snap_check_shape("snap-64g");
    memory_is_bounded();
}

static void the_largest_poseidon_circuits_are_the_references(void **state)
{
    (void)state;
    snap_check_shape("snap-poseidon-32g");
    snap_check_shape("snap-poseidon-64g");
    memory_is_bounded();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_circuits_are_the_references),
        cmocka_unit_test(the_largest_poseidon_circuits_are_the_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
