/* fuzz/fuzz_params.c - the layout and points of parameter files, and parameters.json, from any bytes; also
 * with a failing allocation, which the first byte chooses. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "circuits/json.h"
#include "groth16/manifest.h"
#include "groth16/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted lies within the file, section after section, to its last byte. */
static void check_layout(const struct exec *x, const uint8_t *data, size_t size)
{
    struct params_layout layout;
    struct cuzk_error e;
    if (params_layout_read(&layout, data, size, &e) != CUZK_OK)
        return;
    size_t at = VK_FIXED_BYTES + (size_t)layout.ic_count * G1_UNCOMPRESSED_BYTES;
    for (int s = 0; s < GROTH16_SECTIONS; s++) {
        if (layout.section[s].offset != at + 4)
            abort();
        at += 4 + layout.section[s].count * params_point_bytes((enum groth16_section)s);
    }
    if (at != size || params_layout_fill(&layout) != size)
        abort();
    const cuzk_status status = params_check_points(x, &layout, data, &e);
    if (status == CUZK_OK)
        return;
    if (status != CUZK_ERR_MEMORY && !strstr(e.message, "point "))
        abort();
}

static void check_manifest(const uint8_t *data, size_t size)
{
    uint8_t *padded = calloc(1, size + JSON_PADDING);
    if (!padded)
        abort();
    memcpy(padded, data, size);
    struct manifest_entry entry;
    struct cuzk_error e;
    if (manifest_parse(&entry, padded, size, "c.params", &e) == CUZK_OK &&
        strlen(entry.digest) != (entry.listed ? DIGEST_TEXT - 1 : 0))
        abort();
    free(padded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pool *pool;
    if (!pool && pool_new(&pool, 1, NULL) != CUZK_OK)
        abort();
    if (size < 2)
        return 0;
    const struct exec x = {.pool = pool, .variant = cpu_best()};
    mem_fail_after(data[0]);
    check_layout(&x, data + 1, size - 1);
    check_manifest(data + 1, size - 1);
    mem_fail_after(0);
    return 0;
}
