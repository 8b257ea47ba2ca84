/* circuits/post_circuit.c - the fallback PoSt circuit of one partition, row by row as the reference's
 * FallbackPoStCircuit.
 *
 * For each place: comm_r is the hash of comm_c and comm_r_last; each challenged leaf is in the replica tree
 * whose root is comm_r_last.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/post.h"
#include "gadgets/inclusion.h"
#include "gadgets/num.h"
#include "gadgets/poseidon.h"

/* Who stands in a place; all NULL on a blank circuit. */
struct occupant {
    const fr *comm_r, *comm_c, *comm_r_last;
    const struct merkle_path *paths;
};

static struct num alloc_named(struct cs *cs, const char *name, const fr *value)
{
    cs_push(cs, "%s", name);
    const struct num a = num_alloc(cs, value);
    cs_pop(cs);
    return a;
}

static void enforce_challenge(struct cs *cs, const struct inclusion_tree *tree,
                              const struct merkle_path *path, const struct num *root)
{
    struct inclusion_step steps[INCLUSION_MAX_LEVELS];
    VERIFY(!path || path->count == inclusion_levels(tree));
    for (uint32_t i = 0; path && i < path->count; i++)
        steps[i] = (struct inclusion_step){.index = path->steps[i].index,
                                           .siblings = path->steps[i].siblings,
                                           .digest = path->hashed ? &path->steps[i].digest : NULL};
    const struct num leaf = alloc_named(cs, "value", path ? &path->leaf : NULL);
    inclusion_gadget(cs, tree, &leaf, path ? steps : NULL, root);
}

/* The place's own part; its comm_r_last. */
static struct num enforce_sector(const struct post_circuit *circuit, struct cs *cs, const struct occupant *o)
{
    const struct num comm_r_last = alloc_named(cs, "comm_r_last", o->comm_r_last);
    const struct num comm_c = alloc_named(cs, "comm_c", o->comm_c);
    const struct num comm_r = alloc_named(cs, "comm_r", o->comm_r);
    cs_push(cs, "comm_r_input");
    num_inputize(cs, &comm_r);
    cs_pop(cs);

    const struct num both[2] = {comm_c, comm_r_last};
    cs_push(cs, "H_comm_c_comm_r_last");
    const struct num hash =
        poseidon_gadget_known(cs, &circuit->poseidon->kind[POSEIDON_2], both, &comm_r.value);
    cs_pop(cs);
    cs_name(cs, "enforce_comm_c_comm_r_last_hash_comm_r");
    num_enforce_equal(cs, &comm_r, &hash);
    return comm_r_last;
}

/* comm_r is room for the statement's, which is checked to be below r. */
static struct occupant occupant_of(const struct post_circuit *circuit, struct cs *cs, fr *comm_r,
                                   unsigned place)
{
    const struct post_statement *s = circuit->statement;
    if (!s)
        return (struct occupant){0};
    const struct post_place at = post_place_at(s, circuit->partition, place);
    const struct post_proof *proof = &circuit->proofs[at.sector];
    if (!fr_read_le(comm_r, s->sectors[at.sector].comm_r))
        cs_fail(cs, CUZK_ERR_INPUT, "the statement has a value that is not below the field's modulus");
    return (struct occupant){.comm_r = comm_r,
                             .comm_c = &proof->comm_c,
                             .comm_r_last = &proof->comm_r_last,
                             .paths = proof->paths + at.first};
}

static struct inclusion_tree tree_of(const struct post_circuit *circuit)
{
    const struct post_params *p = circuit->params;
    return inclusion_tree_of(circuit->poseidon, p->nodes, p->base_arity, p->sub_arity, p->top_arity);
}

static void enforce_challenge_of(const struct post_circuit *circuit, struct cs *cs, const struct occupant *o,
                                 unsigned n, const struct num *comm_r_last)
{
    const struct inclusion_tree tree = tree_of(circuit);
    cs_push(cs, "challenge_inclusion_%u", n);
    enforce_challenge(cs, &tree, o->paths ? &o->paths[n] : NULL, comm_r_last);
    cs_pop(cs);
}

/* A place's parts: the sector, and each challenge. */
static uint32_t parts_of_place(const struct post_circuit *circuit)
{
    return 1 + circuit->params->place_challenges;
}

static void synthesize_part(const void *post_circuit, struct cs *cs, uint32_t part)
{
    const struct post_circuit *circuit = post_circuit;
    const uint32_t place = part / parts_of_place(circuit), n = part % parts_of_place(circuit);
    fr comm_r = FR_ZERO;
    const struct occupant o = occupant_of(circuit, cs, &comm_r, place);
    if (n == 0) {
        (void)enforce_sector(circuit, cs, &o);
        return;
    }
    const struct num comm_r_last = {.v = VAR_ONE, .value = o.comm_r_last ? *o.comm_r_last : FR_ZERO};
    enforce_challenge_of(circuit, cs, &o, n - 1, &comm_r_last);
}

static void synthesize_place(const struct post_circuit *circuit, struct cs *cs, uint32_t place)
{
    fr comm_r = FR_ZERO;
    const struct occupant o = occupant_of(circuit, cs, &comm_r, place);
    cs_push(cs, "outer namespace");
    cs_push(cs, "sector_%u", place);
    cs_part(cs);
    const struct num comm_r_last = enforce_sector(circuit, cs, &o);
    for (unsigned n = 0; n < circuit->params->place_challenges; n++) {
        cs_part(cs);
        enforce_challenge_of(circuit, cs, &o, n, &comm_r_last);
    }
    cs_pop(cs);
    cs_pop(cs);
}

void post_synthesize(const void *post_circuit, struct cs *cs)
{
    const struct post_circuit *circuit = post_circuit;
    for (uint32_t place = 0; place < circuit->params->places && cs->status == CUZK_OK; place++)
        synthesize_place(circuit, cs, place);
}

static cuzk_status prepare(const void *post_circuit, const struct exec *x, struct cuzk_error *e)
{
    const struct post_circuit *circuit = post_circuit;
    const struct post_statement *s = circuit->statement;
    if (!s)
        return CUZK_OK;
    const size_t first = post_place_at(s, circuit->partition, 0).sector,
                 last = post_place_at(s, circuit->partition, s->params.places - 1).sector;
    return post_hash_paths(x, circuit->poseidon, s, circuit->proofs, first, last + 1, MERKLE_MISSING, e);
}

struct circuit post_circuit_of(const struct post_circuit *circuit)
{
    return (struct circuit){.self = circuit,
                            .synthesize = post_synthesize,
                            .parts = circuit->params->places * parts_of_place(circuit),
                            .part = synthesize_part,
                            .prepare = prepare};
}
