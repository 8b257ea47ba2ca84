/* tests/unit/flat_json.h - reading the vector files that are lists of flat objects: numbers, strings, and
 * lists of these. Text that is not as expected fails the test.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef FLAT_JSON_H
#define FLAT_JSON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "field/fr.h"

/* The whole file tests/vectors/<name>; the caller frees it. */
static inline char *flat_json_load(const char *name)
{
    char path[4096];
    const char *folder = getenv("CUZK_VECTORS");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : CUZK_TEST_VECTORS, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    const long size = ftell(f);
    assert_true(size >= 0);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    text[size] = 0;
    fclose(f);
    return text;
}

/* The next object from *at on, cut off there by a NUL in place of its brace; NULL at the end. */
static inline char *flat_json_next(char **at)
{
    char *begin = strchr(*at, '{');
    if (!begin)
        return NULL;
    char *end = strchr(begin, '}');
    assert_non_null(end);
    *end = 0;
    *at = end + 1;
    return begin;
}

/* What stands after "key": in an object. */
static inline const char *flat_json_find(const char *object, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *p = strstr(object, quoted);
    if (!p)
        fail_msg("no %s in %s", quoted, object);
    p += strlen(quoted);
    return p + strspn(p, " \n");
}

static inline uint64_t flat_json_number(const char *object, const char *key)
{
    return strtoull(flat_json_find(object, key), NULL, 10);
}

/* The i-th number of a list. */
static inline uint64_t flat_json_number_at(const char *object, const char *key, unsigned i)
{
    const char *p = flat_json_find(object, key);
    assert_int_equal(*p, '[');
    for (p++; i > 0; i--)
        p = strchr(p, ',') + 1;
    return strtoull(p, NULL, 10);
}

static inline void flat_json_string(char *out, size_t size, const char *object, const char *key)
{
    const char *p = flat_json_find(object, key);
    assert_int_equal(*p, '"');
    const size_t length = strcspn(p + 1, "\"");
    assert_true(length < size);
    memcpy(out, p + 1, length);
    out[length] = 0;
}

static inline const char *flat_json_hex32(uint8_t out[32], const char *p)
{
    for (unsigned i = 0; i < 32; i++) {
        unsigned byte = 0;
        assert_int_equal(sscanf(p + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
    return p + 64;
}

/* 32 bytes in hexadecimal. */
static inline void flat_json_bytes(uint8_t out[32], const char *object, const char *key)
{
    const char *p = flat_json_find(object, key);
    assert_int_equal(*p, '"');
    flat_json_hex32(out, p + 1);
}

static inline fr flat_json_element(const char *object, const char *key)
{
    uint8_t bytes[32];
    fr x;
    flat_json_bytes(bytes, object, key);
    assert_true(fr_read_le(&x, bytes));
    return x;
}

/* A list of elements; returns how many there are, at most max. */
static inline unsigned flat_json_elements(fr *out, unsigned max, const char *object, const char *key)
{
    const char *p = flat_json_find(object, key);
    assert_int_equal(*p, '[');
    unsigned n = 0;
    for (;;) {
        p += strcspn(p, "\"]");
        if (*p != '"')
            return n;
        uint8_t bytes[32];
        p = flat_json_hex32(bytes, p + 1) + 1;
        assert_true(n < max);
        assert_true(fr_read_le(&out[n++], bytes));
    }
}

#endif
