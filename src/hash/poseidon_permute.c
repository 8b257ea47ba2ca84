/* hash/poseidon_permute.c - Poseidon's permutation in its optimised form (poseidon.h), compiled once for each
 * variant of the arithmetic.
 *
 * Every linear layer is sums of products, reduced once a sum. The partial rounds go in blocks of
 * POSEIDON_BLOCK: with x_l the S-box outputs of a block's earlier rounds and s_j the state at the block's
 * start, s_0' = w_0 x_k + sum_j w_j s_j + sum_l x_l (sum_j w_j v_lj), and only at the block's end s_j +=
 * sum_l x_l v_lj. All of s_0' but w_0 x_k can be computed beside the S-box.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "hash/poseidon_permute.h"

#define MAX_TERMS     16
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* t = sum of a[i] * b[i * b_stride] / 2^256 modulo r, for 1 to MAX_TERMS terms. Each term adds less than
 * r^2 / 2^256 < 0.453 r and the reduction less than r: below 9 * r. */
static inline void sum_of_products(uint64_t t[FR_LIMBS + 1], const fr *a, const fr *b, unsigned n,
                                   unsigned b_stride)
{
    VERIFY(n >= 1 && n <= MAX_TERMS);
#ifdef CUZK_VARIANT_ADX
    poseidon_sum_adx(t, a, b, n, b_stride * sizeof *b);
#else
    uint64_t s[FR_LIMBS + 2] = {0};
    for (unsigned limb = 0; limb < FR_LIMBS; limb++) {
        for (unsigned i = 0; i <= n; i++) { /* the last turn adds the multiple of r that clears s[0] */
            const uint64_t *left = i < n ? a[i].l : FR_MODULUS.l;
            const uint64_t right = i < n ? b[i * b_stride].l[limb] : s[0] * FR_INV;
            uint64_t carry = 0;
            for (unsigned j = 0; j < FR_LIMBS; j++) {
                const u128 p = (u128)left[j] * right + s[j] + carry;
                s[j] = (uint64_t)p;
                carry = (uint64_t)(p >> 64);
            }
            const u128 top = (u128)s[FR_LIMBS] + carry;
            s[FR_LIMBS] = (uint64_t)top;
            s[FR_LIMBS + 1] += (uint64_t)(top >> 64);
        }
        for (unsigned j = 0; j <= FR_LIMBS; j++)
            s[j] = s[j + 1];
        s[FR_LIMBS + 1] = 0;
    }
    for (unsigned j = 0; j <= FR_LIMBS; j++)
        t[j] = s[j];
#endif
}

static inline void add_element(uint64_t t[FR_LIMBS + 1], const fr *a)
{
    uint64_t carry = 0;
    for (unsigned i = 0; i < FR_LIMBS; i++) {
        const u128 s = (u128)t[i] + a->l[i] + carry;
        t[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
    t[FR_LIMBS] += carry;
}

/* t (below 10 * r) modulo r: the quotient from the top bits, over 2^224, is right or one too small. */
static inline void reduce_small_multiple(fr *out, const uint64_t t[FR_LIMBS + 1])
{
    const uint64_t top = t[FR_LIMBS] << 32 | t[FR_LIMBS - 1] >> 32;
    const uint64_t q = top / ((FR_MODULUS.l[FR_LIMBS - 1] >> 32) + 1);
    uint64_t borrow = 0, carry = 0;
    for (unsigned i = 0; i < FR_LIMBS; i++) {
        const u128 m = (u128)q * FR_MODULUS.l[i] + carry;
        carry = (uint64_t)(m >> 64);
        const u128 d = (u128)t[i] - (uint64_t)m - borrow;
        out->l[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    VERIFY(t[FR_LIMBS] == carry + borrow);
    fr_reduce_once(out);
    VERIFY(fr_is_canonical(out));
}

/* x = x^5 + key (NULL: none). Powers and sum go to *trace and move it on, unless trace is NULL. */
static ALWAYS_INLINE void sbox(fr *x, const fr *key, fr **trace)
{
    fr x2, x4;
    fr_sqr(&x2, x);
    fr_sqr(&x4, &x2);
    fr_mul(x, x, &x4);
    if (key)
        fr_add(x, x, key);
    if (trace) {
        fr *to = *trace;
        to[0] = x2;
        to[1] = x4;
        to[2] = *x;
        *trace = to + 3;
    }
}

/* The same for an element of the state that is a variable of the circuit. */
static ALWAYS_INLINE void sbox_of_state(fr *x, const fr *key, fr **trace)
{
    if (trace)
        *(*trace)++ = *x;
    sbox(x, key, trace);
}

/* Element j of state * matrix. */
static inline void mix_one(fr *out, const fr *state, const fr *matrix, unsigned width, unsigned j)
{
    uint64_t t[FR_LIMBS + 1];
    sum_of_products(t, state, matrix + j, width, width);
    reduce_small_multiple(out, t);
}

static ALWAYS_INLINE void mix(fr *state, const fr *outputs, const fr *matrix, unsigned width)
{
    for (unsigned j = 0; j < width; j++)
        mix_one(&state[j], outputs, matrix, width, j);
}

/* The domain tag and, in the first round, the preimage with its keys are no variables. */
static ALWAYS_INLINE void first_round(const struct poseidon *p, fr *state, const fr *preimage, fr **trace)
{
    const unsigned width = p->width;
    const fr *pre = p->compressed_keys, *post = pre + width;
    fr outputs[POSEIDON_MAX_WIDTH];
    fr_add(&outputs[0], &p->domain_tag, &pre[0]);
    sbox(&outputs[0], &post[0], NULL);
    for (unsigned i = 1; i < width; i++) {
        fr_add(&outputs[i], &preimage[i - 1], &pre[i]);
        sbox(&outputs[i], &post[i], trace);
    }
    mix(state, outputs, p->mds, width);
}

static ALWAYS_INLINE void full_round(fr *state, const fr *keys, const fr *matrix, unsigned width, fr **trace)
{
    fr outputs[POSEIDON_MAX_WIDTH];
    for (unsigned i = 0; i < width; i++) {
        outputs[i] = state[i];
        sbox_of_state(&outputs[i], &keys[i], trace);
    }
    mix(state, outputs, matrix, width);
}

/* Partial rounds at .. at + rounds - 1, at most POSEIDON_BLOCK. */
static ALWAYS_INLINE void partial_block(const struct poseidon *p, fr *state, const fr *keys, unsigned at,
                                        unsigned rounds, fr **trace)
{
    const unsigned width = p->width, stride = 2 * width - 1;
    const fr *sparse = p->sparse + at * stride;
    fr terms[POSEIDON_MAX_WIDTH - 1 + POSEIDON_BLOCK]; /* s_1..., then the x_l so far */
    fr *x = terms + width - 1;
    uint64_t t[FR_LIMBS + 1];

    memcpy(terms, state + 1, (width - 1) * sizeof *terms);
    for (unsigned k = 0; k < rounds; k++) {
        sum_of_products(t, terms, p->block + (at + k) * POSEIDON_BLOCK_ROW(width), width - 1 + k, 1);
        x[k] = state[0];
        sbox_of_state(&x[k], &keys[k], trace);
        fr_mul(&state[0], &x[k], &sparse[k * stride]);
        add_element(t, &state[0]);
        reduce_small_multiple(&state[0], t);
    }
    for (unsigned j = 1; j < width; j++) {
        sum_of_products(t, x, sparse + width + j - 1, rounds, stride);
        add_element(t, &state[j]);
        reduce_small_multiple(&state[j], t);
    }
}

static ALWAYS_INLINE void permute(const struct poseidon *p, fr *out, const fr *preimage, fr **trace)
{
    const unsigned width = p->width, half = p->full_rounds / 2, partial = p->partial_rounds;
    const fr *key = p->compressed_keys + 2 * width;
    fr state[POSEIDON_MAX_WIDTH];

    first_round(p, state, preimage, trace);
    for (unsigned r = 1; r < half; r++, key += width)
        full_round(state, key, r + 1 < half ? p->mds : p->pre_sparse, width, trace);
    for (unsigned k = 0; k < partial; k += POSEIDON_BLOCK) {
        const unsigned rounds = partial - k < POSEIDON_BLOCK ? partial - k : POSEIDON_BLOCK;
        partial_block(p, state, key, k, rounds, trace);
        key += rounds;
    }
    for (unsigned r = 1; r < half; r++, key += width)
        full_round(state, key, p->mds, width, trace);

    for (unsigned i = 0; i < width; i++)
        sbox_of_state(&state[i], NULL, trace);
    mix_one(out, state, p->mds, width, 1);
}

void V(poseidon_hash)(const struct poseidon *p, fr *out, const fr *preimage)
{
    permute(p, out, preimage, NULL);
}

void V(poseidon_trace_one)(const struct poseidon *p, fr *out, const fr *preimage)
{
    fr *at = out, digest;
    permute(p, &digest, preimage, &at);
    *at = digest;
    VERIFY(at + 1 == out + poseidon_trace_count(p));
}
