/* tests/unit/test_porep_public.c - PoRep's parameters, graph, challenges and public inputs against the
 * reference. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "porep_vectors.h"

#include "base/exec.h"
#include "circuits/porep_graph.h"
#include "hash/sha256.h"

static void sizes_have_the_reference_s_shape(void **state)
{
    static const struct {
        const char *circuit, *text;
        unsigned base_height, sub, top, data_height, layers, challenges, partitions, partitions_ni;
    } known[] = {
        {"porep-2k", "2KiB", 2, 0, 0, 6, 2, 2, 1, 13},
        {"porep-4k", "4KiB", 2, 2, 0, 7, 2, 2, 1, 13},
        {"porep-16k", "16KiB", 2, 8, 0, 9, 2, 2, 1, 13},
        {"porep-32k", "32KiB", 2, 8, 2, 10, 2, 2, 1, 13},
        {"porep-8m", "8MiB", 6, 0, 0, 18, 2, 2, 1, 13},
        {"porep-512m", "512MiB", 8, 0, 0, 24, 2, 2, 1, 13},
        {"porep-32g", "32GiB", 9, 8, 0, 30, 11, 18, 10, 126},
        {"porep-64g", "64GiB", 9, 8, 2, 31, 11, 18, 10, 126},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct porep_params p, q;
        uint64_t size;
        assert_string_equal(porep_circuit_name(i, &size), known[i].circuit);
        assert_int_equal(porep_params_for_circuit(&p, known[i].circuit, NULL), CUZK_OK);
        assert_int_equal(p.sector_size, size);
        assert_int_equal(p.nodes * 32, size);
        assert_string_equal(porep_size_text(&p), known[i].text);
        assert_string_equal(porep_params_circuit(&p), known[i].circuit);
        assert_int_equal(p.base_arity, 8);
        assert_int_equal(p.sub_arity, known[i].sub);
        assert_int_equal(p.top_arity, known[i].top);
        assert_int_equal(p.base_height, known[i].base_height);
        assert_int_equal(p.data_height, known[i].data_height);
        assert_int_equal(p.layers, known[i].layers);
        assert_int_equal(p.challenges, known[i].challenges);
        assert_int_equal(p.partitions, known[i].partitions);
        assert_int_equal(porep_params_for_size(&q, size, NULL), CUZK_OK);
        assert_memory_equal(&p, &q, sizeof p);
        assert_int_equal(porep_params_for_number(&q, p.registered_proof + 10, NULL), CUZK_OK);
        assert_int_equal(q.mode, POREP_NON_INTERACTIVE);
        assert_int_equal(q.partitions, known[i].partitions_ni);
        assert_int_equal(q.challenges, known[i].challenges);
        assert_int_equal(porep_public_count(&p), known[i].layers == 2 ? 39 : 327);
    }
    uint64_t size;
    assert_null(porep_circuit_name(ARRAY_LEN(known), &size));
}

static void every_registered_proof_has_number_and_name(void **state)
{
    static const char *names[] = {"StackedDrg2KiBV1",
                                  "StackedDrg8MiBV1",
                                  "StackedDrg512MiBV1",
                                  "StackedDrg32GiBV1",
                                  "StackedDrg64GiBV1",
                                  "StackedDrg2KiBV1_1",
                                  "StackedDrg8MiBV1_1",
                                  "StackedDrg512MiBV1_1",
                                  "StackedDrg32GiBV1_1",
                                  "StackedDrg64GiBV1_1",
                                  "StackedDrg2KiBV1_1_Feat_SyntheticPoRep",
                                  "StackedDrg8MiBV1_1_Feat_SyntheticPoRep",
                                  "StackedDrg512MiBV1_1_Feat_SyntheticPoRep",
                                  "StackedDrg32GiBV1_1_Feat_SyntheticPoRep",
                                  "StackedDrg64GiBV1_1_Feat_SyntheticPoRep",
                                  "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep",
                                  "StackedDrg8MiBV1_2_Feat_NonInteractivePoRep",
                                  "StackedDrg512MiBV1_2_Feat_NonInteractivePoRep",
                                  "StackedDrg32GiBV1_2_Feat_NonInteractivePoRep",
                                  "StackedDrg64GiBV1_2_Feat_NonInteractivePoRep"};
    (void)state;
    for (uint64_t n = 0; n < ARRAY_LEN(names); n++) {
        struct porep_params p, q;
        char name[POREP_NAME_MAX];
        assert_int_equal(porep_params_for_number(&p, n, NULL), CUZK_OK);
        assert_int_equal(p.registered_proof, n);
        assert_int_equal(p.porep_id[0], n);
        porep_registered_name(&p, name);
        assert_string_equal(name, names[n]);
        assert_int_equal(porep_params_for_name(&q, name, strlen(name), NULL), CUZK_OK);
        assert_memory_equal(&p, &q, sizeof p);
        porep_variant_name(&p, name);
        assert_memory_equal(name, names[n], strlen(name));
        assert_int_equal(p.api, n < 5 ? POREP_API_1_0 : n < 10 ? POREP_API_1_1 : POREP_API_1_2);
    }
}

static void unknown_sizes_names_and_numbers_are_refused(void **state)
{
    struct porep_params p;
    struct cuzk_error e;
    (void)state;
    assert_int_equal(porep_params_for_size(&p, 0, &e), CUZK_ERR_INPUT);
    assert_int_equal(porep_params_for_size(&p, 4097, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "no circuit for sectors of 4097 bytes");
    assert_int_equal(porep_params_for_number(&p, 20, &e), CUZK_ERR_INPUT);
    assert_int_equal(porep_params_for_number(&p, UINT64_MAX, &e), CUZK_ERR_INPUT);
    assert_int_equal(porep_params_for_circuit(&p, "porep-1k", &e), CUZK_ERR_ARGUMENT);
    assert_int_equal(porep_params_for_name(&p, "StackedDrg2KiBV1_1", 15, &e), CUZK_ERR_INPUT);
    assert_int_equal(porep_params_for_name(&p, "", 0, &e), CUZK_ERR_INPUT);
}

static void the_identifier_gives_the_published_file_name(void **state)
{
    static const char expected[] = "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820";
    struct porep_params p;
    char name[POREP_NAME_MAX], hex[65];
    uint8_t digest[32];
    (void)state;
    assert_int_equal(porep_params_for_circuit(&p, "porep-32g", NULL), CUZK_OK);
    porep_identifier(&p, name);
    sha256(digest, name, strlen(name));
    for (unsigned i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, expected);
    porep_cache_prefix(&p, name);
    assert_string_equal(name, "stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher");
}

static void parents_equal_the_reference_s(void **state)
{
    char *text = vector_read("porep-graph.json", NULL), *p = text, *end = strstr(text, "\"challenges\"");
    unsigned compared = 0;
    (void)state;
    assert_non_null(end);
    while ((p = vector_after(p, "registered_proof")) && p < end) {
        struct porep_params params;
        struct porep_graph graph, tabulated;
        assert_int_equal(porep_params_for_number(&params, vector_number(&p), NULL), CUZK_OK);
        porep_graph_init(&graph, &params);
        porep_graph_init(&tabulated, &params);
        uint32_t *table = calloc(porep_graph_table_size(&graph), sizeof *table);
        assert_non_null(table);
        assert_int_equal(porep_graph_tabulate(&tabulated, table, NULL), CUZK_OK);
        p = vector_after(p, "parents");
        do {
            uint32_t drg[POREP_DRG_PARENTS], exp[POREP_EXP_PARENTS], from_table[POREP_EXP_PARENTS];
            const uint64_t node = vector_number(&p);
            porep_graph_drg_parents(&graph, node, drg);
            assert_int_equal(porep_graph_exp_parents(&graph, node, exp, NULL), CUZK_OK);
            assert_int_equal(porep_graph_exp_parents(&tabulated, node, from_table, NULL), CUZK_OK);
            assert_memory_equal(from_table, exp, sizeof exp);
            for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
                assert_int_equal(drg[i], vector_number(&p));
            for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
                assert_int_equal(exp[i], vector_number(&p));
            compared++;
        } while (strncmp(p, "]],", 3) == 0);
        free(table);
    }
    assert_int_equal(compared, 6 * 4 * 13 + 2 * 4 * 21);
    free(text);
}

static void challenges_equal_the_reference_s(void **state)
{
    char *text = vector_read("porep-graph.json", NULL), *end = strstr(text, "\"replica_ids\"");
    char *p = strstr(text, "\"challenges\"");
    unsigned compared = 0;
    (void)state;
    while ((p = vector_after(p, "registered_proof")) && p < end) {
        struct porep_statement s = {0};
        assert_int_equal(porep_params_for_number(&s.params, vector_number(&p), NULL), CUZK_OK);
        p = vector_after(p, "replica_id");
        vector_hex(s.replica_id, 32, &p);
        p = vector_after(p, "comm_r");
        vector_hex(s.comm_r, 32, &p);
        p = vector_after(p, "seed");
        vector_hex(s.seed, 32, &p);
        p = vector_after(p, "partitions");
        do {
            uint64_t challenges[POREP_MAX_CHALLENGES];
            const unsigned partition = (unsigned)vector_number(&p);
            assert_int_equal(porep_challenges(&s, partition, challenges, NULL), CUZK_OK);
            for (unsigned i = 0; i < s.params.challenges; i++)
                assert_int_equal(challenges[i], vector_number(&p));
            compared++;
        } while (strncmp(p, "]],", 3) == 0);
    }
    assert_int_equal(compared, 6 * 6 + 2 * 12);
    free(text);
}

static void replica_ids_equal_the_reference_s(void **state)
{
    char *text = vector_read("porep-graph.json", NULL), *p = strstr(text, "\"replica_ids\"");
    unsigned compared = 0;
    (void)state;
    while ((p = vector_after(p, "registered_proof"))) {
        struct porep_params params;
        uint8_t prover[32], ticket[32], comm_d[32], expected[32], id[32];
        assert_int_equal(porep_params_for_number(&params, vector_number(&p), NULL), CUZK_OK);
        p = vector_after(p, "prover_id");
        vector_hex(prover, 32, &p);
        p = vector_after(p, "sector");
        const uint64_t sector = vector_number(&p);
        p = vector_after(p, "ticket");
        vector_hex(ticket, 32, &p);
        p = vector_after(p, "comm_d");
        vector_hex(comm_d, 32, &p);
        p = vector_after(p, "replica_id");
        vector_hex(expected, 32, &p);
        porep_replica_id(id, &params, prover, sector, ticket, comm_d);
        assert_memory_equal(id, expected, 32);
        compared++;
    }
    assert_int_equal(compared, 32);
    free(text);
}

static void check_instance(const char *input, unsigned partition)
{
    char name[128];
    size_t size;
    const struct exec x = {0};
    struct porep_c1 c1;
    struct cuzk_error e = {0};
    fr inputs[POREP_MAX_CHALLENGES * 18 + 3];

    snprintf(name, sizeof name, "input/%s.c1.json", input);
    char *json = vector_read(name, &size);
    assert_int_equal(porep_c1_read(&x, &c1, (const uint8_t *)json, size, &e), CUZK_OK);
    free(json);
    assert_int_equal(porep_public_inputs(&c1.statement, partition, inputs, &e), CUZK_OK);
    snprintf(name, sizeof name, "instance/%s.%u.json", input, partition);
    char *text = vector_read(name, NULL), *p = vector_after(text, "public_inputs");
    assert_non_null(p);
    for (size_t i = 0; i <= porep_public_count(&c1.statement.params); i++) {
        uint8_t expected[32], found[32] = {1};
        vector_hex(expected, 32, &p);
        if (i > 0)
            fr_write_le(found, &inputs[i - 1]);
        assert_memory_equal(found, expected, 32);
    }
    free(text);
    porep_c1_free(&c1);
}

static void public_inputs_equal_the_reference_s(void **state)
{
    (void)state;
    check_instance("porep-2KiB-1", 0);
    check_instance("porep-4KiB-1", 0);
    check_instance("porep-16KiB-1", 0);
    check_instance("porep-32KiB-1", 0);
    check_instance("porep-8MiB-1", 0);
    check_instance("porep-v1-2KiB-1", 0);
    check_instance("porep-syn-2KiB-1", 0);
    check_instance("porep-ni-2KiB-1", 0);
    check_instance("porep-ni-2KiB-1", 1);
}

static void bad_statements_are_refused(void **state)
{
    struct porep_statement s = {0};
    struct cuzk_error e;
    fr out[39];
    (void)state;
    assert_int_equal(porep_params_for_circuit(&s.params, "porep-2k", NULL), CUZK_OK);
    assert_int_equal(porep_public_inputs(&s, 1, out, &e), CUZK_ERR_ARGUMENT);
    assert_int_equal(porep_public_inputs(&s, 0, out, &e), CUZK_OK);
    memset(s.comm_r, 0xff, 32);
    assert_int_equal(porep_public_inputs(&s, 0, out, &e), CUZK_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_the_reference_s_shape),
        cmocka_unit_test(every_registered_proof_has_number_and_name),
        cmocka_unit_test(unknown_sizes_names_and_numbers_are_refused),
        cmocka_unit_test(the_identifier_gives_the_published_file_name),
        cmocka_unit_test(parents_equal_the_reference_s),
        cmocka_unit_test(challenges_equal_the_reference_s),
        cmocka_unit_test(replica_ids_equal_the_reference_s),
        cmocka_unit_test(public_inputs_equal_the_reference_s),
        cmocka_unit_test(bad_statements_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
