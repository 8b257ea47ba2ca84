/* groth16/prove_folded.c - a proof by a folded parameter file (srs.h), for the same r and s bit for bit that
 * of prove.c.
 *
 * Two inverse and two coset transforms, whose first pass has the rows' values made by templates; the
 * witness's bits are sums of selected points. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "groth16/folded.h"
#include "groth16/kernels.h"
#include "groth16/phase.h"
#include "groth16/srs.h"
#include "msm/msm.h"
#include "ntt/ntt.h"

#define CHUNK ((size_t)1 << 13) /* elements of a pointwise loop, by one task */

struct prover {
    const struct exec *x;
    const struct groth16_kernels *kernels;
    const struct groth16_srs *srs;
    const struct srs_header *h;
    const struct template_circuit *templates;
    const struct circuit *circuit;
    struct rows rows;
    struct block a, b; /* 2^domain_log elements */
    struct assignment w;
    struct block picked; /* the bits of those variables that a query has */
    struct proof_sums sums;
};

static cuzk_status step(const struct prover *p, const char *phase, uint64_t done, uint64_t total,
                        struct cuzk_error *e)
{
    exec_progress(p->x, phase, done, total);
    return exec_cancelled(p->x) ? error_set(e, CUZK_ERR_CANCELLED, "the proof was cancelled") : CUZK_OK;
}

static void multiply_task(void *ctx, size_t i, unsigned worker)
{
    struct prover *p = ctx;
    (void)worker;
    const size_t n = (size_t)1 << p->h->domain_log, left = n - i * CHUNK;
    p->kernels->multiply((fr *)p->a.ptr + i * CHUNK, (const fr *)p->b.ptr + i * CHUNK,
                         left < CHUNK ? left : CHUNK);
}

static void values_of_a(const void *rows, uint64_t first, size_t count, fr *out)
{
    rows_values(rows, 0, first, count, out);
}

static void values_of_b(const void *rows, uint64_t first, size_t count, fr *out)
{
    rows_values(rows, 1, first, count, out);
}

static cuzk_status extend_both(struct prover *p, const struct ntt_tables *t, struct cuzk_error *e)
{
    const unsigned log = p->h->domain_log;
    const struct ntt_source a = {&p->rows, values_of_a}, b = {&p->rows, values_of_b};
    exec_progress(p->x, "transforms", 0, 4);
    ntt_extend_from(p->x, t, p->a.ptr, log, &a);
    const cuzk_status status = step(p, "transforms", 2, 4, e);
    if (status != CUZK_OK)
        return status;
    ntt_extend_from(p->x, t, p->b.ptr, log, &b);
    pool_run(p->x->pool, multiply_task, p, (((size_t)1 << log) + CHUNK - 1) / CHUNK);
    return step(p, "transforms", 4, 4, e);
}

/* a becomes the product's values on the coset; b and the rows are freed. */
static cuzk_status product(struct prover *p, struct cuzk_error *e)
{
    struct ntt_tables *t;
    cuzk_status status = rows_bind(p->x, &p->rows, &p->templates->templates, &p->w, e);
    if (status == CUZK_OK)
        status = ntt_tables_new(p->x, &t, p->h->domain_log, e);
    if (status != CUZK_OK)
        return status;
    status = extend_both(p, t, e);
    block_free(&p->b);
    rows_free(&p->rows);
    ntt_tables_free(t);
    return status;
}

/* -- sums -- */

static struct msm_points points_of(const struct prover *p, enum srs_kind kind)
{
    return (struct msm_points){.affine = groth16_srs_section(p->srs, kind),
                               .count = (size_t)p->h->section[kind].count};
}

/* out += the sum of a section's points by these scalars, or, without any, of those that bits select. */
static cuzk_status add_g1(const struct prover *p, g1 *out, enum srs_kind kind,
                          const struct msm_scalars *scalars, const uint64_t *bits, struct cuzk_error *e)
{
    const struct msm_points points = points_of(p, kind);
    struct phase phase;
    g1 sum;
    phase_begin(&phase, p->x, srs_kind_name(kind));
    const cuzk_status status = scalars ? msm_g1(&phase.x, &sum, &points, scalars, e)
                                       : msm_g1_select(&phase.x, &sum, &points, bits, e);
    if (status == CUZK_OK)
        g1_add(out, out, &sum);
    return status;
}

static cuzk_status add_g2(const struct prover *p, g2 *out, enum srs_kind kind,
                          const struct msm_scalars *scalars, const uint64_t *bits, struct cuzk_error *e)
{
    const struct msm_points points = points_of(p, kind);
    struct phase phase;
    g2 sum;
    phase_begin(&phase, p->x, srs_kind_name(kind));
    const cuzk_status status = scalars ? msm_g2(&phase.x, &sum, &points, scalars, e)
                                       : msm_g2_select(&phase.x, &sum, &points, bits, e);
    if (status == CUZK_OK)
        g2_add(out, out, &sum);
    return status;
}

/* Those of these bits that mask names, moved together. */
static uint64_t extract(uint64_t bits, uint64_t mask)
{
    uint64_t out = 0;
    for (unsigned n = 0; mask; mask &= mask - 1, n++)
        out |= (uint64_t)((bits & mask & (0 - mask)) != 0) << n;
    return out;
}

static void pick(uint64_t *out, const uint64_t *bits, const uint64_t *density, uint32_t count)
{
    uint64_t pending = 0;
    unsigned filled = 0;
    for (uint32_t i = 0; i < (count + 63) / 64; i++) {
        const uint64_t mask = density[i], taken = mask == UINT64_MAX ? bits[i] : extract(bits[i], mask);
        const unsigned n = (unsigned)__builtin_popcountll(mask);
        pending |= taken << filled;
        if (filled + n >= 64) {
            *out++ = pending;
            pending = filled > 0 ? taken >> (64 - filled) : 0;
            filled += n - 64;
        } else {
            filled += n;
        }
    }
    *out = pending;
}

static struct msm_scalars scalars_of(const struct prover *p, enum srs_kind density, enum srs_class c)
{
    return (struct msm_scalars){.k = c == SRS_INPUTS ? p->w.input : p->w.wide_value,
                                .count = srs_class_size(p->h, c),
                                .select = groth16_srs_density(p->srs, density, c)};
}

static cuzk_status sum_c(struct prover *p, struct cuzk_error *e)
{
    const struct msm_scalars q = {.k = p->a.ptr, .count = (size_t)1 << p->h->domain_log},
                             fold = {.k = p->w.input, .count = p->h->inputs},
                             wide = {.k = p->w.wide_value, .count = p->h->wide};
    g1 *c = &p->sums.c;
    cuzk_status status = add_g1(p, c, SRS_Q, &q, NULL, e);
    block_free(&p->a);
    if (status == CUZK_OK)
        status = add_g1(p, c, SRS_FOLD, &fold, NULL, e);
    if (status == CUZK_OK)
        status = add_g1(p, c, SRS_L_BITS, NULL, p->w.bit, e);
    if (status == CUZK_OK)
        status = add_g1(p, c, SRS_L_WIDE, &wide, NULL, e);
    return status;
}

static cuzk_status sum_a(struct prover *p, struct cuzk_error *e)
{
    const struct msm_scalars inputs = scalars_of(p, SRS_DENSITY_A, SRS_INPUTS),
                             wide = scalars_of(p, SRS_DENSITY_A, SRS_WIDE);
    g1 *a = &p->sums.a;
    pick(p->picked.ptr, p->w.bit, groth16_srs_density(p->srs, SRS_DENSITY_A, SRS_BITS), p->h->bits);
    cuzk_status status = add_g1(p, a, SRS_A_INPUTS, &inputs, NULL, e);
    if (status == CUZK_OK)
        status = add_g1(p, a, SRS_A_BITS, NULL, p->picked.ptr, e);
    if (status == CUZK_OK)
        status = add_g1(p, a, SRS_A_WIDE, &wide, NULL, e);
    return status;
}

static cuzk_status sum_b(struct prover *p, struct cuzk_error *e)
{
    const struct msm_scalars inputs = scalars_of(p, SRS_DENSITY_B, SRS_INPUTS),
                             wide = scalars_of(p, SRS_DENSITY_B, SRS_WIDE);
    g1 *b = &p->sums.b_g1;
    g2 *b2 = &p->sums.b_g2;
    pick(p->picked.ptr, p->w.bit, groth16_srs_density(p->srs, SRS_DENSITY_B, SRS_BITS), p->h->bits);
    cuzk_status status = add_g1(p, b, SRS_B_G1_INPUTS, &inputs, NULL, e);
    if (status == CUZK_OK)
        status = add_g1(p, b, SRS_B_G1_BITS, NULL, p->picked.ptr, e);
    if (status == CUZK_OK)
        status = add_g1(p, b, SRS_B_G1_WIDE, &wide, NULL, e);
    if (status == CUZK_OK)
        status = add_g2(p, b2, SRS_B_G2_INPUTS, &inputs, NULL, e);
    if (status == CUZK_OK)
        status = add_g2(p, b2, SRS_B_G2_BITS, NULL, p->picked.ptr, e);
    if (status == CUZK_OK)
        status = add_g2(p, b2, SRS_B_G2_WIDE, &wide, NULL, e);
    return status;
}

/* -- the steps -- */

static cuzk_status reserve(struct prover *p, struct cuzk_error *e)
{
    const size_t n = (size_t)1 << p->h->domain_log;
    cuzk_status status = block_new(&p->a, p->x->budget, n, sizeof(fr), "the values of A", e);
    if (status == CUZK_OK)
        status = block_new(&p->b, p->x->budget, n, sizeof(fr), "the values of B", e);
    if (status == CUZK_OK)
        status = block_new(&p->picked, p->x->budget, (size_t)p->h->bits / 64 + 2, sizeof(uint64_t),
                           "the witness's bits", e);
    return status;
}

static cuzk_status run(struct prover *p, const struct groth16_rs *rs, const fr *public_inputs,
                       uint32_t public_count, struct groth16_proof *out, struct cuzk_error *e)
{
    cuzk_status status =
        folded_witness(p->x, &p->w, p->circuit, p->templates, p->srs, public_inputs, public_count, e);
    if (status == CUZK_OK)
        status = reserve(p, e);
    if (status == CUZK_OK)
        status = product(p, e);
    if (status == CUZK_OK)
        status = sum_c(p, e);
    if (status == CUZK_OK)
        status = sum_a(p, e);
    if (status == CUZK_OK)
        status = sum_b(p, e);
    return status == CUZK_OK ? folded_finish(p->x, out, p->circuit, p->srs, &p->w, &p->sums, rs, e) : status;
}

cuzk_status groth16_prove_folded(const struct exec *x, const struct circuit *circuit,
                                 const struct template_circuit *templates, const struct groth16_srs *s,
                                 const struct groth16_rs *rs, const fr *public_inputs, uint32_t public_count,
                                 struct groth16_proof *out, struct cuzk_error *e)
{
    struct prover p = {.x = x,
                       .kernels = groth16_kernels(x->variant),
                       .srs = s,
                       .h = groth16_srs_header(s),
                       .templates = templates,
                       .circuit = circuit};
    proof_sums_zero(&p.sums);
    const cuzk_status status = run(&p, rs, public_inputs, public_count, out, e);
    block_free(&p.a);
    block_free(&p.b);
    block_free(&p.picked);
    rows_free(&p.rows);
    assignment_free(&p.w);
    return status;
}
