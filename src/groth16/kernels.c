/* groth16/kernels.c - the choice of a variant.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/kernels.h"

extern const struct groth16_kernels groth16_kernels_portable;
#ifdef CUZK_HAVE_ADX
extern const struct groth16_kernels groth16_kernels_adx;
#endif
#ifdef CUZK_HAVE_IFMA
extern const struct groth16_kernels groth16_kernels_ifma;
#endif

const struct groth16_kernels *groth16_kernels(enum cpu_variant variant)
{
#ifdef CUZK_HAVE_IFMA
    if (variant == CPU_IFMA)
        return &groth16_kernels_ifma;
#endif
#ifdef CUZK_HAVE_ADX
    if (cpu_scalar(variant) == CPU_ADX)
        return &groth16_kernels_adx;
#endif
    (void)variant;
    return &groth16_kernels_portable;
}
