/* api/report.c - what a circuit or an instance is, as text or JSON. The JSON members are named and sorted
 * as in the reference records under tests/vectors, so that files can be compared.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "api/context.h"
#include "api/report.h"
#include "base/error.h"
#include "r1cs/instance.h"
#include "r1cs/print.h"
#include "r1cs/shape.h"

cuzk_status report_send(struct text *t, const struct cuzk_writer *out, struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    if (t->failed)
        status = error_memory(e, t->capacity, "a report");
    else if (t->size && !out->write(out->user, t->data, t->size))
        status = error_set(e, CUZK_ERR_IO, "the report could not be written");
    text_free(t);
    return status;
}

static void json_marks(struct text *t, const char *key, const struct marks *marks)
{
    json_open(t, key, '[');
    for (uint64_t i = 0; i < marks->count; i++)
        json_hex(t, NULL, marks->digest[i], 32);
    json_close(t, ']');
}

static void json_inputs(struct text *t, const struct instance *in)
{
    json_open(t, "public_inputs", '[');
    for (uint32_t i = 0; i < in->shape.counts.inputs; i++) {
        uint8_t bytes[FR_BYTES];
        fr_write_le(bytes, &in->inputs[i]);
        json_hex(t, NULL, bytes, sizeof bytes);
    }
    json_close(t, ']');
}

static void json_unsatisfied(struct text *t, const struct instance *in)
{
    json_open(t, "unsatisfied", '[');
    for (unsigned i = 0; i < in->unsatisfied_count; i++) {
        json_open(t, NULL, '[');
        json_u64(t, NULL, in->unsatisfied[i].row);
        json_string(t, NULL, in->unsatisfied[i].name ? in->unsatisfied[i].name : "");
        json_close(t, ']');
    }
    json_close(t, ']');
}

/* in: NULL for a blank circuit. */
static void json_circuit(struct text *t, const struct shape *s, const struct instance *in)
{
    json_open(t, NULL, '{');
    json_hex(t, "a_aux_bits", s->a_aux.digest, 32);
    json_u64(t, "a_aux_density", s->a_aux.count);
    if (in) {
        json_open(t, "abc", '[');
        for (int i = 0; i < 3; i++)
            json_hex(t, NULL, in->abc[i], 32);
        json_close(t, ']');
    }
    json_u64(t, "aux", s->counts.aux);
    json_hex(t, "b_aux_bits", s->b_aux.digest, 32);
    json_u64(t, "b_aux_density", s->b_aux.count);
    json_hex(t, "b_input_bits", s->b_input.digest, 32);
    json_u64(t, "b_input_density", s->b_input.count);
    json_u64(t, "constraints", s->counts.rows_own);
    json_u64(t, "every", s->every);
    json_u64(t, "inputs", s->counts.inputs);
    json_open(t, "nnz", '[');
    for (int i = 0; i < 3; i++)
        json_u64(t, NULL, s->nonzeros[i]);
    json_close(t, ']');
    if (in)
        json_inputs(t, in);
    json_hex(t, "r1cs", s->r1cs, 32);
    json_marks(t, "r1cs_marks", &s->marks);
    json_u64(t, "rows_with_inputs", s->counts.rows);
    if (in) {
        json_bool(t, "satisfied", in->satisfied);
        json_unsatisfied(t, in);
        json_hex(t, "witness", in->witness, 32);
        json_marks(t, "witness_marks", &in->witness_marks);
    }
    json_u64(t, "zero_terms", s->zero_terms);
    json_close(t, '}');
}

static void text_digest(struct text *t, const char *label, const uint8_t digest[32])
{
    text_printf(t, "%-16s", label);
    text_hex(t, digest, 32);
    text_add(t, "\n", 1);
}

static void text_circuit(struct text *t, const struct shape *s, const struct instance *in)
{
    text_printf(t, "constraints     %llu (%llu with the inputs' rows)\n",
                (unsigned long long)s->counts.rows_own, (unsigned long long)s->counts.rows);
    text_printf(t, "inputs          %u (the constant one included)\n", s->counts.inputs);
    text_printf(t, "auxiliary       %u\n", s->counts.aux);
    text_printf(t, "non-zeros       A %llu, B %llu, C %llu\n", (unsigned long long)s->nonzeros[0],
                (unsigned long long)s->nonzeros[1], (unsigned long long)s->nonzeros[2]);
    text_printf(t, "densities       A %llu, B %llu (of inputs %llu)\n", (unsigned long long)s->a_aux.count,
                (unsigned long long)s->b_aux.count, (unsigned long long)s->b_input.count);
    text_digest(t, "r1cs", s->r1cs);
    if (!in)
        return;
    text_digest(t, "witness", in->witness);
    text_digest(t, "a", in->abc[0]);
    text_digest(t, "b", in->abc[1]);
    text_digest(t, "c", in->abc[2]);
    text_printf(t, "satisfied       %s\n", in->satisfied ? "yes" : "NO");
    for (unsigned i = 0; i < in->unsatisfied_count; i++)
        text_printf(t, "unsatisfied     row %llu: %s\n", (unsigned long long)in->unsatisfied[i].row,
                    in->unsatisfied[i].name ? in->unsatisfied[i].name : "");
}

cuzk_status cuzk_circuit_shape(cuzk_context *context, const char *circuit, uint64_t every,
                               enum cuzk_format format, const struct cuzk_writer *out, struct cuzk_error *e)
{
    API_REQUIRE(e, context && circuit && out && out->write);
    struct any_circuit blank;
    cuzk_status status = catalogue_blank(&blank, context->poseidon, circuit, e);
    if (status != CUZK_OK)
        return status;
    struct shape shape = {0};
    status = shape_of(&context->exec, &shape, &blank.circuit, every ? every : SHAPE_EVERY, e);
    if (status != CUZK_OK)
        return status;
    struct text t = {0};
    if (format == CUZK_FORMAT_JSON)
        json_circuit(&t, &shape, NULL);
    else
        text_circuit(&t, &shape, NULL);
    shape_free(&shape);
    return report_send(&t, out, e);
}

cuzk_status cuzk_circuit_instance(cuzk_context *context, const cuzk_request *request, unsigned partition,
                                  uint64_t every, enum cuzk_format format, const struct cuzk_writer *out,
                                  bool *satisfied, struct cuzk_error *e)
{
    API_REQUIRE(e, context && request && out && out->write && satisfied);
    struct any_circuit real;
    cuzk_status status = request_circuit(&real, context->poseidon, &request->request, partition, e);
    if (status != CUZK_OK)
        return status;
    struct instance instance = {0};
    status = instance_of(&context->exec, &instance, &real.circuit, every ? every : SHAPE_EVERY, e);
    if (status != CUZK_OK)
        return status;
    struct text t = {0};
    if (format == CUZK_FORMAT_JSON)
        json_circuit(&t, &instance.shape, &instance);
    else
        text_circuit(&t, &instance.shape, &instance);
    const bool yes = instance.satisfied;
    instance_free(&instance);
    status = report_send(&t, out, e);
    if (status == CUZK_OK)
        *satisfied = yes;
    return status;
}

static cuzk_status write_line(void *user, const char *line, struct cuzk_error *e)
{
    const struct cuzk_writer *out = user;
    if (!out->write(out->user, line, strlen(line)) || !out->write(out->user, "\n", 1))
        return error_set(e, CUZK_ERR_IO, "the list could not be written");
    return CUZK_OK;
}

cuzk_status cuzk_circuit_list(cuzk_context *context, const char *circuit, const cuzk_request *request,
                              unsigned partition, enum cuzk_listing what, uint64_t first, uint64_t end,
                              const struct cuzk_writer *out, struct cuzk_error *e)
{
    API_REQUIRE(e, context && (circuit || request) && out && out->write);
    struct any_circuit c;
    const cuzk_status status = circuit
                                   ? catalogue_blank(&c, context->poseidon, circuit, e)
                                   : request_circuit(&c, context->poseidon, &request->request, partition, e);
    if (status != CUZK_OK)
        return status;
    const struct print_range none = {0, 0}, range = {first, end};
    struct cuzk_writer writer = *out;
    return print_circuit(&context->exec, &c.circuit, !circuit, what == CUZK_LIST_ROWS ? range : none,
                         what == CUZK_LIST_VARIABLES ? range : none, write_line, &writer, e);
}
