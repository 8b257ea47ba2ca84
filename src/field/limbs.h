/* field/limbs.h - sums and differences of limb arrays modulo m, where compilers make poor carry chains.
 *
 * For each count N of limbs: out = a + b mod m and out = a - b mod m, for a and b below m
 * (for the sum: a + b below 2m), 2m < 2^(64 N).
 * Branch-free. x86-64 has them in assembly, others in C (so has a build without
 * optimisation, which leaves too few registers).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FIELD_LIMBS_H
#define FIELD_LIMBS_H

#include "base/common.h"

#if defined(__x86_64__) && defined(__OPTIMIZE__)

static inline void limbs4_add_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], s0, s1, s2, s3;
    __asm__("addq %[b0], %[t0]\n\t"
            "adcq %[b1], %[t1]\n\t"
            "adcq %[b2], %[t2]\n\t"
            "adcq %[b3], %[t3]\n\t"
            "movq %[t0], %[s0]\n\t"
            "movq %[t1], %[s1]\n\t"
            "movq %[t2], %[s2]\n\t"
            "movq %[t3], %[s3]\n\t"
            "subq %[m0], %[t0]\n\t"
            "sbbq %[m1], %[t1]\n\t"
            "sbbq %[m2], %[t2]\n\t"
            "sbbq %[m3], %[t3]\n\t"
            "cmovcq %[s0], %[t0]\n\t"
            "cmovcq %[s1], %[t1]\n\t"
            "cmovcq %[s2], %[t2]\n\t"
            "cmovcq %[s3], %[t3]"
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [s0] "=&r"(s0), [s1] "=&r"(s1),
              [s2] "=&r"(s2), [s3] "=&r"(s3)
            : [b0] "m"(b[0]), [b1] "m"(b[1]), [b2] "m"(b[2]), [b3] "m"(b[3]), [m0] "m"(m[0]), [m1] "m"(m[1]),
              [m2] "m"(m[2]), [m3] "m"(m[3])
            : "cc");
    out[0] = t0;
    out[1] = t1;
    out[2] = t2;
    out[3] = t3;
}

static inline void limbs4_sub_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], s0, s1, s2, s3;
    __asm__("subq %[b0], %[t0]\n\t"
            "sbbq %[b1], %[t1]\n\t"
            "sbbq %[b2], %[t2]\n\t"
            "sbbq %[b3], %[t3]\n\t"
            "sbbq %[s0], %[s0]\n\t" /* all ones after a borrow */
            "movq %[s0], %[s1]\n\t"
            "movq %[s0], %[s2]\n\t"
            "movq %[s0], %[s3]\n\t"
            "andq %[m0], %[s0]\n\t"
            "andq %[m1], %[s1]\n\t"
            "andq %[m2], %[s2]\n\t"
            "andq %[m3], %[s3]\n\t"
            "addq %[s0], %[t0]\n\t"
            "adcq %[s1], %[t1]\n\t"
            "adcq %[s2], %[t2]\n\t"
            "adcq %[s3], %[t3]"
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [s0] "=&r"(s0), [s1] "=&r"(s1),
              [s2] "=&r"(s2), [s3] "=&r"(s3)
            : [b0] "m"(b[0]), [b1] "m"(b[1]), [b2] "m"(b[2]), [b3] "m"(b[3]), [m0] "m"(m[0]), [m1] "m"(m[1]),
              [m2] "m"(m[2]), [m3] "m"(m[3])
            : "cc");
    out[0] = t0;
    out[1] = t1;
    out[2] = t2;
    out[3] = t3;
}

static inline void limbs6_add_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], t4 = a[4], t5 = a[5], s0, s1, s2, s3, s4, s5;
    __asm__("addq %[b0], %[t0]\n\t"
            "adcq %[b1], %[t1]\n\t"
            "adcq %[b2], %[t2]\n\t"
            "adcq %[b3], %[t3]\n\t"
            "adcq %[b4], %[t4]\n\t"
            "adcq %[b5], %[t5]"
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4), [t5] "+&r"(t5)
            : [b0] "m"(b[0]), [b1] "m"(b[1]), [b2] "m"(b[2]), [b3] "m"(b[3]), [b4] "m"(b[4]), [b5] "m"(b[5])
            : "cc");
    __asm__("movq %[t0], %[s0]\n\t"
            "movq %[t1], %[s1]\n\t"
            "movq %[t2], %[s2]\n\t"
            "movq %[t3], %[s3]\n\t"
            "movq %[t4], %[s4]\n\t"
            "movq %[t5], %[s5]\n\t"
            "subq %[m0], %[t0]\n\t"
            "sbbq %[m1], %[t1]\n\t"
            "sbbq %[m2], %[t2]\n\t"
            "sbbq %[m3], %[t3]\n\t"
            "sbbq %[m4], %[t4]\n\t"
            "sbbq %[m5], %[t5]\n\t"
            "cmovcq %[s0], %[t0]\n\t"
            "cmovcq %[s1], %[t1]\n\t"
            "cmovcq %[s2], %[t2]\n\t"
            "cmovcq %[s3], %[t3]\n\t"
            "cmovcq %[s4], %[t4]\n\t"
            "cmovcq %[s5], %[t5]"
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4), [t5] "+&r"(t5),
              [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [s4] "=&r"(s4), [s5] "=&r"(s5)
            : [m0] "m"(m[0]), [m1] "m"(m[1]), [m2] "m"(m[2]), [m3] "m"(m[3]), [m4] "m"(m[4]), [m5] "m"(m[5])
            : "cc");
    out[0] = t0;
    out[1] = t1;
    out[2] = t2;
    out[3] = t3;
    out[4] = t4;
    out[5] = t5;
}

static inline void limbs6_sub_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], t4 = a[4], t5 = a[5], s0, s1, s2, s3, s4, s5;
    __asm__("subq %[b0], %[t0]\n\t"
            "sbbq %[b1], %[t1]\n\t"
            "sbbq %[b2], %[t2]\n\t"
            "sbbq %[b3], %[t3]\n\t"
            "sbbq %[b4], %[t4]\n\t"
            "sbbq %[b5], %[t5]\n\t"
            "sbbq %[s0], %[s0]" /* all ones after a borrow */
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4), [t5] "+&r"(t5),
              [s0] "=&r"(s0)
            : [b0] "m"(b[0]), [b1] "m"(b[1]), [b2] "m"(b[2]), [b3] "m"(b[3]), [b4] "m"(b[4]), [b5] "m"(b[5])
            : "cc");
    s1 = s0 & m[1];
    s2 = s0 & m[2];
    s3 = s0 & m[3];
    s4 = s0 & m[4];
    s5 = s0 & m[5];
    s0 &= m[0];
    __asm__("addq %[s0], %[t0]\n\t"
            "adcq %[s1], %[t1]\n\t"
            "adcq %[s2], %[t2]\n\t"
            "adcq %[s3], %[t3]\n\t"
            "adcq %[s4], %[t4]\n\t"
            "adcq %[s5], %[t5]"
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4), [t5] "+&r"(t5)
            : [s0] "r"(s0), [s1] "r"(s1), [s2] "r"(s2), [s3] "r"(s3), [s4] "r"(s4), [s5] "r"(s5)
            : "cc");
    out[0] = t0;
    out[1] = t1;
    out[2] = t2;
    out[3] = t3;
    out[4] = t4;
    out[5] = t5;
}

#else

static inline void limbs_add_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                                 int n)
{
    uint64_t t[6], s[6], carry = 0, borrow = 0;
    for (int i = 0; i < n; i++) {
        const u128 sum = (u128)a[i] + b[i] + carry;
        t[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    for (int i = 0; i < n; i++) {
        const u128 d = (u128)t[i] - m[i] - borrow;
        s[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    const uint64_t keep = 0 - borrow;
    for (int i = 0; i < n; i++)
        out[i] = (t[i] & keep) | (s[i] & ~keep);
}

static inline void limbs_sub_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                                 int n)
{
    uint64_t t[6], carry = 0, borrow = 0;
    for (int i = 0; i < n; i++) {
        const u128 d = (u128)a[i] - b[i] - borrow;
        t[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    const uint64_t mask = 0 - borrow;
    for (int i = 0; i < n; i++) {
        const u128 sum = (u128)t[i] + (m[i] & mask) + carry;
        out[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

static inline void limbs4_add_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    limbs_add_mod(out, a, b, m, 4);
}

static inline void limbs4_sub_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    limbs_sub_mod(out, a, b, m, 4);
}

static inline void limbs6_add_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    limbs_add_mod(out, a, b, m, 6);
}

static inline void limbs6_sub_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    limbs_sub_mod(out, a, b, m, 6);
}

#endif

#endif
