/* circuits/json.cpp - the C interface to simdjson's on-demand parser (J. Keiser, D. Lemire, "On-demand JSON",
 * 2023). No exception is thrown or passes: simdjson is used without them, and the callbacks are C.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "circuits/json.h"

namespace ondemand = simdjson::ondemand;

/* What a C caller holds is one of these. */
struct json_value {
    ondemand::value *value; /* NULL for the document itself */
    ondemand::document *document;
    json_problem *problem;
    const char *text; /* of the whole document */
    size_t size;
};

static_assert(JSON_PADDING >= simdjson::SIMDJSON_PADDING, "the padding that simdjson asks for");

/* Paths deeper than any known document are refused before they are walked. */
static const size_t MAX_DEPTH = 64;

extern "C" size_t json_memory(size_t size)
{
    /* A 32-bit index for each byte and a string buffer of 5/3 bytes, rounded up to blocks. */
    return 6 * size + 4096;
}

static const char BEHIND_END[] = "content behind the document's end";

/* Where what follows the first object or array begins, by brackets and strings alone; size: nothing does, or
 * the object has no end. */
static size_t behind_end(const char *text, size_t size)
{
    size_t i = 0, depth = 0;
    bool in_string = false, ended = false;
    for (; i < size && !ended; i++) {
        const char c = text[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']'))
            ended = depth-- <= 1;
    }
    while (i < size && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t'))
        i++;
    return i < size ? i : size;
}

static json_result fail(const json_value *v, simdjson::error_code error)
{
    if (error == simdjson::INCORRECT_TYPE || error == simdjson::SCALAR_DOCUMENT_AS_VALUE)
        return JSON_TYPE;
    if (error == simdjson::MEMALLOC)
        return JSON_MEMORY;
    const char *at = nullptr;
    v->problem->what = simdjson::error_message(error);
    v->problem->offset = v->size;
    if (error == simdjson::INCOMPLETE_ARRAY_OR_OBJECT || error == simdjson::UNCLOSED_STRING) {
        /* Seen by the last token, which may be one too many as well as the last of too few. */
        v->problem->offset = behind_end(v->text, v->size);
        if (v->problem->offset < v->size)
            v->problem->what = BEHIND_END;
        return JSON_SYNTAX;
    }
    if (v->document && v->document->current_location().get(at) == simdjson::SUCCESS && at > v->text &&
        at < v->text + v->size)
        v->problem->offset = static_cast<size_t>(at - v->text);
    return JSON_SYNTAX;
}

/* The bytes of a key up to its closing quote, which the first stage has found. */
static size_t key_size(const char *key)
{
    size_t n = 0;
    while (key[n] != '"')
        n += key[n] == '\\' ? 2 : 1;
    return n;
}

extern "C" json_result
json_object(json_value *v,
            json_result (*field)(void *ctx, const char *key, size_t key_size, json_value *value), void *ctx)
{
    ondemand::object object;
    const simdjson::error_code opened =
        (v->value ? v->value->get_object() : v->document->get_object()).get(object);
    if (opened)
        return fail(v, opened);
    for (auto member : object) {
        ondemand::field f;
        const simdjson::error_code error = std::move(member).get(f);
        if (error)
            return fail(v, error);
        const char *key = f.key().raw();
        json_value inner = *v;
        inner.value = &f.value();
        const json_result result = field(ctx, key, key_size(key), &inner);
        if (result == JSON_STOP)
            return JSON_OK;
        if (result != JSON_OK)
            return result;
    }
    return JSON_OK;
}

extern "C" json_result json_array(json_value *v,
                                  json_result (*item)(void *ctx, size_t index, json_value *value), void *ctx)
{
    ondemand::array array;
    const simdjson::error_code opened =
        (v->value ? v->value->get_array() : v->document->get_array()).get(array);
    if (opened)
        return fail(v, opened);
    size_t index = 0;
    for (auto member : array) {
        ondemand::value value;
        const simdjson::error_code error = std::move(member).get(value);
        if (error)
            return fail(v, error);
        json_value inner = *v;
        inner.value = &value;
        const json_result result = item(ctx, index++, &inner);
        if (result == JSON_STOP)
            return JSON_OK;
        if (result != JSON_OK)
            return result;
    }
    return JSON_OK;
}

extern "C" const char *json_text(json_value *v, size_t *size)
{
    std::string_view token;
    if (!v->value) {
        *size = 0;
        return v->text;
    }
    token = v->value->raw_json_token();
    size_t n = token.size();
    while (n > 0 &&
           (token[n - 1] == ' ' || token[n - 1] == '\n' || token[n - 1] == '\r' || token[n - 1] == '\t'))
        n--;
    *size = n;
    return token.data();
}

extern "C" json_result json_walk(const uint8_t *text, size_t size, unsigned passes,
                                 json_result (*root)(void *ctx, unsigned pass, json_value *value), void *ctx,
                                 json_problem *problem)
{
    json_value v = {nullptr, nullptr, problem, reinterpret_cast<const char *>(text), size};
    ondemand::parser parser;
    ondemand::document document;
    simdjson::error_code error = parser.allocate(size, MAX_DEPTH);
    if (!error)
        error = parser.iterate(v.text, size, size + JSON_PADDING).get(document);
    if (error)
        return fail(&v, error);
    v.document = &document;
    for (unsigned pass = 0; pass < passes; pass++) {
        if (pass > 0)
            document.rewind();
        const json_result result = root(ctx, pass, &v);
        if (result != JSON_OK)
            return result;
    }
    const char *at;
    if (document.current_location().get(at) == simdjson::SUCCESS && at < v.text + size) {
        problem->what = BEHIND_END;
        problem->offset = static_cast<size_t>(at - v.text);
        return JSON_SYNTAX;
    }
    return JSON_OK;
}
