/* circuits/porep_circuit.c - the Stacked DRG circuit of one partition, row by row as the reference's
 * StackedCircuit.
 *
 * For each challenge: the data leaf is in tree D; the columns of the parents hash to leaves of tree C; the
 * labels of the challenged node follow from the parents' labels layer by layer; the last label and the data
 * leaf give the replica node, which is in tree R; the labels' column is in tree C. Trees C and R give comm_r.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/porep.h"
#include "gadgets/column.h"
#include "gadgets/inclusion.h"
#include "gadgets/label.h"
#include "gadgets/multipack.h"
#include "gadgets/num.h"
#include "gadgets/poseidon.h"

#define PARENTS (POREP_DRG_PARENTS + POREP_EXP_PARENTS)

/* The columns and bits of one challenge: too much for a small stack. */
struct workspace {
    struct num column[PARENTS][POREP_MAX_LAYERS];
    struct num label[POREP_MAX_LAYERS];
    struct bits256 parent[PARENTS];
    struct bits256 replica_id;
    struct boolean node[64];
};

struct porep_build {
    struct cs *cs;
    const struct porep_circuit *circuit;
    const struct porep_params *params;
    struct inclusion_tree data_tree, tree; /* D; C and R */
    struct num comm_d, comm_c, comm_r_last;
    const struct porep_challenge *proof; /* the partition's; NULL on a blank circuit */
    struct workspace *w;
};

/* leaf is in the tree with this root, at a place that becomes a public input; path NULL on a blank circuit.
 */
static void enforce_in_tree(const struct porep_build *b, const struct inclusion_tree *tree,
                            const struct merkle_path *path, const struct num *root, const struct num *leaf)
{
    struct inclusion_step steps[INCLUSION_MAX_LEVELS];
    VERIFY(!path || path->count == inclusion_levels(tree));
    const bool known = path && path->hashed && fr_equal(&leaf->value, &path->leaf);
    for (uint32_t i = 0; path && i < path->count; i++)
        steps[i] = (struct inclusion_step){.index = path->steps[i].index,
                                           .siblings = path->steps[i].siblings,
                                           .digest = known ? &path->steps[i].digest : NULL};
    inclusion_gadget(b->cs, tree, leaf, path ? steps : NULL, root);
}

/* -- the parts of a challenge -- */

/* A parent's column, its hash, and the hash's place in tree C. kind: "drg" or "exp". */
static void parent_column(const struct porep_build *b, struct num *rows, const struct porep_column *column,
                          const char *kind, unsigned i)
{
    struct cs *cs = b->cs;
    cs_push(cs, "%s_parent_%u_num", kind, i);
    cs_push(cs, "column");
    column_alloc(cs, rows, b->params->layers, column ? column->rows : NULL);
    cs_pop(cs);
    cs_pop(cs);
    cs_push(cs, "%s_parent_%u_constraint", kind, i);
    const struct num hash =
        column_hash(cs, b->circuit->poseidon, rows, b->params->layers, column ? &column->path.leaf : NULL);
    cs_pop(cs);
    cs_push(cs, "%s_parent_%u_inclusion", kind, i);
    enforce_in_tree(b, &b->tree, column ? &column->path : NULL, &b->comm_c, &hash);
    cs_pop(cs);
}

/* The label of the challenged node on a layer, 1 the lowest. */
static struct num layer_label(const struct porep_build *b, unsigned layer)
{
    struct cs *cs = b->cs;
    struct workspace *w = b->w;
    unsigned parents = POREP_DRG_PARENTS;
    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++) {
        cs_push(cs, "drg_parent_%u_bits", i);
        bits256_of(cs, &w->parent[i], &w->column[i][layer - 1]);
        cs_pop(cs);
    }
    /* Expander parents lie on the layer below. */
    for (; layer > 1 && parents < PARENTS; parents++) {
        cs_push(cs, "exp_parent_%u_bits", parents);
        bits256_of(cs, &w->parent[parents], &w->column[parents][layer - 2]);
        cs_pop(cs);
    }
    const struct bits256 *repeated[LABEL_PARENTS];
    for (unsigned i = 0; i < LABEL_PARENTS; i++)
        repeated[i] = &w->parent[i % parents];
    cs_push(cs, "create_label");
    const struct num label = label_create(cs, &w->replica_id, repeated, layer, w->node);
    cs_pop(cs);
    return label;
}

static void labels(const struct porep_build *b, const struct porep_challenge *challenge)
{
    struct cs *cs = b->cs;
    cs_push(cs, "challenge");
    uint64_alloc(cs, b->w->node, challenge ? challenge->labeling[0].node : 0);
    cs_pop(cs);
    cs_push(cs, "challenge input");
    pack_into_inputs(cs, b->w->node, 64);
    cs_pop(cs);
    for (unsigned layer = 1; layer <= b->params->layers; layer++) {
        cs_push(cs, "labeling_%u", layer);
        b->w->label[layer - 1] = layer_label(b, layer);
        cs_pop(cs);
    }
}

static void enforce_challenge(const struct porep_build *b, const struct porep_challenge *challenge)
{
    struct cs *cs = b->cs;
    struct workspace *w = b->w;
    cs_push(cs, "data_leaf");
    const struct num data_leaf = num_alloc(cs, challenge ? &challenge->comm_d.leaf : NULL);
    cs_pop(cs);
    cs_push(cs, "comm_d_inclusion");
    enforce_in_tree(b, &b->data_tree, challenge ? &challenge->comm_d : NULL, &b->comm_d, &data_leaf);
    cs_pop(cs);

    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
        parent_column(b, w->column[i], challenge ? &challenge->drg_parents[i] : NULL, "drg", i);
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        parent_column(b, w->column[POREP_DRG_PARENTS + i], challenge ? &challenge->exp_parents[i] : NULL,
                      "exp", i);
    labels(b, challenge);

    cs_push(cs, "encode_node");
    const struct num encoded = label_encode(cs, &w->label[b->params->layers - 1], &data_leaf);
    cs_pop(cs);
    cs_push(cs, "comm_r_last_data_inclusion");
    enforce_in_tree(b, &b->tree, challenge ? &challenge->comm_r_last : NULL, &b->comm_r_last, &encoded);
    cs_pop(cs);
    cs_push(cs, "c_x_column_hash");
    const struct num hash = column_hash(cs, b->circuit->poseidon, w->label, b->params->layers,
                                        challenge ? &challenge->c_x.path.leaf : NULL);
    cs_pop(cs);
    cs_push(cs, "c_x_inclusion");
    enforce_in_tree(b, &b->tree, challenge ? &challenge->c_x.path : NULL, &b->comm_c, &hash);
    cs_pop(cs);
}

/* -- the whole -- */

static struct num alloc_named(struct cs *cs, const char *name, const fr *value)
{
    cs_push(cs, "%s", name);
    const struct num a = num_alloc(cs, value);
    cs_pop(cs);
    return a;
}

static struct num alloc_public(struct cs *cs, const char *name, const fr *value)
{
    const struct num a = alloc_named(cs, name, value);
    cs_push(cs, "%s_input", name);
    num_inputize(cs, &a);
    cs_pop(cs);
    return a;
}

/* The statement's elements, or NULL on a blank circuit; a reader has checked that they are below r. */
static const fr *statement_element(struct cs *cs, fr *room, const struct porep_c1 *c1, const uint8_t *bytes)
{
    if (!c1)
        return NULL;
    if (!fr_read_le(room, bytes))
        cs_fail(cs, CUZK_ERR_INPUT, "the statement has a value that is not below the field's modulus");
    return room;
}

static void enforce_statement(struct porep_build *b)
{
    const struct porep_challenge *first = b->proof;
    struct cs *cs = b->cs;
    const struct porep_c1 *c1 = b->circuit->c1;
    fr value = FR_ZERO;
    const struct num replica_id = alloc_public(
        cs, "replica_id", statement_element(cs, &value, c1, c1 ? c1->statement.replica_id : NULL));
    cs_push(cs, "replica_id_bits");
    bits256_of(cs, &b->w->replica_id, &replica_id);
    cs_pop(cs);
    b->comm_d =
        alloc_public(cs, "comm_d", statement_element(cs, &value, c1, c1 ? c1->statement.comm_d : NULL));
    const struct num comm_r =
        alloc_public(cs, "comm_r", statement_element(cs, &value, c1, c1 ? c1->statement.comm_r : NULL));
    b->comm_r_last = alloc_named(cs, "comm_r_last", first ? &first->comm_r_last.root : NULL);
    b->comm_c = alloc_named(cs, "comm_c", first ? &first->c_x.path.root : NULL);

    const struct num both[2] = {b->comm_c, b->comm_r_last};
    cs_push(cs, "H_comm_c_comm_r_last");
    const struct num hash =
        poseidon_gadget_known(cs, &b->circuit->poseidon->kind[POSEIDON_2], both, &comm_r.value);
    cs_pop(cs);
    cs_name(cs, "enforce comm_r = H(comm_c || comm_r_last)");
    num_enforce_equal(cs, &comm_r, &hash);
}

static bool build_begin(struct porep_build *b, struct cs *cs, const struct porep_circuit *circuit)
{
    const struct porep_params *p = circuit->params;
    *b = (struct porep_build){
        .cs = cs,
        .circuit = circuit,
        .params = p,
        .data_tree = inclusion_tree_of(NULL, p->nodes, 2, 0, 0),
        .tree = inclusion_tree_of(circuit->poseidon, p->nodes, p->base_arity, p->sub_arity, p->top_arity)};
    if (circuit->c1 && circuit->partition >= circuit->c1->statement.params.partitions) {
        cs_fail(cs, CUZK_ERR_ARGUMENT, "no partition %u: the proof has %u", circuit->partition,
                circuit->c1->statement.params.partitions);
        return false;
    }
    b->proof = circuit->c1 ? circuit->c1->proof[circuit->partition] : NULL;
    b->w = mem_alloc(1, sizeof *b->w);
    if (!b->w)
        cs_fail(cs, CUZK_ERR_MEMORY, "out of memory: %zu bytes for a challenge", sizeof *b->w);
    return b->w != NULL;
}

static void number_challenge(const struct porep_build *b, unsigned i)
{
    cs_push(b->cs, "challenge_%u", i);
    enforce_challenge(b, b->proof ? &b->proof[i] : NULL);
    cs_pop(b->cs);
}

void porep_synthesize(const void *porep_circuit, struct cs *cs)
{
    struct porep_build b;
    if (!build_begin(&b, cs, porep_circuit))
        return;
    cs_part(cs);
    enforce_statement(&b);
    for (unsigned i = 0; i < b.params->challenges && cs->status == CUZK_OK; i++) {
        cs_part(cs);
        number_challenge(&b, i);
    }
    mem_free(b.w);
}

/* The statement for its values alone. */
static void statement_aside(struct porep_build *b)
{
    static const struct cs_sink nowhere = {.wants_values = true};
    struct cs *cs = b->cs, aside;
    cs_init(&aside, &nowhere, NULL, cs->cancel);
    b->cs = &aside;
    enforce_statement(b);
    b->cs = cs;
    if (aside.status != CUZK_OK)
        cs_fail(cs, aside.status, "%s", aside.error.message);
    cs_free(&aside);
}

/* Part 0: the statement; part k: challenge k - 1. */
static void synthesize_part(const void *porep_circuit, struct cs *cs, uint32_t k)
{
    struct porep_build b;
    if (!build_begin(&b, cs, porep_circuit))
        return;
    if (k == 0) {
        enforce_statement(&b);
    } else {
        statement_aside(&b);
        number_challenge(&b, k - 1);
    }
    mem_free(b.w);
}

static cuzk_status prepare(const void *porep_circuit, const struct exec *x, struct cuzk_error *e)
{
    const struct porep_circuit *c = porep_circuit;
    if (!c->c1 || c->partition >= c->c1->statement.params.partitions)
        return CUZK_OK;
    return porep_hash_paths(x, c->poseidon, c->c1, c->partition, MERKLE_MISSING, e);
}

struct circuit porep_circuit_of(const struct porep_circuit *circuit)
{
    return (struct circuit){.self = circuit,
                            .synthesize = porep_synthesize,
                            .parts = 1 + circuit->params->challenges,
                            .part = synthesize_part,
                            .prepare = prepare};
}
