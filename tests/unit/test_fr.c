/* FR: against values computed with big integers, identities on random and edge values, each CPU variant
 * against portable C.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "field/fr.h"

/* Plain big-endian numbers: a, b, a + b, a - b, a b, 1/a (0 for 0), a^E. */
static const struct {
    const char *a, *b, *sum, *difference, *product, *inverse, *power;
} vectors[] = {
    {"0000000000000000000000000000000000000000000000000000000000000000",
     "0000000000000000000000000000000000000000000000000000000000000001",
     "0000000000000000000000000000000000000000000000000000000000000001",
     "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000",
     "0000000000000000000000000000000000000000000000000000000000000000",
     "0000000000000000000000000000000000000000000000000000000000000000",
     "0000000000000000000000000000000000000000000000000000000000000000"},
    {"0000000000000000000000000000000000000000000000000000000000000001",
     "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000",
     "0000000000000000000000000000000000000000000000000000000000000000",
     "0000000000000000000000000000000000000000000000000000000000000002",
     "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000",
     "0000000000000000000000000000000000000000000000000000000000000001",
     "0000000000000000000000000000000000000000000000000000000000000001"},
    {"73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000",
     "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000",
     "73eda753299d7d483339d80809a1d80553bda402fffe5bfefffffffeffffffff",
     "0000000000000000000000000000000000000000000000000000000000000000",
     "0000000000000000000000000000000000000000000000000000000000000001",
     "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000",
     "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000"},
    {"39f6d3a994cebea4199cec0404d0ec02a9ded2017fff2dff7fffffff80000000",
     "39f6d3a994cebea4199cec0404d0ec02a9ded2017fff2dff7fffffff80000001",
     "0000000000000000000000000000000000000000000000000000000000000000",
     "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000",
     "1cfb69d4ca675f520cce76020268760154ef6900bfff96ffbfffffffc0000000",
     "73eda753299d7d483339d80809a1d80553bda402fffe5bfefffffffeffffffff",
     "588975f79189bb4c93e26e7cfa69c5260886e7906922b351ce85ed09581c53c1"},
    {"160ec7a3fe1d515b2c1d87286fba579b31826e0a84fd2ec50d44edc59b914a48",
     "67aebbbf00830f1b4b216f91e25bd3abc8b050241d6597e214bc028ad6e8541a",
     "09cfdc0fd502e32e44051eb248745341a6751a2ba2646aa82200f05172799e61",
     "224db3382737bf881435ef9e97005bf4bc8fc1e96795f2e1f888eb39c4a8f62f",
     "5a4aa6e350419ed2d3cfe4d3f53a26ee927909923584c57dc01a6e0dbbf0f39b",
     "3e6684b5bec9560085b38bc656ed44683bf74ac0b27ba3faa261a09a0d01956e",
     "220b57712a26416bc8f27a24fba247463315f7df6d5a77db97f43e572b8a003e"},
    {"3a8c3e90f3d9680166efbf7cbad32fc0ac19c0e850b94098cc61175da6c67d82",
     "150113e4aad71c97d5f8822f0dea8095b9b8a314c34e9d45c1aa598c87c4ebf1",
     "4f8d52759eb084993ce841abc8bdb05665d263fd1407ddde8e0b70ea2e8b6973",
     "258b2aac49024b6990f73d4dace8af2af2611dd38d6aa3530ab6bdd11f019191",
     "32601fb4ecfa4be4c75540ecb7038e03fdc44530301080accc4fe44c87c0b573",
     "617d2bcbcc8eb7f0c1fc63188d084864a284697a6e384b3d3dfb27965f8a05c6",
     "73d9e112e2bdb16d16adee9bfcfd943ba59ccace15c8acff1bb0f45108471f60"},
    {"4973173912b6d519033e86fd556205aa8ea995cd748989b0f025f1e11e177c0b",
     "18e21da006f2f0d0c9a20e340b589fd6a9e493f04d0eec27c7f99687a98b1a93",
     "625534d919a9c5e9cce0953160baa581388e29bdc19875d8b81f8868c7a2969e",
     "3090f9990bc3e448399c78c94a0965d3e4c501dd277a9d89282c5b59748c6178",
     "3583d7926be8ae36c66984b5e1ecaaf946dbe9f89655d569e995c53b14c15000",
     "5936f4a7612b34f47c145f701796728666c123a8c64f6259f7a2bc0522cf2018",
     "00d43a71aedf09b84d373215321083d2846f3bce532d5409de5fb5a75e526733"},
    {"6ffc1e134fe559a1e454625d2297ee54e570d89a86fd07efbea74ba7aaa47956",
     "1eb1e38c37cef9cb19403c6a63568ce61bf60341466912696b420a062043d6bb",
     "1ac05a4c5e16d624ca5ac6bf7c4ca335ada937d8cd67be5a29e955aecae85010",
     "514a3a8718165fd6cb1425f2bf41616ec97ad5594093f586536541a18a60a29b",
     "4ab6b8bddd6f5da736f0d045be33f61216a2ff6024bd5134b21a393d7ec2992c",
     "52e420b2cb0b9a5742ed19c72f00b2019d63044a45da1e408d616438bc573b6e",
     "0233c2b417b5b7e6c48aec81ee435ebb695942fbb482e795cc30703768a6cb08"},
};
static const uint64_t E[] = {0x0123456789abcdef, 0xfedcba9876543210};

static const char MODULUS_HEX[] = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
static const char HALF_HEX[] =
    "39f6d3a994cebea4199cec0404d0ec02a9ded2017fff2dff7fffffff80000000"; /* (r - 1)/2 */

static void bytes_from_hex(uint8_t out[FR_BYTES], const char *hex)
{
    for (size_t i = 0; i < FR_BYTES; i++) {
        const char byte[3] = {hex[2 * i], hex[2 * i + 1], 0};
        out[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
}

static fr from_hex(const char *hex)
{
    uint8_t bytes[FR_BYTES];
    fr a;
    bytes_from_hex(bytes, hex);
    assert_true(fr_read_be(&a, bytes));
    return a;
}

static void check(const fr *got, const char *hex)
{
    const fr want = from_hex(hex);
    assert_memory_equal(got, &want, sizeof want);
}

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Values near 0, near r, and with limbs of all ones or zeros (as Montgomery limbs); then random ones. */
static fr element(size_t i, uint64_t *state)
{
    fr a = {{0}};
    if (i < 4)
        a.l[0] = i;
    else if (i < 8) {
        a = FR_MODULUS;
        a.l[0] -= i - 3;
    } else if (i < 8 + FR_LIMBS)
        a.l[i - 8] = i == 7 + FR_LIMBS ? 1 : UINT64_MAX;
    else if (i < 8 + 2 * FR_LIMBS) {
        a = FR_MODULUS;
        a.l[FR_LIMBS - 1]--;
        for (size_t j = 0; j < FR_LIMBS - 1; j++)
            a.l[j] = j >= i - 8 - FR_LIMBS ? UINT64_MAX : 0;
    } else if (i == 8 + 2 * FR_LIMBS)
        a = FR_ONE;
    else if (i == 9 + 2 * FR_LIMBS)
        fr_neg(&a, &FR_ONE);
    else {
        do {
            for (int j = 0; j < FR_LIMBS; j++)
                a.l[j] = next(state);
            a.l[FR_LIMBS - 1] &= UINT64_MAX >> (64 * FR_LIMBS - FR_BITS);
        } while (!fr_is_canonical(&a));
    }
    assert_true(fr_is_canonical(&a));
    return a;
}

static void known_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
        const fr a = from_hex(vectors[i].a), b = from_hex(vectors[i].b);
        fr t;
        fr_add(&t, &a, &b);
        check(&t, vectors[i].sum);
        fr_sub(&t, &a, &b);
        check(&t, vectors[i].difference);
        fr_mul(&t, &a, &b);
        check(&t, vectors[i].product);
        fr_inv(&t, &a);
        check(&t, vectors[i].inverse);
        fr_pow(&t, &a, E, ARRAY_LEN(E));
        check(&t, vectors[i].power);
    }
}

static void small_powers(void **state)
{
    (void)state;
    const uint64_t zero = 0, two[3] = {2, 0, 0};
    const fr a = from_hex(vectors[7].a);
    fr t, sqr;
    fr_pow(&t, &a, &zero, 1);
    assert_true(fr_equal(&t, &FR_ONE));
    fr_pow(&t, &a, NULL, 0);
    assert_true(fr_equal(&t, &FR_ONE));
    fr_pow(&t, &a, two, 3);
    fr_sqr(&sqr, &a);
    assert_true(fr_equal(&t, &sqr));
    fr_pow(&t, &a, FR_MODULUS.l, FR_LIMBS); /* Fermat */
    assert_true(fr_equal(&t, &a));
}

static void ring_identities(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t i = 0; i < 80; i++) {
        for (size_t j = 0; j < 80; j++) {
            const fr a = element(i, &seed), b = element(j, &seed);
            fr s, d, p, q, t;
            fr_add(&s, &a, &b);
            fr_sub(&d, &a, &b);
            assert_true(fr_is_canonical(&s) && fr_is_canonical(&d));
            fr_mul(&p, &s, &d); /* (a + b)(a - b) = a^2 - b^2 */
            fr_sqr(&q, &a);
            fr_sqr(&t, &b);
            fr_sub(&q, &q, &t);
            assert_memory_equal(&p, &q, sizeof p);
            fr_sub(&t, &s, &b);
            assert_memory_equal(&t, &a, sizeof t);
            fr_neg(&t, &d);
            fr_add(&t, &t, &a);
            assert_memory_equal(&t, &b, sizeof t);
            fr_double(&t, &a);
            fr_sub(&t, &t, &a);
            assert_memory_equal(&t, &a, sizeof t);
            fr_from_mont(&t, &a);
            assert_true(fr_is_canonical(&t));
            fr_to_mont(&t, &t);
            assert_memory_equal(&t, &a, sizeof t);
        }
    }
}

static void outputs_may_be_inputs(void **state)
{
    (void)state;
    uint64_t seed = 2;
    static void (*const operations[])(fr *, const fr *, const fr *) = {fr_add, fr_sub, fr_mul};
    for (size_t i = 0; i < 60; i++) {
        const fr a = element(i, &seed), b = element(59 - i, &seed);
        for (size_t k = 0; k < ARRAY_LEN(operations); k++) {
            fr t, want;
            operations[k](&want, &a, &b);
            t = a;
            operations[k](&t, &t, &b);
            assert_memory_equal(&t, &want, sizeof t);
            t = b;
            operations[k](&t, &a, &t);
            assert_memory_equal(&t, &want, sizeof t);
            operations[k](&want, &a, &a);
            t = a;
            operations[k](&t, &t, &t);
            assert_memory_equal(&t, &want, sizeof t);
        }
        fr t = a, want;
        fr_inv(&want, &a);
        fr_inv(&t, &t);
        assert_memory_equal(&t, &want, sizeof t);
        t = a;
        fr_sqr(&want, &a);
        fr_sqr(&t, &t);
        assert_memory_equal(&t, &want, sizeof t);
    }
}

#ifdef CUZK_HAVE_ADX
static void assembly_equals_c(void **state)
{
    (void)state;
    if (!cpu_supports(CPU_ADX))
        skip();
    uint64_t seed = 3;
    for (size_t i = 0; i < 300; i++) {
        for (size_t j = 0; j < 100; j++) {
            const fr a = element(i, &seed), b = element(j, &seed);
            fr c, s;
            fr_mul_portable(&c, &a, &b);
            fr_mul_adx(&s, &a, &b);
            assert_memory_equal(&c, &s, sizeof c);
            s = b;
            fr_mul_adx(&s, &a, &s);
            assert_memory_equal(&c, &s, sizeof c);
            s = a;
            fr_mul_adx(&s, &s, &b);
            assert_memory_equal(&c, &s, sizeof c);
        }
        const fr a = element(i, &seed);
        fr c, s = a;
        fr_mul_portable(&c, &a, &a);
        fr_sqr_adx(&s, &s);
        assert_memory_equal(&c, &s, sizeof c);
    }
}
#endif

static void inverses(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (size_t i = 0; i < 3000; i++) {
        const fr a = element(i, &seed);
        fr t;
        fr_inv(&t, &a);
        assert_true(fr_is_canonical(&t));
        fr_mul(&t, &t, &a);
        assert_true(fr_equal(&t, fr_is_zero(&a) ? &FR_ZERO : &FR_ONE));
    }
}

static void batch_inversion_keeps_zeros(void **state)
{
    (void)state;
    uint64_t seed = 5;
    fr a[40], scratch[40];
    fr_inv_batch(NULL, NULL, 0);
    for (size_t n = 1; n <= 40; n++) {
        for (unsigned zeros = 0; zeros < 3; zeros++) {
            fr want[40];
            for (size_t i = 0; i < n; i++) {
                a[i] = element(i + 4, &seed);
                if (zeros == 2 || (zeros == 1 && i % 3 == 0))
                    a[i] = FR_ZERO;
                fr_inv(&want[i], &a[i]);
            }
            fr_inv_batch(a, scratch, n);
            assert_memory_equal(a, want, n * sizeof *a);
        }
    }
}

static void square_roots(void **state)
{
    (void)state;
    uint64_t seed = 6;
    size_t squares = 0;
    for (size_t i = 0; i < 600; i++) {
        const fr a = element(i, &seed);
        fr square, root, untouched;
        fr_sqr(&square, &a);
        assert_true(fr_sqrt(&root, &square));
        fr_sqr(&root, &root);
        assert_memory_equal(&root, &square, sizeof root);
        memset(&root, 0x5a, sizeof root);
        untouched = root;
        if (fr_sqrt(&root, &a)) {
            squares++;
            fr_sqr(&root, &root);
            assert_memory_equal(&root, &a, sizeof root);
        } else
            assert_memory_equal(&root, &untouched, sizeof root);
    }
    assert_in_range(squares, 200, 400);
}

static void constants(void **state)
{
    (void)state;
    fr seven, w = FR_ROOT_OF_UNITY, minus_one, t;
    fr_from_u64(&seven, 7);
    assert_true(fr_equal(&seven, &FR_GENERATOR));
    assert_false(fr_sqrt(&t, &FR_GENERATOR));
    static const uint64_t odd_part[FR_LIMBS] = {0xfffe5bfeffffffff, 0x09a1d80553bda402, 0x299d7d483339d808,
                                                0x0000000073eda753};
    fr_pow(&t, &seven, odd_part, FR_LIMBS);
    assert_true(fr_equal(&t, &FR_ROOT_OF_UNITY));
    for (unsigned i = 1; i < FR_TWO_ADICITY; i++)
        fr_sqr(&w, &w);
    fr_neg(&minus_one, &FR_ONE);
    assert_true(fr_equal(&w, &minus_one));
}

static void random_elements_differ_and_are_canonical(void **state)
{
    (void)state;
    fr a[64];
    uint64_t all = 0;
    for (size_t i = 0; i < ARRAY_LEN(a); i++) {
        assert_int_equal(fr_random(&a[i], NULL), CUZK_OK);
        assert_true(fr_is_canonical(&a[i]));
        all |= a[i].l[FR_LIMBS - 1];
        for (size_t j = 0; j < i; j++)
            assert_false(fr_equal(&a[i], &a[j]));
    }
    assert_true(all >> 62 != 0);
}

static void bytes_go_round_and_must_be_canonical(void **state)
{
    (void)state;
    uint64_t seed = 9;
    uint8_t be[FR_BYTES], le[FR_BYTES];
    for (size_t i = 0; i < 200; i++) {
        const fr a = element(i, &seed);
        fr t;
        fr_write_be(be, &a);
        fr_write_le(le, &a);
        for (size_t j = 0; j < FR_BYTES; j++)
            assert_int_equal(be[j], le[FR_BYTES - 1 - j]);
        assert_true(fr_read_be(&t, be));
        assert_memory_equal(&t, &a, sizeof t);
        assert_true(fr_read_le(&t, le));
        assert_memory_equal(&t, &a, sizeof t);
    }
    fr t, untouched;
    memset(&t, 0x77, sizeof t);
    untouched = t;
    bytes_from_hex(be, MODULUS_HEX);
    for (unsigned more = 0; more < 3; more++) { /* the modulus, one more, all ones */
        if (more == 2)
            memset(be, 0xff, sizeof be);
        for (size_t j = 0; j < FR_BYTES; j++)
            le[j] = be[FR_BYTES - 1 - j];
        assert_false(fr_read_be(&t, be));
        assert_false(fr_read_le(&t, le));
        assert_memory_equal(&t, &untouched, sizeof t);
        be[FR_BYTES - 1]++;
    }
    bytes_from_hex(be, MODULUS_HEX);
    be[FR_BYTES - 1]--; /* the largest */
    assert_true(fr_read_be(&t, be));
    fr_add(&t, &t, &FR_ONE);
    assert_true(fr_is_zero(&t));
    fr_write_be(be, &FR_ONE);
    assert_int_equal(be[FR_BYTES - 1], 1);
    fr_from_u64(&t, UINT64_MAX);
    fr_write_le(le, &t);
    for (size_t j = 0; j < FR_BYTES; j++)
        assert_int_equal(le[j], j < 8 ? 0xff : 0);
    const fr half = from_hex(HALF_HEX);
    fr_double(&t, &half);
    fr_add(&t, &t, &FR_ONE);
    assert_true(fr_is_zero(&t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(small_powers),
        cmocka_unit_test(ring_identities),
        cmocka_unit_test(outputs_may_be_inputs),
#ifdef CUZK_HAVE_ADX
        cmocka_unit_test(assembly_equals_c),
#endif
        cmocka_unit_test(inverses),
        cmocka_unit_test(batch_inversion_keeps_zeros),
        cmocka_unit_test(square_roots),
        cmocka_unit_test(constants),
        cmocka_unit_test(random_elements_differ_and_are_canonical),
        cmocka_unit_test(bytes_go_round_and_must_be_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
