/* tests/unit/test_groth16_srs.c - folded parameter files and the proofs made from them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "srs_testing.h"

#include "groth16/rows.h"
#include "groth16/srs.h"

/* c.params, c.vk and c.srs for this circuit in the folder, with the trapdoor of the seed. */
static void setup(const struct fixture *f, const struct exec *x, const struct chain *c, uint64_t seed)
{
    struct groth16_trapdoor t;
    groth16_trapdoor_from_seed(&t, seed);
    const struct circuit circuit = chain_circuit(c);
    assert_ok(groth16_setup(x, &circuit, &t, in_folder(f, "c"), &error));
    assert_ok(groth16_srs_setup(x, &circuit, "chain", &t, NULL, in_folder(f, "c.srs"), &error));
}

static struct groth16_srs *open_srs(const struct fixture *f)
{
    struct groth16_srs *s;
    assert_ok(groth16_srs_open(&f->x, &s, in_folder(f, "c.srs"), 0, &error));
    return s;
}

static cuzk_status prove_folded(const struct exec *x, const struct chain *c, const struct groth16_srs *s,
                                uint64_t seed, struct groth16_proof *out)
{
    struct groth16_rs rs;
    fr public[CHAIN_PUBLIC];
    struct template_circuit t;
    const struct circuit circuit = chain_circuit(c);
    groth16_rs_from_seed(&rs, seed);
    chain_public(c, public);
    cuzk_status status = template_circuit_open(x, &t, NULL, "chain", &circuit, &error);
    if (status != CUZK_OK)
        return status;
    status = groth16_prove_folded(x, &circuit, &t, s, &rs, public, CHAIN_PUBLIC, out, &error);
    template_circuit_free(&t);
    return status;
}

static void prove_plain(const struct fixture *f, const struct chain *c, uint64_t seed,
                        struct groth16_proof *out)
{
    struct groth16_params *p;
    struct groth16_rs rs;
    const struct circuit circuit = chain_circuit(c);
    groth16_rs_from_seed(&rs, seed);
    assert_ok(groth16_params_open(&f->x, &p, in_folder(f, "c.params"), 0, &error));
    assert_ok(groth16_prove(&f->x, &circuit, p, &rs, NULL, 0, out, &error));
    groth16_params_free(p);
}

static void folded_proofs_equal_unfolded_ones(void **state)
{
    struct fixture *f = *state;
    const unsigned sizes[] = {1, 2, 5, 9, 14, 30, 63};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        for (int variant = 0; variant < CPU_VARIANTS; variant++) {
            struct exec x = f->x;
            x.variant = (enum cpu_variant)variant;
            if (!cpu_supports(x.variant))
                continue;
            const struct chain c = chain_from_seed(sizes[i], i);
            setup(f, &x, &c, 3 + i);
            struct groth16_srs *s = open_srs(f);
            struct groth16_proof folded, plain;
            assert_ok(prove_folded(&x, &c, s, 7, &folded));
            prove_plain(f, &c, 7, &plain);
            assert_memory_equal(&folded, &plain, sizeof plain);
            groth16_srs_free(s);
        }
}

/* -- proving -- */

static void any_number_of_threads_gives_the_same(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(30, 2);
    setup(f, &f->x, &c, 3);
    struct groth16_srs *s = open_srs(f);
    struct groth16_proof first, other;
    assert_ok(prove_folded(&f->x, &c, s, 7, &first));
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        struct exec x = f->x;
        assert_int_equal(pool_new(&x.pool, threads, NULL), CUZK_OK);
        assert_ok(prove_folded(&x, &c, s, 7, &other));
        assert_memory_equal(&other, &first, sizeof first);
        pool_free(x.pool);
    }
    groth16_srs_free(s);
}

static void a_witness_that_fails_in_c_alone_is_told_by_its_row(void **state)
{
    struct fixture *f = *state;
    struct chain c = chain_from_seed(9, 2);
    setup(f, &f->x, &c, 3);
    struct groth16_srs *s = open_srs(f);
    struct groth16_proof proof = {.a = {.x = {{1}}}}, before = proof;
    c.break_square = true; /* its A and B are as they were */
    assert_int_equal(prove_folded(&f->x, &c, s, 7, &proof), CUZK_ERR_UNSATISFIED);
    assert_string_equal(error.message, "the input does not satisfy row 20 (last/square)");
    assert_memory_equal(&proof, &before, sizeof proof);
    groth16_srs_free(s);
}

static void wrong_public_inputs_are_refused(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 2);
    const struct circuit circuit = chain_circuit(&c);
    struct template_circuit t;
    struct groth16_proof proof;
    struct groth16_rs rs;
    fr public[CHAIN_PUBLIC];
    groth16_rs_from_seed(&rs, 7);
    setup(f, &f->x, &c, 3);
    struct groth16_srs *s = open_srs(f);
    assert_ok(template_circuit_open(&f->x, &t, NULL, "chain", &circuit, &error));
    chain_public(&c, public);
    fr_add(&public[1], &public[1], &FR_ONE);
    assert_int_equal(groth16_prove_folded(&f->x, &circuit, &t, s, &rs, public, CHAIN_PUBLIC, &proof, &error),
                     CUZK_ERR_UNSATISFIED);
    assert_non_null(strstr(error.message, "public input 1 of 3"));
    assert_int_equal(groth16_prove_folded(&f->x, &circuit, &t, s, &rs, public, 2, &proof, &error),
                     CUZK_ERR_ARGUMENT);
    template_circuit_free(&t);
    groth16_srs_free(s);
}

static void another_circuit_is_refused(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 2), larger = chain_from_seed(10, 2),
                       less = chain_from_seed(8, 2);
    struct groth16_proof proof;
    setup(f, &f->x, &c, 3);
    struct groth16_srs *s = open_srs(f);
    assert_int_equal(prove_folded(&f->x, &larger, s, 7, &proof), CUZK_ERR_MISMATCH);
    assert_non_null(strstr(error.message, "another circuit"));
    assert_int_equal(prove_folded(&f->x, &less, s, 7, &proof), CUZK_ERR_MISMATCH);
    assert_non_null(strstr(error.message, "another circuit"));
    groth16_srs_free(s);
}

static void a_file_belongs_to_its_parameters_alone(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 2);
    const struct circuit circuit = chain_circuit(&c);
    struct groth16_trapdoor t;
    struct groth16_params *p;
    struct groth16_srs *s;
    setup_folded(f, &c, 3, "c.srs");
    groth16_trapdoor_from_seed(&t, 3);
    assert_ok(groth16_params_open(&f->x, &p, in_folder(f, "c.params"), 0, &error));
    s = open_srs(f);
    assert_ok(groth16_srs_belongs(s, p, &error));
    groth16_srs_free(s);
    /* of the same trapdoor without a source; of another parameter file; of another trapdoor */
    assert_ok(groth16_srs_setup(&f->x, &circuit, "chain", &t, NULL, in_folder(f, "c.srs"), &error));
    s = open_srs(f);
    assert_ok(groth16_srs_belongs(s, p, &error));
    groth16_srs_free(s);
    assert_ok(groth16_srs_setup(&f->x, &circuit, "chain", &t, "0123456789abcdef0123456789abcdef",
                                in_folder(f, "c.srs"), &error));
    s = open_srs(f);
    assert_int_equal(groth16_srs_belongs(s, p, &error), CUZK_ERR_MISMATCH);
    assert_non_null(strstr(error.message, "0123456789abcdef0123456789abcdef"));
    assert_non_null(strstr(error.message, "cuzk srs convert"));
    groth16_srs_free(s);
    groth16_trapdoor_from_seed(&t, 4);
    assert_ok(groth16_srs_setup(&f->x, &circuit, "chain", &t, NULL, in_folder(f, "c.srs"), &error));
    s = open_srs(f);
    assert_int_equal(groth16_srs_belongs(s, p, &error), CUZK_ERR_MISMATCH);
    assert_non_null(strstr(error.message, "cuzk srs convert"));
    groth16_srs_free(s);
    groth16_params_free(p);
}

/* -- files -- */

static cuzk_status try_open(const struct fixture *f, unsigned flags)
{
    struct groth16_srs *s;
    const cuzk_status status = groth16_srs_open(&f->x, &s, in_folder(f, "c.srs"), flags, &error);
    if (status == CUZK_OK)
        groth16_srs_free(s);
    return status;
}

/* Bytes of c.srs replaced in place; what stood there is put back by calling it again. */
static void patch(const struct fixture *f, uint64_t offset, uint8_t *bytes, size_t n)
{
    uint8_t old[256];
    FILE *file = fopen(in_folder(f, "c.srs"), "r+b");
    assert_non_null(file);
    assert_true(n <= sizeof old);
    assert_int_equal(fseek(file, (long)offset, SEEK_SET), 0);
    assert_int_equal(fread(old, 1, n, file), n);
    assert_int_equal(fseek(file, (long)offset, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
    memcpy(bytes, old, n);
}

static void read_header(const struct fixture *f, struct srs_header *h, uint8_t bytes[SRS_HEADER_BYTES])
{
    FILE *file = fopen(in_folder(f, "c.srs"), "rb");
    struct stat st;
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, SRS_HEADER_BYTES, file), SRS_HEADER_BYTES);
    assert_int_equal(fstat(fileno(file), &st), 0);
    fclose(file);
    assert_ok(srs_header_read(h, bytes, (uint64_t)st.st_size, &error));
}

static void a_stamp_saves_the_check_until_the_file_changes(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 2);
    struct groth16_srs_info info;
    struct groth16_srs *s;
    setup(f, &f->x, &c, 3);
    s = open_srs(f);
    groth16_srs_info(s, &info);
    assert_true(info.stamp_accepted); /* what was made here needs no check */
    groth16_srs_free(s);
    assert_int_equal(unlink(in_folder(f, "c.srs.checked")), 0);
    s = open_srs(f);
    groth16_srs_info(s, &info);
    assert_true(!info.stamp_accepted && info.stamp_written);
    groth16_srs_free(s);
    s = open_srs(f);
    groth16_srs_info(s, &info);
    assert_true(info.stamp_accepted);
    assert_string_equal(info.circuit, "chain");
    assert_int_equal(info.bits, 5);
    groth16_srs_free(s);
    assert_ok(groth16_srs_open(&f->x, &s, in_folder(f, "c.srs"), GROTH16_SRS_RECHECK, &error));
    groth16_srs_info(s, &info);
    assert_true(!info.stamp_accepted && info.stamp_written);
    groth16_srs_free(s);
    uint8_t byte = 0x55;
    struct srs_header h;
    uint8_t head[SRS_HEADER_BYTES];
    read_header(f, &h, head);
    patch(f, h.section[SRS_L_WIDE].offset, &byte, 1);
    assert_int_equal(try_open(f, 0), CUZK_ERR_INPUT);
}

static void a_damaged_point_is_named(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 2);
    struct srs_header h;
    uint8_t head[SRS_HEADER_BYTES];
    setup(f, &f->x, &c, 3);
    read_header(f, &h, head);
    for (unsigned k = SRS_Q; k <= SRS_B_G2_WIDE; k++) {
        const struct srs_section *s = &h.section[k];
        if (s->count == 0)
            continue;
        const size_t bytes = srs_element_bytes((enum srs_kind)k);
        const uint64_t at = s->offset + (s->count - 1) * bytes;
        char where[80];
        snprintf(where, sizeof where, "%s: point %llu of %llu ", srs_kind_name((enum srs_kind)k),
                 (unsigned long long)s->count - 1, (unsigned long long)s->count);
        uint8_t byte = 0xa5, zeros[192] = {0}, ones[192];
        memset(ones, 0xff, sizeof ones);
        patch(f, at + 3, &byte, 1);
        assert_int_equal(try_open(f, 0), CUZK_ERR_INPUT);
        assert_non_null(strstr(error.message, where));
        assert_non_null(strstr(error.message, "is not on the curve"));
        patch(f, at + 3, &byte, 1);
        patch(f, at, ones, bytes);
        assert_int_equal(try_open(f, 0), CUZK_ERR_INPUT);
        assert_non_null(strstr(error.message, where));
        patch(f, at, ones, bytes);
        patch(f, at, zeros, bytes);
        assert_int_equal(try_open(f, 0), CUZK_ERR_INPUT); /* infinity: by its place or by the digest */
        assert_non_null(strstr(error.message, k <= SRS_L_WIDE ? "has digest" : "is the point at infinity"));
        patch(f, at, zeros, bytes);
    }
    assert_ok(try_open(f, GROTH16_PARAMS_NO_STAMP));
}

static void a_point_outside_of_the_subgroup_is_named(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 2);
    struct srs_header h;
    uint8_t head[SRS_HEADER_BYTES];
    setup(f, &f->x, &c, 3);
    read_header(f, &h, head);
    g1_affine p = {.x = FP_ZERO};
    fp one = FP_ONE;
    do { /* on the curve y^2 = x^3 + 4: outside of the subgroup but for one in some 2^125 */
        fp yy, four;
        fp_add(&p.x, &p.x, &one);
        fp_sqr(&yy, &p.x);
        fp_mul(&yy, &yy, &p.x);
        fp_from_u64(&four, 4);
        fp_add(&yy, &yy, &four);
        if (fp_sqrt(&p.y, &yy))
            break;
    } while (true);
    patch(f, h.section[SRS_Q].offset + 5 * sizeof p, (uint8_t *)&p, sizeof p);
    assert_int_equal(try_open(f, 0), CUZK_ERR_INPUT);
    assert_non_null(strstr(error.message, "q: point 5 of 32 is not in the subgroup"));
}

static void a_swapped_section_has_another_digest(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 2);
    struct srs_header h;
    uint8_t head[SRS_HEADER_BYTES], point[96] = {0};
    setup(f, &f->x, &c, 3);
    read_header(f, &h, head);
    /* the first point over the second: both sound */
    patch(f, h.section[SRS_L_WIDE].offset, point, sizeof point);
    uint8_t first[96];
    memcpy(first, point, sizeof first);
    patch(f, h.section[SRS_L_WIDE].offset, point, sizeof point);
    patch(f, h.section[SRS_L_WIDE].offset + 96, first, sizeof first);
    assert_int_equal(try_open(f, 0), CUZK_ERR_INPUT);
    assert_non_null(strstr(error.message, "l wide has digest"));
}

/* A header changed at one place, its own digest set right again. */
static cuzk_status read_changed(const uint8_t head[SRS_HEADER_BYTES], uint64_t size, size_t at,
                                const void *bytes, size_t n)
{
    uint8_t changed[SRS_HEADER_BYTES];
    struct srs_header h;
    memcpy(changed, head, sizeof changed);
    memcpy(changed + at, bytes, n);
    assert_ok(srs_digest(changed + SRS_HEADER_BYTES - DIGEST_BYTES, changed, SRS_HEADER_BYTES - DIGEST_BYTES,
                         &error));
    return srs_header_read(&h, changed, size, &error);
}

static void every_byte_of_the_header_counts(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 2);
    struct srs_header h, other;
    uint8_t head[SRS_HEADER_BYTES];
    setup(f, &f->x, &c, 3);
    read_header(f, &h, head);
    const uint64_t size = srs_layout(&h);
    for (size_t i = 0; i < SRS_HEADER_BYTES; i++) {
        head[i] ^= 0x40;
        assert_int_not_equal(srs_header_read(&other, head, size, &error), CUZK_OK);
        head[i] ^= 0x40;
    }
    for (uint64_t wrong = size - 1; wrong <= size + 1; wrong += 2) {
        assert_int_equal(srs_header_read(&other, head, wrong, &error), CUZK_ERR_INPUT);
        assert_non_null(strstr(error.message, wrong < size ? "cut short" : "too long"));
    }
    for (uint64_t wrong = 0; wrong < SRS_HEADER_BYTES; wrong += 17)
        assert_int_equal(srs_header_read(&other, head, wrong, &error), CUZK_ERR_INPUT);
}

static void hostile_numbers_are_refused(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 2);
    struct srs_header h;
    uint8_t head[SRS_HEADER_BYTES];
    setup(f, &f->x, &c, 3);
    read_header(f, &h, head);
    const uint64_t size = srs_layout(&h);
    assert_ok(read_changed(head, size, 0, head, 1));
    static const uint64_t values[] = {0,          1,          7,          UINT64_C(0x7fffffff),
                                      0x80000000, 0xffffffff, UINT64_MAX, UINT64_C(1) << 63,
                                      1u << 28,   29,         64,         UINT64_C(0x0100000000000000)};
    /* version to form, inputs to source kind, count of sections; then offsets and counts of the table */
    for (size_t at = 8; at < 24; at += 4)
        for (size_t v = 0; v < ARRAY_LEN(values); v++)
            if (memcmp(head + at, &values[v], 4) != 0)
                assert_int_not_equal(read_changed(head, size, at, &values[v], 4), CUZK_OK);
    for (size_t at = 56; at < 80; at += 4)
        for (size_t v = 0; v < ARRAY_LEN(values); v++)
            if (memcmp(head + at, &values[v], 4) != 0 && !(at == 76 && values[v] <= 1))
                assert_int_equal(read_changed(head, size, at, &values[v], 4), CUZK_ERR_INPUT);
    for (size_t k = 0; k < SRS_KINDS; k++)
        for (size_t v = 0; v < ARRAY_LEN(values); v++)
            for (size_t field = 8; field <= 16; field += 8) {
                const size_t at = 144 + 40 * k + field;
                /* another number of points in A contradicts the densities alone */
                if (k >= SRS_A_INPUTS && field == 16 && k <= SRS_A_WIDE &&
                    values[v] <= srs_class_size(&h, (enum srs_class)(k - SRS_A_INPUTS)))
                    continue;
                if (memcmp(head + at, &values[v], 8) != 0)
                    assert_int_equal(read_changed(head, size, at, &values[v], 8), CUZK_ERR_INPUT);
            }
}

static void densities_must_name_the_points(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 2);
    struct srs_header h;
    uint8_t head[SRS_HEADER_BYTES];
    setup(f, &f->x, &c, 3);
    read_header(f, &h, head);
    for (unsigned k = SRS_DENSITY_A; k <= SRS_DENSITY_B; k++)
        for (uint64_t word = 0; word < h.section[k].count; word++) {
            uint8_t byte = 0x80; /* far beyond the last variable of each class */
            patch(f, h.section[k].offset + 8 * word + 7, &byte, 1);
            assert_int_equal(try_open(f, 0), CUZK_ERR_INPUT);
            assert_non_null(strstr(error.message, "beyond the last"));
            patch(f, h.section[k].offset + 8 * word + 7, &byte, 1);
            byte = 0;
            patch(f, h.section[k].offset + 8 * word, &byte, 1);
            if (byte != 0) {
                assert_int_equal(try_open(f, 0), CUZK_ERR_INPUT);
                assert_non_null(strstr(error.message, "but there are"));
            }
            patch(f, h.section[k].offset + 8 * word, &byte, 1);
        }
    assert_ok(try_open(f, 0));
}

static void a_damaged_key_is_refused(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 2);
    struct groth16_vk vk;
    uint8_t byte = 0x11;
    setup(f, &f->x, &c, 3);
    assert_ok(groth16_vk_open(&f->x, &vk, in_folder(f, "c.srs"), &error)); /* a key is in it */
    groth16_vk_free(&vk);
    patch(f, SRS_HEADER_BYTES + 40, &byte, 1);
    assert_int_equal(try_open(f, 0), CUZK_ERR_INPUT);
    assert_non_null(strstr(error.message, "alpha"));
    assert_int_equal(groth16_vk_open(&f->x, &vk, in_folder(f, "c.srs"), &error), CUZK_ERR_INPUT);
}

/* -- memory -- */

static void failing_allocations_leak_and_leave_nothing(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 8);
    struct groth16_trapdoor t;
    struct budget *budget;
    const struct circuit circuit = chain_circuit(&c);
    groth16_trapdoor_from_seed(&t, 3);
    setup_folded(f, &c, 3, "c.srs");
    assert_int_equal(budget_new(&budget, UINT64_C(1) << 32, NULL), CUZK_OK);
    struct exec x = f->x;
    x.budget = budget;
    for (int what = 0; what < 4; what++) {
        unsigned failed = 0, well = 0;
        for (uint64_t n = 1; well < 4; n++) {
            struct groth16_srs *s = NULL;
            struct groth16_proof proof;
            cuzk_status status;
            if (what == 1)
                s = open_srs(f);
            mem_fail_after(n);
            if (what == 0)
                status = groth16_srs_open(&x, &s, in_folder(f, "c.srs"), GROTH16_PARAMS_NO_STAMP, &error);
            else if (what == 1)
                status = prove_folded(&x, &c, s, 8, &proof);
            else if (what == 2)
                status = groth16_srs_setup(&x, &circuit, "chain", &t, NULL, in_folder(f, "x.srs"), &error);
            else {
                struct groth16_params *p = NULL;
                status = groth16_params_open(&x, &p, in_folder(f, "c.params"), 0, &error);
                if (status == CUZK_OK)
                    status = groth16_srs_convert(&x, &circuit, "chain", p, in_folder(f, "made.srs"), NULL,
                                                 NULL, &error);
                groth16_params_free(p);
            }
            mem_fail_after(0);
            groth16_srs_free(s);
            assert_int_equal(budget_used(budget), 0);
            assert_true(status == CUZK_OK || status == CUZK_ERR_MEMORY);
            failed += status != CUZK_OK;
            well = status == CUZK_OK ? well + 1 : 0; /* a stamp may fail to be written: that is no failure */
            if (what == 2 && status != CUZK_OK)
                assert_int_equal(access(in_folder(f, "x.srs"), F_OK), -1);
        }
        assert_true(failed > 3);
    }
    assert_same_files(f, "c.srs", "made.srs");
    budget_free(budget);
}

static void a_small_budget_is_an_error_of_memory(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 8);
    struct groth16_proof proof;
    struct budget *budget;
    setup(f, &f->x, &c, 3);
    struct groth16_srs *s = open_srs(f);
    assert_int_equal(budget_new(&budget, 1000, NULL), CUZK_OK);
    struct exec x = f->x;
    x.budget = budget;
    assert_int_equal(prove_folded(&x, &c, s, 3, &proof), CUZK_ERR_MEMORY);
    assert_int_equal(convert(f, &x, &c, NULL), CUZK_ERR_MEMORY);
    budget_free(budget);
    groth16_srs_free(s);
}

static void setup_can_be_cancelled(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 8);
    const struct circuit circuit = chain_circuit(&c);
    struct groth16_trapdoor t;
    groth16_trapdoor_from_seed(&t, 3);
    cuzk_status status = CUZK_ERR_CANCELLED;
    unsigned stops = 0;
    for (unsigned at = 1; status != CUZK_OK; at++) {
        struct stopper s = {.left = at};
        struct exec x = f->x;
        x.progress = stop_at;
        x.progress_user = &s;
        x.cancel = &s.cancel;
        status = groth16_srs_setup(&x, &circuit, "chain", &t, NULL, in_folder(f, "c.srs"), &error);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_ERR_CANCELLED);
        assert_int_equal(folder_entries(f, false), 0);
        stops++;
    }
    assert_true(stops > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(folded_proofs_equal_unfolded_ones, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(any_number_of_threads_gives_the_same, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_witness_that_fails_in_c_alone_is_told_by_its_row, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(wrong_public_inputs_are_refused, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(another_circuit_is_refused, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_file_belongs_to_its_parameters_alone, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_stamp_saves_the_check_until_the_file_changes, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_damaged_point_is_named, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_point_outside_of_the_subgroup_is_named, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_swapped_section_has_another_digest, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(every_byte_of_the_header_counts, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(hostile_numbers_are_refused, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(densities_must_name_the_points, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_damaged_key_is_refused, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(failing_allocations_leak_and_leave_nothing, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_small_budget_is_an_error_of_memory, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(setup_can_be_cancelled, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
