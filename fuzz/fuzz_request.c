/* fuzz/fuzz_request.c - request files from any bytes: refused with a reason, or a statement with public
 * inputs. The first byte chooses an allocation that fails.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "circuits/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the first and the last partition. */
static void look(const struct request *q)
{
    struct cuzk_error e = {0};
    const unsigned partitions = request_partitions(q);
    fr *inputs = malloc(request_public_count(q) * sizeof *inputs);
    if (!inputs || partitions == 0 || request_public_inputs(q, 0, inputs, &e) != CUZK_OK ||
        request_public_inputs(q, partitions - 1, inputs, &e) != CUZK_OK ||
        request_public_inputs(q, partitions, inputs, &e) != CUZK_ERR_ARGUMENT)
        abort();
    free(inputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct exec x = {0};
    struct request q;
    struct cuzk_error e = {0};
    char path[64];
    if (size < 1)
        return 0;
    const int fd = memfd_create("request", 0);
    if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    mem_fail_after(data[0]);
    const cuzk_status status = request_read(&x, &q, path, false, &e);
    mem_fail_after(0);
    if (status == CUZK_OK) {
        look(&q);
        request_free(&q);
    } else if (e.status != status || !e.message[0] || status == CUZK_ERR_INTERNAL) {
        abort();
    }
    close(fd);
    return 0;
}
