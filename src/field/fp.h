/* field/fp.h - the base field of BLS12-381, integers modulo the 381-bit prime p.
 *
 * Elements are held in Montgomery form (x * 2^384 mod p), 6 little-endian 64-bit limbs, always
 * canonical: every function takes and gives values below p. Outputs may alias inputs. Variable
 * time. Products: P. L. Montgomery, "Modular multiplication without trial division", 1985, in the
 * interleaved (CIOS) form of Koc, Acar, Kaliski, 1996.
 *
 * A source compiled for the ADX variant (base/common.h) gets the assembly product here; all else
 * gets portable C.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FIELD_FP_H
#define FIELD_FP_H

#include <string.h>

#include "base/common.h"
#include "field/limbs.h"

#define FP_LIMBS 6
#define FP_BYTES 48
#define FP_BITS  381

typedef struct fp {
    uint64_t l[FP_LIMBS];
} fp;

static const fp FP_MODULUS = {{0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624, 0x64774b84f38512bf,
                               0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a}};
static const fp FP_ZERO = {{0}};
static const fp FP_ONE = {{0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba, 0x77ce585370525745,
                           0x5c071a97a256ec6d, 0x15f65ec3fa80e493}}; /* 2^384 mod p */
static const fp FP_R2 = {{0xf4df1f341c341746, 0x0a76e6a609d104f1, 0x8de5476c4c95b6d5, 0x67eb88a9939d83c0,
                          0x9a793e85b519952d, 0x11988fe592cae3aa}}; /* 2^768 mod p */
#define FP_INV UINT64_C(0x89f3fffcfffcfffd)                         /* -1/p mod 2^64 */

/* fp_*.S or fp.c: out = a * b / 2^384 mod p. Calls, not inline: the body is long, and many callers are. */
void fp_mul_portable(fp *out, const fp *a, const fp *b);
void fp_mul_adx(fp *out, const fp *a, const fp *b);
void fp_sqr_adx(fp *out, const fp *a);

static inline bool fp_is_zero(const fp *a)
{
    uint64_t any = 0;
    for (int i = 0; i < FP_LIMBS; i++)
        any |= a->l[i];
    return any == 0;
}

static inline bool fp_equal(const fp *a, const fp *b)
{
    uint64_t any = 0;
    for (int i = 0; i < FP_LIMBS; i++)
        any |= a->l[i] ^ b->l[i];
    return any == 0;
}

/* Is the integer a below the modulus? */
static inline bool fp_is_canonical(const fp *a)
{
    uint64_t borrow = 0;
    for (int i = 0; i < FP_LIMBS; i++) {
        u128 d = (u128)a->l[i] - FP_MODULUS.l[i] - borrow;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    return borrow != 0;
}

/* a < 2 * p becomes a mod p. */
static inline void fp_reduce_once(fp *a)
{
    limbs6_add_mod(a->l, a->l, FP_ZERO.l, FP_MODULUS.l);
    VERIFY(fp_is_canonical(a));
}

static inline void fp_add(fp *out, const fp *a, const fp *b)
{
    VERIFY(fp_is_canonical(a) && fp_is_canonical(b));
    limbs6_add_mod(out->l, a->l, b->l, FP_MODULUS.l);
}

static inline void fp_double(fp *out, const fp *a)
{
    fp_add(out, a, a);
}

static inline void fp_sub(fp *out, const fp *a, const fp *b)
{
    VERIFY(fp_is_canonical(a) && fp_is_canonical(b));
    limbs6_sub_mod(out->l, a->l, b->l, FP_MODULUS.l);
}

static inline void fp_neg(fp *out, const fp *a)
{
    fp_sub(out, &FP_ZERO, a);
}

static inline void fp_mul(fp *out, const fp *a, const fp *b)
{
#ifdef CUZK_VARIANT_ADX
    fp_mul_adx(out, a, b);
#else
    fp_mul_portable(out, a, b);
#endif
}

static inline void fp_sqr(fp *out, const fp *a)
{
#ifdef CUZK_VARIANT_ADX
    fp_sqr_adx(out, a);
#else
    fp_mul_portable(out, a, a);
#endif
}

/* Between Montgomery form and the plain integer (little-endian limbs, canonical). */
static inline void fp_to_mont(fp *out, const fp *plain)
{
    fp_mul(out, plain, &FP_R2);
}

static inline void fp_from_mont(fp *plain, const fp *a)
{
    const fp one = {{1}};
    fp_mul(plain, a, &one);
}

void fp_from_u64(fp *out, uint64_t x);

/* Byte strings of 48 bytes. The read ones return false, out untouched, for a value not below p. */
bool fp_read_le(fp *out, const uint8_t in[FP_BYTES]) MUST_USE;
bool fp_read_be(fp *out, const uint8_t in[FP_BYTES]) MUST_USE;
void fp_write_le(uint8_t out[FP_BYTES], const fp *a);
void fp_write_be(uint8_t out[FP_BYTES], const fp *a);

/* out = base^exponent; exponent: n little-endian limbs. */
void fp_pow(fp *out, const fp *base, const uint64_t *exponent, size_t n);

/* out = 1/a; 0 gives 0. */
void fp_inv(fp *out, const fp *a);

/* Invert n elements in place, zeros stay zero; scratch: n elements. (P. L. Montgomery's trick.) */
void fp_inv_batch(fp *a, fp *scratch, size_t n);

/* A square root of a if there is one: the return value says so (out untouched if not). */
bool fp_sqrt(fp *out, const fp *a) MUST_USE;

/* out = a^((p-3)/4): 1/sqrt(a) where a is a non-zero square (the return value says so), else a root of
 * -1/a (0 gives 0). */
bool fp_inv_sqrt_either(fp *out, const fp *a) MUST_USE;

/* Is the plain value of a above (p-1)/2? The sign bit of compressed encodings. */
bool fp_is_large(const fp *a);

#endif
