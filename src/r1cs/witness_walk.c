/* r1cs/witness_walk.c - a witness as bits and wide values, unit by unit.
 *
 * The units come in the order in which the templates' instances stand. What lies between them is allocated
 * variable by variable.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/witness_walk.h"

#include <string.h>

#include "base/error.h"
#include "r1cs/hash_index.h"
#include "r1cs/unit.h"

#define REPORT_EVERY UINT32_C(0xfff) /* instances between two reports, less one */

struct walk {
    const struct exec *x;
    const struct templates *t;
    struct assignment *w;
    size_t instance; /* the next one */
    uint32_t bits, wide;
    void **plan; /* one a template */
    struct cuzk_error error;
};

static cuzk_status other_circuit(struct walk *k, const char *what)
{
    return error_set(&k->error, CUZK_ERR_MISMATCH, "the templates are of another circuit: %s", what);
}

static cuzk_status on_input(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct walk *k = self;
    (void)cs;
    if (index >= k->w->inputs)
        return other_circuit(k, "it has more inputs");
    k->w->input[index] = *value;
    return CUZK_OK;
}

static cuzk_status on_wide(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct walk *k = self;
    (void)cs;
    (void)index;
    if (k->wide >= k->w->wide)
        return other_circuit(k, "it has more wide variables");
    k->w->wide_value[k->wide++] = *value;
    return CUZK_OK;
}

static cuzk_status on_bit(void *self, const struct cs *cs, uint32_t index, bool value)
{
    struct walk *k = self;
    (void)cs;
    (void)index;
    if (k->bits >= k->w->bits)
        return other_circuit(k, "it has more bits");
    k->w->bit[k->bits / 64] |= (uint64_t)value << k->bits % 64;
    k->bits++;
    return CUZK_OK;
}

static cuzk_status on_unit_enter(void *self, struct cs *cs, struct unit *u, bool *skip)
{
    struct walk *k = self;
    const struct templates *t = k->t;
    while (k->instance < t->count[TEMPLATE_INSTANCES] &&
           t->template[t->instance[k->instance].template].kind == UNIT_NONE)
        k->instance++;
    if (k->instance == t->count[TEMPLATE_INSTANCES])
        return other_circuit(k, "it has more units");
    const struct template_instance *i = &t->instance[k->instance];
    const struct template *one = &t->template[i->template];
    if (one->kind != u->kind || one->shape != hash_bytes(u->kind, u->shape, u->shape_bytes) ||
        i->first_aux != cs->aux || i->first_bit != k->bits || i->first_wide != k->wide ||
        i->first_row != cs->rows)
        return other_circuit(k, "a unit differs");
    if ((k->instance & REPORT_EVERY) == 0)
        exec_progress(k->x, "witness", i->first_aux, t->counts.aux);
    *skip = true;
    u->first_aux = i->first_aux;
    u->result = t->result + one->result;
    u->results = one->results;
    u->bits = k->w->bit;
    u->bit_at = k->bits;
    u->wide = k->w->wide_value + k->wide;
    u->variant = k->x->variant;
    u->plan = &k->plan[i->template];
    k->instance++;
    k->bits += one->bits;
    k->wide += template_wide(one);
    cs->aux += one->aux;
    cs->rows += one->rows;
    return CUZK_OK;
}

static cuzk_status on_unit_leave(void *self, struct cs *cs, struct unit *u)
{
    (void)self;
    (void)cs;
    (void)u;
    return CUZK_OK;
}

static cuzk_status walk(struct walk *k, const struct circuit *circuit, struct cuzk_error *e)
{
    static const struct cs_sink sink = {.alloc_input = on_input,
                                        .alloc = on_wide,
                                        .alloc_bit = on_bit,
                                        .unit_enter = on_unit_enter,
                                        .unit_leave = on_unit_leave,
                                        .wants_values = true};
    const struct templates *t = k->t;
    struct cs_counts counts;
    const cuzk_status status = circuit_run(circuit, &sink, k, k->x->cancel, &counts, e);
    if (status != CUZK_OK)
        return k->error.status != CUZK_OK ? error_set(e, k->error.status, "%s", k->error.message) : status;
    if (counts.aux != t->counts.aux || counts.rows != t->counts.rows || counts.inputs != t->counts.inputs ||
        k->bits != t->bits)
        return error_set(e, CUZK_ERR_MISMATCH, "the templates are of another circuit: the counts differ");
    exec_progress(k->x, "witness", counts.aux, counts.aux);
    return CUZK_OK;
}

cuzk_status witness_walk(const struct exec *x, struct assignment *out, const struct templates *t,
                         const struct circuit *circuit, struct cuzk_error *e)
{
    struct assignment w;
    cuzk_status status = assignment_new(&w, x->budget, t->counts.inputs, t->bits, t->wide, e);
    if (status != CUZK_OK)
        return status;
    const size_t templates = t->count[TEMPLATE_TEMPLATES];
    struct walk k = {.x = x, .t = t, .w = &w, .plan = mem_alloc(templates, sizeof(void *))};
    status = k.plan ? walk(&k, circuit, e) : error_memory(e, templates * sizeof(void *), "plans of units");
    for (size_t i = 0; i < templates && k.plan; i++)
        mem_free(k.plan[i]);
    mem_free(k.plan);
    if (status == CUZK_OK)
        *out = w;
    else
        assignment_free(&w);
    return status;
}
