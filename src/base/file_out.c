/* base/file_out.c - files written whole: without a name, or under a hidden one, until they are complete
 * (open(2) on O_TMPFILE; rename(2)).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#define PIECE         ((size_t)1 << 30) /* write(2) takes no more than 2 GiB at once */
#define NAME_ATTEMPTS 16
#define MAX_LINKS     40 /* as many as the kernel follows */

struct file_out {
    int fd;
    int folder;              /* where the final name is */
    bool direct;             /* a device, a pipe or a descriptor: there is no name to give */
    bool settled;            /* the content is on the disk, the hidden name exists */
    bool has_temp;           /* the hidden name exists */
    uint64_t end;            /* where file_write appends */
    char name[NAME_MAX + 1]; /* the final name in the folder, symbolic links resolved */
    char temp[32];           /* the hidden name in the folder */
    char path[];             /* as it was given, for messages */
};

/* ".cuzk.RANDOM"; it does not depend on the final name, which may be as long as names can be. */
static void make_temp_name(struct file_out *f)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != (ssize_t)sizeof(random))
        random = (uint64_t)(uintptr_t)f ^ (uint64_t)getpid() << 32; /* O_EXCL settles a clash */
    snprintf(f->temp, sizeof(f->temp), ".cuzk.%016llx", (unsigned long long)random);
}

static void destroy(struct file_out *f)
{
    if (f->fd >= 0)
        close(f->fd);
    if (f->has_temp)
        unlinkat(f->folder, f->temp, 0);
    if (f->folder >= 0)
        close(f->folder);
    mem_free(f);
}

/* Open without a name, else under a hidden one. Returns an errno value, 0 if it went well. */
static int open_temp(struct file_out *f)
{
    f->fd = openat(f->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    /* The name can be given later only through /proc. */
    if (f->fd >= 0 && access("/proc/self/fd", X_OK) == 0)
        return 0;
    if (f->fd >= 0)
        close(f->fd);
    int errnum = 0;
    for (unsigned i = 0; i < NAME_ATTEMPTS; i++) {
        make_temp_name(f);
        f->fd = openat(f->folder, f->temp, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        f->has_temp = f->fd >= 0;
        if (f->fd >= 0)
            return 0;
        errnum = errno;
        if (errnum != EEXIST)
            break;
    }
    return errnum;
}

/* Take name's folder, as seen from the folder had before, and its last part. */
static cuzk_status take_folder(struct file_out *f, char *name, struct cuzk_error *e)
{
    char *slash = strrchr(name, '/');
    const char *last = slash ? slash + 1 : name;
    if (*last == '\0')
        return error_set(e, CUZK_ERR_IO, "'%s' is not the name of a file", f->path);
    if (strlen(last) > NAME_MAX)
        return error_errno(e, ENAMETOOLONG, "%s: cannot create", f->path);
    memcpy(f->name, last, strlen(last) + 1);
    const char *above = !slash ? "." : slash == name ? "/" : name;
    if (slash)
        *slash = '\0';
    const int folder = openat(f->folder < 0 ? AT_FDCWD : f->folder, above, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return error_errno(e, errno, "%s: cannot create", f->path);
    if (f->folder >= 0)
        close(f->folder);
    f->folder = folder;
    return CUZK_OK;
}

/* A link of /proc stands for an open file, not for a name. */
static bool is_descriptor(const struct file_out *f, const struct stat *st)
{
    struct statfs fs;
    return S_ISLNK(st->st_mode) && fstatfs(f->folder, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* Find where path leads: st is of what is there; its mode is 0 if nothing is. A link that leads nowhere gives
 * the name that it leads to. */
static cuzk_status find_place(struct file_out *f, bool follow, struct stat *st, struct cuzk_error *e)
{
    char name[PATH_MAX];
    if (strlen(f->path) >= sizeof(name))
        return error_errno(e, ENAMETOOLONG, "%s: cannot create", f->path);
    memcpy(name, f->path, strlen(f->path) + 1);
    for (unsigned i = 0; i < MAX_LINKS; i++) {
        const cuzk_status status = take_folder(f, name, e);
        if (status != CUZK_OK)
            return status;
        if (fstatat(f->folder, f->name, st, AT_SYMLINK_NOFOLLOW) != 0) {
            st->st_mode = 0;
            return errno == ENOENT ? CUZK_OK : error_errno(e, errno, "%s: cannot create", f->path);
        }
        if (!follow || !S_ISLNK(st->st_mode))
            return CUZK_OK;
        if (is_descriptor(f, st)) {
            f->direct = true;
            return fstatat(f->folder, f->name, st, 0) == 0
                       ? CUZK_OK
                       : error_errno(e, errno, "%s: cannot create", f->path);
        }
        const ssize_t n = readlinkat(f->folder, f->name, name, sizeof(name));
        if (n < 0 || (size_t)n == sizeof(name))
            return error_errno(e, n < 0 ? errno : ENAMETOOLONG, "%s: cannot create", f->path);
        name[n] = '\0';
    }
    return error_errno(e, ELOOP, "%s: cannot create", f->path);
}

/* A copy of our own descriptor, whose position and append mode are the shell's; -1 if it is none of ours. */
static int own_descriptor(const struct file_out *f)
{
    struct stat here, own;
    if (fstat(f->folder, &here) != 0 || stat("/proc/self/fd", &own) != 0 || here.st_dev != own.st_dev ||
        here.st_ino != own.st_ino)
        return -1;
    return fcntl((int)strtol(f->name, NULL, 10), F_DUPFD_CLOEXEC, 3);
}

/* Returns an errno value, 0 if it went well. */
static int open_direct(struct file_out *f, const struct stat *st)
{
    if (S_ISREG(st->st_mode)) {
        f->fd = own_descriptor(f);
        if (f->fd < 0) /* another process's: what is in the file stays */
            f->fd = openat(f->folder, f->name, O_WRONLY | O_APPEND | O_CLOEXEC);
        return f->fd < 0 ? errno : 0;
    }
    const int wait = S_ISFIFO(st->st_mode) ? O_NONBLOCK : 0; /* opening must not hang, writing may */
    f->fd = openat(f->folder, f->name, O_WRONLY | O_CLOEXEC | wait);
    if (f->fd < 0)
        return errno;
    return wait && fcntl(f->fd, F_SETFL, O_WRONLY) != 0 ? errno : 0;
}

static cuzk_status open_place(struct file_out *f, bool follow, struct cuzk_error *e)
{
    struct stat st;
    const cuzk_status status = find_place(f, follow, &st, e);
    if (status != CUZK_OK)
        return status;
    if (S_ISDIR(st.st_mode))
        return error_set(e, CUZK_ERR_IO, "%s: this is a directory, not a file", f->path);
    const bool special = st.st_mode != 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode);
    if (special && !follow)
        return error_set(e, CUZK_ERR_IO, "%s: this is not a regular file", f->path);
    f->direct = f->direct || special;
    const int errnum = f->direct ? open_direct(f, &st) : open_temp(f);
    if (errnum == ENXIO && S_ISFIFO(st.st_mode))
        return error_set(e, CUZK_ERR_IO, "%s: this is a pipe that nobody reads", f->path);
    return errnum ? error_errno(e, errnum, "%s: cannot create", f->path) : CUZK_OK;
}

static cuzk_status create(struct file_out **out, const char *path, bool follow, struct cuzk_error *e)
{
    const size_t size = sizeof(struct file_out) + strlen(path) + 1;
    struct file_out *f = mem_alloc(1, size);
    if (!f)
        return error_memory(e, size, path);
    *f = (struct file_out){.fd = -1, .folder = -1};
    memcpy(f->path, path, strlen(path) + 1);
    const cuzk_status status = open_place(f, follow, e);
    if (status != CUZK_OK) {
        destroy(f);
        return status;
    }
    *out = f;
    return CUZK_OK;
}

cuzk_status file_create(struct file_out **out, const char *path, struct cuzk_error *e)
{
    return create(out, path, true, e);
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

void file_begin_flush(const struct file_out *f, uint64_t offset, uint64_t size)
{
    (void)sync_file_range(f->fd, (off_t)offset, (off_t)size, SYNC_FILE_RANGE_WRITE);
}

/* Give an unnamed file a hidden name; the final one may exist, and link(2) does not replace. */
static int name_hidden(struct file_out *f)
{
    char self[64];
    snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
    for (unsigned i = 0; i < NAME_ATTEMPTS; i++) {
        make_temp_name(f);
        f->has_temp = linkat(AT_FDCWD, self, f->folder, f->temp, AT_SYMLINK_FOLLOW) == 0;
        if (f->has_temp || errno != EEXIST)
            break;
    }
    return f->has_temp ? 0 : errno;
}

/* Content first, then a name. Returns an errno value. */
static int settle(struct file_out *f)
{
    if (f->direct || f->settled)
        return 0;
    if (fsync(f->fd) != 0)
        return errno;
    const int errnum = f->has_temp ? 0 : name_hidden(f);
    f->settled = errnum == 0;
    return errnum;
}

/* The final name, then the folder that holds it. Returns an errno value. */
static int give_name(struct file_out *f)
{
    if (f->direct)
        return 0;
    if (renameat(f->folder, f->temp, f->folder, f->name) != 0)
        return errno;
    f->has_temp = false;
    const int folder = openat(f->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder); /* some file systems refuse; the file itself is safe */
        close(folder);
    }
    return 0;
}

cuzk_status file_prepare(struct file_out *f, struct file_id *id, struct cuzk_error *e)
{
    const int errnum = settle(f);
    if (errnum)
        return error_errno(e, errnum, "%s: cannot write", f->path);
    return file_id_take(id, f->fd) ? CUZK_OK : error_errno(e, errno, "%s: cannot look at the file", f->path);
}

cuzk_status file_commit(struct file_out *f, struct cuzk_error *e)
{
    int errnum = settle(f);
    if (errnum == 0)
        errnum = give_name(f);
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

static cuzk_status write_whole(const char *path, bool follow, const void *data, size_t size,
                               struct cuzk_error *e)
{
    struct file_out *f;
    cuzk_status status = create(&f, path, follow, e);
    if (status != CUZK_OK)
        return status;
    status = file_write(f, data, size, e);
    if (status != CUZK_OK) {
        file_abort(f);
        return status;
    }
    return file_commit(f, e);
}

cuzk_status file_write_whole(const char *path, const void *data, size_t size, struct cuzk_error *e)
{
    return write_whole(path, true, data, size, e);
}

cuzk_status file_replace_whole(const char *path, const void *data, size_t size, struct cuzk_error *e)
{
    return write_whole(path, false, data, size, e);
}
