/* msm/kernels.c - the tables of kernels.h; compiled once a variant.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "msm/kernels.h"

#include <string.h>

#include "curve/batch_add.h"
#include "curve/encoding_inline.h"
#include "msm/sort.h"

/* How many buckets ahead their sums are called into the cache. */
#define FILL_PREFETCH 16

/* out[j] = [U^j] of the point in out[0], j = 1.. (plan.h); an endomorphism gives -[U]. */
static void g1_images(g1_affine *out)
{
    g1i_endomorphism(out + 1, out);
    fp_neg(&out[1].y, &out[1].y);
}

static void g2_images(g2_affine *out)
{
    for (int j = 1; j < 4; j++) {
        g2i_endomorphism(out + j, out + j - 1);
        fp2_neg(&out[j].y, &out[j].y);
    }
}

/* Plain sums of encoded points are taken on another curve, y^2 = x^3 + b / 2^1152, to which
 * (x, y) -> (x / 2^384, y / 2^576) is an isomorphism; addition does not know b. There the Montgomery form of
 * the image's x is the encoded integer itself, and that of y one product away instead of two together. */
static const fp TWO_TO_192 = {{0, 0, 0, 1}}; /* as a plain integer; the next too */
static const fp TWO_TO_960 = {{0x26d6cf05731e3ff8, 0x1faec92d7b7c0273, 0x77badfa199363cf1, 0x1be1b63f5e46429f,
                               0xfdebd05a1bf04296, 0x0916840a3e898030}};

static void read_plain(fp *out, const uint8_t in[FP_BYTES])
{
    for (int i = 0; i < FP_LIMBS; i++) {
        uint64_t limb;
        memcpy(&limb, in + 8 * (FP_LIMBS - 1 - i), sizeof limb);
        out->l[i] = __builtin_bswap64(limb);
    }
}

static void g1_read_scaled(g1_affine *out, const uint8_t in[G1_UNCOMPRESSED_BYTES])
{
    if (in[0] & ENCODING_FLAG_INFINITY) {
        memset(out, 0, sizeof *out);
        return;
    }
    read_plain(&out->x, in);
    read_plain(&out->y, in + FP_BYTES);
    fp_mul(&out->y, &out->y, &TWO_TO_192);
}

static void g1_unscale(g1_affine *a)
{
    fp_mul(&a->x, &a->x, &FP_R2);
    fp_mul(&a->y, &a->y, &TWO_TO_960);
}

static void g2_read_scaled(g2_affine *out, const uint8_t in[G2_UNCOMPRESSED_BYTES])
{
    if (in[0] & ENCODING_FLAG_INFINITY) {
        memset(out, 0, sizeof *out);
        return;
    }
    read_plain(&out->x.c1, in);
    read_plain(&out->x.c0, in + FP_BYTES);
    read_plain(&out->y.c1, in + 2 * FP_BYTES);
    read_plain(&out->y.c0, in + 3 * FP_BYTES);
    fp2_mul_fp(&out->y, &out->y, &TWO_TO_192);
}

static void g2_unscale(g2_affine *a)
{
    fp2_mul_fp(&a->x, &a->x, &FP_R2);
    fp2_mul_fp(&a->y, &a->y, &TWO_TO_960);
}

#define AFFINE        g1_affine
#define POINT         g1
#define G(op)         g1i_##op
#define K(op)         kernel_g1_##op
#define PAIR          g1_pair
#define BATCH         g1_batch
#define WORK          g1_work
#define IMAGES        2
#define MAKE_IMAGES   g1_images
#define READ_SCALED   g1_read_scaled
#define UNSCALE       g1_unscale
#define ENCODED_BYTES G1_UNCOMPRESSED_BYTES
#define PHASE         "sum in G1"
#define TABLE         V(msm_g1)
#include "msm/kernels.inc"
#undef AFFINE
#undef POINT
#undef G
#undef K
#undef PAIR
#undef BATCH
#undef WORK
#undef IMAGES
#undef MAKE_IMAGES
#undef READ_SCALED
#undef UNSCALE
#undef ENCODED_BYTES
#undef PHASE
#undef TABLE

#define AFFINE        g2_affine
#define POINT         g2
#define G(op)         g2i_##op
#define K(op)         kernel_g2_##op
#define PAIR          g2_pair
#define BATCH         g2_batch
#define WORK          g2_work
#define IMAGES        4
#define MAKE_IMAGES   g2_images
#define READ_SCALED   g2_read_scaled
#define UNSCALE       g2_unscale
#define ENCODED_BYTES G2_UNCOMPRESSED_BYTES
#define PHASE         "sum in G2"
#define TABLE         V(msm_g2)
#include "msm/kernels.inc"
#undef AFFINE
#undef POINT
#undef G
#undef K
#undef PAIR
#undef BATCH
#undef WORK
#undef IMAGES
#undef MAKE_IMAGES
#undef READ_SCALED
#undef UNSCALE
#undef ENCODED_BYTES
#undef PHASE
#undef TABLE
