/* curve/fixed_base_kernels.h - the group operations of fixed_base.c, one table for each group and variant.
 * Points are passed by void pointers: g1_affine or g2_affine.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_FIXED_BASE_KERNELS_H
#define CURVE_FIXED_BASE_KERNELS_H

#include "field/fr.h"

#define FIXED_MAX_WINDOWS 42 /* six bits each: with few bits a scalar plus the bias could need a 257th */
#define FIXED_SLICE       1024

/* 256 bits are cut into windows, lowest first; window w has the bits [offset[w], offset[w + 1]). A scalar has
 * a digit in [-2^(width-1), 2^(width-1)) there, and the table the multiples 1 .. 2^(width-1) of 2^offset
 * times the base, from entry first[w] on. */
struct fixed_windows {
    unsigned count;
    unsigned offset[FIXED_MAX_WINDOWS + 1];
    uint32_t first[FIXED_MAX_WINDOWS + 1];
    uint64_t bias[4]; /* added to a scalar, it makes its digits readable without carries */
};

struct fixed_kernels {
    size_t affine_bytes;
    size_t (*work_bytes)(void); /* a thread's working memory, aligned to 64; a multiple of 64 */

    /* Multiples 2 .. n (a power of two) of the first point of row. */
    void (*fill)(void *work, void *row, size_t n);
    /* out[i] = k[i] base, i < n <= FIXED_SLICE */
    void (*mul)(void *work, void *out, const struct fixed_windows *windows, const void *table, const fr *k,
                size_t n);
};

extern const struct fixed_kernels fixed_g1_portable, fixed_g2_portable;
#ifdef CUZK_HAVE_ADX
extern const struct fixed_kernels fixed_g1_adx, fixed_g2_adx;
#endif

#endif
