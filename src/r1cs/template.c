/* r1cs/template.c - the arrays of templates, and the rows again.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/template.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "r1cs/bits.h"
#include "r1cs/template_build.h"

static const size_t SIZE[TEMPLATE_SECTIONS] = {
    [TEMPLATE_TEMPLATES] = sizeof(struct template),
    [TEMPLATE_INSTANCES] = sizeof(struct template_instance),
    [TEMPLATE_BINDINGS] = sizeof(uint32_t),
    [TEMPLATE_TERMS] = sizeof(uint32_t),
    [TEMPLATE_SIDES] = sizeof(uint32_t),
    [TEMPLATE_CLASSES] = sizeof(uint64_t),
    [TEMPLATE_RESULTS] = sizeof(uint32_t),
    [TEMPLATE_COEFFS] = sizeof(uint32_t),
    [TEMPLATE_ELEMENTS] = sizeof(fr),
    [TEMPLATE_OPS] = sizeof(uint64_t),
    [TEMPLATE_PROGRAMS] = sizeof(uint32_t),
    [TEMPLATE_TABLES] = sizeof(fr[8]),
    [TEMPLATE_PARTS] = sizeof(struct template_part),
};

size_t template_section_size(enum template_section section)
{
    return SIZE[section];
}

void templates_set(struct templates *t, enum template_section section, const void *array)
{
    switch (section) {
    case TEMPLATE_TEMPLATES:
        t->template = array;
        break;
    case TEMPLATE_INSTANCES:
        t->instance = array;
        break;
    case TEMPLATE_BINDINGS:
        t->binding = array;
        break;
    case TEMPLATE_TERMS:
        t->term = array;
        break;
    case TEMPLATE_SIDES:
        t->side = array;
        break;
    case TEMPLATE_CLASSES:
        t->class_word = array;
        break;
    case TEMPLATE_RESULTS:
        t->result = array;
        break;
    case TEMPLATE_COEFFS:
        t->coeff = array;
        break;
    case TEMPLATE_ELEMENTS:
        t->element = array;
        break;
    case TEMPLATE_OPS:
        t->op = array;
        break;
    case TEMPLATE_PROGRAMS:
        t->program = array;
        break;
    case TEMPLATE_TABLES:
        t->table = array;
        break;
    default:
        t->part = array;
    }
}

const void *templates_get(const struct templates *t, enum template_section section)
{
    const void *const all[TEMPLATE_SECTIONS] = {t->template,   t->instance, t->binding, t->term,    t->side,
                                                t->class_word, t->result,   t->coeff,   t->element, t->op,
                                                t->program,    t->table,    t->part};
    return all[section];
}

uint64_t templates_bytes(const struct templates *t)
{
    uint64_t bytes = 0;
    for (unsigned s = 0; s < TEMPLATE_SECTIONS; s++)
        bytes += (uint64_t)t->count[s] * SIZE[s];
    return bytes;
}

void templates_free(struct templates *t)
{
    for (unsigned s = 0; s < TEMPLATE_SECTIONS; s++)
        block_free(&t->block[s]);
    if (t->map.data)
        file_unmap(&t->map);
    memset(t, 0, sizeof *t);
}

/* -- building -- */

void template_build_init(struct template_build *b, struct budget *budget)
{
    memset(b, 0, sizeof *b);
    b->budget = b->coeffs.budget = b->tables.budget = budget;
    for (unsigned s = 0; s < TEMPLATE_SECTIONS; s++)
        b->part[s] = (struct vec){.each = SIZE[s], .what = "templates", .budget = budget};
    b->pow2[0] = FR_ONE;
    for (unsigned k = 1; k < FR_BITS; k++)
        fr_double(&b->pow2[k], &b->pow2[k - 1]);
}

void template_build_free(struct template_build *b)
{
    for (unsigned s = 0; s < TEMPLATE_SECTIONS; s++)
        vec_free(&b->part[s]);
    hash_index_free(&b->coeffs);
    hash_index_free(&b->tables);
}

static void power_of_code(fr *out, const fr pow2[FR_BITS], uint32_t code)
{
    *out = pow2[code / 2];
    if (code % 2 != 0)
        fr_neg(out, out);
}

/* The powers' codes come first in the index of coefficients. */
static cuzk_status add_powers(struct template_build *b, struct cuzk_error *e)
{
    for (uint32_t code = 0; code < TEMPLATE_POWERS; code++) {
        fr power;
        power_of_code(&power, b->pow2, code);
        const cuzk_status status = hash_index_add(&b->coeffs, hash_bytes(0, &power, sizeof power), code, e);
        if (status != CUZK_OK)
            return status;
    }
    return CUZK_OK;
}

cuzk_status template_build_coeff(struct template_build *b, uint32_t *code, const fr *coeff,
                                 struct cuzk_error *e)
{
    struct vec *elements = &b->part[TEMPLATE_ELEMENTS];
    if (b->coeffs.used == 0) {
        const cuzk_status status = add_powers(b, e);
        if (status != CUZK_OK)
            return status;
    }
    const uint64_t hash = hash_bytes(0, coeff, sizeof *coeff);
    size_t cursor = 0;
    while (hash_index_next(&b->coeffs, hash, &cursor, code)) {
        fr same;
        if (*code < TEMPLATE_POWERS)
            power_of_code(&same, b->pow2, *code);
        else
            same = *(const fr *)vec_at(elements, *code - TEMPLATE_POWERS);
        if (fr_equal(&same, coeff))
            return CUZK_OK;
    }
    *code = TEMPLATE_POWERS + (uint32_t)elements->count;
    const cuzk_status status = vec_append(elements, coeff, 1, e);
    return status == CUZK_OK ? hash_index_add(&b->coeffs, hash, *code, e) : status;
}

void templates_point(struct templates *out)
{
    for (unsigned s = 0; s < TEMPLATE_SECTIONS; s++)
        templates_set(out, s, out->block[s].ptr);
}

/* -- finding -- */

/* The last instance whose number at this offset is not above x; instances[0]'s are all zero. */
static size_t find_instance(const struct templates *t, size_t member, uint32_t x)
{
    size_t low = 0, high = t->count[TEMPLATE_INSTANCES];
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        uint32_t first;
        memcpy(&first, (const char *)&t->instance[middle] + member, sizeof first);
        if (first <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

cuzk_status templates_class_bits(const struct exec *x, const struct templates *t, struct block *out,
                                 struct cuzk_error *e)
{
    const cuzk_status status = block_new(out, x->budget, (size_t)t->counts.aux / 64 + 2, sizeof(uint64_t),
                                         "the variables' classes", e);
    for (size_t k = 0; k < t->count[TEMPLATE_INSTANCES] && status == CUZK_OK; k++) {
        const struct template *one = &t->template[t->instance[k].template];
        bits_copy(out->ptr, t->instance[k].first_aux, t->class_word + one->class_word, 0, one->aux);
    }
    return status;
}

var templates_variable(const struct templates *t, bool bit, uint32_t x)
{
    const struct template_instance *i = &t->instance[find_instance(
        t,
        bit ? offsetof(struct template_instance, first_bit) : offsetof(struct template_instance, first_wide),
        x)];
    const struct template *one = &t->template[i->template];
    uint32_t left = x - (bit ? i->first_bit : i->first_wide);
    for (uint32_t own = 0; own < one->aux; own += 64) {
        uint64_t word = t->class_word[one->class_word + own / 64];
        if (!bit)
            word = ~word;
        const uint32_t here = (uint32_t)__builtin_popcountll(word);
        if (left >= here) {
            left -= here;
            continue;
        }
        for (; left > 0; left--)
            word &= word - 1;
        return VAR_AUX | (i->first_aux + own + (uint32_t)__builtin_ctzll(word));
    }
    VERIFY(false);
    return VAR_ONE;
}

/* -- rows again -- */

struct expansion {
    const struct templates *t;
    templates_row *row;
    void *self;
    fr pow2[FR_BITS];
    struct vec variable; /* var, by local number */
    struct vec terms[3]; /* struct lc_term */
};

static cuzk_status locals_of(struct expansion *x, const struct template_instance *i,
                             const struct template *one, struct cuzk_error *e)
{
    const uint32_t bound = template_bound(one), *binding = x->t->binding + i->binding;
    x->variable.count = 0;
    const cuzk_status status = vec_append(&x->variable, NULL, 1 + (size_t)bound + one->aux, e);
    if (status != CUZK_OK)
        return status;
    var *v = x->variable.block.ptr;
    *v++ = VAR_ONE;
    for (uint32_t k = 0; k < bound; k++) {
        const enum template_bound_to to = template_bound_to(one, k);
        *v++ = to == TEMPLATE_TO_INPUT ? binding[k]
                                       : templates_variable(x->t, to == TEMPLATE_TO_BIT, binding[k]);
    }
    for (uint32_t k = 0; k < one->aux; k++)
        *v++ = VAR_AUX | (i->first_aux + k);
    return CUZK_OK;
}

static void sort_by_variable(struct lc_term *term, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct lc_term t = term[i];
        uint32_t j = i;
        for (; j > 0 && term[j - 1].v > t.v; j--)
            term[j] = term[j - 1];
        term[j] = t;
    }
}

static cuzk_status side_of(struct expansion *x, struct row *out, const struct template *one, unsigned side,
                           uint32_t row, struct cuzk_error *e)
{
    const uint32_t *end = x->t->side + one->side + 3 * (size_t)row + side;
    const uint32_t *from = x->t->term + one->term + end[0], count = end[1] - end[0];
    const var *variable = x->variable.block.ptr;
    struct vec *terms = &x->terms[side];
    terms->count = 0;
    const cuzk_status status = vec_append(terms, NULL, count, e);
    if (status != CUZK_OK)
        return status;
    struct lc_term *term = terms->block.ptr;
    for (uint32_t k = 0; k < count; k++) {
        term[k].v = variable[template_term_local(from[k])];
        template_coeff(&term[k].coeff, x->t, one, x->pow2, template_term_code(from[k]));
    }
    sort_by_variable(term, count);
    *out = (struct row){.term = term, .count = count};
    return CUZK_OK;
}

static cuzk_status expand_instance(struct expansion *x, const struct template_instance *i,
                                   struct cuzk_error *e)
{
    const struct template *one = &x->t->template[i->template];
    cuzk_status status = locals_of(x, i, one, e);
    for (uint32_t row = 0; row < one->rows && status == CUZK_OK; row++) {
        struct row side[3];
        for (unsigned s = 0; s < 3 && status == CUZK_OK; s++)
            status = side_of(x, &side[s], one, s, row, e);
        if (status == CUZK_OK)
            status = x->row(x->self, (uint64_t)i->first_row + row, &side[0], &side[1], &side[2], e);
    }
    return status;
}

cuzk_status templates_expand(const struct exec *exec, const struct templates *t, templates_row *row,
                             void *self, struct cuzk_error *e)
{
    struct expansion x = {.t = t, .row = row, .self = self};
    cuzk_status status = CUZK_OK;
    x.variable = (struct vec){.each = sizeof(var), .what = "rows of templates", .budget = exec->budget};
    for (unsigned s = 0; s < 3; s++)
        x.terms[s] =
            (struct vec){.each = sizeof(struct lc_term), .what = "rows of templates", .budget = exec->budget};
    x.pow2[0] = FR_ONE;
    for (unsigned k = 1; k < FR_BITS; k++)
        fr_double(&x.pow2[k], &x.pow2[k - 1]);
    for (size_t i = 0; i < t->count[TEMPLATE_INSTANCES] && status == CUZK_OK; i++)
        status = exec_cancelled(exec) ? error_set(e, CUZK_ERR_CANCELLED, "cancelled")
                                      : expand_instance(&x, &t->instance[i], e);
    vec_free(&x.variable);
    for (unsigned s = 0; s < 3; s++)
        vec_free(&x.terms[s]);
    return status;
}
