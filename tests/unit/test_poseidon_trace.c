/* The traces of Poseidon against the values that the gadget gives its variables, for every instance and
 * variant. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gadgets/poseidon.h"
#include "hash/poseidon_trace.h"

#define MOST 19 /* instances: batches of eight and a rest */

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

/* A circuit of one hash, whose auxiliary values are kept. */
struct gadget_run {
    const struct poseidon *p;
    const fr *preimage;
    fr *values;
    size_t capacity;
};

static cuzk_status keep_value(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    const struct gadget_run *run = self;
    (void)cs;
    assert_true(index < run->capacity);
    run->values[index] = *value;
    return CUZK_OK;
}

static void synthesize(const void *self, struct cs *cs)
{
    const struct gadget_run *run = self;
    struct num preimage[POSEIDON_MAX_ARITY];
    for (unsigned i = 0; i < run->p->arity; i++)
        preimage[i] = num_alloc(cs, &run->preimage[i]);
    poseidon_gadget(cs, run->p, preimage);
}

/* The values of the gadget's own variables. */
static void gadget_trace(const struct poseidon *p, fr *out, const fr *preimage)
{
    const size_t count = poseidon_trace_count(p), all = p->arity + count;
    fr *values = malloc(all * sizeof *values);
    assert_non_null(values);
    struct gadget_run run = {p, preimage, values, all};
    const struct circuit circuit = {.self = &run, .synthesize = synthesize};
    const struct cs_sink sink = {.alloc = keep_value, .wants_values = true};
    struct cs_counts done;
    assert_int_equal(circuit_run(&circuit, &sink, &run, NULL, &done, NULL), CUZK_OK);
    assert_int_equal(done.aux, all);
    memcpy(out, values + p->arity, count * sizeof *out);
    free(values);
}

static void fill(fr *preimages, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        fr_from_u64(&preimages[i], (seed + i) * UINT64_C(0x9e3779b97f4a7c15) + 1);
        fr_inv(&preimages[i], &preimages[i]);
        if (i % 7 == 2)
            preimages[i] = FR_ZERO;
        if (i % 7 == 3)
            fr_neg(&preimages[i], &FR_ONE);
        if (i % 11 == 4) { /* the plain integer r - 1 */
            preimages[i] = FR_MODULUS;
            preimages[i].l[0]--;
        }
    }
}

static void traces_are_the_witness_of_the_gadget(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 16, MOST};
    for (unsigned k = 0; k < POSEIDON_KINDS; k++) {
        const struct poseidon *p = &set->kind[k];
        const size_t count = poseidon_trace_count(p), stride = count + 3;
        fr preimages[MOST * POSEIDON_MAX_ARITY];
        fr *want = malloc(MOST * count * sizeof *want), *got = malloc(MOST * stride * sizeof *got);
        assert_non_null(want);
        assert_non_null(got);
        fill(preimages, ARRAY_LEN(preimages), k + 1);
        for (size_t i = 0; i < MOST; i++)
            gadget_trace(p, want + i * count, preimages + i * p->arity);
        for (unsigned v = 0; v < CPU_VARIANTS; v++) {
            for (size_t c = 0; c < ARRAY_LEN(counts) && cpu_supports((enum cpu_variant)v); c++) {
                memset(got, 0xff, MOST * stride * sizeof *got);
                poseidon_trace((enum cpu_variant)v, p, got, stride, preimages, counts[c]);
                for (size_t i = 0; i < counts[c]; i++)
                    assert_memory_equal(got + i * stride, want + i * count, count * sizeof *got);
                for (size_t i = 0; i < MOST; i++) { /* the places between are left alone */
                    const size_t from = i < counts[c] ? count : 0;
                    for (size_t j = from; j < stride; j++)
                        assert_int_equal(got[i * stride + j].l[0], UINT64_MAX);
                }
            }
        }
        free(want);
        free(got);
    }
}

/* Of all instances in turn, to places in another order than asked. */
static void traces_that_wait_are_the_same(void **state)
{
    (void)state;
    enum { EACH = 11 };
    const size_t most = poseidon_trace_count(&set->kind[POSEIDON_11]);
    fr *want = malloc(most * sizeof *want), *room = malloc(POSEIDON_KINDS * EACH * most * sizeof *room);
    struct poseidon_queue *queue = malloc(sizeof *queue);
    fr preimages[EACH * POSEIDON_MAX_ARITY];
    assert_true(want && room && queue);
    fill(preimages, ARRAY_LEN(preimages), 5);
    for (unsigned v = 0; v < CPU_VARIANTS; v++) {
        if (!cpu_supports((enum cpu_variant)v))
            continue;
        for (size_t each = 0; each <= EACH; each++) {
            memset(room, 0xff, POSEIDON_KINDS * EACH * most * sizeof *room);
            *queue = (struct poseidon_queue){.variant = (enum cpu_variant)v};
            for (size_t i = 0; i < each; i++)
                for (size_t k = 0; k < POSEIDON_KINDS; k++)
                    poseidon_queue_trace(queue, &set->kind[k],
                                         room + (POSEIDON_KINDS * ((i * 4) % EACH) + k) * most,
                                         preimages + i * set->kind[k].arity);
            poseidon_queue_finish(queue);
            for (size_t i = 0; i < EACH; i++)
                for (size_t k = 0; k < POSEIDON_KINDS; k++) {
                    const struct poseidon *p = &set->kind[k];
                    const fr *got = room + (POSEIDON_KINDS * ((i * 4) % EACH) + k) * most;
                    const size_t count = i < each ? poseidon_trace_count(p) : 0;
                    poseidon_trace(CPU_PORTABLE, p, want, most, preimages + i * p->arity, 1);
                    assert_memory_equal(got, want, count * sizeof *got);
                    for (size_t j = count; j < most; j++)
                        assert_int_equal(got[j].l[0], UINT64_MAX);
                }
            memset(room, 0xff, POSEIDON_KINDS * EACH * most * sizeof *room);
            poseidon_queue_finish(queue); /* nothing waits */
            for (size_t i = 0; i < POSEIDON_KINDS * EACH * most; i++)
                assert_int_equal(room[i].l[0], UINT64_MAX);
        }
    }
    free(queue);
    free(room);
    free(want);
}

static void the_last_value_is_the_digest(void **state)
{
    (void)state;
    for (unsigned k = 0; k < POSEIDON_KINDS; k++) {
        const struct poseidon *p = &set->kind[k];
        const size_t count = poseidon_trace_count(p);
        fr preimage[POSEIDON_MAX_ARITY], digest, *trace = malloc(count * sizeof *trace);
        assert_non_null(trace);
        fill(preimage, p->arity, 99);
        for (unsigned v = 0; v < CPU_VARIANTS; v++) {
            if (!cpu_supports((enum cpu_variant)v))
                continue;
            poseidon_trace((enum cpu_variant)v, p, trace, count, preimage, 1);
            poseidon_hash((enum cpu_variant)v, p, &digest, preimage);
            assert_memory_equal(&trace[count - 1], &digest, sizeof digest);
        }
        free(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_are_the_witness_of_the_gadget),
        cmocka_unit_test(traces_that_wait_are_the_same),
        cmocka_unit_test(the_last_value_is_the_digest),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
