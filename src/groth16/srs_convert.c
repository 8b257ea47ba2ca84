/* groth16/srs_convert.c - folded parameters from a parameter file, by two transforms of its h query (srs.h).
 *
 * K is made first, in the place of Q, and folded into L; then Q. Between columns and rows of a transform the
 * points lie in the room behind the file (srs_part.h).
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "curve/encoding.h"
#include "groth16/srs_fold.h"
#include "groth16/srs_part.h"
#include "groth16/srs_shape.h"
#include "groth16/transform.h"

#define RECORD_SECONDS 30

enum phase { K_COLUMNS = 0, K_ROWS, FOLD, Q_COLUMNS, Q_ROWS, COPY };
#define PHASES 6

static const char *const phase_name[PHASES] = {"k columns", "k rows", "fold",
                                               "q columns", "q rows", "a and b"};

struct conversion {
    const struct exec *x;
    const struct transform_runner *runner;
    struct templates templates; /* of the circuit */
    const struct groth16_params *params;
    struct srs_shape shape;
    struct srs_header header;
    struct srs_part part;
};

static cuzk_status stopped(struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_CANCELLED, "the conversion was stopped; the same call goes on with it");
}

/* -- the transforms -- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cuzk_status run_units(struct conversion *c, enum phase phase, struct transform *t,
                             struct cuzk_error *e)
{
    const uint64_t all = transform_units(t), round = t->round;
    double recorded = now();
    uint64_t done = c->part.units;
    cuzk_status status = CUZK_OK;
    while (done < all && status == CUZK_OK) {
        exec_progress(c->x, phase_name[phase], done, all);
        const uint64_t count = all - done < round ? all - done : round;
        status = transform_run(t, done, count, e);
        if (status != CUZK_OK)
            break;
        const bool stop = exec_cancelled(c->x);
        if (!stop)
            done += count;
        if (stop || now() - recorded > RECORD_SECONDS) {
            if (done > c->part.units)
                status = srs_part_record(&c->part, phase, done, e);
            recorded = now();
        }
        if (stop && status == CUZK_OK)
            status = stopped(e);
    }
    if (status == CUZK_OK)
        exec_progress(c->x, phase_name[phase], all, all);
    return status;
}

/* 1 / (n (g^n - 1)) */
static void scale_of(fr *out, unsigned log)
{
    const uint64_t n = UINT64_C(1) << log;
    fr size;
    fr_pow(out, &FR_GENERATOR, &n, 1);
    fr_sub(out, out, &FR_ONE);
    fr_from_u64(&size, n);
    fr_mul(out, out, &size);
    fr_inv(out, out);
}

static cuzk_status columns(struct conversion *c, enum phase phase, const fr *shift, struct cuzk_error *e)
{
    struct transform t = {.x = c->x};
    fr scale;
    uint32_t count;
    scale_of(&scale, c->header.domain_log);
    cuzk_status status = transform_columns(&t, c->x, c->runner, c->header.domain_log, shift, &scale, e);
    t.encoded = groth16_params_section(c->params, GROTH16_H, &count);
    t.encoded_count = count;
    t.out = srs_part_room(&c->part);
    if (status == CUZK_OK)
        status = run_units(c, phase, &t, e);
    transform_free(&t);
    return status;
}

static g1_affine *g1_section(const struct conversion *c, enum srs_kind kind)
{
    return (g1_affine *)(void *)(c->part.data + c->header.section[kind].offset);
}

static cuzk_status rows(struct conversion *c, enum phase phase, struct cuzk_error *e)
{
    struct transform t = {.x = c->x};
    cuzk_status status = transform_rows(&t, c->x, c->runner, c->header.domain_log, e);
    t.in = srs_part_room(&c->part);
    t.out = g1_section(c, SRS_Q);
    if (status == CUZK_OK)
        status = run_units(c, phase, &t, e);
    transform_free(&t);
    return status;
}

/* -- L', A, B -- */

#define DEALT_AT_ONCE ((uint32_t)1 << 16) /* variables of a task */

/* Points of the source in its order are dealt to the classes' sections. */
struct dealer {
    const struct conversion *c;
    const uint64_t *density[SRS_CLASSES]; /* NULL: all variables */
    enum srs_kind kind;                   /* the first class's section */
    bool in_g2;
    bool passing; /* only counted, not dealt */
    const uint8_t *from;
    uint64_t rank[SRS_CLASSES], count[SRS_CLASSES];
};

static void deal(struct dealer *d, enum srs_class to)
{
    const uint64_t rank = d->rank[to]++;
    if (d->density[to] && (d->density[to][rank / 64] >> rank % 64 & 1) == 0)
        return;
    const uint8_t *from = d->from;
    const uint64_t at = d->count[to]++;
    d->from += d->in_g2 ? G2_UNCOMPRESSED_BYTES : G1_UNCOMPRESSED_BYTES;
    if (d->passing)
        return;
    uint8_t *section = d->c->part.data + d->c->header.section[(unsigned)d->kind + to].offset;
    const enum encoding_fault fault = /* the points were checked when the file was opened */
        d->in_g2 ? g2_read_uncompressed((g2_affine *)(void *)section + at, from, ENCODING_TRUSTED)
                 : g1_read_uncompressed((g1_affine *)(void *)section + at, from, ENCODING_TRUSTED);
    VERIFY(fault == ENCODING_OK);
    (void)fault;
}

/* The auxiliary variables of a task. */
static void deal_some(struct dealer *d, size_t task)
{
    const struct classes *classes = &d->c->shape.classes;
    const uint32_t first = (uint32_t)task * DEALT_AT_ONCE, left = classes->count - first;
    for (uint32_t i = 0; i < left && i < DEALT_AT_ONCE; i++)
        deal(d, classes_is_bit(classes, first + i) ? SRS_BITS : SRS_WIDE);
}

static void deal_task(void *ctx, size_t i, unsigned worker)
{
    struct dealer *const *dealers = ctx;
    (void)worker;
    if (!exec_cancelled((*dealers)[i].c->x))
        deal_some(&(*dealers)[i], i);
}

/* One walk tells where each task begins. */
static cuzk_status deal_aux(struct dealer *d, struct cuzk_error *e)
{
    const size_t tasks = ((size_t)d->c->shape.classes.count + DEALT_AT_ONCE - 1) / DEALT_AT_ONCE;
    struct dealer *dealers = mem_alloc(tasks + 1, sizeof *dealers);
    if (!dealers)
        return error_memory(e, (tasks + 1) * sizeof *dealers, "dealing points");
    d->passing = true;
    for (size_t i = 0; i < tasks && !exec_cancelled(d->c->x); i++) {
        dealers[i] = *d;
        dealers[i].passing = false;
        deal_some(d, i);
    }
    if (!exec_cancelled(d->c->x))
        pool_run(d->c->x->pool, deal_task, &dealers, tasks);
    mem_free(dealers);
    return exec_cancelled(d->c->x) ? stopped(e) : CUZK_OK;
}

static cuzk_status fold(struct conversion *c, struct cuzk_error *e)
{
    uint32_t count;
    struct dealer d = {
        .c = c, .kind = SRS_FOLD, .from = groth16_params_section(c->params, GROTH16_L, &count)};
    const cuzk_status status = deal_aux(&d, e);
    if (status != CUZK_OK)
        return status;
    const struct fold_target target = {.k = g1_section(c, SRS_Q),
                                       .fold = g1_section(c, SRS_FOLD),
                                       .bits = g1_section(c, SRS_L_BITS),
                                       .wide = g1_section(c, SRS_L_WIDE)};
    memset(target.fold, 0, c->header.inputs * sizeof(g1_affine));
    return srs_fold(c->x, &c->templates, &target, e);
}

static cuzk_status deal_query(struct conversion *c, enum groth16_section source, enum srs_kind kind,
                              int matrix, struct cuzk_error *e)
{
    uint32_t count;
    struct dealer d = {.c = c,
                       .kind = kind,
                       .in_g2 = srs_kind_is_g2(kind),
                       .from = groth16_params_section(c->params, source, &count)};
    for (unsigned k = 0; k < SRS_CLASSES; k++)
        d.density[k] = (const uint64_t *)c->shape.density[matrix].ptr + srs_density_words(&c->header, k);
    for (uint32_t i = 0; i < c->header.inputs; i++)
        deal(&d, SRS_INPUTS);
    return deal_aux(&d, e);
}

static cuzk_status copy(struct conversion *c, struct cuzk_error *e)
{
    const struct srs_section *s = c->header.section;
    groth16_vk_write(c->part.data + s[SRS_KEY].offset, groth16_params_vk(c->params));
    exec_progress(c->x, phase_name[COPY], 0, 3);
    cuzk_status status = deal_query(c, GROTH16_A, SRS_A_INPUTS, 0, e);
    if (status != CUZK_OK)
        return status;
    exec_progress(c->x, phase_name[COPY], 1, 3);
    status = deal_query(c, GROTH16_B_G1, SRS_B_G1_INPUTS, 1, e);
    if (status != CUZK_OK)
        return status;
    exec_progress(c->x, phase_name[COPY], 2, 3);
    status = deal_query(c, GROTH16_B_G2, SRS_B_G2_INPUTS, 1, e);
    if (status != CUZK_OK)
        return status;
    for (int m = 0; m < 2; m++)
        memcpy(c->part.data + s[SRS_DENSITY_A + m].offset, c->shape.density[m].ptr,
               (size_t)s[SRS_DENSITY_A + m].count * sizeof(uint64_t));
    exec_progress(c->x, phase_name[COPY], 3, 3);
    return exec_cancelled(c->x) ? stopped(e) : CUZK_OK;
}

/* -- the steps -- */

static cuzk_status same(const char *what, uint64_t circuit, uint64_t params, struct cuzk_error *e)
{
    if (circuit == params)
        return CUZK_OK;
    return error_set(
        e, CUZK_ERR_MISMATCH,
        "the parameters are of another circuit: %s: the circuit has %llu, the parameters have %llu", what,
        (unsigned long long)circuit, (unsigned long long)params);
}

static cuzk_status compare(const struct srs_header *h, const struct groth16_params_info *info,
                           struct cuzk_error *e)
{
    uint64_t a = 0, b = 0;
    for (unsigned k = 0; k < SRS_CLASSES; k++) {
        a += h->section[SRS_A_INPUTS + k].count;
        b += h->section[SRS_B_G1_INPUTS + k].count;
    }
    cuzk_status status = same("inputs", h->inputs, info->ic_count, e);
    if (status == CUZK_OK)
        status = same("auxiliary variables", h->aux, info->count[GROTH16_L], e);
    if (status == CUZK_OK)
        status = same("rows of the domain", UINT64_C(1) << h->domain_log, UINT64_C(1) << info->domain_log, e);
    if (status == CUZK_OK)
        status = same("variables in A", a, info->count[GROTH16_A], e);
    if (status == CUZK_OK)
        status = same("variables in B", b, info->count[GROTH16_B_G1], e);
    return status;
}

static cuzk_status do_phase(struct conversion *c, enum phase phase, struct cuzk_error *e)
{
    fr shift;
    switch (phase) {
    case K_COLUMNS:
        return columns(c, phase, &FR_ONE, e);
    case Q_COLUMNS:
        fr_inv(&shift, &FR_GENERATOR);
        return columns(c, phase, &shift, e);
    case K_ROWS:
    case Q_ROWS:
        return rows(c, phase, e);
    case FOLD:
        return fold(c, e);
    case COPY:
        return copy(c, e);
    }
    return error_set(e, CUZK_ERR_INTERNAL, "a phase without a name");
}

/* last: the phase to stop after; PHASES: none. */
static cuzk_status do_phases(struct conversion *c, unsigned last, struct cuzk_error *e)
{
    while (c->part.phase < PHASES && !c->part.whole) {
        const unsigned phase = (unsigned)c->part.phase;
        cuzk_status status = do_phase(c, (enum phase)phase, e);
        if (status == CUZK_OK)
            status = srs_part_record(&c->part, phase + 1, 0, e);
        if (status != CUZK_OK)
            return status;
        if (phase == last)
            return error_set(e, CUZK_ERR_CANCELLED,
                             "stopped after %s, as asked; the same call goes on with it", phase_name[phase]);
    }
    return srs_part_finish(&c->part, c->x, &c->header, e);
}

static cuzk_status phase_find(const char *name, unsigned *out, struct cuzk_error *e)
{
    *out = PHASES;
    for (unsigned i = 0; name && i < PHASES; i++)
        if (strcmp(name, phase_name[i]) == 0)
            *out = i;
    if (name && *out == PHASES)
        return error_set(
            e, CUZK_ERR_ARGUMENT,
            "no phase is named \"%.40s\"; there are k columns, k rows, fold, q columns, q rows, a "
            "and b",
            name);
    return CUZK_OK;
}

cuzk_status groth16_srs_phase_check(const char *name, struct cuzk_error *e)
{
    unsigned phase;
    return phase_find(name, &phase, e);
}

static cuzk_status run(struct conversion *c, const struct circuit *circuit, const char *name,
                       const char *path, unsigned last, struct cuzk_error *e)
{
    struct groth16_params_info info;
    groth16_params_info(c->params, &info);
    if (info.digest[0] == '\0')
        return error_set(e, CUZK_ERR_ARGUMENT, "the parameters were opened without their digest");
    exec_progress(c->x, "templates", 0, 1);
    cuzk_status status = templates_record(c->x, &c->templates, circuit, e);
    if (status == CUZK_OK)
        status = srs_shape_of_templates(c->x, &c->shape, &c->templates, e);
    if (status == CUZK_OK)
        status = srs_shape_header(&c->header, &c->shape, name, e);
    if (status == CUZK_OK)
        status = compare(&c->header, &info, e);
    if (status != CUZK_OK)
        return status;
    exec_progress(c->x, "templates", 1, 1);
    c->header.from_params = true;
    srs_digest_bytes(c->header.source, info.digest);
    status = srs_part_open(&c->part, path, &c->header, e);
    return status == CUZK_OK ? do_phases(c, last, e) : status;
}

cuzk_status groth16_srs_convert(const struct exec *x, const struct circuit *circuit, const char *name,
                                const struct groth16_params *p, const char *path, const char *stop_after,
                                const struct transform_runner *runner, struct cuzk_error *e)
{
    struct conversion c = {.x = x, .runner = runner, .params = p, .part = {.fd = -1}};
    unsigned last;
    cuzk_status status = phase_find(stop_after, &last, e);
    if (status == CUZK_OK)
        status = run(&c, circuit, name, path, last, e);
    srs_part_close(&c.part);
    srs_shape_free(&c.shape);
    templates_free(&c.templates);
    return status;
}
