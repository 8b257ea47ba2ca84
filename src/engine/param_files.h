/* engine/param_files.h - parameter files of a folder, under the names that they may have.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_PARAM_FILES_H
#define ENGINE_PARAM_FILES_H

#include "engine/device.h"

/* The real name without its ending: "v28-<prefix>-<hash of the identifier>". CUZK_ERR_ARGUMENT: no such
 * circuit. */
#define PARAM_NAME_MAX 256
cuzk_status param_file_name(char out[PARAM_NAME_MAX], const char *circuit, struct cuzk_error *e) MUST_USE;

/* The circuit's file: a folded one (.srs) before bellperson's (.params), under the circuit's name or the real
 * one. *path: for mem_free. CUZK_ERR_IO: none, with the names that were looked for. */
cuzk_status param_file_find(const char *folder, const char *circuit, char **path,
                            struct cuzk_error *e) MUST_USE;

/* Open it with the circuit's templates, which are kept in the folder where it can be written to.
 * CUZK_ERR_MISMATCH: it is of another circuit. */
cuzk_status param_file_open(const struct exec *x, const struct poseidon_set *poseidon, const char *folder,
                            const char *circuit, const char *path, struct engine_params **out,
                            struct cuzk_error *e) MUST_USE;
void param_file_close(struct engine_params *params); /* NULL is fine */

#endif
