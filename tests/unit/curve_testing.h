/* tests/unit/curve_testing.h - random elements and points for the tests of curves and extension fields.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_TESTING_H
#define CURVE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "curve/group.h"

/* Numbers that look random, the same in each run. (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable
 * pseudorandom number generators", 2014.) */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline void test_random_fp(fp *out, uint64_t *state)
{
    do {
        for (int i = 0; i < FP_LIMBS; i++)
            out->l[i] = test_random(state);
        out->l[FP_LIMBS - 1] &= (UINT64_C(1) << (FP_BITS - 320)) - 1;
    } while (!fp_is_canonical(out));
}

static inline void test_random_fp2(fp2 *out, uint64_t *state)
{
    test_random_fp(&out->c0, state);
    test_random_fp(&out->c1, state);
}

static inline void test_random_fr(fr *out, uint64_t *state)
{
    do {
        for (int i = 0; i < FR_LIMBS; i++)
            out->l[i] = test_random(state);
        out->l[FR_LIMBS - 1] &= (UINT64_C(1) << (FR_BITS - 192)) - 1;
    } while (!fr_is_canonical(out));
}

/* A random point of the curve; one in the subgroup only by unlikely chance. */
static inline void test_random_g1_curve(g1_affine *out, uint64_t *state)
{
    fp b, yy;
    fp_from_u64(&b, 4);
    do {
        test_random_fp(&out->x, state);
        fp_sqr(&yy, &out->x);
        fp_mul(&yy, &yy, &out->x);
        fp_add(&yy, &yy, &b);
    } while (!fp_sqrt(&out->y, &yy));
    if (test_random(state) & 1)
        fp_neg(&out->y, &out->y);
}

static inline void test_random_g2_curve(g2_affine *out, uint64_t *state)
{
    fp2 b, yy;
    fp_from_u64(&b.c0, 4);
    fp_from_u64(&b.c1, 4);
    do {
        test_random_fp2(&out->x, state);
        fp2_sqr(&yy, &out->x);
        fp2_mul(&yy, &yy, &out->x);
        fp2_add(&yy, &yy, &b);
    } while (!fp2_sqrt(&out->y, &yy));
    if (test_random(state) & 1)
        fp2_neg(&out->y, &out->y);
}

/* A random point of the subgroup, with a random Z. */
static inline void test_random_g1(g1 *out, uint64_t *state)
{
    g1 base;
    fr k;
    test_random_fr(&k, state);
    g1_from_affine(&base, &G1_GENERATOR);
    g1_mul(out, &base, &k);
}

static inline void test_random_g2(g2 *out, uint64_t *state)
{
    g2 base;
    fr k;
    test_random_fr(&k, state);
    g2_from_affine(&base, &G2_GENERATOR);
    g2_mul(out, &base, &k);
}

/* size bytes from twice as many hexadecimal digits */
static inline void test_unhex(uint8_t *out, const char *hex, size_t size)
{
    assert_int_equal(strlen(hex), 2 * size);
    for (size_t i = 0; i < size; i++) {
        unsigned byte = 0;
        for (size_t j = 2 * i; j < 2 * i + 2; j++) {
            const char c = hex[j];
            assert_true((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
            byte = byte << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
        out[i] = (uint8_t)byte;
    }
}

#endif
