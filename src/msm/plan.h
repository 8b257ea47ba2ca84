/* msm/plan.h - how a sum is cut: scalars into parts by the endomorphism, parts into signed digits.
 *
 * With U = |u|^2 in G1 and |u| in G2 (u: the curve's parameter), multiplication by U on the subgroup of
 * order r is cheap (an endomorphism, up to sign): R. Gallant, R. Lambert, S. Vanstone, 2001; S. Galbraith,
 * X. Lin, M. Scott, 2009. A scalar k = sum_j k_j U^j has 2 parts of 128 bits in G1, 4 of 64 bits in G2, so
 * a point becomes that many images [U^j] P, and there are only 128 or 64 bits to cut into windows.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef MSM_PLAN_H
#define MSM_PLAN_H

#include "field/fr.h"

#define PLAN_MAX_WINDOWS 42
#define PLAN_MAX_WIDTH   24

/* The parts of a scalar, each plus plan->bias so that its digits can be read without carries:
 * G1: 2 parts of two limbs, G2: 4 of one. */
struct msm_parts {
    uint64_t l[4];
};

/* part_bits bits are cut into windows, lowest first. Window w covers width[w] bits from offset[w] on; its
 * digits are in [-2^(width-1), 2^(width-1)), its buckets, one for each absolute value from 1 on, are those
 * from first_bucket[w] to first_bucket[w + 1] of all. */
struct msm_plan {
    unsigned images; /* 2 or 4 */
    unsigned part_bits;
    unsigned windows;
    unsigned width[PLAN_MAX_WINDOWS], offset[PLAN_MAX_WINDOWS];
    uint32_t first_bucket[PLAN_MAX_WINDOWS + 1];
    uint64_t bias[2];
};

/* The plan for n scalars that are neither 0 nor 1, with the fewest additions among those whose buckets take
 * no more than bucket_bytes_max. images: 2 (G1) or 4 (G2). */
void plan_make(struct msm_plan *plan, unsigned images, uint64_t n, size_t bucket_bytes,
               size_t bucket_bytes_max);

/* k in Montgomery form */
void plan_split(struct msm_parts *out, const struct msm_plan *plan, const fr *k);

/* The digits of a part, one after the other. */
struct msm_digits {
    uint64_t low, high; /* what is left of the part */
};

/* Those of part j. */
static inline struct msm_digits plan_digits(const struct msm_plan *plan, const struct msm_parts *parts,
                                            unsigned j)
{
    if (plan->images == 2)
        return (struct msm_digits){parts->l[2 * j], parts->l[2 * j + 1]};
    return (struct msm_digits){parts->l[j], 0};
}

/* The next one; width: of its window, below 64. */
static inline int32_t plan_next_digit(struct msm_digits *d, unsigned width)
{
    const uint64_t bits = d->low & ((UINT64_C(1) << width) - 1);
    d->low = d->low >> width | d->high << (64 - width);
    d->high >>= width;
    return (int32_t)bits - (int32_t)(UINT32_C(1) << (width - 1));
}

#endif
