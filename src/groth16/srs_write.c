/* groth16/srs_write.c - folded parameter files being written, section by section.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/srs_write.h"

#include "base/error.h"
#include "base/memory.h"
#include "groth16/stamp.h"

cuzk_status srs_section_begin(struct srs_writer *w, enum srs_kind kind, struct cuzk_error *e)
{
    w->kind = kind;
    w->done = 0;
    return digest_begin(&w->digest, e);
}

cuzk_status srs_section_digest(struct srs_writer *w, const void *data, size_t size, struct cuzk_error *e)
{
    w->done += size;
    return digest_update(&w->digest, data, size, e);
}

cuzk_status srs_section_store(const struct srs_writer *w, enum srs_kind kind, uint64_t at, const void *data,
                              size_t size, struct cuzk_error *e)
{
    const uint64_t offset = w->h->section[kind].offset + at;
    const cuzk_status status = file_write_at(w->file, offset, data, size, e);
    if (status == CUZK_OK)
        file_begin_flush(w->file, offset, size);
    return status;
}

cuzk_status srs_section_end(struct srs_writer *w, struct cuzk_error *e)
{
    struct srs_section *s = &w->h->section[w->kind];
    char text[DIGEST_TEXT];
    if (w->done != s->count * srs_element_bytes(w->kind))
        return error_set(e, CUZK_ERR_INTERNAL, "%s: %llu bytes written for %llu elements",
                         srs_kind_name(w->kind), (unsigned long long)w->done, (unsigned long long)s->count);
    const cuzk_status status = digest_end(&w->digest, text, e);
    if (status == CUZK_OK)
        srs_digest_bytes(s->digest, text);
    return status;
}

cuzk_status srs_section_whole(struct srs_writer *w, enum srs_kind kind, const void *data,
                              struct cuzk_error *e)
{
    const size_t size = (size_t)w->h->section[kind].count * srs_element_bytes(kind);
    cuzk_status status = srs_section_begin(w, kind, e);
    if (status == CUZK_OK)
        status = srs_section_digest(w, data, size, e);
    if (status == CUZK_OK)
        status = srs_section_store(w, kind, 0, data, size, e);
    return status == CUZK_OK ? srs_section_end(w, e) : status;
}

cuzk_status srs_write_key(struct srs_writer *w, const struct groth16_vk *vk, struct cuzk_error *e)
{
    const size_t n = groth16_vk_size(vk);
    uint8_t *bytes = mem_alloc(n, 1);
    if (!bytes)
        return error_memory(e, n, "a verifying key");
    groth16_vk_write(bytes, vk);
    const cuzk_status status = srs_section_whole(w, SRS_KEY, bytes, e);
    mem_free(bytes);
    return status;
}

void srs_stamp_own(const char *path, const struct file_id *written, const uint8_t digest[DIGEST_BYTES])
{
    struct file_map map;
    char text[DIGEST_TEXT];
    if (file_map(&map, path, 0, NULL) != CUZK_OK)
        return;
    if (file_map_is(&map, written)) {
        struct cuzk_error ignored;
        srs_digest_text(text, digest);
        const cuzk_status status = stamp_write(path, &map, text, &ignored);
        (void)status;
    }
    file_unmap(&map);
}
