/* The update circuits that take tens of seconds: blank ones of 512 MiB sectors and real ones of several
 * partitions are the reference's.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "snap_instances.h"

static void circuits_of_512mib_are_the_references(void **state)
{
    (void)state;
    snap_check_shape("snap-512m");
    snap_check_shape("snap-poseidon-512m");
}

static void partitions_of_two_are_the_references(void **state)
{
    check(*state, "snap-16KiB-1", 2);
    check(*state, "snap-32KiB-1", 2);
}

static void partitions_of_four_are_the_references(void **state)
{
    check(*state, "snap-8MiB-1", 4);
}

static void a_wrong_partition_path_breaks_the_apex(void **state)
{
    const struct fixture *f = *state;
    struct real *r = real_new(f, "snap-16KiB-1", 1);
    check_broken(f, r, &r->proof.challenges[0].d_new.steps[8].siblings[0],
                 "apex_gadget/partition-tree por/calculated root == provided root");
    real_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circuits_of_512mib_are_the_references),
        cmocka_unit_test(partitions_of_two_are_the_references),
        cmocka_unit_test(partitions_of_four_are_the_references),
        cmocka_unit_test(a_wrong_partition_path_breaks_the_apex),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
