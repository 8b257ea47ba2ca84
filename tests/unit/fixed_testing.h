/* tests/unit/fixed_testing.h - multiples of the generators by a device against the CPU's: edge scalars, sizes
 * from one up, several batches at once; folded parameters; failures.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TESTS_UNIT_FIXED_TESTING_H
#define TESTS_UNIT_FIXED_TESTING_H

#include "curve_testing.h"
#include "srs_testing.h"

#include "backend/cuda/device.h"
#include "backend/cuda/fixed.h"
#include "curve/fixed_base.h"

static inline size_t point_size(unsigned group)
{
    return group == 1 ? sizeof(g1_affine) : sizeof(g2_affine);
}

/* From a plain integer: 64-bit limbs, lowest first. */
static inline fr scalar(uint64_t l0, uint64_t l1, uint64_t l2, uint64_t l3)
{
    const fr plain = {{l0, l1, l2, l3}};
    fr out;
    fr_to_mont(&out, &plain);
    return out;
}

/* 0 and what lies around it; digits that are all zero, all largest, all smallest, one only; the doubling in
 * the uppermost window of 4 bits: 14 2^252 - r. */
static inline size_t edges(fr *k)
{
    size_t n = 0;
    fr power = FR_ONE;
    k[n++] = FR_ZERO;
    k[n++] = FR_ONE;
    fr_neg(&k[n++], &FR_ONE);
    for (unsigned i = 1; i < FR_BITS; i++) {
        fr_double(&power, &power);
        if (i % 4 != 0 && i % 4 != 3)
            continue;
        k[n++] = power;
        fr_neg(&k[n++], &power);
        fr_sub(&k[n++], &power, &FR_ONE);
        fr_add(&k[n++], &power, &FR_ONE);
    }
    k[n++] = scalar(0x7fff7fff7fff7fff, 0x7fff7fff7fff7fff, 0x7fff7fff7fff7fff, 0x73ec7fff7fff7fff);
    k[n++] = scalar(0x8000800080008000, 0x8000800080008000, 0x8000800080008000, 0x4000800080008000);
    k[n++] = scalar(0x7777777777777777, 0x7777777777777777, 0x7777777777777777, 0x7377777777777777);
    k[n++] = scalar(0x8888888888888888, 0x8888888888888888, 0x8888888888888888, 0x0888888888888888);
    k[n++] = scalar(0xffff0000ffff0000, 0x0000ffff0000ffff, 0xffffffffffffffff, 0x000000000000ffff);
    fr_from_u64(&k[n], 14);
    for (unsigned i = 0; i < 252; i++)
        fr_double(&k[n], &k[n]);
    return n + 1;
}

#define EDGES 600

static inline void random_scalars(fr *k, size_t n, uint64_t seed)
{
    fr edge[EDGES];
    const size_t count = edges(edge);
    assert_true(count <= EDGES);
    for (size_t i = 0; i < n; i++)
        if (i < count)
            k[i] = edge[i];
        else
            test_random_fr(&k[i], &seed);
}

static inline void cpu_multiples(const struct exec *x, unsigned group, void *out, const fr *k, size_t n)
{
    if (group == 1) {
        struct g1_fixed *table;
        assert_ok(g1_fixed_new(x, &table, &G1_GENERATOR, n, &error));
        assert_ok(g1_fixed_mul(x, table, out, k, n, &error));
        g1_fixed_free(table);
    } else {
        struct g2_fixed *table;
        assert_ok(g2_fixed_new(x, &table, &G2_GENERATOR, n, &error));
        assert_ok(g2_fixed_mul(x, table, out, k, n, &error));
        g2_fixed_free(table);
    }
}

static inline void *allocate(size_t count, size_t size)
{
    void *p = aligned_alloc(64, (count * size + 63) / 64 * 64);
    assert_non_null(p);
    return p;
}

static inline void assert_same(unsigned group, const void *got, const void *want, size_t n)
{
    const size_t size = point_size(group);
    for (size_t i = 0; i < n; i++)
        if (memcmp((const uint8_t *)got + i * size, (const uint8_t *)want + i * size, size) != 0)
            fail_msg("group %u: multiple %zu of %zu differs", group, i, n);
}

/* Sizes up to most, with windows of width bits. */
static inline void check_multiples(const struct exec *x, struct device *device, unsigned width,
                                   unsigned group, size_t most)
{
    const size_t sizes[] = {1, 15, 16, 17, most / 2 + 1, most};
    struct gpu_fixed *f;
    struct point_batch batch[3];
    fr *k = allocate(most, sizeof *k);
    void *want = allocate(most, point_size(group));
    random_scalars(k, most, group);
    cpu_multiples(x, group, want, k, most);
    assert_ok(gpu_fixed_new(&f, device, width, NULL, &error));
    const struct point_maker maker = gpu_fixed_maker(f);
    assert_ok(maker.reserve(maker.self, batch, ARRAY_LEN(batch), most, &error));
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        for (size_t j = 0; j < ARRAY_LEN(batch); j++) {
            memcpy(batch[j].scalars, k, sizes[i] * sizeof *k);
            memset(batch[j].points, 0xa5, sizes[i] * point_size(group));
            assert_ok(maker.begin(maker.self, &batch[j], group, sizes[i], &error));
        }
        for (size_t j = 0; j < ARRAY_LEN(batch); j++) {
            assert_ok(maker.finish(maker.self, &batch[j], &error));
            assert_same(group, batch[j].points, want, sizes[i]);
        }
    }
    assert_int_equal(maker.begin(maker.self, &batch[0], group, most + 1, &error), CUZK_ERR_ARGUMENT);
    gpu_fixed_free(f);
    free(k);
    free(want);
}

static inline cuzk_status gpu_setup(struct device *device, unsigned width, const struct fixture *f,
                                    const struct circuit *circuit, const char *name)
{
    struct groth16_trapdoor t;
    struct gpu_fixed *gpu = NULL;
    groth16_trapdoor_from_seed(&t, 9);
    cuzk_status status = gpu_fixed_new(&gpu, device, width, NULL, &error);
    if (status == CUZK_OK) {
        const struct point_maker maker = gpu_fixed_maker(gpu);
        status =
            groth16_srs_setup_by(&f->x, circuit, "circuit", &t, NULL, in_folder(f, name), &maker, &error);
    }
    gpu_fixed_free(gpu);
    return status;
}

static inline void check_setup(struct device *device, unsigned width, const struct fixture *f,
                               const struct circuit *circuit)
{
    struct groth16_trapdoor t;
    groth16_trapdoor_from_seed(&t, 9);
    assert_ok(groth16_srs_setup(&f->x, circuit, "circuit", &t, NULL, in_folder(f, "c.srs"), &error));
    assert_ok(gpu_setup(device, width, f, circuit, "made.srs"));
    assert_same_files(f, "c.srs", "made.srs");
}

/* Each call of the driver that a setup makes, failing: an error, no file, no memory lost. */
static inline void check_failures(struct device *device, unsigned width, const struct fixture *f)
{
    const struct chain c = chain_from_seed(3, 1);
    const struct circuit circuit = chain_circuit(&c);
    const uint64_t used = device_memory_used(device);
    for (unsigned n = 1;; n++) {
        device_fail_after(device, n, 2); /* out of memory: harmless */
        const cuzk_status status = gpu_setup(device, width, f, &circuit, "made.srs");
        device_fail_after(device, 0, 0);
        assert_int_equal(device_memory_used(device), used);
        assert_false(device_retired(device));
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_ERR_MEMORY);
        assert_int_equal(folder_entries(f, false), 0);
    }
    check_setup(device, width, f, &circuit);
}

#endif
