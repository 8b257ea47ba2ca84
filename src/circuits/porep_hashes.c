/* circuits/porep_hashes.c - do the paths, columns and labels of a C1's proof hash to what they lead to?
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuits/merkle_hash.h"
#include "circuits/porep.h"
#include "hash/sha256.h"

#define COLUMNS      (1 + POREP_DRG_PARENTS + POREP_EXP_PARENTS)
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

/* Do leaf and path lead to the root in the binary tree of SHA-256? */
static bool data_leads_to_root(const struct merkle_path *path)
{
    fr node = path->leaf;
    for (uint32_t i = 0; i < path->count; i++) {
        fr children[2];
        VERIFY(path->steps[i].arity == 2);
        merkle_children(children, &path->steps[i], &node);
        node = sha256_pair(children);
    }
    return fr_equal(&node, &path->root);
}

/* In a tree of Poseidon, of a hashed path? */
static bool leads_to_root(const struct merkle_path *path)
{
    return fr_equal(merkle_path_end(path), &path->root);
}

/* The columns of a challenge: its own, then its parents'. */
static void columns_of(struct porep_column *column[COLUMNS], struct porep_challenge *ch)
{
    *column++ = &ch->c_x;
    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
        *column++ = &ch->drg_parents[i];
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        *column++ = &ch->exp_parents[i];
}

/* hash: of its rows. */
static cuzk_status check_column(const struct check *c, unsigned challenge, const char *what,
                                const struct porep_column *column, const fr *hash, struct cuzk_error *e)
{
    if (!fr_equal(hash, &column->path.leaf))
        return unsatisfied(c, challenge, e, "the leaf of %s is not the hash of its column", what);
    if (!leads_to_root(&column->path))
        return unsatisfied(c, challenge, e, "leaf and path of %s do not lead to the root", what);
    return CUZK_OK;
}

static cuzk_status check_columns(const struct check *c, unsigned challenge, struct porep_challenge *ch,
                                 struct cuzk_error *e)
{
    const unsigned layers = c->c1->statement.params.layers;
    struct porep_column *column[COLUMNS];
    fr rows[COLUMNS * POREP_MAX_LAYERS], hash[COLUMNS];
    char what[40];
    columns_of(column, ch);
    for (unsigned i = 0; i < COLUMNS; i++)
        memcpy(rows + i * layers, column[i]->rows, layers * sizeof *rows);
    poseidon_hash_some(c->x->variant, poseidon_of_arity(c->poseidon, layers), hash, rows, COLUMNS);
    cuzk_status status = check_column(c, challenge, "c_x", column[0], &hash[0], e);
    for (unsigned i = 1; status == CUZK_OK && i < COLUMNS; i++) {
        const bool drg = i <= POREP_DRG_PARENTS;
        snprintf(what, sizeof what, "%s_parents[%u]", drg ? "drg" : "exp",
                 drg ? i - 1 : i - 1 - POREP_DRG_PARENTS);
        status = check_column(c, challenge, what, column[i], &hash[i], e);
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
    struct porep_challenge *ch = &c->c1->proof[c->partition][challenge];
    if (!data_leads_to_root(&ch->comm_d))
        return unsatisfied(c, challenge, e, "leaf and path of comm_d_proofs do not lead to the root");
    if (!leads_to_root(&ch->comm_r_last))
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

cuzk_status porep_hash_paths(const struct exec *x, const struct poseidon_set *poseidon,
                             const struct porep_c1 *c1, unsigned partition, enum merkle_which which,
                             struct cuzk_error *e)
{
    const size_t challenges = c1->statement.params.challenges, count = challenges * (1 + COLUMNS);
    struct merkle_path **paths = mem_alloc(count, sizeof *paths), **next = paths;
    if (!paths)
        return error_memory(e, count * sizeof *paths, "a partition's paths");
    for (size_t i = 0; i < challenges; i++) {
        struct porep_column *column[COLUMNS];
        columns_of(column, &c1->proof[partition][i]);
        *next++ = &c1->proof[partition][i].comm_r_last;
        for (unsigned k = 0; k < COLUMNS; k++)
            *next++ = &column[k]->path;
    }
    const cuzk_status status = merkle_paths_hash(x, poseidon, paths, count, which, e);
    mem_free(paths);
    return status;
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
    const cuzk_status status = porep_hash_paths(x, poseidon, c1, partition, MERKLE_ALL, e);
    if (status != CUZK_OK)
        return status;
    pool_run(x->pool, check_task, &c, challenges);
    if (exec_cancelled(x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    const unsigned bad = atomic_load(&c.first_bad);
    return bad < challenges ? check_challenge(&c, bad, e) : CUZK_OK;
}
