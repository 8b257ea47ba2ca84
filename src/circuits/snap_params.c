/* circuits/snap_params.c - what a sector size fixes of an update proof, and its names.
 * The numbers: FIP-0019.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "circuits/snap.h"

static const struct size_row {
    uint64_t sector_size;
    const char *text, *circuit[2]; /* the size; the circuits by variant */
    uint8_t partitions, challenges, apex_leaves;
    bool few_high_bits; /* small sectors: one high bit, whatever is chosen */
    uint8_t number;
} SIZES[] = {
    {UINT64_C(2) << 10, "2KiB", {"snap-2k", "snap-poseidon-2k"}, 1, 10, 8, true, 0},
    {UINT64_C(4) << 10, "4KiB", {"snap-4k", "snap-poseidon-4k"}, 1, 10, 8, true, 99},
    {UINT64_C(16) << 10, "16KiB", {"snap-16k", "snap-poseidon-16k"}, 2, 10, 128, true, 111},
    {UINT64_C(32) << 10, "32KiB", {"snap-32k", "snap-poseidon-32k"}, 2, 10, 128, true, 127},
    {UINT64_C(8) << 20, "8MiB", {"snap-8m", "snap-poseidon-8m"}, 4, 10, 128, false, 1},
    {UINT64_C(512) << 20, "512MiB", {"snap-512m", "snap-poseidon-512m"}, 16, 86, 128, false, 2},
    {UINT64_C(32) << 30, "32GiB", {"snap-32g", "snap-poseidon-32g"}, 16, 86, 128, false, 3},
    {UINT64_C(64) << 30, "64GiB", {"snap-64g", "snap-poseidon-64g"}, 16, 86, 128, false, 4},
};

static unsigned log2_exact(uint64_t power_of_two)
{
    return (unsigned)__builtin_ctzll(power_of_two);
}

static cuzk_status fill(struct snap_params *out, const struct size_row *size, enum snap_variant variant,
                        struct cuzk_error *e)
{
    struct porep_params tree; /* the replica trees have the shape of the sealed one */
    const bool sha256 = variant == SNAP_SHA256;
    const unsigned partitions = sha256 ? size->partitions : 1;
    const cuzk_status status = porep_params_for_size(&tree, size->sector_size, e);
    if (status != CUZK_OK)
        return status;
    *out = (struct snap_params){
        .variant = variant,
        .sector_size = size->sector_size,
        .nodes = tree.nodes,
        .node_bits = tree.data_height,
        .base_arity = tree.base_arity,
        .sub_arity = tree.sub_arity,
        .top_arity = tree.top_arity,
        .base_height = tree.base_height,
        .partitions = partitions,
        .partition_bits = log2_exact(partitions),
        .challenges = (unsigned)size->challenges * size->partitions / partitions,
        .drawn_bits = tree.data_height - log2_exact(partitions),
        .apex_leaves = sha256 ? size->apex_leaves : 0,
        .apex_bits = sha256 ? log2_exact(size->apex_leaves) : 0,
        .high_choice = size->few_high_bits ? 0 : 3,
        .registered_proof = size->number,
    };
    for (unsigned i = 0; i < SNAP_HIGH_CHOICES; i++)
        out->high_bits[i] = size->few_high_bits ? 1 : 7 + i;
    VERIFY(out->challenges <= SNAP_MAX_CHALLENGES);
    return CUZK_OK;
}

static const struct size_row *row_of(const struct snap_params *p)
{
    const struct size_row *row = SIZES;
    while (row->sector_size != p->sector_size) {
        row++;
        VERIFY(row < SIZES + ARRAY_LEN(SIZES));
    }
    return row;
}

cuzk_status snap_params_for_circuit(struct snap_params *out, const char *circuit, struct cuzk_error *e)
{
    for (size_t i = 0; i < ARRAY_LEN(SIZES); i++)
        for (unsigned k = 0; k < ARRAY_LEN(SIZES[i].circuit); k++)
            if (strcmp(SIZES[i].circuit[k], circuit) == 0)
                return fill(out, &SIZES[i], (enum snap_variant)k, e);
    return error_set(e, CUZK_ERR_ARGUMENT, "no update circuit is named \"%.40s\"", circuit);
}

cuzk_status snap_params_for_number(struct snap_params *out, uint64_t registered_proof,
                                   enum snap_variant variant, struct cuzk_error *e)
{
    for (size_t i = 0; i < ARRAY_LEN(SIZES); i++)
        if (SIZES[i].number == registered_proof)
            return fill(out, &SIZES[i], variant, e);
    return error_set(e, CUZK_ERR_INPUT, "no registered update proof has the number %" PRIu64,
                     registered_proof);
}

const char *snap_circuit_name(size_t i, uint64_t *sector_size)
{
    if (i >= 2 * ARRAY_LEN(SIZES))
        return NULL;
    const struct size_row *row = &SIZES[i % ARRAY_LEN(SIZES)];
    *sector_size = row->sector_size;
    return row->circuit[i / ARRAY_LEN(SIZES)];
}

const char *snap_size_text(const struct snap_params *p)
{
    return row_of(p)->text;
}

const char *snap_params_circuit(const struct snap_params *p)
{
    return row_of(p)->circuit[p->variant];
}

const char *snap_kind_text(const struct snap_params *p)
{
    return p->variant == SNAP_POSEIDON ? "snap-poseidon" : "snap";
}

void snap_identifier(const struct snap_params *p, char out[SNAP_NAME_MAX])
{
    snprintf(out, SNAP_NAME_MAX, "empty_sector_update::PublicParams{ sector_nodes: %" PRIu64 " }", p->nodes);
}

void snap_cache_prefix(const struct snap_params *p, char out[SNAP_NAME_MAX])
{
    snprintf(out, SNAP_NAME_MAX, "empty-sector-update-%smerkletree-poseidon_hasher-%u-%u-%u",
             p->variant == SNAP_POSEIDON ? "poseidon-" : "", p->base_arity, p->sub_arity, p->top_arity);
}
