/* Circuits as templates: the rows that come out are those that went in; witnesses and rows' values by way of
 * them are the gadgets'; files are refused unless they are whole and of this circuit.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "shape_vectors.h"

#include <unistd.h>

#include "base/pool.h"
#include "circuit_testing.h"
#include "circuits/catalogue.h"
#include "circuits/request.h"
#include "r1cs/rows.h"
#include "r1cs/template_file.h"
#include "r1cs/unit.h"
#include "r1cs/witness_walk.h"

struct fixture {
    struct exec x;
    struct poseidon_set *poseidon;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct cuzk_error e;
    f.x.variant = cpu_best();
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

static const struct template_identity ID = {.name = "test", .revision = {1, 2, 3}};

static struct templates record(const struct fixture *f, const struct circuit *c)
{
    struct cuzk_error e = {.status = CUZK_OK};
    struct templates t;
    if (templates_record(&f->x, &t, c, &e) != CUZK_OK)
        fail_msg("%s", e.message);
    return t;
}

/* -- rows -- */

static cuzk_status add_row(void *self, uint64_t index, const struct row *a, const struct row *b,
                           const struct row *c, struct cuzk_error *e)
{
    (void)index;
    (void)e;
    return shape_state_row(self, a, b, c);
}

static void expect_the_same_rows(const struct fixture *f, const struct circuit *c)
{
    struct cuzk_error e = {.status = CUZK_OK};
    struct shape direct, expanded;
    struct shape_state s = {.budget = NULL};
    struct templates t = record(f, c);
    assert_int_equal(templates_validate(&f->x, &t, &e), CUZK_OK);
    assert_int_equal(shape_of(&f->x, &direct, c, SHAPE_EVERY, &e), CUZK_OK);
    assert_int_equal(shape_state_init(&s, NULL, SHAPE_EVERY, &e), CUZK_OK);
    assert_int_equal(templates_expand(&f->x, &t, add_row, &s, &e), CUZK_OK);
    shape_state_finish(&s, &expanded, &t.counts);
    assert_int_equal(expanded.marks.count, direct.marks.count);
    assert_memory_equal(expanded.marks.digest, direct.marks.digest, 32 * direct.marks.count);
    assert_memory_equal(expanded.r1cs, direct.r1cs, 32);
    assert_memory_equal(expanded.a_aux.digest, direct.a_aux.digest, 32);
    assert_memory_equal(expanded.b_aux.digest, direct.b_aux.digest, 32);
    assert_int_equal(t.counts.aux, direct.counts.aux);
    assert_int_equal(t.counts.inputs, direct.counts.inputs);
    shape_free(&direct);
    shape_free(&expanded);
    templates_free(&t);
}

/* All circuits of up to 8MiB; shape tests compare the same digests with the reference. */
static void expanded_rows_are_the_circuits(void **state)
{
    const struct fixture *f = *state;
    struct cuzk_error e = {.status = CUZK_OK};
    const char *name;
    uint64_t size;
    unsigned seen = 0;
    for (size_t i = 0; (name = catalogue_name(i, &size)) != NULL; i++) {
        struct any_circuit c;
        if (size > UINT64_C(8) << 20)
            continue;
        assert_int_equal(catalogue_blank(&c, f->poseidon, name, &e), CUZK_OK);
        expect_the_same_rows(f, &c.circuit);
        seen++;
    }
    assert_int_equal(seen, 25);
}

/* -- values -- */

static void compare_witness(const struct fixture *f, const struct circuit *c, const struct assignment *w,
                            const struct test_values *v)
{
    struct cuzk_error e = {.status = CUZK_OK};
    struct classes classes;
    assert_int_equal(classes_of(&f->x, &classes, c, NULL, &e), CUZK_OK);
    assert_int_equal(classes.bits, w->bits);
    for (uint32_t i = 0; i < v->counts.inputs; i++)
        assert_true(fr_equal(&v->inputs[i], &w->input[i]));
    for (uint32_t i = 0; i < v->counts.aux; i++) {
        const uint32_t rank = classes_rank(&classes, i);
        const fr *bit = assignment_bit(w, rank) ? &FR_ONE : &FR_ZERO;
        if (!fr_equal(classes_is_bit(&classes, i) ? bit : &w->wide_value[i - rank], &v->aux[i]))
            fail_msg("auxiliary variable %u differs", i);
    }
    classes_free(&classes);
}

/* The values of rows in pieces of odd sizes, so that instances are entered anywhere. */
static void compare_rows(const struct fixture *f, const struct circuit *c, const struct rows *r,
                         const struct test_values *v)
{
    enum { PIECE = 1021 };
    static fr out[PIECE];
    struct cuzk_error e = {.status = CUZK_OK};
    struct record record;
    assert_int_equal(record_of(&f->x, &record, c, &e), CUZK_OK);
    for (unsigned side = 0; side < 3; side++)
        for (uint64_t from = 0; from < record.counts.rows + 5; from += PIECE) {
            rows_values(r, side, from, PIECE, out);
            for (uint64_t k = 0; k < PIECE; k++) {
                const fr expected = from + k < record.counts.rows
                                        ? record_value(&record, side, from + k, v->inputs, v->aux)
                                        : FR_ZERO;
                if (!fr_equal(&out[k], &expected))
                    fail_msg("row %llu, side %u differs", (unsigned long long)(from + k), side);
            }
        }
    record_free(&record);
}

static void compare_values(struct fixture *f, const char *blank, const struct circuit *c)
{
    struct cuzk_error e = {.status = CUZK_OK};
    struct any_circuit empty;
    struct test_values v;
    struct assignment w;
    struct rows r;
    assert_int_equal(catalogue_blank(&empty, f->poseidon, blank, &e), CUZK_OK);
    struct templates t = record(f, &empty.circuit);
    assert_int_equal(test_values_of(&v, c), CUZK_OK);
    /* Twice, since the second time a partition's paths may be hashed already. */
    for (unsigned k = 0; k < 2 * CPU_VARIANTS; k++) {
        const enum cpu_variant variant = (enum cpu_variant)(k % CPU_VARIANTS);
        if (!cpu_supports(variant))
            continue;
        f->x.variant = variant;
        if (witness_walk(&f->x, &w, &t, c, &e) != CUZK_OK)
            fail_msg("%s: %s", blank, e.message);
        compare_witness(f, &empty.circuit, &w, &v);
        if (k >= CPU_VARIANTS) {
            assignment_free(&w);
            continue;
        }
        assert_int_equal(rows_bind(&f->x, &r, &t, &w, &e), CUZK_OK);
        compare_rows(f, &empty.circuit, &r, &v);
        rows_free(&r);
        assignment_free(&w);
    }
    f->x.variant = cpu_best();
    test_values_free(&v);
    templates_free(&t);
}

static void values_by_templates_are_the_gadgets(void **state)
{
    static const char *const inputs[] = {
        "porep-2KiB-1",  "porep-4KiB-1",   "porep-ni-2KiB-1", "winning-2KiB-1", "winning-32KiB-1",
        "window-2KiB-1", "window-32KiB-1", "snap-2KiB-1",     "snap-16KiB-1",
    };
    struct fixture *f = *state;
    struct cuzk_error e = {.status = CUZK_OK};
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
        struct request q;
        struct any_circuit c;
        char path[512];
        snprintf(path, sizeof path, "%s/input/%s.meta.json", vector_folder(), inputs[i]);
        if (request_read(&f->x, &q, path, true, &e) != CUZK_OK)
            fail_msg("%s", e.message);
        const unsigned last = request_partitions(&q) - 1;
        assert_int_equal(request_circuit(&c, f->poseidon, &q, last, &e), CUZK_OK);
        compare_values(f, request_circuit_name(&q), &c.circuit);
        request_free(&q);
    }
}

static void another_circuits_templates_are_refused(void **state)
{
    struct fixture *f = *state;
    struct cuzk_error e = {.status = CUZK_OK};
    struct any_circuit other, c;
    struct request q;
    struct assignment w;
    char path[512];
    assert_int_equal(catalogue_blank(&other, f->poseidon, "porep-4k", &e), CUZK_OK);
    struct templates t = record(f, &other.circuit);
    snprintf(path, sizeof path, "%s/input/porep-2KiB-1.meta.json", vector_folder());
    assert_int_equal(request_read(&f->x, &q, path, true, &e), CUZK_OK);
    assert_int_equal(request_circuit(&c, f->poseidon, &q, 0, &e), CUZK_OK);
    assert_int_equal(witness_walk(&f->x, &w, &t, &c.circuit, &e), CUZK_ERR_MISMATCH);
    request_free(&q);
    templates_free(&t);
}

/* -- failures of memory -- */

static void failing_allocations_are_told(void **state)
{
    struct fixture *f = *state;
    struct cuzk_error e = {.status = CUZK_OK};
    struct any_circuit c;
    struct templates t;
    assert_int_equal(catalogue_blank(&c, f->poseidon, "window-2k", &e), CUZK_OK);
    cuzk_status status = CUZK_ERR_MEMORY;
    unsigned n = 0;
    while (status == CUZK_ERR_MEMORY && ++n < 10000) {
        mem_fail_after(n);
        status = templates_record(&f->x, &t, &c.circuit, &e);
        mem_fail_after(0);
    }
    assert_int_equal(status, CUZK_OK);
    assert_true(n > 10);
    templates_free(&t);
}

/* -- files -- */

static void file_name(char out[64])
{
    snprintf(out, 64, "/tmp/cuzk-test-template-%d", (int)getpid());
}

static void files_come_back(void **state)
{
    struct fixture *f = *state;
    struct cuzk_error e = {.status = CUZK_OK};
    struct any_circuit c;
    struct templates mapped;
    char path[64];
    file_name(path);
    unlink(path);
    assert_int_equal(catalogue_blank(&c, f->poseidon, "winning-2k", &e), CUZK_OK);
    struct templates t = record(f, &c.circuit);
    assert_int_equal(templates_map(&f->x, &mapped, path, &ID, &e), CUZK_ERR_IO);
    assert_int_equal(templates_open(&f->x, &mapped, path, &ID, &c.circuit, NULL, &e), CUZK_OK);
    assert_null(mapped.map.data);
    templates_free(&mapped);
    assert_int_equal(templates_open(&f->x, &mapped, path, &ID, &c.circuit, NULL, &e), CUZK_OK);
    assert_non_null(mapped.map.data);
    assert_int_equal(templates_check_digest(&mapped, path, &e), CUZK_OK);
    assert_int_equal(templates_bytes(&mapped), templates_bytes(&t));
    assert_memory_equal(mapped.term, t.term, t.count[TEMPLATE_TERMS] * sizeof *t.term);
    assert_memory_equal(mapped.op, t.op, t.count[TEMPLATE_OPS] * sizeof *t.op);
    assert_memory_equal(mapped.binding, t.binding, t.count[TEMPLATE_BINDINGS] * sizeof *t.binding);
    templates_free(&mapped);
    /* One that is damaged where no index tells is made anew. */
    uint8_t *bytes;
    size_t size;
    assert_int_equal(file_read(&bytes, &size, path, 1 << 24, &e), CUZK_OK);
    bytes[size - 600] ^= 1;
    assert_int_equal(file_write_whole(path, bytes, size, &e), CUZK_OK);
    mem_free(bytes);
    assert_int_equal(templates_open(&f->x, &mapped, path, &ID, &c.circuit, NULL, &e), CUZK_OK);
    assert_null(mapped.map.data);
    templates_free(&mapped);
    assert_int_equal(templates_open(&f->x, &mapped, path, &ID, &c.circuit, NULL, &e), CUZK_OK);
    assert_non_null(mapped.map.data);
    templates_free(&mapped);
    struct template_identity newer = ID;
    newer.revision[31] = 9;
    assert_int_equal(templates_map(&f->x, &mapped, path, &newer, &e), CUZK_ERR_MISMATCH);
    templates_free(&t);
    unlink(path);
}

/* Every byte of the small arrays, some of the large ones: refused, or without harm. */
static void damaged_files_do_no_harm(void **state)
{
    struct fixture *f = *state;
    struct cuzk_error e = {.status = CUZK_OK};
    struct any_circuit c;
    struct templates t = {.bits = 0};
    char path[64];
    uint8_t *bytes;
    size_t size, refused = 0;
    uint64_t random = 88172645463325252;
    file_name(path);
    unlink(path);
    assert_int_equal(catalogue_blank(&c, f->poseidon, "window-2k", &e), CUZK_OK);
    assert_int_equal(templates_open(&f->x, &t, path, &ID, &c.circuit, NULL, &e), CUZK_OK);
    templates_free(&t);
    assert_int_equal(file_read(&bytes, &size, path, 1 << 24, &e), CUZK_OK);
    for (unsigned round = 0; round < 3000; round++) {
        const size_t at = round < 1200 ? round : (size_t)(test_random(&random) % size);
        const uint8_t before = bytes[at];
        struct assignment w;
        struct rows r;
        fr out[64];
        bytes[at] ^= (uint8_t)(1 + test_random(&random) % 255);
        assert_int_equal(file_write_whole(path, bytes, size, &e), CUZK_OK);
        const cuzk_status status = templates_map(&f->x, &t, path, &ID, &e);
        bytes[at] = before;
        if (status != CUZK_OK) {
            assert_true(status == CUZK_ERR_INPUT || status == CUZK_ERR_MISMATCH);
            refused++;
            continue;
        }
        assert_int_equal(templates_check_digest(&t, path, &e), CUZK_ERR_INPUT);
        assert_int_equal(assignment_new(&w, NULL, t.counts.inputs, t.bits, t.wide, &e), CUZK_OK);
        memset(w.wide_value, 0, (size_t)w.wide * sizeof *w.wide_value);
        assert_int_equal(rows_bind(&f->x, &r, &t, &w, &e), CUZK_OK);
        for (uint64_t row = 0; row < t.counts.rows; row += 64)
            for (unsigned side = 0; side < 3; side++)
                rows_values(&r, side, row, 64, out);
        rows_free(&r);
        assignment_free(&w);
        templates_free(&t);
    }
    assert_true(refused > 500);
    for (size_t cut = 0; cut < size; cut += size / 37 + 1) {
        assert_int_equal(file_write_whole(path, bytes, cut, &e), CUZK_OK);
        assert_int_equal(templates_map(&f->x, &t, path, &ID, &e), CUZK_ERR_INPUT);
    }
    mem_free(bytes);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expanded_rows_are_the_circuits),
        cmocka_unit_test(values_by_templates_are_the_gadgets),
        cmocka_unit_test(another_circuits_templates_are_refused),
        cmocka_unit_test(failing_allocations_are_told),
        cmocka_unit_test(files_come_back),
        cmocka_unit_test(damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
