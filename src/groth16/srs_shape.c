/* groth16/srs_shape.c - counts, classes and densities of a circuit.
 *
 * While the circuit runs a variable's number within its class is known from its allocation on, but not where
 * the classes' bitmaps will begin: so the densities are gathered by slot and put in class order at the end.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/srs_shape.h"

#include <string.h>

#include "base/error.h"
#include "ntt/ntt.h"

#define REPORT UINT64_C(0xffff) /* rows between two reports, less one */

/* A bitmap that grows. */
struct bits {
    struct block words;
    uint64_t count;
};

struct gather {
    const struct exec *x;
    struct srs_shape *shape;
    struct bits input[2], aux[2];
    struct cuzk_error error;
};

static cuzk_status bits_grow(struct bits *b, struct budget *budget, uint64_t count, struct cuzk_error *e)
{
    const size_t had = b->words.size / sizeof(uint64_t), need = (size_t)(count / 64) + 1;
    b->count = count;
    if (need <= had)
        return CUZK_OK;
    struct block more;
    const cuzk_status status = block_new(&more, budget, need < 2 * had ? 2 * had : need + 1023,
                                         sizeof(uint64_t), "the variables' densities", e);
    if (status != CUZK_OK)
        return status;
    if (had > 0)
        memcpy(more.ptr, b->words.ptr, b->words.size);
    block_free(&b->words);
    b->words = more;
    return CUZK_OK;
}

static cuzk_status on_input(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct gather *g = self;
    (void)cs;
    (void)value;
    cuzk_status status = bits_grow(&g->input[0], g->x->budget, (uint64_t)index + 1, &g->error);
    if (status == CUZK_OK)
        status = bits_grow(&g->input[1], g->x->budget, (uint64_t)index + 1, &g->error);
    return status;
}

static cuzk_status on_aux(struct gather *g, uint32_t index, bool is_bit)
{
    cuzk_status status = classes_add(&g->shape->classes, is_bit, &g->error);
    for (int m = 0; m < 2 && status == CUZK_OK; m++)
        status = bits_grow(&g->aux[m], g->x->budget, (uint64_t)index + 1, &g->error);
    return status;
}

static cuzk_status on_wide(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    (void)cs;
    (void)value;
    return on_aux(self, index, false);
}

static cuzk_status on_bit(void *self, const struct cs *cs, uint32_t index, bool value)
{
    (void)cs;
    (void)value;
    return on_aux(self, index, true);
}

static void mark(struct gather *g, int matrix, const struct row *row)
{
    uint64_t *input = g->input[matrix].words.ptr, *aux = g->aux[matrix].words.ptr;
    for (uint32_t i = 0; i < row->count; i++) {
        const uint32_t index = VAR_INDEX(row->term[i].v);
        ((row->term[i].v & VAR_AUX) ? aux : input)[index / 64] |= UINT64_C(1) << index % 64;
    }
}

static cuzk_status on_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                          const struct row *b, const struct row *c)
{
    struct gather *g = self;
    (void)cs;
    (void)c;
    if ((index & REPORT) == 0)
        exec_progress(g->x, "counting rows", index, 0);
    mark(g, 0, a);
    mark(g, 1, b);
    return CUZK_OK;
}

static const struct cs_sink sink = {
    .alloc_input = on_input, .alloc = on_wide, .alloc_bit = on_bit, .enforce = on_row};

static bool get(const struct bits *b, uint32_t i)
{
    return (((const uint64_t *)b->words.ptr)[i / 64] >> i % 64 & 1) != 0;
}

static void arrange(uint64_t *out, const struct gather *g, int matrix, const struct srs_header *h)
{
    const struct classes *c = &g->shape->classes;
    uint64_t *bits = out + srs_density_words(h, SRS_BITS), *wide = out + srs_density_words(h, SRS_WIDE);
    uint32_t bit = 0, other = 0;
    for (uint32_t i = 0; i < h->inputs; i++)
        out[i / 64] |= (uint64_t)get(&g->input[matrix], i) << i % 64;
    for (uint32_t i = 0; i < h->aux; i++) {
        const bool is_bit = classes_is_bit(c, i);
        const uint32_t n = is_bit ? bit++ : other++;
        (is_bit ? bits : wide)[n / 64] |= (uint64_t)get(&g->aux[matrix], i) << n % 64;
    }
}

static cuzk_status finish(struct gather *g, const struct cs_counts *counts, struct cuzk_error *e)
{
    struct srs_shape *s = g->shape;
    s->inputs = counts->inputs;
    s->aux = counts->aux;
    s->rows = counts->rows;
    while (UINT64_C(1) << s->log < s->rows)
        s->log++;
    if (s->log > NTT_MAX_LOG)
        return error_set(e, CUZK_ERR_UNSUPPORTED, "the circuit has %llu rows, more than 2^%d",
                         (unsigned long long)s->rows, NTT_MAX_LOG);
    const struct srs_header h = {
        .inputs = s->inputs, .aux = s->aux, .bits = s->classes.bits, .wide = s->aux - s->classes.bits};
    for (int m = 0; m < 2; m++) {
        const cuzk_status status =
            block_new(&s->density[m], g->x->budget, (size_t)srs_density_words(&h, SRS_CLASSES),
                      sizeof(uint64_t), "the variables' densities", e);
        if (status != CUZK_OK)
            return status;
        arrange(s->density[m].ptr, g, m, &h);
    }
    return CUZK_OK;
}

cuzk_status srs_shape_of(const struct exec *x, struct srs_shape *out, const struct circuit *circuit,
                         struct cuzk_error *e)
{
    struct srs_shape shape = {.classes = {.budget = x->budget}};
    struct gather g = {.x = x, .shape = &shape, .error = {.status = CUZK_OK}};
    struct cs_counts counts;
    cuzk_status status = circuit_run(circuit, &sink, &g, x->cancel, &counts, e);
    if (g.error.status != CUZK_OK)
        status = error_set(e, g.error.status, "%s", g.error.message);
    if (status == CUZK_OK)
        status = finish(&g, &counts, e);
    for (int m = 0; m < 2; m++) {
        block_free(&g.input[m].words);
        block_free(&g.aux[m].words);
    }
    if (status == CUZK_OK)
        *out = shape;
    else
        srs_shape_free(&shape);
    return status;
}

void srs_shape_free(struct srs_shape *s)
{
    classes_free(&s->classes);
    block_free(&s->density[0]);
    block_free(&s->density[1]);
    memset(s, 0, sizeof *s);
}

static uint64_t named(const uint64_t *words, uint64_t n)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++)
        count += (uint64_t)__builtin_popcountll(words[i]);
    return count;
}

cuzk_status srs_shape_header(struct srs_header *out, const struct srs_shape *s, const char *name,
                             struct cuzk_error *e)
{
    struct srs_header h = {.inputs = s->inputs,
                           .aux = s->aux,
                           .bits = s->classes.bits,
                           .wide = s->aux - s->classes.bits,
                           .domain_log = s->log};
    if (strlen(name) >= SRS_NAME_BYTES)
        return error_set(e, CUZK_ERR_ARGUMENT, "the circuit's name has %zu bytes, %d at most", strlen(name),
                         SRS_NAME_BYTES - 1);
    memcpy(h.circuit, name, strlen(name));
    for (unsigned c = 0; c < SRS_CLASSES; c++) {
        const uint64_t from = srs_density_words(&h, c), n = srs_density_words(&h, c + 1) - from;
        h.section[SRS_A_INPUTS + c].count = named((const uint64_t *)s->density[0].ptr + from, n);
        h.section[SRS_B_G1_INPUTS + c].count = named((const uint64_t *)s->density[1].ptr + from, n);
        h.section[SRS_B_G2_INPUTS + c].count = h.section[SRS_B_G1_INPUTS + c].count;
    }
    srs_layout(&h);
    const cuzk_status status = srs_digest_classes(h.classes, &s->classes, e);
    if (status == CUZK_OK)
        *out = h;
    return status;
}
