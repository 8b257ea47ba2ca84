/* circuits/snap_check.c - does an update's vanilla proof hold?
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuits/merkle_hash.h"
#include "circuits/snap.h"
#include "hash/sha256.h"

#define MAX_APEX_LEAVES 128

struct check {
    const struct exec *x;
    const struct poseidon_set *poseidon;
    const struct snap_statement *statement;
    const struct snap_params *params;
    const struct snap_proof *proof;
    fr comm_r_old, comm_d_new, comm_r_new, phi;
    uint32_t node[SNAP_MAX_CHALLENGES];
    unsigned partition;
    atomic_uint first_bad; /* the lowest challenge that fails; all below are good */
};

/* What a path is of: its name in errors, its tree's kind, the root that the proof must have. */
struct tree {
    const char *name, *root_name;
    bool is_sha256;
    const fr *root;
};

static cuzk_status unsatisfied(const struct check *c, unsigned challenge, struct cuzk_error *e,
                               const char *what, const char *detail)
{
    return error_set(e, CUZK_ERR_UNSATISFIED, "partition %u, challenge %u: %s%s", c->partition, challenge,
                     what, detail);
}

static fr sha256_node(const fr children[2])
{
    uint8_t preimage[2 * FR_BYTES], digest[32];
    fr node;
    fr_write_le(preimage, &children[0]);
    fr_write_le(preimage + FR_BYTES, &children[1]);
    sha256(digest, preimage, sizeof preimage);
    digest[31] &= 0x3f;
    const bool canonical = fr_read_le(&node, digest);
    VERIFY(canonical); /* below 2^254 */
    (void)canonical;
    return node;
}

/* One level up in a tree of SHA-256: the hash of the node and its sibling. */
static fr climb(const struct merkle_step *step, const fr *node)
{
    fr children[2];
    VERIFY(step->arity == 2);
    merkle_children(children, step, node);
    return sha256_node(children);
}

/* The path is that of the challenged node, and leads from its leaf to the tree's root; through the apex leaf
 * if there are any. */
static cuzk_status check_path(const struct check *c, unsigned challenge, const struct tree *tree,
                              const struct merkle_path *path, struct cuzk_error *e)
{
    const struct snap_params *p = c->params;
    const uint32_t apex_level = tree->is_sha256 ? p->drawn_bits - p->apex_bits : UINT32_MAX;
    uint32_t rest = c->node[challenge];
    char what[96];
    for (uint32_t i = 0; i < path->count; i++) {
        if (path->steps[i].index != rest % path->steps[i].arity) {
            snprintf(what, sizeof what, " is not that of the challenged node %" PRIu32 " (step %" PRIu32 ")",
                     c->node[challenge], i);
            return unsatisfied(c, challenge, e, tree->name, what);
        }
        rest /= path->steps[i].arity;
    }
    if (!fr_equal(&path->root, tree->root)) {
        snprintf(what, sizeof what, ": the root is not %s", tree->root_name);
        return unsatisfied(c, challenge, e, tree->name, what);
    }
    fr node = tree->is_sha256 ? path->leaf : *merkle_path_end(path);
    for (uint32_t i = 0; tree->is_sha256 && i < path->count; i++) {
        if (i == apex_level) {
            const uint32_t leaf = c->node[challenge] >> apex_level & (p->apex_leaves - 1);
            if (!fr_equal(&node, &c->proof->apex_leaves[leaf]))
                return unsatisfied(c, challenge, e, tree->name, " does not lead through its apex leaf");
        }
        node = climb(&path->steps[i], &node);
    }
    if (!fr_equal(&node, &path->root))
        return unsatisfied(c, challenge, e, tree->name, ": leaf and path do not lead to the root");
    return CUZK_OK;
}

static cuzk_status check_challenge(const struct check *c, unsigned n, struct cuzk_error *e)
{
    const struct snap_challenge *challenge = &c->proof->challenges[n];
    const struct snap_challenge *first = &c->proof->challenges[0];
    const struct tree r_old = {"proof_r_old", "the first challenge's", false, &first->r_old.root};
    const struct tree d_new = {"proof_d_new", "comm_d_new", c->params->variant != SNAP_POSEIDON,
                               &c->comm_d_new};
    const struct tree r_new = {"proof_r_new", "the first challenge's", false, &first->r_new.root};
    cuzk_status status = check_path(c, n, &r_old, &challenge->r_old, e);
    if (status == CUZK_OK)
        status = check_path(c, n, &d_new, &challenge->d_new, e);
    if (status == CUZK_OK)
        status = check_path(c, n, &r_new, &challenge->r_new, e);
    if (status != CUZK_OK)
        return status;
    fr encoded = snap_rho(c->x, c->poseidon, c->params, &c->phi, c->node[n]);
    fr_mul(&encoded, &encoded, &challenge->d_new.leaf);
    fr_add(&encoded, &encoded, &challenge->r_old.leaf);
    if (!fr_equal(&encoded, &challenge->r_new.leaf))
        return unsatisfied(c, n, e, "the new leaf is not the encoding of the old one", "");
    return CUZK_OK;
}

static void check_task(void *ctx, size_t i, unsigned worker)
{
    struct check *c = ctx;
    const unsigned challenge = (unsigned)i;
    (void)worker;
    unsigned bad = atomic_load(&c->first_bad);
    if (challenge > bad || exec_cancelled(c->x) || check_challenge(c, challenge, NULL) == CUZK_OK)
        return;
    while (challenge < bad && !atomic_compare_exchange_weak(&c->first_bad, &bad, challenge))
        ;
}

static cuzk_status check_comm_r(const struct check *c, const char *name, const fr *root, const fr *comm_r,
                                struct cuzk_error *e)
{
    const fr preimage[2] = {c->proof->comm_c, *root};
    fr digest;
    poseidon_hash(c->x->variant, &c->poseidon->kind[POSEIDON_2], &digest, preimage);
    if (!fr_equal(&digest, comm_r))
        return error_set(e, CUZK_ERR_UNSATISFIED, "partition %u: %s is not the hash of comm_c and its root",
                         c->partition, name);
    return CUZK_OK;
}

/* The apex leaves, and above their root the end of the first challenge's path, lead to comm_d_new. */
static cuzk_status check_apex(const struct check *c, struct cuzk_error *e)
{
    const struct snap_params *p = c->params;
    const struct merkle_path *path = &c->proof->challenges[0].d_new;
    fr row[MAX_APEX_LEAVES];
    VERIFY(p->apex_leaves <= MAX_APEX_LEAVES);
    memcpy(row, c->proof->apex_leaves, p->apex_leaves * sizeof row[0]);
    for (unsigned count = p->apex_leaves / 2; count > 0; count /= 2)
        for (unsigned i = 0; i < count; i++)
            row[i] = sha256_node(&row[2 * i]);
    for (uint32_t i = p->drawn_bits; i < path->count; i++)
        row[0] = climb(&path->steps[i], &row[0]);
    if (!fr_equal(&row[0], &c->comm_d_new))
        return error_set(e, CUZK_ERR_UNSATISFIED, "partition %u: the apex leaves do not lead to comm_d_new",
                         c->partition);
    return CUZK_OK;
}

static cuzk_status check_begin(struct check *c, struct cuzk_error *e)
{
    fr inputs[4];
    cuzk_status status = snap_public_inputs(c->statement, c->partition, inputs, e);
    if (status == CUZK_OK)
        status = snap_challenges(c->x, c->poseidon, c->statement, c->partition, c->node, e);
    if (status == CUZK_OK)
        status = snap_phi(c->x, c->poseidon, c->statement, &c->phi, e);
    if (status != CUZK_OK)
        return status;
    c->comm_r_old = inputs[1];
    c->comm_d_new = inputs[2];
    c->comm_r_new = inputs[3];
    status = check_comm_r(c, "comm_r_old", &c->proof->challenges[0].r_old.root, &c->comm_r_old, e);
    if (status == CUZK_OK)
        status = check_comm_r(c, "comm_r_new", &c->proof->challenges[0].r_new.root, &c->comm_r_new, e);
    return status;
}

cuzk_status snap_hash_paths(const struct exec *x, const struct poseidon_set *poseidon,
                            const struct snap_params *p, const struct snap_proof *proof,
                            enum merkle_which which, struct cuzk_error *e)
{
    const size_t most = 3 * (size_t)p->challenges;
    struct merkle_path **paths = mem_alloc(most, sizeof *paths);
    size_t count = 0;
    if (!paths)
        return error_memory(e, most * sizeof *paths, "a partition's paths");
    for (unsigned i = 0; i < p->challenges; i++) {
        paths[count++] = &proof->challenges[i].r_old;
        paths[count++] = &proof->challenges[i].r_new;
        if (p->variant == SNAP_POSEIDON)
            paths[count++] = &proof->challenges[i].d_new;
    }
    const cuzk_status status = merkle_paths_hash(x, poseidon, paths, count, which, e);
    mem_free(paths);
    return status;
}

cuzk_status snap_check(const struct exec *x, const struct poseidon_set *poseidon,
                       const struct snap_statement *s, unsigned partition, const struct snap_proof *proof,
                       struct cuzk_error *e)
{
    struct check c = {.x = x,
                      .poseidon = poseidon,
                      .statement = s,
                      .params = &s->params,
                      .proof = proof,
                      .partition = partition};
    atomic_init(&c.first_bad, s->params.challenges);
    cuzk_status status = check_begin(&c, e);
    if (status == CUZK_OK)
        status = snap_hash_paths(x, poseidon, &s->params, proof, MERKLE_ALL, e);
    if (status != CUZK_OK)
        return status;
    pool_run(x->pool, check_task, &c, s->params.challenges);
    if (exec_cancelled(x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    const unsigned bad = atomic_load(&c.first_bad);
    if (bad < s->params.challenges)
        return check_challenge(&c, bad, e);
    return s->params.variant == SNAP_POSEIDON ? CUZK_OK : check_apex(&c, e);
}
