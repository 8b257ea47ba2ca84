/* circuits/gen_porep.c - a generated sector's C1 and request file.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/error.h"
#include "circuits/gen_c1.h"
#include "circuits/gen_job.h"

#define SECTOR_NUMBERS 100000

static cuzk_status put_meta(struct gen_job *job, const struct porep_statement *s,
                            const struct gen_identity *who, struct cuzk_error *e)
{
    struct text t = {0};
    json_open(&t, NULL, '{');
    json_hex(&t, "comm_d", s->comm_d, sizeof s->comm_d);
    json_hex(&t, "comm_r", s->comm_r, sizeof s->comm_r);
    json_string(&t, "kind", job->options->kind);
    json_u64(&t, "miner", job->miner);
    json_hex(&t, "porep_id", s->params.porep_id, sizeof s->params.porep_id);
    json_hex(&t, "prover_id", who->prover_id, sizeof who->prover_id);
    json_u64(&t, "registered_proof", s->params.registered_proof);
    json_u64(&t, "sector", who->sector);
    json_hex(&t, "seed", s->seed, sizeof s->seed);
    json_string(&t, "size", job->options->size);
    json_hex(&t, "ticket", s->ticket, sizeof s->ticket);
    json_close(&t, '}');
    return gen_meta_put(job, &t, e);
}

static cuzk_status put_c1(struct gen_job *job, const struct gen_sector *s, uint64_t sector_number,
                          struct cuzk_error *e)
{
    char name[GEN_NAME_MAX], path[GEN_PATH_MAX];
    gen_file_name(job, "c1.json", name);
    cuzk_status status = gen_file_path(job, name, path, e);
    if (status == CUZK_OK)
        status = gen_c1_write(job->x, path, s, sector_number, e);
    return status == CUZK_OK ? gen_file_written(job, name, e) : status;
}

cuzk_status gen_porep(struct gen_job *job, struct cuzk_error *e)
{
    struct gen_sector s;
    struct gen_identity who;
    uint8_t key[32];
    gen_sector_who(job, 0, 1 + gen_number(job->key, "sector number", SECTOR_NUMBERS), &who, key);
    cuzk_status status = job->sparse
                             ? gen_sector_sparse(job->x, &s, job->poseidon, &job->params, &who, key, e)
                             : gen_sector_seal(job->x, &s, job->poseidon, &job->params, &who, key, e);
    if (status != CUZK_OK)
        return status;
    status = put_c1(job, &s, who.sector, e);
    if (status == CUZK_OK)
        status = put_meta(job, &s.statement, &who, e);
    gen_sector_free(&s);
    return status;
}
