/* backend/prover.c - see prover.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/prover.h"

#include <pthread.h>

#include "backend/cuda/device.h"
#include "backend/cuda/msm.h"
#include "backend/cuda/msm_plan.h"
#include "backend/cuda/msm_sum.h"
#include "backend/cuda/ntt.h"
#include "backend/cuda/pick_args.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/srs.h"
#include "base/error.h"
#include "base/pool.h"
#include "groth16/folded.h"

#define STAGE_BYTES   ((size_t)96 << 20) /* pinned host memory for copies */
#define STAGE_THREADS 8
#define SLACK         ((uint64_t)192 << 20) /* tables of templates and transforms, small sums */
#define ALIGN         ((uint64_t)256)

#define MAX_HELD 8 /* circuits on one device */

/* A circuit on the device. */
struct held {
    uint64_t number; /* of the opened parameters, which may be gone; 0: a free place */
    const struct groth16_srs *source;
    struct gpu_srs *srs;
    struct gpu_rows *rows;
    struct gpu_ntt *ntt;
    unsigned batch;
    unsigned open;      /* proofs with a quotient, not yet settled */
    uint64_t resident;  /* bytes that it takes all the time, */
    uint64_t transient; /* and while proofs are made */
    uint64_t last_use;
    uint64_t serial; /* of its loading: a proof that was open before a reset is not one of this */
};

struct gpu_prover {
    struct device *device;
    unsigned threads;
    pthread_mutex_t busy; /* one call at a time */
    struct stream stream;
    struct stage stage;
    struct event brought; /* the last witness is there */
    struct held circuit[MAX_HELD];
    struct held *held; /* the one in use */
    bool started;      /* streams and buffers are there */
    unsigned resets;
    uint64_t uses;
    pthread_mutex_t dead_lock;
    struct gpu_proof *dead; /* freed, but what they hold on the device is not */
};

struct gpu_proof {
    const struct circuit *circuit;
    const struct template_circuit *templates;
    const struct groth16_srs *srs;
    struct assignment w;
    struct proof_sums sums;
    /* On the device: inputs and wide values one after the other, and the bits. */
    struct gpu_prover *at; /* NULL: it is on none */
    unsigned resets;       /* of the prover when it came there */
    struct device_block block;
    struct gpu_witness there;
    struct held *open; /* where its quotient was made; NULL: not yet, or it is settled */
    uint64_t open_serial;
    struct gpu_proof *next_dead;
};

static uint64_t align(uint64_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

static uint64_t bit_bytes(uint32_t bits)
{
    return align((uint64_t)bits / 8 + 32);
}

static uint64_t wide_bytes(const struct srs_header *h)
{
    return align(((uint64_t)h->inputs + h->wide) * sizeof(fr));
}

static uint64_t witness_bytes(const struct srs_header *h)
{
    return wide_bytes(h) + bit_bytes(h->bits);
}

/* -- proofs on the host -- */

cuzk_status gpu_proof_new(struct gpu_proof **out, const struct exec *x, const struct circuit *circuit,
                          const struct template_circuit *templates, const struct groth16_srs *srs,
                          const fr *public_inputs, uint32_t public_count, struct cuzk_error *e)
{
    struct gpu_proof *proof = mem_alloc(1, sizeof *proof);
    if (!proof)
        return error_memory(e, sizeof *proof, "a proof");
    *proof = (struct gpu_proof){.circuit = circuit, .templates = templates, .srs = srs};
    proof_sums_zero(&proof->sums);
    const cuzk_status status =
        folded_witness(x, &proof->w, circuit, templates, srs, public_inputs, public_count, e);
    if (status != CUZK_OK) {
        mem_free(proof);
        return status;
    }
    *out = proof;
    return CUZK_OK;
}

cuzk_status gpu_proof_finish(const struct exec *x, const struct gpu_proof *proof, const struct groth16_rs *rs,
                             struct groth16_proof *out, struct cuzk_error *e)
{
    return folded_finish(x, out, proof->circuit, proof->srs, &proof->w, &proof->sums, rs, e);
}

void gpu_proof_free(struct gpu_proof *proof)
{
    if (!proof)
        return;
    assignment_free(&proof->w);
    struct gpu_prover *p = proof->at;
    if (!p) {
        mem_free(proof);
        return;
    }
    pthread_mutex_lock(&p->dead_lock);
    proof->next_dead = p->dead;
    p->dead = proof;
    pthread_mutex_unlock(&p->dead_lock);
}

/* -- the prover -- */

/* It is settled, or given up. */
static void close_proof(struct gpu_proof *proof)
{
    if (proof->open && proof->open->serial == proof->open_serial)
        proof->open->open--;
    proof->open = NULL;
}

static void bury(struct gpu_prover *p)
{
    pthread_mutex_lock(&p->dead_lock);
    struct gpu_proof *dead = p->dead;
    p->dead = NULL;
    pthread_mutex_unlock(&p->dead_lock);
    while (dead) {
        struct gpu_proof *next = dead->next_dead;
        device_free(&dead->block);
        close_proof(dead);
        mem_free(dead);
        dead = next;
    }
}

static cuzk_status start(struct gpu_prover *p, struct cuzk_error *e)
{
    TRY(device_stream(&p->stream, p->device, e));
    TRY(device_event(&p->brought, p->device, e));
    TRY(stage_new(&p->stage, p->device, p->threads, STAGE_BYTES, e));
    p->started = true;
    return CUZK_OK;
}

static void drop(struct held *h)
{
    gpu_ntt_free(h->ntt);
    gpu_rows_free(h->rows);
    gpu_srs_free(h->srs);
    *h = (struct held){0};
}

static void drop_all(struct gpu_prover *p)
{
    for (unsigned i = 0; i < MAX_HELD; i++)
        drop(&p->circuit[i]);
}

/* After a failure: nothing may still be at work on what is freed next. */
static void quiet(struct gpu_prover *p)
{
    struct cuzk_error ignored;
    (void)!device_wait(p->device, p->stage.stream, &ignored);
    (void)!device_wait(p->device, p->stream, &ignored);
}

static void enter(struct gpu_prover *p)
{
    pthread_mutex_lock(&p->busy);
    bury(p);
}

static cuzk_status leave(struct gpu_prover *p, cuzk_status status)
{
    if (status != CUZK_OK)
        quiet(p);
    pthread_mutex_unlock(&p->busy);
    return status;
}

cuzk_status gpu_prover_new(struct gpu_prover **out, struct device *d, unsigned threads, struct cuzk_error *e)
{
    struct gpu_prover *p = mem_alloc(1, sizeof *p);
    if (!p)
        return error_memory(e, sizeof *p, "a GPU's prover");
    const unsigned all = pool_default_threads();
    *p = (struct gpu_prover){.device = d,
                             .threads = threads               ? threads
                                        : all < STAGE_THREADS ? all
                                                              : STAGE_THREADS};
    pthread_mutex_init(&p->busy, NULL);
    pthread_mutex_init(&p->dead_lock, NULL);
    const cuzk_status status = start(p, e);
    if (status != CUZK_OK) {
        gpu_prover_free(p);
        return status;
    }
    *out = p;
    return CUZK_OK;
}

void gpu_prover_free(struct gpu_prover *p)
{
    if (!p)
        return;
    bury(p);
    drop_all(p);
    stage_free(&p->stage);
    pthread_mutex_destroy(&p->busy);
    pthread_mutex_destroy(&p->dead_lock);
    mem_free(p);
}

cuzk_status gpu_prover_reset(struct gpu_prover *p, struct cuzk_error *e)
{
    enter(p);
    drop_all(p);
    stage_free(&p->stage);
    p->started = false;
    p->resets++;
    cuzk_status status = device_reopen(p->device, e);
    if (status == CUZK_OK)
        status = start(p, e);
    pthread_mutex_unlock(&p->busy);
    return status;
}

/* -- a circuit on the device -- */

/* What the memory of the device is for, beside what stays. */
struct plan {
    unsigned batch;
    uint64_t fast; /* with the fastest sums, */
    uint64_t fair; /* and with those that a share of the memory allows */
};

/* One of two vectors is free when the sums are made. */
static struct plan plan_of(const struct srs_header *h, uint64_t limit)
{
    const uint64_t witness = witness_bytes(h), most = limit / 16 / witness;
    const uint64_t points = UINT64_C(1) << h->domain_log, vector = points * sizeof(fr);
    struct plan plan = {.batch = most < 1 ? 1 : most < GPU_PROOF_BATCH ? (unsigned)most : GPU_PROOF_BATCH};
    struct gpu_msm_plan best;
    const bool found = gpu_msm_plan_make(&best, XYZZ_G1_BYTES, 1, points, UINT64_MAX);
    const uint64_t sum = found ? best.bytes : 0, share = sum < limit / 4 ? sum : limit / 4;
    const uint64_t beside = (plan.batch + 1) * witness + vector + SLACK;
    plan.fast = beside + (sum > vector ? sum : vector);
    plan.fair = beside + (share > vector ? share : vector);
    return plan;
}

uint64_t gpu_prover_least(const struct groth16_srs *srs)
{
    const struct srs_header *h = groth16_srs_header(srs);
    return 2 * witness_bytes(h) + (UINT64_C(2) << h->domain_log) * sizeof(fr) + SLACK + (UINT64_C(1) << 30);
}

/* Of transforms, where there is room. */
static uint64_t twist_bytes(const struct groth16_srs *srs)
{
    return GPU_NTT_TWISTS << groth16_srs_header(srs)->domain_log;
}

static cuzk_status take(struct gpu_prover *p, const struct exec *x, struct held *held,
                        const struct groth16_srs *srs, const struct template_circuit *templates,
                        uint64_t room, struct cuzk_error *e)
{
    const uint64_t before = device_memory_used(p->device);
    const unsigned log = groth16_srs_header(srs)->domain_log;
    const bool twists = room >= gpu_srs_bytes(srs) + twist_bytes(srs) + SLACK;
    held->number = groth16_srs_number(srs);
    held->serial = ++p->uses;
    held->source = srs;
    TRY(gpu_rows_new(&held->rows, x->budget, p->device, p->stream, &templates->templates, e));
    TRY(gpu_ntt_new(&held->ntt, x->budget, p->device, p->stream, log, twists, e));
    const uint64_t tables = device_memory_used(p->device) - before;
    TRY(gpu_srs_new(&held->srs, x, p->device, &p->stage, p->stream, srs, room > tables ? room - tables : 0,
                    e));
    held->resident = device_memory_used(p->device) - before;
    return CUZK_OK;
}

/* The circuit that was used last before all others and has no open proofs; NULL: none. */
static struct held *oldest(struct gpu_prover *p)
{
    struct held *found = NULL;
    for (struct held *h = p->circuit; h < p->circuit + MAX_HELD; h++)
        if (h->number && h->open == 0 && (!found || h->last_use < found->last_use))
            found = h;
    return found;
}

/* A place for a circuit and the bytes that may stay of it: all of it, with what is only faster where there is
 * room, beside the others where that leaves each enough to be proved, else what can stay without them. */
static cuzk_status make_room(struct gpu_prover *p, const struct plan *plan, uint64_t all, uint64_t faster,
                             struct held **place, uint64_t *room, struct cuzk_error *e)
{
    const uint64_t limit = device_info(p->device)->limit;
    for (;;) {
        uint64_t resident = 0, transient = plan->fast;
        bool others = false;
        *place = NULL;
        for (struct held *h = p->circuit; h < p->circuit + MAX_HELD; h++) {
            if (!h->number) {
                *place = h;
                continue;
            }
            others = true;
            resident += h->resident;
            transient = h->transient > transient ? h->transient : transient;
        }
        if (*place && resident + all + transient <= limit) {
            *room = all + SLACK + (resident + all + faster + transient <= limit ? faster : 0);
            (*place)->transient = plan->fast;
            return CUZK_OK;
        }
        if (!others) {
            *room = plan->fair < limit ? limit - plan->fair : 0;
            (*place)->transient = plan->fair;
            return CUZK_OK;
        }
        struct held *old = oldest(p);
        if (!old)
            return error_set(e, CUZK_ERR_UNAVAILABLE,
                             "GPU %u: proofs of another circuit that are not settled hold its memory",
                             device_info(p->device)->index);
        drop(old);
    }
}

static struct held *find(struct gpu_prover *p, const struct groth16_srs *srs)
{
    for (struct held *h = p->circuit; srs && h < p->circuit + MAX_HELD; h++)
        if (h->number && h->number == groth16_srs_number(srs))
            return h;
    return NULL;
}

static cuzk_status hold(struct gpu_prover *p, const struct exec *x, const struct groth16_srs *srs,
                        const struct template_circuit *templates, struct cuzk_error *e)
{
    if (!p->started)
        TRY(start(p, e));
    p->held = find(p, srs);
    if (p->held) {
        p->held->last_use = ++p->uses;
        return CUZK_OK;
    }
    const struct plan plan = plan_of(groth16_srs_header(srs), device_info(p->device)->limit);
    struct held *place = NULL;
    uint64_t room = 0;
    TRY(make_room(p, &plan, gpu_srs_bytes(srs), twist_bytes(srs), &place, &room, e));
    place->batch = plan.batch;
    place->last_use = ++p->uses;
    const cuzk_status status = take(p, x, place, srs, templates, room, e);
    if (status != CUZK_OK) {
        quiet(p);
        drop(place);
        return status;
    }
    p->held = place;
    return CUZK_OK;
}

cuzk_status gpu_prover_hold(struct gpu_prover *p, const struct exec *x, const struct groth16_srs *srs,
                            const struct template_circuit *templates, struct cuzk_error *e)
{
    enter(p);
    return leave(p, hold(p, x, srs, templates, e));
}

void gpu_prover_drop(struct gpu_prover *p, const struct groth16_srs *srs)
{
    enter(p);
    struct held *h = find(p, srs);
    if (h && h->open == 0)
        drop(h);
    (void)leave(p, CUZK_OK);
}

void gpu_prover_info(struct gpu_prover *p, const struct groth16_srs *srs, struct gpu_prover_info *out)
{
    enter(p);
    const struct held *h = find(p, srs);
    *out = (struct gpu_prover_info){.used = device_memory_used(p->device),
                                    .peak = device_memory_peak(p->device),
                                    .limit = device_info(p->device)->limit};
    if (h) {
        out->batch = h->batch;
        out->srs_bytes = h->srs->all_bytes;
        out->srs_resident = h->srs->resident_bytes;
    }
    (void)leave(p, CUZK_OK);
}

/* -- the quotient -- */

static cuzk_status step(const struct exec *x, const char *phase, uint64_t done, uint64_t total,
                        struct cuzk_error *e)
{
    exec_progress(x, phase, done, total);
    return exec_cancelled(x) ? error_set(e, CUZK_ERR_CANCELLED, "the proof was cancelled") : CUZK_OK;
}

static cuzk_status queue_witness(struct gpu_prover *p, struct gpu_proof *proof, struct cuzk_error *e)
{
    const struct assignment *w = &proof->w;
    const uint64_t bits = bit_bytes(groth16_srs_header(proof->srs)->bits);
    TRY(stage_upload(&p->stage, proof->there.input, w->input, w->inputs * sizeof(fr), e));
    TRY(stage_upload(&p->stage, proof->there.wide, w->wide_value, w->wide * sizeof(fr), e));
    TRY(device_fill(p->device, p->stage.stream, proof->there.bit, 0, bits, e));
    TRY(stage_upload(&p->stage, proof->there.bit, w->bit, ((size_t)w->bits + 63) / 64 * 8, e));
    return event_record(p->device, p->brought, p->stage.stream, e);
}

/* Queue the witness's copy to the device, unless it is there. */
static cuzk_status bring(struct gpu_prover *p, struct gpu_proof *proof, struct cuzk_error *e)
{
    const struct srs_header *h = groth16_srs_header(proof->srs);
    if (proof->at && proof->at != p)
        return error_set(e, CUZK_ERR_ARGUMENT, "the proof is on another GPU");
    if (proof->at && proof->resets == p->resets)
        return CUZK_OK;
    device_free(&proof->block); /* of before a reset */
    TRY(device_alloc(&proof->block, p->device, witness_bytes(h), 1, "a witness", e));
    proof->there.input = proof->block.ptr;
    proof->there.wide = proof->there.input + proof->w.inputs * sizeof(fr);
    proof->there.bit = proof->block.ptr + wide_bytes(h);
    const cuzk_status status = queue_witness(p, proof, e);
    if (status != CUZK_OK) {
        quiet(p);
        device_free(&proof->block);
        proof->at = NULL;
        return status;
    }
    proof->at = p;
    proof->resets = p->resets;
    return CUZK_OK;
}

/* The product of both extensions into b. */
static cuzk_status transforms(struct gpu_prover *p, struct gpu_proof *proof, uint64_t a, uint64_t b,
                              uint64_t n, struct cuzk_error *e)
{
    const struct held *held = p->held;
    TRY(gpu_rows_bind(held->rows, &proof->there, e));
    TRY(gpu_rows_fill(held->rows, 0, a, n, e));
    TRY(gpu_ntt_extend(held->ntt, a, 0, e));
    TRY(gpu_rows_fill(held->rows, 1, b, n, e));
    TRY(gpu_ntt_extend(held->ntt, b, a, e));
    return device_wait(p->device, p->stream, e);
}

/* Add a run's points times scalars, those of each of `sums` proofs, to the sums in m. */
static cuzk_status add_run(struct gpu_prover *p, const struct exec *x, struct gpu_msm *m, enum srs_run run,
                           const uint64_t *scalars, unsigned sums, struct cuzk_error *e)
{
    struct gpu_srs *srs = p->held->srs;
    for (uint64_t at = 0; at < srs->count[run];) {
        struct srs_piece piece;
        uint64_t from[GPU_PROOF_BATCH];
        for (unsigned i = 0; i < sums; i++)
            from[i] = scalars[i] + at * sizeof(fr);
        TRY(gpu_srs_piece(srs, run, at, &piece, e));
        TRY(gpu_msm_add(m, piece.points, from, piece.count, e));
        TRY(gpu_srs_done(srs, &piece, e));
        at += piece.count;
        TRY(step(x, srs_run_name(run), at, srs->count[run], e));
    }
    return CUZK_OK;
}

static cuzk_status sum_q(struct gpu_prover *p, const struct exec *x, struct gpu_proof *proof,
                         struct gpu_proof *next, uint64_t product, struct cuzk_error *e)
{
    struct gpu_msm *m = NULL;
    g1 sum;
    TRY(step(x, "q", 0, p->held->srs->count[RUN_Q], e));
    TRY(gpu_msm_new(&m, p->device, p->stream, 1, 1, p->held->srs->count[RUN_Q], 0, e));
    cuzk_status status = add_run(p, x, m, RUN_Q, &product, 1, e);
    if (status == CUZK_OK && next)
        status = bring(p, next, e);
    if (status == CUZK_OK)
        status = gpu_msm_finish(m, &sum, e);
    if (status == CUZK_OK)
        g1_add(&proof->sums.c, &proof->sums.c, &sum);
    else
        quiet(p);
    gpu_msm_free(m);
    return status;
}

static cuzk_status quotient(struct gpu_prover *p, const struct exec *x, struct gpu_proof *proof,
                            struct gpu_proof *next, struct cuzk_error *e)
{
    const uint64_t n = UINT64_C(1) << groth16_srs_header(proof->srs)->domain_log;
    struct device_block a = {0}, b = {0};
    TRY(hold(p, x, proof->srs, proof->templates, e));
    cuzk_status status = step(x, "transforms", 0, 1, e);
    if (status == CUZK_OK)
        status = bring(p, proof, e);
    if (status == CUZK_OK)
        status = stream_wait_event(p->device, p->stream, p->brought, e);
    if (status == CUZK_OK)
        status = device_alloc(&b, p->device, n, sizeof(fr), "the values of B", e);
    if (status == CUZK_OK)
        status = device_alloc(&a, p->device, n, sizeof(fr), "the values of A", e);
    if (status == CUZK_OK)
        status = transforms(p, proof, a.ptr, b.ptr, n, e);
    if (status != CUZK_OK)
        quiet(p);
    device_free(&a);
    exec_progress(x, "transforms", 1, 1);
    if (status == CUZK_OK)
        status = sum_q(p, x, proof, next && next->srs == proof->srs ? next : NULL, b.ptr, e);
    device_free(&b);
    if (status == CUZK_OK) {
        proof->open = p->held;
        proof->open_serial = p->held->serial;
        p->held->open++;
    }
    return status;
}

cuzk_status gpu_proof_quotient(struct gpu_prover *p, const struct exec *x, struct gpu_proof *proof,
                               struct gpu_proof *next, struct cuzk_error *e)
{
    enter(p);
    return leave(p, quotient(p, x, proof, next, e));
}

/* -- the other sums -- */

enum { MATRIX_A, MATRIX_B, NO_MATRIX };

/* Which runs are summed with which of the witness. */
static const struct set {
    unsigned matrix;
    enum srs_run wide[2], bits[2];
    unsigned runs; /* in wide, in bits */
} SETS[] = {
    {NO_MATRIX, {RUN_C_WIDE}, {RUN_C_BITS}, 1},
    {MATRIX_A, {RUN_A_WIDE}, {RUN_A_BITS}, 1},
    {MATRIX_B, {RUN_B_G1_WIDE, RUN_B_G2_WIDE}, {RUN_B_G1_BITS, RUN_B_G2_BITS}, 2},
};

struct settling {
    struct gpu_prover *p;
    const struct exec *x;
    struct gpu_proof *const *proofs;
    unsigned count;
};

static void add_sum(struct proof_sums *sums, enum srs_run run, const void *sum)
{
    g1 *to = run == RUN_C_WIDE || run == RUN_C_BITS   ? &sums->c
             : run == RUN_A_WIDE || run == RUN_A_BITS ? &sums->a
                                                      : &sums->b_g1;
    if (srs_run_group(run) == 2)
        g2_add(&sums->b_g2, &sums->b_g2, sum);
    else
        g1_add(to, to, sum);
}

/* What the density of a class names, into `to`. */
static cuzk_status pick(struct gpu_prover *p, unsigned matrix, enum srs_class c, uint64_t from, uint64_t to,
                        uint32_t count, struct cuzk_error *e)
{
    const struct srs_density *d = &p->held->srs->of[matrix];
    const struct pick_args a = {.mask = (const uint64_t *)(uintptr_t)d->mask[c],
                                .rank = (const uint32_t *)(uintptr_t)d->rank[c],
                                .from = (const void *)(uintptr_t)from,
                                .to = (void *)(uintptr_t)to,
                                .count = count};
    const uint64_t threads = c == SRS_BITS ? ((uint64_t)count + 63) / 64 : count;
    const struct launch launch = {.kernel = c == SRS_BITS ? "pick_bits" : "pick_elements",
                                  .grid = {(unsigned)((threads + PICK_THREADS - 1) / PICK_THREADS)},
                                  .block = PICK_THREADS};
    return device_launch(p->device, p->stream, &launch, &a, e);
}

/* One run's bits of all proofs, bit arrays there. */
static cuzk_status sum_masks(const struct settling *s, enum srs_run run, const uint64_t *bits, void *sums,
                             struct cuzk_error *e)
{
    struct gpu_srs *srs = s->p->held->srs;
    const uint64_t points = srs->count[run];
    struct gpu_msm *m = NULL;
    TRY(gpu_msm_new_masks(&m, s->p->device, s->p->stream, srs_run_group(run), s->count, points, 0, e));
    cuzk_status status = CUZK_OK;
    for (uint64_t at = 0; at < points && status == CUZK_OK;) {
        struct srs_piece piece;
        uint64_t from[GPU_PROOF_BATCH];
        for (unsigned i = 0; i < s->count; i++)
            from[i] = bits[i] + at / 8;
        status = gpu_srs_piece(srs, run, at, &piece, e);
        if (status == CUZK_OK)
            status = gpu_msm_add_masks(m, piece.points, from, piece.count, e);
        if (status == CUZK_OK)
            status = gpu_srs_done(srs, &piece, e);
        at += piece.count;
        if (status == CUZK_OK)
            status = step(s->x, srs_run_name(run), at, points, e);
    }
    if (status == CUZK_OK)
        status = gpu_msm_finish(m, sums, e);
    else
        quiet(s->p);
    gpu_msm_free(m);
    return status;
}

union run_sums {
    g1 first[GPU_PROOF_BATCH];
    g2 second[GPU_PROOF_BATCH];
};

static void add_sums(struct gpu_proof *const *proofs, unsigned count, enum srs_run run,
                     const union run_sums *sums)
{
    for (unsigned i = 0; i < count; i++)
        add_sum(&proofs[i]->sums, run,
                srs_run_group(run) == 1 ? (const void *)&sums->first[i] : (const void *)&sums->second[i]);
}

static cuzk_status sum_bits(const struct settling *s, enum srs_run run, const uint64_t *bits,
                            struct cuzk_error *e)
{
    union run_sums sums;
    if (s->p->held->srs->count[run] == 0)
        return CUZK_OK;
    TRY(step(s->x, srs_run_name(run), 0, s->p->held->srs->count[run], e));
    TRY(sum_masks(s, run, bits, &sums, e));
    add_sums(s->proofs, s->count, run, &sums);
    return CUZK_OK;
}

static cuzk_status settle_bits(const struct settling *s, const struct set *set, struct cuzk_error *e)
{
    struct gpu_prover *p = s->p;
    const struct srs_header *h = groth16_srs_header(p->held->source);
    const bool picked = set->matrix != NO_MATRIX;
    const uint64_t each = picked ? bit_bytes(p->held->srs->of[set->matrix].count[SRS_BITS]) : 0;
    uint64_t bits[GPU_PROOF_BATCH];
    struct device_block block;
    TRY(device_alloc(&block, p->device, s->count, each, "picked bits", e));
    cuzk_status status =
        picked ? device_fill(p->device, p->stream, block.ptr, 0, s->count * each, e) : CUZK_OK;
    for (unsigned i = 0; i < s->count && status == CUZK_OK; i++) {
        const uint64_t all = s->proofs[i]->there.bit;
        bits[i] = picked ? block.ptr + i * each : all;
        if (picked)
            status = pick(p, set->matrix, SRS_BITS, all, bits[i], h->bits, e);
    }
    for (unsigned r = 0; r < set->runs && status == CUZK_OK; r++)
        status = sum_bits(s, set->bits[r], bits, e);
    if (status != CUZK_OK)
        quiet(p);
    device_free(&block);
    return status;
}

/* Room for the sums over wide values of several proofs at once. */
struct wide {
    unsigned most; /* proofs */
    uint64_t each; /* of `block`, bytes a proof */
    struct gpu_msm *m[2];
    struct device_block block;
};

static void wide_free(struct wide *w)
{
    for (size_t r = 0; r < ARRAY_LEN(w->m); r++) {
        gpu_msm_free(w->m[r]);
        w->m[r] = NULL;
    }
    device_free(&w->block);
}

static cuzk_status wide_new(struct gpu_prover *p, const struct set *set, struct wide *w, struct cuzk_error *e)
{
    cuzk_status status = device_alloc(&w->block, p->device, w->most, w->each, "picked values", e);
    /* both want all that is left: the second group has the larger share */
    for (unsigned r = 0; r < set->runs && status == CUZK_OK; r++) {
        const uint64_t left = device_info(p->device)->limit - device_memory_used(p->device);
        const uint64_t count = p->held->srs->count[set->wide[r]];
        if (count > 0)
            status = gpu_msm_new(&w->m[r], p->device, p->stream, srs_run_group(set->wide[r]), w->most, count,
                                 set->runs == 2 && r == 0 ? left / 3 : left, e);
    }
    return status;
}

/* The scalars of some proofs, then the sums of each of the runs. */
static cuzk_status wide_of(const struct settling *s, const struct set *set, const struct wide *w,
                           struct gpu_proof *const *proofs, unsigned count, struct cuzk_error *e)
{
    struct gpu_prover *p = s->p;
    uint64_t scalars[GPU_PROOF_BATCH];
    union run_sums sums;
    for (unsigned i = 0; i < w->most; i++) {
        struct gpu_proof *proof = proofs[i < count ? i : 0]; /* room that is left over sums up again */
        scalars[i] = proof->there.input;
        if (set->matrix == NO_MATRIX)
            continue;
        const uint32_t inputs = p->held->srs->of[set->matrix].count[SRS_INPUTS];
        scalars[i] = w->block.ptr + i * w->each;
        TRY(pick(p, set->matrix, SRS_INPUTS, proof->there.input, scalars[i], proof->w.inputs, e));
        TRY(pick(p, set->matrix, SRS_WIDE, proof->there.wide, scalars[i] + inputs * sizeof(fr), proof->w.wide,
                 e));
    }
    for (unsigned r = 0; r < set->runs; r++) {
        if (!w->m[r])
            continue;
        TRY(add_run(p, s->x, w->m[r], set->wide[r], scalars, w->most, e));
        TRY(gpu_msm_finish(w->m[r], &sums, e));
        add_sums(proofs, count, set->wide[r], &sums);
    }
    return CUZK_OK;
}

static cuzk_status settle_wide(const struct settling *s, const struct set *set, struct cuzk_error *e)
{
    struct gpu_prover *p = s->p;
    const uint64_t count = set->matrix == NO_MATRIX ? 0 : p->held->srs->count[set->wide[0]];
    struct wide w = {.most = s->count, .each = count * sizeof(fr)};
    cuzk_status status = wide_new(p, set, &w, e);
    while (status == CUZK_ERR_MEMORY && w.most > 1) { /* fewer at a time */
        wide_free(&w);
        w.most = (w.most + 1) / 2;
        status = wide_new(p, set, &w, e);
    }
    for (unsigned i = 0; i < s->count && status == CUZK_OK; i += w.most)
        status = wide_of(s, set, &w, s->proofs + i, s->count - i < w.most ? s->count - i : w.most, e);
    if (status != CUZK_OK)
        quiet(p);
    wide_free(&w);
    return status;
}

static cuzk_status settle(const struct settling *s, struct cuzk_error *e)
{
    struct held *held = s->count > 0 ? s->proofs[0]->open : NULL;
    for (unsigned i = 0; i < s->count; i++)
        if (!held || s->proofs[i]->open != held || s->proofs[i]->open_serial != held->serial ||
            s->proofs[i]->at != s->p)
            return error_set(e, CUZK_ERR_ARGUMENT, "proof %u to settle is not ready on this GPU", i);
    if (!held || s->count > held->batch)
        return error_set(e, CUZK_ERR_ARGUMENT, "%u proofs to settle at once", s->count);
    s->p->held = held;
    held->last_use = ++s->p->uses;
    cuzk_status status = CUZK_OK;
    for (size_t i = 0; i < ARRAY_LEN(SETS) && status == CUZK_OK; i++) {
        status = settle_bits(s, &SETS[i], e);
        if (status == CUZK_OK)
            status = settle_wide(s, &SETS[i], e);
    }
    /* What failed is half done: it cannot be settled again. */
    for (unsigned i = 0; i < s->count; i++) {
        device_free(&s->proofs[i]->block);
        close_proof(s->proofs[i]);
        s->proofs[i]->at = NULL;
    }
    return status;
}

cuzk_status gpu_proof_settle(struct gpu_prover *p, const struct exec *x, struct gpu_proof *const *proofs,
                             unsigned count, struct cuzk_error *e)
{
    const struct settling s = {.p = p, .x = x, .proofs = proofs, .count = count};
    enter(p);
    return leave(p, settle(&s, e));
}

void gpu_proof_recall(struct gpu_prover *p, struct gpu_proof *proof)
{
    enter(p);
    device_free(&proof->block);
    close_proof(proof);
    proof->at = NULL;
    proof_sums_zero(&proof->sums);
    (void)leave(p, CUZK_OK);
}
