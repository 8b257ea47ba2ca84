/* engine/journal.c - what survives the process: the folder, its lock, opening and renewing the database.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "engine/internal.h"
#include "engine/journal_db.h"

#define USER_VERSION 1
#define BUSY_MS      5000
#define CHECKPOINT   "1000" /* pages of the log after which it is written back: it stays at a few MiB */

static const char SCHEMA[] =
    "CREATE TABLE IF NOT EXISTS job (id TEXT PRIMARY KEY, request TEXT NOT NULL, digest BLOB NOT NULL,"
    " kind INTEGER NOT NULL, priority INTEGER NOT NULL, deadline INTEGER NOT NULL, accepted INTEGER NOT NULL,"
    " flags INTEGER NOT NULL, fields BLOB NOT NULL, payload BLOB) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS part (id TEXT NOT NULL, number INTEGER NOT NULL, proof BLOB NOT NULL,"
    " PRIMARY KEY (id, number)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS result (id TEXT PRIMARY KEY, request TEXT NOT NULL, digest BLOB NOT NULL,"
    " kind INTEGER NOT NULL, state INTEGER NOT NULL, status INTEGER NOT NULL, retry INTEGER NOT NULL,"
    " message TEXT NOT NULL, proof BLOB, queue_ms INTEGER, srs_ms INTEGER, synthesis_ms INTEGER,"
    " device_ms INTEGER, total_ms INTEGER, ended INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS result_identity ON result (request, digest);"
    "CREATE INDEX IF NOT EXISTS result_ended ON result (ended);";

static bool corrupt(int code)
{
    code &= 0xff;
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

cuzk_status journal_fault(struct journal *j, int code, const char *what, struct cuzk_error *e)
{
    if (corrupt(code))
        __atomic_store_n(&j->broken, true, __ATOMIC_RELAXED);
    if ((code & 0xff) == SQLITE_FULL)
        return error_set(e, CUZK_ERR_IO, "the journal in %s cannot %s: the disk is full", j->folder, what);
    return error_set(e, CUZK_ERR_IO, "the journal in %s cannot %s: %s", j->folder, what,
                     j->db ? sqlite3_errmsg(j->db) : sqlite3_errstr(code));
}

static int run(struct journal *j, const char *sql)
{
    return sqlite3_exec(j->db, sql, NULL, NULL, NULL);
}

static int user_version(struct journal *j, int *version)
{
    sqlite3_stmt *s;
    int code = sqlite3_prepare_v2(j->db, "PRAGMA user_version", -1, &s, NULL);
    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(s);
    *version = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

/* A page that cannot be read is better known now than in the middle of the work. */
static int quick_check(struct journal *j)
{
    sqlite3_stmt *s;
    int code = sqlite3_prepare_v2(j->db, "PRAGMA quick_check(1)", -1, &s, NULL);
    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(s);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
    const bool fine = text && strcmp(text, "ok") == 0;
    sqlite3_finalize(s);
    return fine ? SQLITE_OK : code == SQLITE_ROW ? SQLITE_CORRUPT : code;
}

static int open_db(struct journal *j)
{
    int version = 0;
    int code = sqlite3_open_v2(j->path, &j->db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK)
        return code;
    sqlite3_extended_result_codes(j->db, 1);
    sqlite3_busy_timeout(j->db, BUSY_MS);
    code = run(j, "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                  "PRAGMA wal_autocheckpoint=" CHECKPOINT "; PRAGMA cell_size_check=ON;");
    if (code == SQLITE_OK)
        code = quick_check(j);
    if (code == SQLITE_OK)
        code = user_version(j, &version);
    if (code == SQLITE_OK && version != 0 && version != USER_VERSION)
        return SQLITE_NOTADB; /* another program's, or of a version that this one does not know */
    if (code == SQLITE_OK)
        code = run(j, SCHEMA);
    if (code == SQLITE_OK && version == 0)
        code = run(j, "PRAGMA user_version=1");
    return code;
}

static void close_db(struct journal *j)
{
    sqlite3_close_v2(j->db);
    j->db = NULL;
}

/* journal.sqlite and what belongs to it get another name. */
static void move_aside(struct journal *j, char moved[CUZK_ERROR_MESSAGE_MAX])
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    const unsigned long long now = unix_ms();
    char from[PATH_MAX + 16], to[PATH_MAX + 64];
    for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
        snprintf(from, sizeof from, "%s%s", j->path, suffixes[i]);
        snprintf(to, sizeof to, "%s.bad-%llu%s", j->path, now, suffixes[i]);
        (void)rename(from, to); /* a file that is not there needs no new name */
    }
    snprintf(moved, CUZK_ERROR_MESSAGE_MAX, "journal.sqlite.bad-%llu", now);
}

#define SQLITE_LEAST_PAGE 512

/* Are there jobs beside a journal without a first page? SQLite would take it for a new one. */
static bool is_beheaded(const struct journal *j)
{
    char wal[PATH_MAX + 16];
    struct stat st;
    bool jobs = false;
    if (stat(j->path, &st) != 0 || st.st_size >= SQLITE_LEAST_PAGE)
        return false;
    snprintf(wal, sizeof wal, "%s-wal", j->path);
    jobs = stat(wal, &st) == 0 && st.st_size > 0;
    DIR *dir = opendir(j->spool);
    for (struct dirent *d; dir && !jobs && (d = readdir(dir)) != NULL;)
        jobs = d->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return jobs;
}

static cuzk_status open_or_begin_anew(struct journal *j, char moved[CUZK_ERROR_MESSAGE_MAX],
                                      struct cuzk_error *e)
{
    moved[0] = '\0';
    int code = is_beheaded(j) ? SQLITE_CORRUPT : open_db(j);
    if (corrupt(code)) {
        close_db(j);
        move_aside(j, moved);
        code = open_db(j);
    }
    if (code == SQLITE_OK) {
        struct stat st = {0};
        (void)stat(j->path, &st); /* failing that, journal_watch will find it missing */
        j->device = (uint64_t)st.st_dev;
        j->inode = (uint64_t)st.st_ino;
        __atomic_store_n(&j->broken, false, __ATOMIC_RELAXED);
        return CUZK_OK;
    }
    const cuzk_status status = journal_fault(j, code, "be opened", e);
    close_db(j);
    return status;
}

/* ---- the folder ---- */

static cuzk_status make_folder(const char *path, struct cuzk_error *e)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return error_errno(e, errno, "the folder %s cannot be made", path);
    return CUZK_OK;
}

static cuzk_status take_lock(struct journal *j, struct cuzk_error *e)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/lock", j->folder);
    j->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (j->lock_fd < 0)
        return error_errno(e, errno, "%s", path);
    if (flock(j->lock_fd, LOCK_EX | LOCK_NB) != 0)
        return error_set(e, CUZK_ERR_IO,
                         "the state folder %s is in use by another process: is a cuzk-daemon running?",
                         j->folder);
    return CUZK_OK;
}

/* Is NAME the payload of a job that has not ended? */
static bool is_needed(struct journal *j, const char *name)
{
    char id[ENGINE_JOB_ID];
    const char *dot = strchr(name, '.');
    if (!dot || strcmp(dot, ".payload") != 0 || (size_t)(dot - name) >= sizeof id)
        return false;
    memcpy(id, name, (size_t)(dot - name));
    id[dot - name] = '\0';
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(j->db, "SELECT 1 FROM job WHERE id=?", -1, &s, NULL) != SQLITE_OK)
        return true;
    sqlite3_bind_text(s, 1, id, -1, SQLITE_STATIC);
    const int code = sqlite3_step(s);
    sqlite3_finalize(s);
    return code != SQLITE_DONE;
}

/* Files in the spool that nothing refers to were left by a process that was killed. */
static void clear_spool(struct journal *j)
{
    DIR *dir = opendir(j->spool);
    if (!dir)
        return;
    for (struct dirent *d; (d = readdir(dir)) != NULL;)
        if (d->d_name[0] != '.' && !is_needed(j, d->d_name))
            unlinkat(dirfd(dir), d->d_name, 0);
    closedir(dir);
}

cuzk_status journal_open(struct journal **out, const char *folder, char moved[CUZK_ERROR_MESSAGE_MAX],
                         struct cuzk_error *e)
{
    if (strlen(folder) > PATH_MAX - 128)
        return error_set(e, CUZK_ERR_ARGUMENT, "the state folder's name is too long");
    struct journal *j = mem_alloc(1, sizeof *j);
    if (!j)
        return error_memory(e, sizeof *j, "the journal");
    pthread_mutex_init(&j->lock, NULL);
    j->lock_fd = -1;
    snprintf(j->folder, sizeof j->folder, "%s", folder);
    snprintf(j->path, sizeof j->path, "%s/journal.sqlite", folder);
    snprintf(j->spool, sizeof j->spool, "%s/spool", folder);
    cuzk_status status = make_folder(j->folder, e);
    if (status == CUZK_OK)
        status = take_lock(j, e);
    if (status == CUZK_OK)
        status = make_folder(j->spool, e);
    if (status == CUZK_OK)
        status = open_or_begin_anew(j, moved, e);
    if (status != CUZK_OK) {
        journal_close(j);
        return status;
    }
    if (!moved[0]) /* else the payloads of the jobs in the bad journal may still be of use */
        clear_spool(j);
    *out = j;
    return CUZK_OK;
}

void journal_close(struct journal *j)
{
    if (!j)
        return;
    close_db(j);
    if (j->lock_fd >= 0)
        close(j->lock_fd);
    pthread_mutex_destroy(&j->lock);
    mem_free(j);
}

const char *journal_spool(const struct journal *j)
{
    return j->spool;
}

const char *journal_folder(const struct journal *j)
{
    return j->folder;
}

uint64_t journal_bytes(const struct journal *j)
{
    static const char *const suffixes[] = {"", "-wal"};
    uint64_t total = 0;
    for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
        char path[PATH_MAX + 32];
        struct stat st;
        snprintf(path, sizeof path, "%s%s", j->path, suffixes[i]);
        if (stat(path, &st) == 0)
            total += (uint64_t)st.st_size;
    }
    return total;
}

/* The file is read by SQLite's own descriptor: to close another one would take away the locks that it holds.
 */
static bool begins_as_one(struct journal *j)
{
    static const char magic[16] = "SQLite format 3";
    char begin[16];
    sqlite3_file *file = NULL;
    if (!j->db || sqlite3_file_control(j->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        !file || !file->pMethods)
        return true; /* it could not be told */
    const int code = file->pMethods->xRead(file, begin, sizeof begin, 0);
    return code == SQLITE_OK ? memcmp(begin, magic, sizeof magic) == 0 : code != SQLITE_IOERR_SHORT_READ;
}

void journal_watch(struct journal *j)
{
    struct stat st;
    pthread_mutex_lock(&j->lock);
    const int failed = stat(j->path, &st) == 0 ? 0 : errno;
    const bool gone =
        failed ? failed == ENOENT : (uint64_t)st.st_dev != j->device || (uint64_t)st.st_ino != j->inode;
    if (gone || !begins_as_one(j))
        __atomic_store_n(&j->broken, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&j->lock);
}

bool journal_is_broken(const struct journal *j)
{
    return __atomic_load_n(&j->broken, __ATOMIC_RELAXED);
}

cuzk_status journal_renew(struct journal *j, char moved[CUZK_ERROR_MESSAGE_MAX], struct cuzk_error *e)
{
    pthread_mutex_lock(&j->lock);
    close_db(j);
    move_aside(j, moved);
    char again[CUZK_ERROR_MESSAGE_MAX];
    const cuzk_status status = open_or_begin_anew(j, again, e);
    pthread_mutex_unlock(&j->lock);
    return status;
}
