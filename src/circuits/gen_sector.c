/* circuits/gen_sector.c - sealing a sector, for real: labels, columns, replica, trees.
 * (The Filecoin specification, "Stacked DRG proof of replication".)
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/gen_sector.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuits/gen_label.h"
#include "hash/chacha.h"
#include "hash/sha256.h"

#define NODE_BYTES    32
#define BITS_IN_USE   0x3f /* of an element's last byte: 254 bits in all */
#define SOURCE_ROUNDS 8    /* of ChaCha: data need no secrecy */

/* ---- random values ---- */

void gen_source_at(const struct gen_source *s, uint64_t i, uint8_t out[32])
{
    static const uint8_t nonce[12] = {0};
    const uint64_t place = s->period_bits < 64 ? i & ((UINT64_C(1) << s->period_bits) - 1) : i;
    chacha_keystream(out, NODE_BYTES, SOURCE_ROUNDS, s->key, nonce, place * NODE_BYTES);
    out[NODE_BYTES - 1] &= BITS_IN_USE;
}

/* Of 254 bits, so below the modulus. */
static void to_element(const uint8_t bytes[32], fr *out)
{
    const bool canonical = fr_read_le(out, bytes);
    VERIFY(canonical);
    (void)canonical;
}

void gen_source_element(const struct gen_source *s, uint64_t i, fr *out)
{
    uint8_t bytes[NODE_BYTES];
    gen_source_at(s, i, bytes);
    to_element(bytes, out);
}

void gen_key(uint8_t out[32], const uint8_t key[32], const char *label, uint64_t number)
{
    struct sha256 h;
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> (8 * i));
    sha256_init(&h);
    sha256_update(&h, key, 32);
    sha256_update(&h, bytes, sizeof bytes);
    sha256_update(&h, label, strlen(label));
    sha256_final(&h, out);
}

uint64_t gen_number(const uint8_t key[32], const char *label, uint64_t limit)
{
    uint8_t bytes[32];
    uint64_t number = 0;
    gen_key(bytes, key, label, 0);
    for (unsigned i = 0; i < 8; i++)
        number = number << 8 | bytes[i];
    return number % limit;
}

void gen_element(const uint8_t key[32], const char *label, uint8_t out[32])
{
    gen_key(out, key, label, 0);
    out[NODE_BYTES - 1] &= BITS_IN_USE;
}

/* ---- labels ---- */

void gen_label(uint8_t out[32], const uint8_t replica_id[32], unsigned layer, uint64_t node,
               const uint8_t (*parents)[32], unsigned count)
{
    uint8_t data[2 * NODE_BYTES + POREP_LABEL_PARENTS * NODE_BYTES] = {0};
    size_t size = 2 * (size_t)NODE_BYTES;
    memcpy(data, replica_id, NODE_BYTES);
    for (unsigned i = 0; i < 4; i++)
        data[NODE_BYTES + i] = (uint8_t)((layer + 1) >> (24 - 8 * i));
    for (unsigned i = 0; i < 8; i++)
        data[NODE_BYTES + 4 + i] = (uint8_t)(node >> (56 - 8 * i));
    for (unsigned i = 0; count > 0 && i < POREP_LABEL_PARENTS; i++, size += NODE_BYTES)
        memcpy(data + size, parents[i % count], NODE_BYTES);
    sha256(out, data, size);
    out[NODE_BYTES - 1] &= BITS_IN_USE;
}

struct parents {
    uint32_t drg[POREP_DRG_PARENTS], exp[POREP_EXP_PARENTS];
};

#define NODES_A_BATCH 8192
#define NODES_A_TASK  64

struct batch {
    const struct gen_sector *s;
    struct porep_graph graph; /* the sector's, with a table */
    struct parents *parents;
    uint64_t first, end;
    unsigned layer;
    atomic_int failed;
};

static void find_parents(void *ctx, size_t task, unsigned worker)
{
    struct batch *b = ctx;
    (void)worker;
    uint64_t node = b->first + task * NODES_A_TASK;
    const uint64_t end = b->end - node < NODES_A_TASK ? b->end : node + NODES_A_TASK;
    for (; node < end && !exec_cancelled(b->s->x); node++) {
        struct parents *p = &b->parents[node - b->first];
        porep_graph_drg_parents(&b->graph, node, p->drg);
        if (b->layer > 0 && porep_graph_exp_parents(&b->graph, node, p->exp, NULL) != CUZK_OK)
            atomic_store(&b->failed, 1);
    }
}

/* One after the other: each node's label is made from the one before. */
static void label_batch(const struct batch *b)
{
    const struct gen_sector *s = b->s;
    uint8_t(*const here)[32] = s->labels + b->layer * s->slots;
    uint8_t(*const before)[32] = b->layer > 0 ? here - s->slots : NULL;
    for (uint64_t node = b->first; node < b->end; node++) {
        const struct parents *p = &b->parents[node - b->first];
        uint8_t parents[POREP_DRG_PARENTS + POREP_EXP_PARENTS][32];
        unsigned count = 0;
        for (unsigned i = 0; node > 0 && i < POREP_DRG_PARENTS; i++)
            memcpy(parents[count++], here[p->drg[i]], NODE_BYTES);
        for (unsigned i = 0; node > 0 && before && i < POREP_EXP_PARENTS; i++)
            memcpy(parents[count++], before[p->exp[i]], NODE_BYTES);
        gen_label(here[node], s->statement.replica_id, b->layer, node, (const uint8_t(*)[32])parents, count);
    }
}

static cuzk_status make_labels(const struct gen_sector *s, struct cuzk_error *e)
{
    const uint64_t nodes = s->statement.params.nodes;
    const unsigned layers = s->statement.params.layers;
    struct batch b = {.s = s, .graph = s->graph};
    struct block memory = {0}, table = {0};
    cuzk_status status =
        block_new(&memory, s->x->budget, NODES_A_BATCH, sizeof(struct parents), "the nodes' parents", e);
    if (status == CUZK_OK)
        status = block_new(&table, s->x->budget, porep_graph_table_size(&b.graph), sizeof(uint32_t),
                           "the expander's table", e);
    if (status == CUZK_OK)
        status = porep_graph_tabulate(&b.graph, table.ptr, e);
    b.parents = memory.ptr;
    atomic_init(&b.failed, 0);
    for (b.layer = 0; status == CUZK_OK && b.layer < layers; b.layer++)
        for (b.first = 0; status == CUZK_OK && b.first < nodes; b.first = b.end) {
            b.end = nodes - b.first < NODES_A_BATCH ? nodes : b.first + NODES_A_BATCH;
            exec_progress(s->x, "labels", b.layer * nodes + b.first, layers * nodes);
            pool_run(s->x->pool, find_parents, &b,
                     (size_t)((b.end - b.first + NODES_A_TASK - 1) / NODES_A_TASK));
            if (exec_cancelled(s->x))
                status = error_set(e, CUZK_ERR_CANCELLED, "cancelled");
            else if (atomic_load(&b.failed))
                status = error_set(e, CUZK_ERR_INTERNAL, "the expander's hash failed");
            else
                label_batch(&b);
        }
    block_free(&table);
    block_free(&memory);
    return status;
}

/* ---- the sector ---- */

void gen_sector_free(struct gen_sector *s)
{
    gen_tree_free(&s->d);
    gen_tree_free(&s->c);
    gen_tree_free(&s->r);
    block_free(&s->memory);
    arena_free(&s->arena);
    *s = (struct gen_sector){0};
}

uint64_t gen_sector_slot(const struct gen_sector *s, uint64_t node)
{
    if (!s->nodes)
        return node;
    uint64_t from = 0, to = s->slots;
    while (from + 1 < to) {
        const uint64_t middle = from + (to - from) / 2;
        if (s->nodes[middle] <= node)
            from = middle;
        else
            to = middle;
    }
    VERIFY(s->nodes[from] == node);
    return from;
}

void gen_sector_label(const struct gen_sector *s, unsigned layer, uint64_t node, fr *out)
{
    to_element(s->labels[layer * s->slots + gen_sector_slot(s, node)], out);
}

void gen_sector_replica(const struct gen_sector *s, uint64_t i, fr *out)
{
    fr data;
    gen_source_element(&s->data, i, &data);
    gen_sector_label(s, s->statement.params.layers - 1, i, out);
    fr_add(out, out, &data);
}

static void data_leaf(const void *ctx, uint64_t i, fr *out)
{
    uint8_t bytes[NODE_BYTES];
    gen_source_at(ctx, i, bytes);
    memcpy(out, bytes, sizeof bytes);
}

static void replica_leaf(const void *ctx, uint64_t i, fr *out)
{
    gen_sector_replica(ctx, i, out);
}

static void column_leaf(const void *ctx, uint64_t i, fr *out)
{
    gen_sector_column(ctx, i, out);
}

void gen_sector_column(const struct gen_sector *s, uint64_t node, fr *out)
{
    const unsigned layers = s->statement.params.layers;
    fr rows[POREP_MAX_LAYERS];
    for (unsigned layer = 0; layer < layers; layer++)
        gen_sector_label(s, layer, node, &rows[layer]);
    poseidon_hash(s->x->variant, poseidon_of_arity(s->poseidon, layers), out, rows);
}

cuzk_status gen_sector_data(const struct exec *x, struct gen_tree *t, const struct porep_params *p,
                            const struct gen_source *data, struct cuzk_error *e)
{
    const unsigned bits = p->data_height;
    gen_tree_sha256(t, x, p);
    return gen_tree_dense(x, t, bits, data->period_bits < bits ? data->period_bits : bits, data_leaf, data,
                          "data tree", e);
}

cuzk_status gen_sector_begin(const struct exec *x, struct gen_sector *s, const struct poseidon_set *poseidon,
                             const struct porep_params *params, const struct gen_identity *who,
                             const uint8_t key[32], unsigned period_bits, struct cuzk_error *e)
{
    struct porep_statement *t = &s->statement;
    *s = (struct gen_sector){.x = x, .poseidon = poseidon, .arena = {.budget = x->budget}};
    t->params = *params;
    memcpy(t->seed, who->seed, sizeof t->seed);
    memcpy(t->ticket, who->ticket, sizeof t->ticket);
    porep_graph_init(&s->graph, params);
    gen_key(s->data.key, key, "data", 0);
    s->data.period_bits = period_bits;
    const cuzk_status status = gen_sector_data(x, &s->d, params, &s->data, e);
    if (status != CUZK_OK)
        return status;
    const fr comm_d = gen_tree_root(&s->d);
    fr_write_le(t->comm_d, &comm_d);
    porep_replica_id(t->replica_id, params, who->prover_id, who->sector, who->ticket, t->comm_d);
    return CUZK_OK;
}

void gen_sector_commit(struct gen_sector *s)
{
    const fr preimage[2] = {gen_tree_root(&s->c), gen_tree_root(&s->r)};
    fr comm_r;
    s->comm_c = preimage[0];
    poseidon_hash(s->x->variant, &s->poseidon->kind[POSEIDON_2], &comm_r, preimage);
    fr_write_le(s->statement.comm_r, &comm_r);
}

cuzk_status gen_sector_columns(struct gen_sector *s, struct cuzk_error *e)
{
    const struct porep_params *p = &s->statement.params;
    s->slots = p->nodes;
    cuzk_status status =
        block_new(&s->memory, s->x->budget, p->layers * p->nodes, NODE_BYTES, "a sector's labels", e);
    s->labels = s->memory.ptr;
    if (status == CUZK_OK)
        status = make_labels(s, e);
    if (status != CUZK_OK)
        return status;
    gen_tree_poseidon(&s->c, s->x, s->poseidon, p);
    return gen_tree_dense(s->x, &s->c, p->data_height, p->data_height, column_leaf, s, "column tree", e);
}

cuzk_status gen_sector_seal(const struct exec *x, struct gen_sector *s, const struct poseidon_set *poseidon,
                            const struct porep_params *params, const struct gen_identity *who,
                            const uint8_t key[32], struct cuzk_error *e)
{
    const unsigned bits = params->data_height;
    cuzk_status status = gen_sector_begin(x, s, poseidon, params, who, key, 64, e);
    if (status != CUZK_OK)
        return status;
    status = gen_sector_columns(s, e);
    if (status == CUZK_OK) {
        gen_tree_poseidon(&s->r, x, poseidon, params);
        status = gen_tree_dense(x, &s->r, bits, bits, replica_leaf, s, "replica tree", e);
    }
    if (status == CUZK_OK)
        gen_sector_commit(s);
    else
        gen_sector_free(s);
    return status;
}
