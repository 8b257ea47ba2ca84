/* circuits/request_meta.c - request files: JSON statements of all kinds.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/request_meta.h"

#include <inttypes.h>
#include <string.h>

#include "circuits/reader.h"

#define NAME_MAX_BYTES 255 /* of a file's name */

/* A request file as written. */
struct meta {
    const struct kind_row *kind; /* NULL: it is no request file */
    const char *size;
    size_t size_size;
    uint64_t registered_proof, miner, sector;
    uint8_t prover_id[32], porep_id[32], ticket[32], seed[32], comm_r[32], comm_d[32];
    uint8_t randomness[32];
    uint8_t comm_r_old[32], comm_d_new[32], comm_r_new[32];
    size_t sector_count; /* as the first pass counted them */
    struct post_sector *sectors;
    struct request_names vanilla;
    struct arena *arena;
};

/* ---- values ---- */

static struct meta *meta_of(const struct reader *r)
{
    return r->user;
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

static enum json_result read_sector_ids(struct reader *r, void *target, struct json_value *v)
{
    struct meta *m = target;
    return reader_array(r, v, "sectors", m->sector_count, sizeof *m->sectors, read_u64,
                        (uint8_t *)m->sectors + offsetof(struct post_sector, id));
}

static enum json_result read_sector_comm_r(struct reader *r, void *target, struct json_value *v)
{
    struct meta *m = target;
    return reader_array(r, v, "commitments", m->sector_count, sizeof *m->sectors, read_element_hex,
                        (uint8_t *)m->sectors + offsetof(struct post_sector, comm_r));
}

/* A file beside the request file, and nowhere else. */
static enum json_result read_file_name(struct reader *r, void *target, struct json_value *v)
{
    const char *text;
    size_t size;
    const enum json_result result = reader_string(r, &text, &size, v);
    if (result != JSON_OK)
        return result;
    if (size == 0 || size > NAME_MAX_BYTES)
        return reader_refuse(r, text, "a file name of %zu bytes", size);
    for (size_t i = 0; i < size; i++)
        if (text[i] == '/' || (unsigned char)text[i] < 0x20 ||
            (i > 0 && text[i - 1] == '.' && text[i] == '.'))
            return reader_refuse(
                r, text + i, "the name must be that of a file beside the request file, without '/' and '..'");
    char *name = arena_alloc(meta_of(r)->arena, size + 1, 1);
    if (!name)
        return reader_fail(r, error_memory(r->e, size + 1, "the names of files"));
    memcpy(name, text, size);
    *(char **)target = name;
    return JSON_OK;
}

static enum json_result read_vanilla(struct reader *r, void *target, struct json_value *v)
{
    struct meta *m = target;
    return reader_array(r, v, "files", m->vanilla.count, sizeof *m->vanilla.name, read_file_name,
                        m->vanilla.name);
}

/* ---- kinds ---- */

static enum json_result read_kind(struct reader *r, void *target, struct json_value *v);

#define FIELD(name, read)                                                                                    \
    {                                                                                                        \
#name, read, offsetof(struct meta, name)                                                             \
    }
#define FIELDS_OF_ALL                                                                                        \
    {"kind", read_kind, 0}, {"size", read_size, 0}, FIELD(registered_proof, read_u64), FIELD(miner, read_u64)

static const struct reader_field POREP_FIELDS[] = {
    FIELDS_OF_ALL,
    FIELD(sector, read_u64),
    FIELD(prover_id, read_hex32),
    FIELD(porep_id, read_hex32),
    FIELD(ticket, read_hex32),
    FIELD(seed, read_hex32),
    FIELD(comm_r, read_element_hex),
    FIELD(comm_d, read_element_hex),
};
static const struct reader_field POST_FIELDS[] = {
    FIELDS_OF_ALL,
    FIELD(prover_id, read_hex32),
    FIELD(randomness, read_element_hex),
    {"sectors", read_sector_ids, 0},
    {"comm_r", read_sector_comm_r, 0},
    {"vanilla", read_vanilla, 0},
};
static const struct reader_field SNAP_FIELDS[] = {
    FIELDS_OF_ALL,
    FIELD(sector, read_u64),
    FIELD(comm_r_old, read_element_hex),
    FIELD(comm_d_new, read_element_hex),
    FIELD(comm_r_new, read_element_hex),
    {"vanilla", read_vanilla, 0},
};

#undef FIELD
#undef FIELDS_OF_ALL

static cuzk_status porep_statement_of(struct request *q, const struct meta *m, struct cuzk_error *e);
static cuzk_status post_statement_of(struct request *q, const struct meta *m, struct cuzk_error *e);
static cuzk_status snap_statement_of(struct request *q, const struct meta *m, struct cuzk_error *e);

static const struct kind_row {
    const char *name;
    const struct reader_field *fields;
    size_t field_count;
    cuzk_status (*statement)(struct request *q, const struct meta *m, struct cuzk_error *e);
} KINDS[] = {
    {"porep", POREP_FIELDS, ARRAY_LEN(POREP_FIELDS), porep_statement_of},
    {"porep-v1", POREP_FIELDS, ARRAY_LEN(POREP_FIELDS), porep_statement_of},
    {"porep-syn", POREP_FIELDS, ARRAY_LEN(POREP_FIELDS), porep_statement_of},
    {"porep-ni", POREP_FIELDS, ARRAY_LEN(POREP_FIELDS), porep_statement_of},
    {"winning", POST_FIELDS, ARRAY_LEN(POST_FIELDS), post_statement_of},
    {"window", POST_FIELDS, ARRAY_LEN(POST_FIELDS), post_statement_of},
    {"window-v1", POST_FIELDS, ARRAY_LEN(POST_FIELDS), post_statement_of},
    {"snap", SNAP_FIELDS, ARRAY_LEN(SNAP_FIELDS), snap_statement_of},
    {"snap-poseidon", SNAP_FIELDS, ARRAY_LEN(SNAP_FIELDS), snap_statement_of},
};

static bool same_text(const char *a, const char *b, size_t b_size)
{
    return strlen(a) == b_size && memcmp(a, b, b_size) == 0;
}

static enum json_result read_kind(struct reader *r, void *target, struct json_value *v)
{
    struct meta *m = target;
    const char *text;
    size_t size;
    const enum json_result result = reader_string(r, &text, &size, v);
    if (result != JSON_OK)
        return result;
    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
        if (same_text(KINDS[i].name, text, size)) {
            m->kind = &KINDS[i];
            return JSON_OK;
        }
    return reader_refuse(r, text, "no kind of request is named so");
}

/* ---- the two passes: kind and counts, then all ---- */

static enum json_result count_item(void *ctx, size_t index, struct json_value *v)
{
    size_t *count = ctx;
    (void)v;
    *count = index + 1;
    return JSON_OK;
}

static enum json_result count_items(struct reader *r, size_t *count, struct json_value *v)
{
    size_t size;
    *count = 0;
    if (*json_text(v, &size) != '[') /* the second pass says what is wrong */
        return JSON_OK;
    return reader_checked(r, v, json_array(v, count_item, count), "an array");
}

static enum json_result on_first_look(void *ctx, const char *key, size_t size, struct json_value *v)
{
    struct reader *r = ctx;
    struct meta *m = r->user;
    if (same_text("sectors", key, size))
        return count_items(r, &m->sector_count, v);
    if (same_text("vanilla", key, size))
        return count_items(r, &m->vanilla.count, v);
    if (!same_text("kind", key, size))
        return JSON_OK;
    reader_push_field(r, "kind", 4);
    const enum json_result result = read_kind(r, m, v);
    if (result == JSON_OK)
        reader_pop(r);
    return result;
}

static enum json_result on_root(void *reader, unsigned pass, struct json_value *v)
{
    struct reader *r = reader;
    struct meta *m = r->user;
    if (pass == 0)
        return reader_checked(r, v, json_object(v, on_first_look, r), "an object");
    if (!m->kind)
        return JSON_STOP;
    m->sectors = arena_alloc(m->arena, m->sector_count, sizeof *m->sectors);
    m->vanilla.name = arena_alloc(m->arena, m->vanilla.count, sizeof *m->vanilla.name);
    if (!m->sectors || !m->vanilla.name)
        return reader_fail(r, error_memory(r->e, m->sector_count * sizeof *m->sectors, "the statement"));
    return reader_object(r, v, m->kind->fields, m->kind->field_count, m);
}

cuzk_status request_meta_read(const struct exec *x, struct request *q, struct request_names *names,
                              bool *found, const struct file_map *file, struct cuzk_error *e)
{
    struct meta m = {.arena = &q->arena};
    struct block text = {0};
    cuzk_status status = block_new(&text, x->budget, file->size + JSON_PADDING, 1, "the request's text", e);
    if (status != CUZK_OK)
        return status;
    memcpy(text.ptr, file->data, file->size);
    struct reader r = {.x = x, .user = &m, .document = "the file", .text = text.ptr, .e = e};
    status = reader_walk(&r, file->size, 2, on_root);
    *found = m.kind != NULL;
    if (status == CUZK_OK && m.kind) {
        q->miner = m.miner;
        q->sector = m.sector;
        *names = m.vanilla;
        status = m.kind->statement(q, &m, e);
    }
    block_free(&text);
    return status;
}

/* ---- what is said twice must agree ---- */

const char *request_porep_kind(const struct porep_params *p)
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

static cuzk_status check_names(const struct meta *m, const char *kind, const char *size, struct cuzk_error *e)
{
    if (strcmp(kind, m->kind->name) != 0)
        return error_set(e, CUZK_ERR_INPUT, "kind: registered proof %" PRIu64 " is of kind \"%s\"",
                         m->registered_proof, kind);
    if (!same_text(size, m->size, m->size_size))
        return error_set(e, CUZK_ERR_INPUT, "size: registered proof %" PRIu64 " is for sectors of %s",
                         m->registered_proof, size);
    return CUZK_OK;
}

static cuzk_status check_prover(const struct meta *m, struct cuzk_error *e)
{
    uint8_t prover[32];
    porep_prover_id(prover, m->miner);
    if (memcmp(prover, m->prover_id, sizeof prover) != 0)
        return error_set(e, CUZK_ERR_INPUT, "prover_id: not that of miner %" PRIu64, m->miner);
    return CUZK_OK;
}

static cuzk_status check_vanilla_count(const struct meta *m, size_t count, const char *what,
                                       struct cuzk_error *e)
{
    if (m->vanilla.count != count)
        return error_set(e, CUZK_ERR_INPUT, "vanilla: %zu files for %zu %s", m->vanilla.count, count, what);
    return CUZK_OK;
}

static cuzk_status porep_statement_of(struct request *q, const struct meta *m, struct cuzk_error *e)
{
    struct porep_statement *s = &q->porep;
    struct porep_params *p = &s->params;
    cuzk_status status = porep_params_for_number(p, m->registered_proof, e);
    if (status != CUZK_OK)
        return error_prefix(e, status, "registered_proof");
    status = check_names(m, request_porep_kind(p), porep_size_text(p), e);
    if (status == CUZK_OK && memcmp(p->porep_id, m->porep_id, 32) != 0)
        status = error_set(e, CUZK_ERR_INPUT, "porep_id: not that of registered proof %" PRIu64,
                           m->registered_proof);
    if (status == CUZK_OK)
        status = check_prover(m, e);
    if (status != CUZK_OK)
        return status;
    memcpy(s->comm_r, m->comm_r, 32);
    memcpy(s->comm_d, m->comm_d, 32);
    memcpy(s->seed, m->seed, 32);
    memcpy(s->ticket, m->ticket, 32);
    porep_replica_id(s->replica_id, p, m->prover_id, m->sector, m->ticket, m->comm_d);
    q->kind = REQUEST_POREP;
    return CUZK_OK;
}

static cuzk_status post_statement_of(struct request *q, const struct meta *m, struct cuzk_error *e)
{
    struct post_statement *s = &q->post;
    cuzk_status status = post_params_for_number(&s->params, m->registered_proof, e);
    if (status != CUZK_OK)
        return error_prefix(e, status, "registered_proof");
    status = check_names(m, post_kind_text(&s->params), post_size_text(&s->params), e);
    if (status == CUZK_OK)
        status = check_prover(m, e);
    if (status == CUZK_OK)
        status = check_vanilla_count(m, m->sector_count, "sectors", e);
    if (status != CUZK_OK)
        return status;
    memcpy(s->randomness, m->randomness, 32);
    s->sectors = m->sectors;
    s->sector_count = m->sector_count;
    q->kind = REQUEST_POST;
    status = post_statement_check(s, e);
    return status == CUZK_OK ? status : error_prefix(e, status, "sectors");
}

static cuzk_status snap_statement_of(struct request *q, const struct meta *m, struct cuzk_error *e)
{
    const enum snap_variant variant = strcmp(m->kind->name, "snap") == 0 ? SNAP_SHA256 : SNAP_POSEIDON;
    struct snap_statement *s = &q->snap;
    cuzk_status status = snap_params_for_number(&s->params, m->registered_proof, variant, e);
    if (status != CUZK_OK)
        return error_prefix(e, status, "registered_proof");
    status = check_names(m, snap_kind_text(&s->params), snap_size_text(&s->params), e);
    if (status == CUZK_OK)
        status = check_vanilla_count(m, s->params.partitions, "partitions", e);
    if (status != CUZK_OK)
        return status;
    memcpy(s->comm_r_old, m->comm_r_old, 32);
    memcpy(s->comm_d_new, m->comm_d_new, 32);
    memcpy(s->comm_r_new, m->comm_r_new, 32);
    q->kind = REQUEST_SNAP;
    return CUZK_OK;
}
