/* Small circuits for tests: an exec, a circuit's values, rows that hold or do not.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TESTS_UNIT_CIRCUIT_TESTING_H
#define TESTS_UNIT_CIRCUIT_TESTING_H

#include "base/exec.h"
#include "base/pool.h"
#include "r1cs/record.h"
#include "r1cs/values.h"

/* Single-threaded, portable, no budget. Only what circuits look at is set. */
static const struct exec TEST_EXEC = {.variant = CPU_PORTABLE};

/* The values of a circuit, inputs and auxiliary ones. */
struct test_values {
    fr *inputs, *aux;
    struct cs_counts counts;
};

struct test_taker {
    struct values inputs, aux;
    struct cuzk_error error;
};

static cuzk_status test_take_input(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    (void)cs;
    (void)index;
    struct test_taker *t = self;
    return values_add(&t->inputs, value, &t->error);
}

static cuzk_status test_take_aux(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    (void)cs;
    (void)index;
    struct test_taker *t = self;
    return values_add(&t->aux, value, &t->error);
}

static inline fr *test_copy(const struct values *v)
{
    fr *out = mem_alloc(v->count + 1, sizeof *out);
    for (uint32_t i = 0; out && i < v->count; i++)
        out[i] = *values_at(v, i);
    return out;
}

static inline cuzk_status test_values_of(struct test_values *out, const struct circuit *c)
{
    static const struct cs_sink sink = {
        .alloc_input = test_take_input, .alloc = test_take_aux, .wants_values = true};
    struct test_taker t = {.error = {.status = CUZK_OK}};
    const cuzk_status status = circuit_run(c, &sink, &t, NULL, &out->counts, &t.error);
    if (status == CUZK_OK) {
        out->inputs = test_copy(&t.inputs);
        out->aux = test_copy(&t.aux);
    }
    values_free(&t.inputs);
    values_free(&t.aux);
    return status;
}

static inline void test_values_free(struct test_values *v)
{
    mem_free(v->inputs);
    mem_free(v->aux);
}

/* xorshift: test data, the same each time. */
static inline uint64_t test_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline fr test_random_fr(uint64_t *state)
{
    fr a;
    for (int i = 0; i < FR_LIMBS; i++)
        a.l[i] = test_random(state);
    a.l[3] &= UINT64_C(0x3fffffffffffffff);
    return a;
}

#endif
