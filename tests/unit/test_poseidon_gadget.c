/* The Poseidon gadget against the crate's circuit, and its value against the hash.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadget_testing.h"

#include "gadgets/poseidon.h"

static struct poseidon_set *set;

static int setup(void **state)
{
    (void)state;
    return poseidon_set_new(&set, NULL) == CUZK_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    poseidon_set_free(set);
    return 0;
}

static const struct poseidon *instance_by_name(const char *name)
{
    if (strcmp(name, "snap") == 0)
        return &set->kind[POSEIDON_2_SNAP];
    return poseidon_of_arity(set, (unsigned)atoi(name));
}

static void build(struct gadget_under_test *t, struct cs *cs)
{
    const struct poseidon *p = instance_by_name(t->name + strlen("poseidon-"));
    struct num preimage[POSEIDON_MAX_ARITY];
    assert_non_null(p);
    gadget_numbers(cs, preimage, p->arity, 0);
    t->value = poseidon_gadget(cs, p, preimage);
}

static void test_rows_and_witness_of_the_crate(void **state)
{
    (void)state;
    assert_int_equal(gadget_check_records("poseidon-", build), POSEIDON_KINDS);
}

static void test_the_value_is_the_hash(void **state)
{
    (void)state;
    static const char *names[POSEIDON_KINDS] = {"poseidon-2", "poseidon-4", "poseidon-8", "poseidon-11",
                                                "poseidon-snap"};
    struct exec x = {.variant = cpu_best()};
    assert_int_equal(pool_new(&x.pool, 1, NULL), CUZK_OK);
    for (unsigned k = 0; k < POSEIDON_KINDS; k++) {
        struct gadget_under_test t = {.build = build}, *self = &t;
        const struct circuit circuit = {.self = &self, .synthesize = gadget_synthesize};
        const struct poseidon *p = &set->kind[k];
        struct instance real;
        fr preimage[POSEIDON_MAX_ARITY], digest;
        strcpy(t.name, names[k]);
        assert_int_equal(instance_of(&x, &real, &circuit, 0, NULL), CUZK_OK);
        assert_true(real.satisfied);
        for (unsigned i = 0; i < p->arity; i++)
            preimage[i] = gadget_value(i);
        poseidon_hash(x.variant, p, &digest, preimage);
        assert_true(fr_equal(&t.value.value, &digest));
        instance_free(&real);
    }
    pool_free(x.pool);
}

static void test_failing_allocations(void **state)
{
    (void)state;
    struct exec x = {.variant = cpu_best()};
    assert_int_equal(pool_new(&x.pool, 1, NULL), CUZK_OK);
    for (uint64_t n = 1;; n++) {
        struct gadget_under_test t = {.name = "poseidon-8", .build = build}, *self = &t;
        const struct circuit circuit = {.self = &self, .synthesize = gadget_synthesize};
        struct instance real = {0};
        struct cuzk_error e;
        mem_fail_after(n);
        const cuzk_status status = instance_of(&x, &real, &circuit, 0, &e);
        mem_fail_after(0);
        instance_free(&real);
        if (status == CUZK_OK) {
            assert_true(n > 1);
            break;
        }
        assert_int_equal(status, CUZK_ERR_MEMORY);
        assert_int_equal(e.status, CUZK_ERR_MEMORY);
    }
    pool_free(x.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_and_witness_of_the_crate),
        cmocka_unit_test(test_the_value_is_the_hash),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
