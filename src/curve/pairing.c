/* curve/pairing.c - the pairing by the variant asked for.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve/pairing.h"

#include "curve/pairing_variant.h"

void pairing_miller(enum cpu_variant variant, fp12 *out, const g1_affine *p, const g2_affine *q, size_t n)
{
#ifdef CUZK_HAVE_ADX
    if (cpu_scalar(variant) == CPU_ADX) {
        pairing_miller_adx(out, p, q, n);
        return;
    }
#endif
    (void)variant;
    pairing_miller_portable(out, p, q, n);
}

void pairing_power(enum cpu_variant variant, fp12 *out, const fp12 *miller)
{
#ifdef CUZK_HAVE_ADX
    if (cpu_scalar(variant) == CPU_ADX) {
        pairing_power_adx(out, miller);
        return;
    }
#endif
    (void)variant;
    pairing_power_portable(out, miller);
}

void pairing_product(enum cpu_variant variant, fp12 *out, const g1_affine *p, const g2_affine *q, size_t n)
{
    fp12 miller;
    pairing_miller(variant, &miller, p, q, n);
    pairing_power(variant, out, &miller);
}

bool pairing_product_is_one(enum cpu_variant variant, const g1_affine *p, const g2_affine *q, size_t n)
{
    fp12 product;
    pairing_product(variant, &product, p, q, n);
    return fp12_is_one(&product);
}
