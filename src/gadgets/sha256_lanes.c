/* gadgets/sha256_lanes.c - eight compressions of one plan side by side, with AVX-512.
 *
 * The strings of bits are made as if each began at a word, words of the eight next to each other, and then
 * turned over and shifted into place. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/sha256_lanes.h"

#include <immintrin.h>
#include <string.h>

#include "hash/sha256.h"

#define LANES SHA256_LANES

typedef uint64_t lanes __attribute__((vector_size(8 * LANES)));

#define WORD    lanes
#define L(name) all_##name
#include "gadgets/sha256_witness.inc"
#undef WORD
#undef L

/* Whole blocks of 8 words; the last word of a shifted string may be one more. */
#define BLOCKS ((SHA256_WITNESS_BITS / 64 + 2 + 7) / 8)

/* x[i] word j becomes x[j] word i. */
static inline void turn_over(__m512i x[8])
{
    __m512i pair[8], four[8];
    for (int i = 0; i < 8; i += 2) {
        pair[i] = _mm512_unpacklo_epi64(x[i], x[i + 1]);
        pair[i + 1] = _mm512_unpackhi_epi64(x[i], x[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            four[i + k] = _mm512_shuffle_i64x2(pair[i + k], pair[i + k + 2], 0x88);
            four[i + k + 2] = _mm512_shuffle_i64x2(pair[i + k], pair[i + k + 2], 0xdd);
        }
    for (int k = 0; k < 4; k++) {
        x[k] = _mm512_shuffle_i64x2(four[k], four[k + 4], 0x88);
        x[k + 4] = _mm512_shuffle_i64x2(four[k], four[k + 4], 0xdd);
    }
}

/* Where a lane's string goes. */
struct target {
    uint64_t *at;
    size_t words;        /* that it touches */
    uint64_t low, high;  /* bits of the first and the last word that are not its own */
    __m512i left, right; /* shifts */
};

static inline void store_block(const struct target *t, size_t first, __m512i words)
{
    if (first == 0)
        words = _mm512_or_si512(words, _mm512_maskz_set1_epi64(1, (long long)(t->at[0] & t->low)));
    if (first + 8 < t->words) {
        _mm512_storeu_si512(t->at + first, words);
        return;
    }
    if (first >= t->words)
        return;
    uint64_t *last = t->at + t->words - 1;
    const uint64_t behind = *last & t->high;
    _mm512_mask_storeu_epi64(t->at + first, (__mmask8)(0xff >> (8 - (t->words - first))), words);
    *last |= behind;
}

/* Block by block over all lanes. Strings may meet within a word: what is there is read when it is written. */
static void scatter(const struct target target[LANES], const lanes *words)
{
    __m512i before[LANES];
    for (int l = 0; l < LANES; l++)
        before[l] = _mm512_setzero_si512();
    for (size_t block = 0; block < BLOCKS; block++) {
        __m512i x[LANES];
        memcpy(x, words + 8 * block, sizeof x);
        turn_over(x);
        for (int l = 0; l < LANES; l++) {
            const __m512i previous = _mm512_alignr_epi64(x[l], before[l], 7);
            store_block(&target[l], 8 * block,
                        _mm512_or_si512(_mm512_sllv_epi64(x[l], target[l].left),
                                        _mm512_srlv_epi64(previous, target[l].right)));
            before[l] = x[l];
        }
    }
}

void sha256_witness_lanes(const struct sha256_plan *plan, struct sha256_job jobs[LANES])
{
    lanes words[8 * BLOCKS], state[8], block[16];
    struct target target[LANES];
    for (int l = 0; l < LANES; l++) {
        const unsigned shift = jobs[l].bit_at % 64, end = (shift + plan->bits) % 64;
        target[l] = (struct target){.at = jobs[l].bits + jobs[l].bit_at / 64,
                                    .words = (shift + plan->bits + 63) / 64,
                                    .low = (UINT64_C(1) << shift) - 1,
                                    .high = end == 0 ? 0 : ~UINT64_C(0) << end,
                                    .left = _mm512_set1_epi64(shift),
                                    .right = _mm512_set1_epi64(64 - shift)};
        for (unsigned k = 0; k < 8; k++)
            state[k][l] = jobs[l].state[k];
        for (unsigned i = 0; i < 16; i++)
            block[i][l] = jobs[l].block[i];
    }
    struct all_writer out = {.at = words};
    all_fill(&out, plan, state, block);
    lanes *end = out.at;
    if (out.fill > 0)
        *end++ = out.acc;
    memset(end, 0, (size_t)(words + 8 * BLOCKS - end) * sizeof *end);
    scatter(target, words);
    for (int l = 0; l < LANES; l++)
        for (unsigned k = 0; k < 8; k++)
            jobs[l].state[k] = (uint32_t)state[k][l];
}
