/* base/cpu.h - what this processor can do, found by CPUID at run time.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include "base/common.h"

/* The arithmetic variants, slowest first. */
enum cpu_variant {
    CPU_PORTABLE = 0, /* C with 64-bit limbs, any machine */
    CPU_ADX = 1,      /* x86-64 with MULX, ADCX, ADOX (BMI2 and ADX) */
    CPU_IFMA = 2,     /* the same, and eight lanes by AVX-512 (F, DQ, BW, VL, VBMI and IFMA) where it pays */
};
#define CPU_VARIANTS 3

/* What a variant uses for one element at a time: of CPU_IFMA that is CPU_ADX. */
static inline enum cpu_variant cpu_scalar(enum cpu_variant variant)
{
    return variant == CPU_IFMA ? CPU_ADX : variant;
}

/* Can this build on this processor run the variant? */
bool cpu_supports(enum cpu_variant variant);

/* The fastest one that cpu_supports(). */
enum cpu_variant cpu_best(void);

/* "portable", "adx", "ifma"; never NULL. */
const char *cpu_variant_name(enum cpu_variant variant);

/* Parse such a name, or "auto" (the best). An unknown or unsupported one is an error that names
 * those that would do. */
cuzk_status cpu_variant_parse(enum cpu_variant *variant, const char *name, struct cuzk_error *e) MUST_USE;

/* SHA-NI with SSE4.1 and SSSE3. */
bool cpu_has_sha(void);

#endif
