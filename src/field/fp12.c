/* field/fp12.c - the Frobenius maps of Fp12.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "field/fp12.h"

/* (1 + u)^(i (p-1)/6) */
static const fp2 P_POWER[6] = {
    {{{0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba, 0x77ce585370525745, 0x5c071a97a256ec6d,
       0x15f65ec3fa80e493}},
     {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
       0x0000000000000000}}},
    {{{0x07089552b319d465, 0xc6695f92b50a8313, 0x97e83cccd117228f, 0xa35baecab2dc29ee, 0x1ce393ea5daace4d,
       0x08f2220fb0fb66eb}},
     {{0xb2f66aad4ce5d646, 0x5842a06bfc497cec, 0xcf4895d42599d394, 0xc11b9cba40a8e8d0, 0x2e3813cbe5a0de89,
       0x110eefda88847faf}}},
    {{{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
       0x0000000000000000}},
     {{0xcd03c9e48671f071, 0x5dab22461fcda5d2, 0x587042afd3851b95, 0x8eb60ebe01bacb9e, 0x03f97d6e83d050d2,
       0x18f0206554638741}}},
    {{{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7, 0x2da2596696cebc1d,
       0x0e2b7eedbbfd87d2}},
     {{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7, 0x2da2596696cebc1d,
       0x0e2b7eedbbfd87d2}}},
    {{{0x890dc9e4867545c3, 0x2af322533285a5d5, 0x50880866309b7e2c, 0xa20d1b8c7e881024, 0x14e4f04fe2db9068,
       0x14e56d3f1564853a}},
     {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
       0x0000000000000000}}},
    {{{0x82d83cf50dbce43f, 0xa2813e53df9d018f, 0xc6f0caa53c65e181, 0x7525cf528d50fe95, 0x4a85ed50f4798a6b,
       0x171da0fd6cf8eebd}},
     {{0x3726c30af242c66c, 0x7c2ac1aad1b6fe70, 0xa04007fbba4b14a2, 0xef517c3266341429, 0x0095ba654ed2226b,
       0x02e370eccc86f7dd}}},
};

/* (1 + u)^(i (p^2-1)/6), which is in Fp */
static const fp P2_POWER[6] = {
    {{0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba, 0x77ce585370525745, 0x5c071a97a256ec6d,
      0x15f65ec3fa80e493}},
    {{0xecfb361b798dba3a, 0xc100ddb891865a2c, 0x0ec08ff1232bda8e, 0xd5c13cc6f1ca4721, 0x47222a47bf7b5c04,
      0x0110f184e51c5f59}},
    {{0x30f1361b798a64e8, 0xf3b8ddab7ece5a2a, 0x16a8ca3ac61577f7, 0xc26a2ff874fd029b, 0x3636b76660701c6e,
      0x051ba4ab241b6160}},
    {{0x43f5fffffffcaaae, 0x32b7fff2ed47fffd, 0x07e83a49a2e99d69, 0xeca8f3318332bb7a, 0xef148d1ea0f4c069,
      0x040ab3263eff0206}},
    {{0xcd03c9e48671f071, 0x5dab22461fcda5d2, 0x587042afd3851b95, 0x8eb60ebe01bacb9e, 0x03f97d6e83d050d2,
      0x18f0206554638741}},
    {{0x890dc9e4867545c3, 0x2af322533285a5d5, 0x50880866309b7e2c, 0xa20d1b8c7e881024, 0x14e4f04fe2db9068,
      0x14e56d3f1564853a}},
};

/* The coefficients of w^0, w^1... */
static const fp2 *coefficient(const fp12 *a, int i)
{
    const fp6 *half = i % 2 ? &a->c1 : &a->c0;
    return i < 2 ? &half->c0 : i < 4 ? &half->c1 : &half->c2;
}

static fp2 *coefficient_out(fp12 *a, int i)
{
    fp6 *half = i % 2 ? &a->c1 : &a->c0;
    return i < 2 ? &half->c0 : i < 4 ? &half->c1 : &half->c2;
}

void fp12_frobenius(fp12 *out, const fp12 *a)
{
    for (int i = 0; i < 6; i++) {
        fp2 t;
        fp2_conjugate(&t, coefficient(a, i));
        fp2_mul(coefficient_out(out, i), &t, &P_POWER[i]);
    }
}

void fp12_frobenius2(fp12 *out, const fp12 *a)
{
    for (int i = 0; i < 6; i++)
        fp2_mul_fp(coefficient_out(out, i), coefficient(a, i), &P2_POWER[i]);
}
