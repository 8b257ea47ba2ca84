/* fuzz/fuzz_templates.c - files of templates with any bytes changed: refused, or followed without harm, by
 * rows' values and by expansion. Input: pairs of a place (3 bytes) and what to add to the byte there; a place
 * beyond the file cuts it. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "circuits/catalogue.h"
#include "r1cs/rows.h"
#include "r1cs/template_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct template_identity ID = {.name = "fuzz"};

struct state {
    struct exec x;
    uint8_t *file;
    size_t size;
    char path[64];
};

static void start(struct state *s)
{
    struct poseidon_set *poseidon;
    struct any_circuit c;
    struct templates t;
    s->x.variant = CPU_PORTABLE;
    snprintf(s->path, sizeof s->path, "/tmp/cuzk-fuzz-templates-%d", (int)getpid());
    if (pool_new(&s->x.pool, 1, NULL) != CUZK_OK || poseidon_set_new(&poseidon, NULL) != CUZK_OK ||
        catalogue_blank(&c, poseidon, "window-2k", NULL) != CUZK_OK ||
        templates_record(&s->x, &t, &c.circuit, NULL) != CUZK_OK ||
        templates_write(&t, s->path, &ID, NULL) != CUZK_OK ||
        file_read(&s->file, &s->size, s->path, 1 << 24, NULL) != CUZK_OK)
        abort();
    templates_free(&t);
    poseidon_set_free(poseidon);
}

static cuzk_status take(void *self, uint64_t index, const struct row *a, const struct row *b,
                        const struct row *c, struct cuzk_error *e)
{
    uint64_t *terms = self;
    (void)index;
    (void)e;
    *terms += a->count + b->count + c->count;
    return CUZK_OK;
}

static void follow(const struct exec *x, const struct templates *t)
{
    struct assignment w;
    struct rows r;
    struct block classes;
    fr out[64];
    uint64_t terms = 0;
    if (assignment_new(&w, NULL, t->counts.inputs, t->bits, t->wide, NULL) != CUZK_OK)
        return;
    if (rows_bind(x, &r, t, &w, NULL) == CUZK_OK) {
        for (uint64_t row = 0; row < t->counts.rows; row += 64)
            for (unsigned side = 0; side < 3; side++)
                rows_values(&r, side, row, 64, out);
        rows_free(&r);
    }
    assignment_free(&w);
    if (templates_expand(x, t, take, &terms, NULL) != CUZK_OK)
        abort();
    if (templates_class_bits(x, t, &classes, NULL) == CUZK_OK)
        block_free(&classes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct state s;
    struct templates t;
    if (!s.file)
        start(&s);
    uint8_t *bytes = malloc(s.size);
    size_t length = s.size;
    if (!bytes)
        return 0;
    memcpy(bytes, s.file, s.size);
    for (; size >= 4; data += 4, size -= 4) {
        const size_t at = (size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16;
        if (at < s.size)
            bytes[at] = (uint8_t)(bytes[at] + data[3]);
        else if (at - s.size < length)
            length = at - s.size + 1;
    }
    if (file_write_whole(s.path, bytes, length, NULL) == CUZK_OK &&
        templates_map(&s.x, &t, s.path, &ID, NULL) == CUZK_OK) {
        follow(&s.x, &t);
        templates_free(&t);
    }
    free(bytes);
    unlink(s.path);
    return 0;
}
