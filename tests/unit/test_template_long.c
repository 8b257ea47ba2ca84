/* The largest circuits as templates: the rows that come out have the reference's digests.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "shape_vectors.h"

#include "base/pool.h"
#include "circuits/catalogue.h"
#include "r1cs/template_file.h"

static cuzk_status add_row(void *self, uint64_t index, const struct row *a, const struct row *b,
                           const struct row *c, struct cuzk_error *e)
{
    (void)index;
    (void)e;
    return shape_state_row(self, a, b, c);
}

/* "porep-32g" of 32GiB: shape/porep-32GiB.json */
static char *record_of_shape(const char *name, uint64_t size)
{
    const char *unit = size >> 30 ? "GiB" : "MiB";
    const unsigned count = (unsigned)(size >> (size >> 30 ? 30 : 20));
    char path[96];
    snprintf(path, sizeof path, "shape/%.*s-%u%s.json", (int)(strrchr(name, '-') - name), name, count, unit);
    return vector_read(path, NULL);
}

static void check(const struct exec *x, const struct poseidon_set *poseidon, const char *name, uint64_t size)
{
    struct cuzk_error e = {.status = CUZK_OK};
    struct any_circuit c;
    struct templates t;
    struct shape_state s = {.budget = NULL};
    struct shape shape;
    char *json = record_of_shape(name, size);
    assert_int_equal(catalogue_blank(&c, poseidon, name, &e), CUZK_OK);
    assert_int_equal(templates_record(x, &t, &c.circuit, &e), CUZK_OK);
    assert_int_equal(templates_validate(x, &t, &e), CUZK_OK);
    assert_int_equal(shape_state_init(&s, NULL, shape_number(json, "every"), &e), CUZK_OK);
    assert_int_equal(templates_expand(x, &t, add_row, &s, &e), CUZK_OK);
    shape_state_finish(&s, &shape, &t.counts);
    shape_check_list(json, "r1cs_marks", shape.marks.digest, shape.marks.count);
    shape_check_digest(json, "r1cs", shape.r1cs);
    shape_check_digest(json, "a_aux_bits", shape.a_aux.digest);
    shape_check_digest(json, "b_aux_bits", shape.b_aux.digest);
    assert_int_equal(t.counts.aux, shape_number(json, "aux"));
    assert_true(templates_bytes(&t) < UINT64_C(64) << 20);
    shape_free(&shape);
    templates_free(&t);
    free(json);
}

static void expanded_rows_are_the_references(void **state)
{
    (void)state;
    struct exec x = {.variant = cpu_best()};
    struct cuzk_error e = {.status = CUZK_OK};
    struct poseidon_set *poseidon;
    const char *name;
    uint64_t size;
    unsigned seen = 0;
    assert_int_equal(pool_new(&x.pool, 1, &e), CUZK_OK);
    assert_int_equal(poseidon_set_new(&poseidon, &e), CUZK_OK);
    for (size_t i = 0; (name = catalogue_name(i, &size)) != NULL; i++)
        if (size > UINT64_C(8) << 20) {
            check(&x, poseidon, name, size);
            seen++;
        }
    assert_int_equal(seen, 15);
    poseidon_set_free(poseidon);
    pool_free(x.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(expanded_rows_are_the_references)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
