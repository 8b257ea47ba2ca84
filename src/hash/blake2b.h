/* hash/blake2b.h - BLAKE2b (RFC 7693) by way of OpenSSL.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef HASH_BLAKE2B_H
#define HASH_BLAKE2B_H

#include "base/error.h"

/* out = the 64-byte digest of n bytes, without a key. */
cuzk_status blake2b(uint8_t out[64], const void *data, size_t n, struct cuzk_error *e) MUST_USE;

/* out = the 32-byte digest of n bytes under a key of 1 to 64 bytes. */
cuzk_status blake2b_keyed_32(uint8_t out[32], const void *key, size_t key_size, const void *data, size_t n,
                             struct cuzk_error *e) MUST_USE;

#endif
