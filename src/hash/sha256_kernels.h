/* hash/sha256_kernels.h - the implementations of sha256_compress(), for it and for the tests.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef HASH_SHA256_KERNELS_H
#define HASH_SHA256_KERNELS_H

#include "base/common.h"

void sha256_compress_portable(uint32_t h[8], const uint8_t *blocks, size_t n);

#if defined(__x86_64__)
#define HAVE_SHA256_NI
/* Only where cpu_has_sha(). */
void sha256_compress_ni(uint32_t h[8], const uint8_t *blocks, size_t n);
#endif

#endif
