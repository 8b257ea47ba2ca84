/* tests/unit/cuda_field_host.cpp - see cuda_field_host.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "cuda_field_host.h"

#include <string.h>

#include "backend/cuda/fixed_kernels.cuh"

template <class T> static T read(const void *in)
{
    T out;
    memcpy(&out, in, sizeof out);
    return out;
}

template <class T> static void write(void *out, const T &value)
{
    memcpy(out, &value, sizeof value);
}

void host_fr(void *out, enum host_fr_op op, const void *a, const void *b)
{
    const fr32 x = read<fr32>(a), y = read<fr32>(b);
    switch (op) {
    case HOST_FR_ADD:
        return write(out, fr32_add(x, y));
    case HOST_FR_SUB:
        return write(out, fr32_sub(x, y));
    case HOST_FR_MUL:
        return write(out, fr32_mul(x, y));
    case HOST_FR_SQR:
        return write(out, fr32_sqr(x));
    case HOST_FR_NEG:
        return write(out, fr32_neg(x));
    case HOST_FR_FROM:
        return write(out, fr32_from_mont(x));
    case HOST_FR_TO:
        return write(out, fr32_to_mont(x));
    }
}

static fp32 lifted(const void *in, unsigned lift)
{
    fp32 out = read<fp32>(in);
    for (unsigned i = 0; i < lift; i++)
        out = fp32_add(out, fp32_multiple<1>());
    return out;
}

/* 0 <= a below 9.84 */
static fp32 plain(const fp32 &a)
{
    return fp32_canonical(fp32_reduce<4>(a));
}

void host_fp(void *out, enum host_fp_op op, const void *a, const void *b, unsigned lift)
{
    const fp32 x = lifted(a, lift), y = lifted(b, lift);
    switch (op) {
    case HOST_FP_ADD:
        return write(out, plain(fp32_add(lifted(a, lift / 2), y)));
    case HOST_FP_SUB:
        return write(out, plain(fp32_sub<5>(lifted(a, lift / 2), y)));
    case HOST_FP_NEG:
        return write(out, plain(fp32_neg<5>(x)));
    case HOST_FP_MUL:
        return write(out, plain(fp32_mul(x, y)));
    case HOST_FP_SQR:
        return write(out, plain(fp32_sqr(x)));
    case HOST_FP_INV:
        return write(out, plain(fp32_inv(x)));
    case HOST_FP_MUL_LEFT:
        return write(out, plain(fp32_mul_add<true>(x, read<fp32>(b), fp32_zero(), fp32_zero())));
    }
}

void host_fp_mul_add(void *out, const void *a, const void *b, const void *c, const void *d, unsigned lift)
{
    write(out, plain(fp32_mul_add(lifted(a, lift / 2), lifted(b, lift), lifted(c, lift), lifted(d, lift))));
}

bool host_fp_vanishes(const void *a, unsigned lift)
{
    return fp32_vanishes(lifted(a, lift));
}

void host_fp2_mul(void *out, const void *a, const void *b)
{
    write(out, canonical(mul(read<fp2_32>(a), read<fp2_32>(b))));
}

void host_fp2_sqr(void *out, const void *a)
{
    write(out, canonical(sqr(read<fp2_32>(a))));
}

template <class F> static void add_affine(void *sum, const void *point)
{
    xyzz<F> s = read<xyzz<F>>(sum);
    xyzz_add_affine(s, read<affine<F>>(point));
    write(sum, s);
}

template <class F> static void add_sum(void *sum, const void *other)
{
    xyzz<F> s = read<xyzz<F>>(sum);
    xyzz_add(s, read<xyzz<F>>(other));
    write(sum, s);
}

template <class F> static void double_sum(void *sum)
{
    xyzz<F> s = read<xyzz<F>>(sum);
    xyzz_double(s);
    write(sum, s);
}

void host_add_affine(unsigned group, void *sum, const void *point)
{
    if (group == 1)
        add_affine<fp32>(sum, point);
    else
        add_affine<fp2_32>(sum, point);
}

void host_add(unsigned group, void *sum, const void *other)
{
    if (group == 1)
        add_sum<fp32>(sum, other);
    else
        add_sum<fp2_32>(sum, other);
}

void host_double(unsigned group, void *sum)
{
    if (group == 1)
        double_sum<fp32>(sum);
    else
        double_sum<fp2_32>(sum);
}

template <class F> static void to_affine(void *out, const void *sum)
{
    xyzz<F> in;
    memcpy(&in, sum, sizeof in);
    const affine<F> point = xyzz_to_affine(in);
    memcpy(out, &point, sizeof point);
}

void host_to_affine(unsigned group, void *out, const void *sum)
{
    if (group == 1)
        to_affine<fp32>(out, sum);
    else
        to_affine<fp2_32>(out, sum);
}

template <class F> static void fixed(const fixed_args &a)
{
    for (uint32_t i = 0; i < a.count; i++)
        fixed_sum<F>(a, i);
    for (uint32_t thread = 0; thread < fixed_dividers(a); thread++)
        fixed_divide<F>(a, thread);
}

void host_fixed(unsigned group, const struct fixed_args *args)
{
    if (group == 1)
        fixed<fp32>(*args);
    else
        fixed<fp2_32>(*args);
}
