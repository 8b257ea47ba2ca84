/* circuits/gen_tree.c - dense, periodic and sparse Merkle trees.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/gen_tree.h"

#include "base/error.h"
#include "base/pool.h"
#include "hash/sha256.h"

#define MAX_ARITY       8
#define SUBTREE_BITS    3 /* leaves of the subtrees that a leaf function is asked for again, not kept */
#define SLOTS_A_TASK    64
#define TASKS_A_ROUND   64
#define SLOTS_A_ROUND   ((uint64_t)SLOTS_A_TASK * TASKS_A_ROUND)
#define NODE_BYTES      32
#define TOP_BITS_IN_USE 0x3f /* of a SHA-256 node's last byte: 254 bits in all */

static void push_level(struct gen_tree *t, uint32_t arity)
{
    VERIFY(t->levels + 1 < GEN_TREE_LEVELS && arity <= MAX_ARITY);
    t->arity[t->levels] = arity;
    t->bits[t->levels + 1] = t->bits[t->levels] + (unsigned)__builtin_ctz(arity);
    t->levels++;
}

void gen_tree_poseidon(struct gen_tree *t, const struct exec *x, const struct poseidon_set *poseidon,
                       const struct porep_params *p)
{
    *t = (struct gen_tree){.poseidon = poseidon, .variant = x->variant};
    for (unsigned i = 0; i < p->base_height; i++)
        push_level(t, p->base_arity);
    if (p->sub_arity)
        push_level(t, p->sub_arity);
    if (p->top_arity)
        push_level(t, p->top_arity);
}

void gen_tree_sha256(struct gen_tree *t, const struct exec *x, const struct porep_params *p)
{
    *t = (struct gen_tree){.variant = x->variant};
    for (unsigned i = 0; i < p->data_height; i++)
        push_level(t, 2);
}

/* ---- nodes ---- */

/* Where a dense tree keeps a node, and a node that is kept in a place. */
static uint64_t dense_slot(const struct gen_tree *t, unsigned level, uint64_t i)
{
    const unsigned bits = t->bits[level];
    if (bits > t->range_bits)
        return i;
    const unsigned kept = bits < t->period_bits ? t->period_bits - bits : 0;
    const uint64_t range = i >> (t->range_bits - bits);
    return range << kept | (i & ((UINT64_C(1) << kept) - 1));
}

static uint64_t node_in_slot(const struct gen_tree *t, unsigned level, uint64_t slot)
{
    const unsigned bits = t->bits[level];
    if (t->sparse)
        return t->index[level][slot];
    if (bits > t->range_bits)
        return slot;
    const unsigned kept = bits < t->period_bits ? t->period_bits - bits : 0;
    return slot >> kept << (t->range_bits - bits) | (slot & ((UINT64_C(1) << kept) - 1));
}

static const fr *sparse_find(const struct gen_tree *t, unsigned level, uint64_t i)
{
    const uint64_t *index = t->index[level];
    uint64_t from = 0, to = t->slots[level];
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        if (index[middle] < i)
            from = middle + 1;
        else
            to = middle;
    }
    return from < t->slots[level] && index[from] == i ? &t->row[level][from] : &t->filler[level];
}

static void hash_children(const struct gen_tree *t, uint32_t arity, fr *out, const fr *children)
{
    if (t->poseidon) {
        poseidon_hash(t->variant, poseidon_of_arity(t->poseidon, arity), out, children);
        return;
    }
    uint8_t data[2 * NODE_BYTES], digest[NODE_BYTES];
    memcpy(data, children, sizeof data);
    sha256(digest, data, sizeof data);
    digest[NODE_BYTES - 1] &= TOP_BITS_IN_USE;
    memcpy(out, digest, sizeof digest);
}

/* From the level below, which for a dense tree may itself have to be computed: at most SUBTREE_BITS deep. */
static void compute(const struct gen_tree *t, unsigned level, uint64_t i, fr *out)
{
    if (level == 0) {
        t->leaf(t->leaf_ctx, i, out);
        return;
    }
    const uint32_t arity = t->arity[level - 1];
    fr children[MAX_ARITY];
    for (uint32_t k = 0; k < arity; k++)
        gen_tree_get(t, level - 1, i * arity + k, &children[k]);
    hash_children(t, arity, out, children);
}

void gen_tree_get(const struct gen_tree *t, unsigned level, uint64_t i, fr *out)
{
    VERIFY(level <= t->levels && i >> (t->bits[t->levels] - t->bits[level]) == 0);
    if (t->sparse)
        *out = *sparse_find(t, level, i);
    else if (t->row[level])
        *out = t->row[level][dense_slot(t, level, i)];
    else
        compute(t, level, i, out);
}

/* ---- building ---- */

struct fill {
    const struct exec *x;
    struct gen_tree *t;
    unsigned level;
    uint64_t first, end; /* slots */
};

static void fill_task(void *ctx, size_t task, unsigned worker)
{
    const struct fill *f = ctx;
    (void)worker;
    uint64_t slot = f->first + task * SLOTS_A_TASK;
    const uint64_t end = f->end - slot < SLOTS_A_TASK ? f->end : slot + SLOTS_A_TASK;
    for (; slot < end && !exec_cancelled(f->x); slot++)
        compute(f->t, f->level, node_in_slot(f->t, f->level, slot), &f->t->row[f->level][slot]);
}

/* All rows from `from` on. phase NULL: no progress is told. */
static cuzk_status fill_rows(const struct exec *x, struct gen_tree *t, unsigned from, bool threads,
                             const char *phase, struct cuzk_error *e)
{
    uint64_t total = 0, done = 0;
    for (unsigned level = from; level <= t->levels; level++)
        total += t->slots[level];
    for (unsigned level = from; level <= t->levels; level++) {
        for (uint64_t first = 0; first < t->slots[level]; first += SLOTS_A_ROUND) {
            const uint64_t left = t->slots[level] - first;
            struct fill f = {x, t, level, first, first + (left < SLOTS_A_ROUND ? left : SLOTS_A_ROUND)};
            const size_t tasks = (size_t)((f.end - first + SLOTS_A_TASK - 1) / SLOTS_A_TASK);
            if (phase)
                exec_progress(x, phase, done, total);
            if (threads)
                pool_run(x->pool, fill_task, &f, tasks);
            for (size_t task = 0; !threads && task < tasks; task++)
                fill_task(&f, task, 0);
            if (exec_cancelled(x))
                return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
            done += f.end - first;
        }
    }
    if (phase)
        exec_progress(x, phase, total, total);
    return CUZK_OK;
}

cuzk_status gen_tree_dense(const struct exec *x, struct gen_tree *t, unsigned range_bits,
                           unsigned period_bits, gen_leaf_fn *leaf, const void *ctx, const char *phase,
                           struct cuzk_error *e)
{
    unsigned lowest = 0;
    uint64_t total = 0;
    VERIFY(period_bits <= range_bits && range_bits <= t->bits[t->levels]);
    t->range_bits = range_bits;
    t->period_bits = period_bits;
    t->leaf = leaf;
    t->leaf_ctx = ctx;
    while (t->bits[lowest] < SUBTREE_BITS)
        lowest++;
    for (unsigned level = lowest; level <= t->levels; level++) {
        const uint64_t nodes = UINT64_C(1) << (t->bits[t->levels] - t->bits[level]);
        t->slots[level] = dense_slot(t, level, nodes - 1) + 1;
        total += t->slots[level];
    }
    cuzk_status status = block_new(&t->memory, x->budget, total, sizeof(fr), "a sector's tree", e);
    if (status != CUZK_OK)
        return status;
    fr *row = t->memory.ptr;
    for (unsigned level = lowest; level <= t->levels; level++) {
        t->row[level] = row;
        row += t->slots[level];
    }
    status = fill_rows(x, t, lowest, true, phase, e);
    if (status != CUZK_OK)
        gen_tree_free(t);
    return status;
}

/* The nodes above those of the level below. */
static bool sparse_level(struct gen_tree *t, struct arena *arena, unsigned level)
{
    const uint64_t *below = t->index[level - 1];
    const uint64_t count = t->slots[level - 1];
    const uint32_t arity = t->arity[level - 1];
    uint64_t *index = arena_alloc(arena, count, sizeof *index), found = 0;
    t->index[level] = index;
    t->row[level] = arena_alloc(arena, count, sizeof *t->row[level]);
    if (!index || !t->row[level])
        return false;
    for (uint64_t k = 0; k < count; k++)
        if (found == 0 || index[found - 1] != below[k] / arity)
            index[found++] = below[k] / arity;
    t->slots[level] = found;
    return true;
}

cuzk_status gen_tree_sparse(const struct exec *x, struct gen_tree *t, struct arena *arena,
                            const uint64_t *index, const fr *leaves, size_t count, const fr *filler,
                            bool threads, struct cuzk_error *e)
{
    VERIFY(count > 0);
    t->sparse = true;
    t->slots[0] = count;
    t->index[0] = arena_alloc(arena, count, sizeof *index);
    t->row[0] = arena_alloc(arena, count, sizeof *leaves);
    bool ok = t->index[0] && t->row[0];
    for (unsigned level = 0; ok && level <= t->levels; level++) {
        fr children[MAX_ARITY];
        if (level == 0) {
            memcpy(t->index[0], index, count * sizeof *index);
            memcpy(t->row[0], leaves, count * sizeof *leaves);
            t->filler[0] = *filler;
            continue;
        }
        for (unsigned k = 0; k < MAX_ARITY; k++)
            children[k] = t->filler[level - 1];
        hash_children(t, t->arity[level - 1], &t->filler[level], children);
        ok = sparse_level(t, arena, level);
    }
    if (!ok)
        return error_memory(e, count * (sizeof *index + sizeof *leaves), "a sector's tree");
    return fill_rows(x, t, 1, threads, NULL, e);
}

void gen_tree_free(struct gen_tree *t)
{
    block_free(&t->memory);
    memset(t->row, 0, sizeof t->row);
}

/* ---- reading ---- */

static void to_element(const struct gen_tree *t, fr *node)
{
    if (!t->poseidon)
        fr_to_mont(node, node);
}

void gen_tree_element(const struct gen_tree *t, unsigned level, uint64_t i, fr *out)
{
    gen_tree_get(t, level, i, out);
    to_element(t, out);
}

fr gen_tree_root(const struct gen_tree *t)
{
    fr root;
    gen_tree_element(t, t->levels, 0, &root);
    return root;
}

bool gen_tree_path(const struct gen_tree *t, struct arena *arena, uint64_t leaf, struct merkle_path *out)
{
    size_t siblings = 0;
    uint64_t i = leaf;
    for (unsigned level = 0; level < t->levels; level++)
        siblings += t->arity[level] - 1;
    fr *sibling = arena_alloc(arena, siblings, sizeof *sibling);
    struct merkle_step *steps = arena_alloc(arena, t->levels, sizeof *steps);
    if (!sibling || !steps)
        return false;
    for (unsigned level = 0; level < t->levels; level++) {
        const uint32_t arity = t->arity[level], place = (uint32_t)(i % arity);
        steps[level] = (struct merkle_step){.siblings = sibling, .arity = arity, .index = place};
        for (uint32_t k = 0; k < arity; k++)
            if (k != place)
                gen_tree_element(t, level, i - place + k, sibling++);
        i /= arity;
    }
    out->steps = steps;
    out->count = t->levels;
    gen_tree_element(t, 0, leaf, &out->leaf);
    out->root = gen_tree_root(t);
    return true;
}
