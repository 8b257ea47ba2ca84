/* The PoSt circuits of real partitions: public inputs, witness and rows are the reference's; a proof that is
 * wrong somewhere breaks a row there.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "post_vectors.h"

#include "base/pool.h"
#include "r1cs/instance.h"

struct fixture {
    struct exec x;
    struct poseidon_set *poseidon;
};

/* A vector with its proofs read. */
struct real {
    struct post_vector v;
    struct post_proof proofs[POST_VECTOR_SECTORS];
    struct arena arena;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct cuzk_error e;
    f.x.variant = CPU_PORTABLE;
    *state = &f;
    return pool_new(&f.x.pool, 1, &e) != CUZK_OK || poseidon_set_new(&f.poseidon, &e) != CUZK_OK;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    pool_free(f->x.pool);
    poseidon_set_free(f->poseidon);
    return 0;
}

static struct real *real_new(const struct fixture *f, const char *input)
{
    struct real *r = calloc(1, sizeof *r);
    assert_non_null(r);
    post_vector_read(&r->v, input);
    post_vector_proofs(&f->x, r->proofs, &r->arena, &r->v);
    return r;
}

static void real_free(struct real *r)
{
    post_vector_free(&r->v);
    arena_free(&r->arena);
    free(r);
}

static void run(const struct fixture *f, struct instance *out, const struct real *r, size_t partition,
                uint64_t every)
{
    struct cuzk_error e = {.status = CUZK_OK};
    const struct post_circuit post = {.poseidon = f->poseidon,
                                      .params = &r->v.statement.params,
                                      .statement = &r->v.statement,
                                      .proofs = r->proofs,
                                      .partition = partition};
    const struct circuit c = {.self = &post, .synthesize = post_synthesize};
    if (instance_of(&f->x, out, &c, every, &e) != CUZK_OK)
        fail_msg("%s", e.message);
}

static void check_inputs(const struct instance *i, const struct post_statement *s, size_t partition,
                         char *json)
{
    struct cuzk_error e = {.status = CUZK_OK};
    const uint32_t count = i->shape.counts.inputs;
    uint8_t(*bytes)[32] = calloc(count, sizeof *bytes);
    fr *expected = calloc(count, sizeof *expected);
    assert_non_null(bytes);
    assert_non_null(expected);
    for (uint32_t k = 0; k < count; k++)
        fr_write_le(bytes[k], &i->inputs[k]);
    shape_check_list(json, "public_inputs", bytes, count);
    assert_int_equal(post_public_count(&s->params), count - 1);
    assert_int_equal(post_public_inputs(s, partition, expected, &e), CUZK_OK);
    for (uint32_t k = 1; k < count; k++)
        assert_true(fr_equal(&i->inputs[k], &expected[k - 1]));
    free(bytes);
    free(expected);
}

static void check(const struct fixture *f, const char *input, size_t partitions)
{
    struct real *r = real_new(f, input);
    assert_int_equal(post_partitions(&r->v.statement), partitions);
    for (size_t k = 0; k < partitions; k++) {
        struct instance i;
        char name[64];
        snprintf(name, sizeof name, "instance/%s.%zu.json", input, k);
        char *json = vector_read(name, NULL);
        run(f, &i, r, k, shape_number(json, "every"));
        shape_check(&i.shape, json);
        check_inputs(&i, &r->v.statement, k, json);
        shape_check_list(json, "witness_marks", i.witness_marks.digest, i.witness_marks.count);
        shape_check_digest(json, "witness", i.witness);
        shape_check_list(json, "abc", i.abc, 3);
        assert_true(i.satisfied);
        instance_free(&i);
        free(json);
    }
    real_free(r);
}

static void winning_partitions_are_the_references(void **state)
{
    check(*state, "winning-2KiB-1", 1);
    check(*state, "winning-4KiB-1", 1);
    check(*state, "winning-16KiB-1", 1);
    check(*state, "winning-32KiB-1", 1);
    check(*state, "winning-8MiB-1", 1);
}

/* Three sectors: the last partition is filled up with the last one. */
static void window_partitions_are_the_references(void **state)
{
    check(*state, "window-2KiB-1", 2);
    check(*state, "window-4KiB-1", 2);
    check(*state, "window-16KiB-1", 2);
    check(*state, "window-32KiB-1", 2);
    check(*state, "window-8MiB-1", 2);
}

static void window_partitions_of_the_first_version_are_the_references(void **state)
{
    check(*state, "window-v1-2KiB-1", 2);
}

/* After one value of a proof is another, the first broken row is where it is used. */
static void check_broken(const struct fixture *f, struct real *r, size_t partition, fr *value,
                         const char *where)
{
    const fr good = *value;
    struct instance i;
    fr_add(value, value, &FR_ONE);
    run(f, &i, r, partition, 0);
    assert_false(i.satisfied);
    assert_true(i.unsatisfied_count > 0);
    if (strcmp(i.unsatisfied[0].name, where) != 0)
        fail_msg("unsatisfied: %s, not %s", i.unsatisfied[0].name, where);
    instance_free(&i);
    *value = good;
}

static void a_wrong_proof_breaks_the_row_that_it_is_wrong_in(void **state)
{
    const struct fixture *f = *state;
    struct real *r = real_new(f, "window-2KiB-1");
    check_broken(f, r, 0, &r->proofs[1].paths[7].leaf,
                 "outer namespace/sector_1/challenge_inclusion_7/enforce root is correct");
    check_broken(f, r, 1, &r->proofs[2].paths[0].steps[1].siblings[6],
                 "outer namespace/sector_0/challenge_inclusion_0/enforce root is correct");
    check_broken(f, r, 0, &r->proofs[0].comm_c,
                 "outer namespace/sector_0/enforce_comm_c_comm_r_last_hash_comm_r");
    real_free(r);
    r = real_new(f, "winning-2KiB-1");
    check_broken(f, r, 0, &r->proofs[0].paths[65].leaf,
                 "outer namespace/sector_65/challenge_inclusion_0/enforce root is correct");
    real_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(winning_partitions_are_the_references),
        cmocka_unit_test(window_partitions_are_the_references),
        cmocka_unit_test(window_partitions_of_the_first_version_are_the_references),
        cmocka_unit_test(a_wrong_proof_breaks_the_row_that_it_is_wrong_in),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
