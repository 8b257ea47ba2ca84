/* daemon/http.c - the HTTP server, on libmicrohttpd.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "daemon/http.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

#include "base/error.h"
#include "base/memory.h"
#include "daemon/assets.h"
#include "daemon/metrics.h"
#include "daemon/status.h"

#define CONNECTIONS_MAX 64
#define TRACE_MAX       ((size_t)256 << 20)

struct http {
    struct engine *engine;
    const struct log *log;
    struct MHD_Daemon *daemon;
};

/* An answer: text that the response takes over, or bytes that stay. */
struct answer {
    unsigned code;
    const char *type;
    struct text text;
    const void *fixed;
    size_t fixed_size;
    const char *name; /* of the file that a browser saves it as */
};

static const char PLAIN[] = "text/plain; charset=utf-8", JSON[] = "application/json";

static void answer_error(struct answer *a, unsigned code, const char *message)
{
    text_free(&a->text);
    a->code = code;
    a->type = PLAIN;
    text_printf(&a->text, "%s\n", message);
}

static void answer_status(struct answer *a, cuzk_status status, const struct cuzk_error *e)
{
    if (status != CUZK_OK)
        answer_error(a, status == CUZK_ERR_NOT_FOUND ? MHD_HTTP_NOT_FOUND : MHD_HTTP_INTERNAL_SERVER_ERROR,
                     e->message);
}

/* A number of the query; 0 if it is not there or is none. */
static uint64_t number(struct MHD_Connection *connection, const char *key)
{
    const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, key);
    return text ? strtoull(text, NULL, 10) : 0;
}

/* ---- what is served ---- */

static void get_status(struct http *http, struct MHD_Connection *connection, struct answer *a)
{
    struct cuzk_error e = {0};
    (void)connection;
    a->type = JSON;
    answer_status(a, status_json(&a->text, http->engine, &e), &e);
}

static void get_timeline(struct http *http, struct MHD_Connection *connection, struct answer *a)
{
    struct cuzk_error e = {0};
    a->type = JSON;
    answer_status(a, status_timeline(&a->text, http->engine, number(connection, "from"), &e), &e);
}

static bool add_trace(void *user, const char *text, size_t size)
{
    struct text *t = user;
    text_add(t, text, size);
    return !t->failed && t->size < TRACE_MAX;
}

static void get_trace(struct http *http, struct MHD_Connection *connection, struct answer *a)
{
    struct cuzk_error e = {0};
    const char *job = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "job");
    a->type = JSON;
    a->name = "cuzk-trace.json";
    answer_status(a,
                  engine_trace(http->engine, job, number(connection, "from"), number(connection, "to"),
                               add_trace, &a->text, &e),
                  &e);
}

static void get_metrics(struct http *http, struct MHD_Connection *connection, struct answer *a)
{
    struct cuzk_error e = {0};
    (void)connection;
    a->type = "text/plain; version=0.0.4; charset=utf-8";
    answer_status(a, metrics_text(&a->text, http->engine, &e), &e);
}

static void get_health(struct http *http, struct MHD_Connection *connection, struct answer *a)
{
    (void)http;
    (void)connection;
    text_printf(&a->text, "ok\n");
}

static void get_readiness(struct http *http, struct MHD_Connection *connection, struct answer *a)
{
    char why[CUZK_ERROR_MESSAGE_MAX] = "";
    (void)connection;
    if (engine_ready(http->engine, why))
        text_printf(&a->text, "ready\n");
    else
        answer_error(a, MHD_HTTP_SERVICE_UNAVAILABLE, why);
}

static const struct route {
    const char *path;
    void (*get)(struct http *http, struct MHD_Connection *connection, struct answer *answer);
} ROUTES[] = {
    {"/status", get_status},   {"/timeline", get_timeline}, {"/trace", get_trace},
    {"/metrics", get_metrics}, {"/healthz", get_health},    {"/readyz", get_readiness},
};

static void find_answer(struct http *http, struct MHD_Connection *connection, const char *path,
                        struct answer *a)
{
    for (size_t i = 0; i < ARRAY_LEN(ROUTES); i++)
        if (strcmp(ROUTES[i].path, path) == 0) {
            ROUTES[i].get(http, connection, a);
            return;
        }
    for (const struct asset *asset = assets; asset->path; asset++)
        if (strcmp(asset->path, path) == 0) {
            a->type = asset->type;
            a->fixed = asset->data;
            a->fixed_size = asset->size;
            return;
        }
    answer_error(a, MHD_HTTP_NOT_FOUND, "nothing is served here");
}

/* ---- the server ---- */

static enum MHD_Result send_answer(struct MHD_Connection *connection, struct answer *a, const char *path)
{
    struct MHD_Response *r;
    if (a->text.failed)
        answer_error(a, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
    if (a->fixed) {
        r = MHD_create_response_from_buffer(a->fixed_size, (void *)(uintptr_t)a->fixed,
                                            MHD_RESPMEM_PERSISTENT);
    } else {
        r = MHD_create_response_from_buffer(a->text.size, a->text.data, MHD_RESPMEM_MUST_COPY);
        text_free(&a->text);
    }
    if (!r)
        return MHD_NO;
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, a->type);
    MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "Content-Security-Policy",
                            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                            "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    if (strcmp(path, "/status") == 0) /* monitors of the earlier system read it from pages of their own */
        MHD_add_response_header(r, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    if (a->name && a->code == MHD_HTTP_OK) {
        char disposition[64];
        snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"", a->name);
        MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition);
    }
    const enum MHD_Result result = MHD_queue_response(connection, a->code, r);
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **state)
{
    static char seen;
    struct http *http = user;
    struct answer a = {.code = MHD_HTTP_OK, .type = PLAIN};
    (void)version;
    (void)upload;
    if (!*state) { /* headers only: the answer is for the next call */
        *state = &seen;
        return MHD_YES;
    }
    if (*upload_size > 0) { /* a body is read and forgotten */
        *upload_size = 0;
        return MHD_YES;
    }
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        answer_error(&a, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD");
    else
        find_answer(http, connection, path, &a);
    const struct log_field fields[] = {{"path", path, 0}, {"code", NULL, (int64_t)a.code}, {NULL, NULL, 0}};
    log_line(http->log, LOG_TRACE, "http", fields, "%s", method);
    return send_answer(connection, &a, path);
}

/* host and port of "host:port" or "[host]:port". */
static bool split_address(const char *address, char host[256], const char **port)
{
    const char *colon = strrchr(address, ':');
    size_t size = colon ? (size_t)(colon - address) : 0;
    if (size >= 2 && address[0] == '[' && address[size - 1] == ']') {
        address++;
        size -= 2;
    }
    if (!colon || size >= 256)
        return false;
    memcpy(host, address, size);
    host[size] = 0;
    *port = colon + 1;
    return true;
}

static cuzk_status listen_at(struct http *http, const struct addrinfo *where, const char *address,
                             struct cuzk_error *e)
{
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_USE_ITC;
    if (where->ai_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    errno = 0;
    http->daemon =
        MHD_start_daemon(flags, 0, NULL, NULL, on_request, http, MHD_OPTION_SOCK_ADDR, where->ai_addr,
                         MHD_OPTION_THREAD_POOL_SIZE, 2u, MHD_OPTION_CONNECTION_LIMIT,
                         (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, 60u,
                         MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX / 2, MHD_OPTION_END);
    if (!http->daemon)
        return error_errno(e, errno ? errno : EADDRINUSE, "cannot listen at %s", address);
    return CUZK_OK;
}

cuzk_status http_new(struct http **out, struct engine *engine, const char *address, const struct log *log,
                     struct cuzk_error *e)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *where = NULL;
    const char *port;
    char host[256];
    sigset_t all, before;
    if (!split_address(address, host, &port))
        return error_set(e, CUZK_ERR_INPUT, "%s is not host:port", address);
    const int resolved = getaddrinfo(host, port, &hints, &where);
    if (resolved != 0)
        return error_set(e, CUZK_ERR_IO, "%s: %s", address, gai_strerror(resolved));
    struct http *http = mem_alloc(1, sizeof *http);
    cuzk_status status = http ? CUZK_OK : error_memory(e, sizeof *http, "the HTTP server");
    if (http)
        *http = (struct http){engine, log, NULL};
    sigfillset(&all); /* signals belong to the main thread */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (status == CUZK_OK)
        status = listen_at(http, where, address, e);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    freeaddrinfo(where);
    if (status != CUZK_OK) {
        mem_free(http);
        return status;
    }
    log_line(log, LOG_INFO, "http", NULL, "listening at %s", address);
    *out = http;
    return CUZK_OK;
}

void http_free(struct http *http)
{
    if (!http)
        return;
    MHD_stop_daemon(http->daemon);
    mem_free(http);
}
