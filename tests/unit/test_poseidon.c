/* Poseidon: digests of the published crate, derived constants against the definition, every variant against
 * the plain form of the permutation.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "flat_json.h"

#include "base/pool.h"
#include "hash/poseidon.h"
#include "hash/poseidon_constants.h"
#include "hash/poseidon_permute.h"

static struct poseidon_set *set;

static int setup(void **state)
{
    (void)state;
    return poseidon_set_new(&set, NULL) == CUZK_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    poseidon_set_free(set);
    return 0;
}

static fr element(uint64_t seed)
{
    fr x;
    fr_from_u64(&x, seed * UINT64_C(0x9e3779b97f4a7c15) + 1);
    fr_inv(&x, &x);
    return x;
}

static void check_vectors(const char *file, const struct poseidon *only)
{
    char *text = flat_json_load(file), *at = text, *object;
    unsigned count = 0;
    for (; (object = flat_json_next(&at)); count++) {
        const unsigned arity = (unsigned)flat_json_number(object, "arity");
        const struct poseidon *p = only ? only : poseidon_of_arity(set, arity);
        assert_non_null(p);
        assert_int_equal(p->arity, arity);
        assert_int_equal(p->width, arity + 1);
        assert_int_equal(p->full_rounds, flat_json_number(object, "full_rounds"));
        assert_int_equal(p->partial_rounds, flat_json_number(object, "partial_rounds"));
        fr preimage[POSEIDON_MAX_ARITY], digest;
        assert_int_equal(flat_json_elements(preimage, POSEIDON_MAX_ARITY, object, "preimage"), arity);
        const fr expected = flat_json_element(object, "digest");
        for (unsigned v = 0; v < CPU_VARIANTS; v++) {
            if (!cpu_supports((enum cpu_variant)v))
                continue;
            poseidon_hash((enum cpu_variant)v, p, &digest, preimage);
            assert_true(fr_equal(&digest, &expected));
        }
    }
    assert_true(count >= 3);
    free(text);
}

static void test_digests_of_the_crate(void **state)
{
    (void)state;
    check_vectors("poseidon.json", NULL);
}

static void test_digests_with_the_tag_of_snap(void **state)
{
    (void)state;
    check_vectors("poseidon-snap.json", &set->kind[POSEIDON_2_SNAP]);
}

static void test_round_numbers(void **state)
{
    (void)state;
    static const struct {
        unsigned width, partial;
    } known[] = {{2, 55},  {3, 55},  {4, 56},  {7, 56},  {8, 57},
                 {15, 57}, {16, 59}, {25, 59}, {37, 60}, {65, 61}};
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        unsigned full = 0, partial = 0;
        poseidon_round_numbers(known[i].width, &full, &partial);
        assert_int_equal(full, 8);
        assert_int_equal(partial, known[i].partial);
    }
}

/* The permutation as the paper defines it: in each round add the constants, S-box of all elements or the
 * first, mix. */
static fr plain_hash(const struct poseidon *p, const fr *preimage)
{
    static fr constants[(POSEIDON_MAX_PARTIAL + 10) * POSEIDON_MAX_WIDTH];
    const unsigned t = p->width, rounds = p->full_rounds + p->partial_rounds, half = p->full_rounds / 2;
    poseidon_grain(constants, (size_t)t * rounds, t, p->full_rounds, p->partial_rounds);
    fr s[POSEIDON_MAX_WIDTH], mixed[POSEIDON_MAX_WIDTH], x;
    s[0] = p->domain_tag;
    memcpy(s + 1, preimage, p->arity * sizeof s[0]);
    for (unsigned r = 0; r < rounds; r++) {
        const unsigned sboxes = r < half || r >= half + p->partial_rounds ? t : 1;
        for (unsigned i = 0; i < t; i++)
            fr_add(&s[i], &s[i], &constants[r * t + i]);
        for (unsigned i = 0; i < sboxes; i++) {
            const uint64_t five = 5;
            fr_pow(&s[i], &s[i], &five, 1);
        }
        for (unsigned j = 0; j < t; j++) {
            mixed[j] = FR_ZERO;
            for (unsigned i = 0; i < t; i++) {
                fr_mul(&x, &s[i], &p->mds[i * t + j]);
                fr_add(&mixed[j], &mixed[j], &x);
            }
        }
        memcpy(s, mixed, sizeof s);
    }
    return s[1];
}

static void test_the_optimised_form_is_the_definition(void **state)
{
    (void)state;
    fr minus_one;
    fr_neg(&minus_one, &FR_ONE);
    for (unsigned k = 0; k < POSEIDON_KINDS; k++) {
        const struct poseidon *p = &set->kind[k];
        for (unsigned n = 0; n < 20; n++) {
            fr preimage[POSEIDON_MAX_ARITY], digest;
            for (unsigned i = 0; i < p->arity; i++)
                preimage[i] = n == 0 ? FR_ZERO : n == 1 ? FR_ONE : n == 2 ? minus_one : element(n * 100 + i);
            const fr expected = plain_hash(p, preimage);
            for (unsigned v = 0; v < CPU_VARIANTS; v++) {
                if (!cpu_supports((enum cpu_variant)v))
                    continue;
                poseidon_hash((enum cpu_variant)v, p, &digest, preimage);
                assert_true(fr_equal(&digest, &expected));
            }
        }
    }
}

static void test_every_small_arity_can_be_derived(void **state)
{
    (void)state;
    for (unsigned arity = 1; arity <= POSEIDON_MAX_ARITY; arity++) {
        struct arena arena = {0};
        struct poseidon p;
        fr preimage[POSEIDON_MAX_ARITY], digest;
        assert_int_equal(poseidon_derive(&p, arity, &FR_ONE, &arena, NULL), CUZK_OK);
        for (unsigned i = 0; i < arity; i++)
            preimage[i] = element(i);
        poseidon_hash(cpu_best(), &p, &digest, preimage);
        const fr expected = plain_hash(&p, preimage);
        assert_true(fr_equal(&digest, &expected));
        arena_free(&arena);
    }
    struct poseidon p;
    struct arena arena = {0};
    assert_int_equal(poseidon_derive(&p, 0, &FR_ONE, &arena, NULL), CUZK_ERR_ARGUMENT);
    assert_int_equal(poseidon_derive(&p, POSEIDON_MAX_ARITY + 1, &FR_ONE, &arena, NULL), CUZK_ERR_ARGUMENT);
}

static void test_the_mds_matrix_is_cauchy(void **state)
{
    (void)state;
    for (unsigned k = 0; k < POSEIDON_KINDS; k++) {
        const struct poseidon *p = &set->kind[k];
        for (unsigned i = 0; i < p->width; i++)
            for (unsigned j = 0; j < p->width; j++) {
                fr x;
                fr_from_u64(&x, i + j + p->width);
                fr_mul(&x, &x, &p->mds[i * p->width + j]);
                assert_true(fr_equal(&x, &FR_ONE));
            }
    }
}

static void test_the_output_may_lie_in_the_preimage(void **state)
{
    (void)state;
    const struct poseidon *p = &set->kind[POSEIDON_8];
    for (unsigned v = 0; v < CPU_VARIANTS; v++) {
        if (!cpu_supports((enum cpu_variant)v))
            continue;
        for (unsigned place = 0; place < p->arity; place++) {
            fr preimage[POSEIDON_MAX_ARITY], digest;
            for (unsigned i = 0; i < p->arity; i++)
                preimage[i] = element(i);
            poseidon_hash((enum cpu_variant)v, p, &digest, preimage);
            poseidon_hash((enum cpu_variant)v, p, &preimage[place], preimage);
            assert_true(fr_equal(&preimage[place], &digest));
        }
    }
}

static void test_there_is_an_instance_for_each_tree_arity(void **state)
{
    (void)state;
    static const unsigned arities[] = {2, 4, 8, 11};
    for (size_t i = 0; i < ARRAY_LEN(arities); i++) {
        const struct poseidon *p = poseidon_of_arity(set, arities[i]);
        fr tag;
        assert_non_null(p);
        fr_from_u64(&tag, (UINT64_C(1) << arities[i]) - 1);
        assert_true(fr_equal(&p->domain_tag, &tag));
    }
    assert_null(poseidon_of_arity(set, 0));
    assert_null(poseidon_of_arity(set, 3));
}

static void test_some_hashes_are_the_single_ones(void **state)
{
    (void)state;
    enum { MOST = 19 };
    fr preimages[MOST * POSEIDON_MAX_ARITY], out[MOST + 1];
    for (size_t i = 0; i < ARRAY_LEN(preimages); i++)
        preimages[i] = element(i + 1000);
    for (unsigned v = 0; v < CPU_VARIANTS; v++)
        for (unsigned k = 0; k < POSEIDON_KINDS && cpu_supports((enum cpu_variant)v); k++)
            for (size_t n = 0; n <= MOST; n++) {
                const struct poseidon *p = &set->kind[k];
                memset(out, 0xff, sizeof out);
                poseidon_hash_some((enum cpu_variant)v, p, out, preimages, n);
                for (size_t i = 0; i < n; i++) {
                    fr expected;
                    poseidon_hash(CPU_PORTABLE, p, &expected, preimages + i * p->arity);
                    assert_true(fr_equal(&out[i], &expected));
                }
                for (size_t i = n; i <= MOST; i++)
                    assert_int_equal(out[i].l[0], UINT64_MAX);
            }
}

static void test_many_hashes_are_the_single_ones(void **state)
{
    (void)state;
    enum { MOST = 200 };
    static fr preimages[MOST * POSEIDON_MAX_ARITY], out[MOST];
    static const size_t counts[] = {0, 1, 63, 64, 65, MOST};
    for (size_t i = 0; i < ARRAY_LEN(preimages); i++)
        preimages[i] = element(i);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct exec x = {.variant = cpu_best()};
        assert_int_equal(pool_new(&x.pool, threads, NULL), CUZK_OK);
        for (unsigned k = 0; k < POSEIDON_KINDS; k++) {
            const struct poseidon *p = &set->kind[k];
            for (size_t c = 0; c < ARRAY_LEN(counts); c++) {
                memset(out, 0, sizeof out);
                assert_int_equal(poseidon_hash_many(&x, p, out, preimages, counts[c], NULL), CUZK_OK);
                for (size_t i = 0; i < MOST; i++) {
                    fr expected = FR_ZERO;
                    if (i < counts[c])
                        poseidon_hash(x.variant, p, &expected, preimages + i * p->arity);
                    assert_true(fr_equal(&out[i], &expected));
                }
            }
        }
        const int stop = 1;
        x.cancel = &stop;
        assert_int_equal(poseidon_hash_many(&x, &set->kind[0], out, preimages, 10, NULL), CUZK_ERR_CANCELLED);
        pool_free(x.pool);
    }
}

#ifdef CUZK_HAVE_ADX
/* t modulo r, for t below 16 r. */
static fr reduced(const uint64_t t[FR_LIMBS + 1])
{
    fr x = {{0}};
    for (unsigned bit = 64 * (FR_LIMBS + 1); bit > 0; bit--) {
        fr_double(&x, &x); /* of plain integers modulo r */
        const fr one = {{t[(bit - 1) / 64] >> (bit - 1) % 64 & 1}};
        fr_add(&x, &x, &one);
    }
    return x;
}
#endif

static void test_sums_of_products_in_assembly(void **state)
{
    (void)state;
#ifdef CUZK_HAVE_ADX
    enum { TERMS = 16, STRIDES = 3 };
    if (!cpu_supports(CPU_ADX))
        skip();
    static fr a[TERMS], b[TERMS * STRIDES];
    for (unsigned round = 0; round < 40; round++)
        for (unsigned n = 1; n <= TERMS; n++)
            for (unsigned stride = 1; stride <= STRIDES; stride++) {
                for (unsigned i = 0; i < TERMS; i++)
                    a[i] = round == 0 ? FR_MODULUS : element(round * 1000 + i);
                for (unsigned i = 0; i < TERMS * STRIDES; i++)
                    b[i] = round < 2 ? FR_MODULUS : round == 2 ? FR_ZERO : element(round * 2000 + i);
                for (unsigned i = 0; round == 0 && i < TERMS; i++)
                    a[i].l[0]--; /* the largest element */
                for (unsigned i = 0; round < 2 && i < TERMS * STRIDES; i++)
                    b[i].l[0]--;
                uint64_t t[FR_LIMBS + 1];
                poseidon_sum_adx(t, a, b, n, stride * sizeof b[0]);
                fr expected = FR_ZERO, product;
                for (unsigned i = 0; i < n; i++) {
                    fr_mul(&product, &a[i], &b[i * stride]);
                    fr_add(&expected, &expected, &product);
                }
                const fr got = reduced(t);
                assert_true(fr_equal(&got, &expected));
                assert_true(t[FR_LIMBS] < 4); /* 16 * 0.453 r + r < 4 * 2^256 */
            }
#else
    skip();
#endif
}

static void test_failing_allocations(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        struct poseidon_set *other = NULL;
        struct cuzk_error e;
        mem_fail_after(n);
        const cuzk_status status = poseidon_set_new(&other, &e);
        mem_fail_after(0);
        if (status == CUZK_OK) {
            poseidon_set_free(other);
            assert_true(n > 1);
            break;
        }
        assert_int_equal(status, CUZK_ERR_MEMORY);
        assert_int_equal(e.status, CUZK_ERR_MEMORY);
        assert_null(other);
    }
    poseidon_set_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digests_of_the_crate),
        cmocka_unit_test(test_digests_with_the_tag_of_snap),
        cmocka_unit_test(test_round_numbers),
        cmocka_unit_test(test_the_optimised_form_is_the_definition),
        cmocka_unit_test(test_every_small_arity_can_be_derived),
        cmocka_unit_test(test_the_mds_matrix_is_cauchy),
        cmocka_unit_test(test_the_output_may_lie_in_the_preimage),
        cmocka_unit_test(test_there_is_an_instance_for_each_tree_arity),
        cmocka_unit_test(test_some_hashes_are_the_single_ones),
        cmocka_unit_test(test_many_hashes_are_the_single_ones),
        cmocka_unit_test(test_sums_of_products_in_assembly),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
