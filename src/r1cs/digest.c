/* r1cs/digest.c - running digests of field elements and rows.
 * Digests are of little-endian bytes, which is how the machines that this runs on hold integers.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/digest.h"

#include <string.h>

void marks_free(struct marks *m)
{
    mem_free(m->digest);
    *m = (struct marks){0};
}

static cuzk_status marks_add(struct marks *m, const struct sha256 *sha)
{
    if (m->count == m->capacity) {
        const uint64_t capacity = m->capacity ? 2 * m->capacity : 64;
        uint8_t(*bigger)[32] = mem_alloc(capacity, sizeof *bigger);
        if (!bigger)
            return CUZK_ERR_MEMORY;
        if (m->count)
            memcpy(bigger, m->digest, m->count * sizeof *bigger);
        mem_free(m->digest);
        m->digest = bigger;
        m->capacity = capacity;
    }
    struct sha256 copy = *sha;
    sha256_final(&copy, m->digest[m->count++]);
    return CUZK_OK;
}

void digest_init(struct digest *d, uint64_t every)
{
    sha256_init(&d->sha);
    d->every = every;
    d->items = 0;
    d->marks = (struct marks){0};
    d->used = 0;
}

static void flush(struct digest *d)
{
    sha256_update(&d->sha, d->buffer, d->used);
    d->used = 0;
}

/* Room for size more bytes, which the caller writes. */
static uint8_t *append(struct digest *d, size_t size)
{
    if (sizeof d->buffer - d->used < size)
        flush(d);
    uint8_t *at = d->buffer + d->used;
    d->used += size;
    return at;
}

cuzk_status digest_item(struct digest *d)
{
    d->items++;
    if (d->every == 0 || d->items % d->every != 0)
        return CUZK_OK;
    flush(d);
    return marks_add(&d->marks, &d->sha);
}

void digest_final(struct digest *d, uint8_t out[32], struct marks *marks)
{
    flush(d);
    sha256_final(&d->sha, out);
    if (marks)
        *marks = d->marks;
    else
        marks_free(&d->marks);
    d->marks = (struct marks){0};
}

/* The zero slot of a fresh cache maps zero to zero, so it needs no mark for being empty. */
static void write_element(uint8_t out[FR_BYTES], struct canon *canon, const fr *value)
{
    const uint64_t mix = (value->l[0] ^ value->l[3]) * UINT64_C(0x9e3779b97f4a7c15) ^ value->l[1];
    fr *mont = &canon->slot[(mix >> 40) % CANON_SLOTS].mont;
    fr *plain = &canon->slot[(mix >> 40) % CANON_SLOTS].plain;
    if (!fr_equal(mont, value)) {
        *mont = *value;
        fr_from_mont(plain, value);
    }
    memcpy(out, plain->l, FR_BYTES);
}

void digest_element(struct digest *d, struct canon *canon, const fr *value)
{
    write_element(append(d, FR_BYTES), canon, value);
}

void digest_row(struct digest *d, struct canon *canon, const struct row *row)
{
    memcpy(append(d, 4), &row->count, 4);
    for (uint32_t i = 0; i < row->count; i++) {
        uint8_t *at = append(d, 4 + FR_BYTES);
        memcpy(at, &row->term[i].v, 4);
        write_element(at + 4, canon, &row->term[i].coeff);
    }
}
