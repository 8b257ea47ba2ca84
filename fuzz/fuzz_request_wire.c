/* fuzz/fuzz_request_wire.c - requests as a client sends them, from any bytes: refused with a reason, or a
 * statement with public inputs. The input's head gives the fields, what follows the pieces.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdlib.h>
#include <string.h>

#include "circuits/request_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct head {
    uint8_t fails; /* which allocation */
    uint8_t kind, registered_proof, size_shift, pieces, present, partition;
    uint8_t commitment[32];
};

static void look(const struct request *q)
{
    struct cuzk_error e = {0};
    fr *inputs = malloc(request_public_count(q) * sizeof *inputs);
    if (!inputs || request_partitions(q) == 0 || request_public_inputs(q, 0, inputs, &e) != CUZK_OK)
        abort();
    free(inputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct exec x = {0};
    struct head head;
    struct request q;
    struct request_wire_shape shape;
    struct request_wire_bytes pieces[8] = {{NULL, 0}};
    struct cuzk_error e = {0};
    if (size < sizeof head)
        return 0;
    memcpy(&head, data, sizeof head);
    data += sizeof head;
    size -= sizeof head;
    struct request_wire w = {.kind = head.kind,
                             .registered_proof = head.registered_proof,
                             .sector_size = head.size_shift ? (uint64_t)1 << head.size_shift % 40 : 0,
                             .partition_index = head.partition,
                             .pieces = pieces,
                             .piece_count = head.pieces % 8};
    for (size_t i = 0; i < w.piece_count; i++) {
        pieces[i].data = data + size / w.piece_count * i;
        pieces[i].size = size / w.piece_count;
    }
    struct request_wire_bytes *const fields[] = {&w.randomness, &w.comm_r_old, &w.comm_r_new, &w.comm_d_new};
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        if (head.present >> i & 1)
            *fields[i] = (struct request_wire_bytes){head.commitment, sizeof head.commitment};
    const cuzk_status checked = request_wire_check(&shape, &w, &e);
    mem_fail_after(head.fails);
    const cuzk_status status = request_wire_read(&x, &q, &w, &e);
    mem_fail_after(0);
    if (status == CUZK_OK) {
        if (checked != CUZK_OK)
            abort();
        look(&q);
        request_free(&q);
    } else if (e.status != status || !e.message[0] || status == CUZK_ERR_INTERNAL) {
        abort();
    }
    return 0;
}
