/* The kernels' arithmetic, compiled for the host, against the fields and curves of the CPU: random and edge
 * values, lazily reduced operands, equal, opposite and infinite points.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve_testing.h"

#include "backend/cuda/msm_sum.h"
#include "cuda_field_host.h"

#define ROUNDS 2000

static const fr *fr_value(fr *room, unsigned i, uint64_t *state)
{
    static const fr ONE = {{1}};
    *room = FR_ZERO;
    if (i == 1)
        *room = FR_ONE;
    else if (i == 2)
        *room = ONE;
    else if (i == 3)
        fr_neg(room, &ONE); /* r - 1 */
    else if (i > 3)
        test_random_fr(room, state);
    return room;
}

static void scalar_field(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (unsigned i = 0; i < ROUNDS; i++) {
        fr a, b, want, got;
        fr_value(&a, i < 64 ? i / 8 : 9, &state);
        fr_value(&b, i < 64 ? i % 8 : 9, &state);
        fr_add(&want, &a, &b);
        host_fr(&got, HOST_FR_ADD, &a, &b);
        assert_memory_equal(&got, &want, sizeof got);
        fr_sub(&want, &a, &b);
        host_fr(&got, HOST_FR_SUB, &a, &b);
        assert_memory_equal(&got, &want, sizeof got);
        fr_mul(&want, &a, &b);
        host_fr(&got, HOST_FR_MUL, &a, &b);
        assert_memory_equal(&got, &want, sizeof got);
        fr_sqr(&want, &a);
        host_fr(&got, HOST_FR_SQR, &a, &b);
        assert_memory_equal(&got, &want, sizeof got);
        fr_neg(&want, &a);
        host_fr(&got, HOST_FR_NEG, &a, &b);
        assert_memory_equal(&got, &want, sizeof got);
        fr_from_mont(&want, &a);
        host_fr(&got, HOST_FR_FROM, &a, &b);
        assert_memory_equal(&got, &want, sizeof got);
        fr_to_mont(&want, &a);
        host_fr(&got, HOST_FR_TO, &a, &b);
        assert_memory_equal(&got, &want, sizeof got);
    }
}

/* The product takes any 256 bits on its left. */
static void scalar_product_of_unreduced(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    for (unsigned i = 0; i < ROUNDS; i++) {
        fr a, reduced, b, want, got;
        for (int j = 0; j < FR_LIMBS; j++)
            a.l[j] = i == 0 ? UINT64_MAX : test_random(&state);
        fr_value(&b, i < 8 ? i : 9, &state);
        reduced = a;
        while (!fr_is_canonical(&reduced)) {
            uint64_t borrow = 0;
            for (int j = 0; j < FR_LIMBS; j++) {
                const u128 d = (u128)reduced.l[j] - FR_MODULUS.l[j] - borrow;
                reduced.l[j] = (uint64_t)d;
                borrow = (uint64_t)(d >> 64) & 1;
            }
        }
        fr_mul(&want, &reduced, &b);
        host_fr(&got, HOST_FR_MUL, &a, &b);
        assert_memory_equal(&got, &want, sizeof got);
    }
}

static void fp_value(fp *out, unsigned i, uint64_t *state)
{
    static const fp ONE = {{1}};
    *out = FP_ZERO;
    if (i == 1)
        *out = FP_ONE;
    else if (i == 2)
        *out = ONE;
    else if (i == 3)
        fp_neg(out, &ONE);
    else if (i > 3)
        test_random_fp(out, state);
}

static void base_field(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned lift = i % 5;
        fp a, b, want, part, got;
        fp_value(&a, i < 320 ? i / 40 : 9, &state);
        fp_value(&b, i < 320 ? i / 5 % 8 : 9, &state);
        fp_add(&want, &a, &b);
        host_fp(&got, HOST_FP_ADD, &a, &b, lift);
        assert_memory_equal(&got, &want, sizeof got);
        fp_sub(&want, &a, &b);
        host_fp(&got, HOST_FP_SUB, &a, &b, lift);
        assert_memory_equal(&got, &want, sizeof got);
        fp_neg(&want, &a);
        host_fp(&got, HOST_FP_NEG, &a, &b, lift);
        assert_memory_equal(&got, &want, sizeof got);
        fp_mul(&want, &a, &b);
        host_fp(&got, HOST_FP_MUL, &a, &b, lift);
        assert_memory_equal(&got, &want, sizeof got);
        fp_sqr(&part, &a);
        host_fp(&got, HOST_FP_SQR, &a, &b, lift);
        assert_memory_equal(&got, &part, sizeof got);
        fp_add(&want, &want, &part);
        host_fp_mul_add(&got, &a, &b, &a, &a, lift);
        assert_memory_equal(&got, &want, sizeof got);
        assert_int_equal(host_fp_vanishes(&a, lift), fp_is_zero(&a));
        if (i % 40 < 5) {
            fp_inv(&want, &a);
            host_fp(&got, HOST_FP_INV, &a, &b, lift);
            assert_memory_equal(&got, &want, sizeof got);
        }
    }
}

/* A product's left side just below 8 p, its right one with a full word where the reduction changes: the sum
 * in between passes 2^416. */
static void the_largest_left_sides(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    for (unsigned i = 0; i < 20 * ROUNDS; i++) {
        fp a, b, want, got;
        fp small = FP_ZERO;
        small.l[FP_LIMBS - 1] = test_random(&state) >> (8 + i % 50);
        fp_neg(&a, &small);
        test_random_fp(&b, &state);
        b.l[FP_LIMBS - 1] = UINT64_C(0x1a0111e9ffffffff);
        fp_mul(&want, &a, &b);
        host_fp(&got, HOST_FP_MUL_LEFT, &a, &b, 7);
        assert_memory_equal(&got, &want, sizeof got);
    }
}

static void quadratic_field(void **unused)
{
    (void)unused;
    uint64_t state = 4;
    for (unsigned i = 0; i < ROUNDS; i++) {
        fp2 a, b, want, got;
        fp_value(&a.c0, i < 256 ? i % 4 : 9, &state);
        fp_value(&a.c1, i < 256 ? i / 4 % 4 : 9, &state);
        fp_value(&b.c0, i < 256 ? i / 16 % 4 : 9, &state);
        fp_value(&b.c1, i < 256 ? i / 64 : 9, &state);
        fp2_mul(&want, &a, &b);
        host_fp2_mul(&got, &a, &b);
        assert_memory_equal(&got, &want, sizeof got);
        fp2_sqr(&want, &a);
        host_fp2_sqr(&got, &a);
        assert_memory_equal(&got, &want, sizeof got);
    }
}

/* Sums of a few multiples of one point: doublings and cancellations come up all the time. */
static void sums_in_g1(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    uint8_t sums[4][XYZZ_G1_BYTES] = {{0}};
    g1 want[4], got;
    g1_affine points[4] = {{.x = FP_ZERO}};
    g1 p;
    g1_from_affine(&p, &G1_GENERATOR);
    for (int i = 1; i < 4; i++) {
        g1_to_affine(&points[i], &p);
        g1_double(&p, &p);
    }
    for (int i = 0; i < 4; i++)
        g1_set_infinity(&want[i]);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const size_t to = test_random(&state) % 4, from = test_random(&state) % 4;
        const uint64_t op = test_random(&state) % 5;
        g1_affine point = points[from];
        if (op == 0)
            fp_neg(&point.y, &point.y);
        if (op < 3) {
            host_add_affine(1, sums[to], &point);
            g1_add_affine(&want[to], &want[to], &point);
        } else if (op == 3) {
            host_add(1, sums[to], sums[from]);
            g1_add(&want[to], &want[to], &want[from]);
        } else {
            host_double(1, sums[to]);
            g1_double(&want[to], &want[to]);
        }
        if (i % 16 == 15) { /* keep the multiples few */
            memset(sums[from], 0, sizeof sums[from]);
            g1_set_infinity(&want[from]);
        }
        xyzz_read(1, &got, sums[to]);
        assert_true(g1_equal(&got, &want[to]));
        g1_affine affine[2];
        host_to_affine(1, &affine[0], sums[to]);
        g1_to_affine(&affine[1], &got);
        assert_memory_equal(&affine[0], &affine[1], sizeof affine[0]);
    }
}

static void sums_in_g2(void **unused)
{
    (void)unused;
    uint64_t state = 6;
    uint8_t sums[4][XYZZ_G2_BYTES] = {{0}};
    g2 want[4], got;
    g2_affine points[4] = {{.x.c0 = FP_ZERO}};
    g2 p;
    g2_from_affine(&p, &G2_GENERATOR);
    for (int i = 1; i < 4; i++) {
        g2_to_affine(&points[i], &p);
        g2_double(&p, &p);
    }
    for (int i = 0; i < 4; i++)
        g2_set_infinity(&want[i]);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const size_t to = test_random(&state) % 4, from = test_random(&state) % 4;
        const uint64_t op = test_random(&state) % 5;
        g2_affine point = points[from];
        if (op == 0)
            fp2_neg(&point.y, &point.y);
        if (op < 3) {
            host_add_affine(2, sums[to], &point);
            g2_add_affine(&want[to], &want[to], &point);
        } else if (op == 3) {
            host_add(2, sums[to], sums[from]);
            g2_add(&want[to], &want[to], &want[from]);
        } else {
            host_double(2, sums[to]);
            g2_double(&want[to], &want[to]);
        }
        if (i % 16 == 15) {
            memset(sums[from], 0, sizeof sums[from]);
            g2_set_infinity(&want[from]);
        }
        xyzz_read(2, &got, sums[to]);
        assert_true(g2_equal(&got, &want[to]));
        g2_affine affine[2];
        host_to_affine(2, &affine[0], sums[to]);
        g2_to_affine(&affine[1], &got);
        assert_memory_equal(&affine[0], &affine[1], sizeof affine[0]);
    }
}

/* Buckets of uneven windows, folded level by level as struct msm_halve_args says. */
static void windows_add_up(void **unused)
{
    (void)unused;
    enum { BUCKETS = 4 + 8 + 4, LEVELS = 2, MOST = 2 * BUCKETS };
    static const uint32_t FIRST[] = {0, 4, 12, BUCKETS};
    static uint8_t sums[LEVELS + 1][MOST][XYZZ_G1_BYTES];
    uint64_t state = 12;
    fr total = FR_ZERO, by_bit = FR_ZERO;
    for (uint32_t w = 0; w < 3; w++)
        for (uint32_t i = FIRST[w]; i < FIRST[w + 1]; i++) {
            const uint64_t points = test_random(&state) % 5, digit = i - FIRST[w] + 1;
            const unsigned offset = w == 0 ? 0 : w == 1 ? 3 : 7;
            fr term;
            for (uint64_t j = 0; j < points; j++)
                host_add_affine(1, sums[0][i], &G1_GENERATOR);
            fr_from_u64(&term, points * digit << offset);
            fr_add(&total, &total, &term);
            fr_from_u64(&term, w == 1 && (digit - 1) & 4 ? points : 0);
            fr_add(&by_bit, &by_bit, &term);
        }
    for (uint32_t level = 0; level < LEVELS; level++) {
        const uint32_t pairs = (level + 1) * (BUCKETS >> level) / 2, half = BUCKETS >> (level + 1);
        for (uint32_t p = 0; p < pairs; p++) {
            uint8_t *out = sums[level + 1][p < half ? p : p + half];
            memcpy(out, sums[level][2 * p], XYZZ_G1_BYTES);
            host_add(1, out, sums[level][2 * p + 1]);
            if (p < half)
                memcpy(sums[level + 1][p + half], sums[level][2 * p + 1], XYZZ_G1_BYTES);
        }
    }
    const struct xyzz_folded folded = {
        .group = 1, .levels = LEVELS, .segments = 3, .first_bucket = FIRST, .sums = sums[LEVELS][0]};
    g1 got, want, generator;
    g1_from_affine(&generator, &G1_GENERATOR);
    g1_mul(&want, &generator, &total);
    xyzz_windows(&got, &folded, 0, 3);
    assert_true(g1_equal(&got, &want));
    g1_mul(&want, &generator, &by_bit);
    xyzz_bit(&got, &folded, 1, 2); /* above the levels: within the sums themselves */
    assert_true(g1_equal(&got, &want));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_field),    cmocka_unit_test(scalar_product_of_unreduced),
        cmocka_unit_test(base_field),      cmocka_unit_test(the_largest_left_sides),
        cmocka_unit_test(quadratic_field), cmocka_unit_test(sums_in_g1),
        cmocka_unit_test(sums_in_g2),      cmocka_unit_test(windows_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
