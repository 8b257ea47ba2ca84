/* tests/unit/snap_instances.h - update circuits with the values of a real proof, against the reference's
 * records and against wrong proofs.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef SNAP_INSTANCES_H
#define SNAP_INSTANCES_H

#include "snap_make.h"
#include "snap_vectors.h"

#include "base/pool.h"
#include "r1cs/instance.h"

struct fixture {
    struct exec x;
    struct poseidon_set *poseidon;
};

/* A partition with its proof read. */
struct real {
    struct snap_statement statement;
    struct snap_proof proof;
    struct arena arena;
    unsigned partition;
};

static inline int set_up(void **state)
{
    static struct fixture f;
    struct cuzk_error e;
    f.x.variant = CPU_PORTABLE;
    *state = &f;
    return pool_new(&f.x.pool, 1, &e) != CUZK_OK || poseidon_set_new(&f.poseidon, &e) != CUZK_OK;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    pool_free(f->x.pool);
    poseidon_set_free(f->poseidon);
    return 0;
}

static inline struct real *real_new(const struct fixture *f, const char *input, unsigned partition)
{
    struct real *r = calloc(1, sizeof *r);
    struct snap_vector v;
    assert_non_null(r);
    snap_vector_read(&v, input);
    snap_vector_proof(&f->x, &r->proof, &r->arena, &v, partition);
    r->statement = v.statement;
    r->partition = partition;
    snap_vector_free(&v);
    return r;
}

static inline struct real *poseidon_new(const struct fixture *f, const char *circuit)
{
    struct real *r = calloc(1, sizeof *r);
    struct snap_made made;
    struct cuzk_error e;
    assert_non_null(r);
    snap_make(&made, &f->x, f->poseidon, circuit);
    r->statement = made.statement;
    if (snap_proof_read(&f->x, &r->proof, &r->arena, &r->statement.params, made.bytes, made.size, &e) !=
        CUZK_OK)
        fail_msg("%s: %s", circuit, e.message);
    free(made.bytes);
    return r;
}

static inline void real_free(struct real *r)
{
    arena_free(&r->arena);
    free(r);
}

static inline void run(const struct fixture *f, struct instance *out, const struct real *r, uint64_t every)
{
    struct cuzk_error e = {.status = CUZK_OK};
    const struct snap_circuit snap = {.poseidon = f->poseidon,
                                      .params = &r->statement.params,
                                      .statement = &r->statement,
                                      .proof = &r->proof,
                                      .partition = r->partition};
    const struct circuit c = {.self = &snap, .synthesize = snap_synthesize};
    if (instance_of(&f->x, out, &c, every, &e) != CUZK_OK)
        fail_msg("%s", e.message);
}

static inline void check_inputs(const struct instance *i, const struct real *r)
{
    fr expected[4];
    assert_int_equal(i->shape.counts.inputs, 5);
    assert_int_equal(snap_public_inputs(&r->statement, r->partition, expected, NULL), CUZK_OK);
    assert_true(fr_equal(&i->inputs[0], &FR_ONE));
    for (unsigned k = 0; k < 4; k++)
        assert_true(fr_equal(&i->inputs[k + 1], &expected[k]));
}

/* All partitions of input/NAME against instance/NAME.K.json. */
static inline void check(const struct fixture *f, const char *input, unsigned partitions)
{
    for (unsigned k = 0; k < partitions; k++) {
        struct real *r = real_new(f, input, k);
        struct instance i;
        char name[64];
        uint8_t inputs[5][32];
        assert_int_equal(r->statement.params.partitions, partitions);
        snprintf(name, sizeof name, "instance/%s.%u.json", input, k);
        char *json = vector_read(name, NULL);
        run(f, &i, r, shape_number(json, "every"));
        shape_check(&i.shape, json);
        check_inputs(&i, r);
        for (unsigned n = 0; n < 5; n++)
            fr_write_le(inputs[n], &i.inputs[n]);
        shape_check_list(json, "public_inputs", inputs, 5);
        shape_check_list(json, "witness_marks", i.witness_marks.digest, i.witness_marks.count);
        shape_check_digest(json, "witness", i.witness);
        shape_check_list(json, "abc", i.abc, 3);
        assert_true(i.satisfied);
        instance_free(&i);
        free(json);
        real_free(r);
    }
}

/* After one value of a proof is another, the first broken row is where it is used. */
static inline void check_broken(const struct fixture *f, struct real *r, fr *value, const char *where)
{
    const fr good = *value;
    struct instance i;
    fr_add(value, value, &FR_ONE);
    run(f, &i, r, 0);
    assert_false(i.satisfied);
    assert_true(i.unsatisfied_count > 0);
    if (strcmp(i.unsatisfied[0].name, where) != 0)
        fail_msg("unsatisfied: %s, not %s", i.unsatisfied[0].name, where);
    instance_free(&i);
    *value = good;
}

#endif
