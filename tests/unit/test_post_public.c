/* PoSt's parameters, names, partitions, challenges and statements.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "porep_vectors.h"

#include "base/error.h"
#include "circuits/post.h"
#include "hash/sha256.h"

static void circuits_have_the_reference_s_sizes(void **state)
{
    static const struct {
        const char *winning, *window, *text;
        uint64_t size;
        unsigned sub, top, levels, places;
    } known[] = {
        {"winning-2k", "window-2k", "2KiB", UINT64_C(2) << 10, 0, 0, 2, 2},
        {"winning-4k", "window-4k", "4KiB", UINT64_C(4) << 10, 2, 0, 2, 2},
        {"winning-16k", "window-16k", "16KiB", UINT64_C(16) << 10, 8, 0, 2, 2},
        {"winning-32k", "window-32k", "32KiB", UINT64_C(32) << 10, 8, 2, 2, 2},
        {"winning-8m", "window-8m", "8MiB", UINT64_C(8) << 20, 0, 0, 6, 2},
        {"winning-512m", "window-512m", "512MiB", UINT64_C(512) << 20, 0, 0, 8, 2},
        {"winning-32g", "window-32g", "32GiB", UINT64_C(32) << 30, 8, 0, 9, 2349},
        {"winning-64g", "window-64g", "64GiB", UINT64_C(64) << 30, 8, 2, 9, 2300},
    };
    (void)state;
    uint64_t size;
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct post_params p;
        assert_string_equal(post_circuit_name(i, &size), known[i].winning);
        assert_int_equal(size, known[i].size);
        assert_int_equal(post_params_for_circuit(&p, known[i].winning, NULL), CUZK_OK);
        assert_int_equal(p.kind, POST_WINNING);
        assert_int_equal(p.places, 66);
        assert_int_equal(p.place_challenges, 1);
        assert_int_equal(p.challenges, 66);
        assert_string_equal(post_kind_text(&p), "winning");
        assert_string_equal(post_params_circuit(&p), known[i].winning);
        assert_int_equal(post_public_count(&p), 132);

        assert_string_equal(post_circuit_name(i + ARRAY_LEN(known), &size), known[i].window);
        assert_int_equal(size, known[i].size);
        assert_int_equal(post_params_for_circuit(&p, known[i].window, NULL), CUZK_OK);
        assert_int_equal(p.kind, POST_WINDOW);
        assert_int_equal(p.sector_size, known[i].size);
        assert_int_equal(p.nodes, known[i].size / 32);
        assert_int_equal(p.base_arity, 8);
        assert_int_equal(p.sub_arity, known[i].sub);
        assert_int_equal(p.top_arity, known[i].top);
        assert_int_equal(p.base_height, known[i].levels);
        assert_int_equal(p.places, known[i].places);
        assert_int_equal(p.place_challenges, 10);
        assert_int_equal(p.challenges, 10);
        assert_true(p.index_restarts);
        assert_string_equal(post_kind_text(&p), "window");
        assert_string_equal(post_size_text(&p), known[i].text);
        assert_string_equal(post_params_circuit(&p), known[i].window);
        assert_int_equal(post_public_count(&p), known[i].places * 11);
    }
    assert_null(post_circuit_name(2 * ARRAY_LEN(known), &size));
}

static void window_circuits_have_a_second_name(void **state)
{
    struct post_params p, q;
    (void)state;
    assert_int_equal(post_params_for_circuit(&p, "window-512m", NULL), CUZK_OK);
    assert_int_equal(post_params_for_circuit(&q, "wpost-512m", NULL), CUZK_OK);
    assert_string_equal(post_params_circuit(&q), "window-512m");
    assert_int_equal(p.registered_proof, q.registered_proof);
}

static void every_registered_proof_has_a_number(void **state)
{
    static const char *const sizes[] = {"2KiB", "8MiB", "512MiB", "32GiB", "64GiB"};
    static const char *const kinds[] = {"winning", "window-v1", "window"};
    static const struct {
        const char *size;
        uint64_t first;
    } made_up[] = {{"4KiB", 99}, {"16KiB", 111}, {"32KiB", 127}};
    struct post_params p;
    (void)state;
    for (uint64_t n = 0; n < 15; n++) {
        assert_int_equal(post_params_for_number(&p, n, NULL), CUZK_OK);
        assert_int_equal(p.registered_proof, n);
        assert_string_equal(post_size_text(&p), sizes[n % 5]);
        assert_string_equal(post_kind_text(&p), kinds[n / 5]);
        assert_int_equal(p.index_restarts, n >= 10);
    }
    for (size_t i = 0; i < ARRAY_LEN(made_up); i++)
        for (unsigned k = 0; k < 3; k++) {
            assert_int_equal(post_params_for_number(&p, made_up[i].first + 5 * k, NULL), CUZK_OK);
            assert_string_equal(post_size_text(&p), made_up[i].size);
            assert_string_equal(post_kind_text(&p), kinds[k]);
        }
}

static void unknown_names_and_numbers_are_refused(void **state)
{
    static const char *const names[] = {"",         "window", "window-",   "window-1k",
                                        "wpost-",   "wpost",  "winning-2", "winning-2kk",
                                        "porep-2k", "2k",     "indow-2k",  "wpost-window-2k"};
    struct post_params p;
    struct cuzk_error e;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        assert_int_equal(post_params_for_circuit(&p, names[i], &e), CUZK_ERR_ARGUMENT);
    assert_string_equal(e.message, "no PoSt circuit is named \"wpost-window-2k\"");
    assert_int_equal(post_params_for_number(&p, 15, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "no registered PoSt proof has the number 15");
    assert_int_equal(post_params_for_number(&p, 114, &e), CUZK_ERR_INPUT);
    assert_int_equal(post_params_for_number(&p, UINT64_MAX, &e), CUZK_ERR_INPUT);
}

/* The hashes in the names of the published parameter files. */
static void identifiers_give_the_published_file_names(void **state)
{
    static const struct {
        const char *circuit, *tree, *hash;
    } files[] = {
        {"winning-2k", "8-0-0", "3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e"},
        {"window-2k", "8-0-0", "0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0"},
        {"winning-512m", "8-0-0", "7d739b8cf60f1b0709eeebee7730e297683552e4b69cab6984ec0285663c5781"},
        {"window-512m", "8-0-0", "0cfb4f178bbb71cf2ecfcd42accce558b27199ab4fb59cb78f2483fe21ef36d9"},
        {"winning-8m", "8-0-0", "50c7368dea9593ed0989e70974d28024efa9d156d585b7eea1be22b2e753f331"},
        {"window-8m", "8-0-0", "5294475db5237a2e83c3e52fd6c2b03859a1831d45ed08c4f35dbf9a803165a9"},
        {"winning-32g", "8-8-0", "559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e"},
        {"window-32g", "8-8-0", "0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc"},
        {"winning-64g", "8-8-2", "b62098629d07946e9028127e70295ed996fe3ed25b0f9f88eb610a0ab4385a3c"},
        {"window-64g", "8-8-2", "2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct post_params p;
        char name[POST_NAME_MAX], hex[65];
        uint8_t digest[32];
        assert_int_equal(post_params_for_circuit(&p, files[i].circuit, NULL), CUZK_OK);
        post_identifier(&p, name);
        sha256(digest, name, strlen(name));
        for (unsigned k = 0; k < 32; k++)
            snprintf(hex + 2 * k, 3, "%02x", digest[k]);
        assert_string_equal(hex, files[i].hash);
        post_cache_prefix(&p, name);
        const char *tree = name + strlen(name) - 5;
        assert_string_equal(tree, files[i].tree);
    }
}

/* ---- statements ---- */

static struct post_sector sectors_of(uint64_t id)
{
    return (struct post_sector){.id = id, .comm_r = {1}};
}

static void window_partitions_are_filled_up_with_the_last_sector(void **state)
{
    struct post_sector sectors[2350];
    struct post_statement s = {.sectors = sectors};
    (void)state;
    assert_int_equal(post_params_for_circuit(&s.params, "window-32g", NULL), CUZK_OK);
    for (size_t i = 0; i < ARRAY_LEN(sectors); i++)
        sectors[i] = sectors_of(7 * i);
    static const struct {
        size_t count, partitions;
    } known[] = {{1, 1}, {2348, 1}, {2349, 1}, {2350, 2}};
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        s.sector_count = known[i].count;
        assert_int_equal(post_statement_check(&s, NULL), CUZK_OK);
        assert_int_equal(post_partitions(&s), known[i].partitions);
    }
    assert_int_equal(post_place_at(&s, 0, 0).sector, 0);
    assert_int_equal(post_place_at(&s, 0, 2348).sector, 2348);
    assert_int_equal(post_place_at(&s, 1, 0).sector, 2349);
    assert_int_equal(post_place_at(&s, 1, 2348).sector, 2349);
    assert_int_equal(post_place_at(&s, 1, 2348).first, 0);
}

static void a_winning_sector_is_in_every_place_with_another_challenge(void **state)
{
    const struct post_sector sector = sectors_of(5);
    struct post_statement s = {.sectors = &sector, .sector_count = 1};
    fr inputs[132], expected;
    (void)state;
    assert_int_equal(post_params_for_circuit(&s.params, "winning-64g", NULL), CUZK_OK);
    assert_int_equal(post_partitions(&s), 1);
    assert_int_equal(post_public_inputs(&s, 0, inputs, NULL), CUZK_OK);
    for (unsigned i = 0; i < 66; i++) {
        assert_int_equal(post_place_at(&s, 0, i).sector, 0);
        assert_int_equal(post_place_at(&s, 0, i).first, i);
        assert_true(fr_equal(&inputs[2 * i], &FR_ONE));
        fr_from_u64(&expected, post_challenge(&s, 0, i));
        assert_true(fr_equal(&inputs[2 * i + 1], &expected));
    }
}

/* In the first version the challenges of a sector depend on where it stands, today they do not. */
static void challenges_restart_or_go_on(void **state)
{
    const struct post_sector both[2] = {sectors_of(4), sectors_of(9)};
    struct post_statement first = {.sectors = both, .sector_count = 2}, alone;
    (void)state;
    for (uint64_t number = 5; number <= 10; number += 5) {
        assert_int_equal(post_params_for_number(&first.params, number, NULL), CUZK_OK);
        alone = first;
        alone.sectors = both + 1;
        alone.sector_count = 1;
        for (unsigned n = 0; n < 10; n++) {
            assert_true(post_challenge(&first, 1, n) < first.params.nodes);
            if (number == 10)
                assert_int_equal(post_challenge(&first, 1, n), post_challenge(&alone, 0, n));
        }
        uint64_t differing = 0;
        for (unsigned n = 0; n < 10; n++)
            differing += post_challenge(&first, 1, n) != post_challenge(&alone, 0, n);
        assert_int_equal(differing > 0, number == 5);
    }
}

static void bad_statements_are_refused(void **state)
{
    struct post_sector sectors[3] = {sectors_of(4), sectors_of(9), sectors_of(10)};
    struct post_statement s = {.sectors = sectors, .sector_count = 3};
    struct cuzk_error e;
    fr out[22];
    memset(out, 0x55, sizeof out);
    (void)state;
    assert_int_equal(post_params_for_circuit(&s.params, "window-2k", NULL), CUZK_OK);
    assert_int_equal(post_public_inputs(&s, 2, out, &e), CUZK_ERR_ARGUMENT);
    assert_string_equal(e.message, "partition 2: there are 2");
    s.sector_count = 0;
    assert_int_equal(post_public_inputs(&s, 0, out, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "a proof of no sectors");
    s.sector_count = 3;
    sectors[2].id = 9;
    assert_int_equal(post_public_inputs(&s, 0, out, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "sector 9 behind sector 9: they must stand in ascending order, each once");
    sectors[2].id = UINT64_MAX;
    memset(sectors[2].comm_r, 0xff, 32);
    assert_int_equal(post_public_inputs(&s, 0, out, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "comm_r of sector 18446744073709551615 is not below the field's modulus");
    memset(sectors[2].comm_r, 0, 32);
    memset(s.randomness, 0xff, 32);
    assert_int_equal(post_public_inputs(&s, 0, out, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "randomness is not below the field's modulus");
    s.randomness[31] = 0x3f;
    for (size_t i = 0; i < sizeof out; i++)
        assert_int_equal(((const uint8_t *)out)[i], 0x55);
    assert_int_equal(post_public_inputs(&s, 1, out, &e), CUZK_OK);
    assert_int_equal(post_params_for_circuit(&s.params, "winning-2k", NULL), CUZK_OK);
    assert_int_equal(post_statement_check(&s, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "a winning proof is of one sector, not of 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circuits_have_the_reference_s_sizes),
        cmocka_unit_test(window_circuits_have_a_second_name),
        cmocka_unit_test(every_registered_proof_has_a_number),
        cmocka_unit_test(unknown_names_and_numbers_are_refused),
        cmocka_unit_test(identifiers_give_the_published_file_names),
        cmocka_unit_test(window_partitions_are_filled_up_with_the_last_sector),
        cmocka_unit_test(a_winning_sector_is_in_every_place_with_another_challenge),
        cmocka_unit_test(challenges_restart_or_go_on),
        cmocka_unit_test(bad_statements_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
