/* groth16/qap_at.c - a quadratic arithmetic program at tau, plain or folded, from a circuit's templates
 * (qap.h).
 *
 * An instance's rows are added up by its local numbers, on a thread of its own, with the Lagrange polynomials
 * of just these rows. The sums of its own variables stand there and then, since nobody before it refers to
 * them; those of the variables that it is bound to wait until a batch of instances is done, and are then
 * added in the order of the instances.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "groth16/kernels.h"
#include "groth16/qap.h"

#define CHUNK     2048u /* rows with one inversion */
#define INSTANCES 1024u /* of a batch, at most */
#define SUMS      4     /* A, B, C as it is wanted, C plain if that is folded */

struct builder {
    const struct exec *x;
    bool folded;
    const struct groth16_kernels *kernels;
    struct qap *q;
    const struct templates *t;
    fr tau, w, scale;
    fr keep, tail; /* what C gets of row k: keep L_k + tail w^k */
    fr power[TEMPLATE_POWERS];
    size_t locals;           /* the most that a template has */
    struct block plain;      /* a byte a template: has its C inputs, so that they are needed unfolded too? */
    struct block work;       /* a thread: 3 CHUNK + SUMS locals elements */
    struct block slot;       /* u32: which variable waits for */
    struct block sum[SUMS];  /* these sums */
    size_t room, begin, end; /* entries of slot and sum; the batch's instances, */
    uint32_t at[INSTANCES];  /* and where their entries begin */
    size_t entries;
};

/* 1 - z/(g^n - 1), and z/(g^n - 1) tau^(n-1) / n */
static void constants(struct builder *u)
{
    const uint64_t size = UINT64_C(1) << u->q->log, last = size - 1;
    fr coset;
    fr_pow(&coset, &FR_GENERATOR, &size, 1);
    fr_sub(&coset, &coset, &FR_ONE);
    fr_inv(&coset, &coset);
    fr_mul(&u->keep, &u->q->z, &coset);
    fr_sub(&u->keep, &FR_ONE, &u->keep);
    fr_pow(&u->tail, &u->tau, &last, 1);
    fr_mul(&u->tail, &u->tail, &coset);
    fr_mul(&u->tail, &u->tail, &u->scale);
    fr power = FR_ONE;
    for (unsigned k = 0; k < FR_BITS; k++) {
        u->power[2 * k] = power;
        fr_neg(&u->power[2 * k + 1], &power);
        fr_double(&power, &power);
    }
}

static bool is_input(const struct template *one, uint32_t local)
{
    return local == 0 ||
           (local <= template_bound(one) && template_bound_to(one, local - 1) == TEMPLATE_TO_INPUT);
}

static bool has_inputs_in_c(const struct templates *t, const struct template *one)
{
    const uint32_t *end = t->side + one->side, *term = t->term + one->term;
    for (uint32_t row = 0; row < one->rows; row++)
        for (uint32_t i = end[3 * (size_t)row + 2]; i < end[3 * (size_t)row + 3]; i++)
            if (is_input(one, template_term_local(term[i])))
                return true;
    return false;
}

static size_t entries_of(const struct builder *u, size_t instance)
{
    return 1 + (size_t)template_bound(&u->t->template[u->t->instance[instance].template]);
}

static cuzk_status reserve(struct builder *u, struct cuzk_error *e)
{
    struct budget *b = u->x->budget;
    const struct templates *t = u->t;
    cuzk_status status = qap_reserve(u->q, b, e);
    if (status == CUZK_OK && u->folded)
        status = block_new(&u->q->fold, b, u->q->inputs, sizeof(fr), "the inputs' fold", e);
    if (status == CUZK_OK)
        status = block_new(&u->plain, b, t->count[TEMPLATE_TEMPLATES], 1, "templates", e);
    if (status != CUZK_OK)
        return status;
    for (size_t i = 0; i < t->count[TEMPLATE_TEMPLATES]; i++) {
        const struct template *one = &t->template[i];
        const size_t locals = 1 + (size_t)template_bound(one) + one->aux;
        ((uint8_t *)u->plain.ptr)[i] = u->folded && has_inputs_in_c(t, one);
        u->locals = locals > u->locals ? locals : u->locals;
    }
    for (size_t i = 0; i < t->count[TEMPLATE_INSTANCES] && u->room < TEMPLATE_MAX_LOCALS; i++)
        u->room += entries_of(u, i);
    u->room = u->room < TEMPLATE_MAX_LOCALS ? u->room : TEMPLATE_MAX_LOCALS;
    status = block_new(&u->work, b, pool_threads(u->x->pool), (3 * CHUNK + SUMS * u->locals) * sizeof(fr),
                       "sums of rows", e);
    if (status == CUZK_OK)
        status = block_new(&u->slot, b, u->room, sizeof(uint32_t), "sums of rows", e);
    for (int s = 0; s < SUMS && status == CUZK_OK; s++)
        status = block_new(&u->sum[s], b, u->room, sizeof(fr), "sums of rows", e);
    return status;
}

/* -- an instance -- */

/* L_k of rows from `first` on, and what C gets of them. */
static void lagrange(const struct builder *u, fr *l, fr *folded, fr *scratch, uint64_t first, size_t n)
{
    fr start;
    fr_pow(&start, &u->w, &first, 1);
    u->kernels->lagrange(l, scratch, n, &start, &u->w, &u->tau, &u->scale);
    if (!u->folded)
        return;
    fr_mul(&start, &start, &u->tail);
    u->kernels->powers(folded, n, &start, &u->w);
    u->kernels->add_scaled(folded, l, n, &u->keep);
}

static void add_rows(const struct builder *u, const struct template_instance *i, fr *work,
                     fr *const sum[SUMS])
{
    const struct template *one = &u->t->template[i->template];
    fr *l = work, *folded = l + CHUNK, *scratch = folded + CHUNK;
    for (uint32_t first = 0, n; first < one->rows; first += n) {
        n = one->rows - first < CHUNK ? one->rows - first : CHUNK;
        lagrange(u, l, folded, scratch, (uint64_t)i->first_row + first, n);
        for (unsigned side = 0; side < 3; side++)
            u->kernels->accumulate_side(sum[side], u->t, one, side, first, n,
                                        side < 2 || !u->folded ? l : folded, u->power);
        if (((const uint8_t *)u->plain.ptr)[i->template])
            u->kernels->accumulate_side(sum[3], u->t, one, 2, first, n, l, u->power);
    }
}

/* The variable that a local number is bound to. */
static uint32_t slot_of(const struct builder *u, const struct template_instance *i, uint32_t local)
{
    const struct template *one = &u->t->template[i->template];
    if (local == 0)
        return 0;
    const uint32_t number = u->t->binding[i->binding + local - 1];
    if (is_input(one, local))
        return number;
    const bool bit = template_bound_to(one, local - 1) == TEMPLATE_TO_BIT;
    return u->q->inputs + VAR_INDEX(templates_variable(u->t, bit, number));
}

static void instance_task(void *ctx, size_t k, unsigned worker)
{
    const struct builder *u = ctx;
    const struct template_instance *i = &u->t->instance[u->begin + k];
    const struct template *one = &u->t->template[i->template];
    const size_t bound = 1 + (size_t)template_bound(one), locals = bound + one->aux, at = u->at[k];
    fr *work = (fr *)u->work.ptr + worker * (3 * CHUNK + SUMS * u->locals), *sum[SUMS];
    if (exec_cancelled(u->x))
        return;
    for (int s = 0; s < SUMS; s++) {
        sum[s] = work + 3 * CHUNK + (size_t)s * u->locals;
        memset(sum[s], 0, locals * sizeof(fr));
    }
    add_rows(u, i, work, sum);
    for (uint32_t local = 0; local < bound; local++)
        ((uint32_t *)u->slot.ptr)[at + local] = slot_of(u, i, local);
    for (int s = 0; s < SUMS; s++)
        memcpy((fr *)u->sum[s].ptr + at, sum[s], bound * sizeof(fr));
    const size_t own = (size_t)u->q->inputs + i->first_aux;
    memcpy((fr *)u->q->a.ptr + own, sum[0] + bound, one->aux * sizeof(fr));
    memcpy((fr *)u->q->b.ptr + own, sum[1] + bound, one->aux * sizeof(fr));
    memcpy((fr *)u->q->c.ptr + own, sum[2] + bound, one->aux * sizeof(fr));
}

/* -- a batch -- */

/* One kind of the sums that wait; of C's plain ones the inputs' alone are wanted, and none unless it is
 * folded. */
static void merge_task(void *ctx, size_t s, unsigned worker)
{
    const struct builder *u = ctx;
    const struct qap *q = u->q;
    (void)worker;
    const uint32_t *slot = u->slot.ptr;
    const fr *sum = u->sum[s].ptr;
    fr *to = s == 0 ? q->a.ptr : s == 1 ? q->b.ptr : s == 2 ? q->c.ptr : q->fold.ptr;
    for (size_t i = 0; i < u->entries; i++)
        if (!fr_is_zero(&sum[i]) && (s < 3 || slot[i] < q->inputs))
            fr_add(&to[slot[i]], &to[slot[i]], &sum[i]);
}

static void take_batch(struct builder *u)
{
    u->begin = u->end;
    u->entries = 0;
    while (u->end < u->t->count[TEMPLATE_INSTANCES] && u->end - u->begin < INSTANCES &&
           u->entries + entries_of(u, u->end) <= u->room) {
        u->at[u->end - u->begin] = (uint32_t)u->entries;
        u->entries += entries_of(u, u->end++);
    }
}

/* An input's c is to be plain, and its fold what folding adds to it. */
static void finish(struct qap *q)
{
    fr *c = q->c.ptr, *fold = q->fold.ptr;
    for (uint32_t i = 0; i < q->inputs; i++) {
        const fr plain = fold[i];
        fr_sub(&fold[i], &c[i], &plain);
        c[i] = plain;
    }
}

static cuzk_status add_up(struct builder *u, struct cuzk_error *e)
{
    const struct templates *t = u->t;
    for (take_batch(u); u->begin < u->end; take_batch(u)) {
        exec_progress(u->x, "circuit at tau", t->instance[u->begin].first_row, u->q->rows);
        pool_run(u->x->pool, instance_task, u, u->end - u->begin);
        if (exec_cancelled(u->x))
            return error_set(e, CUZK_ERR_CANCELLED, "cancelled while adding up the circuit at tau");
        pool_run(u->x->pool, merge_task, u, u->folded ? SUMS : SUMS - 1);
    }
    if (u->folded)
        finish(u->q);
    exec_progress(u->x, "circuit at tau", u->q->rows, u->q->rows);
    return CUZK_OK;
}

cuzk_status qap_at(const struct exec *x, struct qap *out, const struct templates *t, const fr *tau,
                   bool folded, struct cuzk_error *e)
{
    struct qap q = {.inputs = t->counts.inputs, .aux = t->counts.aux, .rows = t->counts.rows};
    struct builder *u = mem_alloc(1, sizeof *u);
    if (!u)
        return error_memory(e, sizeof *u, "a circuit at tau");
    u->x = x;
    u->folded = folded;
    u->kernels = groth16_kernels(x->variant);
    u->q = &q;
    u->t = t;
    u->tau = *tau;
    cuzk_status status = qap_domain(&q, tau, &u->w, &u->scale, e);
    if (status == CUZK_OK)
        status = reserve(u, e);
    if (status == CUZK_OK) {
        constants(u);
        status = add_up(u, e);
    }
    block_free(&u->plain);
    block_free(&u->work);
    block_free(&u->slot);
    for (int s = 0; s < SUMS; s++)
        block_free(&u->sum[s]);
    mem_wipe(u, sizeof *u);
    mem_free(u);
    if (status == CUZK_OK)
        *out = q;
    else
        qap_free(&q);
    return status;
}
