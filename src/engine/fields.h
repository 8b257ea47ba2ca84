/* engine/fields.h - what stands beside the payload of a request: kept with the job, in the journal, and part
 * of its identity. SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_FIELDS_H
#define ENGINE_FIELDS_H

#include "engine/engine.h"

struct fields {
    enum engine_kind kind;
    uint64_t sector_size, registered_proof, sector_number, miner_id;
    uint32_t partition_index;
    bool has_randomness, has_comms;
    uint8_t randomness[32], comm_r_old[32], comm_r_new[32], comm_d_new[32];
    uint64_t *piece; /* sizes, in the payload one after the other */
    size_t pieces;
};

/* From what was submitted: kinds, lengths and sizes checked. Errors as engine_submit. */
cuzk_status fields_take(struct fields *out, const struct engine_submission *s, struct cuzk_error *e) MUST_USE;
void fields_free(struct fields *f); /* a zeroed one is fine */
uint64_t fields_payload_size(const struct fields *f);

/* As bytes, the same for the same fields; in the journal. *out: size bytes for mem_free. */
cuzk_status fields_encode(const struct fields *f, uint8_t **out, size_t *size, struct cuzk_error *e) MUST_USE;
cuzk_status fields_decode(struct fields *out, const uint8_t *bytes, size_t size,
                          struct cuzk_error *e) MUST_USE;

#endif
