/* circuits/snap_circuit.c - the empty sector update circuit of one partition, row by row as the reference's
 * two EmptySectorUpdateCircuits.
 *
 * comm_r_old and comm_r_new are hashes of comm_c and the replica trees' roots. In the SHA-256 variant the
 * apex leaves, one level of the partition's part of the data tree, lead to comm_d_new once for all
 * challenges. For each challenge: its bits are drawn from comm_r_new; the encoding of the old leaf with the
 * data leaf and rho is the new leaf; old and new leaf are in the replica trees; the data leaf is below its
 * apex leaf, or in the Poseidon variant in the data tree. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/snap.h"
#include "gadgets/inclusion.h"
#include "gadgets/insertion.h"
#include "gadgets/multipack.h"
#include "gadgets/num.h"
#include "gadgets/poseidon.h"
#include "gadgets/update.h"

#define MAX_NODE_BITS 32
#define MAX_SELECT    (MAX_NODE_BITS + SNAP_HIGH_CHOICES)
#define MAX_SIBLINGS  96

/* The variables that the challenges share. */
struct snap_build {
    struct cs *cs;
    const struct snap_circuit *circuit;
    const struct snap_params *params;
    struct inclusion_tree replica_tree, data_tree; /* the data's: up to an apex leaf where there are any */
    struct num comm_r_old, comm_d_new, comm_r_new, comm_c, root_r_old, root_r_new, phi;
    struct boolean select[MAX_SELECT]; /* the partition's bits, then which high bits rho depends on */
    struct num apex[SELECTION_MAX], row[SELECTION_MAX]; /* the apex leaves; a row of the tree above them */
    struct boolean *drawn;                              /* params.challenges times params.drawn_bits */
};

static struct num alloc_named(struct cs *cs, const char *name, const fr *value)
{
    cs_push(cs, "%s", name);
    const struct num a = num_alloc(cs, value);
    cs_pop(cs);
    return a;
}

static struct num alloc_public(struct cs *cs, const char *name, const char *input_name, const fr *value)
{
    const struct num a = alloc_named(cs, name, value);
    cs_push(cs, "%s", input_name);
    num_inputize(cs, &a);
    cs_pop(cs);
    return a;
}

static const struct poseidon *random_hash(const struct snap_build *b)
{
    return &b->circuit->poseidon->kind[POSEIDON_2_SNAP];
}

/* -- the statement -- */

/* The first public input holds the partition's number and, above its bits, a bit for each choice of high
 * bits.
 */
static void alloc_select(struct snap_build *b, const fr *value)
{
    struct cs *cs = b->cs;
    const bool is_poseidon = b->params->variant == SNAP_POSEIDON;
    const char *name = is_poseidon ? "h_select" : "k_and_h_select";
    const unsigned count = b->params->partition_bits + SNAP_HIGH_CHOICES;
    const struct num packed = alloc_public(
        cs, name, is_poseidon ? "h_select (public input)" : "k_and_h_select (public input)", value);
    const uint64_t bits = b->circuit->partition | UINT64_C(1)
                                                      << (b->params->partition_bits + b->params->high_choice);
    for (unsigned i = 0; i < count; i++) {
        cs_push(cs, "%s_bit_%u", name, i);
        b->select[i] = boolean_alloc(cs, bits >> i & 1);
        cs_pop(cs);
    }
    cs_name(cs, "%s binary decomp", name);
    num_enforce_bits(cs, b->select, count, &packed);
}

/* inputs: the public ones, NULL on a blank circuit. */
static void alloc_commitments(struct snap_build *b, const fr *inputs)
{
    struct cs *cs = b->cs;
    b->comm_r_old = alloc_public(cs, "comm_r_old", "comm_r_old_input", inputs ? &inputs[1] : NULL);
    b->comm_d_new = alloc_public(cs, "comm_d_new", "comm_d_new_input", inputs ? &inputs[2] : NULL);
    b->comm_r_new = alloc_public(cs, "comm_r_new", "comm_r_new_input", inputs ? &inputs[3] : NULL);
    const struct num preimage[2] = {b->comm_d_new, b->comm_r_old};
    cs_push(cs, "phi");
    b->phi = poseidon_gadget(cs, random_hash(b), preimage);
    cs_pop(cs);

    const struct snap_proof *proof = b->circuit->proof;
    b->comm_c = alloc_named(cs, "comm_c", proof ? &proof->comm_c : NULL);
    b->root_r_old = alloc_named(cs, "root_r_old", proof ? &proof->challenges[0].r_old.root : NULL);
    b->root_r_new = alloc_named(cs, "root_r_new", proof ? &proof->challenges[0].r_new.root : NULL);
}

/* comm_r = H(comm_c, root); name: of comm_r. */
static void enforce_comm_r(const struct snap_build *b, const char *name, const struct num *root,
                           const struct num *comm_r)
{
    struct cs *cs = b->cs;
    const struct num preimage[2] = {b->comm_c, *root};
    cs_push(cs, "%s_calc", name);
    const struct num hash =
        poseidon_gadget_known(cs, &b->circuit->poseidon->kind[POSEIDON_2], preimage, &comm_r->value);
    cs_pop(cs);
    cs_name(cs, "enforce %s_calc == %s", name, name);
    num_enforce_equal(cs, &hash, comm_r);
}

/* -- the apex: SHA-256 only -- */

/* The path from the apex' root to comm_d_new is the end of every challenge's. */
static void alloc_apex(struct snap_build *b, struct num *partition_path)
{
    struct cs *cs = b->cs;
    const struct snap_proof *proof = b->circuit->proof;
    for (unsigned i = 0; i < b->params->apex_leaves; i++) {
        cs_push(cs, "apex_leaf_%u", i);
        b->apex[i] = num_alloc(cs, proof ? &proof->apex_leaves[i] : NULL);
        cs_pop(cs);
    }
    for (unsigned i = 0; i < b->params->partition_bits; i++) {
        cs_push(cs, "partition_path_sibling_%u", i);
        partition_path[i] = num_alloc(
            cs, proof ? &proof->challenges[0].d_new.steps[b->params->drawn_bits + i].siblings[0] : NULL);
        cs_pop(cs);
    }
}

static void enforce_apex(struct snap_build *b, const struct num *partition_path)
{
    struct cs *cs = b->cs;
    const struct inclusion_tree above = {.base_levels = b->params->partition_bits, .base_arity = 2};
    for (unsigned i = 0; i < b->params->apex_leaves; i++)
        b->row[i] = b->apex[i];
    for (unsigned level = 0; level < b->params->apex_bits; level++)
        for (unsigned i = 0; i < b->params->apex_leaves >> (level + 1) && cs->status == CUZK_OK; i++) {
            cs_push(cs, "apex_tree generation hash (tree_row=%u, siblings=%u)", level, i);
            b->row[i] = sha256_pair_gadget(cs, &b->row[2 * i]);
            cs_pop(cs);
        }
    cs_push(cs, "partition-tree por");
    inclusion_at(cs, &above, &b->row[0], b->select, partition_path, NULL, &b->comm_d_new);
    cs_pop(cs);
}

/* -- a challenge -- */

/* leaf is in the replica or data tree of this root; name: of the path. */
static void enforce_in_tree(const struct snap_build *b, const struct inclusion_tree *tree, const char *name,
                            unsigned c, const struct boolean *bits, const struct merkle_path *path,
                            const struct num *leaf, const struct num *root)
{
    struct cs *cs = b->cs;
    struct num siblings[MAX_SIBLINGS];
    const fr *digests[INCLUSION_MAX_LEVELS];
    unsigned count = 0;
    for (unsigned level = 0; path && level < inclusion_levels(tree); level++)
        digests[level] = &path->steps[level].digest;
    for (unsigned level = 0; level < inclusion_levels(tree); level++)
        for (unsigned i = 0; i + 1 < inclusion_arity(tree, level); i++) {
            VERIFY(count < MAX_SIBLINGS);
            cs_push(cs, "path_%s sibling (c_index=%u, tree_row=%u, sibling_index=%u)", name, c, level, i);
            siblings[count++] = num_alloc(cs, path ? &path->steps[level].siblings[i] : NULL);
            cs_pop(cs);
        }
    cs_push(cs, "por tree_%s (c_index=%u)", name, c);
    inclusion_at(cs, tree, leaf, bits, siblings,
                 path && path->hashed && fr_equal(&leaf->value, &path->leaf) ? digests : NULL, root);
    cs_pop(cs);
}

static void enforce_below_apex(const struct snap_build *b, unsigned c, const struct boolean *bits,
                               const struct merkle_path *path, const struct num *leaf)
{
    struct cs *cs = b->cs;
    struct num siblings[MAX_NODE_BITS];
    const unsigned levels = b->data_tree.base_levels;
    cs_push(cs, "select_apex_leaf (c_index=%u)", c);
    const struct num apex = select_gadget(cs, b->apex, b->params->apex_leaves, bits + levels);
    cs_pop(cs);
    for (unsigned i = 0; i < levels; i++) {
        cs_push(cs, "path_to_apex_leaf sibling (c_index=%u, tree_row=%u)", c, i);
        siblings[i] = num_alloc(cs, path ? &path->steps[i].siblings[0] : NULL);
        cs_pop(cs);
    }
    cs_push(cs, "por to_apex_leaf (c_index=%u)", c);
    inclusion_at(cs, &b->data_tree, leaf, bits, siblings, NULL, &apex);
    cs_pop(cs);
}

/* rho of the challenged node. */
static struct num alloc_rho(const struct snap_build *b, unsigned c, const struct boolean *bits)
{
    struct cs *cs = b->cs;
    cs_push(cs, "get_challenge_high_bits (c_index=%u)", c);
    const struct num high =
        high_bits_gadget(cs, bits, b->params->node_bits, b->select + b->params->partition_bits,
                         b->params->high_bits, SNAP_HIGH_CHOICES);
    cs_pop(cs);
    const struct num preimage[2] = {b->phi, high};
    cs_push(cs, "rho (c_index=%u)", c);
    const struct num rho = poseidon_gadget(cs, random_hash(b), preimage);
    cs_pop(cs);
    return rho;
}

static void enforce_challenge(const struct snap_build *b, unsigned c)
{
    struct cs *cs = b->cs;
    const struct snap_params *p = b->params;
    const struct snap_challenge *challenge = b->circuit->proof ? &b->circuit->proof->challenges[c] : NULL;
    struct boolean bits[MAX_NODE_BITS];
    for (unsigned i = 0; i < p->node_bits; i++)
        bits[i] = i < p->drawn_bits ? b->drawn[c * p->drawn_bits + i] : b->select[i - p->drawn_bits];
    const struct num rho = alloc_rho(b, c, bits);

    cs_push(cs, "leaf_r_old (c_index=%u)", c);
    const struct num leaf_r_old = num_alloc(cs, challenge ? &challenge->r_old.leaf : NULL);
    cs_pop(cs);
    cs_push(cs, "leaf_d_new (c_index=%u)", c);
    const struct num leaf_d_new = num_alloc(cs, challenge ? &challenge->d_new.leaf : NULL);
    cs_pop(cs);
    cs_push(cs, "leaf_r_new (c_index=%u)", c);
    const struct num leaf_r_new = update_encode(cs, &leaf_r_old, &leaf_d_new, &rho);
    cs_pop(cs);

    enforce_in_tree(b, &b->replica_tree, "r_old", c, bits, challenge ? &challenge->r_old : NULL, &leaf_r_old,
                    &b->root_r_old);
    enforce_in_tree(b, &b->replica_tree, "r_new", c, bits, challenge ? &challenge->r_new : NULL, &leaf_r_new,
                    &b->root_r_new);
    const struct merkle_path *data = challenge ? &challenge->d_new : NULL;
    if (p->variant == SNAP_POSEIDON)
        enforce_in_tree(b, &b->data_tree, "d_new", c, bits, data, &leaf_d_new, &b->comm_d_new);
    else
        enforce_below_apex(b, c, bits, data, &leaf_d_new);
}

/* -- the whole -- */

static void enforce_all(struct snap_build *b, const fr *inputs)
{
    struct cs *cs = b->cs;
    const struct snap_params *p = b->params;
    const bool has_apex = p->variant != SNAP_POSEIDON;
    struct num partition = {0}, partition_path[MAX_NODE_BITS];
    alloc_select(b, inputs ? &inputs[0] : NULL);
    if (has_apex) {
        cs_push(cs, "pack partition bits");
        partition = pack_bits(cs, b->select, p->partition_bits);
        cs_pop(cs);
    }
    alloc_commitments(b, inputs);
    if (has_apex)
        alloc_apex(b, partition_path);
    enforce_comm_r(b, "comm_r_old", &b->root_r_old, &b->comm_r_old);
    enforce_comm_r(b, "comm_r_new", &b->root_r_new, &b->comm_r_new);
    if (has_apex) {
        cs_push(cs, "apex_gadget");
        enforce_apex(b, partition_path);
        cs_pop(cs);
    } else {
        partition = alloc_named(cs, "gen_challenge_bits partition zero", &FR_ZERO);
    }
    cs_push(cs, "gen_challenge_bits");
    challenge_bits_gadget(cs, random_hash(b), b->drawn, &b->comm_r_new, &partition, p->challenges,
                          p->drawn_bits);
    cs_pop(cs);
    for (unsigned c = 0; c < p->challenges && cs->status == CUZK_OK; c++)
        enforce_challenge(b, c);
}

/* A few tens of kilobytes, too much for a small stack. */
static struct snap_build *build_new(struct cs *cs, const struct snap_circuit *circuit)
{
    const struct snap_params *p = circuit->params;
    struct snap_build *b = mem_alloc(1, sizeof *b);
    if (b)
        b->drawn = mem_alloc((size_t)p->challenges * p->drawn_bits, sizeof *b->drawn);
    if (!b || !b->drawn) {
        cs_fail(cs, CUZK_ERR_MEMORY, "out of memory: %zu bytes for a partition",
                sizeof *b + (size_t)p->challenges * p->drawn_bits * sizeof *b->drawn);
        mem_free(b);
        return NULL;
    }
    b->cs = cs;
    b->circuit = circuit;
    b->params = p;
    b->replica_tree =
        inclusion_tree_of(circuit->poseidon, p->nodes, p->base_arity, p->sub_arity, p->top_arity);
    b->data_tree =
        p->variant == SNAP_POSEIDON
            ? b->replica_tree
            : (struct inclusion_tree){.base_levels = p->drawn_bits - p->apex_bits, .base_arity = 2};
    return b;
}

void snap_synthesize(const void *snap_circuit, struct cs *cs)
{
    const struct snap_circuit *circuit = snap_circuit;
    fr inputs[4];
    if (circuit->statement) {
        struct cuzk_error e = {.status = CUZK_OK};
        const cuzk_status status = snap_public_inputs(circuit->statement, circuit->partition, inputs, &e);
        if (status != CUZK_OK) {
            cs_fail(cs, status, "%s", e.message);
            return;
        }
    }
    struct snap_build *b = build_new(cs, circuit);
    if (!b)
        return;
    enforce_all(b, circuit->statement ? inputs : NULL);
    mem_free(b->drawn);
    mem_free(b);
}

static cuzk_status prepare(const void *snap_circuit, const struct exec *x, struct cuzk_error *e)
{
    const struct snap_circuit *c = snap_circuit;
    return c->proof ? snap_hash_paths(x, c->poseidon, c->params, c->proof, MERKLE_MISSING, e) : CUZK_OK;
}

struct circuit snap_circuit_of(const struct snap_circuit *circuit)
{
    return (struct circuit){.self = circuit, .synthesize = snap_synthesize, .prepare = prepare};
}
