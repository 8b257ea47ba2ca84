/* hash/sha256.h - SHA-256 (FIPS 180-4), with SHA-NI where the processor has it.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef HASH_SHA256_H
#define HASH_SHA256_H

#include "base/common.h"

struct sha256 {
    uint32_t h[8];
    uint64_t length; /* bytes so far */
    uint8_t block[64];
};

extern const uint32_t SHA256_IV[8];
extern const uint32_t SHA256_K[64];

void sha256_init(struct sha256 *s);
void sha256_update(struct sha256 *s, const void *data, size_t n);
void sha256_final(struct sha256 *s, uint8_t out[32]); /* s may then be initialised again */
void sha256(uint8_t out[32], const void *data, size_t n);

/* n blocks of 64 bytes into the state h. */
void sha256_compress(uint32_t h[8], const uint8_t *blocks, size_t n);

#endif
