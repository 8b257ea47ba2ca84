/* circuits/porep_params.c - what a sector size and a registered seal proof fix, and their names.
 * The numbers: the Filecoin specification, "Stacked DRG proof of replication"; FIP-0059 (synthetic),
 * FIP-0090 (non-interactive).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "circuits/porep.h"

#define NODE_BYTES 32

static const struct size_row {
    uint64_t sector_size;
    const char *text, *circuit;
    uint8_t sub_arity, top_arity;
    bool production;      /* eleven layers, and all the challenges that the chain asks for */
    uint8_t first_number; /* of the V1 proof */
} SIZES[] = {
    {UINT64_C(2) << 10, "2KiB", "porep-2k", 0, 0, false, 0},
    {UINT64_C(4) << 10, "4KiB", "porep-4k", 2, 0, false, 99},
    {UINT64_C(16) << 10, "16KiB", "porep-16k", 8, 0, false, 111},
    {UINT64_C(32) << 10, "32KiB", "porep-32k", 8, 2, false, 127},
    {UINT64_C(8) << 20, "8MiB", "porep-8m", 0, 0, false, 1},
    {UINT64_C(512) << 20, "512MiB", "porep-512m", 0, 0, false, 2},
    {UINT64_C(32) << 30, "32GiB", "porep-32g", 8, 0, true, 3},
    {UINT64_C(64) << 30, "64GiB", "porep-64g", 8, 2, true, 4},
};

/* The proofs of one size, by the distance of their numbers from the V1 proof's. */
static const struct proof_row {
    const char *suffix;
    enum porep_api api;
    enum porep_mode mode;
} PROOFS[] = {
    {"V1", POREP_API_1_0, POREP_INTERACTIVE},
    {"V1_1", POREP_API_1_1, POREP_INTERACTIVE},
    {"V1_1_Feat_SyntheticPoRep", POREP_API_1_2, POREP_SYNTHETIC},
    {"V1_2_Feat_NonInteractivePoRep", POREP_API_1_2, POREP_NON_INTERACTIVE},
};
#define NUMBERS_A_PROOF 5 /* the registered sizes */

static unsigned log2_exact(uint64_t power_of_two)
{
    return (unsigned)__builtin_ctzll(power_of_two);
}

static void fill(struct porep_params *p, const struct size_row *size, size_t proof)
{
    memset(p, 0, sizeof *p);
    p->sector_size = size->sector_size;
    p->nodes = size->sector_size / NODE_BYTES;
    p->layers = size->production ? 11 : 2;
    p->base_arity = 8;
    p->sub_arity = size->sub_arity;
    p->top_arity = size->top_arity;
    const uint64_t base_trees =
        (uint64_t)(size->sub_arity ? size->sub_arity : 1) * (size->top_arity ? size->top_arity : 1);
    p->base_height = log2_exact(p->nodes / base_trees) / log2_exact(p->base_arity);
    p->data_height = log2_exact(p->nodes);
    p->challenges = size->production ? 18 : 2;
    p->mode = PROOFS[proof].mode;
    if (p->mode == POREP_NON_INTERACTIVE)
        p->partitions = size->production ? 126 : 13;
    else
        p->partitions = size->production ? 10 : 1;
    p->api = PROOFS[proof].api;
    p->registered_proof = size->first_number + NUMBERS_A_PROOF * proof;
    for (unsigned i = 0; i < 8; i++)
        p->porep_id[i] = (uint8_t)(p->registered_proof >> (8 * i));
}

static const struct size_row *row_of(const struct porep_params *p)
{
    const struct size_row *row = SIZES;
    while (row->sector_size != p->sector_size) {
        row++;
        VERIFY(row < SIZES + ARRAY_LEN(SIZES));
    }
    return row;
}

cuzk_status porep_params_for_size(struct porep_params *out, uint64_t sector_size, struct cuzk_error *e)
{
    for (size_t i = 0; i < ARRAY_LEN(SIZES); i++)
        if (SIZES[i].sector_size == sector_size) {
            fill(out, &SIZES[i], 1);
            return CUZK_OK;
        }
    return error_set(e, CUZK_ERR_INPUT, "no circuit for sectors of %" PRIu64 " bytes", sector_size);
}

cuzk_status porep_params_for_circuit(struct porep_params *out, const char *circuit, struct cuzk_error *e)
{
    for (size_t i = 0; i < ARRAY_LEN(SIZES); i++)
        if (strcmp(SIZES[i].circuit, circuit) == 0) {
            fill(out, &SIZES[i], 1);
            return CUZK_OK;
        }
    return error_set(e, CUZK_ERR_ARGUMENT, "no PoRep circuit is named \"%.40s\"; there are %s to %s", circuit,
                     SIZES[0].circuit, SIZES[ARRAY_LEN(SIZES) - 1].circuit);
}

cuzk_status porep_params_for_number(struct porep_params *out, uint64_t registered_proof, struct cuzk_error *e)
{
    for (size_t i = 0; i < ARRAY_LEN(SIZES); i++)
        for (size_t k = 0; k < ARRAY_LEN(PROOFS); k++)
            if (SIZES[i].first_number + NUMBERS_A_PROOF * k == registered_proof) {
                fill(out, &SIZES[i], k);
                return CUZK_OK;
            }
    return error_set(e, CUZK_ERR_INPUT, "no registered seal proof has the number %" PRIu64, registered_proof);
}

cuzk_status porep_params_for_name(struct porep_params *out, const char *name, size_t len,
                                  struct cuzk_error *e)
{
    for (size_t i = 0; i < ARRAY_LEN(SIZES); i++)
        for (size_t k = 0; k < ARRAY_LEN(PROOFS); k++) {
            struct porep_params p;
            char known[POREP_NAME_MAX];
            fill(&p, &SIZES[i], k);
            porep_registered_name(&p, known);
            if (strlen(known) == len && memcmp(known, name, len) == 0) {
                *out = p;
                return CUZK_OK;
            }
        }
    return error_set(e, CUZK_ERR_INPUT, "no registered seal proof is named \"%.*s\"",
                     (int)(len < 60 ? len : 60), name);
}

const char *porep_circuit_name(size_t i, uint64_t *sector_size)
{
    if (i >= ARRAY_LEN(SIZES))
        return NULL;
    *sector_size = SIZES[i].sector_size;
    return SIZES[i].circuit;
}

const char *porep_size_text(const struct porep_params *p)
{
    return row_of(p)->text;
}

const char *porep_params_circuit(const struct porep_params *p)
{
    return row_of(p)->circuit;
}

void porep_registered_name(const struct porep_params *p, char out[POREP_NAME_MAX])
{
    const struct size_row *size = row_of(p);
    const size_t proof = (size_t)(p->registered_proof - size->first_number) / NUMBERS_A_PROOF;
    snprintf(out, POREP_NAME_MAX, "StackedDrg%s%s", size->text, PROOFS[proof].suffix);
}

void porep_variant_name(const struct porep_params *p, char out[POREP_NAME_MAX])
{
    snprintf(out, POREP_NAME_MAX, "StackedDrg%sV1", row_of(p)->text);
}

#define TREE_FORMAT  "merkletree-poseidon_hasher-%u-%u-%u"
#define TREE_ARGS(p) (p)->base_arity, (p)->sub_arity, (p)->top_arity

void porep_identifier(const struct porep_params *p, char out[POREP_NAME_MAX])
{
    snprintf(
        out, POREP_NAME_MAX,
        "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_degree: %d base_graph: "
        "drgraph::BucketGraph{size: %" PRIu64 "; degree: %d; hasher: poseidon_hasher} }, challenges: "
        "LayerChallenges { layers: %u, max_count: %u }, tree: " TREE_FORMAT " }",
        POREP_EXP_PARENTS, p->nodes, POREP_DRG_PARENTS, p->layers, p->challenges, TREE_ARGS(p));
}

void porep_cache_prefix(const struct porep_params *p, char out[POREP_NAME_MAX])
{
    snprintf(out, POREP_NAME_MAX, "stacked-proof-of-replication-" TREE_FORMAT "-sha256_hasher", TREE_ARGS(p));
}

#undef TREE_FORMAT
#undef TREE_ARGS
