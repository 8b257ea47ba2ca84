/* msm/plan.c - see plan.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "msm/plan.h"

/* |u| of the curve, and half of r rounded down. */
#define BASE            UINT64_C(0xd201000000010000)
#define BASE_RECIPROCAL UINT64_C(0x381204ca56cd56b5)                        /* (2^128 - 1) / BASE - 2^64 */
static const uint64_t SQUARE[2] = {0x0000000100000000, 0xac45a4010001a402}; /* BASE^2 */
static const uint64_t SQUARE_RECIPROCAL[2] = {0x63f6e522f6cfee2e,
                                              0x7c6becf1e01faadd}; /* 2^256 / BASE^2 - 2^128 */
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

static u128 wide(const uint64_t low_first[2])
{
    return (u128)low_first[1] << 64 | low_first[0];
}

/* k / 2^256 mod r: the plain value of Montgomery's form. */
static void plain_value(fr *out, const fr *k)
{
    uint64_t t[FR_LIMBS];
    for (int i = 0; i < FR_LIMBS; i++)
        t[i] = k->l[i];
    for (int i = 0; i < FR_LIMBS; i++) {
        const uint64_t m = t[0] * FR_INV;
        u128 sum = (u128)m * FR_MODULUS.l[0] + t[0];
        for (int j = 1; j < FR_LIMBS; j++) {
            sum = (u128)m * FR_MODULUS.l[j] + t[j] + (uint64_t)(sum >> 64);
            t[j - 1] = (uint64_t)sum;
        }
        t[FR_LIMBS - 1] = (uint64_t)(sum >> 64);
    }
    for (int i = 0; i < FR_LIMBS; i++)
        out->l[i] = t[i];
}

/* The quotient of k, below 2^255, by BASE^2, and the remainder. (P. Barrett, 1986.) */
static u128 divide_by_square(u128 *rest, const uint64_t k[4])
{
    /* The highest three limbs times the reciprocal, from bit 192 on: at most 2 too small. */
    u128 low = (u128)k[1] * SQUARE_RECIPROCAL[0] >> 64, high = (u128)k[1] * SQUARE_RECIPROCAL[1];
    u128 a = (u128)k[2] * SQUARE_RECIPROCAL[0];
    u128 sum = low + (uint64_t)high + (uint64_t)a;
    sum = (sum >> 64) + (uint64_t)(high >> 64) + (uint64_t)(a >> 64) + k[1];
    high = (u128)k[2] * SQUARE_RECIPROCAL[1];
    a = (u128)k[3] * SQUARE_RECIPROCAL[0];
    sum += (u128)(uint64_t)high + (uint64_t)a;
    sum = (sum >> 64) + (uint64_t)(high >> 64) + (uint64_t)(a >> 64) + k[2];
    u128 quotient = (u128)k[3] * SQUARE_RECIPROCAL[1] + sum + ((u128)k[3] << 64);
    const uint64_t q0 = (uint64_t)quotient, q1 = (uint64_t)(quotient >> 64);
    /* What is left, modulo 2^192. */
    const u128 first = (u128)q0 * SQUARE[0];
    const u128 middle = (u128)q0 * SQUARE[1] + (uint64_t)(first >> 64);
    const u128 second = (u128)q1 * SQUARE[0] + (uint64_t)middle;
    const uint64_t top = (uint64_t)(middle >> 64) + (uint64_t)(second >> 64) + q1 * SQUARE[1];
    const u128 taken = second << 64 | (uint64_t)first, from = wide(k);
    uint64_t left_high = k[2] - top - (from < taken);
    u128 left = from - taken;
    while (left_high > 0 || left >= wide(SQUARE)) {
        left_high -= left < wide(SQUARE);
        left -= wide(SQUARE);
        quotient++;
    }
    *rest = left;
    return quotient;
}

/* The quotient of k, below BASE^2, by BASE, and the remainder. (N. Moeller, T. Granlund, "Improved division
 * by invariant integers", 2011.) */
static uint64_t divide_by_base(uint64_t *rest, u128 k)
{
    const uint64_t high = (uint64_t)(k >> 64);
    const u128 product = (u128)BASE_RECIPROCAL * high + k;
    uint64_t quotient = (uint64_t)(product >> 64) + 1;
    uint64_t left = (uint64_t)k - quotient * BASE;
    if (left > (uint64_t)product) {
        quotient--;
        left += BASE;
    }
    if (left >= BASE) {
        quotient++;
        left -= BASE;
    }
    *rest = left;
    return quotient;
}

/* The sign of k that makes its absolute value at most r/2: all ones for negative. Without branches, here and
 * below: they would be guessed wrong half the time. */
static uint64_t make_small(fr *k)
{
    uint64_t above = 0, borrow = 0;
    for (int i = 0; i < FR_LIMBS; i++)
        above = (uint64_t)(((u128)HALF_R.l[i] - k->l[i] - above) >> 64) & 1;
    const uint64_t mask = 0 - above;
    for (int i = 0; i < FR_LIMBS; i++) {
        const u128 difference = (u128)FR_MODULUS.l[i] - k->l[i] - borrow;
        borrow = (uint64_t)(difference >> 64) & 1;
        k->l[i] = ((uint64_t)difference & mask) | (k->l[i] & ~mask);
    }
    return mask;
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
    plain_value(&plain, k);
    const uint64_t negative = make_small(&plain);
    const u128 sign = (u128)negative << 64 | negative;
    /* Digits in base |u| or |u|^2: below it, the last below its half; then balanced around zero. */
    u128 digit[4];
    const u128 base = plan->images == 2 ? wide(SQUARE) : BASE;
    digit[1] = divide_by_square(&digit[0], plain.l);
    if (plan->images == 4) {
        uint64_t rest;
        digit[3] = divide_by_base(&rest, digit[1]);
        digit[2] = rest;
        digit[1] = divide_by_base(&rest, digit[0]);
        digit[0] = rest;
    }
    u128 carry = 0;
    for (unsigned j = 0; j < plan->images; j++) {
        u128 part = digit[j] + carry;
        carry = part > base / 2;
        part -= base & -carry;
        store_part(out, plan, j, (part ^ sign) - sign);
    }
    VERIFY(carry == 0);
}
