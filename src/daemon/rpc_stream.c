/* daemon/rpc_stream.c - SubmitProofStream: payloads of any size, straight to disk.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "daemon/rpc_call.h"
#include <proving.pb-c.h>

#define MAX_PIECES 4096 /* more than the sectors of any partition */

/* A payload on its way in. */
struct incoming {
    Cuzk__V1__SubmitProofChunk *head; /* the first message */
    struct engine_piece *pieces;      /* sizes alone */
    uint64_t expected, written;
    bool counted; /* expected is part of rpc->streaming */
    char path[CONFIG_TEXT + 64];
    int fd;
};

void rpc_stream_release(struct call *call)
{
    struct incoming *in = call->state;
    if (!in)
        return;
    if (in->fd >= 0)
        close(in->fd);
    if (in->path[0])
        unlink(in->path);
    if (in->head)
        cuzk__v1__submit_proof_chunk__free_unpacked(in->head, NULL);
    if (in->counted)
        call->rpc->streaming -= in->expected;
    mem_free(in->pieces);
    mem_free(in);
    call->state = NULL;
}

static void refuse(struct call *call, const char *why)
{
    call_fail(call, GRPC_STATUS_INVALID_ARGUMENT, why);
}

/* Sizes of the pieces within the limits, and a file for them. */
static bool open_spool(struct call *call, struct incoming *in)
{
    const char *folder = engine_spool_folder(call->rpc->engine);
    const Cuzk__V1__SubmitProofChunk *head = in->head;
    struct engine_options options;
    struct cuzk_error e;
    rpc_settings(call->rpc, &options);
    if (!folder) {
        call_fail(call, GRPC_STATUS_FAILED_PRECONDITION,
                  "the daemon has no state folder to keep payloads in");
        return false;
    }
    if (head->n_piece_sizes == 0 || head->n_piece_sizes > MAX_PIECES) {
        refuse(call, "piece_sizes: none, or too many");
        return false;
    }
    in->pieces = mem_alloc(head->n_piece_sizes, sizeof *in->pieces);
    if (!in->pieces) {
        call_fail_status(call, error_memory(&e, 0, "the request"), &e);
        return false;
    }
    for (size_t i = 0; i < head->n_piece_sizes; i++) {
        in->pieces[i].size = head->piece_sizes[i];
        if (__builtin_add_overflow(in->expected, head->piece_sizes[i], &in->expected) ||
            in->expected > options.max_payload) {
            call_fail(call, GRPC_STATUS_RESOURCE_EXHAUSTED, "piece_sizes: above queue.max_payload");
            return false;
        }
    }
    in->counted = true;
    if (atomic_fetch_add(&call->rpc->streaming, in->expected) + in->expected > options.max_queued_bytes) {
        call_fail(call, GRPC_STATUS_RESOURCE_EXHAUSTED,
                  "payloads on their way have more than queue.max_bytes; try again later");
        return false;
    }
    snprintf(in->path, sizeof in->path, "%s/incoming-XXXXXX", folder);
    in->fd = mkostemp(in->path, O_CLOEXEC);
    if (in->fd < 0) {
        call_fail_status(call, error_errno(&e, errno, "%s", in->path), &e);
        in->path[0] = 0;
        return false;
    }
    return true;
}

static bool append(struct call *call, struct incoming *in, const ProtobufCBinaryData *data)
{
    struct cuzk_error e;
    if (data->len > in->expected - in->written) {
        refuse(call, "data: more than piece_sizes say");
        return false;
    }
    for (size_t done = 0; done < data->len;) {
        const ssize_t n = write(in->fd, data->data + done, data->len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            call_fail_status(call, error_errno(&e, errno, "%s", in->path), &e);
            return false;
        }
        done += (size_t)n;
    }
    in->written += data->len;
    return true;
}

static struct incoming *begin(struct call *call, Cuzk__V1__SubmitProofChunk *chunk)
{
    struct incoming *in = mem_alloc(1, sizeof *in);
    struct cuzk_error e;
    if (!in) {
        cuzk__v1__submit_proof_chunk__free_unpacked(chunk, NULL);
        call_fail_status(call, error_memory(&e, sizeof *in, "the request"), &e);
        return NULL;
    }
    *in = (struct incoming){.head = chunk, .fd = -1};
    call->state = in;
    if (!chunk->submit)
        refuse(call, "submit: the first message must have it");
    else if (chunk->submit->vanilla_proof.len > 0 || chunk->submit->n_vanilla_proofs > 0)
        refuse(call, "vanilla proofs come as data");
    else if (open_spool(call, in))
        return in;
    return NULL;
}

void rpc_stream_message(struct call *call, const uint8_t *data, size_t size)
{
    struct incoming *in = call->state;
    Cuzk__V1__SubmitProofChunk *chunk =
        (void *)call_unpack(call, &cuzk__v1__submit_proof_chunk__descriptor, data, size);
    if (!chunk)
        return;
    const bool first = !in;
    if (first && !(in = begin(call, chunk)))
        return;
    if (!first && (chunk->submit || chunk->n_piece_sizes > 0))
        refuse(call, "submit and piece_sizes belong into the first message");
    else if (append(call, in, &chunk->data))
        rpc_arrive(call);
    if (!first)
        cuzk__v1__submit_proof_chunk__free_unpacked(chunk, NULL);
}

void rpc_stream_end(struct call *call)
{
    struct incoming *in = call->state;
    struct submission_parts parts;
    struct engine_ticket ticket;
    struct cuzk_error e = {0};
    pthread_mutex_lock(&call->lock);
    const bool over = call->over;
    pthread_mutex_unlock(&call->lock);
    if (over)
        return;
    if (!in || in->written != in->expected) {
        refuse(call, in ? "data: less than piece_sizes say" : "no message");
        return;
    }
    if (!rpc_submission(call, &parts, in->head->submit))
        return;
    mem_free(parts.pieces);
    parts.submission.pieces = in->pieces;
    parts.submission.piece_count = in->head->n_piece_sizes;
    parts.submission.spooled = in->path;
    const cuzk_status status = engine_submit(call->rpc->engine, &parts.submission, &ticket, &e);
    if (status == CUZK_OK)
        rpc_reply_ticket(call, &ticket, in->head->submit->request_id);
    else
        call_fail_status(call, status, &e);
    in->path[0] = 0; /* the engine's, whatever happened */
}
