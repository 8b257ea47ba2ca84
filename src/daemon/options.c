/* daemon/options.c - the table of settings, and their values.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "daemon/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpus.h"
#include "circuits/catalogue.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)
#define TIB ((uint64_t)1 << 40)
#define DAY ((uint64_t)86400000)

static bool valid_listen(const char *text, char why[160]);
static bool valid_circuits(const char *text, char why[160]);
static bool valid_gpus(const char *text, char why[160]);
static bool valid_numbers(const char *text, char why[160]);

#define AT(member) offsetof(struct config, member)

/* In the order of the example file. */
const struct option config_options[] = {
    {"daemon", "listen", OPTION_WORDS, false, AT(listen), 0, 0, NULL, "unix:///run/curio/cuzk.sock",
     "where gRPC is served: unix:///path or host:port; several with commas between", valid_listen},
    {"daemon", "status_listen", OPTION_WORDS, false, AT(status_listen), 0, 0, NULL, "",
     "where HTTP is served (/status, /metrics, the status page): host:port; empty: nowhere", valid_listen},
    {"daemon", "state_folder", OPTION_TEXT, false, AT(state_folder), 0, 0, NULL, "/data/zk/cuzk-state",
     "journal, spooled payloads and bundles of failures; empty: nothing outlives the process", NULL},
    {"daemon", "message_limit", OPTION_SIZE, false, AT(message_limit), MIB, 2047 * MIB, NULL, "256MiB",
     "the largest message taken in one piece; SubmitProofStream has no such limit", NULL},
    {"daemon", "arriving_limit", OPTION_SIZE, false, AT(arriving_limit), MIB, TIB, NULL, "2GiB",
     "memory for messages on their way, as many as fit at their largest; others wait", NULL},
    {"daemon", "threads", OPTION_COUNT, false, AT(threads), 1, 64, NULL, "4",
     "threads that read requests and write answers", NULL},
    {"daemon", "drain_timeout", OPTION_TIME, true, AT(drain_timeout), 0, 7 * DAY, NULL, "10m",
     "how long SIGTERM waits for jobs in hand; what is left is taken up at the next start; 0: without limit",
     NULL},
    {"srs", "param_cache", OPTION_TEXT, false, AT(param_cache), 0, 0, NULL, "/data/zk/params",
     "folder of the parameter files", NULL},
    {"srs", "keep_loaded", OPTION_LIST, false, AT(keep_loaded), 0, 0, NULL, "",
     "circuits whose parameters are loaded at the start and not evicted, such as winning-32g",
     valid_circuits},
    {"srs", "max_loaded", OPTION_COUNT, true, AT(max_loaded), 0, 1000, NULL, "0",
     "circuits with loaded parameters at most; 0: no limit", NULL},
    {"srs", "preload", OPTION_IGNORED, false, 0, 0, 0, NULL, NULL, "use srs.keep_loaded", NULL},
    {"memory", "total_budget", OPTION_SIZE, false, AT(total_budget), 0, 1024 * TIB, NULL, "auto",
     "memory for all work; auto: what the machine, the cgroup and the memory nodes allow", NULL},
    {"memory", "safety_margin", OPTION_SIZE, false, AT(safety_margin), 0, TIB, NULL, "0",
     "of that, memory to leave alone", NULL},
    {"memory", "urgent_budget", OPTION_SIZE, false, AT(urgent_budget), 0, TIB, NULL, "auto",
     "of that, memory that only PoSt kinds may use; auto: a sixteenth", NULL},
    {"memory", "eviction_min_idle", OPTION_TIME, true, AT(eviction_min_idle), 0, 365 * DAY, NULL, "0",
     "parameters not used for so long are evicted; 0: never for this reason", NULL},
    {"memory", "pinned_budget", OPTION_IGNORED, false, 0, 0, 0, NULL, NULL, "memory.total_budget covers it",
     NULL},
    {"memory", "working_memory_budget", OPTION_IGNORED, false, 0, 0, 0, NULL, NULL,
     "memory.total_budget covers it", NULL},
    {"cpu", "variant", OPTION_CHOICE, false, AT(cpu_variant), 0, 0, "auto|portable|adx|ifma", "auto",
     "instruction set; auto: the best that the processor has", NULL},
    {"cpu", "use", OPTION_CHOICE, false, AT(cpu_use), 0, 0, "auto|always|fallback|never", "auto",
     "when the CPU proves: auto: if there is no other device, else only as a fallback", NULL},
    {"cpu", "threads", OPTION_COUNT, false, AT(cpu_threads), 0, 4096, NULL, "0",
     "threads of the CPU prover; 0: as many as the process may use", NULL},
    {"gpus", "devices", OPTION_WORDS, false, AT(gpus), 0, 0, NULL, "auto",
     "GPUs that prove: auto (all that there are), all (at least one), none, or their numbers: [0, 2]",
     valid_gpus},
    {"gpus", "post_only", OPTION_WORDS, false, AT(post_gpus), 0, 0, NULL, "",
     "of these, numbers of those that prove nothing but WinningPoSt and WindowPoSt: [1]", valid_numbers},
    {"gpus", "memory_limit", OPTION_SIZE, false, AT(gpu_memory), 0, TIB, NULL, "auto",
     "memory of each GPU that may be used; auto: what is free at the start", NULL},
    {"gpus", "gpu_workers_per_device", OPTION_COUNT, false, AT(gpu_workers), 0, 16, NULL, "0",
     "partitions at once on the CPU prover; 0: 1. A GPU proves one after the other", NULL},
    {"gpus", "gpu_threads", OPTION_COUNT, false, AT(gpu_threads), 0, 256, NULL, "0",
     "threads that copy to each GPU; 0: up to 8", NULL},
    {"gpus", "quarantine", OPTION_TIME, false, AT(quarantine), 1000, DAY, NULL, "10s",
     "how long a device that failed is left alone the first time; doubled each time", NULL},
    {"synthesis", "threads", OPTION_COUNT, false, AT(synthesis_threads), 0, 4096, NULL, "0",
     "threads of each worker that prepares partitions; 0: 1 if the CPU proves, else all", NULL},
    {"synthesis", "partition_workers", OPTION_IGNORED, false, 0, 0, 0, NULL, NULL,
     "use pipeline.synthesis_concurrency", NULL},
    {"pipeline", "synthesis_concurrency", OPTION_COUNT, false, AT(synthesis_workers), 0, 64, NULL, "1",
     "partitions that are prepared at once; 0: 1", NULL},
    {"pipeline", "synthesis_lookahead", OPTION_COUNT, false, AT(lookahead), 0, 64, NULL, "1",
     "partitions prepared ahead of each device, one more for a GPU; 0: 1", NULL},
    {"pipeline", "enabled", OPTION_IGNORED, false, 0, 0, 0, NULL, NULL, "work is always pipelined", NULL},
    {"pipeline", "max_parallel_synthesis", OPTION_IGNORED, false, 0, 0, 0, NULL, NULL,
     "pipeline.synthesis_concurrency and the memory budget limit it", NULL},
    {"pipeline", "slot_size", OPTION_IGNORED, false, 0, 0, 0, NULL, NULL,
     "partitions go through the pipeline one by one", NULL},
    {"pipeline", "max_gpu_queue_depth", OPTION_IGNORED, false, 0, 0, 0, NULL, NULL,
     "use pipeline.synthesis_lookahead", NULL},
    {"scheduler", "max_batch_size", OPTION_IGNORED, false, 0, 0, 0, NULL, NULL,
     "a GPU settles as many partitions together as its memory allows, of several sectors too", NULL},
    {"scheduler", "max_batch_wait_ms", OPTION_IGNORED, false, 0, 0, 0, NULL, NULL,
     "a batch waits for what is being prepared for it and for nothing else", NULL},
    {"scheduler", "sort_by_type", OPTION_IGNORED, false, 0, 0, 0, NULL, NULL,
     "partitions of the parameters in use always come first among equals", NULL},
    {"queue", "max_jobs", OPTION_COUNT, true, AT(max_jobs), 1, 1000000, NULL, "1024",
     "jobs accepted and not ended; above, clients are told to come back later", NULL},
    {"queue", "max_porep", OPTION_COUNT, true, AT(max_porep), 0, 1000000, NULL, "0",
     "of these, PoRep jobs; 0: as max_jobs", NULL},
    {"queue", "max_snap", OPTION_COUNT, true, AT(max_snap), 0, 1000000, NULL, "0",
     "of these, SnapDeals jobs; 0: as max_jobs", NULL},
    {"queue", "max_window", OPTION_COUNT, true, AT(max_window), 0, 1000000, NULL, "0",
     "of these, WindowPoSt jobs; 0: as max_jobs", NULL},
    {"queue", "max_winning", OPTION_COUNT, true, AT(max_winning), 0, 1000000, NULL, "0",
     "of these, WinningPoSt jobs; 0: as max_jobs", NULL},
    {"queue", "max_payload", OPTION_SIZE, true, AT(max_payload), MIB, 64 * GIB, NULL, "1GiB",
     "bytes of one job's vanilla proofs", NULL},
    {"queue", "max_bytes", OPTION_SIZE, true, AT(max_bytes), MIB, 64 * TIB, NULL, "16GiB",
     "bytes of the vanilla proofs of all jobs not ended", NULL},
    {"deadlines", "porep", OPTION_TIME, true, AT(deadline_porep), 0, 365 * DAY, NULL, "0",
     "when a PoRep is needed, after it was accepted; 0: at no certain time", NULL},
    {"deadlines", "snap", OPTION_TIME, true, AT(deadline_snap), 0, 365 * DAY, NULL, "0",
     "the same of SnapDeals", NULL},
    {"deadlines", "window", OPTION_TIME, true, AT(deadline_window), 1000, 365 * DAY, NULL, "30m",
     "the same of WindowPoSt", NULL},
    {"deadlines", "winning", OPTION_TIME, true, AT(deadline_winning), 1000, 365 * DAY, NULL, "20s",
     "the same of WinningPoSt", NULL},
    {"results", "keep", OPTION_TIME, true, AT(keep), 1000, 365 * DAY, NULL, "24h",
     "how long results are kept, to be fetched again", NULL},
    {"results", "max_jobs", OPTION_COUNT, true, AT(keep_jobs), 1, 10000000, NULL, "10000",
     "ended jobs that are kept at most", NULL},
    {"results", "max_bundles", OPTION_COUNT, false, AT(keep_bundles), 1, 10000, NULL, "16",
     "bundles of failed jobs, for replay, that are kept at most", NULL},
    {"logging", "level", OPTION_CHOICE, true, AT(log_level), 0, 0, "error|warn|info|debug|trace", "info",
     "what is logged", NULL},
    {"logging", "format", OPTION_CHOICE, true, AT(log_format), 0, 0, "text|json", "text",
     "how it is logged, on stderr", NULL},
};
const size_t config_option_count = ARRAY_LEN(config_options);

#undef AT

/* ---- texts ---- */

static bool refuse(char why[160], const char *what)
{
    snprintf(why, 160, "%s", what);
    return false;
}

static bool valid_address(const char *text, char why[160])
{
    static const char unix_scheme[] = "unix://";
    if (strncmp(text, unix_scheme, sizeof unix_scheme - 1) == 0) {
        const char *path = text + sizeof unix_scheme - 1;
        if (path[0] != '/')
            return refuse(why, "a socket needs an absolute path: unix:///path");
        if (strlen(path) > 107)
            return refuse(why, "a socket's path has at most 107 bytes");
        return true;
    }
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    const unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (colon && colon != text && colon[1] >= '0' && colon[1] <= '9' && !*end && port > 65535)
        return refuse(why, "a port is at most 65535");
    if (!colon || colon == text || colon[1] < '0' || colon[1] > '9' || *end)
        return refuse(why, "not unix:///path nor host:port");
    if (text[strspn(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_:[]")])
        return refuse(why, "a host's name has no such characters");
    return true;
}

/* Call valid for each of the parts that commas divide, without blanks. */
static bool valid_parts(const char *text, bool (*valid)(const char *part, char why[160]), char why[160])
{
    while (*text) {
        char part[CONFIG_TEXT];
        text += strspn(text, " ");
        const size_t all = strcspn(text, ",");
        size_t size = all;
        while (size > 0 && text[size - 1] == ' ')
            size--;
        if (size >= sizeof part)
            return refuse(why, "too long");
        memcpy(part, text, size);
        part[size] = 0;
        if (!valid(part, why))
            return false;
        text += all + (text[all] == ',');
    }
    return true;
}

static bool valid_listen(const char *text, char why[160])
{
    return valid_parts(text, valid_address, why);
}

static bool valid_circuit(const char *text, char why[160])
{
    struct any_circuit circuit;
    struct cuzk_error e;
    if (catalogue_blank(&circuit, NULL, text, &e) == CUZK_OK)
        return true;
    snprintf(why, 160, "no circuit is named \"%.40s\"", text);
    return false;
}

static bool valid_circuits(const char *text, char why[160])
{
    return valid_parts(text, valid_circuit, why);
}

static bool valid_gpus(const char *text, char why[160])
{
    char words[CONFIG_TEXT];
    struct cuzk_error e;
    gpus_words(text, words);
    if (gpus_words_check(words, &e) == CUZK_OK)
        return true;
    snprintf(why, 160, "\"%.40s\" names no GPUs: auto, all, none, or a list of numbers below %d", text,
             GPUS_MAX);
    return false;
}

static bool valid_number(const char *text, char why[160])
{
    const size_t digits = strspn(text, "0123456789");
    if (digits > 0 && digits <= 4 && text[digits] == 0 && strtoul(text, NULL, 10) < GPUS_MAX)
        return true;
    snprintf(why, 160, "\"%.40s\" is no GPU's number below %d", text, GPUS_MAX);
    return false;
}

static bool valid_numbers(const char *text, char why[160])
{
    return valid_parts(text, valid_number, why);
}

void gpus_words(const char *text, char out[CONFIG_TEXT])
{
    if (strcmp(text, "none") == 0) {
        snprintf(out, CONFIG_TEXT, "cpu");
    } else if (strcmp(text, "all") == 0) {
        snprintf(out, CONFIG_TEXT, "gpu");
    } else if (*text == 0) {
        snprintf(out, CONFIG_TEXT, "auto");
    } else if (*text >= '0' && *text <= '9') {
        size_t n = (size_t)snprintf(out, CONFIG_TEXT, "gpu:");
        for (; *text && n + 1 < CONFIG_TEXT; text++)
            if (*text != ' ')
                out[n++] = *text;
        out[n] = 0;
    } else {
        snprintf(out, CONFIG_TEXT, "%s", text);
    }
}

/* ---- numbers ---- */

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit SIZES[] = {
    {"", 1},      {"B", 1},     {"KiB", KIB},    {"MiB", MIB},       {"GiB", GIB},
    {"TiB", TIB}, {"KB", 1000}, {"MB", 1000000}, {"GB", 1000000000}, {"TB", 1000000000000}};
static const struct unit TIMES[] = {{"", 1000},     {"ms", 1},      {"s", 1000},    {"m", 60000},
                                    {"min", 60000}, {"h", 3600000}, {"d", 86400000}};

/* A whole number and a unit. False: it is none, or beyond 64 bits. */
static bool parse_with_unit(uint64_t *out, const char *text, const struct unit *units, size_t count)
{
    uint64_t value = 0;
    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return false;
    text += strspn(text, " ");
    for (size_t i = 0; i < count; i++)
        if (strcmp(units[i].name, text) == 0)
            return !__builtin_mul_overflow(value, units[i].factor, out);
    return false;
}

/* Exactly, with the largest unit that allows it; a plain number where there is one unit. */
static void print_with_unit(struct text *out, uint64_t value, const struct unit *units, size_t count)
{
    const struct unit *best = &units[count > 1];
    for (size_t i = 1; i < count; i++)
        if (value > 0 && value % units[i].factor == 0 && units[i].factor > best->factor)
            best = &units[i];
    text_printf(out, "%" PRIu64 "%s", value / best->factor, best->name);
}

static bool parse_choice(uint64_t *out, const char *choices, const char *text)
{
    const size_t size = strlen(text);
    for (uint64_t i = 0; *choices; i++) {
        const size_t n = strcspn(choices, "|");
        if (n == size && memcmp(choices, text, n) == 0) {
            *out = i;
            return true;
        }
        choices += n + (choices[n] == '|');
    }
    return false;
}

static bool set_number(const struct option *o, uint64_t *target, const char *text, char why[160])
{
    uint64_t value = 0;
    bool fine;
    if (o->type == OPTION_SIZE && o->min == 0 && strcmp(text, "auto") == 0)
        fine = true;
    else if (o->type == OPTION_SIZE)
        fine = parse_with_unit(&value, text, SIZES, ARRAY_LEN(SIZES));
    else if (o->type == OPTION_TIME)
        fine = parse_with_unit(&value, text, TIMES, ARRAY_LEN(TIMES));
    else if (o->type == OPTION_CHOICE)
        fine = parse_choice(&value, o->choices, text);
    else
        fine = parse_with_unit(&value, text, SIZES, 1);
    if (!fine) {
        snprintf(why, 160, "\"%.40s\" is not %s", text, option_type_text(o));
        return false;
    }
    if (o->type != OPTION_CHOICE && (value < o->min || value > o->max)) {
        struct text range = {0};
        const struct unit *units = o->type == OPTION_TIME ? TIMES : SIZES;
        const size_t count = o->type == OPTION_TIME ? ARRAY_LEN(TIMES) : o->type == OPTION_SIZE ? 6 : 1;
        print_with_unit(&range, o->min, units, count);
        text_printf(&range, " to ");
        print_with_unit(&range, o->max, units, count);
        snprintf(why, 160, "%.40s is out of range (%s)", text, range.data ? range.data : "");
        text_free(&range);
        return false;
    }
    *target = value;
    return true;
}

bool option_set(const struct option *o, struct config *c, const char *text, char why[160])
{
    char *const place = (char *)c + o->offset;
    if (o->type == OPTION_IGNORED)
        return true;
    if (o->type != OPTION_TEXT && o->type != OPTION_WORDS && o->type != OPTION_LIST)
        return set_number(o, (uint64_t *)(void *)place, text, why);
    if (strlen(text) >= CONFIG_TEXT)
        return refuse(why, "too long");
    if (o->valid && !o->valid(text, why))
        return false;
    snprintf(place, CONFIG_TEXT, "%s", text);
    return true;
}

bool option_takes(const struct option *o, enum toml_type type)
{
    switch (o->type) {
    case OPTION_COUNT:
        return type == TOML_INTEGER;
    case OPTION_SIZE:
    case OPTION_TIME:
        return type == TOML_INTEGER || type == TOML_STRING;
    case OPTION_LIST:
        return type == TOML_LIST;
    case OPTION_WORDS:
        return type == TOML_STRING || type == TOML_LIST;
    case OPTION_IGNORED:
        return true;
    default:
        return type == TOML_STRING;
    }
}

const char *option_type_text(const struct option *o)
{
    switch (o->type) {
    case OPTION_COUNT:
        return "a whole number";
    case OPTION_SIZE:
        return o->min == 0 ? "a size, such as \"64GiB\", or \"auto\"" : "a size, such as \"64GiB\"";
    case OPTION_TIME:
        return "a time, such as \"90s\" or \"5m\"";
    case OPTION_LIST:
        return "a list of names";
    case OPTION_CHOICE:
        return o->choices;
    default:
        return "a text";
    }
}

static void print_choice(struct text *out, const char *choices, uint64_t index)
{
    for (; index > 0; index--)
        choices += strcspn(choices, "|") + 1;
    text_add(out, choices, strcspn(choices, "|"));
}

void option_text(const struct option *o, const struct config *c, struct text *out)
{
    const char *place = (const char *)c + o->offset;
    const uint64_t number = o->type == OPTION_IGNORED ? 0 : *(const uint64_t *)(const void *)place;
    switch (o->type) {
    case OPTION_COUNT:
        text_printf(out, "%" PRIu64, number);
        break;
    case OPTION_SIZE:
        if (number == 0 && strcmp(o->standard, "auto") == 0)
            text_printf(out, "auto");
        else
            print_with_unit(out, number, SIZES, 6);
        break;
    case OPTION_TIME:
        print_with_unit(out, number, TIMES, ARRAY_LEN(TIMES));
        break;
    case OPTION_CHOICE:
        print_choice(out, o->choices, number);
        break;
    case OPTION_IGNORED:
        break;
    default:
        text_printf(out, "%s", place);
    }
}

/* ---- names ---- */

#define NAME_LONGEST 96

/* Levenshtein distance. */
static size_t distance(const char *a, const char *b)
{
    size_t row[NAME_LONGEST + 1];
    const size_t n = strnlen(a, NAME_LONGEST), m = strnlen(b, NAME_LONGEST);
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t above = row[j];
            size_t best = corner + (a[i - 1] != b[j - 1]);
            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
            corner = above;
        }
    }
    return row[m];
}

/* How far a name is from a setting's: SIZE_MAX if nobody would take one for the other. */
static size_t how_far(const char *name, const struct option *o, const char *known)
{
    const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
    const size_t section = strlen(o->section), whole = distance(name, known),
                 key = distance(last, o->key) + 1; /* in a wrong section, or in none */
    if (dot && (size_t)(dot - name) == section && memcmp(name, o->section, section) == 0 && *last &&
        (strstr(o->key, last) || strstr(last, o->key)))
        return 1; /* a part of the name, or more than it */
    const size_t a = whole <= 1 + strlen(name) / 3 ? whole : SIZE_MAX,
                 b = key <= 1 + strlen(last) / 3 ? key : SIZE_MAX;
    return a < b ? a : b;
}

bool option_nearest(const char *name, char out[128])
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < config_option_count; i++) {
        char known[128];
        snprintf(known, sizeof known, "%s.%s", config_options[i].section, config_options[i].key);
        const size_t d = how_far(name, &config_options[i], known);
        if (d < least) {
            least = d;
            memcpy(out, known, sizeof known);
        }
    }
    return least < SIZE_MAX;
}
