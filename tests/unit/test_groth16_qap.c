/* tests/unit/test_groth16_qap.c - a circuit's polynomials at tau where they are known in closed form: over
 * the whole domain, the sum of the Lagrange polynomials is 1, and the sum of w^i times the i-th is x.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/catalogue.h"
#include "groth16/qap.h"
#include "groth16_testing.h"

static struct cuzk_error error;

/* Rows (w^i x) * 1 = 2 x, that fill the domain with the row of the constant one at the end. */
struct full {
    unsigned log;
    fr w;
};

static void full_synthesize(const void *self, struct cs *cs)
{
    const struct full *f = self;
    struct lc a = {0}, b = {0}, c = {0};
    fr power = FR_ONE;
    const var x = cs_alloc(cs, &FR_ONE);
    lc_add_one(cs, &b, VAR_ONE);
    chain_lc(cs, &c, x, 2, false);
    for (uint64_t i = 0; i + 1 < UINT64_C(1) << f->log; i++) {
        lc_clear(&a);
        lc_add(cs, &a, x, &power);
        cs_enforce(cs, &a, &b, &c);
        fr_mul(&power, &power, &f->w);
    }
    lc_free(&a);
    lc_free(&b);
    lc_free(&c);
}

static struct full full_domain(unsigned log)
{
    struct full f = {.log = log, .w = FR_ROOT_OF_UNITY};
    for (unsigned i = log; i < FR_TWO_ADICITY; i++)
        fr_sqr(&f.w, &f.w);
    return f;
}

/* L_{n-1}(tau) = w^-1 (tau^n - 1) / (n (tau - w^-1)) */
static void last_lagrange(fr *out, fr *w_inverse, const struct full *f, const fr *tau)
{
    fr n, d, z = *tau;
    fr_inv(w_inverse, &f->w);
    for (unsigned i = 0; i < f->log; i++)
        fr_sqr(&z, &z);
    fr_sub(&z, &z, &FR_ONE);
    fr_sub(&d, tau, w_inverse);
    fr_from_u64(&n, UINT64_C(1) << f->log);
    fr_mul(&d, &d, &n);
    fr_inv(&d, &d);
    fr_mul(out, &z, &d);
    fr_mul(out, out, w_inverse);
}

static void check_domain(const struct exec *x, unsigned log)
{
    const struct full f = full_domain(log);
    const struct circuit circuit = {.self = &f, .synthesize = full_synthesize};
    struct templates t;
    struct qap q;
    fr tau, last, w_inverse, expected;
    chain_element(&tau, "tau", log);
    assert_ok(templates_record(x, &t, &circuit, &error));
    assert_ok(qap_at(x, &q, &t, &tau, false, &error));
    templates_free(&t);
    assert_int_equal(q.inputs, 1);
    assert_int_equal(q.aux, 1);
    assert_int_equal(q.log, log);
    assert_int_equal(q.rows, UINT64_C(1) << log);
    last_lagrange(&last, &w_inverse, &f, &tau);
    const fr *a = q.a.ptr, *b = q.b.ptr, *c = q.c.ptr;
    assert_true(fr_equal(&a[0], &last)); /* the row of the constant one */
    fr_mul(&expected, &w_inverse, &last);
    fr_sub(&expected, &tau, &expected);
    assert_true(fr_equal(&a[1], &expected));
    fr_sub(&expected, &FR_ONE, &last);
    assert_true(fr_equal(&b[0], &expected));
    assert_true(fr_is_zero(&b[1]) && fr_is_zero(&c[0]));
    fr_double(&expected, &expected);
    assert_true(fr_equal(&c[1], &expected));
    qap_free(&q);
}

static void sums_over_the_domain_are_as_they_must_be(void **state)
{
    struct fixture *f = *state;
    static const unsigned log[] = {1, 2, 3, 10, 11, 12}; /* around the size of a chunk */
    for (size_t i = 0; i < ARRAY_LEN(log); i++)
        for (int variant = 0; variant < CPU_VARIANTS; variant++) {
            struct exec x = f->x;
            x.variant = (enum cpu_variant)variant;
            if (cpu_supports(x.variant))
                check_domain(&x, log[i]);
        }
}

/* -- plain and folded -- */

static void check_templates(const struct exec *x, const struct circuit *circuit, uint64_t seed)
{
    struct templates t;
    struct qap plain, folded;
    fr tau;
    chain_element(&tau, "tau", seed);
    assert_ok(templates_record(x, &t, circuit, &error));
    assert_ok(qap_at(x, &plain, &t, &tau, false, &error));
    assert_ok(qap_at(x, &folded, &t, &tau, true, &error));
    const size_t variables = (size_t)plain.inputs + plain.aux;
    assert_int_equal(folded.inputs, plain.inputs);
    assert_int_equal(folded.aux, plain.aux);
    assert_int_equal(folded.rows, plain.rows);
    assert_int_equal(folded.log, plain.log);
    assert_true(fr_equal(&folded.z, &plain.z));
    assert_memory_equal(folded.a.ptr, plain.a.ptr, variables * sizeof(fr));
    assert_memory_equal(folded.b.ptr, plain.b.ptr, variables * sizeof(fr));
    assert_memory_equal(folded.c.ptr, plain.c.ptr, plain.inputs * sizeof(fr));
    qap_free(&plain);
    qap_free(&folded);
    templates_free(&t);
}

/* Units, parts, inputs in the midst of a circuit; any number of threads. What folding makes of C, conversion
 * checks (test_groth16_convert). */
static void templates_add_up_to_the_same(void **state)
{
    struct fixture *f = *state;
    struct poseidon_set *poseidon;
    assert_ok(poseidon_set_new(&poseidon, &error));
    static const char *const names[] = {"window-2k", "winning-2k", "snap-2k"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct any_circuit blank;
        assert_ok(catalogue_blank(&blank, poseidon, names[i], &error));
        check_templates(&f->x, &blank.circuit, i);
    }
    poseidon_set_free(poseidon);
    for (unsigned threads = 1; threads < 6; threads += 4) {
        const struct chain c = chain_from_seed(30, 1);
        const struct circuit circuit = chain_circuit(&c);
        struct exec x = f->x;
        assert_ok(pool_new(&x.pool, threads, &error));
        check_templates(&x, &circuit, threads);
        pool_free(x.pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_over_the_domain_are_as_they_must_be, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(templates_add_up_to_the_same, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
