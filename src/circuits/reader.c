/* circuits/reader.c - reading JSON against a fixed schema into structs, with errors that name field and byte.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "circuits/reader.h"

#define NAME_SHOWN 40 /* characters of an unknown name in an error */

/* ---- errors ---- */

static void append(char *out, size_t room, size_t *used, const char *text, size_t size)
{
    for (size_t i = 0; i < size && *used + 1 < room; i++) {
        const unsigned char c = (unsigned char)text[i];
        out[(*used)++] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    out[*used] = 0;
}

static void path_text(const struct reader *r, char *out, size_t room)
{
    size_t used = 0;
    out[0] = 0;
    for (unsigned i = 0; i < r->depth; i++) {
        const struct reader_segment *s = &r->path[i];
        if (s->name) {
            append(out, room, &used, ".", i > 0 ? 1 : 0);
            append(out, room, &used, s->name, s->size < NAME_SHOWN ? s->size : NAME_SHOWN);
        } else {
            char number[24];
            append(out, room, &used, number, (size_t)snprintf(number, sizeof number, "[%zu]", s->index));
        }
    }
}

enum json_result reader_fail(struct reader *r, cuzk_status status)
{
    r->status = status;
    return JSON_FAILED;
}

enum json_result reader_refuse(struct reader *r, const char *at, const char *format, ...)
{
    char path[256], what[192];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    path_text(r, path, sizeof path);
    const size_t offset = at ? (size_t)(at - (const char *)r->text) : 0;
    return reader_fail(r, error_set(r->e, CUZK_ERR_INPUT, "%s%s%s (byte %zu of %s)", path,
                                    path[0] ? ": " : "", what, offset, r->document));
}

void reader_push_field(struct reader *r, const char *name, size_t size)
{
    VERIFY(r->depth < READER_DEPTH);
    r->path[r->depth++] = (struct reader_segment){name, size, 0};
}

void reader_push_index(struct reader *r, size_t index)
{
    VERIFY(r->depth < READER_DEPTH);
    r->path[r->depth++] = (struct reader_segment){NULL, 0, index};
}

void reader_pop(struct reader *r)
{
    VERIFY(r->depth > 0);
    r->depth--;
}

enum json_result reader_checked(struct reader *r, struct json_value *v, enum json_result result,
                                const char *expected)
{
    size_t size;
    switch (result) {
    case JSON_SYNTAX:
        return reader_refuse(r, (const char *)r->text + r->problem.offset, "not JSON: %s", r->problem.what);
    case JSON_TYPE:
        return reader_refuse(r, v ? json_text(v, &size) : NULL, "expected %s", expected);
    case JSON_MEMORY:
        return reader_fail(r, error_set(r->e, CUZK_ERR_MEMORY, "out of memory for the JSON parser"));
    default:
        return result;
    }
}

/* ---- structure ---- */

cuzk_status reader_walk(struct reader *r, size_t size, unsigned passes,
                        enum json_result (*root)(void *reader, unsigned pass, struct json_value *value))
{
    const size_t memory = json_memory(size);
    if (r->x->budget) {
        const cuzk_status status = budget_reserve(r->x->budget, memory, "the JSON parser", r->e);
        if (status != CUZK_OK)
            return status;
    }
    r->status = CUZK_OK;
    r->depth = 0;
    const enum json_result result = json_walk(r->text, size, passes, root, r, &r->problem);
    if (result != JSON_OK && result != JSON_STOP && result != JSON_FAILED) {
        r->depth = 0;
        (void)reader_checked(r, NULL, result, "an object");
    }
    if (r->x->budget)
        budget_release(r->x->budget, memory);
    return r->status;
}

struct object_walk {
    struct reader *r;
    const struct reader_field *fields;
    size_t count;
    void *target;
    uint32_t seen;
};

static enum json_result unknown_field(const struct object_walk *w, const char *key, size_t size)
{
    char known[128], shown[NAME_SHOWN + 1];
    size_t used = 0, shown_used = 0;
    for (size_t i = 0; i < w->count; i++) {
        append(known, sizeof known, &used, ", ", i > 0 ? 2 : 0);
        append(known, sizeof known, &used, w->fields[i].name, strlen(w->fields[i].name));
    }
    append(shown, sizeof shown, &shown_used, key, size);
    return reader_refuse(w->r, key, "unknown field \"%s\" (known: %s)", shown, known);
}

static enum json_result on_field(void *ctx, const char *key, size_t size, struct json_value *v)
{
    struct object_walk *w = ctx;
    for (size_t i = 0; i < w->count; i++) {
        const struct reader_field *f = &w->fields[i];
        if (strlen(f->name) != size || memcmp(f->name, key, size) != 0)
            continue;
        reader_push_field(w->r, f->name, size);
        if (w->seen >> i & 1)
            return reader_refuse(w->r, key, "this field is there twice");
        w->seen |= UINT32_C(1) << i;
        const enum json_result result = f->read(w->r, (uint8_t *)w->target + f->offset, v);
        if (result == JSON_OK)
            reader_pop(w->r);
        return result;
    }
    return unknown_field(w, key, size);
}

enum json_result reader_object(struct reader *r, struct json_value *v, const struct reader_field *fields,
                               size_t count, void *target)
{
    size_t size;
    struct object_walk w = {r, fields, count, target, 0};
    const char *start = json_text(v, &size);
    const enum json_result result = reader_checked(r, v, json_object(v, on_field, &w), "an object");
    if (result != JSON_OK)
        return result;
    for (size_t i = 0; i < count; i++)
        if (!(w.seen >> i & 1))
            return reader_refuse(r, start, "the field \"%s\" is missing", fields[i].name);
    return JSON_OK;
}

struct array_walk {
    struct reader *r;
    reader_fn *item;
    uint8_t *target;
    const char *what;
    size_t count, size, found;
};

static enum json_result on_item(void *ctx, size_t index, struct json_value *v)
{
    struct array_walk *w = ctx;
    size_t size;
    if (index >= w->count)
        return reader_refuse(w->r, json_text(v, &size), "more than %zu %s", w->count, w->what);
    w->found = index + 1;
    reader_push_index(w->r, index);
    const enum json_result result = w->item(w->r, w->target + index * w->size, v);
    if (result == JSON_OK)
        reader_pop(w->r);
    return result;
}

enum json_result reader_array(struct reader *r, struct json_value *v, const char *what, size_t count,
                              size_t size, reader_fn *item, void *target)
{
    size_t text_size;
    struct array_walk w = {r, item, target, what, count, size, 0};
    const char *start = json_text(v, &text_size);
    const enum json_result result = reader_checked(r, v, json_array(v, on_item, &w), "an array");
    if (result == JSON_OK && w.found < count)
        return reader_refuse(r, start, "%zu %s where there must be %zu", w.found, what, count);
    return result;
}

/* ---- scalars ---- */

enum json_result reader_u64(struct reader *r, uint64_t *out, struct json_value *v)
{
    size_t size;
    const char *text = json_text(v, &size);
    uint64_t value = 0;
    if (size == 0 || text[0] < '0' || text[0] > '9')
        return reader_refuse(r, text, "expected an unsigned number");
    if (size > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9')
        return reader_refuse(r, text, "a number with a leading zero");
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return reader_refuse(r, text, "expected an unsigned whole number");
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
            return reader_refuse(r, text, "a number beyond 64 bits");
    }
    *out = value;
    return JSON_OK;
}

enum json_result reader_string(struct reader *r, const char **out, size_t *size, struct json_value *v)
{
    size_t n;
    const char *text = json_text(v, &n);
    if (n < 2 || text[0] != '"' || text[n - 1] != '"')
        return reader_refuse(r, text, "expected a string");
    const char *escape = memchr(text, '\\', n);
    if (escape)
        return reader_refuse(r, escape, "an escape in a string that needs none");
    *out = text + 1;
    *size = n - 2;
    return JSON_OK;
}

/* 32 numbers of up to three digits with nothing between but commas, as serialisers write them. False: look
 * closer. Reads up to four bytes beyond the last digit that it accepts. */
static bool bytes32_compact(uint8_t out[32], const char *p)
{
    uint32_t bad = 0;
    p++;
    for (unsigned i = 0; i < 32; i++) {
        const uint8_t *s = (const uint8_t *)p;
        const uint32_t four =
            (uint32_t)s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24;
        const uint32_t digits = four ^ 0x30303030;
        /* Bytes above 9 get their top bit set; a carry can only disturb the ones after the first such. */
        const uint32_t others = ((digits + 0x76767676) | digits) & 0x80808080;
        const unsigned length = others ? (unsigned)__builtin_ctz(others) / 8 : 4;
        if (length - 1 > 2)
            return false;
        const uint32_t aligned = digits << (32 - 8 * length); /* hundreds, tens, ones in bytes 1, 2, 3 */
        bad |= __builtin_bswap32(aligned) > 0x00020505;
        bad |= (length > 1) & ((digits & 0xff) == 0);
        bad |= p[length] != (i < 31 ? ',' : ']');
        out[i] = (uint8_t)((aligned >> 24) + 10 * (aligned >> 16 & 0xff) + 100 * (aligned >> 8 & 0xff));
        p += length + 1;
    }
    return !bad;
}

static const char *skip_space(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
        p++;
    return p;
}

static enum json_result refuse_byte(struct reader *r, unsigned index, const char *at, const char *what)
{
    reader_push_index(r, index);
    return reader_refuse(r, at, "%s", what);
}

/* As above with white space, and with the reason of a refusal. The document ends in a byte that is no digit.
 */
static enum json_result bytes32_loose(struct reader *r, uint8_t out[32], const char *p)
{
    p = skip_space(p + 1);
    for (unsigned i = 0; i < 32; i++) {
        const char *start = p;
        unsigned value = 0;
        if (i == 0 && *p == ']')
            return reader_refuse(r, p, "0 bytes where there must be 32");
        while (*p >= '0' && *p <= '9' && p - start < 4)
            value = value * 10 + (unsigned)(*p++ - '0');
        if (p == start || *p == '.' || *p == 'e' || *p == 'E')
            return refuse_byte(r, i, start, "expected a number from 0 to 255");
        if (p - start > 1 && *start == '0')
            return refuse_byte(r, i, start, "a number with a leading zero");
        if (value > 255 || p - start > 3)
            return refuse_byte(r, i, start, "a number above 255 where a byte must be");
        out[i] = (uint8_t)value;
        p = skip_space(p);
        if (i < 31 && *p == ']')
            return reader_refuse(r, p, "%u bytes where there must be 32", i + 1);
        if (i == 31 && *p == ',')
            return reader_refuse(r, p, "more than 32 bytes");
        if (*p != (i < 31 ? ',' : ']'))
            return reader_refuse(r, p, "not JSON: expected a comma or the end of the array");
        p = skip_space(p + 1);
    }
    return JSON_OK;
}

enum json_result reader_bytes32(struct reader *r, uint8_t out[32], struct json_value *v)
{
    size_t size;
    const char *text = json_text(v, &size);
    if (*text != '[')
        return reader_refuse(r, text, "expected an array of 32 bytes");
    if (bytes32_compact(out, text))
        return JSON_OK;
    return bytes32_loose(r, out, text);
}

enum json_result reader_fr(struct reader *r, fr *out, struct json_value *v)
{
    uint8_t bytes[32];
    const enum json_result result = reader_bytes32(r, bytes, v);
    size_t size;
    if (result == JSON_OK && !fr_read_le(out, bytes))
        return reader_refuse(r, json_text(v, &size), "not below the field's modulus");
    return result;
}
