/* backend/cuda/srs.c - see srs.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/srs.h"

#include "base/error.h"
#include "base/memory.h"

#define PIECE_UNIT  ((uint64_t)192 << 10) /* 1024 points of G2, 2048 of G1 */
#define PIECE_UNITS 1024                  /* of a piece that is brought in, at most */
#define LOAD_STEP   ((uint64_t)1 << 30)   /* bytes between reports of progress */
#define NO_KIND     SRS_KINDS

static const struct {
    const char *name;
    unsigned first, second; /* enum srs_kind */
} RUNS[SRS_RUNS] = {
    [RUN_C_WIDE] = {"l wide", SRS_FOLD, SRS_L_WIDE},
    [RUN_A_WIDE] = {"a wide", SRS_A_INPUTS, SRS_A_WIDE},
    [RUN_B_G1_WIDE] = {"b_g1 wide", SRS_B_G1_INPUTS, SRS_B_G1_WIDE},
    [RUN_B_G2_WIDE] = {"b_g2 wide", SRS_B_G2_INPUTS, SRS_B_G2_WIDE},
    [RUN_Q] = {"q", SRS_Q, NO_KIND},
    [RUN_C_BITS] = {"l bits", SRS_L_BITS, NO_KIND},
    [RUN_A_BITS] = {"a bits", SRS_A_BITS, NO_KIND},
    [RUN_B_G1_BITS] = {"b_g1 bits", SRS_B_G1_BITS, NO_KIND},
    [RUN_B_G2_BITS] = {"b_g2 bits", SRS_B_G2_BITS, NO_KIND},
};

const char *srs_run_name(enum srs_run run)
{
    return RUNS[run].name;
}

static uint64_t run_point_bytes(unsigned run)
{
    return srs_run_group((enum srs_run)run) == 1 ? sizeof(g1_affine) : sizeof(g2_affine);
}

static uint64_t run_count(const struct srs_header *h, unsigned run)
{
    const unsigned second = RUNS[run].second;
    return h->section[RUNS[run].first].count + (second == NO_KIND ? 0 : h->section[second].count);
}

static uint64_t points_bytes(const struct srs_header *h)
{
    uint64_t bytes = 0;
    for (unsigned run = 0; run < SRS_RUNS; run++)
        bytes += run_count(h, run) * run_point_bytes(run);
    return bytes;
}

/* -- densities -- */

static size_t class_words(const struct srs_header *h, unsigned c)
{
    return (size_t)(srs_density_words(h, c + 1) - srs_density_words(h, c));
}

/* Of large parameters 192 MiB, of small ones a share. */
static uint64_t piece_bytes(uint64_t all)
{
    const uint64_t units = all / 32 / PIECE_UNIT + 1;
    return (units < PIECE_UNITS ? units : PIECE_UNITS) * PIECE_UNIT;
}

static uint64_t density_bytes(const struct srs_header *h)
{
    return 2 * srs_density_words(h, SRS_CLASSES) * (sizeof(uint64_t) + sizeof(uint32_t)) + 4096;
}

uint64_t gpu_srs_bytes(const struct groth16_srs *source)
{
    const struct srs_header *h = groth16_srs_header(source);
    return points_bytes(h) + density_bytes(h);
}

/* A class's bitmap and ranks behind *at. */
static cuzk_status put_class(struct gpu_srs *s, unsigned matrix, unsigned c, struct budget *budget,
                             uint64_t *at, struct cuzk_error *e)
{
    const struct srs_header *h = groth16_srs_header(s->source);
    const size_t words = class_words(h, c);
    const uint64_t *mask =
        groth16_srs_density(s->source, matrix ? SRS_DENSITY_B : SRS_DENSITY_A, (enum srs_class)c);
    struct srs_density *d = &s->of[matrix];
    struct block ranks = {0};
    cuzk_status status = block_new(&ranks, budget, words + 1, sizeof(uint32_t), "ranks of densities", e);
    if (status != CUZK_OK)
        return status;
    uint32_t *rank = ranks.ptr, before = 0;
    for (size_t i = 0; i < words; i++) {
        rank[i] = before;
        before += (uint32_t)__builtin_popcountll(mask[i]);
    }
    d->count[c] = before;
    d->mask[c] = *at;
    d->rank[c] = *at + words * sizeof(uint64_t);
    *at = (d->rank[c] + words * sizeof(uint32_t) + 15) / 16 * 16;
    status = stage_upload(s->stage, d->mask[c], mask, words * sizeof(uint64_t), e);
    if (status == CUZK_OK)
        status = stage_upload(s->stage, d->rank[c], rank, words * sizeof(uint32_t), e);
    block_free(&ranks);
    return status;
}

static cuzk_status put_densities(struct gpu_srs *s, struct budget *budget, struct cuzk_error *e)
{
    cuzk_status status =
        device_alloc(&s->density, s->device, density_bytes(groth16_srs_header(s->source)), 1, "densities", e);
    uint64_t at = s->density.ptr;
    for (unsigned i = 0; i < 2 * SRS_CLASSES && status == CUZK_OK; i++)
        status = put_class(s, i / SRS_CLASSES, i % SRS_CLASSES, budget, &at, e);
    return status;
}

/* -- points -- */

/* Queue copies of count points of a run from place first on. */
static cuzk_status bring(struct gpu_srs *s, unsigned run, uint64_t first, uint64_t count, uint64_t to,
                         struct cuzk_error *e)
{
    const struct srs_header *h = groth16_srs_header(s->source);
    const uint64_t size = run_point_bytes(run);
    const unsigned kinds[2] = {RUNS[run].first, RUNS[run].second};
    cuzk_status status = CUZK_OK;
    for (unsigned i = 0; i < 2 && kinds[i] != NO_KIND && count > 0 && status == CUZK_OK; i++) {
        const uint64_t there = h->section[kinds[i]].count;
        if (first >= there) {
            first -= there;
            continue;
        }
        const uint64_t n = count < there - first ? count : there - first;
        const uint8_t *from = groth16_srs_section(s->source, (enum srs_kind)kinds[i]);
        status = stage_upload(s->stage, to, from + first * size, (size_t)(n * size), e);
        to += n * size;
        count -= n;
        first = 0;
    }
    return status;
}

/* How many points of each run stay, in `room` bytes. */
static void choose(struct gpu_srs *s, uint64_t room)
{
    for (unsigned run = 0; run < SRS_RUNS; run++) {
        const uint64_t size = run_point_bytes(run), fit = room / size / 1024 * 1024;
        s->resident[run] = s->count[run] <= room / size ? s->count[run] : fit;
        s->resident_bytes += s->resident[run] * size;
        room -= s->resident[run] * size;
    }
}

static cuzk_status load_run(struct gpu_srs *s, const struct exec *x, unsigned run, uint64_t *done,
                            struct cuzk_error *e)
{
    const uint64_t size = run_point_bytes(run), step = LOAD_STEP / size;
    cuzk_status status = device_alloc(&s->points[run], s->device, s->resident[run], size, "parameters", e);
    for (uint64_t at = 0, n; at < s->resident[run] && status == CUZK_OK; at += n) {
        n = s->resident[run] - at < step ? s->resident[run] - at : step;
        status = bring(s, run, at, n, s->points[run].ptr + at * size, e);
        *done += n * size;
        exec_progress(x, "loading parameters", *done, s->resident_bytes);
        if (status == CUZK_OK && exec_cancelled(x))
            status = error_set(e, CUZK_ERR_CANCELLED, "loading parameters was cancelled");
    }
    return status;
}

static cuzk_status load(struct gpu_srs *s, const struct exec *x, uint64_t room, struct cuzk_error *e)
{
    const struct srs_header *h = groth16_srs_header(s->source);
    const uint64_t densities = density_bytes(h);
    const bool whole = densities + s->all_bytes <= room;
    const uint64_t least = densities + SRS_PIECES * s->piece_bytes;
    if (!whole && room < least)
        return error_set(e, CUZK_ERR_MEMORY,
                         "GPU %u: %llu MiB of its memory are left for parameters, %llu are needed at least",
                         device_info(s->device)->index, (unsigned long long)(room >> 20),
                         (unsigned long long)(least >> 20) + 1);
    for (unsigned run = 0; run < SRS_RUNS; run++)
        s->count[run] = run_count(h, run);
    choose(s, whole ? room - densities : room - least);
    cuzk_status status = put_densities(s, x->budget, e);
    for (unsigned i = 0; i < SRS_PIECES && !whole && status == CUZK_OK; i++)
        status = device_alloc(&s->piece[i], s->device, s->piece_bytes, 1, "parameters' pieces", e);
    uint64_t done = 0;
    for (unsigned run = 0; run < SRS_RUNS && status == CUZK_OK; run++)
        status = load_run(s, x, run, &done, e);
    return status == CUZK_OK ? device_wait(s->device, s->stage->stream, e) : status;
}

cuzk_status gpu_srs_new(struct gpu_srs **out, const struct exec *x, struct device *d, struct stage *stage,
                        struct stream stream, const struct groth16_srs *source, uint64_t room,
                        struct cuzk_error *e)
{
    struct gpu_srs *s = mem_alloc(1, sizeof *s);
    if (!s)
        return error_memory(e, sizeof *s, "a GPU's parameters");
    *s = (struct gpu_srs){.device = d, .stage = stage, .stream = stream, .source = source};
    s->all_bytes = points_bytes(groth16_srs_header(source));
    s->piece_bytes = piece_bytes(s->all_bytes);
    const cuzk_status status = load(s, x, room, e);
    if (status != CUZK_OK) {
        struct cuzk_error ignored;
        (void)!device_wait(d, stage->stream, &ignored); /* nothing may still be written to what is freed */
        gpu_srs_free(s);
        return status;
    }
    *out = s;
    return CUZK_OK;
}

void gpu_srs_free(struct gpu_srs *s)
{
    if (!s)
        return;
    for (unsigned run = 0; run < SRS_RUNS; run++)
        device_free(&s->points[run]);
    for (unsigned i = 0; i < SRS_PIECES; i++)
        device_free(&s->piece[i]);
    device_free(&s->density);
    mem_free(s);
}

cuzk_status gpu_srs_piece(struct gpu_srs *s, enum srs_run run, uint64_t first, struct srs_piece *out,
                          struct cuzk_error *e)
{
    const uint64_t size = run_point_bytes(run);
    if (first < s->resident[run]) {
        *out = (struct srs_piece){s->points[run].ptr + first * size, s->resident[run] - first, SRS_PIECES};
        return CUZK_OK;
    }
    const unsigned b = s->next;
    const uint64_t fit = s->piece_bytes / size, left = s->count[run] - first, n = left < fit ? left : fit;
    cuzk_status status = stream_wait_event(s->device, s->stage->stream, s->stage->used[b], e);
    if (status == CUZK_OK)
        status = bring(s, run, first, n, s->piece[b].ptr, e);
    if (status == CUZK_OK)
        status = event_record(s->device, s->stage->brought[b], s->stage->stream, e);
    if (status == CUZK_OK)
        status = stream_wait_event(s->device, s->stream, s->stage->brought[b], e);
    if (status != CUZK_OK)
        return status;
    s->next = (b + 1) % SRS_PIECES;
    *out = (struct srs_piece){s->piece[b].ptr, n, b};
    return CUZK_OK;
}

cuzk_status gpu_srs_done(struct gpu_srs *s, const struct srs_piece *piece, struct cuzk_error *e)
{
    if (piece->buffer == SRS_PIECES)
        return CUZK_OK;
    return event_record(s->device, s->stage->used[piece->buffer], s->stream, e);
}
