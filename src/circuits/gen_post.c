/* circuits/gen_post.c - generated sectors' PoSt vanilla proofs and request file.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuits/gen_job.h"
#include "circuits/post.h"

#define FIRST_ID_BELOW  10000
#define ID_STEP_BELOW   40 /* so that there are gaps */
#define NUMBERS_A_KIND  5  /* from a window proof's registered number to that of the one before */
#define RECORDS_AT_ONCE 64

struct post_job {
    struct gen_job *job;
    struct post_statement statement;
    struct block sector_memory;
    struct post_sector *sectors; /* the statement's */
    size_t record_size;
};

/* ---- the statement ---- */

static cuzk_status find_params(struct post_params *out, const struct gen_job *job, struct cuzk_error *e)
{
    char circuit[64];
    const char *kind = job->options->kind, *size = strchr(porep_params_circuit(&job->params), '-');
    const bool legacy = strcmp(kind, "window-v1") == 0;
    snprintf(circuit, sizeof circuit, "%s%s", legacy ? "window" : kind, size);
    const cuzk_status status = post_params_for_circuit(out, circuit, e);
    if (status != CUZK_OK || !legacy)
        return status;
    return post_params_for_number(out, out->registered_proof - NUMBERS_A_KIND, e);
}

static cuzk_status begin(struct post_job *p, struct cuzk_error *e)
{
    const struct gen_job *job = p->job;
    struct post_statement *s = &p->statement;
    cuzk_status status = find_params(&s->params, job, e);
    if (status == CUZK_OK)
        status = block_new(&p->sector_memory, job->x->budget, job->sectors, sizeof *p->sectors,
                           "the sectors of a statement", e);
    if (status != CUZK_OK)
        return status;
    p->sectors = p->sector_memory.ptr;
    p->record_size = post_proof_size(&s->params);
    s->sectors = p->sectors;
    s->sector_count = job->sectors;
    gen_element(job->key, "randomness", s->randomness);
    uint64_t id = 1 + gen_number(job->key, "sector number", FIRST_ID_BELOW);
    for (size_t i = 0; i < s->sector_count; i++) {
        uint8_t key[32];
        gen_key(key, job->key, "sector number", i);
        p->sectors[i].id = id;
        id += 1 + gen_number(key, "sector number", ID_STEP_BELOW);
    }
    return CUZK_OK;
}

/* ---- a sector's record ---- */

/* Write the record of sector i; its comm_r enters the statement. */
static cuzk_status make_record(struct post_job *p, size_t i, const struct gen_tree *replica, const fr *comm_c,
                               uint8_t *out, struct arena *arena, struct cuzk_error *e)
{
    const struct gen_job *job = p->job;
    const struct post_params *params = &p->statement.params;
    const fr preimage[2] = {*comm_c, gen_tree_root(replica)};
    struct post_sector *sector = &p->sectors[i];
    uint8_t *at = out;
    fr comm_r;
    poseidon_hash(job->x->variant, &job->poseidon->kind[POSEIDON_2], &comm_r, preimage);
    fr_write_le(sector->comm_r, &comm_r);
    at = gen_put_u64(at, sector->id);
    at = gen_put_bytes32(at, sector->comm_r);
    at = gen_put_u64(at, 1);
    at = gen_put_u64(at, params->challenges);
    for (unsigned n = 0; n < params->challenges; n++) {
        struct merkle_path path;
        if (!gen_tree_path(replica, arena, post_challenge(&p->statement, i, n), &path))
            return error_memory(e, sizeof(fr), "a vanilla proof");
        at = gen_put_path(at, &path, params->base_height);
    }
    at = gen_put_element(at, comm_c);
    at = gen_put_element(at, &preimage[1]);
    VERIFY((size_t)(at - out) == p->record_size);
    (void)at;
    return CUZK_OK;
}

static void record_name(const struct post_job *p, size_t i, char out[GEN_NAME_MAX])
{
    char suffix[40];
    snprintf(suffix, sizeof suffix, "%" PRIu64 ".vanilla", p->sectors[i].id);
    gen_file_name(p->job, suffix, out);
}

static cuzk_status put_record(const struct post_job *p, size_t i, const uint8_t *record, struct cuzk_error *e)
{
    char name[GEN_NAME_MAX];
    record_name(p, i, name);
    return gen_file_put(p->job, name, record, p->record_size, e);
}

/* ---- sectors sealed for real ---- */

static cuzk_status seal_one(struct post_job *p, size_t i, uint8_t *record, struct cuzk_error *e)
{
    const struct gen_job *job = p->job;
    struct arena arena = {.budget = job->x->budget};
    struct gen_identity who;
    struct gen_sector s;
    uint8_t key[32];
    gen_sector_who(job, i, p->sectors[i].id, &who, key);
    cuzk_status status = gen_sector_seal(job->x, &s, job->poseidon, &job->params, &who, key, e);
    if (status != CUZK_OK)
        return status;
    status = make_record(p, i, &s.r, &s.comm_c, record, &arena, e);
    if (status == CUZK_OK)
        status = put_record(p, i, record, e);
    arena_free(&arena);
    gen_sector_free(&s);
    return status;
}

static cuzk_status seal_all(struct post_job *p, struct cuzk_error *e)
{
    struct block record;
    cuzk_status status = block_new(&record, p->job->x->budget, p->record_size, 1, "a vanilla proof", e);
    if (status != CUZK_OK)
        return status;
    for (size_t i = 0; status == CUZK_OK && i < p->statement.sector_count; i++)
        status = seal_one(p, i, record.ptr, e);
    block_free(&record);
    return status;
}

/* ---- sparse sectors ---- */

struct sparse_batch {
    struct post_job *p;
    size_t first;
    uint8_t *records;
    cuzk_status status[RECORDS_AT_ONCE];
    struct cuzk_error error[RECORDS_AT_ONCE];
};

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Random leaves where challenged. */
static cuzk_status sparse_record(struct post_job *p, size_t i, uint8_t *record, struct arena *arena,
                                 struct cuzk_error *e)
{
    const struct gen_job *job = p->job;
    const unsigned challenges = p->statement.params.challenges;
    uint64_t nodes[POST_MAX_CHALLENGES];
    fr leaves[POST_MAX_CHALLENGES], filler, comm_c;
    struct gen_source random = {.period_bits = 64}, other = {.period_bits = 64};
    struct gen_tree replica;
    size_t count = 0;
    uint8_t key[32];
    gen_key(key, job->key, "sector", i);
    gen_key(random.key, key, "replica", 0);
    gen_key(other.key, key, "filler", 0);
    gen_source_element(&other, 0, &filler);
    gen_source_element(&other, 1, &comm_c);
    for (unsigned n = 0; n < challenges; n++)
        nodes[n] = post_challenge(&p->statement, i, n);
    qsort(nodes, challenges, sizeof nodes[0], ascending);
    for (unsigned n = 0; n < challenges; n++)
        if (count == 0 || nodes[count - 1] != nodes[n]) {
            gen_source_element(&random, nodes[n], &leaves[count]);
            nodes[count++] = nodes[n];
        }
    gen_tree_poseidon(&replica, job->x, job->poseidon, &job->params);
    const cuzk_status status =
        gen_tree_sparse(job->x, &replica, arena, nodes, leaves, count, &filler, false, e);
    return status == CUZK_OK ? make_record(p, i, &replica, &comm_c, record, arena, e) : status;
}

static void sparse_task(void *ctx, size_t task, unsigned worker)
{
    struct sparse_batch *b = ctx;
    const struct exec *x = b->p->job->x;
    struct arena arena = {.budget = x->budget};
    (void)worker;
    b->status[task] = exec_cancelled(x)
                          ? error_set(&b->error[task], CUZK_ERR_CANCELLED, "cancelled")
                          : sparse_record(b->p, b->first + task, b->records + task * b->p->record_size,
                                          &arena, &b->error[task]);
    arena_free(&arena);
}

static cuzk_status sparse_all(struct post_job *p, struct cuzk_error *e)
{
    const struct exec *x = p->job->x;
    const size_t total = p->statement.sector_count,
                 at_once = total < RECORDS_AT_ONCE ? total : RECORDS_AT_ONCE;
    struct block memory = {0}, records = {0};
    cuzk_status status = block_new(&memory, x->budget, 1, sizeof(struct sparse_batch), "vanilla proofs", e);
    if (status == CUZK_OK)
        status = block_new(&records, x->budget, at_once, p->record_size, "vanilla proofs", e);
    if (status != CUZK_OK) {
        block_free(&memory);
        return status;
    }
    struct sparse_batch *b = memory.ptr;
    b->p = p;
    b->records = records.ptr;
    for (b->first = 0; status == CUZK_OK && b->first < total; b->first += at_once) {
        const size_t left = total - b->first, count = left < at_once ? left : at_once;
        exec_progress(x, "vanilla proofs", b->first, total);
        pool_run(x->pool, sparse_task, b, count);
        for (size_t i = 0; status == CUZK_OK && i < count; i++) {
            if (b->status[i] != CUZK_OK)
                status = error_set(e, b->status[i], "%s", b->error[i].message);
            else if (exec_cancelled(x))
                status = error_set(e, CUZK_ERR_CANCELLED, "cancelled");
            else
                status = put_record(p, b->first + i, b->records + i * p->record_size, e);
        }
    }
    block_free(&records);
    block_free(&memory);
    return status;
}

/* ---- the request file ---- */

static cuzk_status put_meta(const struct post_job *p, struct cuzk_error *e)
{
    struct gen_job *job = p->job;
    const struct post_statement *s = &p->statement;
    struct text t = {0};
    char name[GEN_NAME_MAX];
    json_open(&t, NULL, '{');
    json_open(&t, "comm_r", '[');
    for (size_t i = 0; i < s->sector_count; i++)
        json_hex(&t, NULL, p->sectors[i].comm_r, sizeof p->sectors[i].comm_r);
    json_close(&t, ']');
    json_string(&t, "kind", job->options->kind);
    json_u64(&t, "miner", job->miner);
    json_hex(&t, "prover_id", job->prover_id, sizeof job->prover_id);
    json_hex(&t, "randomness", s->randomness, sizeof s->randomness);
    json_u64(&t, "registered_proof", s->params.registered_proof);
    json_open(&t, "sectors", '[');
    for (size_t i = 0; i < s->sector_count; i++)
        json_u64(&t, NULL, p->sectors[i].id);
    json_close(&t, ']');
    json_string(&t, "size", job->options->size);
    json_open(&t, "vanilla", '[');
    for (size_t i = 0; i < s->sector_count; i++) {
        record_name(p, i, name);
        json_string(&t, NULL, name);
    }
    json_close(&t, ']');
    json_close(&t, '}');
    return gen_meta_put(job, &t, e);
}

cuzk_status gen_post(struct gen_job *job, struct cuzk_error *e)
{
    struct post_job p = {.job = job};
    cuzk_status status = begin(&p, e);
    if (status == CUZK_OK)
        status = job->sparse ? sparse_all(&p, e) : seal_all(&p, e);
    if (status == CUZK_OK)
        status = put_meta(&p, e);
    block_free(&p.sector_memory);
    return status;
}
