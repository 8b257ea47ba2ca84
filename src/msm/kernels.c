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

#define AFFINE        g1_affine
#define POINT         g1
#define G(op)         g1i_##op
#define K(op)         kernel_g1_##op
#define PAIR          g1_pair
#define BATCH         g1_batch
#define WORK          g1_work
#define IMAGES        2
#define MAKE_IMAGES   g1_images
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
#undef ENCODED_BYTES
#undef PHASE
#undef TABLE
