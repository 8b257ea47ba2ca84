/* curve/pairing.h - the optimal ate pairing of BLS12-381.
 *
 * e(P, Q) = conj(f_{|u|,Q}(P))^(3 (p^12-1)/r), f the Miller function: the cube of the usual pairing, as the
 * published curve crates compute it. The factor 3 is prime to r, so the cube is as bilinear and as
 * non-degenerate, and the final power is cheaper.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_PAIRING_H
#define CURVE_PAIRING_H

#include "curve/group.h"
#include "field/fp12.h"

/* out = product over i < n of e(p[i], q[i]), with one shared Miller loop's squarings and one final
 * exponentiation. A pair with a point at infinity counts as 1. Points must be on their curves and in
 * the subgroups. */
void pairing_product(enum cpu_variant variant, fp12 *out, const g1_affine *p, const g2_affine *q, size_t n);

/* Is the product 1? */
bool pairing_product_is_one(enum cpu_variant variant, const g1_affine *p, const g2_affine *q, size_t n);

/* The two halves of pairing_product, for products that several threads share: the power of the product
 * (by fp12_mul) of Miller values is the product of the pairings. */
void pairing_miller(enum cpu_variant variant, fp12 *out, const g1_affine *p, const g2_affine *q, size_t n);
void pairing_power(enum cpu_variant variant, fp12 *out, const fp12 *miller);

#endif
