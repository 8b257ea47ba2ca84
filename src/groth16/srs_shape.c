/* groth16/srs_shape.c - counts, classes and densities of a circuit, from its templates.
 *
 * Which of its local numbers have a term in A or B is found once for each template, the own ones by their
 * classes; an instance's are then copied to where its variables stand.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/srs_shape.h"

#include <string.h>

#include "base/error.h"
#include "ntt/ntt.h"
#include "r1cs/bits.h"

/* A template's local numbers that have a term in one matrix: where, in the words of all, the bits begin of
 * those that it is bound to (the constant one first), its own bits and its own wide ones. */
struct terms {
    size_t bound, bits, wide;
};

struct gather {
    const struct templates *t;
    struct block terms; /* struct terms, two a template: of A, of B */
    struct block words; /* u64 */
    struct block place; /* u32: an own variable's number within its class */
};

static size_t words_of(size_t bits)
{
    return (bits + 63) / 64;
}

static cuzk_status reserve(struct gather *g, struct budget *b, struct cuzk_error *e)
{
    const struct templates *t = g->t;
    size_t words = 0, most = 0;
    cuzk_status status =
        block_new(&g->terms, b, 2 * t->count[TEMPLATE_TEMPLATES], sizeof(struct terms), "densities", e);
    if (status != CUZK_OK)
        return status;
    for (size_t i = 0; i < 2 * t->count[TEMPLATE_TEMPLATES]; i++) {
        const struct template *one = &t->template[i / 2];
        struct terms *terms = (struct terms *)g->terms.ptr + i;
        terms->bound = words;
        terms->bits = terms->bound + words_of(1 + (size_t)template_bound(one));
        terms->wide = terms->bits + words_of(one->bits);
        words = terms->wide + words_of(template_wide(one));
        most = one->aux > most ? one->aux : most;
    }
    status = block_new(&g->words, b, words, sizeof(uint64_t), "densities", e);
    return status == CUZK_OK ? block_new(&g->place, b, most, sizeof(uint32_t), "densities", e) : status;
}

static void set(uint64_t *words, size_t i)
{
    words[i / 64] |= UINT64_C(1) << i % 64;
}

static void mark_template(struct gather *g, size_t number)
{
    const struct templates *t = g->t;
    const struct template *one = &t->template[number];
    const uint32_t *end = t->side + one->side, *term = t->term + one->term;
    const uint32_t bound = 1 + template_bound(one);
    uint32_t *place = g->place.ptr, bits = 0;
    for (uint32_t own = 0; own < one->aux; own++) {
        place[own] = template_own_is_bit(t, one, own) ? bits : own - bits;
        bits += template_own_is_bit(t, one, own);
    }
    for (uint32_t row = 0; row < one->rows; row++)
        for (unsigned m = 0; m < 2; m++) {
            const struct terms *terms = (const struct terms *)g->terms.ptr + 2 * number + m;
            for (uint32_t i = end[3 * (size_t)row + m]; i < end[3 * (size_t)row + m + 1]; i++) {
                const uint32_t local = template_term_local(term[i]);
                uint64_t *words = g->words.ptr;
                if (local < bound)
                    set(words + terms->bound, local);
                else if (template_own_is_bit(t, one, local - bound))
                    set(words + terms->bits, place[local - bound]);
                else
                    set(words + terms->wide, place[local - bound]);
            }
        }
}

/* The densities of one matrix, in the order of the classes. */
static void mark_instance(uint64_t *out, const struct gather *g, const struct template_instance *i,
                          unsigned m, const struct srs_header *h)
{
    const struct template *one = &g->t->template[i->template];
    const struct terms *terms = (const struct terms *)g->terms.ptr + 2 * (size_t)i->template + m;
    const uint64_t *words = g->words.ptr, *bound = words + terms->bound;
    const uint32_t *binding = g->t->binding + i->binding;
    uint64_t *bits = out + srs_density_words(h, SRS_BITS), *wide = out + srs_density_words(h, SRS_WIDE);
    bits_copy(bits, i->first_bit, words + terms->bits, 0, one->bits);
    bits_copy(wide, i->first_wide, words + terms->wide, 0, template_wide(one));
    for (size_t at = 0; at < words_of(1 + (size_t)template_bound(one)); at++)
        for (uint64_t word = bound[at]; word != 0; word &= word - 1) {
            const uint32_t local = (uint32_t)(64 * at) + (uint32_t)__builtin_ctzll(word);
            uint64_t *const to[] = {
                [TEMPLATE_TO_BIT] = bits, [TEMPLATE_TO_WIDE] = wide, [TEMPLATE_TO_INPUT] = out};
            if (local == 0)
                set(out, 0);
            else
                set(to[template_bound_to(one, local - 1)], binding[local - 1]);
        }
}

static cuzk_status take_classes(struct classes *out, const struct templates *t, struct cuzk_error *e)
{
    for (size_t k = 0; k < t->count[TEMPLATE_INSTANCES]; k++) {
        const struct template *one = &t->template[t->instance[k].template];
        for (uint32_t own = 0; own < one->aux; own++) {
            const cuzk_status status = classes_add(out, template_own_is_bit(t, one, own), e);
            if (status != CUZK_OK)
                return status;
        }
    }
    return CUZK_OK;
}

static cuzk_status take_densities(struct srs_shape *s, const struct templates *t, struct budget *b,
                                  struct cuzk_error *e)
{
    struct gather g = {.t = t};
    const struct srs_header h = {.inputs = s->inputs, .aux = s->aux, .bits = t->bits, .wide = t->wide};
    cuzk_status status = reserve(&g, b, e);
    for (size_t i = 0; i < t->count[TEMPLATE_TEMPLATES] && status == CUZK_OK; i++)
        mark_template(&g, i);
    for (unsigned m = 0; m < 2 && status == CUZK_OK; m++) {
        /* and a word more, which bits_copy may touch */
        status = block_new(&s->density[m], b, (size_t)srs_density_words(&h, SRS_CLASSES) + 1,
                           sizeof(uint64_t), "the variables' densities", e);
        for (size_t k = 0; k < t->count[TEMPLATE_INSTANCES] && status == CUZK_OK; k++)
            mark_instance(s->density[m].ptr, &g, &t->instance[k], m, &h);
    }
    block_free(&g.terms);
    block_free(&g.words);
    block_free(&g.place);
    return status;
}

cuzk_status srs_shape_of_templates(const struct exec *x, struct srs_shape *out, const struct templates *t,
                                   struct cuzk_error *e)
{
    struct srs_shape s = {.inputs = t->counts.inputs,
                          .aux = t->counts.aux,
                          .rows = t->counts.rows,
                          .classes = {.budget = x->budget}};
    s.log = groth16_domain_log(s.rows);
    if (s.log > NTT_MAX_LOG)
        return error_set(e, CUZK_ERR_UNSUPPORTED, "the circuit has %llu rows, more than 2^%d",
                         (unsigned long long)s.rows, NTT_MAX_LOG);
    cuzk_status status = take_classes(&s.classes, t, e);
    if (status == CUZK_OK)
        status = take_densities(&s, t, x->budget, e);
    if (status == CUZK_OK)
        *out = s;
    else
        srs_shape_free(&s);
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
