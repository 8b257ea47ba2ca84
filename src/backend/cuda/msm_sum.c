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

static void set_infinity(unsigned group, void *out)
{
    if (group == 1)
        g1_set_infinity(out);
    else
        g2_set_infinity(out);
}

static void add(unsigned group, void *sum, const void *term)
{
    if (group == 1)
        g1_add(sum, sum, term);
    else
        g2_add(sum, sum, term);
}

static void twice(unsigned group, void *point)
{
    if (group == 1)
        g1_double(point, point);
    else
        g2_double(point, point);
}

/* sum += those of the segment's sums of one array whose index has a bit of `mask`, or all if it is 0. */
static void add_sums(void *sum, const struct xyzz_folded *f, uint32_t segment, uint32_t array, uint32_t mask)
{
    union {
        g1 g1;
        g2 g2;
    } term;
    const size_t bytes = f->group == 1 ? XYZZ_G1_BYTES : XYZZ_G2_BYTES;
    const uint32_t row = f->first_bucket[f->segments] >> f->levels,
                   first = f->first_bucket[segment] >> f->levels;
    const uint32_t end = f->first_bucket[segment + 1] >> f->levels;
    for (uint32_t i = 0; i < end - first; i++) {
        if (mask && !(i & mask))
            continue;
        xyzz_read(f->group, &term, f->sums + ((size_t)array * row + first + i) * bytes);
        add(f->group, sum, &term);
    }
}

static void add_bit(void *sum, const struct xyzz_folded *f, uint32_t segment, uint32_t bit)
{
    if (bit < f->levels)
        add_sums(sum, f, segment, f->levels - bit, 0);
    else
        add_sums(sum, f, segment, 0, UINT32_C(1) << (bit - f->levels));
}

void xyzz_all(void *out, const struct xyzz_folded *f, uint32_t segment)
{
    set_infinity(f->group, out);
    add_sums(out, f, segment, 0, 0);
}

void xyzz_bit(void *out, const struct xyzz_folded *f, uint32_t segment, uint32_t bit)
{
    set_infinity(f->group, out);
    add_bit(out, f, segment, bit);
}

void xyzz_windows(void *out, const struct xyzz_folded *f, uint32_t first, uint32_t windows)
{
    set_infinity(f->group, out);
    for (uint32_t w = first + windows; w-- > first;) {
        const uint32_t buckets = f->first_bucket[w + 1] - f->first_bucket[w];
        uint32_t bits = 0;
        while (UINT32_C(1) << bits < buckets)
            bits++;
        twice(f->group, out); /* the sign's place */
        while (bits-- > 0) {
            twice(f->group, out);
            add_bit(out, f, w, bits);
        }
        add_sums(out, f, w, 0, 0);
    }
}
