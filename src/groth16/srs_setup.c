/* groth16/srs_setup.c - folded parameters from a trapdoor.
 *
 * All points are multiples of the two generators (srs_scalars.h), made batch by batch (points.h) and written
 * as they come. A section's digest runs over it from its first byte to its last, so several sections are on
 * their way together, each in a lane. There are two sets of batches: while the maker has one, the other's
 * points are digested and written, and the scalars gathered that it takes next.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "groth16/key.h"
#include "groth16/points.h"
#include "groth16/srs_scalars.h"
#include "groth16/srs_write.h"

#define LANES 5u                /* about as many sections are large */
#define BATCH ((size_t)1 << 16) /* points */
#define CHUNK ((size_t)1 << 10) /* scalars of Q, by one task */

/* Points [first, first + count) of a section. */
struct piece {
    enum srs_kind kind;
    uint64_t first;
    size_t count; /* 0: none */
};

struct set {
    struct point_batch batch[LANES];
    struct piece gathered[LANES]; /* what the scalars are for, */
    struct piece made[LANES];     /* and what the points are */
};

/* What there is to do with a set that is not with the maker: the jobs of all lanes, one lane's each. Storing
 * is one job, since a file system lets one write at a time into a file. */
enum { STORE, DIGEST, GATHER = DIGEST + LANES, JOBS = GATHER + LANES };

struct setup {
    const struct exec *x;
    struct groth16_trapdoor t;
    struct templates templates;
    struct srs_shape shape;
    struct srs_header header;
    struct srs_scalars scalars;
    struct groth16_vk vk;
    struct file_out *file;

    struct cpu_points *cpu;
    struct point_maker maker;
    size_t size; /* points that a batch has room for */
    struct set set[2], *idle;
    struct block scratch;            /* for a batch of Q's scalars */
    struct srs_cursor cursor[LANES]; /* the section that a lane gathers */
    bool reading[LANES];
    bool begun[SRS_KINDS];
    struct srs_writer writer[LANES];
    cuzk_status status[JOBS];
    struct cuzk_error error[JOBS];
    uint64_t done, total; /* points */
};

/* -- jobs -- */

static cuzk_status store(const struct setup *s, struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    for (unsigned lane = 0; lane < LANES && status == CUZK_OK; lane++) {
        const struct piece *p = &s->idle->made[lane];
        const size_t bytes = srs_element_bytes(p->kind);
        if (p->count > 0)
            status = srs_section_store(&s->writer[lane], p->kind, p->first * bytes,
                                       s->idle->batch[lane].points, p->count * bytes, e);
    }
    return status;
}

static cuzk_status digest(struct setup *s, unsigned lane, struct cuzk_error *e)
{
    const struct piece *p = &s->idle->made[lane];
    struct srs_writer *w = &s->writer[lane];
    if (p->count == 0)
        return CUZK_OK;
    cuzk_status status = p->first == 0 ? srs_section_begin(w, p->kind, e) : CUZK_OK;
    if (status == CUZK_OK)
        status = srs_section_digest(w, s->idle->batch[lane].points, p->count * srs_element_bytes(p->kind), e);
    if (status == CUZK_OK && p->first + p->count == s->header.section[p->kind].count)
        status = srs_section_end(w, e);
    return status;
}

/* A variable of A or B whose polynomial vanishes at tau has no point in a parameter file. */
static cuzk_status gather(struct setup *s, unsigned lane, struct cuzk_error *e)
{
    struct srs_cursor *cursor = &s->cursor[lane];
    struct piece *p = &s->idle->gathered[lane];
    const fr *scalars = s->idle->batch[lane].scalars;
    if (!s->reading[lane] || p->kind == SRS_Q)
        return CUZK_OK;
    p->count = srs_scalars_next(&s->scalars, cursor, s->idle->batch[lane].scalars, s->size);
    if (p->count == 0 || cursor->first > s->header.section[p->kind].count)
        return error_set(e, CUZK_ERR_INTERNAL, "%s: the densities and the points do not agree",
                         srs_kind_name(p->kind));
    for (size_t i = 0; i < p->count && !srs_kind_takes_infinity(p->kind); i++)
        if (fr_is_zero(&scalars[i]))
            return error_set(e, CUZK_ERR_ARGUMENT, "a polynomial of the circuit vanishes at tau");
    return CUZK_OK;
}

/* A chunk of the piece of Q that is being gathered. */
static void chunk_of_q(const struct setup *s, size_t chunk)
{
    unsigned lane = 0;
    while (!s->reading[lane] || s->cursor[lane].kind != SRS_Q)
        lane++;
    const struct piece *p = &s->idle->gathered[lane];
    const size_t at = chunk * CHUNK, left = p->count - at;
    srs_scalars_q(&s->scalars, s->idle->batch[lane].scalars + at, (fr *)s->scratch.ptr + at, p->first + at,
                  left < CHUNK ? left : CHUNK);
}

static void task(void *ctx, size_t i, unsigned worker)
{
    struct setup *s = ctx;
    (void)worker;
    if (i == STORE)
        s->status[i] = store(s, &s->error[i]);
    else if (i < GATHER)
        s->status[i] = digest(s, (unsigned)i - DIGEST, &s->error[i]);
    else if (i < JOBS)
        s->status[i] = gather(s, (unsigned)i - GATHER, &s->error[i]);
    else
        chunk_of_q(s, i - JOBS);
}

/* -- a round -- */

/* The largest section that nobody has begun. */
static bool next_section(struct setup *s, struct srs_cursor *cursor)
{
    unsigned largest = SRS_KINDS;
    for (unsigned k = SRS_Q; k <= SRS_B_G2_WIDE; k++)
        if (!s->begun[k] &&
            (largest == SRS_KINDS || s->header.section[k].count * srs_element_bytes(k) >
                                         s->header.section[largest].count * srs_element_bytes(largest)))
            largest = k;
    if (largest == SRS_KINDS)
        return false;
    s->begun[largest] = true;
    *cursor = (struct srs_cursor){.kind = (enum srs_kind)largest};
    return true;
}

/* What each lane gathers into the idle set, and how many chunks of Q. */
static size_t plan(struct setup *s)
{
    size_t chunks = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct srs_cursor *cursor = &s->cursor[lane];
        struct piece *p = &s->idle->gathered[lane];
        if (s->reading[lane] && cursor->first == s->header.section[cursor->kind].count)
            s->reading[lane] = false;
        if (!s->reading[lane])
            s->reading[lane] = next_section(s, cursor);
        *p = (struct piece){.kind = cursor->kind, .first = cursor->first};
        if (!s->reading[lane] || cursor->kind != SRS_Q)
            continue;
        const uint64_t left = s->header.section[SRS_Q].count - cursor->first;
        p->count = left < s->size ? (size_t)left : s->size;
        cursor->first += p->count;
        chunks = (p->count + CHUNK - 1) / CHUNK;
    }
    return chunks;
}

/* Write what the idle set holds, and gather what it gets next. */
static cuzk_status work(struct setup *s, struct cuzk_error *e)
{
    const size_t chunks = plan(s);
    memset(s->status, 0, sizeof s->status);
    pool_run(s->x->pool, task, s, JOBS + chunks);
    for (unsigned i = 0; i < JOBS; i++)
        if (s->status[i] != CUZK_OK)
            return error_set(e, s->status[i], "%s", s->error[i].message);
    for (unsigned lane = 0; lane < LANES; lane++)
        s->idle->made[lane].count = 0;
    return CUZK_OK;
}

static cuzk_status begin(struct setup *s, const struct set *set, struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    for (unsigned lane = 0; lane < LANES && status == CUZK_OK; lane++) {
        const struct piece *p = &set->gathered[lane];
        if (p->count > 0)
            status = s->maker.begin(s->maker.self, &set->batch[lane], srs_kind_is_g2(p->kind) ? 2 : 1,
                                    p->count, e);
    }
    return status;
}

static cuzk_status finish(struct setup *s, struct set *set, bool *any, struct cuzk_error *e)
{
    *any = false;
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct piece *p = &set->gathered[lane];
        if (p->count > 0) {
            const cuzk_status status = s->maker.finish(s->maker.self, &set->batch[lane], e);
            if (status != CUZK_OK)
                return status;
        }
        *any = *any || p->count > 0;
        s->done += p->count;
        set->made[lane] = *p;
        p->count = 0;
    }
    return CUZK_OK;
}

static cuzk_status make_points(struct setup *s, struct cuzk_error *e)
{
    bool made = true, gathered = true;
    for (unsigned round = 0; made || gathered; round++) {
        struct set *busy = &s->set[round % 2];
        s->idle = &s->set[1 - round % 2];
        exec_progress(s->x, "points", s->done, s->total);
        cuzk_status status = begin(s, busy, e);
        if (status == CUZK_OK)
            status = work(s, e);
        if (status == CUZK_OK)
            status = finish(s, busy, &made, e);
        if (status == CUZK_OK && exec_cancelled(s->x))
            status = error_set(e, CUZK_ERR_CANCELLED, "setup was cancelled");
        if (status != CUZK_OK)
            return status;
        gathered = false;
        for (unsigned lane = 0; lane < LANES; lane++)
            gathered = gathered || s->idle->gathered[lane].count > 0;
    }
    exec_progress(s->x, "points", s->total, s->total);
    return CUZK_OK;
}

/* -- the steps -- */

/* A section without points has the digest of nothing. */
static cuzk_status sections(struct setup *s, const struct point_maker *maker, struct cuzk_error *e)
{
    uint64_t largest = 0, expected[2] = {0, 0};
    cuzk_status status = CUZK_OK;
    for (unsigned k = SRS_Q; k <= SRS_B_G2_WIDE && status == CUZK_OK; k++) {
        const uint64_t count = s->header.section[k].count;
        expected[srs_kind_is_g2((enum srs_kind)k)] += count;
        largest = count > largest ? count : largest;
        s->begun[k] = count == 0;
        if (count == 0)
            status = srs_section_whole(&s->writer[0], (enum srs_kind)k, NULL, e);
    }
    s->total = expected[0] + expected[1];
    s->size = largest < BATCH ? (size_t)largest : BATCH;
    if (status == CUZK_OK && !maker)
        status = cpu_points_new(s->x, &s->cpu, expected[0], expected[1], e);
    if (status == CUZK_OK)
        status = block_new(&s->scratch, s->x->budget, s->size, sizeof(fr), "scalars", e);
    if (status != CUZK_OK)
        return status;
    s->maker = maker ? *maker : cpu_points_maker(s->cpu);
    struct point_batch batch[2 * LANES];
    status = s->maker.reserve(s->maker.self, batch, 2 * LANES, s->size, e);
    for (unsigned i = 0; i < 2 * LANES && status == CUZK_OK; i++)
        s->set[i / LANES].batch[i % LANES] = batch[i];
    return status == CUZK_OK ? make_points(s, e) : status;
}

static cuzk_status write_key(struct setup *s, struct cuzk_error *e)
{
    const struct qap *q = &s->scalars.qap;
    struct g1_fixed *table;
    cuzk_status status = g1_fixed_new(s->x, &table, &G1_GENERATOR, q->inputs, e);
    if (status != CUZK_OK)
        return status;
    status = key_make(s->x, &s->vk, table, &s->t, q->c.ptr, q->inputs, e);
    g1_fixed_free(table);
    return status == CUZK_OK ? srs_write_key(&s->writer[0], &s->vk, e) : status;
}

static cuzk_status commit(struct setup *s, const char *path, struct cuzk_error *e)
{
    uint8_t head[SRS_HEADER_BYTES];
    struct file_id written;
    cuzk_status status = srs_section_whole(&s->writer[0], SRS_DENSITY_A, s->shape.density[0].ptr, e);
    if (status == CUZK_OK)
        status = srs_section_whole(&s->writer[0], SRS_DENSITY_B, s->shape.density[1].ptr, e);
    if (status == CUZK_OK)
        status = srs_header_write(head, &s->header, e);
    if (status == CUZK_OK)
        status = file_write_at(s->file, 0, head, sizeof head, e);
    exec_progress(s->x, "writing", 0, 1);
    if (status == CUZK_OK)
        status = file_prepare(s->file, &written, e);
    if (status != CUZK_OK)
        return status;
    struct file_out *file = s->file;
    s->file = NULL; /* freed, however it goes */
    status = file_commit(file, e);
    if (status == CUZK_OK) {
        srs_stamp_own(path, &written, s->header.digest);
        exec_progress(s->x, "writing", 1, 1);
    }
    return status;
}

static cuzk_status open_file(struct setup *s, const struct circuit *circuit, const char *name,
                             const char *source, const char *path, struct cuzk_error *e)
{
    cuzk_status status = file_create(&s->file, path, e);
    exec_progress(s->x, "templates", 0, 1);
    if (status == CUZK_OK)
        status = templates_record(s->x, &s->templates, circuit, e);
    if (status == CUZK_OK)
        status = srs_shape_of_templates(s->x, &s->shape, &s->templates, e);
    if (status == CUZK_OK)
        status = srs_shape_header(&s->header, &s->shape, name, e);
    if (status != CUZK_OK)
        return status;
    exec_progress(s->x, "templates", 1, 1);
    s->header.from_params = source != NULL;
    if (source)
        srs_digest_bytes(s->header.source, source);
    for (unsigned lane = 0; lane < LANES; lane++)
        s->writer[lane] = (struct srs_writer){.h = &s->header, .file = s->file};
    return file_reserve(s->file, srs_layout(&s->header), e);
}

static cuzk_status run(struct setup *s, const struct circuit *circuit, const char *name, const char *source,
                       const char *path, const struct point_maker *maker, struct cuzk_error *e)
{
    cuzk_status status = open_file(s, circuit, name, source, path, e);
    if (status == CUZK_OK)
        status = srs_scalars_make(s->x, &s->scalars, &s->templates, &s->shape, &s->header, &s->t, e);
    if (status == CUZK_OK)
        status = write_key(s, e);
    if (status == CUZK_OK)
        status = sections(s, maker, e);
    return status == CUZK_OK ? commit(s, path, e) : status;
}

cuzk_status groth16_srs_setup_by(const struct exec *x, const struct circuit *circuit, const char *name,
                                 const struct groth16_trapdoor *t, const char *source, const char *path,
                                 const struct point_maker *maker, struct cuzk_error *e)
{
    if (fr_is_zero(&t->alpha) || fr_is_zero(&t->beta) || fr_is_zero(&t->gamma) || fr_is_zero(&t->delta) ||
        fr_is_zero(&t->tau))
        return error_set(e, CUZK_ERR_ARGUMENT, "a value of the trapdoor is zero");
    struct setup *s = mem_alloc(1, sizeof *s);
    if (!s)
        return error_memory(e, sizeof *s, "a setup");
    s->x = x;
    s->t = *t;
    const cuzk_status status = run(s, circuit, name, source, path, maker, e);
    file_abort(s->file);
    for (unsigned lane = 0; lane < LANES; lane++)
        digest_free(&s->writer[lane].digest);
    cpu_points_free(s->cpu);
    groth16_vk_free(&s->vk);
    srs_scalars_free(&s->scalars);
    srs_shape_free(&s->shape);
    templates_free(&s->templates);
    block_free(&s->scratch);
    mem_wipe(s, sizeof *s);
    mem_free(s);
    return status;
}

cuzk_status groth16_srs_setup(const struct exec *x, const struct circuit *circuit, const char *name,
                              const struct groth16_trapdoor *t, const char *source, const char *path,
                              struct cuzk_error *e)
{
    return groth16_srs_setup_by(x, circuit, name, t, source, path, NULL, e);
}
