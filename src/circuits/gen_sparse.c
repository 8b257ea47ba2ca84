/* circuits/gen_sparse.c - a sector of which only that exists which an interactive proof shows.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdlib.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuits/gen_label.h"

#define DATA_PERIOD_BITS 10
#define FAMILY           (1 + POREP_DRG_PARENTS + POREP_EXP_PARENTS) /* a node and its parents */

/* The challenged nodes, in ascending order, each once; each with its parents. */
struct sparse {
    struct gen_sector *s;
    uint64_t *challenged;
    uint32_t (*parents)[FAMILY - 1];
    size_t count;
    fr *columns; /* hashes, by slot */
};

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t sort_unique(uint64_t *numbers, size_t count)
{
    size_t found = 0;
    qsort(numbers, count, sizeof *numbers, ascending);
    for (size_t i = 0; i < count; i++)
        if (found == 0 || numbers[found - 1] != numbers[i])
            numbers[found++] = numbers[i];
    return found;
}

static cuzk_status no_memory(struct cuzk_error *e)
{
    return error_memory(e, sizeof(fr), "a sparse sector");
}

static cuzk_status find_challenged(struct sparse *p, struct cuzk_error *e)
{
    const struct porep_params *params = &p->s->statement.params;
    const size_t count = (size_t)params->partitions * params->challenges;
    cuzk_status status = CUZK_OK;
    p->challenged = arena_alloc(&p->s->arena, count, sizeof *p->challenged);
    p->parents = arena_alloc(&p->s->arena, count, sizeof *p->parents);
    if (!p->challenged || !p->parents)
        return no_memory(e);
    for (unsigned k = 0; status == CUZK_OK && k < params->partitions; k++)
        status = porep_challenges(&p->s->statement, k, p->challenged + k * params->challenges, e);
    p->count = sort_unique(p->challenged, count);
    for (size_t i = 0; status == CUZK_OK && i < p->count; i++) {
        porep_graph_drg_parents(&p->s->graph, p->challenged[i], p->parents[i]);
        status =
            porep_graph_exp_parents(&p->s->graph, p->challenged[i], p->parents[i] + POREP_DRG_PARENTS, e);
    }
    return status;
}

/* All nodes that a proof shows a column of. */
static cuzk_status find_nodes(struct sparse *p, struct cuzk_error *e)
{
    struct gen_sector *s = p->s;
    uint64_t *nodes = arena_alloc(&s->arena, p->count * FAMILY, sizeof *nodes);
    size_t found = 0;
    if (!nodes)
        return no_memory(e);
    for (size_t i = 0; i < p->count; i++) {
        nodes[found++] = p->challenged[i];
        for (unsigned k = 0; k < FAMILY - 1; k++)
            nodes[found++] = p->parents[i][k];
    }
    s->slots = sort_unique(nodes, found);
    s->nodes = nodes;
    s->labels = arena_alloc(&s->arena, s->slots * s->statement.params.layers, sizeof *s->labels);
    return s->labels ? CUZK_OK : no_memory(e);
}

/* Random labels; then true ones where challenged, from the first layer to the last, and on each in ascending
 * order, so that a challenged parent's label is there before. */
static void make_labels(const struct sparse *p, const uint8_t key[32])
{
    const struct gen_sector *s = p->s;
    for (unsigned layer = 0; layer < s->statement.params.layers; layer++) {
        uint8_t(*const here)[32] = s->labels + layer * s->slots;
        struct gen_source random = {.period_bits = 64};
        gen_key(random.key, key, "labels", layer);
        for (uint64_t slot = 0; slot < s->slots; slot++)
            gen_source_at(&random, s->nodes[slot], here[slot]);
        for (size_t i = 0; i < p->count; i++) {
            const unsigned count = layer == 0 ? POREP_DRG_PARENTS : FAMILY - 1;
            uint8_t parents[FAMILY - 1][32];
            for (unsigned k = 0; k < count; k++) {
                const uint64_t slot = gen_sector_slot(s, p->parents[i][k]);
                memcpy(parents[k], k < POREP_DRG_PARENTS ? here[slot] : (here - s->slots)[slot], 32);
            }
            gen_label(here[gen_sector_slot(s, p->challenged[i])], s->statement.replica_id, layer,
                      p->challenged[i], (const uint8_t(*)[32])parents, count);
        }
    }
}

static void hash_column(void *ctx, size_t slot, unsigned worker)
{
    const struct sparse *p = ctx;
    (void)worker;
    if (!exec_cancelled(p->s->x))
        gen_sector_column(p->s, p->s->nodes[slot], &p->columns[slot]);
}

static void filler(const uint8_t key[32], const char *label, fr *out)
{
    struct gen_source random = {.period_bits = 64};
    gen_key(random.key, key, label, 0);
    gen_source_element(&random, 0, out);
}

static cuzk_status column_tree(struct sparse *p, const uint8_t key[32], struct cuzk_error *e)
{
    struct gen_sector *s = p->s;
    fr rest;
    p->columns = arena_alloc(&s->arena, s->slots, sizeof *p->columns);
    if (!p->columns)
        return no_memory(e);
    exec_progress(s->x, "column tree", 0, 1);
    pool_run(s->x->pool, hash_column, p, s->slots);
    if (exec_cancelled(s->x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    filler(key, "column", &rest);
    gen_tree_poseidon(&s->c, s->x, s->poseidon, &s->statement.params);
    const cuzk_status status =
        gen_tree_sparse(s->x, &s->c, &s->arena, s->nodes, p->columns, s->slots, &rest, true, e);
    exec_progress(s->x, "column tree", 1, 1);
    return status;
}

static cuzk_status replica_tree(const struct sparse *p, const uint8_t key[32], struct cuzk_error *e)
{
    struct gen_sector *s = p->s;
    fr rest, *leaves = arena_alloc(&s->arena, p->count, sizeof *leaves);
    if (!leaves)
        return no_memory(e);
    for (size_t i = 0; i < p->count; i++)
        gen_sector_replica(s, p->challenged[i], &leaves[i]);
    filler(key, "replica", &rest);
    gen_tree_poseidon(&s->r, s->x, s->poseidon, &s->statement.params);
    return gen_tree_sparse(s->x, &s->r, &s->arena, p->challenged, leaves, p->count, &rest, true, e);
}

cuzk_status gen_sector_sparse(const struct exec *x, struct gen_sector *s, const struct poseidon_set *poseidon,
                              const struct porep_params *params, const struct gen_identity *who,
                              const uint8_t key[32], struct cuzk_error *e)
{
    struct sparse p = {.s = s};
    VERIFY(params->mode == POREP_INTERACTIVE);
    cuzk_status status = gen_sector_begin(x, s, poseidon, params, who, key, DATA_PERIOD_BITS, e);
    if (status != CUZK_OK)
        return status;
    status = find_challenged(&p, e);
    if (status == CUZK_OK)
        status = find_nodes(&p, e);
    if (status == CUZK_OK) {
        make_labels(&p, key);
        status = column_tree(&p, key, e);
    }
    if (status == CUZK_OK)
        status = replica_tree(&p, key, e);
    if (status == CUZK_OK)
        gen_sector_commit(s);
    else
        gen_sector_free(s);
    return status;
}
