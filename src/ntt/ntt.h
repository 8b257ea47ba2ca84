/* ntt/ntt.h - number-theoretic transforms over Fr, in place, on all threads, for sizes 2^0 to 2^28.
 *
 * w = FR_ROOT_OF_UNITY^(2^(32-k)) for size n = 2^k. The coset shift is FR_GENERATOR = 7 (as bellperson).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef NTT_NTT_H
#define NTT_NTT_H

#include "base/exec.h"
#include "base/memory.h"
#include "field/fr.h"

#define NTT_MAX_LOG 28

/* Twiddle tables for sizes up to 2^max_log; much smaller than the data (at most a few MiB). Shared by
 * any number of concurrent users. */
struct ntt_tables;
cuzk_status ntt_tables_new(const struct exec *x, struct ntt_tables **out, unsigned max_log,
                           struct cuzk_error *e) MUST_USE;
void ntt_tables_free(struct ntt_tables *t); /* NULL is fine */

/* All are in place on a[0 .. 2^log), natural order in and out, Montgomery form; log <= max_log. When x asks
 * to stop they return early and leave garbage in a: whoever gave x asks exec_cancelled(x) after the call. */

/* a[j] = sum_i a[i] w^(ij): coefficients to values on the domain. */
void ntt_forward(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log);
/* Its inverse (with the factor 1/n): values to coefficients. */
void ntt_inverse(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log);
/* Coefficients to values on the coset 7<w>. */
void ntt_coset_forward(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log);
/* Values on the coset to coefficients. */
void ntt_coset_inverse(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log);
/* Values on the domain to values on the coset: inverse, shift and forward in one go (no reordering
 * between, scale and shift fused into a pass). */
void ntt_extend(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log);

/* Values that are made where they are wanted: out gets count of them from number first on. Called by all
 * threads, for each value once. */
struct ntt_source {
    const void *self;
    void (*values)(const void *self, uint64_t first, size_t count, fr *out);
};
/* ntt_extend of such values: its first pass puts them into a, a cache's worth at a time. */
void ntt_extend_from(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log,
                     const struct ntt_source *source);

#endif
