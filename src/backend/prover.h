/* backend/prover.h - proofs from folded parameters (groth16/srs.h) on a GPU, for the same r and s bit for bit
 * those of groth16/prove_folded.c.
 *
 * A partition goes through four hands. The host makes its witness (gpu_proof_new); the device transforms and
 * makes the large sum over Q (gpu_proof_quotient); the device makes all other sums, for several partitions at
 * once (gpu_proof_settle: a point of a bit's variable is read once for all of them); the host puts the proof
 * together and verifies it (gpu_proof_finish). So while a device works on one, the host prepares the next.
 *
 * A prover keeps the parameters of several circuits on its device if they fit beside each other, else those
 * of one, as far as they fit. Calls on one prover wait for each other; those on proofs alone (new, finish,
 * free) may be made at any time by any thread. A call that fails with CUZK_ERR_DEVICE leaves a retired
 * device: gpu_prover_reset starts it anew. SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_PROVER_H
#define BACKEND_PROVER_H

#include "backend/backend.h"
#include "base/exec.h"
#include "groth16/groth16.h"
#include "groth16/rows.h"

#define GPU_PROOF_BATCH 10 /* most proofs that are settled together */

struct gpu_prover;
struct gpu_proof;

/* The device must outlive it. threads: that copy to it, 0: as many as there are, up to 8. */
cuzk_status gpu_prover_new(struct gpu_prover **out, struct device *d, unsigned threads,
                           struct cuzk_error *e) MUST_USE;
void gpu_prover_free(struct gpu_prover *p); /* its proofs come first; NULL is fine */
/* Start the device anew, empty: the proofs that were on it are lost and may only be freed. */
cuzk_status gpu_prover_reset(struct gpu_prover *p, struct cuzk_error *e) MUST_USE;

/* Load a circuit's parameters, unless they are there. Both stay as long as proofs of them are on their way;
 * what the prover keeps of them afterwards makes way for others.
 * CUZK_ERR_UNAVAILABLE: open proofs of another circuit are in the way; settle or free them. */
cuzk_status gpu_prover_hold(struct gpu_prover *p, const struct exec *x, const struct groth16_srs *srs,
                            const struct template_circuit *templates, struct cuzk_error *e) MUST_USE;
/* Drop them, if they are there and no proof of them is open. */
void gpu_prover_drop(struct gpu_prover *p, const struct groth16_srs *srs);

struct gpu_prover_info {
    uint64_t used, peak, limit; /* device memory */
    /* Of these parameters (NULL: of none); zeros: they are not there. */
    unsigned batch;                   /* most proofs that are settled together */
    uint64_t srs_bytes, srs_resident; /* of the points, and of these on the device */
};
void gpu_prover_info(struct gpu_prover *p, const struct groth16_srs *srs, struct gpu_prover_info *out);

/* Device memory that a proof of these parameters needs at least, parameters streamed. */
uint64_t gpu_prover_least(const struct groth16_srs *srs);

/* The witness of a partition; public_inputs: the statement's, to be the circuit's (NULL: not compared). What
 * is passed stays until gpu_proof_free. */
cuzk_status gpu_proof_new(struct gpu_proof **out, const struct exec *x, const struct circuit *circuit,
                          const struct template_circuit *templates, const struct groth16_srs *srs,
                          const fr *public_inputs, uint32_t public_count, struct cuzk_error *e) MUST_USE;

/* next: a proof whose witness is brought to the device meanwhile; may be NULL. After it only the batch's room
 * on the device is taken. */
cuzk_status gpu_proof_quotient(struct gpu_prover *p, const struct exec *x, struct gpu_proof *proof,
                               struct gpu_proof *next, struct cuzk_error *e) MUST_USE;
/* count: 1 up to the prover's batch, of the same parameters, each after its quotient on this prover. */
cuzk_status gpu_proof_settle(struct gpu_prover *p, const struct exec *x, struct gpu_proof *const *proofs,
                             unsigned count, struct cuzk_error *e) MUST_USE;

/* Take a proof off the device, settled or not: it is then as gpu_proof_new left it, for another one. */
void gpu_proof_recall(struct gpu_prover *p, struct gpu_proof *proof);

cuzk_status gpu_proof_finish(const struct exec *x, const struct gpu_proof *proof, const struct groth16_rs *rs,
                             struct groth16_proof *out, struct cuzk_error *e) MUST_USE;
void gpu_proof_free(struct gpu_proof *proof); /* NULL is fine */

#endif
