/* hash/chacha.c - the ChaCha key stream, block by block (RFC 8439, section 2.3).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "hash/chacha.h"

#define BLOCK_BYTES 64

static uint32_t load_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store_le32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static uint32_t rotl(uint32_t v, unsigned n)
{
    return v << n | v >> (32 - n);
}

static void quarter_round(uint32_t s[16], unsigned a, unsigned b, unsigned c, unsigned d)
{
    s[a] += s[b];
    s[d] = rotl(s[d] ^ s[a], 16);
    s[c] += s[d];
    s[b] = rotl(s[b] ^ s[c], 12);
    s[a] += s[b];
    s[d] = rotl(s[d] ^ s[a], 8);
    s[c] += s[d];
    s[b] = rotl(s[b] ^ s[c], 7);
}

static void block(uint8_t out[BLOCK_BYTES], unsigned rounds, const uint32_t state[16])
{
    uint32_t s[16];
    memcpy(s, state, sizeof s);
    for (unsigned r = 0; r < rounds; r += 2) {
        for (unsigned i = 0; i < 4; i++)
            quarter_round(s, i, 4 + i, 8 + i, 12 + i);
        for (unsigned i = 0; i < 4; i++)
            quarter_round(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (unsigned i = 0; i < 16; i++)
        store_le32(out + 4 * i, s[i] + state[i]);
}

void chacha_keystream(uint8_t *out, size_t n, unsigned rounds, const uint8_t key[32], const uint8_t nonce[12],
                      uint64_t offset)
{
    VERIFY(rounds % 2 == 0);
    VERIFY(offset <= UINT64_C(1) << 38 && n <= (UINT64_C(1) << 38) - offset);
    uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}; /* "expand 32-byte k" */
    for (unsigned i = 0; i < 8; i++)
        state[4 + i] = load_le32(key + 4 * i);
    for (unsigned i = 0; i < 3; i++)
        state[13 + i] = load_le32(nonce + 4 * i);

    while (n > 0) {
        uint8_t bytes[BLOCK_BYTES];
        const size_t skip = (size_t)(offset % BLOCK_BYTES);
        const size_t take = n < BLOCK_BYTES - skip ? n : BLOCK_BYTES - skip;
        state[12] = (uint32_t)(offset / BLOCK_BYTES);
        block(bytes, rounds, state);
        memcpy(out, bytes + skip, take);
        out += take;
        offset += take;
        n -= take;
    }
}
