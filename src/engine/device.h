/* engine/device.h - what proves: a table of functions a device. The CPU is one; a GPU's (device_gpu.h) is
 * made by the daemon and passed to engine_new.
 *
 * A device may prove in two steps: prove makes what is a partition's own, settle what is made for several of
 * one circuit together. In between the partition waits on the device in a batch.
 *
 * The functions of one device may be called from several threads at once: prepare from the witness lane,
 * prove and settle from the device's own workers, finish from the finish lane, the rest from any. A
 * function fails with CUZK_ERR_CANCELLED where x->cancel asked for it, CUZK_ERR_MEMORY where the host memory
 * that need() named was too little, CUZK_ERR_DEVICE where the device is to blame. What it reports by
 * exec_progress becomes steps of the partition's account.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_DEVICE_H
#define ENGINE_DEVICE_H

#include "base/exec.h"
#include "circuits/request.h"
#include "engine/engine.h"
#include "groth16/groth16.h"
#include "groth16/rows.h"

/* A circuit's parameters, loaded. */
struct engine_params {
    struct groth16_srs *folded; /* or, where there is no folded file, */
    struct groth16_params *plain;
    const struct groth16_vk *vk;        /* of either */
    struct template_circuit *templates; /* with folded */
    unsigned domain_log;
    uint32_t wide, bits; /* auxiliary variables; plain: all are taken for wide ones */
    uint64_t bytes;      /* of the file */
};

/* One partition. All of it is borrowed and stays until the partition has left the device. */
struct engine_task {
    const struct exec *x;
    const char *job_id, *circuit;
    enum engine_kind kind;
    unsigned partition;
    const struct poseidon_set *poseidon;
    const struct request *request;
    const struct engine_params *params;
};

/* Bytes that a partition takes. */
struct engine_need {
    uint64_t host;   /* of host memory (as the budget counts), for all steps */
    uint64_t device; /* of the device while it is proved */
    uint64_t kept;   /* of the device from then on until it is settled */
};

#define ENGINE_BATCH_MAX 16 /* partitions that are settled together */

struct engine_device {
    const char *name; /* lives as long as the device */
    unsigned number;  /* of a GPU: as its driver counts */
    void *self;

    /* Can it prove from these parameters? *e: why not; another device does it then. NULL: from all. */
    bool (*able)(void *self, const struct engine_params *params, struct cuzk_error *e);
    void (*need)(void *self, const struct engine_task *task, struct engine_need *out);
    /* On the host, before the device is free: make or bind the witness. *prepared is handed to prove, and
     * freed by discard. May be NULL. */
    cuzk_status (*prepare)(void *self, const struct engine_task *task, void **prepared, struct cuzk_error *e);
    /* next: what is prepared of the partition that follows, to be brought to the device meanwhile; NULL if
     * that is not known. proof: written unless there is finish or settle. */
    cuzk_status (*prove)(void *self, const struct engine_task *task, void *prepared, void *next,
                         uint8_t proof[GROTH16_PROOF_BYTES], struct cuzk_error *e);
    /* The second step, for count partitions of one circuit that were proved. NULL where prove does all; then
     * finish must be there too. When it fails all of them are lost. */
    cuzk_status (*settle)(void *self, const struct exec *x, void *const *prepared, unsigned count,
                          struct cuzk_error *e);
    /* How many at once, 1 to ENGINE_BATCH_MAX, with parameters that are held. Cheap. */
    unsigned (*batch)(void *self, const struct engine_params *params);
    /* On the host, after the device is free for the next: from what prove and settle left in prepared to the
     * proof. NULL where prove does all. */
    cuzk_status (*finish)(void *self, const struct engine_task *task, void *prepared,
                          uint8_t proof[GROTH16_PROOF_BYTES], struct cuzk_error *e);
    /* At any time, also of one that was proved and will not be settled. May be NULL where prepare is. */
    void (*discard)(void *self, void *prepared);

    /* Of the device, cheap; NULL for none of its own. */
    void (*memory)(void *self, uint64_t *total, uint64_t *free);
    /* Have a circuit's parameters on the device; others may go for them. CUZK_ERR_UNAVAILABLE: a batch of
     * another circuit must be settled first. NULL: it reads them where they are mapped. */
    cuzk_status (*hold)(void *self, const struct exec *x, const struct engine_params *params,
                        struct cuzk_error *e);
    bool (*holds)(void *self, const struct engine_params *params); /* cheap; with hold */
    void (*drop)(void *self, const struct engine_params *params);  /* before they are closed; with hold */
    /* Start it anew after a fault and try it. NULL: it is taken to be well again after a while. */
    cuzk_status (*probe)(void *self, struct cuzk_error *e);
    void (*free)(void *self); /* frees the table too */
};

/* The public inputs of the task's partition; *out for mem_free. */
cuzk_status engine_task_inputs(const struct engine_task *task, fr **out, uint32_t *count,
                               struct cuzk_error *e) MUST_USE;

/* The prover of this process's threads. */
cuzk_status engine_device_cpu_new(struct engine_device **out, struct cuzk_error *e) MUST_USE;

#endif
