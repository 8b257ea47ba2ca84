/* engine/journal_db.h - the journal's insides. Private to journal*.c.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_JOURNAL_DB_H
#define ENGINE_JOURNAL_DB_H

#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>

#include "engine/journal.h"

struct journal {
    pthread_mutex_t lock; /* of the database */
    sqlite3 *db;          /* NULL when a renewal failed */
    bool broken;
    int lock_fd;
    uint64_t device, inode; /* of the file that is open */
    char folder[PATH_MAX], path[PATH_MAX], spool[PATH_MAX];
};

/* The error of a call of SQLite: "the journal cannot WHAT: ...". With the lock. */
cuzk_status journal_fault(struct journal *j, int code, const char *what, struct cuzk_error *e) MUST_USE;

#endif
