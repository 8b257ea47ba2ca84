/* bench/bench_field.c - products, sums, inverses and roots in Fp, Fr and Fp2.
 *
 * The ADX products, and those of eight lanes, are called as variant sources call them; Fp2 and the rest run
 * as this program is compiled, with portable products. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "bench.h"
#include "field/fp2.h"
#include "field/fr.h"

#define COUNT  64
#define ROUNDS 100

#ifdef CUZK_HAVE_IFMA
/* As in field/fp8.h, which only sources of that variant can include: 8 limbs of 52 bits, in 8 lanes each. */
struct fp8;
void fp8_mul(struct fp8 *out, const struct fp8 *a, const struct fp8 *b);
void fp8_mul2_loose(struct fp8 *out, const struct fp8 *a, const struct fp8 *b, const struct fp8 *c,
                    const struct fp8 *d);
void fp8_sqr_loose(struct fp8 *out, const struct fp8 *a);
#define LANES 8
#endif

struct data {
#ifdef CUZK_HAVE_IFMA
    _Alignas(64) uint64_t octets[3][COUNT / LANES][8][LANES];
#endif
    fp a[COUNT], b[COUNT], c[COUNT];
    fp2 d[COUNT], e[COUNT], f[COUNT];
    fr x[COUNT], y[COUNT], z[COUNT];
    size_t roots; /* found; keeps the compiler from dropping them */
};

/* A function of a benchmark: STATEMENT for each i, rounds times. */
#define LOOP(name, rounds, statement)                                                                        \
    static void name(void *ctx)                                                                              \
    {                                                                                                        \
        struct data *v = ctx;                                                                                \
        for (unsigned round = 0; round < (rounds); round++) {                                                \
            for (size_t i = 0; i < COUNT; i++)                                                               \
                statement;                                                                                   \
        }                                                                                                    \
    }

LOOP(run_fp_mul_portable, ROUNDS, fp_mul_portable(&v->c[i], &v->a[i], &v->b[i]))
LOOP(run_fp_add, ROUNDS, fp_add(&v->c[i], &v->a[i], &v->b[i]))
LOOP(run_fp_sub, ROUNDS, fp_sub(&v->c[i], &v->a[i], &v->b[i]))
LOOP(run_fp_inv, 1, fp_inv(&v->c[i], &v->a[i]))
LOOP(run_fp_sqrt, 1, v->roots += fp_sqrt(&v->c[i], &v->a[i]))
LOOP(run_fr_mul_portable, ROUNDS, fr_mul_portable(&v->z[i], &v->x[i], &v->y[i]))
LOOP(run_fr_add, ROUNDS, fr_add(&v->z[i], &v->x[i], &v->y[i]))
LOOP(run_fr_sub, ROUNDS, fr_sub(&v->z[i], &v->x[i], &v->y[i]))
LOOP(run_fr_inv, 1, fr_inv(&v->z[i], &v->x[i]))
LOOP(run_fp2_mul, ROUNDS, fp2_mul(&v->f[i], &v->d[i], &v->e[i]))
LOOP(run_fp2_sqr, ROUNDS, fp2_sqr(&v->f[i], &v->d[i]))
LOOP(run_fp2_sqrt, 1, v->roots += fp2_sqrt(&v->f[i], &v->d[i]))
#ifdef CUZK_HAVE_ADX
LOOP(run_fp_mul_adx, ROUNDS, fp_mul_adx(&v->c[i], &v->a[i], &v->b[i]))
LOOP(run_fp_sqr_adx, ROUNDS, fp_sqr_adx(&v->c[i], &v->a[i]))
LOOP(run_fr_mul_adx, ROUNDS, fr_mul_adx(&v->z[i], &v->x[i], &v->y[i]))
LOOP(run_fr_sqr_adx, ROUNDS, fr_sqr_adx(&v->z[i], &v->x[i]))
#endif

#ifdef CUZK_HAVE_IFMA
#define OCTET(which) ((struct fp8 *)(void *)v->octets[which][i / LANES])
LOOP(run_fp_mul_ifma, ROUNDS, if (i % LANES == 0) fp8_mul(OCTET(2), OCTET(0), OCTET(1)))
LOOP(run_fp_sqr_ifma, ROUNDS, if (i % LANES == 0) fp8_sqr_loose(OCTET(2), OCTET(0)))
LOOP(run_fp_mul2_ifma, ROUNDS,
     if (i % LANES == 0) fp8_mul2_loose(OCTET(2), OCTET(0), OCTET(1), OCTET(1), OCTET(0)))
#undef OCTET
#endif

#undef LOOP

static const struct {
    const char *name;
    enum cpu_variant variant;
    unsigned rounds;
    void (*run)(void *ctx);
} cases[] = {
    {"fp_mul", CPU_PORTABLE, ROUNDS, run_fp_mul_portable},
    {"fr_mul", CPU_PORTABLE, ROUNDS, run_fr_mul_portable},
    {"fp_add", CPU_PORTABLE, ROUNDS, run_fp_add},
    {"fp_sub", CPU_PORTABLE, ROUNDS, run_fp_sub},
    {"fr_add", CPU_PORTABLE, ROUNDS, run_fr_add},
    {"fr_sub", CPU_PORTABLE, ROUNDS, run_fr_sub},
    {"fp_inv", CPU_PORTABLE, 1, run_fp_inv},
    {"fr_inv", CPU_PORTABLE, 1, run_fr_inv},
    {"fp_sqrt", CPU_PORTABLE, 1, run_fp_sqrt},
    {"fp2_mul", CPU_PORTABLE, ROUNDS, run_fp2_mul},
    {"fp2_sqr", CPU_PORTABLE, ROUNDS, run_fp2_sqr},
    {"fp2_sqrt", CPU_PORTABLE, 1, run_fp2_sqrt},
#ifdef CUZK_HAVE_ADX
    {"fp_mul", CPU_ADX, ROUNDS, run_fp_mul_adx},
    {"fp_sqr", CPU_ADX, ROUNDS, run_fp_sqr_adx},
    {"fr_mul", CPU_ADX, ROUNDS, run_fr_mul_adx},
    {"fr_sqr", CPU_ADX, ROUNDS, run_fr_sqr_adx},
#endif
#ifdef CUZK_HAVE_IFMA
    {"fp_mul", CPU_IFMA, ROUNDS, run_fp_mul_ifma},
    {"fp_sqr", CPU_IFMA, ROUNDS, run_fp_sqr_ifma},
    {"fp_two_products", CPU_IFMA, ROUNDS, run_fp_mul2_ifma},
#endif
};

static fp random_fp(uint64_t *seed)
{
    fp a;
    do {
        for (int i = 0; i < FP_LIMBS; i++)
            a.l[i] = bench_random(seed);
        a.l[FP_LIMBS - 1] >>= 64 * FP_LIMBS - FP_BITS;
    } while (!fp_is_canonical(&a));
    return a;
}

static fr random_fr(uint64_t *seed)
{
    fr a;
    do {
        for (int i = 0; i < FR_LIMBS; i++)
            a.l[i] = bench_random(seed);
        a.l[FR_LIMBS - 1] >>= 64 * FR_LIMBS - FR_BITS;
    } while (!fr_is_canonical(&a));
    return a;
}

int main(int argc, char **argv)
{
    static struct data v;
    struct bench b;
    uint64_t seed = 1;
    const enum bench_start s = bench_start(&b, argc, argv);
    if (s != BENCH_GO)
        return bench_exit(s);
#ifdef CUZK_HAVE_IFMA
    uint64_t *limbs = &v.octets[0][0][0][0];
    for (size_t i = 0; i < sizeof v.octets / sizeof *limbs; i++)
        limbs[i] = bench_random(&seed) >> (i / LANES % 8 == 7 ? 48 : 12);
#endif
    for (size_t i = 0; i < COUNT; i++) {
        v.a[i] = random_fp(&seed);
        v.b[i] = random_fp(&seed);
        v.d[i] = (fp2){random_fp(&seed), random_fp(&seed)};
        v.e[i] = (fp2){random_fp(&seed), random_fp(&seed)};
        v.x[i] = random_fr(&seed);
        v.y[i] = random_fr(&seed);
    }
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct bench here = b;
        here.variant = cases[i].variant;
        if (b.variant_given ? here.variant == b.variant : cpu_supports(here.variant))
            bench_run(&here, cases[i].name, COUNT * cases[i].rounds, 1, 200, NULL, cases[i].run, &v);
    }
    return 0;
}
