/* groth16/stamp.c - FILE.checked: says that FILE was checked.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define STAMP_BEGIN "cuzk-checked "
#define STAMP_MAX   256 /* bytes; longer is none of ours */
/* Kernels advance a file's time at clock ticks, 10 ms apart at most. */
#define TICK_NS 20000000

bool stamp_is(const uint8_t *in, uint64_t size)
{
    return size >= sizeof STAMP_BEGIN - 1 && memcmp(in, STAMP_BEGIN, sizeof STAMP_BEGIN - 1) == 0;
}

static cuzk_status stamp_path(const char *path, char **out, struct cuzk_error *e)
{
    *out = text_with_suffix(path, STAMP_SUFFIX);
    return *out ? CUZK_OK : error_memory(e, strlen(path) + sizeof STAMP_SUFFIX, "a file name");
}

static void render(char text[STAMP_MAX], const struct stat *st, const char *digest)
{
    snprintf(text, STAMP_MAX,
             STAMP_BEGIN "1\nsize %lld\nmtime %lld.%09ld\ndevice %llu\ninode %llu\nblake2b-512 %s\n",
             (long long)st->st_size, (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
             (unsigned long long)st->st_dev, (unsigned long long)st->st_ino, digest);
}

/* The stamp's text, NUL-terminated; false if there is none of a stamp's size, or not of an owner whose word
 * counts: ourselves, root, and who owns the file and so can change it anyway. */
static bool read_text(const char *path, uid_t owner, char text[STAMP_MAX])
{
    char *name;
    if (stamp_path(path, &name, NULL) != CUZK_OK)
        return false;
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    mem_free(name);
    if (fd < 0)
        return false;
    struct stat st;
    const bool counts = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                        (st.st_uid == geteuid() || st.st_uid == 0 || st.st_uid == owner);
    const ssize_t n = counts ? read(fd, text, STAMP_MAX) : 0;
    close(fd);
    if (n <= 0 || n == STAMP_MAX)
        return false;
    text[n] = '\0';
    return strlen(text) == (size_t)n;
}

bool stamp_accepts(const char *path, const struct file_map *map, char digest[DIGEST_TEXT])
{
    struct stat st;
    char text[STAMP_MAX], expected[STAMP_MAX], found[DIGEST_TEXT] = "";
    if (fstat(map->fd, &st) != 0 || !read_text(path, st.st_uid, text))
        return false;
    const char *at = strstr(text, "\nblake2b-512 ");
    if (!at || sscanf(at, " blake2b-512 %32[0-9a-f]", found) != 1 || strlen(found) != DIGEST_TEXT - 1)
        return false;
    render(expected, &st, found); /* exactly what we would write for this file */
    if (strcmp(text, expected) != 0)
        return false;
    memcpy(digest, found, DIGEST_TEXT);
    return true;
}

static void leave_tick(const struct stat *st)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t age =
        ((int64_t)now.tv_sec - (int64_t)st->st_mtim.tv_sec) * 1000000000 + now.tv_nsec - st->st_mtim.tv_nsec;
    if (age >= 0 && age < TICK_NS) {
        const struct timespec pause = {.tv_nsec = TICK_NS};
        nanosleep(&pause, NULL);
    }
}

cuzk_status stamp_write(const char *path, const struct file_map *map, const char digest[DIGEST_TEXT],
                        struct cuzk_error *e)
{
    struct stat st;
    if (fstat(map->fd, &st) != 0)
        return error_errno(e, errno, "%s: cannot look at it", path);
    leave_tick(&st);
    cuzk_status status = file_map_unchanged(map, path, e);
    if (status != CUZK_OK)
        return status;
    char text[STAMP_MAX], *name;
    render(text, &st, digest);
    status = stamp_path(path, &name, e);
    if (status != CUZK_OK)
        return status;
    status = file_replace_whole(name, text, strlen(text), e);
    mem_free(name);
    return status;
}

void stamp_remove(const char *path)
{
    char *name;
    if (stamp_path(path, &name, NULL) != CUZK_OK)
        return;
    unlink(name);
    mem_free(name);
}
