/* common/output.h - can a result be written, before the work for it is done?
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_COMMON_OUTPUT_H
#define TOOLS_COMMON_OUTPUT_H

#include <stdbool.h>

#include <cuzk/cuzk.h>

/* The folder of path must be there and let us write, and path must be no folder itself (unless it is a
 * prefix). path NULL: nothing is to be written. CUZK_ERR_IO. */
cuzk_status output_check(const char *path, bool prefix, struct cuzk_error *e);

#endif
