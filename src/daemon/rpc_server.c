/* daemon/rpc_server.c - the server: addresses, threads, and the way of a call.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc_security.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/timing.h"
#include "daemon/rpc_call.h"

#define ENGINE_SERVICE "/cuzk.v1.ProvingEngine/"

const struct method rpc_methods[] = {
    {.name = ENGINE_SERVICE "SubmitProof", .arrivals = ARRIVALS_PROOFS, .start = rpc_submit},
    {.name = ENGINE_SERVICE "AwaitProof",
     .start = rpc_await,
     .gone = rpc_waiter_gone,
     .sent = rpc_waiter_sent},
    {.name = ENGINE_SERVICE "Prove",
     .arrivals = ARRIVALS_PROOFS,
     .start = rpc_prove,
     .gone = rpc_waiter_gone,
     .sent = rpc_waiter_sent},
    {.name = ENGINE_SERVICE "CancelProof", .start = rpc_cancel},
    {.name = ENGINE_SERVICE "GetStatus", .start = rpc_get_status},
    {.name = ENGINE_SERVICE "GetMetrics", .start = rpc_get_metrics},
    {.name = ENGINE_SERVICE "PreloadSRS", .start = rpc_preload},
    {.name = ENGINE_SERVICE "EvictSRS", .start = rpc_evict},
    {.name = ENGINE_SERVICE "WatchProof",
     .shape = METHOD_SERVER_STREAM,
     .start = rpc_watch,
     .gone = rpc_list_gone},
    {.name = ENGINE_SERVICE "SubmitProofStream",
     .shape = METHOD_READS,
     .arrivals = ARRIVALS_STREAMS,
     .message = rpc_stream_message,
     .end = rpc_stream_end,
     .release = rpc_stream_release},
    {.name = "/grpc.health.v1.Health/Check", .start = rpc_health_check},
    {.name = "/grpc.health.v1.Health/Watch",
     .shape = METHOD_SERVER_STREAM,
     .start = rpc_health_watch,
     .gone = rpc_list_gone},
    {.name = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
     .shape = METHOD_READS,
     .arrivals = ARRIVALS_STREAMS,
     .message = rpc_reflect,
     .end = rpc_reflect_end,
     .wrote = rpc_reflect_wrote},
    {.name = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
     .shape = METHOD_READS,
     .arrivals = ARRIVALS_STREAMS,
     .message = rpc_reflect,
     .end = rpc_reflect_end,
     .wrote = rpc_reflect_wrote},
};
const size_t rpc_method_count = ARRAY_LEN(rpc_methods);

/* ---- the way of a call ---- */

/* Ask gRPC for the next call of a method (NULL: of all other names). */
static void await_call(struct rpc *rpc, const struct method *method, void *registered)
{
    struct call *call = mem_alloc(1, sizeof *call);
    if (!call) {
        log_line(rpc->log, LOG_ERROR, "rpc", NULL, "out of memory: %s is no longer served",
                 method ? method->name : "what is unknown");
        return;
    }
    call->rpc = rpc;
    call->method = method;
    call->registered = registered;
    call->refs = 1;
    pthread_mutex_init(&call->lock, NULL);
    grpc_metadata_array_init(&call->metadata);
    for (unsigned i = 0; i < CALL_STEPS; i++)
        call->tags[i] = (struct call_tag){call, (enum call_step)i};
    grpc_call_error error;
    call->rpc->handed++;
    if (method) {
        error = grpc_server_request_registered_call(rpc->server, registered, &call->core, &call->deadline,
                                                    &call->metadata, NULL, rpc->queue, rpc->queue,
                                                    &call->tags[STEP_NEW]);
    } else {
        grpc_call_details_init(&call->details);
        error = grpc_server_request_call(rpc->server, &call->core, &call->details, &call->metadata,
                                         rpc->queue, rpc->queue, &call->tags[STEP_NEW]);
    }
    if (error != GRPC_CALL_OK)
        call_drop(call);
}

/* The bytes of a buffer in one piece; an empty slice for none. */
static bool flatten(grpc_byte_buffer **buffer, grpc_slice *out)
{
    grpc_byte_buffer_reader reader;
    *out = grpc_empty_slice();
    if (!*buffer)
        return false;
    if (grpc_byte_buffer_reader_init(&reader, *buffer)) {
        *out = grpc_byte_buffer_reader_readall(&reader);
        grpc_byte_buffer_reader_destroy(&reader);
    }
    grpc_byte_buffer_destroy(*buffer);
    *buffer = NULL;
    return true;
}

static void on_new(struct call *call)
{
    struct rpc *rpc = call->rpc;
    grpc_op op = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER};
    await_call(rpc, call->method, call->registered);
    call->received_ns = timing_now();
    op.data.recv_close_on_server.cancelled = &call->cancelled;
    call_keep(call);
    call->rpc->handed++;
    if (grpc_call_start_batch(call->core, &op, 1, &call->tags[STEP_CLOSED], NULL) != GRPC_CALL_OK) {
        call_drop(call);
        call_drop(call);
        return;
    }
    if (call->method)
        rpc_arrive(call);
    else
        call_fail(call, GRPC_STATUS_UNIMPLEMENTED, "no such method");
    call_drop(call);
}

static void on_closed(struct call *call)
{
    pthread_mutex_lock(&call->lock);
    call->over = true;
    pthread_mutex_unlock(&call->lock);
    if (call->cancelled && call->method && call->method->gone)
        call->method->gone(call);
    call_drop(call); /* the one that awaits the end */
}

/* Success false: the call was broken off. */
static void on_read(struct call *call, bool success)
{
    const struct method *method = call->method;
    grpc_slice bytes = grpc_empty_slice();
    const bool some = success && flatten(&call->incoming, &bytes);
    const uint8_t *data = GRPC_SLICE_START_PTR(bytes);
    const size_t size = GRPC_SLICE_LENGTH(bytes);
    rpc_arrived(call);
    if (method->shape == METHOD_READS) {
        rpc_handled(call); /* the handler asks for the next one */
        if (some)
            method->message(call, data, size);
        else if (success)
            method->end(call);
    } else {
        if (some)
            method->start(call, data, size);
        else if (success)
            call_fail(call, GRPC_STATUS_INVALID_ARGUMENT, "no message");
        rpc_handled(call);
    }
    grpc_slice_unref(bytes);
}

static void on_wrote(struct call *call)
{
    pthread_mutex_lock(&call->lock);
    call->writing = false;
    pthread_mutex_unlock(&call->lock);
    if (call->method->wrote)
        call->method->wrote(call);
}

static void on_step(struct call_tag *tag, bool success)
{
    struct call *call = tag->call;
    switch (tag->step) {
    case STEP_NEW:
        if (success)
            on_new(call);
        else
            call_drop(call);
        return;
    case STEP_CLOSED:
        on_closed(call);
        return; /* its reference was that of the end */
    case STEP_READ:
        on_read(call, success);
        break;
    case STEP_WROTE:
        if (success)
            on_wrote(call);
        break;
    case STEP_SENT:
        if (success && call->method && call->method->sent)
            call->method->sent(call);
        break;
    default:
        return;
    }
    call_drop(call);
}

static void *serve(void *arg)
{
    struct rpc *rpc = arg;
    for (;;) {
        const grpc_event event =
            grpc_completion_queue_next(rpc->queue, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
        (void)atomic_load(&rpc->handed);
        if (event.type == GRPC_QUEUE_SHUTDOWN)
            return NULL;
        if (event.tag == rpc)
            rpc->stopping = true; /* the server has ended all calls */
        else
            on_step(event.tag, event.success != 0);
    }
}

/* ---- addresses ---- */

/* The folders above a socket, as far as they are missing. */
static cuzk_status make_folders(const char *path, struct cuzk_error *e)
{
    char folder[CONFIG_TEXT];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (mkdir(folder, 0755) != 0 && errno != EEXIST)
            return error_errno(e, errno, "cannot make the folder %s", folder);
    }
    return CUZK_OK;
}

/* Make way for a socket: what is there must be one that nobody listens at. */
static cuzk_status clear_socket(const char *path, struct cuzk_error *e)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat st;
    if (lstat(path, &st) != 0)
        return errno == ENOENT ? CUZK_OK : error_errno(e, errno, "%s", path);
    if (!S_ISSOCK(st.st_mode))
        return error_set(e, CUZK_ERR_IO, "%s is there and is no socket", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_errno(e, errno, "socket");
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const bool alive = connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    if (alive)
        return error_set(e, CUZK_ERR_IO, "%s: another process listens there", path);
    if (unlink(path) != 0)
        return error_errno(e, errno, "cannot remove the stale socket %s", path);
    return CUZK_OK;
}

static cuzk_status add_address(struct rpc *rpc, const char *address, grpc_server_credentials *credentials,
                               struct cuzk_error *e)
{
    static const char unix_scheme[] = "unix://";
    const bool is_unix = strncmp(address, unix_scheme, sizeof unix_scheme - 1) == 0;
    char *socket_path = rpc->sockets[rpc->socket_count];
    if (is_unix) {
        if (rpc->socket_count + 1 >= ARRAY_LEN(rpc->sockets))
            return error_set(e, CUZK_ERR_INPUT, "daemon.listen: too many sockets");
        snprintf(socket_path, CONFIG_TEXT, "%s", address + sizeof unix_scheme - 1);
        cuzk_status status = make_folders(socket_path, e);
        if (status == CUZK_OK)
            status = clear_socket(socket_path, e);
        if (status != CUZK_OK)
            return status;
    }
    errno = 0;
    if (grpc_server_add_http2_port(rpc->server, address, credentials) == 0)
        return error_set(e, CUZK_ERR_IO, "cannot listen at %s", address);
    rpc->socket_count += is_unix;
    log_line(rpc->log, LOG_INFO, "rpc", NULL, "listening at %s", address);
    return CUZK_OK;
}

static cuzk_status add_addresses(struct rpc *rpc, struct cuzk_error *e)
{
    char address[CONFIG_TEXT];
    cuzk_status status = CUZK_OK;
    grpc_server_credentials *plain = grpc_insecure_server_credentials_create();
    for (unsigned i = 0; status == CUZK_OK && config_address(&rpc->config, i, address); i++)
        status = add_address(rpc, address, plain, e);
    grpc_server_credentials_release(plain);
    return status;
}

/* ---- making and ending ---- */

static grpc_arg integer_arg(const char *key, int value)
{
    grpc_arg arg = {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)key};
    arg.value.integer = value;
    return arg;
}

static cuzk_status start_server(struct rpc *rpc, struct cuzk_error *e)
{
    grpc_arg args[] = {integer_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, (int)rpc->config.message_limit),
                       integer_arg(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1),
                       integer_arg(GRPC_ARG_ALLOW_REUSEPORT, 0),
                       integer_arg(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10000)};
    const grpc_channel_args channel = {ARRAY_LEN(args), args};
    void *handles[ARRAY_LEN(rpc_methods)];
    rpc->server = grpc_server_create(&channel, NULL);
    rpc->queue = grpc_completion_queue_create_for_next(NULL);
    grpc_server_register_completion_queue(rpc->server, rpc->queue, NULL);
    for (size_t i = 0; i < rpc_method_count; i++)
        handles[i] =
            grpc_server_register_method(rpc->server, rpc_methods[i].name, NULL, GRPC_SRM_PAYLOAD_NONE, 0);
    const cuzk_status status = add_addresses(rpc, e);
    grpc_server_start(rpc->server);
    if (status != CUZK_OK)
        return status;
    for (size_t i = 0; i < rpc_method_count; i++)
        await_call(rpc, &rpc_methods[i], handles[i]);
    await_call(rpc, NULL, NULL);
    return CUZK_OK;
}

cuzk_status rpc_new(struct rpc **out, struct engine *engine, const struct config *config,
                    const struct log *log, struct cuzk_error *e)
{
    struct rpc *rpc = mem_alloc(1, sizeof *rpc);
    sigset_t all, before;
    if (!rpc)
        return error_memory(e, sizeof *rpc, "the server");
    *rpc = (struct rpc){.engine = engine, .config = *config, .log = log};
    pthread_mutex_init(&rpc->lock, NULL);
    sigfillset(&all); /* signals belong to the main thread, not to those of the server */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    grpc_init();
    cuzk_status status = start_server(rpc, e);
    while (rpc->thread_count < config->threads &&
           pthread_create(&rpc->threads[rpc->thread_count], NULL, serve, rpc) == 0)
        rpc->thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status == CUZK_OK && rpc->thread_count == 0)
        status = error_set(e, CUZK_ERR_IO, "no thread for the server");
    if (status != CUZK_OK) {
        rpc_stop(rpc, 0);
        rpc_free(rpc);
        return status;
    }
    *out = rpc;
    return CUZK_OK;
}

void rpc_reconfigure(struct rpc *rpc, const struct config *config)
{
    pthread_mutex_lock(&rpc->lock);
    rpc->config = *config;
    pthread_mutex_unlock(&rpc->lock);
}

void rpc_settings(struct rpc *rpc, struct engine_options *out)
{
    pthread_mutex_lock(&rpc->lock);
    config_engine(&rpc->config, out);
    pthread_mutex_unlock(&rpc->lock);
}

void rpc_event(struct rpc *rpc, const struct engine_event *event)
{
    if (event->type == ENGINE_EVENT_DONE)
        rpc_job_done(rpc, event->job_id);
    if (event->type == ENGINE_EVENT_DONE || event->type == ENGINE_EVENT_PARTITION)
        rpc_watch_event(rpc, event->job_id);
}

void rpc_tick(struct rpc *rpc)
{
    const uint64_t now = timing_now();
    rpc_expire(rpc, now);
    rpc_watch_tick(rpc, now);
    rpc_arrive_tick(rpc, now);
    rpc_health_tick(rpc);
}

void rpc_stop(struct rpc *rpc, unsigned timeout_ms)
{
    if (rpc->thread_count == 0) /* nobody would hear of the end */
        return;
    rpc_abandon(rpc);
    grpc_server_shutdown_and_notify(rpc->server, rpc->queue, rpc);
    for (unsigned waited = 0; !rpc->stopping && waited < timeout_ms; waited += 10)
        usleep(10000);
    grpc_server_cancel_all_calls(rpc->server);
    while (!rpc->stopping)
        usleep(10000);
    for (;;) { /* preloads have their own threads, which answer calls */
        pthread_mutex_lock(&rpc->lock);
        const unsigned running = rpc->preloads;
        pthread_mutex_unlock(&rpc->lock);
        if (running == 0)
            break;
        usleep(10000);
    }
    grpc_completion_queue_shutdown(rpc->queue);
    for (unsigned i = 0; i < rpc->thread_count; i++)
        pthread_join(rpc->threads[i], NULL);
}

void rpc_free(struct rpc *rpc)
{
    if (!rpc)
        return;
    if (rpc->thread_count > 0) {
        grpc_server_destroy(rpc->server);
        grpc_completion_queue_destroy(rpc->queue);
        grpc_shutdown();
    }
    for (unsigned i = 0; i < rpc->socket_count; i++)
        unlink(rpc->sockets[i]);
    pthread_mutex_destroy(&rpc->lock);
    mem_free(rpc);
}
