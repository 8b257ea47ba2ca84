/* backend/cuda/ntt_pass.h - one sweep of a transform over device memory, as the host asks for it.
 *
 * The algorithm is that of ntt/ntt_kernel.h: residues modulo x^h - z and x^h + z, one root a block, from
 * natural to bit-reversed order ("down"), and the same levels backwards, transposed ("up"). A sweep does up
 * to ten levels on tiles of 2^10 elements, which stay in shared memory from its first level to its last.
 *
 * The sweep with the last levels has blocks too many for a table of their roots. With x = z y a block's
 * polynomial modulo x^h - z^h becomes one modulo y^h - 1: its coefficients are multiplied by the powers of z
 * (twisted), and all blocks have the same roots. Values between sweeps are below 2 r.
 *
 * Pointers are addresses of the memory that the sweep runs in.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_NTT_PASS_H
#define BACKEND_CUDA_NTT_PASS_H

#include <stdint.h>

#define NTT_TILE_LOG     10 /* elements of a tile */
#define NTT_TILE_THREADS 128
#define NTT_LEVELS_MIN   5
#define NTT_LEVELS_MAX   10

/* A fixed factor, for products without division (V. Shoup): the plain integer and floor(it 2^256 / r). */
struct ntt_factor {
    uint32_t plain[8], quotient[8];
};

/* Powers of one element, Montgomery form: exponent e is low[e mod 2^low_log] * high[e >> low_log]. */
struct ntt_powers {
    const void *low, *high;
    uint32_t low_log;
};

struct cuda_ntt_pass {
    void *to;
    const void *from; /* elements; the same as to, or, where natural is set, another array */
    const void
        *multiply; /* elements, canonical: each result is multiplied by the one in its place; or NULL */

    uint32_t log;           /* of the transform */
    uint32_t level, levels; /* the first one, from the top, and how many */

    /* Roots in bit-reversed order, or NULL: not this way. Both: down, then up. */
    const struct ntt_factor *down, *up;

    /* Set where log == level + levels, and only there, unless other sweeps twist: powers of the n-th root
     * that down (up) begins with. */
    struct ntt_powers down_root, up_root;
    /* After down, position j of block b is multiplied by shift^rev(b) scale[j]; scale NULL: not at all. */
    struct ntt_powers shift;
    const struct ntt_factor *scale;

    uint32_t natural;   /* write the last levels' results in natural order */
    uint32_t canonical; /* leave values below r */
};

#endif
