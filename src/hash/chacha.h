/* hash/chacha.h - the ChaCha key stream (D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008; RFC 8439).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef HASH_CHACHA_H
#define HASH_CHACHA_H

#include "base/common.h"

/* out = n bytes of the key stream from byte offset on. rounds: even, 20 as in RFC 8439, 8 for ChaCha8. The
 * state is RFC 8439's: a 32-bit block counter from 0, then the nonce. With a zero nonce that is also the
 * original layout (64-bit counter and nonce). offset + n must not exceed 2^38, where the counter ends. */
void chacha_keystream(uint8_t *out, size_t n, unsigned rounds, const uint8_t key[32], const uint8_t nonce[12],
                      uint64_t offset);

#endif
