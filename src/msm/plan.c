/* msm/plan.c - see plan.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "msm/plan.h"

/* |u| of the curve, and half of r rounded down. */
#define BASE            UINT64_C(0xd201000000010000)
#define BASE_RECIPROCAL UINT64_C(0x381204ca56cd56b5) /* (2^128 - 1) / BASE - 2^64 */
static const fr HALF_R = {{0x7fffffff80000000, 0xa9ded2017fff2dff, 0x199cec0404d0ec02, 0x39f6d3a994cebea4}};

static void plan_cut(struct msm_plan *plan, unsigned images, unsigned windows)
{
    plan->images = images;
    plan->part_bits = 256 / images;
    plan->windows = windows;
    plan->first_bucket[0] = 0;
    plan->bias[0] = plan->bias[1] = 0;
    unsigned offset = 0;
    for (unsigned w = 0; w < windows; w++) {
        const unsigned width = (plan->part_bits * (w + 1)) / windows - offset;
        plan->width[w] = width;
        plan->offset[w] = offset;
        plan->first_bucket[w + 1] = plan->first_bucket[w] + (UINT32_C(1) << (width - 1));
        offset += width;
        plan->bias[(offset - 1) / 64] |= UINT64_C(1) << (offset - 1) % 64;
    }
}

void plan_make(struct msm_plan *plan, unsigned images, uint64_t n, size_t bucket_bytes,
               size_t bucket_bytes_max)
{
    /* Three bits a window at least: with two, part and bias could need a bit more than there are. */
    const unsigned bits = 256 / images, most = bits / 3;
    double best_cost = 0;
    unsigned best = most;
    for (unsigned windows = most; windows > 0; windows--) {
        if ((bits + windows - 1) / windows > PLAN_MAX_WIDTH)
            break;
        plan_cut(plan, images, windows);
        const double buckets = plan->first_bucket[windows];
        if (windows != most && buckets * (double)bucket_bytes > (double)bucket_bytes_max)
            break;
        /* Two additions a bucket in the end, less one that fills it, and what reaching it costs in each block
         * (measured together); the square root's worth of buckets a window goes through slower additions. */
        double cost = (double)n * images * windows + 2.5 * buckets;
        cost += windows * 12.0 * (double)(UINT64_C(1) << (plan->width[0] / 2));
        if (windows == most || cost < best_cost) {
            best_cost = cost;
            best = windows;
        }
    }
    plan_cut(plan, images, best);
}

/* k /= BASE; the remainder. (N. Moeller, T. Granlund, "Improved division by invariant integers", 2011.) */
static uint64_t divide_by_base(uint64_t *k, int limbs)
{
    uint64_t rest = 0;
    for (int i = limbs - 1; i >= 0; i--) {
        const u128 wide = (u128)BASE_RECIPROCAL * rest + ((u128)rest << 64 | k[i]);
        uint64_t quotient = (uint64_t)(wide >> 64) + 1;
        rest = k[i] - quotient * BASE;
        if (rest > (uint64_t)wide) {
            quotient--;
            rest += BASE;
        }
        if (rest >= BASE) {
            quotient++;
            rest -= BASE;
        }
        k[i] = quotient;
    }
    return rest;
}

/* The sign of k that makes its absolute value at most r/2. */
static bool make_small(fr *k)
{
    bool above = false;
    for (int i = 0; i < FR_LIMBS; i++)
        if (k->l[i] != HALF_R.l[i])
            above = k->l[i] > HALF_R.l[i];
    if (above)
        fr_neg(k, k);
    return above;
}

static void store_part(struct msm_parts *out, const struct msm_plan *plan, unsigned j, u128 part)
{
    if (plan->images == 2) {
        part += (u128)plan->bias[1] << 64 | plan->bias[0];
        out->l[2 * j] = (uint64_t)part;
        out->l[2 * j + 1] = (uint64_t)(part >> 64);
    } else {
        out->l[j] = (uint64_t)part + plan->bias[0];
    }
}

void plan_split(struct msm_parts *out, const struct msm_plan *plan, const fr *k)
{
    fr plain;
    fr_from_mont(&plain, k);
    const bool negative = make_small(&plain);
    /* Digits in base |u|: below |u|, the last below |u| / 2; then balanced around zero. */
    uint64_t digit[4];
    for (int i = 0; i < 3; i++)
        digit[i] = divide_by_base(plain.l, FR_LIMBS - i);
    digit[3] = plain.l[0];
    u128 base, carry = 0;
    const unsigned limbs = 4 / plan->images;
    base = limbs == 2 ? (u128)BASE * BASE : BASE;
    for (unsigned j = 0; j < plan->images; j++) {
        u128 part = limbs == 2 ? (u128)digit[2 * j + 1] * BASE + digit[2 * j] : digit[j];
        part += carry;
        carry = part > base / 2;
        if (carry)
            part -= base;
        store_part(out, plan, j, negative ? -part : part);
    }
    VERIFY(carry == 0);
}
