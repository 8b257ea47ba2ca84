/* base/error.h - writing the detail of a failure.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/common.h"

/* Write status and message into e (which may be NULL) and return status.
 * Control characters in it become blanks or '?'. Of a message longer than CUZK_ERROR_MESSAGE_MAX - 1 bytes
 * the middle is left out ("..."). */
cuzk_status error_set(struct cuzk_error *e, cuzk_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* As error_set with CUZK_ERR_IO, followed by ": " and the text of errnum (an errno value); what stands before
 * that is shortened to leave it whole. */
cuzk_status error_errno(struct cuzk_error *e, int errnum, const char *format, ...) PRINTF_LIKE(3, 4);

/* Put "prefix: " before the message already in e; returns e's status (status if e is NULL). A long
 * prefix is shortened, not the message. */
cuzk_status error_prefix(struct cuzk_error *e, cuzk_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* "out of memory: SIZE bytes for WHAT" */
cuzk_status error_memory(struct cuzk_error *e, size_t size, const char *what);

/* A short word for a status: "input", "io"... Never NULL. */
const char *status_name(cuzk_status status);

#endif
