/* tests/unit/test_merkle_hash.c - hashing along Merkle paths: for every variant and number of paths the
 * digests are those of one hash after the other.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/pool.h"
#include "circuits/merkle_hash.h"

#define PATHS    21
#define LEVELS   5
#define SIBLINGS (LEVELS * (MERKLE_MAX_ARITY - 1))

static const uint32_t ARITY[LEVELS] = {8, 8, 4, 8, 2};

static struct poseidon_set *set;
static struct exec exec;

struct paths {
    struct merkle_path path[PATHS], *list[PATHS];
    struct merkle_step step[PATHS][LEVELS];
    fr sibling[PATHS][SIBLINGS];
};

static int setup(void **state)
{
    (void)state;
    return poseidon_set_new(&set, NULL) == CUZK_OK && pool_new(&exec.pool, 3, NULL) == CUZK_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    poseidon_set_free(set);
    pool_free(exec.pool);
    return 0;
}

static fr element(uint64_t n)
{
    fr e;
    fr_from_u64(&e, n * UINT64_C(0x9e3779b97f4a7c15) + 1);
    fr_inv(&e, &e);
    return e;
}

static struct paths *paths_new(void)
{
    struct paths *p = calloc(1, sizeof *p);
    assert_non_null(p);
    for (uint32_t k = 0; k < PATHS; k++) {
        fr *sibling = p->sibling[k];
        for (uint32_t i = 0; i < SIBLINGS; i++)
            sibling[i] = element(k * SIBLINGS + i);
        for (uint32_t i = 0; i < LEVELS; i++) {
            p->step[k][i] = (struct merkle_step){
                .siblings = sibling, .arity = ARITY[i], .index = (3 * k + 5 * i) % ARITY[i]};
            sibling += ARITY[i] - 1;
        }
        p->path[k] = (struct merkle_path){.leaf = element(7000 + k), .steps = p->step[k], .count = LEVELS};
        p->list[k] = &p->path[k];
    }
    return p;
}

/* The digests by one hash after the other, the node put in by hand. */
static void check(const struct merkle_path *path)
{
    fr node = path->leaf;
    assert_true(path->hashed);
    for (uint32_t i = 0; i < path->count; i++) {
        const struct merkle_step *step = &path->steps[i];
        fr children[MERKLE_MAX_ARITY];
        for (uint32_t place = 0; place < step->arity; place++)
            children[place] =
                place == step->index ? node : step->siblings[place < step->index ? place : place - 1];
        poseidon_hash(CPU_PORTABLE, poseidon_of_arity(set, step->arity), &node, children);
        assert_true(fr_equal(&node, &step->digest));
    }
    assert_true(fr_equal(&node, merkle_path_end(path)));
}

static void digests_are_those_of_single_hashes(void **state)
{
    (void)state;
    for (unsigned v = 0; v < CPU_VARIANTS; v++)
        for (size_t n = 0; n <= PATHS && cpu_supports((enum cpu_variant)v); n += n < 10 ? 1 : 11) {
            struct paths *p = paths_new();
            exec.variant = (enum cpu_variant)v;
            assert_int_equal(merkle_paths_hash(&exec, set, p->list, n, MERKLE_ALL, NULL), CUZK_OK);
            for (size_t k = 0; k < PATHS; k++)
                if (k < n)
                    check(&p->path[k]);
                else
                    assert_false(p->path[k].hashed);
            free(p);
        }
}

static void those_that_are_missing_are_hashed_alone(void **state)
{
    (void)state;
    struct paths *p = paths_new();
    exec.variant = cpu_best();
    const fr kept = element(1);
    for (size_t k = 0; k < PATHS; k += 3) {
        p->path[k].hashed = true;
        p->step[k][2].digest = kept;
    }
    assert_int_equal(merkle_paths_hash(&exec, set, p->list, PATHS, MERKLE_MISSING, NULL), CUZK_OK);
    for (size_t k = 0; k < PATHS; k++)
        if (k % 3 == 0)
            assert_true(fr_equal(&p->step[k][2].digest, &kept));
        else
            check(&p->path[k]);
    assert_int_equal(merkle_paths_hash(&exec, set, p->list, PATHS, MERKLE_ALL, NULL), CUZK_OK);
    for (size_t k = 0; k < PATHS; k++)
        check(&p->path[k]);
    free(p);
}

static void a_path_without_steps_ends_at_its_leaf(void **state)
{
    (void)state;
    struct paths *p = paths_new();
    for (size_t k = 0; k < PATHS; k++)
        p->path[k].count = 0;
    assert_int_equal(merkle_paths_hash(&exec, set, p->list, PATHS, MERKLE_ALL, NULL), CUZK_OK);
    for (size_t k = 0; k < PATHS; k++) {
        assert_true(p->path[k].hashed);
        assert_true(fr_equal(merkle_path_end(&p->path[k]), &p->path[k].leaf));
    }
    free(p);
}

static void work_can_be_cancelled(void **state)
{
    const volatile int cancel = 1;
    struct cuzk_error e;
    (void)state;
    struct paths *p = paths_new();
    struct exec x = exec;
    x.cancel = &cancel;
    assert_int_equal(merkle_paths_hash(&x, set, p->list, PATHS, MERKLE_ALL, &e), CUZK_ERR_CANCELLED);
    for (size_t k = 0; k < PATHS; k++)
        assert_false(p->path[k].hashed);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_single_hashes),
        cmocka_unit_test(those_that_are_missing_are_hashed_alone),
        cmocka_unit_test(a_path_without_steps_ends_at_its_leaf),
        cmocka_unit_test(work_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
