/* circuits/porep_check.c - does a C1's proof speak of its statement?
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "circuits/porep_graph.h"

struct check {
    const struct porep_c1 *c1;
    const struct porep_params *params;
    struct porep_graph graph;
    fr comm_d, comm_c, comm_r_last;
    unsigned partition, challenge;
    struct cuzk_error *e;
};

static cuzk_status unsatisfied(const struct check *c, const char *format, ...) PRINTF_LIKE(2, 3);
static cuzk_status unsatisfied(const struct check *c, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_set(c->e, CUZK_ERR_UNSATISFIED, "partition %u, challenge %u: %s", c->partition, c->challenge,
                     what);
}

/* The path leads from the leaf number node to root. */
static cuzk_status check_path(const struct check *c, const char *what, const struct merkle_path *path,
                              uint64_t node, const fr *root, const char *root_name)
{
    uint64_t rest = node;
    for (uint32_t i = 0; i < path->count; i++) {
        const struct merkle_step *step = &path->steps[i];
        if (step->index != rest % step->arity)
            return unsatisfied(c, "the path of %s is not that of node %" PRIu64 " (step %" PRIu32 ")", what,
                               node, i);
        rest /= step->arity;
    }
    if (!fr_equal(&path->root, root))
        return unsatisfied(c, "the root of %s is not %s", what, root_name);
    return CUZK_OK;
}

static cuzk_status check_column(const struct check *c, const char *what, const struct porep_column *column,
                                uint64_t node)
{
    if (column->index != node)
        return unsatisfied(c, "%s is the column of node %" PRIu32 ", not of %" PRIu64, what, column->index,
                           node);
    return check_path(c, what, &column->path, node, &c->comm_c, "comm_c, the same in all columns");
}

static cuzk_status check_columns(const struct check *c, const struct porep_challenge *ch, uint64_t node)
{
    uint32_t drg[POREP_DRG_PARENTS], exp[POREP_EXP_PARENTS];
    char what[40];
    cuzk_status status = check_column(c, "c_x", &ch->c_x, node);
    porep_graph_drg_parents(&c->graph, node, drg);
    if (status == CUZK_OK)
        status = porep_graph_exp_parents(&c->graph, node, exp, c->e);
    for (unsigned i = 0; status == CUZK_OK && i < POREP_DRG_PARENTS; i++) {
        snprintf(what, sizeof what, "drg_parents[%u]", i);
        status = check_column(c, what, &ch->drg_parents[i], drg[i]);
    }
    for (unsigned i = 0; status == CUZK_OK && i < POREP_EXP_PARENTS; i++) {
        snprintf(what, sizeof what, "exp_parents[%u]", i);
        status = check_column(c, what, &ch->exp_parents[i], exp[i]);
    }
    return status;
}

/* The parents' labels are repeated to fill the preimage: those of this layer, and from the second layer on
 * the expander parents' of the layer before. */
static const fr *parent_label(const struct porep_challenge *ch, unsigned layer, unsigned place)
{
    const unsigned count = layer == 0 ? POREP_DRG_PARENTS : POREP_DRG_PARENTS + POREP_EXP_PARENTS;
    const unsigned parent = place % count;
    if (parent < POREP_DRG_PARENTS)
        return &ch->drg_parents[parent].rows[layer];
    return &ch->exp_parents[parent - POREP_DRG_PARENTS].rows[layer - 1];
}

static cuzk_status check_labeling(const struct check *c, const struct porep_challenge *ch, const char *what,
                                  const struct porep_labeling *labeling, uint64_t node)
{
    if (labeling->node != node)
        return unsatisfied(c, "%s is of node %" PRIu64 ", not of %" PRIu64, what, labeling->node, node);
    for (unsigned i = 0; i < POREP_LABEL_PARENTS; i++)
        if (!fr_equal(&labeling->parents[i], parent_label(ch, labeling->layer_index - 1, i)))
            return unsatisfied(c, "%s: parents[%u] is not the parent's label", what, i);
    return CUZK_OK;
}

static cuzk_status check_challenge(const struct check *c, const struct porep_challenge *ch, uint64_t node)
{
    char what[40];
    if (ch->labeling[0].node != node)
        return unsatisfied(c,
                           "the proof is of node %" PRIu64 ", where the statement challenges node %" PRIu64,
                           ch->labeling[0].node, node);
    cuzk_status status = check_path(c, "comm_d_proofs", &ch->comm_d, node, &c->comm_d, "comm_d");
    if (status == CUZK_OK)
        status = check_path(c, "comm_r_last_proof", &ch->comm_r_last, node, &c->comm_r_last,
                            "comm_r_last, the same in all challenges");
    if (status == CUZK_OK)
        status = check_columns(c, ch, node);
    for (unsigned i = 0; status == CUZK_OK && i < c->params->layers; i++) {
        snprintf(what, sizeof what, "labeling_proofs[%u]", i);
        status = check_labeling(c, ch, what, &ch->labeling[i], node);
    }
    if (status == CUZK_OK)
        status = check_labeling(c, ch, "encoding_proof", &ch->encoding, node);
    return status;
}

static cuzk_status check_comm_r(const struct exec *x, const struct poseidon_set *poseidon,
                                const struct check *c)
{
    const fr preimage[2] = {c->comm_c, c->comm_r_last};
    fr digest, comm_r;
    poseidon_hash(x->variant, &poseidon->kind[POSEIDON_2], &digest, preimage);
    if (!fr_read_le(&comm_r, c->c1->statement.comm_r) || !fr_equal(&digest, &comm_r))
        return error_set(c->e, CUZK_ERR_UNSATISFIED, "comm_r is not the hash of comm_c and comm_r_last");
    return CUZK_OK;
}

cuzk_status porep_c1_check(const struct exec *x, const struct poseidon_set *poseidon,
                           const struct porep_c1 *c1, struct cuzk_error *e)
{
    struct check c = {.c1 = c1, .params = &c1->statement.params, .e = e};
    c.comm_c = c1->proof[0][0].c_x.path.root;
    c.comm_r_last = c1->proof[0][0].comm_r_last.root;
    porep_graph_init(&c.graph, c.params);
    if (!fr_read_le(&c.comm_d, c1->statement.comm_d))
        return error_set(e, CUZK_ERR_UNSATISFIED, "comm_d is not below the field's modulus");
    cuzk_status status = check_comm_r(x, poseidon, &c);
    for (c.partition = 0; status == CUZK_OK && c.partition < c.params->partitions; c.partition++) {
        uint64_t challenges[POREP_MAX_CHALLENGES];
        if (exec_cancelled(x))
            return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
        status = porep_challenges(&c1->statement, c.partition, challenges, e);
        for (c.challenge = 0; status == CUZK_OK && c.challenge < c.params->challenges; c.challenge++)
            status = check_challenge(&c, &c1->proof[c.partition][c.challenge], challenges[c.challenge]);
    }
    return status;
}
