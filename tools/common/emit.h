/* common/emit.h - JSON written to a stream, on one line.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_COMMON_EMIT_H
#define TOOLS_COMMON_EMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A quoted string; bytes that are no UTF-8 become U+FFFD. */
void emit_string(FILE *f, const char *text);

/* Objects and arrays with their commas. Zero-initialise with the stream. key NULL: an array's element, or the
 * outermost value. */
struct emit {
    FILE *f;
    bool comma; /* a value stands before in this object or array */
};
void emit_open(struct emit *e, const char *key, char bracket); /* '{' or '[' */
void emit_close(struct emit *e, char bracket);                 /* '}' or ']' */
void emit_text(struct emit *e, const char *key, const char *value);
void emit_count(struct emit *e, const char *key, uint64_t value);
void emit_number(struct emit *e, const char *key, double value); /* null unless finite */
void emit_flag(struct emit *e, const char *key, bool value);
void emit_null(struct emit *e, const char *key);

#endif
