/* groth16/qap.c - what belongs to a quadratic arithmetic program beside its rows (qap.h).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/qap.h"

#include <string.h>

#include "base/pool.h"
#include "groth16/groth16.h"
#include "groth16/kernels.h"
#include "ntt/ntt.h"

#define COMBINE_CHUNK ((size_t)1 << 10)

cuzk_status qap_domain(struct qap *q, const fr *tau, fr *w, fr *scale, struct cuzk_error *e)
{
    q->log = groth16_domain_log(q->rows);
    if (q->log > NTT_MAX_LOG)
        return error_set(e, CUZK_ERR_UNSUPPORTED, "the circuit has %llu rows, more than 2^%d",
                         (unsigned long long)q->rows, NTT_MAX_LOG);
    const uint64_t size = UINT64_C(1) << q->log;
    *w = FR_ROOT_OF_UNITY;
    for (unsigned i = q->log; i < FR_TWO_ADICITY; i++)
        fr_sqr(w, w);
    fr_pow(&q->z, tau, &size, 1);
    fr_sub(&q->z, &q->z, &FR_ONE);
    if (fr_is_zero(&q->z))
        return error_set(e, CUZK_ERR_ARGUMENT, "tau is a point of the domain: such a key is worthless");
    fr n;
    fr_from_u64(&n, size);
    fr_inv(&n, &n);
    fr_mul(scale, &q->z, &n);
    return CUZK_OK;
}

cuzk_status qap_reserve(struct qap *q, struct budget *b, struct cuzk_error *e)
{
    const size_t variables = (size_t)q->inputs + q->aux;
    cuzk_status status = block_new(&q->a, b, variables, sizeof(fr), "the A polynomials", e);
    if (status == CUZK_OK)
        status = block_new(&q->b, b, variables, sizeof(fr), "the B polynomials", e);
    if (status == CUZK_OK)
        status = block_new(&q->c, b, variables, sizeof(fr), "the C polynomials", e);
    return status;
}

void qap_free(struct qap *q)
{
    block_free(&q->a);
    block_free(&q->b);
    block_free(&q->c);
    block_free(&q->fold);
    mem_wipe(q, sizeof *q);
}

struct combine_ctx {
    const struct groth16_kernels *kernels;
    struct qap *q;
    fr fa, fb, fc;
    size_t first, count;
};

static void combine_task(void *ctx, size_t i, unsigned worker)
{
    const struct combine_ctx *u = ctx;
    const struct qap *q = u->q;
    (void)worker;
    const size_t at = u->first + i * COMBINE_CHUNK, left = u->first + u->count - at;
    u->kernels->combine((fr *)q->c.ptr + at, (const fr *)q->a.ptr + at, (const fr *)q->b.ptr + at,
                        left < COMBINE_CHUNK ? left : COMBINE_CHUNK, &u->fa, &u->fb, &u->fc);
}

void qap_combine(const struct exec *x, struct qap *q, size_t first, size_t count, const fr *alpha,
                 const fr *beta, const fr *divisor)
{
    struct combine_ctx u = {.kernels = groth16_kernels(x->variant), .q = q, .first = first, .count = count};
    fr_inv(&u.fc, divisor);
    fr_mul(&u.fa, beta, &u.fc);
    fr_mul(&u.fb, alpha, &u.fc);
    pool_run(x->pool, combine_task, &u, (count + COMBINE_CHUNK - 1) / COMBINE_CHUNK);
    mem_wipe(&u, sizeof u);
}
