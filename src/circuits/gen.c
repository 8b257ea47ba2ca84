/* circuits/gen.c - generating inputs: what is asked for, and the files.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/gen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "circuits/gen_job.h"
#include "hash/sha256.h"

#define SPARSE_FROM    ((uint64_t)1 << 30) /* bytes of a sector */
#define WINDOW_SECTORS 3 /* more than a partition of a small size holds: the last is padded */

static const struct kind_row {
    const char *name;
    cuzk_status (*generate)(struct gen_job *job, struct cuzk_error *e);
    int number; /* of the seal proof, from the V1_1 one's on */
    bool many;  /* sectors */
} KINDS[] = {
    {"porep", gen_porep, 0, false},        {"porep-v1", gen_porep, -5, false},
    {"porep-syn", gen_porep, 5, false},    {"porep-ni", gen_porep, 10, false},
    {"winning", gen_post, 0, false},       {"window", gen_post, 0, true},
    {"window-v1", gen_post, 0, true},      {"snap", gen_snap, 0, false},
    {"snap-poseidon", gen_snap, 0, false},
};

const char *gen_kind_name(size_t i)
{
    return i < ARRAY_LEN(KINDS) ? KINDS[i].name : NULL;
}

/* ---- what is asked for ---- */

static cuzk_status unknown(const char *what, const char *given, const char *known, struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_ARGUMENT, "no %s is named \"%.40s\"; there are %s", what, given, known);
}

static const struct kind_row *find_kind(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
        if (strcmp(KINDS[i].name, name) == 0)
            return &KINDS[i];
    return NULL;
}

static cuzk_status unknown_kind(const char *name, struct cuzk_error *e)
{
    char known[200];
    size_t used = 0;
    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", KINDS[i].name);
        VERIFY(used < sizeof known);
    }
    return unknown("kind of input", name, known, e);
}

/* The interactive V1_1 seal of the size. */
static cuzk_status find_size(struct porep_params *out, const char *name, struct cuzk_error *e)
{
    char known[200];
    size_t used = 0;
    uint64_t bytes;
    for (size_t i = 0; porep_circuit_name(i, &bytes); i++) {
        const cuzk_status status = porep_params_for_size(out, bytes, e);
        if (status != CUZK_OK)
            return status;
        const char *text = porep_size_text(out);
        if (strcmp(text, name) == 0)
            return CUZK_OK;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", text);
        VERIFY(used < sizeof known);
    }
    return unknown("sector size", name, known, e);
}

static cuzk_status find_sectors(struct gen_job *job, const struct kind_row *kind, struct cuzk_error *e)
{
    const uint64_t asked = job->options->sectors, most = kind->many ? GEN_MAX_SECTORS : 1;
    if (asked > most)
        return error_set(e, CUZK_ERR_ARGUMENT,
                         "%" PRIu64 " sectors: an input of the kind %s is of %" PRIu64 " at most", asked,
                         kind->name, most);
    job->sectors = asked ? asked : kind->many ? WINDOW_SECTORS : 1;
    return CUZK_OK;
}

static void find_key(struct gen_job *job)
{
    char text[GEN_NAME_MAX];
    gen_file_name(job, "", text);
    sha256(job->key, text, strlen(text));
    job->miner = 1000 + gen_number(job->key, "miner", 999000);
    porep_prover_id(job->prover_id, job->miner);
}

static cuzk_status understand(struct gen_job *job, const struct kind_row *kind, struct cuzk_error *e)
{
    cuzk_status status = find_size(&job->params, job->options->size, e);
    if (status == CUZK_OK)
        status = find_sectors(job, kind, e);
    if (status == CUZK_OK)
        status = porep_params_for_number(&job->params,
                                         job->params.registered_proof + (uint64_t)(int64_t)kind->number, e);
    if (status != CUZK_OK)
        return status;
    job->sparse = job->params.sector_size >= SPARSE_FROM;
    if (job->sparse && job->params.mode != POREP_INTERACTIVE)
        return error_set(e, CUZK_ERR_UNSUPPORTED,
                         "%s: the challenges follow from all of the sector, which must be sealed for real: "
                         "possible up to 512MiB",
                         kind->name);
    find_key(job);
    return CUZK_OK;
}

void gen_sector_who(const struct gen_job *job, uint64_t i, uint64_t id, struct gen_identity *who,
                    uint8_t key[32])
{
    gen_key(key, job->key, "sector", i);
    who->sector = id;
    memcpy(who->prover_id, job->prover_id, sizeof who->prover_id);
    gen_element(key, "ticket", who->ticket);
    gen_element(key, "seed", who->seed);
}

/* ---- files ---- */

void gen_file_name(const struct gen_job *job, const char *suffix, char out[GEN_NAME_MAX])
{
    snprintf(out, GEN_NAME_MAX, "%s-%s-%" PRIu64 ".%s", job->options->kind, job->options->size,
             job->options->seed, suffix);
}

cuzk_status gen_file_path(const struct gen_job *job, const char *name, char out[GEN_PATH_MAX],
                          struct cuzk_error *e)
{
    const int n = snprintf(out, GEN_PATH_MAX, "%s/%s", job->dir, name);
    if (n < 0 || n >= GEN_PATH_MAX)
        return error_set(e, CUZK_ERR_IO, "the path of the folder is too long");
    return CUZK_OK;
}

cuzk_status gen_file_written(struct gen_job *job, const char *name, struct cuzk_error *e)
{
    char path[GEN_PATH_MAX];
    text_add(&job->written, name, strlen(name) + 1);
    if (!job->written.failed)
        return CUZK_OK;
    if (gen_file_path(job, name, path, e) == CUZK_OK)
        (void)unlink(path);
    return error_memory(e, strlen(name), "the names of the files");
}

cuzk_status gen_file_put(struct gen_job *job, const char *name, const void *data, size_t size,
                         struct cuzk_error *e)
{
    char path[GEN_PATH_MAX];
    cuzk_status status = gen_file_path(job, name, path, e);
    if (status == CUZK_OK)
        status = file_write_whole(path, data, size, e);
    return status == CUZK_OK ? gen_file_written(job, name, e) : status;
}

cuzk_status gen_meta_put(struct gen_job *job, struct text *t, struct cuzk_error *e)
{
    char name[GEN_NAME_MAX];
    gen_file_name(job, "meta.json", name);
    cuzk_status status;
    if (t->failed)
        status = error_memory(e, t->size, "the meta file");
    else if (exec_cancelled(job->x))
        status = error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    else
        status = gen_file_put(job, name, t->data, t->size, e);
    text_free(t);
    return status;
}

static void remove_written(const struct gen_job *job)
{
    const struct text *t = &job->written;
    char path[GEN_PATH_MAX];
    for (size_t at = 0; t->data && at < t->size; at += strlen(t->data + at) + 1)
        if (gen_file_path(job, t->data + at, path, NULL) == CUZK_OK)
            (void)unlink(path);
}

cuzk_status gen_run(const struct exec *x, const struct poseidon_set *poseidon, const struct gen_options *o,
                    const char *dir, struct cuzk_error *e)
{
    struct gen_job job = {.x = x, .poseidon = poseidon, .options = o, .dir = dir};
    const struct kind_row *kind = find_kind(o->kind);
    cuzk_status status = kind ? understand(&job, kind, e) : unknown_kind(o->kind, e);
    if (status != CUZK_OK)
        return status;
    const bool made = mkdir(dir, 0777) == 0;
    if (!made && errno != EEXIST)
        return error_errno(e, errno, "%s: cannot make the folder", dir);
    status = kind->generate(&job, e);
    if (status != CUZK_OK)
        remove_written(&job);
    if (status != CUZK_OK && made)
        (void)rmdir(dir);
    text_free(&job.written);
    return status;
}
