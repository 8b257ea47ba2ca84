/* api/inspect.c - what is this file, and is it sound?
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "api/context.h"
#include "api/report.h"
#include "base/error.h"
#include "base/file.h"

/* Faults of the file; anything else (I/O, memory, a cancel) means that it could not be told. */
static bool is_verdict(cuzk_status status)
{
    return status == CUZK_ERR_INPUT || status == CUZK_ERR_MISMATCH || status == CUZK_ERR_UNSATISFIED ||
           status == CUZK_ERR_INVALID;
}

/* Facts in either form. */
struct facts {
    struct text text;
    bool json;
};

static void fact(struct facts *f, const char *key, const char *value)
{
    if (f->json)
        json_string(&f->text, key, value);
    else
        text_printf(&f->text, "%-18s %s\n", key, value);
}

static void fact_number(struct facts *f, const char *key, uint64_t value)
{
    if (f->json)
        json_u64(&f->text, key, value);
    else
        text_printf(&f->text, "%-18s %llu\n", key, (unsigned long long)value);
}

static void fact_hex(struct facts *f, const char *key, const uint8_t *bytes, size_t n)
{
    if (f->json) {
        json_hex(&f->text, key, bytes, n);
        return;
    }
    text_printf(&f->text, "%-18s ", key);
    text_hex(&f->text, bytes, n);
    text_add(&f->text, "\n", 1);
}

static void facts_of_request(struct facts *f, const struct request *r)
{
    const struct porep_statement *s = &r->porep;
    char name[POREP_NAME_MAX];
    porep_registered_name(&s->params, name);
    fact(f, "circuit", porep_params_circuit(&s->params));
    fact(f, "registered_proof", name);
    fact_number(f, "registered_number", s->params.registered_proof);
    fact_number(f, "sector_size", s->params.sector_size);
    fact_number(f, "partitions", s->params.partitions);
    fact_number(f, "challenges", (uint64_t)s->params.challenges * s->params.partitions);
    fact_hex(f, "comm_r", s->comm_r, 32);
    fact_hex(f, "comm_d", s->comm_d, 32);
    fact_hex(f, "replica_id", s->replica_id, 32);
    fact_hex(f, "seed", s->seed, 32);
    fact_hex(f, "ticket", s->ticket, 32);
}

/* A JSON file: a C1 output or a request. */
static cuzk_status inspect_request(cuzk_context *context, struct facts *f, const char *path,
                                   struct cuzk_error *e)
{
    struct request r = {0};
    const cuzk_status status = request_read(&context->exec, &r, path, true, e);
    if (status != CUZK_OK) {
        fact(f, "kind", "JSON: a C1 output or a request");
        return status;
    }
    fact(f, "kind", r.is_c1 ? (r.c1.wrapped ? "C1 output (wrapped)" : "C1 output (bare)") : "request");
    facts_of_request(f, &r);
    const cuzk_status checked = porep_c1_check(&context->exec, context->poseidon, &r.c1, e);
    request_free(&r);
    return checked;
}

static cuzk_status inspect_proof(struct facts *f, const uint8_t *data, size_t size, struct cuzk_error *e)
{
    fact(f, "kind", "proof");
    fact_number(f, "partitions", size / GROTH16_PROOF_BYTES);
    for (size_t i = 0; i < size / GROTH16_PROOF_BYTES; i++) {
        struct groth16_proof proof;
        const cuzk_status status = groth16_proof_read(&proof, data + i * GROTH16_PROOF_BYTES, e);
        if (status != CUZK_OK)
            return error_prefix(e, status, "partition %zu", i);
    }
    return CUZK_OK;
}

static cuzk_status inspect_params(cuzk_context *context, struct facts *f, const char *path,
                                  struct cuzk_error *e)
{
    fact(f, "kind", "parameters");
    struct groth16_params *p = NULL;
    const cuzk_status status = groth16_params_open(&context->exec, &p, path, GROTH16_PARAMS_NO_STAMP, e);
    if (status != CUZK_OK)
        return status;
    struct groth16_params_info info;
    groth16_params_info(p, &info);
    fact_number(f, "bytes", info.file_bytes);
    fact_number(f, "public_inputs", info.ic_count - 1);
    fact_number(f, "domain_log", info.domain_log);
    for (enum groth16_section s = GROTH16_H; s < GROTH16_SECTIONS; s++)
        fact_number(f, groth16_section_name(s), info.count[s]);
    if (info.digest[0])
        fact(f, "blake2b", info.digest);
    if (info.listed)
        fact_number(f, "sector_size", info.sector_size);
    groth16_params_free(p);
    return CUZK_OK;
}

/* Anything binary that is no proof: a key, or parameters, which begin with one. */
static cuzk_status inspect_key(cuzk_context *context, struct facts *f, const char *path, const uint8_t *data,
                               size_t size, struct cuzk_error *e)
{
    struct groth16_vk vk;
    size_t used = 0;
    cuzk_status status = groth16_vk_read(&vk, data, size, &used, e);
    if (status != CUZK_OK) {
        fact(f, "kind", "unknown");
        return error_prefix(e, status, "neither JSON, nor a proof, nor a key or parameters");
    }
    const uint32_t inputs = vk.ic_count - 1;
    groth16_vk_free(&vk);
    if (used != size)
        return inspect_params(context, f, path, e);
    fact(f, "kind", "verifying key");
    fact_number(f, "public_inputs", inputs);
    status = groth16_vk_open(&context->exec, &vk, path, e); /* once more, with its digest if one is listed */
    if (status == CUZK_OK)
        groth16_vk_free(&vk);
    return status;
}

/* Of a proof the length tells: no key is a whole number of proofs unless its count is so, and then its
 * first byte (an uncompressed point) has no flag where a proof's has. */
static bool looks_like_proof(const uint8_t *data, size_t size)
{
    return size % GROTH16_PROOF_BYTES == 0 && size <= 1024 * GROTH16_PROOF_BYTES && (data[0] & 0x80) != 0;
}

static cuzk_status inspect_bytes(cuzk_context *context, struct facts *f, const char *path,
                                 const struct file_map *map, struct cuzk_error *e)
{
    size_t blank = 0;
    while (blank < map->size && blank < 64 && strchr(" \t\r\n", map->data[blank]) && map->data[blank])
        blank++;
    if (blank < map->size && map->data[blank] == '{')
        return inspect_request(context, f, path, e);
    if (looks_like_proof(map->data, map->size))
        return inspect_proof(f, map->data, map->size, e);
    return inspect_key(context, f, path, map->data, map->size, e);
}

cuzk_status cuzk_inspect(cuzk_context *context, const char *path, enum cuzk_format format,
                         const struct cuzk_writer *out, bool *sound, struct cuzk_error *e)
{
    API_REQUIRE(e, context && path && out && out->write && sound);
    struct facts f = {.json = format == CUZK_FORMAT_JSON};
    struct cuzk_error fault = {0};
    struct file_map map = {0};
    if (f.json)
        json_open(&f.text, NULL, '{');
    fact(&f, "file", path);
    cuzk_status status = file_map(&map, path, 0, &fault);
    if (status == CUZK_OK) {
        status = inspect_bytes(context, &f, path, &map, &fault);
        file_unmap(&map);
    }
    if (status != CUZK_OK && !is_verdict(status)) {
        text_free(&f.text);
        return error_set(e, status, "%s", fault.message);
    }
    if (f.json)
        json_bool(&f.text, "sound", status == CUZK_OK);
    else
        fact(&f, "sound", status == CUZK_OK ? "yes" : "NO");
    if (status != CUZK_OK)
        fact(&f, "fault", fault.message);
    if (f.json)
        json_close(&f.text, '}');
    const bool yes = status == CUZK_OK;
    status = report_send(&f.text, out, e);
    if (status == CUZK_OK)
        *sound = yes;
    return status;
}
