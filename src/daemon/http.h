/* daemon/http.h - the HTTP server: /status, /timeline, /trace, /metrics, /healthz, /readyz and the page
 * (web/). SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_HTTP_H
#define DAEMON_HTTP_H

#include "daemon/log.h"
#include "engine/engine.h"

struct http;

/* Listen at host:port ("[::1]:9821" too). CUZK_ERR_IO: it cannot. The engine outlives the server. */
cuzk_status http_new(struct http **out, struct engine *engine, const char *address, const struct log *log,
                     struct cuzk_error *e) MUST_USE;
void http_free(struct http *http); /* NULL is fine */

#endif
