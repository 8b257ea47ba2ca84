/* base/cpu.c - what this processor can do.
 * MULX, ADCX, ADOX and the SHA extensions work on general and XMM registers, which every 64-bit kernel
 * saves: CPUID alone decides (Intel SDM volume 2A, CPUID; volume 1, 13.1). AVX-512 needs a look at XCR0 too:
 * does the kernel save the wide registers?
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/cpu.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

#if defined(__x86_64__)
#include <cpuid.h>

static bool has_bits(uint32_t value, uint32_t bits)
{
    return (value & bits) == bits;
}

/* CPUID leaf 7, subleaf 0, EBX; 0 where there is no such leaf. */
static uint32_t leaf7_ebx(void)
{
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return 0;
    return b;
}

#ifdef CUZK_HAVE_ADX
static bool has_adx(void)
{
    const uint32_t bmi2 = UINT32_C(1) << 8, adx = UINT32_C(1) << 19;
    return has_bits(leaf7_ebx(), bmi2 | adx);
}
#endif

#ifdef CUZK_HAVE_IFMA
static bool saves_zmm(void)
{
    const uint32_t osxsave = UINT32_C(1) << 27, zmm_state = 0xe6; /* XMM, YMM, mask, both ZMM parts */
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !has_bits(c, osxsave))
        return false;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return has_bits(a, zmm_state);
}

static bool has_ifma(void)
{
    const uint32_t f = UINT32_C(1) << 16, dq = UINT32_C(1) << 17, ifma = UINT32_C(1) << 21;
    const uint32_t bw = UINT32_C(1) << 30, vl = UINT32_C(1) << 31, vbmi = UINT32_C(1) << 1;
    uint32_t a = 0, b = 0, c = 0, d = 0;
    return has_adx() && saves_zmm() && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
           has_bits(b, f | dq | ifma | bw | vl) && has_bits(c, vbmi);
}
#endif

bool cpu_has_sha(void)
{
    const uint32_t sha = UINT32_C(1) << 29, ssse3 = UINT32_C(1) << 9, sse41 = UINT32_C(1) << 19;
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return false;
    return has_bits(c, ssse3 | sse41) && has_bits(leaf7_ebx(), sha);
}
#else
bool cpu_has_sha(void)
{
    return false;
}
#endif

bool cpu_supports(enum cpu_variant variant)
{
    switch (variant) {
    case CPU_PORTABLE:
        return true;
    case CPU_ADX:
#ifdef CUZK_HAVE_ADX
        return has_adx();
#else
        return false;
#endif
    case CPU_IFMA:
#ifdef CUZK_HAVE_IFMA
        return has_ifma();
#else
        return false;
#endif
    }
    return false;
}

enum cpu_variant cpu_best(void)
{
    for (unsigned v = CPU_VARIANTS; v-- > 1;)
        if (cpu_supports((enum cpu_variant)v))
            return (enum cpu_variant)v;
    return CPU_PORTABLE;
}

const char *cpu_variant_name(enum cpu_variant variant)
{
    switch (variant) {
    case CPU_PORTABLE:
        return "portable";
    case CPU_ADX:
        return "adx";
    case CPU_IFMA:
        return "ifma";
    }
    return "unknown";
}

cuzk_status cpu_variant_parse(enum cpu_variant *variant, const char *name, struct cuzk_error *e)
{
    if (strcmp(name, "auto") == 0) {
        *variant = cpu_best();
        return CUZK_OK;
    }
    char would_do[64] = "auto";
    for (unsigned v = 0; v < CPU_VARIANTS; v++) {
        const enum cpu_variant candidate = (enum cpu_variant)v;
        if (!cpu_supports(candidate))
            continue;
        if (strcmp(name, cpu_variant_name(candidate)) == 0) {
            *variant = candidate;
            return CUZK_OK;
        }
        size_t used = strlen(would_do);
        snprintf(would_do + used, sizeof(would_do) - used, ", %s", cpu_variant_name(candidate));
    }
    for (unsigned v = 0; v < CPU_VARIANTS; v++)
        if (strcmp(name, cpu_variant_name((enum cpu_variant)v)) == 0)
            return error_set(e, CUZK_ERR_UNSUPPORTED,
                             "this processor or build cannot run the variant '%s'; it can run: %s", name,
                             would_do);
    return error_set(e, CUZK_ERR_ARGUMENT, "no such processor variant: '%s'; there are: %s", name, would_do);
}
