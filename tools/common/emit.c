/* common/emit.c - JSON written to a stream.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "common/emit.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

/* How many bytes a well-formed UTF-8 character at text has; 0: it is none. */
static size_t utf8_length(const unsigned char *text)
{
    size_t n = text[0] < 0x80   ? 1
               : text[0] < 0xc2 ? 0
               : text[0] < 0xe0 ? 2
               : text[0] < 0xf0 ? 3
               : text[0] < 0xf5 ? 4
                                : 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    const bool beyond = (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f);
    return overlong || beyond ? 0 : n;
}

void emit_string(FILE *f, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', f);
    while (*at) {
        const size_t n = utf8_length(at);
        if (n == 0)
            fputs("\\ufffd", f);
        else if (*at == '"' || *at == '\\')
            fprintf(f, "\\%c", *at);
        else if (*at < 0x20)
            fprintf(f, "\\u%04x", *at);
        else
            fwrite(at, 1, n, f);
        at += n ? n : 1;
    }
    fputc('"', f);
}

static void begin(struct emit *e, const char *key)
{
    if (e->comma)
        fputs(", ", e->f);
    e->comma = true;
    if (key) {
        emit_string(e->f, key);
        fputs(": ", e->f);
    }
}

void emit_open(struct emit *e, const char *key, char bracket)
{
    begin(e, key);
    fputc(bracket, e->f);
    e->comma = false;
}

void emit_close(struct emit *e, char bracket)
{
    fputc(bracket, e->f);
    e->comma = true;
}

void emit_text(struct emit *e, const char *key, const char *value)
{
    begin(e, key);
    emit_string(e->f, value);
}

void emit_count(struct emit *e, const char *key, uint64_t value)
{
    begin(e, key);
    fprintf(e->f, "%" PRIu64, value);
}

void emit_number(struct emit *e, const char *key, double value)
{
    if (!isfinite(value)) {
        emit_null(e, key);
        return;
    }
    begin(e, key);
    fprintf(e->f, "%.*f", value >= 1000 ? 1 : value >= 1 ? 3 : 6, value);
}

void emit_flag(struct emit *e, const char *key, bool value)
{
    begin(e, key);
    fputs(value ? "true" : "false", e->f);
}

void emit_null(struct emit *e, const char *key)
{
    begin(e, key);
    fputs("null", e->f);
}
