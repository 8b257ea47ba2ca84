/* Files mapped, read and written whole.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

static char folder[64], path[128];

static int remove_one(const char *name, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(name);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/cuzk-file-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof(path), "%s/name", folder);
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static unsigned entries(void)
{
    DIR *d = opendir(folder);
    assert_non_null(d);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(d)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(d);
    return count;
}

static void holds(const char *name, const char *text)
{
    uint8_t *data;
    size_t size;
    assert_int_equal(file_read(&data, &size, name, 1000, NULL), CUZK_OK);
    assert_int_equal(size, strlen(text));
    assert_string_equal((const char *)data, text);
    mem_free(data);
}

/* ---- reading ---- */

static void map_shows_the_bytes(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct file_map map;
    assert_int_equal(file_write_whole(path, "content", 7, &e), CUZK_OK);
    assert_int_equal(file_map(&map, path, 7, &e), CUZK_OK);
    assert_int_equal(map.size, 7);
    assert_memory_equal(map.data, "content", 7);
    file_map_advise(&map, FILE_SEQUENTIAL);
    file_map_advise(&map, FILE_RANDOM);
    assert_int_equal(file_map_unchanged(&map, path, &e), CUZK_OK);
    file_unmap(&map);
    assert_null(map.data);
    file_unmap(&map);
}

static void map_errors_are_told_apart(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct file_map map = {0};
    assert_int_equal(file_map(&map, path, 0, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "No such file"));
    assert_non_null(strstr(e.message, path));
    assert_int_equal(file_map(&map, folder, 0, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "directory"));
    assert_int_equal(file_map(&map, "/dev/null", 0, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "not a regular file"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_map(&map, path, 0, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "not a regular file"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(file_write_whole(path, "", 0, &e), CUZK_OK);
    assert_int_equal(file_map(&map, path, 0, &e), CUZK_ERR_INPUT);
    assert_non_null(strstr(e.message, "empty"));
    assert_int_equal(file_write_whole(path, "12345678", 8, &e), CUZK_OK);
    assert_int_equal(file_map(&map, path, 7, &e), CUZK_ERR_INPUT);
    assert_non_null(strstr(e.message, "larger than the 7 bytes"));
    assert_null(map.data);
}

static void change_under_the_map_is_noticed(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct file_map map;
    assert_int_equal(file_write_whole(path, "content", 7, &e), CUZK_OK);
    assert_int_equal(file_map(&map, path, 0, &e), CUZK_OK);
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fputc('!', f);
    fclose(f);
    assert_int_equal(file_map_unchanged(&map, path, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "changed"));
    file_unmap(&map);
}

static void read_stops_at_the_limit(void **state)
{
    (void)state;
    struct cuzk_error e;
    uint8_t *data = NULL;
    size_t size = 0;
    char *text = malloc(20001);
    assert_non_null(text);
    memset(text, 'x', 20000);
    text[20000] = '\0';
    assert_int_equal(file_write_whole(path, text, 20000, &e), CUZK_OK);
    assert_int_equal(file_read(&data, &size, path, 19999, &e), CUZK_ERR_INPUT);
    assert_null(data);
    static const size_t limits[] = {20000, 20001, SIZE_MAX};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(file_read(&data, &size, path, limits[i], &e), CUZK_OK);
        assert_int_equal(size, 20000);
        assert_memory_equal(data, text, 20001);
        mem_free(data);
    }
    for (uint64_t n = 1; n <= 4; n++) {
        mem_fail_after(n);
        const cuzk_status status = file_read(&data, &size, path, 20000, &e);
        assert_true(status == CUZK_ERR_MEMORY || (status == CUZK_OK && n > 3));
        if (status == CUZK_OK)
            mem_free(data);
        mem_fail_after(0);
    }
    free(text);
    assert_int_equal(file_read(&data, &size, "/dev/null", 0, &e), CUZK_OK);
    assert_int_equal(size, 0);
    mem_free(data);
    assert_int_equal(file_read(&data, &size, folder, 100, &e), CUZK_ERR_IO);
    assert_int_equal(file_read(&data, &size, "/no/such", 100, &e), CUZK_ERR_IO);
}

/* ---- writing ---- */

static void name_appears_at_commit(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct file_out *f;
    assert_int_equal(file_write_whole(path, "old", 3, &e), CUZK_OK);
    assert_int_equal(file_create(&f, path, &e), CUZK_OK);
    assert_int_equal(file_reserve(f, 100, &e), CUZK_OK);
    assert_int_equal(file_write(f, "ab", 2, &e), CUZK_OK);
    assert_int_equal(file_write_at(f, 4, "ef", 2, &e), CUZK_OK);
    assert_int_equal(file_write(f, "cd", 2, &e), CUZK_OK);
    file_begin_flush(f, 0, 6);
    holds(path, "old");
    assert_int_equal(file_commit(f, &e), CUZK_OK);
    holds(path, "abcdef");
    assert_int_equal(entries(), 1);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    const mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
}

static void abort_leaves_nothing(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct file_out *f;
    assert_int_equal(file_create(&f, path, &e), CUZK_OK);
    assert_int_equal(file_write(f, "half", 4, &e), CUZK_OK);
    file_abort(f);
    file_abort(NULL);
    assert_int_equal(entries(), 0);
}

static void names_that_cannot_be(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct file_out *f = NULL;
    char below[160];
    assert_int_equal(file_create(&f, folder, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "directory"));
    snprintf(below, sizeof(below), "%s/none/name", folder);
    assert_int_equal(file_create(&f, below, &e), CUZK_ERR_IO);
    snprintf(below, sizeof(below), "%s/none/", folder);
    assert_int_equal(file_create(&f, below, &e), CUZK_ERR_IO);
    assert_int_equal(file_create(&f, "", &e), CUZK_ERR_IO);
    assert_null(f);
    mem_fail_after(1);
    assert_int_equal(file_create(&f, path, &e), CUZK_ERR_MEMORY);
    assert_int_equal(entries(), 0);
}

static void symbolic_link_stays_and_its_target_is_replaced(void **state)
{
    (void)state;
    char target[160];
    snprintf(target, sizeof(target), "%s/target", folder);
    assert_int_equal(file_write_whole(target, "old", 3, NULL), CUZK_OK);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(file_write_whole(path, "new", 3, NULL), CUZK_OK);
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    holds(target, "new");
}

static void dangling_link_names_the_file_to_make(void **state)
{
    (void)state;
    char target[160];
    struct cuzk_error e;
    assert_int_equal(symlink("target", path), 0);
    assert_int_equal(file_write_whole(path, "new", 3, &e), CUZK_OK);
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    snprintf(target, sizeof(target), "%s/target", folder);
    holds(target, "new");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("none/target", path), 0);
    assert_int_equal(file_write_whole(path, "new", 3, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "No such file"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("name", path), 0); /* itself */
    assert_int_equal(file_write_whole(path, "new", 3, &e), CUZK_ERR_IO);
    assert_int_equal(entries(), 2);
}

static void replacing_follows_no_link(void **state)
{
    (void)state;
    char target[160];
    struct cuzk_error e;
    struct stat st;
    snprintf(target, sizeof(target), "%s/target", folder);
    assert_int_equal(file_write_whole(target, "old", 3, &e), CUZK_OK);
    assert_int_equal(symlink("target", path), 0);
    for (int i = 0; i < 2; i++) { /* over a link, then over a file */
        assert_int_equal(file_replace_whole(path, "new", 3, &e), CUZK_OK);
        assert_int_equal(lstat(path, &st), 0);
        assert_true(S_ISREG(st.st_mode));
        holds(path, "new");
        holds(target, "old");
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_replace_whole(path, "new", 3, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "not a regular file"));
    assert_int_equal(file_replace_whole(folder, "new", 3, &e), CUZK_ERR_IO);
    assert_int_equal(file_replace_whole("/dev/null", "new", 3, &e), CUZK_ERR_IO);
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
}

static void pipe_without_a_reader_is_told(void **state)
{
    (void)state;
    struct cuzk_error e;
    char read_back[8] = "";
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_write_whole(path, "piped", 5, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "pipe that nobody reads"));
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(file_write_whole(path, "piped", 5, &e), CUZK_OK);
    assert_int_equal(read(reader, read_back, sizeof(read_back)), 5);
    assert_string_equal(read_back, "piped");
    close(reader);
}

static void descriptor_is_written_to_and_keeps_its_file(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct stat before, after;
    const int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "1", 1), 1);
    assert_int_equal(fstat(fd, &before), 0);
    for (unsigned i = 0; i < 3; i++) {
        char name[64], link[160];
        if (i == 2)
            snprintf(name, sizeof(name), "/proc/%d/fd/%d", getpid(), fd);
        else
            snprintf(name, sizeof(name), i == 0 ? "/dev/fd/%d" : "/proc/self/fd/%d", fd);
        snprintf(link, sizeof(link), "%s/link", folder); /* as /dev/stdout is one */
        assert_int_equal(symlink(name, link), 0);
        assert_int_equal(file_write_whole(name, "2", 1, &e), CUZK_OK);
        assert_int_equal(file_write_whole(link, "3", 1, &e), CUZK_OK);
        assert_int_equal(unlink(link), 0);
    }
    assert_int_equal(write(fd, "4", 1), 1);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    close(fd);
    holds(path, "12323234");
    assert_int_equal(entries(), 1);
}

static void long_names_are_refused_at_once(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct file_out *f;
    char name[64 + 1 + 256 + 1];
    const int at = snprintf(name, sizeof(name), "%s/", folder);
    memset(name + at, 'n', 256);
    name[at + 255] = '\0'; /* the longest there is */
    assert_int_equal(file_write_whole(name, "long", 4, &e), CUZK_OK);
    assert_int_equal(file_write_whole(name, "again", 5, &e), CUZK_OK);
    holds(name, "again");
    name[at + 255] = 'n';
    name[at + 256] = '\0';
    assert_int_equal(file_create(&f, name, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "too long"));
    assert_int_equal(entries(), 1);
}

/* In a child, which can give up root's rights for good. */
static void folder_without_rights_is_told_at_once(void **state)
{
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct cuzk_error e;
        struct file_out *f;
        if (chmod(folder, 0555) != 0 || (geteuid() == 0 && setuid(65534) != 0))
            _exit(2);
        _exit(file_create(&f, path, &e) == CUZK_ERR_IO && strstr(e.message, "denied") ? 0 : 1);
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    assert_int_equal(chmod(folder, 0700), 0);
}

static void prepared_file_is_known_and_has_no_name_yet(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct file_out *f;
    struct file_id id;
    struct file_map map;
    assert_int_equal(file_write_whole(path, "old", 3, &e), CUZK_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(file_create(&f, path, &e), CUZK_OK);
        assert_int_equal(file_write(f, "new", 3, &e), CUZK_OK);
        assert_int_equal(file_prepare(f, &id, &e), CUZK_OK);
        assert_int_equal(file_map(&map, path, 0, &e), CUZK_OK);
        assert_memory_equal(map.data, "old", 3);
        assert_false(file_map_is(&map, &id));
        file_unmap(&map);
        if (i == 0)
            file_abort(f);
        else
            assert_int_equal(file_commit(f, &e), CUZK_OK);
        assert_int_equal(entries(), 1);
    }
    assert_int_equal(file_map(&map, path, 0, &e), CUZK_OK);
    assert_memory_equal(map.data, "new", 3);
    assert_true(file_map_is(&map, &id));
    file_unmap(&map);
    assert_int_equal(file_write_whole(path, "new", 3, &e), CUZK_OK); /* the same, but another file */
    assert_int_equal(file_map(&map, path, 0, &e), CUZK_OK);
    assert_false(file_map_is(&map, &id));
    file_unmap(&map);
}

static void device_is_written_to_directly(void **state)
{
    (void)state;
    struct cuzk_error e;
    assert_int_equal(file_write_whole("/dev/null", "gone", 4, &e), CUZK_OK);
    struct stat st;
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(file_write_whole("/dev/full", "x", 1, &e), CUZK_ERR_IO);
        assert_non_null(strstr(e.message, "No space"));
    }
}

static void relative_names_work(void **state)
{
    (void)state;
    char before[512];
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(folder), 0);
    const cuzk_status status = file_write_whole("name", "here", 4, NULL);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(status, CUZK_OK);
    holds(path, "here");
}

/* A file size limit stands for a full disk; in a child, since the limit stays. */
static void full_disk_leaves_nothing(void **state)
{
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {1000, 1000};
        signal(SIGXFSZ, SIG_IGN);
        char bytes[2000] = {0};
        struct cuzk_error e;
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(77);
        _exit(file_write_whole(path, bytes, sizeof(bytes), &e) == CUZK_ERR_IO ? 0 : 1);
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    assert_int_equal(entries(), 0);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(map_shows_the_bytes),
        WITH_FOLDER(map_errors_are_told_apart),
        WITH_FOLDER(change_under_the_map_is_noticed),
        WITH_FOLDER(read_stops_at_the_limit),
        WITH_FOLDER(name_appears_at_commit),
        WITH_FOLDER(abort_leaves_nothing),
        WITH_FOLDER(names_that_cannot_be),
        WITH_FOLDER(symbolic_link_stays_and_its_target_is_replaced),
        WITH_FOLDER(dangling_link_names_the_file_to_make),
        WITH_FOLDER(replacing_follows_no_link),
        WITH_FOLDER(pipe_without_a_reader_is_told),
        WITH_FOLDER(descriptor_is_written_to_and_keeps_its_file),
        WITH_FOLDER(long_names_are_refused_at_once),
        WITH_FOLDER(folder_without_rights_is_told_at_once),
        WITH_FOLDER(prepared_file_is_known_and_has_no_name_yet),
        WITH_FOLDER(device_is_written_to_directly),
        WITH_FOLDER(relative_names_work),
        WITH_FOLDER(full_disk_leaves_nothing),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
