/* circuits/gen_c1.h - writing a generated sector's C1 file: the reverse of porep_c1_read.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_GEN_C1_H
#define CIRCUITS_GEN_C1_H

#include "circuits/gen_sector.h"

/* Write the wrapped C1 of a sector under path, whole or not at all. Some challenges at a time are in memory.
 * On all threads of x. */
cuzk_status gen_c1_write(const struct exec *x, const char *path, const struct gen_sector *s,
                         uint64_t sector_number, struct cuzk_error *e) MUST_USE;

#endif
