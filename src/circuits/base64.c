/* circuits/base64.c - base64 (RFC 4648, section 4), decoded by four tables, four characters at a time.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "circuits/base64.h"

#define BAD UINT32_C(0x80000000)

/* at[k][c]: the character's six bits where they stand among the three bytes (first byte lowest), if it is the
 * k-th of a group; or BAD. */
struct tables {
    uint32_t at[4][256];
};

static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void tables_init(struct tables *t)
{
    for (unsigned k = 0; k < 4; k++)
        for (unsigned c = 0; c < 256; c++)
            t->at[k][c] = BAD;
    for (uint32_t v = 0; v < 64; v++) {
        const uint8_t c = (uint8_t)ALPHABET[v];
        t->at[0][c] = v << 2;
        t->at[1][c] = v >> 4 | (v & 15) << 12;
        t->at[2][c] = v >> 2 << 8 | (v & 3) << 22;
        t->at[3][c] = v << 16;
    }
}

size_t base64_room(size_t n)
{
    return n / 4 * 3 + 4; /* groups are stored four bytes at a time */
}

static uint32_t group(const struct tables *t, const uint8_t *s)
{
    return t->at[0][s[0]] | t->at[1][s[1]] | t->at[2][s[2]] | t->at[3][s[3]];
}

static void store_le32(uint8_t *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

/* Groups without padding; the place of the first bad character, or n. */
static size_t decode_groups(const struct tables *t, uint8_t *out, const uint8_t *s, size_t n)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16, out += 12) {
        uint32_t v[4], any = 0;
        for (unsigned k = 0; k < 4; k++) {
            v[k] = group(t, s + i + 4 * k);
            any |= v[k];
        }
        if (any & BAD)
            break;
        for (unsigned k = 0; k < 4; k++)
            store_le32(out + 3 * k, v[k]);
    }
    for (; i < n; i += 4, out += 3) {
        const uint32_t v = group(t, s + i);
        if (v & BAD)
            break;
        store_le32(out, v);
    }
    while (i < n && !(t->at[0][s[i]] & BAD))
        i++;
    return i;
}

const char *base64_decode(uint8_t *out, size_t *size, const char *text, size_t n, size_t *bad)
{
    const uint8_t *s = (const uint8_t *)text;
    struct tables t;
    if (n % 4 != 0) {
        *bad = n;
        return "the length is no multiple of four";
    }
    if (n == 0) {
        *size = 0;
        return NULL;
    }
    tables_init(&t);

    const unsigned pads = s[n - 1] != '=' ? 0 : s[n - 2] != '=' ? 1 : 2;
    const size_t whole = pads ? n - 4 : n;
    const size_t stop = decode_groups(&t, out, s, whole);
    if (stop < whole) {
        *bad = stop;
        return s[stop] == '=' ? "padding before the end" : "a character not of the base64 alphabet";
    }
    *size = whole / 4 * 3;
    if (!pads)
        return NULL;

    uint8_t last[4] = {s[whole], s[whole + 1], pads == 2 ? 'A' : s[whole + 2], 'A'}, bytes[4];
    for (unsigned k = 0; k < 4 - pads; k++)
        if (t.at[0][last[k]] & BAD) {
            *bad = whole + k;
            return last[k] == '=' ? "padding before the end" : "a character not of the base64 alphabet";
        }
    store_le32(bytes, group(&t, last));
    if (bytes[3 - pads] != 0) {
        *bad = whole + 3 - pads;
        return "bits left over before the padding";
    }
    memcpy(out + *size, bytes, 3 - pads);
    *size += 3 - pads;
    return NULL;
}

size_t base64_size(size_t n)
{
    return (n + 2) / 3 * 4;
}

void base64_encode(char *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        *out++ = ALPHABET[three >> 18];
        *out++ = ALPHABET[three >> 12 & 63];
        *out++ = left > 1 ? ALPHABET[three >> 6 & 63] : '=';
        *out++ = left > 2 ? ALPHABET[three & 63] : '=';
    }
}
