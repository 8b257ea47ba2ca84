/* field/fr.c - Fr beyond the ring operations: bytes, powers, inverses, roots, random elements.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "field/fr.h"

#include <errno.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/memory.h"
#include "field/inverse.h"

const fr FR_GENERATOR = {{0x0000000efffffff1, 0x17e363d300189c0f, 0xff9c57876f8457b0, 0x351332208fc5a8c4}};
const fr FR_ROOT_OF_UNITY = {
    {0xb9b58d8c5f0e466a, 0x5b1b4c801819d7ec, 0x0af53ae352a31e64, 0x5bf3adda19e9b27b}};

/* (t-1)/2 where r - 1 = 2^32 t */
static const uint64_t HALF_ODD_PART[FR_LIMBS] = {0x7fff2dff7fffffff, 0x04d0ec02a9ded201, 0x94cebea4199cec04,
                                                 0x0000000039f6d3a9};

void fr_from_u64(fr *out, uint64_t x)
{
    const fr plain = {{x}};
    fr_to_mont(out, &plain);
}

bool fr_read_le(fr *out, const uint8_t in[FR_BYTES])
{
    fr t;
    for (int i = 0; i < FR_LIMBS; i++) {
        uint64_t limb = 0;
        for (int j = 7; j >= 0; j--)
            limb = limb << 8 | in[8 * i + j];
        t.l[i] = limb;
    }
    if (!fr_is_canonical(&t))
        return false;
    fr_to_mont(out, &t);
    return true;
}

bool fr_read_be(fr *out, const uint8_t in[FR_BYTES])
{
    uint8_t swapped[FR_BYTES];
    for (int i = 0; i < FR_BYTES; i++)
        swapped[i] = in[FR_BYTES - 1 - i];
    return fr_read_le(out, swapped);
}

void fr_write_le(uint8_t out[FR_BYTES], const fr *a)
{
    fr t;
    fr_from_mont(&t, a);
    for (int i = 0; i < FR_BYTES; i++)
        out[i] = (uint8_t)(t.l[i / 8] >> (8 * (i % 8)));
}

void fr_write_be(uint8_t out[FR_BYTES], const fr *a)
{
    fr t;
    fr_from_mont(&t, a);
    for (int i = 0; i < FR_BYTES; i++)
        out[FR_BYTES - 1 - i] = (uint8_t)(t.l[i / 8] >> (8 * (i % 8)));
}

/* Four bits of the exponent at a time, highest first. */
void fr_pow(fr *out, const fr *base, const uint64_t *exponent, size_t n)
{
    fr power[16];
    power[0] = FR_ONE;
    for (int i = 1; i < 16; i++)
        fr_mul(&power[i], &power[i - 1], base);
    fr t = FR_ONE;
    bool started = false;
    for (size_t i = 16 * n; i-- > 0;) {
        const unsigned digit = (unsigned)(exponent[i / 16] >> (4 * (i % 16))) & 15;
        if (started) {
            for (int j = 0; j < 4; j++)
                fr_sqr(&t, &t);
        }
        if (digit != 0) {
            fr_mul(&t, &t, &power[digit]);
            started = true;
        }
    }
    *out = t;
}

void fr_inv(fr *out, const fr *a)
{
    /* 2^512 / (x 2^256) is 1/x in Montgomery form */
    inverse_mod(out->l, a->l, FR_R2.l, FR_MODULUS.l, FR_INV, FR_LIMBS);
}

void fr_inv_batch(fr *a, fr *scratch, size_t n)
{
    fr product = FR_ONE;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = product;
        if (!fr_is_zero(&a[i]))
            fr_mul(&product, &product, &a[i]);
    }
    fr_inv(&product, &product);
    for (size_t i = n; i-- > 0;) {
        if (fr_is_zero(&a[i]))
            continue;
        fr t;
        fr_mul(&t, &product, &scratch[i]);
        fr_mul(&product, &product, &a[i]);
        a[i] = t;
    }
}

/* Tonelli and Shanks: root^2 = a * rest throughout, and the order of rest, a power of two, falls. */
bool fr_sqrt(fr *out, const fr *a)
{
    if (fr_is_zero(a)) {
        *out = FR_ZERO;
        return true;
    }
    fr root, rest, z = FR_ROOT_OF_UNITY, t;
    fr_pow(&t, a, HALF_ODD_PART, FR_LIMBS);
    fr_mul(&root, &t, a);
    fr_mul(&rest, &root, &t);
    for (unsigned z_log = FR_TWO_ADICITY; !fr_equal(&rest, &FR_ONE);) {
        unsigned rest_log = 0; /* the order of rest is 2^rest_log */
        for (t = rest; !fr_equal(&t, &FR_ONE); rest_log++)
            fr_sqr(&t, &t);
        if (rest_log >= z_log)
            return false; /* rest is no square, only at the first turn */
        for (; z_log > rest_log + 1; z_log--)
            fr_sqr(&z, &z);
        fr_mul(&root, &root, &z);
        fr_sqr(&z, &z);
        z_log--;
        fr_mul(&rest, &rest, &z);
    }
    *out = root;
    return true;
}

cuzk_status fr_random(fr *out, struct cuzk_error *e)
{
    fr t;
    do {
        size_t got = 0;
        while (got < sizeof t) {
            const ssize_t n = getrandom((uint8_t *)&t + got, sizeof t - got, 0);
            if (n < 0 && errno != EINTR) {
                const int errnum = errno;
                mem_wipe(&t, sizeof t);
                return error_errno(e, errnum, "the system's random generator");
            }
            if (n > 0)
                got += (size_t)n;
        }
        t.l[FR_LIMBS - 1] &= UINT64_MAX >> (64 * FR_LIMBS - FR_BITS);
    } while (!fr_is_canonical(&t)); /* uniform below r, so uniform in Montgomery form too */
    *out = t;
    mem_wipe(&t, sizeof t);
    return CUZK_OK;
}
