/* tests/unit/srs_testing.h - folded parameter files of the small circuit: made, converted, compared, stopped.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TESTS_UNIT_SRS_TESTING_H
#define TESTS_UNIT_SRS_TESTING_H

#include "groth16_testing.h"

static struct cuzk_error error;

/* The folded file as a setup makes it beside the parameters: it names their digest. */
static inline void setup_folded(const struct fixture *f, const struct chain *c, uint64_t seed,
                                const char *name)
{
    struct groth16_trapdoor t;
    struct groth16_params *p;
    struct groth16_params_info info;
    groth16_trapdoor_from_seed(&t, seed);
    const struct circuit circuit = chain_circuit(c);
    assert_ok(groth16_setup(&f->x, &circuit, &t, in_folder(f, "c"), &error));
    assert_ok(groth16_params_open(&f->x, &p, in_folder(f, "c.params"), 0, &error));
    groth16_params_info(p, &info);
    groth16_params_free(p);
    assert_ok(groth16_srs_setup(&f->x, &circuit, "chain", &t, info.digest, in_folder(f, name), &error));
}

static inline cuzk_status convert_by(const struct fixture *f, const struct exec *x, const struct chain *c,
                                     const char *stop_after, const struct transform_runner *runner)
{
    struct groth16_params *p;
    const struct circuit circuit = chain_circuit(c);
    assert_ok(groth16_params_open(&f->x, &p, in_folder(f, "c.params"), 0, &error));
    const cuzk_status status =
        groth16_srs_convert(x, &circuit, "chain", p, in_folder(f, "made.srs"), stop_after, runner, &error);
    groth16_params_free(p);
    return status;
}

static inline cuzk_status convert(const struct fixture *f, const struct exec *x, const struct chain *c,
                                  const char *stop_after)
{
    return convert_by(f, x, c, stop_after, NULL);
}

static inline void assert_same_files(const struct fixture *f, const char *a, const char *b)
{
    uint8_t *x, *y;
    size_t n, m;
    read_whole(in_folder(f, a), &x, &n);
    read_whole(in_folder(f, b), &y, &m);
    assert_int_equal(n, m);
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            fail_msg("byte %zu of %zu differs", i, n);
    mem_free(x);
    mem_free(y);
}

/* Asks to stop at the n-th report. */
struct stopper {
    unsigned left;
    volatile int cancel;
};

static inline void stop_at(void *user, const char *phase, uint64_t done, uint64_t total)
{
    struct stopper *s = user;
    (void)phase, (void)done, (void)total;
    if (s->left > 0 && --s->left == 0)
        s->cancel = 1;
}

#endif
