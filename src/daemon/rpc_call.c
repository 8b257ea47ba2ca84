/* daemon/rpc_call.c - calls in hand: references, answers, lists.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "daemon/rpc_call.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/timing.h"

void call_keep(struct call *call)
{
    pthread_mutex_lock(&call->lock);
    call->refs++;
    pthread_mutex_unlock(&call->lock);
}

void call_drop(struct call *call)
{
    pthread_mutex_lock(&call->lock);
    const bool last = --call->refs == 0;
    pthread_mutex_unlock(&call->lock);
    if (!last)
        return;
    if (call->method && call->method->release)
        call->method->release(call);
    grpc_byte_buffer_destroy(call->incoming);
    grpc_metadata_array_destroy(&call->metadata);
    if (!call->method)
        grpc_call_details_destroy(&call->details);
    if (call->core)
        grpc_call_unref(call->core);
    pthread_mutex_destroy(&call->lock);
    mem_free(call);
}

/* Start operations; the lock is held. The step's tag takes a reference. */
static bool start(struct call *call, const grpc_op *ops, size_t count, enum call_step step)
{
    call->rpc->handed++;
    if (grpc_call_start_batch(call->core, ops, count, &call->tags[step], NULL) != GRPC_CALL_OK)
        return false;
    call->refs++;
    return true;
}

static void greet(struct call *call, grpc_op *ops, size_t *count)
{
    if (!call->greeted)
        ops[(*count)++] = (grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA};
    call->greeted = true;
}

static void put_message(grpc_op *ops, size_t *count, grpc_byte_buffer *buffer)
{
    grpc_op op = {.op = GRPC_OP_SEND_MESSAGE};
    op.data.send_message.send_message = buffer;
    ops[(*count)++] = op;
}

/* The message as bytes of gRPC's own. */
static grpc_byte_buffer *pack(const ProtobufCMessage *message)
{
    grpc_slice slice = grpc_slice_malloc(protobuf_c_message_get_packed_size(message));
    protobuf_c_message_pack(message, GRPC_SLICE_START_PTR(slice));
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    return buffer;
}

static void end_call(struct call *call, grpc_byte_buffer *answer, grpc_status_code code, const char *message)
{
    grpc_op ops[3];
    size_t count = 0;
    grpc_slice detail = grpc_slice_from_copied_string(message);
    pthread_mutex_lock(&call->lock);
    if (!call->finished) {
        grpc_op status = {.op = GRPC_OP_SEND_STATUS_FROM_SERVER};
        call->finished = true;
        call->answered_ns = timing_now();
        greet(call, ops, &count);
        if (answer)
            put_message(ops, &count, answer);
        status.data.send_status_from_server.status = code;
        status.data.send_status_from_server.status_details = &detail;
        ops[count++] = status;
        start(call, ops, count, STEP_SENT);
    }
    pthread_mutex_unlock(&call->lock);
    grpc_slice_unref(detail);
    grpc_byte_buffer_destroy(answer);
}

void call_reply(struct call *call, const ProtobufCMessage *answer)
{
    end_call(call, pack(answer), GRPC_STATUS_OK, "");
}

void call_finish(struct call *call)
{
    end_call(call, NULL, GRPC_STATUS_OK, "");
}

void call_fail(struct call *call, grpc_status_code code, const char *message)
{
    struct log_field fields[] = {{"method", call->method ? call->method->name : "", 0},
                                 {"code", NULL, code},
                                 {"job", call->job_id, 0},
                                 {NULL, NULL, 0}};
    log_line(call->rpc->log, LOG_INFO, "rpc", fields, "refused: %s", message);
    end_call(call, NULL, code, message);
}

static grpc_status_code code_of(cuzk_status status)
{
    switch (status) {
    case CUZK_ERR_ARGUMENT:
    case CUZK_ERR_INPUT:
    case CUZK_ERR_UNSATISFIED:
        return GRPC_STATUS_INVALID_ARGUMENT;
    case CUZK_ERR_MEMORY:
    case CUZK_ERR_EXHAUSTED:
        return GRPC_STATUS_RESOURCE_EXHAUSTED;
    case CUZK_ERR_MISMATCH:
        return GRPC_STATUS_FAILED_PRECONDITION;
    case CUZK_ERR_NOT_FOUND:
        return GRPC_STATUS_NOT_FOUND;
    case CUZK_ERR_UNAVAILABLE:
        return GRPC_STATUS_UNAVAILABLE;
    case CUZK_ERR_CANCELLED:
        return GRPC_STATUS_CANCELLED;
    case CUZK_ERR_UNSUPPORTED:
        return GRPC_STATUS_UNIMPLEMENTED;
    default:
        return GRPC_STATUS_INTERNAL;
    }
}

void call_fail_status(struct call *call, cuzk_status status, const struct cuzk_error *e)
{
    call_fail(call, code_of(status), e->message);
}

bool call_write(struct call *call, const ProtobufCMessage *message)
{
    grpc_op ops[2];
    size_t count = 0;
    bool started = false;
    pthread_mutex_lock(&call->lock);
    if (!call->finished && !call->writing && !call->over) {
        grpc_byte_buffer *buffer = pack(message);
        greet(call, ops, &count);
        put_message(ops, &count, buffer);
        started = call->writing = start(call, ops, count, STEP_WROTE);
        grpc_byte_buffer_destroy(buffer);
    }
    pthread_mutex_unlock(&call->lock);
    return started;
}

bool call_read(struct call *call)
{
    grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};
    op.data.recv_message.recv_message = &call->incoming;
    pthread_mutex_lock(&call->lock);
    const bool started = !call->finished && !call->over && start(call, &op, 1, STEP_READ);
    pthread_mutex_unlock(&call->lock);
    return started;
}

/* Two bytes can make an element of 16, and as much again on the way: a message unpacked takes what it has and
 * a little more, or it was made to take memory. */
#define UNPACKED_MORE ((size_t)16 << 20)

static void *unpack_alloc(void *left, size_t size)
{
    size_t *room = left;
    if (size > *room)
        return NULL;
    *room -= size;
    return malloc(size);
}

static void unpack_free(void *left, void *ptr)
{
    (void)left;
    free(ptr);
}

ProtobufCMessage *call_unpack(struct call *call, const ProtobufCMessageDescriptor *type, const uint8_t *data,
                              size_t size)
{
    size_t left = size + UNPACKED_MORE;
    ProtobufCAllocator allocator = {.alloc = unpack_alloc, .free = unpack_free, .allocator_data = &left};
    ProtobufCMessage *message = protobuf_c_message_unpack(type, &allocator, size, data);
    if (!message)
        call_fail(call, GRPC_STATUS_INVALID_ARGUMENT, "the message is malformed, or has too many parts");
    return message;
}

/* ---- lists ---- */

bool call_enlist_below(struct call_list *list, struct call *call, unsigned most)
{
    struct rpc *rpc = call->rpc;
    call_keep(call);
    pthread_mutex_lock(&rpc->lock);
    VERIFY(call->list == NULL);
    const bool room = list->count < most;
    if (room) {
        call->list = list;
        call->previous = NULL;
        call->next = list->first;
        if (list->first)
            list->first->previous = call;
        else
            list->last = call;
        list->first = call;
        list->count++;
    }
    pthread_mutex_unlock(&rpc->lock);
    if (!room)
        call_drop(call);
    return room;
}

void call_enlist(struct call_list *list, struct call *call)
{
    (void)call_enlist_below(list, call, UINT_MAX);
}

/* With the lock of the lists. */
static void take_out(struct call *call)
{
    struct call_list *list = call->list;
    if (call->previous)
        call->previous->next = call->next;
    else
        list->first = call->next;
    if (call->next)
        call->next->previous = call->previous;
    else
        list->last = call->previous;
    list->count--;
    call->list = NULL;
}

bool call_delist(struct call *call)
{
    pthread_mutex_lock(&call->rpc->lock);
    const bool stood = call->list != NULL;
    if (stood)
        take_out(call);
    pthread_mutex_unlock(&call->rpc->lock);
    if (stood)
        call_drop(call);
    return stood;
}

struct call *call_take_oldest(struct rpc *rpc, struct call_list *list)
{
    pthread_mutex_lock(&rpc->lock);
    struct call *oldest = list->last;
    if (oldest)
        take_out(oldest);
    pthread_mutex_unlock(&rpc->lock);
    return oldest;
}
