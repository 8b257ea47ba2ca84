/* engine/fields.c - what stands beside the payload of a request.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine/fields.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define ENCODED_VERSION 1u
#define ENCODED_HEAD    (4 + 4 + 4 * 8 + 4 + 4 + 4 * 32 + 8) /* before the pieces' sizes */
#define HAS_RANDOMNESS  1u
#define HAS_COMMS       2u
#define MAX_PIECES      ((size_t)1 << 20)

static cuzk_status take_32(uint8_t out[32], const uint8_t *bytes, size_t size, const char *name,
                           struct cuzk_error *e)
{
    if (!bytes || size != 32)
        return error_set(e, CUZK_ERR_ARGUMENT, "%s has %zu bytes where 32 are needed", name,
                         bytes ? size : 0);
    memcpy(out, bytes, 32);
    return CUZK_OK;
}

static cuzk_status take_pieces(struct fields *f, const struct engine_submission *s, struct cuzk_error *e)
{
    if (s->piece_count == 0 || s->piece_count > MAX_PIECES)
        return error_set(e, CUZK_ERR_INPUT, "the request has %zu vanilla proofs", s->piece_count);
    f->piece = mem_alloc(s->piece_count, sizeof *f->piece);
    if (!f->piece)
        return error_memory(e, s->piece_count * sizeof *f->piece, "the sizes of vanilla proofs");
    f->pieces = s->piece_count;
    uint64_t total = 0;
    for (size_t i = 0; i < s->piece_count; i++) {
        f->piece[i] = s->pieces[i].size;
        if (f->piece[i] == 0)
            return error_set(e, CUZK_ERR_INPUT, "vanilla proof %zu is empty", i);
        if (__builtin_add_overflow(total, f->piece[i], &total))
            return error_set(e, CUZK_ERR_INPUT, "the vanilla proofs' sizes cannot be");
    }
    return CUZK_OK;
}

cuzk_status fields_take(struct fields *out, const struct engine_submission *s, struct cuzk_error *e)
{
    struct fields f = {.kind = s->kind,
                       .sector_size = s->sector_size,
                       .registered_proof = s->registered_proof,
                       .sector_number = s->sector_number,
                       .miner_id = s->miner_id,
                       .partition_index = s->partition_index};
    cuzk_status status = CUZK_OK;
    switch (s->kind) {
    case ENGINE_POREP:
        break;
    case ENGINE_WINDOW_POST:
    case ENGINE_WINNING_POST:
        status = take_32(f.randomness, s->randomness, s->randomness_size, "randomness", e);
        f.has_randomness = true;
        break;
    case ENGINE_SNAP:
        status = take_32(f.comm_r_old, s->comm_r_old, s->comm_r_old_size, "comm_r_old", e);
        if (status == CUZK_OK)
            status = take_32(f.comm_r_new, s->comm_r_new, s->comm_r_new_size, "comm_r_new", e);
        if (status == CUZK_OK)
            status = take_32(f.comm_d_new, s->comm_d_new, s->comm_d_new_size, "comm_d_new", e);
        f.has_comms = true;
        break;
    default:
        status = error_set(e, CUZK_ERR_ARGUMENT, "there is no proof kind %d (known: 1 to 4)", (int)s->kind);
    }
    if (status == CUZK_OK)
        status = take_pieces(&f, s, e);
    if (status == CUZK_OK)
        *out = f;
    else
        fields_free(&f);
    return status;
}

void fields_free(struct fields *f)
{
    mem_free(f->piece);
    *f = (struct fields){0};
}

uint64_t fields_payload_size(const struct fields *f)
{
    uint64_t total = 0;
    for (size_t i = 0; i < f->pieces; i++)
        total += f->piece[i];
    return total;
}

static uint8_t *put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *at++ = (uint8_t)(value >> 8 * i);
    return at;
}

static uint64_t get(const uint8_t **at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t) * (*at)++ << 8 * i;
    return value;
}

cuzk_status fields_encode(const struct fields *f, uint8_t **out, size_t *size, struct cuzk_error *e)
{
    const size_t total = ENCODED_HEAD + 8 * f->pieces;
    uint8_t *bytes = mem_alloc(total, 1), *at = bytes;
    if (!bytes)
        return error_memory(e, total, "a request's fields");
    at = put(at, ENCODED_VERSION, 4);
    at = put(at, (uint64_t)f->kind, 4);
    at = put(at, f->sector_size, 8);
    at = put(at, f->registered_proof, 8);
    at = put(at, f->sector_number, 8);
    at = put(at, f->miner_id, 8);
    at = put(at, f->partition_index, 4);
    at = put(at, (f->has_randomness ? HAS_RANDOMNESS : 0) | (f->has_comms ? HAS_COMMS : 0), 4);
    const uint8_t *const parts[] = {f->randomness, f->comm_r_old, f->comm_r_new, f->comm_d_new};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++, at += 32)
        memcpy(at, parts[i], 32);
    at = put(at, f->pieces, 8);
    for (size_t i = 0; i < f->pieces; i++)
        at = put(at, f->piece[i], 8);
    *out = bytes;
    *size = total;
    return CUZK_OK;
}

static cuzk_status unreadable(struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_INPUT, "these are not the fields of a request, or they are damaged");
}

cuzk_status fields_decode(struct fields *out, const uint8_t *bytes, size_t size, struct cuzk_error *e)
{
    const uint8_t *at = bytes;
    struct fields f = {0};
    if (size < ENCODED_HEAD || get(&at, 4) != ENCODED_VERSION)
        return unreadable(e);
    f.kind = (enum engine_kind)get(&at, 4);
    f.sector_size = get(&at, 8);
    f.registered_proof = get(&at, 8);
    f.sector_number = get(&at, 8);
    f.miner_id = get(&at, 8);
    f.partition_index = (uint32_t)get(&at, 4);
    const uint64_t has = get(&at, 4);
    f.has_randomness = has & HAS_RANDOMNESS;
    f.has_comms = has & HAS_COMMS;
    uint8_t *const parts[] = {f.randomness, f.comm_r_old, f.comm_r_new, f.comm_d_new};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++, at += 32)
        memcpy(parts[i], at, 32);
    const uint64_t pieces = get(&at, 8);
    if (pieces == 0 || pieces > MAX_PIECES || size != ENCODED_HEAD + 8 * pieces ||
        f.kind <= ENGINE_KIND_NONE || (unsigned)f.kind >= ENGINE_KINDS)
        return unreadable(e);
    f.piece = mem_alloc(pieces, sizeof *f.piece);
    if (!f.piece)
        return error_memory(e, pieces * sizeof *f.piece, "the sizes of vanilla proofs");
    f.pieces = pieces;
    uint64_t total = 0;
    for (size_t i = 0; i < f.pieces; i++) {
        f.piece[i] = get(&at, 8);
        if (f.piece[i] == 0 || __builtin_add_overflow(total, f.piece[i], &total)) {
            fields_free(&f);
            return unreadable(e);
        }
    }
    *out = f;
    return CUZK_OK;
}
