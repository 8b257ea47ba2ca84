/* r1cs/bits.h - strings of bits, lowest bit of a word first.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_BITS_H
#define R1CS_BITS_H

#include "base/common.h"

/* count (1..64) bits from bit `first` on; the word behind them is read only if they reach into it. */
static inline uint64_t bits_read(const uint64_t *from, uint64_t first, uint32_t count)
{
    uint64_t x = from[first / 64] >> first % 64;
    if (first % 64 + count > 64)
        x |= from[first / 64 + 1] << (64 - first % 64);
    return count < 64 ? x & ((UINT64_C(1) << count) - 1) : x;
}

/* out, zero from bit `at` on, gets count bits of from, which begin at bit `first`. The word behind the last
 * bit may be written to (with what it holds). */
static inline void bits_copy(uint64_t *out, uint64_t at, const uint64_t *from, uint64_t first, uint32_t count)
{
    for (uint32_t done = 0; done < count; done += 64) {
        const uint64_t to = at + done;
        const uint64_t x = bits_read(from, first + done, count - done < 64 ? count - done : 64);
        out[to / 64] |= x << to % 64;
        if (to % 64 != 0)
            out[to / 64 + 1] |= x >> (64 - to % 64);
    }
}

#endif
