/* The blank PoRep circuits of the smaller sectors are the reference's, row by row.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "shape_vectors.h"

static void the_2kib_circuit_is_the_references(void **state)
{
    (void)state;
    shape_check_porep("porep-2k");
}

static void the_4kib_circuit_is_the_references(void **state)
{
    (void)state;
    shape_check_porep("porep-4k");
}

static void the_16kib_circuit_is_the_references(void **state)
{
    (void)state;
    shape_check_porep("porep-16k");
}

static void the_32kib_circuit_is_the_references(void **state)
{
    (void)state;
    shape_check_porep("porep-32k");
}

static void the_8mib_circuit_is_the_references(void **state)
{
    (void)state;
    shape_check_porep("porep-8m");
}

static void the_512mib_circuit_is_the_references(void **state)
{
    (void)state;
    shape_check_porep("porep-512m");
}

static cuzk_status count_rows(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                              const struct row *b, const struct row *c)
{
    (void)cs;
    (void)index;
    (void)a;
    (void)b;
    (void)c;
    uint64_t *left = self;
    return (*left)-- == 0 ? CUZK_ERR_IO : CUZK_OK;
}

static void failures_end_the_circuit(void **state)
{
    (void)state;
    static const struct cs_sink sink = {.enforce = count_rows};
    struct cuzk_error e = {.status = CUZK_OK};
    struct poseidon_set *poseidon;
    struct porep_params params;
    assert_int_equal(porep_params_for_circuit(&params, "porep-64g", &e), CUZK_OK);
    assert_int_equal(poseidon_set_new(&poseidon, &e), CUZK_OK);
    const struct porep_circuit porep = {.poseidon = poseidon, .params = &params};
    const struct circuit c = {.self = &porep, .synthesize = porep_synthesize};
    const uint64_t rows[] = {0, 1, 300, 100000};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t left = rows[i];
        assert_int_equal(circuit_run(&c, &sink, &left, NULL, NULL, &e), CUZK_ERR_IO);
    }
    for (uint64_t n = 1; n < 20; n++) {
        uint64_t left = 50000;
        mem_fail_after(n);
        const cuzk_status status = circuit_run(&c, &sink, &left, NULL, NULL, &e);
        mem_fail_after(0);
        assert_true(status == CUZK_ERR_MEMORY || status == CUZK_ERR_IO);
    }
    poseidon_set_free(poseidon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_2kib_circuit_is_the_references),
        cmocka_unit_test(the_4kib_circuit_is_the_references),
        cmocka_unit_test(the_16kib_circuit_is_the_references),
        cmocka_unit_test(the_32kib_circuit_is_the_references),
        cmocka_unit_test(the_8mib_circuit_is_the_references),
        cmocka_unit_test(the_512mib_circuit_is_the_references),
        cmocka_unit_test(failures_end_the_circuit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
