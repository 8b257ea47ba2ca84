/* curve/group_inline.h - the operations of group.h as inline functions, named g1i_* and g2i_*, for sources
 * that are compiled once a variant: they get the field products of their own variant.
 *
 * group.c defines GROUP_DEFINE first and so makes the functions of group.h from the same text.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_GROUP_INLINE_H
#define CURVE_GROUP_INLINE_H

#include "curve/group.h"

/* The curve's parameter u is negative: -u. */
#define BLS_ABS_U UINT64_C(0xd201000000010000)

static const fp2 GROUP_FP2_ONE = {{{0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba,
                                    0x77ce585370525745, 0x5c071a97a256ec6d, 0x15f65ec3fa80e493}},
                                  {{0}}};

/* 4 and 4 (1 + u) */
static const fp G1_CURVE_B = {{0xaa270000000cfff3, 0x53cc0032fc34000a, 0x478fe97a6b0a807f, 0xb1d37ebee6ba24d7,
                               0x8ec9733bbf78ab2f, 0x09d645513d83de7e}};
static const fp2 G2_CURVE_B = {{{0xaa270000000cfff3, 0x53cc0032fc34000a, 0x478fe97a6b0a807f,
                                 0xb1d37ebee6ba24d7, 0x8ec9733bbf78ab2f, 0x09d645513d83de7e}},
                               {{0xaa270000000cfff3, 0x53cc0032fc34000a, 0x478fe97a6b0a807f,
                                 0xb1d37ebee6ba24d7, 0x8ec9733bbf78ab2f, 0x09d645513d83de7e}}};

/* phi(x, y) = (beta x, y), beta the cube root of 1 with phi(P) = -[u^2] P in G1. Nowhere else: from it and
 * phi^2 + phi + 1 = 0 follows [u^4 - u^2 + 1] P = [r] P = 0. */
static inline void g1i_endomorphism(g1_affine *out, const g1_affine *a)
{
    static const fp beta = {{0x30f1361b798a64e8, 0xf3b8ddab7ece5a2a, 0x16a8ca3ac61577f7, 0xc26a2ff874fd029b,
                             0x3636b76660701c6e, 0x051ba4ab241b6160}};
    fp_mul(&out->x, &a->x, &beta);
    out->y = a->y;
}

/* psi = twist after p-power Frobenius after untwist: (x^p / (1+u)^((p-1)/3), y^p / (1+u)^((p-1)/2)); the
 * first constant is a multiple of Fp2's u. In G2 psi(P) = [u] P. Nowhere else: from it and psi^2 - [u + 1]
 * psi + [p] = 0 follows [p - u] P = 0, where p - u = r h1, and h1, G1's cofactor, is prime to G2's. */
static inline void g2i_endomorphism(g2_affine *out, const g2_affine *a)
{
    static const fp x_c1 = {{0x890dc9e4867545c3, 0x2af322533285a5d5, 0x50880866309b7e2c, 0xa20d1b8c7e881024,
                             0x14e4f04fe2db9068, 0x14e56d3f1564853a}};
    static const fp2 y_c = {{{0x3e2f585da55c9ad1, 0x4294213d86c18183, 0x382844c88b623732, 0x92ad2afd19103e18,
                              0x1d794e4fac7cf0b9, 0x0bd592fc7d825ec8}},
                            {{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7,
                              0x2da2596696cebc1d, 0x0e2b7eedbbfd87d2}}};
    const fp2 x = a->x;
    fp_mul(&out->x.c0, &x.c1, &x_c1); /* conjugate(x) c u = (x1 + x0 u) c */
    fp_mul(&out->x.c1, &x.c0, &x_c1);
    fp2_conjugate(&out->y, &a->y);
    fp2_mul(&out->y, &out->y, &y_c);
}

#ifdef GROUP_DEFINE
#define LINKAGE
#define PREFIX_G1(op) g1_##op
#define PREFIX_G2(op) g2_##op
#else
#define LINKAGE       static inline
#define PREFIX_G1(op) g1i_##op
#define PREFIX_G2(op) g2i_##op
#endif

#define FIELD            fp
#define F(op)            fp_##op
#define AFFINE           g1_affine
#define POINT            g1
#define G(op)            PREFIX_G1(op)
#define FIELD_ONE        FP_ONE
#define CURVE_B          G1_CURVE_B
#define ENDOMORPHISM     g1i_endomorphism
#define EIGENVALUE_POWER 2
#include "curve/group.inc"
#undef FIELD
#undef F
#undef AFFINE
#undef POINT
#undef G
#undef FIELD_ONE
#undef CURVE_B
#undef ENDOMORPHISM
#undef EIGENVALUE_POWER

#define FIELD            fp2
#define F(op)            fp2_##op
#define AFFINE           g2_affine
#define POINT            g2
#define G(op)            PREFIX_G2(op)
#define FIELD_ONE        GROUP_FP2_ONE
#define CURVE_B          G2_CURVE_B
#define ENDOMORPHISM     g2i_endomorphism
#define EIGENVALUE_POWER 1
#include "curve/group.inc"
#undef FIELD
#undef F
#undef AFFINE
#undef POINT
#undef G
#undef FIELD_ONE
#undef CURVE_B
#undef ENDOMORPHISM
#undef EIGENVALUE_POWER

#undef LINKAGE
#undef PREFIX_G1
#undef PREFIX_G2

#endif
