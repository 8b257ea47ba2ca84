/* circuits/gen_job.h - what the generators of all kinds share: options understood, files, bincode.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_GEN_JOB_H
#define CIRCUITS_GEN_JOB_H

#include "base/text.h"
#include "circuits/gen.h"
#include "circuits/gen_sector.h"

struct gen_job {
    const struct exec *x;
    const struct poseidon_set *poseidon;
    const struct gen_options *options;
    const char *dir;
    struct porep_params params; /* PoRep: of the proof; else: of the seal that comes before it, V1_1 */
    bool sparse;
    uint64_t sectors;
    uint64_t miner;
    uint8_t prover_id[32];
    uint8_t key[32];     /* all that is random */
    struct text written; /* names of files, each with its NUL */
};

#define GEN_NAME_MAX 128
#define GEN_PATH_MAX 4096

/* "KIND-SIZE-SEED.SUFFIX". */
void gen_file_name(const struct gen_job *job, const char *suffix, char out[GEN_NAME_MAX]);
/* The same in the job's folder. */
cuzk_status gen_file_path(const struct gen_job *job, const char *name, char out[GEN_PATH_MAX],
                          struct cuzk_error *e) MUST_USE;
/* Remember that the file is there now. */
cuzk_status gen_file_written(struct gen_job *job, const char *name, struct cuzk_error *e) MUST_USE;
/* Write a file whole and remember it. */
cuzk_status gen_file_put(struct gen_job *job, const char *name, const void *data, size_t size,
                         struct cuzk_error *e) MUST_USE;

/* The identity of the i-th sector, ids ascending, with a key for it. */
void gen_sector_who(const struct gen_job *job, uint64_t i, uint64_t id, struct gen_identity *who,
                    uint8_t key[32]);

/* The meta file: the members that come before and after what belongs to a kind, in the order of their names,
 * have to be written by the kind. This writes the text as the meta file, and frees it. */
cuzk_status gen_meta_put(struct gen_job *job, struct text *t, struct cuzk_error *e) MUST_USE;

/* The kinds. */
cuzk_status gen_porep(struct gen_job *job, struct cuzk_error *e) MUST_USE;
cuzk_status gen_post(struct gen_job *job, struct cuzk_error *e) MUST_USE;
cuzk_status gen_snap(struct gen_job *job, struct cuzk_error *e) MUST_USE;

/* ---- bincode ---- */

/* Each writes at `at` and returns the place after. The room must be there. */
uint8_t *gen_put_u64(uint8_t *at, uint64_t v);
uint8_t *gen_put_bytes32(uint8_t *at, const uint8_t bytes[32]);
uint8_t *gen_put_element(uint8_t *at, const fr *element);
/* base: the steps of the lowest part of the tree. */
uint8_t *gen_put_path(uint8_t *at, const struct merkle_path *path, size_t base);

#endif
