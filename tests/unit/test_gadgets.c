/* Gadgets of bits: truth tables, values, folding of constants, and that a wrong witness breaks a row.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "circuit_testing.h"
#include "gadgets/label.h"
#include "gadgets/multipack.h"
#include "gadgets/sha256.h"
#include "hash/sha256.h"
#include "r1cs/instance.h"

/* Runs a circuit with values, checks that all rows hold, and that the blank circuit has the same rows. */
static void check_satisfied(const struct circuit *c)
{
    struct record r;
    struct test_values v;
    struct instance i;
    struct cuzk_error e;
    struct shape blank;
    assert_int_equal(record_of(&TEST_EXEC, &r, c, &e), CUZK_OK);
    assert_int_equal(test_values_of(&v, c), CUZK_OK);
    assert_int_equal(record_first_unsatisfied(&r, v.inputs, v.aux), r.counts.rows);
    assert_int_equal(instance_of(&TEST_EXEC, &i, c, 0, &e), CUZK_OK);
    assert_int_equal(shape_of(&TEST_EXEC, &blank, c, 0, &e), CUZK_OK);
    assert_true(i.satisfied);
    assert_memory_equal(i.shape.r1cs, blank.r1cs, 32);
    shape_free(&blank);
    instance_free(&i);
    test_values_free(&v);
    record_free(&r);
}

/* -- bits -- */

/* A bit of a kind and value: constant, variable, negated variable. */
static struct boolean make_bit(struct cs *cs, unsigned kind, bool value)
{
    if (kind == BOOLEAN_CONSTANT)
        return boolean_constant(value);
    if (kind == BOOLEAN_IS)
        return boolean_alloc(cs, value);
    return boolean_not(cs, boolean_alloc(cs, !value));
}

enum operation { XOR, AND, CH, MAJ };

static bool expected_bit(enum operation op, bool a, bool b, bool c)
{
    switch (op) {
    case XOR:
        return a != b;
    case AND:
        return a && b;
    case CH:
        return a ? b : c;
    default:
        return (a + b + c) >= 2;
    }
}

static struct boolean apply(struct cs *cs, enum operation op, struct boolean a, struct boolean b,
                            struct boolean c)
{
    switch (op) {
    case XOR:
        return boolean_xor(cs, a, b);
    case AND:
        return boolean_and(cs, a, b);
    case CH:
        return boolean_sha256_ch(cs, a, b, c);
    default:
        return boolean_sha256_maj(cs, a, b, c);
    }
}

struct logic {
    enum operation op;
    unsigned kinds, values; /* three base-3 digits; three bits */
};

/* The result is bound to a public input, so that its value is also that of its combination. */
static void logic_synthesize(const void *self, struct cs *cs)
{
    const struct logic *l = self;
    struct boolean bit[3];
    for (unsigned i = 0, kinds = l->kinds; i < 3; i++, kinds /= 3)
        bit[i] = make_bit(cs, kinds % 3, l->values >> i & 1);
    const struct boolean out = apply(cs, l->op, bit[0], bit[1], bit[2]);
    const bool expected = expected_bit(l->op, l->values & 1, l->values >> 1 & 1, l->values >> 2 & 1);
    if (cs->values)
        assert_int_equal(out.value, expected);
    const var in = cs_alloc_input(cs, expected ? &FR_ONE : &FR_ZERO);
    boolean_add_one(cs, &cs->a, out);
    lc_add_one(cs, &cs->b, VAR_ONE);
    lc_add_one(cs, &cs->c, in);
    cs_enforce_built(cs);
}

static void logic_of_all_kinds_and_values(void **state)
{
    (void)state;
    for (unsigned op = XOR; op <= MAJ; op++)
        for (unsigned kinds = 0; kinds < 27; kinds++)
            for (unsigned values = 0; values < 8; values++) {
                const struct logic l = {.op = (enum operation)op, .kinds = kinds, .values = values};
                const struct circuit c = {.self = &l, .synthesize = logic_synthesize};
                struct test_values v;
                struct record r;
                struct cuzk_error e;
                assert_int_equal(test_values_of(&v, &c), CUZK_OK);
                assert_int_equal(record_of(&TEST_EXEC, &r, &c, &e), CUZK_OK);
                assert_int_equal(record_first_unsatisfied(&r, v.inputs, v.aux), r.counts.rows);
                record_free(&r);
                test_values_free(&v);
            }
}

static void nor_synthesize(const void *self, struct cs *cs)
{
    const unsigned values = *(const unsigned *)self;
    const struct boolean a = boolean_alloc(cs, values & 1), b = boolean_alloc(cs, values >> 1 & 1);
    const struct boolean nor = boolean_nor(cs, a, b);
    if (cs->values)
        assert_int_equal(nor.value, values == 0);
}

static void neither_of_two_bits(void **state)
{
    (void)state;
    for (unsigned values = 0; values < 4; values++) {
        const struct circuit c = {.self = &values, .synthesize = nor_synthesize};
        check_satisfied(&c);
    }
}

/* Without variables no rows; a negation is free. */
static void constants_synthesize(const void *self, struct cs *cs)
{
    (void)self;
    const struct boolean one = boolean_constant(true), zero = boolean_constant(false);
    const struct uint32 a = uint32_constant(0x89abcdef), b = uint32_constant(0x76543210);
    assert_true(boolean_xor(cs, one, zero).value);
    assert_false(boolean_and(cs, one, zero).value);
    assert_true(boolean_sha256_ch(cs, one, one, zero).value);
    assert_true(boolean_sha256_maj(cs, one, one, zero).value);
    struct multieq m = {.rows = 0};
    const struct uint32 *operands[2] = {&a, &b};
    const struct uint32 sum = uint32_add_many(cs, &m, operands, 2);
    assert_int_equal(sum.value, 0xffffffff);
    multieq_finish(cs, &m);
    multieq_free(&m);
    assert_int_equal(cs->aux, 0);
    const struct boolean bit = boolean_alloc(cs, true);
    const struct boolean twice = boolean_not(cs, boolean_not(cs, bit));
    assert_int_equal(twice.v, bit.v);
    assert_int_equal(twice.kind, BOOLEAN_IS);
    assert_int_equal(twice.value, bit.value);
    assert_int_equal(cs->rows, 1);
}

static void constants_cost_nothing(void **state)
{
    (void)state;
    const struct circuit c = {.self = NULL, .synthesize = constants_synthesize};
    check_satisfied(&c);
}

/* -- words -- */

struct words {
    uint32_t value[10];
    unsigned count, constants; /* the last so many are constants */
    uint32_t *sum;
};

static struct uint32 alloc_word(struct cs *cs, uint32_t value)
{
    struct boolean bits[32];
    for (unsigned i = 0; i < 32; i++)
        bits[i] = boolean_alloc(cs, value >> (31 - i) & 1);
    return uint32_from_bits_be(bits);
}

static void words_synthesize(const void *self, struct cs *cs)
{
    const struct words *w = self;
    struct uint32 word[10];
    const struct uint32 *operands[10];
    for (unsigned i = 0; i < w->count; i++) {
        word[i] = i < w->count - w->constants ? alloc_word(cs, w->value[i]) : uint32_constant(w->value[i]);
        operands[i] = &word[i];
    }
    struct multieq m = {.rows = 0};
    for (unsigned repeat = 0; repeat < 9; repeat++) /* more than one row holds */
        word[0] = uint32_add_many(cs, &m, operands, w->count);
    multieq_finish(cs, &m);
    multieq_free(&m);
    if (cs->values)
        *w->sum = word[0].value;
    uint32_t from_bits = 0;
    for (unsigned i = 0; i < 32; i++)
        from_bits |= (uint32_t)word[0].bit[i].value << i;
    if (cs->values)
        assert_int_equal(from_bits, word[0].value);
}

static void sums_are_modulo_2_to_the_32(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (unsigned count = 2; count <= 10; count++)
        for (unsigned constants = 0; constants < count; constants += 3) {
            uint32_t sum = 0, expected = 0;
            struct words w = {.count = count, .constants = constants, .sum = &sum};
            for (unsigned i = 0; i < count; i++)
                w.value[i] = count == 10 ? UINT32_MAX : (uint32_t)test_random(&random);
            expected = w.value[0];
            for (unsigned repeat = 0; repeat < 9; repeat++)
                for (unsigned i = 1; i < count; i++)
                    expected += w.value[i];
            const struct circuit c = {.self = &w, .synthesize = words_synthesize};
            check_satisfied(&c);
            assert_int_equal(sum, expected);
        }
}

static void rotations_and_shifts(void **state)
{
    (void)state;
    const struct uint32 a = uint32_constant(0x80000003);
    for (unsigned by = 0; by < 32; by++) {
        const struct uint32 r = uint32_rotr(&a, by), s = uint32_shr(&a, by);
        for (unsigned i = 0; i < 32; i++) {
            assert_int_equal(r.bit[i].value, r.value >> i & 1);
            assert_int_equal(s.bit[i].value, s.value >> i & 1);
        }
        assert_int_equal(s.value, 0x80000003u >> by);
        assert_int_equal(r.value, by ? 0x80000003u >> by | 0x80000003u << (32 - by) : 0x80000003u);
    }
}

/* -- packing -- */

struct packing {
    const fr *value;
    size_t count;
    fr *packed;
};

static void packing_synthesize(const void *self, struct cs *cs)
{
    const struct packing *p = self;
    struct boolean bits[FR_BITS];
    const struct num a = num_alloc(cs, p->value);
    num_inputize(cs, &a);
    num_to_bits_le(cs, bits, &a);
    const struct num packed = pack_bits(cs, bits, p->count);
    pack_into_inputs(cs, bits, p->count);
    if (cs->values)
        *p->packed = packed.value;
}

static void bits_of_a_number_pack_to_it_again(void **state)
{
    (void)state;
    uint64_t random = 3;
    const size_t counts[] = {0, 1, 64, 253, 254, 255};
    for (unsigned round = 0; round < 5; round++)
        for (size_t k = 0; k < ARRAY_LEN(counts); k++) {
            fr value = test_random_fr(&random), packed, plain, masked = FR_ZERO;
            if (round == 0)
                fr_neg(&value, &FR_ONE);
            fr_from_mont(&plain, &value);
            for (size_t i = 0; i < counts[k] && i < PACK_BITS; i++)
                masked.l[i / 64] |= (plain.l[i / 64] >> i % 64 & 1) << i % 64;
            fr_to_mont(&masked, &masked);
            const struct packing p = {.value = &value, .count = counts[k], .packed = &packed};
            const struct circuit c = {.self = &p, .synthesize = packing_synthesize};
            check_satisfied(&c);
            assert_true(fr_equal(&packed, &masked));
            struct test_values v;
            assert_int_equal(test_values_of(&v, &c), CUZK_OK);
            assert_int_equal(v.counts.inputs, 2 + (counts[k] + PACK_BITS - 1) / PACK_BITS);
            if (counts[k] > 0)
                assert_true(fr_equal(&v.inputs[2], &masked));
            test_values_free(&v);
        }
}

static void bytes_are_reversed_bit_by_bit_and_filled_up(void **state)
{
    (void)state;
    struct boolean bits[11], out[16];
    for (unsigned i = 0; i < 11; i++)
        bits[i] = (struct boolean){.v = i, .kind = BOOLEAN_IS, .value = true};
    assert_int_equal(reverse_bit_numbering(out, bits, 11), 16);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(out[i].v, 7 - i);
    for (unsigned i = 8; i < 13; i++)
        assert_true(boolean_is_constant(out[i]) && !out[i].value);
    for (unsigned i = 13; i < 16; i++)
        assert_int_equal(out[i].v, 8 + 15 - i);
}

/* -- SHA-256 -- */

struct message {
    const uint8_t *bytes;
    size_t size;
    size_t constants; /* the first so many bytes are constants */
};

static void message_synthesize(const void *self, struct cs *cs)
{
    const struct message *m = self;
    struct boolean bits[8 * 256], digest[SHA256_BITS];
    assert_true(m->size <= 256);
    for (size_t i = 0; i < 8 * m->size; i++) {
        const bool bit = m->bytes[i / 8] >> (7 - i % 8) & 1;
        bits[i] = i < 8 * m->constants ? boolean_constant(bit) : boolean_alloc(cs, bit);
    }
    sha256_gadget(cs, digest, bits, 8 * m->size);
    if (!cs->values)
        return;
    uint8_t expected[32];
    sha256(expected, m->bytes, m->size);
    for (unsigned i = 0; i < SHA256_BITS; i++)
        assert_int_equal(digest[i].value, expected[i / 8] >> (7 - i % 8) & 1);
}

static void the_digest_is_that_of_the_hash(void **state)
{
    (void)state;
    uint8_t bytes[256];
    uint64_t random = 11;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)test_random(&random);
    const size_t sizes[] = {0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 128, 200};
    for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
        struct message m = {.bytes = bytes, .size = sizes[k]};
        const struct circuit c = {.self = &m, .synthesize = message_synthesize};
        check_satisfied(&c);
        m.constants = m.size / 2;
        check_satisfied(&c);
        m.constants = m.size;
        check_satisfied(&c);
    }
}

/* With nothing but constants the first two blocks fold away. */
static void a_constant_message_needs_no_variables(void **state)
{
    (void)state;
    const uint8_t bytes[100] = {1, 2, 3};
    const struct message m = {.bytes = bytes, .size = 100, .constants = 100};
    const struct circuit c = {.self = &m, .synthesize = message_synthesize};
    struct shape s;
    struct cuzk_error e;
    assert_int_equal(shape_of(&TEST_EXEC, &s, &c, 0, &e), CUZK_OK);
    assert_int_equal(s.counts.aux, 0);
    assert_int_equal(s.counts.rows_own, 0);
    shape_free(&s);
}

static void any_flipped_bit_of_the_witness_breaks_a_row(void **state)
{
    (void)state;
    const uint8_t bytes[64] = {0x61, 0x62, 0x63, 0xff, 0x80, 0, 1};
    const struct message m = {.bytes = bytes, .size = 64};
    const struct circuit c = {.self = &m, .synthesize = message_synthesize};
    struct record r;
    struct test_values v;
    struct cuzk_error e;
    uint64_t random = 5;
    assert_int_equal(record_of(&TEST_EXEC, &r, &c, &e), CUZK_OK);
    assert_int_equal(test_values_of(&v, &c), CUZK_OK);
    for (unsigned sample = 0; sample < 40; sample++) {
        const uint32_t index = (uint32_t)(test_random(&random) % r.counts.aux);
        const unsigned bit = sample % 2 ? 0 : (unsigned)(test_random(&random) % 254);
        const fr good = v.aux[index];
        fr plain, other;
        fr_from_mont(&plain, &good);
        plain.l[bit / 64] ^= UINT64_C(1) << bit % 64;
        fr_to_mont(&other, &plain);
        v.aux[index] = other;
        assert_true(record_first_unsatisfied(&r, v.inputs, v.aux) < r.counts.rows);
        v.aux[index] = good;
    }
    assert_int_equal(record_first_unsatisfied(&r, v.inputs, v.aux), r.counts.rows);
    test_values_free(&v);
    record_free(&r);
}

/* -- labels -- */

struct label {
    fr replica_id, parent[14];
    uint32_t layer;
    uint64_t node;
    fr *value;
};

static void label_synthesize(const void *self, struct cs *cs)
{
    const struct label *l = self;
    struct bits256 id, parent[14];
    const struct bits256 *parents[LABEL_PARENTS];
    struct boolean node[64];
    const struct num id_num = num_alloc(cs, &l->replica_id);
    bits256_of(cs, &id, &id_num);
    for (unsigned i = 0; i < 14; i++) {
        const struct num p = num_alloc(cs, &l->parent[i]);
        bits256_of(cs, &parent[i], &p);
    }
    for (unsigned i = 0; i < LABEL_PARENTS; i++)
        parents[i] = &parent[i % 14];
    uint64_alloc(cs, node, l->node);
    const struct num label = label_create(cs, &id, parents, l->layer, node);
    const struct num encoded = label_encode(cs, &label, &id_num);
    if (cs->values && cs->status == CUZK_OK) {
        fr sum;
        fr_add(&sum, &label.value, &l->replica_id);
        assert_true(fr_equal(&encoded.value, &sum));
        *l->value = label.value;
    }
}

static void make_label(struct label *l, fr *value)
{
    uint64_t random = 17;
    *l = (struct label){.layer = 3, .node = UINT64_C(0x0102030405060708), .value = value};
    l->replica_id = test_random_fr(&random);
    for (unsigned i = 0; i < 14; i++)
        l->parent[i] = test_random_fr(&random);
}

static void a_label_is_the_hash_of_its_parents(void **state)
{
    (void)state;
    struct label l;
    fr value, expected;
    make_label(&l, &value);
    const struct circuit c = {.self = &l, .synthesize = label_synthesize};
    check_satisfied(&c);

    uint8_t preimage[64 + 32 * LABEL_PARENTS] = {0}, digest[32];
    fr_write_le(preimage, &l.replica_id);
    preimage[35] = 3;
    for (unsigned i = 0; i < 8; i++)
        preimage[36 + i] = (uint8_t)(i + 1);
    for (unsigned i = 0; i < LABEL_PARENTS; i++)
        fr_write_le(preimage + 64 + 32 * i, &l.parent[i % 14]);
    sha256(digest, preimage, sizeof preimage);
    digest[31] &= 0x3f;
    assert_true(fr_read_le(&expected, digest));
    assert_true(fr_equal(&value, &expected));
}

static void a_label_survives_failing_allocations(void **state)
{
    (void)state;
    struct label l;
    fr value;
    make_label(&l, &value);
    const struct circuit c = {.self = &l, .synthesize = label_synthesize};
    unsigned failures = 0;
    for (;; failures += 1 + failures / 8) {
        struct shape s = {0};
        struct cuzk_error e = {.status = CUZK_OK};
        mem_fail_after(failures + 1);
        const cuzk_status status = shape_of(&TEST_EXEC, &s, &c, 0, &e);
        mem_fail_after(0);
        shape_free(&s);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_ERR_MEMORY);
        assert_int_equal(e.status, CUZK_ERR_MEMORY);
    }
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logic_of_all_kinds_and_values),
        cmocka_unit_test(neither_of_two_bits),
        cmocka_unit_test(constants_cost_nothing),
        cmocka_unit_test(sums_are_modulo_2_to_the_32),
        cmocka_unit_test(rotations_and_shifts),
        cmocka_unit_test(bits_of_a_number_pack_to_it_again),
        cmocka_unit_test(bytes_are_reversed_bit_by_bit_and_filled_up),
        cmocka_unit_test(the_digest_is_that_of_the_hash),
        cmocka_unit_test(a_constant_message_needs_no_variables),
        cmocka_unit_test(any_flipped_bit_of_the_witness_breaks_a_row),
        cmocka_unit_test(a_label_is_the_hash_of_its_parents),
        cmocka_unit_test(a_label_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
