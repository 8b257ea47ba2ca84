/* groth16/names.c - the name of a row or variable, found by running the circuit again with names.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/names.h"

#include <stdio.h>
#include <string.h>

struct search {
    char *out;
    bool row;
    uint64_t index;
};

static cuzk_status found(const struct search *s, const struct cs *cs)
{
    const char *path = cs_path(cs);
    const size_t n = strlen(path);
    if (n < NAME_MAX_TEXT)
        snprintf(s->out, NAME_MAX_TEXT, "%s", path);
    else
        snprintf(s->out, NAME_MAX_TEXT, "...%s", path + n - (NAME_MAX_TEXT - 4));
    return CUZK_ERR_CANCELLED; /* ends the run */
}

static cuzk_status see_input(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    (void)self, (void)cs, (void)index, (void)value;
    return CUZK_OK;
}

static cuzk_status see_aux(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    const struct search *s = self;
    (void)value;
    return !s->row && index == s->index ? found(s, cs) : CUZK_OK;
}

static cuzk_status see_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                           const struct row *b, const struct row *c)
{
    const struct search *s = self;
    (void)a, (void)b, (void)c;
    return s->row && index == s->index ? found(s, cs) : CUZK_OK;
}

static void run(struct search *s, const struct circuit *circuit, bool values)
{
    const struct cs_sink sink = {.alloc_input = see_input,
                                 .alloc = see_aux,
                                 .enforce = see_row,
                                 .wants_values = values,
                                 .wants_names = true};
    strcpy(s->out, "?");
    /* whatever comes back: found or not, the text says */
    const cuzk_status status = circuit_run(circuit, &sink, s, NULL, NULL, NULL);
    (void)status;
}

void name_of_row(char out[NAME_MAX_TEXT], const struct circuit *circuit, bool values, uint64_t row)
{
    struct search s = {out, true, row};
    run(&s, circuit, values);
}

void name_of_aux(char out[NAME_MAX_TEXT], const struct circuit *circuit, bool values, uint32_t index)
{
    struct search s = {out, false, index};
    run(&s, circuit, values);
}

cuzk_status names_unsatisfied(const struct circuit *circuit, uint64_t row, struct cuzk_error *e)
{
    char name[NAME_MAX_TEXT];
    name_of_row(name, circuit, true, row);
    return error_set(e, CUZK_ERR_UNSATISFIED, "the input does not satisfy row %llu (%s)",
                     (unsigned long long)row, name);
}
