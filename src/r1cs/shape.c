/* r1cs/shape.c - counts, densities and digest of a circuit's rows.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/shape.h"

#include <string.h>

#define BITMAP_FIRST ((size_t)1 << 16) /* bytes */

static cuzk_status bitmap_set(struct bitmap *m, uint32_t index, struct shape_state *s)
{
    const size_t byte = index / 8;
    if (byte >= m->bits.size) {
        size_t size = m->bits.size ? m->bits.size : BITMAP_FIRST;
        while (byte >= size)
            size *= 2;
        struct block bigger;
        const cuzk_status status = block_new(&bigger, s->budget, size, 1, "densities", &s->error);
        if (status != CUZK_OK)
            return status;
        if (m->bits.ptr)
            memcpy(bigger.ptr, m->bits.ptr, m->bits.size);
        block_free(&m->bits);
        m->bits = bigger;
    }
    uint8_t *at = (uint8_t *)m->bits.ptr + byte;
    const uint8_t bit = (uint8_t)(1u << index % 8);
    m->count += !(*at & bit);
    *at |= bit;
    return CUZK_OK;
}

static cuzk_status set_all(const struct row *row, struct bitmap *inputs, struct bitmap *aux,
                           struct shape_state *s)
{
    for (uint32_t i = 0; i < row->count; i++) {
        const var v = row->term[i].v;
        struct bitmap *m = v & VAR_AUX ? aux : inputs;
        if (m) {
            const cuzk_status status = bitmap_set(m, VAR_INDEX(v), s);
            if (status != CUZK_OK)
                return status;
        }
    }
    return CUZK_OK;
}

cuzk_status shape_state_init(struct shape_state *s, struct budget *budget, uint64_t every,
                             struct cuzk_error *e)
{
    *s = (struct shape_state){.budget = budget};
    s->digest = mem_alloc(1, sizeof *s->digest);
    s->canon = mem_alloc(1, sizeof *s->canon);
    if (!s->digest || !s->canon) {
        shape_state_free(s);
        return error_memory(e, sizeof *s->digest + sizeof *s->canon, "the circuit's digest");
    }
    digest_init(s->digest, every);
    return CUZK_OK;
}

void shape_state_free(struct shape_state *s)
{
    if (s->digest)
        marks_free(&s->digest->marks);
    mem_free(s->digest);
    mem_free(s->canon);
    block_free(&s->a_aux.bits);
    block_free(&s->b_input.bits);
    block_free(&s->b_aux.bits);
    *s = (struct shape_state){0};
}

cuzk_status shape_state_row(struct shape_state *s, const struct row *a, const struct row *b,
                            const struct row *c)
{
    const struct row *const side[3] = {a, b, c};
    for (unsigned k = 0; k < 3; k++) {
        s->nonzeros[k] += side[k]->count;
        s->zero_terms += side[k]->zeros;
        digest_row(s->digest, s->canon, side[k]);
    }
    cuzk_status status = set_all(a, NULL, &s->a_aux, s);
    if (status == CUZK_OK)
        status = set_all(b, &s->b_input, &s->b_aux, s);
    if (status == CUZK_OK)
        status = digest_item(s->digest);
    return status;
}

/* The digest of the first `length` bits; variables beyond the map are in no row. */
static struct density density_of(const struct bitmap *m, uint64_t length)
{
    static const uint8_t zeros[4096];
    struct density d = {.count = m->count};
    struct sha256 sha;
    sha256_init(&sha);
    size_t bytes = (size_t)((length + 7) / 8);
    const size_t here = bytes < m->bits.size ? bytes : m->bits.size;
    if (here > 0)
        sha256_update(&sha, m->bits.ptr, here);
    for (bytes -= here; bytes > 0;) {
        const size_t part = bytes < sizeof zeros ? bytes : sizeof zeros;
        sha256_update(&sha, zeros, part);
        bytes -= part;
    }
    sha256_final(&sha, d.digest);
    return d;
}

void shape_state_finish(struct shape_state *s, struct shape *out, const struct cs_counts *counts)
{
    *out = (struct shape){.counts = *counts, .zero_terms = s->zero_terms, .every = s->digest->every};
    memcpy(out->nonzeros, s->nonzeros, sizeof out->nonzeros);
    out->a_aux = density_of(&s->a_aux, counts->aux);
    out->b_input = density_of(&s->b_input, counts->inputs);
    out->b_aux = density_of(&s->b_aux, counts->aux);
    digest_final(s->digest, out->r1cs, &out->marks);
    shape_state_free(s);
}

static cuzk_status on_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                          const struct row *b, const struct row *c)
{
    (void)cs;
    (void)index;
    return shape_state_row(self, a, b, c);
}

cuzk_status shape_of(const struct exec *x, struct shape *out, const struct circuit *c, uint64_t every,
                     struct cuzk_error *e)
{
    static const struct cs_sink sink = {.enforce = on_row};
    struct shape_state state;
    struct cs_counts counts;
    cuzk_status status = shape_state_init(&state, x->budget, every, e);
    if (status != CUZK_OK)
        return status;
    status = circuit_run(c, &sink, &state, x->cancel, &counts, e);
    if (status != CUZK_OK && state.error.status == status)
        error_set(e, status, "%s", state.error.message);
    if (status == CUZK_OK)
        shape_state_finish(&state, out, &counts);
    else
        shape_state_free(&state);
    return status;
}

void shape_free(struct shape *shape)
{
    marks_free(&shape->marks);
    *shape = (struct shape){0};
}
