/* circuits/bincode.h - reading bincode 1 (little-endian integers of fixed width, counts and numbers of
 * variants before what they count or choose) against a fixed schema, with errors that name field and byte.
 *
 * The schema fixes every count and variant, so a record has one size; whatever else stands there is refused.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_BINCODE_H
#define CIRCUITS_BINCODE_H

#include "circuits/reader.h"

/* A record being read. Set reader (x, user, text, document, e) and size; the rest zero. */
struct bincode {
    struct reader reader; /* place and error */
    size_t size, at;      /* bytes of the record; of those read */
};

/* Reads one value into target. False: it failed, b->reader.status says why. */
typedef bool bincode_fn(struct bincode *b, void *target);

/* A member of a struct. */
struct bincode_field {
    const char *name;
    bincode_fn *read;
    size_t offset; /* of its target within the struct's */
};

/* The whole record, with nothing behind it. */
cuzk_status bincode_record(struct bincode *b, bincode_fn *read, void *target) MUST_USE;

/* Fail at a place in the record. */
bool bincode_refuse(struct bincode *b, size_t at, const char *format, ...) PRINTF_LIKE(3, 4);
bool bincode_fail(struct bincode *b, cuzk_status status); /* its detail is already in b->reader.e */

/* The members in this order. */
bool bincode_struct(struct bincode *b, const struct bincode_field *fields, size_t count, void *target);

/* An enum's variant, which must be this one: its number, then its value. */
bool bincode_variant(struct bincode *b, uint32_t number, const char *name, bincode_fn *read, void *target);

/* A count, which must be this one, and so many values of what they are ("hashes"), size bytes apart in
 * target. */
bool bincode_sequence(struct bincode *b, const char *what, size_t count, size_t size, bincode_fn *item,
                      void *target);

bool bincode_u64(struct bincode *b, void *target); /* uint64_t */
bool bincode_fr(struct bincode *b, void *target);  /* fr: 32 bytes below the modulus; in Montgomery form */
bool bincode_element(struct bincode *b, void *target); /* uint8_t[32]: the same, as they stand */

#endif
