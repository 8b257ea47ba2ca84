/* groth16/transform.h - discrete Fourier transforms of points of G1.
 *
 * X_k = scale sum_i shift^i w^-ik x_i over n = 2^log points, w the root of order n. With n = n1 n2, i = i1 n2
 * + i2 and k = k1 + k2 n1 it is two passes (D. H. Bailey, "FFTs in external or hierarchical memory", 1990):
 *     columns   y[k1 n2 + i2] = scale (shift w^-k1)^i2 sum_i1 (shift^n2)^i1 w1^-i1k1 x[i1 n2 + i2]
 *     rows      X[k1 + k2 n1] = sum_i2 w2^-i2k2 y[k1 n2 + i2]
 * w1 = w^n2, w2 = w^n1, each by butterflies in the memory of one thread, TRANSFORM_LANES columns or rows at a
 * time. These are the units, each of which reads and writes its own part only: units may be done again, and
 * in any order. SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_TRANSFORM_H
#define GROTH16_TRANSFORM_H

#include "base/exec.h"
#include "base/memory.h"
#include "groth16/transform_kernels.h"

#define TRANSFORM_LANES 8

struct transform;

/* What does the units in the CPU's place: a device, of a higher room. One pass at a time. */
struct transform_runner {
    void *self;
    /* Before a pass's first units; its inputs are not set yet. Units that are worth a call: to round. */
    cuzk_status (*begin)(void *self, const struct transform *t, uint64_t *round, struct cuzk_error *e);
    cuzk_status (*run)(void *self, const struct transform *t, uint64_t first, uint64_t count,
                       struct cuzk_error *e);
    void (*end)(void *self); /* of the pass; also after a failure, and twice */
};

struct transform {
    const struct exec *x;
    const struct transform_runner *runner; /* NULL: the CPU */
    const struct transform_kernels *kernels;
    bool rows;      /* which pass */
    uint64_t round; /* units that are worth a call of transform_run */
    unsigned log, log1;
    fr root, shift, scale; /* root: 1/w */
    struct block roots;    /* scalar_digits of the butterflies, stage by stage */
    struct block work;     /* of each thread */
    size_t work_bytes;
    const uint8_t *encoded; /* the columns' input: uncompressed points, */
    uint64_t encoded_count; /* infinity behind them */
    const g1_affine *in;    /* the rows' input */
    g1_affine *out;
};

/* Prepare a pass; set encoded and encoded_count, or in, and out, then. runner: NULL, or what outlives the
 * pass. The caller frees, also after a failure. */
cuzk_status transform_columns(struct transform *t, const struct exec *x,
                              const struct transform_runner *runner, unsigned log, const fr *shift,
                              const fr *scale, struct cuzk_error *e) MUST_USE;
cuzk_status transform_rows(struct transform *t, const struct exec *x, const struct transform_runner *runner,
                           unsigned log, struct cuzk_error *e) MUST_USE;
void transform_free(struct transform *t); /* a zeroed one is fine */

uint64_t transform_units(const struct transform *t);
/* Do the units [first, first + count) on all threads, or by the runner. When x asks to stop it returns early.
 */
cuzk_status transform_run(struct transform *t, uint64_t first, uint64_t count, struct cuzk_error *e) MUST_USE;

/* k in Montgomery form, cut into digits. */
void scalar_digits_of(struct scalar_digits *out, const fr *k);

/* For runners. A pass has 2^outer columns or rows of 2^inner points. Lanes: `lanes` of them from `first` on;
 * line i: their i-th points. */
unsigned transform_inner_log(const struct transform *t);
unsigned transform_outer_log(const struct transform *t);
/* Lines [from, to) of the input to their places in out, which are in bit-reversed order; of the result, in
 * natural order, to t->out. */
void transform_gather(const struct transform *t, g1_affine *out, uint64_t first, size_t lanes, uint64_t from,
                      uint64_t to);
void transform_scatter(const struct transform *t, const g1_affine *in, uint64_t first, size_t lanes,
                       uint64_t from, uint64_t to);
/* What a pass over columns multiplies line k by. */
void transform_twiddles(const struct transform *t, fr *out, uint64_t k, uint64_t first, size_t lanes);
/* The roots of stage s, 2^s of them. */
const struct scalar_digits *transform_roots(const struct transform *t, unsigned s);

#endif
