/* groth16/kernels.h - the arithmetic loops of setup and prover, compiled once a variant.
 *
 * Variables are numbered through here: inputs first, then auxiliary ones (slot = input, or inputs + aux).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_KERNELS_H
#define GROTH16_KERNELS_H

#include "base/cpu.h"
#include "r1cs/template.h"

struct groth16_kernels {
    /* out[j] = scale w^j / (tau - w^j) for j = first .. first + n, where start = w^first. With scale =
     * (tau^m - 1)/m these are the Lagrange polynomials of <w> at tau. No tau - w^j is zero. scratch: n. */
    void (*lagrange)(fr *out, fr *scratch, size_t n, const fr *start, const fr *w, const fr *tau,
                     const fr *scale);
    /* sum[slot] += coeff * l for each term of the row. */
    void (*accumulate)(fr *sum, uint32_t inputs, const struct row *row, const fr *l);
    /* sum[local] += coeff * l[k] for each term of a side (0, 1, 2: A, B, C) of a template's row first + k,
     * k < count. power: the elements of the codes below TEMPLATE_POWERS. */
    void (*accumulate_side)(fr *sum, const struct templates *t, const struct template *one, unsigned side,
                            uint32_t first, uint32_t count, const fr *l, const fr *power);
    /* out[j] = start ratio^j for j < n */
    void (*powers)(fr *out, size_t n, const fr *start, const fr *ratio);
    /* out[j] += a[j] f for j < n */
    void (*add_scaled)(fr *out, const fr *a, size_t n, const fr *f);
    /* c[j] = a[j] fa + b[j] fb + c[j] fc for j < n */
    void (*combine)(fr *c, const fr *a, const fr *b, size_t n, const fr *fa, const fr *fb, const fr *fc);

    /* The row's value under the witness w (by slot); sets the bit of each slot that has a term, unless
     * mask is NULL. */
    void (*evaluate)(fr *out, const struct row *row, const fr *w, uint32_t inputs, uint64_t *mask);
    /* The same of inputs and auxiliary values apart. */
    void (*evaluate_apart)(fr *out, const struct row *row, const fr *input, const fr *aux);
    bool (*product_is)(const fr *a, const fr *b, const fr *c);         /* a b = c? */
    void (*multiply)(fr *a, const fr *b, size_t n);                    /* a[j] *= b[j] */
    void (*subtract_scale)(fr *a, const fr *c, size_t n, const fr *f); /* a[j] = (a[j] - c[j]) f */
};

const struct groth16_kernels *groth16_kernels(enum cpu_variant variant);

#endif
