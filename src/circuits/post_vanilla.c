/* circuits/post_vanilla.c - the reader of PoSt vanilla proofs, one record a sector.
 *
 * The format is bincode of the published proofs library's FallbackPoStSectorProof.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/merkle_bincode.h"
#include "circuits/post.h"

/* What is known while a record is read. */
struct post_state {
    struct merkle_shape shape;
    unsigned challenges;
    struct arena *arena;
};

static const struct post_state *state_of(const struct bincode *b)
{
    return b->reader.user;
}

static struct merkle_shape shape_of_tree(const struct post_params *p)
{
    return (struct merkle_shape){.base_height = p->base_height,
                                 .base_arity = p->base_arity,
                                 .sub_arity = p->sub_arity,
                                 .top_arity = p->top_arity};
}

static bool read_path(struct bincode *b, void *target)
{
    if (exec_cancelled(b->reader.x))
        return bincode_fail(b, error_set(b->reader.e, CUZK_ERR_CANCELLED, "cancelled while reading"));
    return merkle_bincode_path(b, target, &state_of(b)->shape, state_of(b)->arena);
}

static bool read_paths(struct bincode *b, void *target)
{
    const struct post_state *s = state_of(b);
    struct merkle_path **paths = target;
    *paths = arena_alloc(s->arena, s->challenges, sizeof **paths);
    if (!*paths)
        return bincode_fail(b,
                            error_memory(b->reader.e, s->challenges * sizeof **paths, "the vanilla proofs"));
    return bincode_sequence(b, "challenges", s->challenges, sizeof **paths, read_path, *paths);
}

static bool read_sector(struct bincode *b, void *target)
{
    static const struct bincode_field fields[] = {
        {"inclusion_proofs", read_paths, offsetof(struct post_proof, paths)},
        {"comm_c", bincode_fr, offsetof(struct post_proof, comm_c)},
        {"comm_r_last", bincode_fr, offsetof(struct post_proof, comm_r_last)}};
    return bincode_struct(b, fields, ARRAY_LEN(fields), target);
}

static bool read_sectors(struct bincode *b, void *target)
{
    return bincode_sequence(b, "sectors", 1, sizeof(struct post_proof), read_sector, target);
}

static bool read_vanilla(struct bincode *b, void *target)
{
    static const struct bincode_field fields[] = {{"sectors", read_sectors, 0}};
    return bincode_struct(b, fields, ARRAY_LEN(fields), target);
}

static bool read_record(struct bincode *b, void *target)
{
    static const struct bincode_field fields[] = {
        {"sector_id", bincode_u64, offsetof(struct post_proof, sector_id)},
        {"comm_r", bincode_element, offsetof(struct post_proof, comm_r)},
        {"vanilla_proof", read_vanilla, 0}};
    return bincode_struct(b, fields, ARRAY_LEN(fields), target);
}

size_t post_proof_size(const struct post_params *p)
{
    const struct merkle_shape shape = shape_of_tree(p);
    const size_t numbers = 3 * sizeof(uint64_t), elements = 3 * (size_t)FR_BYTES;
    return numbers + elements + p->challenges * merkle_bincode_size(&shape);
}

cuzk_status post_proof_read(const struct exec *x, struct post_proof *out, struct arena *arena,
                            const struct post_params *p, const uint8_t *bytes, size_t size,
                            struct cuzk_error *e)
{
    struct post_proof proof = {0};
    struct post_state state = {.shape = shape_of_tree(p), .challenges = p->challenges, .arena = arena};
    struct bincode b = {
        .reader = {.x = x, .user = &state, .text = bytes, .document = "the vanilla proof", .e = e},
        .size = size};
    if (size == 0)
        return error_set(e, CUZK_ERR_INPUT, "the vanilla proof is empty");
    const cuzk_status status = bincode_record(&b, read_record, &proof);
    if (status == CUZK_OK)
        *out = proof;
    return status;
}
