/* tests/unit/post_vectors.h - the reference's PoSt files, found and read.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef POST_VECTORS_H
#define POST_VECTORS_H

#include "shape_vectors.h"

#include "circuits/post.h"

#define POST_VECTOR_SECTORS 3

/* The file input/NAME.meta.json and the vanilla proofs that it names. */
struct post_vector {
    struct post_statement statement;
    struct post_sector sectors[POST_VECTOR_SECTORS];
    struct post_record {
        uint8_t *bytes;
        size_t size;
    } records[POST_VECTOR_SECTORS];
};

static inline void post_vector_record(struct post_record *out, char **p)
{
    char name[128] = "input/";
    char *start = strchr(*p, '"');
    assert_non_null(start);
    const size_t size = strcspn(start + 1, "\"");
    assert_true(size < 100);
    strncat(name, start + 1, size);
    *p = start + size + 2;
    out->bytes = (uint8_t *)vector_read(name, &out->size);
}

static inline char *post_vector_after(char *json, const char *key)
{
    char *at = vector_after(json, key);
    assert_non_null(at);
    return at;
}

/* v stays where it is: the statement points into it. */
static inline void post_vector_read(struct post_vector *v, const char *input)
{
    struct cuzk_error e = {.status = CUZK_OK};
    char name[128];
    snprintf(name, sizeof name, "input/%s.meta.json", input);
    char *json = vector_read(name, NULL);
    memset(v, 0, sizeof *v);
    char *number = post_vector_after(json, "registered_proof");
    if (post_params_for_number(&v->statement.params, vector_number(&number), &e) != CUZK_OK)
        fail_msg("%s: %s", name, e.message);
    char *randomness = post_vector_after(json, "randomness");
    vector_hex(v->statement.randomness, 32, &randomness);
    char *ids = post_vector_after(json, "sectors"), *comm_r = post_vector_after(json, "comm_r"),
         *files = post_vector_after(json, "vanilla");
    const char *end = strchr(ids, ']');
    size_t n = 0;
    for (; n < POST_VECTOR_SECTORS && ids + strcspn(ids, "0123456789") < end; n++) {
        v->sectors[n].id = vector_number(&ids);
        vector_hex(v->sectors[n].comm_r, 32, &comm_r);
        post_vector_record(&v->records[n], &files);
    }
    v->statement.sectors = v->sectors;
    v->statement.sector_count = n;
    free(json);
}

static inline void post_vector_free(struct post_vector *v)
{
    for (size_t i = 0; i < v->statement.sector_count; i++)
        free(v->records[i].bytes);
}

/* All the vanilla proofs, in memory from the arena. */
static inline void post_vector_proofs(const struct exec *x, struct post_proof *proofs, struct arena *arena,
                                      const struct post_vector *v)
{
    struct cuzk_error e = {.status = CUZK_OK};
    for (size_t i = 0; i < v->statement.sector_count; i++)
        if (post_proof_read(x, &proofs[i], arena, &v->statement.params, v->records[i].bytes,
                            v->records[i].size, &e) != CUZK_OK)
            fail_msg("record %zu: %s", i, e.message);
}

/* The blank circuit of "window-2k" against shape/window-2KiB.json. */
static inline void post_check_shape(const char *circuit)
{
    static const struct exec x = {.variant = CPU_PORTABLE};
    struct cuzk_error e = {.status = CUZK_OK};
    struct poseidon_set *poseidon;
    struct post_params params;
    struct shape shape;
    char name[64];
    assert_int_equal(post_params_for_circuit(&params, circuit, &e), CUZK_OK);
    assert_int_equal(poseidon_set_new(&poseidon, &e), CUZK_OK);
    snprintf(name, sizeof name, "shape/%s-%s.json", post_kind_text(&params), post_size_text(&params));
    char *json = vector_read(name, NULL);
    const struct post_circuit post = {.poseidon = poseidon, .params = &params};
    const struct circuit c = {.self = &post, .synthesize = post_synthesize};
    assert_int_equal(shape_of(&x, &shape, &c, shape_number(json, "every"), &e), CUZK_OK);
    shape_check(&shape, json);
    assert_int_equal(post_public_count(&params), shape.counts.inputs - 1);
    shape_free(&shape);
    free(json);
    poseidon_set_free(poseidon);
}

#endif
