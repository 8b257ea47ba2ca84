/* The gadgets that are units: skipped, they give the same variables, rows, results and values as run; the
 * word code of a compression's witness.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "circuit_testing.h"
#include "gadgets/poseidon.h"
#include "gadgets/sha256.h"
#include "gadgets/sha256_witness.h"
#include "hash/sha256.h"
#include "unit_testing.h"

/* -- SHA-256 -- */

enum constants { NONE, WORDS, BYTES, BITS, FIRST_BLOCK, ALL_BUT_ONE, REPEATED, PATTERNS };

struct hashed {
    size_t size;   /* of the message, bytes */
    unsigned lead; /* bits allocated before, so that the unit's begin anywhere */
    enum constants constants;
    uint64_t seed;
};

static bool is_constant(const struct hashed *m, size_t bit, uint64_t random)
{
    switch (m->constants) {
    case WORDS:
        return (m->seed * 0x9e3779b97f4a7c15 >> bit / 32 % 64) & 1;
    case BYTES:
        return (m->seed * 0x9e3779b97f4a7c15 >> bit / 8 % 64) & 1;
    case BITS:
        return random & 1;
    case FIRST_BLOCK:
        return bit < 512;
    case ALL_BUT_ONE:
        return bit != m->seed % (8 * m->size);
    default:
        return false;
    }
}

static void hashed_synthesize(const void *self, struct cs *cs)
{
    const struct hashed *m = self;
    static struct boolean bits[8 * 256];
    struct boolean digest[SHA256_BITS];
    uint64_t random = m->seed + 1;
    uint8_t bytes[256] = {0}, expected[32];
    for (unsigned i = 0; i < m->lead; i++)
        (void)cs_alloc_bit(cs, i % 3 == 0);
    for (size_t i = 0; i < 8 * m->size; i++) {
        const bool value = test_random(&random) >> 40 & 1;
        if (m->constants == REPEATED && i >= 64)
            bits[i] = bits[i - 64];
        else if (is_constant(m, i, test_random(&random) >> 33))
            bits[i] = boolean_constant(value);
        else
            bits[i] = boolean_alloc(cs, value);
        if (bits[i].kind != BOOLEAN_CONSTANT && !cs->values)
            assert_false(bits[i].value);
        bytes[i / 8] |= (uint8_t)(bits[i].value << (7 - i % 8));
    }
    sha256_gadget(cs, digest, bits, 8 * m->size);
    sha256(expected, bytes, m->size);
    if (cs->values && cs->status == CUZK_OK)
        for (unsigned i = 0; i < SHA256_BITS; i++)
            assert_int_equal(digest[i].value, expected[i / 8] >> (7 - i % 8) & 1);
    /* Does what follows find the results? */
    cs_alloc_bit(cs, digest[7].value);
}

static void compressions_are_the_same_skipped(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 4, 55, 56, 64, 68, 119, 128, 192};
    for (size_t k = 0; k < ARRAY_LEN(sizes); k++)
        for (unsigned constants = 0; constants < PATTERNS; constants++)
            for (uint64_t seed = 0; seed < 3; seed++) {
                const struct hashed m = {.size = sizes[k],
                                         .lead = (unsigned)(7 * k + 29 * seed + constants) % 130,
                                         .constants = constants,
                                         .seed = 1000 * k + seed};
                const struct circuit c = {.self = &m, .synthesize = hashed_synthesize};
                unit_check(&c);
            }
    const struct hashed long_one = {.size = 192, .constants = NONE};
    const struct circuit c = {.self = &long_one, .synthesize = hashed_synthesize};
    assert_int_equal(unit_check(&c), 4);
}

/* A message of constants has no variables, and so no unit. */
static void constants_make_no_unit(void **state)
{
    (void)state;
    const struct hashed m = {.size = 256, .constants = FIRST_BLOCK};
    struct hashed all = m;
    all.size = 64;
    const struct circuit some = {.self = &m, .synthesize = hashed_synthesize},
                         none = {.self = &all, .synthesize = hashed_synthesize};
    assert_int_equal(unit_check(&some), 4);
    assert_int_equal(unit_check(&none), 0);
}

static void negated_synthesize(const void *self, struct cs *cs)
{
    (void)self;
    struct boolean bits[8], digest[SHA256_BITS];
    for (unsigned i = 0; i < 8; i++)
        bits[i] = boolean_not(cs, boolean_alloc(cs, i & 1));
    sha256_gadget(cs, digest, bits, 8);
}

static void a_negated_operand_makes_no_unit(void **state)
{
    (void)state;
    const struct circuit c = {.self = NULL, .synthesize = negated_synthesize};
    assert_int_equal(unit_check(&c), 0);
}

static void a_plan_without_memory_fails_the_circuit(void **state)
{
    (void)state;
    const struct hashed m = {.size = 64, .constants = NONE};
    const struct circuit c = {.self = &m, .synthesize = hashed_synthesize};
    struct unit_sink s;
    struct cuzk_error e;
    unit_sink_init(&s);
    assert_int_equal(circuit_run(&c, &UNIT_SINK_BLANK, &s, NULL, NULL, &e), CUZK_OK);
    unit_sink_skip(&s, CPU_PORTABLE);
    mem_fail_after(1);
    assert_int_equal(circuit_run(&c, &UNIT_SINK_VALUES, &s, NULL, NULL, &e), CUZK_ERR_MEMORY);
    mem_fail_after(0);
    unit_sink_free(&s);
}

/* -- the word code alone -- */

static struct uint32 variable_word(uint32_t value)
{
    struct uint32 out = {.value = value};
    for (unsigned i = 0; i < 32; i++)
        out.bit[i] = (struct boolean){.v = VAR_AUX | i, .kind = BOOLEAN_IS};
    return out;
}

static void the_bits_around_stay(void **state)
{
    (void)state;
    static uint64_t bits[SHA256_WITNESS_BITS / 64 + 4], before[ARRAY_LEN(bits)];
    struct uint32 h[8], w[16];
    uint64_t random = 3;
    for (unsigned run = 0; run < 200; run++) {
        uint32_t words[16], next[8], expected[8];
        uint8_t block[64];
        for (unsigned k = 0; k < 8; k++) {
            expected[k] = next[k] = (uint32_t)test_random(&random);
            h[k] = run % 3 == 0 ? uint32_constant(next[k]) : variable_word(next[k]);
        }
        for (unsigned i = 0; i < 16; i++) {
            words[i] = (uint32_t)test_random(&random);
            w[i] = run % 3 == 1 || (run % 3 == 2 && i == run % 16) ? uint32_constant(words[i])
                                                                   : variable_word(words[i]);
            for (unsigned b = 0; b < 4; b++)
                block[4 * i + b] = (uint8_t)(words[i] >> (24 - 8 * b));
        }
        struct sha256_plan *plan = sha256_plan_new(h, w);
        assert_non_null(plan);
        assert_true(plan->bits <= SHA256_WITNESS_BITS);
        const unsigned at = run % 130;
        for (size_t i = 0; i < ARRAY_LEN(bits); i++) {
            before[i] = test_random(&random);
            for (unsigned b = 0; b < 64; b++)
                if (64 * i + b >= at && 64 * i + b < at + plan->bits)
                    before[i] &= ~(UINT64_C(1) << b);
        }
        memcpy(bits, before, sizeof bits);
        sha256_witness(plan, bits, at, next, words);
        sha256_compress(expected, block, 1);
        assert_memory_equal(next, expected, sizeof next);
        for (size_t i = 0; i < ARRAY_LEN(bits); i++) {
            uint64_t own = 0;
            for (unsigned b = 0; b < 64; b++)
                if (64 * i + b >= at && 64 * i + b < at + plan->bits)
                    own |= UINT64_C(1) << b;
            assert_int_equal(bits[i] & ~own, before[i]);
        }
        mem_free(plan);
    }
}

/* Together, in a row and so with shared words, or apart: the same bits as one by one. */
static void many_are_as_one_by_one(void **state)
{
    (void)state;
    enum { COUNT = 19 };
    const size_t words = COUNT * (SHA256_WITNESS_BITS / 64 + 2) + 1;
    uint64_t *bits = mem_alloc(words, sizeof *bits), *expected = mem_alloc(words, sizeof *expected);
    struct sha256_job jobs[COUNT], one[COUNT];
    struct uint32 h[8], w[16];
    uint64_t random = 8;
    assert_true(bits && expected);
    for (unsigned run = 0; run < 100; run++) {
        for (unsigned k = 0; k < 24; k++) {
            struct uint32 *word = k < 8 ? &h[k] : &w[k - 8];
            const bool constant = (run >> k % 5 & 1) && k != run % 24;
            *word = constant ? uint32_constant((uint32_t)test_random(&random)) : variable_word(0);
        }
        struct sha256_plan *plan = sha256_plan_new(h, w);
        assert_non_null(plan);
        for (size_t i = 0; i < words; i++)
            bits[i] = expected[i] = 0;
        size_t at = run % 70;
        for (unsigned i = 0; i < COUNT; i++) {
            jobs[i] = (struct sha256_job){.bits = bits, .bit_at = at};
            for (unsigned k = 0; k < 24; k++)
                *(k < 8 ? &jobs[i].state[k] : &jobs[i].block[k - 8]) =
                    k < 8 && boolean_is_constant(h[k].bit[0])        ? h[k].value
                    : k >= 8 && boolean_is_constant(w[k - 8].bit[0]) ? w[k - 8].value
                                                                     : (uint32_t)test_random(&random);
            one[i] = jobs[i];
            at += plan->bits + (run % 2 ? test_random(&random) % 100 : 0);
        }
        for (unsigned i = 0; i < COUNT; i++)
            sha256_witness(plan, expected, one[i].bit_at, one[i].state, one[i].block);
        for (unsigned v = 0; v < CPU_VARIANTS; v++) {
            struct sha256_job many[COUNT];
            if (!cpu_supports((enum cpu_variant)v))
                continue;
            memcpy(many, jobs, sizeof many);
            memset(bits, 0, words * sizeof *bits);
            sha256_witness_many((enum cpu_variant)v, plan, many, run % 3 ? COUNT : COUNT - 3);
            sha256_witness_many((enum cpu_variant)v, plan, many + COUNT - 3, run % 3 ? 0 : 3);
            assert_memory_equal(bits, expected, words * sizeof *bits);
            for (unsigned i = 0; i < COUNT; i++)
                assert_memory_equal(many[i].state, one[i].state, sizeof many[i].state);
        }
        mem_free(plan);
    }
    mem_free(bits);
    mem_free(expected);
}

/* -- Poseidon -- */

struct poseidon_circuit {
    const struct poseidon *p;
    const struct poseidon *other; /* NULL: none */
    unsigned equal;               /* so many of the preimage are the same variable */
    bool known;                   /* the digest, before */
};

static void poseidon_synthesize(const void *self, struct cs *cs)
{
    const struct poseidon_circuit *c = self;
    struct num preimage[POSEIDON_MAX_ARITY];
    fr values[POSEIDON_MAX_ARITY], expected;
    uint64_t random = 9;
    for (unsigned i = 0; i < c->p->arity; i++) {
        const fr value = test_random_fr(&random);
        preimage[i] = i > 0 && i < c->equal ? preimage[0] : num_alloc(cs, &value);
        values[i] = preimage[i].value;
    }
    poseidon_hash(CPU_PORTABLE, c->p, &expected, values);
    struct num digest = poseidon_gadget_known(cs, c->p, preimage, c->known ? &expected : NULL);
    if (cs->values)
        assert_true(fr_equal(&digest.value, &expected));
    if (c->other) {
        preimage[0] = digest;
        digest = poseidon_gadget(cs, c->other, preimage);
    }
    num_alloc(cs, &digest.value);
}

static void hashes_are_the_same_skipped(void **state)
{
    (void)state;
    struct poseidon_set *set;
    assert_int_equal(poseidon_set_new(&set, NULL), CUZK_OK);
    for (unsigned k = 0; k < POSEIDON_KINDS; k++)
        for (unsigned equal = 0; equal < 6; equal++) {
            const struct poseidon_circuit p = {.p = &set->kind[k], .equal = equal / 2, .known = equal % 2};
            const struct circuit c = {.self = &p, .synthesize = poseidon_synthesize};
            assert_int_equal(unit_check(&c), 1);
        }
    for (unsigned known = 0; known < 2; known++) {
        const struct poseidon_circuit two = {
            .p = &set->kind[POSEIDON_2], .other = &set->kind[POSEIDON_2_SNAP], .known = known};
        const struct circuit c = {.self = &two, .synthesize = poseidon_synthesize};
        assert_int_equal(unit_check(&c), 2);
    }
    poseidon_set_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compressions_are_the_same_skipped),
        cmocka_unit_test(constants_make_no_unit),
        cmocka_unit_test(a_negated_operand_makes_no_unit),
        cmocka_unit_test(a_plan_without_memory_fails_the_circuit),
        cmocka_unit_test(the_bits_around_stay),
        cmocka_unit_test(many_are_as_one_by_one),
        cmocka_unit_test(hashes_are_the_same_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
