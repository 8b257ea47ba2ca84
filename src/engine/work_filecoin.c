/* engine/work_filecoin.c - Filecoin's proofs as the engine's work: what a request asks for, its bytes parsed,
 * its proofs verified.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "circuits/request_wire.h"
#include "engine/param_files.h"
#include "engine/work.h"

#define PARSE_FIXED ((uint64_t)4 << 20)

struct filecoin {
    struct work work;
    struct poseidon_set *poseidon;
    char *param_cache;
};

/* ---- what is asked for ---- */

/* "SectorSize":N in a wrapped C1, which stands behind the proof. */
static uint64_t c1_sector_size(const uint8_t *payload, size_t size)
{
    static const char key[] = "\"SectorSize\"";
    const size_t n = sizeof key - 1;
    uint64_t value = 0;
    for (size_t at = size; at >= n; at--) {
        if (memcmp(payload + at - n, key, n) != 0)
            continue;
        while (at < size && (payload[at] == ':' || payload[at] == ' '))
            at++;
        for (; at < size && payload[at] >= '0' && payload[at] <= '9' && value < (uint64_t)1 << 50; at++)
            value = 10 * value + (uint64_t)(payload[at] - '0');
        break;
    }
    return value;
}

/* The fields as a request on the wire. *pieces: for mem_free; their bytes begin at payload (NULL: sizes
 * alone). */
static cuzk_status wire_of(struct request_wire *out, struct request_wire_bytes **pieces,
                           const struct fields *f, const uint8_t *payload, struct cuzk_error *e)
{
    struct request_wire w = {.kind = (uint32_t)f->kind,
                             .sector_size = f->sector_size,
                             .registered_proof = f->registered_proof,
                             .sector_number = f->sector_number,
                             .miner_id = f->miner_id,
                             .partition_index = f->partition_index,
                             .piece_count = f->pieces};
    if (f->has_randomness)
        w.randomness = (struct request_wire_bytes){f->randomness, sizeof f->randomness};
    if (f->has_comms) {
        w.comm_r_old = (struct request_wire_bytes){f->comm_r_old, sizeof f->comm_r_old};
        w.comm_r_new = (struct request_wire_bytes){f->comm_r_new, sizeof f->comm_r_new};
        w.comm_d_new = (struct request_wire_bytes){f->comm_d_new, sizeof f->comm_d_new};
    }
    *pieces = mem_alloc(f->pieces + 1, sizeof **pieces);
    if (!*pieces)
        return error_memory(e, f->pieces * sizeof **pieces, "a request");
    for (size_t i = 0; i < f->pieces; i++) {
        (*pieces)[i] = (struct request_wire_bytes){payload, (size_t)f->piece[i]};
        payload = payload ? payload + f->piece[i] : NULL;
    }
    w.pieces = *pieces;
    *out = w;
    return CUZK_OK;
}

static cuzk_status plan(void *self, const struct fields *f, const uint8_t *payload, size_t size,
                        struct work_plan *out, struct cuzk_error *e)
{
    struct request_wire w;
    struct request_wire_bytes *pieces = NULL;
    struct request_wire_shape shape;
    (void)self;
    cuzk_status status = wire_of(&w, &pieces, f, NULL, e);
    if (status == CUZK_OK && f->kind == ENGINE_POREP && !w.registered_proof && !w.sector_size)
        w.sector_size = c1_sector_size(payload, size);
    if (status == CUZK_OK)
        status = request_wire_check(&shape, &w, e);
    if (status == CUZK_OK)
        *out = (struct work_plan){.circuit = shape.circuit,
                                  .partitions = shape.partitions,
                                  .parse_bytes = 4 * fields_payload_size(f) + PARSE_FIXED};
    mem_free(pieces);
    return status;
}

/* ---- parsing ---- */

static void free_request(void *self, struct request *request)
{
    (void)self;
    if (!request)
        return;
    request_free(request);
    mem_free(request);
}

static cuzk_status parse(void *self, const struct exec *x, const struct fields *f,
                         const struct work_plan *plan, const uint8_t *payload, size_t size,
                         struct request **out, unsigned *partitions, struct cuzk_error *e)
{
    struct request *q = mem_alloc(1, sizeof *q);
    struct request_wire w;
    struct request_wire_bytes *pieces = NULL;
    if (!q)
        return error_memory(e, sizeof *q, "a request");
    cuzk_status status = wire_of(&w, &pieces, f, payload, e);
    if (status == CUZK_OK && f->kind == ENGINE_POREP && !w.registered_proof && !w.sector_size)
        w.sector_size = c1_sector_size(payload, size);
    if (status == CUZK_OK)
        status = request_wire_read(x, q, &w, e);
    mem_free(pieces);
    if (status == CUZK_OK && strcmp(request_circuit_name(q), plan->circuit) != 0)
        status = error_set(e, CUZK_ERR_MISMATCH, "the request is of %s, its fields say %s",
                           request_circuit_name(q), plan->circuit);
    if (status != CUZK_OK) {
        free_request(self, q);
        return status;
    }
    *out = q;
    *partitions = request_partitions(q);
    return CUZK_OK;
}

/* ---- proofs ---- */

static cuzk_status check(void *self, const struct engine_task *task, struct cuzk_error *e)
{
    (void)self;
    return request_check_partition(task->x, task->poseidon, task->request, task->partition, e);
}

static cuzk_status verify(void *self, const struct engine_task *task,
                          const uint8_t bytes[GROTH16_PROOF_BYTES], bool *valid, struct cuzk_error *e)
{
    struct groth16_proof proof;
    fr *inputs = NULL;
    uint32_t count = 0;
    (void)self;
    if (groth16_proof_read(&proof, bytes, NULL) != CUZK_OK) {
        *valid = false;
        return CUZK_OK;
    }
    cuzk_status status = engine_task_inputs(task, &inputs, &count, e);
    if (status == CUZK_OK)
        status = groth16_verify(task->x, task->params->vk, &proof, inputs, count, valid, e);
    mem_free(inputs);
    return status;
}

/* ---- parameters ---- */

static cuzk_status find(void *self, const char *circuit, char **path, struct cuzk_error *e)
{
    const struct filecoin *f = self;
    return param_file_find(f->param_cache, circuit, path, e);
}

static cuzk_status open_params(void *self, const struct exec *x, const char *circuit, const char *path,
                               struct engine_params **out, struct cuzk_error *e)
{
    const struct filecoin *f = self;
    return param_file_open(x, f->poseidon, f->param_cache, circuit, path, out, e);
}

static void close_params(void *self, struct engine_params *params)
{
    (void)self;
    param_file_close(params);
}

static const char *circuit_name(void *self, size_t i)
{
    uint64_t size;
    (void)self;
    return catalogue_name(i, &size);
}

static void free_filecoin(void *self)
{
    struct filecoin *f = self;
    poseidon_set_free(f->poseidon);
    mem_free(f->param_cache);
    mem_free(f);
}

cuzk_status work_filecoin_new(struct work **out, const char *param_cache, struct cuzk_error *e)
{
    const size_t n = strlen(param_cache) + 1;
    struct filecoin *f = mem_alloc(1, sizeof *f);
    if (!f)
        return error_memory(e, sizeof *f, "the engine's work");
    f->param_cache = mem_alloc(n, 1);
    cuzk_status status =
        f->param_cache ? poseidon_set_new(&f->poseidon, e) : error_memory(e, n, "a folder's name");
    if (status != CUZK_OK) {
        free_filecoin(f);
        return status;
    }
    memcpy(f->param_cache, param_cache, n);
    f->work = (struct work){.self = f,
                            .plan = plan,
                            .parse = parse,
                            .request_free = free_request,
                            .find = find,
                            .open = open_params,
                            .close = close_params,
                            .check = check,
                            .verify = verify,
                            .circuit = circuit_name,
                            .poseidon = f->poseidon,
                            .free = free_filecoin};
    *out = &f->work;
    return CUZK_OK;
}
