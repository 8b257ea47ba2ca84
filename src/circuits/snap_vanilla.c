/* circuits/snap_vanilla.c - the reader of update vanilla proofs, one record a partition.
 *
 * The format is bincode of the published proofs library's PartitionProof: the SHA-256 variant has apex
 * leaves, the Poseidon variant has none, nor their count.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/merkle_bincode.h"
#include "circuits/snap.h"

/* What is known while a record is read. */
struct snap_state {
    struct merkle_shape replica, data;
    unsigned apex_leaves, challenges;
    struct arena *arena;
};

static const struct snap_state *state_of(const struct bincode *b)
{
    return b->reader.user;
}

static struct snap_state state_for(const struct snap_params *p, struct arena *arena)
{
    struct snap_state s = {.replica = {.base_height = p->base_height,
                                       .base_arity = p->base_arity,
                                       .sub_arity = p->sub_arity,
                                       .top_arity = p->top_arity},
                           .apex_leaves = p->apex_leaves,
                           .challenges = p->challenges,
                           .arena = arena};
    s.data = p->variant == SNAP_POSEIDON
                 ? s.replica
                 : (struct merkle_shape){.base_height = p->node_bits, .base_arity = 2};
    return s;
}

static bool no_memory(struct bincode *b, size_t size)
{
    return bincode_fail(b, error_memory(b->reader.e, size, "the vanilla proofs"));
}

static bool read_replica_path(struct bincode *b, void *target)
{
    return merkle_bincode_path(b, target, &state_of(b)->replica, state_of(b)->arena);
}

static bool read_data_path(struct bincode *b, void *target)
{
    return merkle_bincode_path(b, target, &state_of(b)->data, state_of(b)->arena);
}

static bool read_challenge(struct bincode *b, void *target)
{
    static const struct bincode_field fields[] = {
        {"proof_r_old", read_replica_path, offsetof(struct snap_challenge, r_old)},
        {"proof_d_new", read_data_path, offsetof(struct snap_challenge, d_new)},
        {"proof_r_new", read_replica_path, offsetof(struct snap_challenge, r_new)}};
    if (exec_cancelled(b->reader.x))
        return bincode_fail(b, error_set(b->reader.e, CUZK_ERR_CANCELLED, "cancelled while reading"));
    return bincode_struct(b, fields, ARRAY_LEN(fields), target);
}

static bool read_challenges(struct bincode *b, void *target)
{
    const struct snap_state *s = state_of(b);
    struct snap_challenge **challenges = target;
    *challenges = arena_alloc(s->arena, s->challenges, sizeof **challenges);
    if (!*challenges)
        return no_memory(b, s->challenges * sizeof **challenges);
    return bincode_sequence(b, "challenges", s->challenges, sizeof **challenges, read_challenge, *challenges);
}

static bool read_apex_leaves(struct bincode *b, void *target)
{
    const struct snap_state *s = state_of(b);
    fr **leaves = target;
    *leaves = arena_alloc(s->arena, s->apex_leaves, sizeof **leaves);
    if (!*leaves)
        return no_memory(b, s->apex_leaves * sizeof **leaves);
    return bincode_sequence(b, "leaves", s->apex_leaves, sizeof **leaves, bincode_fr, *leaves);
}

#define FIELD_COMM_C                                                                                         \
    {                                                                                                        \
        "comm_c", bincode_fr, offsetof(struct snap_proof, comm_c)                                            \
    }
#define FIELD_CHALLENGES                                                                                     \
    {                                                                                                        \
        "challenge_proofs", read_challenges, offsetof(struct snap_proof, challenges)                         \
    }

static bool read_sha256_record(struct bincode *b, void *target)
{
    static const struct bincode_field fields[] = {
        FIELD_COMM_C,
        {"apex_leafs", read_apex_leaves, offsetof(struct snap_proof, apex_leaves)},
        FIELD_CHALLENGES};
    return bincode_struct(b, fields, ARRAY_LEN(fields), target);
}

static bool read_poseidon_record(struct bincode *b, void *target)
{
    static const struct bincode_field fields[] = {FIELD_COMM_C, FIELD_CHALLENGES};
    return bincode_struct(b, fields, ARRAY_LEN(fields), target);
}

#undef FIELD_COMM_C
#undef FIELD_CHALLENGES

size_t snap_proof_size(const struct snap_params *p)
{
    const struct snap_state s = state_for(p, NULL);
    const size_t number = sizeof(uint64_t);
    const size_t apex = p->variant == SNAP_POSEIDON ? 0 : number + s.apex_leaves * (size_t)FR_BYTES;
    const size_t challenge = 2 * merkle_bincode_size(&s.replica) + merkle_bincode_size(&s.data);
    return FR_BYTES + apex + number + s.challenges * challenge;
}

cuzk_status snap_proof_read(const struct exec *x, struct snap_proof *out, struct arena *arena,
                            const struct snap_params *p, const uint8_t *bytes, size_t size,
                            struct cuzk_error *e)
{
    struct snap_proof proof = {0};
    struct snap_state state = state_for(p, arena);
    struct bincode b = {
        .reader = {.x = x, .user = &state, .text = bytes, .document = "the vanilla proof", .e = e},
        .size = size};
    if (size == 0)
        return error_set(e, CUZK_ERR_INPUT, "the vanilla proof is empty");
    const cuzk_status status =
        bincode_record(&b, p->variant == SNAP_POSEIDON ? read_poseidon_record : read_sha256_record, &proof);
    if (status == CUZK_OK)
        *out = proof;
    return status;
}
