/* circuits/gen_snap.c - a generated sector's update: vanilla proofs and request file.
 *
 * A sector sealed for real takes new data. A sparse one has an old replica and new data that repeat: then
 * the new replica repeats where rho is the same, and all roots are known before the challenges, which follow
 * from them. (FIP-0019.)
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/snap.h"

#include <stdio.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuits/gen_job.h"
#include "circuits/gen_label.h"

#define SECTOR_NUMBERS 100000
#define PERIOD_BITS    6 /* of what repeats */

struct snap_job {
    struct gen_job *job;
    struct snap_statement statement;
    uint64_t sector_number;
    /* the old replica: of the sealed sector, or made of a source */
    struct gen_sector sealed;
    struct gen_source old_source;
    struct gen_tree old_tree;
    const struct gen_tree *r_old; /* one of the two's */
    fr comm_c;
    struct gen_source data;
    struct gen_tree d_new, r_new;
    fr *rho; /* by a node's highest bits */
    unsigned rho_shift;
    struct arena arena;
    uint32_t challenges[SNAP_MAX_CHALLENGES];
};

/* ---- replicas and data ---- */

static void source_leaf(const void *ctx, uint64_t i, fr *out)
{
    gen_source_element(ctx, i, out);
}

static void new_leaf(const void *ctx, uint64_t i, fr *out)
{
    const struct snap_job *p = ctx;
    fr data, old;
    gen_source_element(&p->data, i, &data);
    if (p->job->sparse)
        gen_source_element(&p->old_source, i, &old);
    else
        gen_sector_replica(&p->sealed, i, &old);
    fr_mul(out, &data, &p->rho[i >> p->rho_shift]);
    fr_add(out, out, &old);
}

static void hash2(const struct gen_job *job, const fr *a, const fr *b, uint8_t out[32])
{
    const fr preimage[2] = {*a, *b};
    fr digest;
    poseidon_hash(job->x->variant, &job->poseidon->kind[POSEIDON_2], &digest, preimage);
    fr_write_le(out, &digest);
}

static cuzk_status old_replica(struct snap_job *p, struct cuzk_error *e)
{
    const struct gen_job *job = p->job;
    struct gen_identity who;
    uint8_t key[32];
    cuzk_status status;
    p->sector_number = 1 + gen_number(job->key, "sector number", SECTOR_NUMBERS);
    gen_sector_who(job, 0, p->sector_number, &who, key);
    if (job->sparse) {
        struct gen_source other = {.period_bits = 64};
        gen_key(other.key, key, "column tree", 0);
        gen_key(p->old_source.key, key, "replica", 0);
        p->old_source.period_bits = PERIOD_BITS;
        gen_tree_poseidon(&p->old_tree, job->x, job->poseidon, &job->params);
        status = gen_tree_dense(job->x, &p->old_tree, p->statement.params.node_bits, PERIOD_BITS, source_leaf,
                                &p->old_source, "old replica tree", e);
        p->r_old = &p->old_tree;
        gen_source_element(&other, 0, &p->comm_c);
    } else {
        status = gen_sector_seal(job->x, &p->sealed, job->poseidon, &job->params, &who, key, e);
        p->r_old = &p->sealed.r;
        p->comm_c = p->sealed.comm_c;
    }
    if (status != CUZK_OK)
        return status;
    const fr root = gen_tree_root(p->r_old);
    hash2(job, &p->comm_c, &root, p->statement.comm_r_old);
    return CUZK_OK;
}

static cuzk_status new_data(struct snap_job *p, struct cuzk_error *e)
{
    const struct gen_job *job = p->job;
    const struct snap_params *params = &p->statement.params;
    cuzk_status status;
    gen_key(p->data.key, job->key, "new data", 0);
    p->data.period_bits = job->sparse ? PERIOD_BITS : params->node_bits;
    if (params->variant == SNAP_POSEIDON) {
        gen_tree_poseidon(&p->d_new, job->x, job->poseidon, &job->params);
        status = gen_tree_dense(job->x, &p->d_new, params->node_bits, p->data.period_bits, source_leaf,
                                &p->data, "data tree", e);
    } else {
        status = gen_sector_data(job->x, &p->d_new, &job->params, &p->data, e);
    }
    if (status != CUZK_OK)
        return status;
    const fr root = gen_tree_root(&p->d_new);
    fr_write_le(p->statement.comm_d_new, &root);
    return CUZK_OK;
}

static cuzk_status find_rho(struct snap_job *p, struct cuzk_error *e)
{
    const struct gen_job *job = p->job;
    const struct snap_params *params = &p->statement.params;
    const unsigned high_bits = params->high_bits[params->high_choice];
    fr phi;
    const cuzk_status status = snap_phi(job->x, job->poseidon, &p->statement, &phi, e);
    if (status != CUZK_OK)
        return status;
    p->rho_shift = params->node_bits - high_bits;
    p->rho = arena_alloc(&p->arena, (size_t)1 << high_bits, sizeof *p->rho);
    if (!p->rho)
        return error_memory(e, sizeof *p->rho << high_bits, "an update");
    for (uint32_t high = 0; high < UINT32_C(1) << high_bits; high++)
        p->rho[high] = snap_rho(job->x, job->poseidon, params, &phi, high << p->rho_shift);
    return CUZK_OK;
}

static cuzk_status new_replica(struct snap_job *p, struct cuzk_error *e)
{
    const struct gen_job *job = p->job;
    const unsigned bits = p->statement.params.node_bits;
    cuzk_status status = find_rho(p, e);
    if (status != CUZK_OK)
        return status;
    gen_tree_poseidon(&p->r_new, job->x, job->poseidon, &job->params);
    status = gen_tree_dense(job->x, &p->r_new, job->sparse ? p->rho_shift : bits,
                            job->sparse ? PERIOD_BITS : bits, new_leaf, p, "new replica tree", e);
    if (status != CUZK_OK)
        return status;
    const fr root = gen_tree_root(&p->r_new);
    hash2(job, &p->comm_c, &root, p->statement.comm_r_new);
    return CUZK_OK;
}

/* ---- a partition's record ---- */

struct record {
    const struct snap_job *p;
    uint8_t *challenges; /* each of the same size */
    size_t challenge_size;
    struct arena *arenas; /* a worker's */
    _Atomic bool failed;  /* memory was out */
};

static void put_challenge(void *ctx, size_t i, unsigned worker)
{
    struct record *r = ctx;
    const struct snap_job *p = r->p;
    const struct snap_params *params = &p->statement.params;
    const uint64_t node = p->challenges[i];
    struct arena *arena = &r->arenas[worker];
    struct snap_challenge ch;
    if (exec_cancelled(p->job->x))
        return;
    if (gen_tree_path(p->r_old, arena, node, &ch.r_old) && gen_tree_path(&p->d_new, arena, node, &ch.d_new) &&
        gen_tree_path(&p->r_new, arena, node, &ch.r_new)) {
        uint8_t *at = r->challenges + i * r->challenge_size;
        at = gen_put_path(at, &ch.r_old, params->base_height);
        at = gen_put_path(at, &ch.d_new,
                          params->variant == SNAP_POSEIDON ? params->base_height : params->node_bits);
        at = gen_put_path(at, &ch.r_new, params->base_height);
        VERIFY((size_t)(at - r->challenges) == (i + 1) * r->challenge_size);
        (void)at;
    } else {
        r->failed = true;
    }
    arena_free(arena);
}

static cuzk_status put_partition(struct snap_job *p, unsigned partition, uint8_t *record,
                                 struct arena *arenas, struct cuzk_error *e)
{
    const struct gen_job *job = p->job;
    const struct snap_params *params = &p->statement.params;
    struct record r = {.p = p, .arenas = arenas};
    uint8_t *at = gen_put_element(record, &p->comm_c);
    cuzk_status status = snap_challenges(job->x, job->poseidon, &p->statement, partition, p->challenges, e);
    if (status != CUZK_OK)
        return status;
    if (params->variant == SNAP_SHA256)
        at = gen_put_u64(at, params->apex_leaves);
    for (unsigned i = 0; i < params->apex_leaves; i++) {
        fr leaf;
        gen_tree_element(&p->d_new, params->drawn_bits - params->apex_bits,
                         (uint64_t)partition * params->apex_leaves + i, &leaf);
        at = gen_put_element(at, &leaf);
    }
    r.challenges = gen_put_u64(at, params->challenges);
    r.challenge_size = (snap_proof_size(params) - (size_t)(r.challenges - record)) / params->challenges;
    pool_run(job->x->pool, put_challenge, &r, params->challenges);
    if (exec_cancelled(job->x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    return r.failed ? error_memory(e, r.challenge_size, "a vanilla proof") : CUZK_OK;
}

static void record_name(const struct gen_job *job, unsigned partition, char out[GEN_NAME_MAX])
{
    char suffix[40];
    snprintf(suffix, sizeof suffix, "%u.vanilla", partition);
    gen_file_name(job, suffix, out);
}

static cuzk_status put_partitions(struct snap_job *p, struct cuzk_error *e)
{
    struct gen_job *job = p->job;
    const struct snap_params *params = &p->statement.params;
    const size_t size = snap_proof_size(params);
    const unsigned threads = pool_threads(job->x->pool);
    struct block record;
    char name[GEN_NAME_MAX];
    struct arena *arenas = arena_alloc(&p->arena, threads, sizeof *arenas);
    if (!arenas)
        return error_memory(e, threads * sizeof *arenas, "vanilla proofs");
    for (unsigned i = 0; i < threads; i++)
        arenas[i].budget = job->x->budget;
    cuzk_status status = block_new(&record, job->x->budget, size, 1, "a vanilla proof", e);
    if (status != CUZK_OK)
        return status;
    for (unsigned k = 0; status == CUZK_OK && k < params->partitions; k++) {
        exec_progress(job->x, "vanilla proofs", k, params->partitions);
        record_name(job, k, name);
        status = put_partition(p, k, record.ptr, arenas, e);
        if (status == CUZK_OK)
            status = gen_file_put(job, name, record.ptr, size, e);
    }
    block_free(&record);
    return status;
}

/* ---- all of it ---- */

static cuzk_status put_meta(const struct snap_job *p, struct cuzk_error *e)
{
    struct gen_job *job = p->job;
    const struct snap_statement *s = &p->statement;
    struct text t = {0};
    char name[GEN_NAME_MAX];
    json_open(&t, NULL, '{');
    json_hex(&t, "comm_d_new", s->comm_d_new, sizeof s->comm_d_new);
    json_hex(&t, "comm_r_new", s->comm_r_new, sizeof s->comm_r_new);
    json_hex(&t, "comm_r_old", s->comm_r_old, sizeof s->comm_r_old);
    json_string(&t, "kind", job->options->kind);
    json_u64(&t, "miner", job->miner);
    json_u64(&t, "registered_proof", s->params.registered_proof);
    json_u64(&t, "sector", p->sector_number);
    json_string(&t, "size", job->options->size);
    json_open(&t, "vanilla", '[');
    for (unsigned k = 0; k < s->params.partitions; k++) {
        record_name(job, k, name);
        json_string(&t, NULL, name);
    }
    json_close(&t, ']');
    json_close(&t, '}');
    return gen_meta_put(job, &t, e);
}

static void finish(struct snap_job *p)
{
    gen_tree_free(&p->r_new);
    gen_tree_free(&p->d_new);
    gen_tree_free(&p->old_tree);
    gen_sector_free(&p->sealed);
    arena_free(&p->arena);
}

cuzk_status gen_snap(struct gen_job *job, struct cuzk_error *e)
{
    struct snap_job p = {.job = job, .arena = {.budget = job->x->budget}};
    char circuit[64];
    snprintf(circuit, sizeof circuit, "%s%s", job->options->kind,
             strchr(porep_params_circuit(&job->params), '-'));
    cuzk_status status = snap_params_for_circuit(&p.statement.params, circuit, e);
    if (status == CUZK_OK)
        status = old_replica(&p, e);
    if (status == CUZK_OK)
        status = new_data(&p, e);
    if (status == CUZK_OK)
        status = new_replica(&p, e);
    if (status == CUZK_OK)
        status = put_partitions(&p, e);
    if (status == CUZK_OK)
        status = put_meta(&p, e);
    finish(&p);
    return status;
}
