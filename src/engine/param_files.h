/* engine/param_files.h - opening parameter files with what belongs to them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_PARAM_FILES_H
#define ENGINE_PARAM_FILES_H

#include "circuits/param_names.h"
#include "engine/device.h"

/* Open a circuit's file with the circuit's templates, which are kept in the folder where it can be written
 * to. CUZK_ERR_MISMATCH: it is of another circuit. */
cuzk_status param_file_open(const struct exec *x, const struct poseidon_set *poseidon, const char *folder,
                            const char *circuit, const char *path, struct engine_params **out,
                            struct cuzk_error *e) MUST_USE;
void param_file_close(struct engine_params *params); /* NULL is fine */

#endif
