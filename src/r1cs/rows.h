/* r1cs/rows.h - the values of a circuit's rows, A w, B w and C w, straight from a witness's bits.
 *
 * Nothing is expanded: each instance's bits, those that it is bound to in front of its own, are laid side by
 * side (a few kilobytes an instance), and each row's value is looked up or added up from them where it is
 * wanted, in any order and by any number of threads.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_ROWS_H
#define R1CS_ROWS_H

#include "r1cs/template_ops.h"

#define ROWS_BLOCK 512u

struct rows {
    const struct templates *t;
    const struct assignment *w;
    template_evaluate *evaluate;
    struct block bits;   /* u64: each instance's, from a word's beginning */
    struct block start;  /* u32: an instance's first word */
    struct block holder; /* u32: the instance that holds the first of each ROWS_BLOCK rows */
};

/* Both are borrowed until rows_free. CUZK_ERR_MISMATCH if the witness is not of such a circuit. */
cuzk_status rows_bind(const struct exec *x, struct rows *out, const struct templates *t,
                      const struct assignment *w, struct cuzk_error *e) MUST_USE;
void rows_free(struct rows *r); /* a zeroed one is fine */

/* Side 0, 1 or 2 (A, B, C) of count rows from row first on; zeros behind the last row. What is said in
 * template_ops.h of rows whose B is one holds: they are taken as satisfied. */
void rows_values(const struct rows *r, unsigned side, uint64_t first, size_t count, fr *out);

/* The same on all threads, for a whole vector of n values. */
cuzk_status rows_fill(const struct exec *x, const struct rows *r, unsigned side, fr *out, size_t n,
                      struct cuzk_error *e) MUST_USE;

#endif
