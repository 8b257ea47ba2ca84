/* backend/cuda/msm_sum.c - see msm_sum.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/msm_sum.h"

#include <string.h>

/* a, any number of 384 bits, becomes canonical. */
static void canonical(fp *a)
{
    while (!fp_is_canonical(a)) {
        uint64_t borrow = 0;
        for (int i = 0; i < FP_LIMBS; i++) {
            const u128 d = (u128)a->l[i] - FP_MODULUS.l[i] - borrow;
            a->l[i] = (uint64_t)d;
            borrow = (uint64_t)(d >> 64) & 1;
        }
    }
}

/* x = X/ZZ and y = Y/ZZZ over Z = ZZ: X ZZ / Z^2 and Y ZZZ / Z^3, since ZZ^3 = ZZZ^2. */
static void g1_read(g1 *out, const void *in)
{
    fp part[4];
    memcpy(part, in, sizeof part);
    for (int i = 0; i < 4; i++)
        canonical(&part[i]);
    fp_mul(&out->x, &part[0], &part[2]);
    fp_mul(&out->y, &part[1], &part[3]);
    out->z = part[2];
}

static void g2_read(g2 *out, const void *in)
{
    fp2 part[4];
    memcpy(part, in, sizeof part);
    for (int i = 0; i < 4; i++) {
        canonical(&part[i].c0);
        canonical(&part[i].c1);
    }
    fp2_mul(&out->x, &part[0], &part[2]);
    fp2_mul(&out->y, &part[1], &part[3]);
    out->z = part[2];
}

void xyzz_read(unsigned group, void *out, const void *in)
{
    if (group == 1)
        g1_read(out, in);
    else
        g2_read(out, in);
}

size_t xyzz_out_bytes(unsigned group)
{
    return group == 1 ? sizeof(g1) : sizeof(g2);
}

static void g1_windows(g1 *out, const uint8_t *sums, const uint8_t *weighted, const uint32_t *offset,
                       uint32_t windows)
{
    g1 total, part;
    g1_set_infinity(&total);
    for (uint32_t w = windows; w-- > 0;) {
        g1_read(&part, sums + w * XYZZ_G1_BYTES);
        g1_add(&total, &total, &part);
        g1_read(&part, weighted + w * XYZZ_G1_BYTES);
        g1_add(&total, &total, &part);
        for (uint32_t i = w ? offset[w - 1] : 0; w && i < offset[w]; i++)
            g1_double(&total, &total);
    }
    *out = total;
}

static void g2_windows(g2 *out, const uint8_t *sums, const uint8_t *weighted, const uint32_t *offset,
                       uint32_t windows)
{
    g2 total, part;
    g2_set_infinity(&total);
    for (uint32_t w = windows; w-- > 0;) {
        g2_read(&part, sums + w * XYZZ_G2_BYTES);
        g2_add(&total, &total, &part);
        g2_read(&part, weighted + w * XYZZ_G2_BYTES);
        g2_add(&total, &total, &part);
        for (uint32_t i = w ? offset[w - 1] : 0; w && i < offset[w]; i++)
            g2_double(&total, &total);
    }
    *out = total;
}

void xyzz_windows(unsigned group, void *out, const uint8_t *sums, const uint8_t *weighted,
                  const uint32_t *offset, uint32_t windows)
{
    if (group == 1)
        g1_windows(out, sums, weighted, offset, windows);
    else
        g2_windows(out, sums, weighted, offset, windows);
}
