/* r1cs/cs.c - the constraint builder: sticky errors, names, normalised rows.
 *
 * Rows come mostly sorted, or as a few ascending runs (the operands of packed additions), so they are
 * normalised by a natural merge sort of 8-byte keys; sorted ones are handed on without a copy.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/cs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define CANCEL_EVERY 65536 /* rows between two looks at the cancel flag; a power of two */

#define SMALL_ROW 8 /* up to so many terms are sorted by insertion */

/* The text holds the namespaces joined by "/" (length bytes), then "/" and the current name. */
struct cs_names {
    char *text;
    size_t length, capacity;
    size_t *mark; /* the length before each open namespace */
    size_t depth, mark_capacity;
};

/* -- failures -- */

void cs_fail(struct cs *cs, cuzk_status status, const char *format, ...)
{
    if (cs->status != CUZK_OK)
        return;
    char message[CUZK_ERROR_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    cs->status = error_set(&cs->error, status, "%s", message);
}

static void fail_memory(struct cs *cs, size_t size, const char *what)
{
    if (cs->status == CUZK_OK)
        cs->status = error_memory(&cs->error, size, what);
}

static void sink_result(struct cs *cs, cuzk_status status)
{
    if (status != CUZK_OK)
        cs_fail(cs, status, "the constraint sink failed");
}

/* Make room for need elements of size bytes, keeping the first used ones; what: for the error. */
static bool grow(struct cs *cs, void **array, size_t *capacity, size_t used, size_t need, size_t size,
                 const char *what)
{
    if (need <= *capacity)
        return true;
    size_t wanted = *capacity ? *capacity : 16;
    while (wanted < need) {
        if (wanted > SIZE_MAX / 2) {
            fail_memory(cs, SIZE_MAX, what);
            return false;
        }
        wanted *= 2;
    }
    void *bigger = mem_alloc(wanted, size);
    if (!bigger) {
        fail_memory(cs, wanted * size, what);
        return false;
    }
    if (used)
        memcpy(bigger, *array, used * size);
    mem_free(*array);
    *array = bigger;
    *capacity = wanted;
    return true;
}

/* -- names -- */

static void names_append(struct cs *cs, bool slash, size_t *end, const char *format, va_list args)
{
    struct cs_names *n = cs->names;
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    if (length >= 0) {
        const size_t need = n->length + 2 + (size_t)length;
        void *text = n->text;
        if (grow(cs, &text, &n->capacity, n->length, need, 1, "names")) {
            n->text = text;
            char *at = n->text + n->length;
            if (slash)
                *at++ = '/';
            vsnprintf(at, (size_t)length + 1, format, again);
            *end = n->length + slash + (size_t)length;
        }
    }
    va_end(again);
}

void cs_set_name(struct cs *cs, const char *format, ...)
{
    if (cs->status != CUZK_OK)
        return;
    size_t end;
    va_list args;
    va_start(args, format);
    names_append(cs, true, &end, format, args);
    va_end(args);
}

void cs_push_namespace(struct cs *cs, const char *format, ...)
{
    if (cs->status != CUZK_OK)
        return;
    struct cs_names *n = cs->names;
    void *mark = n->mark;
    if (!grow(cs, &mark, &n->mark_capacity, n->depth, n->depth + 1, sizeof n->mark[0], "namespaces"))
        return;
    n->mark = mark;
    const size_t before = n->length;
    va_list args;
    va_start(args, format);
    names_append(cs, n->depth > 0, &n->length, format, args);
    va_end(args);
    n->mark[n->depth++] = before;
}

void cs_pop_namespace(struct cs *cs)
{
    if (cs->status != CUZK_OK)
        return;
    struct cs_names *n = cs->names;
    VERIFY(n->depth > 0);
    n->length = n->mark[--n->depth];
    if (n->text)
        n->text[n->length] = '\0';
}

const char *cs_path(const struct cs *cs)
{
    return cs->names && cs->names->text ? cs->names->text : "";
}

static void names_done(struct cs *cs)
{
    if (cs->names && cs->names->text)
        cs->names->text[cs->names->length] = '\0';
}

/* -- life -- */

void cs_init(struct cs *cs, const struct cs_sink *sink, void *self, const volatile int *cancel)
{
    memset(cs, 0, sizeof *cs);
    cs->sink = sink;
    cs->self = self;
    cs->cancel = cancel;
    cs->values = sink->wants_values;
    cs->rows_wanted = sink->enforce != NULL;
    cs->pow2[0] = FR_ONE;
    for (unsigned k = 1; k < FR_BITS; k++)
        fr_double(&cs->pow2[k], &cs->pow2[k - 1]);
    fr_neg(&cs->minus_one, &FR_ONE);
    if (sink->wants_names) {
        cs->names = mem_alloc(1, sizeof *cs->names);
        if (!cs->names)
            fail_memory(cs, sizeof *cs->names, "names");
    }
    cs_name(cs, "one");
    (void)cs_alloc_input(cs, &FR_ONE);
}

void cs_free(struct cs *cs)
{
    lc_free(&cs->a);
    lc_free(&cs->b);
    lc_free(&cs->c);
    for (int k = 0; k < 3; k++)
        lc_free(&cs->scratch[k]);
    mem_free(cs->sort.key);
    mem_free(cs->sort.other);
    mem_free(cs->sort.run);
    if (cs->names) {
        mem_free(cs->names->text);
        mem_free(cs->names->mark);
        mem_free(cs->names);
    }
    memset(cs, 0, sizeof *cs);
}

/* -- variables -- */

static bool cancelled(struct cs *cs)
{
    if (!cs->cancel || !__atomic_load_n(cs->cancel, __ATOMIC_RELAXED))
        return false;
    cs_fail(cs, CUZK_ERR_CANCELLED, "cancelled");
    return true;
}

/* The next auxiliary variable's index; VAR_AUX if there is none. */
static uint32_t next_aux(struct cs *cs)
{
    if (cs->status == CUZK_OK && cs->aux == VAR_AUX - 1)
        cs_fail(cs, CUZK_ERR_UNSUPPORTED, "a circuit has more than 2^31 variables");
    return cs->status == CUZK_OK ? cs->aux++ : VAR_AUX;
}

var cs_alloc(struct cs *cs, const fr *value)
{
    const uint32_t index = next_aux(cs);
    if (index == VAR_AUX)
        return VAR_ONE;
    if (cs->sink->alloc)
        sink_result(cs, cs->sink->alloc(cs->self, cs, index, cs->values ? value : NULL));
    names_done(cs);
    return index | VAR_AUX;
}

var cs_alloc_bit(struct cs *cs, bool value)
{
    if (!cs->sink->alloc_bit)
        return cs_alloc(cs, value ? &FR_ONE : &FR_ZERO);
    const uint32_t index = next_aux(cs);
    if (index == VAR_AUX)
        return VAR_ONE;
    sink_result(cs, cs->sink->alloc_bit(cs->self, cs, index, value && cs->values));
    names_done(cs);
    return index | VAR_AUX;
}

var cs_alloc_input(struct cs *cs, const fr *value)
{
    if (cs->status != CUZK_OK)
        return VAR_ONE;
    const uint32_t index = cs->inputs;
    if (index == VAR_AUX - 1) {
        cs_fail(cs, CUZK_ERR_UNSUPPORTED, "a circuit has more than 2^31 inputs");
        return VAR_ONE;
    }
    cs->inputs++;
    if (cs->sink->alloc_input)
        sink_result(cs, cs->sink->alloc_input(cs->self, cs, index, cs->values ? value : NULL));
    names_done(cs);
    return index;
}

/* -- normalised rows -- */

static bool is_normal(const struct lc *lc)
{
    for (uint32_t i = 0; i < lc->count; i++)
        if ((i > 0 && lc->term[i].v <= lc->term[i - 1].v) || fr_is_zero(&lc->term[i].coeff))
            return false;
    return true;
}

static bool sort_room(struct cs *cs, uint32_t count)
{
    struct cs_sort *s = &cs->sort;
    if (count <= s->capacity)
        return true;
    size_t capacity = 256;
    while (capacity < count)
        capacity *= 2;
    mem_free(s->key);
    mem_free(s->other);
    mem_free(s->run);
    s->key = mem_alloc(capacity, sizeof s->key[0]);
    s->other = mem_alloc(capacity, sizeof s->other[0]);
    s->run = mem_alloc(capacity + 1, sizeof s->run[0]);
    s->capacity = s->key && s->other && s->run ? (uint32_t)capacity : 0;
    if (!s->capacity)
        fail_memory(cs, capacity * (2 * sizeof s->key[0] + sizeof s->run[0]), "sorting a row");
    return s->capacity != 0;
}

static void merge(uint64_t *out, const uint64_t *left, const uint64_t *middle, const uint64_t *end)
{
    const uint64_t *right = middle;
    while (left < middle && right < end) {
        const bool take_right = *right < *left;
        *out++ = take_right ? *right : *left;
        right += take_right;
        left += !take_right;
    }
    memcpy(out, left, (size_t)(middle - left) * sizeof *out);
    out += middle - left;
    memcpy(out, right, (size_t)(end - right) * sizeof *out);
}

static void insertion_sort(uint64_t *key, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint64_t k = key[i];
        uint32_t j = i;
        for (; j > 0 && key[j - 1] > k; j--)
            key[j] = key[j - 1];
        key[j] = k;
    }
}

/* Sort s->key: variable in the high half, position in the low half. Gives the sorted array. */
static const uint64_t *sort_keys(struct cs_sort *s, uint32_t count)
{
    if (count <= SMALL_ROW) {
        insertion_sort(s->key, count);
        return s->key;
    }
    uint32_t runs = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || s->key[i] < s->key[i - 1])
            s->run[runs++] = i;
    s->run[runs] = count;
    uint64_t *from = s->key, *to = s->other;
    while (runs > 1) {
        uint32_t made = 0;
        for (uint32_t r = 0; r < runs; r += 2) {
            const uint32_t begin = s->run[r], middle = s->run[r + 1];
            const uint32_t end = r + 1 < runs ? s->run[r + 2] : middle;
            merge(to + begin, from + begin, from + middle, from + end);
            s->run[made++] = begin;
        }
        s->run[made] = count;
        runs = made;
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* scratch takes the result when the lc is not normal as it is. */
static bool normalise(struct cs *cs, struct row *row, const struct lc *lc, struct lc *scratch)
{
    *row = (struct row){.term = lc->term, .count = lc->count};
    if (is_normal(lc))
        return true;
    size_t capacity = scratch->capacity;
    void *term = scratch->term;
    if (!sort_room(cs, lc->count) || !grow(cs, &term, &capacity, 0, lc->count, sizeof *lc->term, "a row"))
        return false;
    scratch->term = term;
    scratch->capacity = (uint32_t)capacity;
    for (uint32_t i = 0; i < lc->count; i++)
        cs->sort.key[i] = (uint64_t)lc->term[i].v << 32 | i;
    const uint64_t *sorted = sort_keys(&cs->sort, lc->count);
    uint32_t made = 0, zeros = 0;
    for (uint32_t i = 0; i < lc->count;) {
        struct lc_term *out = &scratch->term[made];
        *out = lc->term[(uint32_t)sorted[i]];
        for (i++; i < lc->count && (uint32_t)(sorted[i] >> 32) == out->v; i++)
            fr_add(&out->coeff, &out->coeff, &lc->term[(uint32_t)sorted[i]].coeff);
        const bool zero = fr_is_zero(&out->coeff);
        made += !zero;
        zeros += zero;
    }
    *row = (struct row){.term = scratch->term, .count = made, .zeros = zeros};
    return true;
}

void cs_enforce(struct cs *cs, const struct lc *a, const struct lc *b, const struct lc *c)
{
    if (cs->status != CUZK_OK || (cs->rows % CANCEL_EVERY == 0 && cancelled(cs)))
        return;
    if (!cs->rows_wanted) {
        cs->rows++;
        names_done(cs);
        return;
    }
    struct row row[3];
    if (!normalise(cs, &row[0], a, &cs->scratch[0]) || !normalise(cs, &row[1], b, &cs->scratch[1]) ||
        !normalise(cs, &row[2], c, &cs->scratch[2]))
        return;
    const uint64_t index = cs->rows++;
    sink_result(cs, cs->sink->enforce(cs->self, cs, index, &row[0], &row[1], &row[2]));
    names_done(cs);
}

void cs_enforce_built(struct cs *cs)
{
    cs_enforce(cs, &cs->a, &cs->b, &cs->c);
    lc_clear(&cs->a);
    lc_clear(&cs->b);
    lc_clear(&cs->c);
}

void cs_finish_inputs(struct cs *cs)
{
    for (uint32_t i = 0; i < cs->inputs && cs->status == CUZK_OK; i++) {
        lc_add_one(cs, &cs->a, i);
        cs_name(cs, "input %u", i);
        cs_enforce_built(cs);
    }
}

/* -- combinations -- */

void lc_add(struct cs *cs, struct lc *lc, var v, const fr *coeff)
{
    if (!cs->rows_wanted)
        return;
    if (lc->count == lc->capacity) {
        if (cs->status != CUZK_OK)
            return;
        if (lc->count >= VAR_AUX) {
            cs_fail(cs, CUZK_ERR_UNSUPPORTED, "a linear combination has more than 2^31 terms");
            return;
        }
        size_t capacity = lc->capacity;
        void *term = lc->term;
        if (!grow(cs, &term, &capacity, lc->count, (size_t)lc->count + 1, sizeof *lc->term,
                  "a linear combination"))
            return;
        lc->term = term;
        lc->capacity = (uint32_t)capacity;
    }
    struct lc_term *term = &lc->term[lc->count++];
    term->v = v;
    term->coeff = *coeff;
}

void lc_add_one(struct cs *cs, struct lc *lc, var v)
{
    lc_add(cs, lc, v, &FR_ONE);
}

void lc_sub_one(struct cs *cs, struct lc *lc, var v)
{
    lc_add(cs, lc, v, &cs->minus_one);
}

void lc_add_lc(struct cs *cs, struct lc *lc, const struct lc *other, const fr *scale)
{
    const bool plain = fr_equal(scale, &FR_ONE);
    for (uint32_t i = 0; i < other->count; i++) {
        fr coeff = other->term[i].coeff;
        if (!plain)
            fr_mul(&coeff, &coeff, scale);
        lc_add(cs, lc, other->term[i].v, &coeff);
    }
}

void lc_clear(struct lc *lc)
{
    lc->count = 0;
}

void lc_free(struct lc *lc)
{
    mem_free(lc->term);
    *lc = (struct lc){0};
}

/* -- circuits -- */

void cs_part(struct cs *cs)
{
    if (cs->status == CUZK_OK && cs->sink->part)
        sink_result(cs, cs->sink->part(cs->self, cs));
}

cuzk_status circuit_run(const struct circuit *c, const struct cs_sink *sink, void *self,
                        const volatile int *cancel, struct cs_counts *done, struct cuzk_error *e)
{
    struct cs cs;
    cs_init(&cs, sink, self, cancel);
    c->synthesize(c->self, &cs);
    const uint64_t rows_own = cs.rows;
    cs_finish_inputs(&cs);
    if (cs.status == CUZK_OK)
        cancelled(&cs);
    const cuzk_status status = cs.status;
    if (status != CUZK_OK)
        error_set(e, status, "%s", cs.error.message);
    else if (done)
        *done = (struct cs_counts){.rows_own = rows_own, .rows = cs.rows, .inputs = cs.inputs, .aux = cs.aux};
    cs_free(&cs);
    return status;
}
