/* field/fp.c - Fp beyond the ring operations: bytes, powers, inverses, roots.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "field/fp.h"

#include "field/inverse.h"

void fp_mul_portable(fp *out, const fp *a, const fp *b)
{
    uint64_t t[FP_LIMBS + 1] = {0}; /* the modulus has a spare top bit, so one extra limb does */
    for (int i = 0; i < FP_LIMBS; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < FP_LIMBS; j++) {
            u128 s = (u128)a->l[j] * b->l[i] + t[j] + carry;
            t[j] = (uint64_t)s;
            carry = (uint64_t)(s >> 64);
        }
        t[FP_LIMBS] += carry;
        const uint64_t m = t[0] * FP_INV;
        u128 s = (u128)m * FP_MODULUS.l[0] + t[0];
        carry = (uint64_t)(s >> 64);
        for (int j = 1; j < FP_LIMBS; j++) {
            s = (u128)m * FP_MODULUS.l[j] + t[j] + carry;
            t[j - 1] = (uint64_t)s;
            carry = (uint64_t)(s >> 64);
        }
        s = (u128)t[FP_LIMBS] + carry;
        t[FP_LIMBS - 1] = (uint64_t)s;
        t[FP_LIMBS] = (uint64_t)(s >> 64);
    }
    VERIFY(t[FP_LIMBS] == 0);
    memcpy(out->l, t, sizeof out->l);
    fp_reduce_once(out);
}

/* (p-3)/4; the square root of a square a is a^((p+1)/4), since p = 3 mod 4. */
static const uint64_t P_MINUS_3_OVER_4[FP_LIMBS] = {0xee7fbfffffffeaaa, 0x07aaffffac54ffff,
                                                    0xd9cc34a83dac3d89, 0xd91dd2e13ce144af,
                                                    0x92c6e9ed90d2eb35, 0x0680447a8e5ff9a6};

static const fp P_MINUS_1_OVER_2 = {{0xdcff7fffffffd555, 0x0f55ffff58a9ffff, 0xb39869507b587b12,
                                     0xb23ba5c279c2895f, 0x258dd3db21a5d66b, 0x0d0088f51cbff34d}};

void fp_from_u64(fp *out, uint64_t x)
{
    const fp plain = {{x}};
    fp_to_mont(out, &plain);
}

bool fp_read_le(fp *out, const uint8_t in[FP_BYTES])
{
    fp t;
    for (int i = 0; i < FP_LIMBS; i++) {
        uint64_t limb = 0;
        for (int j = 7; j >= 0; j--)
            limb = limb << 8 | in[8 * i + j];
        t.l[i] = limb;
    }
    if (!fp_is_canonical(&t))
        return false;
    fp_to_mont(out, &t);
    return true;
}

bool fp_read_be(fp *out, const uint8_t in[FP_BYTES])
{
    uint8_t swapped[FP_BYTES];
    for (int i = 0; i < FP_BYTES; i++)
        swapped[i] = in[FP_BYTES - 1 - i];
    return fp_read_le(out, swapped);
}

void fp_write_le(uint8_t out[FP_BYTES], const fp *a)
{
    fp t;
    fp_from_mont(&t, a);
    for (int i = 0; i < FP_BYTES; i++)
        out[i] = (uint8_t)(t.l[i / 8] >> (8 * (i % 8)));
}

void fp_write_be(uint8_t out[FP_BYTES], const fp *a)
{
    fp t;
    fp_from_mont(&t, a);
    for (int i = 0; i < FP_BYTES; i++)
        out[FP_BYTES - 1 - i] = (uint8_t)(t.l[i / 8] >> (8 * (i % 8)));
}

/* Four bits of the exponent at a time, highest first. */
void fp_pow(fp *out, const fp *base, const uint64_t *exponent, size_t n)
{
    fp power[16];
    power[0] = FP_ONE;
    for (int i = 1; i < 16; i++)
        fp_mul(&power[i], &power[i - 1], base);
    fp t = FP_ONE;
    bool started = false;
    for (size_t i = 16 * n; i-- > 0;) {
        const unsigned digit = (unsigned)(exponent[i / 16] >> (4 * (i % 16))) & 15;
        if (started) {
            for (int j = 0; j < 4; j++)
                fp_sqr(&t, &t);
        }
        if (digit != 0) {
            fp_mul(&t, &t, &power[digit]);
            started = true;
        }
    }
    *out = t;
}

void fp_inv(fp *out, const fp *a)
{
    /* 2^768 / (x 2^384) is 1/x in Montgomery form */
    inverse_mod(out->l, a->l, FP_R2.l, FP_MODULUS.l, FP_INV, FP_LIMBS);
}

void fp_inv_batch(fp *a, fp *scratch, size_t n)
{
    fp product = FP_ONE;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = product;
        if (!fp_is_zero(&a[i]))
            fp_mul(&product, &product, &a[i]);
    }
    fp_inv(&product, &product);
    for (size_t i = n; i-- > 0;) {
        if (fp_is_zero(&a[i]))
            continue;
        fp t;
        fp_mul(&t, &product, &scratch[i]);
        fp_mul(&product, &product, &a[i]);
        a[i] = t;
    }
}

bool fp_sqrt(fp *out, const fp *a)
{
    fp root, check;
    fp_pow(&root, a, P_MINUS_3_OVER_4, FP_LIMBS);
    fp_mul(&root, &root, a);
    fp_sqr(&check, &root);
    if (!fp_equal(&check, a))
        return false;
    *out = root;
    return true;
}

bool fp_inv_sqrt_either(fp *out, const fp *a)
{
    fp t, check;
    fp_pow(&t, a, P_MINUS_3_OVER_4, FP_LIMBS);
    fp_sqr(&check, &t);
    fp_mul(&check, &check, a);
    *out = t;
    return fp_equal(&check, &FP_ONE);
}

bool fp_is_large(const fp *a)
{
    fp plain;
    fp_from_mont(&plain, a);
    for (int i = FP_LIMBS - 1; i >= 0; i--) {
        if (plain.l[i] != P_MINUS_1_OVER_2.l[i])
            return plain.l[i] > P_MINUS_1_OVER_2.l[i];
    }
    return false;
}
