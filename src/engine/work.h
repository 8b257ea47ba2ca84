/* engine/work.h - what the engine must be able to do with requests and parameters. One table serves
 * Filecoin's proofs (work_filecoin.c); tests have another, so that order, faults and recovery can be tested
 * without proving anything. SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_WORK_H
#define ENGINE_WORK_H

#include "engine/device.h"
#include "engine/fields.h"

struct work_plan {
    const char *circuit;  /* static life */
    unsigned partitions;  /* as far as the fields tell; parsing may tell another number */
    uint64_t parse_bytes; /* of host memory for the parsed request */
};

struct work {
    void *self;
    /* What the fields ask for, cheaply. payload: its first bytes, size of them. Errors as engine_submit. */
    cuzk_status (*plan)(void *self, const struct fields *f, const uint8_t *payload, size_t size,
                        struct work_plan *out, struct cuzk_error *e);
    /* The request of a whole payload, which need not outlive the call. *request may be NULL. */
    cuzk_status (*parse)(void *self, const struct exec *x, const struct fields *f,
                         const struct work_plan *plan, const uint8_t *payload, size_t size,
                         struct request **request, unsigned *partitions, struct cuzk_error *e);
    void (*request_free)(void *self, struct request *request);

    /* A circuit's parameters: where the file is (mem_alloc'ed; CUZK_ERR_IO listing where it was looked for),
     * and the file opened. path: the file found. */
    cuzk_status (*find)(void *self, const char *circuit, char **path, struct cuzk_error *e);
    cuzk_status (*open)(void *self, const struct exec *x, const char *circuit, const char *path,
                        struct engine_params **out, struct cuzk_error *e);
    void (*close)(void *self, struct engine_params *params);

    /* Do the partition's vanilla proofs hold? Is the proof valid? */
    cuzk_status (*check)(void *self, const struct engine_task *task, struct cuzk_error *e);
    cuzk_status (*verify)(void *self, const struct engine_task *task,
                          const uint8_t proof[GROTH16_PROOF_BYTES], bool *valid, struct cuzk_error *e);
    /* The i-th circuit's name, NULL from the end on: those that files are looked for at the start. May be
     * NULL. */
    const char *(*circuit)(void *self, size_t i);
    const struct poseidon_set *poseidon;
    void (*free)(void *self); /* frees the table too */
};

/* param_cache: a folder. */
cuzk_status work_filecoin_new(struct work **out, const char *param_cache, struct cuzk_error *e) MUST_USE;

/* engine_new with another table, taken over also on failure. */
cuzk_status engine_new_with(struct engine **out, const struct engine_options *options, struct work *work,
                            struct cuzk_error *e) MUST_USE;

#endif
