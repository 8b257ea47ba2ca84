/* The blank window PoSt circuits of 32 and 64 GiB sectors are the reference's, made row by row in little
 * memory. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "post_vectors.h"

#include <sys/resource.h>

#define MEMORY_KIB (96L << 10) /* two bits for each of 131 million variables, and the growing of these */

static void memory_is_bounded(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < MEMORY_KIB);
}

static void the_32gib_circuit_is_the_references(void **state)
{
    (void)state;
    post_check_shape("window-32g");
    memory_is_bounded();
}

static void the_64gib_circuit_is_the_references(void **state)
{
    (void)state;
    post_check_shape("window-64g");
    memory_is_bounded();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_32gib_circuit_is_the_references),
        cmocka_unit_test(the_64gib_circuit_is_the_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
