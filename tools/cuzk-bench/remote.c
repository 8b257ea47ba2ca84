/* cuzk-bench/remote.c - a client of the daemon, on gRPC's C core.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "cuzk-bench/remote.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <proving.pb-c.h>

#include "base/error.h"

#define SERVICE "/cuzk.v1.ProvingEngine/"
#define LOOK_MS 200 /* how often a call that waits looks whether it is to stop */

struct remote {
    grpc_channel *channel;
};

cuzk_status remote_open(struct remote **out, const char *address, struct cuzk_error *e)
{
    struct remote *r = calloc(1, sizeof *r);
    if (!r)
        return error_set(e, CUZK_ERR_MEMORY, "out of memory");
    grpc_init();
    grpc_arg limits[] = {
        {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH},
        {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)GRPC_ARG_MAX_SEND_MESSAGE_LENGTH}};
    limits[0].value.integer = limits[1].value.integer = -1;
    const grpc_channel_args arguments = {2, limits};
    grpc_channel_credentials *plain = grpc_insecure_credentials_create();
    r->channel = grpc_channel_create(address, plain, &arguments);
    grpc_channel_credentials_release(plain);
    *out = r;
    return CUZK_OK;
}

void remote_close(struct remote *r)
{
    if (!r)
        return;
    grpc_channel_destroy(r->channel);
    grpc_shutdown();
    free(r);
}

pid_t remote_process(const char *address)
{
    static const char scheme[] = "unix:";
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    if (strncmp(address, scheme, sizeof scheme - 1) != 0)
        return 0;
    const char *path = address + sizeof scheme - 1;
    path += strncmp(path, "//", 2) == 0 ? 2 : 0;
    if (strlen(path) >= sizeof at.sun_path)
        return 0;
    strcpy(at.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    if (connect(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        peer.pid = 0;
    close(fd);
    return peer.pid;
}

/* ---- one call ---- */

static cuzk_status status_of(grpc_status_code code)
{
    switch (code) {
    case GRPC_STATUS_OK:
        return CUZK_OK;
    case GRPC_STATUS_INVALID_ARGUMENT:
        return CUZK_ERR_ARGUMENT;
    case GRPC_STATUS_RESOURCE_EXHAUSTED:
        return CUZK_ERR_EXHAUSTED;
    case GRPC_STATUS_NOT_FOUND:
        return CUZK_ERR_NOT_FOUND;
    case GRPC_STATUS_UNAVAILABLE:
        return CUZK_ERR_UNAVAILABLE;
    case GRPC_STATUS_CANCELLED:
        return CUZK_ERR_CANCELLED;
    case GRPC_STATUS_UNIMPLEMENTED:
        return CUZK_ERR_UNSUPPORTED;
    default:
        return CUZK_ERR_IO;
    }
}

static gpr_timespec after_ms(uint64_t ms)
{
    return ms == 0
               ? gpr_inf_future(GPR_CLOCK_REALTIME)
               : gpr_time_add(gpr_now(GPR_CLOCK_REALTIME), gpr_time_from_millis((int64_t)ms, GPR_TIMESPAN));
}

static ProtobufCMessage *unpack(grpc_byte_buffer *buffer, const ProtobufCMessageDescriptor *type)
{
    grpc_byte_buffer_reader reader;
    if (!buffer || !grpc_byte_buffer_reader_init(&reader, buffer))
        return NULL;
    const grpc_slice slice = grpc_byte_buffer_reader_readall(&reader);
    grpc_byte_buffer_reader_destroy(&reader);
    ProtobufCMessage *message =
        protobuf_c_message_unpack(type, NULL, GRPC_SLICE_LENGTH(slice), GRPC_SLICE_START_PTR(slice));
    grpc_slice_unref(slice);
    return message;
}

/* What an exchange takes and gives. */
struct exchange {
    grpc_metadata_array first, last;
    grpc_byte_buffer *answer;
    grpc_status_code code;
    grpc_slice details;
};

/* Send, and wait for the answer; or leave when leave_ms have passed (0: do not), or bench_stop says so. */
static void exchange(struct remote *r, struct exchange *x, const char *method, grpc_byte_buffer *ask,
                     uint64_t timeout_ms, uint64_t leave_ms)
{
    grpc_completion_queue *queue = grpc_completion_queue_create_for_pluck(NULL);
    grpc_call *call =
        grpc_channel_create_call(r->channel, NULL, GRPC_PROPAGATE_DEFAULTS, queue,
                                 grpc_slice_from_static_string(method), NULL, after_ms(timeout_ms), NULL);
    grpc_op ops[6] = {{.op = GRPC_OP_SEND_INITIAL_METADATA},  {.op = GRPC_OP_SEND_MESSAGE},
                      {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT}, {.op = GRPC_OP_RECV_INITIAL_METADATA},
                      {.op = GRPC_OP_RECV_MESSAGE},           {.op = GRPC_OP_RECV_STATUS_ON_CLIENT}};
    ops[1].data.send_message.send_message = ask;
    ops[3].data.recv_initial_metadata.recv_initial_metadata = &x->first;
    ops[4].data.recv_message.recv_message = &x->answer;
    ops[5].data.recv_status_on_client.trailing_metadata = &x->last;
    ops[5].data.recv_status_on_client.status = &x->code;
    ops[5].data.recv_status_on_client.status_details = &x->details;
    x->code = GRPC_STATUS_INTERNAL;
    if (grpc_call_start_batch(call, ops, 6, x, NULL) == GRPC_CALL_OK) {
        const gpr_timespec until = after_ms(leave_ms);
        grpc_event event;
        do {
            event = grpc_completion_queue_pluck(queue, x, gpr_time_min(until, after_ms(LOOK_MS)), NULL);
        } while (event.type == GRPC_QUEUE_TIMEOUT && !bench_stop &&
                 gpr_time_cmp(gpr_now(GPR_CLOCK_REALTIME), until) < 0);
        if (event.type == GRPC_QUEUE_TIMEOUT) {
            (void)grpc_call_cancel(call, NULL);
            (void)grpc_completion_queue_pluck(queue, x, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
        }
    }
    grpc_call_unref(call);
    grpc_completion_queue_shutdown(queue);
    (void)grpc_completion_queue_pluck(queue, NULL, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
    grpc_completion_queue_destroy(queue);
}

/* method, with its message ask, which is freed; *answer: for protobuf_c_message_free_unpacked. */
static cuzk_status call(struct remote *r, const char *method, grpc_byte_buffer *ask,
                        const ProtobufCMessageDescriptor *type, ProtobufCMessage **answer,
                        uint64_t timeout_ms, uint64_t leave_ms, struct cuzk_error *e)
{
    struct exchange x = {.details = grpc_empty_slice()};
    grpc_metadata_array_init(&x.first);
    grpc_metadata_array_init(&x.last);
    exchange(r, &x, method, ask, timeout_ms, leave_ms);
    cuzk_status status = status_of(x.code);
    if (status == CUZK_OK) {
        *answer = unpack(x.answer, type);
        if (!*answer)
            status = error_set(e, CUZK_ERR_INPUT, "%s: the answer is malformed", method + sizeof SERVICE - 1);
    } else {
        char *text = grpc_slice_to_c_string(x.details);
        error_set(e, status, "%s: %s", method + sizeof SERVICE - 1, *text ? text : cuzk_status_name(status));
        gpr_free(text);
    }
    grpc_slice_unref(x.details);
    grpc_metadata_array_destroy(&x.first);
    grpc_metadata_array_destroy(&x.last);
    grpc_byte_buffer_destroy(x.answer);
    grpc_byte_buffer_destroy(ask);
    return status;
}

static grpc_byte_buffer *pack(const ProtobufCMessage *message)
{
    grpc_slice slice = grpc_slice_malloc(protobuf_c_message_get_packed_size(message));
    protobuf_c_message_pack(message, GRPC_SLICE_START_PTR(slice));
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    return buffer;
}

/* ---- requests ---- */

/* The request but for its id, as it goes over the wire: fields may come in any order, so the id follows. */
struct remote_payload {
    grpc_slice body;
};

static ProtobufCBinaryData data_of(struct request_wire_bytes b)
{
    return (ProtobufCBinaryData){b.size, (uint8_t *)(uintptr_t)b.data};
}

cuzk_status remote_payload_new(struct remote_payload **out, const struct request_wire *w, unsigned priority,
                               struct cuzk_error *e)
{
    struct remote_payload *p = calloc(1, sizeof *p);
    ProtobufCBinaryData *list = calloc(w->piece_count + 1, sizeof *list);
    if (!p || !list) {
        free(p);
        free(list);
        return error_set(e, CUZK_ERR_MEMORY, "out of memory");
    }
    Cuzk__V1__SubmitProofRequest m = CUZK__V1__SUBMIT_PROOF_REQUEST__INIT;
    m.proof_kind = (Cuzk__V1__ProofKind)w->kind;
    m.sector_size = w->sector_size;
    m.registered_proof = w->registered_proof;
    m.priority = (Cuzk__V1__Priority)priority;
    m.sector_number = w->sector_number;
    m.miner_id = w->miner_id;
    m.partition_index = w->partition_index;
    m.randomness = data_of(w->randomness);
    m.comm_r_old = data_of(w->comm_r_old);
    m.comm_r_new = data_of(w->comm_r_new);
    m.comm_d_new = data_of(w->comm_d_new);
    for (size_t i = 0; i < w->piece_count; i++)
        list[i] = data_of(w->pieces[i]);
    if (w->kind == REQUEST_WIRE_POREP) {
        m.vanilla_proof = list[0];
    } else {
        m.n_vanilla_proofs = w->piece_count;
        m.vanilla_proofs = list;
    }
    p->body = grpc_slice_malloc(protobuf_c_message_get_packed_size(&m.base));
    protobuf_c_message_pack(&m.base, GRPC_SLICE_START_PTR(p->body));
    free(list);
    *out = p;
    return CUZK_OK;
}

void remote_payload_free(struct remote_payload *p)
{
    if (!p)
        return;
    grpc_slice_unref(p->body);
    free(p);
}

/* A field of bytes: its tag and length (protobuf's varints). */
static size_t put_head(uint8_t *out, unsigned field, uint64_t size)
{
    size_t n = 0;
    out[n++] = (uint8_t)(field << 3 | 2);
    for (; size >= 0x80; size >>= 7)
        out[n++] = (uint8_t)(size | 0x80);
    out[n++] = (uint8_t)size;
    return n;
}

enum { FIELD_REQUEST_ID = 1, FIELD_SUBMIT = 1 };

/* The message of SubmitProof; nested: of Prove. */
static grpc_byte_buffer *message_of(const struct remote_payload *p, const char *id, bool nested)
{
    uint8_t head[16], tail[16];
    const size_t id_size = strlen(id), tail_size = put_head(tail, FIELD_REQUEST_ID, id_size);
    const size_t whole = GRPC_SLICE_LENGTH(p->body) + tail_size + id_size;
    const size_t head_size = nested ? put_head(head, FIELD_SUBMIT, whole) : 0;
    grpc_slice slices[] = {grpc_slice_from_copied_buffer((const char *)head, head_size), p->body,
                           grpc_slice_from_copied_buffer((const char *)tail, tail_size),
                           grpc_slice_from_copied_buffer(id, id_size)};
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(slices, 4);
    grpc_slice_unref(slices[0]);
    grpc_slice_unref(slices[2]);
    grpc_slice_unref(slices[3]);
    return buffer;
}

/* ---- jobs ---- */

static void take_error(struct remote_result *out, cuzk_status status, const struct cuzk_error *e, bool left)
{
    out->outcome =
        status == CUZK_ERR_EXHAUSTED || status == CUZK_ERR_UNAVAILABLE ? REMOTE_REFUSED : REMOTE_ERROR;
    if (left && status == CUZK_ERR_CANCELLED)
        out->outcome = REMOTE_VANISHED;
    snprintf(out->message, sizeof out->message, "%s", e->message);
}

static void take_answer(struct remote_result *out, const Cuzk__V1__AwaitProofResponse *a)
{
    out->queue_wait = (double)a->queue_wait_ms / 1000;
    out->srs_load = (double)a->srs_load_ms / 1000;
    out->synthesis = (double)a->synthesis_ms / 1000;
    out->device = (double)a->gpu_compute_ms / 1000;
    out->total = (double)a->total_ms / 1000;
    snprintf(out->message, sizeof out->message, "%s", a->error_message);
    switch (a->status) {
    case CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED:
        out->outcome = REMOTE_COMPLETED;
        out->proof = malloc(a->proof.len + 1);
        if (out->proof) {
            memcpy(out->proof, a->proof.data, a->proof.len);
            out->proof_size = a->proof.len;
        }
        break;
    case CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED:
        out->outcome = REMOTE_CANCELLED;
        break;
    default:
        out->outcome = REMOTE_FAILED;
    }
}

static void prove(struct remote *r, const struct remote_payload *p, const char *id, uint64_t timeout_ms,
                  uint64_t leave_ms, struct remote_result *out)
{
    struct cuzk_error e = {0};
    ProtobufCMessage *message = NULL;
    *out = (struct remote_result){.outcome = REMOTE_ERROR};
    const cuzk_status status =
        call(r, SERVICE "Prove", message_of(p, id, true), &cuzk__v1__prove_response__descriptor, &message,
             timeout_ms, leave_ms, &e);
    if (status != CUZK_OK) {
        take_error(out, status, &e, leave_ms > 0 || bench_stop);
        return;
    }
    const Cuzk__V1__ProveResponse *answer = (const void *)message;
    if (answer->result)
        take_answer(out, answer->result);
    protobuf_c_message_free_unpacked(message, NULL);
}

void remote_prove(struct remote *r, const struct remote_payload *p, const char *id, uint64_t timeout_ms,
                  struct remote_result *out)
{
    prove(r, p, id, timeout_ms, 0, out);
}

void remote_prove_and_leave(struct remote *r, const struct remote_payload *p, const char *id, uint64_t after,
                            struct remote_result *out)
{
    prove(r, p, id, 0, after ? after : 1, out);
}

void remote_submit_and_cancel(struct remote *r, const struct remote_payload *p, const char *id,
                              uint64_t after, uint64_t timeout_ms, struct remote_result *out)
{
    struct cuzk_error e = {0};
    ProtobufCMessage *ticket = NULL, *message = NULL;
    *out = (struct remote_result){.outcome = REMOTE_ERROR};
    cuzk_status status = call(r, SERVICE "SubmitProof", message_of(p, id, false),
                              &cuzk__v1__submit_proof_response__descriptor, &ticket, timeout_ms, 0, &e);
    if (status != CUZK_OK) {
        take_error(out, status, &e, bench_stop);
        return;
    }
    char *job = ((const Cuzk__V1__SubmitProofResponse *)(const void *)ticket)->job_id;
    const struct timespec pause = {.tv_sec = (time_t)(after / 1000),
                                   .tv_nsec = (long)(after % 1000) * 1000000};
    nanosleep(&pause, NULL);
    Cuzk__V1__CancelProofRequest cancel = CUZK__V1__CANCEL_PROOF_REQUEST__INIT;
    Cuzk__V1__AwaitProofRequest await = CUZK__V1__AWAIT_PROOF_REQUEST__INIT;
    cancel.job_id = await.job_id = job;
    status = call(r, SERVICE "CancelProof", pack(&cancel.base), &cuzk__v1__cancel_proof_response__descriptor,
                  &message, timeout_ms, 0, &e);
    if (status == CUZK_OK) {
        protobuf_c_message_free_unpacked(message, NULL);
        status = call(r, SERVICE "AwaitProof", pack(&await.base), &cuzk__v1__await_proof_response__descriptor,
                      &message, timeout_ms, 0, &e);
    }
    if (status == CUZK_OK) {
        take_answer(out, (const void *)message);
        protobuf_c_message_free_unpacked(message, NULL);
    } else {
        take_error(out, status, &e, bench_stop);
    }
    protobuf_c_message_free_unpacked(ticket, NULL);
}

/* ---- the state of the daemon ---- */

static const char *tier_name(Cuzk__V1__SRSStatus__Tier tier)
{
    return tier == CUZK__V1__SRSSTATUS__TIER__HOT    ? "hot"
           : tier == CUZK__V1__SRSSTATUS__TIER__WARM ? "warm"
                                                     : "cold";
}

static void emit_status(FILE *f, const Cuzk__V1__GetStatusResponse *a)
{
    struct emit e = {.f = f};
    emit_open(&e, NULL, '{');
    emit_text(&e, "version", a->version);
    emit_flag(&e, "ready", a->ready);
    emit_text(&e, "not_ready", a->not_ready);
    emit_flag(&e, "draining", a->draining);
    emit_count(&e, "uptime_seconds", a->uptime_seconds);
    emit_count(&e, "completed", a->total_proofs_completed);
    emit_count(&e, "failed", a->total_proofs_failed);
    emit_open(&e, "devices", '[');
    for (size_t i = 0; i < a->n_gpus; i++) {
        emit_open(&e, NULL, '{');
        emit_count(&e, "ordinal", a->gpus[i]->ordinal);
        emit_text(&e, "name", a->gpus[i]->name);
        emit_count(&e, "memory_total_bytes", a->gpus[i]->vram_total_bytes);
        emit_count(&e, "memory_free_bytes", a->gpus[i]->vram_free_bytes);
        emit_text(&e, "job", a->gpus[i]->current_job_id);
        emit_text(&e, "kind", a->gpus[i]->current_proof_kind);
        emit_flag(&e, "quarantined", a->gpus[i]->quarantined);
        emit_text(&e, "fault", a->gpus[i]->fault);
        emit_close(&e, '}');
    }
    emit_close(&e, ']');
    emit_open(&e, "parameters", '[');
    for (size_t i = 0; i < a->n_loaded_srs; i++) {
        emit_open(&e, NULL, '{');
        emit_text(&e, "circuit", a->loaded_srs[i]->circuit_id);
        emit_text(&e, "tier", tier_name(a->loaded_srs[i]->tier));
        emit_count(&e, "bytes", a->loaded_srs[i]->size_bytes);
        emit_count(&e, "in_use", a->loaded_srs[i]->ref_count);
        emit_close(&e, '}');
    }
    emit_close(&e, ']');
    emit_open(&e, "queues", '[');
    for (size_t i = 0; i < a->n_queues; i++) {
        emit_open(&e, NULL, '{');
        emit_text(&e, "kind", a->queues[i]->proof_kind);
        emit_count(&e, "pending", a->queues[i]->pending);
        emit_count(&e, "in_progress", a->queues[i]->in_progress);
        emit_close(&e, '}');
    }
    emit_close(&e, ']');
    emit_close(&e, '}');
    fputc('\n', f);
}

static void print_status(FILE *f, const Cuzk__V1__GetStatusResponse *a)
{
    fprintf(f, "cuzk-daemon %s, up %llu s, %s%s%s%s\n", a->version, (unsigned long long)a->uptime_seconds,
            a->ready ? "ready" : "not ready: ", a->ready ? "" : a->not_ready, a->draining ? ", draining" : "",
            "");
    fprintf(f, "proofs: %llu completed, %llu failed\n", (unsigned long long)a->total_proofs_completed,
            (unsigned long long)a->total_proofs_failed);
    for (size_t i = 0; i < a->n_gpus; i++)
        fprintf(f, "device %u: %s, %.1f of %.1f GiB free, %s%s%s%s\n", a->gpus[i]->ordinal, a->gpus[i]->name,
                (double)a->gpus[i]->vram_free_bytes / 1073741824,
                (double)a->gpus[i]->vram_total_bytes / 1073741824,
                a->gpus[i]->quarantined       ? "in quarantine: "
                : *a->gpus[i]->current_job_id ? "proves "
                                              : "idle",
                a->gpus[i]->quarantined ? a->gpus[i]->fault : a->gpus[i]->current_job_id, "", "");
    for (size_t i = 0; i < a->n_loaded_srs; i++)
        fprintf(f, "parameters %s: %s, %.1f MiB, used by %u\n", a->loaded_srs[i]->circuit_id,
                tier_name(a->loaded_srs[i]->tier), (double)a->loaded_srs[i]->size_bytes / 1048576,
                a->loaded_srs[i]->ref_count);
    for (size_t i = 0; i < a->n_queues; i++)
        fprintf(f, "queue %s: %u pending, %u in progress\n", a->queues[i]->proof_kind, a->queues[i]->pending,
                a->queues[i]->in_progress);
}

#define ASK_TIMEOUT_MS 30000

cuzk_status remote_status(struct remote *r, FILE *f, bool json, struct cuzk_error *e)
{
    Cuzk__V1__GetStatusRequest ask = CUZK__V1__GET_STATUS_REQUEST__INIT;
    ProtobufCMessage *answer = NULL;
    const cuzk_status status =
        call(r, SERVICE "GetStatus", pack(&ask.base), &cuzk__v1__get_status_response__descriptor, &answer,
             ASK_TIMEOUT_MS, 0, e);
    if (status != CUZK_OK)
        return status;
    (json ? emit_status : print_status)(f, (const void *)answer);
    protobuf_c_message_free_unpacked(answer, NULL);
    return CUZK_OK;
}

cuzk_status remote_metrics(struct remote *r, FILE *f, bool json, struct cuzk_error *e)
{
    Cuzk__V1__GetMetricsRequest ask = CUZK__V1__GET_METRICS_REQUEST__INIT;
    ProtobufCMessage *answer = NULL;
    const cuzk_status status =
        call(r, SERVICE "GetMetrics", pack(&ask.base), &cuzk__v1__get_metrics_response__descriptor, &answer,
             ASK_TIMEOUT_MS, 0, e);
    if (status != CUZK_OK)
        return status;
    const char *text = ((const Cuzk__V1__GetMetricsResponse *)(const void *)answer)->prometheus_text;
    if (json) {
        struct emit out = {.f = f};
        emit_open(&out, NULL, '{');
        emit_text(&out, "prometheus_text", text);
        emit_close(&out, '}');
        fputc('\n', f);
    } else {
        fputs(text, f);
    }
    protobuf_c_message_free_unpacked(answer, NULL);
    return CUZK_OK;
}

cuzk_status remote_preload(struct remote *r, const char *circuit, bool *already, uint64_t *ms,
                           struct cuzk_error *e)
{
    Cuzk__V1__PreloadSrsRequest ask = CUZK__V1__PRELOAD_SRS_REQUEST__INIT;
    ProtobufCMessage *answer = NULL;
    ask.circuit_id = (char *)(uintptr_t)circuit;
    const cuzk_status status = call(r, SERVICE "PreloadSRS", pack(&ask.base),
                                    &cuzk__v1__preload_srs_response__descriptor, &answer, 0, 0, e);
    if (status != CUZK_OK)
        return status;
    *already = ((const Cuzk__V1__PreloadSrsResponse *)(const void *)answer)->already_loaded;
    *ms = ((const Cuzk__V1__PreloadSrsResponse *)(const void *)answer)->load_time_ms;
    protobuf_c_message_free_unpacked(answer, NULL);
    return CUZK_OK;
}

cuzk_status remote_evict(struct remote *r, const char *circuit, bool *was_loaded, uint64_t *bytes,
                         struct cuzk_error *e)
{
    Cuzk__V1__EvictSrsRequest ask = CUZK__V1__EVICT_SRS_REQUEST__INIT;
    ProtobufCMessage *answer = NULL;
    ask.circuit_id = (char *)(uintptr_t)circuit;
    const cuzk_status status = call(r, SERVICE "EvictSRS", pack(&ask.base),
                                    &cuzk__v1__evict_srs_response__descriptor, &answer, ASK_TIMEOUT_MS, 0, e);
    if (status != CUZK_OK)
        return status;
    *was_loaded = ((const Cuzk__V1__EvictSrsResponse *)(const void *)answer)->was_loaded;
    *bytes = ((const Cuzk__V1__EvictSrsResponse *)(const void *)answer)->freed_bytes;
    protobuf_c_message_free_unpacked(answer, NULL);
    return CUZK_OK;
}
