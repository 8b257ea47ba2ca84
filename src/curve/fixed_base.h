/* curve/fixed_base.h - many multiples of one point, through a table of its multiples.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_FIXED_BASE_H
#define CURVE_FIXED_BASE_H

#include "base/memory.h"
#include "curve/group.h"

struct g1_fixed; /* a table for one base in G1 */
struct g2_fixed;

/* expected: about how many multiples will be asked for; it decides the table's size (it grows with it,
 * to 256 MiB at most), which is taken from x->budget. */
cuzk_status g1_fixed_new(const struct exec *x, struct g1_fixed **out, const g1_affine *base,
                         uint64_t expected, struct cuzk_error *e) MUST_USE;
cuzk_status g2_fixed_new(const struct exec *x, struct g2_fixed **out, const g2_affine *base,
                         uint64_t expected, struct cuzk_error *e) MUST_USE;
void g1_fixed_free(struct g1_fixed *t); /* NULL is fine */
void g2_fixed_free(struct g2_fixed *t);

/* out[i] = k[i] * base for i < n, on all threads; additions are affine with shared inversions
 * (batch-affine). k in Montgomery form; 0 gives infinity. Call it with n of some 2^16 for full speed;
 * scratch is the table's own, so one call at a time. */
cuzk_status g1_fixed_mul(const struct exec *x, struct g1_fixed *t, g1_affine *out, const fr *k, size_t n,
                         struct cuzk_error *e) MUST_USE;
cuzk_status g2_fixed_mul(const struct exec *x, struct g2_fixed *t, g2_affine *out, const fr *k, size_t n,
                         struct cuzk_error *e) MUST_USE;

#endif
