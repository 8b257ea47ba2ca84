/* The blank update circuits of sectors up to 8 MiB are the reference's, of both variants,
 * row by row.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "snap_vectors.h"

static void the_smaller_circuits_are_the_references(void **state)
{
    (void)state;
    snap_check_shape("snap-2k");
    snap_check_shape("snap-4k");
    snap_check_shape("snap-16k");
    snap_check_shape("snap-32k");
    snap_check_shape("snap-8m");
}

static void the_poseidon_circuits_are_the_references(void **state)
{
    (void)state;
    snap_check_shape("snap-poseidon-2k");
    snap_check_shape("snap-poseidon-4k");
    snap_check_shape("snap-poseidon-16k");
    snap_check_shape("snap-poseidon-32k");
    snap_check_shape("snap-poseidon-8m");
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
    static const char *const circuits[] = {"snap-64g", "snap-poseidon-64g"};
    static const uint64_t rows[] = {0, 1, 10, 400, 30000, 900000};
    static const struct cs_sink sink = {.enforce = count_rows};
    struct cuzk_error e = {.status = CUZK_OK};
    struct poseidon_set *poseidon;
    assert_int_equal(poseidon_set_new(&poseidon, &e), CUZK_OK);
    for (size_t k = 0; k < ARRAY_LEN(circuits); k++) {
        struct snap_params params;
        assert_int_equal(snap_params_for_circuit(&params, circuits[k], &e), CUZK_OK);
        const struct snap_circuit snap = {.poseidon = poseidon, .params = &params};
        const struct circuit c = {.self = &snap, .synthesize = snap_synthesize};
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            uint64_t left = rows[i];
            assert_int_equal(circuit_run(&c, &sink, &left, NULL, NULL, &e), CUZK_ERR_IO);
        }
        unsigned failed = 0;
        for (uint64_t n = 1; n < 20; n++) {
            uint64_t left = 40000;
            mem_fail_after(n);
            const cuzk_status status = circuit_run(&c, &sink, &left, NULL, NULL, &e);
            mem_fail_after(0);
            assert_true(status == CUZK_ERR_MEMORY || status == CUZK_ERR_IO);
            failed += status == CUZK_ERR_MEMORY;
        }
        assert_true(failed >= 2);
        const volatile int cancel = 1;
        uint64_t left = UINT64_MAX;
        assert_int_equal(circuit_run(&c, &sink, &left, &cancel, NULL, &e), CUZK_ERR_CANCELLED);
    }
    poseidon_set_free(poseidon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smaller_circuits_are_the_references),
        cmocka_unit_test(the_poseidon_circuits_are_the_references),
        cmocka_unit_test(failures_end_the_circuit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
