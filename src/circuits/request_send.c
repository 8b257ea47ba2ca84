/* circuits/request_send.c - what a client sends to have a request file proved.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/request_send.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "circuits/request_meta.h"

#define PATH_BYTES 4096

static const char META_SUFFIX[] = ".meta.json", C1_SUFFIX[] = ".c1.json";

static cuzk_status path_too_long(const char *path, struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_INPUT, "a path of %zu characters", strlen(path));
}

static cuzk_status room_for(struct request_send *s, size_t count, struct cuzk_error *e)
{
    s->files = arena_alloc(&s->arena, count, sizeof *s->files);
    s->pieces = arena_alloc(&s->arena, count, sizeof *s->pieces);
    return s->files && s->pieces ? CUZK_OK : error_memory(e, count * sizeof *s->files, "the request");
}

static cuzk_status add_file(struct request_send *s, const char *path, struct cuzk_error *e)
{
    struct file_map *file = &s->files[s->count];
    const cuzk_status status = file_map(file, path, POREP_C1_MAX, e);
    if (status != CUZK_OK)
        return status;
    s->pieces[s->count++] = (struct request_wire_bytes){file->data, file->size};
    return CUZK_OK;
}

static cuzk_status add_c1(struct request_send *s, const char *path, struct cuzk_error *e)
{
    char file[PATH_BYTES];
    const size_t n = strlen(path), suffix = sizeof META_SUFFIX - 1;
    cuzk_status status = room_for(s, 1, e);
    if (status != CUZK_OK || s->request.is_c1)
        return status == CUZK_OK ? add_file(s, path, e) : status;
    if (n < suffix || strcmp(path + n - suffix, META_SUFFIX) != 0)
        return error_set(e, CUZK_ERR_INPUT, "%s: the C1 is looked for beside a file named *%s", path,
                         META_SUFFIX);
    const int size = snprintf(file, sizeof file, "%.*s%s", (int)(n - suffix), path, C1_SUFFIX);
    return size > 0 && (size_t)size < sizeof file ? add_file(s, file, e) : path_too_long(path, e);
}

static cuzk_status add_named(struct request_send *s, const struct request_names *names, const char *path,
                             struct cuzk_error *e)
{
    char file[PATH_BYTES];
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    cuzk_status status = room_for(s, names->count, e);
    for (size_t i = 0; status == CUZK_OK && i < names->count; i++) {
        const int size = snprintf(file, sizeof file, "%.*s%s", folder, path, names->name[i]);
        status = size > 0 && (size_t)size < sizeof file ? add_file(s, file, e) : path_too_long(path, e);
    }
    return status;
}

/* The files of vanilla proofs stand in the request file, and not in its statement. */
static cuzk_status add_vanilla(const struct exec *x, struct request_send *s, const char *path,
                               struct cuzk_error *e)
{
    struct file_map file;
    struct request again = {.arena = {.budget = x->budget}};
    struct request_names names = {0};
    bool found = false;
    cuzk_status status = file_map(&file, path, REQUEST_META_MAX, e);
    if (status != CUZK_OK)
        return status;
    status = request_meta_read(x, &again, &names, &found, &file, e);
    file_unmap(&file);
    if (status == CUZK_OK && !found)
        status = error_set(e, CUZK_ERR_INPUT, "%s is no request file any more", path);
    if (status == CUZK_OK)
        status = add_named(s, &names, path, e);
    request_free(&again);
    return status;
}

cuzk_status request_send_open(const struct exec *x, struct request_send *out, const char *path,
                              struct cuzk_error *e)
{
    struct request_send s = {.arena = {.budget = x->budget}};
    cuzk_status status = request_read(x, &s.request, path, false, e);
    if (status == CUZK_OK)
        status = s.request.kind == REQUEST_POREP ? add_c1(&s, path, e) : add_vanilla(x, &s, path, e);
    if (status == CUZK_OK && s.request.kind == REQUEST_POST && s.count != s.request.post.sector_count)
        status = error_set(e, CUZK_ERR_INPUT, "%s was changed while it was read", path);
    if (status == CUZK_OK)
        *out = s;
    else
        request_send_close(&s);
    return status;
}

void request_send_close(struct request_send *s)
{
    for (size_t i = 0; i < s->count; i++)
        file_unmap(&s->files[i]);
    request_free(&s->request);
    arena_free(&s->arena);
    *s = (struct request_send){0};
}

static bool is_window(const struct request_send *s)
{
    return s->request.kind == REQUEST_POST && s->request.post.params.kind == POST_WINDOW;
}

unsigned request_send_count(const struct request_send *s)
{
    return is_window(s) ? request_partitions(&s->request) : 1;
}

void request_send_get(const struct request_send *s, unsigned i, struct request_wire *out)
{
    const struct request *q = &s->request;
    struct request_wire w = {.sector_size = request_sector_size(q),
                             .registered_proof = request_registered_proof(q),
                             .sector_number = q->sector,
                             .miner_id = q->miner,
                             .pieces = s->pieces,
                             .piece_count = s->count};
    switch (q->kind) {
    case REQUEST_POST:
        w.kind = is_window(s) ? REQUEST_WIRE_WINDOW : REQUEST_WIRE_WINNING;
        w.randomness = (struct request_wire_bytes){q->post.randomness, 32};
        if (is_window(s)) {
            const size_t places = q->post.params.places, first = i * places;
            w.partition_index = i;
            w.pieces += first;
            w.piece_count = s->count - first < places ? s->count - first : places;
        }
        break;
    case REQUEST_SNAP:
        w.kind = REQUEST_WIRE_SNAP;
        w.comm_r_old = (struct request_wire_bytes){q->snap.comm_r_old, 32};
        w.comm_r_new = (struct request_wire_bytes){q->snap.comm_r_new, 32};
        w.comm_d_new = (struct request_wire_bytes){q->snap.comm_d_new, 32};
        break;
    default:
        w.kind = REQUEST_WIRE_POREP;
    }
    *out = w;
}
