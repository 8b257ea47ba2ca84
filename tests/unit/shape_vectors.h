/* tests/unit/shape_vectors.h - a circuit's shape against the reference's record of it.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef SHAPE_VECTORS_H
#define SHAPE_VECTORS_H

#include "porep_vectors.h"

#include "circuits/porep.h"
#include "r1cs/shape.h"

static inline uint64_t shape_number(char *json, const char *key)
{
    char *at = vector_after(json, key);
    assert_non_null(at);
    return vector_number(&at);
}

static inline void shape_check_digest(char *json, const char *key, const uint8_t digest[32])
{
    uint8_t expected[32];
    char *at = vector_after(json, key);
    assert_non_null(at);
    vector_hex(expected, 32, &at);
    assert_memory_equal(digest, expected, 32);
}

/* A list of hex strings of 32 bytes: count of them and no more. */
static inline void shape_check_list(char *json, const char *key, const void *items, uint64_t count)
{
    char *at = vector_after(json, key);
    assert_non_null(at);
    const char *end = strchr(at, ']');
    assert_non_null(end);
    for (uint64_t i = 0; i < count; i++) {
        uint8_t expected[32];
        vector_hex(expected, 32, &at);
        assert_true(at <= end);
        if (memcmp((const uint8_t *)items + 32 * i, expected, 32) != 0)
            fail_msg("%s: the first difference is at number %llu", key, (unsigned long long)i);
    }
    assert_true(strchr(at, '"') == NULL || strchr(at, '"') > end);
}

static inline void shape_check(const struct shape *s, char *json)
{
    shape_check_list(json, "r1cs_marks", s->marks.digest, s->marks.count);
    shape_check_digest(json, "r1cs", s->r1cs);
    assert_int_equal(s->counts.rows_own, shape_number(json, "constraints"));
    assert_int_equal(s->counts.rows, shape_number(json, "rows_with_inputs"));
    assert_int_equal(s->counts.inputs, shape_number(json, "inputs"));
    assert_int_equal(s->counts.aux, shape_number(json, "aux"));
    char *at = vector_after(json, "nnz");
    assert_non_null(at);
    for (unsigned k = 0; k < 3; k++)
        assert_int_equal(s->nonzeros[k], vector_number(&at));
    assert_int_equal(s->zero_terms, shape_number(json, "zero_terms"));
    assert_int_equal(s->a_aux.count, shape_number(json, "a_aux_density"));
    assert_int_equal(s->b_input.count, shape_number(json, "b_input_density"));
    assert_int_equal(s->b_aux.count, shape_number(json, "b_aux_density"));
    shape_check_digest(json, "a_aux_bits", s->a_aux.digest);
    shape_check_digest(json, "b_input_bits", s->b_input.digest);
    shape_check_digest(json, "b_aux_bits", s->b_aux.digest);
}

/* The blank circuit of "porep-2k" against shape/porep-2KiB.json. */
static inline void shape_check_porep(const char *circuit)
{
    static const struct exec x = {.variant = CPU_PORTABLE};
    struct cuzk_error e = {.status = CUZK_OK};
    struct poseidon_set *poseidon;
    struct porep_params params;
    struct shape shape;
    char name[64];
    assert_int_equal(porep_params_for_circuit(&params, circuit, &e), CUZK_OK);
    assert_int_equal(poseidon_set_new(&poseidon, &e), CUZK_OK);
    snprintf(name, sizeof name, "shape/porep-%s.json", porep_size_text(&params));
    char *json = vector_read(name, NULL);
    const struct porep_circuit porep = {.poseidon = poseidon, .params = &params};
    const struct circuit c = {.self = &porep, .synthesize = porep_synthesize};
    assert_int_equal(shape_of(&x, &shape, &c, shape_number(json, "every"), &e), CUZK_OK);
    shape_check(&shape, json);
    shape_free(&shape);
    free(json);
    poseidon_set_free(poseidon);
}

#endif
