/* engine/device.h - what proves: a table of functions a device. The CPU is one; an accelerator's is made by
 * the daemon and passed to engine_new.
 *
 * The functions of one device may be called from several threads at once: prepare from the witness lane,
 * prove from the device's own workers, finish from the finish lane, the rest from any. A function fails with
 * CUZK_ERR_CANCELLED where x->cancel asked for it, CUZK_ERR_MEMORY where the memory that need() named was too
 * little, CUZK_ERR_DEVICE where the device is to blame. What it reports by exec_progress becomes steps of the
 * partition's account.
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

struct engine_device {
    const char *name; /* lives as long as the device */
    void *self;

    /* Bytes of host memory (as the budget counts) and of the device that prepare and prove need. */
    void (*need)(void *self, const struct engine_task *task, uint64_t *host, uint64_t *device);
    /* On the host, before the device is free: make or bind the witness. *prepared is handed to prove, and
     * freed by discard. May be NULL. */
    cuzk_status (*prepare)(void *self, const struct engine_task *task, void **prepared, struct cuzk_error *e);
    cuzk_status (*prove)(void *self, const struct engine_task *task, void *prepared,
                         uint8_t proof[GROTH16_PROOF_BYTES], struct cuzk_error *e);
    /* On the host, after the device is free for the next: from what prove left in prepared to the proof. NULL
     * where prove does all. */
    cuzk_status (*finish)(void *self, const struct engine_task *task, void *prepared,
                          uint8_t proof[GROTH16_PROOF_BYTES], struct cuzk_error *e);
    void (*discard)(void *self, void *prepared); /* may be NULL where prepare is */

    /* Of the device; NULL for none of its own. */
    void (*memory)(void *self, uint64_t *total, uint64_t *free);
    /* Keep a circuit's parameters on the device, or drop them; NULL: it reads them where they are mapped. */
    cuzk_status (*hold)(void *self, const char *circuit, const struct engine_params *params,
                        struct cuzk_error *e);
    void (*drop)(void *self, const char *circuit);
    /* Start it anew after a fault and try it. NULL: it is taken to be well again after a while. */
    cuzk_status (*probe)(void *self, struct cuzk_error *e);
    void (*free)(void *self); /* frees the table too */
};

/* The prover of this process's threads. */
cuzk_status engine_device_cpu_new(struct engine_device **out, struct cuzk_error *e) MUST_USE;

#endif
