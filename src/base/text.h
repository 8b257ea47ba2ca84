/* base/text.h - text that grows, and JSON written into it.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/common.h"

/* Zero-initialise; text_free at the end. A failed allocation is sticky: see failed once, at the end. */
struct text {
    char *data; /* NUL-terminated once anything was added; NULL before */
    size_t size, capacity;
    bool failed;
    /* JSON: */
    unsigned depth;
    bool comma; /* a value stands before in this object or array */
};

void text_free(struct text *t);
void text_add(struct text *t, const char *bytes, size_t n);
void text_printf(struct text *t, const char *format, ...) PRINTF_LIKE(2, 3);
void text_hex(struct text *t, const uint8_t *bytes, size_t n); /* lower case */

/* JSON, pretty: two blanks a level, one member or element a line. key NULL: an array's element, or the
 * outermost value. Nest at most 32 deep. */
void json_open(struct text *t, const char *key, char bracket); /* '{' or '[' */
void json_close(struct text *t, char bracket);                 /* '}' or ']' */
void json_string(struct text *t, const char *key, const char *value);
void json_hex(struct text *t, const char *key, const uint8_t *bytes, size_t n);
void json_u64(struct text *t, const char *key, uint64_t value);
void json_bool(struct text *t, const char *key, bool value);
void json_real(struct text *t, const char *key, double value); /* with six digits behind the point; finite */
void json_null(struct text *t, const char *key);

bool text_is_utf8(const char *text) MUST_USE;

/* path and suffix together; the caller's, for mem_free; NULL: out of memory. */
char *text_with_suffix(const char *path, const char *suffix);

#endif
