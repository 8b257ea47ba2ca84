/* groth16/setup.c - parameters from a trapdoor (J. Groth, 2016/260), bellperson's bit for bit.
 *
 * All queries are multiples of the two generators: their scalars are made a block at a time, multiplied
 * through tables, encoded and written, so memory holds the circuit's polynomials at tau and little else.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "curve/fixed_base.h"
#include "groth16/kernels.h"
#include "groth16/key.h"
#include "groth16/manifest.h"
#include "groth16/names.h"
#include "groth16/params.h"
#include "groth16/points.h"
#include "groth16/qap.h"
#include "groth16/stamp.h"

#define BLOCK ((size_t)1 << 16) /* points made, encoded and written at once */
#define CHUNK ((size_t)1 << 10) /* of those, by one task */

struct setup {
    const struct exec *x;
    const struct groth16_kernels *kernels;
    struct groth16_trapdoor t;
    struct qap qap;
    struct params_layout layout;
    struct groth16_vk vk;
    struct templates templates;
    struct cpu_points *cpu;
    struct point_maker maker;
    struct point_batch batch[2]; /* one is made while the other is encoded */
    struct block bytes[2];       /* BLOCK elements of the largest kind */
    fr h_scale;                  /* t(tau) / delta */

    /* What is encoded was made by this thread, what was encoded before goes to the file meanwhile. */
    bool in_g2;
    const void *points;
    size_t fresh;   /* of them, to be encoded */
    int half;       /* bytes[half] is for them */
    size_t waiting; /* bytes in the other half */
    cuzk_status write_status;
    struct cuzk_error write_error;
    char *params_path, *vk_path, *lock_path;
    int lock; /* holds PREFIX.lock; -1: not */
    struct file_out *params_file, *vk_file;
    struct digest_stream digest;
};

/* -- the scalars -- */

static uint32_t count_nonzero(const fr *k, size_t n)
{
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !fr_is_zero(&k[i]);
    return count;
}

static cuzk_status combine_and_count(struct setup *s, const struct circuit *circuit, struct cuzk_error *e)
{
    const struct qap *q = &s->qap;
    const size_t variables = (size_t)q->inputs + q->aux;
    qap_combine(s->x, &s->qap, 0, q->inputs, &s->t.alpha, &s->t.beta, &s->t.gamma);
    qap_combine(s->x, &s->qap, q->inputs, q->aux, &s->t.alpha, &s->t.beta, &s->t.delta);
    const fr *c = q->c.ptr;
    for (size_t i = 0; i < variables; i++) {
        if (!fr_is_zero(&c[i]))
            continue;
        if (i < q->inputs)
            return error_set(e, CUZK_ERR_ARGUMENT, "input %zu has no part in the circuit", i);
        char name[NAME_MAX_TEXT];
        name_of_aux(name, circuit, false, (uint32_t)(i - q->inputs));
        return error_set(e, CUZK_ERR_ARGUMENT, "auxiliary variable %zu (%s) is unconstrained", i - q->inputs,
                         name);
    }
    s->layout.ic_count = q->inputs;
    s->layout.section[GROTH16_H].count = (uint32_t)((UINT64_C(1) << q->log) - 1);
    s->layout.section[GROTH16_L].count = q->aux;
    s->layout.section[GROTH16_A].count = count_nonzero(q->a.ptr, variables);
    s->layout.section[GROTH16_B_G1].count = count_nonzero(q->b.ptr, variables);
    s->layout.section[GROTH16_B_G2].count = s->layout.section[GROTH16_B_G1].count;
    fr_inv(&s->h_scale, &s->t.delta);
    fr_mul(&s->h_scale, &s->h_scale, &s->qap.z);
    return CUZK_OK;
}

struct powers_ctx {
    struct setup *s;
    fr *out;
    uint64_t first;
    size_t count;
};

static void powers_task(void *ctx, size_t i, unsigned worker)
{
    const struct powers_ctx *u = ctx;
    const struct setup *s = u->s;
    (void)worker;
    const size_t at = i * CHUNK, left = u->count - at;
    const uint64_t exponent = u->first + at;
    fr start;
    fr_pow(&start, &s->t.tau, &exponent, 1);
    fr_mul(&start, &start, &s->h_scale);
    s->kernels->powers(u->out + at, left < CHUNK ? left : CHUNK, &start, &s->t.tau);
}

/* The next scalars of a section, up to BLOCK: how many. *at: how far the section's source has been read. */
static size_t next_scalars(struct setup *s, enum groth16_section section, uint64_t *at, fr *k)
{
    const struct qap *q = &s->qap;
    const uint64_t variables = (uint64_t)q->inputs + q->aux;
    if (section == GROTH16_H || section == GROTH16_L) {
        const uint64_t left = s->layout.section[section].count - *at;
        const size_t n = left < BLOCK ? (size_t)left : BLOCK;
        if (section == GROTH16_L) {
            memcpy(k, (const fr *)q->c.ptr + q->inputs + *at, n * sizeof(fr));
        } else {
            struct powers_ctx u = {s, k, *at, n};
            pool_run(s->x->pool, powers_task, &u, (n + CHUNK - 1) / CHUNK);
        }
        *at += n;
        return n;
    }
    const fr *from = section == GROTH16_A ? q->a.ptr : q->b.ptr;
    size_t n = 0;
    for (; *at < variables && n < BLOCK; ++*at)
        if (!fr_is_zero(&from[*at]))
            k[n++] = from[*at];
    return n;
}

/* -- writing -- */

/* Both files begin with the key, so what goes into the parameter file goes through here. */
static cuzk_status put(struct setup *s, const void *data, size_t n, struct cuzk_error *e)
{
    const cuzk_status status = file_write(s->params_file, data, n, e);
    return status == CUZK_OK ? digest_update(&s->digest, data, n, e) : status;
}

/* Task 0 writes the previous block, the others encode CHUNK points each. */
static void encode_task(void *ctx, size_t i, unsigned worker)
{
    struct setup *s = ctx;
    (void)worker;
    if (i == 0) {
        if (s->waiting > 0)
            s->write_status = put(s, s->bytes[!s->half].ptr, s->waiting, &s->write_error);
        return;
    }
    const size_t from = (i - 1) * CHUNK, to = from + CHUNK < s->fresh ? from + CHUNK : s->fresh;
    uint8_t *out = s->bytes[s->half].ptr;
    if (s->in_g2)
        for (size_t j = from; j < to; j++)
            g2_write_uncompressed(out + j * G2_UNCOMPRESSED_BYTES, (const g2_affine *)s->points + j);
    else
        for (size_t j = from; j < to; j++)
            g1_write_uncompressed(out + j * G1_UNCOMPRESSED_BYTES, (const g1_affine *)s->points + j);
}

/* Encode the fresh points while those before them are written; with none fresh: write what waits. */
static cuzk_status encode(struct setup *s, struct cuzk_error *e)
{
    s->write_status = CUZK_OK;
    pool_run(s->x->pool, encode_task, s, 1 + (s->fresh + CHUNK - 1) / CHUNK);
    s->waiting = s->fresh * (s->in_g2 ? G2_UNCOMPRESSED_BYTES : G1_UNCOMPRESSED_BYTES);
    s->half = !s->half;
    if (s->write_status != CUZK_OK)
        return error_set(e, s->write_status, "%s", s->write_error.message);
    return CUZK_OK;
}

/* Have a batch made, n points of it, while those of the last one are encoded and written. */
static cuzk_status make_batch(struct setup *s, const struct point_batch *batch, size_t n,
                              struct cuzk_error *e)
{
    cuzk_status status = n > 0 ? s->maker.begin(s->maker.self, batch, s->in_g2 ? 2 : 1, n, e) : CUZK_OK;
    if (status == CUZK_OK)
        status = encode(s, e);
    if (status == CUZK_OK && n > 0)
        status = s->maker.finish(s->maker.self, batch, e);
    s->points = batch->points;
    s->fresh = n;
    return status;
}

static cuzk_status write_section(struct setup *s, enum groth16_section section, struct cuzk_error *e)
{
    static const char *const phase[GROTH16_SECTIONS] = {"h query", "l query", "a query", "b query in g1",
                                                        "b query in g2"};
    const uint32_t count = s->layout.section[section].count;
    uint8_t head[4];
    groth16_put_be32(head, count);
    cuzk_status status = put(s, head, sizeof head, e);
    s->in_g2 = section == GROTH16_B_G2;
    s->fresh = 0;
    uint64_t at = 0;
    uint32_t done = 0;
    for (unsigned turn = 0; status == CUZK_OK && (done < count || s->fresh > 0); turn++) {
        const struct point_batch *batch = &s->batch[turn % 2];
        exec_progress(s->x, phase[section], done, count);
        const size_t n = done < count ? next_scalars(s, section, &at, batch->scalars) : 0;
        status = make_batch(s, batch, n, e);
        done += (uint32_t)n;
        if (status == CUZK_OK && exec_cancelled(s->x))
            status = error_set(e, CUZK_ERR_CANCELLED, "setup was cancelled");
    }
    if (status == CUZK_OK)
        status = encode(s, e); /* what waits is written */
    if (status == CUZK_OK)
        exec_progress(s->x, phase[section], count, count);
    return status;
}

static cuzk_status write_key(struct setup *s, struct cuzk_error *e)
{
    struct block bytes = {0};
    const size_t n = groth16_vk_size(&s->vk);
    cuzk_status status = block_new(&bytes, s->x->budget, n, 1, "a verifying key", e);
    if (status != CUZK_OK)
        return status;
    groth16_vk_write(bytes.ptr, &s->vk);
    status = file_write(s->vk_file, bytes.ptr, n, e);
    if (status == CUZK_OK)
        status = put(s, bytes.ptr, n, e);
    block_free(&bytes);
    return status;
}

/* -- the steps -- */

/* Two setups at once would leave the key of one beside the parameters of the other. */
static cuzk_status lock_prefix(struct setup *s, const char *prefix, struct cuzk_error *e)
{
    struct stat st;
    s->lock_path = text_with_suffix(prefix, ".lock");
    if (!s->lock_path)
        return error_memory(e, strlen(prefix), "a file name");
    const cuzk_status status =
        file_lock(&s->lock, s->lock_path, "another setup is writing files of this name", e);
    if (status != CUZK_OK || (fstat(s->lock, &st) == 0 && st.st_size == 0))
        return status;
    close(s->lock);
    s->lock = -1;
    return error_set(e, CUZK_ERR_IO, "%s: this is not the lock of a setup, and would be removed",
                     s->lock_path);
}

static void unlock(struct setup *s)
{
    if (s->lock >= 0) {
        if (file_has_name(s->lock, s->lock_path))
            unlink(s->lock_path); /* before the lock goes: the next one makes its own */
        close(s->lock);
    }
    mem_free(s->lock_path);
}

static cuzk_status open_files(struct setup *s, const char *prefix, struct cuzk_error *e)
{
    s->params_path = text_with_suffix(prefix, ".params");
    s->vk_path = text_with_suffix(prefix, ".vk");
    if (!s->params_path || !s->vk_path)
        return error_memory(e, strlen(prefix), "a file name");
    cuzk_status status = file_create(&s->params_file, s->params_path, e);
    if (status == CUZK_OK)
        status = file_create(&s->vk_file, s->vk_path, e);
    if (status == CUZK_OK)
        status = lock_prefix(s, prefix, e);
    return status == CUZK_OK ? digest_begin(&s->digest, e) : status;
}

static cuzk_status buffers(struct setup *s, const struct point_maker *maker, struct cuzk_error *e)
{
    uint64_t expected = s->layout.ic_count;
    for (int i = GROTH16_H; i <= GROTH16_B_G1; i++)
        expected += s->layout.section[i].count;
    cuzk_status status =
        maker ? CUZK_OK : cpu_points_new(s->x, &s->cpu, expected, s->layout.section[GROTH16_B_G2].count, e);
    if (status != CUZK_OK)
        return status;
    s->maker = maker ? *maker : cpu_points_maker(s->cpu);
    status = s->maker.reserve(s->maker.self, s->batch, 2, BLOCK, e);
    for (int i = 0; i < 2 && status == CUZK_OK; i++)
        status = block_new(&s->bytes[i], s->x->budget, BLOCK, G2_UNCOMPRESSED_BYTES, "encoded points", e);
    return status;
}

static cuzk_status key(struct setup *s, struct cuzk_error *e)
{
    struct g1_fixed *table;
    cuzk_status status = g1_fixed_new(s->x, &table, &G1_GENERATOR, s->layout.ic_count, e);
    if (status != CUZK_OK)
        return status;
    status = key_make(s->x, &s->vk, table, &s->t, s->qap.c.ptr, s->qap.inputs, e);
    g1_fixed_free(table);
    return status == CUZK_OK ? write_key(s, e) : status;
}

static cuzk_status queries(struct setup *s, struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    for (int i = GROTH16_H; i < GROTH16_SECTIONS && status == CUZK_OK; i++) {
        status = write_section(s, (enum groth16_section)i, e);
        if (i == GROTH16_L)
            block_free(&s->qap.c);
        if (i == GROTH16_A)
            block_free(&s->qap.a);
    }
    return status;
}

static cuzk_status commit(struct file_out **f, struct cuzk_error *e)
{
    struct file_out *file = *f;
    *f = NULL; /* freed, however it goes */
    return file_commit(file, e);
}

/* What was made here needs no check; without a stamp (it is no failure) it gets one when it is opened. Only
 * what was written here: by now the name may be another file's. */
static void stamp_own(const struct setup *s, const struct file_id *written, const char *digest)
{
    struct file_map map;
    if (file_map(&map, s->params_path, 0, NULL) != CUZK_OK)
        return;
    if (file_map_is(&map, written)) {
        struct cuzk_error ignored;
        const cuzk_status status = stamp_write(s->params_path, &map, digest, &ignored);
        (void)status;
    }
    file_unmap(&map);
}

static cuzk_status finish(struct setup *s, struct cuzk_error *e)
{
    char digest[DIGEST_TEXT];
    struct file_id params, vk;
    exec_progress(s->x, "writing", 0, 1);
    cuzk_status status = digest_end(&s->digest, digest, e);
    /* All that is likely to fail comes before the first name: both or none. */
    if (status == CUZK_OK)
        status = file_prepare(s->vk_file, &vk, e);
    if (status == CUZK_OK)
        status = file_prepare(s->params_file, &params, e);
    if (status == CUZK_OK)
        status = commit(&s->vk_file, e);
    if (status == CUZK_OK)
        status = commit(&s->params_file, e);
    if (status != CUZK_OK)
        return status;
    stamp_own(s, &params, digest);
    exec_progress(s->x, "writing", 1, 1);
    return CUZK_OK;
}

static cuzk_status run(struct setup *s, const struct circuit *circuit, const char *prefix,
                       const struct point_maker *maker, struct cuzk_error *e)
{
    cuzk_status status = open_files(s, prefix, e);
    if (status != CUZK_OK)
        return status;
    exec_progress(s->x, "templates", 0, 1);
    status = templates_record(s->x, &s->templates, circuit, e);
    if (status != CUZK_OK)
        return status;
    exec_progress(s->x, "templates", 1, 1);
    status = qap_at(s->x, &s->qap, &s->templates, &s->t.tau, false, e);
    if (status == CUZK_OK)
        status = combine_and_count(s, circuit, e);
    if (status == CUZK_OK)
        status = file_reserve(s->params_file, params_layout_fill(&s->layout), e);
    if (status == CUZK_OK)
        status = buffers(s, maker, e);
    if (status == CUZK_OK)
        status = key(s, e);
    if (status == CUZK_OK)
        status = queries(s, e);
    return status == CUZK_OK ? finish(s, e) : status;
}

cuzk_status groth16_setup_by(const struct exec *x, const struct circuit *circuit,
                             const struct groth16_trapdoor *t, const char *prefix,
                             const struct point_maker *maker, struct cuzk_error *e)
{
    if (fr_is_zero(&t->alpha) || fr_is_zero(&t->beta) || fr_is_zero(&t->gamma) || fr_is_zero(&t->delta) ||
        fr_is_zero(&t->tau))
        return error_set(e, CUZK_ERR_ARGUMENT, "a value of the trapdoor is zero");
    struct setup s = {.x = x, .kernels = groth16_kernels(x->variant), .t = *t, .lock = -1};
    const cuzk_status status = run(&s, circuit, prefix, maker, e);
    file_abort(s.params_file);
    file_abort(s.vk_file);
    unlock(&s);
    mem_free(s.params_path);
    mem_free(s.vk_path);
    digest_free(&s.digest);
    groth16_vk_free(&s.vk);
    qap_free(&s.qap);
    templates_free(&s.templates);
    cpu_points_free(s.cpu);
    block_free(&s.bytes[0]);
    block_free(&s.bytes[1]);
    mem_wipe(&s, sizeof s);
    return status;
}

cuzk_status groth16_setup(const struct exec *x, const struct circuit *circuit,
                          const struct groth16_trapdoor *t, const char *prefix, struct cuzk_error *e)
{
    return groth16_setup_by(x, circuit, t, prefix, NULL, e);
}
