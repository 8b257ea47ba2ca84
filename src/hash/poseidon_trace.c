/* hash/poseidon_trace.c - the trace by the variant asked for.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "hash/poseidon_trace.h"

#include "hash/poseidon_permute.h"

static void trace_one(enum cpu_variant variant, const struct poseidon *p, fr *out, const fr *preimage)
{
#ifdef CUZK_HAVE_ADX
    if (cpu_scalar(variant) == CPU_ADX) {
        poseidon_trace_one_adx(p, out, preimage);
        return;
    }
#endif
    (void)variant;
    poseidon_trace_one_portable(p, out, preimage);
}

void poseidon_trace(enum cpu_variant variant, const struct poseidon *p, fr *out, size_t stride,
                    const fr *preimages, size_t count)
{
    VERIFY(count < 2 || stride >= poseidon_trace_count(p));
    size_t k = 0;
#ifdef CUZK_HAVE_IFMA
    while (variant == CPU_IFMA && count >= 8 && k < count) {
        const size_t at = count - k < 8 ? count - 8 : k; /* the last eight, some of them again */
        poseidon_trace_eight_ifma(p, out + at * stride, stride, preimages + at * p->arity);
        k = at + 8;
    }
#endif
    for (; k < count; k++)
        trace_one(variant, p, out + k * stride, preimages + k * p->arity);
}
