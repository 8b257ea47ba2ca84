/* gadgets/sha256_witness.c - writing a compression's variables.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/sha256_witness.h"

#include <string.h>

#include "gadgets/sha256_lanes.h"
#include "hash/sha256.h"

#define WORD    uint64_t
#define L(name) one_##name
#include "gadgets/sha256_witness.inc"
#undef WORD
#undef L

void sha256_witness(const struct sha256_plan *plan, uint64_t *bits, size_t bit_at, uint32_t state[8],
                    const uint32_t block[16])
{
    const size_t end = bit_at + plan->bits;
    const uint64_t behind = end % 64 == 0 ? 0 : bits[end / 64] >> end % 64 << end % 64;
    struct one_writer out = {.fill = bit_at % 64, .at = bits + bit_at / 64};
    if (out.fill > 0)
        out.acc = *out.at & ((UINT64_C(1) << out.fill) - 1);
    uint64_t words[8], w[16];
    for (unsigned k = 0; k < 8; k++)
        words[k] = state[k];
    for (unsigned i = 0; i < 16; i++)
        w[i] = block[i];
    one_fill(&out, plan, words, w);
    if (out.fill > 0)
        *out.at = out.acc | behind;
    for (unsigned k = 0; k < 8; k++)
        state[k] = (uint32_t)words[k];
}

void sha256_witness_many(enum cpu_variant variant, const struct sha256_plan *plan, struct sha256_job *jobs,
                         size_t count)
{
    (void)variant;
#ifdef CUZK_HAVE_IFMA
    for (; variant == CPU_IFMA && count >= SHA256_LANES; jobs += SHA256_LANES, count -= SHA256_LANES)
        sha256_witness_lanes(plan, jobs);
#endif
    for (; count > 0; jobs++, count--)
        sha256_witness(plan, jobs->bits, jobs->bit_at, jobs->state, jobs->block);
}
