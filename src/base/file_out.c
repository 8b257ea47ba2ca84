/* base/file_out.c - files written whole: without a name, or under a hidden one, until they are complete
 * (open(2) on O_TMPFILE; rename(2)).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#define PIECE         ((size_t)1 << 30) /* write(2) takes no more than 2 GiB at once */
#define NAME_ATTEMPTS 16

struct file_out {
    int fd;
    bool direct;   /* a device or a pipe: there is no name to give */
    char *path;    /* the final name, symbolic links resolved */
    char *temp;    /* room for the hidden name */
    bool has_temp; /* the hidden name exists */
    uint64_t end;  /* where file_write appends */
};

/* "DIR/.NAME.RANDOM" beside the final name; the same length each time. */
static void make_temp_name(struct file_out *f)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != (ssize_t)sizeof(random))
        random = (uint64_t)(uintptr_t)f ^ (uint64_t)getpid() << 32; /* O_EXCL settles a clash */
    const char *slash = strrchr(f->path, '/');
    const int folder = slash ? (int)(slash - f->path) + 1 : 0;
    sprintf(f->temp, "%.*s.%s.%016llx", folder, f->path, f->path + folder, (unsigned long long)random);
}

#define TEMP_EXTRA 24

/* The folder of the final name, in temp's room. */
static const char *folder_of(struct file_out *f)
{
    memcpy(f->temp, f->path, strlen(f->path) + 1);
    char *slash = strrchr(f->temp, '/');
    if (!slash)
        return ".";
    slash[slash == f->temp ? 1 : 0] = '\0';
    return f->temp;
}

static void destroy(struct file_out *f)
{
    if (f->fd >= 0)
        close(f->fd);
    if (f->has_temp)
        unlink(f->temp);
    mem_free(f->path);
    mem_free(f->temp);
    mem_free(f);
}

/* Open without a name, else under a hidden one. Returns an errno value, 0 if it went well. */
static int open_temp(struct file_out *f)
{
    f->fd = open(folder_of(f), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    /* The name can be given later only through /proc. */
    if (f->fd >= 0 && access("/proc/self/fd", X_OK) == 0)
        return 0;
    if (f->fd >= 0)
        close(f->fd);
    int errnum = 0;
    for (unsigned i = 0; i < NAME_ATTEMPTS; i++) {
        make_temp_name(f);
        f->fd = open(f->temp, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        f->has_temp = f->fd >= 0;
        if (f->fd >= 0)
            return 0;
        errnum = errno;
        if (errnum != EEXIST)
            break;
    }
    return errnum;
}

/* The name behind path: itself, or what a symbolic link points at; NULL when memory is out. */
static char *final_name(const char *path, bool exists)
{
    char *real = exists ? realpath(path, NULL) : NULL;
    const char *from = real ? real : path;
    const size_t size = strlen(from) + 1;
    char *copy = mem_alloc(size, 1);
    if (copy)
        memcpy(copy, from, size);
    free(real);
    return copy;
}

cuzk_status file_create(struct file_out **out, const char *path, struct cuzk_error *e)
{
    struct stat st;
    const bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return error_set(e, CUZK_ERR_IO, "%s: this is a directory, not a file", path);
    const size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/')
        return error_set(e, CUZK_ERR_IO, "'%s' is not the name of a file", path);
    struct file_out *f = mem_alloc(1, sizeof(*f));
    if (!f)
        return error_memory(e, sizeof(*f), path);
    f->fd = -1;
    f->path = final_name(path, exists);
    f->temp = f->path ? mem_alloc(strlen(f->path) + TEMP_EXTRA, 1) : NULL;
    if (!f->temp) {
        destroy(f);
        return error_memory(e, length, path);
    }
    int errnum = 0;
    f->direct = exists && !S_ISREG(st.st_mode);
    if (f->direct) {
        f->fd = open(path, O_WRONLY | O_CLOEXEC);
        errnum = f->fd < 0 ? errno : 0;
    } else {
        errnum = open_temp(f);
    }
    if (errnum) {
        destroy(f);
        return error_errno(e, errnum, "%s: cannot create", path);
    }
    *out = f;
    return CUZK_OK;
}

cuzk_status file_reserve(struct file_out *f, uint64_t size, struct cuzk_error *e)
{
    if (f->direct || size == 0)
        return CUZK_OK;
    if (size > INT64_MAX)
        return error_set(e, CUZK_ERR_IO, "%s: %llu bytes are too large for a file", f->path,
                         (unsigned long long)size);
    /* The size stays as written: only room is asked for. */
    while (fallocate(f->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size) != 0) {
        if (errno == EINTR)
            continue;
        if (errno == EOPNOTSUPP || errno == ENOSYS)
            break;
        return error_errno(e, errno, "%s: cannot reserve %llu bytes", f->path, (unsigned long long)size);
    }
    return CUZK_OK;
}

cuzk_status file_write(struct file_out *f, const void *data, size_t size, struct cuzk_error *e)
{
    if (!f->direct) {
        const cuzk_status status = file_write_at(f, f->end, data, size, e);
        f->end += status == CUZK_OK ? size : 0;
        return status;
    }
    for (const uint8_t *p = data; size;) {
        const ssize_t put = write(f->fd, p, size < PIECE ? size : PIECE);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return error_errno(e, errno, "%s: cannot write", f->path);
        p += put;
        size -= (size_t)put;
    }
    return CUZK_OK;
}

cuzk_status file_write_at(struct file_out *f, uint64_t offset, const void *data, size_t size,
                          struct cuzk_error *e)
{
    if (offset > INT64_MAX || size > INT64_MAX - offset)
        return error_set(e, CUZK_ERR_IO, "%s: cannot write beyond the largest file", f->path);
    for (const uint8_t *p = data; size;) {
        const ssize_t put = pwrite(f->fd, p, size < PIECE ? size : PIECE, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return error_errno(e, errno, "%s: cannot write", f->path);
        p += put;
        size -= (size_t)put;
        offset += (uint64_t)put;
    }
    return CUZK_OK;
}

/* Give an unnamed file a hidden name; the final one may exist, and link(2) does not replace. */
static int name_hidden(struct file_out *f)
{
    char self[64];
    snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
    for (unsigned i = 0; i < NAME_ATTEMPTS; i++) {
        make_temp_name(f);
        f->has_temp = linkat(AT_FDCWD, self, AT_FDCWD, f->temp, AT_SYMLINK_FOLLOW) == 0;
        if (f->has_temp || errno != EEXIST)
            break;
    }
    return f->has_temp ? 0 : errno;
}

/* Content first, then the name, then the folder that holds the name. Returns an errno value. */
static int settle(struct file_out *f)
{
    if (f->direct)
        return 0;
    if (fsync(f->fd) != 0)
        return errno;
    if (!f->has_temp) {
        const int errnum = name_hidden(f);
        if (errnum)
            return errnum;
    }
    if (rename(f->temp, f->path) != 0)
        return errno;
    f->has_temp = false;
    const int folder = open(folder_of(f), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder); /* some file systems refuse; the file itself is safe */
        close(folder);
    }
    return 0;
}

cuzk_status file_commit(struct file_out *f, struct cuzk_error *e)
{
    int errnum = settle(f);
    if (close(f->fd) != 0 && errnum == 0 && f->direct)
        errnum = errno;
    f->fd = -1;
    cuzk_status status = CUZK_OK;
    if (errnum)
        status = error_errno(e, errnum, "%s: cannot write", f->path);
    destroy(f);
    return status;
}

void file_abort(struct file_out *f)
{
    if (f)
        destroy(f);
}

cuzk_status file_write_whole(const char *path, const void *data, size_t size, struct cuzk_error *e)
{
    struct file_out *f;
    cuzk_status status = file_create(&f, path, e);
    if (status != CUZK_OK)
        return status;
    status = file_write(f, data, size, e);
    if (status != CUZK_OK) {
        file_abort(f);
        return status;
    }
    return file_commit(f, e);
}
