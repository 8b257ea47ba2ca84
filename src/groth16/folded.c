/* groth16/folded.c - see folded.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/folded.h"

#include "base/error.h"
#include "r1cs/witness_walk.h"

cuzk_status folded_witness(const struct exec *x, struct assignment *out, const struct circuit *circuit,
                           const struct template_circuit *templates, const struct groth16_srs *s,
                           const fr *public_inputs, uint32_t public_count, struct cuzk_error *e)
{
    struct assignment w = {0};
    cuzk_status status = template_circuit_fits(templates, groth16_srs_header(s), e);
    if (status == CUZK_OK)
        status = witness_walk(x, &w, &templates->templates, circuit, e);
    if (status == CUZK_OK)
        status = public_inputs_agree(w.input, w.inputs, public_inputs, public_count, e);
    if (status == CUZK_OK)
        *out = w;
    else
        assignment_free(&w);
    return status;
}

static cuzk_status check_proof(const struct exec *x, const struct groth16_proof *proof,
                               const struct circuit *circuit, const struct groth16_srs *s,
                               const struct assignment *w, struct cuzk_error *e)
{
    exec_progress(x, "verifying", 0, 1);
    bool valid = false;
    cuzk_status status = groth16_verify(x, groth16_srs_vk(s), proof, w->input + 1, w->inputs - 1, &valid, e);
    if (status != CUZK_OK)
        return status;
    exec_progress(x, "verifying", 1, 1);
    if (valid)
        return CUZK_OK;
    status = rows_explain(x, circuit, e);
    if (status != CUZK_OK)
        return status;
    struct groth16_srs_info info;
    groth16_srs_info(s, &info);
    return error_set(
        e, CUZK_ERR_MISMATCH,
        "every row holds, but the proof does not verify: the folded parameters are of another circuit%s",
        info.stamp_accepted ? ", or the file was damaged since its points were checked ('cuzk srs check')"
                            : "");
}

cuzk_status folded_finish(const struct exec *x, struct groth16_proof *out, const struct circuit *circuit,
                          const struct groth16_srs *s, const struct assignment *w,
                          const struct proof_sums *sums, const struct groth16_rs *rs, struct cuzk_error *e)
{
    struct groth16_proof proof;
    proof_assemble(&proof, groth16_srs_vk(s), sums, rs);
    const cuzk_status status = check_proof(x, &proof, circuit, s, w, e);
    if (status == CUZK_OK)
        *out = proof;
    return status;
}
