/* groth16/verify.c - does a proof hold (J. Groth, 2016/260)?
 *
 *   e(A, B) = e(alpha, beta) e(sum x_i IC_i, gamma) e(C, delta)
 * as one product of pairings that must be 1, with the signs of its G1 points turned.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/memory.h"
#include "base/pool.h"
#include "curve/pairing.h"
#include "groth16/groth16.h"
#include "msm/msm.h"

#define WEIGHT_BYTES 16
#define BUCKETS_MAX  ((size_t)1 << 4)
#define SMALL_SUM    32 /* public inputs up to which single operations are as fast as msm_g1 */

/* Bits at .. at + n of a plain integer; n at most 8. */
static unsigned digit(const fr *plain, unsigned at, unsigned n)
{
    const unsigned limb = at / 64, shift = at % 64;
    uint64_t x = limb < FR_LIMBS ? plain->l[limb] >> shift : 0;
    if (shift + n > 64 && limb + 1 < FR_LIMBS)
        x |= plain->l[limb + 1] << (64 - shift);
    return (unsigned)(x & ((UINT64_C(1) << n) - 1));
}

/* sum k_i P_i by buckets (Pippenger) of single operations, for few public inputs. plain: the scalars as plain
 * integers. */
static void sum_small(g1 *out, const g1_affine *points, const fr *plain, size_t n)
{
    const unsigned window = n < 8 ? 2 : 4;
    g1 bucket[BUCKETS_MAX];
    g1_set_infinity(out);
    for (unsigned at = (FR_BITS - 1) / window * window;; at -= window) {
        for (size_t j = 1; j < (size_t)1 << window; j++)
            g1_set_infinity(&bucket[j]);
        for (size_t i = 0; i < n; i++) {
            const unsigned d = digit(&plain[i], at, window);
            if (d != 0)
                g1_add_affine(&bucket[d], &bucket[d], &points[i]);
        }
        g1 running, sum;
        g1_set_infinity(&running);
        g1_set_infinity(&sum);
        for (size_t j = ((size_t)1 << window) - 1; j > 0; j--) {
            g1_add(&running, &running, &bucket[j]);
            g1_add(&sum, &sum, &running);
        }
        g1_add(out, out, &sum);
        if (at == 0)
            return;
        for (unsigned j = 0; j < window; j++)
            g1_double(out, out);
    }
}

static cuzk_status input_count_fits(const struct groth16_vk *vk, uint32_t count, struct cuzk_error *e)
{
    if (vk->ic_count != 0 && count == vk->ic_count - 1)
        return CUZK_OK;
    return error_set(e, CUZK_ERR_ARGUMENT, "%u public inputs given, the verifying key is for %u", count,
                     vk->ic_count ? vk->ic_count - 1 : 0);
}

static void negated(g1_affine *out, const g1 *p)
{
    g1 t;
    g1_neg(&t, p);
    g1_to_affine(out, &t);
}

static void negated_affine(g1_affine *out, const g1_affine *p)
{
    g1 t;
    g1_from_affine(&t, p);
    negated(out, &t);
}

/* ic_0 + sum x_i ic_i */
static cuzk_status sum_inputs(const struct exec *x, g1 *out, const struct groth16_vk *vk,
                              const fr *public_inputs, uint32_t count, struct cuzk_error *e)
{
    if (count > SMALL_SUM) {
        const struct msm_points ic = {.affine = vk->ic + 1, .count = count};
        const struct msm_scalars k = {.k = public_inputs, .count = count};
        const cuzk_status status = msm_g1(x, out, &ic, &k, e);
        if (status != CUZK_OK)
            return status;
    } else {
        fr plain[SMALL_SUM];
        for (uint32_t i = 0; i < count; i++)
            fr_from_mont(&plain[i], &public_inputs[i]);
        sum_small(out, vk->ic + 1, plain, count);
    }
    g1_add_affine(out, out, &vk->ic[0]);
    return CUZK_OK;
}

cuzk_status groth16_verify(const struct exec *x, const struct groth16_vk *vk,
                           const struct groth16_proof *proof, const fr *public_inputs, uint32_t count,
                           bool *valid, struct cuzk_error *e)
{
    g1 inputs;
    cuzk_status status = input_count_fits(vk, count, e);
    if (status == CUZK_OK)
        status = sum_inputs(x, &inputs, vk, public_inputs, count, e);
    if (status != CUZK_OK)
        return status;
    g1_affine p[4] = {proof->a};
    const g2_affine q[4] = {proof->b, vk->beta_g2, vk->gamma_g2, vk->delta_g2};
    negated_affine(&p[1], &vk->alpha_g1);
    negated(&p[2], &inputs);
    negated_affine(&p[3], &proof->c);
    *valid = pairing_product_is_one(x->variant, p, q, 4);
    return CUZK_OK;
}

/* -- many at once -- */

struct batch {
    const struct exec *x;
    const struct groth16_vk *vk;
    const struct groth16_proof *proofs;
    const fr *const *inputs;
    size_t n;
    struct block weights; /* n random 128-bit numbers */
    struct block k;       /* a scalar for each point of ic */
    struct block c;       /* C of each proof */
    struct block p, q;    /* n + 3 pairs */
    size_t parts;
    struct block products; /* one a part */
};

static cuzk_status draw_weights(struct batch *b, struct cuzk_error *e)
{
    fr *w = b->weights.ptr;
    for (size_t i = 0; i < b->n; i++) {
        uint8_t bytes[FR_BYTES] = {0};
        ssize_t got;
        do
            got = getrandom(bytes, WEIGHT_BYTES, 0);
        while (got < 0 && errno == EINTR);
        if (got != WEIGHT_BYTES)
            return error_errno(e, got < 0 ? errno : EIO, "the system's random generator");
        if (!fr_read_le(&w[i], bytes))
            return error_set(e, CUZK_ERR_INTERNAL, "a 128-bit number is not below r");
    }
    return CUZK_OK;
}

/* p[i] = weight_i A_i, with B_i */
static void weigh_task(void *ctx, size_t i, unsigned worker)
{
    struct batch *b = ctx;
    (void)worker;
    g1 a;
    g1_from_affine(&a, &b->proofs[i].a);
    g1_mul(&a, &a, (const fr *)b->weights.ptr + i);
    g1_to_affine((g1_affine *)b->p.ptr + i, &a);
    ((g2_affine *)b->q.ptr)[i] = b->proofs[i].b;
    ((g1_affine *)b->c.ptr)[i] = b->proofs[i].c;
}

/* k[j] = sum over proofs of weight times input j; input 0 is one. */
static void input_task(void *ctx, size_t j, unsigned worker)
{
    struct batch *b = ctx;
    (void)worker;
    const fr *weight = b->weights.ptr;
    fr sum = FR_ZERO;
    for (size_t i = 0; i < b->n; i++) {
        fr t = weight[i];
        if (j > 0)
            fr_mul(&t, &t, &b->inputs[i][j - 1]);
        fr_add(&sum, &sum, &t);
    }
    ((fr *)b->k.ptr)[j] = sum;
}

static void product_task(void *ctx, size_t part, unsigned worker)
{
    struct batch *b = ctx;
    (void)worker;
    const size_t pairs = b->n + 3, from = pairs * part / b->parts, to = pairs * (part + 1) / b->parts;
    pairing_product(b->x->variant, (fp12 *)b->products.ptr + part, (const g1_affine *)b->p.ptr + from,
                    (const g2_affine *)b->q.ptr + from, to - from);
}

static cuzk_status reserve(struct batch *b, struct cuzk_error *e)
{
    struct budget *budget = b->x->budget;
    const unsigned threads = pool_threads(b->x->pool);
    b->parts = b->n < threads ? b->n : threads;
    cuzk_status status = block_new(&b->weights, budget, b->n, sizeof(fr), "weights", e);
    if (status == CUZK_OK)
        status = block_new(&b->k, budget, b->vk->ic_count, sizeof(fr), "weighted inputs", e);
    if (status == CUZK_OK)
        status = block_new(&b->c, budget, b->n, sizeof(g1_affine), "weighted points", e);
    if (status == CUZK_OK)
        status = block_new(&b->p, budget, b->n + 3, sizeof(g1_affine), "pairs", e);
    if (status == CUZK_OK)
        status = block_new(&b->q, budget, b->n + 3, sizeof(g2_affine), "pairs", e);
    if (status == CUZK_OK)
        status = block_new(&b->products, budget, b->parts, sizeof(fp12), "products of pairings", e);
    return status;
}

/* The three pairs that all proofs share. */
static cuzk_status shared_pairs(struct batch *b, struct cuzk_error *e)
{
    g1_affine *p = (g1_affine *)b->p.ptr + b->n;
    g2_affine *q = (g2_affine *)b->q.ptr + b->n;
    g1 inputs, c, alpha;
    const struct msm_points ic = {.affine = b->vk->ic, .count = b->vk->ic_count};
    const struct msm_scalars k = {.k = b->k.ptr, .count = b->vk->ic_count};
    cuzk_status status = msm_g1(b->x, &inputs, &ic, &k, e);
    if (status != CUZK_OK)
        return status;
    const struct msm_points points = {.affine = b->c.ptr, .count = b->n};
    const struct msm_scalars weights = {.k = b->weights.ptr, .count = b->n};
    status = msm_g1(b->x, &c, &points, &weights, e);
    if (status != CUZK_OK)
        return status;
    g1_from_affine(&alpha, &b->vk->alpha_g1);
    g1_mul(&alpha, &alpha, b->k.ptr); /* k[0] is the weights' sum */
    negated(&p[0], &alpha);
    negated(&p[1], &inputs);
    negated(&p[2], &c);
    q[0] = b->vk->beta_g2;
    q[1] = b->vk->gamma_g2;
    q[2] = b->vk->delta_g2;
    return CUZK_OK;
}

static cuzk_status combine(struct batch *b, bool *valid, struct cuzk_error *e)
{
    cuzk_status status = reserve(b, e);
    if (status == CUZK_OK)
        status = draw_weights(b, e);
    if (status != CUZK_OK)
        return status;
    pool_run(b->x->pool, weigh_task, b, b->n);
    pool_run(b->x->pool, input_task, b, b->vk->ic_count);
    status = shared_pairs(b, e);
    if (status != CUZK_OK)
        return status;
    if (exec_cancelled(b->x))
        return error_set(e, CUZK_ERR_CANCELLED, "verification was cancelled");
    pool_run(b->x->pool, product_task, b, b->parts);
    fp12 *product = b->products.ptr;
    for (size_t i = 1; i < b->parts; i++)
        fp12_mul(&product[0], &product[0], &product[i]);
    *valid = fp12_is_one(&product[0]);
    return CUZK_OK;
}

cuzk_status groth16_verify_many(const struct exec *x, const struct groth16_vk *vk,
                                const struct groth16_proof *proofs, const fr *const *inputs, uint32_t count,
                                size_t n, bool *valid, struct cuzk_error *e)
{
    cuzk_status status = input_count_fits(vk, count, e);
    if (status != CUZK_OK)
        return status;
    if (n == 0)
        return error_set(e, CUZK_ERR_ARGUMENT, "no proofs given");
    if (n == 1)
        return groth16_verify(x, vk, proofs, inputs[0], count, valid, e);
    struct batch b = {.x = x, .vk = vk, .proofs = proofs, .inputs = inputs, .n = n};
    bool result = false;
    status = combine(&b, &result, e);
    block_free(&b.weights);
    block_free(&b.k);
    block_free(&b.c);
    block_free(&b.p);
    block_free(&b.q);
    block_free(&b.products);
    if (status == CUZK_OK)
        *valid = result;
    return status;
}
