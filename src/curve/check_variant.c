/* curve/check_variant.c - the chunks of check.h as compiled for each variant.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve/batch_add.h"
#include "curve/check.h"
#include "curve/encoding_inline.h"

#define AFFINE     g1_affine
#define G(op)      g1i_##op
#define ENCODED    G1_UNCOMPRESSED_BYTES
#define BATCH      g1_batch
#define SCRATCH    g1_check_scratch
#define THROW      g1_check_throw
#define EXPORT(op) V(g1_##op)
#include "curve/check.inc"
#undef AFFINE
#undef G
#undef ENCODED
#undef BATCH
#undef SCRATCH
#undef THROW
#undef EXPORT

#define AFFINE     g2_affine
#define G(op)      g2i_##op
#define ENCODED    G2_UNCOMPRESSED_BYTES
#define BATCH      g2_batch
#define SCRATCH    g2_check_scratch
#define THROW      g2_check_throw
#define EXPORT(op) V(g2_##op)
#include "curve/check.inc"
