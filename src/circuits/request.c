/* circuits/request.c - what a proof is asked for, read from a file as the command line takes it.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "circuits/reader.h"
#include "circuits/request.h"

/* Request files are small; what is larger is a C1. */
#define META_MAX ((size_t)4 << 20)

static const char META_SUFFIX[] = ".meta.json", C1_SUFFIX[] = ".c1.json";

/* A request file of kind porep*, as written. */
struct meta {
    const char *kind, *size;
    size_t kind_size, size_size;
    uint64_t registered_proof, miner, sector;
    uint8_t prover_id[32], porep_id[32], ticket[32], seed[32], comm_r[32], comm_d[32];
    bool found; /* it is a request file at all */
};

static enum json_result read_kind(struct reader *r, void *target, struct json_value *v)
{
    static const char *later[] = {"winning", "window", "window-v1", "snap", "snap-poseidon"};
    struct meta *m = target;
    const enum json_result result = reader_string(r, &m->kind, &m->kind_size, v);
    if (result != JSON_OK || (m->kind_size >= 5 && memcmp(m->kind, "porep", 5) == 0))
        return result;
    for (size_t i = 0; i < ARRAY_LEN(later); i++)
        if (strlen(later[i]) == m->kind_size && memcmp(later[i], m->kind, m->kind_size) == 0)
            return reader_fail(r,
                               error_set(r->e, CUZK_ERR_UNSUPPORTED,
                                         "requests of kind \"%s\" are not served: only PoRep is", later[i]));
    return reader_refuse(r, m->kind, "no kind of request is named so");
}

static enum json_result read_size(struct reader *r, void *target, struct json_value *v)
{
    struct meta *m = target;
    return reader_string(r, &m->size, &m->size_size, v);
}

static enum json_result read_u64(struct reader *r, void *target, struct json_value *v)
{
    return reader_u64(r, target, v);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum json_result read_hex32(struct reader *r, void *target, struct json_value *v)
{
    uint8_t *out = target;
    const char *text;
    size_t size;
    const enum json_result result = reader_string(r, &text, &size, v);
    if (result != JSON_OK)
        return result;
    if (size != 64)
        return reader_refuse(r, text, "%zu characters where there must be 64 hex digits", size);
    for (size_t i = 0; i < 32; i++) {
        const int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return reader_refuse(r, text + 2 * i, "not a hex digit");
        out[i] = (uint8_t)(high << 4 | low);
    }
    return JSON_OK;
}

static enum json_result read_element_hex(struct reader *r, void *target, struct json_value *v)
{
    fr element;
    size_t size;
    const enum json_result result = read_hex32(r, target, v);
    if (result == JSON_OK && !fr_read_le(&element, target))
        return reader_refuse(r, json_text(v, &size), "not below the field's modulus");
    return result;
}

static enum json_result on_first_look(void *ctx, const char *key, size_t size, struct json_value *v)
{
    struct reader *r = ctx;
    struct meta *m = r->user;
    if (size != 4 || memcmp(key, "kind", 4) != 0)
        return JSON_OK;
    m->found = true;
    reader_push_field(r, "kind", 4);
    const enum json_result result = read_kind(r, m, v);
    if (result != JSON_OK)
        return result;
    reader_pop(r);
    return JSON_STOP;
}

static enum json_result on_root(void *reader, unsigned pass, struct json_value *v)
{
    static const struct reader_field fields[] = {
        {"kind", read_kind, 0},
        {"size", read_size, 0},
        {"registered_proof", read_u64, offsetof(struct meta, registered_proof)},
        {"miner", read_u64, offsetof(struct meta, miner)},
        {"sector", read_u64, offsetof(struct meta, sector)},
        {"prover_id", read_hex32, offsetof(struct meta, prover_id)},
        {"porep_id", read_hex32, offsetof(struct meta, porep_id)},
        {"ticket", read_hex32, offsetof(struct meta, ticket)},
        {"seed", read_hex32, offsetof(struct meta, seed)},
        {"comm_r", read_element_hex, offsetof(struct meta, comm_r)},
        {"comm_d", read_element_hex, offsetof(struct meta, comm_d)},
    };
    struct reader *r = reader;
    struct meta *m = r->user;
    if (pass == 0)
        return reader_checked(r, v, json_object(v, on_first_look, r), "an object");
    return m->found ? reader_object(r, v, fields, ARRAY_LEN(fields), m) : JSON_STOP;
}

static const char *kind_of(const struct porep_params *p)
{
    switch (p->mode) {
    case POREP_SYNTHETIC:
        return "porep-syn";
    case POREP_NON_INTERACTIVE:
        return "porep-ni";
    default:
        return p->api == POREP_API_1_0 ? "porep-v1" : "porep";
    }
}

/* The payload of an actor's address: its number as an unsigned variable-length integer, 7 bits a byte, low
 * first. */
static void prover_of(uint8_t out[32], uint64_t miner)
{
    memset(out, 0, 32);
    for (unsigned i = 0; i == 0 || miner > 0; i++, miner >>= 7)
        out[i] = (uint8_t)((miner & 0x7f) | (miner >> 7 ? 0x80 : 0));
}

static bool same_text(const char *a, const char *b, size_t b_size)
{
    return strlen(a) == b_size && memcmp(a, b, b_size) == 0;
}

/* What is said twice must agree. */
static cuzk_status statement_of(struct porep_statement *s, const struct meta *m, struct cuzk_error *e)
{
    uint8_t prover[32];
    struct porep_params *p = &s->params;
    const cuzk_status status = porep_params_for_number(p, m->registered_proof, e);
    if (status != CUZK_OK)
        return error_prefix(e, status, "registered_proof");
    if (!same_text(kind_of(p), m->kind, m->kind_size))
        return error_set(e, CUZK_ERR_INPUT, "kind: registered proof %" PRIu64 " is of kind \"%s\"",
                         m->registered_proof, kind_of(p));
    if (!same_text(porep_size_text(p), m->size, m->size_size))
        return error_set(e, CUZK_ERR_INPUT, "size: registered proof %" PRIu64 " is for sectors of %s",
                         m->registered_proof, porep_size_text(p));
    if (memcmp(p->porep_id, m->porep_id, 32) != 0)
        return error_set(e, CUZK_ERR_INPUT, "porep_id: not that of registered proof %" PRIu64,
                         m->registered_proof);
    prover_of(prover, m->miner);
    if (memcmp(prover, m->prover_id, 32) != 0)
        return error_set(e, CUZK_ERR_INPUT, "prover_id: not that of miner %" PRIu64, m->miner);
    memcpy(s->comm_r, m->comm_r, 32);
    memcpy(s->comm_d, m->comm_d, 32);
    memcpy(s->seed, m->seed, 32);
    memcpy(s->ticket, m->ticket, 32);
    porep_replica_id(s->replica_id, p, m->prover_id, m->sector, m->ticket, m->comm_d);
    return CUZK_OK;
}

/* m->found tells whether the text is a request file; if it is not, nothing else is said of it. */
static cuzk_status meta_read(const struct exec *x, struct meta *m, struct porep_statement *s,
                             const struct file_map *file, struct cuzk_error *e)
{
    struct block text = {0};
    memset(m, 0, sizeof *m);
    cuzk_status status = block_new(&text, x->budget, file->size + JSON_PADDING, 1, "the request's text", e);
    if (status != CUZK_OK)
        return status;
    memcpy(text.ptr, file->data, file->size);
    struct reader r = {.x = x, .user = m, .document = "the file", .text = text.ptr, .e = e};
    status = reader_walk(&r, file->size, 2, on_root);
    if (status == CUZK_OK && m->found)
        status = statement_of(s, m, e);
    block_free(&text);
    return status;
}

static cuzk_status c1_map_and_read(const struct exec *x, struct porep_c1 *out, const char *path,
                                   struct cuzk_error *e)
{
    struct file_map file;
    cuzk_status status = file_map(&file, path, POREP_C1_MAX, e);
    if (status != CUZK_OK)
        return status;
    file_map_advise(&file, FILE_SEQUENTIAL);
    status = porep_c1_read(x, out, file.data, file.size, e);
    if (status != CUZK_OK)
        status = error_prefix(e, status, "%s", path);
    else if ((status = file_map_unchanged(&file, path, e)) != CUZK_OK)
        porep_c1_free(out);
    file_unmap(&file);
    return status;
}

static cuzk_status check_same(const struct porep_c1 *c1, const struct porep_statement *s, uint64_t sector,
                              const char *path, struct cuzk_error *e)
{
    const struct porep_statement *t = &c1->statement;
    const char *differs = NULL;
    if (t->params.registered_proof != s->params.registered_proof)
        differs = "registered_proof";
    else if (memcmp(t->comm_r, s->comm_r, 32) != 0)
        differs = "comm_r";
    else if (memcmp(t->comm_d, s->comm_d, 32) != 0)
        differs = "comm_d";
    else if (memcmp(t->ticket, s->ticket, 32) != 0)
        differs = "ticket";
    else if (memcmp(t->seed, s->seed, 32) != 0)
        differs = "seed";
    else if (c1->wrapped && c1->sector_number != sector)
        differs = "the sector's number";
    else if (memcmp(t->replica_id, s->replica_id, 32) != 0)
        differs = "replica_id";
    if (differs)
        return error_set(e, CUZK_ERR_MISMATCH, "%s: %s is not the request's", path, differs);
    return CUZK_OK;
}

/* The C1 beside a request file. */
static cuzk_status read_witness(const struct exec *x, struct request *q, const char *path, uint64_t sector,
                                struct cuzk_error *e)
{
    char c1_path[4096];
    const size_t n = strlen(path), suffix = sizeof META_SUFFIX - 1;
    if (n < suffix || strcmp(path + n - suffix, META_SUFFIX) != 0)
        return error_set(e, CUZK_ERR_INPUT, "%s: the C1 is looked for beside a file named *%s", path,
                         META_SUFFIX);
    const int size = snprintf(c1_path, sizeof c1_path, "%.*s%s", (int)(n - suffix), path, C1_SUFFIX);
    if (size < 0 || (size_t)size >= sizeof c1_path)
        return error_set(e, CUZK_ERR_INPUT, "a path of %zu characters", n);
    cuzk_status status = c1_map_and_read(x, &q->c1, c1_path, e);
    if (status != CUZK_OK)
        return status;
    status = check_same(&q->c1, &q->porep, sector, c1_path, e);
    if (status != CUZK_OK) {
        porep_c1_free(&q->c1);
        return status;
    }
    q->has_witness = true;
    return CUZK_OK;
}

static cuzk_status read_c1_request(const struct exec *x, struct request *q, const struct file_map *file,
                                   bool need_witness, struct cuzk_error *e)
{
    const cuzk_status status = porep_c1_read(x, &q->c1, file->data, file->size, e);
    if (status != CUZK_OK)
        return status;
    q->porep = q->c1.statement;
    q->is_c1 = true;
    q->has_witness = need_witness;
    if (!need_witness)
        porep_c1_free(&q->c1);
    return CUZK_OK;
}

cuzk_status request_read(const struct exec *x, struct request *out, const char *path, bool need_witness,
                         struct cuzk_error *e)
{
    struct file_map file;
    struct request q = {.kind = REQUEST_POREP};
    struct meta meta = {0};
    cuzk_status status = file_map(&file, path, POREP_C1_MAX, e);
    if (status != CUZK_OK)
        return status;
    file_map_advise(&file, FILE_SEQUENTIAL);
    if (file.size <= META_MAX)
        status = meta_read(x, &meta, &q.porep, &file, e);
    if (status == CUZK_OK && !meta.found)
        status = read_c1_request(x, &q, &file, need_witness, e);
    if (status != CUZK_OK)
        status = error_prefix(e, status, "%s", path);
    else
        status = file_map_unchanged(&file, path, e);
    file_unmap(&file);
    if (status == CUZK_OK && meta.found && need_witness)
        status = read_witness(x, &q, path, meta.sector, e);
    if (status == CUZK_OK)
        *out = q;
    else
        request_free(&q);
    return status;
}

void request_free(struct request *request)
{
    porep_c1_free(&request->c1);
    *request = (struct request){0};
}
