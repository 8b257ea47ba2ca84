/* hash/poseidon_lanes.c - eight Poseidon hashes at once with AVX-512 IFMA, with or without their traces: the
 * form of poseidon_permute.c.
 *
 * All values carry the factor 2^260 (field/fr8.h). Bounds in multiples of r, where 2^260 is 35: an S-box
 * gives less than 2 and with its key less than 3, for an input below 6; in the first round the input is
 * below 17, the square below 10, the output with its key below 4. A sum of 16 products of such with constants
 * is below 16 * 4 / 35 + 1 < 3; an element of the state that grows by such a sum is shrunk.
 *
 * A product is a long chain of dependent instructions: what depends on it not comes next, the same step of
 * the other S-boxes or a part of a sum of products.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "field/fr8.h"
#include "hash/poseidon_permute.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Where the traces go, from the place `at` on; out NULL: nowhere. */
struct trace {
    fr *const *out;
    size_t at;
};

static ALWAYS_INLINE void put(const struct trace *trace, size_t place, fr8 v)
{
    if (trace->out)
        fr8_scatter_factor(trace->out, trace->at + place, v);
}

static ALWAYS_INLINE void advance(struct trace *trace, size_t places)
{
    trace->at += places;
}

/* t += the sum of a[i] * b[i], from .. to - 1. */
static ALWAYS_INLINE void add_products(fr8_sum *t, const fr8 *a, const fr52 *b, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        const fr8 factor = fr8_broadcast(&b[i]);
        fr8_accumulate(t, &a[i], &factor);
    }
}

/* The sum of a[i] * b[i * b_stride], i below n. */
static ALWAYS_INLINE fr8 sum_of_products(const fr8 *a, const fr52 *b, unsigned n, unsigned b_stride)
{
    fr8_sum t = fr8_sum_zero();
    for (unsigned i = 0; i < n; i++) {
        const fr8 factor = fr8_broadcast(&b[i * b_stride]);
        fr8_accumulate(&t, &a[i], &factor);
    }
    return fr8_sum_reduce(&t);
}

/* x[i] = x[i]^5 + keys[i] (keys NULL: none), carried, for i below count; x rippled. In the trace an S-box has
 * `places`: 3, or 4 with the input, which then is carried, before. */
static ALWAYS_INLINE void sboxes(fr8 *x, const fr52 *keys, unsigned count, struct trace *trace,
                                 unsigned places)
{
    fr8 power[POSEIDON_MAX_WIDTH];
    for (unsigned i = 0; i < count; i++) {
        power[i] = fr8_carry(fr8_sqr(&x[i]));
        if (places == 4)
            put(trace, 4 * i, x[i]);
    }
    for (unsigned i = 0; i < count; i++) {
        put(trace, places * i + places - 3, power[i]);
        power[i] = fr8_carry(fr8_sqr(&power[i]));
    }
    for (unsigned i = 0; i < count; i++) {
        fr8 out = fr8_mul(&x[i], &power[i]);
        if (keys)
            out = fr8_add(out, fr8_broadcast(&keys[i]));
        x[i] = fr8_carry(out);
        put(trace, places * i + places - 2, power[i]);
    }
    for (unsigned i = 0; i < count; i++)
        put(trace, places * i + places - 1, x[i]);
    advance(trace, places * count);
}

static void mix(fr8 *state, const fr8 *outputs, const fr52 *matrix, unsigned width)
{
    for (unsigned j = 0; j < width; j++)
        state[j] = fr8_carry(sum_of_products(outputs, matrix + j, width, width));
}

static ALWAYS_INLINE void first_round(const struct poseidon *p, fr8 *state, const fr *preimages,
                                      struct trace *trace)
{
    const unsigned width = p->width;
    const fr52 *pre = p->factors.compressed_keys, *post = pre + width;
    fr8 outputs[POSEIDON_MAX_WIDTH];
    outputs[0] = fr8_broadcast(&p->factors.first_output);
    for (unsigned i = 1; i < width; i++) {
        const fr8 element = fr8_factor(fr8_load(preimages + i - 1, p->arity));
        outputs[i] = fr8_ripple(fr8_add(element, fr8_broadcast(&pre[i])));
    }
    sboxes(outputs + 1, post + 1, width - 1, trace, 3);
    mix(state, outputs, p->factors.mds, width);
}

static ALWAYS_INLINE void full_round(fr8 *state, const fr52 *keys, const fr52 *matrix, unsigned width,
                                     struct trace *trace)
{
    fr8 outputs[POSEIDON_MAX_WIDTH];
    for (unsigned i = 0; i < width; i++)
        outputs[i] = state[i];
    sboxes(outputs, keys, width, trace, 4);
    mix(state, outputs, matrix, width);
}

/* Partial rounds at .. at + rounds - 1, at most POSEIDON_BLOCK. */
static ALWAYS_INLINE void partial_block(const struct poseidon *p, fr8 *state, const fr52 *keys, unsigned at,
                                        unsigned rounds, struct trace *trace)
{
    const unsigned width = p->width, stride = 2 * width - 1;
    const fr52 *sparse = p->factors.sparse + at * stride;
    fr8 terms[POSEIDON_MAX_WIDTH - 1 + POSEIDON_BLOCK]; /* s_1..., then the x_l so far */
    fr8 *x = terms + width - 1;

    for (unsigned j = 1; j < width; j++)
        terms[j - 1] = state[j];
    for (unsigned k = 0; k < rounds; k++) {
        const fr52 *row = p->factors.block + (at + k) * POSEIDON_BLOCK_ROW(width);
        const unsigned known = width - 1 + k, first = known / 3, second = 2 * known / 3;
        fr8_sum t = fr8_sum_zero();
        const fr8 x2 = fr8_carry(fr8_sqr(&state[0]));
        put(trace, 0, state[0]);
        add_products(&t, terms, row, 0, first);
        const fr8 x4 = fr8_carry(fr8_sqr(&x2));
        put(trace, 1, x2);
        add_products(&t, terms, row, first, second);
        x[k] = fr8_carry(fr8_add(fr8_mul(&state[0], &x4), fr8_broadcast(&keys[k])));
        put(trace, 2, x4);
        add_products(&t, terms, row, second, known);
        put(trace, 3, x[k]);
        advance(trace, 4);
        add_products(&t, &x[k], &sparse[k * stride], 0, 1);
        state[0] = fr8_carry(fr8_sum_reduce(&t));
    }
    for (unsigned j = 1; j < width; j++) {
        const fr8 sum = sum_of_products(x, sparse + width + j - 1, rounds, stride);
        state[j] = fr8_shrink(fr8_add(state[j], sum));
    }
}

static ALWAYS_INLINE fr8 permute(const struct poseidon *p, const fr *preimages, struct trace trace)
{
    const unsigned width = p->width, half = p->full_rounds / 2, partial = p->partial_rounds;
    const struct poseidon_factors *f = &p->factors;
    const fr52 *key = f->compressed_keys + 2 * width;
    fr8 state[POSEIDON_MAX_WIDTH];

    first_round(p, state, preimages, &trace);
    for (unsigned r = 1; r < half; r++, key += width)
        full_round(state, key, r + 1 < half ? f->mds : f->pre_sparse, width, &trace);
    for (unsigned k = 0; k < partial; k += POSEIDON_BLOCK) {
        const unsigned rounds = partial - k < POSEIDON_BLOCK ? partial - k : POSEIDON_BLOCK;
        partial_block(p, state, key, k, rounds, &trace);
        key += rounds;
    }
    for (unsigned r = 1; r < half; r++, key += width)
        full_round(state, key, f->mds, width, &trace);

    sboxes(state, NULL, width, &trace, 4);
    const fr8 digest = sum_of_products(state, f->mds + 1, width, width);
    put(&trace, 0, digest);
    return digest;
}

void poseidon_hash_eight_ifma(const struct poseidon *p, fr *out, const fr *preimages)
{
    fr8_store_factor(out, 1, permute(p, preimages, (struct trace){0}));
}

void poseidon_trace_eight_ifma(const struct poseidon *p, fr *const out[8], const fr *preimages)
{
    permute(p, preimages, (struct trace){out, 0});
}
