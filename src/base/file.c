/* base/file.c - files read whole, and locked.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

static void take_stamp(int64_t stamp[4], const struct stat *st)
{
    stamp[0] = st->st_mtim.tv_sec;
    stamp[1] = st->st_mtim.tv_nsec;
    stamp[2] = st->st_ctim.tv_sec;
    stamp[3] = st->st_ctim.tv_nsec;
}

static cuzk_status too_large(const char *path, uint64_t limit, struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_INPUT, "%s: the file is larger than the %llu bytes allowed here", path,
                     (unsigned long long)limit);
}

/* What the map needs to know of an open file. */
static cuzk_status check_regular(int fd, struct stat *st, const char *path, uint64_t limit,
                                 struct cuzk_error *e)
{
    if (fstat(fd, st) != 0)
        return error_errno(e, errno, "%s: cannot look at the file", path);
    if (S_ISDIR(st->st_mode))
        return error_set(e, CUZK_ERR_IO, "%s: this is a directory, not a file", path);
    if (!S_ISREG(st->st_mode))
        return error_set(e, CUZK_ERR_IO, "%s: this is not a regular file", path);
    if (st->st_size == 0)
        return error_set(e, CUZK_ERR_INPUT, "%s: the file is empty", path);
    if (limit && (uint64_t)st->st_size > limit)
        return too_large(path, limit, e);
    if ((uint64_t)st->st_size > SIZE_MAX)
        return too_large(path, SIZE_MAX, e);
    return CUZK_OK;
}

cuzk_status file_map(struct file_map *out, const char *path, uint64_t limit, struct cuzk_error *e)
{
    /* O_NONBLOCK: opening a pipe that nobody writes must not hang, it is refused just below. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_errno(e, errno, "%s: cannot open", path);
    struct stat st;
    const cuzk_status status = check_regular(fd, &st, path, limit, e);
    if (status != CUZK_OK) {
        close(fd);
        return status;
    }
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        const int errnum = errno;
        close(fd);
        return error_errno(e, errnum, "%s: cannot map", path);
    }
    *out = (struct file_map){.data = p, .size = (size_t)st.st_size, .fd = fd};
    take_stamp(out->stamp, &st);
    return CUZK_OK;
}

cuzk_status file_map_unchanged(const struct file_map *map, const char *path, struct cuzk_error *e)
{
    struct stat st;
    if (fstat(map->fd, &st) != 0)
        return error_errno(e, errno, "%s: cannot look at the file", path);
    int64_t stamp[4];
    take_stamp(stamp, &st);
    /* The change time moves also when the file is renamed or linked: only content counts here. */
    if ((uint64_t)st.st_size != map->size || memcmp(stamp, map->stamp, 2 * sizeof(stamp[0])) != 0)
        return error_set(e, CUZK_ERR_IO, "%s: the file changed while it was read", path);
    return CUZK_OK;
}

bool file_id_take(struct file_id *out, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    *out = (struct file_id){.device = st.st_dev,
                            .inode = st.st_ino,
                            .size = (uint64_t)st.st_size,
                            .modified = {st.st_mtim.tv_sec, st.st_mtim.tv_nsec}};
    return true;
}

bool file_map_is(const struct file_map *map, const struct file_id *id)
{
    struct file_id own;
    return file_id_take(&own, map->fd) && own.device == id->device && own.inode == id->inode &&
           own.size == id->size && own.modified[0] == id->modified[0] && own.modified[1] == id->modified[1];
}

void file_map_advise(const struct file_map *map, enum file_access access)
{
    if (map->data)
        (void)posix_madvise((void *)(uintptr_t)map->data, map->size,
                            access == FILE_SEQUENTIAL ? POSIX_MADV_SEQUENTIAL : POSIX_MADV_RANDOM);
}

void file_unmap(struct file_map *map)
{
    if (!map->data)
        return;
    munmap((void *)(uintptr_t)map->data, map->size);
    close(map->fd);
    *map = (struct file_map){0};
}

/* Grow the buffer to room bytes and one; keeps used ones. */
static bool grow(uint8_t **buffer, size_t used, size_t room)
{
    uint8_t *larger = mem_alloc(1, room + 1);
    if (!larger)
        return false;
    if (used)
        memcpy(larger, *buffer, used);
    mem_free(*buffer);
    *buffer = larger;
    return true;
}

/* Read fd to its end. One byte above limit is asked for, to see that there is more. */
static cuzk_status read_all(int fd, uint8_t **buffer, size_t *used, const char *path, size_t limit,
                            struct cuzk_error *e)
{
    size_t room = 0;
    for (;;) {
        if (*used == room) {
            const size_t most = limit == SIZE_MAX ? SIZE_MAX - 1 : limit + 1;
            room = room == 0 ? 4096 : room > most / 2 ? most : 2 * room;
            if (room > most)
                room = most;
            if (!grow(buffer, *used, room))
                return error_memory(e, room, path);
        }
        const ssize_t got = read(fd, *buffer + *used, room - *used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_errno(e, errno, "%s: cannot read", path);
        if (got == 0)
            return CUZK_OK;
        *used += (size_t)got;
        if (*used > limit)
            return too_large(path, limit, e);
    }
}

cuzk_status file_read(uint8_t **out, size_t *size, const char *path, size_t limit, struct cuzk_error *e)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_errno(e, errno, "%s: cannot open", path);
    uint8_t *buffer = NULL;
    size_t used = 0;
    const cuzk_status status = read_all(fd, &buffer, &used, path, limit, e);
    close(fd);
    if (status != CUZK_OK) {
        mem_free(buffer);
        return status;
    }
    buffer[used] = 0;
    *out = buffer;
    *size = used;
    return CUZK_OK;
}

/* ---- locking ---- */

#define LOCK_ATTEMPTS 16

bool file_has_name(int fd, const char *path)
{
    struct stat held, named;
    return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

static cuzk_status take_lock(int fd, const char *path, const char *busy, struct cuzk_error *e)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return error_errno(e, errno, "%s: cannot look at the file", path);
    if (!S_ISREG(st.st_mode))
        return error_set(e, CUZK_ERR_IO, "%s: this is not a regular file", path);
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno == EOPNOTSUPP || errno == ENOSYS)
        return CUZK_OK;
    if (errno == EWOULDBLOCK)
        return error_set(e, CUZK_ERR_IO, "%s: %s", path, busy);
    return error_errno(e, errno, "%s: cannot lock", path);
}

cuzk_status file_lock(int *fd, const char *path, const char *busy, struct cuzk_error *e)
{
    for (unsigned i = 0; i < LOCK_ATTEMPTS; i++) {
        *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (*fd < 0)
            return error_errno(e, errno, "%s: cannot create", path);
        const cuzk_status status = take_lock(*fd, path, busy, e);
        if (status == CUZK_OK && file_has_name(*fd, path))
            return CUZK_OK;
        close(*fd);
        *fd = -1;
        if (status != CUZK_OK)
            return status;
    }
    return error_set(e, CUZK_ERR_IO, "%s: %s", path, busy);
}
