/* circuits/porep_c1.c - the C1 reader: the phase-1 output of a seal as storage software writes it.
 *
 * The format is the JSON that the published proofs library gives for its SealCommitPhase1Output, bare, or as
 * base64 inside {"SectorNum","Phase1Out","SectorSize"}. Byte strings are arrays of numbers.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <string.h>

#include "circuits/base64.h"
#include "circuits/porep.h"
#include "circuits/reader.h"

/* What is known while a C1 is read. */
struct c1_state {
    struct porep_c1 *c1;
    bool known; /* c1->statement.params is set */
    bool inner; /* the document is a decoded Phase1Out */
    struct wrapped {
        const char *phase1, *size_place;
        size_t phase1_size;
        uint64_t sector_number, sector_size;
    } wrapped;
};

static struct c1_state *state_of(const struct reader *r)
{
    return r->user;
}

static const struct porep_params *params_of(const struct reader *r)
{
    return &state_of(r)->c1->statement.params;
}

static void *new_array(struct reader *r, size_t count, size_t size)
{
    void *p = arena_alloc(&state_of(r)->c1->arena, count, size);
    if (!p)
        (void)reader_fail(r, error_memory(r->e, count * size, "the vanilla proofs"));
    return p;
}

/* ---- scalars ---- */

static enum json_result read_u64(struct reader *r, void *target, struct json_value *v)
{
    return reader_u64(r, target, v);
}

static enum json_result read_bytes32(struct reader *r, void *target, struct json_value *v)
{
    return reader_bytes32(r, target, v);
}

static enum json_result read_fr(struct reader *r, void *target, struct json_value *v)
{
    return reader_fr(r, target, v);
}

/* Bytes that are also a field element. */
static enum json_result read_element_bytes(struct reader *r, void *target, struct json_value *v)
{
    fr element;
    const enum json_result result = reader_fr(r, &element, v);
    if (result == JSON_OK)
        fr_write_le(target, &element);
    return result;
}

static enum json_result read_below(struct reader *r, uint64_t *out, uint64_t limit, struct json_value *v)
{
    size_t size;
    const enum json_result result = reader_u64(r, out, v);
    if (result == JSON_OK && *out >= limit)
        return reader_refuse(r, json_text(v, &size), "%" PRIu64 " is not below %" PRIu64, *out, limit);
    return result;
}

static enum json_result read_node(struct reader *r, void *target, struct json_value *v)
{
    return read_below(r, target, params_of(r)->nodes, v);
}

static enum json_result read_null(struct reader *r, void *target, struct json_value *v)
{
    size_t size;
    const char *text = json_text(v, &size);
    (void)target;
    if (size != 4 || memcmp(text, "null", 4) != 0)
        return reader_refuse(r, text, "expected null");
    return JSON_OK;
}

/* ---- Merkle paths ---- */

/* Steps of one arity, contiguous in a path. */
struct levels {
    struct merkle_step *step;
    size_t count;
};

static enum json_result read_step_hashes(struct reader *r, void *target, struct json_value *v)
{
    const struct merkle_step *step = target;
    return reader_array(r, v, "hashes", step->arity - 1, sizeof(fr), read_fr, step->siblings);
}

static enum json_result read_step_index(struct reader *r, void *target, struct json_value *v)
{
    struct merkle_step *step = target;
    uint64_t index;
    const enum json_result result = read_below(r, &index, step->arity, v);
    if (result == JSON_OK)
        step->index = (uint32_t)index;
    return result;
}

static enum json_result read_step(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {{"hashes", read_step_hashes, 0},
                                                 {"index", read_step_index, 0}};
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

static enum json_result read_steps(struct reader *r, void *target, struct json_value *v)
{
    const struct levels *levels = target;
    return reader_array(r, v, "path elements", levels->count, sizeof *levels->step, read_step, levels->step);
}

static enum json_result read_levels(struct reader *r, struct json_value *v, struct merkle_step *step,
                                    size_t count)
{
    static const struct reader_field fields[] = {{"path", read_steps, 0}};
    struct levels levels = {step, count};
    return reader_object(r, v, fields, ARRAY_LEN(fields), &levels);
}

static enum json_result read_whole(struct reader *r, void *target, struct json_value *v)
{
    const struct merkle_path *path = target;
    return read_levels(r, v, path->steps, path->count);
}

static enum json_result read_base(struct reader *r, void *target, struct json_value *v)
{
    const struct merkle_path *path = target;
    return read_levels(r, v, path->steps, params_of(r)->base_height);
}

static enum json_result read_sub(struct reader *r, void *target, struct json_value *v)
{
    const struct merkle_path *path = target;
    return read_levels(r, v, path->steps + params_of(r)->base_height, 1);
}

static enum json_result read_top(struct reader *r, void *target, struct json_value *v)
{
    const struct merkle_path *path = target;
    return read_levels(r, v, path->steps + params_of(r)->base_height + 1, 1);
}

#define LEAF_AND_ROOT                                                                                        \
    {"leaf", read_fr, offsetof(struct merkle_path, leaf)},                                                   \
    {                                                                                                        \
        "root", read_fr, offsetof(struct merkle_path, root)                                                  \
    }

static enum json_result read_single_proof(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {LEAF_AND_ROOT, {"path", read_whole, 0}};
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

static enum json_result read_sub_proof(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {
        LEAF_AND_ROOT, {"base_proof", read_base, 0}, {"sub_proof", read_sub, 0}};
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

static enum json_result read_top_proof(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {
        LEAF_AND_ROOT, {"base_proof", read_base, 0}, {"sub_proof", read_sub, 0}, {"top_proof", read_top, 0}};
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

#undef LEAF_AND_ROOT

static enum json_result read_single(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {{"Single", read_single_proof, 0}};
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

/* The form that the tree's shape asks for. */
static enum json_result read_shaped(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field sub[] = {{"Sub", read_sub_proof, 0}},
                                     top[] = {{"Top", read_top_proof, 0}};
    const struct porep_params *p = params_of(r);
    if (!p->sub_arity)
        return read_single(r, target, v);
    return reader_object(r, v, p->top_arity ? top : sub, 1, target);
}

static bool path_new(struct reader *r, struct merkle_path *path, size_t count, const uint32_t *arity)
{
    size_t siblings = 0;
    for (size_t i = 0; i < count; i++)
        siblings += arity[i] - 1;
    fr *sibling = new_array(r, siblings, sizeof *sibling);
    path->steps = sibling ? new_array(r, count, sizeof *path->steps) : NULL;
    if (!path->steps)
        return false;
    path->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        path->steps[i].arity = arity[i];
        path->steps[i].siblings = sibling;
        sibling += arity[i] - 1;
    }
    return true;
}

#define MAX_HEIGHT 40

static enum json_result read_data_path(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {{"data", read_single, 0}};
    const unsigned count = params_of(r)->data_height;
    uint32_t arity[MAX_HEIGHT];
    VERIFY(count <= MAX_HEIGHT);
    for (unsigned i = 0; i < count; i++)
        arity[i] = 2;
    if (!path_new(r, target, count, arity))
        return JSON_FAILED;
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

static enum json_result read_tree_path(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {{"data", read_shaped, 0}};
    const struct porep_params *p = params_of(r);
    uint32_t arity[MAX_HEIGHT];
    size_t count = 0;
    VERIFY(p->base_height + 2 <= MAX_HEIGHT);
    while (count < p->base_height)
        arity[count++] = p->base_arity;
    if (p->sub_arity)
        arity[count++] = p->sub_arity;
    if (p->top_arity)
        arity[count++] = p->top_arity;
    if (!path_new(r, target, count, arity))
        return JSON_FAILED;
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

/* ---- columns and labels ---- */

static enum json_result read_column_index(struct reader *r, void *target, struct json_value *v)
{
    uint32_t *index = target;
    uint64_t node;
    const enum json_result result = read_node(r, &node, v);
    if (result == JSON_OK)
        *index = (uint32_t)node;
    return result;
}

static enum json_result read_rows(struct reader *r, void *target, struct json_value *v)
{
    fr **rows = target;
    *rows = new_array(r, params_of(r)->layers, sizeof **rows);
    if (!*rows)
        return JSON_FAILED;
    return reader_array(r, v, "layers", params_of(r)->layers, sizeof **rows, read_fr, *rows);
}

static enum json_result read_column_itself(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {
        {"index", read_column_index, offsetof(struct porep_column, index)},
        {"rows", read_rows, offsetof(struct porep_column, rows)},
        {"_h", read_null, 0}};
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

static enum json_result read_column(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {
        {"column", read_column_itself, 0},
        {"inclusion_proof", read_tree_path, offsetof(struct porep_column, path)}};
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

static enum json_result read_columns(struct reader *r, struct porep_column **out, size_t count,
                                     struct json_value *v)
{
    *out = new_array(r, count, sizeof **out);
    return *out ? reader_array(r, v, "parents", count, sizeof **out, read_column, *out) : JSON_FAILED;
}

static enum json_result read_drg_parents(struct reader *r, void *target, struct json_value *v)
{
    return read_columns(r, target, POREP_DRG_PARENTS, v);
}

static enum json_result read_exp_parents(struct reader *r, void *target, struct json_value *v)
{
    return read_columns(r, target, POREP_EXP_PARENTS, v);
}

static enum json_result read_replica_columns(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {
        {"c_x", read_column, offsetof(struct porep_challenge, c_x)},
        {"drg_parents", read_drg_parents, offsetof(struct porep_challenge, drg_parents)},
        {"exp_parents", read_exp_parents, offsetof(struct porep_challenge, exp_parents)}};
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

/* The target holds the layer that must stand here. */
static enum json_result read_layer_index(struct reader *r, void *target, struct json_value *v)
{
    const uint32_t *expected = target;
    uint64_t layer;
    size_t size;
    const enum json_result result = reader_u64(r, &layer, v);
    if (result == JSON_OK && layer != *expected)
        return reader_refuse(r, json_text(v, &size), "layer %" PRIu64 " where layer %" PRIu32 " must be",
                             layer, *expected);
    return result;
}

static enum json_result read_label_parents(struct reader *r, void *target, struct json_value *v)
{
    fr **parents = target;
    *parents = new_array(r, POREP_LABEL_PARENTS, sizeof **parents);
    if (!*parents)
        return JSON_FAILED;
    return reader_array(r, v, "parents", POREP_LABEL_PARENTS, sizeof **parents, read_fr, *parents);
}

static enum json_result read_labeling(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {
        {"parents", read_label_parents, offsetof(struct porep_labeling, parents)},
        {"layer_index", read_layer_index, offsetof(struct porep_labeling, layer_index)},
        {"node", read_node, offsetof(struct porep_labeling, node)}};
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

static enum json_result read_labelings(struct reader *r, void *target, struct json_value *v)
{
    struct porep_labeling **labeling = target;
    const unsigned layers = params_of(r)->layers;
    *labeling = new_array(r, layers, sizeof **labeling);
    if (!*labeling)
        return JSON_FAILED;
    for (unsigned i = 0; i < layers; i++)
        (*labeling)[i].layer_index = i + 1;
    return reader_array(r, v, "layers", layers, sizeof **labeling, read_labeling, *labeling);
}

static enum json_result read_encoding(struct reader *r, void *target, struct json_value *v)
{
    struct porep_labeling *encoding = target;
    encoding->layer_index = params_of(r)->layers;
    return read_labeling(r, encoding, v);
}

/* ---- the proof ---- */

static enum json_result read_challenge(struct reader *r, void *target, struct json_value *v)
{
    static const struct reader_field fields[] = {
        {"comm_d_proofs", read_data_path, offsetof(struct porep_challenge, comm_d)},
        {"comm_r_last_proof", read_tree_path, offsetof(struct porep_challenge, comm_r_last)},
        {"replica_column_proofs", read_replica_columns, 0},
        {"labeling_proofs", read_labelings, offsetof(struct porep_challenge, labeling)},
        {"encoding_proof", read_encoding, offsetof(struct porep_challenge, encoding)}};
    if (exec_cancelled(r->x))
        return reader_fail(r, error_set(r->e, CUZK_ERR_CANCELLED, "cancelled while reading"));
    return reader_object(r, v, fields, ARRAY_LEN(fields), target);
}

static enum json_result read_partition(struct reader *r, void *target, struct json_value *v)
{
    struct porep_challenge **partition = target;
    const struct porep_params *p = params_of(r);
    *partition = new_array(r, p->challenges, sizeof **partition);
    if (!*partition)
        return JSON_FAILED;
    return reader_array(r, v, "challenges", p->challenges, sizeof **partition, read_challenge, *partition);
}

static enum json_result read_partitions(struct reader *r, void *target, struct json_value *v)
{
    struct porep_challenge ***proof = target;
    const struct porep_params *p = params_of(r);
    *proof = new_array(r, p->partitions, sizeof **proof);
    if (!*proof)
        return JSON_FAILED;
    return reader_array(r, v, "partitions", p->partitions, sizeof **proof, read_partition, *proof);
}

static enum json_result read_vanilla_proofs(struct reader *r, void *target, struct json_value *v)
{
    char variant[POREP_NAME_MAX];
    porep_variant_name(params_of(r), variant);
    const struct reader_field fields[] = {{variant, read_partitions, 0}};
    const enum json_result result = reader_object(r, v, fields, ARRAY_LEN(fields), target);
    return result;
}

static enum json_result read_registered_proof(struct reader *r, void *target, struct json_value *v)
{
    struct porep_params *p = target;
    const char *name;
    size_t size, n;
    const enum json_result result = reader_string(r, &name, &n, v);
    if (result == JSON_OK && porep_params_for_name(p, name, n, NULL) != CUZK_OK)
        return reader_refuse(r, json_text(v, &size), "no registered seal proof is named \"%.*s\"",
                             (int)(n < 60 ? n : 60), name);
    return result;
}

static enum json_result read_phase1(struct reader *r, struct json_value *v)
{
    static const struct reader_field fields[] = {
        {"registered_proof", read_registered_proof, offsetof(struct porep_c1, statement.params)},
        {"vanilla_proofs", read_vanilla_proofs, offsetof(struct porep_c1, proof)},
        {"comm_r", read_element_bytes, offsetof(struct porep_c1, statement.comm_r)},
        {"comm_d", read_element_bytes, offsetof(struct porep_c1, statement.comm_d)},
        {"replica_id", read_element_bytes, offsetof(struct porep_c1, statement.replica_id)},
        {"seed", read_bytes32, offsetof(struct porep_c1, statement.seed)},
        {"ticket", read_bytes32, offsetof(struct porep_c1, statement.ticket)}};
    return reader_object(r, v, fields, ARRAY_LEN(fields), state_of(r)->c1);
}

/* ---- the wrapping ---- */

static enum json_result read_phase1_text(struct reader *r, void *target, struct json_value *v)
{
    struct wrapped *w = target;
    return reader_string(r, &w->phase1, &w->phase1_size, v);
}

static enum json_result read_sector_size(struct reader *r, void *target, struct json_value *v)
{
    struct wrapped *w = target;
    size_t size;
    w->size_place = json_text(v, &size);
    return reader_u64(r, &w->sector_size, v);
}

static const struct reader_field WRAPPED[] = {
    {"SectorNum", read_u64, offsetof(struct wrapped, sector_number)},
    {"Phase1Out", read_phase1_text, 0},
    {"SectorSize", read_sector_size, 0}};

/* First pass: is it wrapped, or else, which proof is it. */
static enum json_result on_first_look(void *ctx, const char *key, size_t size, struct json_value *v)
{
    static const char proof[] = "registered_proof";
    struct reader *r = ctx;
    struct c1_state *s = state_of(r);
    for (size_t i = 0; i < ARRAY_LEN(WRAPPED) && !s->inner; i++)
        if (strlen(WRAPPED[i].name) == size && memcmp(WRAPPED[i].name, key, size) == 0) {
            s->c1->wrapped = true;
            return JSON_STOP;
        }
    if (size != sizeof proof - 1 || memcmp(key, proof, size) != 0)
        return JSON_OK;
    reader_push_field(r, proof, size);
    const enum json_result result = read_registered_proof(r, &s->c1->statement.params, v);
    if (result != JSON_OK)
        return result;
    reader_pop(r);
    s->known = true;
    return JSON_STOP;
}

static enum json_result on_root(void *reader, unsigned pass, struct json_value *v)
{
    struct reader *r = reader;
    struct c1_state *s = state_of(r);
    if (pass == 1)
        return s->known ? read_phase1(r, v) : reader_object(r, v, WRAPPED, ARRAY_LEN(WRAPPED), &s->wrapped);
    const enum json_result result = reader_checked(r, v, json_object(v, on_first_look, r), "an object");
    if (result == JSON_OK && !s->known && (s->inner || !s->c1->wrapped))
        return reader_refuse(r, NULL,
                             s->inner ? "the field \"registered_proof\" is missing"
                                      : "neither \"Phase1Out\" nor \"registered_proof\": this is no C1");
    return result;
}

/* Read the document that stands in *text (freed here), wrapped or not. */
static cuzk_status read_inner(struct reader *r, struct block *text, size_t size)
{
    r->text = text->ptr;
    const cuzk_status status = reader_walk(r, size, 2, on_root);
    block_free(text);
    return status;
}

/* The decoded Phase1Out, which takes the place of the file's text. */
static cuzk_status decode(struct reader *r, struct block *text, size_t *size)
{
    struct wrapped *w = &state_of(r)->wrapped;
    struct block decoded = {0};
    cuzk_status status = block_new(&decoded, r->x->budget, base64_room(w->phase1_size) + JSON_PADDING, 1,
                                   "the decoded Phase1Out", r->e);
    if (status != CUZK_OK)
        return status;
    size_t bad = 0;
    const char *problem = base64_decode(decoded.ptr, size, w->phase1, w->phase1_size, &bad);
    if (!problem && *size == 0)
        problem = "it is empty";
    if (problem) {
        reader_push_field(r, "Phase1Out", strlen("Phase1Out"));
        (void)reader_refuse(r, w->phase1 + bad, "%s", problem);
        block_free(&decoded);
        return r->status;
    }
    block_free(text);
    *text = decoded;
    return CUZK_OK;
}

/* The wrapping's own text is gone when the proof is read: its places are kept as offsets. */
static cuzk_status read_wrapped(struct reader *r, struct block *text)
{
    struct c1_state *s = state_of(r);
    const size_t size_place = (size_t)(s->wrapped.size_place - (const char *)text->ptr);
    size_t size = 0;
    cuzk_status status = decode(r, text, &size);
    if (status != CUZK_OK)
        return status;
    s->inner = true;
    r->document = "the decoded Phase1Out";
    status = read_inner(r, text, size);
    if (status != CUZK_OK)
        return status;
    const struct porep_params *p = params_of(r);
    if (s->wrapped.sector_size != p->sector_size)
        return error_set(r->e, CUZK_ERR_INPUT,
                         "SectorSize: %" PRIu64 " where the proof is for sectors of %" PRIu64
                         " bytes (byte %zu of the file)",
                         s->wrapped.sector_size, p->sector_size, size_place);
    s->c1->sector_number = s->wrapped.sector_number;
    return CUZK_OK;
}

cuzk_status porep_c1_read(const struct exec *x, struct porep_c1 *out, const uint8_t *json, size_t size,
                          struct cuzk_error *e)
{
    if (size == 0)
        return error_set(e, CUZK_ERR_INPUT, "the file is empty");
    if (size > POREP_C1_MAX)
        return error_set(e, CUZK_ERR_INPUT, "a C1 of %zu bytes: the limit is %zu", size, POREP_C1_MAX);

    struct block text = {0};
    cuzk_status status = block_new(&text, x->budget, size + JSON_PADDING, 1, "the C1's text", e);
    if (status != CUZK_OK)
        return status;
    memcpy(text.ptr, json, size);

    struct porep_c1 c1 = {.arena = {.budget = x->budget}};
    struct c1_state state = {.c1 = &c1};
    struct reader r = {.x = x, .user = &state, .document = "the file", .text = text.ptr, .e = e};
    status = reader_walk(&r, size, 2, on_root);
    if (status == CUZK_OK && c1.wrapped)
        status = read_wrapped(&r, &text);
    block_free(&text);
    if (status != CUZK_OK) {
        arena_free(&c1.arena);
        return status;
    }
    *out = c1;
    return CUZK_OK;
}

void porep_c1_free(struct porep_c1 *c1)
{
    arena_free(&c1->arena);
    *c1 = (struct porep_c1){0};
}
