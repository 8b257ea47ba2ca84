/* daemon/toml.h - the values of a TOML document, behind a C interface.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_TOML_H
#define DAEMON_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum toml_type {
    TOML_STRING = 0,
    TOML_INTEGER,
    TOML_BOOLEAN,
    TOML_LIST,  /* of strings and integers */
    TOML_OTHER, /* dates, fractions, lists of other things, a value where a table belongs */
};

#define TOML_LIST_MAX 64

/* A value and its place. Lives during the call. */
struct toml_item {
    const char *section; /* of nested tables "a.b"; "" on the top level */
    const char *key;
    enum toml_type type;
    const char
        *text; /* STRING: as it is; INTEGER, BOOLEAN: its usual form; LIST: elements with ", " between */
    unsigned line, column;
};

/* Why a document could not be read. */
struct toml_problem {
    char what[160];
    unsigned line, column; /* 0: no place */
};

/* Call item for each value, in no certain order; false stops. False: the document is malformed (*problem says
 * how), or item has stopped (problem->what is empty). */
bool toml_walk(const char *text, size_t size, bool (*item)(void *ctx, const struct toml_item *item),
               void *ctx, struct toml_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
