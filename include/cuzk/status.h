/* cuzk/status.h - status codes and error detail.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CUZK_STATUS_H
#define CUZK_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a call that can fail returns. */
typedef enum cuzk_status {
    CUZK_OK = 0,
    CUZK_ERR_ARGUMENT = 1,     /* the call itself is wrong: mend the caller */
    CUZK_ERR_INPUT = 2,        /* bytes from outside are malformed */
    CUZK_ERR_IO = 3,           /* the system refused to open, read, map or write */
    CUZK_ERR_MEMORY = 4,       /* an allocation failed or the budget is spent */
    CUZK_ERR_CANCELLED = 5,    /* the caller asked to stop */
    CUZK_ERR_MISMATCH = 6,     /* parameters or keys of another circuit */
    CUZK_ERR_UNSATISFIED = 7,  /* the input does not satisfy the circuit */
    CUZK_ERR_INVALID = 8,      /* a proof does not verify */
    CUZK_ERR_UNSUPPORTED = 9,  /* known, but not offered by this build or CPU */
    CUZK_ERR_INTERNAL = 10,    /* a broken invariant: please report it */
    CUZK_ERR_EXHAUSTED = 11,   /* a queue or quota is full: try again later */
    CUZK_ERR_NOT_FOUND = 12,   /* no such thing, or no longer */
    CUZK_ERR_UNAVAILABLE = 13, /* not now: shutting down, or in use */
    CUZK_ERR_DEVICE = 14       /* an accelerator failed */
} cuzk_status;

#define CUZK_ERROR_MESSAGE_MAX 512

/* Detail of the last failure, written by the call that failed; the caller
 * owns it and may pass NULL wherever one is taken. */
struct cuzk_error {
    cuzk_status status;
    char message[CUZK_ERROR_MESSAGE_MAX]; /* one line, NUL-terminated, no newline at the end */
};

#ifdef __cplusplus
}
#endif
#endif
