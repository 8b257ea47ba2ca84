/* circuits/gen_c1.c - writing a C1: the published library's JSON, in base64, in the form in which storage
 * software hands it on. Byte strings are arrays of numbers; members stand in the order of their names.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/gen_c1.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/pool.h"
#include "circuits/base64.h"

/* Characters that things take at most, with what separates them from the next. */
#define ELEMENT_ROOM 130 /* 32 numbers of 3 digits, commas, brackets */
#define STEP_ROOM    64  /* beside the siblings */
#define PATH_ROOM    160
#define NAMES_ROOM   160 /* of a column, a labeling, a challenge */

/* Text in a buffer. What does not fit is dropped and remembered. */
struct writer {
    char *text;
    size_t size, room;
    bool full;
};

static void put(struct writer *w, const char *bytes, size_t n)
{
    if (w->room - w->size < n) {
        w->full = true;
        return;
    }
    memcpy(w->text + w->size, bytes, n);
    w->size += n;
}

static void put_text(struct writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void put_format(struct writer *w, const char *format, ...) PRINTF_LIKE(2, 3);
static void put_format(struct writer *w, const char *format, ...)
{
    char text[POREP_NAME_MAX + 64];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text)
        w->full = true;
    else
        put(w, text, (size_t)n);
}

static void put_bytes(struct writer *w, const uint8_t bytes[32])
{
    char text[ELEMENT_ROOM];
    size_t n = 0;
    for (unsigned i = 0; i < 32; i++) {
        const unsigned v = bytes[i];
        text[n++] = i == 0 ? '[' : ',';
        if (v >= 100)
            text[n++] = (char)('0' + v / 100);
        if (v >= 10)
            text[n++] = (char)('0' + v / 10 % 10);
        text[n++] = (char)('0' + v % 10);
    }
    text[n++] = ']';
    put(w, text, n);
}

static void put_element(struct writer *w, const fr *element)
{
    uint8_t bytes[FR_BYTES];
    fr_write_le(bytes, element);
    put_bytes(w, bytes);
}

static void put_elements(struct writer *w, const fr *elements, size_t count)
{
    put_text(w, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            put_text(w, ",");
        put_element(w, &elements[i]);
    }
    put_text(w, "]");
}

/* ---- a challenge ---- */

static void put_steps(struct writer *w, const char *name, const struct merkle_step *steps, size_t count)
{
    put_format(w, "\"%s\":{\"path\":[", name);
    for (size_t i = 0; i < count; i++) {
        put_text(w, i > 0 ? ",{\"hashes\":" : "{\"hashes\":");
        put_elements(w, steps[i].siblings, steps[i].arity - 1);
        put_format(w, ",\"index\":%" PRIu32 "}", steps[i].index);
    }
    put_text(w, "]}");
}

/* base: the steps of the lowest part of the tree; one of the sub tree and one of the top may follow. */
static void put_path(struct writer *w, const struct merkle_path *path, size_t base)
{
    const size_t above = path->count - base;
    put_format(w, "{\"data\":{\"%s\":{", above == 0 ? "Single" : above == 1 ? "Sub" : "Top");
    if (above > 0) {
        put_steps(w, "base_proof", path->steps, base);
        put_text(w, ",");
    }
    put_text(w, "\"leaf\":");
    put_element(w, &path->leaf);
    put_text(w, ",");
    if (above == 0) {
        put_steps(w, "path", path->steps, base);
        put_text(w, ",");
    }
    put_text(w, "\"root\":");
    put_element(w, &path->root);
    for (size_t i = 0; i < above; i++) {
        put_text(w, ",");
        put_steps(w, i == 0 ? "sub_proof" : "top_proof", path->steps + base + i, 1);
    }
    put_text(w, "}}}");
}

static void put_column(struct writer *w, const struct porep_params *p, const struct porep_column *column)
{
    put_format(w, "{\"column\":{\"_h\":null,\"index\":%" PRIu32 ",\"rows\":", column->index);
    put_elements(w, column->rows, p->layers);
    put_text(w, "},\"inclusion_proof\":");
    put_path(w, &column->path, p->base_height);
    put_text(w, "}");
}

static void put_columns(struct writer *w, const struct porep_params *p, const struct porep_column *columns,
                        size_t count)
{
    put_text(w, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            put_text(w, ",");
        put_column(w, p, &columns[i]);
    }
    put_text(w, "]");
}

static void put_labeling(struct writer *w, const struct porep_labeling *labeling)
{
    put_format(w, "{\"layer_index\":%" PRIu32 ",\"node\":%" PRIu64 ",\"parents\":", labeling->layer_index,
               labeling->node);
    put_elements(w, labeling->parents, POREP_LABEL_PARENTS);
    put_text(w, "}");
}

static void put_challenge(struct writer *w, const struct porep_params *p, const struct porep_challenge *ch)
{
    put_text(w, "{\"comm_d_proofs\":");
    put_path(w, &ch->comm_d, ch->comm_d.count);
    put_text(w, ",\"comm_r_last_proof\":");
    put_path(w, &ch->comm_r_last, p->base_height);
    put_text(w, ",\"encoding_proof\":");
    put_labeling(w, &ch->encoding);
    put_text(w, ",\"labeling_proofs\":[");
    for (unsigned i = 0; i < p->layers; i++) {
        if (i > 0)
            put_text(w, ",");
        put_labeling(w, &ch->labeling[i]);
    }
    put_text(w, "],\"replica_column_proofs\":{\"c_x\":");
    put_column(w, p, &ch->c_x);
    put_text(w, ",\"drg_parents\":");
    put_columns(w, p, ch->drg_parents, POREP_DRG_PARENTS);
    put_text(w, ",\"exp_parents\":");
    put_columns(w, p, ch->exp_parents, POREP_EXP_PARENTS);
    put_text(w, "}}");
}

/* The characters that a challenge takes at most. */
static size_t challenge_room(const struct porep_params *p)
{
    const size_t siblings = (size_t)p->base_height * (p->base_arity - 1) + p->sub_arity + p->top_arity;
    const size_t tree = PATH_ROOM + (siblings + 2) * ELEMENT_ROOM + (p->base_height + 2) * STEP_ROOM;
    const size_t data = PATH_ROOM + p->data_height * (ELEMENT_ROOM + STEP_ROOM) + 2 * ELEMENT_ROOM;
    const size_t column = NAMES_ROOM + p->layers * ELEMENT_ROOM + tree;
    const size_t labeling = NAMES_ROOM + POREP_LABEL_PARENTS * ELEMENT_ROOM;
    return NAMES_ROOM + data + tree + (1 + POREP_DRG_PARENTS + POREP_EXP_PARENTS) * column +
           (p->layers + 1) * labeling;
}

/* ---- the file ---- */

/* The phase-1 output on its way into the file. */
struct output {
    struct file_out *file;
    struct block memory; /* room for text, then for its base64 */
    struct writer text;
    char *encoded;
};

/* Encode all whole groups of three characters, at the end all; the rest stays. */
static cuzk_status flush(struct output *o, bool end, struct cuzk_error *e)
{
    const size_t n = end ? o->text.size : o->text.size - o->text.size % 3;
    if (o->text.full)
        return error_set(e, CUZK_ERR_INTERNAL, "a C1's part is larger than can be");
    base64_encode(o->encoded, (const uint8_t *)o->text.text, n);
    memmove(o->text.text, o->text.text + n, o->text.size - n);
    o->text.size -= n;
    return file_write(o->file, o->encoded, base64_size(n), e);
}

static cuzk_status put_head(struct output *o, const struct porep_statement *s, struct cuzk_error *e)
{
    static const char wrapper[] = "{\"Phase1Out\":\"";
    struct writer *w = &o->text;
    char name[POREP_NAME_MAX];
    put_text(w, "{\"comm_d\":");
    put_bytes(w, s->comm_d);
    put_text(w, ",\"comm_r\":");
    put_bytes(w, s->comm_r);
    porep_registered_name(&s->params, name);
    put_format(w, ",\"registered_proof\":\"%s\",\"replica_id\":", name);
    put_bytes(w, s->replica_id);
    put_text(w, ",\"seed\":");
    put_bytes(w, s->seed);
    put_text(w, ",\"ticket\":");
    put_bytes(w, s->ticket);
    porep_variant_name(&s->params, name);
    put_format(w, ",\"vanilla_proofs\":{\"%s\":[", name);
    const cuzk_status status = file_write(o->file, wrapper, sizeof wrapper - 1, e);
    return status == CUZK_OK ? flush(o, false, e) : status;
}

static cuzk_status put_tail(struct output *o, uint64_t sector_number, uint64_t sector_size,
                            struct cuzk_error *e)
{
    char text[128];
    put_text(&o->text, "]]}}");
    const cuzk_status status = flush(o, true, e);
    const int n = snprintf(text, sizeof text, "\",\"SectorNum\":%" PRIu64 ",\"SectorSize\":%" PRIu64 "}",
                           sector_number, sector_size);
    return status == CUZK_OK ? file_write(o->file, text, (size_t)n, e) : status;
}

/* A challenge in work. */
struct piece {
    struct block memory;
    struct writer text;
    struct arena arena;
    cuzk_status status;
    struct cuzk_error error;
};

struct production {
    const struct exec *x;
    const struct gen_sector *s;
    const uint64_t *nodes;
    struct piece *pieces;
};

static void make_piece(void *ctx, size_t i, unsigned worker)
{
    const struct production *p = ctx;
    struct piece *piece = &p->pieces[i];
    struct porep_challenge challenge;
    (void)worker;
    piece->text.size = 0;
    piece->status = exec_cancelled(p->x)
                        ? error_set(&piece->error, CUZK_ERR_CANCELLED, "cancelled")
                        : gen_sector_challenge(p->s, &piece->arena, p->nodes[i], &challenge, &piece->error);
    if (piece->status == CUZK_OK)
        put_challenge(&piece->text, &p->s->statement.params, &challenge);
    arena_free(&piece->arena);
}

static cuzk_status take_piece(struct output *o, const struct piece *piece, const char *before,
                              struct cuzk_error *e)
{
    if (piece->status != CUZK_OK)
        return error_set(e, piece->status, "%s", piece->error.message);
    put_text(&o->text, before);
    put(&o->text, piece->text.text, piece->text.size);
    o->text.full |= piece->text.full;
    return flush(o, false, e);
}

/* One partition, some challenges at a time. */
static cuzk_status put_partition(struct output *o, struct production *p, size_t at_once, unsigned partition,
                                 struct cuzk_error *e)
{
    const struct porep_params *params = &p->s->statement.params;
    uint64_t nodes[POREP_MAX_CHALLENGES];
    cuzk_status status = porep_challenges(&p->s->statement, partition, nodes, e);
    put_text(&o->text, partition == 0 ? "[" : "],[");
    for (size_t first = 0; status == CUZK_OK && first < params->challenges; first += at_once) {
        const size_t left = params->challenges - first, count = left < at_once ? left : at_once;
        exec_progress(p->x, "vanilla proofs", (uint64_t)partition * params->challenges + first,
                      (uint64_t)params->partitions * params->challenges);
        p->nodes = nodes + first;
        pool_run(p->x->pool, make_piece, p, count);
        for (size_t i = 0; status == CUZK_OK && i < count; i++)
            status = take_piece(o, &p->pieces[i], first + i > 0 ? "," : "", e);
    }
    return status;
}

static cuzk_status pieces_new(struct production *p, size_t count, size_t room, struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    p->pieces = mem_alloc(count, sizeof *p->pieces);
    if (!p->pieces)
        return error_memory(e, count * sizeof *p->pieces, "vanilla proofs");
    for (size_t i = 0; status == CUZK_OK && i < count; i++) {
        struct piece *piece = &p->pieces[i];
        piece->arena.budget = p->x->budget;
        status = block_new(&piece->memory, p->x->budget, room, 1, "a vanilla proof's text", e);
        piece->text = (struct writer){.text = piece->memory.ptr, .room = room};
    }
    return status;
}

static cuzk_status put_all(struct output *o, struct production *p, size_t at_once, size_t room,
                           uint64_t sector_number, struct cuzk_error *e)
{
    const struct porep_params *params = &p->s->statement.params;
    const size_t text_room = room + POREP_NAME_MAX;
    cuzk_status status = block_new(&o->memory, p->x->budget, text_room + base64_size(text_room), 1,
                                   "a vanilla proof's base64", e);
    if (status != CUZK_OK)
        return status;
    o->text = (struct writer){.text = o->memory.ptr, .room = text_room};
    o->encoded = (char *)o->memory.ptr + text_room;
    status = put_head(o, &p->s->statement, e);
    for (unsigned k = 0; status == CUZK_OK && k < params->partitions; k++)
        status = put_partition(o, p, at_once, k, e);
    return status == CUZK_OK ? put_tail(o, sector_number, params->sector_size, e) : status;
}

cuzk_status gen_c1_write(const struct exec *x, const char *path, const struct gen_sector *s,
                         uint64_t sector_number, struct cuzk_error *e)
{
    const size_t threads = pool_threads(x->pool), room = challenge_room(&s->statement.params);
    const size_t most = s->statement.params.challenges, at_once = 2 * threads < most ? 2 * threads : most;
    struct production p = {.x = x, .s = s};
    struct output o = {0};
    cuzk_status status = file_create(&o.file, path, e);
    if (status == CUZK_OK)
        status = pieces_new(&p, at_once, room, e);
    if (status == CUZK_OK)
        status = put_all(&o, &p, at_once, room, sector_number, e);
    for (size_t i = 0; p.pieces && i < at_once; i++)
        block_free(&p.pieces[i].memory);
    mem_free(p.pieces);
    block_free(&o.memory);
    if (status == CUZK_OK)
        return file_commit(o.file, e);
    file_abort(o.file);
    return status;
}
