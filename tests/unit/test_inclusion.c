/* Merkle inclusion: rows and witness of the crate's circuit for every shape of tree, and paths that hold or
 * not.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadget_testing.h"

#include "gadgets/inclusion.h"
#include "hash/sha256.h"

static struct poseidon_set *set;

static int setup(void **state)
{
    (void)state;
    return poseidon_set_new(&set, NULL) == CUZK_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    poseidon_set_free(set);
    return 0;
}

#define MAX_LEVELS 8

struct example {
    struct inclusion_tree tree;
    struct inclusion_step steps[MAX_LEVELS];
    fr siblings[MAX_LEVELS][INCLUSION_MAX_ARITY - 1];
};

/* Siblings are the values from the tenth on, the index at level l is 5 l + 3. */
static void fill(struct example *x, const char *shape, unsigned base_levels)
{
    struct inclusion_tree *tree = &x->tree;
    *tree = (struct inclusion_tree){.poseidon = set, .base_levels = base_levels};
    if (strcmp(shape, "sha") == 0) {
        tree->poseidon = NULL;
        tree->base_arity = 2;
    } else {
        assert_int_equal(sscanf(shape, "%u.%u.%u", &tree->base_arity, &tree->sub_arity, &tree->top_arity), 3);
    }
    uint64_t next = 10;
    assert_true(inclusion_levels(tree) <= MAX_LEVELS);
    for (unsigned l = 0; l < inclusion_levels(tree); l++) {
        const unsigned arity = inclusion_arity(tree, l);
        for (unsigned i = 0; i + 1 < arity; i++)
            x->siblings[l][i] = gadget_value(next++);
        x->steps[l] = (struct inclusion_step){.index = (5 * l + 3) % arity, .siblings = x->siblings[l]};
    }
}

static void build(struct gadget_under_test *t, struct cs *cs)
{
    char shape[16], ends[8], root_kind[8];
    unsigned levels = 0;
    struct example x;
    assert_int_equal(sscanf(t->name, "inclusion-%15[^-]-%u-%7[a-z]-%7[a-z]", shape, &levels, ends, root_kind),
                     4);
    fill(&x, shape, levels);
    const struct inclusion_step *steps = cs->values ? x.steps : NULL;

    struct num leaf, root;
    gadget_numbers(cs, &leaf, 1, 0);
    if (strcmp(ends, "bound") == 0) {
        gadget_numbers(cs, &root, 1, 1);
        inclusion_gadget(cs, &x.tree, &leaf, steps, &root);
        return;
    }
    const struct num computed = inclusion_root(cs, &x.tree, &leaf, steps);
    gadget_numbers(cs, &root, 1, 1);
    num_enforce_equal(cs, &computed, &root);
    if (strcmp(root_kind, "public") == 0)
        num_inputize(cs, &root);
}

static void test_rows_and_witness_of_the_crate(void **state)
{
    (void)state;
    assert_int_equal(gadget_check_records("inclusion-", build), 5 * 4);
}

static fr sha256_node(const fr *left, const fr *right)
{
    uint8_t preimage[64], digest[32];
    fr node;
    fr_write_le(preimage, left);
    fr_write_le(preimage + 32, right);
    sha256(digest, preimage, sizeof preimage);
    digest[31] &= 0x3f;
    assert_true(fr_read_le(&node, digest));
    return node;
}

static fr true_root(const struct example *x, const fr *leaf)
{
    fr node = *leaf;
    for (unsigned l = 0; l < inclusion_levels(&x->tree); l++) {
        const unsigned arity = inclusion_arity(&x->tree, l), index = x->steps[l].index;
        fr children[INCLUSION_MAX_ARITY];
        for (unsigned i = 0; i < arity; i++)
            children[i] = i == index ? node : x->siblings[l][i < index ? i : i - 1];
        if (x->tree.poseidon)
            poseidon_hash(CPU_PORTABLE, poseidon_of_arity(set, arity), &node, children);
        else
            node = sha256_node(&children[0], &children[1]);
    }
    return node;
}

struct claim {
    const struct example *x;
    fr leaf, root;
};

static void synthesize_claim(const void *self, struct cs *cs)
{
    const struct claim *c = self;
    const struct num leaf = num_alloc(cs, &c->leaf), root = num_alloc(cs, &c->root);
    inclusion_gadget(cs, &c->x->tree, &leaf, c->x->steps, &root);
}

static void test_a_true_path_satisfies_and_a_false_one_does_not(void **state)
{
    (void)state;
    static const char *shapes[] = {"8.0.0", "8.2.0", "8.8.0", "8.8.2", "sha"};
    struct exec exec = {.variant = cpu_best()};
    assert_int_equal(pool_new(&exec.pool, 1, NULL), CUZK_OK);
    for (size_t s = 0; s < ARRAY_LEN(shapes); s++) {
        struct example x;
        fill(&x, shapes[s], 2);
        struct claim claim = {.x = &x, .leaf = gadget_value(0)};
        claim.root = true_root(&x, &claim.leaf);
        const struct circuit circuit = {.self = &claim, .synthesize = synthesize_claim};
        for (unsigned fault = 0; fault < 4; fault++) {
            struct instance real;
            const struct claim before = claim;
            const struct inclusion_step step = x.steps[0];
            const fr sibling = x.siblings[1][0];
            if (fault == 1)
                fr_add(&claim.root, &claim.root, &FR_ONE);
            if (fault == 2)
                x.steps[0].index ^= 1;
            if (fault == 3)
                x.siblings[1][0] = FR_ZERO;
            assert_int_equal(instance_of(&exec, &real, &circuit, 0, NULL), CUZK_OK);
            assert_true(real.satisfied == (fault == 0));
            if (fault == 1) {
                assert_int_equal(real.unsatisfied_count, 1);
                assert_string_equal(real.unsatisfied[0].name, "/enforce root is correct");
            }
            instance_free(&real);
            claim = before;
            x.steps[0] = step;
            x.siblings[1][0] = sibling;
        }
    }
    pool_free(exec.pool);
}

static void test_levels_of_the_sectors_trees(void **state)
{
    (void)state;
    static const struct {
        uint64_t leaves;
        unsigned base, sub, top, levels, base_levels;
    } known[] = {
        {64, 2, 0, 0, 6, 6},
        {64, 8, 0, 0, 2, 2},
        {128, 8, 2, 0, 3, 2},
        {512, 8, 8, 0, 3, 2},
        {1024, 8, 8, 2, 4, 2},
        {UINT64_C(1) << 30, 8, 8, 0, 10, 9},
        {UINT64_C(1) << 31, 8, 8, 2, 11, 9},
        {UINT64_C(1) << 31, 2, 0, 0, 31, 31},
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        const struct inclusion_tree tree =
            inclusion_tree_of(set, known[i].leaves, known[i].base, known[i].sub, known[i].top);
        assert_int_equal(inclusion_levels(&tree), known[i].levels);
        assert_int_equal(tree.base_levels, known[i].base_levels);
        uint64_t leaves = 1;
        for (unsigned l = 0; l < inclusion_levels(&tree); l++)
            leaves *= inclusion_arity(&tree, l);
        assert_int_equal(leaves, known[i].leaves);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_and_witness_of_the_crate),
        cmocka_unit_test(test_a_true_path_satisfies_and_a_false_one_does_not),
        cmocka_unit_test(test_levels_of_the_sectors_trees),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
