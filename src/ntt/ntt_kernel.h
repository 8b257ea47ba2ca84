/* ntt/ntt_kernel.h - inside of the transforms: root tables, one pass, its tasks for each CPU variant.
 *
 * The transform from natural to bit-reversed order works on residues: level l has 2^l blocks, block i holds
 * a polynomial modulo x^(2h) - z^2, h = n / 2^(l+1), and splits it modulo x^h - z and x^h + z, where
 * z = w_i and w_i = exp(2 pi i * (bit reversal of i, read as a fraction) / 2): one root a block, the same
 * table for all sizes (the order of C. Fiduccia, "Polynomial evaluation via the division algorithm", 1972;
 * see G. Seiler, 2018/039). A coset g<w> needs z g^h in its place, and no more work. The transform from
 * bit-reversed to natural order runs the same levels backwards.
 *
 * A pass does some levels at once. Between its top level L and its last one, each of the 2^L blocks is a
 * matrix of 2^levels rows whose columns are independent; a few neighbouring columns are copied to a buffer
 * in the cache (D. Bailey, "FFTs in external or hierarchical memory", 1990), or, when there is one column
 * left, done in place.
 *
 * Values in memory are below 2r between levels, roots below r.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef NTT_NTT_KERNEL_H
#define NTT_NTT_KERNEL_H

#include "field/fr52.h"
#include "ntt/ntt.h"

#define NTT_LOW_LOG     14 /* how many roots are looked up directly: 2^14 */
#define NTT_LAST_LOG    11 /* levels of the pass in place */
#define NTT_COLUMN_LOG  9  /* the most levels of a pass over columns */
#define NTT_COLUMNS     4  /* neighbouring columns that go together */
#define NTT_LANES_LEAST 6  /* the least size for eight lanes: eight columns, then eight blocks */
#define NTT_LANES_LOG   11 /* the most levels of a pass with eight lanes */
#define NTT_MAX_PASSES  3

/* w_i for one direction */
struct ntt_roots {
    fr *low;                  /* w_i, i < 2^NTT_LOW_LOG */
    fr *high;                 /* w_(i 2^NTT_LOW_LOG) */
    fr52_constant *constants; /* low[i] for eight lanes, i < 2^(NTT_LANES_LOG - 1) */
};

struct ntt_tables {
    struct block block;
    unsigned max_log;
    struct ntt_roots forward, inverse;
    fr shift[NTT_MAX_LOG + 1];         /* 7^(2^i) */
    fr shift_inverse[NTT_MAX_LOG + 1]; /* 7^-(2^i) */
    fr size_inverse[NTT_MAX_LOG + 1];  /* 2^-i */
};

/* One pass over the data. */
struct ntt_pass {
    fr *a;
    unsigned log;
    unsigned level, levels; /* its first level, and how many */
    size_t group;           /* how many column chunks (or, in place, blocks) one task takes */
    bool canonical;         /* leave values below r */
    const struct exec *x;   /* a task that starts after it asked to stop does nothing */

    /* Forwards, natural to bit-reversed order; NULL: not at all. */
    const struct ntt_roots *down;
    const fr *shift; /* shift[i]: the coset's g^(2^i); NULL for g = 1 */

    /* In place only, after that: multiply position p by scale * base^(bit reversal of p), base_powers[i] =
     * base^(2^i) (NULL for 1) and low_powers[j] = base^(bit reversal of p = j < 2^levels). scale NULL: not at
     * all. */
    const fr *scale;
    const fr *base_powers, *low_powers;
    const fr52 *low_factors; /* low_powers for eight lanes */

    /* Then backwards; NULL: not at all. */
    const struct ntt_roots *up;
};

/* The tasks for pool_run, ctx a struct ntt_pass, and the passes that they are made for. */
struct ntt_kernel {
    void (*columns)(void *ctx, size_t i, unsigned worker);
    void (*in_place)(void *ctx, size_t i, unsigned worker);
    unsigned column_width; /* neighbouring columns that go together */
    unsigned column_group; /* the most chunks of them that a task takes */
    unsigned column_log;   /* the most levels of a pass over columns */
    unsigned block_group;  /* the most blocks that a task in place takes */
    unsigned last_log;     /* the most levels of the pass in place */
    bool lanes;            /* eight: at least two passes, of about the same number of levels */
};
extern const struct ntt_kernel ntt_kernel_portable;
#ifdef CUZK_HAVE_ADX
extern const struct ntt_kernel ntt_kernel_adx;
#endif
#ifdef CUZK_HAVE_IFMA
extern const struct ntt_kernel ntt_kernel_ifma;
#endif

/* a[bit reversal of i] and a[i] change places, on all threads. */
void ntt_bit_reverse(const struct exec *x, fr *a, unsigned log);

static inline size_t ntt_bit_reversal(size_t i, unsigned bits)
{
    size_t r = 0;
    for (unsigned b = 0; b < bits; b++)
        r |= ((i >> b) & 1) << (bits - 1 - b);
    return r;
}

/* For count times, a, b and w advancing by step, step and w_step elements (ntt_butterfly_adx.S):
 * (a, b) = (a + w b, a - w b); (a, b) = (a + b, w (a - b)); (a, b) = (a + b, a - b). */
void ntt_multiply_then_cross_adx(fr *a, fr *b, size_t count, size_t step, const fr *w, size_t w_step);
void ntt_cross_then_multiply_adx(fr *a, fr *b, size_t count, size_t step, const fr *w, size_t w_step);
void ntt_cross_adx(fr *a, fr *b, size_t count, size_t step, const fr *w, size_t w_step);

#endif
