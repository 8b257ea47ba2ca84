/* Eight lanes of Fr against the portable functions, with random values and those at the ends of the bounds.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "field/fr8.h"

#define ROUNDS 300
#define MOST   35 /* r so many times is below 2^260 */

static uint64_t seed = 1;

static uint64_t next(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return seed ^ seed >> 31;
}

/* 0, 1, r - 1, r - 2, Montgomery's one, its negative, or anything below r. */
static fr element(unsigned kind)
{
    fr x = FR_ZERO;
    switch (kind) {
    case 0:
        break;
    case 1:
        x.l[0] = 1;
        break;
    case 2:
    case 3:
        x = FR_MODULUS;
        x.l[0] -= kind - 1;
        break;
    case 4:
        x = FR_ONE;
        break;
    case 5:
        fr_neg(&x, &FR_ONE);
        break;
    default:
        do {
            for (int i = 0; i < FR_LIMBS; i++)
                x.l[i] = next();
            x.l[FR_LIMBS - 1] >>= 1;
        } while (!fr_is_canonical(&x));
    }
    return x;
}

static void fill(fr a[FR8_LANES])
{
    for (int i = 0; i < FR8_LANES; i++)
        a[i] = element((unsigned)(next() >> 40) % 12);
}

/* Lane i with multiple[i] * r more; the values stay below 2^260 for multiples below MOST. */
static fr8 with_multiples(fr8 a, const unsigned multiple[FR8_LANES])
{
    for (int k = 0; k < FR8_LIMBS; k++) {
        uint64_t limb[FR8_LANES];
        _mm512_storeu_si512(limb, a.l[k]);
        for (int i = 0; i < FR8_LANES; i++)
            limb[i] += multiple[i] * FR52_MODULUS.l[k];
        a.l[k] = _mm512_loadu_si512(limb);
    }
    return a;
}

static fr8 with_up_to(fr8 a, unsigned most)
{
    unsigned multiple[FR8_LANES];
    for (int i = 0; i < FR8_LANES; i++)
        multiple[i] = next() >> 63 ? most : (unsigned)(next() >> 40) % (most + 1);
    return with_multiples(a, multiple);
}

/* The same value with limbs out of their range, some negative. */
static fr8 made_lazy(fr8 a)
{
    for (int k = 0; k + 1 < FR8_LIMBS; k++) {
        uint64_t more[FR8_LANES];
        for (int i = 0; i < FR8_LANES; i++)
            more[i] = (next() >> 56) - 128;
        const __m512i carry = _mm512_loadu_si512(more);
        a.l[k] = _mm512_sub_epi64(a.l[k], _mm512_slli_epi64(carry, 52));
        a.l[k + 1] = _mm512_add_epi64(a.l[k + 1], carry);
    }
    return a;
}

static void check(const fr8 *got, const fr want[FR8_LANES])
{
    fr out[FR8_LANES];
    fr8_store(out, 1, got);
    assert_memory_equal(out, want, sizeof out);
}

static uint64_t first_lane(__m512i x)
{
    return (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(x));
}

static void memory_and_back(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fr a[3 * FR8_LANES] = {0}, b[3 * FR8_LANES] = {0};
        const size_t stride = 1 + round % 3;
        for (size_t i = 0; i < FR8_LANES; i++)
            for (int k = 0; k < FR_LIMBS; k++)
                a[i * stride].l[k] = round == 0 ? UINT64_MAX : next();
        const fr8 v = fr8_load(a, stride);
        fr8_store(b, stride, &v);
        assert_memory_equal(a, b, sizeof a);
    }
}

static void every_multiple_of_the_modulus_goes(void **state)
{
    (void)state;
    for (unsigned multiple = 0; multiple < MOST; multiple++) {
        for (unsigned kind = 0; kind < 8; kind++) {
            fr a[FR8_LANES];
            unsigned multiples[FR8_LANES];
            for (int i = 0; i < FR8_LANES; i++) {
                a[i] = element(kind);
                multiples[i] = multiple;
            }
            const fr8 v = made_lazy(with_multiples(fr8_load(a, 1), multiples));
            const fr8 least = fr8_canonical(v), small = fr8_shrink(v);
            check(&least, a);
            assert_true(fr8_below(small, 2));
            const fr8 again = fr8_canonical(small);
            check(&again, a);
            const fr8 kept = fr8_take_off(fr8_carry(v), multiple), kept_least = fr8_canonical(kept);
            check(&kept_least, a);
            assert_true(fr8_below(kept, multiple ? multiple + 1 : 1));
        }
    }
}

static void sums_and_differences(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fr a[FR8_LANES], b[FR8_LANES], sum[FR8_LANES], difference[FR8_LANES];
        fill(a);
        fill(b);
        for (int i = 0; i < FR8_LANES; i++) {
            fr_add(&sum[i], &a[i], &b[i]);
            fr_sub(&difference[i], &a[i], &b[i]);
        }
        const fr8 x = made_lazy(fr8_load(a, 1)), y = made_lazy(with_up_to(fr8_load(b, 1), 16));
        const fr8 s = fr8_canonical(fr8_add(x, y));
        const fr8 d = fr8_canonical(fr8_sub(fr8_add_modulus(x, 17), y));
        check(&s, sum);
        check(&d, difference);
    }
}

static void products(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fr a[FR8_LANES], b[FR8_LANES], want[FR8_LANES];
        fill(a);
        fill(b);
        for (int i = 0; i < FR8_LANES; i++)
            fr_mul_portable(&want[i], &a[i], &b[i]);
        const fr8 x = fr8_ripple(made_lazy(with_up_to(fr8_load(a, 1), MOST - 1)));
        const fr8 factor = fr8_canonical(fr8_factor(fr8_load(b, 1)));
        const fr8 product = fr8_mul(&x, &factor), least = fr8_canonical(product);
        check(&least, want);
        assert_true(fr8_below(fr8_carry(product), 2));
        const fr8 large = fr8_ripple(with_up_to(fr8_load(a, 1), MOST - 2)); /* both as large as may be */
        const fr8 y = fr8_ripple(with_up_to(factor, MOST - 2)), largest = fr8_canonical(fr8_mul(&large, &y));
        check(&largest, want);
    }
}

static void squares(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fr a[FR8_LANES], got[FR8_LANES];
        fill(a);
        const fr8 x =
            fr8_ripple(with_up_to(fr8_canonical(fr8_factor(fr8_load(a, 1))), round % 2 ? 1 : MOST - 2));
        const fr8 square = fr8_sqr(&x);
        assert_true(fr8_below(fr8_carry(square), round % 2 ? 2 : MOST));
        fr8_store_factor(got, 1, fr8_shrink(square));
        for (int i = 0; i < FR8_LANES; i++) {
            fr want;
            fr_mul_portable(&want, &a[i], &a[i]);
            assert_true(fr_equal(&got[i], &want));
        }
    }
}

static void sums_of_products(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 17; n++) {
        for (unsigned round = 0; round < 20; round++) {
            fr want[FR8_LANES] = {0};
            fr8_sum t = fr8_sum_zero();
            for (unsigned k = 0; k < n; k++) {
                fr a[FR8_LANES], b[FR8_LANES], p;
                fill(a);
                fill(b);
                for (int i = 0; i < FR8_LANES; i++) {
                    fr_mul_portable(&p, &a[i], &b[i]);
                    fr_add(&want[i], &want[i], &p);
                }
                const fr8 x = fr8_ripple(made_lazy(with_up_to(fr8_load(a, 1), 3)));
                const fr8 y = fr8_canonical(fr8_factor(fr8_load(b, 1)));
                fr8_accumulate(&t, &x, &y);
            }
            const fr8 sum = fr8_sum_reduce(&t), least = fr8_canonical(sum);
            check(&least, want);
            assert_true(fr8_below(fr8_carry(sum), 4 * n / MOST + 2));
        }
    }
}

static void products_with_constants(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fr a[FR8_LANES], w[FR8_LANES], want[FR8_LANES], one[FR8_LANES];
        fill(a);
        fill(w);
        for (int i = 0; i < FR8_LANES; i++) {
            fr_mul_portable(&want[i], &a[i], &w[i]);
            fr_mul_portable(&one[i], &a[i], &w[0]);
        }
        const fr8 x = fr8_ripple(made_lazy(with_up_to(fr8_load(a, 1), MOST - 1)));
        const fr8 factor = fr8_factor(fr8_load(w, 1));
        const fr8_constant constant = fr8_constant_of(&factor);
        const fr8 product = fr8_mul_constant(&x, &constant), least = fr8_canonical(product);
        check(&least, want);
        assert_true(fr8_below(fr8_carry(product), 2));

        fr52_constant scalar;
        fr52_constant_of(&scalar, &w[0]);
        const fr8_constant all = fr8_constant_broadcast(&scalar);
        for (int k = 0; k < FR8_LIMBS; k++) { /* both ways give the same */
            assert_int_equal(scalar.value.l[k], first_lane(constant.value.l[k]));
            assert_int_equal(scalar.ratio.l[k], first_lane(constant.ratio.l[k]));
        }
        const fr8 shared = fr8_canonical(fr8_mul_constant(&x, &all));
        check(&shared, one);
    }
}

static void factors_go_back_to_memory(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fr a[FR8_LANES], got[2 * FR8_LANES];
        fill(a);
        const fr8 factor = fr8_canonical(fr8_factor(fr8_load(a, 1)));
        fr52 one;
        fr52_factor(&one, &a[0]);
        for (int k = 0; k < FR8_LIMBS; k++)
            assert_int_equal(one.l[k], first_lane(factor.l[k]));
        fr8_store_factor(got, 2, made_lazy(with_up_to(factor, 15)));
        for (int i = 0; i < FR8_LANES; i++)
            assert_true(fr_equal(&got[2 * i], &a[i]));
        fr *const to[FR8_LANES] = {got + 8, got, got + 12, got + 4, got + 2, got + 10, got + 6, got};
        memset(got, 0xff, sizeof got);
        fr8_scatter_factor(to, 1, made_lazy(with_up_to(factor, 15)));
        for (int i = 0; i < FR8_LANES; i++)
            assert_true(
                fr_equal(&to[i][1], &a[i == 1 ? FR8_LANES - 1 : i])); /* the same place: the last one */
        for (int i = 0; i < FR8_LANES; i++)
            assert_int_equal(got[2 * i].l[0], UINT64_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_and_back),
        cmocka_unit_test(every_multiple_of_the_modulus_goes),
        cmocka_unit_test(sums_and_differences),
        cmocka_unit_test(products),
        cmocka_unit_test(squares),
        cmocka_unit_test(sums_of_products),
        cmocka_unit_test(products_with_constants),
        cmocka_unit_test(factors_go_back_to_memory),
    };
    if (!cpu_supports(CPU_IFMA))
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
