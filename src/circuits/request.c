/* circuits/request.c - what a proof is asked for, read from a file as the command line takes it.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/request.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "circuits/request_meta.h"

#define PATH_BYTES 4096

static const char META_SUFFIX[] = ".meta.json", C1_SUFFIX[] = ".c1.json";

/* ---- PoRep: the C1 ---- */

static cuzk_status c1_map_and_read(const struct exec *x, struct porep_c1 *out, const char *path,
                                   struct cuzk_error *e)
{
    struct file_map file;
    cuzk_status status = file_map(&file, path, POREP_C1_MAX, e);
    if (status != CUZK_OK)
        return status;
    file_map_advise(&file, FILE_SEQUENTIAL);
    status = porep_c1_read(x, out, file.data, file.size, e);
    if (status != CUZK_OK)
        status = error_prefix(e, status, "%s", path);
    else if ((status = file_map_unchanged(&file, path, e)) != CUZK_OK)
        porep_c1_free(out);
    file_unmap(&file);
    return status;
}

static cuzk_status check_same(const struct porep_c1 *c1, const struct request *q, const char *path,
                              struct cuzk_error *e)
{
    const struct porep_statement *s = &q->porep, *t = &c1->statement;
    const char *differs = NULL;
    if (t->params.registered_proof != s->params.registered_proof)
        differs = "registered_proof";
    else if (memcmp(t->comm_r, s->comm_r, 32) != 0)
        differs = "comm_r";
    else if (memcmp(t->comm_d, s->comm_d, 32) != 0)
        differs = "comm_d";
    else if (memcmp(t->ticket, s->ticket, 32) != 0)
        differs = "ticket";
    else if (memcmp(t->seed, s->seed, 32) != 0)
        differs = "seed";
    else if (c1->wrapped && c1->sector_number != q->sector)
        differs = "the sector's number";
    else if (memcmp(t->replica_id, s->replica_id, 32) != 0)
        differs = "replica_id";
    if (differs)
        return error_set(e, CUZK_ERR_MISMATCH, "%s: %s is not the request's", path, differs);
    return CUZK_OK;
}

static cuzk_status path_too_long(const char *path, struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_INPUT, "a path of %zu characters", strlen(path));
}

/* The C1 beside a request file. */
static cuzk_status read_c1_beside(const struct exec *x, struct request *q, const char *path,
                                  struct cuzk_error *e)
{
    char c1_path[PATH_BYTES];
    const size_t n = strlen(path), suffix = sizeof META_SUFFIX - 1;
    if (n < suffix || strcmp(path + n - suffix, META_SUFFIX) != 0)
        return error_set(e, CUZK_ERR_INPUT, "%s: the C1 is looked for beside a file named *%s", path,
                         META_SUFFIX);
    const int size = snprintf(c1_path, sizeof c1_path, "%.*s%s", (int)(n - suffix), path, C1_SUFFIX);
    if (size < 0 || (size_t)size >= sizeof c1_path)
        return path_too_long(path, e);
    cuzk_status status = c1_map_and_read(x, &q->c1, c1_path, e);
    return status == CUZK_OK ? check_same(&q->c1, q, c1_path, e) : status;
}

static cuzk_status read_c1_request(const struct exec *x, struct request *q, const struct file_map *file,
                                   bool need_witness, struct cuzk_error *e)
{
    const cuzk_status status = porep_c1_read(x, &q->c1, file->data, file->size, e);
    if (status != CUZK_OK)
        return status;
    q->kind = REQUEST_POREP;
    q->porep = q->c1.statement;
    q->sector = q->c1.sector_number;
    q->is_c1 = true;
    q->has_witness = need_witness;
    if (!need_witness)
        porep_c1_free(&q->c1);
    return CUZK_OK;
}

/* ---- PoSt and updates: files of vanilla proofs ---- */

static size_t vanilla_size(const struct request *q)
{
    return q->kind == REQUEST_POST ? post_proof_size(&q->post.params) : snap_proof_size(&q->snap.params);
}

static cuzk_status read_vanilla_file(const struct exec *x, struct request *q, size_t i, const char *path,
                                     struct cuzk_error *e)
{
    const size_t expected = vanilla_size(q);
    uint8_t *bytes;
    size_t size;
    cuzk_status status = file_read(&bytes, &size, path, expected, e);
    if (status != CUZK_OK)
        return status;
    if (size != expected)
        status = error_set(e, CUZK_ERR_INPUT, "%zu bytes where a vanilla proof of %s has %zu", size,
                           request_circuit_name(q), expected);
    else if (q->kind == REQUEST_POST)
        status = post_proof_read(x, &q->post_proofs[i], &q->arena, &q->post.params, bytes, size, e);
    else
        status = snap_proof_read(x, &q->snap_proofs[i], &q->arena, &q->snap.params, bytes, size, e);
    mem_free(bytes);
    return status == CUZK_OK ? status : error_prefix(e, status, "%s", path);
}

/* The files that stand beside the request file. */
static cuzk_status read_vanilla_files(const struct exec *x, struct request *q,
                                      const struct request_names *names, const char *path,
                                      struct cuzk_error *e)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char file[PATH_BYTES];
    if (q->kind == REQUEST_POST)
        q->post_proofs = arena_alloc(&q->arena, names->count, sizeof *q->post_proofs);
    else
        q->snap_proofs = arena_alloc(&q->arena, names->count, sizeof *q->snap_proofs);
    if (!q->post_proofs && !q->snap_proofs)
        return error_memory(e, names->count * sizeof *q->post_proofs, "the vanilla proofs");
    cuzk_status status = CUZK_OK;
    for (size_t i = 0; status == CUZK_OK && i < names->count; i++) {
        const int size = snprintf(file, sizeof file, "%.*s%s", (int)folder, path, names->name[i]);
        if (size < 0 || (size_t)size >= sizeof file)
            return path_too_long(path, e);
        exec_progress(x, "reading vanilla proofs", i, names->count);
        status = read_vanilla_file(x, q, i, file, e);
    }
    return status;
}

/* ---- all kinds ---- */

static cuzk_status read_witness(const struct exec *x, struct request *q, const struct request_names *names,
                                const char *path, struct cuzk_error *e)
{
    const cuzk_status status =
        q->kind == REQUEST_POREP ? read_c1_beside(x, q, path, e) : read_vanilla_files(x, q, names, path, e);
    q->has_witness = status == CUZK_OK;
    return status;
}

cuzk_status request_read(const struct exec *x, struct request *out, const char *path, bool need_witness,
                         struct cuzk_error *e)
{
    struct file_map file;
    struct request q = {.arena = {.budget = x->budget}};
    struct request_names names = {0};
    bool is_meta = false;
    cuzk_status status = file_map(&file, path, POREP_C1_MAX, e);
    if (status != CUZK_OK)
        return status;
    file_map_advise(&file, FILE_SEQUENTIAL);
    if (file.size <= REQUEST_META_MAX)
        status = request_meta_read(x, &q, &names, &is_meta, &file, e);
    if (status == CUZK_OK && !is_meta)
        status = read_c1_request(x, &q, &file, need_witness, e);
    if (status != CUZK_OK)
        status = error_prefix(e, status, "%s", path);
    else
        status = file_map_unchanged(&file, path, e);
    file_unmap(&file);
    if (status == CUZK_OK && is_meta && need_witness)
        status = read_witness(x, &q, &names, path, e);
    if (status == CUZK_OK)
        *out = q;
    else
        request_free(&q);
    return status;
}

void request_free(struct request *request)
{
    porep_c1_free(&request->c1);
    arena_free(&request->arena);
    *request = (struct request){0};
}

const char *request_circuit_name(const struct request *q)
{
    switch (q->kind) {
    case REQUEST_POST:
        return post_params_circuit(&q->post.params);
    case REQUEST_SNAP:
        return snap_params_circuit(&q->snap.params);
    default:
        return porep_params_circuit(&q->porep.params);
    }
}

const char *request_kind_text(const struct request *q)
{
    switch (q->kind) {
    case REQUEST_POST:
        return post_kind_text(&q->post.params);
    case REQUEST_SNAP:
        return snap_kind_text(&q->snap.params);
    default:
        return request_porep_kind(&q->porep.params);
    }
}

uint64_t request_sector_size(const struct request *q)
{
    switch (q->kind) {
    case REQUEST_POST:
        return q->post.params.sector_size;
    case REQUEST_SNAP:
        return q->snap.params.sector_size;
    default:
        return q->porep.params.sector_size;
    }
}

uint64_t request_registered_proof(const struct request *q)
{
    switch (q->kind) {
    case REQUEST_POST:
        return q->post.params.registered_proof;
    case REQUEST_SNAP:
        return q->snap.params.registered_proof;
    default:
        return q->porep.params.registered_proof;
    }
}

unsigned request_partitions(const struct request *q)
{
    switch (q->kind) {
    case REQUEST_POST:
        return (unsigned)post_partitions(&q->post);
    case REQUEST_SNAP:
        return q->snap.params.partitions;
    default:
        return q->porep.params.partitions;
    }
}

size_t request_public_count(const struct request *q)
{
    switch (q->kind) {
    case REQUEST_POST:
        return post_public_count(&q->post.params);
    case REQUEST_SNAP:
        return snap_public_count(&q->snap.params);
    default:
        return porep_public_count(&q->porep.params);
    }
}

cuzk_status request_public_inputs(const struct request *q, unsigned partition, fr *out, struct cuzk_error *e)
{
    switch (q->kind) {
    case REQUEST_POST:
        return post_public_inputs(&q->post, partition, out, e);
    case REQUEST_SNAP:
        return snap_public_inputs(&q->snap, partition, out, e);
    default:
        return porep_public_inputs(&q->porep, partition, out, e);
    }
}

/* ---- the vanilla proofs and the circuits they make ---- */

static cuzk_status need(const struct request *q, unsigned partition, struct cuzk_error *e)
{
    if (!q->has_witness)
        return error_set(e, CUZK_ERR_ARGUMENT, "the request was opened for its statement alone");
    if (partition >= request_partitions(q))
        return error_set(e, CUZK_ERR_ARGUMENT, "there is no partition %u: %s has %u, counted from 0",
                         partition, request_circuit_name(q), request_partitions(q));
    return CUZK_OK;
}

/* The partitions [first, end); what is cheap is always looked at in all of them. */
static cuzk_status check_c1(const struct exec *x, const struct poseidon_set *poseidon,
                            const struct request *q, unsigned first, unsigned end, struct cuzk_error *e)
{
    cuzk_status status = porep_c1_check(x, poseidon, &q->c1, e);
    for (unsigned k = first; status == CUZK_OK && k < end; k++)
        status = porep_c1_check_hashes(x, poseidon, &q->c1, k, e);
    return status;
}

cuzk_status request_check_partition(const struct exec *x, const struct poseidon_set *poseidon,
                                    const struct request *q, unsigned partition, struct cuzk_error *e)
{
    const cuzk_status status = need(q, partition, e);
    if (status != CUZK_OK)
        return status;
    switch (q->kind) {
    case REQUEST_POST:
        return post_check_partition(x, poseidon, &q->post, partition, q->post_proofs, e);
    case REQUEST_SNAP:
        return snap_check(x, poseidon, &q->snap, partition, &q->snap_proofs[partition], e);
    default:
        return check_c1(x, poseidon, q, partition, partition + 1, e);
    }
}

cuzk_status request_check(const struct exec *x, const struct poseidon_set *poseidon, const struct request *q,
                          struct cuzk_error *e)
{
    cuzk_status status = need(q, 0, e);
    if (status != CUZK_OK)
        return status;
    switch (q->kind) {
    case REQUEST_POST:
        return post_check(x, poseidon, &q->post, q->post_proofs, e);
    case REQUEST_SNAP:
        for (unsigned k = 0; status == CUZK_OK && k < q->snap.params.partitions; k++)
            status = snap_check(x, poseidon, &q->snap, k, &q->snap_proofs[k], e);
        return status;
    default:
        return check_c1(x, poseidon, q, 0, q->porep.params.partitions, e);
    }
}

cuzk_status request_circuit(struct any_circuit *out, const struct poseidon_set *poseidon,
                            const struct request *q, unsigned partition, struct cuzk_error *e)
{
    const cuzk_status status = need(q, partition, e);
    if (status != CUZK_OK)
        return status;
    switch (q->kind) {
    case REQUEST_POST:
        out->of.post = (struct post_circuit){.poseidon = poseidon,
                                             .params = &q->post.params,
                                             .statement = &q->post,
                                             .proofs = q->post_proofs,
                                             .partition = partition};
        out->circuit = post_circuit_of(&out->of.post);
        break;
    case REQUEST_SNAP:
        out->of.snap = (struct snap_circuit){.poseidon = poseidon,
                                             .params = &q->snap.params,
                                             .statement = &q->snap,
                                             .proof = &q->snap_proofs[partition],
                                             .partition = partition};
        out->circuit = snap_circuit_of(&out->of.snap);
        break;
    default:
        out->of.porep = (struct porep_circuit){
            .poseidon = poseidon, .params = &q->porep.params, .c1 = &q->c1, .partition = partition};
        out->circuit = porep_circuit_of(&out->of.porep);
    }
    return CUZK_OK;
}
