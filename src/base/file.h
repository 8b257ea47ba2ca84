/* base/file.h - files read whole and files written whole.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/common.h"

/* ---- reading ---- */

/* A regular file mapped read-only. data is aligned to a page. Whoever shortens the file while it is mapped
 * makes the reader fault (SIGBUS): files that others still write belong into file_read. */
struct file_map {
    const uint8_t *data;
    size_t size;
    int fd;           /* kept to tell a later change */
    int64_t stamp[4]; /* modification and change time, seconds and nanoseconds */
};

/* Map path. CUZK_ERR_INPUT if it is empty or above limit bytes (0: no limit), CUZK_ERR_IO if it cannot be
 * opened or is not a regular file (a directory, a pipe). */
cuzk_status file_map(struct file_map *out, const char *path, uint64_t limit, struct cuzk_error *e) MUST_USE;

/* CUZK_ERR_IO if the file behind the map was written to, shortened or lengthened since it was mapped. */
cuzk_status file_map_unchanged(const struct file_map *map, const char *path, struct cuzk_error *e) MUST_USE;

/* What tells one file, and one state of it, from others. */
struct file_id {
    uint64_t device, inode, size;
    int64_t modified[2]; /* seconds and nanoseconds */
};
bool file_id_take(struct file_id *out, int fd) MUST_USE; /* false: errno says why */

/* Is it this file that was mapped? */
bool file_map_is(const struct file_map *map, const struct file_id *id) MUST_USE;

/* How the map will be read, as advice to the kernel: once in order, or here and there. */
enum file_access { FILE_SEQUENTIAL, FILE_RANDOM };
void file_map_advise(const struct file_map *map, enum file_access access);

void file_unmap(struct file_map *map); /* an unmapped one that was zeroed is fine */

/* Read path (also a pipe) to its end. *out: size bytes and one NUL more, the caller's, for mem_free.
 * CUZK_ERR_INPUT above limit bytes; an empty file is fine. */
cuzk_status file_read(uint8_t **out, size_t *size, const char *path, size_t limit,
                      struct cuzk_error *e) MUST_USE;

/* ---- locking ---- */

/* Open path for reading and writing, made if it is not there, and lock it against other processes till *fd is
 * closed. What is locked has the name: whoever held the lock may have removed or renamed the file, then the
 * next one is taken. CUZK_ERR_IO if it is not a regular file (no link is followed), cannot be opened, or is
 * locked: then the message is path and `busy`. Where the file system knows no locks, none is held. */
cuzk_status file_lock(int *fd, const char *path, const char *busy, struct cuzk_error *e) MUST_USE;

/* Has the open file this name? */
bool file_has_name(int fd, const char *path);

/* ---- writing ---- */

/* A file that appears under its name only when it is whole. Until then it has no name at all where the
 * file system can do that (O_TMPFILE): then nothing is left even if the process is killed. Elsewhere it
 * is a hidden file beside its name, removed by file_abort. If path is a symbolic link the file it points
 * at is replaced, or made where the link points; a device or a pipe is written to directly, as is what an
 * open descriptor (/dev/stdout, /dev/fd/N, /proc/PID/fd/N) stands for, also if it is a file. */
struct file_out;

/* CUZK_ERR_IO if a file cannot be made there, path is a directory or a pipe that nobody reads. The mode is
 * 0666 less the umask. */
cuzk_status file_create(struct file_out **out, const char *path, struct cuzk_error *e) MUST_USE;

/* Ask the system for size bytes now, so that a full disk is told at the start. A file system that
 * cannot promise is taken at its silence. */
cuzk_status file_reserve(struct file_out *f, uint64_t size, struct cuzk_error *e) MUST_USE;

/* Append size bytes; unbuffered, so give it large pieces. */
cuzk_status file_write(struct file_out *f, const void *data, size_t size, struct cuzk_error *e) MUST_USE;

/* Write at an offset, from any thread; the end that file_write appends at stays. Not for devices. */
cuzk_status file_write_at(struct file_out *f, uint64_t offset, const void *data, size_t size,
                          struct cuzk_error *e) MUST_USE;

/* Have the system begin to write these bytes to the disk, so that file_prepare finds less to do. Failing is
 * no failure. */
void file_begin_flush(const struct file_out *f, uint64_t offset, uint64_t size);

/* Make it last (fsync), under a hidden name still, so that file_commit only renames: several files can then
 * appear nearly at once. *id: what the file is known by from now on. Nothing may be written after it. */
cuzk_status file_prepare(struct file_out *f, struct file_id *id, struct cuzk_error *e) MUST_USE;

/* Make it last (fsync), give it its name and free f, also on failure: then nothing is left. */
cuzk_status file_commit(struct file_out *f, struct cuzk_error *e) MUST_USE;

/* Leave nothing; NULL is fine. */
void file_abort(struct file_out *f);

/* The above in one: path holds size bytes, or what it held before. */
cuzk_status file_write_whole(const char *path, const void *data, size_t size, struct cuzk_error *e) MUST_USE;

/* As file_write_whole, but no link is followed: path itself is replaced, if it is a regular file or a
 * symbolic link; anything else there is refused. For a name that nobody chose. */
cuzk_status file_replace_whole(const char *path, const void *data, size_t size,
                               struct cuzk_error *e) MUST_USE;

#endif
