/* circuits/param_names.h - the names of circuits' parameter files.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_PARAM_NAMES_H
#define CIRCUITS_PARAM_NAMES_H

#include "base/common.h"

/* The real name without its ending: "v28-<prefix>-<hash of the identifier>". CUZK_ERR_ARGUMENT: no such
 * circuit. */
#define PARAM_NAME_MAX 256
cuzk_status param_file_name(char out[PARAM_NAME_MAX], const char *circuit, struct cuzk_error *e) MUST_USE;

/* The circuit's file: a folded one (.srs) before bellperson's (.params), under the circuit's name or the real
 * one. *path: for mem_free. CUZK_ERR_NOT_FOUND: none, with the names that were looked for and what to do.
 * CUZK_ERR_IO: there is one that may not be read. */
cuzk_status param_file_find(const char *folder, const char *circuit, char **path,
                            struct cuzk_error *e) MUST_USE;

#endif
