/* fuzz/fuzz_c1.c - C1 files from any bytes, and from edits of a sound one: refused with a reason, or read
 * whole.
 *
 * The first byte says which text is edited (none: the rest is the text itself), the second lets that
 * allocation fail. An edit is 4 bytes of place, one of how much is cut, one of how much is put, and what is
 * put. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "../tests/unit/c1_make.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct poseidon_set *poseidon;
static struct base {
    char *text;
    size_t size;
} bases[5]; /* bare ones of three shapes of trees and three kinds of challenges, and a wrapped one */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const uint64_t numbers[] = {0, 104, 132, 10};
    struct porep_params p;
    (void)argc;
    (void)argv;
    if (poseidon_set_new(&poseidon, NULL) != CUZK_OK)
        abort();
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        if (porep_params_for_number(&p, numbers[i], NULL) != CUZK_OK)
            abort();
        bases[i].text = c1_make(&p, i, &bases[i].size);
    }
    if (porep_params_for_number(&p, 5, NULL) != CUZK_OK)
        abort();
    bases[4].text = c1_make_wrapped(&p, 5, &bases[4].size);
    return 0;
}

/* The text that the edits make of a base; the caller frees it. */
static uint8_t *edited(const struct base *base, const uint8_t *edit, size_t left, size_t *size)
{
    uint8_t *text = malloc(base->size + left + 1);
    if (!text)
        abort();
    memcpy(text, base->text, base->size);
    *size = base->size;
    while (left >= 6) {
        uint32_t place;
        memcpy(&place, edit, sizeof place);
        const size_t at = place % (*size + 1);
        const size_t cut = edit[4] < *size - at ? edit[4] : *size - at;
        const size_t put = edit[5] < left - 6 ? edit[5] : left - 6;
        memmove(text + at + put, text + at + cut, *size - at - cut);
        memcpy(text + at, edit + 6, put);
        *size = *size - cut + put;
        edit += 6 + put;
        left -= 6 + put;
    }
    return text;
}

static void read_one(const uint8_t *text, size_t size, uint8_t fail)
{
    const struct exec x = {0};
    struct porep_c1 c1;
    struct cuzk_error e = {0};
    fr inputs[3 + 18 * POREP_MAX_CHALLENGES];
    mem_fail_after(fail);
    const cuzk_status status = porep_c1_read(&x, &c1, text, size, &e);
    mem_fail_after(0);
    if (status != CUZK_OK) {
        if (e.status != status || !e.message[0] || (status != CUZK_ERR_INPUT && status != CUZK_ERR_MEMORY))
            abort();
        return;
    }
    if (porep_public_inputs(&c1.statement, c1.statement.params.partitions - 1, inputs, &e) != CUZK_OK)
        abort();
    const cuzk_status sound = porep_c1_check(&x, poseidon, &c1, &e);
    if (sound != CUZK_OK && sound != CUZK_ERR_UNSATISFIED)
        abort();
    porep_c1_free(&c1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const unsigned which = data[0] % (ARRAY_LEN(bases) + 1);
    if (which == ARRAY_LEN(bases)) {
        uint8_t *exact = malloc(size - 1);
        if (!exact)
            abort();
        memcpy(exact, data + 2, size - 2);
        read_one(exact, size - 2, data[1]);
        free(exact);
        return 0;
    }
    size_t text_size;
    uint8_t *text = edited(&bases[which], data + 2, size - 2, &text_size);
    read_one(text, text_size, data[1]);
    free(text);
    return 0;
}
