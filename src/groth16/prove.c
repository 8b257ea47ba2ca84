/* groth16/prove.c - a proof (J. Groth, 2016/260), for the same r and s bellperson's bit for bit.
 *
 *   A = alpha + sum w_i A_i + r delta
 *   B = beta + sum w_i B_i + s delta
 *   C = sum over auxiliary w_i L_i + sum h_i H_i + s A + r B - r s delta
 * The product of the interpolated a and b is c + h (x^n - 1). Let P be its rest modulo x^n - g^n, which has
 * the product's values on the coset g<w>: then P = c + h (g^n - 1), so h comes without c on the coset.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "groth16/finish.h"
#include "groth16/kernels.h"
#include "groth16/params.h"
#include "groth16/phase.h"
#include "groth16/witness.h"
#include "msm/msm.h"
#include "ntt/ntt.h"

#define CHUNK ((size_t)1 << 13) /* elements of a pointwise loop, by one task */

struct prover {
    const struct exec *x;
    const struct groth16_kernels *kernels;
    const struct groth16_params *params;
    struct witness w;
    fr z_inverse; /* 1 / (g^n - 1), g the coset's shift */
    g1 h, l, a, b_g1;
    g2 b_g2;
};

static cuzk_status transforms_done(const struct prover *p, uint64_t done, struct cuzk_error *e)
{
    exec_progress(p->x, "transforms", done, 6);
    return exec_cancelled(p->x) ? error_set(e, CUZK_ERR_CANCELLED, "the proof was cancelled") : CUZK_OK;
}

static size_t chunk_of(const struct prover *p, size_t i)
{
    const size_t n = (size_t)1 << p->w.log, left = n - i * CHUNK;
    return left < CHUNK ? left : CHUNK;
}

static void multiply_task(void *ctx, size_t i, unsigned worker)
{
    struct prover *p = ctx;
    (void)worker;
    p->kernels->multiply((fr *)p->w.a.ptr + i * CHUNK, (const fr *)p->w.b.ptr + i * CHUNK, chunk_of(p, i));
}

static void quotient_task(void *ctx, size_t i, unsigned worker)
{
    struct prover *p = ctx;
    (void)worker;
    p->kernels->subtract_scale((fr *)p->w.a.ptr + i * CHUNK, (const fr *)p->w.c.ptr + i * CHUNK,
                               chunk_of(p, i), &p->z_inverse);
}

static void coset_z_inverse(fr *out, unsigned log)
{
    *out = FR_GENERATOR;
    for (unsigned i = 0; i < log; i++)
        fr_sqr(out, out);
    fr_sub(out, out, &FR_ONE);
    fr_inv(out, out);
}

/* w.a becomes the coefficients of h; w.b and w.c are freed on the way. Two inverse and two coset transforms
 * (extend is one of each) for a and b, and two inverse ones. */
static cuzk_status quotient(struct prover *p, const struct ntt_tables *t, struct cuzk_error *e)
{
    struct witness *w = &p->w;
    const size_t tasks = (((size_t)1 << w->log) + CHUNK - 1) / CHUNK;
    exec_progress(p->x, "transforms", 0, 6);
    ntt_extend(p->x, t, w->a.ptr, w->log);
    cuzk_status status = transforms_done(p, 2, e);
    if (status != CUZK_OK)
        return status;
    ntt_extend(p->x, t, w->b.ptr, w->log);
    pool_run(p->x->pool, multiply_task, p, tasks);
    block_free(&w->b);
    status = transforms_done(p, 4, e);
    if (status != CUZK_OK)
        return status;
    ntt_coset_inverse(p->x, t, w->a.ptr, w->log);
    status = transforms_done(p, 5, e);
    if (status != CUZK_OK)
        return status;
    ntt_inverse(p->x, t, w->c.ptr, w->log);
    coset_z_inverse(&p->z_inverse, w->log);
    pool_run(p->x->pool, quotient_task, p, tasks);
    block_free(&w->c);
    return transforms_done(p, 6, e);
}

static cuzk_status quotient_with_tables(struct prover *p, struct cuzk_error *e)
{
    struct ntt_tables *t;
    cuzk_status status = ntt_tables_new(p->x, &t, p->w.log, e);
    if (status != CUZK_OK)
        return status;
    status = quotient(p, t, e);
    ntt_tables_free(t);
    return status;
}

static struct msm_points points_of(const struct prover *p, enum groth16_section section)
{
    uint32_t count;
    const uint8_t *encoded = groth16_params_section(p->params, section, &count);
    return (struct msm_points){.encoded = encoded, .count = count};
}

static cuzk_status sum_g1(struct prover *p, g1 *out, enum groth16_section section,
                          const struct msm_scalars *scalars, const char *name, struct cuzk_error *e)
{
    const struct msm_points points = points_of(p, section);
    struct phase phase;
    phase_begin(&phase, p->x, name);
    const cuzk_status status = msm_g1(&phase.x, out, &points, scalars, e);
    if (status == CUZK_OK)
        exec_progress(p->x, name, points.count, points.count);
    return status;
}

static cuzk_status sum_g2(struct prover *p, g2 *out, const struct msm_scalars *scalars, const char *name,
                          struct cuzk_error *e)
{
    const struct msm_points points = points_of(p, GROTH16_B_G2);
    struct phase phase;
    phase_begin(&phase, p->x, name);
    const cuzk_status status = msm_g2(&phase.x, out, &points, scalars, e);
    if (status == CUZK_OK)
        exec_progress(p->x, name, points.count, points.count);
    return status;
}

static cuzk_status sums(struct prover *p, struct cuzk_error *e)
{
    struct witness *w = &p->w;
    const size_t variables = (size_t)w->inputs + w->aux;
    const struct msm_scalars h = {.k = w->a.ptr, .count = ((size_t)1 << w->log) - 1};
    const struct msm_scalars l = {.k = (const fr *)w->w.ptr + w->inputs, .count = w->aux};
    const struct msm_scalars a = {.k = w->w.ptr, .count = variables, .select = w->mask_a.ptr};
    const struct msm_scalars b = {.k = w->w.ptr, .count = variables, .select = w->mask_b.ptr};
    cuzk_status status = sum_g1(p, &p->h, GROTH16_H, &h, "h sum", e);
    block_free(&w->a);
    if (status == CUZK_OK)
        status = sum_g1(p, &p->l, GROTH16_L, &l, "l sum", e);
    if (status == CUZK_OK)
        status = sum_g1(p, &p->a, GROTH16_A, &a, "a sum", e);
    if (status == CUZK_OK)
        status = sum_g1(p, &p->b_g1, GROTH16_B_G1, &b, "b sum in g1", e);
    if (status == CUZK_OK)
        status = sum_g2(p, &p->b_g2, &b, "b sum in g2", e);
    return status;
}

static cuzk_status check_proof(const struct prover *p, const struct groth16_proof *proof,
                               struct cuzk_error *e)
{
    exec_progress(p->x, "verifying", 0, 1);
    bool valid = false;
    const cuzk_status status = groth16_verify(p->x, groth16_params_vk(p->params), proof,
                                              (const fr *)p->w.w.ptr + 1, p->w.inputs - 1, &valid, e);
    if (status != CUZK_OK)
        return status;
    exec_progress(p->x, "verifying", 1, 1);
    if (valid)
        return CUZK_OK;
    struct groth16_params_info info;
    groth16_params_info(p->params, &info);
    return error_set(
        e, CUZK_ERR_MISMATCH,
        "every row holds, but the proof does not verify: the parameters are of another circuit%s",
        info.stamp_accepted ? ", or the file was damaged since its points were checked" : "");
}

static cuzk_status run(struct prover *p, const struct circuit *circuit, const struct groth16_rs *rs,
                       const fr *public_inputs, uint32_t public_count, struct groth16_proof *out,
                       struct cuzk_error *e)
{
    struct groth16_params_info info;
    groth16_params_info(p->params, &info);
    cuzk_status status = witness_make(p->x, &p->w, circuit, &info, e);
    if (status == CUZK_OK)
        status = public_inputs_agree(p->w.w.ptr, p->w.inputs, public_inputs, public_count, e);
    if (status == CUZK_OK)
        status = quotient_with_tables(p, e);
    if (status == CUZK_OK)
        status = sums(p, e);
    if (status != CUZK_OK)
        return status;
    struct groth16_proof proof;
    struct proof_sums sums_of = {.a = p->a, .b_g1 = p->b_g1, .b_g2 = p->b_g2};
    g1_add(&sums_of.c, &p->h, &p->l);
    proof_assemble(&proof, groth16_params_vk(p->params), &sums_of, rs);
    status = check_proof(p, &proof, e);
    if (status == CUZK_OK)
        *out = proof;
    return status;
}

cuzk_status groth16_prove(const struct exec *x, const struct circuit *circuit,
                          const struct groth16_params *params, const struct groth16_rs *rs,
                          const fr *public_inputs, uint32_t public_count, struct groth16_proof *out,
                          struct cuzk_error *e)
{
    struct prover p = {.x = x, .kernels = groth16_kernels(x->variant), .params = params};
    const cuzk_status status = run(&p, circuit, rs, public_inputs, public_count, out, e);
    witness_free(&p.w);
    return status;
}
