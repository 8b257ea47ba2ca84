/* r1cs/template_ops.c - from a template's rows to how their values are computed.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/template_ops.h"

#include <string.h>

#include "base/error.h"
#include "r1cs/template_build.h"

#define TABLE_BITS 3

/* A side taken apart. */
struct parts {
    uint32_t bits, wide; /* terms */
    bool has_constant;
    fr constant;
};

struct compiler {
    struct template_build *b;
    struct template *t;
    struct vec position;   /* u32, by local number: position, with TEMPLATE_BIT for a bit's */
    struct vec scratch;    /* u32: a program in the making */
    struct templates view; /* the arrays so far */
    struct cuzk_error *e;
};

static cuzk_status make_positions(struct compiler *c)
{
    const struct template *t = c->t;
    const uint32_t bound = template_bound(t);
    const cuzk_status status = vec_append(&c->position, NULL, 1 + (size_t)bound + t->aux, c->e);
    if (status != CUZK_OK)
        return status;
    uint32_t *at = (uint32_t *)c->position.block.ptr + 1, bit = 0, wide = 0;
    for (uint32_t k = 0; k < bound; k++)
        *at++ = k < t->bound_bits ? TEMPLATE_BIT | bit++ : wide++;
    for (uint32_t k = 0; k < t->aux; k++)
        *at++ = template_own_is_bit(&c->view, t, k) ? TEMPLATE_BIT | bit++ : wide++;
    if (bit > TEMPLATE_MAX_BITS)
        return error_set(c->e, CUZK_ERR_UNSUPPORTED, "a gadget has too many bits for a template: %u", bit);
    return CUZK_OK;
}

static const uint32_t *side_terms(const struct compiler *c, uint32_t row, unsigned side, uint32_t *count)
{
    const uint32_t *end = c->view.side + c->t->side + 3 * (size_t)row + side;
    *count = end[1] - end[0];
    return c->view.term + c->t->term + end[0];
}

static uint32_t position_of(const struct compiler *c, uint32_t term)
{
    return ((const uint32_t *)c->position.block.ptr)[template_term_local(term)];
}

static bool is_bit(const struct compiler *c, uint32_t term)
{
    return (position_of(c, term) & TEMPLATE_BIT) != 0;
}

static struct parts take_apart(const struct compiler *c, const uint32_t *term, uint32_t count)
{
    struct parts p = {.constant = FR_ZERO};
    for (uint32_t i = 0; i < count; i++)
        if (template_term_local(term[i]) == 0) {
            p.has_constant = true;
            template_coeff(&p.constant, &c->view, c->t, c->b->pow2, template_term_code(term[i]));
        } else {
            p.bits += is_bit(c, term[i]);
            p.wide += !is_bit(c, term[i]);
        }
    return p;
}

static bool is_table(const struct parts *p)
{
    return p->wide == 0 && p->bits <= TABLE_BITS;
}

static bool is_wide(const struct parts *p, const uint32_t *term)
{
    return p->wide == 1 && p->bits == 0 && !p->has_constant && template_term_code(term[0]) == 0;
}

/* Roughly, in terms looked at. */
static uint32_t cost(const struct compiler *c, const uint32_t *term, uint32_t count)
{
    const struct parts p = take_apart(c, term, count);
    if (is_table(&p) || is_wide(&p, term))
        return 0;
    uint32_t runs = 0;
    for (uint32_t i = 0; i < count; i++)
        runs += i == 0 || !is_bit(c, term[i]) || position_of(c, term[i]) != position_of(c, term[i - 1]) + 1 ||
                template_term_code(term[i]) != template_term_code(term[i - 1]) + 2;
    return runs;
}

static cuzk_status put_table(struct compiler *c, uint64_t *op, const uint32_t *term, uint32_t count,
                             const struct parts *p, bool *full)
{
    struct vec *tables = &c->b->part[TEMPLATE_TABLES];
    uint32_t position[TABLE_BITS] = {0}, n = 0, number;
    fr coeff[TABLE_BITS], table[1 << TABLE_BITS];
    for (uint32_t i = 0; i < count; i++)
        if (template_term_local(term[i]) != 0) {
            position[n] = position_of(c, term[i]) & ~TEMPLATE_BIT;
            template_coeff(&coeff[n++], &c->view, c->t, c->b->pow2, template_term_code(term[i]));
        }
    for (unsigned k = 0; k < ARRAY_LEN(table); k++) {
        table[k] = p->constant;
        for (uint32_t i = 0; i < n; i++)
            if (k >> i & 1)
                fr_add(&table[k], &table[k], &coeff[i]);
    }
    const uint64_t hash = hash_bytes(0, table, sizeof table);
    size_t cursor = 0;
    *full = false;
    while (hash_index_next(&c->b->tables, hash, &cursor, &number))
        if (number < tables->count && memcmp(vec_at(tables, number), table, sizeof table) == 0) {
            *op = template_op_table(number, position);
            return CUZK_OK;
        }
    number = (uint32_t)tables->count;
    *full = number == TEMPLATE_MAX_TABLES;
    if (*full)
        return CUZK_OK;
    *op = template_op_table(number, position);
    const cuzk_status status = vec_append(tables, table, 1, c->e);
    return status == CUZK_OK ? hash_index_add(&c->b->tables, hash, number, c->e) : status;
}

/* The place of an element, which is put there if it is new; powers are not among them otherwise. */
static cuzk_status element_of(struct compiler *c, uint32_t *place, const fr *value)
{
    struct vec *elements = &c->b->part[TEMPLATE_ELEMENTS];
    const uint64_t hash = hash_bytes(1, value, sizeof *value);
    uint32_t code;
    cuzk_status status = template_build_coeff(c->b, &code, value, c->e);
    if (status != CUZK_OK || code >= TEMPLATE_POWERS) {
        *place = code - TEMPLATE_POWERS;
        return status;
    }
    size_t cursor = 0;
    while (hash_index_next(&c->b->tables, hash, &cursor, place))
        if (*place < elements->count && fr_equal(vec_at(elements, *place), value))
            return CUZK_OK;
    *place = (uint32_t)elements->count;
    status = vec_append(elements, value, 1, c->e);
    return status == CUZK_OK ? hash_index_add(&c->b->tables, hash, *place, c->e) : status;
}

static bool is_power_of_bit(const struct compiler *c, uint32_t term)
{
    return template_term_local(term) != 0 && is_bit(c, term) && template_term_code(term) < TEMPLATE_POWERS;
}

static cuzk_status put_runs(struct compiler *c, const uint32_t *term, uint32_t count, uint32_t *runs)
{
    uint32_t word[2] = {0, 0};
    cuzk_status status = CUZK_OK;
    *runs = 0;
    for (uint32_t i = 0; i < count && status == CUZK_OK; i++) {
        if (!is_power_of_bit(c, term[i]))
            continue;
        const uint32_t position = position_of(c, term[i]) & ~TEMPLATE_BIT, code = template_term_code(term[i]);
        const uint32_t shift = code / 2 | (code % 2 ? TEMPLATE_MINUS : 0), length = word[0] >> 16;
        if (length > 0 && length < 64 && position == (word[0] & 0xffff) + length &&
            shift == word[1] + length) {
            word[0] += UINT32_C(1) << 16;
            continue;
        }
        if (length > 0)
            status = vec_append(&c->scratch, word, 2, c->e);
        word[0] = position | UINT32_C(1) << 16;
        word[1] = shift;
        ++*runs;
    }
    if (status == CUZK_OK && *runs > 0)
        status = vec_append(&c->scratch, word, 2, c->e);
    return status;
}

static cuzk_status put_terms(struct compiler *c, const uint32_t *term, uint32_t count, uint32_t *terms)
{
    *terms = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (template_term_local(term[i]) == 0 || is_power_of_bit(c, term[i]))
            continue;
        const uint32_t code = template_term_code(term[i]);
        uint32_t word[2] = {position_of(c, term[i]), code == 0 ? TEMPLATE_PLUS_ONE : TEMPLATE_MINUS_ONE};
        cuzk_status status = CUZK_OK;
        if (code > 1) {
            fr coeff;
            template_coeff(&coeff, &c->view, c->t, c->b->pow2, code);
            status = element_of(c, &word[1], &coeff);
            c->view.element = c->b->part[TEMPLATE_ELEMENTS].block.ptr;
        }
        if (status == CUZK_OK)
            status = vec_append(&c->scratch, word, 2, c->e);
        if (status != CUZK_OK)
            return status;
        ++*terms;
    }
    return CUZK_OK;
}

static cuzk_status put_program(struct compiler *c, uint64_t *op, const uint32_t *term, uint32_t count,
                               const struct parts *p)
{
    struct vec *programs = &c->b->part[TEMPLATE_PROGRAMS];
    uint32_t runs = 0, terms = 0, place = 0;
    c->scratch.count = 0;
    cuzk_status status = vec_append(&c->scratch, NULL, 3, c->e);
    if (status == CUZK_OK)
        status = put_runs(c, term, count, &runs);
    if (status == CUZK_OK)
        status = put_terms(c, term, count, &terms);
    if (status == CUZK_OK && p->has_constant)
        status = element_of(c, &place, &p->constant);
    if (status != CUZK_OK)
        return status;
    c->view.element = c->b->part[TEMPLATE_ELEMENTS].block.ptr;
    uint32_t *head = c->scratch.block.ptr;
    head[0] = runs;
    head[1] = terms;
    head[2] = p->has_constant ? place + 1 : 0;
    *op = template_op_at(TEMPLATE_OP_PROGRAM, (uint32_t)(programs->count - c->t->program));
    return vec_append(programs, c->scratch.block.ptr, c->scratch.count, c->e);
}

static cuzk_status put_op(struct compiler *c, const uint32_t *term, uint32_t count)
{
    const struct parts p = take_apart(c, term, count);
    uint64_t op = 0;
    bool full = true;
    cuzk_status status = CUZK_OK;
    if (is_table(&p))
        status = put_table(c, &op, term, count, &p, &full);
    else if (is_wide(&p, term))
        op = template_op_at(TEMPLATE_OP_WIDE, position_of(c, term[0]));
    if (status == CUZK_OK && full && !is_wide(&p, term))
        status = put_program(c, &op, term, count, &p);
    return status == CUZK_OK ? vec_append(&c->b->part[TEMPLATE_OPS], &op, 1, c->e) : status;
}

/* Of row's sides, the one to compute this one from. */
static unsigned cheaper(const struct compiler *c, uint32_t row, unsigned side)
{
    uint32_t count[3];
    const uint32_t *term[3];
    for (unsigned s = 0; s < 3; s++)
        term[s] = side_terms(c, row, s, &count[s]);
    if (side == 1 || count[1] != 1 || term[1][0] != template_term(0, 0))
        return side;
    return cost(c, term[2], count[2]) < cost(c, term[0], count[0]) ? 2 : 0;
}

static cuzk_status compile(struct compiler *c)
{
    cuzk_status status = make_positions(c);
    for (unsigned side = 0; side < 3; side++)
        for (uint32_t row = 0; row < c->t->rows && status == CUZK_OK; row++) {
            uint32_t count;
            const uint32_t *term = side_terms(c, row, cheaper(c, row, side), &count);
            status = put_op(c, term, count);
        }
    return status;
}

cuzk_status template_compile(struct template_build *b, struct template *t, struct cuzk_error *e)
{
    struct compiler c = {.b = b, .t = t, .e = e};
    c.position = (struct vec){.each = sizeof(uint32_t), .what = "compiling a template", .budget = b->budget};
    c.scratch = c.position;
    for (unsigned s = 0; s < TEMPLATE_SECTIONS; s++)
        templates_set(&c.view, s, b->part[s].block.ptr);
    t->op = b->part[TEMPLATE_OPS].count;
    t->program = b->part[TEMPLATE_PROGRAMS].count;
    const cuzk_status status = compile(&c);
    t->program_words = (uint32_t)(b->part[TEMPLATE_PROGRAMS].count - t->program);
    vec_free(&c.position);
    vec_free(&c.scratch);
    return status;
}
