/* fuzz/fuzz_srs.c - folded parameter files from any bytes; also with a failing allocation, which the first
 * byte chooses.
 *
 * Such a file is mostly room between sections. So the input is the header and then what the sections hold,
 * one behind the other; the header is read as it is, and once more with its digest set right, so that what
 * lies behind that is reached too.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/pool.h"
#include "groth16/srs.h"

#define MOST_BYTES ((uint64_t)128 << 20) /* of a file that is laid out */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted lies within the file, section after section, to its last byte. */
static void check_layout(const struct srs_header *h, uint64_t size)
{
    uint64_t at = SRS_HEADER_BYTES;
    for (unsigned k = 0; k < SRS_KINDS; k++) {
        const struct srs_section *s = &h->section[k];
        if (s->offset < at || (k > 0 && s->offset % SRS_ALIGN != 0) || s->offset - at >= SRS_ALIGN)
            abort();
        at = s->offset + s->count * srs_element_bytes((enum srs_kind)k);
    }
    if (at != size)
        abort();
}

static void check_sections(const struct exec *x, const struct srs_header *h, uint64_t whole,
                           const uint8_t *data, size_t size)
{
    uint8_t *file =
        mmap(NULL, (size_t)whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (file == MAP_FAILED)
        abort();
    for (unsigned k = 0; k < SRS_KINDS && size > 0; k++) {
        const uint64_t bytes = h->section[k].count * srs_element_bytes((enum srs_kind)k);
        const size_t n = bytes < size ? (size_t)bytes : size;
        memcpy(file + h->section[k].offset, data, n);
        data += n;
        size -= n;
    }
    struct groth16_vk vk;
    struct cuzk_error e;
    if (srs_parts_read(&vk, h, file, &e) == CUZK_OK) {
        if (vk.ic_count != h->inputs)
            abort();
        groth16_vk_free(&vk);
    }
    const cuzk_status status = srs_check(x, h, file, &e);
    if (status != CUZK_OK && status != CUZK_ERR_MEMORY && !strstr(e.message, "point ") &&
        !strstr(e.message, "digest"))
        abort();
    munmap(file, (size_t)whole);
}

static void check(const struct exec *x, const uint8_t *data, size_t size)
{
    struct srs_header h;
    uint8_t head[SRS_HEADER_BYTES] = {0};
    const cuzk_status status = srs_header_read(&h, data, size, NULL);
    if (status == CUZK_OK)
        check_layout(&h, size);
    const size_t n = size < sizeof head ? size : sizeof head;
    memcpy(head, data, n);
    if (srs_digest(head + sizeof head - DIGEST_BYTES, head, sizeof head - DIGEST_BYTES, NULL) != CUZK_OK)
        return;
    /* The size that the header asks for ends where its last section does. */
    uint64_t offset, count;
    memcpy(&offset, head + 144 + 40 * SRS_DENSITY_B + 8, sizeof offset);
    memcpy(&count, head + 144 + 40 * SRS_DENSITY_B + 16, sizeof count);
    const uint64_t whole = offset + count * sizeof(uint64_t);
    if (srs_header_read(&h, head, whole, NULL) != CUZK_OK)
        return;
    check_layout(&h, whole);
    if (whole <= MOST_BYTES)
        check_sections(x, &h, whole, data + n, size - n);
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
    check(&x, data + 1, size - 1);
    mem_fail_after(0);
    return 0;
}
