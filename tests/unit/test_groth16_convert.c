/* tests/unit/test_groth16_convert.c - folded parameters from parameter files: equal to a setup's, resumable.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>

#include "groth16/srs.h"
#include "srs_testing.h"

static void conversion_equals_setup(void **state)
{
    struct fixture *f = *state;
    const unsigned sizes[] = {1, 2, 14};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        for (int variant = 0; variant < CPU_VARIANTS; variant++) {
            struct exec x = f->x;
            x.variant = (enum cpu_variant)variant;
            if (!cpu_supports(x.variant))
                continue;
            const struct chain c = chain_from_seed(sizes[i], i);
            setup_folded(f, &c, 3 + i, "c.srs");
            assert_ok(convert(f, &x, &c, NULL));
            assert_same_files(f, "c.srs", "made.srs");
        }
}

/* A circuit whose C has coefficients of all kinds; nobody proves it. */
#define MIXED 150

static void mixed_coefficient(fr *out, unsigned kind)
{
    *out = FR_ONE;
    for (unsigned i = 0; i < kind * 37 % 250; i++)
        fr_double(out, out);
    if (kind % 3 == 1)
        fr_neg(out, out);
    if (kind % 7 == 5)
        fr_add(out, out, &FR_GENERATOR);
    if (kind % 11 == 3)
        fr_inv(out, out);
    if (kind % 5 == 0)
        *out = FR_ONE;
}

static void mixed_synthesize(const void *self, struct cs *cs)
{
    var v[MIXED];
    fr k;
    (void)self;
    for (unsigned i = 0; i < MIXED; i++)
        v[i] = i % 9 == 4 ? cs_alloc_input(cs, &FR_ONE)
               : i % 3    ? cs_alloc_bit(cs, true)
                          : cs_alloc(cs, &FR_ONE);
    for (unsigned i = 0; i < MIXED; i++) {
        lc_add_one(cs, &cs->a, v[i]);
        lc_add_one(cs, &cs->b, v[i * i % MIXED]);
        const unsigned terms = i % 50 == 49 ? MIXED : i % 4;
        for (unsigned j = 0; j < terms; j++) {
            mixed_coefficient(&k, i + j);
            lc_add(cs, &cs->c, v[(i * 7 + j) % MIXED], &k);
        }
        if (i % 6 == 0)
            lc_sub_one(cs, &cs->c, VAR_ONE);
        cs_enforce_built(cs);
    }
}

/* A conversion of the circuit's parameters gives what a setup gives; by which variants of arithmetic. */
static void assert_converted(struct fixture *f, const struct circuit *circuit, unsigned variants)
{
    struct groth16_trapdoor t;
    struct groth16_params *p;
    struct groth16_params_info info;
    groth16_trapdoor_from_seed(&t, 3);
    assert_ok(groth16_setup(&f->x, circuit, &t, in_folder(f, "c"), &error));
    assert_ok(groth16_params_open(&f->x, &p, in_folder(f, "c.params"), 0, &error));
    groth16_params_info(p, &info);
    assert_ok(groth16_srs_setup(&f->x, circuit, "mixed", &t, info.digest, in_folder(f, "c.srs"), &error));
    for (unsigned variant = 0; variant < CPU_VARIANTS; variant++) {
        struct exec x = f->x;
        x.variant = (enum cpu_variant)variant;
        if (!cpu_supports(x.variant) || (variants >> variant & 1) == 0)
            continue;
        assert_ok(groth16_srs_convert(&x, circuit, "mixed", p, in_folder(f, "made.srs"), NULL, NULL, &error));
        assert_same_files(f, "c.srs", "made.srs");
    }
    groth16_params_free(p);
}

static void coefficients_of_all_kinds_are_folded(void **state)
{
    const struct circuit circuit = {.synthesize = mixed_synthesize};
    assert_converted(*state, &circuit, UINT_MAX);
}

/* More terms in a row than are added up at once, and most variables twice. */
#define LONG 70000

static void long_synthesize(const void *self, struct cs *cs)
{
    fr k;
    (void)self;
    var *v = mem_alloc(LONG, sizeof *v);
    assert_non_null(v);
    for (unsigned i = 0; i < LONG; i++)
        v[i] = cs_alloc(cs, &FR_ONE);
    for (unsigned row = 0; row < 2; row++) {
        lc_add_one(cs, &cs->a, v[row]);
        lc_add_one(cs, &cs->b, v[row]);
        for (unsigned i = row; i < LONG; i++) {
            mixed_coefficient(&k, i % 90 == 5 ? i / 90 % 250 : 5 * row);
            lc_add(cs, &cs->c, v[i], &k);
        }
        cs_enforce_built(cs);
    }
    mem_free(v);
}

static void a_row_of_any_length_is_folded(void **state)
{
    struct fixture *f = *state;
    const struct circuit circuit = {.synthesize = long_synthesize};
    assert_converted(f, &circuit, 1u << f->x.variant);
}

/* More instances than go into one batch, each bound to others of all batches before. */
#define INSTANCES 2100

static void parts_synthesize(const void *self, struct cs *cs)
{
    fr k;
    (void)self;
    const var first = cs_alloc(cs, &FR_ONE), bit = cs_alloc_bit(cs, true),
              input = cs_alloc_input(cs, &FR_ONE);
    var before = first;
    for (unsigned i = 0; i < INSTANCES; i++) {
        cs_part(cs);
        const var v = cs_alloc(cs, &FR_ONE);
        mixed_coefficient(&k, i % 2);
        lc_add_one(cs, &cs->a, before);
        lc_add_one(cs, &cs->b, bit);
        lc_add_one(cs, &cs->c, v);
        lc_add(cs, &cs->c, first, &k);
        lc_add(cs, &cs->c, before, &k);
        lc_add(cs, &cs->c, bit, &k);
        lc_sub_one(cs, &cs->c, input);
        cs_enforce_built(cs);
        before = v;
    }
}

static void instances_of_many_batches_are_folded(void **state)
{
    struct fixture *f = *state;
    const struct circuit circuit = {.synthesize = parts_synthesize};
    assert_converted(f, &circuit, 1u << f->x.variant);
}

static void conversion_goes_on_wherever_it_was_stopped(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(40, 5);
    setup_folded(f, &c, 3, "c.srs");
    unsigned stops = 0;
    for (unsigned at = 1;; at += 4) {
        cuzk_status status = CUZK_ERR_CANCELLED;
        unlink(in_folder(f, "made.srs"));
        /* and again and again at the same place, until none is left */
        for (unsigned i = 0; status == CUZK_ERR_CANCELLED; i++) {
            struct stopper s = {.left = at + i};
            struct exec x = f->x;
            x.progress = stop_at;
            x.progress_user = &s;
            x.cancel = &s.cancel;
            status = convert(f, &x, &c, NULL);
            if (status == CUZK_ERR_CANCELLED)
                stops++;
            if (status == CUZK_OK && i == 0 && s.left > 0)
                at = UINT_MAX;
        }
        assert_ok(status);
        assert_same_files(f, "c.srs", "made.srs");
        if (at == UINT_MAX)
            break;
    }
    assert_true(stops > 10);
}

static void conversion_stops_after_each_phase(void **state)
{
    struct fixture *f = *state;
    static const char *const phases[] = {"k columns", "k rows", "fold", "q columns", "q rows", "a and b"};
    const struct chain c = chain_from_seed(20, 5);
    setup_folded(f, &c, 3, "c.srs");
    for (size_t i = 0; i < ARRAY_LEN(phases); i++) {
        assert_int_equal(convert(f, &f->x, &c, phases[i]), CUZK_ERR_CANCELLED);
        assert_non_null(strstr(error.message, phases[i]));
        assert_int_equal(access(in_folder(f, "made.srs"), F_OK), -1);
    }
    assert_int_equal(convert(f, &f->x, &c, "nothing"), CUZK_ERR_ARGUMENT);
    assert_ok(convert(f, &f->x, &c, NULL));
    assert_same_files(f, "c.srs", "made.srs");
}

/* -- the part file -- */

static void copy_file(const struct fixture *f, const char *from, const char *to)
{
    uint8_t *bytes;
    size_t n;
    read_whole(in_folder(f, from), &bytes, &n);
    overwrite(in_folder(f, to), bytes, n);
    mem_free(bytes);
}

static void another_conversion_is_not_taken_up(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 5), other = chain_from_seed(10, 5);
    setup_folded(f, &c, 3, "c.srs");
    assert_int_equal(convert(f, &f->x, &c, "fold"), CUZK_ERR_CANCELLED);
    copy_file(f, "made.srs.part", "kept");
    setup_folded(f, &c, 4, "c.srs"); /* other parameters of the same circuit */
    assert_int_equal(convert(f, &f->x, &c, NULL), CUZK_ERR_MISMATCH);
    assert_non_null(strstr(error.message, "remove it"));
    setup_folded(f, &other, 3, "c.srs");
    assert_int_equal(convert(f, &f->x, &other, NULL), CUZK_ERR_MISMATCH);
    assert_same_files(f, "made.srs.part", "kept"); /* it was left alone */
    overwrite(in_folder(f, "made.srs.part"), (const uint8_t *)"hello", 5);
    assert_int_equal(convert(f, &f->x, &other, NULL), CUZK_ERR_MISMATCH);
}

/* The room behind the file as it will be is part of it till the work is done. */
static void what_was_cut_short_is_not_taken_up(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 5);
    struct stat st;
    setup_folded(f, &c, 3, "c.srs");
    assert_int_equal(convert(f, &f->x, &c, "k columns"), CUZK_ERR_CANCELLED);
    copy_file(f, "made.srs.part", "kept");
    assert_int_equal(stat(in_folder(f, "kept"), &st), 0);
    const off_t cuts[] = {1, 96, 96 * 32 - 1, 96 * 32, st.st_size - 4096, st.st_size - 1, -1};
    for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
        assert_int_equal(truncate(in_folder(f, "made.srs.part"), st.st_size - cuts[i]), 0);
        assert_int_equal(convert(f, &f->x, &c, NULL), CUZK_ERR_MISMATCH);
        assert_non_null(strstr(error.message, "remove it"));
        assert_true(st.st_size - cuts[i] < 4096 ||
                    strstr(error.message, cuts[i] > 0 ? "cut short" : "lengthened"));
        copy_file(f, "kept", "made.srs.part");
    }
    assert_ok(convert(f, &f->x, &c, NULL));
    assert_same_files(f, "c.srs", "made.srs");
}

static void a_torn_record_counts_for_nothing(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 5);
    setup_folded(f, &c, 3, "c.srs");
    assert_int_equal(convert(f, &f->x, &c, "q columns"), CUZK_ERR_CANCELLED);
    for (int slot = 0; slot < 2; slot++) {
        FILE *file = fopen(in_folder(f, "made.srs.part"), "r+b");
        assert_non_null(file);
        assert_int_equal(fseek(file, 2048 + 1024 * slot + 9, SEEK_SET), 0);
        assert_int_equal(fputc(0x77, file), 0x77);
        assert_int_equal(fclose(file), 0);
        assert_ok(convert(f, &f->x, &c, NULL));
        assert_same_files(f, "c.srs", "made.srs");
        assert_int_equal(unlink(in_folder(f, "made.srs")), 0);
        assert_int_equal(convert(f, &f->x, &c, "q columns"), CUZK_ERR_CANCELLED);
    }
}

static void a_file_that_is_whole_but_for_its_name_gets_it(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 5);
    setup_folded(f, &c, 3, "c.srs");
    for (long extra = 0; extra < 2; extra++) {
        copy_file(f, "c.srs", "made.srs.part");
        if (extra) { /* and before the room behind it was given up */
            struct stat st;
            assert_int_equal(stat(in_folder(f, "made.srs.part"), &st), 0);
            const uint64_t room = ((uint64_t)st.st_size + SRS_ALIGN - 1) / SRS_ALIGN * SRS_ALIGN + 96 * 32;
            assert_int_equal(truncate(in_folder(f, "made.srs.part"), (off_t)room), 0);
        }
        assert_ok(convert(f, &f->x, &c, NULL));
        assert_same_files(f, "c.srs", "made.srs");
        assert_int_equal(access(in_folder(f, "made.srs.part"), F_OK), -1);
    }
}

static void two_conversions_do_not_share_a_file(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 5);
    setup_folded(f, &c, 3, "c.srs");
    assert_int_equal(convert(f, &f->x, &c, "fold"), CUZK_ERR_CANCELLED);
    const int fd = open(in_folder(f, "made.srs.part"), O_RDWR);
    assert_true(fd >= 0 && flock(fd, LOCK_EX) == 0);
    assert_int_equal(convert(f, &f->x, &c, NULL), CUZK_ERR_IO);
    assert_non_null(strstr(error.message, "another conversion"));
    close(fd);
    assert_ok(convert(f, &f->x, &c, NULL));
}

static void parameters_of_another_circuit_are_not_converted(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 5), other = chain_from_seed(10, 5);
    setup_folded(f, &c, 3, "c.srs");
    assert_int_equal(convert(f, &f->x, &other, NULL), CUZK_ERR_MISMATCH);
    assert_non_null(strstr(error.message, "another circuit"));
    assert_int_equal(access(in_folder(f, "made.srs.part"), F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(conversion_equals_setup, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(coefficients_of_all_kinds_are_folded, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_row_of_any_length_is_folded, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(instances_of_many_batches_are_folded, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(conversion_goes_on_wherever_it_was_stopped, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(conversion_stops_after_each_phase, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(another_conversion_is_not_taken_up, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(what_was_cut_short_is_not_taken_up, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_torn_record_counts_for_nothing, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_is_whole_but_for_its_name_gets_it, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(two_conversions_do_not_share_a_file, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(parameters_of_another_circuit_are_not_converted, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
