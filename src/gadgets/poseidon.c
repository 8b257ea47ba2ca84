/* gadgets/poseidon.c - the Poseidon hash, row by row.
 *
 * The state is linear in the variables since the last full round: its S-box outputs (or the constant one for
 * the domain tag's), then one output for each partial round. A round's coefficients do not depend on the
 * preimage; they are columns of the matrices, and for the first element of the partial rounds the precomputed
 * rows of p->first.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/poseidon.h"

#include <string.h>

#include "hash/poseidon_trace.h"
#include "r1cs/unit.h"

struct hash {
    struct cs *cs;
    const struct poseidon *p;
    const fr *key;                                        /* the next one */
    var basis[POSEIDON_MAX_WIDTH + POSEIDON_MAX_PARTIAL]; /* ascending */
    fr first_output; /* basis[0] times this is the first S-box output: one, but for the domain tag's */
    fr state[POSEIDON_MAX_WIDTH]; /* values; not kept on a blank circuit */
};

/* A new variable: the product of cs->a and cs->b, which has this value, and post (NULL: nothing). */
static struct num product(struct cs *cs, const fr *value, const fr *post, const char *space, const char *row)
{
    fr sum = *value;
    if (post)
        fr_add(&sum, &sum, post);
    cs_push(cs, "%s", space);
    const struct num c = num_alloc(cs, &sum);
    cs_pop(cs);
    if (post) {
        fr minus;
        fr_neg(&minus, post);
        lc_add(cs, &cs->c, VAR_ONE, &minus);
    }
    lc_add_one(cs, &cs->c, c.v);
    cs_name(cs, "%s", row);
    cs_enforce_built(cs);
    return c;
}

static struct num square(struct cs *cs, const struct num *a)
{
    fr value;
    fr_sqr(&value, &a->value);
    lc_add_one(cs, &cs->a, a->v);
    lc_add_one(cs, &cs->b, a->v);
    cs_name(cs, "squared num");
    const var v = cs_alloc(cs, &value);
    lc_add_one(cs, &cs->c, v);
    cs_name(cs, "squaring constraint");
    cs_enforce_built(cs);
    return (struct num){.v = v, .value = value};
}

/* x^5 + post (NULL: none) */
static struct num sbox(struct cs *cs, const struct num *x, const fr *post)
{
    cs_push(cs, "l^2");
    const struct num x2 = square(cs, x);
    cs_pop(cs);
    cs_push(cs, "l^4");
    const struct num x4 = square(cs, &x2);
    cs_pop(cs);

    fr value;
    fr_mul(&value, &x4.value, &x->value);
    cs_push(cs, "(l4 * l) + rk)");
    lc_add_one(cs, &cs->a, x->v);
    lc_add_one(cs, &cs->b, x4.v);
    const struct num x5 =
        product(cs, &value, post, "mul_sum", post ? "mul sum constraint post-add" : "mul sum constraint");
    cs_pop(cs);
    return x5;
}

/* (x + pre)^5 + post */
static struct num sbox_pre_add(struct cs *cs, const struct num *x, const fr *pre, const fr *post)
{
    fr sum, value;
    fr_add(&sum, &x->value, pre);
    fr_sqr(&value, &sum);
    cs_push(cs, "(l+rk)^2");
    lc_add(cs, &cs->a, VAR_ONE, pre);
    lc_add_one(cs, &cs->a, x->v);
    lc_add_lc(cs, &cs->b, &cs->a, &FR_ONE);
    const struct num x2 = product(cs, &value, NULL, "squared sum", "squared sum constraint");
    cs_pop(cs);
    cs_push(cs, "l^4");
    const struct num x4 = square(cs, &x2);
    cs_pop(cs);

    fr_mul(&value, &x4.value, &sum);
    cs_push(cs, "l4 * (l + rk)");
    lc_add(cs, &cs->a, VAR_ONE, pre);
    lc_add_one(cs, &cs->a, x->v);
    lc_add_one(cs, &cs->b, x4.v);
    const struct num x5 = product(cs, &value, post, "mul_sum", "mul sum constraint pre-post-add");
    cs_pop(cs);
    return x5;
}

/* A new variable equal to the combination in cs->a, which has this value. */
static struct num allocate_combination(struct cs *cs, const fr *value)
{
    cs_push(cs, "allocate for Elt::Num");
    const struct num x = num_alloc(cs, value);
    cs_pop(cs);
    lc_add_one(cs, &cs->b, VAR_ONE);
    lc_add_one(cs, &cs->c, x.v);
    cs_name(cs, "enforce num allocation preserves lc");
    cs_enforce_built(cs);
    return x;
}

/* cs->a += sum over i of coeff[i * stride] times the i-th of count basis variables from the one at `from`. */
static void add_basis(struct hash *h, unsigned from, unsigned count, const fr *coeff, unsigned stride)
{
    for (unsigned i = 0; i < count; i++)
        lc_add(h->cs, &h->cs->a, h->basis[from + i], &coeff[i * stride]);
}

/* cs->a += element j of (last full round's S-box outputs) * matrix */
static void add_mixed(struct hash *h, const fr *matrix, unsigned j)
{
    const unsigned width = h->p->width;
    fr tag;
    fr_mul(&tag, &h->first_output, &matrix[j]); /* first_output is one unless basis[0] is the constant one */
    lc_add(h->cs, &h->cs->a, h->basis[0], &tag);
    add_basis(h, 1, width - 1, &matrix[width + j], width);
}

/* cs->a += element j after all partial rounds */
static void add_after_partial(struct hash *h, unsigned j)
{
    const unsigned width = h->p->width, partial = h->p->partial_rounds;
    if (j == 0) {
        add_basis(h, 0, width + partial, h->p->first + (partial - 1) * (width + partial), 1);
    } else {
        add_mixed(h, h->p->pre_sparse, j);
        add_basis(h, width, partial, h->p->sparse + width + j - 1, 2 * width - 1);
    }
}

/* The variable for element j, whose combination is in cs->a, and its S-box. */
static struct num sbox_of_state(struct hash *h, unsigned j, const fr *post)
{
    cs_push(h->cs, "S-box input");
    const struct num x = allocate_combination(h->cs, &h->state[j]);
    cs_pop(h->cs);
    return sbox(h->cs, &x, post);
}

static void mix_values(struct hash *h, const fr *matrix)
{
    const unsigned width = h->p->width;
    fr mixed[POSEIDON_MAX_WIDTH] = {0};
    if (!h->cs->values)
        return;
    for (unsigned i = 0; i < width; i++)
        for (unsigned j = 0; j < width; j++) {
            fr t;
            fr_mul(&t, &h->state[i], &matrix[i * width + j]);
            fr_add(&mixed[j], &mixed[j], &t);
        }
    memcpy(h->state, mixed, width * sizeof mixed[0]);
}

static void mix_values_sparse(struct hash *h, const fr *w)
{
    const unsigned width = h->p->width;
    const fr x = h->state[0], *v = w + width;
    fr t;
    if (!h->cs->values)
        return;
    fr_mul(&h->state[0], &x, &w[0]);
    for (unsigned j = 1; j < width; j++) {
        fr_mul(&t, &h->state[j], &w[j]);
        fr_add(&h->state[0], &h->state[0], &t);
        fr_mul(&t, &x, &v[j - 1]);
        fr_add(&h->state[j], &h->state[j], &t);
    }
}

/* The S-box of the domain tag is a constant. */
static void first_round(struct hash *h, const struct num *preimage)
{
    const unsigned width = h->p->width;
    const fr *pre = h->key, *post = h->key + width;
    fr x, t;
    fr_add(&x, &h->p->domain_tag, &pre[0]);
    fr_sqr(&t, &x);
    fr_sqr(&t, &t);
    fr_mul(&x, &x, &t);
    fr_add(&h->first_output, &x, &post[0]);
    h->basis[0] = VAR_ONE;
    h->state[0] = h->first_output;

    cs_push(h->cs, "first round");
    for (unsigned i = 1; i < width; i++) {
        cs_push(h->cs, "quintic s-box %u", i);
        const struct num out = sbox_pre_add(h->cs, &preimage[i - 1], &pre[i], &post[i]);
        cs_pop(h->cs);
        h->basis[i] = out.v;
        h->state[i] = out.value;
    }
    cs_pop(h->cs);
    h->key += 2 * width;
    mix_values(h, h->p->mds);
}

/* matrix: of the layer after it. */
static void full_round(struct hash *h, bool after_partial, bool last, const fr *matrix)
{
    const unsigned width = h->p->width;
    var outputs[POSEIDON_MAX_WIDTH];
    for (unsigned i = 0; i < width; i++) {
        cs_push(h->cs, "quintic s-box %u", i);
        if (after_partial)
            add_after_partial(h, i);
        else
            add_mixed(h, h->p->mds, i);
        const struct num out = sbox_of_state(h, i, last ? NULL : &h->key[i]);
        cs_pop(h->cs);
        outputs[i] = out.v;
        h->state[i] = out.value;
    }
    memcpy(h->basis, outputs, width * sizeof outputs[0]);
    h->first_output = FR_ONE;
    if (!last)
        h->key += width;
    mix_values(h, matrix);
}

static void partial_rounds(struct hash *h)
{
    const struct poseidon *p = h->p;
    const unsigned width = p->width;
    for (unsigned k = 0; k < p->partial_rounds; k++) {
        cs_push(h->cs, "partial round %u", k);
        cs_push(h->cs, "solitary quintic s-box");
        if (k == 0)
            add_mixed(h, p->pre_sparse, 0);
        else
            add_basis(h, 0, width + k, p->first + (k - 1) * (width + p->partial_rounds), 1);
        const struct num out = sbox_of_state(h, 0, h->key++);
        cs_pop(h->cs);
        cs_pop(h->cs);
        h->basis[width + k] = out.v;
        h->state[0] = out.value;
        mix_values_sparse(h, p->sparse + k * (2 * width - 1));
    }
}

static struct num hash_rows(struct cs *cs, const struct poseidon *p, const struct num *preimage)
{
    const unsigned half = p->full_rounds / 2;
    struct hash h = {.cs = cs, .p = p, .key = p->compressed_keys};

    first_round(&h, preimage);
    for (unsigned r = 1; r < half; r++) {
        cs_push(cs, "initial full round %u", r);
        full_round(&h, false, false, r + 1 < half ? p->mds : p->pre_sparse);
        cs_pop(cs);
    }
    partial_rounds(&h);
    for (unsigned r = 0; r + 1 < half; r++) {
        cs_push(cs, "final full round %u", r);
        full_round(&h, r == 0, false, p->mds);
        cs_pop(cs);
    }
    cs_push(cs, "terminal full round");
    full_round(&h, false, true, p->mds);
    cs_pop(cs);

    cs_push(cs, "hash result");
    add_mixed(&h, p->mds, 1);
    const struct num digest = allocate_combination(cs, &h.state[1]);
    cs_pop(cs);
    return digest;
}

/* -- hashes as units -- */

/* The domain tag tells the two instances of arity 2 apart. */
struct shape {
    fr domain_tag;
    uint32_t arity;
    uint32_t number[POSEIDON_MAX_ARITY]; /* the preimage's variables */
};

/* Can it be a unit? A preimage is the constant one only where an allocation has failed. */
static bool describe(struct shape *shape, struct unit_operands *variables, const struct poseidon *p,
                     const struct num *preimage)
{
    *shape = (struct shape){.domain_tag = p->domain_tag, .arity = p->arity};
    unit_operands_init(variables);
    for (unsigned i = 0; i < p->arity; i++) {
        if (preimage[i].v == VAR_ONE)
            return false;
        shape->number[i] = unit_operand(variables, preimage[i].v);
    }
    return true;
}

/* The digest of a skipped hash, and its variables' values if they are wanted. */
static struct num take_result(struct cs *cs, const struct unit *unit, const struct poseidon *p,
                              const struct num *preimage, const fr *known)
{
    if (unit->results != 1 || unit->wide_count != poseidon_trace_count(p)) {
        unit_differs(cs);
        return (struct num){.v = VAR_ONE};
    }
    struct num digest = {.v = (unit->first_aux + unit->result[0]) | VAR_AUX, .value = FR_ZERO};
    if (unit->wide) {
        fr values[POSEIDON_MAX_ARITY];
        const size_t count = poseidon_trace_count(p);
        for (unsigned i = 0; i < p->arity; i++)
            values[i] = preimage[i].value;
        if (known && unit->traces) {
            poseidon_queue_trace(unit->traces, p, unit->wide, values);
            digest.value = *known;
        } else {
            poseidon_trace(unit->variant, p, unit->wide, count, values, 1);
            digest.value = unit->wide[count - 1];
        }
    }
    return digest;
}

struct num poseidon_gadget_known(struct cs *cs, const struct poseidon *p, const struct num *preimage,
                                 const fr *known)
{
    struct shape shape;
    struct unit_operands variables;
    if (!cs->sink->unit_enter || !describe(&shape, &variables, p, preimage))
        return hash_rows(cs, p, preimage);
    struct unit unit = {
        .kind = UNIT_POSEIDON, .shape = &shape, .shape_bytes = sizeof shape, .operands = &variables};
    if (unit_enter(cs, &unit))
        return take_result(cs, &unit, p, preimage, known);
    const struct num digest = hash_rows(cs, p, preimage);
    unit_leave(cs, &unit, &digest.v, 1);
    return digest;
}

struct num poseidon_gadget(struct cs *cs, const struct poseidon *p, const struct num *preimage)
{
    return poseidon_gadget_known(cs, p, preimage, NULL);
}
