/* r1cs/template_file.c - templates written and mapped.
 *
 * The header, then each section's array from a multiple of 64 bytes on, in the order of enum
 * template_section, zeros between them. The digest is the SHA-256 of everything behind it.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/template_file.h"

#include <string.h>

#include "base/error.h"
#include "hash/sha256.h"
#include "r1cs/template_build.h"

#define MAGIC      "cuzk\ntpl"
#define FORMAT     1
#define BYTE_ORDER UINT32_C(0x01020304)
#define ALIGN      64u

struct header {
    char magic[8];
    uint8_t digest[32]; /* of what follows */
    uint32_t format, byte_order;
    struct template_identity id;
    uint64_t rows_own, rows;
    uint32_t inputs, aux, bits, wide;
    uint64_t count[TEMPLATE_SECTIONS];
    uint64_t file_bytes;
};

static const uint8_t ZEROS[ALIGN];

static uint64_t padding(uint64_t at)
{
    return (ALIGN - at % ALIGN) % ALIGN;
}

/* Where the sections lie; the file's size, 0 if there is no such file. */
static uint64_t lay_out(uint64_t at[TEMPLATE_SECTIONS], const uint64_t count[TEMPLATE_SECTIONS])
{
    uint64_t end = sizeof(struct header);
    for (unsigned s = 0; s < TEMPLATE_SECTIONS; s++) {
        end += padding(end);
        at[s] = end;
        if (count[s] > (UINT64_C(1) << 48) / template_section_size(s))
            return 0;
        end += count[s] * template_section_size(s);
    }
    return end;
}

static void hash_section(struct sha256 *sha, const struct templates *t, enum template_section section,
                         uint64_t at, uint64_t *end)
{
    const size_t bytes = t->count[section] * template_section_size(section);
    sha256_update(sha, ZEROS, (size_t)(at - *end));
    if (bytes > 0)
        sha256_update(sha, templates_get(t, section), bytes);
    *end = at + bytes;
}

static void content_digest(uint8_t out[32], const struct header *h, const struct templates *t,
                           const uint64_t at[TEMPLATE_SECTIONS])
{
    const size_t from = offsetof(struct header, format);
    struct sha256 sha;
    uint64_t end = sizeof *h;
    sha256_init(&sha);
    sha256_update(&sha, (const uint8_t *)h + from, sizeof *h - from);
    for (unsigned s = 0; s < TEMPLATE_SECTIONS; s++)
        hash_section(&sha, t, s, at[s], &end);
    sha256_final(&sha, out);
}

static cuzk_status write_all(struct file_out *f, const struct header *h, const struct templates *t,
                             const uint64_t at[TEMPLATE_SECTIONS], struct cuzk_error *e)
{
    cuzk_status status = file_write(f, h, sizeof *h, e);
    uint64_t end = sizeof *h;
    for (unsigned s = 0; s < TEMPLATE_SECTIONS && status == CUZK_OK; s++) {
        const size_t bytes = t->count[s] * template_section_size(s);
        if (at[s] > end)
            status = file_write(f, ZEROS, (size_t)(at[s] - end), e);
        if (status == CUZK_OK && bytes > 0)
            status = file_write(f, templates_get(t, s), bytes, e);
        end = at[s] + bytes;
    }
    return status;
}

cuzk_status templates_write(const struct templates *t, const char *path, const struct template_identity *id,
                            struct cuzk_error *e)
{
    struct header h;
    uint64_t at[TEMPLATE_SECTIONS];
    struct file_out *f;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.format = FORMAT;
    h.byte_order = BYTE_ORDER;
    h.id = *id;
    h.rows_own = t->counts.rows_own;
    h.rows = t->counts.rows;
    h.inputs = t->counts.inputs;
    h.aux = t->counts.aux;
    h.bits = t->bits;
    h.wide = t->wide;
    for (unsigned s = 0; s < TEMPLATE_SECTIONS; s++)
        h.count[s] = t->count[s];
    h.file_bytes = lay_out(at, h.count);
    content_digest(h.digest, &h, t, at);
    cuzk_status status = file_create(&f, path, e);
    if (status != CUZK_OK)
        return status;
    status = file_reserve(f, h.file_bytes, e);
    if (status == CUZK_OK)
        status = write_all(f, &h, t, at, e);
    if (status == CUZK_OK)
        return file_commit(f, e);
    file_abort(f);
    return status;
}

bool templates_are(const uint8_t *in, uint64_t size)
{
    return size >= sizeof MAGIC - 1 && memcmp(in, MAGIC, sizeof MAGIC - 1) == 0;
}

const char *templates_stated_name(const uint8_t *in, uint64_t size)
{
    const size_t at = offsetof(struct header, id) + offsetof(struct template_identity, name);
    return size >= at + TEMPLATE_NAME_MAX + 1 ? (const char *)in + at : NULL;
}

static cuzk_status read_header(struct templates *t, const struct template_identity *id, struct cuzk_error *e)
{
    struct header h;
    uint64_t at[TEMPLATE_SECTIONS];
    if (t->map.size < sizeof h || !templates_are(t->map.data, t->map.size))
        return error_set(e, CUZK_ERR_INPUT, "this is no file of templates");
    memcpy(&h, t->map.data, sizeof h);
    if (h.format != FORMAT || h.byte_order != BYTE_ORDER)
        return error_set(e, CUZK_ERR_MISMATCH, "the templates' format is another one");
    if (memcmp(&h.id, id, sizeof *id) != 0)
        return error_set(e, CUZK_ERR_MISMATCH, "the templates are of another circuit or revision");
    const uint64_t size = lay_out(at, h.count);
    if (size != t->map.size || h.file_bytes != size)
        return error_set(e, CUZK_ERR_INPUT, "the templates are cut short or have too much at the end");
    t->counts = (struct cs_counts){.rows_own = h.rows_own, .rows = h.rows, .inputs = h.inputs, .aux = h.aux};
    t->bits = h.bits;
    t->wide = h.wide;
    for (unsigned s = 0; s < TEMPLATE_SECTIONS; s++) {
        t->count[s] = (size_t)h.count[s];
        templates_set(t, s, t->map.data + at[s]);
    }
    return CUZK_OK;
}

cuzk_status templates_map(const struct exec *x, struct templates *out, const char *path,
                          const struct template_identity *id, struct cuzk_error *e)
{
    struct templates t = {.bits = 0};
    cuzk_status status = file_map(&t.map, path, 0, e);
    if (status != CUZK_OK)
        return status;
    status = read_header(&t, id, e);
    if (status == CUZK_OK)
        status = templates_validate(x, &t, e);
    if (status != CUZK_OK) {
        templates_free(&t);
        return error_prefix(e, status, "%s", path);
    }
    *out = t;
    return CUZK_OK;
}

cuzk_status templates_check_digest(const struct templates *t, const char *path, struct cuzk_error *e)
{
    const size_t from = offsetof(struct header, format);
    struct sha256 sha;
    uint8_t digest[32];
    if (!t->map.data)
        return CUZK_OK;
    sha256_init(&sha);
    sha256_update(&sha, t->map.data + from, t->map.size - from);
    sha256_final(&sha, digest);
    if (memcmp(digest, t->map.data + offsetof(struct header, digest), sizeof digest) == 0)
        return CUZK_OK;
    return error_set(e, CUZK_ERR_INPUT, "%s: the content does not have the digest that the file states",
                     path);
}

cuzk_status templates_open(const struct exec *x, struct templates *out, const char *path,
                           const struct template_identity *id, const struct circuit *circuit,
                           struct cuzk_error *unkept, struct cuzk_error *e)
{
    if (unkept)
        *unkept = (struct cuzk_error){.status = CUZK_OK};
    if (path && templates_map(x, out, path, id, NULL) == CUZK_OK) {
        if (templates_check_digest(out, path, NULL) == CUZK_OK)
            return CUZK_OK;
        templates_free(out);
    }
    const cuzk_status status = templates_record(x, out, circuit, e);
    if (status == CUZK_OK && path && templates_write(out, path, id, unkept) != CUZK_OK)
        return CUZK_OK; /* the next one records again */
    return status;
}
