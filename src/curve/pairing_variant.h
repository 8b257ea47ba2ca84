/* curve/pairing_variant.h - the pairing's halves as compiled for each variant.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_PAIRING_VARIANT_H
#define CURVE_PAIRING_VARIANT_H

#include "curve/pairing.h"

void pairing_miller_portable(fp12 *out, const g1_affine *p, const g2_affine *q, size_t n);
void pairing_power_portable(fp12 *out, const fp12 *miller);
void pairing_miller_adx(fp12 *out, const g1_affine *p, const g2_affine *q, size_t n);
void pairing_power_adx(fp12 *out, const fp12 *miller);

#endif
