/* r1cs/instance.c - digests of a circuit with values, and whether it is satisfied.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/instance.h"

#include "r1cs/print.h"
#include "r1cs/values.h"

struct recorder {
    struct shape_state shape;
    struct values inputs, aux;
    struct digest witness, abc[3];
    struct canon canon;
    uint64_t unsatisfied[INSTANCE_UNSATISFIED];
    unsigned unsatisfied_count;
    struct cuzk_error error;
};

static cuzk_status on_input(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    (void)cs;
    (void)index;
    struct recorder *r = self;
    return values_add(&r->inputs, value, &r->error);
}

static cuzk_status on_alloc(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    (void)cs;
    (void)index;
    struct recorder *r = self;
    digest_element(&r->witness, &r->canon, value);
    const cuzk_status status = digest_item(&r->witness);
    return status == CUZK_OK ? values_add(&r->aux, value, &r->error) : status;
}

static cuzk_status on_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                          const struct row *b, const struct row *c)
{
    (void)cs;
    struct recorder *r = self;
    const struct row *const side[3] = {a, b, c};
    fr value[3], product;
    for (unsigned k = 0; k < 3; k++) {
        value[k] = values_of_row(&r->inputs, &r->aux, side[k]);
        digest_element(&r->abc[k], &r->canon, &value[k]);
    }
    fr_mul(&product, &value[0], &value[1]);
    if (!fr_equal(&product, &value[2]) && r->unsatisfied_count < INSTANCE_UNSATISFIED)
        r->unsatisfied[r->unsatisfied_count++] = index;
    return shape_state_row(&r->shape, a, b, c);
}

static void recorder_free(struct recorder *r)
{
    if (!r)
        return;
    shape_state_free(&r->shape);
    values_free(&r->inputs);
    values_free(&r->aux);
    marks_free(&r->witness.marks);
    mem_free(r);
}

static cuzk_status name_rows(const struct exec *x, const struct recorder *r, struct instance *out,
                             const struct circuit *c, struct cuzk_error *e)
{
    char *names[INSTANCE_UNSATISFIED] = {NULL};
    if (r->unsatisfied_count == 0)
        return CUZK_OK;
    const cuzk_status status = print_row_names(x, c, r->unsatisfied, r->unsatisfied_count, names, e);
    for (unsigned k = 0; k < r->unsatisfied_count; k++)
        out->unsatisfied[k] = (struct unsatisfied){.row = r->unsatisfied[k], .name = names[k]};
    return status;
}

static cuzk_status finish(const struct exec *x, struct recorder *r, struct instance *out,
                          const struct circuit *c, const struct cs_counts *counts, struct cuzk_error *e)
{
    struct instance i = {.satisfied = r->unsatisfied_count == 0, .unsatisfied_count = r->unsatisfied_count};
    i.inputs = mem_alloc(counts->inputs, sizeof *i.inputs);
    if (!i.inputs)
        return error_memory(e, counts->inputs * sizeof *i.inputs, "public inputs");
    for (uint32_t k = 0; k < counts->inputs; k++)
        i.inputs[k] = *values_at(&r->inputs, k);
    shape_state_finish(&r->shape, &i.shape, counts);
    digest_final(&r->witness, i.witness, &i.witness_marks);
    for (unsigned k = 0; k < 3; k++)
        digest_final(&r->abc[k], i.abc[k], NULL);
    const cuzk_status status = name_rows(x, r, &i, c, e);
    if (status == CUZK_OK)
        *out = i;
    else
        instance_free(&i);
    return status;
}

cuzk_status instance_of(const struct exec *x, struct instance *out, const struct circuit *c, uint64_t every,
                        struct cuzk_error *e)
{
    static const struct cs_sink sink = {
        .alloc_input = on_input, .alloc = on_alloc, .enforce = on_row, .wants_values = true};
    struct recorder *r = mem_alloc(1, sizeof *r);
    if (!r)
        return error_memory(e, sizeof *r, "a circuit's digests");
    r->inputs.budget = r->aux.budget = x->budget;
    digest_init(&r->witness, every);
    for (unsigned k = 0; k < 3; k++)
        digest_init(&r->abc[k], 0);
    struct cs_counts counts;
    cuzk_status status = shape_state_init(&r->shape, x->budget, every, e);
    if (status == CUZK_OK) {
        status = circuit_run(c, &sink, r, x->cancel, &counts, e);
        const struct cuzk_error *detail = r->error.status ? &r->error : &r->shape.error;
        if (status != CUZK_OK && detail->status == status)
            error_set(e, status, "%s", detail->message);
    }
    if (status == CUZK_OK)
        status = finish(x, r, out, c, &counts, e);
    recorder_free(r);
    return status;
}

void instance_free(struct instance *i)
{
    shape_free(&i->shape);
    mem_free(i->inputs);
    marks_free(&i->witness_marks);
    for (unsigned k = 0; k < INSTANCE_UNSATISFIED; k++)
        mem_free(i->unsatisfied[k].name);
    *i = (struct instance){0};
}
