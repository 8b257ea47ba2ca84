/* backend/cuda/pick.cuh - a thread's part of picking (pick_args.h), for kernels and, from the same source, for
 * the host. SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_PICK_CUH
#define BACKEND_CUDA_PICK_CUH

#include "backend/cuda/element.cuh"
#include "backend/cuda/pick_args.h"

FIELD_FN uint32_t pick_popcount(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popcll(x);
#else
    return (uint32_t)__builtin_popcountll(x);
#endif
}

/* Other threads add bits to the same word. */
FIELD_FN void pick_add(uint64_t *word, uint64_t bits)
{
#ifdef __CUDA_ARCH__
    atomicOr((unsigned long long *)word, (unsigned long long)bits);
#else
    *word |= bits;
#endif
}

/* Word i of the bits. */
FIELD_FN void pick_bits_word(const pick_args &a, uint32_t i)
{
    const uint64_t x = ((const uint64_t *)a.from)[i];
    const uint32_t rank = a.rank[i];
    uint64_t taken = 0;
    uint32_t n = 0;
    for (uint64_t mask = a.mask[i]; mask; mask &= mask - 1, n++)
        taken |= (uint64_t)((x & mask & (0 - mask)) != 0) << n;
    uint64_t *to = (uint64_t *)a.to + rank / 64;
    if (taken << rank % 64)
        pick_add(to, taken << rank % 64);
    if (rank % 64 && taken >> (64 - rank % 64))
        pick_add(to + 1, taken >> (64 - rank % 64));
}

FIELD_FN void pick_element(const pick_args &a, uint32_t i)
{
    const uint64_t mask = a.mask[i / 64], bit = (uint64_t)1 << i % 64;
    if (mask & bit)
        fr32_store(a.to, a.rank[i / 64] + pick_popcount(mask & (bit - 1)), fr32_load(a.from, i));
}

#endif
