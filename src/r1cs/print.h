/* r1cs/print.h - rows and variables of a circuit by name, as text.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_PRINT_H
#define R1CS_PRINT_H

#include "base/exec.h"
#include "r1cs/cs.h"

#define PRINT_ELEMENT_MAX 72

/* x, -x for x below 2^64; 2^k, -2^k; else 0x and 64 hexadecimal digits. Returns the length. */
size_t print_element(char out[PRINT_ELEMENT_MAX], const fr *value);

/* Indices from `from` up to before `to`. */
struct print_range {
    uint64_t from, to;
};

/* Takes a line without its end; CUZK_OK to go on. */
typedef cuzk_status print_line(void *user, const char *line, struct cuzk_error *e);

/* Each row of the range as "INDEX\tNAME\t(A) * (B) = C", each auxiliary variable of the range as
 * "wINDEX\tNAME", with values "wINDEX\tNAME\tVALUE", in the order in which the circuit makes them. */
cuzk_status print_circuit(const struct exec *x, const struct circuit *c, bool values, struct print_range rows,
                          struct print_range variables, print_line *line, void *user,
                          struct cuzk_error *e) MUST_USE;

/* The names of count rows, given in ascending order; the circuit need not have values. Each names[i] is from
 * mem_alloc and the caller's; on failure none is left. A row beyond the circuit's end has no name (NULL). */
cuzk_status print_row_names(const struct exec *x, const struct circuit *c, const uint64_t *rows,
                            unsigned count, char **names, struct cuzk_error *e) MUST_USE;

#endif
