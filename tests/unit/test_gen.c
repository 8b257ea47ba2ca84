/* Generated inputs: our readers take them and their checks hold; the bytes follow from the options; what
 * fails or is cancelled leaves nothing. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gen_testing.h"

static const char *const SMALL[] = {"2KiB", "4KiB", "16KiB", "32KiB"};

static const char *name_of(const char *kind, const char *size, unsigned seed)
{
    static char name[96];
    snprintf(name, sizeof name, "%s-%s-%u", kind, size, seed);
    return name;
}

/* ---- what is made holds ---- */

static void a_sealed_sectors_c1_holds(void **state)
{
    static const char *const kinds[] = {"porep", "porep-v1", "porep-syn", "porep-ni"};
    const struct gen_fixture *f = *state;
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
        for (size_t i = 0; i < ARRAY_LEN(SMALL); i++) {
            gen_make(f, kinds[k], SMALL[i], 3, 0);
            gen_check_porep(f, name_of(kinds[k], SMALL[i], 3), 13);
            assert_int_equal(gen_clear(f), 2);
        }
}

static void sealed_sectors_post_proofs_hold(void **state)
{
    static const char *const kinds[] = {"winning", "window", "window-v1"};
    const struct gen_fixture *f = *state;
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
        for (size_t i = 0; i < ARRAY_LEN(SMALL); i++) {
            const size_t sectors = k == 0 ? 1 : 3;
            gen_make(f, kinds[k], SMALL[i], 4, 0);
            gen_check_post(f, name_of(kinds[k], SMALL[i], 4), sectors);
            assert_int_equal(gen_clear(f), sectors + 1);
        }
}

static void a_sealed_sectors_update_holds(void **state)
{
    const struct gen_fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(SMALL); i++) {
        gen_make(f, "snap", SMALL[i], 5, 0);
        gen_make(f, "snap-poseidon", SMALL[i], 5, 1);
        gen_check_snap(f, name_of("snap", SMALL[i], 5), SNAP_SHA256);
        gen_check_snap(f, name_of("snap-poseidon", SMALL[i], 5), SNAP_POSEIDON);
        assert_int_equal(gen_clear(f), 2 + 1 + (i < 2 ? 1 : 2));
    }
}

static void a_sparse_sectors_c1_has_the_real_size_and_holds(void **state)
{
    const struct gen_fixture *f = *state;
    gen_make(f, "porep", "32GiB", 6, 0);
    const size_t size = gen_check_porep(f, "porep-32GiB-6", 1);
    assert_true(size > 50000000 && size < 53000000);
    assert_int_equal(gen_clear(f), 2);
}

static void sparse_sectors_post_proofs_hold(void **state)
{
    const struct gen_fixture *f = *state;
    gen_make(f, "winning", "32GiB", 7, 1);
    gen_check_post(f, "winning-32GiB-7", 1);
    gen_make(f, "window", "64GiB", 7, 70); /* more than are made at once */
    gen_check_post(f, "window-64GiB-7", 70);
    gen_make(f, "window-v1", "32GiB", 7, 2);
    gen_check_post(f, "window-v1-32GiB-7", 2);
    assert_int_equal(gen_clear(f), 2 + 71 + 3);
}

static void a_sparse_sectors_update_holds(void **state)
{
    const struct gen_fixture *f = *state;
    gen_make(f, "snap", "32GiB", 8, 0);
    gen_check_snap(f, "snap-32GiB-8", SNAP_SHA256);
    assert_int_equal(gen_clear(f), 17);
    gen_make(f, "snap-poseidon", "64GiB", 8, 0);
    gen_check_snap(f, "snap-poseidon-64GiB-8", SNAP_POSEIDON);
    assert_int_equal(gen_clear(f), 2);
}

/* ---- the bytes ---- */

/* Digest of all files that the options give. */
static void digest_of(const struct gen_fixture *f, const char *kind, const char *size, uint64_t seed,
                      uint8_t out[32])
{
    struct dirent **entries;
    struct sha256 h;
    gen_make(f, kind, size, seed, 0);
    const int count = scandir(f->folder, &entries, NULL, alphasort);
    assert_true(count > 0);
    sha256_init(&h);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            size_t n;
            char *bytes = gen_read(f, entries[i]->d_name, &n);
            sha256_update(&h, bytes, n);
            mem_free(bytes);
        }
        free(entries[i]);
    }
    free(entries);
    sha256_final(&h, out);
    gen_clear(f);
}

static void the_bytes_follow_from_the_options(void **state)
{
    static const char *const cases[][2] = {{"porep", "4KiB"},   {"porep-ni", "2KiB"}, {"window", "16KiB"},
                                           {"winning", "2KiB"}, {"snap", "32KiB"},    {"winning", "64GiB"},
                                           {"window", "32GiB"}};
    const struct gen_fixture *f = *state;
    struct gen_fixture alone = *f;
    struct cuzk_error e;
    assert_int_equal(pool_new(&alone.x.pool, 1, &e), CUZK_OK);
    alone.x.variant = CPU_PORTABLE;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint8_t a[32], b[32], other[32];
        digest_of(f, cases[i][0], cases[i][1], 9, a);
        digest_of(&alone, cases[i][0], cases[i][1], 9, b);
        digest_of(f, cases[i][0], cases[i][1], 10, other);
        assert_memory_equal(a, b, 32);
        assert_memory_not_equal(a, other, 32);
    }
    pool_free(alone.x.pool);
}

/* ---- what fails leaves nothing ---- */

static void what_there_is_not_is_refused(void **state)
{
    static const struct {
        struct gen_options o;
        cuzk_status status;
        const char *message;
    } cases[] = {
        {{"porep-v2", "2KiB", 1, 0},
         CUZK_ERR_ARGUMENT,
         "no kind of input is named \"porep-v2\"; there are porep,"},
        {{"porep", "2kib", 1, 0},
         CUZK_ERR_ARGUMENT,
         "no sector size is named \"2kib\"; there are 2KiB, 4KiB"},
        {{"porep", "", 1, 0}, CUZK_ERR_ARGUMENT, "no sector size is named \"\""},
        {{"porep", "2KiB", 1, 2}, CUZK_ERR_ARGUMENT, "2 sectors: an input of the kind porep is of 1 at most"},
        {{"winning", "2KiB", 1, 3}, CUZK_ERR_ARGUMENT, "3 sectors: an input of the kind winning is of 1"},
        {{"window", "32GiB", 1, 100001}, CUZK_ERR_ARGUMENT, "100001 sectors"},
        {{"porep-ni", "32GiB", 1, 0}, CUZK_ERR_UNSUPPORTED, "possible up to 512MiB"},
        {{"porep-syn", "64GiB", 1, 0}, CUZK_ERR_UNSUPPORTED, "possible up to 512MiB"},
    };
    const struct gen_fixture *f = *state;
    struct cuzk_error e;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(gen_run(&f->x, f->poseidon, &cases[i].o, f->folder, &e), cases[i].status);
        if (!strstr(e.message, cases[i].message))
            fail_msg("%s", e.message);
        assert_int_equal(gen_clear(f), -1);
    }
    const struct gen_options good = {"winning", "2KiB", 1, 0};
    char path[128];
    snprintf(path, sizeof path, "%s/no/folder", f->parent);
    assert_int_equal(gen_run(&f->x, f->poseidon, &good, path, &e), CUZK_ERR_IO);
}

static void all_kinds_have_names(void **state)
{
    size_t count = 0;
    (void)state;
    while (gen_kind_name(count))
        count++;
    assert_int_equal(count, 9);
    assert_string_equal(gen_kind_name(0), "porep");
}

/* Cancels when progress is told for the n-th time. */
struct canceller {
    volatile int cancel;
    unsigned calls, at;
};

static void on_progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    struct canceller *c = user;
    assert_non_null(phase);
    assert_true(done <= total);
    if (++c->calls == c->at)
        c->cancel = 1;
}

static void a_cancelled_run_leaves_nothing(void **state)
{
    static const char *const cases[][2] = {{"porep", "2KiB"}, {"porep-ni", "2KiB"}, {"window", "2KiB"},
                                           {"snap", "32KiB"}, {"window", "32GiB"},  {"snap", "32GiB"}};
    struct gen_fixture f = *(const struct gen_fixture *)*state;
    struct canceller c = {0};
    f.x.progress = on_progress;
    f.x.progress_user = &c;
    f.x.cancel = &c.cancel;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct gen_options o = {cases[i][0], cases[i][1], 11, 0};
        cuzk_status status = CUZK_ERR_CANCELLED;
        for (unsigned at = 1; status == CUZK_ERR_CANCELLED; at++) {
            struct cuzk_error e;
            c = (struct canceller){.at = at};
            status = gen_run(&f.x, f.poseidon, &o, f.folder, &e);
            if (status == CUZK_ERR_CANCELLED)
                assert_int_equal(gen_clear(&f), -1);
            else
                assert_true(c.calls < at); /* nothing was cancelled */
        }
        assert_int_equal(status, CUZK_OK);
        assert_true(c.calls > 0);
        gen_clear(&f);
    }
}

static void a_run_keeps_to_its_budget(void **state)
{
    static const struct {
        const char *kind, *size;
        uint64_t enough;
    } cases[] = {{"porep", "32KiB", 4 << 20},
                 {"window", "2KiB", 4 << 20},
                 {"snap", "32KiB", 4 << 20},
                 {"porep", "32GiB", 16 << 20},
                 {"window", "32GiB", 4 << 20}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (uint64_t limit = 1 << 10; limit <= cases[i].enough; limit *= 4) {
            const struct gen_options o = {cases[i].kind, cases[i].size, 12, 0};
            struct gen_fixture f = *(const struct gen_fixture *)*state;
            struct cuzk_error e;
            assert_int_equal(budget_new(&f.x.budget, limit, &e), CUZK_OK);
            const cuzk_status status = gen_run(&f.x, f.poseidon, &o, f.folder, &e);
            if (limit == cases[i].enough)
                assert_int_equal(status, CUZK_OK);
            if (status != CUZK_OK) {
                assert_int_equal(status, CUZK_ERR_MEMORY);
                assert_int_equal(gen_clear(&f), -1);
            }
            assert_true(budget_peak(f.x.budget) <= limit);
            assert_int_equal(budget_used(f.x.budget), 0);
            budget_free(f.x.budget);
            gen_clear(&f);
        }
}

static void failing_allocations_leave_nothing(void **state)
{
    static const char *const cases[][2] = {
        {"porep", "2KiB"}, {"window", "2KiB"}, {"snap", "2KiB"}, {"winning", "32GiB"}};
    struct gen_fixture f = *(const struct gen_fixture *)*state;
    struct cuzk_error e;
    assert_int_equal(pool_new(&f.x.pool, 1, &e), CUZK_OK);
    assert_int_equal(budget_new(&f.x.budget, 1 << 30, &e), CUZK_OK);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct gen_options o = {cases[i][0], cases[i][1], 13, 0};
        cuzk_status status = CUZK_ERR_MEMORY;
        for (uint64_t n = 1; status != CUZK_OK; n += 1 + n / 8) {
            mem_fail_after(n);
            status = gen_run(&f.x, f.poseidon, &o, f.folder, &e);
            mem_fail_after(0);
            if (status != CUZK_OK) {
                assert_int_equal(status, CUZK_ERR_MEMORY);
                assert_int_equal(gen_clear(&f), -1);
            }
            assert_int_equal(budget_used(f.x.budget), 0);
            gen_clear(&f);
        }
    }
    budget_free(f.x.budget);
    pool_free(f.x.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sealed_sectors_c1_holds),
        cmocka_unit_test(sealed_sectors_post_proofs_hold),
        cmocka_unit_test(a_sealed_sectors_update_holds),
        cmocka_unit_test(a_sparse_sectors_c1_has_the_real_size_and_holds),
        cmocka_unit_test(sparse_sectors_post_proofs_hold),
        cmocka_unit_test(a_sparse_sectors_update_holds),
        cmocka_unit_test(the_bytes_follow_from_the_options),
        cmocka_unit_test(what_there_is_not_is_refused),
        cmocka_unit_test(all_kinds_have_names),
        cmocka_unit_test(a_cancelled_run_leaves_nothing),
        cmocka_unit_test(a_run_keeps_to_its_budget),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, gen_set_up, gen_tear_down);
}
