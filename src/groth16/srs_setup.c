/* groth16/srs_setup.c - folded parameters from a trapdoor.
 *
 * With s = (tau^n - 1)/delta and d_j = g w^j the sum over i of H_i g^-i w^-ij is geometric but for its
 * missing last term: Q_j = s / (n (g^n - 1)) ((tau^n/g^n - 1) d_j / (tau - d_j) - (tau/g)^(n-1) d_j / g) and
 * K_k the same with 1 for g within the bracket. So all points are multiples of the two generators whose
 * scalars the circuit's polynomials at tau give (qap.h): made block by block and written as they come.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "curve/fixed_base.h"
#include "groth16/kernels.h"
#include "groth16/key.h"
#include "groth16/qap.h"
#include "groth16/srs_shape.h"
#include "groth16/srs_write.h"

#define BLOCK ((size_t)1 << 16) /* points made and written at once */
#define CHUNK ((size_t)1 << 10) /* scalars of those, by one task */

static const char *const phase[SRS_KINDS] = {"key",         "q",         "fold",      "l bits",
                                             "l wide",      "a inputs",  "a bits",    "a wide",
                                             "b_g1 inputs", "b_g1 bits", "b_g1 wide", "b_g2 inputs",
                                             "b_g2 bits",   "b_g2 wide", "density a", "density b"};

struct maker {
    const struct exec *x;
    const struct groth16_kernels *kernels;
    struct groth16_trapdoor t;
    struct srs_shape shape;
    struct qap qap;
    struct srs_header header;
    struct groth16_vk vk;
    struct g1_fixed *g1;
    struct g2_fixed *g2;
    struct block scalars, scratch, points; /* BLOCK elements */
    fr q_scale, q_tail, w;                 /* Q_j = q_scale d_j/(tau - d_j) + q_tail d_j */
    uint64_t first;                        /* of the scalars being made */
    size_t fresh;                          /* how many of them */
    uint32_t at;                           /* the section's source has been read so far: variables, */
    uint32_t rank;                         /* and those of its class */
    struct srs_writer writer;
};

/* -- the scalars -- */

static cuzk_status coset_constants(struct maker *m, struct cuzk_error *e)
{
    const uint64_t n = UINT64_C(1) << m->qap.log, last = n - 1;
    fr ratio, coset, size, common;
    m->w = FR_ROOT_OF_UNITY;
    for (unsigned i = m->qap.log; i < FR_TWO_ADICITY; i++)
        fr_sqr(&m->w, &m->w);
    fr_inv(&ratio, &FR_GENERATOR);
    fr_mul(&ratio, &ratio, &m->t.tau); /* tau/g */
    fr_pow(&m->q_scale, &ratio, &n, 1);
    fr_sub(&m->q_scale, &m->q_scale, &FR_ONE);
    if (fr_is_zero(&m->q_scale))
        return error_set(e, CUZK_ERR_ARGUMENT, "tau is a point of the coset: it cannot be divided by");
    fr_pow(&coset, &FR_GENERATOR, &n, 1);
    fr_sub(&coset, &coset, &FR_ONE);
    fr_from_u64(&size, n);
    fr_mul(&common, &coset, &size);
    fr_mul(&common, &common, &m->t.delta);
    fr_inv(&common, &common);
    fr_mul(&common, &common, &m->qap.z);
    fr_mul(&m->q_scale, &m->q_scale, &common);
    fr_pow(&m->q_tail, &ratio, &last, 1);
    fr_mul(&m->q_tail, &m->q_tail, &common);
    fr_inv(&ratio, &FR_GENERATOR);
    fr_mul(&m->q_tail, &m->q_tail, &ratio);
    fr_neg(&m->q_tail, &m->q_tail);
    return CUZK_OK;
}

static void q_task(void *ctx, size_t i, unsigned worker)
{
    struct maker *m = ctx;
    (void)worker;
    const size_t at = i * CHUNK, left = m->fresh - at, n = left < CHUNK ? left : CHUNK;
    const uint64_t exponent = m->first + at;
    fr *out = (fr *)m->scalars.ptr + at, *d = (fr *)m->scratch.ptr + at, start;
    fr_pow(&start, &m->w, &exponent, 1);
    fr_mul(&start, &start, &FR_GENERATOR);
    m->kernels->lagrange(out, d, n, &start, &m->w, &m->t.tau, &m->q_scale);
    m->kernels->powers(d, n, &start, &m->w);
    m->kernels->add_scaled(out, d, n, &m->q_tail);
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
static const fr *source_of(const struct maker *m, enum srs_kind kind)
{
    const struct qap *q = &m->qap;
    if (kind == SRS_FOLD)
        return q->fold.ptr;
    const fr *all = kind <= SRS_L_WIDE ? q->c.ptr : kind <= SRS_A_WIDE ? q->a.ptr : q->b.ptr;
    return class_of(kind) == SRS_INPUTS ? all : all + q->inputs;
}

/* The densities of a section's class; NULL: every variable is in. */
static const uint64_t *density_of(const struct maker *m, enum srs_kind kind)
{
    if (kind <= SRS_L_WIDE)
        return NULL;
    const uint64_t *words = m->shape.density[kind <= SRS_A_WIDE ? 0 : 1].ptr;
    return words + srs_density_words(&m->header, class_of(kind));
}

/* The next variable of the class: where in the source it is. */
static bool next_variable(struct maker *m, enum srs_class c, uint32_t *index)
{
    if (c != SRS_INPUTS)
        return srs_next_aux(&m->shape.classes, c == SRS_BITS, &m->at, index);
    if (m->at == m->qap.inputs)
        return false;
    *index = m->at++;
    return true;
}

/* Up to BLOCK scalars more. */
static void gather(struct maker *m, enum srs_kind kind)
{
    const enum srs_class c = class_of(kind);
    const fr *from = source_of(m, kind);
    const uint64_t *density = density_of(m, kind);
    fr *out = m->scalars.ptr;
    uint32_t index;
    m->fresh = 0;
    while (m->fresh < BLOCK && next_variable(m, c, &index)) {
        const uint32_t rank = m->rank++;
        if (!density || (density[rank / 64] >> rank % 64 & 1) != 0)
            out[m->fresh++] = from[index];
    }
}

/* A variable of A or B whose polynomial vanishes at tau has no point in a parameter file. */
static cuzk_status none_vanishes(const struct maker *m, struct cuzk_error *e)
{
    for (size_t i = 0; i < m->fresh; i++)
        if (fr_is_zero((const fr *)m->scalars.ptr + i))
            return error_set(e, CUZK_ERR_ARGUMENT, "a polynomial of the circuit vanishes at tau");
    return CUZK_OK;
}

static cuzk_status next_scalars(struct maker *m, enum srs_kind kind, struct cuzk_error *e)
{
    if (kind != SRS_Q) {
        gather(m, kind);
        return srs_kind_takes_infinity(kind) ? CUZK_OK : none_vanishes(m, e);
    }
    const uint64_t left = m->header.section[kind].count - m->first;
    m->fresh = left < BLOCK ? (size_t)left : BLOCK;
    pool_run(m->x->pool, q_task, m, (m->fresh + CHUNK - 1) / CHUNK);
    return CUZK_OK;
}

/* -- the sections -- */

static cuzk_status write_points(struct maker *m, enum srs_kind kind, struct cuzk_error *e)
{
    const uint64_t count = m->header.section[kind].count;
    const bool in_g2 = srs_kind_is_g2(kind);
    cuzk_status status = srs_section_begin(&m->writer, kind, e);
    m->at = 0;
    m->rank = 0;
    for (m->first = 0; m->first < count && status == CUZK_OK; m->first += m->fresh) {
        exec_progress(m->x, phase[kind], m->first, count);
        status = next_scalars(m, kind, e);
        if (status == CUZK_OK)
            status = in_g2 ? g2_fixed_mul(m->x, m->g2, m->points.ptr, m->scalars.ptr, m->fresh, e)
                           : g1_fixed_mul(m->x, m->g1, m->points.ptr, m->scalars.ptr, m->fresh, e);
        if (status == CUZK_OK)
            status = srs_section_put(&m->writer, m->points.ptr, m->fresh * srs_element_bytes(kind), e);
        if (status == CUZK_OK && (exec_cancelled(m->x) || m->fresh == 0))
            status = exec_cancelled(m->x)
                         ? error_set(e, CUZK_ERR_CANCELLED, "setup was cancelled")
                         : error_set(e, CUZK_ERR_INTERNAL, "the circuit differs from run to run");
    }
    if (status == CUZK_OK)
        status = srs_section_end(&m->writer, e);
    if (status == CUZK_OK)
        exec_progress(m->x, phase[kind], count, count);
    return status;
}

static cuzk_status sections_in_g1(struct maker *m, struct cuzk_error *e)
{
    uint64_t expected = 0;
    for (unsigned k = SRS_Q; k <= SRS_B_G1_WIDE; k++)
        expected += m->header.section[k].count;
    cuzk_status status = g1_fixed_new(m->x, &m->g1, &G1_GENERATOR, expected, e);
    if (status == CUZK_OK)
        status = key_make(m->x, &m->vk, m->g1, &m->t, m->qap.c.ptr, m->qap.inputs, e);
    if (status == CUZK_OK)
        status = srs_write_key(&m->writer, &m->vk, e);
    for (unsigned k = SRS_Q; k <= SRS_B_G1_WIDE && status == CUZK_OK; k++) {
        status = write_points(m, (enum srs_kind)k, e);
        if (k == SRS_L_WIDE)
            block_free(&m->qap.c);
        if (k == SRS_A_WIDE)
            block_free(&m->qap.a);
    }
    g1_fixed_free(m->g1);
    m->g1 = NULL;
    return status;
}

static cuzk_status sections_in_g2(struct maker *m, struct cuzk_error *e)
{
    uint64_t expected = 0;
    for (unsigned k = SRS_B_G2_INPUTS; k <= SRS_B_G2_WIDE; k++)
        expected += m->header.section[k].count;
    cuzk_status status = g2_fixed_new(m->x, &m->g2, &G2_GENERATOR, expected, e);
    for (unsigned k = SRS_B_G2_INPUTS; k <= SRS_B_G2_WIDE && status == CUZK_OK; k++)
        status = write_points(m, (enum srs_kind)k, e);
    g2_fixed_free(m->g2);
    m->g2 = NULL;
    return status;
}

/* The circuit's polynomials at tau become the sections' scalars. */
static cuzk_status scalars(struct maker *m, const struct circuit *circuit, struct cuzk_error *e)
{
    struct qap *q = &m->qap;
    cuzk_status status = qap_at(m->x, q, circuit, &m->t.tau, true, e);
    if (status != CUZK_OK)
        return status;
    if (q->inputs != m->shape.inputs || q->aux != m->shape.aux || q->log != m->shape.log)
        return error_set(e, CUZK_ERR_INTERNAL, "the circuit differs from run to run");
    qap_combine(m->x, q, 0, q->inputs, &m->t.alpha, &m->t.beta, &m->t.gamma);
    qap_combine(m->x, q, q->inputs, q->aux, &m->t.alpha, &m->t.beta, &m->t.delta);
    fr inverse;
    fr_inv(&inverse, &m->t.delta);
    for (uint32_t i = 0; i < q->inputs; i++)
        fr_mul((fr *)q->fold.ptr + i, (fr *)q->fold.ptr + i, &inverse);
    return coset_constants(m, e);
}

static cuzk_status buffers(struct maker *m, struct cuzk_error *e)
{
    struct budget *b = m->x->budget;
    cuzk_status status = block_new(&m->scalars, b, BLOCK, sizeof(fr), "scalars", e);
    if (status == CUZK_OK)
        status = block_new(&m->scratch, b, BLOCK, sizeof(fr), "scalars", e);
    if (status == CUZK_OK)
        status = block_new(&m->points, b, BLOCK, sizeof(g2_affine), "points", e);
    return status;
}

static cuzk_status finish(struct maker *m, const char *path, struct cuzk_error *e)
{
    uint8_t head[SRS_HEADER_BYTES];
    struct file_id written;
    cuzk_status status = srs_section_whole(&m->writer, SRS_DENSITY_A, m->shape.density[0].ptr, e);
    if (status == CUZK_OK)
        status = srs_section_whole(&m->writer, SRS_DENSITY_B, m->shape.density[1].ptr, e);
    if (status == CUZK_OK)
        status = srs_header_write(head, &m->header, e);
    if (status == CUZK_OK)
        status = file_write_at(m->writer.file, 0, head, sizeof head, e);
    exec_progress(m->x, "writing", 0, 1);
    if (status == CUZK_OK)
        status = file_prepare(m->writer.file, &written, e);
    if (status != CUZK_OK)
        return status;
    struct file_out *file = m->writer.file;
    m->writer.file = NULL; /* freed, however it goes */
    status = file_commit(file, e);
    if (status == CUZK_OK) {
        srs_stamp_own(path, &written, m->header.digest);
        exec_progress(m->x, "writing", 1, 1);
    }
    return status;
}

static cuzk_status run(struct maker *m, const struct circuit *circuit, const char *name, const char *source,
                       const char *path, struct cuzk_error *e)
{
    cuzk_status status = file_create(&m->writer.file, path, e);
    if (status == CUZK_OK)
        status = srs_shape_of(m->x, &m->shape, circuit, e);
    if (status == CUZK_OK)
        status = srs_shape_header(&m->header, &m->shape, name, e);
    if (status != CUZK_OK)
        return status;
    m->header.from_params = source != NULL;
    if (source)
        srs_digest_bytes(m->header.source, source);
    status = file_reserve(m->writer.file, srs_layout(&m->header), e);
    if (status == CUZK_OK)
        status = scalars(m, circuit, e);
    if (status == CUZK_OK)
        status = buffers(m, e);
    if (status == CUZK_OK)
        status = sections_in_g1(m, e);
    if (status == CUZK_OK)
        status = sections_in_g2(m, e);
    return status == CUZK_OK ? finish(m, path, e) : status;
}

cuzk_status groth16_srs_setup(const struct exec *x, const struct circuit *circuit, const char *name,
                              const struct groth16_trapdoor *t, const char *source, const char *path,
                              struct cuzk_error *e)
{
    if (fr_is_zero(&t->alpha) || fr_is_zero(&t->beta) || fr_is_zero(&t->gamma) || fr_is_zero(&t->delta) ||
        fr_is_zero(&t->tau))
        return error_set(e, CUZK_ERR_ARGUMENT, "a value of the trapdoor is zero");
    struct maker m = {.x = x, .kernels = groth16_kernels(x->variant), .t = *t};
    m.writer.h = &m.header;
    const cuzk_status status = run(&m, circuit, name, source, path, e);
    file_abort(m.writer.file);
    digest_free(&m.writer.digest);
    groth16_vk_free(&m.vk);
    qap_free(&m.qap);
    srs_shape_free(&m.shape);
    block_free(&m.scalars);
    block_free(&m.scratch);
    block_free(&m.points);
    mem_wipe(&m, sizeof m);
    return status;
}
