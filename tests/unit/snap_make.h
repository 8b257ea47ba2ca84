/* tests/unit/snap_make.h - small updated sectors of the Poseidon variant, for which there are no vectors: the
 * statement, and the vanilla proof in bincode.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef SNAP_MAKE_H
#define SNAP_MAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "circuits/snap.h"
#include "gadgets/inclusion.h"

#define SNAP_MAKE_LEVELS 8

struct snap_made {
    struct snap_statement statement;
    uint8_t *bytes;
    size_t size;
};

struct snap_made_tree {
    struct inclusion_tree shape;
    fr *level[SNAP_MAKE_LEVELS + 1]; /* leaves first */
};

/* The writer: *at moves on. */
static inline void snap_put_number(uint8_t **at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *(*at)++ = (uint8_t)(value >> (8 * i));
}

static inline void snap_put_element(uint8_t **at, const fr *value)
{
    fr_write_le(*at, value);
    *at += FR_BYTES;
}

static inline fr snap_make_value(uint64_t i)
{
    fr x;
    fr_from_u64(&x, i + 2);
    fr_inv(&x, &x);
    return x;
}

static inline fr snap_make_hash(const struct poseidon *p, const fr *a, const fr *b)
{
    const fr preimage[2] = {*a, *b};
    fr digest;
    poseidon_hash(CPU_PORTABLE, p, &digest, preimage);
    return digest;
}

/* The tree over leaves, which it takes. Returns the root. */
static inline fr snap_make_tree(struct snap_made_tree *t, const struct poseidon_set *poseidon,
                                const struct snap_params *p, fr *leaves)
{
    uint64_t count = p->nodes;
    t->shape = inclusion_tree_of(poseidon, p->nodes, p->base_arity, p->sub_arity, p->top_arity);
    assert_true(inclusion_levels(&t->shape) <= SNAP_MAKE_LEVELS);
    t->level[0] = leaves;
    for (unsigned l = 0; l < inclusion_levels(&t->shape); l++) {
        const unsigned arity = inclusion_arity(&t->shape, l);
        count /= arity;
        t->level[l + 1] = malloc(count * sizeof *leaves);
        assert_non_null(t->level[l + 1]);
        for (uint64_t i = 0; i < count; i++)
            poseidon_hash(CPU_PORTABLE, poseidon_of_arity(poseidon, arity), &t->level[l + 1][i],
                          &t->level[l][arity * i]);
    }
    assert_int_equal(count, 1);
    return t->level[inclusion_levels(&t->shape)][0];
}

static inline void snap_make_tree_free(struct snap_made_tree *t)
{
    for (unsigned l = 0; l <= inclusion_levels(&t->shape); l++)
        free(t->level[l]);
}

static inline void snap_put_step(uint8_t **at, const struct snap_made_tree *t, unsigned level, uint64_t node)
{
    const unsigned arity = inclusion_arity(&t->shape, level);
    const uint64_t first = node / arity * arity;
    snap_put_number(at, arity - 1, 8);
    for (unsigned i = 0; i < arity; i++)
        if (first + i != node)
            snap_put_element(at, &t->level[level][first + i]);
    snap_put_number(at, node - first, 8);
}

static inline void snap_put_path(uint8_t **at, const struct snap_made_tree *t, uint64_t node)
{
    const unsigned levels = inclusion_levels(&t->shape), base = t->shape.base_levels;
    const fr *root = t->level[levels], *leaf = &t->level[0][node];
    snap_put_number(at, levels - base, 4);
    if (levels == base) {
        snap_put_element(at, root);
        snap_put_element(at, leaf);
    }
    snap_put_number(at, base, 8);
    for (unsigned l = 0; l < levels; l++) {
        if (l >= base)
            snap_put_number(at, 1, 8);
        snap_put_step(at, t, l, node);
        node /= inclusion_arity(&t->shape, l);
    }
    if (levels > base) {
        snap_put_element(at, root);
        snap_put_element(at, leaf);
    }
}

/* An updated sector of at most 32 KiB. Free the bytes with free(). */
static inline void snap_make(struct snap_made *out, const struct exec *x, const struct poseidon_set *poseidon,
                             const char *circuit)
{
    struct snap_statement *s = &out->statement;
    const struct poseidon *pair = &poseidon->kind[POSEIDON_2];
    struct snap_made_tree r_old, d_new, r_new;
    const fr comm_c = snap_make_value(0);
    uint32_t node[SNAP_MAX_CHALLENGES];
    fr phi, root_r_old, root_d_new, root_r_new, comm_r;
    assert_int_equal(snap_params_for_circuit(&s->params, circuit, NULL), CUZK_OK);
    assert_int_equal(s->params.variant, SNAP_POSEIDON);
    const uint64_t nodes = s->params.nodes;
    fr *old = malloc(nodes * sizeof *old), *data = malloc(nodes * sizeof *data);
    fr *new = malloc(nodes * sizeof *new);
    assert_true(nodes <= 1024 && old && data && new);
    for (uint64_t i = 0; i < nodes; i++) {
        old[i] = snap_make_value(2 * i + 1);
        data[i] = snap_make_value(2 * i + 2);
    }
    root_r_old = snap_make_tree(&r_old, poseidon, &s->params, old);
    root_d_new = snap_make_tree(&d_new, poseidon, &s->params, data);
    comm_r = snap_make_hash(pair, &comm_c, &root_r_old);
    fr_write_le(s->comm_r_old, &comm_r);
    fr_write_le(s->comm_d_new, &root_d_new);
    assert_int_equal(snap_phi(x, poseidon, s, &phi, NULL), CUZK_OK);
    for (uint64_t i = 0; i < nodes; i++) {
        const fr rho = snap_rho(x, poseidon, &s->params, &phi, (uint32_t)i);
        fr_mul(&new[i], &data[i], &rho);
        fr_add(&new[i], &new[i], &old[i]);
    }
    root_r_new = snap_make_tree(&r_new, poseidon, &s->params, new);
    comm_r = snap_make_hash(pair, &comm_c, &root_r_new);
    fr_write_le(s->comm_r_new, &comm_r);
    assert_int_equal(snap_challenges(x, poseidon, s, 0, node, NULL), CUZK_OK);

    out->size = snap_proof_size(&s->params);
    out->bytes = malloc(out->size);
    assert_non_null(out->bytes);
    uint8_t *at = out->bytes;
    snap_put_element(&at, &comm_c);
    snap_put_number(&at, s->params.challenges, 8);
    for (unsigned i = 0; i < s->params.challenges; i++) {
        snap_put_path(&at, &r_old, node[i]);
        snap_put_path(&at, &d_new, node[i]);
        snap_put_path(&at, &r_new, node[i]);
    }
    assert_ptr_equal(at, out->bytes + out->size);
    snap_make_tree_free(&r_old);
    snap_make_tree_free(&d_new);
    snap_make_tree_free(&r_new);
}

#endif
