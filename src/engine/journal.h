/* engine/journal.h - what survives the process: accepted jobs with their payloads, proofs of partitions,
 * results. SQLite with a write-ahead log, flushed to the disk with each accepted job and each result; large
 * payloads are files in the folder spool/. Layout of a state folder: lock             held while an engine
 * uses the folder journal.sqlite   and SQLite's -wal and -shm; a journal that cannot be read becomes
 * journal.sqlite.bad-TIME spool/           JOB.payload, and what the daemon spools bundles/         what
 * failed, to be replayed (bundle.h) All functions are thread-safe. SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#ifndef ENGINE_JOURNAL_H
#define ENGINE_JOURNAL_H

#include "engine/engine.h"

struct journal;

struct journal_job { /* texts and bytes are borrowed */
    const char *job_id, *request_id;
    const uint8_t *digest; /* 32 bytes */
    enum engine_kind kind;
    enum engine_priority priority;
    uint64_t deadline_unix_ms, accepted_unix_ms;
    unsigned flags;
    const uint8_t *fields;
    size_t fields_size;
    const uint8_t *payload; /* NULL: in the file spool/JOB.payload */
    size_t payload_size;
};

/* *moved: room for the name that an unreadable journal was given; "" if there was none. CUZK_ERR_IO: the
 * folder cannot be made or is in use. */
cuzk_status journal_open(struct journal **out, const char *folder, char moved[CUZK_ERROR_MESSAGE_MAX],
                         struct cuzk_error *e) MUST_USE;
void journal_close(struct journal *j); /* NULL is fine */
const char *journal_spool(const struct journal *j);
const char *journal_folder(const struct journal *j);
uint64_t journal_bytes(const struct journal *j);

/* Make a job's payload file from pieces, or from a spooled file, on the disk when this returns. */
cuzk_status journal_payload_write(struct journal *j, const char *job_id, const struct engine_piece *pieces,
                                  size_t count, struct cuzk_error *e) MUST_USE;
cuzk_status journal_payload_take(struct journal *j, const char *job_id, const char *spooled,
                                 struct cuzk_error *e) MUST_USE;
void journal_payload_path(const struct journal *j, const char *job_id, char *out, size_t size);
void journal_payload_remove(struct journal *j, const char *job_id);

cuzk_status journal_accept(struct journal *j, const struct journal_job *job, struct cuzk_error *e) MUST_USE;
cuzk_status journal_partition(struct journal *j, const char *job_id, unsigned partition, const uint8_t *proof,
                              size_t size, struct cuzk_error *e) MUST_USE;
/* The job of this identity has ended as result says. */
cuzk_status journal_end(struct journal *j, const struct engine_result *result, const char *request_id,
                        const uint8_t digest[32], uint64_t ended_unix_ms, struct cuzk_error *e) MUST_USE;

/* Every job that has not ended, oldest first; and its proofs. A visitor that fails stops it. */
cuzk_status journal_pending(struct journal *j,
                            cuzk_status (*visit)(void *user, const struct journal_job *job,
                                                 struct cuzk_error *e),
                            void *user, struct cuzk_error *e) MUST_USE;
cuzk_status journal_partitions(struct journal *j, const char *job_id,
                               void (*visit)(void *user, unsigned partition, const uint8_t *proof,
                                             size_t size),
                               void *user, struct cuzk_error *e) MUST_USE;

/* An ended job: by its id, or the last completed one of an identity. Absent: *found is false. */
cuzk_status journal_result(struct journal *j, const char *job_id, struct engine_result *out, bool *found,
                           struct cuzk_error *e) MUST_USE;
cuzk_status journal_known(struct journal *j, const char *request_id, const uint8_t digest[32],
                          char job_id[ENGINE_JOB_ID], bool *found, struct cuzk_error *e) MUST_USE;

/* Forget jobs that ended before a moment, and the oldest beyond a number; give space back. */
cuzk_status journal_prune(struct journal *j, uint64_t before_unix_ms, uint64_t keep,
                          struct cuzk_error *e) MUST_USE;

/* Look whether the file is still there and still begins as one: a file that was deleted, replaced or
 * overwritten is broken, though SQLite may not have noticed yet. */
void journal_watch(struct journal *j);
/* Did SQLite find it corrupt while it was in use? Then all calls fail until it was moved aside and begun
 * anew: jobs not ended are to be accepted again by the caller. */
bool journal_is_broken(const struct journal *j);
cuzk_status journal_renew(struct journal *j, char moved[CUZK_ERROR_MESSAGE_MAX],
                          struct cuzk_error *e) MUST_USE;

#endif
