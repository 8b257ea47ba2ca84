/* curve/group.h - the groups G1 (over Fp) and G2 (over Fp2) of BLS12-381.
 *
 * G1: y^2 = x^3 + 4. G2: y^2 = x^3 + 4(1 + u), the M-type sextic twist. Both of prime order r.
 *
 * affine:   x, y; infinity is x = y = 0 (no point of either curve has x = y = 0).
 * jacobian: (X/Z^2, Y/Z^3); infinity is Z = 0.
 *
 * Every function is complete (right for equal, opposite and infinite operands), its outputs may alias
 * its inputs, and it takes variable time. Formulas: EFD, short Weierstrass, a = 0
 * (add-2007-bl, madd-2007-bl, dbl-2009-l).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_GROUP_H
#define CURVE_GROUP_H

#include "base/exec.h"
#include "field/fp2.h"
#include "field/fr.h"

typedef struct g1_affine {
    fp x, y;
} g1_affine;
typedef struct g1 {
    fp x, y, z;
} g1;
typedef struct g2_affine {
    fp2 x, y;
} g2_affine;
typedef struct g2 {
    fp2 x, y, z;
} g2;

extern const g1_affine G1_GENERATOR;
extern const g2_affine G2_GENERATOR;

/* -- single operations, portable arithmetic -- */
bool g1_affine_is_infinity(const g1_affine *a);
bool g1_is_infinity(const g1 *a);
void g1_set_infinity(g1 *out);
void g1_from_affine(g1 *out, const g1_affine *a);
void g1_to_affine(g1_affine *out, const g1 *a);
bool g1_equal(const g1 *a, const g1 *b);
void g1_neg(g1 *out, const g1 *a);
void g1_double(g1 *out, const g1 *a);
void g1_add(g1 *out, const g1 *a, const g1 *b);
void g1_add_affine(g1 *out, const g1 *a, const g1_affine *b);
void g1_mul(g1 *out, const g1 *a, const fr *k); /* k in Montgomery form */
bool g1_affine_on_curve(const g1_affine *a);    /* infinity is */
bool g1_affine_in_subgroup(
    const g1_affine *a); /* a is on the curve; endomorphism test (M. Scott, 2021/1130) */

bool g2_affine_is_infinity(const g2_affine *a);
bool g2_is_infinity(const g2 *a);
void g2_set_infinity(g2 *out);
void g2_from_affine(g2 *out, const g2_affine *a);
void g2_to_affine(g2_affine *out, const g2 *a);
bool g2_equal(const g2 *a, const g2 *b);
void g2_neg(g2 *out, const g2 *a);
void g2_double(g2 *out, const g2 *a);
void g2_add(g2 *out, const g2 *a, const g2 *b);
void g2_add_affine(g2 *out, const g2 *a, const g2_affine *b);
void g2_mul(g2 *out, const g2 *a, const fr *k);
bool g2_affine_on_curve(const g2_affine *a);
bool g2_affine_in_subgroup(const g2_affine *a);

/* n Jacobian points to affine with one inversion; scratch: n elements of Fp (Fp2). Nothing may overlap. */
void g1_to_affine_batch(g1_affine *out, const g1 *in, fp *scratch, size_t n);
void g2_to_affine_batch(g2_affine *out, const g2 *in, fp2 *scratch, size_t n);

#endif
