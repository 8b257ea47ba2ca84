/* groth16/srs_part.c - folded parameter files being made, with a journal (srs_part.h).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/srs_part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "groth16/srs_write.h"

#define MAGIC_BYTES  8
#define IDENTITY     2048 /* bytes that say what the conversion is of */
#define RECORD_AT    2048
#define RECORD_APART 1024
#define RECORD_BYTES 24
#define DIGEST_PIECE ((size_t)16 << 20) /* of a section, between two looks at the cancel flag */

static const char MAGIC[MAGIC_BYTES] = "cuzkprt\n";

bool srs_part_is(const uint8_t *in, uint64_t size)
{
    return size >= MAGIC_BYTES && memcmp(in, MAGIC, MAGIC_BYTES) == 0;
}

static cuzk_status identity_of(uint8_t out[IDENTITY], const struct srs_header *h, struct cuzk_error *e)
{
    struct srs_header plain = *h;
    uint8_t head[SRS_HEADER_BYTES];
    for (unsigned k = 0; k < SRS_KINDS; k++)
        memset(plain.section[k].digest, 0, DIGEST_BYTES);
    const cuzk_status status = srs_header_write(head, &plain, e);
    if (status != CUZK_OK)
        return status;
    memcpy(out, head, IDENTITY);
    memcpy(out, MAGIC, MAGIC_BYTES);
    return CUZK_OK;
}

static cuzk_status sync_all(const struct srs_part *p, struct cuzk_error *e)
{
    if (fdatasync(p->fd) == 0)
        return CUZK_OK;
    return error_errno(e, errno, "%s: cannot write", p->part_path);
}

static cuzk_status map_all(struct srs_part *p, struct cuzk_error *e)
{
    void *data = mmap(NULL, (size_t)p->size, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
    if (data == MAP_FAILED)
        return error_errno(e, errno, "%s: cannot map", p->part_path);
    p->data = data;
    return CUZK_OK;
}

/* A page that the disk has no room for would kill the process when it is written: so all is asked for now. */
static cuzk_status make(struct srs_part *p, const struct srs_header *h, struct cuzk_error *e)
{
    const int errnum = posix_fallocate(p->fd, 0, (off_t)p->size);
    if (errnum != 0)
        return error_errno(e, errnum, "%s: cannot reserve %llu bytes", p->part_path,
                           (unsigned long long)p->size);
    cuzk_status status = map_all(p, e);
    if (status != CUZK_OK)
        return status;
    memset(p->data, 0, SRS_HEADER_BYTES);
    status = identity_of(p->data, h, e);
    return status == CUZK_OK ? sync_all(p, e) : status;
}

static void record_render(uint8_t out[RECORD_BYTES], uint64_t number, uint64_t phase, uint64_t units)
{
    memcpy(out, &number, sizeof number);
    memcpy(out + 8, &phase, sizeof phase);
    memcpy(out + 16, &units, sizeof units);
}

static cuzk_status record_read(struct srs_part *p, unsigned slot, struct cuzk_error *e)
{
    const uint8_t *at = p->data + RECORD_AT + slot * RECORD_APART;
    uint8_t digest[DIGEST_BYTES];
    const cuzk_status status = srs_digest(digest, at, RECORD_BYTES, e);
    if (status != CUZK_OK)
        return status;
    uint64_t number;
    memcpy(&number, at, sizeof number);
    if (memcmp(digest, at + RECORD_BYTES, DIGEST_BYTES) != 0 || number <= p->number)
        return CUZK_OK; /* torn, or older */
    p->number = number;
    memcpy(&p->phase, at + 8, sizeof p->phase);
    memcpy(&p->units, at + 16, sizeof p->units);
    return CUZK_OK;
}

/* The header stands already: the process ended between writing it and giving the name. */
static bool is_whole(const struct srs_part *p, const struct srs_header *h)
{
    struct srs_header found;
    return srs_header_read(&found, p->data, p->final_size, NULL) == CUZK_OK &&
           memcmp(found.circuit, h->circuit, sizeof h->circuit) == 0 && found.from_params == h->from_params &&
           memcmp(found.source, h->source, sizeof h->source) == 0 &&
           memcmp(found.classes, h->classes, sizeof h->classes) == 0;
}

static cuzk_status take_up(struct srs_part *p, const struct srs_header *h, uint64_t found,
                           struct cuzk_error *e)
{
    const uint64_t full = p->size;
    uint8_t identity[IDENTITY];
    p->size = found;
    cuzk_status status = found < SRS_HEADER_BYTES ? CUZK_OK : map_all(p, e);
    if (status == CUZK_OK)
        status = identity_of(identity, h, e);
    if (status != CUZK_OK)
        return status;
    p->whole = p->data && found >= p->final_size && found <= full && is_whole(p, h);
    if (!p->whole && (!p->data || memcmp(p->data, identity, sizeof identity) != 0))
        return error_set(e, CUZK_ERR_MISMATCH,
                         "%s is not a conversion of these parameters for this circuit: remove it, or name "
                         "another output",
                         p->part_path);
    if (!p->whole && found != full)
        return error_set(e, CUZK_ERR_MISMATCH,
                         "%s was %s (it has %llu bytes, not %llu): remove it, or name another output",
                         p->part_path, found < full ? "cut short" : "lengthened", (unsigned long long)found,
                         (unsigned long long)full);
    for (unsigned slot = 0; slot < 2 && status == CUZK_OK && !p->whole; slot++)
        status = record_read(p, slot, e);
    return status;
}

static cuzk_status open_part(struct srs_part *p, const struct srs_header *h, struct cuzk_error *e)
{
    struct stat st;
    cuzk_status status = file_lock(&p->fd, p->part_path, "another conversion is writing it", e);
    if (status != CUZK_OK)
        return status;
    if (fstat(p->fd, &st) != 0)
        return error_errno(e, errno, "%s: cannot look at it", p->part_path);
    if (st.st_size != 0)
        return take_up(p, h, (uint64_t)st.st_size, e);
    status = make(p, h, e);
    if (status != CUZK_OK && file_has_name(p->fd, p->part_path))
        unlink(p->part_path); /* nothing was done yet */
    return status;
}

cuzk_status srs_part_open(struct srs_part *out, const char *path, const struct srs_header *h,
                          struct cuzk_error *e)
{
    static const char suffix[] = ".part";
    struct srs_header layout = *h;
    struct srs_part p = {.path = path, .fd = -1, .final_size = srs_layout(&layout)};
    p.size = (p.final_size + SRS_ALIGN - 1) / SRS_ALIGN * SRS_ALIGN + (sizeof(g1_affine) << h->domain_log);
    p.part_path = text_with_suffix(path, suffix);
    if (!p.part_path)
        return error_memory(e, strlen(path) + sizeof suffix, "a file name");
    const cuzk_status status = open_part(&p, h, e);
    p.resumed = p.number > 1 || p.whole;
    if (status == CUZK_OK)
        *out = p;
    else
        srs_part_close(&p);
    return status;
}

void srs_part_close(struct srs_part *p)
{
    if (p->data)
        munmap(p->data, (size_t)p->size);
    if (p->fd >= 0)
        close(p->fd);
    mem_free(p->part_path);
    memset(p, 0, sizeof *p);
    p->fd = -1;
}

cuzk_status srs_part_record(struct srs_part *p, uint64_t phase, uint64_t units, struct cuzk_error *e)
{
    uint8_t record[RECORD_BYTES + DIGEST_BYTES];
    record_render(record, p->number + 1, phase, units);
    cuzk_status status = srs_digest(record + RECORD_BYTES, record, RECORD_BYTES, e);
    if (status == CUZK_OK)
        status = sync_all(p, e);
    if (status != CUZK_OK)
        return status;
    p->number++;
    p->phase = phase;
    p->units = units;
    memcpy(p->data + RECORD_AT + p->number % 2 * RECORD_APART, record, sizeof record);
    return sync_all(p, e);
}

/* A section's digest on its way. */
struct section_digest {
    const uint8_t *data;
    size_t size, at;
    struct digest_stream stream;
    cuzk_status status;
    struct cuzk_error error;
};

/* A section's next bytes. */
static void digest_task(void *ctx, size_t k, unsigned worker)
{
    struct section_digest *d = (struct section_digest *)ctx + k;
    const size_t left = d->size - d->at, n = left < DIGEST_PIECE ? left : DIGEST_PIECE;
    (void)worker;
    if (d->status == CUZK_OK && n > 0)
        d->status = digest_update(&d->stream, d->data + d->at, n, &d->error);
    d->at += n;
}

/* All sections' at once, piece by piece. */
static cuzk_status digest_together(const struct exec *x, struct section_digest d[SRS_KINDS],
                                   struct cuzk_error *e)
{
    size_t longest = 0;
    for (unsigned k = 0; k < SRS_KINDS; k++)
        longest = d[k].size > longest ? d[k].size : longest;
    for (size_t at = 0; at < longest; at += DIGEST_PIECE) {
        exec_progress(x, "digest", at, longest);
        pool_run(x->pool, digest_task, d, SRS_KINDS);
        if (exec_cancelled(x))
            return error_set(e, CUZK_ERR_CANCELLED, "stopped while digesting; the same call goes on with it");
    }
    for (unsigned k = 0; k < SRS_KINDS; k++)
        if (d[k].status != CUZK_OK)
            return error_set(e, d[k].status, "%s", d[k].error.message);
    exec_progress(x, "digest", longest, longest);
    return CUZK_OK;
}

static cuzk_status digest_sections(const struct srs_part *p, const struct exec *x, struct srs_header *h,
                                   struct cuzk_error *e)
{
    struct section_digest d[SRS_KINDS] = {{.data = NULL}};
    cuzk_status status = CUZK_OK;
    for (unsigned k = 0; k < SRS_KINDS && status == CUZK_OK; k++) {
        d[k].data = p->data + h->section[k].offset;
        d[k].size = (size_t)h->section[k].count * srs_element_bytes((enum srs_kind)k);
        status = digest_begin(&d[k].stream, e);
    }
    if (status == CUZK_OK)
        status = digest_together(x, d, e);
    for (unsigned k = 0; k < SRS_KINDS; k++) {
        char text[DIGEST_TEXT];
        if (status == CUZK_OK)
            status = digest_end(&d[k].stream, text, e);
        if (status == CUZK_OK)
            srs_digest_bytes(h->section[k].digest, text);
        digest_free(&d[k].stream);
    }
    return status;
}

static cuzk_status give_name(const struct srs_part *p, struct cuzk_error *e)
{
    if (ftruncate(p->fd, (off_t)p->final_size) != 0 || fsync(p->fd) != 0)
        return error_errno(e, errno, "%s: cannot write", p->part_path);
    if (!file_has_name(p->fd, p->part_path))
        return error_set(e, CUZK_ERR_IO, "%s was removed or replaced while it was written", p->part_path);
    if (rename(p->part_path, p->path) != 0)
        return error_errno(e, errno, "%s: cannot rename to %s", p->part_path, p->path);
    return CUZK_OK;
}

cuzk_status srs_part_finish(struct srs_part *p, const struct exec *x, struct srs_header *h,
                            struct cuzk_error *e)
{
    uint8_t head[SRS_HEADER_BYTES];
    cuzk_status status = p->whole ? CUZK_OK : digest_sections(p, x, h, e);
    if (status == CUZK_OK && !p->whole) {
        status = srs_header_write(head, h, e);
        if (status == CUZK_OK)
            status = sync_all(p, e);
        if (status == CUZK_OK)
            memcpy(p->data, head, sizeof head);
    }
    if (status == CUZK_OK)
        status =
            srs_header_read(h, p->data, p->final_size, e); /* what stands there, also if it stood before */
    if (status == CUZK_OK)
        status = give_name(p, e);
    struct file_id id;
    /* What lay on the disk in between is checked when the file is first used. */
    if (status == CUZK_OK && !p->resumed && file_id_take(&id, p->fd))
        srs_stamp_own(p->path, &id, h->digest);
    return status;
}
