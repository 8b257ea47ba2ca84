/* groth16/names.h - the name of a row or variable, found by running the circuit again with names.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_NAMES_H
#define GROTH16_NAMES_H

#include "r1cs/cs.h"

#define NAME_MAX_TEXT 256

/* values: run it as a real instance, as the run was in which the row stood out. A longer name keeps its
 * end; a name that cannot be had (memory, an index beyond the last) is "?". */
void name_of_row(char out[NAME_MAX_TEXT], const struct circuit *circuit, bool values, uint64_t row);
void name_of_aux(char out[NAME_MAX_TEXT], const struct circuit *circuit, bool values, uint32_t index);

/* CUZK_ERR_UNSATISFIED for a row that does not hold, with its name. */
cuzk_status names_unsatisfied(const struct circuit *circuit, uint64_t row, struct cuzk_error *e) MUST_USE;

#endif
