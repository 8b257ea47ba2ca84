/* The constraint builder and its sinks: normal rows, sticky failures, names, digests, recorded matrices.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "circuit_testing.h"
#include "r1cs/instance.h"
#include "r1cs/print.h"
#include "r1cs/shape.h"

/* -- normal rows -- */

#define MOST 4096

struct seen {
    struct lc_term a[MOST];
    uint32_t a_count, a_zeros, b_count, c_count;
    uint64_t rows;
};

static cuzk_status see(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                       const struct row *b, const struct row *c)
{
    (void)cs;
    struct seen *s = self;
    assert_int_equal(index, s->rows);
    assert_true(a->count <= MOST);
    if (a->count)
        memcpy(s->a, a->term, a->count * sizeof s->a[0]);
    s->a_count = a->count;
    s->a_zeros = a->zeros;
    s->b_count = b->count;
    s->c_count = c->count;
    s->rows++;
    return CUZK_OK;
}

static const struct cs_sink SEE = {.enforce = see};
static struct seen seen;

static void add_small(struct cs *cs, var v, int64_t coeff)
{
    fr c;
    fr_from_u64(&c, (uint64_t)(coeff < 0 ? -coeff : coeff));
    if (coeff < 0)
        fr_neg(&c, &c);
    lc_add(cs, &cs->a, v, &c);
}

static void start_seeing(struct cs *cs)
{
    memset(&seen, 0, sizeof seen);
    cs_init(cs, &SEE, &seen, NULL);
}

static void terms_are_sorted_inputs_first(void **state)
{
    (void)state;
    struct cs cs;
    start_seeing(&cs);
    add_small(&cs, VAR_AUX | 7, 1);
    add_small(&cs, 5, 2);
    add_small(&cs, VAR_AUX | 0, 3);
    add_small(&cs, VAR_ONE, 4);
    cs_enforce_built(&cs);
    const var order[4] = {VAR_ONE, 5, VAR_AUX | 0, VAR_AUX | 7};
    assert_int_equal(seen.a_count, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(seen.a[i].v, order[i]);
    assert_int_equal(seen.b_count, 0);
    assert_int_equal(cs.a.count, 0);
    cs_free(&cs);
}

static void equal_variables_are_merged_and_zeros_dropped_and_counted(void **state)
{
    (void)state;
    struct cs cs;
    start_seeing(&cs);
    add_small(&cs, VAR_AUX | 1, 3);
    add_small(&cs, VAR_AUX | 2, 1);
    add_small(&cs, VAR_AUX | 1, -3);
    add_small(&cs, VAR_AUX | 2, 5);
    add_small(&cs, VAR_AUX | 3, 0);
    cs_enforce_built(&cs);
    fr six;
    fr_from_u64(&six, 6);
    assert_int_equal(seen.a_count, 1);
    assert_int_equal(seen.a_zeros, 2);
    assert_int_equal(seen.a[0].v, VAR_AUX | 2);
    assert_true(fr_equal(&seen.a[0].coeff, &six));
    cs_free(&cs);
}

/* Many runs of many lengths, against sums by variable. */
static void any_order_normalises_to_the_same_row(void **state)
{
    (void)state;
    static fr sum[64];
    static bool named[64];
    uint64_t random = 42;
    struct cs cs;
    start_seeing(&cs);
    for (unsigned round = 0; round < 200; round++) {
        memset(sum, 0, sizeof sum);
        memset(named, 0, sizeof named);
        const uint32_t count = (uint32_t)(test_random(&random) % 300), stride = 1 + round % 7;
        uint32_t index = 0;
        for (uint32_t i = 0; i < count; i++) {
            index =
                test_random(&random) % 9 == 0 ? (uint32_t)test_random(&random) % 64 : (index + stride) % 64;
            const fr coeff = test_random_fr(&random);
            lc_add(&cs, &cs.a, (index & 32) ? VAR_AUX | (index & 31) : index, &coeff);
            fr_add(&sum[index], &sum[index], &coeff);
            named[index] = true;
        }
        cs_enforce_built(&cs);
        uint32_t at = 0;
        for (uint32_t i = 0; i < 64; i++) {
            if (!named[i])
                continue;
            assert_true(at < seen.a_count);
            assert_int_equal(seen.a[at].v, (i & 32) ? VAR_AUX | (i & 31) : i);
            assert_true(fr_equal(&seen.a[at].coeff, &sum[i]));
            at++;
        }
        assert_int_equal(at, seen.a_count);
    }
    cs_free(&cs);
}

static void a_scaled_combination_adds_each_term(void **state)
{
    (void)state;
    struct cs cs;
    start_seeing(&cs);
    struct lc lc = {0};
    fr three, six;
    fr_from_u64(&three, 3);
    fr_from_u64(&six, 6);
    lc_add(&cs, &lc, VAR_AUX | 4, &cs.pow2[1]);
    lc_sub_one(&cs, &lc, VAR_ONE);
    lc_add_lc(&cs, &cs.a, &lc, &three);
    lc_add_lc(&cs, &cs.a, &lc, &FR_ONE);
    lc_add_lc(&cs, &cs.a, &lc, &cs.minus_one);
    cs_enforce_built(&cs);
    fr_neg(&three, &three);
    assert_int_equal(seen.a_count, 2);
    assert_true(fr_equal(&seen.a[0].coeff, &three));
    assert_true(fr_equal(&seen.a[1].coeff, &six));
    lc_free(&lc);
    cs_free(&cs);
}

/* -- a toy circuit: x^3 + x + 5 = out, its inputs public -- */

struct cubic {
    uint64_t x, out; /* out wrong makes it unsatisfied */
};

static void cubic_synthesize(const void *self, struct cs *cs)
{
    const struct cubic *c = self;
    fr x, square, cube, out, five;
    fr_from_u64(&x, c->x);
    fr_sqr(&square, &x);
    fr_mul(&cube, &square, &x);
    fr_from_u64(&out, c->out);
    fr_from_u64(&five, 5);
    cs_name(cs, "out");
    const var out_v = cs_alloc_input(cs, &out);
    cs_push(cs, "cubic");
    cs_name(cs, "x");
    const var x_v = cs_alloc(cs, &x);
    cs_push(cs, "power %d", 2);
    cs_name(cs, "square");
    const var square_v = cs_alloc(cs, &square);
    lc_add_one(cs, &cs->a, x_v);
    lc_add_one(cs, &cs->b, x_v);
    lc_add_one(cs, &cs->c, square_v);
    cs_name(cs, "squaring");
    cs_enforce_built(cs);
    cs_pop(cs);
    cs_name(cs, "cube");
    const var cube_v = cs_alloc(cs, &cube);
    lc_add_one(cs, &cs->a, square_v);
    lc_add_one(cs, &cs->b, x_v);
    lc_add_one(cs, &cs->c, cube_v);
    cs_name(cs, "cubing");
    cs_enforce_built(cs);
    cs_pop(cs);
    lc_add_one(cs, &cs->a, cube_v);
    lc_add_one(cs, &cs->a, x_v);
    lc_add(cs, &cs->a, VAR_ONE, &five);
    lc_add_one(cs, &cs->b, VAR_ONE);
    lc_add_one(cs, &cs->c, out_v);
    cs_name(cs, "sum");
    cs_enforce_built(cs);
}

static const struct cubic CUBIC = {.x = 3, .out = 35}, WRONG = {.x = 3, .out = 36};
static const struct circuit GOOD = {.self = &CUBIC, .synthesize = cubic_synthesize},
                            BAD = {.self = &WRONG, .synthesize = cubic_synthesize};

/* -- failures -- */

struct failing {
    unsigned left, calls;
};

static cuzk_status fail_later(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                              const struct row *b, const struct row *c)
{
    (void)cs;
    (void)index;
    (void)a;
    (void)b;
    (void)c;
    struct failing *f = self;
    f->calls++;
    return f->left-- == 0 ? CUZK_ERR_IO : CUZK_OK;
}

static void a_sinks_failure_stays_and_nothing_follows(void **state)
{
    (void)state;
    static const struct cs_sink sink = {.enforce = fail_later};
    struct failing f = {.left = 1};
    struct cuzk_error e = {.status = CUZK_OK};
    struct cs_counts counts = {.rows = 77};
    assert_int_equal(circuit_run(&GOOD, &sink, &f, NULL, &counts, &e), CUZK_ERR_IO);
    assert_int_equal(e.status, CUZK_ERR_IO);
    assert_int_equal(f.calls, 2);
    assert_int_equal(counts.rows, 77);
}

static void the_first_failure_of_a_gadget_is_the_one_reported(void **state)
{
    (void)state;
    struct cs cs;
    start_seeing(&cs);
    cs_fail(&cs, CUZK_ERR_INPUT, "first %d", 1);
    cs_fail(&cs, CUZK_ERR_MEMORY, "second");
    assert_int_equal(cs.status, CUZK_ERR_INPUT);
    assert_string_equal(cs.error.message, "first 1");
    assert_int_equal(cs_alloc(&cs, NULL), VAR_ONE);
    assert_int_equal(cs_alloc_input(&cs, NULL), VAR_ONE);
    cs_enforce_built(&cs);
    cs_finish_inputs(&cs);
    assert_int_equal(seen.rows, 0);
    cs_free(&cs);
}

static void a_cancelled_circuit_says_so(void **state)
{
    (void)state;
    const volatile int cancel = 1;
    struct cuzk_error e = {.status = CUZK_OK};
    assert_int_equal(circuit_run(&GOOD, &SEE, &seen, &cancel, NULL, &e), CUZK_ERR_CANCELLED);
}

/* Runs work with the first, second... allocation failing until it succeeds. */
static void survive_failing_allocations(cuzk_status (*work)(struct cuzk_error *e))
{
    unsigned failures = 0;
    for (;; failures++) {
        struct cuzk_error e = {.status = CUZK_OK};
        mem_fail_after(failures + 1);
        const cuzk_status status = work(&e);
        mem_fail_after(0);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_ERR_MEMORY);
        assert_int_equal(e.status, CUZK_ERR_MEMORY);
        assert_true(strlen(e.message) > 0);
    }
    assert_true(failures > 3);
}

static cuzk_status work_shape(struct cuzk_error *e)
{
    struct shape s = {0};
    const cuzk_status status = shape_of(&TEST_EXEC, &s, &GOOD, 1, e);
    shape_free(&s);
    return status;
}

static cuzk_status work_instance(struct cuzk_error *e)
{
    struct instance i = {0};
    const cuzk_status status = instance_of(&TEST_EXEC, &i, &BAD, 1, e);
    instance_free(&i);
    return status;
}

static cuzk_status work_record(struct cuzk_error *e)
{
    struct record r = {0};
    const cuzk_status status = record_of(&TEST_EXEC, &r, &GOOD, e);
    record_free(&r);
    return status;
}

static cuzk_status ignore_line(void *user, const char *line, struct cuzk_error *e)
{
    (void)user;
    (void)line;
    (void)e;
    return CUZK_OK;
}

static cuzk_status work_print(struct cuzk_error *e)
{
    return print_circuit(&TEST_EXEC, &GOOD, true, (struct print_range){0, 99}, (struct print_range){0, 99},
                         ignore_line, NULL, e);
}

static void no_failing_allocation_is_overlooked(void **state)
{
    (void)state;
    survive_failing_allocations(work_shape);
    survive_failing_allocations(work_instance);
    survive_failing_allocations(work_record);
    survive_failing_allocations(work_print);
}

/* -- names and lines -- */

struct lines {
    char text[4096];
    size_t length;
};

static cuzk_status keep_line(void *user, const char *line, struct cuzk_error *e)
{
    (void)e;
    struct lines *l = user;
    const int n = snprintf(l->text + l->length, sizeof l->text - l->length, "%s\n", line);
    l->length += (size_t)n;
    return CUZK_OK;
}

static void rows_and_variables_are_printed_by_name(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct lines l = {.length = 0};
    assert_int_equal(print_circuit(&TEST_EXEC, &GOOD, true, (struct print_range){0, 99},
                                   (struct print_range){0, 99}, keep_line, &l, &e),
                     CUZK_OK);
    assert_string_equal(l.text, "w0\tcubic/x\t3\n"
                                "w1\tcubic/power 2/square\t9\n"
                                "0\tcubic/power 2/squaring\t(1*w0) * (1*w0) = 1*w1\n"
                                "w2\tcubic/cube\t27\n"
                                "1\tcubic/cubing\t(1*w1) * (1*w0) = 1*w2\n"
                                "2\t/sum\t(5*in0 + 1*w0 + 1*w2) * (1*in0) = 1*in1\n"
                                "3\t/input 0\t(1*in0) * (0) = 0\n"
                                "4\t/input 1\t(1*in1) * (0) = 0\n");
}

static void only_the_range_is_printed_and_the_rest_not_run(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct lines l = {.length = 0};
    assert_int_equal(print_circuit(&TEST_EXEC, &GOOD, false, (struct print_range){1, 2},
                                   (struct print_range){1, 2}, keep_line, &l, &e),
                     CUZK_OK);
    assert_string_equal(l.text, "w1\tcubic/power 2/square\n"
                                "1\tcubic/cubing\t(1*w1) * (1*w0) = 1*w2\n");
    l.length = 0;
    l.text[0] = '\0';
    assert_int_equal(print_circuit(&TEST_EXEC, &GOOD, false, (struct print_range){99, 100},
                                   (struct print_range){0}, keep_line, &l, &e),
                     CUZK_OK);
    assert_string_equal(l.text, "");
}

static cuzk_status refuse_line(void *user, const char *line, struct cuzk_error *e)
{
    (void)user;
    (void)line;
    if (e)
        e->status = CUZK_ERR_IO;
    return CUZK_ERR_IO;
}

static void a_reader_that_fails_ends_the_printing(void **state)
{
    (void)state;
    struct cuzk_error e;
    assert_int_equal(print_circuit(&TEST_EXEC, &GOOD, false, (struct print_range){0, 99},
                                   (struct print_range){0}, refuse_line, NULL, &e),
                     CUZK_ERR_IO);
}

static void check_element(const fr *value, const char *expected)
{
    char text[PRINT_ELEMENT_MAX];
    assert_int_equal(print_element(text, value), strlen(expected));
    assert_string_equal(text, expected);
}

static void elements_are_printed_short_where_they_are_special(void **state)
{
    (void)state;
    struct cs cs;
    start_seeing(&cs);
    fr a;
    check_element(&FR_ZERO, "0");
    check_element(&cs.minus_one, "-1");
    fr_from_u64(&a, UINT64_MAX);
    check_element(&a, "18446744073709551615");
    fr_neg(&a, &a);
    check_element(&a, "-18446744073709551615");
    check_element(&cs.pow2[64], "2^64");
    check_element(&cs.pow2[254], "2^254");
    fr_neg(&a, &cs.pow2[200]);
    check_element(&a, "-2^200");
    fr_add(&a, &cs.pow2[64], &cs.pow2[0]);
    check_element(&a, "0x0000000000000000000000000000000000000000000000010000000000000001");
    cs_free(&cs);
}

/* -- digests -- */

static void append(uint8_t *out, size_t *length, const char *hex_u32)
{
    unsigned x;
    while (sscanf(hex_u32, "%x", &x) == 1) {
        for (unsigned i = 0; i < 4; i++)
            out[(*length)++] = (uint8_t)(x >> 8 * i);
        hex_u32 += strcspn(hex_u32, " ");
        hex_u32 += *hex_u32 == ' ';
    }
}

/* A term with a coefficient below 2^32. */
#define TERM(v, coeff) v " " coeff " 0 0 0 0 0 0 0 "

static void the_digest_is_that_of_the_rows_as_documented(void **state)
{
    (void)state;
    static const char *const rows[5] = {
        "1 " TERM("80000000", "1") "1 " TERM("80000000", "1") "1 " TERM("80000001", "1"),
        "1 " TERM("80000001", "1") "1 " TERM("80000000", "1") "1 " TERM("80000002", "1"),
        "3 " TERM("0", "5") TERM("80000000", "1")
            TERM("80000002", "1") "1 " TERM("0", "1") "1 " TERM("1", "1"),
        "1 " TERM("0", "1") "0 0",
        "1 " TERM("1", "1") "0 0",
    };
    uint8_t bytes[2048], mark[3][32];
    size_t length = 0;
    for (unsigned i = 0; i < 5; i++) {
        append(bytes, &length, rows[i]);
        if (i % 2 == 1)
            sha256(mark[i / 2], bytes, length);
    }
    sha256(mark[2], bytes, length);

    struct shape s;
    struct cuzk_error e;
    assert_int_equal(shape_of(&TEST_EXEC, &s, &GOOD, 2, &e), CUZK_OK);
    assert_memory_equal(s.r1cs, mark[2], 32);
    assert_int_equal(s.marks.count, 2);
    assert_memory_equal(s.marks.digest[0], mark[0], 32);
    assert_memory_equal(s.marks.digest[1], mark[1], 32);
    assert_int_equal(s.counts.rows_own, 3);
    assert_int_equal(s.counts.rows, 5);
    assert_int_equal(s.counts.inputs, 2);
    assert_int_equal(s.counts.aux, 3);
    assert_int_equal(s.nonzeros[0], 7);
    assert_int_equal(s.nonzeros[1], 3);
    assert_int_equal(s.nonzeros[2], 3);
    assert_int_equal(s.zero_terms, 0);

    static const uint8_t a_bits = 7, b_in_bits = 1, b_bits = 1;
    uint8_t digest[32];
    sha256(digest, &a_bits, 1);
    assert_memory_equal(s.a_aux.digest, digest, 32);
    assert_int_equal(s.a_aux.count, 3);
    sha256(digest, &b_in_bits, 1);
    assert_memory_equal(s.b_input.digest, digest, 32);
    sha256(digest, &b_bits, 1);
    assert_memory_equal(s.b_aux.digest, digest, 32);
    assert_int_equal(s.b_aux.count, 1);
    shape_free(&s);
}

static void an_instance_has_its_inputs_and_digests(void **state)
{
    (void)state;
    struct instance i;
    struct cuzk_error e;
    assert_int_equal(instance_of(&TEST_EXEC, &i, &GOOD, 2, &e), CUZK_OK);
    assert_true(i.satisfied);
    assert_int_equal(i.unsatisfied_count, 0);
    fr out;
    fr_from_u64(&out, 35);
    assert_true(fr_equal(&i.inputs[0], &FR_ONE));
    assert_true(fr_equal(&i.inputs[1], &out));
    uint8_t bytes[5 * 32] = {3}, digest[32];
    bytes[32] = 9;
    bytes[64] = 27;
    sha256(digest, bytes, 96);
    assert_memory_equal(i.witness, digest, 32);
    sha256(digest, bytes, 64);
    assert_int_equal(i.witness_marks.count, 1);
    assert_memory_equal(i.witness_marks.digest[0], digest, 32);
    const uint8_t a[5] = {3, 9, 35, 1, 35}, b[5] = {3, 3, 1, 0, 0}, c[5] = {9, 27, 35, 0, 0};
    const uint8_t *const abc[3] = {a, b, c};
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned row = 0; row < 5; row++)
            bytes[32 * row] = abc[k][row];
        sha256(digest, bytes, sizeof bytes);
        assert_memory_equal(i.abc[k], digest, 32);
    }
    instance_free(&i);
}

static void an_unsatisfied_row_is_named(void **state)
{
    (void)state;
    struct instance i;
    struct cuzk_error e;
    assert_int_equal(instance_of(&TEST_EXEC, &i, &BAD, 0, &e), CUZK_OK);
    assert_false(i.satisfied);
    assert_int_equal(i.unsatisfied_count, 1);
    assert_int_equal(i.unsatisfied[0].row, 2);
    assert_string_equal(i.unsatisfied[0].name, "/sum");
    instance_free(&i);
}

/* -- many rows -- */

#define CHAIN 70000 /* beyond one look at the cancel flag, and one block of anything */

/* x_(i+1) = x_i * (i + 2), each with a coefficient of its own. */
static void chain_synthesize(const void *self, struct cs *cs)
{
    (void)self;
    fr x = FR_ONE;
    var v = cs_alloc(cs, &x);
    for (uint64_t i = 0; i < CHAIN; i++) {
        fr k;
        fr_from_u64(&k, i + 2);
        lc_add_one(cs, &cs->a, v);
        lc_add(cs, &cs->b, VAR_ONE, &k);
        fr_mul(&x, &x, &k);
        v = cs_alloc(cs, &x);
        lc_add_one(cs, &cs->c, v);
        cs_enforce_built(cs);
    }
}

static const struct circuit LONG_CHAIN = {.self = NULL, .synthesize = chain_synthesize};

static void recorded_rows_are_those_of_the_circuit(void **state)
{
    (void)state;
    struct record r;
    struct test_values v;
    struct cuzk_error e;
    assert_int_equal(record_of(&TEST_EXEC, &r, &LONG_CHAIN, &e), CUZK_OK);
    assert_int_equal(test_values_of(&v, &LONG_CHAIN), CUZK_OK);
    assert_int_equal(r.counts.rows, CHAIN + 1);
    assert_int_equal(r.counts.aux, CHAIN + 1);
    assert_int_equal(r.coeff_count, CHAIN + 1);
    assert_int_equal(record_first_unsatisfied(&r, v.inputs, v.aux), CHAIN + 1);
    fr_add(&v.aux[CHAIN], &v.aux[CHAIN], &FR_ONE);
    assert_int_equal(record_first_unsatisfied(&r, v.inputs, v.aux), CHAIN - 1);
    assert_int_equal(r.side[0].begin[CHAIN + 1], CHAIN + 1);
    assert_int_equal(r.side[0].term[CHAIN - 1].v, VAR_AUX | (CHAIN - 1));
    test_values_free(&v);
    record_free(&r);
}

static void densities_of_many_variables(void **state)
{
    (void)state;
    struct shape s;
    struct cuzk_error e;
    static uint8_t bits[(CHAIN + 8) / 8], digest[32];
    assert_int_equal(shape_of(&TEST_EXEC, &s, &LONG_CHAIN, SHAPE_EVERY, &e), CUZK_OK);
    memset(bits, 0xff, CHAIN / 8); /* the last variable is in no row's left side */
    sha256(digest, bits, sizeof bits);
    assert_int_equal(s.a_aux.count, CHAIN);
    assert_memory_equal(s.a_aux.digest, digest, 32);
    memset(bits, 0, sizeof bits);
    sha256(digest, bits, sizeof bits);
    assert_int_equal(s.b_aux.count, 0);
    assert_memory_equal(s.b_aux.digest, digest, 32);
    assert_int_equal(s.marks.count, 1);
    shape_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_sorted_inputs_first),
        cmocka_unit_test(equal_variables_are_merged_and_zeros_dropped_and_counted),
        cmocka_unit_test(any_order_normalises_to_the_same_row),
        cmocka_unit_test(a_scaled_combination_adds_each_term),
        cmocka_unit_test(a_sinks_failure_stays_and_nothing_follows),
        cmocka_unit_test(the_first_failure_of_a_gadget_is_the_one_reported),
        cmocka_unit_test(a_cancelled_circuit_says_so),
        cmocka_unit_test(no_failing_allocation_is_overlooked),
        cmocka_unit_test(rows_and_variables_are_printed_by_name),
        cmocka_unit_test(only_the_range_is_printed_and_the_rest_not_run),
        cmocka_unit_test(a_reader_that_fails_ends_the_printing),
        cmocka_unit_test(elements_are_printed_short_where_they_are_special),
        cmocka_unit_test(the_digest_is_that_of_the_rows_as_documented),
        cmocka_unit_test(an_instance_has_its_inputs_and_digests),
        cmocka_unit_test(an_unsatisfied_row_is_named),
        cmocka_unit_test(recorded_rows_are_those_of_the_circuit),
        cmocka_unit_test(densities_of_many_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
