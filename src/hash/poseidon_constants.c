/* hash/poseidon_constants.c - the constants of Poseidon, from its specification alone: L. Grassi, D.
 * Khovratovich, C. Rechberger, A. Roy, M. Schofnegger, "Poseidon: A New Hash Function for Zero-Knowledge
 * Proof Systems", 2019/458 (numbers of rounds: section 5.5; Grain LFSR: appendix E; sparse matrices: appendix
 * B), with the choices of the Filecoin Poseidon specification (256 for the field's bits in the numbers of
 * rounds).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "hash/poseidon_constants.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

#define SECURITY_BITS 128.0
#define PRIME_BITS    256.0

struct matrix {
    unsigned n; /* rows and columns in use */
    fr at[POSEIDON_MAX_WIDTH][POSEIDON_MAX_WIDTH];
};

/* ---- numbers of rounds ---- */

static bool rounds_suffice(unsigned width, unsigned full, unsigned partial)
{
    const double t = width, rf = full, rp = partial;
    const double statistical = SECURITY_BITS <= (PRIME_BITS - 3) * (t + 1) ? 6 : 10;
    const double interpolation = 0.43 * SECURITY_BITS + log2(t) - rp;
    const double groebner_1 = 0.21 * PRIME_BITS - rp;
    const double groebner_2 = (0.14 * PRIME_BITS - 1 - rp) / (t - 1);
    return rf >= statistical && rf >= interpolation && rf >= groebner_1 && rf >= groebner_2;
}

void poseidon_round_numbers(unsigned width, unsigned *full_rounds, unsigned *partial_rounds)
{
    unsigned fewest = UINT32_MAX;
    for (unsigned full = 2; full <= 100; full += 2) {
        unsigned partial = 4;
        while (!rounds_suffice(width, full, partial) && partial < 200)
            partial++;
        if (partial == 200)
            continue;
        const unsigned safe_full = full + 2;
        const unsigned safe_partial = (partial * 1075 + 999) / 1000;
        const unsigned sboxes = width * safe_full + safe_partial;
        if (sboxes < fewest) {
            fewest = sboxes;
            *full_rounds = safe_full;
            *partial_rounds = safe_partial;
        }
    }
}

/* ---- Grain ---- */

/* The feedback's highest tap is 62: as many new bits as there are from there to the end follow from the state
 * alone. */
#define GRAIN_BITS  80
#define GRAIN_CHUNK (GRAIN_BITS - 62)

struct grain {
    u128 state;     /* the oldest bit lowest */
    uint32_t ready; /* new bits that were not looked at yet, the oldest lowest */
    unsigned count;
};

static void grain_advance(struct grain *g)
{
    const u128 s = g->state, next = (s >> 62 ^ s >> 51 ^ s >> 38 ^ s >> 23 ^ s >> 13 ^ s);
    g->ready = (uint32_t)next & ((1u << GRAIN_CHUNK) - 1);
    g->count = GRAIN_CHUNK;
    g->state = s >> GRAIN_CHUNK | (u128)g->ready << (GRAIN_BITS - GRAIN_CHUNK);
}

/* Self-shrinking: of each pair of bits the second counts if the first is one. */
static unsigned grain_bit(struct grain *g)
{
    for (;;) {
        if (g->count == 0)
            grain_advance(g);
        const unsigned pair = g->ready & 3;
        g->ready >>= 2;
        g->count -= 2;
        if (pair & 1)
            return pair >> 1;
    }
}

static void grain_init(struct grain *g, unsigned width, unsigned full_rounds, unsigned partial_rounds)
{
    const struct {
        unsigned bits, value;
    } fields[] = {
        {2, 1},        {4, 1}, /* a prime field; x^5 */
        {12, FR_BITS}, {12, width}, {10, full_rounds}, {10, partial_rounds}, {30, 0x3fffffff},
    };
    unsigned at = 0, dropped = 0;
    *g = (struct grain){0};
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) /* each highest bit first */
        for (unsigned b = fields[i].bits; b > 0; b--)
            g->state |= (u128)(fields[i].value >> (b - 1) & 1) << at++;
    VERIFY(at == GRAIN_BITS);
    while (dropped < 160) { /* the first 160 bits are not used */
        if (g->count == 0)
            grain_advance(g);
        const unsigned drop = 160 - dropped < g->count ? 160 - dropped : g->count;
        g->ready >>= drop;
        g->count -= drop;
        dropped += drop;
    }
}

void poseidon_grain(fr *out, size_t count, unsigned width, unsigned full_rounds, unsigned partial_rounds)
{
    struct grain g;
    grain_init(&g, width, full_rounds, partial_rounds);
    for (size_t i = 0; i < count; i++) {
        fr plain;
        do { /* a value not below the modulus is thrown away */
            memset(&plain, 0, sizeof plain);
            for (unsigned b = FR_BITS; b > 0; b--)
                plain.l[(b - 1) / 64] |= (uint64_t)grain_bit(&g) << (b - 1) % 64;
        } while (!fr_is_canonical(&plain));
        fr_to_mont(&out[i], &plain);
    }
}

/* ---- matrices ---- */

static void matrix_product(struct matrix *out, const struct matrix *a, const struct matrix *b)
{
    struct matrix c = {.n = a->n};
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned j = 0; j < a->n; j++)
            for (unsigned k = 0; k < a->n; k++) {
                fr t;
                fr_mul(&t, &a->at[i][k], &b->at[k][j]);
                fr_add(&c.at[i][j], &c.at[i][j], &t);
            }
    *out = c;
}

/* out = v * m. out may alias v. */
static void vector_product(fr *out, const fr *v, const struct matrix *m)
{
    fr result[POSEIDON_MAX_WIDTH] = {0};
    for (unsigned j = 0; j < m->n; j++)
        for (unsigned i = 0; i < m->n; i++) {
            fr t;
            fr_mul(&t, &v[i], &m->at[i][j]);
            fr_add(&result[j], &result[j], &t);
        }
    memcpy(out, result, m->n * sizeof *out);
}

/* A square matrix with more columns to its right. */
struct system {
    unsigned n, columns;
    fr at[POSEIDON_MAX_WIDTH][2 * POSEIDON_MAX_WIDTH];
};

/* Make the square the identity by operations on rows (Gauss and Jordan). False if it is singular. */
static bool system_solve(struct system *s)
{
    for (unsigned c = 0; c < s->n; c++) {
        unsigned pivot = c;
        while (pivot < s->n && fr_is_zero(&s->at[pivot][c]))
            pivot++;
        if (pivot == s->n)
            return false;
        fr inverse;
        fr_inv(&inverse, &s->at[pivot][c]);
        for (unsigned j = c; j < s->columns; j++) {
            const fr x = s->at[c][j];
            fr_mul(&s->at[c][j], &s->at[pivot][j], &inverse);
            if (pivot != c)
                s->at[pivot][j] = x;
        }
        for (unsigned i = 0; i < s->n; i++) {
            const fr by = s->at[i][c];
            for (unsigned j = c; i != c && j < s->columns; j++) {
                fr t;
                fr_mul(&t, &s->at[c][j], &by);
                fr_sub(&s->at[i][j], &s->at[i][j], &t);
            }
        }
    }
    return true;
}

static bool matrix_invert(struct matrix *out, const struct matrix *m)
{
    struct system s = {.n = m->n, .columns = 2 * m->n};
    for (unsigned i = 0; i < m->n; i++) {
        memcpy(s.at[i], m->at[i], m->n * sizeof(fr));
        s.at[i][m->n + i] = FR_ONE;
    }
    if (!system_solve(&s))
        return false;
    out->n = m->n;
    for (unsigned i = 0; i < m->n; i++)
        memcpy(out->at[i], &s.at[i][m->n], m->n * sizeof(fr));
    return true;
}

/* 1 / (x_i + y_j) with x = 0, 1, ... and y = width, width + 1, ...: every minor of a Cauchy matrix is
 * regular. */
static void cauchy(struct matrix *out, unsigned width)
{
    out->n = width;
    for (unsigned i = 0; i < width; i++)
        for (unsigned j = 0; j < width; j++) {
            fr sum;
            fr_from_u64(&sum, i + width + j);
            fr_inv(&out->at[i][j], &sum);
        }
}

/* m = prime * second with prime the identity in row and column 0 and m's minor elsewhere, and second the
 * identity but for its column 0 (w) and row 0 (w_0, v). */
static bool factor(struct matrix *prime, fr *w, fr *v, const struct matrix *m)
{
    const unsigned n = m->n;
    struct system s = {.n = n - 1, .columns = n}; /* w * minor = column 0, transposed */
    memset(prime, 0, sizeof *prime);
    prime->n = n;
    prime->at[0][0] = FR_ONE;
    for (unsigned i = 1; i < n; i++) {
        for (unsigned j = 1; j < n; j++) {
            prime->at[i][j] = m->at[i][j];
            s.at[j - 1][i - 1] = m->at[i][j];
        }
        s.at[i - 1][n - 1] = m->at[i][0];
    }
    if (!system_solve(&s))
        return false;
    w[0] = m->at[0][0];
    for (unsigned i = 1; i < n; i++)
        w[i] = s.at[i - 1][n - 1];
    memcpy(v, &m->at[0][1], (n - 1) * sizeof *v);
    return true;
}

/* ---- one instance ---- */

/* Push the round constants back through the linear layers, so that each is added after an S-box: a round's
 * row through mds^-1 becomes the keys of the round before. In the partial rounds, from the last one back,
 * only the first element of the row stays there; the others pass on to the round before. */
static void compress_keys(struct poseidon *p, const fr *constants, const struct matrix *mds_inverse)
{
    const unsigned width = p->width, half = p->full_rounds / 2, partial = p->partial_rounds;
    fr *out = p->compressed_keys;

    memcpy(out, constants, width * sizeof *out);
    out += width;
    for (unsigned r = 1; r < half; r++, out += width)
        vector_product(out, constants + r * width, mds_inverse);

    fr row[POSEIDON_MAX_WIDTH];
    memcpy(row, constants + (half + partial) * width, width * sizeof *row);
    for (unsigned k = partial; k > 0; k--) {
        vector_product(row, row, mds_inverse);
        out[width + k - 1] = row[0];
        row[0] = FR_ZERO;
        for (unsigned j = 0; j < width; j++)
            fr_add(&row[j], &row[j], &constants[(half + k - 1) * width + j]);
    }
    vector_product(out, row, mds_inverse);
    out += width + partial;

    for (unsigned r = half + partial + 1; r < p->full_rounds + partial; r++, out += width)
        vector_product(out, constants + r * width, mds_inverse);
}

/* From the last partial round back: what is left of a round's matrix after its sparse factor goes into the
 * round before. */
static bool factor_rounds(struct poseidon *p, const struct matrix *mds)
{
    const unsigned width = p->width, stride = 2 * width - 1;
    struct matrix current = *mds, prime;
    for (unsigned k = p->partial_rounds; k > 0; k--) {
        fr *w = p->sparse + (k - 1) * stride;
        if (!factor(&prime, w, w + width, &current))
            return false;
        matrix_product(&current, mds, &prime);
    }
    for (unsigned i = 0; i < width; i++)
        memcpy(p->pre_sparse + i * width, current.at[i], width * sizeof(fr));
    return true;
}

/* The state before partial round 0 is (last full round's outputs) * pre_sparse; round l adds v_j x_l to
 * element j. */
static void expand_rows(struct poseidon *p)
{
    const unsigned width = p->width, stride = 2 * width - 1;
    for (unsigned k = 0; k < p->partial_rounds; k++) {
        const fr *w = p->sparse + k * stride;
        fr *row = p->first + k * (width + p->partial_rounds);
        for (unsigned j = 1; j < width; j++) {
            fr t;
            for (unsigned i = 0; i < width; i++) {
                fr_mul(&t, &w[j], &p->pre_sparse[i * width + j]);
                fr_add(&row[i], &row[i], &t);
            }
            for (unsigned l = 0; l < k; l++) {
                fr_mul(&t, &w[j], &p->sparse[l * stride + width + j - 1]);
                fr_add(&row[width + l], &row[width + l], &t);
            }
        }
        row[width + k] = w[0];

        const unsigned start = k - k % POSEIDON_BLOCK;
        fr *block = p->block + k * POSEIDON_BLOCK_ROW(width);
        memcpy(block, w + 1, (width - 1) * sizeof *block);
        memcpy(block + width - 1, row + width + start, (k - start) * sizeof *block);
    }
}

/* NULL when memory is out. */
static fr52 *factors_of(const fr *a, size_t count, struct arena *arena)
{
    fr52 *out = arena_alloc(arena, count, sizeof *out);
    for (size_t i = 0; out && i < count; i++)
        fr52_factor(&out[i], &a[i]);
    return out;
}

static bool make_factors(struct poseidon *p, struct arena *arena)
{
    const unsigned width = p->width;
    struct poseidon_factors *f = &p->factors;
    fr x, t;
    fr_add(&x, &p->domain_tag, &p->compressed_keys[0]);
    fr_sqr(&t, &x);
    fr_sqr(&t, &t);
    fr_mul(&x, &x, &t);
    fr_add(&x, &x, &p->compressed_keys[width]);
    fr52_factor(&f->first_output, &x);
    f->compressed_keys = factors_of(p->compressed_keys, width * p->full_rounds + p->partial_rounds, arena);
    f->mds = factors_of(p->mds, width * width, arena);
    f->pre_sparse = factors_of(p->pre_sparse, width * width, arena);
    f->sparse = factors_of(p->sparse, p->partial_rounds * (2 * width - 1), arena);
    f->block = factors_of(p->block, p->partial_rounds * POSEIDON_BLOCK_ROW(width), arena);
    return f->compressed_keys && f->mds && f->pre_sparse && f->sparse && f->block;
}

cuzk_status poseidon_derive(struct poseidon *out, unsigned arity, const fr *domain_tag, struct arena *arena,
                            struct cuzk_error *e)
{
    const unsigned width = arity + 1;
    struct poseidon p = {.arity = arity, .width = width, .domain_tag = *domain_tag};
    if (arity == 0 || arity > POSEIDON_MAX_ARITY)
        return error_set(e, CUZK_ERR_ARGUMENT, "Poseidon: no instance of arity %u", arity);
    poseidon_round_numbers(width, &p.full_rounds, &p.partial_rounds);
    VERIFY(p.full_rounds >= 4 && p.partial_rounds <= POSEIDON_MAX_PARTIAL);

    const size_t constant_count = (size_t)width * (p.full_rounds + p.partial_rounds);
    fr *constants = arena_alloc(arena, constant_count, sizeof *constants);
    p.compressed_keys = arena_alloc(arena, width * p.full_rounds + p.partial_rounds, sizeof(fr));
    p.mds = arena_alloc(arena, width * width, sizeof(fr));
    p.pre_sparse = arena_alloc(arena, width * width, sizeof(fr));
    p.sparse = arena_alloc(arena, p.partial_rounds * (2 * width - 1), sizeof(fr));
    p.first = arena_alloc(arena, p.partial_rounds * (width + p.partial_rounds), sizeof(fr));
    p.block = arena_alloc(arena, p.partial_rounds * POSEIDON_BLOCK_ROW(width), sizeof(fr));
    if (!constants || !p.compressed_keys || !p.mds || !p.pre_sparse || !p.sparse || !p.first || !p.block)
        return error_memory(e, constant_count * sizeof *constants, "Poseidon's constants");

    struct matrix mds, inverse;
    cauchy(&mds, width);
    for (unsigned i = 0; i < width; i++)
        memcpy(p.mds + i * width, mds.at[i], width * sizeof(fr));
    poseidon_grain(constants, constant_count, width, p.full_rounds, p.partial_rounds);
    if (!matrix_invert(&inverse, &mds) || !factor_rounds(&p, &mds))
        return error_set(e, CUZK_ERR_INTERNAL, "Poseidon: a singular matrix at width %u", width);
    compress_keys(&p, constants, &inverse);
    expand_rows(&p);
    if (!make_factors(&p, arena))
        return error_memory(e, constant_count * sizeof(fr52), "Poseidon's constants");
    *out = p;
    return CUZK_OK;
}
