/* groth16/transform_ifma.c - products by scalars in eight lanes (transform_kernels.h, field/fp8.h).
 *
 * Eight points that share a scalar take the lanes of an octet and go through its digits together; octets
 * share inversions. Coordinates are x 2^416 here, so that products need no correction. Of points of order r a
 * partial sum is never plus or minus the multiple that is added to it: the two parts of its scalar stay below
 * (u^2 - 1), which is the least any two representations differ by, and their parities differ. So infinity
 * alone is special; its lanes are computed with a denominator of 1 and cleared in the end.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "curve/group_inline.h"
#include "field/fp8.h"
#include "groth16/transform_kernels.h"

#define OCTETS        (TRANSFORM_BATCH / FP8_LANES)
#define TABLE_POINTS  8            /* 1, 3, .. 15 times a point */
#define OCTETS_APART  (OCTETS / 2) /* that have scalars of their own */
#define WINDOW_BITS   5
#define WINDOWS       26 /* of 5 bits: 127 and a sign, and carries */
#define WINDOW_POINTS 16
#define CHAINS        4 /* of products, that the processor overlaps */

struct point8 {
    fp8 x, y;
};

/* An addition *out = *a + *b (or - *b in the lanes of negate); b's x may be elsewhere. */
struct sum8 {
    struct point8 *out;
    const fp8 *xb, *yb;
    __mmask8 lanes; /* in the others nothing is done */
    __mmask8 negate;
};

struct scratch {
    union {
        struct point8 table[TABLE_POINTS][OCTETS];
        struct point8 windows[WINDOW_POINTS][OCTETS_APART]; /* 1, 2, .. 16 times a point */
    };
    struct point8 sum[OCTETS];
    struct point8 added[OCTETS]; /* multiples that are not in the table as they are added */
    fp8 denominator[OCTETS], product[OCTETS + CHAINS];
    struct sum8 waiting[OCTETS];
    __mmask8 infinite[OCTETS];
    __mmask8 started[OCTETS]; /* lanes whose sum has a first summand */
    int8_t digit[2][WINDOWS][OCTETS_APART * FP8_LANES];
    fp8 one, to_lanes, from_lanes, inverse_factor, beta;
};

extern const struct transform_kernels transform_kernels_adx;

static size_t align(size_t n)
{
    return (n + 63) / 64 * 64;
}

static size_t scratch_bytes(void)
{
    return align(sizeof(struct scratch)) + align(transform_kernels_adx.scratch_bytes());
}

static void *scalar_scratch(void *memory)
{
    return (uint8_t *)memory + align(sizeof(struct scratch));
}

/* -- constants and conversion -- */

static void broadcast(fp8 *out, const fp *integer)
{
    fp_row row;
    fp_to_row(&row, integer);
    fp8_broadcast(out, row.l);
}

/* Powers of two modulo p, by doubling 2^384, which is FP_ONE. */
static void make_constants(struct scratch *s)
{
    static const g1_affine unit = {.x = {{0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba,
                                          0x77ce585370525745, 0x5c071a97a256ec6d, 0x15f65ec3fa80e493}}};
    fp power = FP_ONE;
    g1_affine beta;
    broadcast(&s->from_lanes, &power); /* 2^384 */
    for (unsigned i = 384; i < 416; i++)
        fp_double(&power, &power);
    broadcast(&s->one, &power); /* 2^416 */
    for (unsigned i = 416; i < 432; i++)
        fp_double(&power, &power);
    broadcast(&s->inverse_factor, &power); /* 2^432 */
    for (unsigned i = 432; i < 448; i++)
        fp_double(&power, &power);
    broadcast(&s->to_lanes, &power); /* 2^448 */
    g1i_endomorphism(&beta, &unit);
    broadcast(&s->beta, &beta.x);
    fp8_mul(&s->beta, &s->beta, &s->to_lanes);
    fp8_reduce(&s->beta);
}

/* Which lanes are 0, as their integers say here and never again. */
static __mmask8 load_coordinate(fp8 *out, const g1_affine *p, size_t offset, const fp8 *factor)
{
    for (unsigned lane = 0; lane < FP8_LANES; lane++)
        out->l[lane] = fp8_row((const uint8_t *)(p + lane) + offset);
    fp8_transpose(out->l);
    const __mmask8 zero = fp8_zero_lanes(out);
    fp8_mul(out, out, factor);
    fp8_reduce(out);
    return zero;
}

static void store_coordinate(g1_affine *p, size_t offset, const fp8 *a, const fp8 *factor)
{
    fp8 t;
    fp8_mul(&t, a, factor);
    fp8_reduce(&t);
    for (unsigned lane = 0; lane < FP8_LANES; lane++)
        fp8_get_lane((fp *)(void *)((uint8_t *)(p + lane) + offset), &t, lane);
}

/* -- additions -- */

/* The i-th denominator goes into its chain. */
static void products(struct scratch *s, size_t i)
{
    fp8_mul(&s->product[i + CHAINS], &s->product[i], &s->denominator[i]);
}

/* run: the inverses of the chains' products of n denominators, none of which is a multiple of p. */
static void invert_chains(struct scratch *s, fp8 run[CHAINS], size_t n)
{
    for (size_t i = n; i < n + CHAINS; i++)
        run[i % CHAINS] = s->product[i];
    /* the chains among themselves, then one inversion: 2^816 over an integer that has 2^416 within */
    fp8 upto[CHAINS], inverse;
    upto[0] = run[0];
    for (unsigned c = 1; c < CHAINS; c++)
        fp8_mul(&upto[c], &upto[c - 1], &run[c]);
    inverse = upto[CHAINS - 1];
    fp8_reduce(&inverse);
    fp8_invert(&inverse);
    fp8_mul(&inverse, &inverse, &s->inverse_factor);
    for (unsigned c = CHAINS; c-- > 1;) {
        fp8 own;
        fp8_mul(&own, &inverse, &upto[c - 1]);
        fp8_mul(&inverse, &inverse, &run[c]);
        run[c] = own;
    }
    run[0] = inverse;
}

/* From the last to the first: the inverse of the i-th denominator. */
static void next_inverse(struct scratch *s, fp8 run[CHAINS], size_t i, fp8 *inverse)
{
    fp8_mul(inverse, &run[i % CHAINS], &s->product[i]);
    fp8_mul(&run[i % CHAINS], &run[i % CHAINS], &s->denominator[i]);
}

/* x, y of the third point of the line of this slope through (xa, ya) and another point with xb. */
static void third_point(struct point8 *out, const fp8 *slope, const fp8 *xa, const fp8 *ya, const fp8 *xb)
{
    fp8 x, y, t;
    fp8_mul(&x, slope, slope);
    fp8_sub_loose(&x, &x, xa);
    fp8_sub_loose(&x, &x, xb);
    fp8_reduce(&x);
    fp8_sub(&t, xa, &x);
    fp8_mul(&y, &t, slope);
    fp8_sub_loose(&y, &y, ya);
    fp8_reduce(&y);
    out->x = x;
    out->y = y;
}

/* Lanes of an octet's sum that hold nothing that could be divided by. */
static __mmask8 void_lanes(const struct scratch *s, size_t i)
{
    return (__mmask8)(s->infinite[i] | ~s->started[i]);
}

static void twice_all(struct scratch *s, struct point8 *p, size_t n)
{
    fp8 run[CHAINS];
    for (unsigned c = 0; c < CHAINS; c++)
        s->product[c] = s->one;
    for (size_t i = 0; i < n; i++) {
        fp8_add(&s->denominator[i], &p[i].y, &p[i].y);
        const __mmask8 none = void_lanes(s, i);
        if (none != 0)
            fp8_blend(&s->denominator[i], none, &s->one);
        products(s, i);
    }
    invert_chains(s, run, n);
    for (size_t i = n; i-- > 0;) {
        fp8 inverse, slope, square;
        next_inverse(s, run, i, &inverse);
        fp8_mul(&square, &p[i].x, &p[i].x);
        fp8_add(&slope, &square, &square);
        fp8_add(&slope, &slope, &square);
        fp8_mul(&slope, &slope, &inverse);
        third_point(&p[i], &slope, &p[i].x, &p[i].y, &p[i].x);
    }
}

/* Do the n additions that wait; their sums are all different. */
static void add_all(struct scratch *s, size_t n)
{
    fp8 run[CHAINS];
    if (n == 0)
        return;
    for (unsigned c = 0; c < CHAINS; c++)
        s->product[c] = s->one;
    for (size_t i = 0; i < n; i++) {
        const struct sum8 *w = &s->waiting[i];
        fp8_sub(&s->denominator[i], w->xb, &w->out->x);
        if (w->lanes != 0xff)
            fp8_blend(&s->denominator[i], (__mmask8)~w->lanes, &s->one);
        products(s, i);
    }
    invert_chains(s, run, n);
    for (size_t i = n; i-- > 0;) {
        const struct sum8 *w = &s->waiting[i];
        fp8 inverse, slope, yb;
        next_inverse(s, run, i, &inverse);
        fp8_negate_some(&yb, w->negate, w->yb);
        fp8_carry(&yb);
        fp8_sub(&slope, &yb, &w->out->y);
        fp8_mul(&slope, &slope, &inverse);
        struct point8 sum;
        third_point(&sum, &slope, &w->out->x, &w->out->y, w->xb);
        fp8_blend(&w->out->x, w->lanes, &sum.x);
        fp8_blend(&w->out->y, w->lanes, &sum.y);
    }
}

/* Let sum i take its first summand in these lanes. */
static void start(struct scratch *s, size_t i, __mmask8 lanes, const fp8 *x, const fp8 *y, __mmask8 negate)
{
    fp8 signed_y;
    fp8_negate_some(&signed_y, negate, y);
    fp8_carry(&signed_y);
    fp8_reduce(&signed_y);
    fp8_blend(&s->sum[i].x, lanes, x);
    fp8_blend(&s->sum[i].y, lanes, &signed_y);
    s->started[i] |= lanes;
}

/* -- products by scalars -- */

static void make_table(struct scratch *s, size_t n)
{
    memcpy(s->sum, s->table[0], n * sizeof s->sum[0]);
    twice_all(s, s->sum, n);
    for (unsigned k = 1; k < TABLE_POINTS; k++) {
        for (size_t i = 0; i < n; i++) {
            s->table[k][i] = s->table[k - 1][i];
            s->waiting[i] = (struct sum8){.out = &s->table[k][i],
                                          .xb = &s->sum[i].x,
                                          .yb = &s->sum[i].y,
                                          .lanes = (__mmask8)~s->infinite[i]};
        }
        add_all(s, n);
    }
}

/* As in transform_variant.c: in the second half multiples of [u^2] P = -phi(P). */
static void add_digits(struct scratch *s, const struct scalar_digits *const *d, size_t n, unsigned half,
                       unsigned place)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const int digit = d[i * FP8_LANES]->digit[half][place];
        if (digit == 0)
            continue;
        const struct point8 *from = &s->table[(digit < 0 ? -digit : digit) / 2][i];
        const fp8 *xb = &from->x;
        const __mmask8 negate = (digit < 0) != (half == 1) ? 0xff : 0;
        if (half == 1) {
            fp8_mul(&s->added[i].x, xb, &s->beta);
            fp8_reduce(&s->added[i].x);
            xb = &s->added[i].x;
        }
        if (!s->started[i])
            start(s, i, 0xff, xb, &from->y, negate);
        else
            s->waiting[count++] = (struct sum8){.out = &s->sum[i],
                                                .xb = xb,
                                                .yb = &from->y,
                                                .lanes = (__mmask8)~s->infinite[i],
                                                .negate = negate};
    }
    add_all(s, count);
}

/* The points of n octets, to first[i]. */
static void load_points(struct scratch *s, struct point8 *first, const g1_affine *p, size_t n)
{
    make_constants(s);
    for (size_t i = 0; i < n; i++) {
        load_coordinate(&first[i].x, p + i * FP8_LANES, offsetof(g1_affine, x), &s->to_lanes);
        s->infinite[i] =
            load_coordinate(&first[i].y, p + i * FP8_LANES, offsetof(g1_affine, y), &s->to_lanes);
        s->started[i] = 0xff; /* the table's points */
    }
}

static void clear_sums(struct scratch *s, size_t n)
{
    memset(s->sum, 0, n * sizeof s->sum[0]);
    memset(s->started, 0, n * sizeof s->started[0]);
}

static void store_sums(struct scratch *s, g1_affine *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        store_coordinate(p + i * FP8_LANES, offsetof(g1_affine, x), &s->sum[i].x, &s->from_lanes);
        store_coordinate(p + i * FP8_LANES, offsetof(g1_affine, y), &s->sum[i].y, &s->from_lanes);
        for (unsigned lane = 0; lane < FP8_LANES; lane++)
            if (void_lanes(s, i) >> lane & 1)
                memset(&p[i * FP8_LANES + lane], 0, sizeof *p);
    }
}

static void multiply_octets(struct scratch *s, g1_affine *p, const struct scalar_digits *const *d, size_t n)
{
    unsigned most = 0;
    load_points(s, s->table[0], p, n);
    for (size_t i = 0; i < n; i++)
        if (d[i * FP8_LANES]->count > most)
            most = d[i * FP8_LANES]->count;
    make_table(s, n);
    clear_sums(s, n);
    for (unsigned place = most; place-- > 0;) {
        if (place + 1 < most)
            twice_all(s, s->sum, n);
        add_digits(s, d, n, 0, place);
        add_digits(s, d, n, 1, place);
    }
    store_sums(s, p, n);
}

/* -- each by its own scalar -- */

static void cut_windows(struct scratch *s, const struct scalar_digits *const *d, size_t points)
{
    for (size_t i = 0; i < points; i++)
        for (unsigned half = 0; half < 2; half++) {
            const uint64_t *part = d[i]->part[half];
            fp8_wide k = (fp8_wide)((u128)part[1] << 64 | part[0]);
            for (unsigned w = 0; w < WINDOWS; w++) {
                int digit = (int)(k & ((1 << WINDOW_BITS) - 1));
                if (digit > WINDOW_POINTS)
                    digit -= 1 << WINDOW_BITS;
                k = (k - digit) >> WINDOW_BITS;
                s->digit[half][w][i] = (int8_t)digit;
            }
            VERIFY(k == 0);
        }
}

static void make_windows(struct scratch *s, size_t n)
{
    memcpy(s->windows[1], s->windows[0], n * sizeof s->windows[0][0]);
    twice_all(s, s->windows[1], n);
    for (unsigned k = 2; k < WINDOW_POINTS; k++) {
        for (size_t i = 0; i < n; i++) {
            s->windows[k][i] = s->windows[k - 1][i];
            s->waiting[i] = (struct sum8){.out = &s->windows[k][i],
                                          .xb = &s->windows[0][i].x,
                                          .yb = &s->windows[0][i].y,
                                          .lanes = (__mmask8)~s->infinite[i]};
        }
        add_all(s, n);
    }
}

/* To added[i] each lane's own multiple of its point; which lanes have one, and which of them are negative. */
static __mmask8 take_multiples(struct scratch *s, size_t i, const int8_t digit[FP8_LANES], __mmask8 *negative)
{
    _Alignas(64) int64_t offset[FP8_LANES];
    __mmask8 some = 0;
    *negative = 0;
    for (unsigned lane = 0; lane < FP8_LANES; lane++) {
        const int d = digit[lane], multiple = d < 0 ? -d : d;
        some |= (__mmask8)((d != 0) << lane);
        *negative |= (__mmask8)((d < 0) << lane);
        offset[lane] = (int64_t)((multiple > 0 ? (size_t)multiple - 1 : 0) * sizeof s->windows[0] +
                                 lane * sizeof(uint64_t));
    }
    const __m512i at = _mm512_load_si512((const void *)offset);
    for (unsigned l = 0; l < FP8_LIMBS; l++) {
        s->added[i].x.l[l] = _mm512_i64gather_epi64(at, (const void *)&s->windows[0][i].x.l[l], 1);
        s->added[i].y.l[l] = _mm512_i64gather_epi64(at, (const void *)&s->windows[0][i].y.l[l], 1);
    }
    return some;
}

static void add_window(struct scratch *s, size_t n, unsigned half, unsigned w)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        __mmask8 negate;
        const __mmask8 some = take_multiples(s, i, &s->digit[half][w][i * FP8_LANES], &negate),
                       first = (__mmask8)(some & ~s->started[i]),
                       later = (__mmask8)(some & s->started[i] & ~s->infinite[i]);
        if (half == 1) {
            negate = (__mmask8)~negate;
            fp8_mul(&s->added[i].x, &s->added[i].x, &s->beta);
            fp8_reduce(&s->added[i].x);
        }
        if (first)
            start(s, i, first, &s->added[i].x, &s->added[i].y, negate);
        if (later)
            s->waiting[count++] = (struct sum8){.out = &s->sum[i],
                                                .xb = &s->added[i].x,
                                                .yb = &s->added[i].y,
                                                .lanes = later,
                                                .negate = negate};
    }
    add_all(s, count);
}

static void multiply_apart(struct scratch *s, g1_affine *p, const struct scalar_digits *const *d, size_t n)
{
    load_points(s, s->windows[0], p, n);
    cut_windows(s, d, n * FP8_LANES);
    make_windows(s, n);
    clear_sums(s, n);
    for (unsigned w = WINDOWS; w-- > 0;) {
        for (unsigned i = 0; i < WINDOW_BITS && w + 1 < WINDOWS; i++)
            twice_all(s, s->sum, n);
        add_window(s, n, 0, w);
        add_window(s, n, 1, w);
    }
    store_sums(s, p, n);
}

static bool shared_by_octets(const struct scalar_digits *const *d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (d[i] != d[i / FP8_LANES * FP8_LANES])
            return false;
    return true;
}

static void multiply(void *memory, g1_affine *p, const struct scalar_digits *const *d, size_t n)
{
    const size_t whole = n / FP8_LANES;
    if (shared_by_octets(d, whole * FP8_LANES))
        multiply_octets(memory, p, d, whole);
    else
        for (size_t i = 0; i < whole; i += OCTETS_APART)
            multiply_apart(memory, p + i * FP8_LANES, d + i * FP8_LANES,
                           whole - i < OCTETS_APART ? whole - i : OCTETS_APART);
    if (n > whole * FP8_LANES)
        transform_kernels_adx.multiply(scalar_scratch(memory), p + whole * FP8_LANES, d + whole * FP8_LANES,
                                       n - whole * FP8_LANES);
}

static void butterflies(void *memory, g1_affine *const *a, g1_affine *const *b, const g1_affine *t, size_t n)
{
    transform_kernels_adx.butterflies(scalar_scratch(memory), a, b, t, n);
}

static void twice(void *memory, g1_affine *p, size_t n)
{
    transform_kernels_adx.twice(scalar_scratch(memory), p, n);
}

static void add_runs(void *memory, g1_affine *points, const struct point_run *runs, size_t n)
{
    transform_kernels_adx.add_runs(scalar_scratch(memory), points, runs, n);
}

extern const struct transform_kernels transform_kernels_ifma;
const struct transform_kernels transform_kernels_ifma = {
    .scratch_bytes = scratch_bytes,
    .multiply = multiply,
    .butterflies = butterflies,
    .twice = twice,
    .add_runs = add_runs,
};
