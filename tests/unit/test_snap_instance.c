/* The update circuits of small partitions: public inputs, witness and rows are the reference's; those of the
 * Poseidon variant hold; a proof that is wrong somewhere breaks a row there.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "snap_instances.h"

static void the_smallest_partitions_are_the_references(void **state)
{
    check(*state, "snap-2KiB-1", 1);
    check(*state, "snap-4KiB-1", 1);
}

static void poseidon_partitions_hold(void **state)
{
    static const char *const circuits[] = {"snap-poseidon-2k", "snap-poseidon-4k", "snap-poseidon-16k",
                                           "snap-poseidon-32k"};
    const struct fixture *f = *state;
    for (size_t k = 0; k < ARRAY_LEN(circuits); k++) {
        struct real *r = poseidon_new(f, circuits[k]);
        struct instance i;
        char name[64];
        struct cuzk_error e;
        snprintf(name, sizeof name, "shape/snap-poseidon-%s.json", snap_size_text(&r->statement.params));
        char *json = vector_read(name, NULL);
        if (snap_check(&f->x, f->poseidon, &r->statement, 0, &r->proof, &e) != CUZK_OK)
            fail_msg("%s: %s", circuits[k], e.message);
        run(f, &i, r, shape_number(json, "every"));
        shape_check(&i.shape, json);
        check_inputs(&i, r);
        assert_true(i.satisfied);
        instance_free(&i);
        free(json);
        real_free(r);
    }
}

static void a_wrong_proof_breaks_the_row_that_it_is_wrong_in(void **state)
{
    const struct fixture *f = *state;
    struct real *r = real_new(f, "snap-2KiB-1", 0);
    struct snap_challenge *challenges = r->proof.challenges;
    check_broken(f, r, &r->proof.comm_c, "/enforce comm_r_old_calc == comm_r_old");
    check_broken(f, r, &challenges[0].r_new.root, "/enforce comm_r_new_calc == comm_r_new");
    check_broken(f, r, &r->proof.apex_leaves[7],
                 "apex_gadget/partition-tree por/calculated root == provided root");
    check_broken(f, r, &challenges[3].r_old.leaf,
                 "por tree_r_old (c_index=3)/calculated root == provided root");
    check_broken(f, r, &challenges[9].r_new.steps[1].siblings[6],
                 "por tree_r_new (c_index=9)/calculated root == provided root");
    check_broken(f, r, &challenges[5].d_new.steps[0].siblings[0],
                 "por to_apex_leaf (c_index=5)/calculated root == provided root");
    real_free(r);
    r = poseidon_new(f, "snap-poseidon-32k");
    check_broken(f, r, &r->proof.challenges[19].d_new.steps[3].siblings[0],
                 "por tree_d_new (c_index=19)/calculated root == provided root");
    real_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_partitions_are_the_references),
        cmocka_unit_test(poseidon_partitions_hold),
        cmocka_unit_test(a_wrong_proof_breaks_the_row_that_it_is_wrong_in),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
