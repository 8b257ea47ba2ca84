/* fuzz/fuzz_request.c - request files from any bytes: refused with a reason, or a statement with public
 * inputs. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "circuits/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct exec x = {0};
    struct request q;
    struct cuzk_error e = {0};
    char path[64];
    fr inputs[3 + 18 * POREP_MAX_CHALLENGES];
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
        if (porep_public_inputs(&q.porep, 0, inputs, &e) != CUZK_OK)
            abort();
        request_free(&q);
    } else if (e.status != status || !e.message[0] || status == CUZK_ERR_INTERNAL) {
        abort();
    }
    close(fd);
    return 0;
}
