/* curve/fixed_base_kernels.c - the tables of fixed_base_kernels.h; compiled once a variant.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve/fixed_base_kernels.h"

#include <string.h>

#include "curve/batch_add.h"

/* A thread's working memory, with the batch's behind it. */
struct fixed_work {
    uint64_t scalars[FIXED_SLICE][4]; /* plain, plus the bias */
};

static void add_bias(uint64_t out[4], const fr *plain, const uint64_t bias[4])
{
    uint64_t carry = 0;
    for (int i = 0; i < 4; i++) {
        const u128 s = (u128)plain->l[i] + bias[i] + carry;
        out[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
    VERIFY(carry == 0);
}

static int32_t digit_of(const struct fixed_windows *windows, const uint64_t biased[4], unsigned w)
{
    const unsigned from = windows->offset[w], width = windows->offset[w + 1] - from, bit = from % 64;
    uint64_t bits = biased[from / 64] >> bit;
    if (bit + width > 64)
        bits |= biased[from / 64 + 1] << (64 - bit);
    return (int32_t)(bits & ((UINT64_C(1) << width) - 1)) - (int32_t)(UINT32_C(1) << (width - 1));
}

#define AFFINE g1_affine
#define BATCH  g1_batch
#define G(op)  g1i_##op
#define K(op)  fixed_g1_##op
#define TABLE  V(fixed_g1)
#include "curve/fixed_base.inc"
#undef AFFINE
#undef BATCH
#undef G
#undef K
#undef TABLE

#define AFFINE g2_affine
#define BATCH  g2_batch
#define G(op)  g2i_##op
#define K(op)  fixed_g2_##op
#define TABLE  V(fixed_g2)
#include "curve/fixed_base.inc"
#undef AFFINE
#undef BATCH
#undef G
#undef K
#undef TABLE
