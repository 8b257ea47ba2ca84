/* What generated sectors are made of: trees in all their forms, and labels and columns against the
 * reference's, which follow from the replica id alone.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "porep_vectors.h"

#include "base/error.h"
#include "base/pool.h"
#include "circuits/base64.h"
#include "circuits/gen_label.h"

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

/* ---- trees ---- */

/* Leaves that repeat: `period_bits` within ranges of `range_bits`; or one value but for a few nodes. */
struct leaves {
    unsigned range_bits, period_bits;
    bool few;
};

static void leaf_of(const void *ctx, uint64_t i, fr *out)
{
    const struct leaves *l = ctx;
    const uint64_t range = i >> l->range_bits, place = i & ((UINT64_C(1) << l->period_bits) - 1);
    fr_from_u64(out, l->few ? (i % 97 == 5 ? i : 1000000) : 1000 * range + place + 1);
}

/* Every node of b is that of a. */
static void check_equal(const struct gen_tree *a, const struct gen_tree *b)
{
    for (unsigned level = 0; level <= a->levels; level++)
        for (uint64_t i = 0; i < UINT64_C(1) << (a->bits[a->levels] - a->bits[level]); i++) {
            fr expected, found;
            gen_tree_get(a, level, i, &expected);
            gen_tree_get(b, level, i, &found);
            if (!fr_equal(&expected, &found))
                fail_msg("level %u, node %llu", level, (unsigned long long)i);
        }
}

static const uint64_t SIZES[] = {2048, 4096, 16384, 32768};

static void form(const struct fixture *f, struct gen_tree *t, const struct porep_params *p, bool sha)
{
    if (sha)
        gen_tree_sha256(t, &f->x, p);
    else
        gen_tree_poseidon(t, &f->x, f->poseidon, p);
}

static void repetition_changes_no_node(void **state)
{
    const struct fixture *f = *state;
    for (size_t s = 0; s < 2 * ARRAY_LEN(SIZES); s++) {
        struct porep_params p;
        struct cuzk_error e;
        assert_int_equal(porep_params_for_size(&p, SIZES[s / 2], &e), CUZK_OK);
        const unsigned bits = p.data_height, ranges[] = {bits, bits, bits - 1, bits - 2, bits - 2, bits - 4},
                       periods[] = {0, 4, 3, 1, bits - 2, 2};
        for (size_t k = 0; k < ARRAY_LEN(ranges); k++) {
            const struct leaves l = {.range_bits = ranges[k], .period_bits = periods[k]};
            struct gen_tree all, folded;
            form(f, &all, &p, s % 2);
            form(f, &folded, &p, s % 2);
            assert_int_equal(gen_tree_dense(&f->x, &all, bits, bits, leaf_of, &l, "test", &e), CUZK_OK);
            assert_int_equal(
                gen_tree_dense(&f->x, &folded, l.range_bits, l.period_bits, leaf_of, &l, "test", &e),
                CUZK_OK);
            assert_true(folded.memory.size <= all.memory.size);
            check_equal(&all, &folded);
            gen_tree_free(&all);
            gen_tree_free(&folded);
        }
    }
}

static void a_sparse_tree_is_the_dense_one(void **state)
{
    const struct fixture *f = *state;
    for (size_t s = 0; s < ARRAY_LEN(SIZES); s++) {
        struct porep_params p;
        struct cuzk_error e;
        assert_int_equal(porep_params_for_size(&p, SIZES[s], &e), CUZK_OK);
        const struct leaves l = {.few = true, .range_bits = 10};
        struct arena arena = {0};
        struct gen_tree dense, sparse;
        uint64_t index[64];
        fr leaves[64], filler;
        size_t count = 0;
        for (uint64_t i = 5; i < p.nodes; i += 97) {
            index[count] = i;
            leaf_of(&l, i, &leaves[count++]);
        }
        fr_from_u64(&filler, 1000000);
        form(f, &dense, &p, false);
        form(f, &sparse, &p, false);
        assert_int_equal(gen_tree_dense(&f->x, &dense, p.data_height, p.data_height, leaf_of, &l, "test", &e),
                         CUZK_OK);
        assert_int_equal(
            gen_tree_sparse(&f->x, &sparse, &arena, index, leaves, count, &filler, s % 2 == 0, &e), CUZK_OK);
        check_equal(&dense, &sparse);
        gen_tree_free(&dense);
        gen_tree_free(&sparse);
        arena_free(&arena);
    }
}

static void a_tree_beyond_the_budget_is_refused(void **state)
{
    struct fixture f = *(struct fixture *)*state;
    struct porep_params p;
    struct cuzk_error e;
    const struct leaves l = {.range_bits = 10, .period_bits = 10};
    struct gen_tree t;
    assert_int_equal(porep_params_for_size(&p, 32768, &e), CUZK_OK);
    assert_int_equal(budget_new(&f.x.budget, 1000, &e), CUZK_OK);
    form(&f, &t, &p, false);
    assert_int_equal(gen_tree_dense(&f.x, &t, 10, 10, leaf_of, &l, "test", &e), CUZK_ERR_MEMORY);
    assert_int_equal(budget_used(f.x.budget), 0);
    gen_tree_free(&t);
    budget_free(f.x.budget);
}

/* ---- labels and columns ---- */

static void check_path(const struct merkle_path *expected, const struct merkle_path *found)
{
    assert_int_equal(expected->count, found->count);
    assert_true(fr_equal(&expected->leaf, &found->leaf));
    assert_true(fr_equal(&expected->root, &found->root));
    for (uint32_t i = 0; i < expected->count; i++) {
        assert_int_equal(expected->steps[i].arity, found->steps[i].arity);
        assert_int_equal(expected->steps[i].index, found->steps[i].index);
        assert_memory_equal(expected->steps[i].siblings, found->steps[i].siblings,
                            (expected->steps[i].arity - 1) * sizeof(fr));
    }
}

static void check_column(const struct gen_sector *s, const struct porep_column *expected)
{
    struct arena arena = {0};
    struct merkle_path path;
    for (unsigned layer = 0; layer < s->statement.params.layers; layer++) {
        fr label;
        gen_sector_label(s, layer, expected->index, &label);
        assert_true(fr_equal(&label, &expected->rows[layer]));
    }
    assert_true(gen_tree_path(&s->c, &arena, expected->index, &path));
    check_path(&expected->path, &path);
    arena_free(&arena);
}

static void labels_and_columns_are_the_references(void **state)
{
    static const char *const inputs[] = {"porep-2KiB-1",   "porep-4KiB-1",    "porep-16KiB-1",
                                         "porep-32KiB-1",  "porep-v1-2KiB-1", "porep-syn-2KiB-1",
                                         "porep-ni-2KiB-1"};
    const struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
        struct porep_c1 c1;
        struct cuzk_error e;
        char name[128];
        size_t size;
        snprintf(name, sizeof name, "input/%s.c1.json", inputs[i]);
        uint8_t *json = (uint8_t *)vector_read(name, &size);
        if (porep_c1_read(&f->x, &c1, json, size, &e) != CUZK_OK)
            fail_msg("%s: %s", inputs[i], e.message);
        struct gen_sector s = {.x = &f->x, .poseidon = f->poseidon, .statement = c1.statement};
        porep_graph_init(&s.graph, &s.statement.params);
        assert_int_equal(gen_sector_columns(&s, &e), CUZK_OK);
        for (unsigned k = 0; k < s.statement.params.partitions; k++)
            for (unsigned n = 0; n < s.statement.params.challenges; n++) {
                const struct porep_challenge *ch = &c1.proof[k][n];
                check_column(&s, &ch->c_x);
                for (unsigned d = 0; d < POREP_DRG_PARENTS; d++)
                    check_column(&s, &ch->drg_parents[d]);
                for (unsigned d = 0; d < POREP_EXP_PARENTS; d++)
                    check_column(&s, &ch->exp_parents[d]);
            }
        gen_sector_free(&s);
        porep_c1_free(&c1);
        free(json);
    }
}

static void random_nodes_repeat_after_their_period(void **state)
{
    struct gen_source once = {.key = {1}, .period_bits = 64}, often = {.key = {1}, .period_bits = 3};
    uint8_t a[32], b[32];
    (void)state;
    for (uint64_t i = 0; i < 40; i++) {
        gen_source_at(&often, i, a);
        gen_source_at(&once, i & 7, b);
        assert_memory_equal(a, b, 32);
        assert_true(a[31] < 0x40);
        gen_source_at(&once, i + 8, b);
        assert_memory_not_equal(a, b, 32);
    }
}

static void base64_is_read_back(void **state)
{
    (void)state;
    for (size_t n = 0; n < 100; n++) {
        uint8_t bytes[100] = {0}, back[104];
        char text[136];
        size_t size, bad;
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)(i * 37 + n * 101);
        base64_encode(text, bytes, n);
        assert_int_equal(base64_size(n) % 4, 0);
        assert_null(base64_decode(back, &size, text, base64_size(n), &bad));
        assert_int_equal(size, n);
        assert_memory_equal(back, bytes, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repetition_changes_no_node),
        cmocka_unit_test(a_sparse_tree_is_the_dense_one),
        cmocka_unit_test(a_tree_beyond_the_budget_is_refused),
        cmocka_unit_test(labels_and_columns_are_the_references),
        cmocka_unit_test(random_nodes_repeat_after_their_period),
        cmocka_unit_test(base64_is_read_back),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
