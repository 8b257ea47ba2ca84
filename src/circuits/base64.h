/* circuits/base64.h - base64 (RFC 4648, section 4); decoding is strict.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_BASE64_H
#define CIRCUITS_BASE64_H

#include "base/common.h"

/* The most bytes that n characters can hold; decoding needs so much room. */
size_t base64_room(size_t n);

/* Decode n characters of the standard alphabet into out, *size bytes. Returns NULL, or a word on what is
 * wrong: the length is no multiple of four, a character is not of the alphabet, padding misplaced, bits left
 * over; *bad is then the place of the offending character. */
const char *base64_decode(uint8_t *out, size_t *size, const char *text, size_t n, size_t *bad) MUST_USE;

/* The characters of n bytes, with padding; encode them into out, without a NUL. */
size_t base64_size(size_t n);
void base64_encode(char *out, const uint8_t *bytes, size_t n);

#endif
