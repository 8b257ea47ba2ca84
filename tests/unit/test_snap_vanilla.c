/* The reader of update vanilla proofs and their check: what the published library writes is read and holds;
 * all else is refused with field and byte, or with the first check that fails.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "snap_make.h"
#include "snap_vectors.h"

#include "base/pool.h"

static const char *const INPUTS[] = {"snap-2KiB-1", "snap-4KiB-1", "snap-16KiB-1", "snap-32KiB-1",
                                     "snap-8MiB-1"};
static const char *const POSEIDON[] = {"snap-poseidon-2k", "snap-poseidon-4k", "snap-poseidon-16k",
                                       "snap-poseidon-32k"};

struct fixture {
    struct exec x;
    struct poseidon_set *poseidon;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct cuzk_error e;
    f.x.variant = CPU_PORTABLE;
    *state = &f;
    return pool_new(&f.x.pool, 2, &e) != CUZK_OK || poseidon_set_new(&f.poseidon, &e) != CUZK_OK;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    pool_free(f->x.pool);
    poseidon_set_free(f->poseidon);
    return 0;
}

/* Read from a buffer of the exact size, so that a sanitizer sees a step beyond it. */
static cuzk_status read_exact(const struct exec *x, struct snap_proof *out, struct arena *arena,
                              const struct snap_params *p, const uint8_t *bytes, size_t size,
                              struct cuzk_error *e)
{
    uint8_t *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    memset(e, 0, sizeof *e);
    const cuzk_status status = snap_proof_read(x, out, arena, p, exact, size, e);
    free(exact);
    return status;
}

/* ---- what is read ---- */

static void holds(const struct fixture *f, const struct snap_statement *s, unsigned partition,
                  const uint8_t *bytes, size_t size)
{
    struct snap_proof proof;
    struct arena arena = {0};
    struct cuzk_error e;
    const char *circuit = snap_params_circuit(&s->params);
    assert_int_equal(size, snap_proof_size(&s->params));
    if (read_exact(&f->x, &proof, &arena, &s->params, bytes, size, &e) != CUZK_OK ||
        snap_check(&f->x, f->poseidon, s, partition, &proof, &e) != CUZK_OK)
        fail_msg("%s, partition %u: %s", circuit, partition, e.message);
    arena_free(&arena);
}

static void every_vector_is_read_and_holds(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(INPUTS); i++) {
        struct snap_vector v;
        snap_vector_read(&v, INPUTS[i]);
        for (unsigned k = 0; k < v.statement.params.partitions; k++)
            holds(*state, &v.statement, k, v.records[k].bytes, v.records[k].size);
        snap_vector_free(&v);
    }
}

static void made_poseidon_proofs_are_read_and_hold(void **state)
{
    const struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(POSEIDON); i++) {
        struct snap_made made;
        snap_make(&made, &f->x, f->poseidon, POSEIDON[i]);
        holds(f, &made.statement, 0, made.bytes, made.size);
        free(made.bytes);
    }
}

static void large_records_have_the_known_size(void **state)
{
    struct snap_params p;
    (void)state;
    /* Three levels: each replica path has variant, three counts, root and leaf, and 9 + 1 + 1 steps. */
    const size_t replica = 4 + 3 * 8 + 2 * 32 + 10 * (8 + 7 * 32 + 8) + (8 + 32 + 8);
    const size_t data = 4 + 8 + 2 * 32 + 31 * (8 + 32 + 8);
    assert_int_equal(snap_params_for_circuit(&p, "snap-64g", NULL), CUZK_OK);
    assert_int_equal(snap_proof_size(&p), 32 + 8 + 128 * 32 + 8 + 86 * (2 * replica + data));
    assert_int_equal(snap_params_for_circuit(&p, "snap-poseidon-64g", NULL), CUZK_OK);
    assert_int_equal(snap_proof_size(&p), 32 + 8 + 1376 * 3 * replica);
}

/* ---- what is refused ---- */

/* Places in the proof of 2KiB. */
enum place {
    AT_COMM_C = 0,
    AT_APEX = 32,
    AT_APEX_LEAF = 40,
    AT_CHALLENGES = 296,
    AT_R_OLD = 304,
    AT_D_NEW = 860,
    AT_R_NEW = 1224,
    CHALLENGE_SIZE = 1476,
    RECORD_SIZE = 15064,
    /* In a path. */
    ROOT = 4,
    LEAF = 36,
    STEPS = 68,
    HASHES = 76,
    SIBLING = 84,
    R_INDEX = 308, /* of a replica path's first step */
    D_INDEX = 116, /* of a data path's first step */
};

struct change {
    size_t at;
    uint8_t value;
    const char *message; /* the error's beginning */
};

static void check_changes(const struct fixture *f, const struct snap_params *p, uint8_t *bytes, size_t size,
                          const struct change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        static const struct snap_proof untouched = {.comm_c = {{77}}};
        struct snap_proof proof = untouched;
        struct arena arena = {0};
        struct cuzk_error e;
        uint8_t *byte = &bytes[changes[i].at];
        const uint8_t good = *byte;
        *byte = changes[i].value;
        assert_int_equal(read_exact(&f->x, &proof, &arena, p, bytes, size, &e), CUZK_ERR_INPUT);
        assert_int_equal(e.status, CUZK_ERR_INPUT);
        if (strncmp(e.message, changes[i].message, strlen(changes[i].message)) != 0)
            fail_msg("\"%s\" is not \"%s\"", e.message, changes[i].message);
        assert_true(fr_equal(&proof.comm_c, &untouched.comm_c) && !proof.apex_leaves && !proof.challenges);
        *byte = good;
        arena_free(&arena);
    }
}

#define C "challenge_proofs[0]."

static void changes_are_refused_with_their_place(void **state)
{
    static const struct change changes[] = {
        {AT_COMM_C + 31, 0xff, "comm_c: not below the field's modulus (byte 0 of the vanilla proof)"},
        {AT_APEX, 7, "apex_leafs: 7 leaves where there must be 8 (byte 32 of the vanilla proof)"},
        {AT_APEX + 7, 0x80, "apex_leafs: 9223372036854775816 leaves where there must be 8"},
        {AT_APEX_LEAF + 63, 0x74, "apex_leafs[1]: not below the field's modulus (byte 72 of"},
        {AT_CHALLENGES, 86, "challenge_proofs: 86 challenges where there must be 10 (byte 296 of"},
        {AT_R_OLD, 1, C "proof_r_old.data: variant 1 where there must be 0, Single (byte 304 of"},
        {AT_R_OLD + 3, 1, C "proof_r_old.data: variant 16777216 where there must be 0, Single"},
        {AT_R_OLD + ROOT + 31, 0x74,
         C "proof_r_old.data.Single.root: not below the field's modulus (byte 308"},
        {AT_R_OLD + LEAF + 31, 0xff,
         C "proof_r_old.data.Single.leaf: not below the field's modulus (byte 340"},
        {AT_R_OLD + STEPS, 3, C "proof_r_old.data.Single.path.path: 3 path elements where there must be 2"},
        {AT_R_OLD + HASHES, 8,
         C "proof_r_old.data.Single.path.path[0].hashes: 8 hashes where there must be 7"},
        {AT_R_OLD + SIBLING + 63, 0xff,
         C "proof_r_old.data.Single.path.path[0].hashes[1]: not below the field's modulus (byte 420 of"},
        {AT_R_OLD + R_INDEX, 8,
         C "proof_r_old.data.Single.path.path[0].index: 8 is not below 8 (byte 612 of"},
        {AT_D_NEW + ROOT + 31, 0x74,
         C "proof_d_new.data.Single.root: not below the field's modulus (byte 864"},
        {AT_D_NEW + STEPS, 2, C "proof_d_new.data.Single.path.path: 2 path elements where there must be 6"},
        {AT_D_NEW + HASHES, 7,
         C "proof_d_new.data.Single.path.path[0].hashes: 7 hashes where there must be 1"},
        {AT_D_NEW + D_INDEX, 2,
         C "proof_d_new.data.Single.path.path[0].index: 2 is not below 2 (byte 976 of"},
        {AT_D_NEW + D_INDEX + 4, 1, C "proof_d_new.data.Single.path.path[0].index: 429496729"},
        {AT_R_NEW, 2, C "proof_r_new.data: variant 2 where there must be 0, Single (byte 1224 of"},
        {AT_R_NEW + 9 * CHALLENGE_SIZE + LEAF + 31, 0xff,
         "challenge_proofs[9].proof_r_new.data.Single.leaf: not below the field's modulus (byte 14544 of"},
    };
    struct snap_vector v;
    snap_vector_read(&v, "snap-2KiB-1");
    assert_int_equal(v.records[0].size, RECORD_SIZE);
    check_changes(*state, &v.statement.params, v.records[0].bytes, RECORD_SIZE, changes, ARRAY_LEN(changes));
    snap_vector_free(&v);
}

static void changes_of_a_poseidon_proof_are_refused(void **state)
{
    /* 32KiB: variant, base with 2 steps, sub, top, root, leaf. */
    const size_t root = 4 + 8 + 2 * 240 + 8 + 240 + 8 + 48, path = root + 64;
    const struct change changes[] = {
        {31, 0xff, "comm_c: not below the field's modulus (byte 0 of"},
        {32, 128, "challenge_proofs: 128 challenges where there must be 20 (byte 32 of"},
        {40, 0, C "proof_r_old.data: variant 0 where there must be 2, Top (byte 40 of"},
        {40 + path, 1, C "proof_d_new.data: variant 1 where there must be 2, Top"},
        {40 + path + 4, 1, C "proof_d_new.data.Top.base_proof.path: 1 path elements where there must be 2"},
        {40 + 4 + 8 + 480, 0, C "proof_r_old.data.Top.sub_proof.path: 0 path elements where there must be 1"},
        {40 + root + 31, 0xff, C "proof_r_old.data.Top.root: not below the field's modulus"},
    };
    const struct fixture *f = *state;
    struct snap_made made;
    snap_make(&made, &f->x, f->poseidon, "snap-poseidon-32k");
    assert_int_equal(made.size, 40 + 20 * 3 * path);
    check_changes(f, &made.statement.params, made.bytes, made.size, changes, ARRAY_LEN(changes));
    free(made.bytes);
}

#undef C

static void a_record_cut_anywhere_or_too_long_is_refused(void **state)
{
    const struct fixture *f = *state;
    struct snap_vector v;
    struct snap_proof proof;
    struct arena arena = {0};
    struct cuzk_error e;
    snap_vector_read(&v, "snap-2KiB-1");
    const struct snap_params *p = &v.statement.params;
    assert_int_equal(read_exact(&f->x, &proof, &arena, p, v.records[0].bytes, 0, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "the vanilla proof is empty");
    for (size_t size = 1; size < RECORD_SIZE; size += size < 2000 || size > RECORD_SIZE - 80 ? 1 : 41) {
        assert_int_equal(read_exact(&f->x, &proof, &arena, p, v.records[0].bytes, size, &e), CUZK_ERR_INPUT);
        assert_non_null(strstr(e.message, " bytes where there must be "));
        assert_non_null(strstr(e.message, "(byte "));
        arena_free(&arena);
    }
    static uint8_t longer[RECORD_SIZE + 1];
    memcpy(longer, v.records[0].bytes, RECORD_SIZE);
    assert_int_equal(read_exact(&f->x, &proof, &arena, p, longer, sizeof longer, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "1 bytes behind the end (byte 15064 of the vanilla proof)");
    arena_free(&arena);
    snap_vector_free(&v);
}

static void proofs_of_another_circuit_are_refused(void **state)
{
    const struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(INPUTS); i++) {
        struct snap_vector v;
        const char *name;
        uint64_t size;
        snap_vector_read(&v, INPUTS[i]);
        for (size_t k = 0; (name = snap_circuit_name(k, &size)); k++) {
            struct snap_params p;
            struct snap_proof proof;
            struct arena arena = {0};
            struct cuzk_error e;
            assert_int_equal(snap_params_for_circuit(&p, name, NULL), CUZK_OK);
            const bool same = strcmp(name, snap_params_circuit(&v.statement.params)) == 0;
            assert_int_equal(read_exact(&f->x, &proof, &arena, &p, v.records[0].bytes, v.records[0].size, &e),
                             same ? CUZK_OK : CUZK_ERR_INPUT);
            arena_free(&arena);
        }
        snap_vector_free(&v);
    }
}

/* ---- what does not hold ---- */

struct tampered {
    const struct fixture *f;
    struct snap_statement statement;
    struct snap_proof proof;
    struct arena arena;
    unsigned partition;
};

static void tampered_new(struct tampered *t, const struct fixture *f, const char *input, unsigned partition)
{
    struct snap_vector v;
    *t = (struct tampered){.f = f, .partition = partition};
    snap_vector_read(&v, input);
    t->statement = v.statement;
    snap_vector_proof(&f->x, &t->proof, &t->arena, &v, partition);
    snap_vector_free(&v);
}

/* By one thread, since some tampered proofs share parts. */
static void does_not_hold(const struct tampered *t, const char *message)
{
    struct exec x = t->f->x;
    struct cuzk_error e = {.status = CUZK_OK};
    assert_int_equal(pool_new(&x.pool, 1, NULL), CUZK_OK);
    assert_int_equal(snap_check(&x, t->f->poseidon, &t->statement, t->partition, &t->proof, &e),
                     CUZK_ERR_UNSATISFIED);
    pool_free(x.pool);
    if (!strstr(e.message, message))
        fail_msg("\"%s\" is not in \"%s\"", message, e.message);
}

static void broken(struct tampered *t, fr *value, const char *message)
{
    const fr good = *value;
    fr_add(value, value, &FR_ONE);
    does_not_hold(t, message);
    *value = good;
}

static void each_tampered_proof_fails_its_check(void **state)
{
    struct tampered t;
    tampered_new(&t, *state, "snap-32KiB-1", 1);
    struct snap_challenge *c = t.proof.challenges;
    assert_int_equal(snap_check(&t.f->x, t.f->poseidon, &t.statement, 1, &t.proof, NULL), CUZK_OK);
    assert_int_equal(c[0].r_old.count, 4);
    assert_int_equal(c[0].d_new.count, 10);

    broken(&t, &t.proof.comm_c, "partition 1: comm_r_old is not the hash of comm_c and its root");
    broken(&t, &c[0].r_old.root, "partition 1: comm_r_old is not the hash of comm_c and its root");
    broken(&t, &c[0].r_new.root, "partition 1: comm_r_new is not the hash of comm_c and its root");
    broken(&t, &c[7].r_old.root, "challenge 7: proof_r_old: the root is not the first challenge's");
    broken(&t, &c[7].r_new.root, "challenge 7: proof_r_new: the root is not the first challenge's");
    broken(&t, &c[0].d_new.root, "challenge 0: proof_d_new: the root is not comm_d_new");
    broken(&t, &c[3].r_old.leaf, "challenge 3: proof_r_old: leaf and path do not lead to the root");
    broken(&t, &c[3].r_new.leaf, "challenge 3: proof_r_new: leaf and path do not lead to the root");
    broken(&t, &c[3].d_new.leaf, "challenge 3: proof_d_new does not lead through its apex leaf");
    for (unsigned i = 0; i < 4; i++)
        broken(&t, &c[9].r_old.steps[i].siblings[0],
               "challenge 9: proof_r_old: leaf and path do not lead to the root");
    for (unsigned i = 0; i < 10; i++)
        broken(&t, &c[9].d_new.steps[i].siblings[0],
               i < 2 ? "challenge 9: proof_d_new does not lead through its apex leaf"
                     : "challenge 9: proof_d_new: leaf and path do not lead to the root");
    fr *apex = t.proof.apex_leaves;
    for (unsigned i = 0; i < 128; i++)
        broken(&t, &apex[i], "apex lea");

    c[2].r_new.steps[1].index ^= 1;
    does_not_hold(&t, "challenge 2: proof_r_new is not that of the challenged node ");
    does_not_hold(&t, "(step 1)");
    c[2].r_new.steps[1].index ^= 1;
    c[4].d_new.steps[9].index ^= 1;
    does_not_hold(&t, "challenge 4: proof_d_new is not that of the challenged node ");
    c[4].d_new.steps[9].index ^= 1;

    const struct snap_challenge first = c[0];
    c[0] = c[1];
    does_not_hold(&t, "challenge 0: proof_r_old is not that of the challenged node ");
    c[0] = first;
    t.partition = 0;
    does_not_hold(&t, "partition 0, challenge 0: proof_r_old is not that of the challenged node ");
    arena_free(&t.arena);
}

/* Apex leaves that no challenge looks at are held by comm_d_new. */
static void an_apex_leaf_that_is_not_challenged_is_checked(void **state)
{
    struct tampered t;
    unsigned unseen = 0;
    tampered_new(&t, *state, "snap-2KiB-1", 0);
    for (unsigned i = 0; i < 8; i++) {
        const fr good = t.proof.apex_leaves[i];
        struct cuzk_error e;
        fr_add(&t.proof.apex_leaves[i], &good, &FR_ONE);
        assert_int_equal(snap_check(&t.f->x, t.f->poseidon, &t.statement, 0, &t.proof, &e),
                         CUZK_ERR_UNSATISFIED);
        unseen += strcmp(e.message, "partition 0: the apex leaves do not lead to comm_d_new") == 0;
        t.proof.apex_leaves[i] = good;
    }
    assert_in_range(unseen, 1, 7);
    arena_free(&t.arena);
}

/* The leaves are in their trees, but rho would be another. */
static void a_wrong_encoding_is_told(void **state)
{
    struct tampered t;
    tampered_new(&t, *state, "snap-8MiB-1", 3);
    t.statement.params.high_choice = 0;
    does_not_hold(&t, "challenge 0: the new leaf is not the encoding of the old one");
    arena_free(&t.arena);
}

static void another_statement_does_not_hold(void **state)
{
    struct tampered t;
    struct cuzk_error e;
    tampered_new(&t, *state, "snap-16KiB-1", 0);
    t.statement.comm_r_old[0] ^= 1;
    does_not_hold(&t, "partition 0: comm_r_old is not the hash of comm_c and its root");
    t.statement.comm_r_old[0] ^= 1;
    t.statement.comm_r_new[0] ^= 1;
    does_not_hold(&t, "partition 0: comm_r_new is not the hash of comm_c and its root");
    t.statement.comm_r_new[0] ^= 1;
    t.statement.comm_d_new[0] ^= 1;
    does_not_hold(&t, "challenge 0: proof_d_new: the root is not comm_d_new");
    t.statement.comm_d_new[31] = 0xff;
    assert_int_equal(snap_check(&t.f->x, t.f->poseidon, &t.statement, 0, &t.proof, &e), CUZK_ERR_INPUT);
    assert_int_equal(snap_check(&t.f->x, t.f->poseidon, &t.statement, 2, &t.proof, &e), CUZK_ERR_ARGUMENT);
    arena_free(&t.arena);
}

/* ---- memory and stopping ---- */

static void each_failing_allocation_is_told(void **state)
{
    const struct fixture *f = *state;
    struct snap_vector v;
    uint64_t n = 1;
    snap_vector_read(&v, "snap-8MiB-1");
    for (;; n++) {
        struct snap_proof proof;
        struct arena arena = {0};
        struct cuzk_error e;
        mem_fail_after(n);
        const cuzk_status status =
            read_exact(&f->x, &proof, &arena, &v.statement.params, v.records[0].bytes, v.records[0].size, &e);
        mem_fail_after(0);
        arena_free(&arena);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_ERR_MEMORY);
        assert_int_equal(e.status, CUZK_ERR_MEMORY);
    }
    assert_true(n > 1);
    snap_vector_free(&v);
}

static void the_budget_is_kept(void **state)
{
    const struct fixture *f = *state;
    struct snap_vector v;
    unsigned read = 0;
    snap_vector_read(&v, "snap-8MiB-1");
    for (uint64_t limit = 1 << 10; limit <= 1 << 18; limit *= 2) {
        struct budget *budget;
        struct snap_proof proof;
        struct cuzk_error e;
        assert_int_equal(budget_new(&budget, limit, &e), CUZK_OK);
        struct arena arena = {.budget = budget};
        const cuzk_status status =
            read_exact(&f->x, &proof, &arena, &v.statement.params, v.records[0].bytes, v.records[0].size, &e);
        assert_true(status == CUZK_OK || status == CUZK_ERR_MEMORY);
        assert_true(budget_peak(budget) <= limit);
        read += status == CUZK_OK;
        arena_free(&arena);
        assert_int_equal(budget_used(budget), 0);
        budget_free(budget);
    }
    assert_in_range(read, 1, 8);
    snap_vector_free(&v);
}

static void work_can_be_cancelled(void **state)
{
    const struct fixture *f = *state;
    const volatile int cancel = 1;
    struct exec x = f->x;
    struct snap_vector v;
    struct snap_proof proof;
    struct arena arena = {0};
    struct cuzk_error e;
    snap_vector_read(&v, "snap-2KiB-1");
    snap_vector_proof(&x, &proof, &arena, &v, 0);
    x.cancel = &cancel;
    assert_int_equal(
        snap_proof_read(&x, &proof, &arena, &v.statement.params, v.records[0].bytes, RECORD_SIZE, &e),
        CUZK_ERR_CANCELLED);
    assert_int_equal(snap_check(&x, f->poseidon, &v.statement, 0, &proof, &e), CUZK_ERR_CANCELLED);
    snap_vector_free(&v);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector_is_read_and_holds),
        cmocka_unit_test(made_poseidon_proofs_are_read_and_hold),
        cmocka_unit_test(large_records_have_the_known_size),
        cmocka_unit_test(changes_are_refused_with_their_place),
        cmocka_unit_test(changes_of_a_poseidon_proof_are_refused),
        cmocka_unit_test(a_record_cut_anywhere_or_too_long_is_refused),
        cmocka_unit_test(proofs_of_another_circuit_are_refused),
        cmocka_unit_test(each_tampered_proof_fails_its_check),
        cmocka_unit_test(an_apex_leaf_that_is_not_challenged_is_checked),
        cmocka_unit_test(a_wrong_encoding_is_told),
        cmocka_unit_test(another_statement_does_not_hold),
        cmocka_unit_test(each_failing_allocation_is_told),
        cmocka_unit_test(the_budget_is_kept),
        cmocka_unit_test(work_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
