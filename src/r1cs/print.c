/* r1cs/print.c - rows and variables of a circuit by name, as text.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* -- elements -- */

static bool is_small(const fr *plain)
{
    return (plain->l[1] | plain->l[2] | plain->l[3]) == 0;
}

/* The k of 2^k, or -1. */
static int power_of_two(const fr *plain)
{
    int k = -1;
    for (unsigned i = 0; i < FR_LIMBS; i++) {
        if (plain->l[i] == 0)
            continue;
        if (k >= 0 || (plain->l[i] & (plain->l[i] - 1)) != 0)
            return -1;
        k = (int)(64 * i) + __builtin_ctzll(plain->l[i]);
    }
    return k;
}

size_t print_element(char out[PRINT_ELEMENT_MAX], const fr *value)
{
    fr minus, plain[2];
    fr_neg(&minus, value);
    fr_from_mont(&plain[0], value);
    fr_from_mont(&plain[1], &minus);
    static const char *const sign[2] = {"", "-"};
    int n = -1;
    for (unsigned i = 0; i < 2 && n < 0; i++)
        if (is_small(&plain[i]))
            n = snprintf(out, PRINT_ELEMENT_MAX, "%s%" PRIu64, sign[i], plain[i].l[0]);
    for (unsigned i = 0; i < 2 && n < 0; i++)
        if (power_of_two(&plain[i]) >= 0)
            n = snprintf(out, PRINT_ELEMENT_MAX, "%s2^%d", sign[i], power_of_two(&plain[i]));
    if (n < 0)
        n = snprintf(out, PRINT_ELEMENT_MAX, "0x%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64,
                     plain[0].l[3], plain[0].l[2], plain[0].l[1], plain[0].l[0]);
    return n < 0 ? 0 : (size_t)n;
}

/* -- lines -- */

struct printer {
    struct print_range rows, variables;
    print_line *line;
    void *user;
    struct cuzk_error error;
    bool stopped; /* both ranges are done */
    char *text;
    size_t length, capacity;
};

static cuzk_status append(struct printer *p, const char *bytes, size_t n)
{
    if (p->capacity - p->length <= n) {
        size_t capacity = p->capacity ? p->capacity : 4096;
        while (capacity - p->length <= n)
            capacity *= 2;
        char *bigger = mem_alloc(capacity, 1);
        if (!bigger)
            return error_memory(&p->error, capacity, "a printed row");
        if (p->length)
            memcpy(bigger, p->text, p->length);
        mem_free(p->text);
        p->text = bigger;
        p->capacity = capacity;
    }
    memcpy(p->text + p->length, bytes, n);
    p->length += n;
    p->text[p->length] = '\0';
    return CUZK_OK;
}

static cuzk_status append_text(struct printer *p, const char *text)
{
    return append(p, text, strlen(text));
}

static cuzk_status append_index(struct printer *p, const char *before, uint64_t index)
{
    char number[32];
    const int n = snprintf(number, sizeof number, "%s%" PRIu64, before, index);
    return append(p, number, n < 0 ? 0 : (size_t)n);
}

static cuzk_status append_side(struct printer *p, const struct row *row)
{
    if (row->count == 0)
        return append_text(p, "0");
    cuzk_status status = CUZK_OK;
    for (uint32_t i = 0; i < row->count && status == CUZK_OK; i++) {
        const struct lc_term *t = &row->term[i];
        char element[PRINT_ELEMENT_MAX];
        if (i > 0)
            status = append_text(p, " + ");
        if (status == CUZK_OK)
            status = append(p, element, print_element(element, &t->coeff));
        if (status == CUZK_OK)
            status = append_index(p, t->v & VAR_AUX ? "*w" : "*in", VAR_INDEX(t->v));
    }
    return status;
}

static bool within(struct print_range range, uint64_t index)
{
    return index >= range.from && index < range.to;
}

/* Is there nothing more to print once this row or variable is done? The end of the work, not a failure. */
static cuzk_status stop_when_done(struct printer *p, uint64_t rows, uint64_t variables)
{
    const bool rows_done = p->rows.from >= p->rows.to || rows >= p->rows.to;
    const bool variables_done = p->variables.from >= p->variables.to || variables >= p->variables.to;
    p->stopped = rows_done && variables_done;
    return p->stopped ? CUZK_ERR_CANCELLED : CUZK_OK;
}

static cuzk_status on_alloc(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct printer *p = self;
    if (within(p->variables, index)) {
        p->length = 0;
        cuzk_status status = append_index(p, "w", index);
        if (status == CUZK_OK)
            status = append_text(p, "\t");
        if (status == CUZK_OK)
            status = append_text(p, cs_path(cs));
        if (status == CUZK_OK && value) {
            char element[PRINT_ELEMENT_MAX + 1] = "\t";
            status = append(p, element, 1 + print_element(element + 1, value));
        }
        if (status == CUZK_OK)
            status = p->line(p->user, p->text, &p->error);
        if (status != CUZK_OK)
            return status;
    }
    return stop_when_done(p, cs->rows, cs->aux);
}

static cuzk_status on_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                          const struct row *b, const struct row *c)
{
    struct printer *p = self;
    if (within(p->rows, index)) {
        p->length = 0;
        const struct row *const side[3] = {a, b, c};
        static const char *const before[3] = {"\t(", ") * (", ") = "};
        cuzk_status status = append_index(p, "", index);
        if (status == CUZK_OK)
            status = append_text(p, "\t");
        if (status == CUZK_OK)
            status = append_text(p, cs_path(cs));
        for (unsigned k = 0; k < 3 && status == CUZK_OK; k++) {
            status = append_text(p, before[k]);
            if (status == CUZK_OK)
                status = append_side(p, side[k]);
        }
        if (status == CUZK_OK)
            status = p->line(p->user, p->text, &p->error);
        if (status != CUZK_OK)
            return status;
    }
    return stop_when_done(p, cs->rows, cs->aux);
}

cuzk_status print_circuit(const struct exec *x, const struct circuit *c, bool values, struct print_range rows,
                          struct print_range variables, print_line *line, void *user, struct cuzk_error *e)
{
    const struct cs_sink sink = {
        .alloc = on_alloc, .enforce = on_row, .wants_values = values, .wants_names = true};
    struct printer p = {.rows = rows, .variables = variables, .line = line, .user = user};
    cuzk_status status = circuit_run(c, &sink, &p, x->cancel, NULL, e);
    if (p.stopped)
        status = CUZK_OK;
    else if (status != CUZK_OK && p.error.status == status)
        error_set(e, status, "%s", p.error.message);
    mem_free(p.text);
    return status;
}

/* -- names alone -- */

struct namer {
    const uint64_t *rows;
    char **names;
    unsigned count, done;
};

static cuzk_status on_named_row(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                                const struct row *b, const struct row *c)
{
    (void)a;
    (void)b;
    (void)c;
    struct namer *n = self;
    if (n->done < n->count && index == n->rows[n->done]) {
        const size_t size = strlen(cs_path(cs)) + 1;
        char *name = mem_alloc(size, 1);
        if (!name)
            return CUZK_ERR_MEMORY;
        memcpy(name, cs_path(cs), size);
        n->names[n->done++] = name;
    }
    return n->done == n->count ? CUZK_ERR_CANCELLED : CUZK_OK; /* the end of the work, not a failure */
}

cuzk_status print_row_names(const struct exec *x, const struct circuit *c, const uint64_t *rows,
                            unsigned count, char **names, struct cuzk_error *e)
{
    static const struct cs_sink sink = {.enforce = on_named_row, .wants_names = true};
    struct namer n = {.rows = rows, .names = names, .count = count};
    for (unsigned i = 0; i < count; i++)
        names[i] = NULL;
    const cuzk_status status = circuit_run(c, &sink, &n, x->cancel, NULL, e);
    if (status == CUZK_OK || n.done == count)
        return CUZK_OK;
    for (unsigned i = 0; i < n.done; i++) {
        mem_free(names[i]);
        names[i] = NULL;
    }
    return status;
}
