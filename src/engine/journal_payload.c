/* engine/journal_payload.c - large payloads: files beside the journal.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "engine/journal_db.h"

void journal_payload_path(const struct journal *j, const char *job_id, char *out, size_t size)
{
    snprintf(out, size, "%s/%s.payload", j->spool, job_id);
}

static cuzk_status flush_folder(const struct journal *j, struct cuzk_error *e)
{
    const int fd = open(j->spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return error_errno(e, errno, "%s", j->spool);
    const int failed = fsync(fd) == 0 ? 0 : errno;
    close(fd);
    return failed ? error_errno(e, failed, "%s", j->spool) : CUZK_OK;
}

cuzk_status journal_payload_write(struct journal *j, const char *job_id, const struct engine_piece *pieces,
                                  size_t count, struct cuzk_error *e)
{
    char path[PATH_MAX + 64];
    struct file_out *f;
    journal_payload_path(j, job_id, path, sizeof path);
    cuzk_status status = file_create(&f, path, e);
    if (status != CUZK_OK)
        return status;
    for (size_t i = 0; status == CUZK_OK && i < count; i++)
        status = file_write(f, pieces[i].data, (size_t)pieces[i].size, e);
    if (status != CUZK_OK) {
        file_abort(f);
        return status;
    }
    status = file_commit(f, e);
    return status == CUZK_OK ? flush_folder(j, e) : status;
}

/* From another file system: copied. */
static cuzk_status copy_in(struct journal *j, const char *job_id, const char *spooled, struct cuzk_error *e)
{
    struct file_map map;
    cuzk_status status = file_map(&map, spooled, 0, e);
    if (status != CUZK_OK)
        return status;
    const struct engine_piece whole = {map.data, map.size};
    status = journal_payload_write(j, job_id, &whole, 1, e);
    file_unmap(&map);
    return status;
}

cuzk_status journal_payload_take(struct journal *j, const char *job_id, const char *spooled,
                                 struct cuzk_error *e)
{
    char path[PATH_MAX + 64];
    journal_payload_path(j, job_id, path, sizeof path);
    const int fd = open(spooled, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_errno(e, errno, "%s", spooled);
    int failed = fsync(fd) == 0 ? 0 : errno;
    close(fd);
    if (failed)
        return error_errno(e, failed, "%s", spooled);
    if (rename(spooled, path) == 0)
        return flush_folder(j, e);
    if (errno != EXDEV)
        return error_errno(e, errno, "%s", spooled);
    const cuzk_status status = copy_in(j, job_id, spooled, e);
    unlink(spooled);
    return status;
}

void journal_payload_remove(struct journal *j, const char *job_id)
{
    char path[PATH_MAX + 64];
    journal_payload_path(j, job_id, path, sizeof path);
    unlink(path);
}
