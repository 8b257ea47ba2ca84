/* groth16/manifest.c - parameters.json, which lists parameter files with their digests.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/manifest.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "circuits/json.h"

#define MANIFEST_NAME  "parameters.json"
#define MANIFEST_LIMIT ((size_t)16 << 20)

struct search {
    const char *name;
    struct manifest_entry entry;
    bool digest, sector_size; /* seen in the entry */
    const char *fault;
};

static enum json_result fail(struct search *s, const char *fault)
{
    s->fault = fault;
    return JSON_FAILED;
}

static enum json_result read_digest(struct search *s, const char *text, size_t size)
{
    if (size != DIGEST_TEXT + 1 || text[0] != '"' || text[size - 1] != '"' ||
        strspn(text + 1, "0123456789abcdef") < DIGEST_TEXT - 1)
        return fail(s, "\"digest\" is not 32 lower-case hex digits");
    memcpy(s->entry.digest, text + 1, DIGEST_TEXT - 1);
    s->digest = true;
    return JSON_OK;
}

static enum json_result read_sector_size(struct search *s, const char *text, size_t size)
{
    uint64_t n = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' || size > 18)
            return fail(s, "\"sector_size\" is not a number of bytes");
        n = 10 * n + (uint64_t)(text[i] - '0');
    }
    s->entry.sector_size = n;
    s->sector_size = true;
    return JSON_OK;
}

static enum json_result entry_field(void *ctx, const char *key, size_t key_size, struct json_value *value)
{
    size_t size;
    if (key_size == 6 && memcmp(key, "digest", 6) == 0) {
        const char *text = json_text(value, &size);
        return read_digest(ctx, text, size);
    }
    if (key_size == 11 && memcmp(key, "sector_size", 11) == 0) {
        const char *text = json_text(value, &size);
        return read_sector_size(ctx, text, size);
    }
    return JSON_OK;
}

static enum json_result entry(void *ctx, const char *key, size_t key_size, struct json_value *value)
{
    struct search *s = ctx;
    if (key_size != strlen(s->name) || memcmp(key, s->name, key_size) != 0)
        return JSON_OK;
    if (s->entry.listed)
        return fail(s, "is listed twice");
    s->entry.listed = true;
    const enum json_result result = json_object(value, entry_field, s);
    if (result == JSON_OK && !(s->digest && s->sector_size))
        return fail(s, "lacks \"digest\" or \"sector_size\"");
    return result;
}

static enum json_result root(void *ctx, unsigned pass, struct json_value *value)
{
    (void)pass;
    return json_object(value, entry, ctx);
}

cuzk_status manifest_parse(struct manifest_entry *out, const uint8_t *in, size_t size, const char *name,
                           struct cuzk_error *e)
{
    struct search s = {.name = name};
    struct json_problem problem;
    switch (json_walk(in, size, 1, root, &s, &problem)) {
    case JSON_OK:
    case JSON_STOP:
        *out = s.entry;
        return CUZK_OK;
    case JSON_FAILED:
        return error_set(e, CUZK_ERR_INPUT, "%s: %s", name, s.fault);
    case JSON_SYNTAX:
        return error_set(e, CUZK_ERR_INPUT, "malformed JSON at byte %zu: %s", problem.offset, problem.what);
    case JSON_TYPE:
        return error_set(e, CUZK_ERR_INPUT, "not an object of objects");
    case JSON_MEMORY:
        break;
    }
    return error_memory(e, json_memory(size), "a JSON reader");
}

static cuzk_status parse_file(struct manifest_entry *out, const char *manifest, const char *name,
                              struct cuzk_error *e)
{
    uint8_t *text;
    size_t size;
    cuzk_status status = file_read(&text, &size, manifest, MANIFEST_LIMIT, e);
    if (status != CUZK_OK)
        return status;
    uint8_t *padded = mem_alloc(size + JSON_PADDING, 1);
    if (padded)
        memcpy(padded, text, size);
    mem_free(text);
    if (!padded)
        return error_memory(e, size, manifest);
    status =
        size ? manifest_parse(out, padded, size, name, e) : error_set(e, CUZK_ERR_INPUT, "the file is empty");
    mem_free(padded);
    return status == CUZK_OK ? status : error_prefix(e, status, "%s", manifest);
}

cuzk_status manifest_lookup(struct manifest_entry *out, const char *path, struct cuzk_error *e)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *manifest = mem_alloc(folder + sizeof MANIFEST_NAME, 1);
    if (!manifest)
        return error_memory(e, folder + sizeof MANIFEST_NAME, "a file name");
    memcpy(manifest, path, folder);
    memcpy(manifest + folder, MANIFEST_NAME, sizeof MANIFEST_NAME);
    struct manifest_entry entry_found = {.listed = false};
    cuzk_status status = CUZK_OK;
    if (access(manifest, F_OK) == 0 || errno != ENOENT)
        status = parse_file(&entry_found, manifest, path + folder, e);
    mem_free(manifest);
    if (status == CUZK_OK)
        *out = entry_found;
    return status;
}

cuzk_status manifest_compare(const struct manifest_entry *entry_listed, const char *path, const char *digest,
                             struct cuzk_error *e)
{
    if (!entry_listed->listed || strcmp(entry_listed->digest, digest) == 0)
        return CUZK_OK;
    return error_set(e, CUZK_ERR_INPUT, "%s: its BLAKE2b digest is %s, " MANIFEST_NAME " expects %s", path,
                     digest, entry_listed->digest);
}
