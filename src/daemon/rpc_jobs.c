/* daemon/rpc_jobs.c - SubmitProof, AwaitProof, Prove, CancelProof.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/timing.h"
#include "daemon/rpc_call.h"
#include <proving.pb-c.h>

/* ---- from the message to the engine ---- */

static uint64_t unix_ms(gpr_timespec time)
{
    const gpr_timespec t = gpr_convert_clock_type(time, GPR_CLOCK_REALTIME);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* When the caller needs the proof: as the message says, or else before its own deadline, if that comes before
 * the kind's. 0: the kind's. */
static uint64_t deadline_of(const struct call *call, const Cuzk__V1__SubmitProofRequest *r)
{
    struct engine_options options;
    const unsigned kind = (unsigned)r->proof_kind;
    if (r->deadline_unix_ms != 0)
        return r->deadline_unix_ms;
    if (gpr_time_cmp(call->deadline, gpr_inf_future(call->deadline.clock_type)) == 0 || kind >= ENGINE_KINDS)
        return 0;
    rpc_settings(call->rpc, &options);
    const uint64_t own = unix_ms(call->deadline), now = unix_ms(gpr_now(GPR_CLOCK_REALTIME));
    const uint64_t usual = options.default_deadline_ms[kind];
    return usual != 0 && now + usual < own ? 0 : own;
}

/* The pieces of either field. A PoRep has the one, all others the list. */
static bool take_pieces(struct call *call, struct submission_parts *out,
                        const Cuzk__V1__SubmitProofRequest *r)
{
    const bool single = r->vanilla_proof.len > 0;
    const size_t count = single ? 1 : r->n_vanilla_proofs;
    struct cuzk_error e;
    if (single && r->n_vanilla_proofs > 0) {
        call_fail(call, GRPC_STATUS_INVALID_ARGUMENT,
                  "vanilla_proof and vanilla_proofs: a request has one of them");
        return false;
    }
    if (r->proof_kind == CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT ? !single && count > 0 : single) {
        call_fail(call, GRPC_STATUS_INVALID_ARGUMENT,
                  single ? "vanilla_proof: this kind has vanilla_proofs"
                         : "vanilla_proofs: this kind has vanilla_proof");
        return false;
    }
    out->pieces = mem_alloc(count + 1, sizeof *out->pieces);
    if (!out->pieces) {
        call_fail_status(call, error_memory(&e, count * sizeof *out->pieces, "the request"), &e);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const ProtobufCBinaryData *data = single ? &r->vanilla_proof : &r->vanilla_proofs[i];
        out->pieces[i] = (struct engine_piece){data->data, data->len};
    }
    out->submission.pieces = out->pieces;
    out->submission.piece_count = count;
    return true;
}

bool rpc_submission(struct call *call, struct submission_parts *out,
                    const struct Cuzk__V1__SubmitProofRequest *r)
{
    if (!text_is_utf8(r->request_id)) {
        call_fail(call, GRPC_STATUS_INVALID_ARGUMENT, "request_id: this is not UTF-8");
        return false;
    }
    *out = (struct submission_parts){.submission = {.request_id = r->request_id,
                                                    .kind = (enum engine_kind)r->proof_kind,
                                                    .sector_size = r->sector_size,
                                                    .registered_proof = r->registered_proof,
                                                    .priority = (enum engine_priority)r->priority,
                                                    .deadline_unix_ms = deadline_of(call, r),
                                                    .sector_number = r->sector_number,
                                                    .miner_id = r->miner_id,
                                                    .randomness = r->randomness.data,
                                                    .randomness_size = r->randomness.len,
                                                    .partition_index = r->partition_index,
                                                    .comm_r_old = r->comm_r_old.data,
                                                    .comm_r_new = r->comm_r_new.data,
                                                    .comm_d_new = r->comm_d_new.data,
                                                    .comm_r_old_size = r->comm_r_old.len,
                                                    .comm_r_new_size = r->comm_r_new.len,
                                                    .comm_d_new_size = r->comm_d_new.len,
                                                    .received_ns = call->received_ns}};
    return take_pieces(call, out, r);
}

/* False: the call was failed. */
static bool submit(struct call *call, struct engine_ticket *ticket, const Cuzk__V1__SubmitProofRequest *r,
                   unsigned flags)
{
    struct submission_parts parts;
    struct cuzk_error e = {0};
    if (!rpc_submission(call, &parts, r))
        return false;
    parts.submission.flags = flags;
    const cuzk_status status = engine_submit(call->rpc->engine, &parts.submission, ticket, &e);
    mem_free(parts.pieces);
    if (status != CUZK_OK) {
        call_fail_status(call, status, &e);
        return false;
    }
    memcpy(call->job_id, ticket->job_id, sizeof call->job_id);
    return true;
}

void rpc_reply_ticket(struct call *call, const struct engine_ticket *ticket, const char *request_id)
{
    Cuzk__V1__SubmitProofResponse answer = CUZK__V1__SUBMIT_PROOF_RESPONSE__INIT;
    struct log_field fields[] = {{"job", ticket->job_id, 0}, {"request", request_id, 0}, {NULL, NULL, 0}};
    log_line(call->rpc->log, LOG_DEBUG, "rpc", fields, "submitted%s",
             ticket->joined ? ", known already" : "");
    answer.job_id = (char *)(uintptr_t)ticket->job_id;
    answer.queue_position = ticket->queue_position;
    answer.assigned_gpu = (char *)(uintptr_t)ticket->device;
    answer.joined = ticket->joined;
    call_reply(call, &answer.base);
}

void rpc_submit(struct call *call, const uint8_t *data, size_t size)
{
    struct engine_ticket ticket;
    Cuzk__V1__SubmitProofRequest *r =
        (void *)call_unpack(call, &cuzk__v1__submit_proof_request__descriptor, data, size);
    if (!r)
        return;
    if (submit(call, &ticket, r, 0))
        rpc_reply_ticket(call, &ticket, r->request_id);
    cuzk__v1__submit_proof_request__free_unpacked(r, NULL);
}

/* ---- waiting ---- */

/* What became of the job; timed_out: it has not ended. */
static void reply_result(struct call *call, const struct engine_result *result, bool timed_out)
{
    Cuzk__V1__AwaitProofResponse answer = CUZK__V1__AWAIT_PROOF_RESPONSE__INIT;
    char message[CUZK_ERROR_MESSAGE_MAX];
    snprintf(message, sizeof message, "%s", result->message);
    answer.job_id = call->job_id;
    answer.error_message = message;
    switch (result->state) {
    case ENGINE_STATE_COMPLETED:
        answer.status = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED;
        answer.proof = (ProtobufCBinaryData){result->proof_size, result->proof};
        break;
    case ENGINE_STATE_FAILED:
        answer.status = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__FAILED;
        answer.retry = result->retry;
        answer.error_kind = (char *)(uintptr_t)status_name(result->status);
        break;
    case ENGINE_STATE_CANCELLED:
        answer.status = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED;
        break;
    default:
        answer.status = timed_out ? CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__TIMEOUT
                                  : CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__UNKNOWN;
    }
    answer.queue_wait_ms = result->queue_wait_ms;
    answer.srs_load_ms = result->srs_load_ms;
    answer.synthesis_ms = result->synthesis_ms;
    answer.gpu_compute_ms = result->gpu_compute_ms;
    answer.total_ms = result->total_ms;
    if (call->is_prove) {
        Cuzk__V1__ProveResponse outer = CUZK__V1__PROVE_RESPONSE__INIT;
        outer.result = &answer;
        call_reply(call, &outer.base);
    } else {
        call_reply(call, &answer.base);
    }
}

static void answer_waiter(struct call *call, bool timed_out)
{
    struct engine_result result = {0};
    struct cuzk_error e = {0};
    const cuzk_status status = engine_result(call->rpc->engine, call->job_id, &result, &e);
    if (status != CUZK_OK)
        call_fail_status(call, status, &e);
    else if (result.state == ENGINE_STATE_UNKNOWN)
        call_fail(call, GRPC_STATUS_NOT_FOUND, "no job has this id, or its result is no longer kept");
    else
        reply_result(call, &result, timed_out);
    engine_result_free(&result);
}

static bool has_ended(struct call *call)
{
    struct engine_result result = {0};
    const bool known = engine_result(call->rpc->engine, call->job_id, &result, NULL) == CUZK_OK;
    const bool ended =
        !known || (result.state != ENGINE_STATE_QUEUED && result.state != ENGINE_STATE_RUNNING);
    engine_result_free(&result);
    return ended;
}

/* Wait for the job's end. Between the look at the job and the list nothing is missed: whoever takes the call
 * out of the list answers it. */
static void wait_for_job(struct call *call)
{
    call_keep(call);
    call_enlist(&call->rpc->waiters, call);
    pthread_mutex_lock(&call->lock);
    const bool over = call->over;
    pthread_mutex_unlock(&call->lock);
    if (over)
        rpc_waiter_gone(call);
    else if (has_ended(call) && call_delist(call))
        answer_waiter(call, false);
    call_drop(call);
}

void rpc_prove(struct call *call, const uint8_t *data, size_t size)
{
    struct engine_ticket ticket;
    Cuzk__V1__ProveRequest *r = (void *)call_unpack(call, &cuzk__v1__prove_request__descriptor, data, size);
    if (!r)
        return;
    call->is_prove = call->attached = true;
    if (!r->submit)
        call_fail(call, GRPC_STATUS_INVALID_ARGUMENT, "submit: missing");
    else if (submit(call, &ticket, r->submit, ENGINE_ATTACHED))
        wait_for_job(call);
    cuzk__v1__prove_request__free_unpacked(r, NULL);
}

void rpc_await(struct call *call, const uint8_t *data, size_t size)
{
    Cuzk__V1__AwaitProofRequest *r =
        (void *)call_unpack(call, &cuzk__v1__await_proof_request__descriptor, data, size);
    if (!r)
        return;
    snprintf(call->job_id, sizeof call->job_id, "%s", r->job_id);
    if (r->timeout_ms > 0 && r->timeout_ms < UINT64_MAX / 2000000)
        call->expires_ns = timing_now() + r->timeout_ms * 1000000;
    cuzk__v1__await_proof_request__free_unpacked(r, NULL);
    wait_for_job(call);
}

void rpc_waiter_gone(struct call *call)
{
    struct log_field fields[] = {{"job", call->job_id, 0}, {NULL, NULL, 0}};
    if (!call_delist(call))
        return;
    log_line(call->rpc->log, LOG_INFO, "rpc", fields, "the client has left%s",
             call->attached ? "" : "; the job goes on");
    if (call->attached)
        engine_leave(call->rpc->engine, call->job_id);
    call_fail(call, GRPC_STATUS_CANCELLED, "the client has left");
}

void rpc_waiter_sent(struct call *call)
{
    if (call->job_id[0])
        engine_job_span(call->rpc->engine, call->job_id, "reply", call->answered_ns, timing_now());
}

/* A waiter for the job, or (job_id NULL) one whose time is up, with a reference for the caller. now
 * UINT64_MAX: any. */
static struct call *take_waiter(struct rpc *rpc, const char *job_id, uint64_t now)
{
    struct call *found = NULL;
    pthread_mutex_lock(&rpc->lock);
    for (struct call *c = rpc->waiters.first; c && !found; c = c->next)
        if (job_id ? strcmp(c->job_id, job_id) == 0
                   : now == UINT64_MAX || (c->expires_ns != 0 && c->expires_ns <= now))
            found = c;
    if (found)
        call_keep(found);
    pthread_mutex_unlock(&rpc->lock);
    return found;
}

static void answer_all(struct rpc *rpc, const char *job_id, uint64_t now)
{
    struct call *call;
    while ((call = take_waiter(rpc, job_id, now))) {
        if (call_delist(call))
            answer_waiter(call, job_id == NULL);
        call_drop(call);
    }
}

void rpc_job_done(struct rpc *rpc, const char *job_id)
{
    answer_all(rpc, job_id, 0);
}

void rpc_expire(struct rpc *rpc, uint64_t now)
{
    answer_all(rpc, NULL, now);
}

void rpc_abandon(struct rpc *rpc)
{
    struct call *call;
    while ((call = take_waiter(rpc, NULL, UINT64_MAX))) {
        if (!call_delist(call)) {
            call_drop(call);
            continue;
        }
        if (has_ended(call))
            answer_waiter(call, false);
        else
            call_fail(call, GRPC_STATUS_UNAVAILABLE,
                      "the daemon is stopping; with a state folder, its next start takes the job up");
        call_drop(call);
    }
}

/* ---- cancelling ---- */

void rpc_cancel(struct call *call, const uint8_t *data, size_t size)
{
    Cuzk__V1__CancelProofResponse answer = CUZK__V1__CANCEL_PROOF_RESPONSE__INIT;
    Cuzk__V1__CancelProofRequest *r =
        (void *)call_unpack(call, &cuzk__v1__cancel_proof_request__descriptor, data, size);
    if (!r)
        return;
    answer.was_running = engine_cancel(call->rpc->engine, r->job_id, "cancelled by CancelProof");
    cuzk__v1__cancel_proof_request__free_unpacked(r, NULL);
    call_reply(call, &answer.base);
}
