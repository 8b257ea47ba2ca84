/* The blank PoSt circuits, all winning ones and the window ones of the smaller sectors, are the reference's,
 * row by row. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "post_vectors.h"

static void every_winning_circuit_is_the_references(void **state)
{
    (void)state;
    post_check_shape("winning-2k");
    post_check_shape("winning-4k");
    post_check_shape("winning-16k");
    post_check_shape("winning-32k");
    post_check_shape("winning-8m");
    post_check_shape("winning-512m");
    post_check_shape("winning-32g");
    post_check_shape("winning-64g");
}

static void the_smaller_window_circuits_are_the_references(void **state)
{
    (void)state;
    post_check_shape("window-2k");
    post_check_shape("window-4k");
    post_check_shape("window-16k");
    post_check_shape("window-32k");
    post_check_shape("window-8m");
    post_check_shape("window-512m");
}

static cuzk_status count_rows(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                              const struct row *b, const struct row *c)
{
    (void)cs, (void)index, (void)a, (void)b, (void)c;
    uint64_t *left = self;
    return (*left)-- == 0 ? CUZK_ERR_IO : CUZK_OK;
}

static void failures_end_the_circuit(void **state)
{
    (void)state;
    static const struct cs_sink sink = {.enforce = count_rows};
    struct cuzk_error e = {.status = CUZK_OK};
    struct poseidon_set *poseidon;
    struct post_params params;
    assert_int_equal(post_params_for_circuit(&params, "window-64g", &e), CUZK_OK);
    assert_int_equal(poseidon_set_new(&poseidon, &e), CUZK_OK);
    const struct post_circuit post = {.poseidon = poseidon, .params = &params};
    const struct circuit c = {.self = &post, .synthesize = post_synthesize};
    const uint64_t rows[] = {0, 1, 300, 100000};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t left = rows[i];
        assert_int_equal(circuit_run(&c, &sink, &left, NULL, NULL, &e), CUZK_ERR_IO);
    }
    for (uint64_t n = 1; n < 20; n++) {
        uint64_t left = 20000;
        mem_fail_after(n);
        const cuzk_status status = circuit_run(&c, &sink, &left, NULL, NULL, &e);
        mem_fail_after(0);
        assert_true(status == CUZK_ERR_MEMORY || status == CUZK_ERR_IO);
    }
    const volatile int cancel = 1;
    uint64_t left = UINT64_MAX;
    assert_int_equal(circuit_run(&c, &sink, &left, &cancel, NULL, &e), CUZK_ERR_CANCELLED);
    poseidon_set_free(poseidon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_winning_circuit_is_the_references),
        cmocka_unit_test(the_smaller_window_circuits_are_the_references),
        cmocka_unit_test(failures_end_the_circuit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
