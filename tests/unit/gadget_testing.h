/* tests/unit/gadget_testing.h - comparing a gadget, as a circuit of its own, with the record that the
 * published crates made of theirs (tests/vectors/gadgets.json). A gadget's name there tells its shape; the
 * i-th value that it is given is 1 / (i + 2).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGET_TESTING_H
#define GADGET_TESTING_H

#include "flat_json.h"

#include "base/pool.h"
#include "gadgets/num.h"
#include "r1cs/instance.h"

static inline fr gadget_value(uint64_t i)
{
    fr x;
    fr_from_u64(&x, i + 2);
    fr_inv(&x, &x);
    return x;
}

/* count numbers with the values from the from-th on. */
static inline void gadget_numbers(struct cs *cs, struct num *out, unsigned count, uint64_t from)
{
    for (unsigned i = 0; i < count; i++) {
        const fr x = gadget_value(from + i);
        out[i] = num_alloc(cs, cs->values ? &x : NULL);
    }
}

static inline void gadget_bits(struct cs *cs, struct boolean *out, unsigned count, unsigned index)
{
    for (unsigned i = 0; i < count; i++)
        out[i] = boolean_alloc(cs, index >> i & 1);
}

struct gadget_under_test {
    char name[64];
    struct num value; /* the gadget's result if it has one */
    void (*build)(struct gadget_under_test *t, struct cs *cs);
};

static inline void gadget_synthesize(const void *self, struct cs *cs)
{
    struct gadget_under_test *t = *(struct gadget_under_test *const *)self;
    t->build(t, cs);
}

/* Runs each record whose name begins with the prefix; returns how many there were. */
static inline unsigned gadget_check_records(const char *prefix,
                                            void (*build)(struct gadget_under_test *t, struct cs *cs))
{
    struct exec x = {.variant = cpu_best()};
    char *text = flat_json_load("gadgets.json"), *at = text, *object;
    unsigned count = 0;
    assert_int_equal(pool_new(&x.pool, 1, NULL), CUZK_OK);
    while ((object = flat_json_next(&at))) {
        struct gadget_under_test t = {.build = build}, *self = &t;
        flat_json_string(t.name, sizeof t.name, object, "gadget");
        if (strncmp(t.name, prefix, strlen(prefix)) != 0)
            continue;
        const struct circuit circuit = {.self = &self, .synthesize = gadget_synthesize};
        struct shape blank;
        struct instance real;
        struct cuzk_error e;
        uint8_t expected[32];
        assert_int_equal(shape_of(&x, &blank, &circuit, 0, &e), CUZK_OK);
        assert_int_equal(instance_of(&x, &real, &circuit, 0, &e), CUZK_OK);
        assert_int_equal(blank.counts.rows, flat_json_number(object, "rows"));
        assert_int_equal(blank.counts.inputs, flat_json_number(object, "inputs"));
        assert_int_equal(blank.counts.aux, flat_json_number(object, "aux"));
        for (unsigned k = 0; k < 3; k++)
            assert_int_equal(blank.nonzeros[k], flat_json_number_at(object, "nnz", k));
        flat_json_bytes(expected, object, "r1cs");
        assert_memory_equal(blank.r1cs, expected, 32);
        assert_memory_equal(real.shape.r1cs, expected, 32);
        flat_json_bytes(expected, object, "witness");
        assert_memory_equal(real.witness, expected, 32);
        for (unsigned k = 0; k < 3; k++) {
            flat_json_bytes(expected, object, (const char *[]){"a", "b", "c"}[k]);
            assert_memory_equal(real.abc[k], expected, 32);
        }
        if (strstr(object, "\"value\"")) {
            const fr value = flat_json_element(object, "value");
            assert_true(fr_equal(&t.value.value, &value));
        }
        shape_free(&blank);
        instance_free(&real);
        count++;
    }
    pool_free(x.pool);
    free(text);
    return count;
}

#endif
