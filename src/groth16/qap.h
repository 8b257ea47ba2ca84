/* groth16/qap.h - a circuit's quadratic arithmetic program at the point tau.
 *
 * For each variable v: A_v(tau) = sum over rows i of a_iv L_i(tau), with L_i the Lagrange polynomials of
 * the domain <w>; so for B and C. The circuit is run twice: to count, then to add up row by row as they
 * come, so that no matrix is kept.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_QAP_H
#define GROTH16_QAP_H

#include "base/exec.h"
#include "base/memory.h"
#include "r1cs/cs.h"

struct qap {
    uint32_t inputs, aux;
    uint64_t rows;
    unsigned log;         /* the domain has 2^log points, at least rows */
    fr z;                 /* tau^(2^log) - 1, never zero */
    struct block a, b, c; /* inputs + aux elements each */
};

/* circuit: run blank. The caller frees. */
cuzk_status qap_at(const struct exec *x, struct qap *out, const struct circuit *circuit, const fr *tau,
                   struct cuzk_error *e) MUST_USE;
void qap_free(struct qap *q); /* a zeroed one is fine */

#endif
