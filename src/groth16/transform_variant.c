/* groth16/transform_variant.c - arithmetic on many points at once (transform_kernels.h).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "curve/batch_add.h"
#include "groth16/transform_kernels.h"

#define TABLE_POINTS 8 /* 1, 3, .. 15 times a point */
#define LANES        4 /* products that the processor overlaps */

struct scratch {
    struct g1_batch batch;
    g1_affine table[TABLE_POINTS][TRANSFORM_BATCH];
    g1_affine sum[TRANSFORM_BATCH], image[TRANSFORM_BATCH];
    fp denominator[TRANSFORM_BATCH], product[TRANSFORM_BATCH + LANES];
};

static size_t align(size_t n)
{
    return (n + 63) / 64 * 64;
}

static size_t scratch_bytes(void)
{
    return align(sizeof(struct scratch)) + align(g1i_batch_bytes());
}

static struct scratch *prepare(void *memory)
{
    struct scratch *s = memory;
    g1i_batch_init(&s->batch, (uint8_t *)memory + align(sizeof *s));
    return s;
}

/* Doubling costs an inverse of 2y, two products and two squares; no point has y = 0 but infinity, which
 * passes through with a denominator of 1. */
static void double_all(struct scratch *s, g1_affine *p, size_t n)
{
    fp run[LANES], inverses[LANES];
    for (size_t i = 0; i < LANES; i++)
        s->product[i] = FP_ONE;
    for (size_t i = 0; i < n; i++) {
        fp *d = &s->denominator[i];
        fp_double(d, &p[i].y);
        if (__builtin_expect(fp_is_zero(d), 0))
            *d = FP_ONE;
        fp_mul(&s->product[i + LANES], &s->product[i], d);
    }
    for (size_t i = n; i < n + LANES; i++)
        run[i % LANES] = s->product[i];
    fp_inv_batch(run, inverses, LANES);
    for (size_t i = n; i-- > 0;) {
        fp inverse, slope, x, y;
        fp_mul(&inverse, &run[i % LANES], &s->product[i]);
        fp_mul(&run[i % LANES], &run[i % LANES], &s->denominator[i]);
        fp_sqr(&x, &p[i].x);
        fp_double(&slope, &x);
        fp_add(&slope, &slope, &x);
        fp_mul(&slope, &slope, &inverse);
        fp_sqr(&x, &slope);
        fp_sub(&x, &x, &p[i].x);
        fp_sub(&x, &x, &p[i].x);
        fp_sub(&y, &p[i].x, &x);
        fp_mul(&y, &y, &slope);
        fp_sub(&y, &y, &p[i].y);
        if (__builtin_expect(fp_is_zero(&p[i].y), 0))
            continue;
        p[i].x = x;
        p[i].y = y;
    }
}

static void twice(void *memory, g1_affine *p, size_t n)
{
    double_all(prepare(memory), p, n);
}

/* table[k][i] = (2k + 1) p[i] */
static void make_table(struct scratch *s, const g1_affine *p, size_t n)
{
    memcpy(s->table[0], p, n * sizeof *p);
    memcpy(s->sum, p, n * sizeof *p);
    double_all(s, s->sum, n);
    for (unsigned k = 1; k < TABLE_POINTS; k++) {
        for (size_t i = 0; i < n; i++)
            g1i_batch_push(&s->batch, &s->table[k][i], &s->table[k - 1][i], &s->sum[i], 0);
        g1i_batch_run(&s->batch);
    }
}

/* Add the multiples that the digits at this place ask for; in the second half those of [u^2] P = -phi(P). */
static void add_digits(struct scratch *s, const struct scalar_digits *const *d, size_t n, unsigned half,
                       unsigned place)
{
    for (size_t i = 0; i < n; i++) {
        const int digit = d[i]->digit[half][place];
        if (digit == 0)
            continue;
        const g1_affine *from = &s->table[(digit < 0 ? -digit : digit) / 2][i];
        if (half == 1) {
            g1i_endomorphism(&s->image[i], from);
            from = &s->image[i];
        }
        g1i_batch_accumulate(&s->batch, &s->sum[i], from, (digit < 0) != (half == 1));
    }
    g1i_batch_run(&s->batch);
}

static void multiply(void *memory, g1_affine *p, const struct scalar_digits *const *d, size_t n)
{
    struct scratch *s = prepare(memory);
    unsigned most = 0;
    for (size_t i = 0; i < n; i++)
        most = d[i]->count > most ? d[i]->count : most;
    make_table(s, p, n);
    memset(s->sum, 0, n * sizeof s->sum[0]);
    for (unsigned place = most; place-- > 0;) {
        if (place + 1 < most)
            double_all(s, s->sum, n);
        add_digits(s, d, n, 0, place);
        add_digits(s, d, n, 1, place);
    }
    memcpy(p, s->sum, n * sizeof *p);
}

static void butterflies(void *memory, g1_affine *const *a, g1_affine *const *b, const g1_affine *t, size_t n)
{
    struct scratch *s = prepare(memory);
    for (size_t i = 0; i < n; i++) {
        g1i_batch_push(&s->batch, &s->sum[i], a[i], &t[i], 0);
        g1i_batch_push(&s->batch, b[i], a[i], &t[i], BATCH_NEGATE_B);
    }
    g1i_batch_run(&s->batch);
    for (size_t i = 0; i < n; i++)
        *a[i] = s->sum[i];
}

static void add_runs(void *memory, g1_affine *points, const struct point_run *runs, size_t n)
{
    struct scratch *s = prepare(memory);
    uint32_t longest = 0;
    for (size_t r = 0; r < n; r++)
        longest = runs[r].count > longest ? runs[r].count : longest;
    for (uint32_t step = 1; step < longest; step *= 2) {
        for (size_t r = 0; r < n; r++) {
            g1_affine *p = points + runs[r].first;
            for (uint32_t i = 0; i + step < runs[r].count; i += 2 * step)
                g1i_batch_push(&s->batch, &p[i], &p[i], &p[i + step], 0);
        }
        g1i_batch_run(&s->batch);
    }
    for (size_t r = 0; r < n; r++)
        g1i_batch_push(&s->batch, runs[r].sum, runs[r].sum, &points[runs[r].first], 0);
    g1i_batch_run(&s->batch);
}

extern const struct transform_kernels V(transform_kernels);
const struct transform_kernels V(transform_kernels) = {
    .scratch_bytes = scratch_bytes,
    .multiply = multiply,
    .butterflies = butterflies,
    .twice = twice,
    .add_runs = add_runs,
};
