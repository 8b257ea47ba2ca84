/* circuits/request_wire.c - what a proof is asked for, from the fields of a SubmitProofRequest.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/request_wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define COMMITMENT_BYTES 32

/* ---- fields ---- */

static cuzk_status take32(uint8_t out[32], const struct request_wire_bytes *bytes, const char *name,
                          struct cuzk_error *e)
{
    fr element;
    if (bytes->size != COMMITMENT_BYTES)
        return error_set(e, CUZK_ERR_ARGUMENT, "%s: %zu bytes instead of %d", name, bytes->size,
                         COMMITMENT_BYTES);
    if (!fr_read_le(&element, bytes->data))
        return error_set(e, CUZK_ERR_ARGUMENT, "%s: not below the field's modulus", name);
    memcpy(out, bytes->data, COMMITMENT_BYTES);
    return CUZK_OK;
}

static cuzk_status refuse_unused(const struct request_wire_bytes *bytes, const char *name,
                                 struct cuzk_error *e)
{
    if (bytes->size > 0)
        return error_set(e, CUZK_ERR_ARGUMENT, "%s: not a field of this kind of proof", name);
    return CUZK_OK;
}

static cuzk_status refuse_commitments(const struct request_wire *w, struct cuzk_error *e)
{
    cuzk_status status = refuse_unused(&w->comm_r_old, "comm_r_old", e);
    if (status == CUZK_OK)
        status = refuse_unused(&w->comm_r_new, "comm_r_new", e);
    return status == CUZK_OK ? refuse_unused(&w->comm_d_new, "comm_d_new", e) : status;
}

/* A number that no registered proof has is the caller's mistake, not malformed input. */
static cuzk_status bad_number(cuzk_status status, struct cuzk_error *e)
{
    if (status == CUZK_ERR_INPUT) {
        status = CUZK_ERR_ARGUMENT;
        if (e)
            e->status = status;
    }
    return status == CUZK_OK ? status : error_prefix(e, status, "registered_proof");
}

static cuzk_status check_size(const struct request_wire *w, uint64_t size, struct cuzk_error *e)
{
    if (w->sector_size != 0 && w->sector_size != size)
        return error_set(e, CUZK_ERR_ARGUMENT,
                         "sector_size: %" PRIu64 ", but registered proof %" PRIu64
                         " is for sectors of %" PRIu64 " bytes",
                         w->sector_size, w->registered_proof, size);
    return CUZK_OK;
}

static cuzk_status check_records(const struct request_wire *w, size_t record, struct cuzk_error *e)
{
    for (size_t i = 0; i < w->piece_count; i++)
        if (w->pieces[i].size != record)
            return error_set(e, CUZK_ERR_INPUT, "vanilla_proofs[%zu]: %zu bytes where there must be %zu", i,
                             w->pieces[i].size, record);
    return CUZK_OK;
}

/* ---- statements: all but what only the pieces tell ---- */

/* Is registered_proof 0 a missing one: is sector_size given, and another than number 0 is for? */
static bool lacks_number(const struct request_wire *w, uint64_t size_of_zero)
{
    return w->registered_proof == 0 && w->sector_size != 0 && w->sector_size != size_of_zero;
}

static cuzk_status no_size(const struct request_wire *w, struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_ARGUMENT, "sector_size: there are no sectors of %" PRIu64 " bytes",
                     w->sector_size);
}

/* *exact: registered_proof was given. */
static cuzk_status porep_params_of(struct porep_params *p, bool *exact, const struct request_wire *w,
                                   struct cuzk_error *e)
{
    cuzk_status status = bad_number(porep_params_for_number(p, w->registered_proof, e), e);
    *exact = true;
    if (status == CUZK_OK && lacks_number(w, p->sector_size)) {
        *exact = false;
        if (porep_params_for_size(p, w->sector_size, NULL) != CUZK_OK)
            return no_size(w, e);
    }
    return status == CUZK_OK ? check_size(w, p->sector_size, e) : status;
}

static cuzk_status porep_head(struct request *q, bool *exact, const struct request_wire *w,
                              struct cuzk_error *e)
{
    cuzk_status status = porep_params_of(&q->porep.params, exact, w, e);
    if (status == CUZK_OK)
        status = refuse_commitments(w, e);
    if (status == CUZK_OK)
        status = refuse_unused(&w->randomness, "randomness", e);
    if (status != CUZK_OK)
        return status;
    if (w->piece_count != 1 || w->pieces[0].size == 0)
        return error_set(e, CUZK_ERR_INPUT, "vanilla_proof: no C1 output");
    if (w->pieces[0].size > POREP_C1_MAX)
        return error_set(e, CUZK_ERR_INPUT, "vanilla_proof: %zu bytes, above %zu", w->pieces[0].size,
                         POREP_C1_MAX);
    q->kind = REQUEST_POREP;
    return CUZK_OK;
}

static cuzk_status snap_params_of(struct snap_params *p, const struct request_wire *w, struct cuzk_error *e)
{
    const cuzk_status status = bad_number(snap_params_for_number(p, w->registered_proof, SNAP_SHA256, e), e);
    const char *name;
    uint64_t size;
    if (status != CUZK_OK || !lacks_number(w, p->sector_size))
        return status == CUZK_OK ? check_size(w, p->sector_size, e) : status;
    for (size_t i = 0; (name = snap_circuit_name(i, &size)) != NULL; i++)
        if (size == w->sector_size) /* SHA-256 comes first */
            return snap_params_for_circuit(p, name, e);
    return no_size(w, e);
}

/* By size: the proofs of today. */
static cuzk_status post_params_of(struct post_params *p, enum post_kind kind, const struct request_wire *w,
                                  struct cuzk_error *e)
{
    const cuzk_status status = bad_number(post_params_for_number(p, w->registered_proof, e), e);
    const char *name;
    uint64_t size;
    if (status != CUZK_OK)
        return status;
    if (w->registered_proof == 0 && w->sector_size != 0) {
        for (size_t i = 0; (name = post_circuit_name(i, &size)) != NULL; i++)
            if (size == w->sector_size && post_params_for_circuit(p, name, NULL) == CUZK_OK &&
                p->kind == kind)
                return CUZK_OK;
        return no_size(w, e);
    }
    if (p->kind != kind)
        return error_set(e, CUZK_ERR_ARGUMENT,
                         "registered_proof: %" PRIu64 " is a %s proof, proof_kind says %s",
                         w->registered_proof, kind == POST_WINDOW ? "winning" : "window",
                         kind == POST_WINDOW ? "window" : "winning");
    return check_size(w, p->sector_size, e);
}

static cuzk_status snap_head(struct request *q, const struct request_wire *w, struct cuzk_error *e)
{
    struct snap_statement *s = &q->snap;
    cuzk_status status = snap_params_of(&s->params, w, e);
    if (status == CUZK_OK)
        status = refuse_unused(&w->randomness, "randomness", e);
    if (status == CUZK_OK)
        status = take32(s->comm_r_old, &w->comm_r_old, "comm_r_old", e);
    if (status == CUZK_OK)
        status = take32(s->comm_r_new, &w->comm_r_new, "comm_r_new", e);
    if (status == CUZK_OK)
        status = take32(s->comm_d_new, &w->comm_d_new, "comm_d_new", e);
    if (status != CUZK_OK)
        return status;
    if (w->piece_count != s->params.partitions)
        return error_set(e, CUZK_ERR_INPUT, "vanilla_proofs: %zu records for %u partitions", w->piece_count,
                         s->params.partitions);
    q->kind = REQUEST_SNAP;
    return check_records(w, snap_proof_size(&s->params), e);
}

static cuzk_status post_head(struct request *q, const struct request_wire *w, struct cuzk_error *e)
{
    struct post_statement *s = &q->post;
    const enum post_kind kind = w->kind == REQUEST_WIRE_WINNING ? POST_WINNING : POST_WINDOW;
    cuzk_status status = post_params_of(&s->params, kind, w, e);
    if (status == CUZK_OK)
        status = refuse_commitments(w, e);
    if (status == CUZK_OK)
        status = take32(s->randomness, &w->randomness, "randomness", e);
    if (status != CUZK_OK)
        return status;
    const size_t most = kind == POST_WINNING ? 1 : s->params.places;
    if (w->piece_count == 0 || w->piece_count > most)
        return error_set(e, CUZK_ERR_INPUT, "vanilla_proofs: %zu records; a %s has 1 to %zu", w->piece_count,
                         kind == POST_WINNING ? "winning proof" : "window proof's partition", most);
    q->kind = REQUEST_POST;
    return check_records(w, post_proof_size(&s->params), e);
}

static cuzk_status read_head(struct request *q, bool *exact, const struct request_wire *w,
                             struct cuzk_error *e)
{
    *exact = true;
    switch (w->kind) {
    case REQUEST_WIRE_POREP:
        return porep_head(q, exact, w, e);
    case REQUEST_WIRE_SNAP:
        return snap_head(q, w, e);
    case REQUEST_WIRE_WINDOW:
    case REQUEST_WIRE_WINNING:
        return post_head(q, w, e);
    default:
        return error_set(e, CUZK_ERR_ARGUMENT, "proof_kind: %" PRIu32 " is not a kind of proof", w->kind);
    }
}

cuzk_status request_wire_check(struct request_wire_shape *out, const struct request_wire *w,
                               struct cuzk_error *e)
{
    struct request q = {0};
    bool exact;
    const cuzk_status status = read_head(&q, &exact, w, e);
    if (status != CUZK_OK)
        return status;
    *out = (struct request_wire_shape){.kind = q.kind,
                                       .circuit = request_circuit_name(&q),
                                       .sector_size = request_sector_size(&q),
                                       .partitions = q.kind == REQUEST_POST ? 1 : request_partitions(&q),
                                       .record_size = q.kind == REQUEST_POREP ? 0 : w->pieces[0].size};
    return CUZK_OK;
}

/* ---- pieces ---- */

static cuzk_status check_c1(const struct porep_c1 *c1, const struct porep_params *p, bool exact,
                            const struct request_wire *w, struct cuzk_error *e)
{
    const struct porep_statement *s = &c1->statement;
    uint8_t prover[32], replica[32];
    if (exact && s->params.registered_proof != p->registered_proof)
        return error_set(e, CUZK_ERR_MISMATCH,
                         "registered_proof: %" PRIu64 ", but the C1 is of registered proof %" PRIu64,
                         p->registered_proof, s->params.registered_proof);
    if (s->params.sector_size != p->sector_size)
        return error_set(e, CUZK_ERR_MISMATCH,
                         "sector_size: %" PRIu64 ", but the C1 is of a sector of %" PRIu64, p->sector_size,
                         s->params.sector_size);
    if (c1->wrapped && c1->sector_number != w->sector_number)
        return error_set(e, CUZK_ERR_MISMATCH,
                         "sector_number: %" PRIu64 ", but the C1 says SectorNum %" PRIu64, w->sector_number,
                         c1->sector_number);
    if (w->miner_id == 0)
        return CUZK_OK;
    porep_prover_id(prover, w->miner_id);
    porep_replica_id(replica, &s->params, prover, w->sector_number, s->ticket, s->comm_d);
    if (memcmp(replica, s->replica_id, sizeof replica) != 0)
        return error_set(e, CUZK_ERR_MISMATCH,
                         "vanilla_proof: the replica id in the C1 is not that of miner %" PRIu64
                         " and sector %" PRIu64,
                         w->miner_id, w->sector_number);
    return CUZK_OK;
}

static cuzk_status porep_pieces(const struct exec *x, struct request *q, bool exact,
                                const struct request_wire *w, struct cuzk_error *e)
{
    cuzk_status status = porep_c1_read(x, &q->c1, w->pieces[0].data, w->pieces[0].size, e);
    if (status != CUZK_OK)
        return error_prefix(e, status, "vanilla_proof");
    status = check_c1(&q->c1, &q->porep.params, exact, w, e);
    if (status == CUZK_OK)
        q->porep = q->c1.statement;
    return status;
}

static cuzk_status snap_pieces(const struct exec *x, struct request *q, const struct request_wire *w,
                               struct cuzk_error *e)
{
    q->snap_proofs = arena_alloc(&q->arena, w->piece_count, sizeof *q->snap_proofs);
    if (!q->snap_proofs)
        return error_memory(e, w->piece_count * sizeof *q->snap_proofs, "the vanilla proofs");
    for (size_t i = 0; i < w->piece_count; i++) {
        exec_progress(x, "reading vanilla proofs", i, w->piece_count);
        const cuzk_status status = snap_proof_read(x, &q->snap_proofs[i], &q->arena, &q->snap.params,
                                                   w->pieces[i].data, w->pieces[i].size, e);
        if (status != CUZK_OK)
            return error_prefix(e, status, "vanilla_proofs[%zu]", i);
    }
    return CUZK_OK;
}

static int by_sector(const void *a, const void *b)
{
    const struct post_proof *p = a, *q = b;
    return (p->sector_id > q->sector_id) - (p->sector_id < q->sector_id);
}

static cuzk_status post_pieces(const struct exec *x, struct request *q, const struct request_wire *w,
                               struct cuzk_error *e)
{
    struct post_statement *s = &q->post;
    struct post_sector *sectors = arena_alloc(&q->arena, w->piece_count, sizeof *sectors);
    q->post_proofs = arena_alloc(&q->arena, w->piece_count, sizeof *q->post_proofs);
    if (!sectors || !q->post_proofs)
        return error_memory(e, w->piece_count * sizeof *q->post_proofs, "the vanilla proofs");
    for (size_t i = 0; i < w->piece_count; i++) {
        exec_progress(x, "reading vanilla proofs", i, w->piece_count);
        const cuzk_status status = post_proof_read(x, &q->post_proofs[i], &q->arena, &s->params,
                                                   w->pieces[i].data, w->pieces[i].size, e);
        if (status != CUZK_OK)
            return error_prefix(e, status, "vanilla_proofs[%zu]", i);
    }
    qsort(q->post_proofs, w->piece_count, sizeof *q->post_proofs, by_sector);
    for (size_t i = 0; i < w->piece_count; i++) {
        sectors[i].id = q->post_proofs[i].sector_id;
        memcpy(sectors[i].comm_r, q->post_proofs[i].comm_r, sizeof sectors[i].comm_r);
    }
    s->sectors = sectors;
    s->sector_count = w->piece_count;
    s->first_index = w->kind == REQUEST_WIRE_WINDOW ? (uint64_t)w->partition_index * s->params.places : 0;
    const cuzk_status status = post_statement_check(s, e);
    return status == CUZK_OK ? status : error_prefix(e, status, "vanilla_proofs");
}

cuzk_status request_wire_read(const struct exec *x, struct request *out, const struct request_wire *w,
                              struct cuzk_error *e)
{
    struct request q = {.arena = {.budget = x->budget}};
    bool exact;
    cuzk_status status = read_head(&q, &exact, w, e);
    if (status == CUZK_OK) {
        q.miner = w->miner_id;
        q.sector = w->sector_number;
        status = q.kind == REQUEST_POREP  ? porep_pieces(x, &q, exact, w, e)
                 : q.kind == REQUEST_SNAP ? snap_pieces(x, &q, w, e)
                                          : post_pieces(x, &q, w, e);
    }
    if (status == CUZK_OK) {
        q.has_witness = true;
        *out = q;
    } else {
        request_free(&q);
    }
    return status;
}
