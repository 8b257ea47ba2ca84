/* SnapDeals' parameters, names, challenges and public inputs.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "snap_vectors.h"

#include "hash/sha256.h"

static const struct exec EXEC = {.variant = CPU_PORTABLE};

static void circuits_have_the_reference_s_sizes(void **state)
{
    static const struct {
        const char *sha256, *poseidon, *text;
        uint64_t size, number;
        unsigned sub, top, levels, node_bits, partitions, challenges, apex, high;
    } known[] = {
        {"snap-2k", "snap-poseidon-2k", "2KiB", UINT64_C(2) << 10, 0, 0, 0, 2, 6, 1, 10, 8, 1},
        {"snap-4k", "snap-poseidon-4k", "4KiB", UINT64_C(4) << 10, 99, 2, 0, 2, 7, 1, 10, 8, 1},
        {"snap-16k", "snap-poseidon-16k", "16KiB", UINT64_C(16) << 10, 111, 8, 0, 2, 9, 2, 10, 128, 1},
        {"snap-32k", "snap-poseidon-32k", "32KiB", UINT64_C(32) << 10, 127, 8, 2, 2, 10, 2, 10, 128, 1},
        {"snap-8m", "snap-poseidon-8m", "8MiB", UINT64_C(8) << 20, 1, 0, 0, 6, 18, 4, 10, 128, 10},
        {"snap-512m", "snap-poseidon-512m", "512MiB", UINT64_C(512) << 20, 2, 0, 0, 8, 24, 16, 86, 128, 10},
        {"snap-32g", "snap-poseidon-32g", "32GiB", UINT64_C(32) << 30, 3, 8, 0, 9, 30, 16, 86, 128, 10},
        {"snap-64g", "snap-poseidon-64g", "64GiB", UINT64_C(64) << 30, 4, 8, 2, 9, 31, 16, 86, 128, 10},
    };
    (void)state;
    uint64_t size;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        for (unsigned poseidon = 0; poseidon < 2; poseidon++) {
            struct snap_params p, q;
            const char *circuit = poseidon ? known[i].poseidon : known[i].sha256;
            assert_string_equal(snap_circuit_name(i + poseidon * ARRAY_LEN(known), &size), circuit);
            assert_int_equal(size, known[i].size);
            assert_int_equal(snap_params_for_circuit(&p, circuit, NULL), CUZK_OK);
            assert_int_equal(p.variant, poseidon ? SNAP_POSEIDON : SNAP_SHA256);
            assert_int_equal(p.sector_size, known[i].size);
            assert_int_equal(p.nodes, known[i].size / 32);
            assert_int_equal(p.node_bits, known[i].node_bits);
            assert_int_equal(p.base_arity, 8);
            assert_int_equal(p.sub_arity, known[i].sub);
            assert_int_equal(p.top_arity, known[i].top);
            assert_int_equal(p.base_height, known[i].levels);
            assert_int_equal(p.partitions, poseidon ? 1 : known[i].partitions);
            assert_int_equal(1U << p.partition_bits, p.partitions);
            assert_int_equal(p.challenges, known[i].challenges * (poseidon ? known[i].partitions : 1));
            assert_int_equal(p.drawn_bits + p.partition_bits, known[i].node_bits);
            assert_int_equal(p.apex_leaves, poseidon ? 0 : known[i].apex);
            assert_int_equal(p.high_bits[p.high_choice], known[i].high);
            assert_int_equal(snap_public_count(&p), 4);
            assert_string_equal(snap_size_text(&p), known[i].text);
            assert_string_equal(snap_params_circuit(&p), circuit);
            assert_string_equal(snap_kind_text(&p), poseidon ? "snap-poseidon" : "snap");
            assert_int_equal(snap_params_for_number(&q, known[i].number, p.variant, NULL), CUZK_OK);
            assert_string_equal(snap_params_circuit(&q), circuit);
        }
    assert_null(snap_circuit_name(2 * ARRAY_LEN(known), &size));
}

static void unknown_names_and_numbers_are_refused(void **state)
{
    static const char *const names[] = {"",         "snap",   "snap-",   "snap-1k",          "snap-2kk",
                                        "porep-2k", "nap-2k", "snap-2K", "snap-poseidon-1k", "snap-poseidon"};
    static const uint64_t numbers[] = {5, 98, 100, 110, 128, UINT64_MAX};
    struct snap_params p;
    struct cuzk_error e;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        assert_int_equal(snap_params_for_circuit(&p, names[i], NULL), CUZK_ERR_ARGUMENT);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        assert_int_equal(snap_params_for_number(&p, numbers[i], SNAP_SHA256, NULL), CUZK_ERR_INPUT);
    assert_int_equal(snap_params_for_number(&p, 5, SNAP_SHA256, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "no registered update proof has the number 5");
}

/* The names of the published parameter files. */
static void identifiers_give_the_known_file_names(void **state)
{
    static const struct {
        const char *circuit, *prefix, *hash;
    } files[] = {
        {"snap-2k", "empty-sector-update-merkletree-poseidon_hasher-8-0-0",
         "fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194"},
        {"snap-8m", "empty-sector-update-merkletree-poseidon_hasher-8-0-0",
         "92180959e1918d26350b8e6cfe217bbdd0a2d8de51ebec269078b364b715ad63"},
        {"snap-512m", "empty-sector-update-merkletree-poseidon_hasher-8-0-0",
         "61fa69f38b9cc771ba27b670124714b4ea77fbeae05e377fb859c4a43b73a30c"},
        {"snap-32g", "empty-sector-update-merkletree-poseidon_hasher-8-8-0",
         "3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18"},
        {"snap-64g", "empty-sector-update-merkletree-poseidon_hasher-8-8-2",
         "102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7"},
        {"snap-poseidon-32g", "empty-sector-update-poseidon-merkletree-poseidon_hasher-8-8-0",
         "3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18"},
        {"snap-poseidon-64g", "empty-sector-update-poseidon-merkletree-poseidon_hasher-8-8-2",
         "102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct snap_params p;
        char name[SNAP_NAME_MAX], hex[65];
        uint8_t digest[32];
        assert_int_equal(snap_params_for_circuit(&p, files[i].circuit, NULL), CUZK_OK);
        snap_identifier(&p, name);
        sha256(digest, name, strlen(name));
        for (unsigned k = 0; k < 32; k++)
            snprintf(hex + 2 * k, 3, "%02x", digest[k]);
        assert_string_equal(hex, files[i].hash);
        snap_cache_prefix(&p, name);
        assert_string_equal(name, files[i].prefix);
    }
}

/* ---- challenges ---- */

/* The first challenges of the published crate's own test, and the comm_r_new that it draws them from. */
static void challenges_are_the_known_ones(void **state)
{
    static const char comm_r_new[] = "\"101cbe4b9c42604f04c703c396f788c6cb2d6d7d58f45430b12eb2edd640076c\"";
    static const struct {
        const char *circuit;
        unsigned partition;
        uint32_t first[5];
    } known[] = {
        {"snap-2k", 0, {53, 51, 56, 3, 0}},
        {"snap-4k", 0, {117, 25, 62, 0, 72}},
        {"snap-16k", 0, {245, 140, 15, 128, 28}},
        {"snap-16k", 1, {286, 308, 493, 510, 508}},
        {"snap-32k", 0, {245, 454, 3, 400, 193}},
        {"snap-32k", 1, {542, 666, 955, 927, 911}},
        {"snap-8m", 0, {36085, 32783, 44060, 10950, 3731}},
        {"snap-8m", 1, {78878, 130797, 112892, 93994, 78379}},
        {"snap-512m", 0, {1019125, 116736, 706220, 59698, 799498}},
        {"snap-512m", 1, {2092548, 1213276, 1185483, 1164598, 1095197}},
        {"snap-512m", 14, {15212432, 15665918, 15015423, 15012912, 15495223}},
        {"snap-512m", 15, {16388544, 15794686, 16637142, 16319148, 16328348}},
        {"snap-32g", 0, {1019125, 27985696, 15282860, 11586600, 44651330}},
        {"snap-32g", 1, {109168525, 127316247, 80331041, 97065716, 72310052}},
        {"snap-32g", 14, {990420169, 955146989, 968005601, 976863263, 944650706}},
        {"snap-32g", 15, {1038629497, 1053983614, 1030421316, 1027373887, 1068685433}},
        {"snap-64g", 0, {1019125, 13992848, 3820715, 18225541, 57316660}},
        {"snap-64g", 1, {243386253, 197875851, 204632136, 171516766, 247789010}},
        {"snap-64g", 14, {1997053129, 1920414070, 2003609080, 1900492803, 1963254685}},
        {"snap-64g", 15, {2045262457, 2036941247, 2136653521, 2091356007, 2147167623}},
    };
    struct poseidon_set *poseidon;
    (void)state;
    assert_int_equal(poseidon_set_new(&poseidon, NULL), CUZK_OK);
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct snap_statement s = {0};
        char text[sizeof comm_r_new];
        char *at = text;
        uint32_t node[SNAP_MAX_CHALLENGES];
        memcpy(text, comm_r_new, sizeof text);
        vector_hex(s.comm_r_new, 32, &at);
        assert_int_equal(snap_params_for_circuit(&s.params, known[i].circuit, NULL), CUZK_OK);
        assert_int_equal(snap_challenges(&EXEC, poseidon, &s, known[i].partition, node, NULL), CUZK_OK);
        assert_memory_equal(node, known[i].first, sizeof known[i].first);
        for (unsigned n = 0; n < s.params.challenges; n++)
            assert_int_equal(node[n] / (s.params.nodes / s.params.partitions), known[i].partition);
    }
    poseidon_set_free(poseidon);
}

/* The Poseidon variant's single partition draws all bits of a node: as the SHA-256 variant where that has one
 * partition too. */
static void poseidon_challenges_are_of_all_nodes(void **state)
{
    struct poseidon_set *poseidon;
    struct snap_statement s = {.comm_r_new = {7}};
    static uint32_t node[SNAP_MAX_CHALLENGES], other[SNAP_MAX_CHALLENGES];
    uint32_t all = 0;
    (void)state;
    assert_int_equal(poseidon_set_new(&poseidon, NULL), CUZK_OK);
    assert_int_equal(snap_params_for_circuit(&s.params, "snap-poseidon-4k", NULL), CUZK_OK);
    assert_int_equal(snap_challenges(&EXEC, poseidon, &s, 0, node, NULL), CUZK_OK);
    assert_int_equal(snap_params_for_circuit(&s.params, "snap-4k", NULL), CUZK_OK);
    assert_int_equal(snap_challenges(&EXEC, poseidon, &s, 0, other, NULL), CUZK_OK);
    assert_memory_equal(node, other, s.params.challenges * sizeof node[0]);
    assert_int_equal(snap_params_for_circuit(&s.params, "snap-poseidon-64g", NULL), CUZK_OK);
    assert_int_equal(s.params.challenges, SNAP_MAX_CHALLENGES);
    assert_int_equal(snap_challenges(&EXEC, poseidon, &s, 0, node, NULL), CUZK_OK);
    for (unsigned n = 0; n < s.params.challenges; n++) {
        assert_true(node[n] < s.params.nodes);
        all |= node[n];
    }
    assert_int_equal(all, s.params.nodes - 1);
    poseidon_set_free(poseidon);
}

/* ---- rho, public inputs ---- */

static void rho_depends_on_the_highest_bits_alone(void **state)
{
    struct poseidon_set *poseidon;
    struct snap_statement s = {.comm_r_old = {1}, .comm_d_new = {2}};
    fr phi, expected;
    (void)state;
    assert_int_equal(poseidon_set_new(&poseidon, NULL), CUZK_OK);
    assert_int_equal(snap_params_for_circuit(&s.params, "snap-32g", NULL), CUZK_OK);
    assert_int_equal(snap_phi(&EXEC, poseidon, &s, &phi, NULL), CUZK_OK);
    fr preimage[2];
    fr_from_u64(&preimage[0], 2);
    fr_from_u64(&preimage[1], 1);
    poseidon_hash(CPU_PORTABLE, &poseidon->kind[POSEIDON_2_SNAP], &expected, preimage);
    assert_true(fr_equal(&phi, &expected));
    preimage[0] = phi;
    fr_from_u64(&preimage[1], 1023);
    poseidon_hash(CPU_PORTABLE, &poseidon->kind[POSEIDON_2_SNAP], &expected, preimage);
    for (uint32_t node = 1023U << 20; node < 1U << 30; node += 349525) {
        const fr rho = snap_rho(&EXEC, poseidon, &s.params, &phi, node);
        assert_true(fr_equal(&rho, &expected));
    }
    const fr rho = snap_rho(&EXEC, poseidon, &s.params, &phi, (1023U << 20) - 1);
    assert_false(fr_equal(&rho, &expected));
    poseidon_set_free(poseidon);
}

static void the_first_input_holds_partition_and_choice(void **state)
{
    static const struct {
        const char *circuit;
        unsigned partition;
        uint64_t value;
    } known[] = {{"snap-2k", 0, 1},    {"snap-16k", 1, 3},         {"snap-8m", 3, 3 + 32},
                 {"snap-32g", 0, 128}, {"snap-64g", 15, 15 + 128}, {"snap-poseidon-32g", 0, 8}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct snap_statement s = {.comm_r_old = {1}, .comm_d_new = {2}, .comm_r_new = {3}};
        fr inputs[4], expected;
        assert_int_equal(snap_params_for_circuit(&s.params, known[i].circuit, NULL), CUZK_OK);
        assert_int_equal(snap_public_inputs(&s, known[i].partition, inputs, NULL), CUZK_OK);
        for (uint64_t k = 0; k < 4; k++) {
            fr_from_u64(&expected, k == 0 ? known[i].value : k);
            assert_true(fr_equal(&inputs[k], &expected));
        }
    }
}

static void refused(const struct snap_statement *s, unsigned partition, cuzk_status status,
                    const char *message)
{
    struct poseidon_set *poseidon;
    struct cuzk_error e;
    fr out[4], before[4];
    memset(out, 0x55, sizeof out);
    memcpy(before, out, sizeof out);
    assert_int_equal(snap_public_inputs(s, partition, out, &e), status);
    assert_string_equal(e.message, message);
    assert_memory_equal(out, before, sizeof out);
    assert_int_equal(poseidon_set_new(&poseidon, &e), CUZK_OK);
    const struct snap_circuit snap = {
        .poseidon = poseidon, .params = &s->params, .statement = s, .partition = partition};
    const struct circuit c = {.self = &snap, .synthesize = snap_synthesize};
    static const struct cs_sink sink = {.wants_values = true};
    assert_int_equal(circuit_run(&c, &sink, NULL, NULL, NULL, &e), status);
    assert_string_equal(e.message, message);
    poseidon_set_free(poseidon);
}

static void bad_statements_are_refused(void **state)
{
    struct snap_statement s = {0};
    (void)state;
    assert_int_equal(snap_params_for_circuit(&s.params, "snap-16k", NULL), CUZK_OK);
    refused(&s, 2, CUZK_ERR_ARGUMENT, "partition 2: there are 2");
    s.comm_r_old[31] = 0x74;
    refused(&s, 0, CUZK_ERR_INPUT, "comm_r_old is not below the field's modulus");
    s.comm_r_old[31] = 0;
    s.comm_d_new[31] = 0x74;
    refused(&s, 0, CUZK_ERR_INPUT, "comm_d_new is not below the field's modulus");
    s.comm_d_new[31] = 0;
    s.comm_r_new[31] = 0x74;
    refused(&s, 0, CUZK_ERR_INPUT, "comm_r_new is not below the field's modulus");
    assert_int_equal(snap_params_for_circuit(&s.params, "snap-poseidon-16k", NULL), CUZK_OK);
    refused(&s, 1, CUZK_ERR_ARGUMENT, "partition 1: there are 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circuits_have_the_reference_s_sizes),
        cmocka_unit_test(unknown_names_and_numbers_are_refused),
        cmocka_unit_test(identifiers_give_the_known_file_names),
        cmocka_unit_test(challenges_are_the_known_ones),
        cmocka_unit_test(poseidon_challenges_are_of_all_nodes),
        cmocka_unit_test(rho_depends_on_the_highest_bits_alone),
        cmocka_unit_test(the_first_input_holds_partition_and_choice),
        cmocka_unit_test(bad_statements_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
