/* groth16/srs_scalars.c - see srs_scalars.h.
 *
 * With s = (tau^n - 1)/delta and d_j = g w^j the sum over i of H_i g^-i w^-ij is geometric but for its
 * missing last term: Q_j = s / (n (g^n - 1)) ((tau^n/g^n - 1) d_j / (tau - d_j) - (tau/g)^(n-1) d_j / g) and
 * K_k the same with 1 for g within the bracket. All others are the circuit's polynomials at tau (qap.h).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/srs_scalars.h"

#include "base/error.h"
#include "base/memory.h"

static cuzk_status coset_constants(struct srs_scalars *s, const struct groth16_trapdoor *t,
                                   struct cuzk_error *e)
{
    const uint64_t n = UINT64_C(1) << s->qap.log, last = n - 1;
    fr ratio, coset, size, common;
    s->w = FR_ROOT_OF_UNITY;
    for (unsigned i = s->qap.log; i < FR_TWO_ADICITY; i++)
        fr_sqr(&s->w, &s->w);
    fr_inv(&ratio, &FR_GENERATOR);
    fr_mul(&ratio, &ratio, &s->tau); /* tau/g */
    fr_pow(&s->q_scale, &ratio, &n, 1);
    fr_sub(&s->q_scale, &s->q_scale, &FR_ONE);
    if (fr_is_zero(&s->q_scale))
        return error_set(e, CUZK_ERR_ARGUMENT, "tau is a point of the coset: it cannot be divided by");
    fr_pow(&coset, &FR_GENERATOR, &n, 1);
    fr_sub(&coset, &coset, &FR_ONE);
    fr_from_u64(&size, n);
    fr_mul(&common, &coset, &size);
    fr_mul(&common, &common, &t->delta);
    fr_inv(&common, &common);
    fr_mul(&common, &common, &s->qap.z);
    fr_mul(&s->q_scale, &s->q_scale, &common);
    fr_pow(&s->q_tail, &ratio, &last, 1);
    fr_mul(&s->q_tail, &s->q_tail, &common);
    fr_inv(&ratio, &FR_GENERATOR);
    fr_mul(&s->q_tail, &s->q_tail, &ratio);
    fr_neg(&s->q_tail, &s->q_tail);
    return CUZK_OK;
}

void srs_scalars_q(const struct srs_scalars *s, fr *out, fr *scratch, uint64_t first, size_t n)
{
    fr start;
    fr_pow(&start, &s->w, &first, 1);
    fr_mul(&start, &start, &FR_GENERATOR);
    s->kernels->lagrange(out, scratch, n, &start, &s->w, &s->tau, &s->q_scale);
    s->kernels->powers(scratch, n, &start, &s->w);
    s->kernels->add_scaled(out, scratch, n, &s->q_tail);
}

/* Which class a section is of. */
static enum srs_class class_of(enum srs_kind kind)
{
    if (kind <= SRS_L_WIDE)
        return (enum srs_class)(kind - SRS_FOLD);
    return (enum srs_class)((kind - SRS_A_INPUTS) % SRS_CLASSES);
}

/* What a section's scalars are taken from: the element of its class's variable i of the inputs, or of the
 * auxiliary variable i. */
static const fr *source_of(const struct srs_scalars *s, enum srs_kind kind)
{
    const struct qap *q = &s->qap;
    if (kind == SRS_FOLD)
        return q->fold.ptr;
    const fr *all = kind <= SRS_L_WIDE ? q->c.ptr : kind <= SRS_A_WIDE ? q->a.ptr : q->b.ptr;
    return class_of(kind) == SRS_INPUTS ? all : all + q->inputs;
}

/* The densities of a section's class; NULL: every variable is in. */
static const uint64_t *density_of(const struct srs_scalars *s, enum srs_kind kind)
{
    if (kind <= SRS_L_WIDE)
        return NULL;
    const uint64_t *words = s->shape->density[kind <= SRS_A_WIDE ? 0 : 1].ptr;
    return words + srs_density_words(s->header, class_of(kind));
}

/* The next variable of the class: where in the source it is. */
static bool next_variable(const struct srs_scalars *s, struct srs_cursor *cursor, enum srs_class c,
                          uint32_t *index)
{
    if (c != SRS_INPUTS)
        return srs_next_aux(&s->shape->classes, c == SRS_BITS, &cursor->at, index);
    if (cursor->at == s->qap.inputs)
        return false;
    *index = cursor->at++;
    return true;
}

size_t srs_scalars_next(const struct srs_scalars *s, struct srs_cursor *cursor, fr *out, size_t room)
{
    const enum srs_class c = class_of(cursor->kind);
    const fr *from = source_of(s, cursor->kind);
    const uint64_t *density = density_of(s, cursor->kind);
    uint32_t index;
    size_t n = 0;
    while (n < room && next_variable(s, cursor, c, &index)) {
        const uint32_t rank = cursor->rank++;
        if (!density || (density[rank / 64] >> rank % 64 & 1) != 0)
            out[n++] = from[index];
    }
    cursor->first += n;
    return n;
}

cuzk_status srs_scalars_make(const struct exec *x, struct srs_scalars *out, const struct templates *t,
                             const struct srs_shape *shape, const struct srs_header *header,
                             const struct groth16_trapdoor *trapdoor, struct cuzk_error *e)
{
    struct srs_scalars s = {
        .kernels = groth16_kernels(x->variant), .shape = shape, .header = header, .tau = trapdoor->tau};
    struct qap *q = &s.qap;
    cuzk_status status = qap_at(x, q, t, &trapdoor->tau, true, e);
    if (status == CUZK_OK)
        status = coset_constants(&s, trapdoor, e);
    if (status != CUZK_OK) {
        srs_scalars_free(&s);
        return status;
    }
    exec_progress(x, "scalars", 0, 1);
    qap_combine(x, q, 0, q->inputs, &trapdoor->alpha, &trapdoor->beta, &trapdoor->gamma);
    qap_combine(x, q, q->inputs, q->aux, &trapdoor->alpha, &trapdoor->beta, &trapdoor->delta);
    fr inverse;
    fr_inv(&inverse, &trapdoor->delta);
    for (uint32_t i = 0; i < q->inputs; i++)
        fr_mul((fr *)q->fold.ptr + i, (fr *)q->fold.ptr + i, &inverse);
    exec_progress(x, "scalars", 1, 1);
    *out = s;
    return CUZK_OK;
}

void srs_scalars_free(struct srs_scalars *s)
{
    qap_free(&s->qap);
    mem_wipe(s, sizeof *s);
}
