/* circuits/json.h - walking a JSON document on demand, behind a C interface.
 *
 * The structure (brackets, commas, keys, UTF-8, one document and nothing after it) is checked by simdjson as
 * it is walked; scalars are given as the text they are, for the caller to judge. Values live only during the
 * callback that gets them, and are used in document order: enter one, or look at its text, before the
 * callback returns. SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_JSON_H
#define CIRCUITS_JSON_H

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that must be readable (with any value) after the document. */
#define JSON_PADDING 64

/* Memory that json_walk takes for a document of size bytes, at most. */
size_t json_memory(size_t size);

struct json_value;

enum json_result {
    JSON_OK = 0,
    JSON_STOP,   /* a callback asked to stop; json_object and json_array then give JSON_OK */
    JSON_FAILED, /* a callback failed and has said why */
    JSON_SYNTAX, /* not JSON; see struct json_problem */
    JSON_TYPE,   /* an array or an object where the other, or a scalar, stands */
    JSON_MEMORY,
};

struct json_problem {
    const char *what; /* "missing comma", ... of static life */
    size_t offset;    /* in the document */
};

/* Parse the document (size > 0 bytes and JSON_PADDING more) and give its value, an object or an array, to
 * root; passes times, since a first pass may look for what a second one needs. *problem is set for
 * JSON_SYNTAX. */
enum json_result json_walk(const uint8_t *text, size_t size, unsigned passes,
                           enum json_result (*root)(void *ctx, unsigned pass, struct json_value *value),
                           void *ctx, struct json_problem *problem) MUST_USE;

/* Call field or item for each member in order. key: the text between the quotes, escapes as written. */
enum json_result json_object(struct json_value *value,
                             enum json_result (*field)(void *ctx, const char *key, size_t key_size,
                                                       struct json_value *value),
                             void *ctx) MUST_USE;
enum json_result json_array(struct json_value *value,
                            enum json_result (*item)(void *ctx, size_t index, struct json_value *value),
                            void *ctx) MUST_USE;

/* The value's own text: a scalar with white space after it trimmed, or from the opening bracket on (size 1).
 */
const char *json_text(struct json_value *value, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
