/* hash/sha256_ni.c - SHA-256 blocks with the x86 SHA extensions (Intel, "New Instructions Supporting the
 * Secure Hash Algorithm on Intel Architecture Processors", 2013): SHA256RNDS2 makes two rounds on the state
 * held as (a, b, e, f) and (c, d, g, h); SHA256MSG1 and SHA256MSG2 make four words of the schedule.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "hash/sha256_kernels.h"

#include <immintrin.h>

#include "hash/sha256.h"

#define SHA_TARGET __attribute__((target("sha,sse4.1,ssse3")))

/* The next four words of the schedule from the last sixteen, oldest first. */
SHA_TARGET static inline __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3)
{
    const __m128i t = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
    return _mm_sha256msg2_epu32(t, w3);
}

SHA_TARGET static inline void four_rounds(__m128i *abef, __m128i *cdgh, __m128i w, const uint32_t *k)
{
    const __m128i wk = _mm_add_epi32(w, _mm_loadu_si128((const __m128i *)(const void *)k));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, wk);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

SHA_TARGET void sha256_compress_ni(uint32_t h[8], const uint8_t *blocks, size_t n)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i dcba = _mm_loadu_si128((const __m128i *)(const void *)h);
    const __m128i hgfe = _mm_loadu_si128((const __m128i *)(const void *)(h + 4));
    const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

    for (; n > 0; n--, blocks += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i w[4];
        for (unsigned i = 0; i < 4; i++) {
            const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(blocks + 16 * i));
            w[i] = _mm_shuffle_epi8(bytes, big_endian);
            four_rounds(&abef, &cdgh, w[i], SHA256_K + 4 * i);
        }
        for (unsigned i = 16; i < 64; i += 16) {
            w[0] = next_words(w[0], w[1], w[2], w[3]);
            four_rounds(&abef, &cdgh, w[0], SHA256_K + i);
            w[1] = next_words(w[1], w[2], w[3], w[0]);
            four_rounds(&abef, &cdgh, w[1], SHA256_K + i + 4);
            w[2] = next_words(w[2], w[3], w[0], w[1]);
            four_rounds(&abef, &cdgh, w[2], SHA256_K + i + 8);
            w[3] = next_words(w[3], w[0], w[1], w[2]);
            four_rounds(&abef, &cdgh, w[3], SHA256_K + i + 12);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }

    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)h, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}
