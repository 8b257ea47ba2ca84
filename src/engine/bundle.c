/* engine/bundle.c - what failed, kept to be replayed: bundles/JOB-PARTITION-TIME/ with payload (the request's
 * bytes, piece after piece), fields (fields.h) and about.json (what it was, on which device, the error).
 * Replayed, it is a job as the first one, without id and deadline.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "engine/internal.h"

#define ROOM (PATH_MAX + 512) /* for a folder of bundles and a name in it */

static cuzk_status write_about(const char *folder, const struct job *j, unsigned partition,
                               const char *device, const struct cuzk_error *fault, struct cuzk_error *e)
{
    const struct fields *f = &j->fields;
    char path[2 * ROOM];
    struct text t = {0};
    json_open(&t, NULL, '{');
    json_string(&t, "version", CUZK_VERSION);
    json_string(&t, "request_id", j->request_id);
    json_string(&t, "job_id", j->id);
    json_string(&t, "kind", engine_kind_name(j->kind));
    json_string(&t, "circuit", j->circuit);
    json_u64(&t, "partition", partition);
    json_string(&t, "device", device);
    json_string(&t, "status", status_name(fault->status));
    json_string(&t, "error", fault->message);
    json_u64(&t, "time_unix_ms", unix_ms());
    json_u64(&t, "sector_size", f->sector_size);
    json_u64(&t, "registered_proof", f->registered_proof);
    json_u64(&t, "sector_number", f->sector_number);
    json_u64(&t, "miner_id", f->miner_id);
    if (f->has_randomness)
        json_hex(&t, "randomness", f->randomness, 32);
    if (f->has_comms) {
        json_hex(&t, "comm_r_old", f->comm_r_old, 32);
        json_hex(&t, "comm_r_new", f->comm_r_new, 32);
        json_hex(&t, "comm_d_new", f->comm_d_new, 32);
    }
    json_open(&t, "pieces", '[');
    for (size_t i = 0; i < f->pieces; i++)
        json_u64(&t, NULL, f->piece[i]);
    json_close(&t, ']');
    json_close(&t, '}');
    snprintf(path, sizeof path, "%s/about.json", folder);
    const cuzk_status status =
        t.failed ? error_memory(e, t.capacity, "a bundle") : file_write_whole(path, t.data, t.size, e);
    text_free(&t);
    return status;
}

static cuzk_status write_bundle(const char *folder, const struct job *j, unsigned partition,
                                const char *device, const struct cuzk_error *fault, struct cuzk_error *e)
{
    char path[2 * ROOM];
    uint8_t *fields;
    size_t size;
    cuzk_status status = CUZK_OK;
    if (mkdir(folder, 0700) != 0)
        return error_errno(e, errno, "%s", folder);
    snprintf(path, sizeof path, "%s/payload", folder);
    if (j->payload)
        status = file_write_whole(path, j->payload, (size_t)j->payload_size, e);
    else if (j->payload_path && link(j->payload_path, path) != 0)
        status = error_errno(e, errno, "%s", path);
    if (status == CUZK_OK)
        status = fields_encode(&j->fields, &fields, &size, e);
    if (status != CUZK_OK)
        return status;
    snprintf(path, sizeof path, "%s/fields", folder);
    status = file_write_whole(path, fields, size, e);
    mem_free(fields);
    return status == CUZK_OK ? write_about(folder, j, partition, device, fault, e) : status;
}

static void remove_bundle(const char *folder)
{
    static const char *const names[] = {"payload", "fields", "about.json"};
    char path[2 * ROOM];
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* The oldest beyond `keep` go; how many there are is bounded, so looking for the oldest each time is cheap.
 */
static void prune(const char *all, unsigned keep)
{
    for (;;) {
        char oldest[NAME_MAX + 1] = "", path[ROOM];
        struct timespec age = {0};
        unsigned count = 0;
        DIR *dir = opendir(all);
        if (!dir)
            return;
        for (struct dirent *d; (d = readdir(dir)) != NULL;) {
            struct stat st;
            if (d->d_name[0] == '.' || fstatat(dirfd(dir), d->d_name, &st, 0) != 0)
                continue;
            count++;
            if (!oldest[0] || st.st_mtim.tv_sec < age.tv_sec ||
                (st.st_mtim.tv_sec == age.tv_sec && st.st_mtim.tv_nsec < age.tv_nsec)) {
                snprintf(oldest, sizeof oldest, "%s", d->d_name);
                age = st.st_mtim;
            }
        }
        closedir(dir);
        if (count <= keep)
            return;
        snprintf(path, sizeof path, "%s/%s", all, oldest);
        remove_bundle(path);
        if (access(path, F_OK) == 0)
            return; /* it will not go: somebody put a file of his own there */
    }
}

void bundle_keep(struct engine *g, const struct job *j, unsigned partition, const char *device,
                 const struct cuzk_error *e)
{
    char all[PATH_MAX + 16], folder[ROOM];
    struct cuzk_error fault = {0};
    if (!g->journal)
        return;
    snprintf(all, sizeof all, "%s/bundles", journal_folder(g->journal));
    if (mkdir(all, 0700) != 0 && errno != EEXIST)
        return;
    snprintf(folder, sizeof folder, "%s/%s-%u-%llu", all, j->id, partition, (unsigned long long)unix_ms());
    if (write_bundle(folder, j, partition, device, e, &fault) != CUZK_OK) {
        remove_bundle(folder);
        events_log(g->events, ENGINE_WARN, "job", "no bundle of %s could be kept: %s", j->id, fault.message);
        return;
    }
    events_log(g->events, ENGINE_INFO, "job", "what failed is kept in %s", folder);
    prune(all, g->keep_bundles);
}

/* ---- replay ---- */

#define FIELDS_MAX ((size_t)16 << 20)

static cuzk_status read_fields(struct fields *out, const char *folder, struct cuzk_error *e)
{
    char path[2 * ROOM];
    uint8_t *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/fields", folder);
    cuzk_status status = file_read(&bytes, &size, path, FIELDS_MAX, e);
    if (status != CUZK_OK)
        return status;
    status = fields_decode(out, bytes, size, e);
    mem_free(bytes);
    return status == CUZK_OK ? status : error_prefix(e, status, "%s", path);
}

static cuzk_status submit(struct engine *g, const struct fields *f, const uint8_t *payload,
                          struct engine_ticket *ticket, struct cuzk_error *e)
{
    struct engine_piece *pieces = mem_alloc(f->pieces, sizeof *pieces);
    if (!pieces)
        return error_memory(e, f->pieces * sizeof *pieces, "a request");
    for (size_t i = 0; i < f->pieces; i++) {
        pieces[i] = (struct engine_piece){payload, f->piece[i]};
        payload += f->piece[i];
    }
    const size_t comm = f->has_comms ? 32 : 0;
    const struct engine_submission s = {.request_id = "",
                                        .kind = f->kind,
                                        .sector_size = f->sector_size,
                                        .registered_proof = f->registered_proof,
                                        .pieces = pieces,
                                        .piece_count = f->pieces,
                                        .sector_number = f->sector_number,
                                        .miner_id = f->miner_id,
                                        .randomness = f->randomness,
                                        .randomness_size = f->has_randomness ? 32 : 0,
                                        .partition_index = f->partition_index,
                                        .comm_r_old = f->comm_r_old,
                                        .comm_r_new = f->comm_r_new,
                                        .comm_d_new = f->comm_d_new,
                                        .comm_r_old_size = comm,
                                        .comm_r_new_size = comm,
                                        .comm_d_new_size = comm};
    const cuzk_status status = engine_submit(g, &s, ticket, e);
    mem_free(pieces);
    return status;
}

cuzk_status engine_submit_bundle(struct engine *engine, const char *folder, struct engine_ticket *ticket,
                                 struct cuzk_error *e)
{
    struct fields f = {0};
    struct file_map payload = {0};
    char path[2 * ROOM];
    if (strlen(folder) >= PATH_MAX)
        return error_set(e, CUZK_ERR_ARGUMENT, "a path of %zu bytes", strlen(folder));
    cuzk_status status = read_fields(&f, folder, e);
    snprintf(path, sizeof path, "%s/payload", folder);
    if (status == CUZK_OK)
        status = file_map(&payload, path, 0, e);
    if (status == CUZK_OK && payload.size != fields_payload_size(&f))
        status = error_set(e, CUZK_ERR_INPUT, "%s has %zu bytes, its request has %llu", path, payload.size,
                           (unsigned long long)fields_payload_size(&f));
    if (status == CUZK_OK)
        status = submit(engine, &f, payload.data, ticket, e);
    file_unmap(&payload);
    fields_free(&f);
    return status;
}
