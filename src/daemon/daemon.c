/* daemon/daemon.c - the daemon's life: engine, servers, signals.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "daemon/daemon.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/timing.h"
#include "daemon/devices.h"
#include "daemon/http.h"
#include "daemon/notify.h"
#include "daemon/rpc.h"

#define TICK_NS        50000000L
#define LOADING_NS     ((uint64_t)5 * 1000000000) /* between two words to systemd while parameters are loaded */
#define LAST_ANSWER_MS 3000                       /* for answers on their way when all jobs have ended */

struct life {
    const struct daemon_options *options;
    struct config config;
    struct log log;
    struct devices devices;
    struct engine *engine;
    _Atomic(struct rpc *) rpc; /* the engine's events come before it is there */
    struct http *http;
    pthread_t drain_thread, keep_thread;
    bool draining, keeping, ready;
    _Atomic bool kept; /* what is kept loaded is there */
    _Atomic bool drained;
    volatile int hurry;
    uint64_t told_ns;
};

/* ---- events to the log and to those who wait ---- */

static void on_event(void *user, const struct engine_event *event)
{
    struct life *l = user;
    struct rpc *rpc = l->rpc;
    log_event(&l->log, event);
    if (rpc)
        rpc_event(rpc, event);
}

/* ---- settings ---- */

static void take_log_settings(struct life *l)
{
    l->log.level = (int)l->config.log_level;
    l->log.format = (int)l->config.log_format;
}

static void log_warnings(struct life *l, const struct config_warnings *warnings)
{
    for (unsigned i = 0; i < warnings->count; i++)
        log_line(&l->log, LOG_WARN, "config", NULL, "%s", warnings->text[i]);
}

/* The settings as they would be if the daemon were started now. */
static cuzk_status read_settings(struct life *l, struct config *next, struct config_warnings *warnings,
                                 struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    config_defaults(next);
    if (l->options->config_path)
        status = config_read_file(next, warnings, l->options->config_path, e);
    for (unsigned i = 0; status == CUZK_OK && i < l->options->change_count; i++)
        status = config_set(next, warnings, l->options->changes[i], e);
    return status == CUZK_OK ? config_check(next, e) : status;
}

static void reload(struct life *l)
{
    struct config next;
    struct config_warnings warnings = {.count = 0};
    struct engine_options options;
    struct text fixed = {0};
    struct cuzk_error e;
    char state[64];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%llu",
             (unsigned long long)(timing_now() / 1000));
    notify(l->options->notify_socket, state);
    if (read_settings(l, &next, &warnings, &e) != CUZK_OK) {
        log_line(&l->log, LOG_ERROR, "config", NULL, "not reloaded: %s", e.message);
    } else {
        config_reload(&l->config, &next, &fixed);
        take_log_settings(l);
        config_engine(&l->config, &options);
        engine_reconfigure(l->engine, &options);
        rpc_reconfigure(l->rpc, &l->config);
        log_warnings(l, &warnings);
        if (fixed.size > 0)
            log_line(&l->log, LOG_WARN, "config", NULL, "reloaded, but for what needs a restart: %s",
                     fixed.data);
        else
            log_line(&l->log, LOG_INFO, "config", NULL, "reloaded");
        text_free(&fixed);
    }
    if (l->ready)
        notify(l->options->notify_socket, "READY=1");
}

/* ---- draining ---- */

static void *drain(void *arg)
{
    struct life *l = arg;
    if (engine_drain(l->engine, l->config.drain_timeout, &l->hurry))
        log_line(&l->log, LOG_INFO, "daemon", NULL, "all jobs have ended");
    else
        log_line(&l->log, LOG_WARN, "daemon", NULL, "stopping with jobs in hand%s",
                 l->config.state_folder[0] ? "; the next start takes them up" : "");
    engine_stop(l->engine);
    l->drained = true;
    return NULL;
}

static void on_stop_signal(struct life *l, int number)
{
    if (l->draining) {
        __atomic_store_n(&l->hurry, 1, __ATOMIC_RELAXED);
        return;
    }
    log_line(&l->log, LOG_INFO, "daemon", NULL,
             "%s: no new jobs; waiting for those in hand (again: stop now)",
             number == SIGINT ? "SIGINT" : "SIGTERM");
    notify(l->options->notify_socket, "STOPPING=1");
    l->draining = pthread_create(&l->drain_thread, NULL, drain, l) == 0;
    if (!l->draining) { /* no thread: at once then */
        engine_stop(l->engine);
        l->drained = true;
    }
}

/* ---- parameters that are kept loaded ---- */

static void *keep_loaded(void *arg)
{
    struct life *l = arg;
    char circuit[CONFIG_TEXT];
    for (unsigned i = 0; config_kept_circuit(&l->config, i, circuit); i++) {
        struct cuzk_error e;
        bool already;
        uint64_t milliseconds;
        if (engine_preload(l->engine, circuit, &already, &milliseconds, &e) != CUZK_OK)
            log_line(&l->log, LOG_ERROR, "srs", NULL, "%s is not kept loaded: %s", circuit, e.message);
    }
    engine_loading(l->engine, false);
    l->kept = true;
    return NULL;
}

/* ---- start and end ---- */

static cuzk_status begin(struct life *l, struct cuzk_error *e)
{
    struct engine_options options;
    struct rpc *rpc = NULL;
    config_engine(&l->config, &options);
    options.event = on_event;
    options.event_user = l;
    cuzk_status status = devices_open(&l->devices, &l->config, &l->log, e);
    if (status != CUZK_OK)
        return status;
    options.devices = l->devices.list;
    options.device_count = l->devices.count;
    options.device_kinds = l->devices.kinds;
    status = engine_new(&l->engine, &options, e);
    if (status == CUZK_OK)
        engine_loading(l->engine, l->config.keep_loaded[0]);
    if (status == CUZK_OK)
        status = rpc_new(&rpc, l->engine, &l->config, &l->log, e);
    l->rpc = rpc;
    if (status == CUZK_OK && l->config.status_listen[0])
        status = http_new(&l->http, l->engine, l->config.status_listen, &l->log, e);
    if (status == CUZK_OK && l->config.keep_loaded[0]) {
        const int failed = pthread_create(&l->keep_thread, NULL, keep_loaded, l);
        if (failed)
            return error_errno(e, failed, "no thread that loads parameters");
        l->keeping = true;
    }
    return status;
}

static void end(struct life *l)
{
    struct rpc *rpc = l->rpc;
    if (l->engine)
        engine_stop(l->engine);
    if (l->draining)
        pthread_join(l->drain_thread, NULL);
    if (l->keeping)
        pthread_join(l->keep_thread, NULL);
    if (rpc)
        rpc_stop(rpc, l->hurry ? 0 : LAST_ANSWER_MS);
    http_free(l->http);
    l->rpc = NULL;
    engine_free(l->engine); /* no event comes any more */
    devices_close(&l->devices);
    rpc_free(rpc);
}

/* It serves from the start on; it is ready when what is to be kept loaded is there. */
static void tell_ready(struct life *l)
{
    if (l->ready || (l->keeping && !l->kept))
        return;
    l->ready = true;
    notify(l->options->notify_socket, "READY=1");
    log_line(&l->log, LOG_INFO, "daemon", NULL, "ready");
}

static void tell_watchdog(struct life *l)
{
    const uint64_t now = timing_now();
    if (!l->ready && now - l->told_ns > LOADING_NS) {
        l->told_ns = now;
        notify(l->options->notify_socket, "EXTEND_TIMEOUT_USEC=60000000");
    }
    if (l->options->watchdog_us == 0 || now - l->told_ns < l->options->watchdog_us * 1000 / 3)
        return;
    l->told_ns = now;
    notify(l->options->notify_socket, "WATCHDOG=1");
}

cuzk_status daemon_run(const struct daemon_options *options, struct cuzk_error *e)
{
    struct life l = {.options = options, .config = options->config, .log = {.fd = STDERR_FILENO}};
    const struct timespec tick = {0, TICK_NS};
    sigset_t signals;
    take_log_settings(&l);
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL); /* inherited by all threads */
    signal(SIGPIPE, SIG_IGN);
    log_line(&l.log, LOG_INFO, "daemon", NULL, "cuzk-daemon %s", CUZK_VERSION);
    const cuzk_status status = begin(&l, e);
    while (status == CUZK_OK && !l.drained) {
        tell_ready(&l);
        const int number = sigtimedwait(&signals, NULL, &tick);
        if (number == SIGTERM || number == SIGINT)
            on_stop_signal(&l, number);
        else if (number == SIGHUP)
            reload(&l);
        rpc_tick(l.rpc);
        tell_watchdog(&l);
    }
    end(&l);
    if (status == CUZK_OK)
        log_line(&l.log, LOG_INFO, "daemon", NULL, "stopped");
    return status;
}
