/* gadgets/sha256.h - SHA-256 (FIPS 180-4) of bits, row by row as bellperson's gadget.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_SHA256_H
#define GADGETS_SHA256_H

#include "gadgets/uint32.h"

#define SHA256_BITS 256

/* The digest of count bits (a multiple of 8), each byte's highest bit first on both sides. */
void sha256_gadget(struct cs *cs, struct boolean digest[SHA256_BITS], const struct boolean *bits,
                   size_t count);

#endif
