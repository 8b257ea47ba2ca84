/* Insertion and selection: rows and witness of the crate's gadgets, and what comes out.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadget_testing.h"

#include "gadgets/insertion.h"

struct shape_of_name {
    unsigned count, bits, index;
};

static struct shape_of_name parse(const char *name)
{
    struct shape_of_name s = {0};
    assert_int_equal(sscanf(name, "%*[a-z]-%u-%u", &s.count, &s.index), 2);
    assert_true(s.count <= INSERTION_MAX);
    while (1u << s.bits < s.count)
        s.bits++;
    return s;
}

static void build_insert(struct gadget_under_test *t, struct cs *cs)
{
    const struct shape_of_name s = parse(t->name);
    struct num element, elements[INSERTION_MAX], out[INSERTION_MAX];
    struct boolean bits[4];
    gadget_numbers(cs, &element, 1, 0);
    gadget_bits(cs, bits, s.bits, s.index);
    gadget_numbers(cs, elements, s.count - 1, 1);
    insert_gadget(cs, out, s.count, &element, bits, elements);
    if (!cs->values)
        return;
    for (unsigned i = 0; i < s.count; i++) {
        const fr expected = i == s.index ? element.value : elements[i < s.index ? i : i - 1].value;
        assert_true(fr_equal(&out[i].value, &expected));
    }
}

static void build_select(struct gadget_under_test *t, struct cs *cs)
{
    const struct shape_of_name s = parse(t->name);
    struct num from[INSERTION_MAX];
    struct boolean bits[4];
    gadget_numbers(cs, from, s.count, 0);
    gadget_bits(cs, bits, s.bits, s.index);
    t->value = select_gadget(cs, from, s.count, bits);
    assert_true(!cs->values || fr_equal(&t->value.value, &from[s.index].value));
}

static void test_insertion_as_the_crate(void **state)
{
    (void)state;
    assert_int_equal(gadget_check_records("insert-", build_insert), 2 + 4 + 8 + 16);
}

static void test_selection_as_the_crate(void **state)
{
    (void)state;
    assert_int_equal(gadget_check_records("select-", build_select), 2 + 4 + 8 + 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_insertion_as_the_crate),
        cmocka_unit_test(test_selection_as_the_crate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
