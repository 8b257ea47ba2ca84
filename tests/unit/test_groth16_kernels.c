/* The pointwise loops of the prover: every variant against the definition, for every length up to some
 * batches. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "groth16/kernels.h"

#define MOST 41

static uint64_t seed = 7;

static void fill(fr *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        fr_from_u64(&a[i], seed);
        fr_inv(&a[i], &a[i]);
        if (seed >> 61 == 0)
            a[i] = FR_ZERO;
        if (seed >> 61 == 1) { /* the plain integer r - 1 */
            a[i] = FR_MODULUS;
            a[i].l[0]--;
        }
    }
}

static void pointwise_loops(void **state)
{
    (void)state;
    for (unsigned v = 0; v < CPU_VARIANTS; v++) {
        if (!cpu_supports((enum cpu_variant)v))
            continue;
        const struct groth16_kernels *k = groth16_kernels((enum cpu_variant)v);
        for (size_t n = 0; n <= MOST; n++) {
            fr a[MOST + 1], b[MOST + 1], f, product[MOST + 1], quotient[MOST + 1], sum[MOST + 1], t;
            fill(a, MOST + 1);
            fill(b, MOST + 1);
            fill(&f, 1);
            if (n % 8 == 1)
                f = FR_ZERO;
            memcpy(product, a, sizeof a);
            memcpy(quotient, a, sizeof a);
            memcpy(sum, a, sizeof a);
            k->multiply(product, b, n);
            k->subtract_scale(quotient, b, n, &f);
            k->add_scaled(sum, b, n, &f);
            for (size_t i = 0; i <= MOST; i++) {
                fr wants[3] = {a[i], a[i], a[i]};
                if (i < n) {
                    fr_mul(&wants[0], &a[i], &b[i]);
                    fr_sub(&t, &a[i], &b[i]);
                    fr_mul(&wants[1], &t, &f);
                    fr_mul(&t, &b[i], &f);
                    fr_add(&wants[2], &a[i], &t);
                }
                assert_memory_equal(&product[i], &wants[0], sizeof(fr));
                assert_memory_equal(&quotient[i], &wants[1], sizeof(fr));
                assert_memory_equal(&sum[i], &wants[2], sizeof(fr));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pointwise_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
