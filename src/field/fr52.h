/* field/fr52.h - one element of Fr in limbs to the base 2^52, as code for eight lanes (field/fr8.h) takes its
 * constants; plain C.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FIELD_FR52_H
#define FIELD_FR52_H

#include "field/fr.h"

#define FR52_LIMBS 5
#define FR52_MASK  UINT64_C(0xfffffffffffff)

typedef struct fr52 {
    uint64_t l[FR52_LIMBS]; /* each below 2^52 */
} fr52;

/* -1/r mod 2^260 */
static const fr52 FR52_MINUS_INVERSE = {
    {0xffffeffffffff, 0xfffffe5bfdfff, 0x004ec0653ba5b, 0x2839181b2c170, 0x03d443ab0d7bf}};

/* A factor w below r that many products have in common, with floor(w 2^260 / r): so the quotient of a product
 * by r is known without a division (V. Shoup's way, in NTL). */
typedef struct fr52_constant {
    fr52 value, ratio;
} fr52_constant;

/* The integer a in such limbs. */
static inline void fr52_split(fr52 *out, const fr *a)
{
    const uint64_t *l = a->l;
    *out = (fr52){{l[0] & FR52_MASK, (l[0] >> 52 | l[1] << 12) & FR52_MASK,
                   (l[1] >> 40 | l[2] << 24) & FR52_MASK, (l[2] >> 28 | l[3] << 36) & FR52_MASK, l[3] >> 16}};
}

/* a with the factor 2^260 in place of 2^256, below r. */
static inline void fr52_factor(fr52 *out, const fr *a)
{
    fr t = *a;
    for (int i = 0; i < 4; i++)
        fr_double(&t, &t);
    fr52_split(out, &t);
}

/* The low 260 bits of a product. */
static inline void fr52_low_product(fr52 *out, const fr52 *a, const fr52 *b)
{
    u128 carry = 0;
    fr52 t;
    for (int k = 0; k < FR52_LIMBS; k++) {
        for (int i = 0; i <= k; i++)
            carry += (u128)a->l[i] * b->l[k - i];
        t.l[k] = (uint64_t)carry & FR52_MASK;
        carry >>= 52;
    }
    *out = t;
}

/* The constant for products with the element w. With u = w 2^260 mod r, w 2^260 - u is r times the
 * ratio: modulo 2^260 the ratio is -u / r. */
static inline void fr52_constant_of(fr52_constant *out, const fr *w)
{
    fr plain;
    fr52 u;
    fr_from_mont(&plain, w);
    fr52_split(&out->value, &plain);
    fr52_factor(&u, w);
    fr52_low_product(&out->ratio, &u, &FR52_MINUS_INVERSE);
}

#endif
