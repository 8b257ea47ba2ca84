/* The reader of PoSt vanilla proofs and their check: what the published library writes is read and holds; all
 * else is refused with field and byte, or with the first check that fails.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "post_vectors.h"

#include "base/pool.h"

static const char *const INPUTS[] = {
    "winning-2KiB-1", "winning-4KiB-1", "winning-16KiB-1",  "winning-32KiB-1",
    "winning-8MiB-1", "window-2KiB-1",  "window-4KiB-1",    "window-16KiB-1",
    "window-32KiB-1", "window-8MiB-1",  "window-v1-2KiB-1",
};

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
static cuzk_status read_exact(const struct exec *x, struct post_proof *out, struct arena *arena,
                              const struct post_params *p, const uint8_t *bytes, size_t size,
                              struct cuzk_error *e)
{
    uint8_t *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    memset(e, 0, sizeof *e);
    const cuzk_status status = post_proof_read(x, out, arena, p, exact, size, e);
    free(exact);
    return status;
}

/* ---- what is read ---- */

static void every_vector_is_read_and_holds(void **state)
{
    const struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(INPUTS); i++) {
        struct post_vector v;
        struct post_proof proofs[POST_VECTOR_SECTORS];
        struct arena arena = {0};
        struct cuzk_error e;
        post_vector_read(&v, INPUTS[i]);
        for (size_t k = 0; k < v.statement.sector_count; k++) {
            assert_int_equal(v.records[k].size, post_proof_size(&v.statement.params));
            if (read_exact(&f->x, &proofs[k], &arena, &v.statement.params, v.records[k].bytes,
                           v.records[k].size, &e) != CUZK_OK)
                fail_msg("%s: %s", INPUTS[i], e.message);
        }
        if (post_check(&f->x, f->poseidon, &v.statement, proofs, &e) != CUZK_OK)
            fail_msg("%s: %s", INPUTS[i], e.message);
        arena_free(&arena);
        post_vector_free(&v);
    }
}

static void large_records_have_the_known_size(void **state)
{
    struct post_params p;
    (void)state;
    /* Three levels: 64GiB; each path has variant, three counts, root and leaf, and 9 + 1 + 1 steps. */
    assert_int_equal(post_params_for_circuit(&p, "window-64g", NULL), CUZK_OK);
    const size_t path = 4 + 3 * 8 + 2 * 32 + 10 * (8 + 7 * 32 + 8) + (8 + 32 + 8);
    assert_int_equal(post_proof_size(&p), 8 + 32 + 8 + 8 + 10 * path + 64);
}

/* ---- what is refused ---- */

/* Places in the window proof of 2KiB. */
enum place {
    AT_SECTOR = 0,
    AT_COMM_R = 8,
    AT_SECTORS = 40,
    AT_CHALLENGES = 48,
    AT_VARIANT = 56,
    AT_ROOT = 60,
    AT_LEAF = 92,
    AT_STEPS = 124,
    AT_HASHES = 132,
    AT_SIBLING = 140,
    AT_INDEX = 364,
    PATH_SIZE = 556,
    AT_COMM_C = 5616,
    AT_COMM_R_LAST = 5648,
    RECORD_SIZE = 5680,
};

static void changes_are_refused_with_their_place(void **state)
{
    static const char data[] = "vanilla_proof.sectors[0].inclusion_proofs";
    static const struct {
        size_t at;
        uint8_t value;
        const char *message; /* "@": what stands in data */
    } changes[] = {
        {AT_COMM_R + 31, 0xff, "comm_r: not below the field's modulus (byte 8 of the vanilla proof)"},
        {AT_SECTORS, 0,
         "vanilla_proof.sectors: 0 sectors where there must be 1 (byte 40 of the vanilla proof)"},
        {AT_SECTORS, 2, "vanilla_proof.sectors: 2 sectors where there must be 1 (byte 40 of"},
        {AT_SECTORS + 7, 0x80, "vanilla_proof.sectors: 9223372036854775809 sectors where there must be 1"},
        {AT_CHALLENGES, 66, "@: 66 challenges where there must be 10 (byte 48 of"},
        {AT_VARIANT, 1, "@[0].data: variant 1 where there must be 0, Single (byte 56 of"},
        {AT_VARIANT + 3, 1, "@[0].data: variant 16777216 where there must be 0, Single"},
        {AT_ROOT + 31, 0x74, "@[0].data.Single.root: not below the field's modulus (byte 60 of"},
        {AT_LEAF + 31, 0xff, "@[0].data.Single.leaf: not below the field's modulus (byte 92 of"},
        {AT_STEPS, 3, "@[0].data.Single.path.path: 3 path elements where there must be 2 (byte 124 of"},
        {AT_HASHES, 8, "@[0].data.Single.path.path[0].hashes: 8 hashes where there must be 7 (byte 132"},
        {AT_SIBLING + 63, 0xff,
         "@[0].data.Single.path.path[0].hashes[1]: not below the field's modulus (byte 172 of"},
        {AT_INDEX, 8, "@[0].data.Single.path.path[0].index: 8 is not below 8 (byte 364 of"},
        {AT_INDEX + 4, 1, "@[0].data.Single.path.path[0].index: 4294967303 is not below 8"},
        {AT_INDEX + 9 * PATH_SIZE, 9, "@[9].data.Single.path.path[0].index: 9 is not below 8 (byte 5368 of"},
        {AT_COMM_C + 31, 0xff,
         "vanilla_proof.sectors[0].comm_c: not below the field's modulus (byte 5616 of"},
        {AT_COMM_R_LAST + 31, 0xff,
         "vanilla_proof.sectors[0].comm_r_last: not below the field's modulus (byte 5648 of"},
    };
    const struct fixture *f = *state;
    struct post_vector v;
    post_vector_read(&v, "window-2KiB-1");
    assert_int_equal(v.records[0].size, RECORD_SIZE);
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        struct post_proof proof = {.sector_id = 77};
        struct arena arena = {0};
        struct cuzk_error e;
        char expected[256];
        uint8_t *byte = &v.records[0].bytes[changes[i].at];
        const uint8_t good = *byte;
        const bool inner = changes[i].message[0] == '@';
        snprintf(expected, sizeof expected, "%s%s", inner ? data : "", changes[i].message + inner);
        *byte = changes[i].value;
        assert_int_equal(
            read_exact(&f->x, &proof, &arena, &v.statement.params, v.records[0].bytes, RECORD_SIZE, &e),
            CUZK_ERR_INPUT);
        assert_int_equal(e.status, CUZK_ERR_INPUT);
        if (strncmp(e.message, expected, strlen(expected)) != 0)
            fail_msg("\"%s\" is not \"%s\"", e.message, expected);
        assert_int_equal(proof.sector_id, 77);
        *byte = good;
        arena_free(&arena);
    }
    post_vector_free(&v);
}

static void a_record_cut_anywhere_or_too_long_is_refused(void **state)
{
    const struct fixture *f = *state;
    struct post_vector v;
    struct post_proof proof;
    struct arena arena = {0};
    struct cuzk_error e;
    post_vector_read(&v, "window-2KiB-1");
    const struct post_params *p = &v.statement.params;
    assert_int_equal(read_exact(&f->x, &proof, &arena, p, v.records[0].bytes, 0, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "the vanilla proof is empty");
    for (size_t size = 1; size < RECORD_SIZE; size += size < 800 || size > RECORD_SIZE - 80 ? 1 : 41) {
        assert_int_equal(read_exact(&f->x, &proof, &arena, p, v.records[0].bytes, size, &e), CUZK_ERR_INPUT);
        assert_non_null(strstr(e.message, " bytes where there must be "));
        assert_non_null(strstr(e.message, "(byte "));
        arena_free(&arena);
    }
    uint8_t longer[RECORD_SIZE + 1] = {0};
    memcpy(longer, v.records[0].bytes, RECORD_SIZE);
    assert_int_equal(read_exact(&f->x, &proof, &arena, p, longer, sizeof longer, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "1 bytes behind the end (byte 5680 of the vanilla proof)");
    arena_free(&arena);
    post_vector_free(&v);
}

/* The proofs of another kind or size, among them all three variants of a path. */
static void proofs_of_another_circuit_are_refused(void **state)
{
    const struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(INPUTS); i++) {
        struct post_vector v;
        post_vector_read(&v, INPUTS[i]);
        for (size_t k = 0; k < ARRAY_LEN(INPUTS); k++) {
            struct post_vector other;
            struct post_proof proof;
            struct arena arena = {0};
            struct cuzk_error e;
            post_vector_read(&other, INPUTS[k]);
            const bool same =
                post_proof_size(&v.statement.params) == post_proof_size(&other.statement.params);
            assert_int_equal(read_exact(&f->x, &proof, &arena, &other.statement.params, v.records[0].bytes,
                                        v.records[0].size, &e),
                             same ? CUZK_OK : CUZK_ERR_INPUT);
            arena_free(&arena);
            post_vector_free(&other);
        }
        post_vector_free(&v);
    }
}

/* ---- what does not hold ---- */

struct tampered {
    const struct fixture *f;
    struct post_vector v;
    struct post_proof proofs[POST_VECTOR_SECTORS];
    struct arena arena;
};

/* By one thread, since some tampered proofs share parts. */
static void does_not_hold(const struct tampered *t, const char *message)
{
    struct exec x = t->f->x;
    struct cuzk_error e = {.status = CUZK_OK};
    assert_int_equal(pool_new(&x.pool, 1, NULL), CUZK_OK);
    assert_int_equal(post_check(&x, t->f->poseidon, &t->v.statement, t->proofs, &e), CUZK_ERR_UNSATISFIED);
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
    static struct tampered t;
    t = (struct tampered){.f = *state};
    post_vector_read(&t.v, "window-32KiB-1");
    post_vector_proofs(&t.f->x, t.proofs, &t.arena, &t.v);
    assert_int_equal(post_check(&t.f->x, t.f->poseidon, &t.v.statement, t.proofs, NULL), CUZK_OK);
    struct merkle_path *paths = t.proofs[1].paths;
    assert_int_equal(paths[0].count, 4);

    broken(&t, &paths[3].leaf, "sector 13567: challenge 3: leaf and path do not lead to the root");
    for (unsigned i = 0; i < 4; i++)
        broken(&t, &paths[9].steps[i].siblings[0], "challenge 9: leaf and path do not lead to the root");
    broken(&t, &paths[0].root, "sector 13567: challenge 0: the root is not comm_r_last");
    broken(&t, &t.proofs[1].comm_c, "sector 13567: comm_r is not the hash of comm_c and comm_r_last");
    broken(&t, &t.proofs[1].comm_r_last, "sector 13567: comm_r is not the hash of comm_c and comm_r_last");

    paths[2].steps[1].index ^= 1;
    does_not_hold(&t, "challenge 2: the path is not that of the challenged node ");
    does_not_hold(&t, "(step 1)");
    paths[2].steps[1].index ^= 1;

    const struct merkle_path first = paths[0];
    paths[0] = paths[1];
    paths[1] = first;
    does_not_hold(&t, "sector 13567: challenge 0: the path is not that of the challenged node ");
    paths[1] = paths[0];
    paths[0] = first;

    const struct post_proof other = t.proofs[2];
    t.proofs[2] = t.proofs[1];
    does_not_hold(&t, "sector 18552: the proof is of sector 13567");
    t.proofs[2].sector_id = other.sector_id;
    does_not_hold(&t, "sector 18552: comm_r is not the statement's");
    t.proofs[2] = other;

    /* The first of several is named. */
    fr_add(&t.proofs[0].comm_c, &t.proofs[0].comm_c, &FR_ONE);
    t.proofs[2].sector_id++;
    does_not_hold(&t, "sector 8039: comm_r is not the hash");
    t.v.statement.randomness[0] ^= 1;
    t.v.statement.sector_count = 0;
    struct cuzk_error e;
    assert_int_equal(post_check(&t.f->x, t.f->poseidon, &t.v.statement, t.proofs, &e), CUZK_ERR_INPUT);
    t.v.statement.sector_count = 3;
    post_vector_free(&t.v);
    arena_free(&t.arena);
}

static void the_first_version_s_proofs_are_not_today_s(void **state)
{
    static struct tampered t;
    t = (struct tampered){.f = *state};
    post_vector_read(&t.v, "window-v1-2KiB-1");
    post_vector_proofs(&t.f->x, t.proofs, &t.arena, &t.v);
    assert_int_equal(post_params_for_number(&t.v.statement.params, 10, NULL), CUZK_OK);
    does_not_hold(&t, "sector 18584: challenge 0: the path is not that of the challenged node ");
    post_vector_free(&t.v);
    arena_free(&t.arena);
}

/* ---- memory and stopping ---- */

static void each_failing_allocation_is_told(void **state)
{
    const struct fixture *f = *state;
    struct post_vector v;
    uint64_t n = 1;
    post_vector_read(&v, "winning-32KiB-1");
    for (;; n++) {
        struct post_proof proof;
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
    post_vector_free(&v);
}

static void the_budget_is_kept(void **state)
{
    const struct fixture *f = *state;
    struct post_vector v;
    unsigned read = 0;
    post_vector_read(&v, "winning-32KiB-1");
    for (uint64_t limit = 1 << 10; limit <= 1 << 19; limit *= 2) {
        struct budget *budget;
        struct post_proof proof;
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
    post_vector_free(&v);
}

static void work_can_be_cancelled(void **state)
{
    const struct fixture *f = *state;
    const volatile int cancel = 1;
    struct exec x = f->x;
    struct post_vector v;
    struct post_proof proofs[POST_VECTOR_SECTORS];
    struct arena arena = {0};
    struct cuzk_error e;
    post_vector_read(&v, "window-2KiB-1");
    post_vector_proofs(&x, proofs, &arena, &v);
    x.cancel = &cancel;
    assert_int_equal(
        post_proof_read(&x, &proofs[0], &arena, &v.statement.params, v.records[0].bytes, RECORD_SIZE, &e),
        CUZK_ERR_CANCELLED);
    assert_int_equal(post_check(&x, f->poseidon, &v.statement, proofs, &e), CUZK_ERR_CANCELLED);
    post_vector_free(&v);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector_is_read_and_holds),
        cmocka_unit_test(large_records_have_the_known_size),
        cmocka_unit_test(changes_are_refused_with_their_place),
        cmocka_unit_test(a_record_cut_anywhere_or_too_long_is_refused),
        cmocka_unit_test(proofs_of_another_circuit_are_refused),
        cmocka_unit_test(each_tampered_proof_fails_its_check),
        cmocka_unit_test(the_first_version_s_proofs_are_not_today_s),
        cmocka_unit_test(each_failing_allocation_is_told),
        cmocka_unit_test(the_budget_is_kept),
        cmocka_unit_test(work_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
