/* r1cs/template_record.c - a circuit is run blank and cut into segments: its units, and what lies between
 * them.
 *
 * A segment's rows are gathered with references to its own variables and to others in the order in which
 * those are mentioned; at its end the references are sorted by class and the segment becomes a template,
 * unless there is an equal one. A unit whose kind and shape are known is not run at all.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/error.h"
#include "r1cs/template_build.h"
#include "r1cs/unit.h"

/* A segment between units ends when it is this large. */
#define MAX_ROWS  (UINT32_C(1) << 15)
#define MAX_BOUND (UINT32_C(1) << 14)

/* References: own variables by number, the constant one, else bound ones in the order of mention. */
#define REF_OWN UINT32_C(0x80000000)
#define REF_ONE UINT32_C(0x7fffffff)

enum class { CLASS_BIT, CLASS_WIDE, CLASS_INPUT, CLASSES };

struct ref_term {
    uint32_t ref, code; /* code: template_build_coeff's */
};

/* A variable's place among those mentioned in the segment that has this number. */
struct mention {
    var v;
    uint32_t segment, place;
};

struct known_unit {
    uint32_t kind, template;
    size_t key, key_bytes; /* in r->keys */
};

struct recorder {
    const struct exec *x;
    struct template_build build;
    struct classes classes;
    struct hash_index by_shape;    /* to known */
    struct hash_index by_contents; /* to templates */
    struct vec known, keys;        /* struct known_unit; bytes */

    /* The segment. */
    uint32_t segment, kind, first_aux;
    uint64_t first_row;
    struct vec terms, sides; /* struct ref_term; u32 ends */
    struct vec bound;        /* var, in the order of mention */
    struct vec mentions;     /* struct mention, hashed; a power of two */

    /* Of the segment when it ends, and of a unit when it begins. */
    struct vec place;   /* u32: a bound variable's place when sorted by class */
    struct vec own;     /* u64: the classes of its own variables */
    struct vec codes;   /* u32: TEMPLATE_COEFFS of the template */
    struct vec code_of; /* struct code_of, by element */
    struct vec results; /* u32 */
    struct cuzk_error error;
};

struct code_of {
    uint32_t segment, code;
};

static enum class class_of(const struct recorder *r, var v) {
    if (!(v & VAR_AUX)) return CLASS_INPUT;
    return classes_is_bit(&r->classes, VAR_INDEX(v)) ? CLASS_BIT : CLASS_WIDE;
}

static uint32_t number_of(const struct recorder *r, var v, enum class class)
{
    if (class == CLASS_INPUT)
        return v;
    const uint32_t rank = classes_rank(&r->classes, VAR_INDEX(v));
    return class == CLASS_BIT ? rank : VAR_INDEX(v) - rank;
}

/* -- gathering -- */

static void segment_begin(struct recorder *r, const struct cs *cs, uint32_t kind)
{
    r->segment++;
    r->kind = kind;
    r->first_aux = cs->aux;
    r->first_row = cs->rows;
    r->terms.count = r->sides.count = r->bound.count = r->results.count = 0;
}

static struct mention *mention_slot(const struct recorder *r, var v)
{
    struct mention *slots = r->mentions.block.ptr;
    const uint32_t mask = (uint32_t)r->mentions.count - 1;
    uint32_t at = (v * UINT32_C(2654435769) >> 8) & mask;
    while (slots[at].segment == r->segment && slots[at].v != v)
        at = (at + 1) & mask;
    return &slots[at];
}

/* Make the table twice as large, with the segment's mentions. */
static cuzk_status mentions_grow(struct recorder *r)
{
    const size_t wanted = r->mentions.count ? 2 * r->mentions.count : 4096;
    vec_clear(&r->mentions);
    const cuzk_status status = vec_append(&r->mentions, NULL, wanted, &r->error);
    if (status != CUZK_OK)
        return status;
    memset(r->mentions.block.ptr, 0, wanted * sizeof(struct mention));
    const var *bound = r->bound.block.ptr;
    for (size_t i = 0; i < r->bound.count; i++)
        *mention_slot(r, bound[i]) = (struct mention){bound[i], r->segment, (uint32_t)i};
    return CUZK_OK;
}

static cuzk_status mention(struct recorder *r, uint32_t *place, var v)
{
    if (2 * (r->bound.count + 1) > r->mentions.count) {
        const cuzk_status status = mentions_grow(r);
        if (status != CUZK_OK)
            return status;
    }
    struct mention *m = mention_slot(r, v);
    if (m->segment != r->segment) {
        *m = (struct mention){v, r->segment, (uint32_t)r->bound.count};
        const cuzk_status status = vec_append(&r->bound, &v, 1, &r->error);
        if (status != CUZK_OK)
            return status;
    }
    *place = m->place;
    return CUZK_OK;
}

static cuzk_status take_side(struct recorder *r, const struct row *side)
{
    cuzk_status status = vec_reserve(&r->terms, side->count, &r->error);
    for (uint32_t i = 0; i < side->count && status == CUZK_OK; i++) {
        const var v = side->term[i].v;
        struct ref_term t = {.ref = REF_ONE};
        if ((v & VAR_AUX) && VAR_INDEX(v) >= r->first_aux)
            t.ref = REF_OWN | (VAR_INDEX(v) - r->first_aux);
        else if (v != VAR_ONE)
            status = mention(r, &t.ref, v);
        if (status == CUZK_OK)
            status = template_build_coeff(&r->build, &t.code, &side->term[i].coeff, &r->error);
        if (status == CUZK_OK)
            status = vec_append(&r->terms, &t, 1, &r->error);
    }
    const uint32_t end = (uint32_t)r->terms.count;
    return status == CUZK_OK ? vec_append(&r->sides, &end, 1, &r->error) : status;
}

/* -- a segment becomes a template -- */

/* The classes' counts, and each variable's place when sorted by class, in the order given otherwise. */
static cuzk_status sort_by_class(struct recorder *r, const var *v, size_t count, uint32_t counts[CLASSES])
{
    r->place.count = 0;
    const cuzk_status status = vec_append(&r->place, NULL, count, &r->error);
    if (status != CUZK_OK)
        return status;
    uint32_t *place = r->place.block.ptr, next[CLASSES] = {0};
    memset(counts, 0, CLASSES * sizeof counts[0]);
    for (size_t i = 0; i < count; i++)
        counts[class_of(r, v[i])]++;
    next[CLASS_WIDE] = counts[CLASS_BIT];
    next[CLASS_INPUT] = counts[CLASS_BIT] + counts[CLASS_WIDE];
    for (size_t i = 0; i < count; i++)
        place[i] = next[class_of(r, v[i])]++;
    return CUZK_OK;
}

static cuzk_status take_own_classes(struct recorder *r, struct template *t)
{
    r->own.count = 0;
    const cuzk_status status = vec_append(&r->own, NULL, ((size_t)t->aux + 63) / 64, &r->error);
    if (status != CUZK_OK)
        return status;
    uint64_t *own = r->own.block.ptr;
    memset(own, 0, r->own.count * sizeof *own);
    for (uint32_t i = 0; i < t->aux; i++) {
        const bool is_bit = classes_is_bit(&r->classes, r->first_aux + i);
        own[i / 64] |= (uint64_t)is_bit << i % 64;
        t->bits += is_bit;
    }
    return CUZK_OK;
}

/* The template's own code of a coefficient. */
static cuzk_status own_code(struct recorder *r, uint32_t *out, uint32_t code)
{
    *out = code;
    if (code < TEMPLATE_POWERS)
        return CUZK_OK;
    const uint32_t element = code - TEMPLATE_POWERS;
    cuzk_status status = CUZK_OK;
    if (element >= r->code_of.count) {
        const size_t from = r->code_of.count, more = element + 1 - from;
        status = vec_append(&r->code_of, NULL, more, &r->error);
        if (status != CUZK_OK)
            return status;
        memset(vec_at(&r->code_of, from), 0, more * sizeof(struct code_of));
    }
    struct code_of *c = vec_at(&r->code_of, element);
    if (c->segment != r->segment) {
        *c = (struct code_of){r->segment, TEMPLATE_POWERS + (uint32_t)r->codes.count};
        status = vec_append(&r->codes, &element, 1, &r->error);
    }
    *out = c->code;
    return status;
}

static void sort_terms(uint32_t *term, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t t = term[i];
        uint32_t j = i;
        for (; j > 0 && template_term_local(term[j - 1]) > template_term_local(t); j--)
            term[j] = term[j - 1];
        term[j] = t;
    }
}

/* The segment's rows at the end of the arrays. */
static cuzk_status put_rows(struct recorder *r, struct template *t)
{
    struct vec *terms = &r->build.part[TEMPLATE_TERMS], *sides = &r->build.part[TEMPLATE_SIDES];
    const uint32_t bound = template_bound(t), *place = r->place.block.ptr, *end = r->sides.block.ptr,
                   zero = 0;
    r->codes.count = 0;
    cuzk_status status = vec_reserve(terms, r->terms.count, &r->error);
    for (size_t i = 0; i < r->terms.count && status == CUZK_OK; i++) {
        const struct ref_term *from = vec_at(&r->terms, i);
        uint32_t local = 0, code;
        if (from->ref != REF_ONE)
            local = 1 + (from->ref & REF_OWN ? bound + (from->ref & ~REF_OWN) : place[from->ref]);
        status = own_code(r, &code, from->code);
        if (status == CUZK_OK && (local >= TEMPLATE_MAX_LOCALS || code >= TEMPLATE_MAX_CODES))
            status = error_set(&r->error, CUZK_ERR_UNSUPPORTED, "a gadget is too large for a template");
        const uint32_t term = template_term(local, code);
        if (status == CUZK_OK)
            status = vec_append(terms, &term, 1, &r->error);
    }
    if (status == CUZK_OK)
        status = vec_append(sides, &zero, 1, &r->error);
    if (status == CUZK_OK)
        status = vec_append(sides, end, r->sides.count, &r->error);
    if (status != CUZK_OK)
        return status;
    for (size_t k = 0; k < r->sides.count; k++)
        sort_terms(vec_at(terms, t->term + (k ? end[k - 1] : 0)), end[k] - (k ? end[k - 1] : 0));
    return CUZK_OK;
}

/* What of a template's arrays tells it from others. */
static const enum template_section CONTENTS[] = {TEMPLATE_TERMS, TEMPLATE_SIDES, TEMPLATE_CLASSES,
                                                 TEMPLATE_RESULTS, TEMPLATE_COEFFS};

static size_t part_of(const struct template *t, enum template_section section, size_t *count)
{
    switch (section) {
    case TEMPLATE_TERMS:
        *count = t->terms;
        return (size_t)t->term;
    case TEMPLATE_SIDES:
        *count = 3 * (size_t)t->rows + 1;
        return (size_t)t->side;
    case TEMPLATE_CLASSES:
        *count = ((size_t)t->aux + 63) / 64;
        return (size_t)t->class_word;
    case TEMPLATE_RESULTS:
        *count = t->results;
        return (size_t)t->result;
    default:
        *count = t->coeffs;
        return (size_t)t->coeff;
    }
}

static uint64_t contents_hash(const struct recorder *r, const struct template *t)
{
    const uint32_t counts[] = {t->kind,       t->aux,        t->bits,        t->rows,
                               t->bound_bits, t->bound_wide, t->bound_inputs};
    uint64_t h = hash_bytes(t->shape, counts, sizeof counts);
    for (size_t i = 0; i < ARRAY_LEN(CONTENTS); i++) {
        size_t count;
        const size_t at = part_of(t, CONTENTS[i], &count);
        h = hash_bytes(h, vec_at(&r->build.part[CONTENTS[i]], at), count * r->build.part[CONTENTS[i]].each);
    }
    return h;
}

static bool same_contents(const struct recorder *r, const struct template *a, const struct template *b)
{
    if (a->kind != b->kind || a->aux != b->aux || a->rows != b->rows || a->bound_bits != b->bound_bits ||
        a->bound_wide != b->bound_wide || a->bound_inputs != b->bound_inputs ||
        (a->kind != UNIT_NONE && a->shape != b->shape))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(CONTENTS); i++) {
        const struct vec *part = &r->build.part[CONTENTS[i]];
        size_t count_a, count_b;
        const size_t at_a = part_of(a, CONTENTS[i], &count_a), at_b = part_of(b, CONTENTS[i], &count_b);
        if (count_a != count_b)
            return false;
        if (count_a > 0 && memcmp(vec_at(part, at_a), vec_at(part, at_b), count_a * part->each) != 0)
            return false;
    }
    return true;
}

/* Keep the template that stands at the ends of the arrays, or drop it for an equal one. */
static cuzk_status keep_or_drop(struct recorder *r, struct template *t, uint32_t *number)
{
    struct vec *templates = &r->build.part[TEMPLATE_TEMPLATES];
    const uint64_t hash = contents_hash(r, t);
    size_t cursor = 0;
    while (hash_index_next(&r->by_contents, hash, &cursor, number))
        if (same_contents(r, t, vec_at(templates, *number))) {
            for (size_t i = 0; i < ARRAY_LEN(CONTENTS); i++) {
                size_t count;
                r->build.part[CONTENTS[i]].count = part_of(t, CONTENTS[i], &count);
            }
            return CUZK_OK;
        }
    *number = (uint32_t)templates->count;
    if (t->kind == UNIT_NONE)
        t->shape = hash;
    cuzk_status status = template_compile(&r->build, t, &r->error);
    if (status == CUZK_OK)
        status = vec_append(templates, t, 1, &r->error);
    return status == CUZK_OK ? hash_index_add(&r->by_contents, hash, *number, &r->error) : status;
}

static cuzk_status put_instance(struct recorder *r, uint32_t number, const var *bound, size_t count)
{
    const struct template *t = vec_at(&r->build.part[TEMPLATE_TEMPLATES], number);
    struct vec *bindings = &r->build.part[TEMPLATE_BINDINGS];
    const uint32_t first_bit = r->classes.bits - t->bits;
    const struct template_instance instance = {.template = number,
                                               .first_aux = r->first_aux,
                                               .first_bit = first_bit,
                                               .first_wide = r->first_aux - first_bit,
                                               .first_row = (uint32_t)r->first_row,
                                               .binding = (uint32_t)bindings->count};
    cuzk_status status = vec_append(&r->build.part[TEMPLATE_INSTANCES], &instance, 1, &r->error);
    if (status == CUZK_OK)
        status = vec_append(bindings, NULL, count, &r->error);
    if (status != CUZK_OK)
        return status;
    uint32_t *to = vec_at(bindings, instance.binding);
    const uint32_t *place = r->place.block.ptr;
    for (size_t i = 0; i < count; i++)
        to[place[i]] = number_of(r, bound[i], class_of(r, bound[i]));
    return CUZK_OK;
}

static cuzk_status segment_end(struct recorder *r, const struct cs *cs, uint64_t shape, uint32_t *number)
{
    const struct template_build *b = &r->build;
    if (cs->aux == r->first_aux && cs->rows == r->first_row)
        return CUZK_OK;
    struct template t = {.kind = r->kind,
                         .aux = cs->aux - r->first_aux,
                         .rows = (uint32_t)(cs->rows - r->first_row),
                         .results = (uint32_t)r->results.count,
                         .terms = (uint32_t)r->terms.count,
                         .shape = shape,
                         .term = b->part[TEMPLATE_TERMS].count,
                         .side = b->part[TEMPLATE_SIDES].count,
                         .class_word = b->part[TEMPLATE_CLASSES].count,
                         .result = b->part[TEMPLATE_RESULTS].count,
                         .coeff = b->part[TEMPLATE_COEFFS].count};
    uint32_t counts[CLASSES];
    cuzk_status status = sort_by_class(r, r->bound.block.ptr, r->bound.count, counts);
    if (status == CUZK_OK)
        status = take_own_classes(r, &t);
    if (status != CUZK_OK)
        return status;
    t.bound_bits = counts[CLASS_BIT];
    t.bound_wide = counts[CLASS_WIDE];
    t.bound_inputs = counts[CLASS_INPUT];
    status = put_rows(r, &t);
    t.coeffs = (uint32_t)r->codes.count;
    if (status == CUZK_OK)
        status = vec_append(&r->build.part[TEMPLATE_CLASSES], r->own.block.ptr, r->own.count, &r->error);
    if (status == CUZK_OK)
        status =
            vec_append(&r->build.part[TEMPLATE_RESULTS], r->results.block.ptr, r->results.count, &r->error);
    if (status == CUZK_OK)
        status = vec_append(&r->build.part[TEMPLATE_COEFFS], r->codes.block.ptr, r->codes.count, &r->error);
    if (status == CUZK_OK)
        status = keep_or_drop(r, &t, number);
    return status == CUZK_OK ? put_instance(r, *number, r->bound.block.ptr, r->bound.count) : status;
}

/* -- what the circuit calls -- */

static cuzk_status on_wide(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct recorder *r = self;
    (void)cs;
    (void)index;
    (void)value;
    return classes_add(&r->classes, false, &r->error);
}

static cuzk_status on_bit(void *self, const struct cs *cs, uint32_t index, bool value)
{
    struct recorder *r = self;
    (void)cs;
    (void)index;
    (void)value;
    return classes_add(&r->classes, true, &r->error);
}

static cuzk_status on_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                          const struct row *b, const struct row *c)
{
    struct recorder *r = self;
    if (index >= UINT32_MAX)
        return error_set(&r->error, CUZK_ERR_UNSUPPORTED, "a circuit has more than 2^32 rows");
    cuzk_status status = take_side(r, a);
    if (status == CUZK_OK)
        status = take_side(r, b);
    if (status == CUZK_OK)
        status = take_side(r, c);
    if (status == CUZK_OK && r->kind == UNIT_NONE &&
        (cs->rows - r->first_row >= MAX_ROWS || cs->aux - r->first_aux >= MAX_ROWS ||
         r->bound.count >= MAX_BOUND)) {
        uint32_t number;
        status = segment_end(r, cs, 0, &number);
        segment_begin(r, cs, UNIT_NONE);
    }
    return status;
}

static cuzk_status on_part(void *self, const struct cs *cs)
{
    struct recorder *r = self;
    uint32_t number;
    cuzk_status status = segment_end(r, cs, 0, &number);
    segment_begin(r, cs, UNIT_NONE);
    const struct template_part part = {.instance = (uint32_t)r->build.part[TEMPLATE_INSTANCES].count,
                                       .input = cs->inputs};
    if (status == CUZK_OK)
        status = vec_append(&r->build.part[TEMPLATE_PARTS], &part, 1, &r->error);
    return status;
}

/* Kind, shape and the operands' classes, at the end of r->keys. */
static cuzk_status put_key(struct recorder *r, const struct unit *u, uint64_t *hash)
{
    const size_t at = r->keys.count;
    cuzk_status status = vec_append(&r->keys, u->shape, u->shape_bytes, &r->error);
    if (status == CUZK_OK)
        status = vec_append(&r->keys, NULL, u->operands->count, &r->error);
    if (status != CUZK_OK)
        return status;
    uint8_t *class = vec_at(&r->keys, at + u->shape_bytes);
    for (uint32_t i = 0; i < u->operands->count; i++)
        class[i] = (uint8_t)class_of(r, u->operands->v[i]);
    *hash = hash_bytes(u->kind, vec_at(&r->keys, at), r->keys.count - at);
    return CUZK_OK;
}

/* The known unit whose key is the one at r->keys' end from `at` on; NULL: none. */
static const struct known_unit *find_known(const struct recorder *r, uint32_t kind, size_t at, uint64_t hash)
{
    const size_t bytes = r->keys.count - at;
    size_t cursor = 0;
    uint32_t number;
    while (hash_index_next(&r->by_shape, hash, &cursor, &number)) {
        const struct known_unit *k = vec_at(&r->known, number);
        if (k->kind == kind && k->key_bytes == bytes &&
            memcmp(vec_at(&r->keys, k->key), vec_at(&r->keys, at), bytes) == 0)
            return k;
    }
    return NULL;
}

/* Its variables and rows, without running it. */
static cuzk_status skip_unit(struct recorder *r, struct cs *cs, struct unit *u, uint32_t number)
{
    const struct template *t = vec_at(&r->build.part[TEMPLATE_TEMPLATES], number);
    const uint64_t *own = vec_at(&r->build.part[TEMPLATE_CLASSES], t->class_word);
    uint32_t counts[CLASSES];
    cuzk_status status = sort_by_class(r, u->operands->v, u->operands->count, counts);
    if (status == CUZK_OK && t->aux > VAR_AUX - 1 - cs->aux)
        status = error_set(&r->error, CUZK_ERR_UNSUPPORTED, "a circuit has more than 2^31 variables");
    for (uint32_t i = 0; i < t->aux && status == CUZK_OK; i++)
        status = classes_add(&r->classes, own[i / 64] >> i % 64 & 1, &r->error);
    if (status == CUZK_OK)
        status = put_instance(r, number, u->operands->v, u->operands->count);
    if (status != CUZK_OK)
        return status;
    u->first_aux = cs->aux;
    u->result = vec_at(&r->build.part[TEMPLATE_RESULTS], t->result);
    u->results = t->results;
    u->bit_count = t->bits;
    u->wide_count = template_wide(t);
    u->bits = NULL;
    u->wide = NULL;
    cs->aux += t->aux;
    cs->rows += t->rows;
    return CUZK_OK;
}

static cuzk_status on_unit_enter(void *self, struct cs *cs, struct unit *u, bool *skip)
{
    struct recorder *r = self;
    const size_t at = r->keys.count;
    uint32_t number;
    uint64_t hash = 0;
    cuzk_status status = segment_end(r, cs, 0, &number);
    segment_begin(r, cs, u->kind);
    if (status == CUZK_OK)
        status = put_key(r, u, &hash);
    if (status != CUZK_OK)
        return status;
    const struct known_unit *known = find_known(r, u->kind, at, hash);
    *skip = known != NULL;
    if (known) {
        r->keys.count = at;
        status = skip_unit(r, cs, u, known->template);
        segment_begin(r, cs, UNIT_NONE);
        return status;
    }
    /* The key stays, and the operands come first. */
    const struct known_unit k = {.kind = u->kind, .key = at, .key_bytes = r->keys.count - at};
    const uint32_t place = (uint32_t)r->known.count;
    status = vec_append(&r->known, &k, 1, &r->error);
    if (status == CUZK_OK)
        status = hash_index_add(&r->by_shape, hash, place, &r->error);
    uint32_t unused;
    for (uint32_t i = 0; i < u->operands->count && status == CUZK_OK; i++)
        status = mention(r, &unused, u->operands->v[i]);
    return status;
}

static cuzk_status on_unit_leave(void *self, struct cs *cs, struct unit *u)
{
    struct recorder *r = self;
    struct known_unit *known = vec_at(&r->known, r->known.count - 1);
    cuzk_status status = CUZK_OK;
    if (r->bound.count != u->operands->count)
        return error_set(&r->error, CUZK_ERR_INTERNAL,
                         "a unit refers to a variable that is none of its operands");
    for (uint32_t i = 0; i < u->results && status == CUZK_OK; i++) {
        const uint32_t own = VAR_INDEX(u->result_var[i]) - r->first_aux;
        if (!(u->result_var[i] & VAR_AUX) || own >= cs->aux - r->first_aux)
            return error_set(&r->error, CUZK_ERR_INTERNAL, "a unit's result is not its own");
        status = vec_append(&r->results, &own, 1, &r->error);
    }
    if (status == CUZK_OK)
        status = segment_end(r, cs, hash_bytes(u->kind, u->shape, u->shape_bytes), &known->template);
    segment_begin(r, cs, UNIT_NONE);
    return status;
}

/* -- the whole -- */

static void recorder_init(struct recorder *r, const struct exec *x)
{
    const struct {
        struct vec *vec;
        size_t each;
    } all[] = {{&r->known, sizeof(struct known_unit)},
               {&r->keys, 1},
               {&r->terms, sizeof(struct ref_term)},
               {&r->sides, sizeof(uint32_t)},
               {&r->bound, sizeof(var)},
               {&r->mentions, sizeof(struct mention)},
               {&r->place, sizeof(uint32_t)},
               {&r->own, sizeof(uint64_t)},
               {&r->codes, sizeof(uint32_t)},
               {&r->code_of, sizeof(struct code_of)},
               {&r->results, sizeof(uint32_t)}};
    memset(r, 0, sizeof *r);
    r->x = x;
    template_build_init(&r->build, x->budget);
    r->classes.budget = r->by_shape.budget = r->by_contents.budget = x->budget;
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        *all[i].vec = (struct vec){.each = all[i].each, .what = "recording templates", .budget = x->budget};
    r->segment = 1;
}

static void recorder_free(struct recorder *r)
{
    struct vec *const all[] = {&r->known, &r->keys, &r->terms, &r->sides,   &r->bound,  &r->mentions,
                               &r->place, &r->own,  &r->codes, &r->code_of, &r->results};
    template_build_free(&r->build);
    classes_free(&r->classes);
    hash_index_free(&r->by_shape);
    hash_index_free(&r->by_contents);
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        vec_free(all[i]);
}

/* The last segment ends with the inputs' rows, which circuit_run adds when the circuit is through. */
static cuzk_status record(struct recorder *r, struct templates *out, const struct circuit *circuit)
{
    static const struct cs_sink sink = {.alloc = on_wide,
                                        .alloc_bit = on_bit,
                                        .enforce = on_row,
                                        .unit_enter = on_unit_enter,
                                        .unit_leave = on_unit_leave,
                                        .part = on_part};
    struct cuzk_error e;
    struct cs_counts counts;
    cuzk_status status = circuit_run(circuit, &sink, r, r->x->cancel, &counts, &e);
    if (status != CUZK_OK)
        return r->error.status != CUZK_OK ? r->error.status : error_set(&r->error, status, "%s", e.message);
    const struct cs end = {.aux = counts.aux, .rows = counts.rows};
    uint32_t number;
    status = segment_end(r, &end, 0, &number);
    if (status != CUZK_OK)
        return status;
    out->counts = counts;
    out->bits = r->classes.bits;
    out->wide = counts.aux - out->bits;
    for (unsigned s = 0; s < TEMPLATE_SECTIONS; s++) {
        out->count[s] = r->build.part[s].count;
        out->block[s] = r->build.part[s].block;
        r->build.part[s].block = (struct block){0};
    }
    templates_point(out);
    return CUZK_OK;
}

cuzk_status templates_record(const struct exec *x, struct templates *out, const struct circuit *circuit,
                             struct cuzk_error *e)
{
    struct recorder r;
    struct templates t = {.bits = 0};
    recorder_init(&r, x);
    const cuzk_status status = record(&r, &t, circuit);
    if (status != CUZK_OK)
        error_set(e, status, "%s", r.error.message);
    else
        *out = t;
    recorder_free(&r);
    return status;
}
