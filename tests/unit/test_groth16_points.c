/* tests/unit/test_groth16_points.c - folded parameters with points of another maker than the CPU: one that
 * makes them as late as it may, and one that fails. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "srs_testing.h"

#include "curve/fixed_base.h"
#include "groth16/points.h"
#include "groth16/qap.h"
#include "groth16/srs.h"

/* v_0 free, v_i v_i = v_(i+1): sections of more than one batch, Q of two whole ones. */
#define SQUARES 66000

static void squares_synthesize(const void *self, struct cs *cs)
{
    (void)self;
    struct lc a = {0}, c = {0};
    var v = cs_alloc(cs, &FR_ONE);
    for (unsigned i = 1; i < SQUARES && cs->status == CUZK_OK; i++) {
        lc_clear(&a);
        lc_clear(&c);
        lc_add_one(cs, &a, v);
        v = cs_alloc(cs, &FR_ONE);
        lc_add_one(cs, &c, v);
        cs_enforce(cs, &a, &a, &c);
    }
    lc_clear(&c);
    lc_add_one(cs, &c, v);
    lc_add_one(cs, &c, VAR_ONE);
    cs_enforce(cs, &c, &c, &c);
    lc_free(&a);
    lc_free(&c);
}

/* -- a maker that has its batches under way until it is asked for them -- */

struct late {
    const struct exec *x;
    struct g1_fixed *g1;
    struct g2_fixed *g2;
    struct batch {
        unsigned group; /* 0: not under way */
        size_t n;
        fr *copy; /* of the scalars, which must not change meanwhile */
    } batch[64];
    struct point_batch all[64];
    unsigned batches, under_way, most;
    size_t size;
    unsigned fail_after; /* calls; 0: never */
};

static cuzk_status may_fail(struct late *m, struct cuzk_error *e)
{
    if (m->fail_after && --m->fail_after == 0)
        return error_set(e, CUZK_ERR_IO, "the maker failed");
    return CUZK_OK;
}

static cuzk_status late_reserve(void *self, struct point_batch *out, unsigned count, size_t size,
                                struct cuzk_error *e)
{
    struct late *m = self;
    assert_true(count <= ARRAY_LEN(m->batch) && m->batches == 0);
    m->batches = count;
    m->size = size;
    for (unsigned i = 0; i < count; i++) {
        m->batch[i] = (struct batch){.copy = malloc(size * sizeof(fr))};
        m->all[i] = out[i] = (struct point_batch){.scalars = malloc(size * sizeof(fr)),
                                                  .points = malloc(size * sizeof(g2_affine)),
                                                  .own = &m->batch[i]};
        assert_true(m->batch[i].copy && out[i].scalars && out[i].points);
    }
    return may_fail(m, e);
}

static cuzk_status late_begin(void *self, const struct point_batch *batch, unsigned group, size_t n,
                              struct cuzk_error *e)
{
    struct late *m = self;
    struct batch *b = batch->own;
    assert_true(n > 0 && n <= m->size && (group == 1 || group == 2));
    assert_int_equal(b->group, 0);
    b->group = group;
    b->n = n;
    memcpy(b->copy, batch->scalars, n * sizeof(fr));
    memset(batch->points, 0xa5, n * sizeof(g2_affine));
    m->under_way++;
    m->most = m->under_way > m->most ? m->under_way : m->most;
    return may_fail(m, e);
}

static cuzk_status late_finish(void *self, const struct point_batch *batch, struct cuzk_error *e)
{
    struct late *m = self;
    struct batch *b = batch->own;
    assert_int_not_equal(b->group, 0);
    assert_memory_equal(b->copy, batch->scalars, b->n * sizeof(fr));
    const cuzk_status status = b->group == 1
                                   ? g1_fixed_mul(m->x, m->g1, batch->points, batch->scalars, b->n, e)
                                   : g2_fixed_mul(m->x, m->g2, batch->points, batch->scalars, b->n, e);
    b->group = 0;
    m->under_way--;
    return status == CUZK_OK ? may_fail(m, e) : status;
}

static struct point_maker late_maker(struct late *m, const struct exec *x)
{
    *m = (struct late){.x = x};
    assert_ok(g1_fixed_new(x, &m->g1, &G1_GENERATOR, 1000, &error));
    assert_ok(g2_fixed_new(x, &m->g2, &G2_GENERATOR, 1000, &error));
    return (struct point_maker){
        .self = m, .reserve = late_reserve, .begin = late_begin, .finish = late_finish};
}

static void late_free(struct late *m)
{
    for (unsigned i = 0; i < m->batches; i++) {
        free(m->batch[i].copy);
        free(m->all[i].scalars);
        free(m->all[i].points);
    }
    g1_fixed_free(m->g1);
    g2_fixed_free(m->g2);
}

static void both_ways(struct fixture *f, const struct circuit *circuit, uint64_t seed)
{
    struct groth16_trapdoor t;
    struct late m;
    groth16_trapdoor_from_seed(&t, seed);
    const struct point_maker maker = late_maker(&m, &f->x);
    assert_ok(groth16_srs_setup(&f->x, circuit, "circuit", &t, NULL, in_folder(f, "c.srs"), &error));
    assert_ok(
        groth16_srs_setup_by(&f->x, circuit, "circuit", &t, NULL, in_folder(f, "made.srs"), &maker, &error));
    assert_int_equal(m.under_way, 0);
    assert_true(m.most > 1);
    assert_same_files(f, "c.srs", "made.srs");
    late_free(&m);
}

static void another_maker_gives_the_same_file(void **state)
{
    struct fixture *f = *state;
    for (unsigned n = 1; n < 40; n += 19) {
        const struct chain c = chain_from_seed(n, n);
        const struct circuit circuit = chain_circuit(&c);
        both_ways(f, &circuit, n);
    }
}

/* A section of the file against multiples of the polynomials as the circuit's plain run gives them. */
static void check_wide(struct fixture *f, const struct groth16_srs *s, enum srs_kind kind,
                       const struct block *k)
{
    struct g1_fixed *table;
    g1_affine *points = malloc(SQUARES * sizeof *points);
    assert_non_null(points);
    assert_ok(g1_fixed_new(&f->x, &table, &G1_GENERATOR, SQUARES, &error));
    assert_ok(g1_fixed_mul(&f->x, table, points, (const fr *)k->ptr + 1, SQUARES, &error)); /* but the one */
    assert_int_equal(groth16_srs_header(s)->section[kind].count, SQUARES);
    assert_memory_equal(groth16_srs_section(s, kind), points, SQUARES * sizeof *points);
    g1_fixed_free(table);
    free(points);
}

static void sections_of_several_batches_are_in_order(void **state)
{
    struct fixture *f = *state;
    const struct circuit circuit = {.synthesize = squares_synthesize};
    struct groth16_trapdoor t;
    struct groth16_srs *s;
    struct templates templates;
    struct qap q;
    both_ways(f, &circuit, 5);
    groth16_trapdoor_from_seed(&t, 5);
    assert_ok(templates_record(&f->x, &templates, &circuit, &error));
    assert_ok(qap_at(&f->x, &q, &templates, &t.tau, false, &error));
    templates_free(&templates);
    assert_ok(groth16_srs_open(&f->x, &s, in_folder(f, "made.srs"), 0, &error));
    check_wide(f, s, SRS_A_WIDE, &q.a);
    check_wide(f, s, SRS_B_G1_WIDE, &q.b);
    groth16_srs_free(s);
    qap_free(&q);
}

static void a_maker_that_fails_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 1);
    const struct circuit circuit = chain_circuit(&c);
    struct groth16_trapdoor t;
    groth16_trapdoor_from_seed(&t, 1);
    cuzk_status status = CUZK_ERR_IO;
    for (unsigned n = 1; status != CUZK_OK; n++) {
        struct late m;
        const struct point_maker maker = late_maker(&m, &f->x);
        m.fail_after = n;
        status =
            groth16_srs_setup_by(&f->x, &circuit, "chain", &t, NULL, in_folder(f, "c.srs"), &maker, &error);
        if (status != CUZK_OK) {
            assert_int_equal(status, CUZK_ERR_IO);
            assert_string_equal(error.message, "the maker failed");
            assert_int_equal(folder_entries(f, false), 0);
        } else {
            assert_true(n > 5);
        }
        late_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(another_maker_gives_the_same_file, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(sections_of_several_batches_are_in_order, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_maker_that_fails_leaves_nothing, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
