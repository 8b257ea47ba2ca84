/* Fp2: against values computed with big integers, identities, square roots of all kinds.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "field/fp2.h"

/* Plain big-endian numbers, c0 then c1: a, b, a b, a^2, 1/a. */
static const struct {
    const char *a[2], *b[2], *product[2], *square[2], *inverse[2];
} vectors[] = {
    {{"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001"},
     {"1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa",
      "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa"},
     {"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
      "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa"},
     {"1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa",
      "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"},
     {"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa"}},
    {{"1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa",
      "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa"},
     {"0027c3f81942eec2b9bfc89ead2c509c24d2c1994c5832979f76d03e5d4f51c434ffa7234be644a6d41fc278e8a90215",
      "1768095fb36e76130290d45deafb9fdaf6d1cf46361811807823f9b393e0d660110d547d1970860acf68d5547667ae45"},
     {"174045679a2b875048d10bbf3dcf4f3ed1ff0dace9bfdee8d8ad29753691849bdc0dad59cd8a4163fb4912db8dbeac30",
      "027144926cce81c48ecb0ab9ab23bc6048d2baa57114cea74f9608af0580cdffd89f045e4bfd354e16766832a0eefa51"},
     {"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002"},
     {"0d0088f51cbff34d258dd3db21a5d66bb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd555",
      "0d0088f51cbff34d258dd3db21a5d66bb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd556"}},
    {{"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
      "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"},
     {"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001"},
     {"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001"},
     {"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
      "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"},
     {"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
      "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"}},
    {{"02a5d3d4a5e1509a23b49669e2dc965863c71fc58e15ed4e20188f424d29c46d18e2cd3639f4faf9dbf269b33291aa39",
      "030a3800d8da9d8bf139369767b28ccb4fb0b0fca25b5681d05f410230459f522dc3bd2900d46e9a7cc4b46e72d21f0b"},
     {"02a5d3d4a5e1509a23b49669e2dc965863c71fc58e15ed4e20188f424d29c46d18e2cd3639f4faf9dbf269b33291aa39",
      "030a3800d8da9d8bf139369767b28ccb4fb0b0fca25b5681d05f410230459f522dc3bd2900d46e9a7cc4b46e72d21f0b"},
     {"162a18855bf28fc5bba47906b5c03e62deeca5151d0765621cda555be78e1749ab0c24a1bc955076b494aa5247afe904",
      "072eaf3af60e4bace1b32f9b851d05311d84fe30c0a6f3941256fa704c916c899d290ec04c71979919dffccdbbe6d4dc"},
     {"162a18855bf28fc5bba47906b5c03e62deeca5151d0765621cda555be78e1749ab0c24a1bc955076b494aa5247afe904",
      "072eaf3af60e4bace1b32f9b851d05311d84fe30c0a6f3941256fa704c916c899d290ec04c71979919dffccdbbe6d4dc"},
     {"1799ab700979cbaf8c0dba2de574e7732d343d3040b55ed6ab1ef3330318b4e552ac0115f610850307dc8b95c6265d1b",
      "1533656d04d93272d837ac0e16ab0c9c4a3ca6595eb954e7ede40c9fbd580835c892edaccff4726373a3e27c1e548b3b"}},
    {{"0027c3f81942eec2b9bfc89ead2c509c24d2c1994c5832979f76d03e5d4f51c434ffa7234be644a6d41fc278e8a90215",
      "1768095fb36e76130290d45deafb9fdaf6d1cf46361811807823f9b393e0d660110d547d1970860acf68d5547667ae45"},
     {"0e2b494a486ff3dfca226f805c161f91d8f79d99950f148b14057c2099eb8a9eb047d84d67f57e32f2f4f6a19e46e03b",
      "0c9c1b7765b670f58ffefe4edba6a3b6e63e7646603e5f7e9f6dbc56e16c3ec623401fa4a7b0d9becf6040f10cc4fc28"},
     {"11064d3059eb3fa09788075aa7928e1583adf11fec52612b86412bcea76f7fc5054027ecee546ac707e383c666512487",
      "0669fb5b3bb943858fd331b2a18bc8c0f6befcd45bd850ff35134a085386acec0f4e4f926d788d24e3140827ae259b24"},
     {"1406771cd8bcf1dc61345040e024c4e01783947c80750d805762297c1ef9d15fd6a0a22781e4e02fb2b3e539fa5a369a",
      "191f75c872e748c5580d901deda5778228ea560592eff496a955d6b44afaf7c37c20608014ab5eb0d6c25ec4076b7a30"},
     {"13eda6a43d8a4ac0f048eb4415194777b6a527a0e361a9d02ec5f549f4153c18c781c995999276bde90955eb73b527b4",
      "0bed7f5683848ca7bd18ce6e8d1a9ae4b43143de4194a0c64a51409d44df6027d8cc1b29baf1ef924be26aac209ad53a"}},
    {{"08e222812dd05a7a03f91068b6ff1e16573fb719f779a6f59f5adf108c0cf1c2c04acf16ec2e681111eabda4877e0ba6",
      "069f7a14bfed0fec3618aac90a8e824efc0af9abfb468f75009faaba19922763f76465ccd89211569bf3d9644b445f73"},
     {"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
      "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"},
     {"08e222812dd05a7a03f91068b6ff1e16573fb719f779a6f59f5adf108c0cf1c2c04acf16ec2e681111eabda4877e0ba6",
      "069f7a14bfed0fec3618aac90a8e824efc0af9abfb468f75009faaba19922763f76465ccd89211569bf3d9644b445f73"},
     {"13f89ab1544db758d61738f5ceaf26289ff93fca00eaae96dd45277ab8f9a426c323afb21c1f20e63b68d7c78db63e11",
      "1484c3c9f02c7d2b2ca8fed3bb9c4025f33929dcfda6d6f519efbe491a459cf50a573bed0dd909ea2d3c905c46db976a"},
     {"135ff7d9ff5ee6417db5cedb2d5f053e63204b592dafed7f09be293999b8789f69f63d9220e86fcd78adccdf9c57a491",
      "010b077853ca12bdf34576e9170122c4084ea036f6fc5a005dc9a7f9cf061f1368f4a5744716bf17957456491be74c85"}},
    {{"0e2b494a486ff3dfca226f805c161f91d8f79d99950f148b14057c2099eb8a9eb047d84d67f57e32f2f4f6a19e46e03b",
      "0c9c1b7765b670f58ffefe4edba6a3b6e63e7646603e5f7e9f6dbc56e16c3ec623401fa4a7b0d9becf6040f10cc4fc28"},
     {"08e222812dd05a7a03f91068b6ff1e16573fb719f779a6f59f5adf108c0cf1c2c04acf16ec2e681111eabda4877e0ba6",
      "069f7a14bfed0fec3618aac90a8e824efc0af9abfb468f75009faaba19922763f76465ccd89211569bf3d9644b445f73"},
     {"175ddf5493a549398fad2caf5d34aedbf8e928665692bc51dda80682927d278860b4b8e2f0f465d32f265c92d39dcb6a",
      "157bacd90c60c6a9d19abf785833867a3367448eec61539f1810d8f4c773eee119b03ebf9d7e4a810d8aa65d2eca2825"},
     {"13c31a3a45e773f4200c272cb0f60ec0a510a841741fcf87f4382d53e8bf7d76d6879db0651dea7e116681b11211b6cd",
      "0b80a38384d60b7d7d08c6056cdc79025938d0fd70b809047ad5747576199faeb7a55ca3f3dc670a8d7af6aaa1e87c50"},
     {"18e6e6f76ec61e266c82330f71a4def1f4664f05594f744f3295124b835242a0603929eca1cf2bfc35ea36d3cfad2482",
      "18020930a16b40ac6fac9ff2463833c3ffd74793df68e6c23606de15f0a85b0594e6ce205f9ba859e7a4464a58821d61"}},
};

static fp fp_from_hex(const char *hex)
{
    uint8_t bytes[FP_BYTES];
    fp a;
    for (size_t i = 0; i < FP_BYTES; i++) {
        const char byte[3] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
    assert_true(fp_read_be(&a, bytes));
    return a;
}

static fp2 from_hex(const char *const hex[2])
{
    return (fp2){fp_from_hex(hex[0]), fp_from_hex(hex[1])};
}

static void check(const fp2 *got, const char *const hex[2])
{
    const fp2 want = from_hex(hex);
    assert_memory_equal(got, &want, sizeof want);
}

static fp element(size_t i, uint64_t *state)
{
    fp a = {{i}};
    if (i >= 3 && i < 6) {
        a = FP_MODULUS;
        a.l[0] -= i - 2;
    } else if (i == 6)
        a = FP_ONE;
    else if (i >= 7) {
        do {
            for (int j = 0; j < FP_LIMBS; j++) {
                *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
                a.l[j] = *state ^ (*state >> 31);
            }
            a.l[FP_LIMBS - 1] >>= 3;
        } while (!fp_is_canonical(&a));
    }
    return a;
}

static fp2 element2(size_t i, uint64_t *state)
{
    return (fp2){element(i % 9, state), element(i / 9 % 9, state)};
}

static void known_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
        const fp2 a = from_hex(vectors[i].a), b = from_hex(vectors[i].b);
        fp2 t;
        fp2_mul(&t, &a, &b);
        check(&t, vectors[i].product);
        fp2_sqr(&t, &a);
        check(&t, vectors[i].square);
        fp2_inv(&t, &a);
        check(&t, vectors[i].inverse);
    }
}

static void identities(void **state)
{
    (void)state;
    uint64_t seed = 1;
    const fp2 one_plus_u = {FP_ONE, FP_ONE};
    for (size_t i = 0; i < 81; i++) {
        for (size_t j = 0; j < 81; j++) {
            const fp2 a = element2(i, &seed), b = element2(j, &seed);
            fp2 s, d, p, q, t;
            fp2_add(&s, &a, &b);
            fp2_sub(&d, &a, &b);
            fp2_mul(&p, &s, &d);
            fp2_sqr(&q, &a);
            fp2_sqr(&t, &b);
            fp2_sub(&q, &q, &t);
            assert_memory_equal(&p, &q, sizeof p);
            fp2_mul(&t, &a, &a);
            fp2_sqr(&q, &a);
            assert_memory_equal(&t, &q, sizeof t);
            fp2_neg(&t, &d);
            fp2_add(&t, &t, &a);
            assert_memory_equal(&t, &b, sizeof t);
            fp2_double(&t, &a);
            fp2_add(&q, &a, &a);
            assert_memory_equal(&t, &q, sizeof t);
            fp2_mul_nonresidue(&t, &a);
            fp2_mul(&q, &a, &one_plus_u);
            assert_memory_equal(&t, &q, sizeof t);
            q = (fp2){b.c0, FP_ZERO};
            fp2_mul(&q, &a, &q);
            fp2_mul_fp(&t, &a, &b.c0);
            assert_memory_equal(&t, &q, sizeof t);
            fp2_conjugate(&t, &a);
            fp2_mul(&t, &t, &a);
            assert_true(fp_is_zero(&t.c1));
        }
    }
}

static void outputs_may_be_inputs(void **state)
{
    (void)state;
    uint64_t seed = 2;
    static void (*const operations[])(fp2 *, const fp2 *, const fp2 *) = {fp2_add, fp2_sub, fp2_mul};
    static void (*const unary[])(fp2 *, const fp2 *) = {fp2_double, fp2_neg,       fp2_sqr,
                                                        fp2_inv,    fp2_conjugate, fp2_mul_nonresidue};
    for (size_t i = 0; i < 81; i++) {
        const fp2 a = element2(i, &seed), b = element2(80 - i, &seed);
        fp2 t, want;
        for (size_t k = 0; k < ARRAY_LEN(operations); k++) {
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
        for (size_t k = 0; k < ARRAY_LEN(unary); k++) {
            unary[k](&want, &a);
            t = a;
            unary[k](&t, &t);
            assert_memory_equal(&t, &want, sizeof t);
        }
    }
}

#ifdef CUZK_HAVE_ADX
static void assembly_equals_c(void **state)
{
    (void)state;
    if (!cpu_supports(CPU_ADX))
        skip();
    uint64_t seed = 5;
    for (size_t i = 0; i < 200; i++) {
        for (size_t j = 0; j < 200; j++) {
            const fp2 a = element2(i, &seed), b = element2(j, &seed);
            fp2 c, s;
            fp2_mul(&c, &a, &b); /* this file is compiled with portable products */
            fp2_mul_adx(&s, &a, &b);
            assert_memory_equal(&c, &s, sizeof c);
            s = a;
            fp2_mul_adx(&s, &s, &b);
            assert_memory_equal(&c, &s, sizeof c);
            s = b;
            fp2_mul_adx(&s, &a, &s);
            assert_memory_equal(&c, &s, sizeof c);
        }
    }
}
#endif

static void inverses_one_by_one_and_in_batches(void **state)
{
    (void)state;
    uint64_t seed = 3;
    fp2 a[81], want[81], scratch[81];
    fp2_inv_batch(NULL, NULL, 0);
    for (size_t i = 0; i < 81; i++) { /* the first one is zero */
        fp2 t;
        a[i] = element2(i, &seed);
        fp2_inv(&want[i], &a[i]);
        fp2_mul(&t, &want[i], &a[i]);
        assert_true(fp2_is_zero(&a[i]) ? fp2_is_zero(&t) : fp_equal(&t.c0, &FP_ONE) && fp_is_zero(&t.c1));
    }
    fp2_inv_batch(a, scratch, 81);
    assert_memory_equal(a, want, sizeof a);
}

static void square_roots(void **state)
{
    (void)state;
    uint64_t seed = 4;
    size_t squares = 0;
    for (size_t i = 0; i < 162; i++) {
        const fp2 a = element2(i, &seed);
        fp2 square, root, untouched;
        fp2_sqr(&square, &a);
        assert_true(fp2_sqrt(&root, &square));
        fp2_sqr(&root, &root);
        assert_memory_equal(&root, &square, sizeof root);
        memset(&root, 0x5a, sizeof root);
        untouched = root;
        if (fp2_sqrt(&root, &a)) {
            squares++;
            fp2_sqr(&root, &root);
            assert_memory_equal(&root, &a, sizeof root);
        } else {
            assert_false(fp_is_zero(&a.c1)); /* all of Fp has roots in Fp2 */
            assert_memory_equal(&root, &untouched, sizeof root);
        }
    }
    assert_in_range(squares, 50, 140);
}

static void sign_looks_at_c1_first(void **state)
{
    (void)state;
    fp one = FP_ONE, minus_one;
    fp_neg(&minus_one, &one);
    assert_true(fp2_is_large(&(fp2){one, minus_one}));
    assert_false(fp2_is_large(&(fp2){minus_one, one}));
    assert_true(fp2_is_large(&(fp2){minus_one, FP_ZERO}));
    assert_false(fp2_is_large(&(fp2){one, FP_ZERO}));
    assert_false(fp2_is_large(&(fp2){FP_ZERO, FP_ZERO}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(identities),
        cmocka_unit_test(outputs_may_be_inputs),
#ifdef CUZK_HAVE_ADX
        cmocka_unit_test(assembly_equals_c),
#endif
        cmocka_unit_test(inverses_one_by_one_and_in_batches),
        cmocka_unit_test(square_roots),
        cmocka_unit_test(sign_looks_at_c1_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
