/* hash/sha256.c - SHA-256 in portable C and the choice of the processor's instructions.
 * FIPS 180-4, sections 4.1.2, 4.2.2, 5.1.1, 5.3.3, 6.2.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "hash/sha256.h"

#include <stdatomic.h>
#include <string.h>

#include "base/cpu.h"
#include "hash/sha256_kernels.h"

#define BLOCK 64

const uint32_t SHA256_IV[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

const uint32_t SHA256_K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store_be32(uint8_t *p, uint32_t x)
{
    p[0] = (uint8_t)(x >> 24);
    p[1] = (uint8_t)(x >> 16);
    p[2] = (uint8_t)(x >> 8);
    p[3] = (uint8_t)x;
}

static uint32_t rotr(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void schedule(uint32_t w[64], const uint8_t block[BLOCK])
{
    for (unsigned t = 0; t < 16; t++)
        w[t] = load_be32(block + 4 * t);
    for (unsigned t = 16; t < 64; t++) {
        const uint32_t x = w[t - 15], y = w[t - 2];
        const uint32_t s0 = rotr(x, 7) ^ rotr(x, 18) ^ x >> 3;
        const uint32_t s1 = rotr(y, 17) ^ rotr(y, 19) ^ y >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
}

void sha256_compress_portable(uint32_t h[8], const uint8_t *blocks, size_t n)
{
    for (; n > 0; n--, blocks += BLOCK) {
        uint32_t w[64];
        schedule(w, blocks);
        uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
        for (unsigned t = 0; t < 64; t++) {
            const uint32_t sum1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
            const uint32_t sum0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
            const uint32_t t1 = k + sum1 + (g ^ (e & (f ^ g))) + SHA256_K[t] + w[t];
            const uint32_t t2 = sum0 + ((a & b) | (c & (a | b)));
            k = g;
            g = f;
            f = e;
            e = d + t1;
            d = c;
            c = b;
            b = a;
            a = t1 + t2;
        }
        h[0] += a;
        h[1] += b;
        h[2] += c;
        h[3] += d;
        h[4] += e;
        h[5] += f;
        h[6] += g;
        h[7] += k;
    }
}

#ifdef HAVE_SHA256_NI
/* Asking the processor costs more than hashing a block, and a hypervisor makes it worse: remember the answer,
 * which is the same whichever thread asks first. */
static bool has_sha(void)
{
    enum { NOT_ASKED, NO, YES };
    static _Atomic int answer = NOT_ASKED;
    int known = atomic_load_explicit(&answer, memory_order_relaxed);
    if (known == NOT_ASKED) {
        known = cpu_has_sha() ? YES : NO;
        atomic_store_explicit(&answer, known, memory_order_relaxed);
    }
    return known == YES;
}
#endif

void sha256_compress(uint32_t h[8], const uint8_t *blocks, size_t n)
{
#ifdef HAVE_SHA256_NI
    if (has_sha()) {
        sha256_compress_ni(h, blocks, n);
        return;
    }
#endif
    sha256_compress_portable(h, blocks, n);
}

void sha256_init(struct sha256 *s)
{
    memcpy(s->h, SHA256_IV, sizeof s->h);
    s->length = 0;
}

void sha256_update(struct sha256 *s, const void *data, size_t n)
{
    const uint8_t *p = data;
    const size_t held = (size_t)(s->length % BLOCK);
    s->length += n;
    if (held > 0) {
        const size_t room = BLOCK - held;
        if (n < room) {
            if (n > 0)
                memcpy(s->block + held, p, n);
            return;
        }
        memcpy(s->block + held, p, room);
        sha256_compress(s->h, s->block, 1);
        p += room;
        n -= room;
    }
    const size_t whole = n / BLOCK, rest = n % BLOCK;
    if (whole > 0)
        sha256_compress(s->h, p, whole);
    if (rest > 0)
        memcpy(s->block, p + whole * BLOCK, rest);
}

void sha256_final(struct sha256 *s, uint8_t out[32])
{
    uint8_t end[2 * BLOCK] = {0};
    const size_t held = (size_t)(s->length % BLOCK);
    const size_t blocks = held + 9 <= BLOCK ? 1 : 2; /* the bit 1 and the 64-bit length */
    const uint64_t bits = s->length * 8;

    memcpy(end, s->block, held);
    end[held] = 0x80;
    store_be32(end + blocks * BLOCK - 8, (uint32_t)(bits >> 32));
    store_be32(end + blocks * BLOCK - 4, (uint32_t)bits);
    sha256_compress(s->h, end, blocks);
    for (unsigned i = 0; i < 8; i++)
        store_be32(out + 4 * i, s->h[i]);
}

void sha256(uint8_t out[32], const void *data, size_t n)
{
    struct sha256 s;
    sha256_init(&s);
    sha256_update(&s, data, n);
    sha256_final(&s, out);
}
