/* circuits/gen_label.h - the parts of which sealed and sparse sectors are made alike.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_GEN_LABEL_H
#define CIRCUITS_GEN_LABEL_H

#include "circuits/gen_sector.h"

/* A node's label on a layer (from 0 on), from its parents' (those of the layer, then the expander's of the
 * layer before). count 0: node 0, which has none. */
void gen_label(uint8_t out[32], const uint8_t replica_id[32], unsigned layer, uint64_t node,
               const uint8_t (*parents)[32], unsigned count);

/* Of nodes that have labels: one label; the hash of the column; its place in labels. */
void gen_sector_label(const struct gen_sector *s, unsigned layer, uint64_t node, fr *out);
void gen_sector_column(const struct gen_sector *s, uint64_t node, fr *out);
uint64_t gen_sector_slot(const struct gen_sector *s, uint64_t node);

/* The tree of data, which must live as long. */
cuzk_status gen_sector_data(const struct exec *x, struct gen_tree *t, const struct porep_params *p,
                            const struct gen_source *data, struct cuzk_error *e) MUST_USE;

/* The first part: data and their tree, comm_d, replica_id. On failure there is nothing to free. */
cuzk_status gen_sector_begin(const struct exec *x, struct gen_sector *s, const struct poseidon_set *poseidon,
                             const struct porep_params *params, const struct gen_identity *who,
                             const uint8_t key[32], unsigned period_bits, struct cuzk_error *e) MUST_USE;
/* The labels of all nodes for the replica_id of the statement, and the column tree over them: x, poseidon,
 * statement and graph are set. What is made belongs to s, also on failure. */
cuzk_status gen_sector_columns(struct gen_sector *s, struct cuzk_error *e) MUST_USE;
/* The last part: comm_c and comm_r, from the trees. */
void gen_sector_commit(struct gen_sector *s);

#endif
