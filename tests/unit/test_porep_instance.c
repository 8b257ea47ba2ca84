/* The PoRep circuits of real partitions: public inputs, witness and rows are the reference's; a proof that is
 * wrong somewhere breaks a row there.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "shape_vectors.h"

#include "base/pool.h"
#include "r1cs/instance.h"

struct fixture {
    struct exec x;
    struct poseidon_set *poseidon;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct cuzk_error e;
    f.x.variant = CPU_PORTABLE;
    *state = &f;
    return pool_new(&f.x.pool, 1, &e) != CUZK_OK || poseidon_set_new(&f.poseidon, &e) != CUZK_OK;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    pool_free(f->x.pool);
    poseidon_set_free(f->poseidon);
    return 0;
}

static void read_c1(const struct fixture *f, struct porep_c1 *c1, const char *input)
{
    struct cuzk_error e = {.status = CUZK_OK};
    char name[64];
    size_t size;
    snprintf(name, sizeof name, "input/%s.c1.json", input);
    char *json = vector_read(name, &size);
    if (porep_c1_read(&f->x, c1, (const uint8_t *)json, size, &e) != CUZK_OK)
        fail_msg("%s: %s", name, e.message);
    free(json);
}

static void run(const struct fixture *f, struct instance *out, const struct porep_c1 *c1, unsigned partition,
                uint64_t every)
{
    struct cuzk_error e = {.status = CUZK_OK};
    const struct porep_circuit porep = {
        .poseidon = f->poseidon, .params = &c1->statement.params, .c1 = c1, .partition = partition};
    const struct circuit c = {.self = &porep, .synthesize = porep_synthesize};
    if (instance_of(&f->x, out, &c, every, &e) != CUZK_OK)
        fail_msg("%s", e.message);
}

static void check_inputs(const struct instance *i, const struct porep_c1 *c1, unsigned partition, char *json)
{
    struct cuzk_error e = {.status = CUZK_OK};
    const uint32_t count = i->shape.counts.inputs;
    uint8_t(*bytes)[32] = calloc(count, sizeof *bytes);
    fr *expected = calloc(count, sizeof *expected);
    assert_non_null(bytes);
    assert_non_null(expected);
    for (uint32_t k = 0; k < count; k++)
        fr_write_le(bytes[k], &i->inputs[k]);
    shape_check_list(json, "public_inputs", bytes, count);
    assert_int_equal(porep_public_count(&c1->statement.params), count - 1);
    assert_int_equal(porep_public_inputs(&c1->statement, partition, expected, &e), CUZK_OK);
    for (uint32_t k = 1; k < count; k++)
        assert_true(fr_equal(&i->inputs[k], &expected[k - 1]));
    free(bytes);
    free(expected);
}

static void check(const struct fixture *f, const char *input, unsigned partition)
{
    struct porep_c1 c1;
    struct instance i;
    char name[64];
    snprintf(name, sizeof name, "instance/%s.%u.json", input, partition);
    char *json = vector_read(name, NULL);
    read_c1(f, &c1, input);
    run(f, &i, &c1, partition, shape_number(json, "every"));
    shape_check(&i.shape, json);
    check_inputs(&i, &c1, partition, json);
    shape_check_list(json, "witness_marks", i.witness_marks.digest, i.witness_marks.count);
    shape_check_digest(json, "witness", i.witness);
    shape_check_list(json, "abc", i.abc, 3);
    assert_true(i.satisfied);
    instance_free(&i);
    porep_c1_free(&c1);
    free(json);
}

static void partitions_are_the_references(void **state)
{
    check(*state, "porep-2KiB-1", 0);
    check(*state, "porep-8MiB-1", 0);
}

static void trees_of_two_and_three_levels_are_the_references(void **state)
{
    check(*state, "porep-4KiB-1", 0);
    check(*state, "porep-16KiB-1", 0);
    check(*state, "porep-32KiB-1", 0);
}

static void all_kinds_of_challenges_are_the_references(void **state)
{
    check(*state, "porep-v1-2KiB-1", 0);
    check(*state, "porep-syn-2KiB-1", 0);
    check(*state, "porep-ni-2KiB-1", 0);
    check(*state, "porep-ni-2KiB-1", 1);
}

/* After one value of the proof is another, the first broken row is where it is used. */
static void check_broken(const struct fixture *f, struct porep_c1 *c1, fr *value, const char *where)
{
    const fr good = *value;
    struct instance i;
    fr_add(value, value, &FR_ONE);
    run(f, &i, c1, 0, 0);
    assert_false(i.satisfied);
    assert_true(i.unsatisfied_count > 0);
    if (strcmp(i.unsatisfied[0].name, where) != 0)
        fail_msg("unsatisfied: %s, not %s", i.unsatisfied[0].name, where);
    instance_free(&i);
    *value = good;
}

static void a_wrong_proof_breaks_the_row_that_it_is_wrong_in(void **state)
{
    struct fixture *f = *state;
    struct porep_c1 c1;
    read_c1(f, &c1, "porep-2KiB-1");
    struct porep_challenge *second = &c1.proof[0][1];
    check_broken(f, &c1, &second->comm_d.leaf, "challenge_1/comm_d_inclusion/enforce root is correct");
    check_broken(f, &c1, &second->drg_parents[2].rows[1],
                 "challenge_1/drg_parent_2_inclusion/enforce root is correct");
    check_broken(f, &c1, &second->exp_parents[7].rows[0],
                 "challenge_1/exp_parent_7_inclusion/enforce root is correct");
    check_broken(f, &c1, &c1.proof[0][0].comm_r_last.root, "/enforce comm_r = H(comm_c || comm_r_last)");
    const uint64_t node = second->labeling[0].node;
    second->labeling[0].node ^= 1;
    struct instance i;
    run(f, &i, &c1, 0, 0);
    assert_false(i.satisfied);
    assert_string_equal(i.unsatisfied[0].name,
                        "challenge_1/comm_r_last_data_inclusion/enforce root is correct");
    assert_string_equal(i.unsatisfied[1].name, "challenge_1/c_x_inclusion/enforce root is correct");
    assert_int_equal(i.unsatisfied_count, 2);
    instance_free(&i);
    second->labeling[0].node = node;
    porep_c1_free(&c1);
}

static void a_partition_beyond_the_proof_is_refused(void **state)
{
    struct fixture *f = *state;
    struct porep_c1 c1;
    struct instance i;
    struct cuzk_error e = {.status = CUZK_OK};
    read_c1(f, &c1, "porep-2KiB-1");
    const struct porep_circuit porep = {
        .poseidon = f->poseidon, .params = &c1.statement.params, .c1 = &c1, .partition = 1};
    const struct circuit c = {.self = &porep, .synthesize = porep_synthesize};
    assert_int_equal(instance_of(&f->x, &i, &c, 0, &e), CUZK_ERR_ARGUMENT);
    assert_string_equal(e.message, "no partition 1: the proof has 1");
    porep_c1_free(&c1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_are_the_references),
        cmocka_unit_test(trees_of_two_and_three_levels_are_the_references),
        cmocka_unit_test(all_kinds_of_challenges_are_the_references),
        cmocka_unit_test(a_wrong_proof_breaks_the_row_that_it_is_wrong_in),
        cmocka_unit_test(a_partition_beyond_the_proof_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
