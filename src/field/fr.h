/* field/fr.h - the scalar field of BLS12-381, integers modulo the 255-bit prime r.
 *
 * Elements are held in Montgomery form (x * 2^256 mod r), 4 little-endian 64-bit limbs, always
 * canonical: every function takes and gives values below r. Outputs may alias inputs. Variable
 * time. Products: P. L. Montgomery, "Modular multiplication without trial division", 1985, in the
 * interleaved (CIOS) form of Koc, Acar, Kaliski, 1996.
 *
 * A source compiled for the ADX variant (base/common.h) gets the assembly product here; all else
 * gets portable C.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FIELD_FR_H
#define FIELD_FR_H

#include <string.h>

#include "base/common.h"
#include "field/limbs.h"

#define FR_LIMBS 4
#define FR_BYTES 32
#define FR_BITS  255

typedef struct fr {
    uint64_t l[FR_LIMBS];
} fr;

static const fr FR_MODULUS = {
    {0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}};
static const fr FR_ZERO = {{0}};
static const fr FR_ONE = {
    {0x00000001fffffffe, 0x5884b7fa00034802, 0x998c4fefecbc4ff5, 0x1824b159acc5056f}}; /* 2^256 mod r */
static const fr FR_R2 = {
    {0xc999e990f3f29c6d, 0x2b6cedcb87925c23, 0x05d314967254398f, 0x0748d9d99f59ff11}}; /* 2^512 mod r */
#define FR_INV UINT64_C(0xfffffffeffffffff)                                            /* -1/r mod 2^64 */

/* fr_*.S or fr.c: out = a * b / 2^256 mod r. */
void fr_mul_adx(fr *out, const fr *a, const fr *b);
void fr_sqr_adx(fr *out, const fr *a);

static inline bool fr_is_zero(const fr *a)
{
    uint64_t any = 0;
    for (int i = 0; i < FR_LIMBS; i++)
        any |= a->l[i];
    return any == 0;
}

static inline bool fr_equal(const fr *a, const fr *b)
{
    uint64_t any = 0;
    for (int i = 0; i < FR_LIMBS; i++)
        any |= a->l[i] ^ b->l[i];
    return any == 0;
}

/* Is the integer a below the modulus? */
static inline bool fr_is_canonical(const fr *a)
{
    uint64_t borrow = 0;
    for (int i = 0; i < FR_LIMBS; i++) {
        u128 d = (u128)a->l[i] - FR_MODULUS.l[i] - borrow;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    return borrow != 0;
}

/* a < 2 * r becomes a mod r. */
static inline void fr_reduce_once(fr *a)
{
    limbs4_add_mod(a->l, a->l, FR_ZERO.l, FR_MODULUS.l);
    VERIFY(fr_is_canonical(a));
}

static inline void fr_add(fr *out, const fr *a, const fr *b)
{
    VERIFY(fr_is_canonical(a) && fr_is_canonical(b));
    limbs4_add_mod(out->l, a->l, b->l, FR_MODULUS.l);
}

static inline void fr_double(fr *out, const fr *a)
{
    fr_add(out, a, a);
}

static inline void fr_sub(fr *out, const fr *a, const fr *b)
{
    VERIFY(fr_is_canonical(a) && fr_is_canonical(b));
    limbs4_sub_mod(out->l, a->l, b->l, FR_MODULUS.l);
}

static inline void fr_neg(fr *out, const fr *a)
{
    fr_sub(out, &FR_ZERO, a);
}

static inline void fr_mul_portable(fr *out, const fr *a, const fr *b)
{
    uint64_t t[FR_LIMBS + 1] = {0}; /* the modulus has a spare top bit, so one extra limb does */
    for (int i = 0; i < FR_LIMBS; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < FR_LIMBS; j++) {
            u128 s = (u128)a->l[j] * b->l[i] + t[j] + carry;
            t[j] = (uint64_t)s;
            carry = (uint64_t)(s >> 64);
        }
        t[FR_LIMBS] += carry;
        const uint64_t m = t[0] * FR_INV;
        u128 s = (u128)m * FR_MODULUS.l[0] + t[0];
        carry = (uint64_t)(s >> 64);
        for (int j = 1; j < FR_LIMBS; j++) {
            s = (u128)m * FR_MODULUS.l[j] + t[j] + carry;
            t[j - 1] = (uint64_t)s;
            carry = (uint64_t)(s >> 64);
        }
        s = (u128)t[FR_LIMBS] + carry;
        t[FR_LIMBS - 1] = (uint64_t)s;
        t[FR_LIMBS] = (uint64_t)(s >> 64);
    }
    VERIFY(t[FR_LIMBS] == 0);
    memcpy(out->l, t, sizeof out->l);
    fr_reduce_once(out);
}

static inline void fr_mul(fr *out, const fr *a, const fr *b)
{
#ifdef CUZK_VARIANT_ADX
    fr_mul_adx(out, a, b);
#else
    fr_mul_portable(out, a, b);
#endif
}

static inline void fr_sqr(fr *out, const fr *a)
{
#ifdef CUZK_VARIANT_ADX
    fr_sqr_adx(out, a);
#else
    fr_mul_portable(out, a, a);
#endif
}

/* Between Montgomery form and the plain integer (little-endian limbs, canonical). */
static inline void fr_to_mont(fr *out, const fr *plain)
{
    fr_mul(out, plain, &FR_R2);
}

static inline void fr_from_mont(fr *plain, const fr *a)
{
    const fr one = {{1}};
    fr_mul(plain, a, &one);
}

void fr_from_u64(fr *out, uint64_t x);

/* Byte strings of 32 bytes. The read ones return false, out untouched, for a value not below r. */
bool fr_read_le(fr *out, const uint8_t in[FR_BYTES]) MUST_USE;
bool fr_read_be(fr *out, const uint8_t in[FR_BYTES]) MUST_USE;
void fr_write_le(uint8_t out[FR_BYTES], const fr *a);
void fr_write_be(uint8_t out[FR_BYTES], const fr *a);

/* out = base^exponent; exponent: n little-endian limbs. */
void fr_pow(fr *out, const fr *base, const uint64_t *exponent, size_t n);

/* out = 1/a; 0 gives 0. */
void fr_inv(fr *out, const fr *a);

/* Invert n elements in place, zeros stay zero; scratch: n elements. (P. L. Montgomery's trick.) */
void fr_inv_batch(fr *a, fr *scratch, size_t n);

/* A square root of a if there is one: the return value says so (out untouched if not). */
bool fr_sqrt(fr *out, const fr *a) MUST_USE;

/* The multiplicative generator 7 and 7^((r-1)/2^32), of order 2^32: what the published curve crates use. */
#define FR_TWO_ADICITY 32
extern const fr FR_GENERATOR;
extern const fr FR_ROOT_OF_UNITY;

/* A uniformly random element from the system's generator. */
cuzk_status fr_random(fr *out, struct cuzk_error *e) MUST_USE;

#endif
