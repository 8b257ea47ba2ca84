/* api/inspect.c - what is this file, and is it sound?
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>

#include "api/context.h"
#include "api/report.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "circuits/revision.h"
#include "groth16/srs_part.h"
#include "groth16/stamp.h"
#include "r1cs/template_file.h"

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

static void facts_of_porep(struct facts *f, const struct porep_statement *s)
{
    char name[POREP_NAME_MAX];
    porep_registered_name(&s->params, name);
    fact(f, "registered_proof", name);
    fact_number(f, "challenges", (uint64_t)s->params.challenges * s->params.partitions);
    fact_hex(f, "comm_r", s->comm_r, 32);
    fact_hex(f, "comm_d", s->comm_d, 32);
    fact_hex(f, "replica_id", s->replica_id, 32);
    fact_hex(f, "seed", s->seed, 32);
    fact_hex(f, "ticket", s->ticket, 32);
}

static void facts_of_post(struct facts *f, const struct post_statement *s)
{
    fact_number(f, "challenges", (uint64_t)s->params.challenges * s->sector_count);
    fact_hex(f, "randomness", s->randomness, 32);
    fact_number(f, "sectors", s->sector_count);
    if (s->sector_count == 1) {
        fact_number(f, "sector", s->sectors[0].id);
        fact_hex(f, "comm_r", s->sectors[0].comm_r, 32);
    } else {
        fact_number(f, "first_sector", s->sectors[0].id);
        fact_number(f, "last_sector", s->sectors[s->sector_count - 1].id);
    }
}

static void facts_of_snap(struct facts *f, const struct snap_statement *s)
{
    fact_number(f, "challenges", (uint64_t)s->params.challenges * s->params.partitions);
    fact_hex(f, "comm_r_old", s->comm_r_old, 32);
    fact_hex(f, "comm_d_new", s->comm_d_new, 32);
    fact_hex(f, "comm_r_new", s->comm_r_new, 32);
}

static void facts_of_request(struct facts *f, const struct request *r)
{
    fact(f, "circuit", request_circuit_name(r));
    fact(f, "request_kind", request_kind_text(r));
    fact_number(f, "registered_number", request_registered_proof(r));
    fact_number(f, "sector_size", request_sector_size(r));
    fact_number(f, "partitions", request_partitions(r));
    if (!r->is_c1)
        fact_number(f, "miner", r->miner);
    if (r->kind != REQUEST_POST && (!r->is_c1 || r->c1.wrapped))
        fact_number(f, "sector", r->sector);
    switch (r->kind) {
    case REQUEST_POREP:
        facts_of_porep(f, &r->porep);
        break;
    case REQUEST_POST:
        facts_of_post(f, &r->post);
        break;
    case REQUEST_SNAP:
        facts_of_snap(f, &r->snap);
        break;
    }
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
    const cuzk_status checked = request_check(&context->exec, context->poseidon, &r, e);
    if (checked == CUZK_OK || is_verdict(checked))
        fact(f, "vanilla_proof", checked == CUZK_OK ? "holds" : "does not hold");
    request_free(&r);
    return checked;
}

/* A vanilla proof says nothing of itself: which it can be follows from its exact length and form. *fits: its
 * length is that of one, and the status then tells whether its form is. */
static cuzk_status inspect_vanilla(cuzk_context *context, struct facts *f, const uint8_t *data, size_t size,
                                   bool *fits, struct cuzk_error *e)
{
    uint64_t sector_size;
    const char *name;
    char names[160] = "";
    cuzk_status verdict = CUZK_OK;
    *fits = false;
    for (size_t i = 0; (name = catalogue_name(i, &sector_size)) != NULL; i++) {
        if (!catalogue_vanilla_fits(name, size))
            continue;
        struct cuzk_error fault = {0};
        const cuzk_status status = catalogue_vanilla_read(&context->exec, name, data, size, &fault);
        if (status != CUZK_OK && !is_verdict(status))
            return error_set(e, status, "%s", fault.message);
        const size_t used = strlen(names);
        if (status == CUZK_OK)
            snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? " or " : "", name);
        else if (!*fits)
            verdict =
                error_set(e, status, "of the length of a vanilla proof of %s, but: %s", name, fault.message);
        *fits = true;
    }
    if (*fits)
        fact(f, "kind", names[0] ? "vanilla proof" : "unknown");
    if (!names[0])
        return verdict;
    fact(f, "circuit", names);
    fact(f, "vanilla_proof", "well formed; whether it holds is told of its request file");
    return CUZK_OK;
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

static cuzk_status inspect_folded(cuzk_context *context, struct facts *f, const char *path, unsigned flags,
                                  struct cuzk_error *e)
{
    fact(f, "kind", "folded parameters");
    struct groth16_srs *s = NULL;
    const cuzk_status status = groth16_srs_open(&context->exec, &s, path, flags, e);
    if (status != CUZK_OK)
        return status;
    struct groth16_srs_info info;
    groth16_srs_info(s, &info);
    fact_number(f, "bytes", info.file_bytes);
    fact(f, "circuit", info.circuit);
    fact_number(f, "public_inputs", info.inputs - 1);
    fact_number(f, "bits", info.bits);
    fact_number(f, "wide", info.wide);
    fact_number(f, "domain_log", info.domain_log);
    fact_number(f, "a", info.in_a);
    fact_number(f, "b", info.in_b);
    fact(f, "source", info.from_params ? "parameters" : "trapdoor");
    if (info.from_params)
        fact(f, "source_blake2b", info.source);
    fact(f, "header_blake2b", info.digest);
    groth16_srs_free(s);
    return CUZK_OK;
}

/* A key, or parameters, which begin with one. */
static cuzk_status inspect_key(cuzk_context *context, struct facts *f, const char *path, const uint8_t *data,
                               size_t size, struct cuzk_error *e)
{
    struct groth16_vk vk;
    size_t used = 0;
    cuzk_status status = groth16_vk_read(&vk, data, size, &used, e);
    if (status != CUZK_OK) {
        fact(f, "kind", "unknown");
        return error_prefix(e, status, "neither JSON, nor a proof, a vanilla proof, a key or parameters");
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

/* ---- what the program leaves beside parameters ---- */

_Static_assert(SRS_NAME_BYTES == TEMPLATE_NAME_MAX + 1, "both headers have room for the same names");

/* A circuit's name, filled up with zeros, as both headers state it. */
static bool circuit_name(char out[SRS_NAME_BYTES], const char *stated)
{
    if (!stated)
        return false;
    memcpy(out, stated, SRS_NAME_BYTES);
    return out[0] && memchr(out, 0, SRS_NAME_BYTES);
}

static cuzk_status inspect_templates(cuzk_context *context, struct facts *f, const char *path,
                                     const struct file_map *map, struct cuzk_error *e)
{
    struct template_identity id;
    struct templates t = {.bits = 0};
    memset(&id, 0, sizeof id);
    fact(f, "kind", "templates");
    fact_number(f, "bytes", map->size);
    if (!circuit_name(id.name, templates_stated_name(map->data, map->size)))
        return error_set(e, CUZK_ERR_INPUT, "%s: no circuit is named in it", path);
    fact(f, "circuit", id.name);
    memcpy(id.revision, circuits_revision, sizeof id.revision);
    cuzk_status status = templates_map(&context->exec, &t, path, &id, e);
    if (status == CUZK_OK)
        status = templates_check_digest(&t, path, e);
    if (status == CUZK_OK) {
        fact_number(f, "templates", t.count[TEMPLATE_TEMPLATES]);
        fact_number(f, "instances", t.count[TEMPLATE_INSTANCES]);
        fact_number(f, "rows", t.counts.rows);
        fact_number(f, "bits", t.bits);
        fact_number(f, "wide", t.wide);
    }
    templates_free(&t);
    return status;
}

static cuzk_status inspect_part(struct facts *f, const char *path, const struct file_map *map,
                                struct cuzk_error *e)
{
    char circuit[SRS_NAME_BYTES];
    fact(f, "kind", "folded parameters that are being made");
    fact_number(f, "bytes", map->size);
    if (circuit_name(circuit, srs_stated_name(map->data, map->size)))
        fact(f, "circuit", circuit);
    return error_set(e, CUZK_ERR_INPUT,
                     "%s is not whole: cuzk srs convert, called as before, goes on with it, or says why it "
                     "cannot",
                     path);
}

/* A stamp is as good as what it stands beside. */
static cuzk_status inspect_stamp(struct facts *f, const char *path, struct cuzk_error *e)
{
    const size_t n = strlen(path), cut = sizeof STAMP_SUFFIX - 1;
    char digest[DIGEST_TEXT];
    struct file_map of;
    fact(f, "kind", "stamp of a checked file");
    if (n <= cut || strcmp(path + n - cut, STAMP_SUFFIX) != 0)
        return error_set(e, CUZK_ERR_INPUT, "%s: a stamp's name ends in %s", path, STAMP_SUFFIX);
    char *file = mem_alloc(n - cut + 1, 1);
    if (!file)
        return error_memory(e, n, "a file name");
    memcpy(file, path, n - cut);
    fact(f, "of", file);
    cuzk_status status = file_map(&of, file, 0, e);
    if (status == CUZK_OK) {
        if (stamp_accepts(file, &of, digest))
            fact(f, "blake2b", digest);
        else
            status =
                error_set(e, CUZK_ERR_INPUT,
                          "%s has changed since, or was not checked by who may say so; it is checked again "
                          "when it is next used",
                          file);
        file_unmap(&of);
    }
    mem_free(file);
    return status;
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
    if (srs_is(map->data, map->size))
        return inspect_folded(context, f, path, GROTH16_PARAMS_NO_STAMP, e);
    if (templates_are(map->data, map->size))
        return inspect_templates(context, f, path, map, e);
    if (srs_part_is(map->data, map->size))
        return inspect_part(f, path, map, e);
    if (stamp_is(map->data, map->size))
        return inspect_stamp(f, path, e);
    bool fits;
    const cuzk_status status = inspect_vanilla(context, f, map->data, map->size, &fits, e);
    if (fits || status != CUZK_OK)
        return status;
    return inspect_key(context, f, path, map->data, map->size, e);
}

/* What is told of a mapped file. */
typedef cuzk_status inspector(cuzk_context *context, struct facts *f, const char *path,
                              const struct file_map *map, struct cuzk_error *e);

static cuzk_status check_folded(cuzk_context *context, struct facts *f, const char *path,
                                const struct file_map *map, struct cuzk_error *e)
{
    (void)map;
    return inspect_folded(context, f, path, GROTH16_SRS_RECHECK, e);
}

static cuzk_status report(cuzk_context *context, inspector *inspect, const char *path,
                          enum cuzk_format format, const struct cuzk_writer *out, bool *sound,
                          struct cuzk_error *e)
{
    struct facts f = {.json = format == CUZK_FORMAT_JSON};
    struct cuzk_error fault = {0};
    struct file_map map = {0};
    if (f.json)
        json_open(&f.text, NULL, '{');
    fact(&f, "file", path);
    cuzk_status status = file_map(&map, path, 0, &fault);
    if (status == CUZK_OK) {
        status = inspect(context, &f, path, &map, &fault);
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

cuzk_status cuzk_inspect(cuzk_context *context, const char *path, enum cuzk_format format,
                         const struct cuzk_writer *out, bool *sound, struct cuzk_error *e)
{
    API_REQUIRE(e, context && path && out && out->write && sound);
    return report(context, inspect_bytes, path, format, out, sound, e);
}

cuzk_status cuzk_srs_check(cuzk_context *context, const char *path, enum cuzk_format format,
                           const struct cuzk_writer *out, bool *sound, struct cuzk_error *e)
{
    API_REQUIRE(e, context && path && out && out->write && sound);
    return report(context, check_folded, path, format, out, sound, e);
}
