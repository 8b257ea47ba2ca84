/* circuits/bincode.c - reading bincode against a fixed schema, with errors that name field and byte.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/bincode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool bincode_refuse(struct bincode *b, size_t at, const char *format, ...)
{
    char what[192];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    (void)reader_refuse(&b->reader, (const char *)b->reader.text + at, "%s", what);
    return false;
}

bool bincode_fail(struct bincode *b, cuzk_status status)
{
    (void)reader_fail(&b->reader, status);
    return false;
}

/* The next count bytes; NULL: they are not there, and that is said. */
static const uint8_t *take(struct bincode *b, size_t count)
{
    if (count > b->size - b->at) {
        bincode_refuse(b, b->at, "%zu bytes where there must be %zu", b->size - b->at, count);
        return NULL;
    }
    const uint8_t *p = b->reader.text + b->at;
    b->at += count;
    return p;
}

static bool take_number(struct bincode *b, uint64_t *out, size_t bytes)
{
    const uint8_t *p = take(b, bytes);
    if (!p)
        return false;
    *out = 0;
    for (size_t i = bytes; i-- > 0;)
        *out = *out << 8 | p[i];
    return true;
}

cuzk_status bincode_record(struct bincode *b, bincode_fn *read, void *target)
{
    b->at = 0;
    b->reader.status = CUZK_OK;
    b->reader.depth = 0;
    if (read(b, target) && b->at < b->size)
        bincode_refuse(b, b->at, "%zu bytes behind the end", b->size - b->at);
    return b->reader.status;
}

bool bincode_struct(struct bincode *b, const struct bincode_field *fields, size_t count, void *target)
{
    for (size_t i = 0; i < count; i++) {
        reader_push_field(&b->reader, fields[i].name, strlen(fields[i].name));
        if (!fields[i].read(b, (uint8_t *)target + fields[i].offset))
            return false;
        reader_pop(&b->reader);
    }
    return true;
}

bool bincode_variant(struct bincode *b, uint32_t number, const char *name, bincode_fn *read, void *target)
{
    const size_t start = b->at;
    uint64_t found;
    if (!take_number(b, &found, sizeof number))
        return false;
    if (found != number)
        return bincode_refuse(b, start, "variant %" PRIu64 " where there must be %" PRIu32 ", %s", found,
                              number, name);
    const struct bincode_field value = {name, read, 0};
    return bincode_struct(b, &value, 1, target);
}

bool bincode_sequence(struct bincode *b, const char *what, size_t count, size_t size, bincode_fn *item,
                      void *target)
{
    const size_t start = b->at;
    uint64_t found;
    if (!take_number(b, &found, sizeof found))
        return false;
    if (found != count)
        return bincode_refuse(b, start, "%" PRIu64 " %s where there must be %zu", found, what, count);
    for (size_t i = 0; i < count; i++) {
        reader_push_index(&b->reader, i);
        if (!item(b, (uint8_t *)target + i * size))
            return false;
        reader_pop(&b->reader);
    }
    return true;
}

bool bincode_u64(struct bincode *b, void *target)
{
    return take_number(b, target, sizeof(uint64_t));
}

bool bincode_fr(struct bincode *b, void *target)
{
    const size_t start = b->at;
    const uint8_t *p = take(b, FR_BYTES);
    if (p && !fr_read_le(target, p))
        return bincode_refuse(b, start, "not below the field's modulus");
    return p != NULL;
}

bool bincode_element(struct bincode *b, void *target)
{
    const size_t start = b->at;
    fr element;
    if (!bincode_fr(b, &element))
        return false;
    memcpy(target, b->reader.text + start, FR_BYTES);
    return true;
}
