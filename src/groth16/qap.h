/* groth16/qap.h - a circuit's quadratic arithmetic program at the point tau.
 *
 * For each variable v: A_v(tau) = sum over rows i of a_iv L_i(tau), with L_i the Lagrange polynomials of
 * the domain <w>; so for B and C. The circuit's templates are gone through on all threads.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_QAP_H
#define GROTH16_QAP_H

#include "base/exec.h"
#include "base/memory.h"
#include "r1cs/template.h"

/* Folded (see srs.h): for an auxiliary variable c is C_v(tau) - delta (C^T K)_v and for an input fold is
 * -delta (C^T K)_v, where delta K_k = z/(g^n - 1) (L_k(tau) - tau^(n-1) w^k / n), g the coset's shift;
 * whatever delta is. */
struct qap {
    uint32_t inputs, aux;
    uint64_t rows;
    unsigned log;         /* the domain has 2^log points, at least rows */
    fr z;                 /* tau^(2^log) - 1, never zero */
    struct block a, b, c; /* inputs + aux elements each */
    struct block fold;    /* inputs elements; empty unless folded */
};

/* The caller frees. */
cuzk_status qap_at(const struct exec *x, struct qap *out, const struct templates *t, const fr *tau,
                   bool folded, struct cuzk_error *e) MUST_USE;

/* What it begins with, the counts being set: the domain, w and z/n; memory for the sums. */
cuzk_status qap_domain(struct qap *q, const fr *tau, fr *w, fr *scale, struct cuzk_error *e) MUST_USE;
cuzk_status qap_reserve(struct qap *q, struct budget *b, struct cuzk_error *e) MUST_USE;

/* c = (beta a + alpha b + c) / divisor for the variables [first, first + count), inputs first. */
void qap_combine(const struct exec *x, struct qap *q, size_t first, size_t count, const fr *alpha,
                 const fr *beta, const fr *divisor);
void qap_free(struct qap *q); /* a zeroed one is fine */

#endif
