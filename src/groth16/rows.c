/* groth16/rows.c - circuits' templates for the prover, and the search for a row that does not hold.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/rows.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "circuits/revision.h"
#include "groth16/kernels.h"
#include "groth16/names.h"
#include "groth16/srs.h"
#include "r1cs/template_file.h"

#define REPORT_EVERY UINT32_C(0xffff) /* auxiliary variables between two reports, less one */

cuzk_status template_circuit_open(const struct exec *x, struct template_circuit *out, const char *path,
                                  const char *name, const struct circuit *blank, struct cuzk_error *e)
{
    struct template_circuit t = {.templates = {.bits = 0}};
    struct template_identity id;
    struct block classes = {0};
    struct cuzk_error unkept;
    memset(&id, 0, sizeof id);
    snprintf(id.name, sizeof id.name, "%s", name);
    memcpy(id.revision, circuits_revision, sizeof id.revision);
    cuzk_status status = templates_open(x, &t.templates, path, &id, blank, &unkept, e);
    if (status == CUZK_OK && unkept.status != CUZK_OK)
        snprintf(t.unkept, sizeof t.unkept, "%.250s", unkept.message);
    if (status == CUZK_OK)
        status = templates_class_bits(x, &t.templates, &classes, e);
    if (status == CUZK_OK)
        status = srs_digest(t.classes, classes.ptr,
                            ((size_t)t.templates.counts.aux + 63) / 64 * sizeof(uint64_t), e);
    block_free(&classes);
    if (status == CUZK_OK)
        *out = t;
    else
        templates_free(&t.templates);
    return status;
}

void template_circuit_free(struct template_circuit *t)
{
    templates_free(&t->templates);
}

cuzk_status template_circuit_fits(const struct template_circuit *t, const struct srs_header *h,
                                  struct cuzk_error *e)
{
    const struct templates *have = &t->templates;
    const unsigned log = groth16_domain_log(have->counts.rows);
    const struct {
        const char *what;
        uint64_t circuit, params;
    } counts[] = {{"inputs", have->counts.inputs, h->inputs},
                  {"bits", have->bits, h->bits},
                  {"wide variables", have->wide, h->wide},
                  {"rows of the domain", UINT64_C(1) << log, UINT64_C(1) << h->domain_log}};
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        if (counts[i].circuit != counts[i].params)
            return error_set(
                e, CUZK_ERR_MISMATCH,
                "the parameters are of another circuit: %s: the circuit has %llu, the parameters "
                "have %llu",
                counts[i].what, (unsigned long long)counts[i].circuit, (unsigned long long)counts[i].params);
    if (memcmp(t->classes, h->classes, sizeof t->classes) != 0)
        return error_set(
            e, CUZK_ERR_MISMATCH,
            "the parameters are of another circuit, or of another version of this program: other "
            "variables are bits");
    return CUZK_OK;
}

/* -- which row does not hold -- */

/* Values by their slots, as they come: this run is rare, so it may be simple. */
struct explainer {
    const struct exec *x;
    const struct groth16_kernels *kernels;
    struct block input, aux;
    struct cuzk_error error;
    uint64_t bad_row;
    bool bad;
};

static cuzk_status hold(struct explainer *u, struct block *values, uint32_t index, const fr *value)
{
    const size_t had = values->size / sizeof(fr);
    if (index >= had) {
        struct block more;
        const cuzk_status status =
            block_new(&more, u->x->budget, had ? 2 * had : 4096, sizeof(fr), "the witness", &u->error);
        if (status != CUZK_OK)
            return status;
        if (had > 0)
            memcpy(more.ptr, values->ptr, values->size);
        block_free(values);
        *values = more;
    }
    ((fr *)values->ptr)[index] = *value;
    return CUZK_OK;
}

static cuzk_status hold_input(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct explainer *u = self;
    (void)cs;
    return hold(u, &u->input, index, value);
}

static cuzk_status hold_aux(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct explainer *u = self;
    (void)cs;
    if ((index & REPORT_EVERY) == 0)
        exec_progress(u->x, "looking for the row", index, 0);
    return hold(u, &u->aux, index, value);
}

static cuzk_status check_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                             const struct row *b, const struct row *c)
{
    struct explainer *u = self;
    fr va, vb, vc;
    (void)cs;
    u->kernels->evaluate_apart(&va, a, u->input.ptr, u->aux.ptr);
    u->kernels->evaluate_apart(&vb, b, u->input.ptr, u->aux.ptr);
    u->kernels->evaluate_apart(&vc, c, u->input.ptr, u->aux.ptr);
    if (u->kernels->product_is(&va, &vb, &vc))
        return CUZK_OK;
    u->bad = true;
    u->bad_row = index;
    return CUZK_ERR_UNSATISFIED;
}

static const struct cs_sink check_sink = {
    .alloc_input = hold_input, .alloc = hold_aux, .enforce = check_row, .wants_values = true};

cuzk_status rows_explain(const struct exec *x, const struct circuit *circuit, struct cuzk_error *e)
{
    struct explainer u = {.x = x, .kernels = groth16_kernels(x->variant)};
    cuzk_status status = circuit_run(circuit, &check_sink, &u, x->cancel, NULL, e);
    block_free(&u.input);
    block_free(&u.aux);
    if (u.bad)
        return names_unsatisfied(circuit, u.bad_row, e);
    if (u.error.status != CUZK_OK)
        status = error_set(e, u.error.status, "%s", u.error.message);
    return status;
}
