/* tests/unit/snap_vectors.h - the reference's SnapDeals files, found and read.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef SNAP_VECTORS_H
#define SNAP_VECTORS_H

#include "shape_vectors.h"

#include "circuits/snap.h"

#define SNAP_VECTOR_PARTITIONS 4

/* The file input/NAME.meta.json and the vanilla proofs that it names. */
struct snap_vector {
    struct snap_statement statement;
    struct snap_record {
        uint8_t *bytes;
        size_t size;
    } records[SNAP_VECTOR_PARTITIONS];
};

static inline char *snap_vector_after(char *json, const char *key)
{
    char *at = vector_after(json, key);
    assert_non_null(at);
    return at;
}

static inline void snap_vector_hex(uint8_t out[32], char *json, const char *key)
{
    char *at = snap_vector_after(json, key);
    vector_hex(out, 32, &at);
}

static inline void snap_vector_read(struct snap_vector *v, const char *input)
{
    struct cuzk_error e = {.status = CUZK_OK};
    char name[128];
    snprintf(name, sizeof name, "input/%s.meta.json", input);
    char *json = vector_read(name, NULL);
    memset(v, 0, sizeof *v);
    char *number = snap_vector_after(json, "registered_proof");
    if (snap_params_for_number(&v->statement.params, vector_number(&number), SNAP_SHA256, &e) != CUZK_OK)
        fail_msg("%s: %s", name, e.message);
    snap_vector_hex(v->statement.comm_r_old, json, "comm_r_old");
    snap_vector_hex(v->statement.comm_d_new, json, "comm_d_new");
    snap_vector_hex(v->statement.comm_r_new, json, "comm_r_new");
    free(json);
    assert_true(v->statement.params.partitions <= SNAP_VECTOR_PARTITIONS);
    for (unsigned k = 0; k < v->statement.params.partitions; k++) {
        snprintf(name, sizeof name, "input/%s.%u.vanilla", input, k);
        v->records[k].bytes = (uint8_t *)vector_read(name, &v->records[k].size);
    }
}

static inline void snap_vector_free(struct snap_vector *v)
{
    for (unsigned k = 0; k < v->statement.params.partitions; k++)
        free(v->records[k].bytes);
}

/* A partition's vanilla proof, in memory from the arena. */
static inline void snap_vector_proof(const struct exec *x, struct snap_proof *proof, struct arena *arena,
                                     const struct snap_vector *v, unsigned partition)
{
    struct cuzk_error e = {.status = CUZK_OK};
    if (snap_proof_read(x, proof, arena, &v->statement.params, v->records[partition].bytes,
                        v->records[partition].size, &e) != CUZK_OK)
        fail_msg("partition %u: %s", partition, e.message);
}

/* The blank circuit of "snap-2k" against shape/snap-2KiB.json. */
static inline void snap_check_shape(const char *circuit)
{
    static const struct exec x = {.variant = CPU_PORTABLE};
    struct cuzk_error e = {.status = CUZK_OK};
    struct poseidon_set *poseidon;
    struct snap_params params;
    struct shape shape;
    char name[64];
    assert_int_equal(snap_params_for_circuit(&params, circuit, &e), CUZK_OK);
    assert_int_equal(poseidon_set_new(&poseidon, &e), CUZK_OK);
    snprintf(name, sizeof name, "shape/%s-%s.json", snap_kind_text(&params), snap_size_text(&params));
    char *json = vector_read(name, NULL);
    const struct snap_circuit snap = {.poseidon = poseidon, .params = &params};
    const struct circuit c = {.self = &snap, .synthesize = snap_synthesize};
    assert_int_equal(shape_of(&x, &shape, &c, shape_number(json, "every"), &e), CUZK_OK);
    shape_check(&shape, json);
    assert_int_equal(snap_public_count(&params), shape.counts.inputs - 1);
    shape_free(&shape);
    free(json);
    poseidon_set_free(poseidon);
}

#endif
