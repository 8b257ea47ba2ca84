/* tests/unit/transform_testing.h - transforms of points by a runner against those of the CPU.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TESTS_UNIT_TRANSFORM_TESTING_H
#define TESTS_UNIT_TRANSFORM_TESTING_H

#include "srs_testing.h"

#include "curve/encoding.h"
#include "curve/fixed_base.h"
#include "groth16/transform.h"

enum pattern { RANDOM = 0, EQUAL, OPPOSITE, MIXED, PATTERNS };

/* MIXED: a few equal, opposite and infinite ones among others. */
static inline void pattern_points(const struct fixture *f, g1_affine *p, size_t n, enum pattern pattern)
{
    struct g1_fixed *table;
    fr *k = calloc(n, sizeof *k);
    assert_non_null(k);
    for (size_t i = 0; i < n; i++) {
        const size_t kind = i * 2654435761u >> 5 & 7;
        chain_element(&k[i], "pattern", pattern == RANDOM ? i : pattern == MIXED ? i % 5 : 1);
        if ((pattern == OPPOSITE && i % 2) || (pattern == MIXED && kind < 3))
            fr_neg(&k[i], &k[i]);
        if (pattern == MIXED && kind == 7)
            k[i] = FR_ZERO;
    }
    assert_ok(g1_fixed_new(&f->x, &table, &G1_GENERATOR, n, &error));
    assert_ok(g1_fixed_mul(&f->x, table, p, k, n, &error));
    g1_fixed_free(table);
    free(k);
}

struct transformed {
    unsigned log;
    fr shift, scale;
    uint8_t *encoded;
    g1_affine *middle, *out;
};

static inline void transformed_new(struct transformed *d, const struct fixture *f, unsigned log,
                                   enum pattern pattern)
{
    const size_t n = (size_t)1 << log;
    g1_affine *in = calloc(n, sizeof *in);
    *d = (struct transformed){.log = log, .shift = FR_ONE, .scale = FR_ONE};
    d->encoded = calloc(n, G1_UNCOMPRESSED_BYTES);
    d->middle = calloc(n, sizeof *d->middle);
    d->out = calloc(n, sizeof *d->out);
    assert_true(in && d->encoded && d->middle && d->out);
    pattern_points(f, in, n, pattern);
    for (size_t i = 0; i < n; i++)
        g1_write_uncompressed(d->encoded + i * G1_UNCOMPRESSED_BYTES, &in[i]);
    free(in);
}

static inline void transformed_free(struct transformed *d)
{
    free(d->encoded);
    free(d->middle);
    free(d->out);
}

/* each: units of a call, 0: all. */
static inline cuzk_status run_pass(struct transform *t, uint64_t each)
{
    const uint64_t units = transform_units(t), step = each ? each : units;
    cuzk_status status = CUZK_OK;
    for (uint64_t i = 0; i < units && status == CUZK_OK; i += step)
        status = transform_run(t, i, units - i < step ? units - i : step, &error);
    return status;
}

/* Both passes, to middle and out. */
static inline cuzk_status run_both(const struct fixture *f, struct transformed *d,
                                   const struct transform_runner *runner, uint64_t each)
{
    struct transform t;
    cuzk_status status = transform_columns(&t, &f->x, runner, d->log, &d->shift, &d->scale, &error);
    t.encoded = d->encoded;
    t.encoded_count = (UINT64_C(1) << d->log) - 1;
    t.out = d->middle;
    if (status == CUZK_OK)
        status = run_pass(&t, each);
    transform_free(&t);
    if (status != CUZK_OK)
        return status;
    status = transform_rows(&t, &f->x, runner, d->log, &error);
    t.in = d->middle;
    t.out = d->out;
    if (status == CUZK_OK)
        status = run_pass(&t, each);
    transform_free(&t);
    return status;
}

static inline void check_runner(const struct fixture *f, const struct transform_runner *runner, unsigned log,
                                enum pattern pattern, bool shifted, uint64_t each)
{
    const size_t n = (size_t)1 << log;
    struct transformed d;
    g1_affine *middle = calloc(n, sizeof *middle), *out = calloc(n, sizeof *out);
    assert_true(middle && out);
    transformed_new(&d, f, log, pattern);
    if (shifted) {
        fr_inv(&d.shift, &FR_GENERATOR);
        chain_element(&d.scale, "scale", log);
    }
    assert_ok(run_both(f, &d, NULL, 0));
    memcpy(middle, d.middle, n * sizeof *middle);
    memcpy(out, d.out, n * sizeof *out);
    memset(d.middle, 1, n * sizeof *middle);
    memset(d.out, 1, n * sizeof *out);
    assert_ok(run_both(f, &d, runner, each));
    for (size_t i = 0; i < n; i++)
        if (memcmp(&d.middle[i], &middle[i], sizeof *middle) != 0)
            fail_msg("after the columns, point %zu of 2^%u, pattern %d, shifted %d", i, log, pattern,
                     shifted);
    for (size_t i = 0; i < n; i++)
        if (memcmp(&d.out[i], &out[i], sizeof *out) != 0)
            fail_msg("point %zu of 2^%u, pattern %d, shifted %d", i, log, pattern, shifted);
    free(middle);
    free(out);
    transformed_free(&d);
}

/* A file made by the runner is that of the CPU. */
static inline void check_conversion(const struct fixture *f, const struct transform_runner *runner)
{
    const struct chain c = chain_from_seed(20, 5);
    setup_folded(f, &c, 3, "c.srs");
    unlink(in_folder(f, "made.srs"));
    assert_int_equal(convert_by(f, &f->x, &c, "k columns", runner), CUZK_ERR_CANCELLED);
    assert_int_equal(convert_by(f, &f->x, &c, "k rows", NULL), CUZK_ERR_CANCELLED);
    assert_ok(convert_by(f, &f->x, &c, NULL, runner));
    assert_same_files(f, "c.srs", "made.srs");
}

#endif
