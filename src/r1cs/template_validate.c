/* r1cs/template_validate.c - no index of templates from a file leads outside of its array.
 *
 * Long arrays are looked at by maxima, which compilers turn into vector code: a few milliseconds for a PoRep
 * of 32GiB. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "r1cs/template_file.h"
#include "r1cs/template_ops.h"
#include "r1cs/unit.h"

#define CHUNK ((size_t)256) /* instances, by one task */

struct check {
    const struct templates *t;
    bool bad; /* set by any thread; read after all of them */
};

static bool in_range(uint64_t at, uint64_t count, size_t size)
{
    return at <= size && count <= size - at;
}

static uint32_t most_of(const uint32_t *x, size_t count)
{
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

/* Every part of the template lies within its array. */
static bool parts_fit(const struct templates *t, const struct template *one)
{
    const uint64_t rows3 = 3 * (uint64_t)one->rows, locals = 1 + (uint64_t)template_bound(one) + one->aux;
    return one->kind <= UNIT_POSEIDON && one->bits <= one->aux && one->bound_bits < TEMPLATE_MAX_LOCALS &&
           one->bound_wide < TEMPLATE_MAX_LOCALS && one->bound_inputs < TEMPLATE_MAX_LOCALS &&
           one->aux < TEMPLATE_MAX_LOCALS && locals <= TEMPLATE_MAX_LOCALS &&
           one->bits + one->bound_bits <= TEMPLATE_MAX_BITS && one->reserved == 0 &&
           in_range(one->term, one->terms, t->count[TEMPLATE_TERMS]) &&
           in_range(one->side, rows3 + 1, t->count[TEMPLATE_SIDES]) &&
           in_range(one->class_word, ((uint64_t)one->aux + 63) / 64, t->count[TEMPLATE_CLASSES]) &&
           in_range(one->result, one->results, t->count[TEMPLATE_RESULTS]) &&
           in_range(one->coeff, one->coeffs, t->count[TEMPLATE_COEFFS]) &&
           in_range(one->op, rows3, t->count[TEMPLATE_OPS]) &&
           in_range(one->program, one->program_words, t->count[TEMPLATE_PROGRAMS]);
}

static bool classes_fit(const struct templates *t, const struct template *one)
{
    const uint64_t *word = t->class_word + one->class_word;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < one->aux; i += 64)
        bits += (uint32_t)__builtin_popcountll(word[i / 64]);
    if (one->aux % 64 != 0 && word[one->aux / 64] >> one->aux % 64 != 0)
        return false;
    return bits == one->bits;
}

static bool rows_fit(const struct templates *t, const struct template *one)
{
    const uint32_t *end = t->side + one->side, *term = t->term + one->term;
    const uint32_t locals = 1 + template_bound(one) + one->aux, codes = TEMPLATE_POWERS + one->coeffs;
    bool good = end[0] == 0 && end[3 * (size_t)one->rows] == one->terms;
    for (uint32_t i = 0; i < 3 * one->rows; i++)
        good &= end[i] <= end[i + 1];
    for (uint32_t i = 0; i < one->terms; i++)
        good &= template_term_local(term[i]) < locals && template_term_code(term[i]) < codes;
    return good;
}

static bool program_fits(const struct templates *t, const struct template *one, uint64_t at)
{
    const uint32_t bits = one->bound_bits + one->bits;
    const uint32_t wide = one->bound_wide + one->bound_inputs + template_wide(one);
    if (!in_range(at, 3, one->program_words))
        return false;
    const uint32_t *word = t->program + one->program + at;
    const uint64_t runs = word[0], terms = word[1];
    if (!in_range(at + 3, 2 * (runs + terms), one->program_words) || word[2] > t->count[TEMPLATE_ELEMENTS])
        return false;
    bool good = runs < UINT32_C(1) << 30 && terms < UINT32_C(1) << 30;
    word += 3;
    for (uint64_t i = 0; i < runs; i++, word += 2) {
        const uint32_t position = word[0] & 0xffff, length = word[0] >> 16, shift = word[1] & ~TEMPLATE_MINUS;
        good &= length >= 1 && length <= 64 && position + length <= bits && shift + length <= FR_BITS;
    }
    for (uint64_t i = 0; i < terms; i++, word += 2) {
        const uint32_t position = word[0] & ~TEMPLATE_BIT;
        good &= position < (word[0] & TEMPLATE_BIT ? bits : wide);
        good &= word[1] >= TEMPLATE_MINUS_ONE || word[1] < t->count[TEMPLATE_ELEMENTS];
    }
    return good;
}

static bool ops_fit(const struct templates *t, const struct template *one)
{
    const uint64_t *op = t->op + one->op;
    const uint32_t bits = one->bound_bits + one->bits, most = bits > 0 ? bits - 1 : 0;
    const uint32_t wide = one->bound_wide + one->bound_inputs + template_wide(one);
    bool good = true;
    for (uint32_t i = 0; i < 3 * one->rows; i++) {
        const uint64_t o = op[i];
        switch (template_op_kind_of(o)) {
        case TEMPLATE_OP_TABLE:
            good &= ((uint32_t)(o >> 2) & (TEMPLATE_MAX_TABLES - 1)) < t->count[TEMPLATE_TABLES];
            good &= ((uint32_t)(o >> 16) & 0xffff) <= most && ((uint32_t)(o >> 32) & 0xffff) <= most &&
                    (uint32_t)(o >> 48) <= most;
            break;
        case TEMPLATE_OP_WIDE:
            good &= o >> 32 < wide;
            break;
        case TEMPLATE_OP_PROGRAM:
            good = good && program_fits(t, one, o >> 32);
            break;
        default:
            return false;
        }
    }
    return good;
}

static bool elements_fit(const struct templates *t)
{
    bool good = true;
    for (size_t i = 0; i < t->count[TEMPLATE_ELEMENTS]; i++)
        good &= fr_is_canonical(&t->element[i]);
    for (size_t i = 0; i < t->count[TEMPLATE_TABLES]; i++)
        for (unsigned k = 0; k < 8; k++)
            good &= fr_is_canonical(&t->table[i][k]);
    return good;
}

static bool template_fits(const struct templates *t, const struct template *one)
{
    return parts_fit(t, one) && classes_fit(t, one) && rows_fit(t, one) && ops_fit(t, one) &&
           (one->results == 0 || most_of(t->result + one->result, one->results) < one->aux) &&
           (one->coeffs == 0 || most_of(t->coeff + one->coeff, one->coeffs) < t->count[TEMPLATE_ELEMENTS]);
}

static void template_task(void *ctx, size_t i, unsigned worker)
{
    struct check *c = ctx;
    (void)worker;
    if (!template_fits(c->t, &c->t->template[i]))
        __atomic_store_n(&c->bad, true, __ATOMIC_RELAXED);
}

/* An instance refers to what comes before it, and inputs that there are. */
static bool bindings_fit(const struct templates *t, const struct template_instance *i)
{
    const struct template *one = &t->template[i->template];
    const uint32_t *binding = t->binding + i->binding;
    const uint32_t *wide = binding + one->bound_bits, *input = wide + one->bound_wide;
    return (one->bound_bits == 0 || most_of(binding, one->bound_bits) < i->first_bit) &&
           (one->bound_wide == 0 || most_of(wide, one->bound_wide) < i->first_wide) &&
           (one->bound_inputs == 0 || most_of(input, one->bound_inputs) < t->counts.inputs);
}

static void instance_task(void *ctx, size_t chunk, unsigned worker)
{
    struct check *c = ctx;
    const size_t all = c->t->count[TEMPLATE_INSTANCES];
    bool good = true;
    (void)worker;
    for (size_t i = chunk * CHUNK; i < all && i < (chunk + 1) * CHUNK; i++)
        good &= bindings_fit(c->t, &c->t->instance[i]);
    if (!good)
        __atomic_store_n(&c->bad, true, __ATOMIC_RELAXED);
}

/* The instances follow each other without gap and make the circuit's counts. */
static bool instances_fit(const struct templates *t)
{
    uint64_t aux = 0, bits = 0, wide = 0, rows = 0, bindings = 0;
    for (size_t k = 0; k < t->count[TEMPLATE_INSTANCES]; k++) {
        const struct template_instance *i = &t->instance[k];
        if (i->template >= t->count[TEMPLATE_TEMPLATES] || i->first_aux != aux || i->first_bit != bits ||
            i->first_wide != wide || i->first_row != rows || i->binding != bindings)
            return false;
        const struct template *one = &t->template[i->template];
        aux += one->aux;
        bits += one->bits;
        wide += template_wide(one);
        rows += one->rows;
        bindings += template_bound(one);
        if (bindings > t->count[TEMPLATE_BINDINGS] || rows > UINT32_MAX || aux >= VAR_AUX)
            return false;
    }
    return aux == t->counts.aux && bits == t->bits && wide == t->wide && rows == t->counts.rows &&
           bindings == t->count[TEMPLATE_BINDINGS] && t->counts.inputs > 0 && t->counts.inputs < VAR_AUX &&
           t->counts.rows_own + t->counts.inputs == t->counts.rows;
}

/* Parts ascend, each begins at an instance, and none before the constant one. */
static bool parts_ascend(const struct templates *t)
{
    struct template_part last = {0, 1};
    for (size_t i = 0; i < t->count[TEMPLATE_PARTS]; i++) {
        const struct template_part part = t->part[i];
        if (part.instance < last.instance || part.instance >= t->count[TEMPLATE_INSTANCES] ||
            part.input < last.input || part.input > t->counts.inputs)
            return false;
        last = part;
    }
    return true;
}

cuzk_status templates_validate(const struct exec *x, const struct templates *t, struct cuzk_error *e)
{
    struct check c = {.t = t};
    pool_run(x->pool, template_task, &c, t->count[TEMPLATE_TEMPLATES]);
    c.bad = c.bad || !elements_fit(t) || !parts_ascend(t) || t->count[TEMPLATE_INSTANCES] == 0 ||
            !instances_fit(t);
    if (!c.bad)
        pool_run(x->pool, instance_task, &c, (t->count[TEMPLATE_INSTANCES] + CHUNK - 1) / CHUNK);
    return c.bad ? error_set(e, CUZK_ERR_INPUT, "the templates contradict themselves") : CUZK_OK;
}
