/* circuits/reader.h - reading JSON against a fixed schema into structs, with errors that name field and byte.
 * Shared by the C1 reader and the request reader.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_READER_H
#define CIRCUITS_READER_H

#include "base/exec.h"
#include "base/memory.h"
#include "circuits/json.h"
#include "field/fr.h"

#define READER_DEPTH 24

/* A document being read. */
struct reader {
    const struct exec *x;
    void *user;          /* the schema's own state */
    const uint8_t *text; /* the document and its name in errors: "the file" */
    const char *document;
    struct reader_segment { /* where we are, outermost first */
        const char *name;   /* NULL: an element of an array */
        size_t size, index;
    } path[READER_DEPTH];
    unsigned depth;
    struct json_problem problem;
    cuzk_status status;
    struct cuzk_error *e;
};

/* Reads one value into target. */
typedef enum json_result reader_fn(struct reader *r, void *target, struct json_value *v);

/* A member of an object. */
struct reader_field {
    const char *name;
    reader_fn *read;
    size_t offset; /* of its target within the object's */
};

/* Read a document of size bytes with JSON_PADDING more, in the given passes (circuits/json.h). */
cuzk_status reader_walk(struct reader *r, size_t size, unsigned passes,
                        enum json_result (*root)(void *reader, unsigned pass,
                                                 struct json_value *value)) MUST_USE;

/* Fail at a place in the document: "PATH: what (byte N of DOCUMENT)". at NULL: the whole document. */
enum json_result reader_refuse(struct reader *r, const char *at, const char *format, ...) PRINTF_LIKE(3, 4);
/* Fail with a status whose detail is already in r->e. */
enum json_result reader_fail(struct reader *r, cuzk_status status);

void reader_push_field(struct reader *r, const char *name, size_t size);
void reader_push_index(struct reader *r, size_t index);
void reader_pop(struct reader *r);

/* Turn what json_object or json_array gave for v into an error with its place. expected: "an object". */
enum json_result reader_checked(struct reader *r, struct json_value *v, enum json_result result,
                                const char *expected);

/* An object with exactly these fields, each once, in any order. */
enum json_result reader_object(struct reader *r, struct json_value *v, const struct reader_field *fields,
                               size_t count, void *target);

/* An array of exactly count elements, of what they are ("path elements"), size bytes apart in target. */
enum json_result reader_array(struct reader *r, struct json_value *v, const char *what, size_t count,
                              size_t size, reader_fn *item, void *target);

/* Scalars. */
enum json_result reader_u64(struct reader *r, uint64_t *out, struct json_value *v);
/* A string without escapes, as it stands in the document. */
enum json_result reader_string(struct reader *r, const char **out, size_t *size, struct json_value *v);
/* 32 bytes as an array of numbers. */
enum json_result reader_bytes32(struct reader *r, uint8_t out[32], struct json_value *v);
/* The same, a little-endian field element below the modulus; in Montgomery form. */
enum json_result reader_fr(struct reader *r, fr *out, struct json_value *v);

#endif
