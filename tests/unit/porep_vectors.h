/* tests/unit/porep_vectors.h - the reference's files, found and read by the PoRep tests.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef POREP_VECTORS_H
#define POREP_VECTORS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline const char *vector_folder(void)
{
    const char *folder = getenv("CUZK_VECTORS");
    return folder ? folder : CUZK_TEST_VECTORS;
}

/* A vector file, NUL-terminated; the caller frees it. size may be NULL. */
static inline char *vector_read(const char *name, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", vector_folder(), name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    const long end = ftell(f);
    assert_true(end >= 0);
    rewind(f);
    char *text = malloc((size_t)end + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)end, f), end);
    fclose(f);
    text[end] = 0;
    if (size)
        *size = (size_t)end;
    return text;
}

/* What stands after "key": from p on; NULL if the key does not. */
static inline char *vector_after(char *p, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    p = strstr(p, quoted);
    return p ? p + strlen(quoted) : NULL;
}

/* The next number from *p on, *p behind it. */
static inline uint64_t vector_number(char **p)
{
    *p += strcspn(*p, "0123456789");
    assert_true(**p != 0);
    return strtoull(*p, p, 10);
}

/* The string of hex at "..." from *p on, *p behind it. */
static inline void vector_hex(uint8_t *out, size_t size, char **p)
{
    char *s = strchr(*p, '"');
    assert_non_null(s);
    s++;
    for (size_t i = 0; i < size; i++) {
        unsigned byte;
        assert_int_equal(sscanf(s + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
    assert_int_equal(s[2 * size], '"');
    *p = s + 2 * size + 1;
}

#endif
