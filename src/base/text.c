/* base/text.c - text that grows, and JSON written into it.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void text_free(struct text *t)
{
    mem_free(t->data);
    *t = (struct text){0};
}

/* Room for n more bytes and the NUL. */
static bool reserve(struct text *t, size_t n)
{
    if (t->failed || n >= SIZE_MAX / 4 - t->size) {
        t->failed = true;
        return false;
    }
    if (t->size + n + 1 <= t->capacity)
        return true;
    const size_t capacity = (t->size + n + 1) * 2 + 256;
    char *data = mem_alloc(capacity, 1);
    if (!data) {
        t->failed = true;
        return false;
    }
    if (t->size)
        memcpy(data, t->data, t->size);
    mem_free(t->data);
    t->data = data;
    t->capacity = capacity;
    return true;
}

void text_add(struct text *t, const char *bytes, size_t n)
{
    if (!reserve(t, n))
        return;
    memcpy(t->data + t->size, bytes, n);
    t->size += n;
    t->data[t->size] = 0;
}

void text_printf(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0 || !reserve(t, (size_t)n)) {
        t->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(t->data + t->size, (size_t)n + 1, format, args);
    va_end(args);
    t->size += (size_t)n;
}

void text_hex(struct text *t, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        const char pair[2] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
        text_add(t, pair, 2);
    }
}

/* Bytes of the UTF-8 character (RFC 3629) that s begins with; 0: none. */
static size_t utf8_size(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    const size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) /* the NUL too */
            return 0;
    /* longer than need be, a surrogate, above U+10FFFF */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

bool text_is_utf8(const char *text)
{
    for (size_t n; *text; text += n)
        if ((n = utf8_size((const unsigned char *)text)) == 0)
            return false;
    return true;
}

/* File names need not be UTF-8, but JSON must: each byte that is not becomes U+FFFD. */
static void quoted(struct text *t, const char *value)
{
    text_add(t, "\"", 1);
    for (size_t n; *value; value += n) {
        const unsigned char c = (unsigned char)*value;
        n = utf8_size((const unsigned char *)value);
        if (c == '"' || c == '\\')
            text_printf(t, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            text_printf(t, "\\u%04x", c);
        else if (n > 0)
            text_add(t, value, n);
        else {
            text_printf(t, "\\ufffd");
            n = 1;
        }
    }
    text_add(t, "\"", 1);
}

/* What stands before a value: the comma, the new line, the key. */
static void begin(struct text *t, const char *key)
{
    if (t->depth) {
        text_printf(t, "%s\n%*s", t->comma ? "," : "", (int)(2 * t->depth), "");
        t->comma = true;
    }
    if (key) {
        quoted(t, key);
        text_add(t, ": ", 2);
    }
}

void json_open(struct text *t, const char *key, char bracket)
{
    begin(t, key);
    text_add(t, &bracket, 1);
    VERIFY(t->depth < 32);
    t->depth++;
    t->comma = false;
}

void json_close(struct text *t, char bracket)
{
    VERIFY(t->depth > 0);
    t->depth--;
    if (t->comma)
        text_printf(t, "\n%*s", (int)(2 * t->depth), "");
    text_add(t, &bracket, 1);
    t->comma = true;
    if (!t->depth)
        text_add(t, "\n", 1);
}

void json_string(struct text *t, const char *key, const char *value)
{
    begin(t, key);
    quoted(t, value);
}

void json_hex(struct text *t, const char *key, const uint8_t *bytes, size_t n)
{
    begin(t, key);
    text_add(t, "\"", 1);
    text_hex(t, bytes, n);
    text_add(t, "\"", 1);
}

void json_u64(struct text *t, const char *key, uint64_t value)
{
    begin(t, key);
    text_printf(t, "%llu", (unsigned long long)value);
}

void json_bool(struct text *t, const char *key, bool value)
{
    begin(t, key);
    text_printf(t, "%s", value ? "true" : "false");
}

void json_real(struct text *t, const char *key, double value)
{
    begin(t, key);
    text_printf(t, "%.6f", value);
}

void json_null(struct text *t, const char *key)
{
    begin(t, key);
    text_printf(t, "null");
}

char *text_with_suffix(const char *path, const char *suffix)
{
    const size_t n = strlen(path), m = strlen(suffix) + 1;
    char *out = mem_alloc(n + m, 1);
    if (out) {
        memcpy(out, path, n);
        memcpy(out + n, suffix, m);
    }
    return out;
}
