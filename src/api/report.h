/* api/report.h - sending a report to the caller's writer.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef API_REPORT_H
#define API_REPORT_H

#include "api/context.h"
#include "base/text.h"

/* Send what t holds and free it. */
cuzk_status report_send(struct text *t, const struct cuzk_writer *out, struct cuzk_error *e) MUST_USE;

#endif
