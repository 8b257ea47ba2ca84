/* groth16/kernels_lanes.h - pointwise loops with eight lanes, for kernels_variant.c when it is compiled for
 * the IFMA variant. Each does a multiple of eight elements and returns how many.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_KERNELS_LANES_H
#define GROTH16_KERNELS_LANES_H

#include "field/fr8.h"

static inline fr8_constant lanes_constant(const fr *f)
{
    fr52_constant constant;
    fr52_constant_of(&constant, f);
    return fr8_constant_broadcast(&constant);
}

/* a[j] *= b[j]; 16 a b / 2^260 = a b / 2^256 is below 1.5 r. */
static inline size_t lanes_multiply(fr *a, const fr *b, size_t n)
{
    size_t j = 0;
    for (; n - j >= FR8_LANES; j += FR8_LANES) {
        const fr8 x = fr8_ripple(fr8_factor(fr8_load(a + j, 1))), y = fr8_load(b + j, 1);
        const fr8 product = fr8_take_off(fr8_carry(fr8_mul(&x, &y)), 1);
        fr8_store(a + j, 1, &product);
    }
    return j;
}

/* a[j] = (a[j] - c[j]) f; the product is below 1.1 r. */
static inline size_t lanes_subtract_scale(fr *a, const fr *c, size_t n, const fr *f)
{
    const fr8_constant w = lanes_constant(f);
    size_t j = 0;
    for (; n - j >= FR8_LANES; j += FR8_LANES) {
        const fr8 x = fr8_add_modulus(fr8_load(a + j, 1), 1), y = fr8_load(c + j, 1);
        const fr8 difference = fr8_ripple(fr8_sub(x, y));
        const fr8 product = fr8_take_off(fr8_carry(fr8_mul_constant(&difference, &w)), 1);
        fr8_store(a + j, 1, &product);
    }
    return j;
}

/* out[j] += a[j] f; the sum is below 2.1 r. */
static inline size_t lanes_add_scaled(fr *out, const fr *a, size_t n, const fr *f)
{
    const fr8_constant w = lanes_constant(f);
    size_t j = 0;
    for (; n - j >= FR8_LANES; j += FR8_LANES) {
        const fr8 x = fr8_load(a + j, 1), product = fr8_mul_constant(&x, &w);
        const fr8 sum = fr8_canonical(fr8_add(fr8_load(out + j, 1), product));
        fr8_store(out + j, 1, &sum);
    }
    return j;
}

#endif
