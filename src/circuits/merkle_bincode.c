/* circuits/merkle_bincode.c - Merkle paths in bincode vanilla proofs.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/merkle_bincode.h"

#include <inttypes.h>

/* A part of a path, as the form of the proof divides it. */
struct part {
    struct merkle_step *step;
    size_t count;
};

struct parts {
    struct merkle_path *path;
    struct part base, sub, top;
};

static bool read_hashes(struct bincode *b, void *target)
{
    const struct merkle_step *step = target;
    return bincode_sequence(b, "hashes", step->arity - 1, sizeof(fr), bincode_fr, step->siblings);
}

static bool read_index(struct bincode *b, void *target)
{
    struct merkle_step *step = target;
    const size_t start = b->at;
    uint64_t index;
    if (!bincode_u64(b, &index))
        return false;
    if (index >= step->arity)
        return bincode_refuse(b, start, "%" PRIu64 " is not below %" PRIu32, index, step->arity);
    step->index = (uint32_t)index;
    return true;
}

static bool read_step(struct bincode *b, void *target)
{
    static const struct bincode_field fields[] = {{"hashes", read_hashes, 0}, {"index", read_index, 0}};
    return bincode_struct(b, fields, ARRAY_LEN(fields), target);
}

static bool read_steps(struct bincode *b, void *target)
{
    const struct part *part = target;
    return bincode_sequence(b, "path elements", part->count, sizeof *part->step, read_step, part->step);
}

static bool read_part(struct bincode *b, void *target)
{
    static const struct bincode_field fields[] = {{"path", read_steps, 0}};
    return bincode_struct(b, fields, ARRAY_LEN(fields), target);
}

static bool read_root(struct bincode *b, void *target)
{
    const struct parts *parts = target;
    return bincode_fr(b, &parts->path->root);
}

static bool read_leaf(struct bincode *b, void *target)
{
    const struct parts *parts = target;
    return bincode_fr(b, &parts->path->leaf);
}

static bool read_single(struct bincode *b, void *target)
{
    static const struct bincode_field fields[] = {
        {"root", read_root, 0}, {"leaf", read_leaf, 0}, {"path", read_part, offsetof(struct parts, base)}};
    return bincode_struct(b, fields, ARRAY_LEN(fields), target);
}

static bool read_sub(struct bincode *b, void *target)
{
    static const struct bincode_field fields[] = {{"base_proof", read_part, offsetof(struct parts, base)},
                                                  {"sub_proof", read_part, offsetof(struct parts, sub)},
                                                  {"root", read_root, 0},
                                                  {"leaf", read_leaf, 0}};
    return bincode_struct(b, fields, ARRAY_LEN(fields), target);
}

static bool read_top(struct bincode *b, void *target)
{
    static const struct bincode_field fields[] = {{"base_proof", read_part, offsetof(struct parts, base)},
                                                  {"sub_proof", read_part, offsetof(struct parts, sub)},
                                                  {"top_proof", read_part, offsetof(struct parts, top)},
                                                  {"root", read_root, 0},
                                                  {"leaf", read_leaf, 0}};
    return bincode_struct(b, fields, ARRAY_LEN(fields), target);
}

/* The variant that the tree's shape asks for. */
static bool read_shaped(struct bincode *b, void *target)
{
    const struct parts *parts = target;
    if (parts->top.count)
        return bincode_variant(b, 2, "Top", read_top, target);
    if (parts->sub.count)
        return bincode_variant(b, 1, "Sub", read_sub, target);
    return bincode_variant(b, 0, "Single", read_single, target);
}

static size_t levels_of(const struct merkle_shape *shape)
{
    return shape->base_height + (shape->sub_arity > 0) + (shape->top_arity > 0);
}

static size_t siblings_of(const struct merkle_shape *shape)
{
    return (size_t)shape->base_height * (shape->base_arity - 1) +
           (shape->sub_arity ? shape->sub_arity - 1 : 0) + (shape->top_arity ? shape->top_arity - 1 : 0);
}

static bool path_new(struct merkle_path *path, const struct merkle_shape *shape, struct arena *arena)
{
    const size_t count = levels_of(shape);
    fr *sibling = arena_alloc(arena, siblings_of(shape), sizeof *sibling);
    path->steps = sibling ? arena_alloc(arena, count, sizeof *path->steps) : NULL;
    if (!path->steps)
        return false;
    path->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        struct merkle_step *step = &path->steps[i];
        const bool is_sub = i == shape->base_height && shape->sub_arity > 0;
        step->arity = i < shape->base_height ? shape->base_arity
                      : is_sub               ? shape->sub_arity
                                             : shape->top_arity;
        step->siblings = sibling;
        sibling += step->arity - 1;
    }
    return true;
}

bool merkle_bincode_path(struct bincode *b, struct merkle_path *out, const struct merkle_shape *shape,
                         struct arena *arena)
{
    static const struct bincode_field fields[] = {{"data", read_shaped, 0}};
    if (!path_new(out, shape, arena))
        return bincode_fail(b,
                            error_memory(b->reader.e, siblings_of(shape) * sizeof(fr), "the vanilla proofs"));
    struct parts parts = {.path = out, .base = {out->steps, shape->base_height}};
    if (shape->sub_arity)
        parts.sub = (struct part){out->steps + shape->base_height, 1};
    if (shape->top_arity)
        parts.top = (struct part){out->steps + out->count - 1, 1};
    return bincode_struct(b, fields, ARRAY_LEN(fields), &parts);
}

size_t merkle_bincode_size(const struct merkle_shape *shape)
{
    const size_t number = sizeof(uint64_t);
    const unsigned parts = 1U + (shape->sub_arity > 0) + (shape->top_arity > 0);
    return sizeof(uint32_t) + (2 + siblings_of(shape)) * FR_BYTES + parts * number +
           levels_of(shape) * 2 * number;
}
