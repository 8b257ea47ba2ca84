/* FP: against values computed with big integers, identities on random and edge values, each CPU variant
 * against portable C.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "field/fp.h"

/* Plain big-endian numbers: a, b, a + b, a - b, a b, 1/a (0 for 0), a^E. */
static const struct {
    const char *a, *b, *sum, *difference, *product, *inverse, *power;
} vectors[] = {
    {"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
     "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"},
    {"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
     "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002",
     "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001"},
    {"1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa",
     "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa",
     "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaa9",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
     "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa",
     "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa"},
    {"0d0088f51cbff34d258dd3db21a5d66bb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd555",
     "0d0088f51cbff34d258dd3db21a5d66bb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd556",
     "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
     "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa",
     "1380cd6fab1fecf3b854bdc8b278c1a18b5978a3b6a3ce0f8d649df8b904b89b1700ffff04feffffcb7f3fffffffc000",
     "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaa9",
     "12b5129330116974a87debd18f7b071e727b84bd2bcff32457c48da233704cbff0328c6304bead1b3943b6fa2ffa993e"},
    {"02667783fe6c2b036820212c6959935406e82a012b5c5cd1e7ca430e92ac3d4253d23c0bdf43efb219fcfc64e7aa8576",
     "14030f6951209e8f332726d0356a41526977a41b730bed9c94a67f00f335c3577972a36d51b31a6c20050ed31a6e72b9",
     "166986ed4f8cc9929b4747fc9ec3d4a6705fce1c9e684a6e7c70c20f85e20099cd44df7930f70a1e3a020b380218f82f",
     "08647a04e6cb730e8014a212773afed901e7d16aabd581f4ba5496ae9627700ef90b989d3ee4d545b3f6ed91cd3bbd68",
     "0db2f4bb016f536568e62205aad0a1ad852ce1592a510d1e8f62f411d6a32bf8ac7f67acebbbd6a54590d99d068368f3",
     "04c407ea87a34910e0a503a41ddacb1a94178fc595e4548053226877fe587b5c592964c9b6d8c82c20e27573ae321735",
     "0498ccb4e387e95d7e01ef3563ce21eb4a1ef343e671622cbede96b7d8dd5b572a685f0b7ca41cbd4ea0ae9763666092"},
    {"0cf5360b7dfb27e8d775f593ce3ad2b28491cabea0afe35617bcc74d6d683cf8542861cd55e7d67eae6ac4a9e89c5bc7",
     "1876366cb1852ac840e0529930b9f6091570bc621832c9e233aa391808fc20813e1dcfb592bde31c34d2ea1614daf467",
     "0b6a5a8df6006c16cd3aa076bba91be4358b3b9bc55d9a78e4362dc47fb36755739a31843751b99b293eaebffd77a583",
     "0e80118905f5e3bae1b14ab0e0cc8980d39859e17c022c334b4360d65b1d129b34b69216747df3623396da93d3c1120b",
     "06690f5478c021f9141e5d97f782cb60e2fa0414edda6f1ec54e48777019ea993d77649d84a4f0d8ffb2dcc7398045a2",
     "16e28e85f683302bc60da2373ca90f276254870c4e58ef38733274bf5b18f2f299c2ef0b474bbed5ec973b406a942ed1",
     "135bc0499fa0066fe1b197e96eac08d24f4c7f77b6d3998ebe84cee190936cfd7380d9b65ae1e9f28b5a86e52af6aac0"},
    {"077c98f1b4ae3dd3447e604605f9eb87e7db270d1e2162169fbba63829d144e441bc858eb0b4362e4e18a3634891a61b",
     "08f0d4454cfdb1e79e1fcc46a5157170cc8fc5260352a9bf0e56d5813cd158af92ed2607383c017bd756a407dbeece42",
     "106d6d3701abefbae29e2c8cab0f5cf8b46aec3321740bd5ae127bb966a29d93d4a9ab95e8f037aa256f476b2480745d",
     "188cd696a1307285f17a3bb5a43026ee7fc2ad6c0e53cb16f895a357e3b0e258cd7b5f8629cc34b230c0ff5b6ca28284",
     "01b30a98def2b7be975c71d2958a6db276dae5141754093584043cad6e1ed66099f3fa1493a6ac659bf133845f7a7cb8",
     "00ec31cd5cebc6729de5ccd5a1f13d3408f685d27f9271af485e2038038494b1351d1f8f4721066c25ff130d481ce202",
     "01c7778522135d8fb2452fbc78fa053b8937e4b3d324b0d428ce3eab0aad56aaae8553ddb3f56839519abea1a1fe874f"},
    {"08c2fdb5a37feba2ec246343272be0eae810b08a72880e4ab8a6acd69988235655fac783a5998165b1dd1b80230a102c",
     "04018a9db096ebf51efc20c9dcf8bef6b4ec0652edc8144167e0e2a62a27ead5281f772f6ed299e4d532b79f8e41a78f",
     "0cc488535416d7980b20840d04249fe19cfcb6dd6050228c20878f7cc3b00e2b7e1a3eb3146c1b4a870fd31fb14bb7bb",
     "04c17317f2e8ffadcd2842794a3321f43324aa3784bffa0950c5ca306f6038812ddb505436c6e780dcaa63e094c8689d",
     "0e32b921fafb66e0e7757bfab5f9a2fae210aad7d5a2bab9e16dd7ebe3a99fb667545fbd25c880766078886fc5ea545f",
     "06a2761060b024e77e0419f3a7f48069782b8a635b34c475c2e6fefe6f94602a6c621f2198d2758fa993ab3a14f0ff81",
     "0185bdbe187a0cf2f7e75a344e06b4df10ebf0c5cd67f91af228f3fb3b54c1d809cf2d7a4e3166bde6d793948669aada"},
};
static const uint64_t E[] = {0x0123456789abcdef, 0xfedcba9876543210};

static const char MODULUS_HEX[] =
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";
static const char HALF_HEX[] = "0d0088f51cbff34d258dd3db21a5d66bb23ba5c279c2895fb39869507b587b120f55ffff58a9f"
                               "fffdcff7fffffffd555"; /* (p
                                                         -
                                                         1)/2
                                                       */

static void bytes_from_hex(uint8_t out[FP_BYTES], const char *hex)
{
    for (size_t i = 0; i < FP_BYTES; i++) {
        const char byte[3] = {hex[2 * i], hex[2 * i + 1], 0};
        out[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
}

static fp from_hex(const char *hex)
{
    uint8_t bytes[FP_BYTES];
    fp a;
    bytes_from_hex(bytes, hex);
    assert_true(fp_read_be(&a, bytes));
    return a;
}

static void check(const fp *got, const char *hex)
{
    const fp want = from_hex(hex);
    assert_memory_equal(got, &want, sizeof want);
}

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Values near 0, near p, and with limbs of all ones or zeros (as Montgomery limbs); then random ones. */
static fp element(size_t i, uint64_t *state)
{
    fp a = {{0}};
    if (i < 4)
        a.l[0] = i;
    else if (i < 8) {
        a = FP_MODULUS;
        a.l[0] -= i - 3;
    } else if (i < 8 + FP_LIMBS)
        a.l[i - 8] = i == 7 + FP_LIMBS ? 1 : UINT64_MAX;
    else if (i < 8 + 2 * FP_LIMBS) {
        a = FP_MODULUS;
        a.l[FP_LIMBS - 1]--;
        for (size_t j = 0; j < FP_LIMBS - 1; j++)
            a.l[j] = j >= i - 8 - FP_LIMBS ? UINT64_MAX : 0;
    } else if (i == 8 + 2 * FP_LIMBS)
        a = FP_ONE;
    else if (i == 9 + 2 * FP_LIMBS)
        fp_neg(&a, &FP_ONE);
    else {
        do {
            for (int j = 0; j < FP_LIMBS; j++)
                a.l[j] = next(state);
            a.l[FP_LIMBS - 1] &= UINT64_MAX >> (64 * FP_LIMBS - FP_BITS);
        } while (!fp_is_canonical(&a));
    }
    assert_true(fp_is_canonical(&a));
    return a;
}

static void known_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
        const fp a = from_hex(vectors[i].a), b = from_hex(vectors[i].b);
        fp t;
        fp_add(&t, &a, &b);
        check(&t, vectors[i].sum);
        fp_sub(&t, &a, &b);
        check(&t, vectors[i].difference);
        fp_mul(&t, &a, &b);
        check(&t, vectors[i].product);
        fp_inv(&t, &a);
        check(&t, vectors[i].inverse);
        fp_pow(&t, &a, E, ARRAY_LEN(E));
        check(&t, vectors[i].power);
    }
}

static void small_powers(void **state)
{
    (void)state;
    const uint64_t zero = 0, two[3] = {2, 0, 0};
    const fp a = from_hex(vectors[7].a);
    fp t, sqr;
    fp_pow(&t, &a, &zero, 1);
    assert_true(fp_equal(&t, &FP_ONE));
    fp_pow(&t, &a, NULL, 0);
    assert_true(fp_equal(&t, &FP_ONE));
    fp_pow(&t, &a, two, 3);
    fp_sqr(&sqr, &a);
    assert_true(fp_equal(&t, &sqr));
    fp_pow(&t, &a, FP_MODULUS.l, FP_LIMBS); /* Fermat */
    assert_true(fp_equal(&t, &a));
}

static void ring_identities(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t i = 0; i < 80; i++) {
        for (size_t j = 0; j < 80; j++) {
            const fp a = element(i, &seed), b = element(j, &seed);
            fp s, d, p, q, t;
            fp_add(&s, &a, &b);
            fp_sub(&d, &a, &b);
            assert_true(fp_is_canonical(&s) && fp_is_canonical(&d));
            fp_mul(&p, &s, &d); /* (a + b)(a - b) = a^2 - b^2 */
            fp_sqr(&q, &a);
            fp_sqr(&t, &b);
            fp_sub(&q, &q, &t);
            assert_memory_equal(&p, &q, sizeof p);
            fp_sub(&t, &s, &b);
            assert_memory_equal(&t, &a, sizeof t);
            fp_neg(&t, &d);
            fp_add(&t, &t, &a);
            assert_memory_equal(&t, &b, sizeof t);
            fp_double(&t, &a);
            fp_sub(&t, &t, &a);
            assert_memory_equal(&t, &a, sizeof t);
            fp_from_mont(&t, &a);
            assert_true(fp_is_canonical(&t));
            fp_to_mont(&t, &t);
            assert_memory_equal(&t, &a, sizeof t);
        }
    }
}

static void outputs_may_be_inputs(void **state)
{
    (void)state;
    uint64_t seed = 2;
    static void (*const operations[])(fp *, const fp *, const fp *) = {fp_add, fp_sub, fp_mul};
    for (size_t i = 0; i < 60; i++) {
        const fp a = element(i, &seed), b = element(59 - i, &seed);
        for (size_t k = 0; k < ARRAY_LEN(operations); k++) {
            fp t, want;
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
        fp t = a, want;
        fp_inv(&want, &a);
        fp_inv(&t, &t);
        assert_memory_equal(&t, &want, sizeof t);
        t = a;
        fp_sqr(&want, &a);
        fp_sqr(&t, &t);
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
            const fp a = element(i, &seed), b = element(j, &seed);
            fp c, s;
            fp_mul_portable(&c, &a, &b);
            fp_mul_adx(&s, &a, &b);
            assert_memory_equal(&c, &s, sizeof c);
            s = b;
            fp_mul_adx(&s, &a, &s);
            assert_memory_equal(&c, &s, sizeof c);
            s = a;
            fp_mul_adx(&s, &s, &b);
            assert_memory_equal(&c, &s, sizeof c);
        }
        const fp a = element(i, &seed);
        fp c, s = a;
        fp_mul_portable(&c, &a, &a);
        fp_sqr_adx(&s, &s);
        assert_memory_equal(&c, &s, sizeof c);
    }
}
#endif

static void inverses(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (size_t i = 0; i < 3000; i++) {
        const fp a = element(i, &seed);
        fp t;
        fp_inv(&t, &a);
        assert_true(fp_is_canonical(&t));
        fp_mul(&t, &t, &a);
        assert_true(fp_equal(&t, fp_is_zero(&a) ? &FP_ZERO : &FP_ONE));
    }
}

static void batch_inversion_keeps_zeros(void **state)
{
    (void)state;
    uint64_t seed = 5;
    fp a[40], scratch[40];
    fp_inv_batch(NULL, NULL, 0);
    for (size_t n = 1; n <= 40; n++) {
        for (unsigned zeros = 0; zeros < 3; zeros++) {
            fp want[40];
            for (size_t i = 0; i < n; i++) {
                a[i] = element(i + 4, &seed);
                if (zeros == 2 || (zeros == 1 && i % 3 == 0))
                    a[i] = FP_ZERO;
                fp_inv(&want[i], &a[i]);
            }
            fp_inv_batch(a, scratch, n);
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
        const fp a = element(i, &seed);
        fp square, root, untouched;
        fp_sqr(&square, &a);
        assert_true(fp_sqrt(&root, &square));
        fp_sqr(&root, &root);
        assert_memory_equal(&root, &square, sizeof root);
        memset(&root, 0x5a, sizeof root);
        untouched = root;
        if (fp_sqrt(&root, &a)) {
            squares++;
            fp_sqr(&root, &root);
            assert_memory_equal(&root, &a, sizeof root);
        } else
            assert_memory_equal(&root, &untouched, sizeof root);
    }
    assert_in_range(squares, 200, 400);
}

static void sign_is_above_one_half(void **state)
{
    (void)state;
    uint64_t seed = 7;
    fp half = from_hex(HALF_HEX), above, one = FP_ONE;
    assert_false(fp_is_large(&half));
    fp_add(&above, &half, &one);
    assert_true(fp_is_large(&above));
    assert_false(fp_is_large(&FP_ZERO));
    for (size_t i = 1; i < 200; i++) {
        const fp a = element(i, &seed);
        fp n;
        fp_neg(&n, &a);
        assert_true(fp_is_large(&a) != fp_is_large(&n));
    }
}

static void inverse_square_roots(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (size_t i = 1; i < 200; i++) {
        const fp a = element(i, &seed);
        fp t, root, want = FP_ONE;
        const bool square = fp_sqrt(&root, &a);
        assert_true(fp_inv_sqrt_either(&t, &a) == square);
        fp_sqr(&t, &t);
        fp_mul(&t, &t, &a);
        if (!square)
            fp_neg(&want, &want);
        assert_memory_equal(&t, &want, sizeof t);
    }
    fp t;
    assert_false(fp_inv_sqrt_either(&t, &FP_ZERO));
    assert_true(fp_is_zero(&t));
}

static void bytes_go_round_and_must_be_canonical(void **state)
{
    (void)state;
    uint64_t seed = 9;
    uint8_t be[FP_BYTES], le[FP_BYTES];
    for (size_t i = 0; i < 200; i++) {
        const fp a = element(i, &seed);
        fp t;
        fp_write_be(be, &a);
        fp_write_le(le, &a);
        for (size_t j = 0; j < FP_BYTES; j++)
            assert_int_equal(be[j], le[FP_BYTES - 1 - j]);
        assert_true(fp_read_be(&t, be));
        assert_memory_equal(&t, &a, sizeof t);
        assert_true(fp_read_le(&t, le));
        assert_memory_equal(&t, &a, sizeof t);
    }
    fp t, untouched;
    memset(&t, 0x77, sizeof t);
    untouched = t;
    bytes_from_hex(be, MODULUS_HEX);
    for (unsigned more = 0; more < 3; more++) { /* the modulus, one more, all ones */
        if (more == 2)
            memset(be, 0xff, sizeof be);
        for (size_t j = 0; j < FP_BYTES; j++)
            le[j] = be[FP_BYTES - 1 - j];
        assert_false(fp_read_be(&t, be));
        assert_false(fp_read_le(&t, le));
        assert_memory_equal(&t, &untouched, sizeof t);
        be[FP_BYTES - 1]++;
    }
    bytes_from_hex(be, MODULUS_HEX);
    be[FP_BYTES - 1]--; /* the largest */
    assert_true(fp_read_be(&t, be));
    fp_add(&t, &t, &FP_ONE);
    assert_true(fp_is_zero(&t));
    fp_write_be(be, &FP_ONE);
    assert_int_equal(be[FP_BYTES - 1], 1);
    fp_from_u64(&t, UINT64_MAX);
    fp_write_le(le, &t);
    for (size_t j = 0; j < FP_BYTES; j++)
        assert_int_equal(le[j], j < 8 ? 0xff : 0);
    const fp half = from_hex(HALF_HEX);
    fp_double(&t, &half);
    fp_add(&t, &t, &FP_ONE);
    assert_true(fp_is_zero(&t));
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
        cmocka_unit_test(sign_is_above_one_half),
        cmocka_unit_test(inverse_square_roots),
        cmocka_unit_test(bytes_go_round_and_must_be_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
