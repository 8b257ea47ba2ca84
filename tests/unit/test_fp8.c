/* Eight lanes of Fp and Fp2 against the portable functions, with random values and those at the ends of the
 * bounds; rows and encodings.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve_testing.h"

#include <stdlib.h>

#include "base/cpu.h"
#include "field/fp2_8.h"

#define ROUNDS 300

static uint64_t seed = 1;

/* 0, 1, p - 1, p - 2, Montgomery's one, its negative, limbs of all ones, or anything below p. */
static fp element(uint64_t kind)
{
    fp x = FP_ZERO;
    switch (kind) {
    case 0:
        break;
    case 1:
        x.l[0] = 1;
        break;
    case 2:
    case 3:
        x = FP_MODULUS;
        x.l[0] -= kind - 1;
        break;
    case 4:
        x = FP_ONE;
        break;
    case 5:
        fp_neg(&x, &FP_ONE);
        break;
    case 6:
        x = FP_MODULUS;
        x.l[FP_LIMBS - 1]--;
        for (int i = 0; i < FP_LIMBS - 1; i++)
            x.l[i] = UINT64_MAX;
        break;
    default:
        test_random_fp(&x, &seed);
    }
    return x;
}

static void fill(fp x[FP8_LANES])
{
    for (int i = 0; i < FP8_LANES; i++)
        x[i] = element(test_random(&seed) % 12);
}

/* Lane i = x[i] + multiple[i] p. */
static fp8 lanes(const fp x[FP8_LANES], const uint64_t multiple[FP8_LANES])
{
    uint64_t l[FP8_LIMBS][FP8_LANES];
    for (int lane = 0; lane < FP8_LANES; lane++) {
        fp_row row;
        u128 carry = 0;
        fp_to_row(&row, x + lane);
        for (int i = 0; i < FP8_LIMBS; i++) {
            carry += (u128)FP8_P[i] * multiple[lane] + row.l[i];
            l[i][lane] = (uint64_t)carry & FP8_MASK;
            carry >>= FP8_BITS;
        }
        assert_true(carry == 0);
    }
    fp8 out;
    memcpy(&out, l, sizeof out);
    return out;
}

/* The same with multiples below the bound, and as high as that in some lanes. */
static fp8 lanes_below(const fp x[FP8_LANES], uint64_t bound)
{
    uint64_t multiple[FP8_LANES];
    for (int i = 0; i < FP8_LANES; i++)
        multiple[i] = test_random(&seed) % 3 ? test_random(&seed) % bound : bound - 1;
    return lanes(x, multiple);
}

/* Any value, limbs below 2^52 after carries, to the element. */
static fp lane_of(const fp8 *a, unsigned lane)
{
    fp sum = FP_ZERO, limb, power, two;
    fp8 t = *a;
    uint64_t l[FP8_LIMBS][FP8_LANES];
    const uint64_t bits = FP8_BITS;
    fp8_carry(&t);
    memcpy(l, &t, sizeof l);
    fp_from_u64(&two, 2);
    fp_pow(&power, &two, &bits, 1);
    for (int i = FP8_LIMBS; i-- > 0;) {
        fp_from_u64(&limb, l[i][lane]);
        fp_mul(&sum, &sum, &power);
        fp_add(&sum, &sum, &limb);
    }
    fp_from_mont(&sum, &sum); /* the integer itself, as lanes hold Montgomery's */
    return sum;
}

static void expect(const fp8 *got, unsigned lane, const fp *want)
{
    const fp value = lane_of(got, lane);
    assert_memory_equal(&value, want, sizeof value);
}

/* a / 2^32: what a product of lanes is off from one of single elements. */
static void lower(fp *a)
{
    static fp factor;
    if (fp_is_zero(&factor)) {
        fp_from_u64(&factor, UINT64_C(1) << 32);
        fp_inv(&factor, &factor);
    }
    fp_mul(a, a, &factor);
}

static void expect_product(const fp8 *got, unsigned lane, const fp *a, const fp *b)
{
    fp want;
    fp_mul(&want, a, b);
    lower(&want);
    expect(got, lane, &want);
}

static void products(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        fp x[FP8_LANES], y[FP8_LANES];
        fill(x);
        fill(y);
        const fp8 a = lanes_below(x, round % 2 ? 1 : 4096), b = lanes_below(y, round % 2 ? 2 : 4095);
        fp8 out, loose, square, in_place = a;
        fp8_mul(&out, &a, &b);
        assert_true(fp8_is_below(&out, FP8_BELOW(2)));
        fp8_mul_loose(&loose, &a, &b);
        fp8_carry(&loose);
        assert_memory_equal(&out, &loose, sizeof out);
        fp8_mul(&in_place, &in_place, &b);
        assert_memory_equal(&out, &in_place, sizeof out);
        fp8_sqr_loose(&square, &a);
        fp8_carry(&square);
        assert_true(fp8_is_below(&square, FP8_BELOW(2)));
        for (unsigned l = 0; l < FP8_LANES; l++) {
            expect_product(&out, l, x + l, y + l);
            expect_product(&square, l, x + l, x + l);
        }
    }
}

static void sums_of_two_products(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        fp x[4][FP8_LANES];
        fp8 a[4], out;
        for (int i = 0; i < 4; i++) {
            fill(x[i]);
            a[i] = lanes_below(x[i], i % 2 ? 4096 : 2047);
        }
        fp8_mul2_loose(&out, a, a + 1, a + 2, a + 3);
        fp8_carry(&out);
        assert_true(fp8_is_below(&out, FP8_BELOW(2)));
        for (unsigned l = 0; l < FP8_LANES; l++) {
            fp want, t;
            fp_mul(&want, x[0] + l, x[1] + l);
            fp_mul(&t, x[2] + l, x[3] + l);
            fp_add(&want, &want, &t);
            lower(&want);
            expect(&out, l, &want);
        }
    }
}

static void linear_functions(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        fp x[FP8_LANES], y[FP8_LANES], want;
        fill(x);
        fill(y);
        const fp8 a = lanes_below(x, 4), b = lanes_below(y, 2);
        const fp8 near = lanes_below(y, 1);
        const __mmask8 mask = (__mmask8)test_random(&seed);
        fp8 difference, sum, negated, blended = a;
        fp8_sub(&difference, &a, &b);
        fp8_add(&sum, &a, &b);
        fp8_negate_some(&negated, mask, &near);
        fp8_blend(&blended, mask, &b);
        for (unsigned l = 0; l < FP8_LANES; l++) {
            const bool in = mask >> l & 1;
            fp_sub(&want, x + l, y + l);
            expect(&difference, l, &want);
            fp_add(&want, x + l, y + l);
            expect(&sum, l, &want);
            want = y[l];
            if (in)
                fp_neg(&want, &want);
            expect(&negated, l, &want);
            expect(&blended, l, in ? y + l : x + l);
        }
        for (unsigned bits = 1; bits < 34; bits += 5) {
            fp power;
            fp8 shifted;
            fp8_shift(&shifted, &a, bits);
            fp_from_u64(&power, UINT64_C(1) << bits);
            for (unsigned l = 0; l < FP8_LANES; l++) {
                fp_mul(&want, x + l, &power);
                expect(&shifted, l, &want);
            }
        }
    }
}

/* a - b - c for products and near values: from -2 p to 2 p. */
static void reduction_gives_near_values(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        fp x[FP8_LANES], y[FP8_LANES], z[FP8_LANES], want;
        fill(x);
        fill(y);
        fill(z);
        const fp8 b = lanes_below(y, 1), c = lanes_below(z, 1);
        fp8 a = lanes_below(x, 2);
        if (round % 4 == 0)
            memset(&a, 0, sizeof a);
        fp8 out;
        fp8_sub_loose(&out, &a, &b);
        if (round % 4 < 2)
            fp8_sub_loose(&out, &out, &c);
        fp8_reduce(&out);
        assert_true(fp8_is_below(&out, FP8_NEAR));
        for (unsigned l = 0; l < FP8_LANES; l++) {
            fp_sub(&want, round % 4 ? x + l : &FP_ZERO, y + l);
            if (round % 4 < 2)
                fp_sub(&want, &want, z + l);
            expect(&out, l, &want);
            fp got;
            fp8_get_lane(&got, &out, l);
            assert_memory_equal(&got, &want, sizeof got);
        }
    }
}

static void suspects_are_found(void **state)
{
    (void)state;
    fp x[FP8_LANES], y[FP8_LANES];
    for (unsigned l = 0; l < FP8_LANES; l++) {
        test_random_fp(x + l, &seed);
        x[l].l[FP_LIMBS - 1] = 0; /* so that x + p may stand for it, near */
        y[l] = x[l];
    }
    /* x against x, against x + p, and x + p against x */
    const uint64_t none[FP8_LANES] = {0}, one[FP8_LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
    const fp8 a = lanes(x, none), b = lanes(y, one), zero = {{_mm512_setzero_si512()}};
    fp8 d;
    fp8_sub(&d, &a, &a);
    assert_int_equal(fp8_perhaps_equal(&d), 0xff);
    fp8_sub(&d, &a, &b);
    assert_int_equal(fp8_perhaps_equal(&d), 0xff);
    fp8_sub(&d, &b, &a);
    assert_int_equal(fp8_perhaps_equal(&d), 0xff);
    assert_int_equal(fp8_perhaps_zero(&zero), 0xff);
    assert_int_equal(fp8_zero_lanes(&zero), 0xff);
    y[3].l[0] ^= 1;
    const fp8 c = lanes(y, none);
    fp8_sub(&d, &a, &c);
    assert_int_equal(fp8_perhaps_equal(&d), 0xff & ~8);
    assert_int_equal(fp8_perhaps_zero(&a) | fp8_zero_lanes(&a), 0);
}

static void inverses(void **state)
{
    (void)state;
    fp factor;
    fp_from_u64(&factor, UINT64_C(1) << 48);
    for (int round = 0; round < ROUNDS / 10; round++) {
        fp x[FP8_LANES], y[FP8_LANES];
        do {
            fill(x);
            fill(y);
        } while (fp_is_zero(x) || fp_is_zero(y));
        for (int l = 0; l < FP8_LANES; l++) {
            if (fp_is_zero(x + l))
                x[l] = x[0];
            if (fp_is_zero(y + l))
                y[l] = y[0];
        }
        fp8 a = lanes_below(x, 2);
        fp2_8 b = {lanes_below(x, 2), lanes_below(y, 2)};
        fp8_invert(&a);
        fp2_8_invert(&b);
        assert_true(fp8_is_below(&a, FP8_NEAR));
        for (unsigned l = 0; l < FP8_LANES; l++) {
            fp want;
            fp_inv(&want, x + l);
            fp_mul(&want, &want, &factor);
            expect(&a, l, &want);
            fp2 pair = {x[l], y[l]};
            fp2_inv(&pair, &pair);
            fp2_mul_fp(&pair, &pair, &factor);
            expect(&b.c0, l, &pair.c0);
            expect(&b.c1, l, &pair.c1);
        }
    }
}

static void products_in_fp2(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        fp x[4][FP8_LANES];
        for (int i = 0; i < 4; i++)
            fill(x[i]);
        const fp2_8 a = {lanes_below(x[0], 256), lanes_below(x[1], 256)};
        const fp2_8 b = {lanes_below(x[2], 8), lanes_below(x[3], 8)};
        fp2_8 product, square, triple;
        const fp2_8 near = {lanes_below(x[0], 1), lanes_below(x[1], 1)};
        fp2_8_mul(&product, &a, &b);
        fp2_8_sqr_loose(&square, &a);
        fp2_8_sqr3_shifted(&triple, &near);
        assert_true(fp8_is_below(&product.c0, FP8_BELOW(2)) && fp8_is_below(&product.c1, FP8_BELOW(2)));
        for (unsigned l = 0; l < FP8_LANES; l++) {
            const fp2 u = {x[0][l], x[1][l]}, v = {x[2][l], x[3][l]};
            fp2 want, once;
            fp2_mul(&want, &u, &v);
            lower(&want.c0);
            lower(&want.c1);
            expect(&product.c0, l, &want.c0);
            expect(&product.c1, l, &want.c1);
            fp2_sqr(&once, &u);
            want = once;
            lower(&want.c0);
            lower(&want.c1);
            expect(&square.c0, l, &want.c0);
            expect(&square.c1, l, &want.c1);
            fp2_double(&want, &once); /* three squares, the 2^32 made up for */
            fp2_add(&want, &want, &once);
            expect(&triple.c0, l, &want.c0);
            expect(&triple.c1, l, &want.c1);
        }
    }
}

static void rows_and_encodings(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        fp x[FP8_LANES], back;
        fp_row rows[FP8_LANES], again[FP8_LANES];
        uintptr_t from[FP8_LANES], to[FP8_LANES];
        uint8_t bytes[FP_BYTES];
        fp8 columns;
        fill(x);
        for (unsigned l = 0; l < FP8_LANES; l++) {
            fp_to_row(rows + l, x + l);
            from[l] = (uintptr_t)(rows + l);
            to[l] = (uintptr_t)(again + l);
            fp_from_row(&back, rows + l);
            assert_memory_equal(&back, x + l, sizeof back);
            fp_neg_row(again + l, rows + l);
            fp_from_row(&back, again + l);
            fp_neg(&back, &back);
            assert_memory_equal(&back, x + l, sizeof back);
        }
        fp8_load(&columns, from);
        for (unsigned l = 0; l < FP8_LANES; l++) {
            expect(&columns, l, x + l);
            fp8_set_lane(&columns, l, x + (l ^ 1));
            fp8_get_lane(&back, &columns, l);
            assert_memory_equal(&back, x + (l ^ 1), sizeof back);
            fp8_set_lane(&columns, l, x + l);
        }
        fp8_store(to, &columns);
        assert_memory_equal(rows, again, sizeof rows);

        fp plain;
        fp_write_be(bytes, x);
        fp_from_mont(&plain, x);
        bytes[0] |= (uint8_t)(test_random(&seed) & 0xe0); /* flags */
        fp_row row;
        _mm512_store_si512((void *)row.l, fp8_row_be(bytes));
        fp_from_row(&back, &row);
        assert_memory_equal(&back, &plain, sizeof back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),           cmocka_unit_test(sums_of_two_products),
        cmocka_unit_test(linear_functions),   cmocka_unit_test(reduction_gives_near_values),
        cmocka_unit_test(suspects_are_found), cmocka_unit_test(inverses),
        cmocka_unit_test(products_in_fp2),    cmocka_unit_test(rows_and_encodings),
    };
    if (!cpu_supports(CPU_IFMA))
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
