/* r1cs/witness_walk.c - a witness as bits and wide values, unit by unit.
 *
 * The units come in the order in which the templates' instances stand. What lies between them is allocated
 * variable by variable. Parts of a circuit are walked by all threads, each part's bits first by themselves.
 * Traces of Poseidon hashes wait in a queue a thread until there are enough to be made side by side.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/witness_walk.h"

#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "hash/poseidon_trace.h"
#include "r1cs/bits.h"
#include "r1cs/hash_index.h"
#include "r1cs/unit.h"

#define REPORT_EVERY 4096u /* instances between two reports */

/* Where a walk stands in the witness, or begins or ends. */
struct place {
    size_t instance;
    uint32_t inputs, aux, bits, wide;
    uint64_t rows;
};

struct walk {
    const struct exec *x;
    const struct templates *t;
    const struct assignment *w;
    struct place at, end;
    uint64_t *bit; /* this walk's bits, from first_bit on */
    uint32_t first_bit;
    bool alone;  /* the only walk: it reports progress */
    void **plan; /* one a template */
    struct poseidon_queue *traces;
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
    if (index >= k->end.inputs)
        return other_circuit(k, "it has more inputs");
    if (index >= k->at.inputs) /* the constant one comes first in each part */
        k->w->input[index] = *value;
    return CUZK_OK;
}

static cuzk_status on_wide(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct walk *k = self;
    (void)cs;
    (void)index;
    if (k->at.wide >= k->end.wide)
        return other_circuit(k, "it has more wide variables");
    k->w->wide_value[k->at.wide++] = *value;
    return CUZK_OK;
}

static cuzk_status on_bit(void *self, const struct cs *cs, uint32_t index, bool value)
{
    struct walk *k = self;
    (void)cs;
    (void)index;
    if (k->at.bits >= k->end.bits)
        return other_circuit(k, "it has more bits");
    const uint32_t number = k->at.bits++ - k->first_bit;
    k->bit[number / 64] |= (uint64_t)value << number % 64;
    return CUZK_OK;
}

static cuzk_status on_unit_enter(void *self, struct cs *cs, struct unit *u, bool *skip)
{
    struct walk *k = self;
    const struct templates *t = k->t;
    while (k->at.instance < k->end.instance &&
           t->template[t->instance[k->at.instance].template].kind == UNIT_NONE)
        k->at.instance++;
    if (k->at.instance == k->end.instance)
        return other_circuit(k, "it has more units");
    const struct template_instance *i = &t->instance[k->at.instance];
    const struct template *one = &t->template[i->template];
    if (one->kind != u->kind || one->shape != hash_bytes(u->kind, u->shape, u->shape_bytes) ||
        i->first_aux != cs->aux || i->first_bit != k->at.bits || i->first_wide != k->at.wide ||
        i->first_row != cs->rows)
        return other_circuit(k, "a unit differs");
    if (k->alone && k->at.instance % REPORT_EVERY == 0)
        exec_progress(k->x, "witness", i->first_aux, t->counts.aux);
    *skip = true;
    u->first_aux = i->first_aux;
    u->result = t->result + one->result;
    u->results = one->results;
    u->bit_count = one->bits;
    u->wide_count = template_wide(one);
    u->bits = k->bit;
    u->bit_at = k->at.bits - k->first_bit;
    u->wide = k->w->wide_value + k->at.wide;
    u->variant = k->x->variant;
    u->traces = k->traces;
    u->plan = &k->plan[i->template];
    k->at.instance++;
    k->at.bits += one->bits;
    k->at.wide += template_wide(one);
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

static const struct cs_sink sink = {.alloc_input = on_input,
                                    .alloc = on_wide,
                                    .alloc_bit = on_bit,
                                    .unit_enter = on_unit_enter,
                                    .unit_leave = on_unit_leave,
                                    .wants_values = true};

/* Where instance k begins; the end for one behind the last. inputs: the caller's to set. */
static struct place place_of(const struct templates *t, size_t k)
{
    if (k == t->count[TEMPLATE_INSTANCES])
        return (struct place){k, t->counts.inputs, t->counts.aux, t->bits, t->wide, t->counts.rows_own};
    const struct template_instance *i = &t->instance[k];
    return (struct place){k, 0, i->first_aux, i->first_bit, i->first_wide, i->first_row};
}

/* -- the whole in one walk -- */

static void **plans_new(size_t count, struct cuzk_error *e)
{
    void **plan = mem_alloc(count, sizeof *plan);
    if (!plan)
        error_memory(e, count * sizeof *plan, "plans of units");
    return plan;
}

static void plans_free(void **plan, size_t count)
{
    for (size_t i = 0; plan && i < count; i++)
        mem_free(plan[i]);
    mem_free(plan);
}

/* One a worker. */
static struct poseidon_queue *queues_new(size_t count, enum cpu_variant variant, struct cuzk_error *e)
{
    struct poseidon_queue *queue = mem_alloc(count, sizeof *queue);
    if (!queue)
        error_memory(e, count * sizeof *queue, "waiting traces");
    for (size_t i = 0; queue && i < count; i++)
        queue[i].variant = variant;
    return queue;
}

static cuzk_status walk_whole(const struct exec *x, const struct assignment *w, const struct templates *t,
                              const struct circuit *circuit, struct cuzk_error *e)
{
    struct walk k = {.x = x, .t = t, .w = w, .bit = w->bit, .alone = true};
    struct cs_counts counts;
    k.end = place_of(t, t->count[TEMPLATE_INSTANCES]);
    k.plan = plans_new(t->count[TEMPLATE_TEMPLATES], e);
    k.traces = k.plan ? queues_new(1, x->variant, e) : NULL;
    if (!k.traces) {
        plans_free(k.plan, t->count[TEMPLATE_TEMPLATES]);
        return CUZK_ERR_MEMORY;
    }
    cuzk_status status = circuit_run(circuit, &sink, &k, x->cancel, &counts, e);
    poseidon_queue_finish(k.traces);
    if (k.error.status != CUZK_OK)
        status = error_set(e, k.error.status, "%s", k.error.message);
    else if (status == CUZK_OK && (counts.aux != t->counts.aux || counts.rows != t->counts.rows ||
                                   counts.inputs != t->counts.inputs || k.at.bits != t->bits))
        status = error_set(e, CUZK_ERR_MISMATCH, "the templates are of another circuit: the counts differ");
    mem_free(k.traces);
    plans_free(k.plan, t->count[TEMPLATE_TEMPLATES]);
    return status;
}

/* -- part by part -- */

struct parts {
    const struct exec *x;
    const struct assignment *w;
    const struct templates *t;
    const struct circuit *circuit;
    void **plans;                  /* a list a worker */
    struct poseidon_queue *traces; /* one a worker */
    struct block bits;             /* room for a part's, a worker */
    size_t words;                  /* of it */
    int failed;                    /* set once; whoever sets it owns error */
    cuzk_status status;
    struct cuzk_error error;
};

static void fail(struct parts *p, cuzk_status status, const char *message)
{
    int none = 0;
    if (__atomic_compare_exchange_n(&p->failed, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        p->status = error_set(&p->error, status, "%s", message);
}

static struct place part_begin(const struct templates *t, size_t part)
{
    if (part == t->count[TEMPLATE_PARTS])
        return place_of(t, t->count[TEMPLATE_INSTANCES]);
    struct place p = place_of(t, t->part[part].instance);
    p.inputs = t->part[part].input;
    return p;
}

/* Put a part's bits among the others'; its first and last word are shared with its neighbours. */
static void put_bits(uint64_t *out, uint32_t first, const uint64_t *bit, uint32_t count)
{
    for (uint32_t done = 0; done < count;) {
        const uint32_t at = first + done, room = 64 - at % 64;
        const uint32_t part = count - done < room ? count - done : room;
        const uint64_t word = bits_read(bit, done, part) << at % 64;
        if (part == 64)
            out[at / 64] = word;
        else
            __atomic_fetch_or(&out[at / 64], word, __ATOMIC_RELAXED);
        done += part;
    }
}

static void part_task(void *ctx, size_t part, unsigned worker)
{
    struct parts *p = ctx;
    const struct templates *t = p->t;
    if (__atomic_load_n(&p->failed, __ATOMIC_RELAXED))
        return;
    struct walk k = {.x = p->x, .t = t, .w = p->w, .at = part_begin(t, part), .end = part_begin(t, part + 1)};
    struct cs cs;
    k.bit = (uint64_t *)p->bits.ptr + worker * p->words;
    k.first_bit = k.at.bits;
    k.plan = p->plans + worker * t->count[TEMPLATE_TEMPLATES];
    k.traces = &p->traces[worker];
    memset(k.bit, 0, p->words * sizeof *k.bit);
    cs_init(&cs, &sink, &k, p->x->cancel);
    cs.inputs = k.at.inputs;
    cs.aux = k.at.aux;
    cs.rows = k.at.rows;
    p->circuit->part(p->circuit->self, &cs, (uint32_t)part);
    if (k.error.status != CUZK_OK)
        fail(p, k.error.status, k.error.message);
    else if (cs.status != CUZK_OK)
        fail(p, cs.status, cs.error.message);
    else if (cs.aux != k.end.aux || cs.inputs != k.end.inputs || cs.rows != k.end.rows ||
             k.at.bits != k.end.bits)
        fail(p, CUZK_ERR_MISMATCH, "the templates are of another circuit: a part's counts differ");
    else
        put_bits(p->w->bit, k.first_bit, k.bit, k.end.bits - k.first_bit);
    cs_free(&cs);
}

static void finish_task(void *ctx, size_t i, unsigned worker)
{
    struct parts *p = ctx;
    (void)worker;
    poseidon_queue_finish(&p->traces[i]);
}

/* Do the circuit's parts make the whole, and the templates know them? */
static bool has_parts(const struct templates *t, const struct circuit *circuit)
{
    return circuit->parts > 1 && t->count[TEMPLATE_PARTS] == circuit->parts && t->part[0].instance == 0 &&
           t->part[0].input == 1;
}

static cuzk_status walk_parts(const struct exec *x, const struct assignment *w, const struct templates *t,
                              const struct circuit *circuit, struct cuzk_error *e)
{
    struct parts p = {.x = x, .w = w, .t = t, .circuit = circuit};
    const size_t workers = pool_threads(x->pool), plans = workers * t->count[TEMPLATE_TEMPLATES];
    uint32_t most = 0;
    for (uint32_t i = 0; i < circuit->parts; i++) {
        const uint32_t bits = part_begin(t, i + 1).bits - part_begin(t, i).bits;
        most = bits > most ? bits : most;
    }
    p.words = (size_t)most / 64 + 2;
    cuzk_status status =
        block_new(&p.bits, x->budget, workers * p.words, sizeof(uint64_t), "the witness's bits", e);
    if (status != CUZK_OK)
        return status;
    p.plans = plans_new(plans, e);
    p.traces = p.plans ? queues_new(workers, x->variant, e) : NULL;
    if (!p.traces) {
        plans_free(p.plans, plans);
        block_free(&p.bits);
        return CUZK_ERR_MEMORY;
    }
    w->input[0] = FR_ONE;
    exec_progress(x, "witness", 0, t->counts.aux);
    pool_run(x->pool, part_task, &p, circuit->parts);
    pool_run(x->pool, finish_task, &p, workers);
    mem_free(p.traces);
    plans_free(p.plans, plans);
    block_free(&p.bits);
    return p.failed ? error_set(e, p.status, "%s", p.error.message) : CUZK_OK;
}

cuzk_status witness_walk(const struct exec *x, struct assignment *out, const struct templates *t,
                         const struct circuit *circuit, struct cuzk_error *e)
{
    struct assignment w;
    cuzk_status status = CUZK_OK;
    if (circuit->prepare && x->variant == CPU_IFMA) /* without lanes nothing is gained */
        status = circuit->prepare(circuit->self, x, e);
    if (status == CUZK_OK)
        status = assignment_new(&w, x->budget, t->counts.inputs, t->bits, t->wide, e);
    if (status != CUZK_OK)
        return status;
    status = has_parts(t, circuit) ? walk_parts(x, &w, t, circuit, e) : walk_whole(x, &w, t, circuit, e);
    if (status == CUZK_OK) {
        exec_progress(x, "witness", t->counts.aux, t->counts.aux);
        *out = w;
    } else {
        assignment_free(&w);
    }
    return status;
}
