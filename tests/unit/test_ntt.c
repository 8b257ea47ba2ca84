/* Transforms: each against a sum over the definition, against each other, for each variant and thread count.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/pool.h"
#include "ntt/ntt_kernel.h"

#define MAX_SMALL 14

static struct ntt_tables *tables;
static struct pool *one_thread;

static struct exec exec_with(struct pool *pool, int variant)
{
    return (struct exec){.pool = pool, .variant = (enum cpu_variant)variant};
}

static int setup(void **state)
{
    (void)state;
    if (pool_new(&one_thread, 1, NULL) != CUZK_OK)
        return -1;
    const struct exec x = exec_with(one_thread, CPU_PORTABLE);
    return ntt_tables_new(&x, &tables, NTT_MAX_LOG, NULL) == CUZK_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    ntt_tables_free(tables);
    pool_free(one_thread);
    return 0;
}

/* Pseudo-random elements with edge values mixed in. */
static void fill(fr *a, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        fr t;
        do {
            for (int j = 0; j < FR_LIMBS; j++) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                t.l[j] = seed ^ (seed >> 29);
            }
            t.l[FR_LIMBS - 1] >>= 1;
        } while (!fr_is_canonical(&t));
        a[i] = t;
        if (i % 7 == 3)
            fr_sub(&a[i], &FR_ZERO, &FR_ONE);
        if (i % 11 == 5)
            a[i] = FR_ZERO;
        if (i % 13 == 6) { /* the plain integer r - 1 */
            a[i] = FR_MODULUS;
            a[i].l[0]--;
        }
    }
}

static fr *elements(unsigned log)
{
    fr *a = malloc(sizeof *a << log);
    assert_non_null(a);
    return a;
}

static void check_equal(const fr *a, const fr *b, size_t n)
{
    assert_memory_equal(a, b, n * sizeof *a); /* canonical, so equal means the same bytes */
}

static void power(fr *out, const fr *base, uint64_t e)
{
    fr_pow(out, base, &e, 1);
}

/* f(shift w^j) for all j, by Horner's rule */
static void evaluate(fr *out, const fr *f, unsigned log, const fr *shift)
{
    const size_t n = (size_t)1 << log;
    fr w = FR_ROOT_OF_UNITY, at = *shift;
    for (unsigned i = log; i < FR_TWO_ADICITY; i++)
        fr_sqr(&w, &w);
    for (size_t j = 0; j < n; j++) {
        fr sum = FR_ZERO;
        for (size_t i = n; i-- > 0;) {
            fr_mul(&sum, &sum, &at);
            fr_add(&sum, &sum, &f[i]);
        }
        out[j] = sum;
        fr_mul(&at, &at, &w);
    }
}

static void equals_the_definition(void **state)
{
    (void)state;
    for (int variant = 0; variant < CPU_VARIANTS; variant++) {
        if (!cpu_supports((enum cpu_variant)variant))
            continue;
        const struct exec x = exec_with(one_thread, variant);
        for (unsigned log = 0; log <= 9; log++) {
            const size_t n = (size_t)1 << log;
            fr *f = elements(log), *want = elements(log), *got = elements(log);
            fill(f, n, log);
            evaluate(want, f, log, &FR_ONE);
            memcpy(got, f, n * sizeof *f);
            ntt_forward(&x, tables, got, log);
            check_equal(got, want, n);
            evaluate(want, f, log, &FR_GENERATOR);
            memcpy(got, f, n * sizeof *f);
            ntt_coset_forward(&x, tables, got, log);
            check_equal(got, want, n);
            free(f);
            free(want);
            free(got);
        }
    }
}

static void copy_values(const void *self, uint64_t first, size_t count, fr *out)
{
    memcpy(out, (const fr *)self + first, count * sizeof *out);
}

/* All of one size against the portable forward one with one thread and the definition's identities. */
static void check_size(const struct exec *x, unsigned log)
{
    const size_t n = (size_t)1 << log;
    fr *f = elements(log), *values = elements(log), *coset = elements(log), *got = elements(log);
    const struct exec reference = exec_with(one_thread, CPU_PORTABLE);
    fill(f, n, 77 + log);

    memcpy(values, f, n * sizeof *f);
    ntt_forward(&reference, tables, values, log);
    fr s = FR_ONE;
    for (size_t i = 0; i < n; i++) { /* a coset's values are those of the scaled coefficients */
        fr_mul(&coset[i], &f[i], &s);
        fr_mul(&s, &s, &FR_GENERATOR);
    }
    ntt_forward(&reference, tables, coset, log);

    memcpy(got, f, n * sizeof *f);
    ntt_forward(x, tables, got, log);
    check_equal(got, values, n);
    ntt_inverse(x, tables, got, log);
    check_equal(got, f, n);
    ntt_coset_forward(x, tables, got, log);
    check_equal(got, coset, n);
    ntt_coset_inverse(x, tables, got, log);
    check_equal(got, f, n);
    memcpy(got, values, n * sizeof *f);
    ntt_extend(x, tables, got, log);
    check_equal(got, coset, n);
    memset(got, 0xff, n * sizeof *f); /* values come from the source alone */
    ntt_extend_from(x, tables, got, log, &(struct ntt_source){values, copy_values});
    check_equal(got, coset, n);

    free(f);
    free(values);
    free(coset);
    free(got);
}

static void transforms_agree_for_each_size_and_thread_count(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 3, 5};
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        struct pool *pool;
        assert_int_equal(pool_new(&pool, threads[i], NULL), CUZK_OK);
        for (int variant = 0; variant < CPU_VARIANTS; variant++) {
            if (!cpu_supports((enum cpu_variant)variant))
                continue;
            const struct exec x = exec_with(pool, variant);
            for (unsigned log = 0; log <= MAX_SMALL; log++)
                check_size(&x, log);
        }
        pool_free(pool);
    }
}

/* Sizes of two and three passes: one value by the definition, and all the identities. */
static void large_sizes_are_right(void **state)
{
    (void)state;
    struct pool *pool;
    assert_int_equal(pool_new(&pool, 2, NULL), CUZK_OK);
    const struct exec x = exec_with(pool, (int)cpu_best());
    check_size(&x, 18);
    const unsigned log = 21;
    const size_t n = (size_t)1 << log, j = 1234567;
    fr *f = elements(log), w = FR_ROOT_OF_UNITY, at, sum = FR_ZERO;
    fill(f, n, 5);
    for (unsigned i = log; i < FR_TWO_ADICITY; i++)
        fr_sqr(&w, &w);
    power(&at, &w, j);
    fr_mul(&at, &at, &FR_GENERATOR);
    for (size_t i = n; i-- > 0;) {
        fr_mul(&sum, &sum, &at);
        fr_add(&sum, &sum, &f[i]);
    }
    ntt_coset_forward(&x, tables, f, log);
    assert_true(fr_equal(&f[j], &sum));
    ntt_coset_inverse(&x, tables, f, log);
    fr *again = elements(log);
    fill(again, n, 5);
    check_equal(f, again, n);
    free(f);
    free(again);
    check_size(&x, 21);
    pool_free(pool);
}

#ifdef CUZK_HAVE_IFMA
/* Three passes of few levels each, which ntt.c makes only of sizes too large for a test: to values on the
 * coset and, from values, extended to it. */
static void three_passes(fr *a, unsigned log, const unsigned levels[3], bool extend)
{
    const struct exec x = exec_with(one_thread, CPU_IFMA);
    const struct ntt_kernel *k = &ntt_kernel_ifma;
    const struct ntt_roots *down = extend ? &tables->inverse : &tables->forward;
    fr low_powers[1 << 5];
    fr52 low_factors[1 << 5];
    for (size_t i = 0; i < (size_t)1 << levels[2]; i++) {
        power(&low_powers[i], &tables->shift[log - levels[2]], ntt_bit_reversal(i, levels[2]));
        fr52_factor(&low_factors[i], &low_powers[i]);
    }
    struct ntt_pass p = {.a = a, .log = log, .x = &x, .down = down};
    p.shift = extend ? NULL : tables->shift;
    for (unsigned i = 0; i < 2; i++, p.level += p.levels) {
        p.levels = levels[i];
        p.group = 1;
        pool_run(x.pool, k->columns, &p, ((size_t)1 << (log - p.levels)) / k->column_width);
    }
    struct ntt_pass last = p;
    last.levels = levels[2];
    last.group = k->block_group;
    last.canonical = !extend;
    if (extend) {
        last.up = &tables->forward;
        last.scale = &tables->size_inverse[log];
        last.base_powers = tables->shift;
        last.low_powers = low_powers;
        last.low_factors = low_factors;
    }
    pool_run(x.pool, k->in_place, &last, ((size_t)1 << last.level) / last.group);
    for (unsigned i = 2; extend && i-- > 0;) {
        struct ntt_pass up = {.a = a, .log = log, .x = &x, .up = &tables->forward, .group = 1};
        up.levels = levels[i];
        up.level = i * levels[0];
        up.canonical = i == 0;
        pool_run(x.pool, k->columns, &up, ((size_t)1 << (log - up.levels)) / k->column_width);
    }
    if (!extend)
        ntt_bit_reverse(&x, a, log);
}
#endif

static void three_passes_of_eight_lanes_are_right(void **state)
{
    (void)state;
#ifdef CUZK_HAVE_IFMA
    static const unsigned levels[][3] = {{3, 3, 3}, {3, 4, 3}, {4, 3, 5}, {5, 4, 5}};
    if (!cpu_supports(CPU_IFMA))
        skip();
    const struct exec reference = exec_with(one_thread, CPU_PORTABLE);
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        const unsigned log = levels[i][0] + levels[i][1] + levels[i][2];
        const size_t n = (size_t)1 << log;
        fr *f = elements(log), *values = elements(log), *coset = elements(log);
        fill(f, n, 31 + log);
        memcpy(values, f, n * sizeof *f);
        memcpy(coset, f, n * sizeof *f);
        ntt_forward(&reference, tables, values, log);
        ntt_coset_forward(&reference, tables, coset, log);
        three_passes(f, log, levels[i], false);
        check_equal(f, coset, n);
        three_passes(values, log, levels[i], true);
        check_equal(values, coset, n);
        free(f);
        free(values);
        free(coset);
    }
#else
    skip();
#endif
}

/* Asked to stop, a transform comes back, and the next one with the same tables is right again. */
static void a_transform_can_be_stopped(void **state)
{
    (void)state;
    const unsigned log = 18;
    const volatile int stop = 1;
    struct exec x = exec_with(one_thread, (int)cpu_best());
    fr *f = elements(log), *kept = elements(log);
    fill(f, (size_t)1 << log, 9);
    fill(kept, (size_t)1 << log, 9);
    x.cancel = &stop;
    ntt_forward(&x, tables, f, log);
    ntt_extend(&x, tables, f, log);
    check_equal(f, kept, (size_t)1 << log); /* stopped from the start, it has touched nothing */
    free(f);
    free(kept);
    x.cancel = NULL;
    check_size(&x, 12);
}

static void root(fr *out, const struct ntt_roots *roots, size_t i)
{
    fr_mul(out, &roots->low[i % (1 << NTT_LOW_LOG)], &roots->high[i >> NTT_LOW_LOG]);
}

/* w_(2i)^2 = w_i and w_(2i+1)^2 = -w_i: with w_0 = 1 and the choice of w_(2^t) that is all there is to them,
 * up to the sizes that are too large for the other tests. */
static void roots_are_right_up_to_the_largest_size(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (unsigned direction = 0; direction < 2; direction++) {
        const struct ntt_roots *roots = direction ? &tables->inverse : &tables->forward;
        fr a, b, c;
        root(&a, roots, 0);
        assert_true(fr_equal(&a, &FR_ONE));
        for (unsigned k = 0; k < 20000; k++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            const size_t i = k < 64 ? k : (seed >> 33) % ((size_t)1 << (NTT_MAX_LOG - 2));
            root(&a, roots, i);
            root(&b, roots, 2 * i);
            root(&c, roots, 2 * i + 1);
            fr_sqr(&b, &b);
            fr_sqr(&c, &c);
            fr_neg(&c, &c);
            assert_memory_equal(&b, &a, sizeof a);
            assert_memory_equal(&c, &a, sizeof a);
        }
        fr w = FR_ROOT_OF_UNITY; /* of order 2^28 */
        for (unsigned i = NTT_MAX_LOG; i < FR_TWO_ADICITY; i++)
            fr_sqr(&w, &w);
        if (direction)
            fr_inv(&w, &w);
        root(&a, roots, (size_t)1 << (NTT_MAX_LOG - 2));
        assert_true(fr_equal(&a, &w));
    }
}

static void too_large_a_size_is_refused(void **state)
{
    (void)state;
    const struct exec x = exec_with(one_thread, CPU_PORTABLE);
    struct ntt_tables *t = NULL;
    struct cuzk_error e;
    assert_int_equal(ntt_tables_new(&x, &t, NTT_MAX_LOG + 1, &e), CUZK_ERR_ARGUMENT);
    assert_null(t);
}

static void each_failing_allocation_is_reported(void **state)
{
    (void)state;
    const struct exec x = exec_with(one_thread, CPU_PORTABLE);
    for (uint64_t i = 1;; i++) {
        struct ntt_tables *t = NULL;
        mem_fail_after(i);
        const cuzk_status s = ntt_tables_new(&x, &t, 20, NULL);
        mem_fail_after(0);
        if (s == CUZK_OK) {
            ntt_tables_free(t);
            assert_true(i > 1);
            break;
        }
        assert_int_equal(s, CUZK_ERR_MEMORY);
        assert_null(t);
    }
    ntt_tables_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_definition),
        cmocka_unit_test(transforms_agree_for_each_size_and_thread_count),
        cmocka_unit_test(large_sizes_are_right),
        cmocka_unit_test(three_passes_of_eight_lanes_are_right),
        cmocka_unit_test(a_transform_can_be_stopped),
        cmocka_unit_test(roots_are_right_up_to_the_largest_size),
        cmocka_unit_test(too_large_a_size_is_refused),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
