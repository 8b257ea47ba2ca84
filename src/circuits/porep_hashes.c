/* circuits/porep_hashes.c - do the paths, columns and labels of a C1's proof hash to what they lead to?
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuits/porep.h"
#include "hash/sha256.h"

#define MAX_ARITY    8
#define BITS_IN_USE  0x3f /* of a digest's last byte */
#define LABEL_HEAD   64   /* bytes of replica id, layer and node before the parents */
#define LAYER_BYTES  4
#define NODE_NUMBERS 8 /* bytes of a node's number */

struct check {
    const struct exec *x;
    const struct poseidon_set *poseidon;
    const struct porep_c1 *c1;
    unsigned partition;
    atomic_uint first_bad; /* the lowest challenge that fails; all below are good */
};

static cuzk_status unsatisfied(const struct check *c, unsigned challenge, struct cuzk_error *e,
                               const char *format, ...) PRINTF_LIKE(4, 5);
static cuzk_status unsatisfied(const struct check *c, unsigned challenge, struct cuzk_error *e,
                               const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_set(e, CUZK_ERR_UNSATISFIED, "partition %u, challenge %u: %s", c->partition, challenge,
                     what);
}

static fr digest_element(uint8_t digest[32])
{
    fr element;
    digest[31] &= BITS_IN_USE;
    const bool canonical = fr_read_le(&element, digest);
    VERIFY(canonical); /* below 2^254 */
    (void)canonical;
    return element;
}

static fr sha256_pair(const fr children[2])
{
    uint8_t preimage[2 * FR_BYTES], digest[32];
    fr_write_le(preimage, &children[0]);
    fr_write_le(preimage + FR_BYTES, &children[1]);
    sha256(digest, preimage, sizeof preimage);
    return digest_element(digest);
}

/* Do leaf and path lead to the root? data: in the binary tree of SHA-256. */
static bool leads_to_root(const struct check *c, const struct merkle_path *path, bool data)
{
    fr node = path->leaf;
    for (uint32_t i = 0; i < path->count; i++) {
        const struct merkle_step *step = &path->steps[i];
        fr children[MAX_ARITY];
        VERIFY(step->arity <= MAX_ARITY && (!data || step->arity == 2));
        memcpy(children, step->siblings, step->index * sizeof node);
        children[step->index] = node;
        memcpy(children + step->index + 1, step->siblings + step->index,
               (step->arity - 1 - step->index) * sizeof node);
        if (data)
            node = sha256_pair(children);
        else
            poseidon_hash(c->x->variant, poseidon_of_arity(c->poseidon, step->arity), &node, children);
    }
    return fr_equal(&node, &path->root);
}

static cuzk_status check_column(const struct check *c, unsigned challenge, const char *what,
                                const struct porep_column *column, struct cuzk_error *e)
{
    const unsigned layers = c->c1->statement.params.layers;
    fr hash;
    poseidon_hash(c->x->variant, poseidon_of_arity(c->poseidon, layers), &hash, column->rows);
    if (!fr_equal(&hash, &column->path.leaf))
        return unsatisfied(c, challenge, e, "the leaf of %s is not the hash of its column", what);
    if (!leads_to_root(c, &column->path, false))
        return unsatisfied(c, challenge, e, "leaf and path of %s do not lead to the root", what);
    return CUZK_OK;
}

static cuzk_status check_columns(const struct check *c, unsigned challenge, const struct porep_challenge *ch,
                                 struct cuzk_error *e)
{
    char what[40];
    cuzk_status status = check_column(c, challenge, "c_x", &ch->c_x, e);
    for (unsigned i = 0; status == CUZK_OK && i < POREP_DRG_PARENTS; i++) {
        snprintf(what, sizeof what, "drg_parents[%u]", i);
        status = check_column(c, challenge, what, &ch->drg_parents[i], e);
    }
    for (unsigned i = 0; status == CUZK_OK && i < POREP_EXP_PARENTS; i++) {
        snprintf(what, sizeof what, "exp_parents[%u]", i);
        status = check_column(c, challenge, what, &ch->exp_parents[i], e);
    }
    return status;
}

static fr label_of(const uint8_t replica_id[32], const struct porep_labeling *l)
{
    uint8_t preimage[LABEL_HEAD + POREP_LABEL_PARENTS * FR_BYTES] = {0}, digest[32];
    memcpy(preimage, replica_id, 32);
    for (unsigned i = 0; i < LAYER_BYTES; i++)
        preimage[32 + i] = (uint8_t)(l->layer_index >> (8 * (LAYER_BYTES - 1 - i)));
    for (unsigned i = 0; i < NODE_NUMBERS; i++)
        preimage[32 + LAYER_BYTES + i] = (uint8_t)(l->node >> (8 * (NODE_NUMBERS - 1 - i)));
    for (size_t i = 0; i < POREP_LABEL_PARENTS; i++)
        fr_write_le(preimage + LABEL_HEAD + i * FR_BYTES, &l->parents[i]);
    sha256(digest, preimage, sizeof preimage);
    return digest_element(digest);
}

/* The labels are those of the column, and the last one turns the data into the replica. */
static cuzk_status check_labels(const struct check *c, unsigned challenge, const struct porep_challenge *ch,
                                struct cuzk_error *e)
{
    const struct porep_statement *s = &c->c1->statement;
    fr label, encoded;
    for (unsigned i = 0; i < s->params.layers; i++) {
        label = label_of(s->replica_id, &ch->labeling[i]);
        if (!fr_equal(&label, &ch->c_x.rows[i]))
            return unsatisfied(c, challenge, e, "labeling_proofs[%u]: the label is not that of the column",
                               i);
    }
    label = label_of(s->replica_id, &ch->encoding);
    fr_add(&encoded, &label, &ch->comm_d.leaf);
    if (!fr_equal(&encoded, &ch->comm_r_last.leaf))
        return unsatisfied(c, challenge, e, "the leaf of comm_r_last_proof is not the encoding of the data");
    return CUZK_OK;
}

static cuzk_status check_challenge(const struct check *c, unsigned challenge, struct cuzk_error *e)
{
    const struct porep_challenge *ch = &c->c1->proof[c->partition][challenge];
    if (!leads_to_root(c, &ch->comm_d, true))
        return unsatisfied(c, challenge, e, "leaf and path of comm_d_proofs do not lead to the root");
    if (!leads_to_root(c, &ch->comm_r_last, false))
        return unsatisfied(c, challenge, e, "leaf and path of comm_r_last_proof do not lead to the root");
    const cuzk_status status = check_columns(c, challenge, ch, e);
    return status == CUZK_OK ? check_labels(c, challenge, ch, e) : status;
}

static void check_task(void *ctx, size_t task, unsigned worker)
{
    struct check *c = ctx;
    const unsigned challenge = (unsigned)task;
    (void)worker;
    unsigned bad = atomic_load(&c->first_bad);
    if (challenge > bad || exec_cancelled(c->x) || check_challenge(c, challenge, NULL) == CUZK_OK)
        return;
    while (challenge < bad && !atomic_compare_exchange_weak(&c->first_bad, &bad, challenge))
        ;
}

cuzk_status porep_c1_check_hashes(const struct exec *x, const struct poseidon_set *poseidon,
                                  const struct porep_c1 *c1, unsigned partition, struct cuzk_error *e)
{
    const unsigned challenges = c1->statement.params.challenges;
    struct check c = {.x = x, .poseidon = poseidon, .c1 = c1, .partition = partition};
    if (partition >= c1->statement.params.partitions)
        return error_set(e, CUZK_ERR_ARGUMENT, "partition %u: there are %u", partition,
                         c1->statement.params.partitions);
    atomic_init(&c.first_bad, challenges);
    pool_run(x->pool, check_task, &c, challenges);
    if (exec_cancelled(x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    const unsigned bad = atomic_load(&c.first_bad);
    return bad < challenges ? check_challenge(&c, bad, e) : CUZK_OK;
}
