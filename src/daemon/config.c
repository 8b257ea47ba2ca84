/* daemon/config.c - reading settings, and what follows from them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "daemon/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "daemon/options.h"

void config_defaults(struct config *c)
{
    char why[160];
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < config_option_count; i++) {
        const bool fine = config_options[i].type == OPTION_IGNORED ||
                          option_set(&config_options[i], c, config_options[i].standard, why);
        VERIFY(fine);
        (void)fine;
    }
}

static const struct option *find(const char *section, const char *key)
{
    for (size_t i = 0; i < config_option_count; i++)
        if (strcmp(config_options[i].section, section) == 0 && strcmp(config_options[i].key, key) == 0)
            return &config_options[i];
    return NULL;
}

static cuzk_status unknown(const char *place, const char *section, const char *key, struct cuzk_error *e)
{
    char name[256], nearest[128];
    snprintf(name, sizeof name, "%.100s%s%.100s", section, *section ? "." : "", key);
    if (!option_nearest(name, nearest))
        return error_set(e, CUZK_ERR_INPUT, "%sunknown setting %s (--help lists all)", place, name);
    return error_set(e, CUZK_ERR_INPUT, "%sunknown setting %s (nearest known one: %s)", place, name, nearest);
}

static void warn_ignored(struct config_warnings *w, const char *place, const struct option *o)
{
    if (w->count < ARRAY_LEN(w->text))
        snprintf(w->text[w->count++], sizeof w->text[0], "%.120s%s.%s has no effect: %s", place, o->section,
                 o->key, o->help);
}

/* ---- files ---- */

struct reading {
    struct config *config;
    struct config_warnings *warnings;
    const char *name;
    cuzk_status status;
    struct cuzk_error *e;
};

static bool on_item(void *ctx, const struct toml_item *item)
{
    struct reading *r = ctx;
    const struct option *o = find(item->section, item->key);
    char place[CONFIG_TEXT + 16], why[160];
    snprintf(place, sizeof place, "%.*s:%u: ", CONFIG_TEXT - 1, r->name, item->line);
    if (!o) {
        r->status = unknown(place, item->section, item->key, r->e);
        return false;
    }
    if (o->type == OPTION_IGNORED) {
        warn_ignored(r->warnings, place, o);
        return true;
    }
    if (!option_takes(o, item->type)) {
        r->status = error_set(r->e, CUZK_ERR_INPUT, "%s%s.%s must be %s", place, o->section, o->key,
                              option_type_text(o));
        return false;
    }
    if (!option_set(o, r->config, item->text, why)) {
        r->status = error_set(r->e, CUZK_ERR_INPUT, "%s%s.%s: %s", place, o->section, o->key, why);
        return false;
    }
    return true;
}

cuzk_status config_read(struct config *c, struct config_warnings *warnings, const char *text, size_t size,
                        const char *name, struct cuzk_error *e)
{
    struct config next = *c;
    struct reading r = {&next, warnings, name, CUZK_OK, e};
    struct toml_problem problem;
    if (toml_walk(text, size, on_item, &r, &problem)) {
        *c = next;
        return CUZK_OK;
    }
    if (r.status != CUZK_OK)
        return r.status;
    return error_set(e, CUZK_ERR_INPUT, "%s:%u:%u: %s", name, problem.line, problem.column, problem.what);
}

cuzk_status config_read_file(struct config *c, struct config_warnings *warnings, const char *path,
                             struct cuzk_error *e)
{
    uint8_t *text;
    size_t size;
    cuzk_status status = file_read(&text, &size, path, CONFIG_FILE_MAX, e);
    if (status != CUZK_OK)
        return status;
    status = config_read(c, warnings, (const char *)text, size, path, e);
    mem_free(text);
    return status;
}

cuzk_status config_set(struct config *c, struct config_warnings *warnings, const char *assignment,
                       struct cuzk_error *e)
{
    char name[128], why[160];
    const size_t size = strcspn(assignment, "=");
    if (!assignment[size] || size >= sizeof name)
        return error_set(e, CUZK_ERR_ARGUMENT, "\"%.60s\" is not section.key=value", assignment);
    snprintf(name, sizeof name, "%.*s", (int)size, assignment);
    char *dot = strrchr(name, '.');
    if (!dot)
        return unknown("", "", name, e);
    *dot = 0;
    const struct option *o = find(name, dot + 1);
    if (!o)
        return unknown("", name, dot + 1, e);
    if (o->type == OPTION_IGNORED)
        warn_ignored(warnings, "", o);
    else if (!option_set(o, c, assignment + size + 1, why))
        return error_set(e, CUZK_ERR_ARGUMENT, "%s.%s: %s", o->section, o->key, why);
    return CUZK_OK;
}

/* ---- what follows ---- */

static bool next_part(const char *text, unsigned i, char out[CONFIG_TEXT])
{
    for (;; i--) {
        text += strspn(text, ", ");
        size_t size = strcspn(text, ",");
        if (*text == 0)
            return false;
        if (i == 0) {
            while (size > 0 && text[size - 1] == ' ')
                size--;
            snprintf(out, CONFIG_TEXT, "%.*s", (int)size, text);
            return true;
        }
        text += size;
    }
}

bool config_address(const struct config *c, unsigned i, char out[CONFIG_TEXT])
{
    return next_part(c->listen, i, out);
}

bool config_kept_circuit(const struct config *c, unsigned i, char out[CONFIG_TEXT])
{
    return next_part(c->keep_loaded, i, out);
}

bool config_post_gpu(const struct config *c, unsigned i, unsigned *out)
{
    char number[CONFIG_TEXT];
    if (!next_part(c->post_gpus, i, number))
        return false;
    *out = (unsigned)strtoul(number, NULL, 10); /* valid, as the option's check has it */
    return true;
}

void config_gpus(const struct config *c, char out[CONFIG_TEXT])
{
    gpus_words(c->gpus, out);
}

cuzk_status config_check(const struct config *c, struct cuzk_error *e)
{
    char address[CONFIG_TEXT];
    struct stat st;
    if (!config_address(c, 0, address))
        return error_set(e, CUZK_ERR_INPUT, "daemon.listen: no address");
    if (strncmp(c->status_listen, "unix:", 5) == 0 || strchr(c->status_listen, ','))
        return error_set(e, CUZK_ERR_INPUT, "daemon.status_listen: one host:port");
    if (c->param_cache[0] != '/')
        return error_set(e, CUZK_ERR_INPUT, "srs.param_cache: an absolute path");
    if (c->state_folder[0] && c->state_folder[0] != '/')
        return error_set(e, CUZK_ERR_INPUT, "daemon.state_folder: an absolute path, or empty");
    if (stat(c->param_cache, &st) != 0 || !S_ISDIR(st.st_mode))
        return error_set(e, CUZK_ERR_INPUT,
                         "srs.param_cache: %s is not a folder: make it, or set where the parameters are",
                         c->param_cache);
    if (c->total_budget && c->safety_margin >= c->total_budget)
        return error_set(e, CUZK_ERR_INPUT, "memory.safety_margin: not below memory.total_budget");
    if (c->max_payload > c->max_bytes)
        return error_set(e, CUZK_ERR_INPUT, "queue.max_payload: above queue.max_bytes");
    return CUZK_OK;
}

void config_reload(struct config *c, const struct config *next, struct text *fixed)
{
    for (size_t i = 0; i < config_option_count; i++) {
        const struct option *o = &config_options[i];
        const bool is_text = o->type == OPTION_TEXT || o->type == OPTION_WORDS || o->type == OPTION_LIST;
        const size_t size = is_text ? CONFIG_TEXT : sizeof(uint64_t);
        char *to = (char *)c + o->offset;
        const char *from = (const char *)next + o->offset;
        if (o->type == OPTION_IGNORED || (is_text ? strcmp(to, from) == 0 : memcmp(to, from, size) == 0))
            continue;
        if (o->reloads)
            memcpy(to, from, size);
        else
            text_printf(fixed, "%s%s.%s", fixed->size ? ", " : "", o->section, o->key);
    }
}

void config_engine(const struct config *c, struct engine_options *out)
{
    static const char *const variants[] = {"auto", "portable", "adx", "ifma"};
    *out = (struct engine_options){
        .param_cache = c->param_cache,
        .state_folder = c->state_folder[0] ? c->state_folder : NULL,
        .cpu = variants[c->cpu_variant],
        .threads = (unsigned)c->cpu_threads,
        .host_threads = (unsigned)c->synthesis_threads,
        .memory_limit = c->total_budget,
        .memory_margin = c->safety_margin,
        .urgent_memory = c->urgent_budget,
        .cpu_use = (enum engine_cpu_use)c->cpu_use,
        .device_workers = (unsigned)c->gpu_workers,
        .quarantine_ms = (unsigned)c->quarantine,
        .witness_workers = (unsigned)c->synthesis_workers,
        .lookahead = (unsigned)c->lookahead,
        .max_jobs = (unsigned)c->max_jobs,
        .max_jobs_by_kind = {[ENGINE_POREP] = (unsigned)c->max_porep,
                             [ENGINE_SNAP] = (unsigned)c->max_snap,
                             [ENGINE_WINDOW_POST] = (unsigned)c->max_window,
                             [ENGINE_WINNING_POST] = (unsigned)c->max_winning},
        .max_payload = c->max_payload,
        .max_queued_bytes = c->max_bytes,
        .default_deadline_ms = {[ENGINE_POREP] = c->deadline_porep,
                                [ENGINE_SNAP] = c->deadline_snap,
                                [ENGINE_WINDOW_POST] = c->deadline_window,
                                [ENGINE_WINNING_POST] = c->deadline_winning},
        .keep_ms = c->keep,
        .keep_jobs = (unsigned)c->keep_jobs,
        .keep_bundles = (unsigned)c->keep_bundles,
        .srs_idle_ms = c->eviction_min_idle,
        .srs_max = (unsigned)c->max_loaded,
    };
}
